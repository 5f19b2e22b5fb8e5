// All answers: the poses in which a UR5 holds its tool at one place, the nearest to where it is now first, and what a
// general arm of six joints can do.
#include <armature/solve/solutions.hpp>

#include "builtin.hpp"

using namespace armature;

int main() {
  const Model ur5 = load_builtin("ur5");
  PoseGoal goal;
  goal.link = ur5.link("tool0");
  goal.target = Transform::from(exp_rotation(Vec3(0, 3.0, 0)), Vec3(0.3, 0.2, 0.4));

  // Angles once, whatever the limits: shoulder, elbow and wrist can each bend two ways.
  SolutionsOptions options;
  options.start = value_of(ur5.find_pose("ready"));
  options.within_limits = false;
  const Solutions eight = value_of(solutions(ur5, goal, options));
  std::printf("%s\n", eight.message.c_str());
  for (int k = 0; k < eight.count(); ++k) {
    for (int i = 0; i < 6; ++i) std::printf("%8.3f", eight.q(i, k));
    std::printf("   residual %.0e\n", eight.residuals[k]);
  }

  // With the arm's own limits of two turns either way there are many more; the five nearest.
  options.within_limits = true;
  options.max_count = 5;
  const Solutions near = value_of(solutions(ur5, goal, options));
  std::printf("%s\n", near.message.c_str());

  // Out of reach: the list is empty, and complete.
  goal.target.position = Vec3(2, 0, 0);
  const Solutions none = value_of(solutions(ur5, goal, options));
  std::printf("%s\n", none.message.c_str());
  return eight.count() == 8 && eight.complete && near.count() == 5 && !near.complete && none.count() == 0 ? 0 : 1;
}
