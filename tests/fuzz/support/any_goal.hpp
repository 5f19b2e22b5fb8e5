// Goals of every type, decided by bytes: mostly where the model can be (`there`), sometimes anywhere.
#pragma once

#include "armature/kinematics/pose.hpp"
#include "armature/kinematics/state.hpp"
#include "armature/solve/goal.hpp"
#include "support/choices.hpp"

namespace armature::fuzz {

/// The visitor of goal_types.hpp that fills a goal.
class GoalFiller {
 public:
  GoalFiller(Choices& choose, const Model& model, const State& there, const VecX& q)
      : choose_(choose), model_(model), there_(there), q_(q) {}

  void link(const char*, LinkRef& value, const char*) { value = link_ = any_link(); }
  void frame(const char*, LinkRef& value, const char*) { value = choose_.one_in(4) ? any_link() : kWorld; }
  void flag(const char*, bool& value, const char*) { value = choose_.one_in(8) ? !value : value; }
  void text(const char*, std::string& value, const char*) { value = choose_.one_in(8) ? "some goal" : ""; }
  void point(const char* name, Vec3& value, const char*) {
    const std::string_view field = name;
    const bool place = field == "target";
    if (place && choose_.below(4) > 0) {
      value = there_.X_WL[static_cast<std::size_t>(link_)].position;
    } else if (choose_.below(2) == 0) {
      value = model_.size() * 0.25 * choose_.plain_vector();
    } else if (choose_.one_in(16)) {
      value = Vec3(choose_.mixed(), choose_.mixed(), choose_.mixed());
    }
  }
  void direction(const char*, Vec3& value, const char*) {
    value = choose_.one_in(32) ? choose_.vector() : choose_.direction();
  }
  void rotation(const char*, Quat& value, const char*) {
    value = choose_.below(2) == 0 ? Quat(there_.X_WL[static_cast<std::size_t>(link_)].rotation)
                                  : Quat(exp_rotation(choose_.plain_vector()));
    if (choose_.one_in(32)) value.coeffs() *= choose_.number();
  }
  void place(const char*, Transform& value, const char*) {
    value = there_.X_WL[static_cast<std::size_t>(link_)];
    if (choose_.one_in(4)) value.rotation = exp_rotation(choose_.plain_vector());
    if (choose_.one_in(8)) value.position = model_.size() * choose_.plain_vector();
    if (choose_.one_in(32)) value.position.x() = choose_.number();
  }
  void axes(const char*, Axes& value, const char*) {
    const int mask = choose_.below(16);
    if (mask < 8) {
      for (int i = 0; i < 3; ++i) value.free[static_cast<std::size_t>(i)] = ((mask >> i) & 1) != 0;
    }
    if (choose_.one_in(4)) value.box = 0.1 * choose_.plain_vector().cwiseAbs();
    value.frame = choose_.below(2) == 1 ? AxesFrame::target : AxesFrame::base;
  }
  void number(const char* name, double& value, const char*) {
    if (std::string_view(name) == "distance") value = model_.size() * std::abs(choose_.plain());
    if (std::string_view(name) == "weight") value = choose_.one_in(4) ? std::abs(choose_.plain()) : 1.0;
    if (std::string_view(name).find("tolerance") != std::string_view::npos && choose_.one_in(4))
      value = 1e-3 * std::abs(choose_.plain());
    if (choose_.one_in(64)) value = choose_.number();
  }
  void whole(const char*, int& value, const char*) { value = choose_.one_in(4) ? choose_.below(3) : 0; }
  void pose(const char*, VecX& value, const char*) {
    value = q_;
    if (value.size() > 0 && choose_.one_in(4)) value[choose_.below(static_cast<int>(value.size()))] = choose_.mixed();
  }
  void contacts(const char*, std::vector<Contact>& value, const char*) {
    const int count = choose_.below(4);
    for (int k = 0; k < count; ++k) {
      Contact contact{any_link(), {}};
      const int points = choose_.one_in(16) ? 70 : choose_.below(4);
      for (int p = 0; p < points; ++p) {
        contact.points.push_back(choose_.one_in(16) ? choose_.vector() : Vec3(0.1 * choose_.plain_vector()));
      }
      value.push_back(std::move(contact));
    }
  }
  void gains(const char*, VecX& value, const char*) {
    if (choose_.below(2) == 0) return;
    value.resize(model_.v_size());
    for (double& gain : value) gain = std::abs(choose_.plain());
  }

 private:
  int any_link() { return choose_.below(2) == 0 ? model_.link_count() - 1 : choose_.below(model_.link_count()); }
  Choices& choose_;
  const Model& model_;
  const State& there_;
  const VecX& q_;
  int link_ = 0;
};

inline Goal any_goal(Choices& choose, const Model& model, const State& there, const VecX& q) {
  const std::vector<std::string> names = goal_names();
  // Half of all are positions and poses, which have the fast paths.
  const int which = choose.below(2 * static_cast<int>(names.size()));
  const bool other = which < static_cast<int>(names.size());
  Goal goal = *goal_from_name(other ? names[static_cast<std::size_t>(which)] : which % 2 == 0 ? "position" : "pose");
  GoalFiller filler(choose, model, there, q);
  describe_goal(goal, filler);
  return goal;
}

}  // namespace armature::fuzz
