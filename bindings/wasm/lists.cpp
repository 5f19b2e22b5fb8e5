#include "lists.hpp"

#include <cctype>
#include <cstring>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/registry.hpp"
#include "convert.hpp"

namespace armature::js {
namespace {

val option_value(const OptionInfo& option) {
  static constexpr const char* kTypes[] = {"boolean", "integer", "real", "choice"};
  val entry = val::object();
  entry.set("name", option.name);
  entry.set("label", option.label);
  entry.set("group", option.group);
  entry.set("doc", option.doc);
  entry.set("type", std::string(kTypes[static_cast<int>(option.type)]));
  switch (option.type) {
    case OptionInfo::Type::boolean:
      entry.set("default", option.default_value != 0.0);
      break;
    case OptionInfo::Type::choice:
      entry.set("default", option.choices[static_cast<std::size_t>(option.default_value)]);
      entry.set("choices", string_array(option.choices));
      break;
    default:
      entry.set("default", option.default_value);
      if (option.min > -1e299) entry.set("min", option.min);
      if (option.max < 1e299) entry.set("max", option.max);
      entry.set("log", option.scale == Scale::log);
      entry.set("unit", option.unit);
      entry.set("auto", option.automatic);
  }
  return entry;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

val model_list() {
  val list = val::array();
  for (const BuiltinModel& builtin : builtin_models()) {
    ReadOptions options;
    options.file_name = std::string(builtin.name) + ".json";
    const Result<Document> document = read_document(builtin.json, options);
    if (!document) continue;
    const Result<Model> model = compile(document->linkage);
    val entry = val::object();
    entry.set("name", std::string(builtin.name));
    entry.set("title", label_of(builtin.name));
    entry.set("doc", document->linkage.description);
    entry.set("dof", model ? model->v_size() : 0);
    list.call<void>("push", entry);
  }
  return list;
}

val format_list() {
  val list = val::array();
  for (const Format& format : formats()) {
    val entry = val::object();
    val extensions = val::array();
    for (const char* at = format.extensions; *at != '\0';) {
      const std::size_t length = std::strcspn(at, " ");
      extensions.call<void>("push", "." + std::string(at, length));
      at += length;
      while (*at == ' ') ++at;
    }
    entry.set("name", std::string(format.name));
    entry.set("label", std::string(format.label));
    entry.set("extensions", extensions);
    entry.set("reads", format.read != nullptr);
    entry.set("writes", format.write != nullptr);
    entry.set("motion", format.motion);
    entry.set("binary", format.binary);
    entry.set("doc", std::string(format.label));
    list.call<void>("push", entry);
  }
  return list;
}

val solver_list() {
  val list = val::array();
  for (const SolverEntry& solver : solvers()) {
    const std::unique_ptr<Solver> made = solver.make();
    val options = val::array();
    bool control = false;
    for (const OptionInfo& option : made->options()) {
      options.call<void>("push", option_value(option));
      control = control || option.name == "control";
    }
    val entry = val::object();
    entry.set("name", std::string(solver.info.name));
    entry.set("label", std::string(solver.info.label));
    entry.set("group", lower(solver.info.group));
    entry.set("doc", std::string(solver.info.doc));
    entry.set("color", std::string(solver.info.color));
    entry.set("dash", std::string(solver.info.dash));
    entry.set("marker", std::string(1, solver.info.marker));
    entry.set("options", options);
    entry.set("control_term", control);
    list.call<void>("push", entry);
  }
  return list;
}

}  // namespace armature::js
