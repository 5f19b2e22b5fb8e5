// Reading: what a person names, and what a model names.
#include "armature/scene/files.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "armature/scene/load.hpp"

// Files of Node, not of the system, there.
#ifndef __EMSCRIPTEN__
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace armature {
namespace {

namespace fs = std::filesystem;

// A folder of its own that goes with the test: in/ is the model's, out/ is not.
struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "armature_XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
    fs::create_directories(path / "in/sub");
    fs::create_directories(path / "out");
    write("in/arm.bin", "arm");
    write("in/sub/left arm.bin", "left");
    write("in/.hidden.bin", "hidden");
    write("out/secret.bin", "secret");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  void write(const char* name, const char* text) const { std::ofstream(path / name) << text; }
  std::string at(const char* name) const { return (path / name).string(); }
  std::string load(const char* uri, const char* mesh_root = "") const {
    Beside beside{at("in"), *mesh_root == 0 ? "" : at(mesh_root), 100};
    const Result<std::string> bytes = load_beside(uri, &beside);
    return bytes ? *bytes : "refused: " + bytes.message();
  }
  bool refuses(const char* uri, const char* word) const {
    const std::string answer = load(uri);
    return answer.rfind("refused: ", 0) == 0 && answer.find(word) != std::string::npos;
  }
  fs::path path;
};

}  // namespace

TEST_CASE("A MuJoCo model includes files of its own folder, and of its own kind only") {
  const Folder folder;
  folder.write("in/part.xml", "<mujocoinclude><body name='b'/></mujocoinclude>");
  folder.write("out/part.xml", "<mujocoinclude><body name='secret'/></mujocoinclude>");
  const auto read = [&](const char* included) {
    folder.write("in/m.xml",
                 ("<mujoco><worldbody><include file='" + std::string(included) + "'/></worldbody></mujoco>").c_str());
    const Result<Document> document = load_document(folder.at("in/m.xml"));
    return document ? document->linkage.links.back().name : document.message();
  };
  CHECK(read("part.xml") == "b");
  CHECK(read("arm.bin").find("not a part of a MuJoCo model (.xml, .mjcf)") != std::string::npos);
  CHECK(read("../out/part.xml").find("secret") == std::string::npos);
  CHECK(read("/etc/passwd").find("absolute path") != std::string::npos);
}

TEST_CASE("A file is read whole, within the limit") {
  const Folder folder;
  CHECK(read_file(folder.at("in/arm.bin")).value() == "arm");
  CHECK(read_file(folder.at("in/arm.bin"), 3).value() == "arm");
  CHECK(read_file(folder.at("in/arm.bin"), 2).message().find("more than 2 bytes") != std::string::npos);
  CHECK(read_file(folder.at("in")).message().find("is a folder") != std::string::npos);
  CHECK(read_file(folder.at("in/none")).message().find("no such file") != std::string::npos);
}

TEST_CASE("Devices that never end are refused, the empty one is empty") {
  CHECK(read_file("/dev/zero", 1000).message().find("is a device") != std::string::npos);
  CHECK(read_file("/dev/null").value().empty());
}

TEST_CASE("A pipe that a person names is read to its end or to the limit") {
  for (const std::size_t limit : {std::size_t{300000}, std::size_t{299999}}) {
    const Folder folder;
    REQUIRE(::mkfifo(folder.at("pipe").c_str(), 0600) == 0);
    std::thread writer([&] { std::ofstream(folder.at("pipe")) << std::string(300000, 'x'); });
    const Result<std::string> bytes = read_file(folder.at("pipe"), limit);
    writer.join();
    CHECK(bytes.ok() == (limit == 300000));
    if (bytes) CHECK(bytes->size() == 300000);
  }
}

TEST_CASE("Lines come one by one, from files and pipes") {
  const Folder folder;
  const std::string longer(200000, 'y');
  const std::string text = "one\n\n" + longer + "\nlast";
  folder.write("lines", text.c_str());
  REQUIRE(::mkfifo(folder.at("pipe").c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(folder.at("pipe")) << text; });
  for (const char* name : {"lines", "pipe"}) {
    LineReader reader(folder.at(name));
    REQUIRE(reader.open().ok());
    std::vector<std::string> lines;
    for (std::string line; reader.next(line).value();) lines.push_back(line);
    CHECK(lines == std::vector<std::string>{"one", "", longer, "last"});
    CHECK(reader.fraction() == (std::string_view(name) == "lines" ? 1.0 : 0.0));
  }
  writer.join();
  CHECK(!LineReader(folder.at("none")).open().ok());
}

