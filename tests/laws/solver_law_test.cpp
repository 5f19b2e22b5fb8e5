// Laws of every solver in the registry, on every model that it accepts. A new method is held to them by being listed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/registry.hpp"
#include "support/allocation_counter.hpp"
#include "support/arms.hpp"
#include "support/solve_in_place.hpp"

using namespace armature;

namespace {

/// Ball joints with cones, as a spine has.
Linkage cone_chain() {
  Linkage linkage = test::ball_chain(6, 0.2);
  linkage.name = "cones";
  for (Joint& joint : linkage.joints) {
    if (std::holds_alternative<Spherical>(joint.type)) joint.limits.cone = ConeLimit{Vec3::UnitX(), 0.6, -0.4, 0.5};
  }
  return linkage;
}

/// A finger: the outer joints follow the inner one.
Linkage finger() {
  Linkage linkage = test::planar_arm({0.05, 0.03, 0.02});
  linkage.name = "finger";
  linkage.joints[0].limits = {{-0.3}, {1.5}, {}, {}};
  linkage.joints[1].limits = {{0.0}, {1.8}, {}, {}};
  linkage.joints[2].mimic = Mimic{"joint2", 0.67, 0.0};
  return linkage;
}

const std::vector<Model>& models() {
  static const std::vector<Model> all = [] {
    std::vector<Model> list;
    for (const BuiltinModel& builtin : builtin_models()) {
      ReadOptions options;
      options.file_name = std::string(builtin.name) + ".json";
      Result<Document> document = read_document(builtin.json, options);
      REQUIRE_MESSAGE(document.ok(), document.message());
      if (!document->linkage.closures.empty()) continue;  // tests/laws/loop_law_test.cpp
      list.push_back(test::compiled(document->linkage));
    }
    for (const Linkage& linkage : {test::seven_linkage(), cone_chain(), finger(), test::everything_tree(),
                                   test::planar_arm({1.0, 1.0}), test::ball_chain(2, 0.3)}) {
      list.push_back(test::compiled(linkage));
    }
    return list;
  }();
  return all;
}

std::vector<int> leaves(const Model& model) {
  std::vector<int> found;
  for (int i = 0; i < model.link_count() && found.size() < 3; ++i) {
    if (model.is_leaf(i)) found.push_back(i);
  }
  return found;
}

enum class Wish { position, pose };

Problem reach_for(const Model& model, int link, Wish shape, const VecX& pose) {
  State state;
  forward(model, pose, state);
  const Transform& X = state.X_WL[static_cast<std::size_t>(link)];
  Problem problem;
  problem.model = model;
  if (shape == Wish::position) {
    PositionGoal goal;
    goal.link = link;
    goal.target = X.position;
    problem.goals.push_back(goal);
  } else {
    PoseGoal goal;
    goal.link = link;
    goal.target = X;
    problem.goals.push_back(goal);
  }
  return problem;
}

double distance_to_goal(const Problem& problem, const VecX& q) {
  State state;
  forward(problem.model, q, state);
  const Goal& goal = problem.goals.front();
  if (const auto* position = std::get_if<PositionGoal>(&goal)) {
    return (position->target - state.transform(position->link).position).norm();
  }
  const auto& pose = std::get<PoseGoal>(goal);
  return (pose.target.position - state.transform(pose.link).position).norm();
}

double turn_to_goal(const Problem& problem, const VecX& q) {
  const auto* pose = std::get_if<PoseGoal>(&problem.goals.front());
  if (pose == nullptr) return 0.0;
  State state;
  forward(problem.model, q, state);
  const Mat3& R = state.transform(pose->link).rotation;
  return log_rotation(Mat3(pose->target.rotation * R.transpose())).norm();
}

template <class F>
void for_each_case(F&& f) {
  for (const BuiltinMethod& entry : builtin_methods()) {
    for (const Model& model : models()) {
      for (const int link : leaves(model)) {
        for (const Wish shape : {Wish::position, Wish::pose}) f(entry, model, link, shape);
      }
    }
  }
}

int full_or(int few, int many) { return std::getenv("ARMATURE_FULL") != nullptr ? many : few; }

}  // namespace

