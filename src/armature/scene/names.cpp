#include "armature/scene/names.hpp"

#include <algorithm>

#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {
namespace {

struct Renamed {
  const char* field;
  const char* name;
};
constexpr Renamed kOptions[] = {{"continuous", "keep_branch"}, {"give_up", "patience"}, {"scale", "alpha"}};
constexpr Renamed kWords[] = {{"centred", "centered"}, {"goal", "target"}};

std::string public_name(const std::string& field, std::span<const Renamed> list) {
  for (const Renamed& r : list) {
    if (field == r.field) return r.name;
  }
  return field;
}

std::string field_name(std::string_view name, std::span<const Renamed> list) {
  for (const Renamed& r : list) {
    if (name == r.name) return r.field;
  }
  return std::string(name);
}

}  // namespace

std::vector<OptionInfo> method_options(const Solver& solver) {
  std::vector<OptionInfo> options = solver.options();
  for (OptionInfo& option : options) {
    const std::string name = public_name(option.name, kOptions);
    if (name != option.name) option.label = label_of(name);
    option.name = name;
    for (std::string& word : option.choices) word = public_name(word, kWords);
  }
  return options;
}

Status set_method_option(Solver& solver, std::string_view name, std::string_view text) {
  const std::vector<OptionInfo> options = method_options(solver);
  const auto found = std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.name == name; });
  if (found == options.end()) {
    std::vector<std::string> names;
    for (const OptionInfo& option : options) names.push_back(option.name);
    return Error{"Method '" + std::string(solver.info().name) + "': " + unknown_name("option", name, names)};
  }
  std::string value(text);
  if (found->type == OptionInfo::Type::choice) {
    if (std::find(found->choices.begin(), found->choices.end(), text) == found->choices.end()) {
      return Error{"Option '" + std::string(name) + "': " + unknown_name("choice", text, found->choices)};
    }
    value = field_name(text, kWords);
  }
  NumberWithUnit number;
  if (found->type == OptionInfo::Type::real && parse_number_with_unit(text, number) && !number.unit.empty()) {
    if (number.unit != found->unit) {
      return Error{"Option '" + std::string(name) + "' is not " + std::string(number.unit) + "; '" + std::string(text) +
                   "' does not fit."};
    }
    value = format_number(number.value);
  }
  const std::string field = field_name(name, kOptions);
  const Status status = solver.set_option(field, value);
  if (status || field == name) return status;
  std::string message = status.message();
  if (const std::size_t at = message.find("'" + field + "'"); at != std::string::npos) {
    message.replace(at + 1, field.size(), name);
  }
  return Error{message};
}

}  // namespace armature::inline v0_2
