#include "armature/scene/pose_text.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {

std::string_view detail::trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

namespace {

struct UnitName {
  std::string_view name, unit;
  double factor;
};
constexpr UnitName kUnits[] = {
    {"turn", "angle", 2.0 * kPi}, {"deg", "angle", kPi / 180.0}, {"rad", "angle", 1.0}, {"mm", "length", 1e-3},
    {"cm", "length", 1e-2},       {"ms", "time", 1e-3},          {"m", "length", 1.0},  {"s", "time", 1.0}};

std::string_view without_brackets(std::string_view text) {
  text = detail::trimmed(text);
  const bool list = text.size() >= 2 && text.front() == '[' && text.back() == ']';
  return list ? text.substr(1, text.size() - 2) : text;
}

// Two turns are more than any joint is asked for on purpose.
void note_many_turns(const Model& model, int coordinate, double value, std::vector<std::string>& notes) {
  const bool angle = model.coordinate_kinds()[static_cast<std::size_t>(coordinate)] == Coordinate::angle;
  if (!angle || !(std::abs(value) > 4.0 * kPi)) return;
  const std::string number = pretty_number(value);
  notes.push_back(model.coordinate_name(coordinate) + " = " + number + " radians is " +
                  pretty_number(std::abs(value) / (2.0 * kPi), 3) + " turns; did you mean " + number + "deg?");
}

struct JointValues {
  std::vector<double> values;
  std::vector<char> plain;  // without a unit
};

Result<JointValues> parse_values(std::string_view joint, std::string_view text) {
  JointValues out;
  for (const std::string& word : split_list(without_brackets(text))) {
    NumberWithUnit number;
    if (!parse_number_with_unit(word, number)) {
      return Error{"Joint " + detail::quoted(joint) + " needs a finite number or a list of finite numbers, not " +
                   detail::quoted(word) + "."};
    }
    out.values.push_back(number.value);
    out.plain.push_back(number.unit.empty() ? 1 : 0);
  }
  if (out.values.empty()) return Error{"Joint " + detail::quoted(joint) + " needs a number."};
  return out;
}

Status set_and_note(const Model& model, std::string_view name, const JointValues& given, VecX& q,
                    std::vector<std::string>& notes) {
  const Result<int> index = model.find_joint(name);
  if (!index) return index.error();
  if (const Status status = set_joint(model, name, given.values, q); !status) return status;
  const ModelJoint& joint = model.joint(*index);
  for (std::size_t k = 0; k < given.values.size(); ++k) {
    if (given.plain[k] != 0) note_many_turns(model, joint.q_index + static_cast<int>(k), given.values[k], notes);
  }
  return {};
}

std::string wrong_count(const Model& model, std::size_t count) {
  return "A pose of " + detail::quoted(model.name()) + " has " + std::to_string(model.q_size()) + " numbers, not " +
         std::to_string(count) + "; its joints are " + detail::join(model.joint_names()) + ".";
}

// A whole pose by its numbers.
Status set_all(const Model& model, const JointValues& given, VecX& q, std::vector<std::string>& notes) {
  if (given.values.size() != static_cast<std::size_t>(model.q_size())) {
    return Error{wrong_count(model, given.values.size())};
  }
  q = Eigen::Map<const VecX>(given.values.data(), model.q_size());
  for (int i = 0; i < model.q_size(); ++i) {
    if (given.plain[static_cast<std::size_t>(i)] != 0) note_many_turns(model, i, q[i], notes);
  }
  return normalize_quaternions(model, q.data());
}

Status set_velocities(const Model& model, std::string_view name, const std::vector<double>& values, VecX& out) {
  const Result<int> index = model.find_joint(name);
  if (!index) return index.error();
  const ModelJoint& joint = model.joint(*index);
  if (values.size() != 1 && static_cast<int>(values.size()) != joint.v_count) {
    return Error{"Joint " + detail::quoted(name) + " takes 1 or " + std::to_string(joint.v_count) + " numbers, not " +
                 std::to_string(values.size()) + "."};
  }
  for (int k = 0; k < joint.v_count; ++k) {
    out[joint.v_index + k] = values[values.size() == 1 ? 0 : static_cast<std::size_t>(k)];
  }
  return {};
}

bool one_or_more(JsonFields& fields, Value value, std::vector<double>& out) {
  out.clear();
  if (value.is(JsonKind::array)) return fields.number_list(value, out);
  double number = 0.0;
  if (!fields.number(value, number)) return false;
  out.push_back(number);
  return true;
}

bool keep(JsonFields& fields, Value value, const Status& status) {
  return status.ok() || fields.fail(value, status.message());
}

}  // namespace

Status normalize_quaternions(const Model& model, double* q) {
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.q_count < 4) continue;
    const int at = joint.q_index + joint.q_count - 4;
    if (model.coordinate_kinds()[static_cast<std::size_t>(at)] != Coordinate::quaternion) continue;
    Eigen::Map<Vec4> r(q + at);
    if (std::abs(r.squaredNorm() - 1.0) < 1e-12) continue;
    const double largest = r.cwiseAbs().maxCoeff();  // taken out first: squares of 1e300 overflow
    if (!(largest > 1e-9)) {
      return Error{"Joint " + detail::quoted(joint.name) +
                   " was given a zero quaternion; it needs x, y, z, w of length 1."};
    }
    r = Vec4(r / largest).normalized();
  }
  return {};
}

