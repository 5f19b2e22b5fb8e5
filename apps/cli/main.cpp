// The command line: parses, runs one subcommand (commands.hpp), and turns every failure into one sentence and an exit
// code: 0 yes, 1 the answer is no (a goal is not reached, a check found problems), 2 bad input.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <new>

#include "armature/base/suggest.hpp"
#include "armature/base/version.hpp"
#include "armature/scene/files.hpp"
#ifdef ARMATURE_HAS_FBX
#include "armature/fbx/use_fbx.hpp"
#endif
#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

void print_overview(const CLI::App& app) {
  fmt::print("{} {}: describe anything jointed, pose it, and make it reach.\n\n", bold("armature"), version());
  fmt::print("Commands\n");
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    fmt::print("  {:<10} {}\n", command->get_name(), command->get_description());
  }
  fmt::print(
      "\nTry\n"
      "  armature                             redraw the textbook's figures and compare all methods\n"
      "  armature models                      what is built in\n"
      "  armature info human                  its tree, joints and limits\n"
      "  armature fk planar_arm --pose chapter\n"
      "  armature COMMAND --help              options and examples of a command\n");
}

/// Descriptions broken into lines that fit a terminal.
class Formatter : public CLI::Formatter {
 public:
  Formatter() { column_width(kColumn); }
  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string text = CLI::Formatter::make_option_desc(option);
    std::string out;
    std::size_t line = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      if (line > 0 && line + 1 + end - at > kWidth - kColumn) {
        out += '\n';
        line = 0;
      } else if (line > 0) {
        out += ' ';
        ++line;
      }
      out.append(text, at, end - at);
      line += end - at;
      at = end + 1;
    }
    return out;
  }

 private:
  static constexpr std::size_t kColumn = 30;
  static constexpr std::size_t kWidth = 110;
};

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// CLI11 names what it could not place; the sentence adds the nearest option of the command that was meant.
std::string explain_extras(const CLI::App& app) {
  const CLI::App* command = &app;
  std::string name = "armature";
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  const std::vector<std::string> extras = app.remaining(true);
  for (const std::string& extra : extras) {
    if (extra.rfind('-', 0) != 0) continue;
    const std::string option = extra.substr(0, extra.find('='));
    const std::vector<std::string> names = option_names(*command);
    return fmt::format("`{}` has no option {}{} It has {}.", name, in_quotes(option),
                       did_you_mean(option, names).empty() ? "." : did_you_mean(option, names),
                       detail::join(names, 60));
  }
  return fmt::format("`{}` does not know what to do with {}; see `{} --help`.", name,
                     extras.empty() ? "its arguments" : in_quotes(extras.front()), name);
}

/// CLI11 lets the standard library's exception through where a flag is given something else than true or false.
std::string explain_flags(const CLI::App& app, int argc, char** argv) {
  for (int i = 2; i < argc && !app.get_subcommands().empty(); ++i) {
    const std::string_view word = argv[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || !word.starts_with("--")) continue;
    const std::string flag(word.substr(0, equals));
    const CLI::Option* option = app.get_subcommands().front()->get_option_no_throw(flag);
    std::string value(word.substr(equals + 1));
    if (option == nullptr || option->get_expected_max() > 0 || value == "true" || value == "false") continue;
    return fmt::format("{} is a flag: it stands alone, or as {}=true or {}=false; not {}.", flag, flag, flag,
                       in_quotes(value));
  }
  return "";
}

// Without memory nothing can be composed or unwound: functions of the core cannot be left by an exception, either. So
// the first allocation that fails ends the program here, from wherever it was made.
[[noreturn]] void end_without_memory() {
  remove_unfinished_output();
  constexpr std::string_view kSentence = "armature: There is not enough memory for this.\n";
  static_cast<void>(!::write(STDERR_FILENO, kSentence.data(), kSentence.size()));
  std::_Exit(kBadInput);
}

int fail(const std::string& message) {
  fmt::print(stderr, "{} {}\n", error_label(), printable(message, true));
  return kBadInput;
}

int run(int argc, char** argv) {
  CLI::App app("Describe anything jointed, pose it, and make it reach.", "armature");
  app.set_version_flag("--version", fmt::format("armature {}", version()));
  app.set_help_flag("-h,--help", "Show this help and exit");
  app.formatter(std::make_shared<Formatter>());
  app.require_subcommand(0, 1);
  for (auto* add : kCommands) add(app);
  add_studio(app);
  add_demo(app);

  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  if (argc < 2) {
    main_job();
    return kDone;
  }
  // `armature help fk` is what many people type first.
  const std::string first = argv[1];
  if (first == "help") {
    if (argc > 2 && std::find(names.begin(), names.end(), argv[2]) != names.end()) {
      fmt::print("{}", app.get_subcommand(argv[2])->help("armature"));
    } else {
      print_overview(app);
    }
    return kDone;
  }
  if (first.rfind('-', 0) != 0 && std::find(names.begin(), names.end(), first) == names.end()) {
    return fail(unknown_name("command", first, names));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    return fail(explain_extras(app));
  } catch (const std::logic_error&) {  // std::stoll
    const std::string why = explain_flags(app, argc, argv);
    if (why.empty()) throw;
    return fail(why);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    const std::string command = app.get_subcommands().empty() ? "" : " " + app.get_subcommands().front()->get_name();
    return fail(fmt::format("{}; see `armature{} --help`.", trimmed_sentence(error.what()), command));
  }
  return kDone;
}

}  // namespace

int guarded_main(int argc, char** argv) {
  std::set_new_handler(end_without_memory);
  int code = kBadInput;
  try {
    code = run(argc, argv);
  } catch (const Quit& quit) {
    code = quit.code;
  } catch (const BadInput& bad) {
    code = fail(bad.message);
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (const std::exception& error) {
    code = fail(fmt::format("Unexpected: {}", error.what()));
  }
  std::cout.flush();
  if (code != kBadInput) show_notes();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    return fail("The output could not be written in full (is the disk full?).");
  }
  return code;
}

}  // namespace armature::cli

int main(int argc, char** argv) {
#ifdef ARMATURE_HAS_FBX
  armature::use_fbx();
#endif
  return armature::cli::guarded_main(argc, argv);
}
