// XML as writers make it: nested elements, each on a line of its own, indented by two spaces.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

class XmlText {
 public:
  /// `digits` of each number; 0: as many as the exact round trip needs.
  explicit XmlText(int digits) : digits_(digits) {}

  void open(std::string_view tag);
  /// Of the element that was opened last.
  void attribute(std::string_view name, std::string_view value);
  void attribute(std::string_view name, double value) { attribute(name, std::string_view(number(value))); }
  void attribute(std::string_view name, const Vec3& value) { attribute(name, std::string_view(numbers(value))); }
  void close();
  /// Ends the element that was opened last, on its line: <tag ...>content</tag>.
  void close_with(std::string_view content);
  /// <tag>content</tag>
  void element(std::string_view tag, std::string_view content) {
    open(tag);
    close_with(content);
  }
  void element(std::string_view tag, double value) { element(tag, std::string_view(number(value))); }
  /// As it stands.
  void raw(std::string_view text);

  std::string number(double value) const;
  std::string numbers(std::initializer_list<double> values) const;
  std::string numbers(const Vec3& v) const { return numbers({v[0], v[1], v[2]}); }
  std::size_t depth() const { return tags_.size(); }
  std::string take() { return std::move(text_); }

 private:
  void finish_tag();
  void indent() { text_.append(2 * tags_.size(), ' '); }

  int digits_;
  std::string text_ = "<?xml version=\"1.0\"?>\n";
  std::vector<std::string> tags_;
  bool in_tag_ = false;  // attributes may still follow
};

}  // namespace armature::inline v0_2
