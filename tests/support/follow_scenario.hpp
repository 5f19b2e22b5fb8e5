// Gestures for the follow method: a model, a start pose, and goals that move from frame to frame. Read from the shared
// files (data/follow, see their README) or built in code.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/problem.hpp"
#include "support/data.hpp"

namespace armature::test {

struct Gesture {
  std::string name, kind;
  Model model;
  VecX start;
  std::vector<JointRef> locked;
  std::vector<std::vector<Goal>> frames;
  std::vector<char> pinned;  // per goal
  std::vector<int> watch;    // links
  bool closed = false;

  Problem problem(std::size_t frame) const {
    Problem p;
    p.model = model;
    p.goals = frames[frame];
    p.locked = locked;
    return p;
  }
};

/// The built-in model of that name, or the shared robot description; nothing when that is absent.
inline std::optional<Linkage> gesture_linkage(const std::string& name) {
  for (const BuiltinModel& builtin : builtin_models()) {
    if (builtin.name == name) return read_document(builtin.json, {})->linkage;
  }
  const auto file = shared_data("urdf/" + name);
  if (!file) return std::nullopt;
  ReadOptions options;
  options.file_name = name;
  return read_document(read_file(*file), options)->linkage;
}

inline Model builtin_model(const std::string& name) { return compile(*gesture_linkage(name)).value(); }

struct PathPoint {
  Vec3 position;
  Quat rotation;
};

/// A polyline or Catmull-Rom spline through the points, in equal steps (a radian of turn counts 0.3 m).
inline std::vector<PathPoint> sample_path(const std::vector<Vec3>& points, const std::vector<Quat>& turns, bool line,
                                          bool closed, double step, int frames) {
  std::vector<PathPoint> dense;
  std::vector<double> length;
  const int n = static_cast<int>(points.size());
  const auto point = [&](int i) { return points[static_cast<std::size_t>(i)]; };
  for (int i = 0; i + 1 < n; ++i) {
    const Vec3 b = point(i), c = point(i + 1);
    const Vec3 a = i > 0 ? point(i - 1) : closed ? point(n - 2) : Vec3(2.0 * b - c);
    const Vec3 d = i + 2 < n ? point(i + 2) : closed ? point(1) : Vec3(2.0 * c - b);
    for (int k = 0; k < 400; ++k) {
      const double t = k / 400.0;
      const Vec3 curve = 0.5 * (2.0 * b + t * (c - a) + t * t * (2.0 * a - 5.0 * b + 4.0 * c - d) +
                                t * t * t * (3.0 * b - a - 3.0 * c + d));
      const Quat turn =
          slerp(turns[static_cast<std::size_t>(i)], turns[static_cast<std::size_t>(i + 1)], t * t * (3.0 - 2.0 * t));
      dense.push_back({line ? Vec3(b + t * (c - b)) : curve, turn});
    }
  }
  dense.push_back({points.back(), turns.back()});
  length.push_back(0.0);
  for (std::size_t i = 1; i < dense.size(); ++i) {
    length.push_back(length.back() + (dense[i].position - dense[i - 1].position).norm() +
                     0.3 * dense[i].rotation.angularDistance(dense[i - 1].rotation));
  }
  const int count = frames > 0 ? frames : std::max(2, static_cast<int>(std::ceil(length.back() / step)) + 1);
  std::vector<PathPoint> out;
  std::size_t i = 0;
  for (int f = 0; f < count; ++f) {
    const double wanted = length.back() * f / (count - 1);
    while (i + 2 < length.size() && length[i + 1] < wanted) ++i;
    const double span = length[i + 1] - length[i];
    const double t = span > 0.0 ? std::min(1.0, (wanted - length[i]) / span) : 0.0;
    out.push_back({dense[i].position + t * (dense[i + 1].position - dense[i].position),
                   slerp(dense[i].rotation, dense[i + 1].rotation, t)});
  }
  return out;
}

/// A gesture from its JSON; nothing when its model is absent.
inline std::optional<Gesture> read_gesture(const nlohmann::json& json) {
  const auto vector = [](const nlohmann::json& v) { return Vec3(v[0], v[1], v[2]); };
  std::optional<Linkage> linkage = gesture_linkage(json["model"]);
  if (!linkage) return std::nullopt;
  if (json.value("free_root", false)) {
    for (const Link& link : linkage->links) {
      bool child = false;
      for (const Joint& joint : linkage->joints) child = child || joint.child == link.name;
      if (child) continue;
      Joint root;
      root.name = "root";
      root.type = Free{};
      root.child = link.name;
      linkage->joints.insert(linkage->joints.begin(), root);
      break;
    }
  }
  Gesture g;
  g.name = json["name"];
  g.kind = json.value("kind", "");
  g.model = compile(*linkage).value();
  g.closed = json.value("closed", false);
  g.start = neutral_pose(g.model);
  if (json.contains("start")) {
    const auto& start = json["start"];
    if (start.contains("pose")) g.start = g.model.find_pose(start["pose"].get<std::string>()).value();
    if (start.contains("joints")) {
      for (const auto& [joint, value] : start["joints"].items()) {
        const auto values =
            value.is_array() ? value.get<std::vector<double>>() : std::vector<double>{value.get<double>()};
        if (!set_joint(g.model, joint, values, g.start).ok()) return std::nullopt;
      }
    }
  }
  clamp(g.model, g.start);
  if (json.contains("lock")) {
    for (const auto& name : json["lock"]) {
      g.locked.emplace_back(g.model.find_joint(name.get<std::string>()).value());
    }
  }
  if (json.contains("watch")) {
    for (const auto& name : json["watch"]) g.watch.push_back(g.model.find_link(name.get<std::string>()).value());
  }
  State state;
  forward(g.model, g.start, state);
  std::vector<std::vector<PathPoint>> paths;
  std::vector<Goal> goals;
  int frames = -1;
  for (const auto& each : json["goals"]) {
    const int link = g.model.find_link(each["link"].get<std::string>()).value();
    const Transform X = state.X_WL[static_cast<std::size_t>(link)];
    const Vec3 at = each.contains("point") ? vector(each["point"]) : Vec3(Vec3::Zero());
    const bool pin = each.value("pin", false);
    std::vector<PathPoint> path;
    if (each.contains("path")) {
      const auto& curve = each["path"];
      std::vector<Vec3> points;
      std::vector<Quat> turns;
      const bool relative = curve.value("relative", true);
      for (const auto& p : curve["points"]) points.push_back(relative ? Vec3(X * at + vector(p)) : vector(p));
      turns.assign(points.size(), X.quaternion());
      if (curve.contains("turns")) {
        for (std::size_t i = 0; i < points.size(); ++i) {
          turns[i] = (exp_rotation(vector(curve["turns"][i])) * X.quaternion()).normalized();
        }
      }
      path = sample_path(points, turns, curve.value("kind", "spline") == std::string("line"),
                         curve.value("closed", false), json.value("step", 0.01), frames);
      if (frames < 0) frames = static_cast<int>(path.size());
    } else if (each.contains("same_as")) {
      path = paths[each["same_as"].get<std::size_t>()];
    } else {
      path.push_back({each.contains("target") ? vector(each["target"]) : Vec3(X * at), X.quaternion()});
    }
    paths.push_back(path);
    const std::string type = each["type"];
    Goal goal;
    if (type == "position") {
      PositionGoal made;
      made.link = link;
      made.point = at;
      goal = made;
    } else if (type == "pose") {
      PoseGoal made;
      made.link = link;
      made.point = at;
      goal = made;
    } else {
      AimGoal made;
      made.link = link;
      made.point = at;
      made.direction = vector(each["direction"]);
      goal = made;
    }
    goal_fields(goal).priority = each.value("priority", pin ? 0 : 1);
    goal_fields(goal).weight = each.value("weight", 1.0);
    goals.push_back(goal);
    g.pinned.push_back(pin);
  }
  for (int f = 0; f < frames + json.value("hold", 0); ++f) {
    std::vector<Goal> now = goals;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto k = std::min<std::size_t>(static_cast<std::size_t>(std::min(f, frames - 1)), paths[i].size() - 1);
      if (auto* x = std::get_if<PositionGoal>(&now[i])) x->target = paths[i][k].position;
      if (auto* x = std::get_if<PoseGoal>(&now[i]))
        x->target = Transform::from(paths[i][k].rotation, paths[i][k].position);
      if (auto* x = std::get_if<AimGoal>(&now[i])) x->target = paths[i][k].position;
    }
    g.frames.push_back(now);
  }
  return g;
}

