// Laws of every goal type, run over the Goal list: rows and Jacobian agree with finite differences on a model with
// every joint type, nothing is ever NaN, and check_goal catches what describe() lists.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/goal.hpp"
#include "support/random_goal.hpp"
#include "support/zoo.hpp"

using namespace armature;
using namespace armature::test;

namespace {

// Largest difference between J and central differences of the error, relative to J's size; each finite.
double slope_error(const Goal& goal, const Model& model, const VecX& q, double h = 1e-6) {
  const int rows = row_count(goal, model);
  MatX J = MatX::Constant(rows + 2, model.v_size(), 7.0);
  Jacobian scratch(6, model.v_size());
  State state;
  VecX e(rows), plus(rows), minus(rows);
  forward(model, q, state);
  evaluate(goal, model, state, e.data(), &J, 1, scratch);
  CHECK(e.allFinite());
  CHECK(J.allFinite());
  CHECK((J.row(0).array() == 7.0).all());  // rows of other goals are left alone
  CHECK((J.row(rows + 1).array() == 7.0).all());
  double worst = 0.0;
  for (int v = 0; v < model.v_size(); ++v) {
    VecX step = VecX::Zero(model.v_size());
    step[v] = h;
    forward(model, integrate(model, q, step), state);
    evaluate(goal, model, state, plus.data(), nullptr, 0, scratch);
    forward(model, integrate(model, q, -step), state);
    evaluate(goal, model, state, minus.data(), nullptr, 0, scratch);
    for (int r = 0; r < rows; ++r) {
      const double slope = (minus[r] - plus[r]) / (2.0 * h);
      worst = std::max(worst, std::abs(slope - J(1 + r, v)) / (1.0 + J.row(1 + r).cwiseAbs().maxCoeff()));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("law: every goal's Jacobian is the derivative of its error, on every joint type") {
  const Model model = must_compile(zoo_linkage());
  Rng rng(11);
  const std::vector<std::string> names = goal_names();
  for (std::size_t type = 0; type < names.size(); ++type) {
    CAPTURE(names[type]);
    int wrong = 0;
    double worst = 0.0;
    for (int trial = 0; trial < 40; ++trial) {
      const Goal goal = random_goal(type, model, rng);
      CHECK(check_goal(goal, model).ok());
      const double error = slope_error(goal, model, random_pose(model, rng));
      worst = std::max(worst, error);
      wrong += error > 2e-6;
    }
    CAPTURE(worst);
    CHECK(wrong == 0);
  }
}

TEST_CASE("law: slopes of rotations hold at the target, close to it and close to half a turn") {
  const Model model = must_compile(zoo_linkage());
  Rng rng(12);
  for (const double angle : {0.0, 1e-9, 1e-4, 0.02, 1.0, 3.0, 3.1, 3.14, kPi - 1e-4}) {
    CAPTURE(angle);
    for (int trial = 0; trial < 8; ++trial) {
      const VecX q = random_pose(model, rng);
      State state;
      forward(model, q, state);
      OrientationGoal goal;
      goal.link = model.link("hand");
      goal.base = trial % 2 == 0 ? kWorld : model.link("hand2");
      const Vec3 axis = Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)).normalized();
      goal.target = state.transform(goal.link, goal.base).quaternion() * exp_rotation(angle * axis);
      const double h = angle > 3.0 ? 1e-7 : 1e-6;
      CHECK(slope_error(goal, model, q, h) < (angle > 3.141 ? 1e-3 : 1e-5));
      goal.axes.free[static_cast<std::size_t>(trial % 3)] = true;
      goal.axes.frame = trial % 4 < 2 ? AxesFrame::target : AxesFrame::base;
      CHECK(slope_error(goal, model, q, h) < 1e-4);
    }
  }
}

TEST_CASE("law: degenerate configurations give finite rows") {
  const Model model = must_compile(arm_linkage(3));
  const VecX straight = VecX::Zero(3);
  State state;
  forward(model, straight, state);
  std::vector<Goal> goals;
  PoleGoal pole;
  pole.upper = model.link("link1");
  pole.middle = model.link("link3");
  pole.link = model.link("hand");
  pole.target = Vec3(1, 0, 0);
  goals.emplace_back(pole);  // straight limb
  pole.target = Vec3(0, 0, 5);
  goals.emplace_back(pole);  // and pole on its line
  pole.link = pole.upper;
  goals.emplace_back(pole);  // no limb at all
  AimGoal aim;
  aim.link = model.link("hand");
  aim.direction = Vec3::UnitZ();
  aim.target = Vec3(0, 0, 1);
  goals.emplace_back(aim);  // target at the eye
  aim.target = Vec3(0, 0, -3);
  goals.emplace_back(aim);  // straight behind
  DistanceGoal distance;
  distance.link = distance.base = model.link("hand");
  distance.distance = 0.1;
  goals.emplace_back(distance);  // a point and itself
  OrientationGoal turn;
  turn.link = model.link("hand");
  turn.target = Quat(0, 1, 0, 0);
  goals.emplace_back(turn);  // exactly half a turn
  turn.axes.free[2] = true;
  goals.emplace_back(turn);  // the same with its axis reversed
  Jacobian scratch(6, model.v_size());
  for (const Goal& goal : goals) {
    CAPTURE(goal_name(goal));
    double error[kMaxGoalRows];
    MatX J(6, model.v_size());
    J.setZero();
    evaluate(goal, model, state, error, &J, 0, scratch);
    for (int r = 0; r < row_count(goal, model); ++r) CHECK(std::isfinite(error[r]));
    CHECK(J.allFinite());
    if (std::holds_alternative<OrientationGoal>(goal)) {
      CHECK(Eigen::Map<VecX>(error, row_count(goal, model)).norm() == doctest::Approx(kPi));
    }
  }
}

TEST_CASE("law: a pole's slope holds close to a straight limb, and its error fades there") {
  const Model model = must_compile(arm_linkage(7));
  PoleGoal pole;
  pole.upper = model.link("link1");
  pole.middle = model.link("link4");
  pole.link = model.link("link7");
  pole.target = Vec3(1, 0.3, 0.2);
  for (const double bend : {1e-3, 1e-2, 0.3}) {
    VecX q = VecX::Zero(7);
    q << 0.3, bend, 0.0, 0.1, -2 * bend, 0.3 * bend, 0.5;
    CHECK(slope_error(pole, model, q, 1e-3 * bend * 1e-2) < 1e-3);
    State state;
    forward(model, q, state);
    double error = 0.0;
    Jacobian scratch(6, model.v_size());
    evaluate(pole, model, state, &error, nullptr, 0, scratch);
    CHECK(std::abs(error) < 4.0 * bend);
  }
}

TEST_CASE("law: check_goal names the field of every goal that is not sound") {
  const Model model = must_compile(zoo_linkage());
  Rng rng(13);
  // Spoils the n-th field and remembers its name.
  struct Spoiler {
    int countdown;
    std::string name;
    bool hit(const char* field) {
      if (countdown-- != 0) return false;
      name = field;
      return true;
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    void link(const char* n, LinkRef& v, const char*) {
      if (hit(n)) v = 1000;
    }
    void frame(const char* n, LinkRef& v, const char*) {
      if (hit(n)) v = "nobody";
    }
    void point(const char* n, Vec3& v, const char*) {
      if (hit(n)) v.y() = nan;
    }
    void direction(const char* n, Vec3& v, const char*) {
      if (hit(n)) v.setZero();
    }
    void rotation(const char* n, Quat& v, const char*) {
      if (hit(n)) v.coeffs().setZero();
    }
    void place(const char* n, Transform& v, const char*) {
      if (hit(n)) v.rotation *= 1.1;
    }
    void number(const char* n, double& v, const char*) {
      if (hit(n)) v = -1.0;
    }
    void whole(const char* n, int& v, const char*) {
      if (hit(n)) v = -1;
    }
    void axes(const char* n, Axes& v, const char*) {
      if (hit(n)) v.box.z() = nan;
    }
    void flag(const char*, bool&, const char*) {}
    void text(const char*, std::string&, const char*) {}
    void pose(const char* n, VecX& v, const char*) {
      if (hit(n)) v = VecX::Zero(3);
    }
    void contacts(const char* n, std::vector<Contact>& v, const char*) {
      if (hit(n)) v.front().link = "nobody";
    }
    void gains(const char* n, VecX& v, const char*) {
      if (hit(n)) v = VecX::Constant(29, -1.0);
    }
  };
  for (std::size_t type = 0; type < goal_names().size(); ++type) {
    for (int field = 0;; ++field) {
      Goal goal = random_goal(type, model, rng);
      Spoiler spoiler{field, ""};
      describe_goal(goal, spoiler);
      if (spoiler.name.empty()) break;
      const Status status = check_goal(goal, model);
      CHECK(!status.ok());
      CHECK(status.message().find("'" + spoiler.name + "'") != std::string::npos);
    }
  }
}

TEST_CASE("a tolerance box counts only what lies outside it, a free axis has no row") {
  const Model model = must_compile(arm_linkage(3));
  State state;
  forward(model, VecX(VecX::Zero(3)), state);  // hand at (0, 0, 1)
  PositionGoal goal;
  goal.link = model.link("hand");
  goal.target = Vec3(0.05, 0.2, 3.0);
  goal.axes.box = Vec3(0.1, 0.1, 0.0);
  goal.axes.free = {false, false, true};
  REQUIRE(row_count(goal, model) == 2);
  double error[2];
  MatX J(2, 3);
  Jacobian scratch(6, 3);
  evaluate(goal, model, state, error, &J, 0, scratch);
  CHECK(error[0] == 0.0);
  CHECK(J.row(0).isZero(0.0));
  CHECK(error[1] == doctest::Approx(0.1));
  CHECK(!J.row(1).isZero(0.0));
}
