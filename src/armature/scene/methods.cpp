#include "armature/scene/methods.hpp"

#include <algorithm>
#include <mutex>

#include "armature/base/suggest.hpp"
#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {
namespace {

struct Registered {
  std::mutex mutex;
  std::vector<MethodEntry> methods;
};
Registered& registered() {
  static Registered all;
  return all;
}

}  // namespace

std::vector<MethodEntry> methods() {
  std::vector<MethodEntry> all;
  for (const BuiltinMethod& entry : builtin_methods()) {
    all.push_back({entry.info.name, entry.info.label, entry.info.group, entry.info.doc, entry.make});
  }
  Registered& own = registered();
  const std::scoped_lock lock(own.mutex);
  all.insert(all.end(), own.methods.begin(), own.methods.end());
  return all;
}

Status register_method(MethodEntry entry) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (entry.name.empty() || !std::all_of(entry.name.begin(), entry.name.end(), plain)) {
    return Error{"A method's name is made of small letters, digits and underscores, not " + detail::quoted(entry.name) +
                 "."};
  }
  if (!entry.make) return Error{"Method " + detail::quoted(entry.name) + " has nothing that makes it."};
  for (const BuiltinMethod& other : builtin_methods()) {
    if (other.info.name == entry.name) {
      return Error{"There is a method " + detail::quoted(entry.name) + " already, which comes with the library."};
    }
  }
  if (entry.label.empty()) entry.label = entry.name;
  Registered& own = registered();
  const std::scoped_lock lock(own.mutex);
  const auto same = [&](const MethodEntry& other) { return other.name == entry.name; };
  if (const auto old = std::find_if(own.methods.begin(), own.methods.end(), same); old != own.methods.end()) {
    *old = std::move(entry);
  } else {
    own.methods.push_back(std::move(entry));
  }
  return {};
}

Result<Solver> make_solver(std::string_view name, const OptionValues& options) {
  std::vector<std::string> names;
  for (const MethodEntry& entry : methods()) {
    names.push_back(entry.name);
    if (entry.name != name) continue;
    Solver solver(entry.make());
    for (const auto& [option, text] : options) {
      if (const Status status = set_method_option(*solver, option, text); !status) return status.error();
    }
    return solver;
  }
  return Error{unknown_name("method", name, names)};
}

Status set_method_option(Method& method, std::string_view name, std::string_view text) {
  const std::vector<OptionInfo> options = method.option_list();
  const auto found = std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.name == name; });
  if (found == options.end()) {
    std::vector<std::string> names;
    for (const OptionInfo& option : options) names.push_back(option.name);
    return Error{"Method '" + std::string(method.info().name) + "': " + unknown_name("option", name, names)};
  }
  if (found->type == OptionInfo::Type::choice &&
      std::find(found->choices.begin(), found->choices.end(), text) == found->choices.end()) {
    return Error{"Option '" + std::string(name) + "': " + unknown_name("choice", text, found->choices)};
  }
  NumberWithUnit number;
  if (found->type == OptionInfo::Type::real && parse_number_with_unit(text, number) && !number.unit.empty()) {
    if (number.unit != found->unit) {
      return parse_quantity(text, found->unit, "Option '" + std::string(name) + "'").error();
    }
    return method.set_option(name, format_number(number.value));
  }
  return method.set_option(name, text);
}

}  // namespace armature::inline v0_2
