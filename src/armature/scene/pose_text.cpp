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

// Of a velocity: those of a quaternion are angles.
std::string_view velocity_kind(const Model& model, const ModelJoint& joint, int k) {
  const std::string_view kind = unit_kind(model, joint.q_index + k);
  return kind.empty() ? "angle" : kind;
}

std::string a_number_of(std::string_view kind) {
  if (kind == "angle") return "an angle, such as 1.2 or 90deg";
  if (kind == "length") return "a length, such as 0.2 or 5mm";
  if (kind == "time") return "a time, such as 0.5 or 20ms";
  return "a number without a unit";
}

bool is_of(const NumberWithUnit& number, std::string_view kind) { return number.unit.empty() || number.unit == kind; }

struct JointValues {
  std::vector<double> values;
  std::vector<std::string_view> units;  // "" for plain numbers

  void add(const NumberWithUnit& number) {
    values.push_back(number.value);
    units.push_back(number.unit);
  }
};

Result<JointValues> parse_values(std::string_view joint, std::string_view text) {
  JointValues out;
  for (const std::string& word : split_list(without_brackets(text))) {
    NumberWithUnit number;
    if (!parse_number_with_unit(word, number)) {
      return Error{"Joint " + detail::quoted(joint) + " needs a finite number or a list of finite numbers, not " +
                   detail::quoted(word) + "."};
    }
    out.add(number);
  }
  if (out.values.empty()) return Error{"Joint " + detail::quoted(joint) + " needs a number."};
  return out;
}

// The numbers from a coordinate on: units that fit, and notes on plain ones.
Status check_units(const Model& model, int first, const JointValues& given, std::vector<std::string>& notes) {
  for (std::size_t k = 0; k < given.values.size(); ++k) {
    const int i = first + static_cast<int>(k);
    if (given.units[k].empty()) {
      note_likely_unit(model, i, given.values[k], notes);
    } else if (given.units[k] != unit_kind(model, i)) {
      return Error{detail::quoted(model.coordinate_name(i)) + " takes " + a_number_of(unit_kind(model, i)) + ", not " +
                   (given.units[k] == "angle" ? "an " : "a ") + std::string(given.units[k]) + "."};
    }
  }
  return {};
}

Status set_and_note(const Model& model, std::string_view name, const JointValues& given, VecX& q,
                    std::vector<std::string>& notes) {
  const Result<int> index = model.find_joint(name);
  if (!index) return index.error();
  if (const Status status = set_joint(model, name, given.values, q); !status) return status;
  return check_units(model, model.joint(*index).q_index, given, notes);
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
  if (const Status status = check_units(model, 0, given, notes); !status) return status;
  q = Eigen::Map<const VecX>(given.values.data(), model.q_size());
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

std::string_view unit_kind(const Model& model, int coordinate) {
  const Coordinate kind = model.coordinate_kinds()[static_cast<std::size_t>(coordinate)];
  return kind == Coordinate::angle ? "angle" : kind == Coordinate::length ? "length" : "";
}

Result<double> parse_quantity(std::string_view text, std::string_view kind, std::string_view what) {
  NumberWithUnit number;
  if (parse_number_with_unit(text, number) && is_of(number, kind)) return number.value;
  return Error{std::string(what) + " takes " + a_number_of(kind) + "; not " + detail::quoted(detail::trimmed(text)) +
               "."};
}

void note_likely_unit(const Model& model, int coordinate, double value, std::vector<std::string>& notes) {
  const Coordinate kind = model.coordinate_kinds()[static_cast<std::size_t>(coordinate)];
  const double lower = model.lower()[coordinate], upper = model.upper()[coordinate];
  const bool outside = value < lower || value > upper;
  const std::string is = model.coordinate_name(coordinate) + " = " + pretty_number(value);
  // Two turns are more than any joint is asked for on purpose.
  const bool degrees = kind == Coordinate::angle && std::abs(value) > (outside ? 2.0 : 4.0) * kPi;
  if (degrees) {
    notes.push_back(is + " radians is " + pretty_number(std::abs(value) / (2.0 * kPi), 3) + " turns; did you mean " +
                    pretty_number(value) + "deg (" + pretty_number(value * (kPi / 180.0), 4) + ")?");
  }
  const bool millimetres = kind == Coordinate::length && outside && 1e-3 * value >= lower && 1e-3 * value <= upper &&
                           std::abs(value) > model.size();
  const double off = std::max(lower - value, value - upper);
  if (!millimetres && !degrees && off > 1e-6 * (1.0 + std::abs(value))) {
    notes.push_back(is + " is outside its limits of " + pretty_number(lower, 4) + " to " + pretty_number(upper, 4) +
                    ".");
  }
  if (millimetres) {
    notes.push_back(is + " metres is outside the limits of " + pretty_number(lower, 4) + " to " +
                    pretty_number(upper, 4) + "; did you mean " + pretty_number(value) + "mm (" +
                    pretty_number(1e-3 * value, 4) + ")?");
  }
}

Result<double> parse_coordinate(const Model& model, int coordinate, std::string_view text, std::string_view what,
                                std::vector<std::string>& notes) {
  const std::string subject = std::string(what) + ": " + detail::quoted(model.coordinate_name(coordinate));
  const Result<double> value = parse_quantity(text, unit_kind(model, coordinate), subject);
  NumberWithUnit plain;
  if (value && parse_number_with_unit(text, plain) && plain.unit.empty()) {
    note_likely_unit(model, coordinate, *value, notes);
  }
  return value;
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

bool split_range(std::string_view text, std::string& from, std::string& to) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return false;
  from = text.substr(0, dots);
  to = detail::trimmed(text.substr(dots + 2));
  NumberWithUnit begin, end;
  if (parse_number_with_unit(from, begin) && begin.unit.empty() && parse_number_with_unit(to, end)) {
    for (const UnitName& unit : kUnits) {
      if (!end.unit.empty() && to.ends_with(unit.name)) {
        from += unit.name;
        break;
      }
    }
  }
  return true;
}

Result<std::vector<double>> parse_numbers(std::string_view text, std::string_view kind, std::string_view what,
                                          std::size_t of_kind) {
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
    const std::string_view own = values.size() < of_kind ? kind : "";
    if (!is_of(number, own)) return parse_quantity(item, own, what).error();
    values.push_back(number.value);
  }
  return values;
}

