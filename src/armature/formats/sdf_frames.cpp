#include "armature/formats/sdf_frames.hpp"

#include <algorithm>
#include <vector>

#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {
namespace {

Error around(const std::string& name) {
  return Error{"Frame " + detail::quoted(name) + " is given relative to itself, through others."};
}

}  // namespace

const SdfFrame* SdfFrames::find(const std::string& name, std::string& error) const {
  const auto found = frames_.find(name);
  if (found != frames_.end()) return &found->second;
  std::vector<std::string> names;
  for (const auto& [known, frame] : frames_) names.push_back(known);
  std::sort(names.begin(), names.end());
  error = unknown_name("link, joint, frame or model", name, names);
  return nullptr;
}

// Pose in the frame that it is given relative to. A model that is placed by one of its frames needs the way from that
// frame up to the model; models nest a few levels only, which bounds the recursion.
Result<Transform> SdfFrames::own_step(const std::string& name, int depth) const {
  std::string error;
  const SdfFrame* frame = find(name, error);
  if (frame == nullptr) return Error{error};
  if (frame->placement.empty()) return frame->pose;
  if (depth > 40) return around(name);
  Transform inside;
  std::string at = frame->placement;
  for (std::size_t guard = 0; at != name; ++guard) {
    if (guard > frames_.size()) return around(at);
    const Result<Transform> step = own_step(at, depth + 1);
    if (!step) return step.error();
    inside = *step * inside;
    at = frames_.at(at).relative_to;
    if (at.empty()) return Error{"Frame " + detail::quoted(frame->placement) + " is not inside the model it places."};
  }
  return frame->pose * inside.inverse();
}

Result<Transform> SdfFrames::pose(const std::string& name) {
  std::vector<std::pair<std::string, Transform>> way;  // up to the first frame that is known
  Transform X;
  for (std::string at = name; !at.empty();) {
    const auto known = known_.find(at);
    if (known != known_.end()) {
      X = known->second;
      break;
    }
    if (way.size() > frames_.size()) return around(at);
    const Result<Transform> step = own_step(at, 0);
    if (!step) return step.error();
    way.emplace_back(at, *step);
    at = frames_.at(at).relative_to;
  }
  for (auto step = way.rbegin(); step != way.rend(); ++step) {
    X = X * step->second;
    known_.emplace(step->first, X);
  }
  return X;
}

Result<Transform> SdfFrames::relative(const std::string& a, const std::string& b) const {
  // Both climb in turn until one comes to where the other has been.
  struct Climb {
    std::string at;
    std::unordered_map<std::string, Transform> been;  // pose of the start in each
    Transform X;
  };
  Climb climbs[2] = {{a, {{a, {}}}, {}}, {b, {{b, {}}}, {}}};
  for (std::size_t guard = 0; guard <= 2 * frames_.size() + 2; ++guard) {
    for (int i = 0; i < 2; ++i) {
      const auto met = climbs[1 - i].been.find(climbs[i].at);
      if (met != climbs[1 - i].been.end()) {
        const Transform X_a = i == 0 ? climbs[0].X : met->second, X_b = i == 0 ? met->second : climbs[1].X;
        return X_a.is_identity() ? X_b : X_a.inverse() * X_b;
      }
      if (climbs[i].at.empty()) continue;  // the world
      const Result<Transform> step = own_step(climbs[i].at, 0);
      if (!step) return step.error();
      climbs[i].X = climbs[i].X.is_identity() ? *step : *step * climbs[i].X;
      climbs[i].at = frames_.at(climbs[i].at).relative_to;
      climbs[i].been.emplace(climbs[i].at, climbs[i].X);
    }
  }
  return around(a);
}

Result<std::string> SdfFrames::link(const std::string& name) const {
  std::string at = name, error;
  for (std::size_t guard = 0; guard <= frames_.size(); ++guard) {
    const SdfFrame* frame = find(at, error);
    if (frame == nullptr) return Error{error};
    if (frame->carrier.empty()) return at;
    at = frame->carrier;
  }
  return Error{"Frame " + detail::quoted(name) + " is attached to itself, through others."};
}

}  // namespace armature::inline v0_2
