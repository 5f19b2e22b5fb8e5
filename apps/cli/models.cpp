// `armature models` and `armature formats`: the built-in models and the file formats, one line each.
#include <fmt/format.h>

#include <memory>

#include "armature/formats/builtin_models.hpp"
#include "armature/scene/model_json.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {

void add_models(CLI::App& app) {
  struct Options {
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("models", "List the built-in models");
  add_json_flag(*command, options->json);
  command->footer(
      "Examples:\n"
      "  armature models\n"
      "  armature models --json\n"
      "  armature convert human human.json     a built-in model as a file of your own");
  command->callback([options] {
    Table table({"name", "DOF", "links", "what it is"});
    if (options->json) {
      print_answer({{"models", Json::parse(models_json())}});
      return;
    }
    for (const BuiltinModel& builtin : builtin_models()) {
      const LoadedModel loaded = need(open_model(std::string(builtin.name)));
      const std::string& description = loaded.model.linkage().description;
      table.add({std::string(builtin.name), std::to_string(loaded.model.v_size()),
                 std::to_string(loaded.model.link_count()), description});
    }
    fmt::print("{}\nUse a name wherever a command asks for MODEL: `armature info human`.\n", table.text());
  });
}

void add_formats(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("formats", "List the file formats");
  add_json_flag(*command, *json);
  command->footer("Examples:\n  armature formats\n  armature formats --json");
  command->callback([json] {
    if (*json) {
      print_answer({{"formats", Json::parse(formats_json())}});
      return;
    }
    Table table({"name", "extensions", "reads", "writes", "motion", "what it is"});
    const auto yes = [](bool does) { return does ? "yes" : ""; };
    for (const Format& format : formats()) {
      const bool reads = format.read != nullptr, writes = format.write != nullptr;
      table.add({format.name, format.extensions, yes(reads), yes(writes), yes(format.motion), format.label});
    }
    fmt::print("{}", table.text());
  });
}

}  // namespace armature::cli