Result<Vec3> parse_place(std::string_view text, std::string_view what, bool flat) {
  const Result<std::vector<double>> n = parse_numbers(text, "length", what);
  if (!n) return n.error();
  if (n->size() != 3 && !(flat && n->size() == 2)) {
    return Error{std::string(what) + " takes " + (flat ? "x,y or x,y,z" : "three numbers x,y,z") + ", not " +
                 detail::quoted(detail::trimmed(text)) + "."};
  }
  return Vec3((*n)[0], (*n)[1], n->size() == 3 ? (*n)[2] : 0.0);
}

Result<VecX> parse_pose(const Model& model, std::string_view text, const VecX& start, std::vector<std::string>& notes) {
  VecX q = start;
  JointValues all;
  for (const std::string& item : split_list(text)) {
    const std::size_t equals = item.find('=');
    NumberWithUnit number;
    if (equals == std::string::npos && parse_number_with_unit(item, number)) {
      all.add(number);
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
    given.units.assign(given.values.size(), "");
    return keep(fields, value, set_all(model, given, q, notes));
  }
  if (!fields.expect(value, JsonKind::object, "a pose: a name, {joint: value} or a list of all numbers")) return false;
  for (const Value member : value) {
    if (!one_or_more(fields, member, given.values)) return false;
    given.units.assign(given.values.size(), "");
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

Result<VecX> parse_velocities(const Model& model, std::string_view text, std::string_view what, double otherwise,
                              JointUnits units) {
  VecX out = VecX::Constant(model.v_size(), otherwise);
  for (const std::string& item : split_list(text)) {
    const std::size_t equals = item.find('=');
    const bool all = equals == std::string::npos;
    const std::string_view numbers = std::string_view(item).substr(all ? 0 : equals + 1);
    const Result<int> index = all ? Result<int>(0) : model.find_joint(detail::trimmed(item.substr(0, equals)));
    if (!index) return Error{std::string(what) + ": " + index.message()};
    const ModelJoint& joint = model.joint(*index);
    std::vector<double> values;
    for (const std::string& word : split_list(without_brackets(numbers))) {
      const int k = std::min(static_cast<int>(values.size()), joint.v_count - 1);
      const bool unit = units == JointUnits::own && !all && k >= 0;
      const Result<double> value = parse_quantity(word, unit ? velocity_kind(model, joint, k) : "", what);
      if (!value) return value.error();
      values.push_back(*value);
    }
    if (all && values.size() != 1) return Error{std::string(what) + " needs joint=number,... or one number for all."};
    if (all) {
      out.setConstant(values.front());
    } else if (const Status status = set_velocities(model, joint.name, values, out); !status) {
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
