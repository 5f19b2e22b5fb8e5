// Where the masses of a model are, all together, and how that point moves.
//
// With M_i and c_i mass and center of everything below motion i (one pass from the leaves), M the whole mass and o the
// point that motions are measured at:   J_i = (M_i / M) (linear_i + angular_i x (c_i - o)).
#pragma once

#include <vector>

#include "armature/kinematics/branches.hpp"
#include "armature/kinematics/mass_metric.hpp"
#include "armature/model/inertia.hpp"

namespace armature::inline v0_2 {

using CenterJacobian = Eigen::Matrix<double, 3, Eigen::Dynamic>;

class CenterOfMass {
 public:
  /// Allocates when the model is another one.
  void prepare(const Model& model);
  const LinkMasses& masses() const { return masses_; }

  /// At a state of the model with every link's frame.
  Vec3 compute(const State& state) const;
  /// Also its derivative by every velocity, 3 x v_size in world axes.
  Vec3 compute(const State& state, Eigen::Ref<CenterJacobian> J);

 private:
  Model model_;
  LinkMasses masses_;
  Branches branches_;
  std::vector<int> link_of_motion_;
  std::vector<double> below_;  // per link: mass of it and everything below
  std::vector<Vec3> moment_;   // and mass times place, seen from the motions' center
};

/// All links as one rigid body at the state, in world axes; only masses that the model has count.
Inertia total_inertia(const Model& model, const State& state);

}  // namespace armature::inline v0_2
