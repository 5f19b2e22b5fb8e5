// One law over everything: after every solve, of every method, single and in a batch, forward kinematics of the
// returned pose gives the claimed errors goal by goal, the pose is finite and inside limits, converged means within
// tolerance, and the same question gives the same bits twice. Over huge starts, masks, boxes, units and every joint
// type.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/methods.hpp"
#include "armature/solve/batch.hpp"
#include "support/arms.hpp"
#include "support/random_goal.hpp"
#include "support/zoo.hpp"

using namespace armature;
using namespace armature::test;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Turns without limits, with one limit, and with limits so wide that doubles cannot resolve an angle near their ends.
Linkage wide_limits(double upper) {
  Linkage linkage = planar_arm({1.0, 0.8, 0.5});
  linkage.joints[0].limits = {{0.0}, {upper}, {}, {}};
  linkage.joints[1].limits = {{-upper}, {kInf}, {}, {}};
  return linkage;
}

/// A wrist with slides before it: mixed joints on one chain.
Linkage slides_and_turns() {
  Linkage l;
  l.name = "slides";
  l.links.push_back({"base", {}});
  add(l, make_joint("x", Prismatic{Vec3::UnitX()}, "base", "cart", Vec3::Zero()));
  Joint lift = make_joint("z", Prismatic{Vec3::UnitZ()}, "cart", "lift", Vec3(0, 0.1, 0.2));
  lift.limits = {{0.0}, {0.7}, {}, {}};
  add(l, lift);
  add(l, make_joint("yaw", Continuous{{Vec3::UnitZ()}}, "lift", "yaw", Vec3(0.2, 0, 0)));
  Joint pitch = make_joint("pitch", Revolute{Vec3::UnitY()}, "yaw", "pitch", Vec3(0.3, 0, 0));
  pitch.limits = {{-1.2}, {2.0}, {}, {}};
  add(l, pitch);
  add(l, make_joint("roll", Revolute{Vec3::UnitX()}, "pitch", "tool", Vec3(0.2, 0, 0.05)));
  return l;
}

const std::vector<Model>& models() {
  static const std::vector<Model> all = [] {
    std::vector<Model> list;
    for (const Linkage& linkage :
         {zoo_linkage(), everything_tree(), seven_linkage(), seven_linkage(1.0, false), arm_linkage(5),
          planar_arm({15.0, 10.0, 5.0}), planar_arm({1.0, 1.0}), wide_limits(1e16), wide_limits(1e5),
          slides_and_turns(), scaled(seven_linkage(), 1e-6), scaled(slides_and_turns(), 1e6),
          scaled(zoo_linkage(), 1e4), ball_chain(3, 0.3)}) {
      list.push_back(compiled(linkage));
    }
    return list;
  }();
  return all;
}

/// A pose whose coordinates are mostly reasonable, and sometimes far beyond.
VecX wild_pose(const Model& model, Rng& rng) {
  static constexpr double kScales[] = {1e2, 1e4, 1e6, 1e9, 1e12, 1e16, 1e19, 1e100, 1.6e153, 1e300};
  VecX q = random_pose(model, rng);
  if (rng.below(2) == 0) return q;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    if (rng.below(3) == 0) q[i] *= kScales[rng.below(std::size(kScales))] * rng.uniform(-1.0, 1.0);
  }
  if (rng.below(20) == 0) q[static_cast<Eigen::Index>(rng.below(static_cast<std::size_t>(q.size())))] = kInf;
  return q;
}

struct Measured {
  double lengths = 0.0;
  double angles = 0.0;
};

Measured measure(const Goal& goal, const Model& model, const State& state) {
  VecX e(row_count(goal, model));
  Jacobian scratch(6, model.v_size());
  evaluate(goal, model, state, e.data(), nullptr, 0, scratch);
  Measured m;
  for (int r = 0; r < e.size(); ++r) (is_angle_row(goal, model, r) ? m.angles : m.lengths) += e[r] * e[r];
  m.lengths = std::sqrt(m.lengths);
  m.angles = std::sqrt(m.angles);
  return m;
}

