// A link or a joint of a model, by its name or by its index; names are looked up when a problem is interpreted.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armature/model/limits.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

inline constexpr int kWorld = -1;  // where the index of a link is asked for: the world

/// Empty: what is meant where nothing is said (a goal's link: the tip; its base: the world).
template <class Tag>
class NameOrIndex {
 public:
  NameOrIndex() = default;
  NameOrIndex(int index) : index_(index) {}                  // NOLINT: implicit on purpose
  NameOrIndex(const char* name) : name_(name) {}             // NOLINT
  NameOrIndex(std::string name) : name_(std::move(name)) {}  // NOLINT
  NameOrIndex(std::string_view name) : name_(name) {}        // NOLINT

  bool empty() const { return name_.empty() && index_ == kNone; }
  bool named() const { return !name_.empty(); }
  const std::string& name() const { return name_; }
  int index() const { return index_; }
  bool operator==(const NameOrIndex& other) const = default;

 private:
  static constexpr int kNone = -2;
  std::string name_;
  int index_ = kNone;
};

using LinkRef = NameOrIndex<struct LinkTag>;    // index: of the link, or kWorld; name: of a link, or "world"
using JointRef = NameOrIndex<struct JointTag>;  // index: of the link that the joint moves

/// Something per joint; where a joint is named twice, the last counts.
template <class T>
using JointMap = std::vector<std::pair<JointRef, T>>;

/// Index of the link, or a sentence that lists the valid names. An empty one is an error.
Result<int> resolve(const Model& model, const LinkRef& link);
/// The same, where the world is possible too, and what an empty one means.
Result<int> resolve_frame(const Model& model, const LinkRef& frame);
Result<int> resolve(const Model& model, const JointRef& joint);

}  // namespace armature::inline v0_2