/// All shared gestures; empty, with a word, without the shared data.
inline std::vector<Gesture> shared_gestures() {
  std::vector<Gesture> all;
  const auto folder = shared_data("follow");
  if (!folder) return all;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    if (auto gesture = read_gesture(nlohmann::json::parse(read_file(file)))) all.push_back(std::move(*gesture));
  }
  return all;
}

/// Gestures of the built-in models, written here so that the laws hold without any file.
inline std::vector<Gesture> builtin_gestures() {
  std::vector<Gesture> all;
  for (
      const char* text : {
          R"({"name": "a hand in a circle", "kind": "loop", "model": "human", "closed": true, "start": {"pose": "rest"},
               "watch": ["head"], "goals": [{"type": "pose", "link": "left_foot", "pin": true},
               {"type": "pose", "link": "right_foot", "pin": true}, {"type": "position", "link": "left_hand",
               "path": {"closed": true, "points": [[0,0,0], [0.2,0.1,0.2], [0.1,0,0.4], [0.2,-0.1,0.2], [0,0,0]]}}],
               "hold": 20})",
          R"({"name": "a hand far aside and back", "kind": "edge", "model": "human", "closed": true,
               "start": {"pose": "rest"}, "goals": [{"type": "pose", "link": "left_foot", "pin": true},
               {"type": "pose", "link": "right_foot", "pin": true}, {"type": "position", "link": "right_hand",
               "path": {"kind": "line", "points": [[0,0,0], [0.3,-1.2,0.4], [0,0,0]]}}], "hold": 30})",
          R"({"name": "through the edge of reach", "kind": "edge", "model": "two_link", "closed": true, "step": 0.05,
               "start": {"pose": "bent"}, "goals": [{"type": "position", "link": "tip",
               "path": {"kind": "line", "points": [[0,0,0], [0.6,0.6,0], [0,0,0]]}}], "hold": 20})",
          R"({"name": "a tool in a circle", "kind": "loop", "model": "panda", "closed": true, "start": {"pose": "ready"},
               "goals": [{"type": "pose", "link": "panda_tcp", "path": {"closed": true,
               "points": [[0,0,0], [0.1,0.1,0.1], [0.15,0,0], [0.1,-0.1,-0.1], [0,0,0]]}}], "hold": 10})",
          R"({"name": "hips down and up again", "kind": "edge", "model": "human", "closed": true, "start": {"pose": "rest"},
               "goals": [{"type": "pose", "link": "left_foot", "pin": true}, {"type": "pose", "link": "right_foot",
               "pin": true}, {"type": "position", "link": "pelvis", "path": {"kind": "line",
               "points": [[0,0,0], [-0.1,0,-0.75], [0,0,0]]}}], "hold": 40})",
          R"({"name": "a look at what passes close by", "kind": "near", "model": "human", "start": {"pose": "rest"},
               "goals": [{"type": "pose", "link": "left_foot", "pin": true}, {"type": "pose", "link": "right_foot",
               "pin": true}, {"type": "aim", "link": "head", "direction": [1,0,0], "path": {"kind": "line",
               "points": [[0.8,0,0], [0.12,0.06,0.02], [0.1,-0.06,0.02], [0.6,-0.6,0.1]]}}], "hold": 10})",
      }) {
    if (auto gesture = read_gesture(nlohmann::json::parse(text))) all.push_back(std::move(*gesture));
  }
  return all;
}

