// Poses and joint values as people and programs write them.
//
//   ready                         the name of a pose of the model
//   ready,elbow=90deg             a name, then changes
//   shoulder=0.3,wrist=[0,0,0,1]  changes of the pose that is there anyway
//   0,-1.2,0.5                    every number of the pose vector, in the model's order
//
// JSON has the same: a name, {joint: value or [values]}, or a list of all numbers, in SI units only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/model/model.hpp"
#include "armature/scene/json_input.hpp"
#include "armature/scene/json_text.hpp"

namespace armature::inline v0_2 {

struct NumberWithUnit {
  double value = 0.0;     // in SI units
  std::string_view unit;  // "angle", "length" or "time"; "": none was given
};
/// "1.2", "90deg", "0.5turn", "1.2rad", "5mm", "3cm", "2m", "20ms", "1s"; false for anything else.
bool parse_number_with_unit(std::string_view text, NumberWithUnit& number);

namespace detail {
/// Without the white space at both ends.
std::string_view trimmed(std::string_view text);
}  // namespace detail

/// "a, b,[c,d]" -> "a", "b", "[c,d]": commas inside brackets do not split.
std::vector<std::string> split_list(std::string_view text);
/// "1,2.5,-3", in brackets or not; `what` begins the error.
Result<std::vector<double>> parse_numbers(std::string_view text, std::string_view what);

/// The pose in the text; joints that it does not name stay as in `q`. What looks like a slip (an angle of more than two
/// turns without a unit) is told in `notes`.
Result<VecX> parse_pose(const Model& model, std::string_view text, const VecX& q, std::vector<std::string>& notes);
/// The same from JSON, on top of `q`.
bool read_pose(JsonFields& fields, Value value, const Model& model, VecX& q, std::vector<std::string>& notes);
/// Brings the quaternions of a pose vector to unit length; one that has it keeps its bits, a zero one is refused.
Status normalize_quaternions(const Model& model, double* q);
/// {"joint": value or [values]}, without fixed and mimic joints.
void write_pose(JsonText& json, const Model& model, const VecX& q);

/// "a=0.2,b=[1,2]": one number per velocity, `otherwise` for joints that are not named. One number without a name is
/// for all.
Result<VecX> parse_velocities(const Model& model, std::string_view text, std::string_view what, double otherwise);
/// A number for all, {joint: number or [numbers]}, or one number per velocity.
bool read_velocities(JsonFields& fields, Value value, const Model& model, double otherwise, VecX& out);

}  // namespace armature::inline v0_2
