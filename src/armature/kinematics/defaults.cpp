#include "armature/kinematics/defaults.hpp"

#include <cmath>

#include "armature/base/rng.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {
VecX open_start_pose(const Model& model) {
  for (const char* name : {"chapter", "ready", "rest"}) {
    for (const ModelPose& pose : model.poses()) {
      if (pose.name == name) return pose.q;
    }
  }
  // A mechanism's own pose: joints at their middles close to no matter what, or to a pose with bars on top of each
  // other.
  if (!model.closures().empty() && !model.poses().empty()) return model.poses().front().q;
  return middle_pose(model);
}
}  // namespace

VecX start_pose(const Model& model) {
  const VecX q = open_start_pose(model);
  if (model.closures().empty()) return q;
  Assembler assembler;
  assembler.prepare(model);
  VecX closed = q;
  return find_assembled_pose(model, assembler, closed) ? closed : q;
}

VecX default_pose(const Model& model) { return model.closures().empty() ? neutral_pose(model) : start_pose(model); }

Result<int> default_tip(const Model& model) {
  const std::vector<int>& effectors = model.effectors();  // the ends where the linkage names none
  if (effectors.empty()) return Error{"The model has no link that could be an end effector."};
  if (effectors.size() == 1 || !model.linkage().effectors.empty()) return effectors.front();
  std::vector<std::string> names;
  for (const int link : effectors) {
    if (model.link_name(link) == "tool0") return link;
  }
  for (const int link : effectors) names.push_back(model.link_name(link));
  return Error{"Choose the end effector ('tip', or the goal's 'link'): " + detail::join(names, 40) + "."};
}

Result<int> default_tip(const Model& model, std::vector<std::string>& notes) {
  const Result<int> tip = default_tip(model);
  if (!tip || model.effectors().size() == 1) return tip;
  std::vector<std::string> others;
  for (const int link : model.effectors()) {
    if (link != *tip) others.push_back(model.link_name(link));
  }
  notes.push_back("The goal is for " + detail::quoted(model.link_name(*tip)) +
                  "; 'tip' chooses another end effector (" + detail::join(others, 40) + ").");
  return tip;
}

Result<int> frame_index(const Model& model, std::string_view name) {
  if (name == "world" && !model.has_link(name)) return kWorld;
  return model.find_link(name);
}

bool is_planar(const Model& model) {
  if (model.v_size() == 0) return false;
  Rng rng(7);
  State rest, state;
  forward(model, neutral_pose(model), rest);
  const double height = rest.X_WL[0].position.z();
  for (int i = 0; i < 8; ++i) {
    forward(model, random_pose(model, rng), state);
    for (std::size_t k = 0; k < state.X_WL.size(); ++k) {
      if (std::abs(state.X_WL[k].position.z() - height) > 1e-9 * model.size()) return false;
      if ((state.X_WL[k].rotation.row(2) - rest.X_WL[k].rotation.row(2)).norm() > 1e-9) return false;
    }
  }
  return true;
}

}  // namespace armature::inline v0_2
