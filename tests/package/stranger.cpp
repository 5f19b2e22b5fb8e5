// A stranger's program, built with the stranger's own flags: everything by the public headers, vectors and structs
// handed to the library and back. The library was built without these flags.
#include <armature/armature.hpp>
#include <cstddef>
#include <iostream>

using namespace armature;

// Whatever instructions this file is compiled for, nothing asks for more than malloc gives.
static_assert(alignof(VecX) <= alignof(std::max_align_t) && alignof(Quat) <= alignof(std::max_align_t));
static_assert(alignof(Vec2) == alignof(double) && alignof(Vec4) == alignof(double) && alignof(Vec6) == alignof(double));
static_assert(alignof(Mat3) == alignof(double) && alignof(Mat4) == alignof(double) &&
              sizeof(Quat) == 4 * sizeof(double));
static_assert(alignof(Transform) == alignof(double) && sizeof(Transform) == 12 * sizeof(double));
static_assert(alignof(GoalRows) == alignof(double) && alignof(FrameTarget) == alignof(double));
static_assert(alignof(Problem) <= alignof(std::max_align_t) && alignof(Report) <= alignof(std::max_align_t));
static_assert(alignof(State) <= alignof(std::max_align_t) && alignof(Follower) <= alignof(std::max_align_t));
static_assert(alignof(Solver) == alignof(void*) && alignof(Clip) <= alignof(std::max_align_t));
static_assert(ARMATURE_VERSION_MAJOR == 0 && ARMATURE_VERSION_MINOR == 2);

int main() {
  const Model panda = load_model("panda").value();
  bool good = !version().empty() && builtin_models().size() > 5;

  // Vectors of the library end here, vectors of this file go in, of either alignment.
  Rng rng(7);
  for (int n = 0; n < 200; ++n) {
    const VecX q = random_pose(panda, rng);
    const Eigen::VectorXd own = q;
    State state;
    forward(panda, own, state);
    const Transform X = state.transform("panda_tcp");
    const Eigen::Quaterniond turned = X.quaternion();
    const PoseGoal goal{.link = "panda_tcp", .target = Transform::from(turned, X.position)};
    std::vector<Goal> goals(3, PositionGoal{.link = "panda_tcp", .target = X.position});
    goals.emplace_back(goal);
    Problem problem{.model = panda, .goals = goals, .start = Eigen::VectorXd::Constant(panda.q_size(), 0.02)};
    const Report report = solve(problem);
    good = good && report.ok() && report.q.size() == panda.q_size();
    const Jacobian J = jacobian(panda, report.q, "panda_tcp");
    const Eigen::MatrixXd copy = J;
    good = good && measures(copy).condition == measures(J).condition;
    const Eigen::VectorXd back = interpolate(panda, own, report.q, 1.0);
    good = good && (back - report.q).norm() < 1e-9;
    Solver solver{DlsOptions{.damping = 0.05}};
    good = good && solver.solve(problem, own).q.allFinite();
    good = good && solver.solve(problem, Eigen::VectorXd(own.reverse())).q.allFinite();
  }
  const Solutions all =
      solutions(load_model("ur5").value(), PoseGoal{.target = {{0.3, 0.2, 0.4}, rpy(0, 3, 0)}}).value();
  for (int k = 0; k < all.count(); ++k) good = good && all.q.col(k).allFinite();
  try {
    load_model("pandaa").value();
    good = false;
  } catch (const ArmatureError& error) {
    good = good && std::string(error.what()).find("panda") != std::string::npos;
  }
  std::cout << "armature " << version() << ": " << (good ? "good" : "bad") << '\n';
  return good ? 0 : 1;
}
