#include <algorithm>
#include <cmath>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/center_of_mass.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/goal_json.hpp"
#include "armature/scene/goal_parts.hpp"
#include "armature/scene/motion_json.hpp"
#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {
namespace {

// Angles in degrees where radians are read.
void note_degrees(Value target, const GoalContext& context) {
  const Value rpy = target.is(JsonKind::object) ? target.get("rpy") : Value();
  if (!rpy || !rpy.is(JsonKind::array)) return;
  for (const Value item : rpy) {
    if (!item.is(JsonKind::number) || !(std::abs(item.number()) > 2.0 * kPi + 1e-6)) continue;
    context.notes.push_back("An rpy of " + pretty_number(item.number()) + " radians is " +
                            pretty_number(std::abs(item.number()) / (2.0 * kPi), 3) + " turns; did you mean degrees (" +
                            pretty_number(item.number() * (kPi / 180.0), 4) + " radians)?");
    return;
  }
}

bool is_here(Value value) { return value && value.is(JsonKind::string) && value.text() == "here"; }

// Fills the fields that a goal describes from one object: a visitor of goal_types.hpp.
class GoalReader {
 public:
  GoalReader(JsonFields& fields, JsonObject& object, const GoalContext& context, const char* type)
      : fields_(fields), object_(object), context_(context), type_(type) {}

  void link(const char* field, LinkRef& value, const char*) {
    const std::string_view name = name_of(field);
    if (const Value json = object_.get(name)) {
      int index = 0;
      if (read_link(fields_, json, context_.model, index)) value = index;
    } else if (name == "link") {
      const Result<int> tip =
          context_.tip.empty() ? default_tip(context_.model, context_.notes) : context_.model.find_link(context_.tip);
      if (tip) {
        value = *tip;
      } else {
        fields_.fail(object_.value(), tip.message());  // which ends there are to choose from
      }
    }
  }
  void frame(const char* field, LinkRef& value, const char*) {
    if (const Value json = object_.get(name_of(field))) {
      int index = 0;
      if (read_frame(fields_, json, context_.model, index)) value = index;
    } else if (!context_.base.empty()) {
      const Result<int> index = frame_index(context_.model, context_.base);
      if (index) value = *index;
    }
  }
  void point(const char* field, Vec3& value, const char*) {
    const std::string_view name = name_of(field);
    const Value json = object_.get(name);
    if (!json || (name == "target" && is_here(json))) return;
    read_place(fields_, json, value, name == "target" ? &planar : nullptr);
  }
  void direction(const char* field, Vec3& value, const char*) {
    if (const Value json = object_.get(name_of(field))) read_place(fields_, json, value);
  }
  void rotation(const char* field, Quat& value, const char*) {
    const Value json = object_.get(name_of(field));
    if (!json || is_here(json)) return;
    note_degrees(json, context_);
    read_rotation(fields_, json, value);
  }
  void place(const char* field, Transform& value, const char*) {
    const Value json = object_.get(name_of(field));
    if (!json || is_here(json)) return;
    note_degrees(json, context_);
    read_transform(fields_, json, value);
  }
  void number(const char* field, double& value, const char*) {
    if (const Value json = object_.get(name_of(field))) fields_.number(json, value);
  }
  void whole(const char* field, int& value, const char*) {
    const Value json = object_.get(name_of(field));
    double number = value;
    if (!json || !fields_.number(json, number)) return;
    if (number != std::floor(number) || std::abs(number) > 1e6) {
      fields_.fail(json, "This must be a whole number.");
    } else {
      value = static_cast<int>(number);
    }
  }
  void axes(const char* field, Axes& value, const char*) {
    const Value json = object_.get(name_of(field));
    if (!json) return;
    JsonObject parts(fields_, json, "an axes object");
    std::string text;
    if (const Value free = parts.get("free"); free && fields_.text(free, text)) {
      if (text.find_first_not_of("xyz") != std::string::npos) fields_.fail(free, "Axes are x, y and z, as in \"xz\".");
      for (std::size_t k = 0; k < 3; ++k) value.free[k] = text.find("xyz"[k]) != std::string::npos;
    }
    if (const Value box = parts.get("box")) fields_.vector(box, value.box);
    if (const Value frame = parts.get("frame"); frame && fields_.text(frame, text)) {
      if (text != "base" && text != "target") {
        fields_.fail(frame, unknown_name("frame", text, {"base", "target"}));
      } else if (text == "target" && std::string_view(type_) == "position") {
        fields_.fail(frame,
                     "A position has no frame of its own; use a pose goal with \"orientation_axes\": {\"free\": "
                     "\"xyz\"}.");
      }
      value.frame = text == "target" ? AxesFrame::target : AxesFrame::base;
    }
    parts.finish();
  }
  void pose(const char* field, VecX& value, const char*) {
    value = context_.start;
    const Value json = object_.get(name_of(field));
    if (json && !is_here(json)) read_pose(fields_, json, context_.model, value, context_.notes);
  }
  void flag(const char* field, bool& value, const char*) {
    if (const Value json = object_.get(name_of(field))) fields_.boolean(json, value);
  }
  void text(const char* field, std::string& value, const char*) {
    if (const Value json = object_.get(name_of(field))) fields_.text(json, value);
  }
  void gains(const char* field, VecX& value, const char*) {
    if (const Value json = object_.get(name_of(field))) read_velocities(fields_, json, context_.model, 0.0, value);
  }

