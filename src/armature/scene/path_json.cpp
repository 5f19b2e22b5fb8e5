// Paths from JSON.
#include "armature/base/suggest.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/scene/goal_parts.hpp"
#include "armature/scene/motion_json.hpp"

namespace armature::inline v0_2 {
namespace {

class PathReader {
 public:
  PathReader(JsonFields& fields, Value value, const Goal& goal, bool has_target, const GoalContext& context)
      : fields_(fields), value_(value), object_(fields, value, "a path"), goal_(goal), has_target_(has_target) {
    forward(context.model, context.start, state_);
  }

  bool read(GoalPath& path) {
    const Result<GoalLinks> links = resolve_links(goal_, state_.model);
    if (!links) return fields_.fail(value_, links.message());
    path.link = links->link;
    if (const auto* p = std::get_if<PositionGoal>(&goal_)) {
      path.point = p->point, target_ = {Mat3::Identity(), p->target};
      path.planar = p->axes.free[2];
    } else if (const auto* b = std::get_if<PoseGoal>(&goal_)) {
      path.point = b->point, target_ = b->target;
      path.planar = b->position_axes.free[2];
      turns_ = true;
    } else {
      return fields_.fail(value_, "Only goals of type position and pose can follow a path.");
    }
    if (links->base != kWorld) return fields_.fail(value_, "A path is given in the world's frame; leave out \"base\".");
    here_ = state_.X_WL[static_cast<std::size_t>(path.link)] * Transform::translate(path.point);
    if (!read_curve(path) || !read_timing(path) || !read_rotations(path)) return false;
    return object_.finish();
  }

 private:
  std::string word(const char* key, const char* otherwise) {
    std::string text = otherwise;
    if (const Value v = object_.get(key)) fields_.text(v, text);
    return text;
  }
  double number(const char* key, double otherwise) {
    if (const Value v = object_.get(key)) fields_.number(v, otherwise);
    return otherwise;
  }
  bool flag(const char* key) {
    bool yes = false;
    if (const Value v = object_.get(key)) fields_.boolean(v, yes);
    return yes;
  }
  bool place(Value value, Vec3& out, bool& planar) {
    if (value.is(JsonKind::string) && value.text() == "here") {
      out = here_.position;
      return true;
    }
    bool two = false;
    if (!read_place(fields_, value, out, &two)) return false;
    planar = planar || two;
    out += origin_;
    return true;
  }
  bool place(const char* key, const Vec3& otherwise, Vec3& out, bool& planar) {
    out = otherwise;
    const Value v = object_.get(key);
    return !v || place(v, out, planar);
  }

  bool read_curve(GoalPath& path) {
    const std::string type = word("curve", "polyline");
    if (flag("relative")) origin_ = here_.position;
    std::vector<Vec3> points;
    if (const Value list = object_.get("points")) {
      if (!fields_.expect(list, JsonKind::array, "a list of places [[x, y, z], ...]")) return false;
      for (const Value item : list) {
        points.emplace_back();
        if (!place(item, points.back(), path.planar)) return false;
      }
    } else if (type == "line" && has_target_) {
      points = {here_.position, target_.position};
      to_target_ = true;
    }
    const bool closed = flag("closed");
    Vec3 center, from, normal = Vec3::UnitZ();
    bool ignored = false;
    if (!place("center", here_.position, center, ignored) || !place("from", here_.position, from, ignored)) {
      return false;
    }
    if (const Value v = object_.get("normal")) fields_.vector(v, normal);
    const double angle = number("angle", 2.0 * kPi);
    if (!fields_.ok()) return false;
    Result<Curve> curve =
        Error{unknown_name("curve", type, {"line", "polyline", "catmull_rom", "bezier", "circle", "arc"})};
    if (type == "line" || type == "polyline") curve = Curve::polyline(points);
    if (type == "catmull_rom") curve = Curve::catmull_rom(points, closed);
    if (type == "bezier") curve = Curve::bezier(points);
    if (type == "circle" || type == "arc") curve = Curve::arc(center, normal, from, angle);
    if (!curve) return fields_.fail(value_, curve.message());
    path.curve = std::move(*curve);
    return true;
  }

