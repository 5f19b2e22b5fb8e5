// Described fields: a struct lists its own options once, and every surface (CLI flags, Python keywords, studio sliders,
// docs tables) follows from that list.
//
//   struct DlsOptions {
//     double damping = 0.0;
//     template <class V> void describe(V& v) {
//       v.field("damping", damping, {"Damping lambda of eq 5.24; 0 chooses it", 0.0, 1e6, Scale::log, "length", true});
//     }
//   };
//
// Field types: bool, int, double, and enums whose values count from 0 and whose words choice_words(value) lists.
#pragma once

#include <cmath>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "armature/base/number.hpp"
#include "armature/base/result.hpp"
#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {

enum class Scale { linear, log };

struct FieldInfo {
  const char* doc = "";
  double min = -1e300;
  double max = 1e300;
  Scale scale = Scale::linear;
  const char* unit = "";   // "length" (the model's unit), "angle" (radians), "time" (seconds); "": a plain number
  bool automatic = false;  // 0 or -1, the default, leaves the choice to the method
  const char* label = "";  // for people; "": made from the name
  const char* group = "";  // under which surfaces show it; "": with the others
};

/// An enum whose values have words: std::span<const char* const> choice_words(E), beside it.
template <class E>
concept ChoiceEnum = std::is_enum_v<E> && requires(E value) {
  { choice_words(value) } -> std::convertible_to<std::span<const char* const>>;
};

/// What a surface needs to know of one option.
struct OptionInfo {
  enum class Type { boolean, integer, real, choice };
  std::string name;
  std::string doc;
  Type type = Type::real;
  double default_value = 0.0;  // a choice: the index of the default word
  double min = 0.0;
  double max = 0.0;
  Scale scale = Scale::linear;
  std::string unit;
  bool automatic = false;
  std::string label;
  std::string group;
  std::vector<std::string> choices;
};

/// "max_iterations" -> "Max iterations".
inline std::string label_of(std::string_view name) {
  std::string label(name);
  for (char& c : label) c = c == '_' ? ' ' : c;
  if (!label.empty() && label[0] >= 'a' && label[0] <= 'z') label[0] = static_cast<char>(label[0] - 'a' + 'A');
  return label;
}

/// Collects the options of a described struct with their current values as defaults.
class OptionLister {
 public:
  void field(const char* name, bool& value, const FieldInfo& info) {
    add(name, OptionInfo::Type::boolean, value ? 1.0 : 0.0, info);
  }
  void field(const char* name, int& value, const FieldInfo& info) { add(name, OptionInfo::Type::integer, value, info); }
  void field(const char* name, double& value, const FieldInfo& info) { add(name, OptionInfo::Type::real, value, info); }
  template <ChoiceEnum E>
  void field(const char* name, E& value, const FieldInfo& info) {
    add(name, OptionInfo::Type::choice, static_cast<double>(value), info);
    for (const char* word : choice_words(value)) options.back().choices.emplace_back(word);
  }
  std::vector<OptionInfo> options;

 private:
  void add(const char* name, OptionInfo::Type type, double value, const FieldInfo& info) {
    options.push_back({name,
                       info.doc,
                       type,
                       value,
                       info.min,
                       info.max,
                       info.scale,
                       info.unit,
                       info.automatic,
                       *info.label != '\0' ? info.label : label_of(name),
                       info.group,
                       {}});
  }
};

/// Reads one option by name from text ("0.5", "true", "goal").
class OptionSetter {
 public:
  OptionSetter(std::string_view name, std::string_view text) : name_(name), text_(text) {}
  void field(const char* name, bool& value, const FieldInfo&) {
    if (!matches(name)) return;
    if (text_ == "true" || text_ == "1" || text_ == "yes" || text_ == "on") {
      value = true;
    } else if (text_ == "false" || text_ == "0" || text_ == "no" || text_ == "off") {
      value = false;
    } else {
      fail("true or false");
    }
  }
  void field(const char* name, int& value, const FieldInfo& info) {
    if (!matches(name)) return;
    double number = 0.0;
    if (!parse_number(text_, number) || number != std::floor(number) || !inside(number, info) ||
        std::abs(number) > 2147483647.0) {
      fail("a whole number" + range(info));
    } else {
      value = static_cast<int>(number);
    }
  }
  void field(const char* name, double& value, const FieldInfo& info) {
    if (!matches(name)) return;
    double number = 0.0;
    if (!parse_number(text_, number) || !inside(number, info)) {
      fail("a number" + range(info));
    } else {
      value = number;
    }
  }
  template <ChoiceEnum E>
  void field(const char* name, E& value, const FieldInfo&) {
    if (!matches(name)) return;
    const std::span<const char* const> words = choice_words(value);
    std::string list;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (text_ == words[i]) {
        value = static_cast<E>(i);
        return;
      }
      list += (i == 0 ? "" : ", ") + std::string(words[i]);
    }
    fail("one of " + list);
  }

  /// After describe(): success, or what was wrong.
  Status result() const {
    if (!known_) return Error{unknown_name("option", name_, names_)};
    return problem_.empty() ? Status{} : Status{Error{problem_}};
  }

 private:
  bool matches(const char* name) {
    names_.emplace_back(name);
    if (name_ != name) return false;
    known_ = true;
    return true;
  }
  static bool inside(double v, const FieldInfo& info) { return v >= info.min && v <= info.max; }
  static std::string range(const FieldInfo& info) {
    const bool low = info.min > -1e299;
    const bool high = info.max < 1e299;
    if (low && high) return " from " + pretty_number(info.min) + " to " + pretty_number(info.max);
    if (low) return " of at least " + pretty_number(info.min);
    if (high) return " of at most " + pretty_number(info.max);
    return "";
  }
  void fail(const std::string& wanted) {
    problem_ = "Option '" + std::string(name_) + "' needs " + wanted + ", not '" + std::string(text_) + "'.";
  }

  std::string_view name_;
  std::string_view text_;
  bool known_ = false;
  std::string problem_;
  std::vector<std::string> names_;
};

template <class Described>
std::vector<OptionInfo> list_options(Described options) {
  OptionLister lister;
  options.describe(lister);
  return std::move(lister.options);
}

template <class Described>
Status set_option(Described& options, std::string_view name, std::string_view text) {
  OptionSetter setter(name, text);
  options.describe(setter);
  return setter.result();
}

}  // namespace armature::inline v0_2
