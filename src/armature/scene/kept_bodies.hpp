// The bodies of a loaded model, found when they are first asked for and kept with it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/kinematics/bodies.hpp"
#include "armature/kinematics/obstacles.hpp"

namespace armature::inline v0_2 {

struct FoundBodies {
  std::shared_ptr<const Bodies> bodies;
  std::vector<Obstacle> shapes;  // of the links, where they are asked exactly
};

/// Safe to ask from many threads. A copy of the model, which may be changed, finds its own.
class KeptBodies {
 public:
  KeptBodies() = default;
  KeptBodies(const KeptBodies&) {}
  KeptBodies& operator=(const KeptBodies& other) {
    if (this != &other) found_[0].reset(), found_[1].reset();
    return *this;
  }
  ~KeptBodies() = default;

  Result<FoundBodies> get(bool exact, const std::function<Result<FoundBodies>()>& find) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::optional<Result<FoundBodies>>& own = found_[exact ? 1 : 0];
    if (!own) own = find();
    return *own;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::optional<Result<FoundBodies>> found_[2];
};

}  // namespace armature::inline v0_2
