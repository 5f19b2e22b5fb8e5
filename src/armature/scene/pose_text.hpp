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
/// A number of one kind in SI units: a plain one, or one with a unit of `kind` ("angle", "length", "time"; "": none has
/// one). `what` begins the error.
Result<double> parse_quantity(std::string_view text, std::string_view kind, std::string_view what);

namespace detail {
/// Without the white space at both ends.
std::string_view trimmed(std::string_view text);
}  // namespace detail

/// "0..360deg" -> "0deg", "360deg": the unit of the end goes for the beginning, too. False without "..".
bool split_range(std::string_view text, std::string& from, std::string& to);
/// "a, b,[c,d]" -> "a", "b", "[c,d]": commas inside brackets do not split.
std::vector<std::string> split_list(std::string_view text);
/// "1,2.5,-3", in brackets or not, of one kind; `what` begins the error. Those after the first `of_kind` have no units.
Result<std::vector<double>> parse_numbers(std::string_view text, std::string_view kind, std::string_view what,
                                          std::size_t of_kind = static_cast<std::size_t>(-1));
/// "x,y,z", lengths; where `flat` is true, "x,y" too.
Result<Vec3> parse_place(std::string_view text, std::string_view what, bool flat = false);

/// "angle", "length" or "" (part of a quaternion).
std::string_view unit_kind(const Model& model, int coordinate);
/// Tells of a number without a unit that looks like a slip: degrees for an angle, millimetres for a slide.
void note_likely_unit(const Model& model, int coordinate, double value, std::vector<std::string>& notes);
/// A number for one coordinate of a pose, with a unit that fits or none; `what` begins the error.
Result<double> parse_coordinate(const Model& model, int coordinate, std::string_view text, std::string_view what,
                                std::vector<std::string>& notes);
/// The pose in the text; joints that it does not name stay as in `q`. Likely slips are told in `notes`.
Result<VecX> parse_pose(const Model& model, std::string_view text, const VecX& q, std::vector<std::string>& notes);
/// The same from JSON, on top of `q`.
bool read_pose(JsonFields& fields, Value value, const Model& model, VecX& q, std::vector<std::string>& notes);
/// Brings the quaternions of a pose vector to unit length; one that has it keeps its bits, a zero one is refused.
Status normalize_quaternions(const Model& model, double* q);
/// {"joint": value or [values]}, without fixed and mimic joints.
void write_pose(JsonText& json, const Model& model, const VecX& q);

enum class JointUnits { none, own };  // plain numbers only; angles for what turns and lengths for what slides
/// "a=0.2,b=[1,2]": one number per velocity, `otherwise` for joints that are not named. One number without a name is
/// for all.
Result<VecX> parse_velocities(const Model& model, std::string_view text, std::string_view what, double otherwise,
                              JointUnits units);
/// A number for all, {joint: number or [numbers]}, or one number per velocity.
bool read_velocities(JsonFields& fields, Value value, const Model& model, double otherwise, VecX& out);

}  // namespace armature::inline v0_2
