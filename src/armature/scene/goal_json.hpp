// Goals as JSON and as text: the one reader and the one writer of every surface (docs/goals.md shows each type).
//
//   {"target": [0.4, 0.2, 0.5]}                                       a position of the scene's tip
//   {"type": "aim", "link": "camera", "target": [0.6, 0, 0.4]}        any type, by the fields that it describes
//   {"name": "foot", "type": "pose", "link": "foot", "target": "here"}  stays where the start pose has it
//   LINK=x,y,z,qx,qy,qz,qw                                            on a command line
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "armature/scene/json_input.hpp"
#include "armature/scene/json_text.hpp"
#include "armature/solve/goal.hpp"

namespace armature::inline v0_2 {

/// What goals refer to without saying so.
struct GoalContext {
  const Model& model;
  const VecX& start;                // what "here" means
  std::string tip;                  // link of goals that name none; "": default_tip
  std::string base;                 // frame of goals that name none; "": the world
  std::vector<std::string>& notes;  // what was assumed, what looks like a slip
  bool line = false;                // the goal stands in a line of targets, which also has an id and a start
  /// Goals of one's own: {"type": "custom", "function": number into this list}. Files have none.
  std::span<const std::shared_ptr<const GoalFunction>> functions = {};
};

/// A goal from an object; false with the mistake in `fields`.
bool read_goal(JsonFields& fields, Value value, const GoalContext& context, Goal& goal);
/// A list of goals, or one.
bool read_goals(JsonFields& fields, Value value, const GoalContext& context, std::vector<Goal>& goals);

/// The type that a target has by its form: "position", "orientation", "pose", or "" when the form tells none.
const char* type_of_target(Value target);
/// Another target for a goal that is there already; refused where its form does not fit the goal.
bool read_target(JsonFields& fields, Value value, const GoalContext& context, Goal& goal);

/// "[LINK[:x,y,z]=]x,y[,z[,qx,qy,qz,qw]]": with two numbers z is free; behind LINK: a point of it.
Result<Goal> parse_goal(std::string_view text, const GoalContext& context);
/// "MIDDLE=x,y,z": the pole of the limb with this middle whose end is `link`.
Result<Goal> parse_pole(std::string_view text, int link, const GoalContext& context);

void write_goal(JsonText& json, const Model& model, const Goal& goal);

/// Another target: a place, a rotation of unit length, or both, as far as the goal has them. False when it has neither.
bool set_target(Goal& goal, const Vec3& place);
bool set_target(Goal& goal, const Quat& rotation);
bool set_target(Goal& goal, const Transform& target);
/// As read_target() does with a list of 3, 4, 7 or 16 numbers; false where it would refuse them, or says more.
bool set_target(Goal& goal, std::span<const double> numbers);

}  // namespace armature::inline v0_2
