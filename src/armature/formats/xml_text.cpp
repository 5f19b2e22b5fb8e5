#include "armature/formats/xml_text.hpp"

#include "armature/base/number.hpp"
#include "armature/formats/xml.hpp"

namespace armature::inline v0_2 {

void XmlText::finish_tag() {
  if (in_tag_) text_ += ">\n";
  in_tag_ = false;
}

void XmlText::open(std::string_view tag) {
  finish_tag();
  indent();
  text_ += "<" + std::string(tag);
  tags_.emplace_back(tag);
  in_tag_ = true;
}

void XmlText::attribute(std::string_view name, std::string_view value) {
  text_ += " " + std::string(name) + "=\"" + xml_escaped(value) + "\"";
}

void XmlText::close() {
  const std::string tag = std::move(tags_.back());
  tags_.pop_back();
  if (in_tag_) {
    text_ += "/>\n";
  } else {
    indent();
    text_ += "</" + tag + ">\n";
  }
  in_tag_ = false;
}

void XmlText::close_with(std::string_view content) {
  text_ += ">" + xml_escaped(content) + "</" + tags_.back() + ">\n";
  tags_.pop_back();
  in_tag_ = false;
}

void XmlText::raw(std::string_view text) {
  finish_tag();
  indent();
  text_ += std::string(text) + "\n";
}

std::string XmlText::number(double value) const {
  return digits_ > 0 ? pretty_number(value, digits_) : format_number(value);
}

std::string XmlText::numbers(std::initializer_list<double> values) const {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " ") + number(value);
  return text;
}

}  // namespace armature::inline v0_2
