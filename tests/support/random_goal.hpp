// Any goal with random sound fields: for laws that run over the list of goal types.
#pragma once

#include <algorithm>

#include "armature/base/rng.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/goal.hpp"

namespace armature::test {

/// A visitor for describe(): fills every field with a random sound value. `size`: what points are scaled by.
struct Randomizer {
  const Model& model;
  Rng& rng;
  double size = 1.0;
  Vec3 vector() { return {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}; }
  void link(const char*, LinkRef& v, const char*) { v = static_cast<int>(rng.below(model.link_count())); }
  void frame(const char*, LinkRef& v, const char*) {
    v = std::max(kWorld, static_cast<int>(rng.below(model.link_count() + 3)) - 3);
  }
  void flag(const char*, bool&, const char*) {}  // whether it is required is the law's to say
  void text(const char*, std::string&, const char*) {}
  void point(const char*, Vec3& v, const char*) { v = size * vector(); }
  void direction(const char*, Vec3& v, const char*) { v = 3.0 * vector(); }
  void rotation(const char*, Quat& v, const char*) { v = exp_rotation(2.5 * vector()); }
  void place(const char*, Transform& v, const char*) {
    v = Transform::from(exp_rotation(2.5 * vector()), size * vector());
  }
  void number(const char* name, double& v, const char*) {
    v = rng.uniform(0.0, std::string_view(name) == "margin" ? 0.02 : 1.0);  // larger ones leave no polygon
  }
  void whole(const char*, int& v, const char*) { v = static_cast<int>(rng.below(3)); }
  void axes(const char*, Axes& v, const char*) {
    for (bool& free : v.free) free = rng.below(3) == 0;
    if (rng.below(2) == 0) v.box = 0.3 * (vector() + Vec3::Ones());
    v.frame = rng.below(2) == 0 ? AxesFrame::target : AxesFrame::base;
  }
  void pose(const char*, VecX& v, const char*) { v = random_pose(model, rng); }
  void contacts(const char*, std::vector<Contact>& v, const char*) {
    for (int k = 0; k < 3; ++k) {
      v.push_back({static_cast<int>(rng.below(model.link_count())), {size * vector(), size * vector()}});
    }
  }
  void gains(const char*, VecX& v, const char*) {
    v = rng.below(2) == 0 ? VecX() : VecX(VecX::Random(model.v_size()).cwiseAbs());
  }
};

inline Goal random_goal(std::size_t type, const Model& model, Rng& rng, double size = 1.0) {
  Goal goal = goal_from_name(goal_names()[type]).value();
  Randomizer fill{model, rng, size};
  describe_goal(goal, fill);
  return goal;
}

}  // namespace armature::test
