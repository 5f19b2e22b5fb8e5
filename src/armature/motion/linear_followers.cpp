#include "armature/motion/linear_followers.hpp"

#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/motion/driver.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kValues = 16;      // each way
constexpr double kPitch = 0.07;  // radians, or parts of the model's size, from value to value
constexpr int kFewest = 6;       // values in all that say anything
constexpr double kSame = 1e-9;

}  // namespace

std::vector<LinearFollower> linear_followers(const Model& model) {
  std::vector<LinearFollower> found;
  const MechanismReport mechanism = analyze_mechanism(model);
  if (!mechanism.driven_well() || mechanism.singular) return found;
  const Result<std::vector<char>> driven = held_velocities(model, mechanism.drives);
  if (!driven) return found;
  Driver driver;
  driver.prepare(model, *driven);
  std::vector<int> moved_by(at(model.link_count()), 0);  // per joint: how many drives move it
  for (const std::string& name : mechanism.drives) {
    const ModelJoint& drive = model.joint(*model.lookup_joint(name));
    if (drive.q_count != 1) continue;
    const double unit = model.coordinate_kinds()[at(drive.q_index)] == Coordinate::length ? model.size() : 1.0;
    std::vector<VecX> poses{mechanism.q};
    for (const double way : {1.0, -1.0}) {
      VecX q = mechanism.q;
      VecX change = VecX::Zero(model.v_size());
      change[drive.v_index] = way * kPitch * unit;
      driver.restart();
      for (int i = 0; i < kValues && driver.advance(q, change) == DriveOutcome::reached; ++i) poses.push_back(q);
    }
    if (static_cast<int>(poses.size()) < kFewest) continue;
    for (int link = 0; link < model.link_count(); ++link) {
      const ModelJoint& joint = model.joint(link);
      if (joint.mimic || joint.q_count != 1 || (*driven)[at(joint.v_index)] != 0) continue;
      const int j = joint.q_index;
      const int u = drive.q_index;
      const double scale = model.coordinate_kinds()[at(j)] == Coordinate::length ? model.size() : 1.0;
      const double multiplier = (poses.back()[j] - poses[0][j]) / (poses.back()[u] - poses[0][u]);
      const double offset = poses[0][j] - multiplier * poses[0][u];
      bool moves = false, straight = true;
      for (const VecX& pose : poses) {
        moves = moves || std::abs(pose[j] - poses[0][j]) > kSame * scale;
        straight = straight && std::abs(multiplier * pose[u] + offset - pose[j]) < kSame * scale;
      }
      if (!moves) continue;
      if (++moved_by[at(link)] > 1 || !straight) moved_by[at(link)] = 2;
      if (moved_by[at(link)] == 1) found.push_back({joint.name, name, multiplier, offset});
    }
  }
  std::erase_if(found, [&](const LinearFollower& f) { return moved_by[at(*model.lookup_joint(f.joint))] > 1; });
  return found;
}

}  // namespace armature::inline v0_2
