// `armature methods`: what can find a pose, and the options of each.
#include "armature/scene/methods.hpp"

#include <fmt/format.h>

#include <memory>

#include "armature/base/number.hpp"
#include "armature/scene/names.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

std::string default_text(const OptionInfo& option) {
  if (option.type == OptionInfo::Type::choice) return option.choices[static_cast<std::size_t>(option.default_value)];
  if (option.type == OptionInfo::Type::boolean) return option.default_value != 0.0 ? "true" : "false";
  return pretty_number(option.default_value);
}

Json option_to_json(const OptionInfo& option) {
  static constexpr const char* kTypes[] = {"boolean", "integer", "real", "choice"};
  Json json;
  json["name"] = option.name;
  json["label"] = option.label;
  json["type"] = kTypes[static_cast<int>(option.type)];
  json["default"] = option.type == OptionInfo::Type::choice    ? Json(default_text(option))
                    : option.type == OptionInfo::Type::boolean ? Json(option.default_value != 0.0)
                                                               : Json(option.default_value);
  json["auto"] = option.automatic;
  if (option.min > -1e299) json["min"] = option.min;
  if (option.max < 1e299) json["max"] = option.max;
  json["unit"] = option.unit;
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
    if (!options->method.empty()) need(make_method(options->method).status());
    Json list = Json::array();
    Table table({"method", "group", "what"});
    for (const MethodEntry& entry : methods()) {
      if (!options->method.empty() && options->method != entry.name) continue;
      const std::vector<OptionInfo> own = method_options(*entry.make());
      Json json{{"name", entry.name}, {"label", entry.label}, {"group", entry.group}, {"doc", entry.doc}};
      json["options"] = Json::array();
      for (const OptionInfo& option : own) json["options"].push_back(option_to_json(option));
      list.push_back(json);
      table.add({entry.name, entry.group, entry.doc});
      if (options->method.empty() || options->json) continue;
      fmt::print("{}\n{}\n\n", bold(entry.label), entry.doc);
      Table details({"option", "default", "meaning"});
      for (const OptionInfo& option : own) details.add({option.name, default_text(option), option.doc});
      fmt::print("{}", details.text(2));
    }
    if (options->json) {
      print_answer({{"methods", list}});
    } else if (options->method.empty()) {
      fmt::print("{}", table.text());
    }
  });
}

}  // namespace armature::cli
