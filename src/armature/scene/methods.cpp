#include "armature/scene/methods.hpp"

#include <algorithm>
#include <mutex>

#include "armature/base/suggest.hpp"

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
  for (const BuiltinMethod& entry : solvers()) {
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
    return Error{"A method's name is made of small letters, digits and underscores, not " + detail::quoted(entry.name) + "."};
  }
  if (!entry.make) return Error{"Method " + detail::quoted(entry.name) + " has nothing that makes it."};
  for (const MethodEntry& other : methods()) {
    if (other.name == entry.name) return Error{"There is a method " + detail::quoted(entry.name) + " already."};
  }
  if (entry.label.empty()) entry.label = entry.name;
  Registered& own = registered();
  const std::scoped_lock lock(own.mutex);
  own.methods.push_back(std::move(entry));
  return {};
}

Result<std::unique_ptr<Solver>> make_method(std::string_view name) {
  std::vector<std::string> names;
  for (const MethodEntry& entry : methods()) {
    if (entry.name == name) return entry.make();
    names.push_back(entry.name);
  }
  return Error{unknown_name("method", name, names)};
}

}  // namespace armature::inline v0_2
