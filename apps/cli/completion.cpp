// `armature completion bash|zsh`: a script for the shell, made from the commands themselves; and `armature man`, the
// manual page from the same source.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "armature/base/version.hpp"
#include "commands.hpp"
#include "common.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

const CLI::App* root_of(const CLI::App* app) {
  while (app->get_parent() != nullptr) app = app->get_parent();
  return app;
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    for (const std::string& name : option->get_snames()) flags.push_back("-" + name);
  }
  return flags;
}

// Words after the command: the built-in models where one is taken; the shell adds files by itself.
std::string bash_script(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    commands += (commands.empty() ? "" : " ") + command->get_name();
    cases += fmt::format("    {}) flags=\"{}\" ;;\n", command->get_name(), fmt::join(flags_of(*command), " "));
  }
  return fmt::format(
      R"sh(# bash completion for armature: eval "$(armature completion bash)"
_armature() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} flags=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{0}" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{1}  esac
  case $previous in
    --method | --methods) COMPREPLY=($(compgen -W "{2}" -- "$word")); return ;;
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "{3}" -- "$word") $(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _armature armature
)sh",
      commands, cases, fmt::join(method_names(), " "), fmt::join(builtin_names(), " "));
}

// zsh runs bash's scripts.
std::string zsh_script(const CLI::App& app) {
  return "# zsh completion for armature: eval \"$(armature completion zsh)\"\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(app);
}

// roff takes a leading dot or quote for a command, and a backslash for an escape.
std::string roff(std::string_view text) {
  std::string out;
  bool fresh = true;
  for (const char c : text) {
    if (fresh && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    fresh = c == '\n';
  }
  return out;
}

std::string manual(const CLI::App& app) {
  std::string out = fmt::format(
      ".TH ARMATURE 1 \"\" \"armature {}\" \"User Commands\"\n.SH NAME\narmature \\- kinematic linkages: describe "
      "anything "
      "jointed, pose it, and make it reach\n.SH SYNOPSIS\n.B armature\n.I COMMAND\n[arguments]\n.SH EXIT STATUS\n0: "
      "yes. 1: "
      "the answer is no (a goal is not reached, a check found problems). 2: bad input. 130: interrupted, work kept.\n",
      version());
  out += ".SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    out += fmt::format(".SS {}\n{}\n", roff(command->get_name()), roff(command->get_description()));
    for (const CLI::Option* option : command->get_options()) {
      std::string name = option->get_name(false, true);
      if (name.empty()) continue;
      out += fmt::format(".TP\n.B {}\n{}\n", roff(name), roff(option->get_description()));
    }
    if (!command->get_footer().empty()) out += ".PP\n.nf\n" + roff(command->get_footer()) + "\n.fi\n";
  }
  return out;
}

}  // namespace

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Tab completion for a shell, or the manual page");
  command->add_option("SHELL", *shell, "bash, zsh, or man")->required()->check(CLI::IsMember({"bash", "zsh", "man"}));
  command->footer(
      "Examples:\n"
      "  eval \"$(armature completion bash)\"          # in ~/.bashrc\n"
      "  armature completion man > armature.1; man ./armature.1");
  command->callback([command, shell] {
    const CLI::App& root = *root_of(command);
    fmt::print("{}", *shell == "bash" ? bash_script(root) : *shell == "zsh" ? zsh_script(root) : manual(root));
  });
}

}  // namespace armature::cli
