// Writing: regular files are replaced whole, and nothing else is ever replaced.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "armature/scene/files.hpp"

// Files of Node, not of the system, there.
#ifndef __EMSCRIPTEN__
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace armature {
namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "armature_XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
    fs::create_directory(path / "sub");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::string at(const char* name) const { return (path / name).string(); }
  std::string read(const char* name) const {
    std::ifstream file(path / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t entries() const {
    return std::distance(fs::recursive_directory_iterator(path), fs::recursive_directory_iterator());
  }
  fs::path path;
};

}  // namespace

TEST_CASE("A link is written through, also one to a file that is not there yet") {
  const Folder folder;
  fs::create_symlink("../new.json", folder.path / "sub/link.json");
  fs::create_symlink("sub/link.json", folder.path / "link to link.json");
  for (const char* text : {"first", "second"}) {
    REQUIRE(write_file_atomically(folder.at("link to link.json"), text).ok());
    CHECK(folder.read("new.json") == text);
    CHECK(fs::is_symlink(folder.path / "sub/link.json"));
    CHECK(fs::is_symlink(folder.path / "link to link.json"));
  }
  CHECK(folder.entries() == 4);
}

TEST_CASE("Links that lead nowhere end in a sentence and stay as they are") {
  const Folder folder;
  fs::create_symlink("round.json", folder.path / "round.json");
  fs::create_symlink("none/new.json", folder.path / "out.json");
  for (const char* name : {"round.json", "out.json"}) {
    CHECK(!write_file_atomically(folder.at(name), "text").ok());
    CHECK(fs::is_symlink(folder.path / name));
  }
  CHECK(folder.entries() == 3);
}

TEST_CASE("Pipes and devices are written to and never replaced") {
  const Folder folder;
  REQUIRE(::mkfifo(folder.at("pipe").c_str(), 0600) == 0);
  std::string seen;
  std::thread reader([&] { seen = read_file(folder.at("pipe")).value(); });
  CHECK(write_file_atomically(folder.at("pipe"), "text").ok());
  reader.join();
  CHECK(seen == "text");
  CHECK(fs::is_fifo(folder.path / "pipe"));

  fs::create_symlink("/dev/null", folder.path / "null");  // not by its own name: a failure would harm the machine
  CHECK(write_file_atomically(folder.at("null"), "text").ok());
  CHECK(fs::is_symlink(folder.path / "null"));
  CHECK(fs::is_character_file("/dev/null"));
  fs::create_symlink("/dev/full", folder.path / "full");
  CHECK(write_file_atomically(folder.at("full"), "text").message().find("the disk is full") != std::string::npos);
  CHECK(fs::is_symlink(folder.path / "full"));
}

TEST_CASE("What takes the name while a file is written is not replaced") {
  const Folder folder;
  for (const bool link : {false, true}) {
    OutputFile file(folder.at("out"));
    REQUIRE(file.open().ok());
    REQUIRE(file.write("text").ok());
    if (link) {
      fs::create_symlink("elsewhere", folder.path / "out");
    } else {
      REQUIRE(::mkfifo(folder.at("out").c_str(), 0600) == 0);
    }
    CHECK(file.commit().message().find("something else than a file") != std::string::npos);
    CHECK(fs::symlink_status(folder.path / "out").type() == (link ? fs::file_type::symlink : fs::file_type::fifo));
    CHECK(folder.entries() == 2);
    fs::remove(folder.path / "out");
  }
}

TEST_CASE("A file that is open already is written on where it stands") {
  const Folder folder;
  std::ofstream(folder.path / "log") << "before ";
  const FileHandle log(::open(folder.at("log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  REQUIRE(log.get() >= 0);
  for (const char* where : {"/dev/fd/", "/proc/self/fd/"}) {
    CHECK(write_file_atomically(where + std::to_string(log.get()), "text ").ok());
  }
  CHECK(::write(log.get(), "after", 5) == 5);
  CHECK(folder.read("log") == "before text text after");
  CHECK(!write_file_atomically("/dev/fd/99999", "text").ok());
}

TEST_CASE("A name with a zero byte is refused, not cut there") {
  const Folder folder;
  const std::string name = folder.at("out.json") + std::string("\0.txt", 5);
  CHECK(write_file_atomically(name, "text").message().find("zero byte") != std::string::npos);
  CHECK(folder.entries() == 1);
  std::ofstream(folder.path / "out.json") << "text";
  CHECK(read_file(name).message().find("zero byte") != std::string::npos);
  CHECK(open_regular(name).message().find("zero byte") != std::string::npos);
}

}  // namespace armature
#endif
