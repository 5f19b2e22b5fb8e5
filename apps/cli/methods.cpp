// `armature methods`: what can find a pose, and the options of each.
#include <fmt/format.h>

#include <memory>

#include "armature/base/number.hpp"
#include "armature/solve/registry.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

const char* type_word(OptionInfo::Type type) {
  switch (type) {
    case OptionInfo::Type::boolean:
      return "boolean";
    case OptionInfo::Type::integer:
      return "integer";
    case OptionInfo::Type::real:
      return "real";
    case OptionInfo::Type::choice:
      return "choice";
  }
  return "?";
}

std::string default_text(const OptionInfo& option) {
  if (option.type == OptionInfo::Type::choice) return option.choices[static_cast<std::size_t>(option.default_value)];
  if (option.type == OptionInfo::Type::boolean) return option.default_value != 0.0 ? "true" : "false";
  return pretty_number(option.default_value);
}

Json option_to_json(const OptionInfo& option) {
  Json json;
  json["name"] = option.name;
  json["type"] = type_word(option.type);
  json["default"] = option.type == OptionInfo::Type::choice || option.type == OptionInfo::Type::boolean
                        ? Json(default_text(option))
                        : number_to_json(option.default_value);
  json["doc"] = option.doc;
  if (!option.choices.empty()) json["choices"] = option.choices;
  return json;
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
    Json list = Json::array();
    Table table({"method", "group", "what"});
    for (const SolverEntry& entry : solvers()) {
      if (!options->method.empty() && options->method != entry.info.name) continue;
      const std::vector<OptionInfo> own = entry.make()->options();
      Json json{
          {"name", entry.info.name}, {"label", entry.info.label}, {"group", entry.info.group}, {"doc", entry.info.doc}};
      json["options"] = Json::array();
      for (const OptionInfo& option : own) json["options"].push_back(option_to_json(option));
      list.push_back(json);
      table.add({entry.info.name, entry.info.group, entry.info.doc});
      if (options->method.empty() || options->json) continue;
      fmt::print("{}\n{}\n\n", bold(entry.info.label), entry.info.doc);
      Table details({"option", "default", "meaning"});
      for (const OptionInfo& option : own) details.add({option.name, default_text(option), option.doc});
      fmt::print("{}", details.text(2));
    }
    if (options->json) {
      print_json(list);
    } else if (options->method.empty()) {
      fmt::print("{}", table.text());
    }
  });
}

}  // namespace armature::cli