/// A sound problem of one to three goals, more often reachable than not.
Problem wild_problem(const Model& model, Rng& rng) {
  Problem problem;
  problem.model = model;
  const std::size_t types = goal_names().size();
  const int count = rng.below(2) == 0 ? 1 : 1 + static_cast<int>(rng.below(3));
  State state;
  forward(model, random_pose(model, rng), state);
  for (int g = 0; g < count; ++g) {
    const std::size_t type = rng.below(2) == 0 ? rng.below(3) : rng.below(types);
    Goal goal = random_goal(type, model, rng, model.size());
    goal_fields(goal).weight = rng.below(8) == 0 ? 0.0 : rng.uniform(0.1, 3.0);
    goal_fields(goal).tolerance = rng.below(2) == 0 ? 0.0 : rng.uniform(1e-9, 1e-3) * model.size();
    goal_fields(goal).priority = rng.below(3) == 0 ? static_cast<int>(rng.below(2)) : 0;
    if (rng.below(3) != 0) {  // where that pose has it
      const auto place = [&](const LinkRef& link, const LinkRef& base, const Vec3& point) {
        return state.transform(link, base) * Transform::translate(point);
      };
      if (auto* position = std::get_if<PositionGoal>(&goal)) {
        position->target = place(position->link, position->base, position->point).position;
      } else if (auto* orientation = std::get_if<OrientationGoal>(&goal)) {
        orientation->target = place(orientation->link, orientation->base, Vec3::Zero()).quaternion();
      } else if (auto* pose = std::get_if<PoseGoal>(&goal)) {
        pose->target = place(pose->link, pose->base, pose->point);
      }
    }
    problem.goals.push_back(goal);
  }
  if (rng.below(4) == 0) {
    for (int v = 0; v < model.v_size(); ++v) {
      if (rng.below(4) == 0) problem.locked.emplace_back(model.velocity_joint(v));
    }
  }
  if (rng.below(8) == 0) {  // as far as a problem may go
    for (int v = 0; v < model.v_size(); ++v) {
      const double weight = rng.below(8) == 0 ? 0.0 : std::pow(10.0, rng.uniform(-9.0, 9.0));
      problem.joint_weights.emplace_back(model.velocity_joint(v), weight);
    }
  }
  return problem;
}

void check_claims(const Problem& problem, const SolveOptions& options, const Report& report, const VecX& q) {
  const Model& model = problem.model;
  CAPTURE(report.message());
  const bool finite = q.allFinite();
  CHECK(finite);
  if (!finite) return;
  CHECK(inside_limits(model, q));
  if (report.outcome == Outcome::refused) return;
  REQUIRE(report.goals.size() == problem.goals.size());
  State state;
  forward(model, q, state);
  double farthest = 0.0;
  for (const Transform& X : state.X_WL) farthest = std::max(farthest, X.position.norm());
  double largest = 0.0, largest_turn = 0.0;
  for (std::size_t g = 0; g < problem.goals.size(); ++g) {
    const Goal& goal = problem.goals[g];
    if (goal_fields(goal).weight <= 0.0) continue;
    CAPTURE(goal_name(goal));
    const Measured truth = measure(goal, model, state);
    const GoalResidual& claim = report.goals[g];
    CAPTURE(truth.lengths);
    CAPTURE(truth.angles);
    CAPTURE(claim.position_error);
    CAPTURE(claim.orientation_error);
    const double slack = 1e-11 * (model.size() + farthest + truth.lengths);
    CHECK(std::abs(claim.position_error - truth.lengths) <= slack);
    CHECK(std::abs(claim.orientation_error - truth.angles) <= 1e-9 * (1.0 + truth.angles));
    if (is_preference(goal)) continue;
    largest = std::max(largest, truth.lengths);
    largest_turn = std::max(largest_turn, truth.angles);
    const double own = goal_fields(goal).tolerance;
    const bool angular = is_angle_row(goal, model, 0) && !std::holds_alternative<PoseGoal>(goal);
    const double length_tolerance = own > 0.0 && !angular     ? own
                                    : options.tolerance > 0.0 ? options.tolerance
                                                              : 1e-6 * model.size();
    double angle_tolerance =
        own > 0.0 && (angular || std::holds_alternative<PostureGoal>(goal)) ? own : options.orientation_tolerance;
    if (const auto* pose = std::get_if<PoseGoal>(&goal); pose != nullptr && pose->orientation_tolerance > 0.0) {
      angle_tolerance = pose->orientation_tolerance;
    }
    const bool within = truth.lengths <= length_tolerance + slack && truth.angles <= angle_tolerance + 1e-9;
    if (claim.reached) CHECK(within);
    if (report.ok()) CHECK(within);
    if (report.ok()) CHECK(claim.reached);
  }
  CHECK(std::abs(report.position_error - largest) <= 1e-11 * (model.size() + farthest + largest));
  CHECK(std::abs(report.orientation_error - largest_turn) <= 1e-9 * (1.0 + largest_turn));
}