  void contacts(const char* field, std::vector<Contact>& value, const char*) {
    const Value json = object_.get(name_of(field));
    if (!json) return;
    if (!json.is(JsonKind::array)) {
      fields_.fail(json, "This must be an array of contacts, as [{\"link\": \"left_foot\"}].");
      return;
    }
    for (const Value item : json) {
      Contact contact;
      int index = 0;
      if (item.is(JsonKind::string)) {  // a link alone
        if (read_link(fields_, item, context_.model, index)) contact.link = index;
      } else {
        JsonObject parts(fields_, item, "a contact");
        if (const Value link = parts.require("link"); link && read_link(fields_, link, context_.model, index)) {
          contact.link = index;
        }
        if (const Value points = parts.get("points")) {
          if (!points.is(JsonKind::array)) fields_.fail(points, "This must be an array of points.");
          for (const Value point : points) fields_.vector(point, contact.points.emplace_back());
        }
        parts.finish();
      }
      value.push_back(std::move(contact));
    }
  }

  bool planar = false;  // a target of two numbers

 private:
  static std::string_view name_of(const char* field) { return field; }

  JsonFields& fields_;
  JsonObject& object_;
  const GoalContext& context_;
  const char* type_;
};

// The target where the start pose has it. False for types that have no such place.
bool put_here(Goal& goal, const GoalContext& context) {
  const Result<GoalLinks> links = resolve_links(goal, context.model);
  if (!links) return true;  // what is wrong is said of the goal
  State state;
  forward(context.model, context.start, state);
  if (std::holds_alternative<PostureGoal>(goal)) return true;
  const bool has_link = links->link != kWorld;
  const Transform X = has_link ? relative(state, links->base, links->link) : Transform{};
  if (auto* p = std::get_if<PositionGoal>(&goal)) {
    p->target = X * p->point;
  } else if (auto* o = std::get_if<OrientationGoal>(&goal)) {
    o->target = X.quaternion();
  } else if (auto* b = std::get_if<PoseGoal>(&goal)) {
    b->target = X * Transform::translate(b->point);
  } else if (auto* mass = std::get_if<CenterOfMassGoal>(&goal)) {
    CenterOfMass center;
    center.prepare(context.model);
    const Vec3 place = center.compute(state);
    mass->target = links->base == kWorld ? place : Vec3(relative(state, links->base, kWorld) * place);
  } else if (auto* line = std::get_if<PointOnLineGoal>(&goal)) {
    line->target = X * line->point;
  } else if (auto* plane = std::get_if<PointOnPlaneGoal>(&goal)) {
    plane->target = X * plane->point;
  } else {
    return false;
  }
  return true;
}

const Vec3* place_of(const Goal& goal) {
  if (const auto* p = std::get_if<PositionGoal>(&goal)) return &p->target;
  if (const auto* b = std::get_if<PoseGoal>(&goal)) return &b->target.position;
  return nullptr;
}

// A goal in millimetres for a model in metres.
void note_unit(const Goal& goal, const GoalContext& context) {
  const Vec3* place = place_of(goal);
  const double size = context.model.size();
  if (place == nullptr || !(place->norm() > 100.0 * size) || !(place->norm() < 3000.0 * size)) return;
  context.notes.push_back("The goal lies " + pretty_number(place->norm(), 4) + " away, and the longest branch of " +
                          detail::quoted(context.model.name()) + " measures " + pretty_number(size, 4) +
                          "; did you mean millimetres, as in " + pretty_number(place->x()) + "mm?");
}

Status finish_goal(Goal& goal, const GoalContext& context) {
  if (const Status status = check_fields(goal, context.model); !status) return status;
  const Result<GoalLinks> links = resolve_links(goal, context.model);
  if (!links) return links.error();
  if (auto* pole = std::get_if<PoleGoal>(&goal)) {
    pole->middle = links->middle;
    pole->upper = links->upper;
  }
  note_unit(goal, context);
  return {};
}

// A goal of one's own, whose function the caller hands over beside the JSON.
bool read_function(JsonFields& fields, JsonObject& object, const GoalContext& context, CustomGoal& goal) {
  const Value value = object.require("function");
  double number = 0.0;
  if (!value || !fields.number(value, number)) return false;
  if (!(number >= 0.0 && number < static_cast<double>(context.functions.size()))) {
    return fields.fail(value, "A goal of type 'custom' is code, which files cannot hold.");
  }
  goal.function = context.functions[static_cast<std::size_t>(number)];
  return true;
}

}  // namespace