  bool read_timing(GoalPath& path) {
    Timing& timing = path.timing;
    const std::string profile = word("profile", "steady");
    if (profile == "ease") {
      timing.profile = Timing::Profile::ease;
    } else if (profile == "trapezoid") {
      timing.profile = Timing::Profile::trapezoid;
    } else if (profile != "steady") {
      return fields_.fail(value_, unknown_name("profile", profile, {"steady", "ease", "trapezoid"}));
    }
    timing.duration = number("duration", 1.0);
    timing.speed = number("speed", 0.0);
    timing.acceleration = number("acceleration", 0.0);
    path.start = number("delay", 0.0);
    if (!fields_.ok()) return false;
    if (!(timing.duration >= 0.0) || !(path.start >= 0.0)) {
      return fields_.fail(value_, "\"duration\" and \"delay\" are seconds, not negative.");
    }
    if (timing.profile == Timing::Profile::trapezoid && !(timing.speed > 0.0 && timing.acceleration > 0.0)) {
      return fields_.fail(value_, "A trapezoid needs \"speed\" and \"acceleration\" above 0.");
    }
    return true;
  }

  bool read_rotations(GoalPath& path) {
    OrientationTrack& track = path.orientation;
    const std::string turning = word("turning", "slerp");
    if (turning == "squad") {
      track.turning = Turning::squad;
    } else if (turning != "slerp") {
      return fields_.fail(value_, unknown_name("turning", turning, {"slerp", "squad"}));
    }
    const double length = path.curve.length();
    const Value list = object_.get("rotations");
    if (!list) {
      if (!turns_) return true;
      track.at = {0.0};
      track.keys = {here_.quaternion()};  // as in the start pose, or turning to the target's
      if (to_target_ && length > 0.0) {
        track.at.push_back(length);
        track.keys.push_back(target_.quaternion());
      }
      return true;
    }
    if (!turns_) return fields_.fail(list, "A position goal has no rotations; use a goal of type pose.");
    if (!fields_.expect(list, JsonKind::array, "a list of {\"at\": 0 to 1, \"quaternion\": [x, y, z, w]}"))
      return false;
    for (const Value item : list) {
      JsonObject key(fields_, item, "a rotation of a path");
      const auto index = static_cast<double>(track.keys.size());
      double at = list.size() > 1 ? index / static_cast<double>(list.size() - 1) : 0.0;
      if (const Value v = key.get("at")) fields_.number(v, at);
      Quat rotation = Quat::Identity();
      if (!read_rotation_of(key, item, rotation)) return false;
      if (!track.at.empty() && !(at * length > track.at.back())) {
        return fields_.fail(item, "\"at\" is the part of the way, 0 to 1, and goes up from rotation to rotation.");
      }
      track.at.push_back(at * length);
      track.keys.push_back(rotation);
    }
    return !track.keys.empty() || fields_.fail(list, "At least one rotation is needed.");
  }

  bool read_rotation_of(JsonObject& key, Value item, Quat& rotation) {
    const Value rpy = key.get("rpy");
    const Value quaternion = key.get("quaternion");
    if (!key.finish()) return false;
    if (!rpy == !quaternion) return fields_.fail(item, "A rotation has one of \"quaternion\" and \"rpy\".");
    if (quaternion) return read_rotation(fields_, quaternion, rotation);
    Vec3 a;
    if (!fields_.vector(rpy, a)) return false;
    rotation = euler_to_quaternion(EulerOrder{{2, 1, 0}}, Vec3(a[2], a[1], a[0]));
    return true;
  }

  JsonFields& fields_;
  Value value_;
  JsonObject object_;
  const Goal& goal_;
  bool has_target_;
  bool turns_ = false;
  bool to_target_ = false;
  State state_;
  Transform target_, here_;
  Vec3 origin_ = Vec3::Zero();
};

}  // namespace

bool read_path(JsonFields& fields, Value value, const Goal& goal, bool has_target, const GoalContext& context,
               GoalPath& path) {
  PathReader reader(fields, value, goal, has_target, context);
  return fields.ok() && reader.read(path);
}

}  // namespace armature::inline v0_2
