// `armature python`: the interpreter with the module at hand, for goals and methods of one's own, which are not read
// from command lines.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

[[noreturn]] void become_python(std::vector<std::string> arguments) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path() / "python";
  // The module is built for the system's interpreter; another one that comes first in PATH may lack numpy.
  const std::string python = fs::exists("/usr/bin/python3", ignored) ? "/usr/bin/python3" : "python3";
  if (fs::exists(here / "armature", ignored)) {
    const char* before = std::getenv("PYTHONPATH");
    const std::string path = here.string() + (before != nullptr && *before != '\0' ? fmt::format(":{}", before) : "");
    ::setenv("PYTHONPATH", path.c_str(), 1);
  } else if (std::system((python + " -c 'import armature' 2>/dev/null").c_str()) != 0) {
    throw BadInput{
        "Python's module 'armature' is not beside this program and not installed: `./run python` builds it, `pip "
        "install .` "
        "installs it."};
  }
  arguments.insert(arguments.begin(), python);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  throw BadInput{fmt::format("{} cannot be started: {}.", python, std::strerror(errno))};
}

}  // namespace

void add_python(CLI::App& app) {
  CLI::App* command = app.add_subcommand("python", "Python with the module at hand: a shell, or FILE ARGS");
  command->prefix_command();
  command->footer(
      "Examples:\n"
      "  armature python\n"
      "  armature python level.py\n"
      "  armature python -c 'import armature; print(armature.models())'");
  command->callback([command] { become_python(command->remaining()); });
}

}  // namespace armature::cli
