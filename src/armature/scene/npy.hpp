// NumPy's files: .npy holds one array, .npz a ZIP archive of them. Arrays are read piece by piece where they lie, so
// that memory does not grow with them; read rather than mapped, as a file that somebody shortens meanwhile would end a
// program that has it mapped. What is written has the bytes that NumPy reads, ZIP64 included.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "armature/scene/files.hpp"

namespace armature::inline v0_2 {

/// A regular file, read anywhere, by many threads at once.
class RandomFile {
 public:
  static Result<RandomFile> open(const std::string& path);
  const std::string& path() const { return path_; }
  std::uint64_t size() const { return file_.size; }
  /// Exactly `size` bytes, or a sentence.
  Status read(std::uint64_t offset, char* to, std::size_t size) const;
  /// When it was written last, nanoseconds: with the size, what tells two inputs apart.
  std::int64_t written() const { return written_; }

 private:
  std::string path_;
  OpenFile file_;
  std::int64_t written_ = 0;
};

namespace detail {
/// The number whose bytes lie there, and the bytes of a number behind the others.
template <class T>
T number_at(const char* bytes) {
  T value{};
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
template <class T>
void append_number(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}
/// "The file 'a.npz' WHAT."
Error not_whole(const RandomFile& file, const std::string& what);
}  // namespace detail

/// What the head of an array says, and where its numbers are.
struct NpyArray {
  std::string name;   // in the archive, without ".npy"; "": of a file of its own
  std::string dtype;  // "<f8"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0;  // of the first number in the file

  std::int64_t rows() const { return shape.empty() ? 1 : shape[0]; }
  /// Numbers per row.
  std::int64_t width() const;
  /// Rows [first, first + count) as doubles, one row after the other: floats of 32 and 64 bits, integers, booleans.
  Status read(const RandomFile& file, std::int64_t first, std::int64_t count, double* to) const;
  /// The same as bytes, as they lie there; of arrays with one axis.
  Status read_bytes(const RandomFile& file, std::int64_t first, std::int64_t count, std::string& to) const;
  /// Bytes of a number; 0: not a type that is read.
  std::size_t item_size() const;
};
/// A number of such a type as text.
std::string npy_number_text(std::string_view dtype, const char* bytes);

/// The array whose .npy lies in [begin, end) of the file.
Result<NpyArray> read_npy_head(const RandomFile& file, std::string name, std::uint64_t begin, std::uint64_t end);
/// The arrays of an .npz.
Result<std::vector<NpyArray>> read_npz_heads(const RandomFile& file);
/// The one array of an .npy, or the arrays of an .npz, by what the file begins with. Sizes are checked against the
/// file.
Result<std::vector<NpyArray>> read_npy_heads(const RandomFile& file);

/// The head of an .npy for an array of this type, as NumPy writes it.
std::string npy_head(std::string_view dtype, const std::vector<std::int64_t>& shape);

/// An .npz whose arrays are written row by row, side by side: all sizes are known before.
class NpzWriter {
 public:
  struct Array {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::uint64_t item = 8;  // bytes of a number
  };
  explicit NpzWriter(const std::vector<Array>& arrays);
  /// The next bytes of an array.
  Status write(OutputFile& file, std::size_t array, std::string_view bytes);
  /// The heads and the directory, once every array is full.
  Status finish(OutputFile& file);

 private:
  struct Member {
    std::string name;
    std::string head;           // of the .npy
    std::uint64_t at = 0;       // of the member in the file
    std::uint64_t data = 0;     // of the .npy in the file
    std::uint64_t size = 0;     // of the .npy
    std::uint64_t written = 0;  // of the .npy
    std::uint32_t crc = 0;
  };
  std::vector<Member> members_;
  std::uint64_t end_ = 0;
};

}  // namespace armature::inline v0_2
