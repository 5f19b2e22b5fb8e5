#include "armature/formats/json_print.hpp"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "armature/base/number.hpp"
#include "armature/formats/source.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr std::size_t kLineWidth = 118;

class Printer {
 public:
  explicit Printer(int digits) : digits_(digits) {}

  // Appends on one line; false (and possibly half-written) when it grows beyond `most` characters.
  bool flat(const nlohmann::ordered_json& value, std::string& out, std::size_t most) {
    if (value.is_object()) {
      out += '{';
      bool first = true;
      for (const auto& [key, member] : value.items()) {
        if (!first) out += ", ";
        first = false;
        out += json_quoted(key) + ": ";
        if (!flat(member, out, most)) return false;
      }
      out += '}';
    } else if (value.is_array()) {
      out += '[';
      bool first = true;
      for (const auto& member : value) {
        if (!first) out += ", ";
        first = false;
        if (!flat(member, out, most)) return false;
      }
      out += ']';
    } else if (value.is_string()) {
      out += json_quoted(value.get_ref<const std::string&>());
    } else if (value.is_number()) {
      number(value.get<double>(), out);
    } else {
      out += value.is_boolean() ? (value.get<bool>() ? "true" : "false") : "null";
    }
    return out.size() <= most;
  }

  void pretty(const nlohmann::ordered_json& value, std::size_t indent, std::size_t column, std::string& out) {
    const std::size_t start = out.size();
    const std::size_t room = column < kLineWidth ? kLineWidth - column : 0;
    if (!value.is_structured() || value.empty()) {
      flat(value, out, std::string::npos);
      return;
    }
    if (flat(value, out, start + room)) return;
    out.resize(start);
    const std::string pad(indent + 2, ' ');
    out += value.is_object() ? "{" : "[";
    bool first = true;
    for (const auto& [key, member] : value.items()) {
      if (!first) out += ',';
      first = false;
      out += '\n' + pad;
      std::size_t used = pad.size();
      if (value.is_object()) {
        const std::string label = json_quoted(key) + ": ";
        out += label;
        used += label.size();
      }
      pretty(member, indent + 2, used + 1, out);
    }
    out += '\n' + std::string(indent, ' ') + (value.is_object() ? "}" : "]");
  }

 private:
  void number(double value, std::string& out) const {
    if (!std::isfinite(value)) {
      out += "null";
    } else if (value == 0.0) {
      out += std::signbit(value) && digits_ == 0 ? "-0.0" : "0";  // "-0" would be read as an integer, without its sign
    } else {
      out += digits_ > 0 ? pretty_number(value, digits_) : format_number(value);
    }
  }
  int digits_;
};

}  // namespace

std::string print_json(const nlohmann::ordered_json& value, int digits) {
  std::string out;
  Printer(digits).pretty(value, 0, 0, out);
  return out + '\n';
}

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : is_utf8(text) ? std::string(text) : to_utf8(text)) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned char>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace armature::inline v0_2
