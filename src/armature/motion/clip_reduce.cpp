// Fewer keys. Each joint keeps the frames that a polyline through them needs (Douglas and Peucker 1973) for an error
// that its lever turns into distance; then the whole figure is measured, and the share of the tolerance that each joint
// may use is the largest that keeps every link on its way.
#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/joint_fit.hpp"
#include "armature/motion/clip_parts.hpp"

namespace armature::inline v0_2::clips {
namespace {

double turn_angle(const Mat3& a, const Mat3& b) { return log_rotation(Mat3(a.transpose() * b)).norm(); }

class Reducer {
 public:
  Reducer(const Model& model, const Clip& clip) : model_(model), clip_(clip) {
    make_continuous();
    // How far below each joint the figure reaches: what an angle of it moves at most.
    const int n = model.link_count();
    bone_.resize(at(n));
    lever_.assign(at(n), 0.0);
    for (int i = 0; i < n; ++i) bone_[at(i)] = model.joint(i).origin.position.norm();
    for (int i = n - 1; i >= 0; --i) {
      if (model.is_leaf(i)) lever_[at(i)] = std::max(bone_[at(i)], 1e-3 * model.size());
      if (const int parent = model.parent(i); parent >= 0) {
        lever_[at(parent)] = std::max(lever_[at(parent)], lever_[at(i)] + bone_[at(i)]);
      }
    }
    State state;
    for (int f = 0; f < clip_.frame_count(); ++f) {
      forward(model, clip_.frame(f), state);
      frames_.push_back(state.X_WL);
    }
  }

  Reduced with(double budget) const {
    Reduced out{Keyframes(model_), clip_, 0, 0, 0.0};
    for (int i = 0; i < model_.link_count(); ++i) {
      const ModelJoint& joint = model_.joint(i);
      if (joint.mimic || joint.q_count == 0) continue;
      out.frame_keys += clip_.frame_count();
      int before = 0;
      for (const int f : kept_frames(i, budget)) {
        const double* q = clip_.frame(f) + joint.q_index;
        const Key key{f * clip_.frame_time, std::vector<double>(q, q + joint.q_count), Interpolation::linear};
        if (out.keys.set(joint.name, key).ok()) ++out.key_count;
        for (int k = before + 1; k < f; ++k) between(joint, before, f, k, true, out.clip.frame(k) + joint.q_index);
        before = f;
      }
    }
    VecX q;
    for (int f = 0; f < clip_.frame_count(); ++f) {
      out.keys.sample(f * clip_.frame_time, q);
      out.error = std::max(out.error, error_of(f, q.data()));
    }
    for (int f = 0; f < clip_.frame_count(); ++f) out.error = std::max(out.error, error_of(f, out.clip.frame(f)));
    return out;
  }

 private:
  double error_of(int f, const double* q) const {
    State state;
    forward(model_, q, state);
    double most = 0.0;
    for (int i = 0; i < model_.link_count(); ++i) {
      const Transform& before = frames_[at(f)][at(i)];
      const Transform& after = state.X_WL[at(i)];
      double error = (before.position - after.position).norm();
      if (model_.is_leaf(i)) error += bone_[at(i)] * turn_angle(before.rotation, after.rotation);
      most = std::max(most, error);
    }
    return most;
  }

  // Angles that wrap from one frame to the next would need a key at each: unwrapped first.
  void make_continuous() {
    for (int f = 1; f < clip_.frame_count(); ++f) {
      for (const ModelJoint& joint : model_.joints()) {
        if (joint.mimic || joint.q_count < 3) continue;
        double* q = clip_.frame(f) + joint.q_index;
        fit_coordinates(joint.type, joint_transform(joint.type, q), clip_.frame(f - 1) + joint.q_index, q);
      }
    }
  }

  // Coordinates a share of the way between the keys a and b: straight in the coordinates, as keys of a scene go, or
  // with Euler angles taken as the rotation they are, as the samplers of glTF go.
  void between(const ModelJoint& joint, int a, int b, int f, bool as_rotation, double* q) const {
    const double* from = clip_.frame(a) + joint.q_index;
    const double* to = clip_.frame(b) + joint.q_index;
    const double share = static_cast<double>(f - a) / (b - a);
    if (as_rotation && is_euler(joint)) {
      Transform there = joint_transform(joint.type, from);
      const Transform end = joint_transform(joint.type, to);
      there.position += share * (end.position - there.position);
      there.rotation = slerp(there.quaternion(), end.quaternion(), share).toRotationMatrix();
      fit_coordinates(joint.type, there, clip_.frame(f) + joint.q_index, q);
      return;
    }
    double v[kMaxJointVelocities];
    difference_coordinates(joint.type, from, to, v);
    for (int k = 0; k < joint.v_count; ++k) v[k] *= share;
    integrate_coordinates(joint.type, from, v, q);
  }
  static bool is_euler(const ModelJoint& joint) {
    return std::holds_alternative<Euler>(joint.type) || std::holds_alternative<FreeEuler>(joint.type);
  }

  // How far the joint's frame is from its way between the keys a and b, whichever way it takes.
  double off_the_line(int link, int a, int b, int f) const {
    const ModelJoint& joint = model_.joint(link);
    const Transform wanted = joint_transform(joint.type, clip_.frame(f) + joint.q_index);
    double most = 0.0;
    for (const bool as_rotation : {false, true}) {
      if (as_rotation && !is_euler(joint)) break;
      double q[kMaxJointCoordinates];
      between(joint, a, b, f, as_rotation, q);
      const Transform there = joint_transform(joint.type, q);
      most = std::max(most, (there.position - wanted.position).norm() +
                                lever_[at(link)] * turn_angle(there.rotation, wanted.rotation));
    }
    return most;
  }

  std::vector<int> kept_frames(int link, double budget) const {
    const int last = clip_.frame_count() - 1;
    std::vector<int> kept{0};
    if (last > 0) kept.push_back(last);
    std::vector<std::pair<int, int>> spans{{0, last}};
    while (!spans.empty()) {
      const auto [a, b] = spans.back();
      spans.pop_back();
      int worst = -1;
      double most = budget;
      for (int f = a + 1; f < b; ++f) {
        const double off = off_the_line(link, a, b, f);
        if (off > most) {
          most = off;
          worst = f;
        }
      }
      if (worst < 0) continue;
      kept.push_back(worst);
      spans.emplace_back(a, worst);
      spans.emplace_back(worst, b);
    }
    std::sort(kept.begin(), kept.end());
    return kept;
  }

  const Model& model_;
  Clip clip_;
  std::vector<double> bone_, lever_;
  std::vector<std::vector<Transform>> frames_;
};

}  // namespace

Result<Reduced> reduce(const Model& model, const Clip& clip, double tolerance) {
  if (const Status status = check_clip(model, clip); !status) return status.error();
  if (!(std::isfinite(tolerance) && tolerance > 0.0)) return Error{"The tolerance must be a length above 0."};
  const Reducer reducer(model, clip);
  double good = 0.0;
  double bad = 2.0 * tolerance;  // errors of joints may cancel, so that more than the whole can do
  Reduced best = reducer.with(0.0);
  for (int round = 0; round < 9; ++round) {
    const double budget = good > 0.0 ? std::sqrt(good * bad) : 0.5 * bad;
    Reduced tried = reducer.with(budget);
    if (tried.error <= tolerance) {
      good = budget;
      if (tried.key_count <= best.key_count) best = std::move(tried);
    } else {
      bad = budget;
    }
  }
  return best;
}

}  // namespace armature::inline v0_2::clips