int full_or(int few, int many) { return std::getenv("ARMATURE_FULL") != nullptr ? many : few; }

}  // namespace

TEST_CASE("law: what a report claims is true of the pose it comes with") {
  const int rounds = full_or(30, 3000);
  for (const BuiltinMethod& entry : builtin_methods()) {
    const std::string method = entry.info.name;
    CAPTURE(method);
    Solver solver(entry.make());
    Solver twin(entry.make());
    solver->common_options().max_iterations = twin->common_options().max_iterations = 60;
    int answered = 0;
    for (std::size_t m = 0; m < models().size(); ++m) {
      const Model& model = models()[m];
      CAPTURE(model.name());
      CAPTURE(m);
      Rng rng(1000 + m);
      for (int n = 0; n < rounds; ++n) {
        CAPTURE(n);
        const Problem problem = wild_problem(model, rng);
        const VecX start = wild_pose(model, rng);
        VecX q = start;
        const Report report = solver->solve(problem, q);
        q = report.q;
        check_claims(problem, solver->common_options(), report, q);
        answered += report.outcome != Outcome::refused ? 1 : 0;
        VecX again = start;
        const Report second = twin->solve(problem, again);
        again = second.q;
        CHECK(again == q);
        CHECK(second.outcome == report.outcome);
        CHECK(second.iterations == report.iterations);
      }
    }
    CHECK(answered > 3);  // two_link takes few of these
  }
}

TEST_CASE("law: what a batch claims is true, and no answer depends on its neighbours") {
  const int rounds = full_or(20, 400);
  for (const char* method : {"auto", "reach"}) {
    CAPTURE(method);
    for (std::size_t m = 0; m < models().size(); ++m) {
      const Model& model = models()[m];
      CAPTURE(model.name());
      Rng rng(77 + m);
      const int link = model.link_count() - 1;
      std::vector<Goal> goals;
      MatX poses(model.q_size(), rounds);
      for (int n = 0; n < rounds; ++n) {
        State state;
        forward(model, random_pose(model, rng), state);
        PoseGoal goal;
        goal.link = link;
        goal.target = state.X_WL[static_cast<std::size_t>(link)];
        if (n % 7 == 0) goal.target.position *= 1.7;
        if (n == 0 || n % 11 == 10) goal.target.rotation.setZero();  // refused
        if (n % 13 == 5) goal.target.position[0] = kInf;             // refused
        goals.emplace_back(goal);
        poses.col(n) = wild_pose(model, rng);
      }
      const MatX starts = poses;
      Problem problem;
      problem.model = model;
      Solver solver = make_solver(method).value();
      Batch batch;
      std::vector<Report> reports;
      batch.solve(*solver, problem, goals, poses, reports);
      for (int n = 0; n < rounds; ++n) {
        CAPTURE(n);
        problem.goals = {goals[static_cast<std::size_t>(n)]};
        const VecX q = poses.col(n);
        check_claims(problem, solver->common_options(), reports[static_cast<std::size_t>(n)], q);
        // The same goal with none or other neighbours.
        std::vector<Goal> alone{goals[static_cast<std::size_t>(n)]};
        MatX one = starts.col(n);
        std::vector<Report> report;
        batch.solve(*solver, problem, alone, one, report);
        CHECK(one == poses.col(n));
        CHECK(report[0].outcome == reports[static_cast<std::size_t>(n)].outcome);
      }
    }
  }
}

TEST_CASE("claims: weights of joints beyond what can be computed with are refused") {
  const Model model = compiled(planar_arm({15.0, 10.0, 5.0}));
  Problem problem;
  problem.model = model;
  PositionGoal goal;
  goal.link = model.link_count() - 1;
  goal.target = Vec3(-20.0, 5.0, 0.0);
  problem.goals = {goal};
  for (const BuiltinMethod& entry : builtin_methods()) {
    for (const double weight : {1e9, 1.1e9, 1e150, 1e308}) {
      CAPTURE(entry.info.name);
      CAPTURE(weight);
      problem.joint_weights = {{model.velocity_joint(0), weight}};
      const Report report = entry.make()->solve(problem, middle_pose(model));
      CHECK(report.q.allFinite());
      if (weight > 1e9) CHECK(report.outcome == Outcome::refused);
    }
  }
}