const char* type_of_target(Value target) {
  if (!target) return "";
  if (target.is(JsonKind::array)) {
    if (target.size() == 2 || target.size() == 3) return "position";
    if (target.size() == 4) return is_square(target, 4) ? "pose" : "orientation";
    return target.size() == 7 || target.size() == 16 ? "pose" : "";
  }
  if (!target.is(JsonKind::object)) return "";
  const bool turned = target.get("quaternion") || target.get("rpy") || target.get("matrix");
  if (!target.get("position")) return turned ? "orientation" : "";
  return turned ? "pose" : "position";
}

bool read_target(JsonFields& fields, Value value, const GoalContext& context, Goal& goal) {
  note_degrees(value, context);
  const auto place = [&](Vec3& target) { return read_place(fields, value, target); };
  if (auto* p = std::get_if<PositionGoal>(&goal)) {
    bool planar = false;
    return read_place(fields, value, p->target, &planar);
  }
  if (auto* o = std::get_if<OrientationGoal>(&goal)) return read_rotation(fields, value, o->target);
  if (auto* b = std::get_if<PoseGoal>(&goal)) return read_transform(fields, value, b->target);
  if (auto* a = std::get_if<AimGoal>(&goal)) return place(a->target);
  if (auto* l = std::get_if<PointOnLineGoal>(&goal)) return place(l->target);
  if (auto* p = std::get_if<PointOnPlaneGoal>(&goal)) return place(p->target);
  if (auto* d = std::get_if<DistanceGoal>(&goal)) return place(d->target);
  if (auto* p = std::get_if<PoleGoal>(&goal)) return place(p->target);
  if (auto* c = std::get_if<CenterOfMassGoal>(&goal)) return place(c->target);
  if (auto* p = std::get_if<PostureGoal>(&goal)) {
    p->target = context.start;
    return read_pose(fields, value, context.model, p->target, context.notes);
  }
  return fields.fail(value, "A goal of type '" + std::string(goal_name(goal)) + "' has no target.");
}

// Points of lines and planes, and the far end of a distance, are the origin of `base` unless they are given.
bool needs_target(const Goal& goal) {
  return std::holds_alternative<PositionGoal>(goal) || std::holds_alternative<OrientationGoal>(goal) ||
         std::holds_alternative<PoseGoal>(goal) || std::holds_alternative<AimGoal>(goal) ||
         std::holds_alternative<PoleGoal>(goal) || std::holds_alternative<CenterOfMassGoal>(goal);
}

bool read_goal(JsonFields& fields, Value value, const GoalContext& context, Goal& out) {
  JsonObject object(fields, value, "a goal");
  if (!fields.ok()) return false;
  if (context.line) object.get("id"), object.get("start");
  const Value target = object.get("target");
  const Value path = object.get("path");
  std::string type = type_of_target(target);
  if (type.empty() && path) type = "position";
  if (const Value given = object.get("type"); given && !fields.text(given, type)) return false;
  if (type.empty()) {
    for (const Value member : value) {  // what was meant, misspelt
      const std::string key(member.key()), hint = target ? "" : did_you_mean(key, {"target", "type", "path"});
      if (!hint.empty()) return fields.fail(member, "A goal has no key " + detail::quoted(key) + hint);
    }
    return fields.fail(
        target ? target : value,
        std::string(target ? "The form of this target tells no type: 2 or 3 numbers are a position, 4 a quaternion, 7 "
                             "(position and quaternion) or 16 (a 4x4) a pose; else \"type\" is"
                           : "A goal has a \"target\" whose form tells its "
                             "type, or a \"type\":") +
            " one of " + detail::join(goal_names()) + ".");
  }
  Result<Goal> goal = type == "custom" ? Result<Goal>(CustomGoal{}) : goal_from_name(type);
  if (!goal) return fields.fail(value.get("type"), goal.message());
  out = std::move(*goal);
  auto* custom = std::get_if<CustomGoal>(&out);
  if (custom != nullptr && !read_function(fields, object, context, *custom)) return false;
  if (target && std::holds_alternative<BalanceGoal>(out)) {
    return fields.fail(target, "A goal of type 'balance' has no target; its contacts say where it stands.");
  }
  GoalReader reader(fields, object, context, goal_name(out));
  describe_goal(out, reader);
  if (auto* position = std::get_if<PositionGoal>(&out); position != nullptr && reader.planar) {
    position->axes.free[2] = true;
  } else if (reader.planar) {
    return fields.fail(target, "This must be an array of 3 numbers, but it holds 2.");
  }
  if (!fields.ok()) return false;
  if (is_here(target) && !put_here(out, context)) {
    return fields.fail(target, "\"here\" has no meaning for goals of type '" + type + "'.");
  }
  if (path) {
    if (!target) put_here(out, context);
    if (!read_path(fields, path, static_cast<bool>(target), context, out)) return false;
  }
  if (!object.finish()) return false;
  if (const Status status = finish_goal(out, context); !status) return fields.fail(value, status.message());
  if (!target && !path && needs_target(out)) {
    return fields.fail(
        value, "A goal of type '" + type + "' needs a \"target\"; \"here\" is where the start pose has the link.");
  }
  return true;
}

