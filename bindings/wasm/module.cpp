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
#include "edge.hpp"
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
  const std::string text = bytes_of(bytes, "The file");
  // Files that the text refers to, by their last path component too: a browser's drop has no folders.
  std::map<std::string, std::string> beside;
  if (!files.isUndefined() && !files.isNull()) {
    for (const std::string& name : keys_of(files, "files")) beside[name] = bytes_of(files[name], "A file beside it");
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
  function("version", &Entry<&version_text>::plain);
  function("simd", &Entry<&simd>::plain);
  function("models", &Entry<&model_list>::plain);
  function("formats", &Entry<&format_list>::plain);
  function("solvers", &Entry<&solver_list>::plain);
  function("builtin", &Entry<&builtin>::result);
  function("open", &Entry<&open>::result);
  class_<Figure>("Figure")
      .smart_ptr<std::shared_ptr<Figure>>("Figure")
      .function("description", &Entry<&Figure::description>::plain)
      .function("notes", &Entry<&Figure::notes>::plain)
      .function("pose", &Entry<&Figure::pose>::plain)
      .function("forward", &Entry<&Figure::forward>::plain)
      .function("frames", &Entry<&Figure::frames>::plain)
      .function("neutral", &Entry<&Figure::neutral>::plain)
      .function("random", &Entry<&Figure::random>::plain)
      .function("clamp", &Entry<&Figure::clamp>::plain)
      .function("interpolate", &Entry<&Figure::interpolate>::plain)
      .function("integrate", &Entry<&Figure::integrate>::plain)
      .function("jacobian", &Entry<&Figure::jacobian>::plain)
      .function("setGoals", &Entry<&Figure::set_goals>::result)
      .function("moveGoal", &Entry<&Figure::move_goal>::plain)
      .function("setJoints", &Entry<&Figure::set_joints>::result)
      .function("setSolver", &Entry<&Figure::set_solver>::result)
      .function("check", &Entry<&Figure::check>::result)
      .function("solve", &Entry<&Figure::solve>::plain)
      .function("solve", &Entry<&Figure::solve_within>::plain)
      .function("measure", &Entry<&Figure::measure>::plain)
      .function("timing", &Entry<&Figure::timing>::plain)
      .function("trace", &Entry<&Figure::trace>::plain)
      .function("trace", &Entry<&Figure::trace_within>::plain)
      .function("sequence", &Entry<&Figure::sequence>::result)
      .function("nullSpace", &Entry<&Figure::null_space>::plain)
      .function("workspace", &Entry<&Figure::workspace>::plain)
      .function("batch", &Entry<&Figure::batch>::plain)
      .function("clips", &Entry<&Figure::clips>::plain)
      .function("clipFrame", &Entry<&Figure::clip_frame>::plain)
      .function("meshes", &Entry<&Figure::meshes>::plain)
      .function("edit", &Entry<&Figure::edit>::result)
      .function("write", &Entry<&Figure::write>::result);
}

}  // namespace armature::js
