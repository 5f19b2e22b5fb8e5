// Paths from JSON and to JSON.
#include "armature/base/suggest.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/scene/goal_parts.hpp"
#include "armature/scene/motion_json.hpp"
#include "armature/solve/track.hpp"

namespace armature::inline v0_2 {
namespace {

class PathReader {
 public:
  PathReader(JsonFields& fields, Value value, bool has_target, const GoalContext& context, Goal& goal)
      : fields_(fields),
        value_(value),
        object_(fields, value, "a path"),
        has_target_(has_target),
        context_(context),
        goal_(goal) {}

  bool read() {
    Path* path = goal_path(goal_);
    if (path == nullptr) {
      return fields_.fail(value_, "Only goals of type position, orientation, pose and aim can follow a path.");
    }
    options_.relative = flag("relative");
    options_.closed = flag("closed");
    if (!find_here() || !read_timing() || !read_rotations() || !read_curve(*path) || !object_.finish()) return false;
    // What is wrong with it is better said here, with its line, than when it is followed.
    Problem problem;
    problem.model = context_.model;
    problem.goals = {goal_};
    const Result<std::vector<MovingGoal>> moving = moving_goals(problem, context_.start);
    return moving.ok() || fields_.fail(value_, moving.message());
  }

 private:
  // Where the goal's point is at the start, in the frame of its base.
  bool find_here() {
    State state;
    forward(context_.model, context_.start, state);
    const Result<GoalLinks> links = resolve_links(goal_, context_.model);
    if (!links) return fields_.fail(value_, links.message());
    const Transform X = relative(state, links->base, links->link);
    if (const auto* p = std::get_if<PositionGoal>(&goal_)) {
      here_ = X * p->point;
    } else if (const auto* b = std::get_if<PoseGoal>(&goal_)) {
      here_ = X * b->point;
    } else if (const auto* a = std::get_if<AimGoal>(&goal_)) {
      here_ = a->target;
    }
    return true;
  }
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
  bool place(Value value, Vec3& out) {
    if (value.is(JsonKind::string) && value.text() == "here") {
      out = options_.relative ? Vec3::Zero() : here_;
      return true;
    }
    bool two = false;
    if (!read_place(fields_, value, out, &two)) return false;
    planar_ = planar_ || two;
    return true;
  }
  // Left out: where the goal's point is at the start.
  bool place(const char* key, std::optional<Vec3>& out) {
    const Value v = object_.get(key);
    if (!v) return true;
    out.emplace();
    return place(v, *out);
  }

  bool read_curve(Path& path) {
    const std::string type = word("curve", "polyline");
    std::vector<Vec3> points;
    const Value list = object_.get("points");
    if (list) {
      if (!fields_.expect(list, JsonKind::array, "a list of places [[x, y, z], ...]")) return false;
      for (const Value item : list) {
        points.emplace_back();
        if (!place(item, points.back())) return false;
      }
    }
    std::optional<Vec3> center, from;
    Vec3 normal = Vec3::UnitZ();
    if (planar_) {
      if (auto* p = std::get_if<PositionGoal>(&goal_)) p->axes.free[2] = true;
      if (auto* p = std::get_if<PoseGoal>(&goal_)) p->position_axes.free[2] = true;
    }
    if (!place("center", center) || !place("from", from)) return false;
    if (const Value v = object_.get("normal")) fields_.vector(v, normal);
    const double angle = number("angle", 2.0 * kPi);
    if (!fields_.ok()) return false;
    if (type == "line" || type == "polyline") {
      if (points.empty() && (list || type != "line" || !has_target_)) {
        return fields_.fail(value_, "A path has \"points\"; a line without any leads to the goal's target.");
      }
      path = Path::line(std::move(points), options_);
    } else if (type == "catmull_rom") {
      path = Path::catmull_rom(std::move(points), options_);
    } else if (type == "bezier") {
      path = Path::bezier(std::move(points), options_);
    } else if (type == "circle" || type == "arc") {
      path = Path::arc(center, normal, from, angle, options_);
    } else {
      return fields_.fail(value_,
                          unknown_name("curve", type, {"line", "polyline", "catmull_rom", "bezier", "circle", "arc"}));
    }
    return true;
  }