TEST_CASE("law: the report is the truth, the pose is finite and inside limits, the answer is the same every time") {
  int taken = 0;
  for_each_case([&](const BuiltinMethod& entry, const Model& model, int link, Wish shape) {
    const std::string method = entry.info.name;
    CAPTURE(method);
    CAPTURE(model.name());
    CAPTURE(model.link_name(link));
    Rng rng(99);
    Solver solver(entry.make());
    Solver twin(entry.make());
    solver->common_options().max_iterations = twin->common_options().max_iterations = 60;
    for (int n = 0; n < 3; ++n) {
      const VecX there = random_pose(model, rng);
      const VecX start = random_pose(model, rng);
      const Problem problem = reach_for(model, link, shape, there);
      VecX q = start;
      const Status status = solver->check(problem);
      if (!status.ok()) {
        CHECK(status.message().size() > 20);
        CHECK(test::solve_in_place(*solver, problem, q).outcome == Outcome::refused);
        CHECK(inside_limits(model, q));
        return;
      }
      ++taken;
      const Report report = solver->solve(problem, q);
      q = report.q;
      CHECK(report.outcome != Outcome::refused);
      CHECK(q.allFinite());
      CHECK(inside_limits(model, q));
      const double size = model.size();
      CHECK(std::abs(report.position_error - distance_to_goal(problem, q)) <= 1e-12 * size);
      CHECK(std::abs(report.orientation_error - turn_to_goal(problem, q)) <= 1e-7);
      CHECK(report.ok() == (report.position_error <= 1e-6 * size && report.orientation_error <= 1e-6));
      CHECK(report.goals.size() == 1);
      CHECK(std::string(report.method).size() > 0);
      CHECK(report.message().size() > 20);
      VecX again = start;
      const Report second = twin->solve(problem, again);
      again = second.q;
      CHECK(again == q);
      CHECK(second.iterations == report.iterations);
      CHECK(second.outcome == report.outcome);
      // Warmed up by another goal, the same bits again.
      again = start;
      CHECK(test::solve_in_place(*solver, problem, again).iterations == report.iterations);
      CHECK(again == q);
    }
  });
  CHECK(taken > 500);
}

TEST_CASE("law: a pose that satisfies the goal is returned at once, bit for bit") {
  for_each_case([&](const BuiltinMethod& entry, const Model& model, int link, Wish shape) {
    const std::string method = entry.info.name;
    CAPTURE(method);
    CAPTURE(model.name());
    Rng rng(7);
    VecX q = random_pose(model, rng);
    clamp(model, q);
    const Problem problem = reach_for(model, link, shape, q);
    Solver solver(entry.make());
    if (!solver->check(problem).ok()) return;
    const VecX before = q;
    const Report& report = solver->solve(problem, q);
    q = report.q;
    CHECK(report.outcome == Outcome::converged);
    CHECK(report.iterations == 0);
    CHECK(q == before);
  });
}

TEST_CASE("law: the trace holds every iteration, and ends with the pose that was returned") {
  for_each_case([&](const BuiltinMethod& entry, const Model& model, int link, Wish shape) {
    if (model.name() == "human") return;  // large, and nothing new
    const std::string method = entry.info.name;
    if (method == "reach" || method == "auto") return;  // reach traces its last attempt only, which may start elsewhere
    CAPTURE(method);
    CAPTURE(model.name());
    Rng rng(17);
    const Problem problem = reach_for(model, link, shape, random_pose(model, rng));
    Solver solver(entry.make());
    if (!solver->check(problem).ok()) return;
    solver->common_options().max_iterations = 40;
    VecX q = random_pose(model, rng);
    const VecX start = q;
    Trace trace;
    const Report report = solver->solve(problem, q, &trace);
    q = report.q;
    REQUIRE(!trace.steps.empty());
    CHECK(trace.steps.front().q == start);
    CHECK(trace.steps.back().q == q);
    CHECK(trace.steps.back().step.norm() == 0.0);
    for (const TraceStep& step : trace.steps) {
      CHECK(step.q.allFinite());
      CHECK(step.step.allFinite());
      CHECK(step.step.size() == model.v_size());
      CHECK(step.error_norm == doctest::Approx(step.error.norm()));
      CHECK(inside_limits(model, step.q));
      if (step.J.size() > 0) CHECK(step.singular_values.size() <= std::min(step.J.rows(), step.J.cols()));
    }
    // Recording does not change the answer.
    VecX plain = start;
    plain = solver->solve(problem, plain).q;
    CHECK((plain - q).norm() <= 1e-6);
  });
}

TEST_CASE("law: nothing allocates inside a solve") {
  for_each_case([&](const BuiltinMethod& entry, const Model& model, int link, Wish shape) {
    const std::string method = entry.info.name;
    CAPTURE(method);
    CAPTURE(model.name());
    Rng rng(5);
    Solver solver(entry.make());
    solver->common_options().max_iterations = 30;
    const Problem first = reach_for(model, link, shape, random_pose(model, rng));
    const Problem second = reach_for(model, link, shape, random_pose(model, rng));
    if (!solver->check(first).ok()) return;
    VecX q = random_pose(model, rng);
    VecX other = random_pose(model, rng);
    q = solver->solve(first, q).q;
    test::AllocationCounter counter;
    other = solver->solve(second, other).q;
    CHECK(counter.count() == 0);
  });
}

