// Goals of the center of mass: every link counts, so that they look at the whole pose, with a forward pass of their
// own.
#pragma once

#include <vector>

#include "armature/geom/support_polygon.hpp"
#include "armature/kinematics/center_of_mass.hpp"
#include "armature/solve/goal.hpp"

namespace armature::inline v0_2 {

/// A center_of_mass or balance goal at a model. For one thread at a time: it keeps what it computes with.
class MassGoal final : public GoalFunction {
 public:
  static bool takes(const Goal& goal) {
    return std::holds_alternative<CenterOfMassGoal>(goal) || std::holds_alternative<BalanceGoal>(goal);
  }
  /// Allocates when the model, or the contacts, are others than before. The goal must outlive its use.
  Status bind(const Goal& goal, const Model& model, const GoalLinks& links);

  int row_count() const override { return armature::row_count(*goal_, model_); }
  void linearize(const State& state, GoalRows& rows) const override;
  bool of_whole_pose() const override { return true; }
  void slopes(const State& state, MatX& J) const override;

  const CenterOfMass& center_of_mass() const { return center_; }

 private:
  struct Place {
    int link;
    Vec3 point;
  };
  SupportPolygon::Way way_into_support(const Vec3& center) const;

  const Goal* goal_ = nullptr;
  Model model_;
  GoalLinks links_;
  std::vector<Contact> contacts_;  // as the goal named them
  std::vector<Place> places_;
  Vec3 across_[2];  // of a balance goal: the ground's axes
  // What linearize() and slopes() compute with.
  mutable CenterOfMass center_;
  mutable State state_;
  mutable CenterJacobian center_slope_;
  mutable Jacobian link_slope_;
  mutable std::vector<SupportPolygon::Point> flat_;
  mutable SupportPolygon polygon_;
};

/// Contact points of links that name none, and the feet of goals that name no contact; an error says what to name.
Result<std::vector<Contact>> resolve_contacts(const BalanceGoal& goal, const Model& model);

}  // namespace armature::inline v0_2
