// JSON written piece by piece: what this layer answers with. Numbers are the shortest that read back exactly; NaN and
// infinities, which JSON does not have, become null.
//
//   JsonText json;
//   json.begin_object().member("ok", true).key("q").numbers(q).end();
//   json.text()   {"ok": true, "q": [0, 1]}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/formats/json_tree.hpp"
#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

class JsonText {
 public:
  JsonText& begin_object() { return open('{', '}'); }
  JsonText& begin_array() { return open('[', ']'); }
  JsonText& end();  // of the innermost object or array
  JsonText& key(std::string_view name);

  JsonText& value(double number);
  JsonText& value(int number);
  JsonText& value(bool yes);
  JsonText& value(std::string_view text);
  JsonText& value(const char* text) { return value(std::string_view(text)); }
  JsonText& value(const std::string& text) { return value(std::string_view(text)); }
  JsonText& numbers(const double* values, Eigen::Index count);
  JsonText& numbers(const Eigen::Ref<const VecX>& values) { return numbers(values.data(), values.size()); }
  JsonText& strings(const std::vector<std::string>& texts);
  JsonText& matrix(const MatX& M);       // a list of rows
  JsonText& copy(JsonRef value);         // as it was read
  JsonText& raw(std::string_view json);  // a value that is JSON already
  template <class T>
  JsonText& member(std::string_view name, const T& v) {
    return key(name).value(v);
  }

  const std::string& text() const { return text_; }
  void clear() { text_.clear(), ends_.clear(), first_ = true; }

 private:
  JsonText& open(char begin, char end);
  void separate();

  std::string text_;
  std::string ends_;   // what closes each open container
  bool first_ = true;  // nothing stands yet in the innermost container
  bool keyed_ = false;
};

}  // namespace armature::inline v0_2