TEST_CASE("A model reads files of its folder") {
  const Folder folder;
  CHECK(folder.load("arm.bin") == "arm");
  CHECK(folder.load("sub/left%20arm.bin") == "left");
  CHECK(folder.load("sub/../arm.bin") == "arm");
  fs::create_symlink("../arm.bin", folder.path / "in/sub/link.bin");
  CHECK(folder.load("sub/link.bin") == "arm");
}

TEST_CASE("A model reads nothing else") {
  const Folder folder;
  CHECK(folder.refuses("../out/secret.bin", "outside"));
  CHECK(folder.refuses("%2e%2e/out/secret.bin", "outside"));
  CHECK(folder.refuses(folder.at("in/arm.bin").c_str(), "absolute"));
  CHECK(folder.refuses("/dev/zero", "absolute"));
  CHECK(folder.refuses(".hidden.bin", "hidden"));
  CHECK(folder.refuses("none.bin", "no such file"));
  CHECK(folder.refuses("sub", "not a buffer"));
  CHECK(folder.refuses("arm.bin%00.txt", "control character"));
  folder.write("in/notes.txt", "notes");
  CHECK(folder.refuses("notes.txt", "not a buffer"));
  fs::create_symlink("../out/secret.bin", folder.path / "in/file.bin");
  CHECK(folder.refuses("file.bin", "outside"));
  fs::create_symlink("../out", folder.path / "in/folder");
  CHECK(folder.refuses("folder/secret.bin", "outside"));
  fs::create_symlink("/dev/zero", folder.path / "in/zero.bin");
  CHECK(folder.refuses("zero.bin", "outside"));
  REQUIRE(::mkfifo(folder.at("in/pipe.bin").c_str(), 0600) == 0);
  CHECK(folder.refuses("pipe.bin", "not a regular file"));
  fs::create_directory(folder.path / "in/folder.bin");
  CHECK(folder.refuses("folder.bin", "not a regular file"));
  folder.write("in/large.bin", std::string(101, 'x').c_str());
  CHECK(folder.refuses("large.bin", "more than 100 bytes"));
}

TEST_CASE("A folder with a name that only begins like the model's is outside") {
  const Folder folder;
  fs::create_directory(folder.path / "inside");
  folder.write("inside/a.bin", "a");
  CHECK(folder.refuses("../inside/a.bin", "outside"));
}

TEST_CASE("mesh_root opens one more folder") {
  const Folder folder;
  CHECK(folder.load("../out/secret.bin", "out") == "secret");
  CHECK(folder.load("secret.bin", "out") == "secret");
  CHECK(folder.load("../arm.bin", "out").rfind("refused: ", 0) == 0);
}

TEST_CASE("package:// leads to the folder of that name that the model lies in, or below mesh_root") {
  const Folder folder;
  folder.write("out/base.STL", "solid");
  folder.write("in/sub/base.STL", "solid");
  const auto opens = [&](const char* uri, const char* in, const char* mesh_root) {
    const Beside beside{folder.at(in), *mesh_root == 0 ? "" : folder.at(mesh_root), 100};
    return open_beside(beside, uri, FileKind::mesh).ok();
  };
  CHECK(opens("package://in/sub/base.STL", "in", ""));
  CHECK(opens("package://in/sub/base.STL", "in/sub", ""));
  CHECK(opens("package://sub/base.STL", "in", ""));
  CHECK(opens("package://out/base.STL", "in", "."));
  CHECK(!opens("package://out/base.STL", "in", ""));
  CHECK(!opens("package://in/../out/base.STL", "in", ""));
  CHECK(!opens("package://in/arm.bin", "in", ""));
  CHECK(!opens("package://", "in", ""));
  CHECK(!opens("package://in", "in", ""));
  CHECK(!opens("file:///base.STL", "in", ""));
}

TEST_CASE("Models are found by name, by path, and with the nearest name") {
  CHECK(open_model("panda")->model.name() == "panda");
  CHECK(load_document("pandda").message().find("did you mean 'panda'") != std::string::npos);
  CHECK(load_document("/dev/zero").message().find("is a device") != std::string::npos);
}

}  // namespace armature
#endif
