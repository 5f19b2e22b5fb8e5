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

// "max_iterations" -> "Max iterations": the label of every surface that writes words.
std::string label_of(std::string name) {
  for (char& c : name) {
    if (c == '_') c = ' ';
  }
  if (!name.empty()) name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

bool mentions(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

// What an option is measured in, as its sentence says.
const char* unit_of(const OptionInfo& option) {
  if (option.type != OptionInfo::Type::real) return "";
  if (mentions(option.doc, "1 / length")) return "";
  if (mentions(option.doc, "length unit")) return "length";
  return mentions(option.doc, "radians") ? "angle" : "";
}

// Whether the default stands for "chosen by the method" (0 or -1 with a sentence that says so).
bool is_auto(const OptionInfo& option) {
  if (option.type != OptionInfo::Type::real || option.default_value > 0.0) return false;
  for (const char* words : {"0 chooses", "0 takes", "0 lets", "-1 for", "0 for no limit"}) {
    if (mentions(option.doc, words)) return true;
  }
  return false;
}

val option_value(const OptionInfo& option) {
  static constexpr const char* kTypes[] = {"boolean", "integer", "real", "choice"};
  val entry = val::object();
  entry.set("name", option.name);
  entry.set("label", label_of(option.name));
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
      entry.set("unit", std::string(unit_of(option)));
      entry.set("auto", is_auto(option));
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
    entry.set("title", label_of(std::string(builtin.name)));
    entry.set("doc", document->linkage.description);
    entry.set("dof", model ? model->v_size() : 0);
    list.call<void>("push", entry);
  }
  return list;
}

val format_list() {
  val list = val::array();
  for (const Format& format : formats()) {
    const std::string name = format.name;
    val entry = val::object();
    val extensions = val::array();
    for (const char* at = format.extensions; *at != '\0';) {
      const std::size_t length = std::strcspn(at, " ");
      extensions.call<void>("push", "." + std::string(at, length));
      at += length;
      while (*at == ' ') ++at;
    }
    entry.set("name", name);
    entry.set("label", std::string(format.label));
    entry.set("extensions", extensions);
    entry.set("reads", format.read != nullptr);
    entry.set("writes", format.write != nullptr);
    entry.set("motion", name != "urdf" && name != "mjcf" && name != "dh" && name != "svg");
    entry.set("binary", name == "glb");
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
    entry.set("options", options);
    entry.set("control_term", control);
    list.call<void>("push", entry);
  }
  return list;
}

}  // namespace armature::js
