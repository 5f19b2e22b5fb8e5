#include "model_handle.hpp"

#include <algorithm>
#include <cmath>

#include "armature/formats/adapt.hpp"
#include "armature/formats/registry.hpp"
#include "armature/formats/skin.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/edit.hpp"
#include "armature/scene/edit_json.hpp"
#include "armature/scene/goal_json.hpp"
#include "armature/scene/model_json.hpp"
#include "armature/scene/pose_text.hpp"
#include "armature/solve/solutions.hpp"

namespace armature::js {
namespace {

constexpr int kMostSamples = 10000000;

val array_of(const double* data, std::size_t count) {
  return val::global("Array").call<val>("from", view_of(data, count));
}

val visual_value(const Linkage& linkage, const Visual& visual) {
  const Geometry* geometry = linkage.find_geometry(visual.geometry);
  if (geometry == nullptr) return val::undefined();
  val entry = val::object();
  entry.set("matrix", array_of(visual.X_LG.data(), 16));
  std::visit(
      [&](const auto& shape) {
        using S = std::decay_t<decltype(shape)>;
        if constexpr (std::is_same_v<S, Box>) {
          entry.set("type", std::string("box"));
          entry.set("size", array_of(shape.size.data(), 3));
        } else if constexpr (std::is_same_v<S, Sphere>) {
          entry.set("type", std::string("sphere"));
          entry.set("radius", shape.radius);
        } else if constexpr (std::is_same_v<S, Cylinder> || std::is_same_v<S, Capsule>) {
          entry.set("type", std::string(std::is_same_v<S, Capsule> ? "capsule" : "cylinder"));
          entry.set("radius", shape.radius);
          entry.set("length", shape.length);
        } else if constexpr (std::is_same_v<S, Polyline>) {
          entry.set("type", std::string("polyline"));
          const double* points = shape.points.empty() ? nullptr : shape.points.front().data();
          entry.set("points", array_of(points, 3 * shape.points.size()));
        } else {
          entry.set("type", std::string("mesh"));
          entry.set("uri", shape.uri);
        }
      },
      geometry->shape);
  if (visual.color) entry.set("color", array_of(visual.color->data(), 4));
  if (visual.collision) entry.set("collision", true);
  return entry;
}

}  // namespace

std::shared_ptr<ModelHandle> ModelHandle::make(Document document, const std::string& format, Files files) {
  // These formats have y up by their own rules; whatever is made of the model should know it, too.
  const bool y_up = format == "bvh" || format == "gltf" || format == "glb";
  if (y_up && document.linkage.up.empty()) document.linkage.up = "y";
  Model model = need(compile(document.linkage));
  LoadedModel loaded{std::move(document), std::move(model)};
  loaded.carried = std::move(files);
  return std::shared_ptr<ModelHandle>(new ModelHandle(std::move(loaded), format));
}

ModelHandle::ModelHandle(LoadedModel loaded, std::string format)
    : loaded_(std::make_shared<const LoadedModel>(std::move(loaded))), format_(std::move(format)) {}

std::string ModelHandle::info() const {
  JsonText json;
  json.begin_object();
  write_model(json, loaded_->document, model());
  json.member("up", has_y_up(model().linkage(), model()) ? "y" : "z");
  return json.member("format", format_).end().text();
}

std::vector<std::string> ModelHandle::all_notes() const {
  std::vector<std::string> all = loaded_->document.notes;
  all.insert(all.end(), model().notes().begin(), model().notes().end());
  return all;
}

val ModelHandle::visuals() const {
  val list = val::array();
  for (int link = 0; link < model().link_count(); ++link) {
    for (const Visual& visual : model().visuals(link)) {
      val shape = visual_value(model().linkage(), visual);
      if (shape.isUndefined()) continue;
      shape.set("link", model().link_name(link));
      list.call<void>("push", shape);
    }
  }
  return list;
}

val ModelHandle::meshes() const {
  val list = val::array();
  for (const Surface& surface : surfaces(loaded_->document, model())) {
    val entry = val::object();
    entry.set("name", surface.name);
    entry.set("positions", copy_of(surface.positions));
    if (!surface.normals.empty()) entry.set("normals", copy_of(surface.normals));
    entry.set("indices", copy_of(surface.indices));
    if (!surface.joints.empty()) {
      entry.set("joints", copy_of(surface.joints));
      entry.set("weights", copy_of(surface.weights));
    }
    val links = val::array();
    for (const int link : surface.links) links.call<void>("push", link);
    entry.set("links", links);
    entry.set("inverse_bind", copy_of(surface.inverse_bind));
    entry.set("link", surface.link);
    if (surface.color) entry.set("color", array_of(surface.color->data(), 4));
    list.call<void>("push", entry);
  }
  return list;
}

VecX ModelHandle::pose_of(const val& list) const {
  const std::vector<double> q = numbers_of(list, "A pose");
  if (static_cast<int>(q.size()) != model().q_size()) {
    throw ArgumentError{"A pose of this model holds " + std::to_string(model().q_size()) + " numbers, got " +
                        std::to_string(q.size()) + "."};
  }
  for (const double x : q) {
    if (!std::isfinite(x)) throw ArgumentError{"The pose holds a number that is not finite."};
  }
  return Eigen::Map<const VecX>(q.data(), model().q_size());
}

val ModelHandle::pose(const std::string& json, const val& from) const {
  VecX q = from.isUndefined() ? default_pose(model()) : pose_of(from);
  const JsonInput input = need(JsonInput::parse(json, "pose"));
  JsonFields fields(input.source());
  std::vector<std::string> notes;
  if (!read_pose(fields, input.root(), model(), q, notes)) throw ArgumentError{fields.error().message};
  return copy_of(q);
}

std::string ModelHandle::pose_json(const val& q) const {
  JsonText json;
  write_pose(json, model(), pose_of(q));
  return json.text();
}

val ModelHandle::start() const { return copy_of(start_pose(model())); }
val ModelHandle::neutral() const { return copy_of(neutral_pose(model())); }

val ModelHandle::random(double seed) const {
  Rng rng(seed_of(seed));
  return copy_of(random_pose(model(), rng));
}

val ModelHandle::clamp(const val& q) const {
  VecX pose = pose_of(q);
  armature::clamp(model(), pose);
  return copy_of(pose);
}

val ModelHandle::integrate(const val& q, const val& velocity) const {
  const VecX from = pose_of(q);
  const std::vector<double> v = numbers_of(velocity, "A velocity");
  if (static_cast<int>(v.size()) != model().v_size()) {
    throw ArgumentError{"A velocity of this model holds " + std::to_string(model().v_size()) + " numbers, got " +
                        std::to_string(v.size()) + "."};
  }
  for (const double x : v) {
    if (!std::isfinite(x)) throw ArgumentError{"A velocity must be finite."};
  }
  VecX out(from.size());
  armature::integrate(model(), from.data(), v.data(), out.data());
  return copy_of(out);
}

val ModelHandle::difference(const val& from, const val& to) const {
  return copy_of(armature::difference(model(), pose_of(from), pose_of(to)));
}

val ModelHandle::interpolate(const val& from, const val& to, double t) const {
  const VecX a = pose_of(from);
  const VecX b = pose_of(to);
  if (!std::isfinite(t)) throw ArgumentError{"t must be a finite number."};
  return copy_of(armature::interpolate(model(), a, b, t));
}

val ModelHandle::forward(const val& q) const {
  State state;
  armature::forward(model(), pose_of(q), state);
  std::vector<double> transforms;
  write_transforms(state, transforms);
  return copy_of(transforms);
}

val ModelHandle::jacobian(const std::string& link, const val& q, const val& point) const {
  const int index = link_of(link);
  State state;
  armature::forward(model(), pose_of(q), state);
  Vec3 at = Vec3::Zero();
  if (!point.isUndefined()) {
    const std::vector<double> p = numbers_of(point, "A point");
    if (p.size() != 3) throw ArgumentError{"A point holds 3 numbers, got " + std::to_string(p.size()) + "."};
    at = Vec3(p[0], p[1], p[2]);
  }
  Jacobian J(6, model().v_size());
  armature::jacobian(model(), state, index, at, J);
  return matrix_value(J);
}

val ModelHandle::random_places(const std::string& link, double samples, double seed) const {
  const auto at = static_cast<std::size_t>(link_of(link));
  const int count = integer_of(samples, 0, kMostSamples, "samples");
  Rng rng(seed_of(seed));
  State state;
  std::vector<double> points;
  points.reserve(3 * static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    armature::forward(model(), random_pose(model(), rng), state);
    const Vec3& p = state.X_WL[at].position;
    points.insert(points.end(), p.data(), p.data() + 3);
  }
  return copy_of(points);
}

val ModelHandle::solutions(const std::string& goal, const val& start) const {
  SolutionsOptions options;
  options.start = start.isUndefined() ? start_pose(model()) : pose_of(start);
  std::vector<std::string> notes;
  const GoalContext context{model(), options.start, "", "", notes, false};
  const JsonInput input = need(JsonInput::parse(goal, "goal"));
  JsonFields fields(input.source());
  Goal read;
  if (!read_goal(fields, input.root(), context, read)) throw ArgumentError{fields.error().message};
  options.starts = 40;  // of the search, where there are no equations: a page waits for it
  const Solutions all = need(armature::solutions(model(), read, options));
  val list = val::array();
  for (int k = 0; k < all.count(); ++k) list.call<void>("push", copy_of(VecX(all.q.col(k))));
  std::vector<std::string> joints;
  for (const int q : all.singular_joints) joints.push_back(model().joint(model().coordinate_joint(q)).name);
  val out = val::object();
  out.set("q", list);
  out.set("residuals", copy_of(all.residuals));
  out.set("complete", all.complete);
  out.set("singular_joints", string_array(joints));
  out.set("answers", val::array(all.answers));
  out.set("message", all.message);
  return out;
}

val ModelHandle::clip_frames(double clip) const {
  const std::vector<Clip>& clips = loaded_->document.clips;
  const int index = integer_of(clip, 0, static_cast<int>(clips.size()) - 1, "clip");
  return copy_of(clips[static_cast<std::size_t>(index)].values);
}

std::shared_ptr<ModelHandle> ModelHandle::edit(const std::string& json) const {
  const JsonInput input = need(JsonInput::parse(json, "edit"));
  JsonFields fields(input.source());
  Document next = loaded_->document;
  if (!apply_edits(fields, input.root(), next.linkage)) throw ArgumentError{fields.error().message};
  return changed(std::move(next));
}

std::shared_ptr<ModelHandle> ModelHandle::graft(const ModelHandle& branch, const std::string& link,
                                                const std::string& prefix, const val& place) const {
  const std::vector<double> n = numbers_of(place, "A place");
  const bool whole = n.size() == 7 && std::all_of(n.begin(), n.end(), [](double x) { return std::isfinite(x); });
  if (!whole || Quat(n[6], n[3], n[4], n[5]).norm() < 1e-9) {
    throw ArgumentError{"A model is placed by a position of 3 numbers and a quaternion of 4."};
  }
  const Transform at = Transform::from(Quat(n[6], n[3], n[4], n[5]), {n[0], n[1], n[2]});
  Document next = loaded_->document;
  need(armature::graft(next.linkage, link, branch.loaded_->document.linkage, prefix, at));
  return changed(std::move(next));
}

std::string ModelHandle::free_prefix(const ModelHandle& branch) const {
  return armature::free_prefix(loaded_->document.linkage, branch.loaded_->document.linkage);
}

std::shared_ptr<ModelHandle> ModelHandle::changed(Document next) const {
  next.clips.clear();
  next.linkage.extra.reset();
  return make(std::move(next), format_, loaded_->carried);
}

val ModelHandle::write(const std::string& name, const val& clip) const {
  const Format* format = need(format_named(name));
  Document document = loaded_->document;
  if (!clip.isUndefined()) document.clips = {clip_of(clip, model())};
  std::vector<std::string> notes;
  WriteOptions options;
  options.notes = &notes;
  const std::string bytes = need(write_document(document, *format, options));
  val out = val::object();
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  out.set("bytes", val(emscripten::typed_memory_view(bytes.size(), data)).call<val>("slice"));
  out.set("notes", string_array(notes));
  return out;
}

void write_transforms(const State& state, std::vector<double>& transforms) {
  transforms.resize(16 * state.X_WL.size());
  double* out = transforms.data();
  for (const Transform& X : state.X_WL) {
    for (int c = 0; c < 3; ++c, out += 4) {
      for (int r = 0; r < 3; ++r) out[r] = X.rotation(r, c);
      out[3] = 0.0;
    }
    for (int r = 0; r < 3; ++r) out[r] = X.position[r];
    out[3] = 1.0;
    out += 4;
  }
}

Clip clip_of(const val& value, const Model& model) {
  Clip clip;
  clip.q_size = model.q_size();
  clip.name = text_of(value["name"], "A clip's name");
  clip.values = numbers_of(value["q"], "A clip's q");
  const val time = value["frame_time"];
  clip.frame_time = time.isNumber() ? time.as<double>() : 0.0;
  if (!(clip.frame_time > 0.0)) throw ArgumentError{"A clip's frame_time is a number of seconds above 0."};
  if (clip.q_size == 0 || clip.values.size() % static_cast<std::size_t>(clip.q_size) != 0) {
    throw ArgumentError{"The motion has " + std::to_string(clip.values.size()) + " numbers; it must be a multiple of " +
                        std::to_string(clip.q_size) + "."};
  }
  return clip;
}

val clip_value(const Clip& clip) {
  val out = val::object();
  out.set("name", clip.name);
  out.set("frame_time", clip.frame_time);
  out.set("q", copy_of(clip.values));
  return out;
}

}  // namespace armature::js