bool parse_number_with_unit(std::string_view text, NumberWithUnit& number) {
  text = detail::trimmed(text);
  std::size_t end = 0;
  double value = 0.0;
  if (!read_number(text, end, value)) return false;
  const std::string_view unit = detail::trimmed(text.substr(end));
  number = {value, ""};
  for (const UnitName& u : kUnits) {
    if (unit == u.name) number = {value * u.factor, u.unit};
  }
  return std::isfinite(number.value) && (unit.empty() || !number.unit.empty());
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    if (i == text.size() || (text[i] == ',' && depth <= 0)) {
      const std::string_view item = detail::trimmed(text.substr(start, i - start));
      if (!item.empty()) items.emplace_back(item);
      start = i + 1;
    }
  }
  return items;
}

Result<std::vector<double>> parse_numbers(std::string_view text, std::string_view what) {
  std::vector<double> values;
  const std::string_view list = without_brackets(text);
  const std::vector<std::string> items = split_list(list);
  const auto commas = static_cast<std::size_t>(std::count(list.begin(), list.end(), ','));
  if (!items.empty() && items.size() != commas + 1) {  // "1,,2": which one is missing?
    return Error{std::string(what) + " needs a number before and after every comma, not " +
                 detail::quoted(detail::trimmed(text)) + "."};
  }
  for (const std::string& item : items) {
    NumberWithUnit number;
    if (!parse_number_with_unit(item, number)) {
      return Error{std::string(what) + " needs finite numbers separated by commas, not " + detail::quoted(item) + "."};
    }
    values.push_back(number.value);
  }
  return values;
}

Result<VecX> parse_pose(const Model& model, std::string_view text, const VecX& start, std::vector<std::string>& notes) {
  VecX q = start;
  JointValues all;
  for (const std::string& item : split_list(text)) {
    const std::size_t equals = item.find('=');
    NumberWithUnit number;
    if (equals == std::string::npos && parse_number_with_unit(item, number)) {
      all.values.push_back(number.value);
      all.plain.push_back(number.unit.empty() ? 1 : 0);
    } else if (equals == std::string::npos) {
      const Result<VecX> named = model.find_pose(item);
      if (!named) return named.error();
      q = *named;
    } else {
      const std::string joint(detail::trimmed(std::string_view(item).substr(0, equals)));
      if (const Result<int> index = model.find_joint(joint); !index) return index.error();
      const Result<JointValues> given = parse_values(joint, std::string_view(item).substr(equals + 1));
      if (!given) return given.error();
      if (const Status status = set_and_note(model, joint, *given, q, notes); !status) return status.error();
    }
  }
  if (all.values.empty()) return q;
  if (const Status status = set_all(model, all, q, notes); !status) return status.error();
  return q;
}

bool read_pose(JsonFields& fields, Value value, const Model& model, VecX& q, std::vector<std::string>& notes) {
  if (value.is(JsonKind::string)) {
    const Result<VecX> pose = parse_pose(model, value.text(), q, notes);
    if (pose) q = *pose;
    return keep(fields, value, pose.status());
  }
  JointValues given;
  if (value.is(JsonKind::array)) {
    if (!fields.number_list(value, given.values)) return false;
    given.plain.assign(given.values.size(), 1);
    return keep(fields, value, set_all(model, given, q, notes));
  }
  if (!fields.expect(value, JsonKind::object, "a pose: a name, {joint: value} or a list of all numbers")) return false;
  for (const Value member : value) {
    if (!one_or_more(fields, member, given.values)) return false;
    given.plain.assign(given.values.size(), 1);
    if (!keep(fields, member, set_and_note(model, member.key(), given, q, notes))) return false;
  }
  return true;
}

void write_pose(JsonText& json, const Model& model, const VecX& q) {
  json.begin_object();
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.q_count == 0) continue;
    json.key(joint.name);
    if (joint.q_count == 1) {
      json.value(q[joint.q_index]);
    } else {
      json.numbers(q.data() + joint.q_index, joint.q_count);
    }
  }
  json.end();
}

Result<VecX> parse_velocities(const Model& model, std::string_view text, std::string_view what, double otherwise) {
  VecX out = VecX::Constant(model.v_size(), otherwise);
  for (const std::string& item : split_list(text)) {
    const std::size_t equals = item.find('=');
    const Result<std::vector<double>> values =
        parse_numbers(equals == std::string::npos ? item : item.substr(equals + 1), what);
    if (!values) return values.error();
    if (equals == std::string::npos) {
      if (values->size() != 1) return Error{std::string(what) + " needs joint=number,... or one number for all."};
      out.setConstant(values->front());
    } else if (const Status status = set_velocities(model, detail::trimmed(item.substr(0, equals)), *values, out);
               !status) {
      return Error{std::string(what) + ": " + status.message()};
    }
  }
  return out;
}

bool read_velocities(JsonFields& fields, Value value, const Model& model, double otherwise, VecX& out) {
  std::vector<double> values;
  if (value.is(JsonKind::number)) {
    out = VecX::Constant(model.v_size(), value.number());
  } else if (value.is(JsonKind::array)) {
    out.resize(model.v_size());
    return fields.numbers(value, out.data(), static_cast<std::size_t>(model.v_size()));
  } else {
    if (!fields.expect(value, JsonKind::object, "a number or {joint: number}")) return false;
    out = VecX::Constant(model.v_size(), otherwise);
    for (const Value member : value) {
      if (!one_or_more(fields, member, values)) return false;
      if (!keep(fields, member, set_velocities(model, member.key(), values, out))) return false;
    }
  }
  return fields.ok();
}

}  // namespace armature::inline v0_2
