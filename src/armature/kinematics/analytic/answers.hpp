// Answers of any arm: plain storage that grows nowhere.
#pragma once

#include "armature/kinematics/analytic/arm.hpp"

namespace armature::inline v0_2::analytic {

inline constexpr int kMaxAnswers = 64;

struct ArmAnswers {
  int count = 0;
  double value[kMaxAnswers][kMaxArmJoints];  // radians in (-pi, pi], or units
  double residual[kMaxAnswers];              // units and radians
  bool complete = true;                      // every answer there is is here
  bool clear_margin = false;                 // and where there is none, that is so by more than rounding
  unsigned free_joints = 0;                  // bit i: joint i could have any value at some answer

  void clear() {
    count = 0;
    complete = true;
    clear_margin = false;
    free_joints = 0;
  }
};

/// Distance of the arm's tip from the goal: the larger of translation (units) and rotation (radians).
double pose_error(const Arm& arm, const Transform& goal, const double* values);
/// Gauss-Newton from `values`, which become the best seen; returns its error. Only the translation counts when
/// `position_only`.
double polish(const Arm& arm, const Transform& goal, double* values, int iterations, bool position_only = false);
/// Adds unless it is there already (nearer than `same`) or there is no room.
bool add_answer(const Arm& arm, const double* values, double residual, double same, ArmAnswers& out);

}  // namespace armature::inline v0_2::analytic
