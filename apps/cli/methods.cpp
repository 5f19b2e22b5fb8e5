// `armature methods`: what can find a pose, and the options of each.
#include "armature/scene/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/scene/methods.hpp"
#include "armature/scene/model_json.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

std::string default_text(const OptionInfo& option) {
  if (option.type == OptionInfo::Type::choice) return option.choices[static_cast<std::size_t>(option.default_value)];
  if (option.type == OptionInfo::Type::boolean) return option.default_value != 0.0 ? "true" : "false";
  return pretty_number(option.default_value);
}

}  // namespace

void add_methods(CLI::App& app) {
  struct Options {
    std::string method;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("methods", "The methods of inverse kinematics and their options");
  command->add_option("METHOD", options->method, "Only this one, with its options");
  add_json_flag(*command, options->json);
  command->footer("Examples:\n  armature methods\n  armature methods dls");
  command->callback([options] {
    if (!options->method.empty()) need(make_solver(options->method).status());
    if (options->json) {
      Json list = Json::parse(methods_json());
      const auto other = [&](const Json& entry) { return entry["name"] != options->method; };
      if (!options->method.empty()) list.erase(std::remove_if(list.begin(), list.end(), other), list.end());
      print_answer({{"methods", list}});
      return;
    }
    Table table({"method", "group", "what"});
    for (const MethodEntry& entry : methods()) {
      if (!options->method.empty() && options->method != entry.name) continue;
      const std::vector<OptionInfo> own = entry.make()->option_list();
      table.add({entry.name, entry.group, entry.doc});
      if (options->method.empty()) continue;
      fmt::print("{}\n{}\n\n", bold(entry.label), entry.doc);
      Table details({"option", "default", "meaning"});
      for (const OptionInfo& option : own) details.add({option.name, default_text(option), option.doc});
      fmt::print("{}", details.text(2));
    }
    if (options->method.empty()) fmt::print("{}", table.text());
  });
}

}  // namespace armature::cli