  bool read_timing() {
    const std::string profile = word("profile", "steady");
    if (profile == "ease") {
      options_.profile = Profile::ease;
    } else if (profile == "trapezoid") {
      options_.profile = Profile::trapezoid;
    } else if (profile != "steady") {
      return fields_.fail(value_, unknown_name("profile", profile, {"steady", "ease", "trapezoid"}));
    }
    options_.duration = number("duration", 1.0);
    options_.speed = number("speed", 0.0);
    options_.acceleration = number("acceleration", 0.0);
    options_.delay = number("delay", 0.0);
    return fields_.ok();
  }

  bool read_rotations() {
    const std::string turning = word("turning", "slerp");
    if (turning == "squad") {
      options_.turning = Turning::squad;
    } else if (turning != "slerp") {
      return fields_.fail(value_, unknown_name("turning", turning, {"slerp", "squad"}));
    }
    const Value list = object_.get("rotations");
    if (!list) return true;
    if (!fields_.expect(list, JsonKind::array, "a list of {\"at\": 0 to 1, \"quaternion\": [x, y, z, w]}"))
      return false;
    for (const Value item : list) {
      JsonObject key(fields_, item, "a rotation of a path");
      const auto index = static_cast<double>(options_.rotations.size());
      PathRotation rotation;
      rotation.at = list.size() > 1 ? index / static_cast<double>(list.size() - 1) : 0.0;
      if (const Value v = key.get("at")) fields_.number(v, rotation.at);
      if (!read_rotation_of(key, item, rotation.rotation)) return false;
      options_.rotations.push_back(rotation);
    }
    return !options_.rotations.empty() || fields_.fail(list, "At least one rotation is needed.");
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
  bool has_target_;
  const GoalContext& context_;
  Goal& goal_;
  PathOptions options_;
  Vec3 here_ = Vec3::Zero();
  bool planar_ = false;
};

}  // namespace

bool read_path(JsonFields& fields, Value value, bool has_target, const GoalContext& context, Goal& goal) {
  PathReader reader(fields, value, has_target, context, goal);
  return fields.ok() && reader.read();
}

void write_path(JsonText& json, const Path& path) {
  const Path::Data& data = path.data();
  const PathOptions& options = data.options;
  const auto place = [&](const char* key, const std::optional<Vec3>& value) {
    if (value) json.key(key).numbers(*value);
  };
  const auto number = [&](const char* key, double value, double usual) {
    if (value != usual) json.member(key, value);
  };
  const bool arc = data.kind == Path::Data::Kind::arc;
  const bool turn = std::abs(data.angle) == 2.0 * kPi;
  constexpr const char* kCurves[] = {"line", "catmull_rom", "bezier", "arc"};
  json.begin_object().member("curve", arc && turn ? "circle" : kCurves[static_cast<std::size_t>(data.kind)]);
  if (!data.points.empty()) {
    json.key("points").begin_array();
    for (const Vec3& point : data.points) json.numbers(point);
    json.end();
  }
  place("center", data.center);
  place("from", data.from);
  if (arc) json.key("normal").numbers(data.normal).member("angle", data.angle);
  if (options.relative) json.member("relative", true);
  if (options.closed) json.member("closed", true);
  constexpr const char* kProfiles[] = {"steady", "ease", "trapezoid"};
  json.member("profile", kProfiles[static_cast<std::size_t>(options.profile)]).member("duration", options.duration);
  number("speed", options.speed, 0.0);
  number("acceleration", options.acceleration, 0.0);
  number("delay", options.delay, 0.0);
  if (!options.rotations.empty()) {
    json.key("rotations").begin_array();
    for (const PathRotation& key : options.rotations) {
      json.begin_object().member("at", key.at).key("quaternion").numbers(key.rotation.coeffs()).end();
    }
    json.end();
  }
  if (options.turning == Turning::squad) json.member("turning", "squad");
  json.end();
}

}  // namespace armature::inline v0_2