bool read_goals(JsonFields& fields, Value value, const GoalContext& context, std::vector<Goal>& goals) {
  if (!value.is(JsonKind::object) &&
      !fields.expect(value, JsonKind::array, "a list of goals [{\"target\": ...}, ...]")) {
    return false;
  }
  const auto read = [&](Value item) {
    Goal goal;
    if (!read_goal(fields, item, context, goal)) return false;
    goals.push_back(std::move(goal));
    return true;
  };
  if (value.is(JsonKind::object)) return read(value);
  for (const Value item : value) {
    if (!read(item)) return false;
  }
  return true;
}

Result<Goal> parse_goal(std::string_view text, const GoalContext& context) {
  GoalContext own = context;
  const std::size_t equals = text.find('=');
  Vec3 point = Vec3::Zero();
  if (equals != std::string_view::npos) {
    const std::string_view left = text.substr(0, equals);
    const std::size_t colon = left.find(':');
    own.tip = left.substr(0, colon);
    if (colon != std::string_view::npos) {
      const Result<Vec3> p = parse_place(left.substr(colon + 1), "The point of LINK:x,y,z");
      if (!p) return p.error();
      point = *p;
    }
    text.remove_prefix(equals + 1);
  }
  const Result<std::vector<double>> n = parse_numbers(text, "length", "--goal", 3);
  if (!n) return n.error();
  if (n->size() != 2 && n->size() != 3 && n->size() != 7) {
    return Error{"--goal takes 2 numbers (x,y), 3 (x,y,z) or 7 (x,y,z,qx,qy,qz,qw), not " + std::to_string(n->size()) +
                 "."};
  }
  const Result<int> link = own.tip.empty() ? default_tip(own.model, own.notes) : own.model.find_link(own.tip);
  if (!link) return link.error();
  const Result<int> base = own.base.empty() ? Result<int>(kWorld) : frame_index(own.model, own.base);
  if (!base) return base.error();
  const Vec3 place((*n)[0], (*n)[1], n->size() > 2 ? (*n)[2] : 0.0);
  Goal out;
  if (n->size() == 7) {
    Quat turn;
    if (!unit_quaternion(n->data() + 3, turn)) return Error{"--goal: The quaternion must not be zero."};
    PoseGoal goal;
    goal.link = *link, goal.base = *base, goal.point = point;
    goal.target = Transform::from(turn, place);
    out = goal;
  } else {
    PositionGoal goal;
    goal.link = *link, goal.base = *base, goal.point = point, goal.target = place;
    goal.axes.free[2] = n->size() == 2;
    out = goal;
  }
  if (const Status status = finish_goal(out, own); !status) return status.error();
  return out;
}

Result<Goal> parse_pole(std::string_view text, int link, const GoalContext& context) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return Error{"--pole needs MIDDLE=x,y,z, such as left_forearm=0.3,1,1; not " + detail::quoted(text) + "."};
  }
  const Result<int> middle = context.model.find_link(text.substr(0, equals));
  if (!middle) return middle.error();
  const Result<Vec3> place = parse_place(text.substr(equals + 1), "--pole");
  if (!place) return place.error();
  const Result<int> base = context.base.empty() ? Result<int>(kWorld) : frame_index(context.model, context.base);
  if (!base) return base.error();
  PoleGoal pole;
  pole.link = link;
  pole.middle = *middle;
  pole.base = *base;
  pole.target = *place;
  pole.priority = 1;  // the tip comes first
  Goal out = pole;
  if (const Status status = finish_goal(out, context); !status) return Error{"--pole: " + status.message()};
  return out;
}

}  // namespace armature::inline v0_2
