// Options of the follow method. Numbers that no user should have to turn are constants where they are used;
// docs/decisions/follow.md says how they were found.
#pragma once

#include <array>

#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

/// When a gesture that is caught on one branch may move over to another one.
enum class Recover { never, resting, always };

struct FollowOptions : SolveOptions {
  FollowOptions() { max_iterations = 400; }

  static constexpr std::array<const char*, 3> kRecover{"never", "resting", "always"};
  Choice recover_choice{kRecover, 1};  // no search inside a gesture
  double turn_rate = 12.0;             // most radians that a joint turns while the goals move by the model's size
  double settle = 0.01;                // radians a solve on top of that
  double rest = 0.05;                  // radians a solve while the goals rest
  double home = 1.0;                   // stiffness of the pull home
  double straight = 0.1;               // radians: how far inside its bounds a joint that begins at one is drawn
  double softness = 0.05;              // of a quarter of the model's size: error beyond which a goal pulls no harder
  bool bounded = true;                 // false: no speed box, a joint may turn as far as the goals ask

  Recover recover() const { return static_cast<Recover>(recover_choice.index); }

  template <class V>
  void describe(V& v) {
    SolveOptions::describe(v);
    v.field("recover", recover_choice,
            {"When a gesture caught on one branch may glide to another one that reaches the goal: never, once the "
             "goals rest, or always"});
    v.field("turn_rate", turn_rate,
            {"Most radians that a joint turns while the goals move by the model's size", 0.1, 1000, Scale::log});
    v.field("settle", settle, {"Radians a solve that a joint may turn on top of that", 0, 10});
    v.field("rest", rest, {"Radians a solve that a joint may turn while the goals rest", 0, 10});
    v.field("home", home, {"Stiffness of the pull back to the pose where the gesture began", 0, 1000, Scale::log});
    v.field("straight", straight,
            {"Radians inside its bounds that a joint which begins at one is drawn: straight knees can bend", 0, 1});
    v.field("softness", softness,
            {"Error, in quarters of the model's size, beyond which a goal of the last priority pulls no harder", 1e-6,
             10, Scale::log});
    v.field("bounded", bounded, {"Keep to the speed of the goals; false: a joint may turn as far as they ask"});
  }
};

}  // namespace armature::inline v0_2
