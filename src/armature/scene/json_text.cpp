#include "armature/scene/json_text.hpp"

#include <cmath>

#include "armature/base/number.hpp"
#include "armature/formats/json_print.hpp"

namespace armature::inline v0_2 {

void JsonText::separate() {
  if (!keyed_ && !first_) text_ += ", ";
  keyed_ = false;
  first_ = false;
}

JsonText& JsonText::open(char begin, char end) {
  separate();
  text_ += begin;
  ends_ += end;
  first_ = true;
  return *this;
}

JsonText& JsonText::end() {
  text_ += ends_.back();
  ends_.pop_back();
  first_ = false;
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  separate();
  text_ += json_quoted(name) + ": ";
  keyed_ = true;
  return *this;
}

JsonText& JsonText::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

JsonText& JsonText::value(double number) { return raw(std::isfinite(number) ? format_number(number) : "null"); }
JsonText& JsonText::value(int number) { return raw(std::to_string(number)); }
JsonText& JsonText::value(bool yes) { return raw(yes ? "true" : "false"); }
JsonText& JsonText::value(std::string_view text) { return raw(json_quoted(text)); }

JsonText& JsonText::numbers(const double* values, Eigen::Index count) {
  begin_array();
  for (Eigen::Index i = 0; i < count; ++i) value(values[i]);
  return end();
}

JsonText& JsonText::strings(const std::vector<std::string>& texts) {
  begin_array();
  for (const std::string& text : texts) value(text);
  return end();
}

JsonText& JsonText::matrix(const MatX& M) {
  begin_array();
  for (Eigen::Index r = 0; r < M.rows(); ++r) numbers(VecX(M.row(r).transpose()));
  return end();
}

JsonText& JsonText::copy(JsonRef json) {
  switch (json.kind()) {
    case JsonKind::null:
      return raw("null");
    case JsonKind::boolean:
      return value(json.number() != 0.0);
    case JsonKind::number:
      return value(json.number());
    case JsonKind::string:
      return value(json.text());
    case JsonKind::array:
      begin_array();
      for (const JsonRef item : json) copy(item);
      return end();
    case JsonKind::object:
      begin_object();
      for (const JsonRef member : json) key(member.key()).copy(member);
      return end();
  }
  return *this;
}

}  // namespace armature::inline v0_2
