// `armature models` and `armature formats`: the built-in models and the file formats, one line each.
#include <fmt/format.h>

#include <memory>

#include "armature/base/suggest.hpp"
#include "armature/scene/model_json.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

struct ListFlags {
  std::string name;
  bool json = false;
};

// All entries, or the one that was asked for.
Json listed(const std::string& text, const char* kind, const std::string& name) {
  const Json all = Json::parse(text);
  if (name.empty()) return all;
  std::vector<std::string> names;
  for (const Json& entry : all) {
    if (entry["name"] == name) return Json::array({entry});
    names.push_back(entry["name"]);
  }
  throw BadInput{unknown_name(kind, name, names)};
}

}  // namespace

void add_models(CLI::App& app) {
  auto options = std::make_shared<ListFlags>();
  CLI::App* command = app.add_subcommand("models", "List the built-in models");
  command->add_option("NAME", options->name, "Only this one");
  add_json_flag(*command, options->json);
  command->footer(
      "Examples:\n"
      "  armature models\n"
      "  armature models --json\n"
      "  armature convert human human.json     a built-in model as a file of your own");
  command->callback([options] {
    const Json models = listed(models_json(), "built-in model", options->name);
    if (options->json) return print_answer({{"models", models}});
    Table table({"name", "DOF", "links", "what it is"});
    for (const Json& model : models) {
      table.add({model["name"], model["v_size"].dump(), model["links"].dump(), model["doc"]});
    }
    fmt::print("{}\nUse a name wherever a command asks for MODEL: `armature info human`.\n", table.text());
  });
}

void add_formats(CLI::App& app) {
  auto options = std::make_shared<ListFlags>();
  CLI::App* command = app.add_subcommand("formats", "List the file formats");
  command->add_option("NAME", options->name, "Only this one");
  add_json_flag(*command, options->json);
  command->footer("Examples:\n  armature formats\n  armature formats urdf --json");
  command->callback([options] {
    const Json formats = listed(formats_json(), "format", options->name);
    if (options->json) return print_answer({{"formats", formats}});
    Table table({"name", "extensions", "reads", "writes", "motion", "what it is"});
    const auto yes = [](const Json& does) { return does.get<bool>() ? "yes" : ""; };
    for (const Json& format : formats) {
      const std::vector<std::string> extensions = format["extensions"];
      table.add({format["name"], fmt::format("{}", fmt::join(extensions, " ")), yes(format["reads"]),
                 yes(format["writes"]), yes(format["motion"]), format["label"]});
    }
    fmt::print("{}", table.text());
  });
}

}  // namespace armature::cli