TEST_CASE("law: metres and millimetres take the same iterations") {
  for (const BuiltinMethod& entry : builtin_methods()) {
    int compared = 0;
    for (const Model& model : models()) {
      if (model.name() == "everything" || model.name() == "human" || model.name() == "orbit") continue;
      const std::string method = entry.info.name;
      CAPTURE(method);
      CAPTURE(model.name());
      // follow weighs joints by the masses of shapes, which scaled() leaves as they are; and how many frames its walk
      // takes hangs on the last bit.
      const bool walks = method == "follow";
      const auto has_shapes = [](const Link& each) { return !each.visuals.empty(); };
      const std::vector<Link>& links = model.linkage().links;
      if (walks && std::any_of(links.begin(), links.end(), has_shapes)) continue;
      const Model large = test::compiled(test::scaled(model.linkage(), 1000.0));
      const int link = leaves(model).front();
      for (const Wish shape : {Wish::position, Wish::pose}) {
        Rng rng(23);
        for (int n = 0; n < 5; ++n) {
          VecX there = random_pose(model, rng);
          VecX start = random_pose(model, rng);
          const auto enlarge = [&](VecX q) {
            for (int i = 0; i < model.q_size(); ++i) {
              if (model.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::length) q[i] *= 1000.0;
            }
            return q;
          };
          const Problem small_problem = reach_for(model, link, shape, there);
          const Problem large_problem = reach_for(large, link, shape, enlarge(there));
          Solver a(entry.make());
          Solver b(entry.make());
          if (!a->check(small_problem).ok()) continue;
          a->common_options().max_iterations = b->common_options().max_iterations = 100;
          VecX q = start;
          VecX r = enlarge(start);
          const Report small_report = a->solve(small_problem, q);
          q = small_report.q;
          const Report large_report = b->solve(large_problem, r);
          r = large_report.q;
          const std::string outcome = outcome_name(small_report.outcome);
          CAPTURE(outcome);
          CAPTURE(small_report.position_error);
          CHECK(small_report.ok() == large_report.ok());
          // When a search that goes nowhere is given up may hang on the last bit; what arrives, arrives alike.
          if (!small_report.ok()) continue;
          ++compared;
          if (!walks) CHECK(small_report.iterations == large_report.iterations);
          CHECK(large_report.position_error <= 1e-6 * large.size());
        }
      }
    }
    CHECK(compared > 0);
  }
}

TEST_CASE("law: limits hold and nothing is NaN over many random solves" * doctest::description("100,000 a method with "
                                                                                               "ARMATURE_FULL=1")) {
  const int many = full_or(400, 100000);
  for (const BuiltinMethod& entry : builtin_methods()) {
    const std::string method = entry.info.name;
    CAPTURE(method);
    int solved = 0;
    int outside = 0;
    int broken = 0;
    int asked = 0;
    Solver solver(entry.make());
    solver->common_options().max_iterations = 30;
    for (const Model& model : models()) {
      Rng rng(1234);
      const int share = std::max(1, many / static_cast<int>(models().size()));
      const std::vector<int> tips = leaves(model);
      for (int n = 0; n < share; ++n) {
        Problem problem = reach_for(model, tips[rng.below(tips.size())], n % 3 == 2 ? Wish::pose : Wish::position,
                                    random_pose(model, rng));
        if (n % 5 == 4) {  // beyond reach, mostly
          if (auto* goal = std::get_if<PositionGoal>(&problem.goals.front())) goal->target *= 3.0;
        }
        VecX q = random_pose(model, rng);
        const Report& report = solver->solve(problem, q);
        q = report.q;
        if (report.outcome == Outcome::refused) continue;
        ++asked;
        if (report.ok()) ++solved;
        if (!q.allFinite()) ++broken;
        if (!inside_limits(model, q)) ++outside;
      }
    }
    CHECK(broken == 0);
    CHECK(outside == 0);
    CHECK(asked > 0);
    CHECK(solved > 0);
    if (std::getenv("ARMATURE_FULL") != nullptr) {
      std::printf("%-14s asked %d solved %d outside %d broken %d\n", entry.info.name, asked, solved, outside, broken);
    }
  }
}
