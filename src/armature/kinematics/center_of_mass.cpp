#include "armature/kinematics/center_of_mass.hpp"

#include "armature/base/index.hpp"

namespace armature::inline v0_2 {

void CenterOfMass::prepare(const Model& model) {
  if (model_ == model) return;
  model_ = model;
  masses_ = link_masses(model);
  branches_.compile(model);
  below_.assign(at(model.link_count()), 0.0);
  moment_.assign(at(model.link_count()), Vec3::Zero());
  link_of_motion_ = branches_.links_of_motions();
}

Vec3 CenterOfMass::compute(const State& state) const {
  Vec3 sum = Vec3::Zero();
  const Vec3 origin = state.X_WL.front().position;  // so that figures far from the world's origin keep their digits
  for (std::size_t i = 0; i < masses_.mass.size(); ++i) {
    if (masses_.mass[i] > 0.0) sum += masses_.mass[i] * (state.X_WL[i] * masses_.center[i] - origin);
  }
  return masses_.total > 0.0 ? Vec3(origin + sum / masses_.total) : origin;
}

Vec3 CenterOfMass::compute(const State& state, Eigen::Ref<CenterJacobian> J) {
  branches_.move(state);
  const Vec3 o = branches_.centre();
  for (std::size_t i = 0; i < below_.size(); ++i) {
    below_[i] = masses_.mass[i];
    moment_[i] = masses_.mass[i] * (state.X_WL[i] * masses_.center[i] - o);
  }
  for (int i = model_.link_count() - 1; i > 0; --i) {
    if (model_.parent(i) < 0) continue;
    below_[at(model_.parent(i))] += below_[at(i)];
    moment_[at(model_.parent(i))] += moment_[at(i)];
  }
  J.setZero();
  if (!(masses_.total > 0.0)) return state.X_WL.front().position;
  for (std::size_t m = 0; m < link_of_motion_.size(); ++m) {
    const Motion& motion = branches_.motions()[m];
    const std::size_t link = at(link_of_motion_[m]);
    J.col(branches_.velocities()[m]) +=
        (below_[link] * motion.linear + motion.angular.cross(moment_[link])) / masses_.total;
  }
  return o + moment_.front() / masses_.total;
}

Inertia total_inertia(const Model& model, const State& state) {
  Inertia whole;
  for (int i = 0; i < model.link_count(); ++i) {
    const Link& link = model.source_link(i);
    if (link.mass > 0.0) whole += inertia_of(link).in(state.X_WL[at(i)]);
  }
  return whole;
}

}  // namespace armature::inline v0_2
