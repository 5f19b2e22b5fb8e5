// The methods that every surface offers: the library's (solve/registry.hpp) and one's own.
#pragma once

#include <functional>

#include "armature/solve/method.hpp"
#include "armature/solve/registry.hpp"

namespace armature::inline v0_2 {

struct MethodEntry {
  std::string name, label, group, doc;
  std::function<std::unique_ptr<Method>()> make;
};

/// All of them, in the order in which surfaces show them: the library's first.
std::vector<MethodEntry> methods();

/// Adds a method; one of one's own that has the name already is replaced. Belongs to start-up; locks.
Status register_method(MethodEntry entry);

/// A method of one's own by its class: `register_method<Steepest>({.name = "steepest", .label = "Steepest descent"})`.
struct MethodName {
  std::string name{}, label{}, group = "Yours", doc{};
};
template <class M>
Status register_method(const MethodName& given) {
  const auto texts = std::make_shared<const MethodName>(given);
  return register_method(MethodEntry{
      given.name, given.label, given.group, given.doc, [texts] {
        struct Named : M {
          std::shared_ptr<const MethodName> texts;
        };
        auto method = std::make_unique<Named>();
        method->texts = texts;
        method->method_info = {texts->name.c_str(), texts->label.c_str(), texts->group.c_str(), texts->doc.c_str()};
        return std::unique_ptr<Method>(std::move(method));
      }});
}

/// A new solver of any of them; the error lists the valid names of methods, or of its options. Numbers may carry a
/// unit that fits: {{"max_time", "20ms"}}.
Result<Solver> make_solver(std::string_view method, const OptionValues& options = {});
Status set_method_option(Method& method, std::string_view name, std::string_view text);

}  // namespace armature::inline v0_2
