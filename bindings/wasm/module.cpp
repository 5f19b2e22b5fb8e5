// The module itself: what JavaScript sees, as declared in armature.d.ts.
#include <emscripten/bind.h>

#include <map>

#include "armature/base/isa.hpp"
#include "armature/base/suggest.hpp"
#include "armature/base/version.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/scene/uri.hpp"
#include "convert.hpp"
#include "figure.hpp"
#include "lists.hpp"

namespace armature::js {
namespace {

val open_bytes(std::string_view bytes, ReadOptions options) {
  const Result<const Format*> format = detect_format(bytes, options.file_name);
  if (!format) return failure(format.message());
  Result<Document> document = read_document(bytes, options);
  if (!document) return failure(document.message());
  Result<std::shared_ptr<Figure>> figure = Figure::make(std::move(document).value(), format.value()->name);
  return figure ? success(val(figure.value())) : failure(figure.message());
}

val open(const val& bytes, const std::string& file_name, const val& files) {
  const std::string text = bytes_of(bytes);
  // Files that the text refers to, by their last path component too: a browser's drop has no folders.
  std::map<std::string, std::string> beside;
  if (!files.isUndefined() && !files.isNull()) {
    const val keys = val::global("Object").call<val>("keys", files);
    const int count = keys["length"].as<int>();
    for (int i = 0; i < count; ++i) beside[keys[i].as<std::string>()] = bytes_of(files[keys[i]]);
  }
  ReadOptions options;
  options.file_name = file_name;
  options.load_context = &beside;
  options.load = [](std::string_view uri, void* context) -> Result<std::string> {
    const auto& known = *static_cast<std::map<std::string, std::string>*>(context);
    const Result<std::string> path = path_of_uri(uri);
    if (!path) return path.error();
    const std::string name = name_of_uri(uri);
    for (const std::string& key : {*path, name}) {
      if (const auto found = known.find(key); found != known.end()) return found->second;
    }
    return Error{"It refers to " + armature::quoted(name) +
                 ", which was not opened with it. Open or drop both files together."};
  };
  return open_bytes(text, options);
}

val builtin(const std::string& name) {
  std::string names;
  for (const BuiltinModel& model : builtin_models()) {
    if (model.name == name) {
      ReadOptions options;
      options.file_name = name + ".json";
      return open_bytes(model.json, options);
    }
    names += (names.empty() ? "" : ", ") + std::string(model.name);
  }
  return failure("There is no built-in model '" + name + "'; there are " + names + ".");
}

std::string version_text() { return std::string(version()); }

bool simd() { return std::string_view(isa_name(best_isa())) == "simd128"; }

}  // namespace

EMSCRIPTEN_BINDINGS(armature) {
  using namespace emscripten;
  function("version", &version_text);
  function("simd", &simd);
  function("models", &model_list);
  function("formats", &format_list);
  function("solvers", &solver_list);
  function("builtin", &builtin);
  function("open", &open);
  class_<Figure>("Figure")
      .smart_ptr<std::shared_ptr<Figure>>("Figure")
      .function("description", &Figure::description)
      .function("notes", &Figure::notes)
      .function("pose", &Figure::pose)
      .function("forward", &Figure::forward)
      .function("frames", &Figure::frames)
      .function("neutral", &Figure::neutral)
      .function("random", &Figure::random)
      .function("clamp", &Figure::clamp)
      .function("interpolate", &Figure::interpolate)
      .function("integrate", &Figure::integrate)
      .function("jacobian", &Figure::jacobian)
      .function("setGoals", &Figure::set_goals)
      .function("moveGoal", &Figure::move_goal)
      .function("setJoints", &Figure::set_joints)
      .function("setSolver", &Figure::set_solver)
      .function("check", &Figure::check)
      .function("solve", &Figure::solve)
      .function("solve", &Figure::solve_within)
      .function("measure", &Figure::measure)
      .function("timing", &Figure::timing)
      .function("trace", &Figure::trace)
      .function("trace", &Figure::trace_within)
      .function("sequence", &Figure::sequence)
      .function("nullSpace", &Figure::null_space)
      .function("workspace", &Figure::workspace)
      .function("batch", &Figure::batch)
      .function("clips", &Figure::clips)
      .function("clipFrame", &Figure::clip_frame)
      .function("meshes", &Figure::meshes)
      .function("edit", &Figure::edit)
      .function("write", &Figure::write);
}

}  // namespace armature::js
