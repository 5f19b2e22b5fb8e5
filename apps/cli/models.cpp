// `armature models`: the built-in models, one line each.
#include <fmt/format.h>

#include <memory>

#include "armature/formats/builtin_models.hpp"
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
    Json list = Json::array();
    for (const BuiltinModel& builtin : builtin_models()) {
      const LoadedModel loaded = need(load_model(std::string(builtin.name)));
      const std::string& description = loaded.model.linkage().description;
      table.add({std::string(builtin.name), std::to_string(loaded.model.v_size()),
                 std::to_string(loaded.model.link_count()), description});
      list.push_back({{"name", builtin.name},
                      {"dof", loaded.model.v_size()},
                      {"links", loaded.model.link_count()},
                      {"description", description}});
    }
    if (options->json) {
      print_json(list);
    } else {
      fmt::print("{}\nUse a name wherever a command asks for MODEL: `armature info human`.\n", table.text());
    }
  });
}

}  // namespace armature::cli
