// The module itself: what armature.mjs sees. Mistakes are thrown as ArmatureError (edge.hpp, edge.js).
#include <emscripten/bind.h>

#include <map>

#include "armature/base/isa.hpp"
#include "armature/base/suggest.hpp"
#include "armature/base/version.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/measures.hpp"
#include "armature/motion/retarget.hpp"
#include "armature/scene/json_input.hpp"
#include "armature/scene/model_json.hpp"
#include "callbacks.hpp"
#include "edge.hpp"
#include "lessons.hpp"
#include "loops.hpp"
#include "motion_tools.hpp"
#include "scene_handle.hpp"

namespace armature::js {
namespace {

std::shared_ptr<ModelHandle> read(const val& bytes, const std::string& file_name, const val& files) {
  const std::string text = bytes_of(bytes, "The file");
  auto beside = std::make_shared<std::map<std::string, std::string>>();
  if (!files.isUndefined() && !files.isNull()) {
    for (const std::string& name : keys_of(files, "files")) (*beside)[name] = bytes_of(files[name], "A file beside it");
  }
  ReadOptions options;
  options.file_name = file_name;
  options.load = load_carried;
  options.load_context = beside.get();
  const Format* format = need(detect_format(text, file_name));
  return ModelHandle::make(need(read_document(text, options)), format->name, std::move(beside));
}

std::shared_ptr<ModelHandle> builtin(const std::string& name) {
  for (const BuiltinModel& model : builtin_models()) {
    if (model.name != name) continue;
    ReadOptions options;
    options.file_name = name + ".json";
    return ModelHandle::make(need(read_document(model.json, options)), "json");
  }
  throw ArgumentError{unknown_name("built-in model", name, builtin_names())};
}

std::shared_ptr<SceneHandle> scene(const ModelHandle& model) { return std::make_shared<SceneHandle>(model); }

std::shared_ptr<FollowerHandle> follower(const ModelHandle& model, const std::string& json, double velocity_scale) {
  return std::make_shared<FollowerHandle>(model, json, velocity_scale);
}

val retarget_clip(const ModelHandle& source, const val& clip, const ModelHandle& target, const std::string& json) {
  RetargetOptions options;
  BoneMap& map = options.bone_map;
  const JsonInput input = need(JsonInput::parse(json, "options"));
  JsonFields fields(input.source());
  JsonObject object(fields, input.root(), "the options");
  if (const Value v = object.get("keep_feet")) fields.boolean(v, options.keep_feet);
  if (const Value v = object.get("keep_hands")) fields.boolean(v, options.keep_hands);
  if (const Value v = object.get("within_limits")) fields.boolean(v, options.within_limits);
  if (const Value v = object.get("root_scale")) fields.number(v, options.root_scale);
  if (const Value v = object.get("still_speed")) fields.number(v, options.still_speed);
  if (const Value v = object.get("blend")) fields.number(v, options.blend);
  if (const Value v = object.get("bone_map"); v && fields.expect(v, JsonKind::object)) {
    for (const Value bone : v) {
      std::string from;
      if (bone.is(JsonKind::null)) continue;
      if (fields.text(bone, from)) map.emplace_back(bone.key(), from);
    }
  }
  if (!object.finish()) throw ArgumentError{fields.error().message};
  Clip from = clip_of(clip, source.model());
  from.model = source.model();
  const Retargeted result = need(retarget(from, target.model(), options));
  val out = val::object();
  out.set("clip", clip_value(result.clip));
  if (!(result.clip.model == target.model())) {  // its root travels now
    Document made;
    made.linkage = result.clip.model.linkage();
    out.set("model", ModelHandle::make(std::move(made), ""));
  }
  out.set("root_scale", result.root_scale);
  out.set("largest_slide", result.largest_slide);
  out.set("hand_error", result.hand_error);
  out.set("notes", string_array(result.notes));
  val bones = val::object();
  for (const auto& [to, bone] : result.bone_map) bones.set(to, bone);
  out.set("bone_map", bones);
  return out;
}

val measures_of(double rows, const val& data) {
  const std::vector<double> numbers = numbers_of(data, "A matrix");
  const int count = integer_of(rows, 1, 1 << 20, "rows");
  if (numbers.size() % static_cast<std::size_t>(count) != 0) throw ArgumentError{"The matrix is not full."};
  const MatX J = Eigen::Map<const MatX>(numbers.data(), count, static_cast<Eigen::Index>(numbers.size()) / count);
  const Measures found = measures(J);
  val out = val::object();
  out.set("singular_values",
          copy_of(VecX(Eigen::Map<const VecX>(found.singular_values.data(),
                                              static_cast<Eigen::Index>(found.singular_values.size())))));
  out.set("manipulability", found.manipulability);
  out.set("condition", found.condition);
  return out;
}

std::string version_text() { return std::string(version()); }
bool simd() { return std::string_view(isa_name(best_isa())) == "simd128"; }

}  // namespace

EMSCRIPTEN_BINDINGS(armature) {
  using namespace emscripten;
  function("version", &Entry<&version_text>::call);
  function("simd", &Entry<&simd>::call);
  function("models", &Entry<&models_json>::call);
  function("formats", &Entry<&formats_json>::call);
  function("methods", &Entry<&methods_json>::call);
  function("builtin", &Entry<&builtin>::call);
  function("read", &Entry<&read>::call);
  function("retarget", &Entry<&retarget_clip>::call);
  function("registerMethod", &Entry<&register_js_method>::call);
  function("exercises", &Entry<&exercises_json>::call);
  function("checkExercise", &Entry<&check_exercise>::call);
  function("measures", &Entry<&measures_of>::call);
  function("makeScene", &Entry<&scene>::call);
  function("makeFollower", &Entry<&follower>::call);
  class_<ModelHandle>("ModelHandle")
      .smart_ptr<std::shared_ptr<ModelHandle>>("ModelHandle")
      .function("info", &Entry<&ModelHandle::info>::call)
      .function("notes", &Entry<&ModelHandle::notes>::call)
      .function("visuals", &Entry<&ModelHandle::visuals>::call)
      .function("meshes", &Entry<&ModelHandle::meshes>::call)
      .function("pose", &Entry<&ModelHandle::pose>::call)
      .function("poseJson", &Entry<&ModelHandle::pose_json>::call)
      .function("start", &Entry<&ModelHandle::start>::call)
      .function("neutral", &Entry<&ModelHandle::neutral>::call)
      .function("random", &Entry<&ModelHandle::random>::call)
      .function("clamp", &Entry<&ModelHandle::clamp>::call)
      .function("integrate", &Entry<&ModelHandle::integrate>::call)
      .function("difference", &Entry<&ModelHandle::difference>::call)
      .function("interpolate", &Entry<&ModelHandle::interpolate>::call)
      .function("forward", &Entry<&ModelHandle::forward>::call)
      .function("jacobian", &Entry<&ModelHandle::jacobian>::call)
      .function("randomPlaces", &Entry<&ModelHandle::random_places>::call)
      .function("workspace", &Entry<&workspace_of>::call)
      .function("clipTool", &Entry<&clip_tool>::call)
      .function("clipStats", &Entry<&clip_stats>::call)
      .function("solutions", &Entry<&ModelHandle::solutions>::call)
      .function("mechanism", &Entry<&mechanism>::call)
      .function("modes", &Entry<&assembly_modes_of>::call)
      .function("circuit", &Entry<&circuit_of>::call)
      .function("drive", &Entry<&drive_of>::call)
      .function("assemble", &Entry<&assemble_of>::call)
      .function("bodies", &Entry<&describe_bodies>::call)
      .function("centerOfMass", &Entry<&center_of_mass>::call)
      .function("clipFrames", &Entry<&ModelHandle::clip_frames>::call)
      .function("edit", &Entry<&ModelHandle::edit>::call)
      .function("graft", &Entry<&ModelHandle::graft>::call)
      .function("freePrefix", &Entry<&ModelHandle::free_prefix>::call)
      .function("write", &Entry<&ModelHandle::write>::call);
  class_<SceneHandle>("SceneHandle")
      .smart_ptr<std::shared_ptr<SceneHandle>>("SceneHandle")
      .function("set", &Entry<&SceneHandle::set>::call)
      .function("json", &Entry<&SceneHandle::json>::call)
      .function("notes", &Entry<&SceneHandle::notes>::call)
      .function("q", &Entry<&SceneHandle::q>::call)
      .function("transforms", &Entry<&SceneHandle::transforms>::call)
      .function("forward", &Entry<&SceneHandle::forward>::call)
      .function("clamp", &Entry<&SceneHandle::clamp>::call)
      .function("integrate", &Entry<&SceneHandle::integrate>::call)
      .function("setTarget", &Entry<&SceneHandle::set_target>::call)
      .function("solve", &Entry<&SceneHandle::solve>::call)
      .function("measure", &Entry<&SceneHandle::measure>::call)
      .function("trace", &Entry<&SceneHandle::trace>::call)
      .function("explain", &Entry<&SceneHandle::explain>::call)
      .function("nullSpace", &Entry<&SceneHandle::null_space>::call)
      .function("check", &Entry<&SceneHandle::check>::call)
      .function("clearance", &Entry<&SceneHandle::clearance>::call)
      .function("begin", &Entry<&SceneHandle::begin>::call)
      .function("follow", &Entry<&SceneHandle::follow>::call)
      .function("compare", &Entry<&SceneHandle::compare>::call)
      .function("track", &Entry<&SceneHandle::track>::call)
      .function("animate", &Entry<&SceneHandle::animate>::call)
      .function("solveBatch", &Entry<&SceneHandle::solve_batch>::call)
      .function("benchmark", &Entry<&SceneHandle::benchmark>::call);
  class_<FollowerHandle>("FollowerHandle")
      .smart_ptr<std::shared_ptr<FollowerHandle>>("FollowerHandle")
      .function("setTarget", &Entry<&FollowerHandle::set_target>::call)
      .function("setTwist", &Entry<&FollowerHandle::set_twist>::call)
      .function("step", &Entry<&FollowerHandle::step>::call)
      .function("stop", &Entry<&FollowerHandle::stop>::call)
      .function("resume", &Entry<&FollowerHandle::resume>::call);
}

}  // namespace armature::js
