// `armature completion bash|zsh`: a script for the shell, made from the commands themselves; and `armature man`, the
// manual page from the same source.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "armature/base/version.hpp"
#include "armature/formats/registry.hpp"
#include "armature/scene/clip_text.hpp"
#include "armature/scene/edit_text.hpp"
#include "armature/scene/methods.hpp"
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

std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// The methods' options that are one of several words.
std::vector<OptionInfo> described_options() {
  std::vector<OptionInfo> all;
  for (const MethodEntry& entry : methods()) {
    for (const OptionInfo& option : entry.make()->option_list()) {
      if (!option.choices.empty()) all.push_back(option);
    }
  }
  return all;
}

// What a flag or an argument can be, where the list is known: methods, formats, and whatever is checked or described
// as one of several words.
std::vector<std::string> choices_of(const CLI::Option& option, const std::vector<OptionInfo>& described) {
  const std::string name = option.get_name();
  if (name == "--method" || name == "--methods" || name == "METHOD") return method_names();
  std::vector<std::string> found;
  if (name == "--to") {
    for (const Format& format : formats()) {
      if (format.write != nullptr) found.push_back(format.name);
    }
    return found;
  }
  for (const OptionInfo& info : described) {
    if ("--" + dashed(info.name) == name) return info.choices;
  }
  const std::string type = option.get_type_name();  // "TEXT:{bash,zsh,man}"
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return found;
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t end = std::min(type.find(',', at), close);
    found.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

// Words after the command: the built-in models where one is taken; the shell adds files by itself.
std::string bash_script(const CLI::App& app) {
  const std::vector<OptionInfo> described = described_options();
  std::string commands, cases;
  std::map<std::string, std::vector<std::string>> values;  // the words: where they stand, "COMMAND:FLAG"
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    const std::string name = command->get_name();
    commands += (commands.empty() ? "" : " ") + name;
    cases += fmt::format("    {}) flags=\"{}\" ;;\n", name, fmt::join(flags_of(*command), " "));
    for (const CLI::Option* option : command->get_options()) {
      const std::vector<std::string> choices = choices_of(*option, described);
      if (choices.empty()) continue;
      std::vector<std::string>& places = values[fmt::format("{}", fmt::join(choices, " "))];
      for (const std::string& flag : option->get_lnames()) places.push_back(name + ":--" + flag);
      for (const std::string& flag : option->get_snames()) places.push_back(name + ":-" + flag);
      if (option->get_positional() && option->get_lnames().empty()) places.push_back(name + ":" + name);
    }
  }
  std::string known;
  for (const auto& [words, places] : values) {
    if (!places.empty()) known += fmt::format("    {}) choices=\"{}\" ;;\n", fmt::join(places, " | "), words);
  }
  std::vector<std::string> edits, tools;
  for (const EditVerb& verb : edit_verbs()) edits.push_back(dashed(verb.name));
  for (const ClipTool& tool : clip_tools()) tools.push_back(dashed(tool.name));
  // Bash takes the = of --flag=value for a word, and zsh's bashcompinit does not.
  return fmt::format(
      R"sh(# bash completion for armature: eval "$(armature completion bash)"
_armature() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} flags="" choices="" more="" before=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{0}" -- "$word"))
    return
  fi
  case $word in
    =) word="" ;;
    --*=*) previous=${{word%%=*}} before=${{word%%=*}}= word=${{word#*=}} ;;
    *) [ "$previous" != = ] || previous=${{COMP_WORDS[COMP_CWORD-2]}} ;;
  esac
  case ${{COMP_WORDS[1]}} in
{1}  esac
  case ${{COMP_WORDS[1]}}:$previous in
{2}  esac
  if [ -n "$choices" ]; then
    case $word in
      *,*) before=$before${{word%,*}}, word=${{word##*,}} ;;
    esac
    COMPREPLY=($(compgen -P "$before" -W "$choices" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
    edit) [ "$COMP_CWORD" -lt 3 ] || more="{4}" ;;
    clip) [ "$COMP_CWORD" -lt 3 ] || more="{5}" ;;
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "${{more:-{3}}}" -- "$word") $(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _armature armature
)sh",
      commands, cases, known, fmt::join(builtin_names(), " "), fmt::join(edits, " "), fmt::join(tools, " "));
}

// zsh runs bash's scripts.
std::string zsh_script(const CLI::App& app) {
  return "# zsh completion for armature: eval \"$(armature completion zsh)\"\n"
         "(( $+functions[compdef] )) || { autoload -U compinit && compinit; }\n"
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