/// Largest turn of a joint from a to b, radians; balls by their rotation. Slides do not count.
inline double largest_turn(const Model& model, const VecX& a, const VecX& b) {
  double most = 0.0;
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic) continue;
    const auto kinds = coordinates(joint.type);
    for (int i = 0; i < joint.q_count; ++i) {
      const double* p = a.data() + joint.q_index + i;
      const double* q = b.data() + joint.q_index + i;
      if (kinds[static_cast<std::size_t>(i)] == Coordinate::angle) most = std::max(most, std::abs(*q - *p));
      if (kinds[static_cast<std::size_t>(i)] == Coordinate::quaternion) {
        const Quat from = joint_detail::quaternion(p);
        most = std::max(most, log_rotation(Quat(from.conjugate() * joint_detail::quaternion(q))).norm());
        i += 3;
      }
    }
  }
  return most;
}

/// How far goals moved from one frame to the next: the largest over goals, metres, an angle times a quarter of `size`.
inline double goal_motion(double size, const std::vector<Goal>& a, const std::vector<Goal>& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (const auto* x = std::get_if<PositionGoal>(&a[i])) {
      most = std::max(most, (x->target - std::get<PositionGoal>(b[i]).target).norm());
    } else if (const auto* y = std::get_if<PoseGoal>(&a[i])) {
      const Transform& to = std::get<PoseGoal>(b[i]).target;
      most = std::max(most, (y->target.position - to.position).norm() +
                                0.25 * size * y->target.quaternion().angularDistance(to.quaternion()));
    } else if (const auto* z = std::get_if<AimGoal>(&a[i])) {
      most = std::max(most, (z->target - std::get<AimGoal>(b[i]).target).norm());
    }
  }
  return most;
}

}  // namespace armature::test
