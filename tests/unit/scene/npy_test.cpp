// Arrays of NumPy: heads that are right, heads that are not, archives.
#include "armature/scene/npy.hpp"

#ifndef __EMSCRIPTEN__
#include <doctest/doctest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <vector>

using namespace armature;

namespace {

struct Folder {
  Folder() { REQUIRE(mkdtemp(path.data()) != nullptr); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const char* name, const std::string& bytes) const {
    const std::string file = path + "/" + name;
    REQUIRE(write_file_atomically(file, bytes).ok());
    return file;
  }
  std::string path = (std::filesystem::temp_directory_path() / "armature-npy-XXXXXX").string();  // mkdtemp fills the X
};

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

std::string with_head(const std::string& dict, const std::string& data) {
  std::string head("\x93NUMPY\x01\0", 8);
  const auto size = static_cast<std::uint16_t>(dict.size());
  head.append(reinterpret_cast<const char*>(&size), 2);
  return head + dict + data;
}

std::vector<double> rows(const std::string& path, std::int64_t first, std::int64_t count) {
  const RandomFile file = RandomFile::open(path).value();
  const std::vector<NpyArray> arrays = read_npy_heads(file).value();
  REQUIRE(arrays.size() == 1);
  std::vector<double> out(static_cast<std::size_t>(count * arrays[0].width()));
  REQUIRE(arrays[0].read(file, first, count, out.data()).ok());
  return out;
}

}  // namespace

TEST_CASE("npy: what it writes it reads, in both orders and several types") {
  const Folder folder;
  const std::vector<double> numbers = {1, 2, 3, 4, 5, 6, 7, 8};
  CHECK(npy_head("<f8", {4, 2}).size() % 64 == 0);
  const std::string plain = folder.write("a.npy", npy_head("<f8", {4, 2}) + bytes_of(numbers));
  CHECK(rows(plain, 0, 4) == numbers);
  CHECK(rows(plain, 1, 2) == std::vector<double>{3, 4, 5, 6});
  const std::string columns = folder.write(
      "f.npy", with_head("{'descr': '<f8', 'fortran_order': True, 'shape': (4, 2), }\n", bytes_of(numbers)));
  CHECK(rows(columns, 1, 2) == std::vector<double>{2, 6, 3, 7});
  const std::string cube = folder.write(
      "c.npy", with_head("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2, 2), }\n", bytes_of(numbers)));
  CHECK(rows(cube, 1, 1) == std::vector<double>{2, 6, 4, 8});  // [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]
  const std::string small =
      folder.write("i.npy", npy_head("<i2", {3, 1}) + bytes_of(std::vector<std::int16_t>{-1, 0, 300}));
  CHECK(rows(small, 0, 3) == std::vector<double>{-1, 0, 300});
  const std::string floats = folder.write("s.npy", npy_head("<f4", {2}) + bytes_of(std::vector<float>{0.5f, -2.0f}));
  CHECK(rows(floats, 0, 2) == std::vector<double>{0.5, -2});
}

TEST_CASE("npy: heads that lie are refused") {
  const Folder folder;
  const std::string data(64, '\0');
  for (const char* dict : {
           "",
           "{",
           "{}",
           "{'descr': '<f8'}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (9, 1)}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 1)}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 1)}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4611686018427387904)}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4611686018427387904, 4611686018427387904)}",
           "{'descr': '<f8', 'fortran_order': maybe, 'shape': (1, 1)}",
           "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1, 1)}",
           "{'descr': '<f8', 'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1 1)}",
       }) {
    const std::string path = folder.write("x.npy", with_head(dict, data));
    const RandomFile file = RandomFile::open(path).value();
    const auto arrays = read_npy_heads(file);
    CHECK_MESSAGE(!arrays.ok(), dict);
    CHECK(arrays.message().find("x.npy") != std::string::npos);
  }
  const std::string big =
      folder.write("b.npy", with_head("{'descr': '>f8', 'fortran_order': False, 'shape': (1,)}", data));
  const RandomFile file = RandomFile::open(big).value();
  double number = 0.0;
  CHECK(read_npy_heads(file).value()[0].read(file, 0, 1, &number).message().find("astype") != std::string::npos);
  for (const char* bytes : {"", "\x93NUMPY", "\x93NUMPY\x09\x00\x10\x00{}", "PK\x03\x04", "PK\x03\x04nothing more"}) {
    const RandomFile other = RandomFile::open(folder.write("y.npy", bytes)).value();
    CHECK_FALSE(read_npy_heads(other).ok());
  }
  CHECK_FALSE(RandomFile::open(folder.path).ok());
}

TEST_CASE("npz: arrays written side by side, read by name; damaged ones refused") {
  const Folder folder;
  const std::string path = std::string(folder.path) + "/two.npz";
  NpzWriter writer({{"q", "<f8", {3, 2}, 8}, {"ok", "|b1", {3}, 1}});
  OutputFile out(path);
  REQUIRE(out.open().ok());
  REQUIRE(writer.write(out, 0, bytes_of(std::vector<double>{1, 2})).ok());
  REQUIRE(writer.write(out, 1, std::string("\x01\x00", 2)).ok());
  REQUIRE(writer.write(out, 0, bytes_of(std::vector<double>{3, 4, 5, 6})).ok());
  CHECK_FALSE(writer.finish(out).ok());  // a row is missing
  REQUIRE(writer.write(out, 1, std::string("\x01", 1)).ok());
  CHECK_FALSE(writer.write(out, 1, "x").ok());
  REQUIRE(writer.finish(out).ok());
  REQUIRE(out.commit().ok());
  {
    const RandomFile file = RandomFile::open(path).value();
    const std::vector<NpyArray> arrays = read_npy_heads(file).value();
    REQUIRE(arrays.size() == 2);
    CHECK(arrays[0].name == "q");
    CHECK(arrays[1].name == "ok");
    CHECK(arrays[0].shape == std::vector<std::int64_t>{3, 2});
    double q[6] = {};
    REQUIRE(arrays[0].read(file, 0, 3, q).ok());
    CHECK(q[5] == 6.0);
    double ok[3] = {};
    REQUIRE(arrays[1].read(file, 0, 3, ok).ok());
    CHECK(ok[1] == 0.0);
    CHECK(ok[2] == 1.0);
  }
  // Every byte of the archive's own parts in turn: another answer or a sentence, never a crash.
  const std::string whole = read_file(path).value();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char with : {'\x00', '\x7f', '\xff'}) {
      std::string bytes = whole;
      bytes[i] = with;
      const RandomFile file = RandomFile::open(folder.write("d.npz", bytes)).value();
      const auto arrays = read_npy_heads(file);
      if (!arrays) continue;
      for (const NpyArray& array : *arrays) {
        if (array.item_size() == 0 || array.rows() * array.width() > 1000) continue;
        std::vector<double> out_rows(static_cast<std::size_t>(array.rows() * array.width()));
        static_cast<void>(array.read(file, 0, array.rows(), out_rows.data()).ok());
      }
    }
    if (i % 8 == 0) {
      const RandomFile file = RandomFile::open(folder.write("e.npz", whole.substr(0, i))).value();
      CHECK_FALSE(read_npy_heads(file).ok());
    }
  }
}
#endif
