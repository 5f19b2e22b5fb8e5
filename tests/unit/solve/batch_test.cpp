// Batches: the outcomes, tolerances and limits of single solves, whatever the neighbours, without allocation.
#include "armature/solve/batch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/methods.hpp"
#include "armature/solve/methods/reach.hpp"
#include "support/allocation_counter.hpp"
#include "support/chains.hpp"
#include "support/problem_limits.hpp"
#include "support/zoo.hpp"

using namespace armature;
using namespace armature::test;

namespace {

struct BatchCase {
  Model model;
  Problem shared;
  std::vector<Goal> goals;
  MatX seeds;
};

/// Whole poses of the hand, some out of reach, and (`mixed`) goals of other kinds in between.
void fill_batch_case(BatchCase& c, int joints, int count, bool mixed, bool same_seed) {
  c.model = must_compile(arm_linkage(joints));
  c.shared.model = c.model;
  const int hand = c.model.link("hand");
  Rng rng(31);
  State state;
  c.seeds.resize(c.model.q_size(), count);
  for (int k = 0; k < count; ++k) {
    forward(c.model, random_pose(c.model, rng), state);
    PoseGoal pose;
    pose.link = hand;
    pose.target = state.X_WL[static_cast<std::size_t>(hand)];
    if (k % 20 == 7) pose.target.position *= 10.0;
    PositionGoal position;
    position.link = hand;
    position.target = pose.target.position;
    if (mixed && k % 5 == 4) {
      c.goals.emplace_back(position);
    } else {
      if (mixed && k % 5 == 3) pose.orientation_axes.free[2] = true;
      c.goals.emplace_back(pose);
    }
    c.seeds.col(k) = same_seed ? middle_pose(c.model) : random_pose(c.model, rng);
  }
}

void check_batch_answer(const BatchCase& c, std::size_t k, const VecX& q, const Report& report) {
  CHECK(inside_limits(c.model, q, 0.0));
  const auto* goal = std::get_if<PoseGoal>(&c.goals[k]);
  if (goal == nullptr || !goal->orientation_axes.trivial() || !report.ok()) return;
  State state;
  forward(c.model, q, state);
  const Transform& x = state.transform(goal->link);
  const double position = (x.position - goal->target.position).norm();
  const double angle = log_rotation(Mat3(x.rotation * goal->target.rotation.transpose())).norm();
  CHECK(position <= 1.001e-6 * c.model.size());
  CHECK(angle <= 1.001e-6);
  CHECK(report.position_error == doctest::Approx(position).epsilon(1e-3).scale(1e-10));
  CHECK(report.orientation_error == doctest::Approx(angle).epsilon(1e-3).scale(1e-10));
}

bool batch_same_bits(const MatX& a, const MatX& b) {
  return std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

}  // namespace

TEST_CASE("a batch ends as single solves do, goal by goal, and allocates nothing the second time") {
  for (const char* method : {"reach", "auto"}) {
    for (int joints : {6, 7, 10}) {
      BatchCase c;
      // Kinds in turn make `auto` ask anew each time whether analysis applies, which allocates.
      fill_batch_case(c, joints, 200, std::strcmp(method, "reach") == 0, joints == 7);
      CAPTURE(std::string(method));
      CAPTURE(joints);
      const auto solver = std::move(make_solver(method)).value();
      const auto single = std::move(make_solver(method)).value();
      Batch batch;
      std::vector<Report> reports;
      MatX poses = c.seeds;
      batch.solve(*solver, c.shared, c.goals, poses, reports);
      REQUIRE(reports.size() == c.goals.size());
      int lanes = 0;
      Problem problem;
      problem.model = c.model;
      for (std::size_t k = 0; k < c.goals.size(); ++k) {
        CAPTURE(k);
        problem.goals.assign(1, c.goals[k]);
        VecX q = c.seeds.col(static_cast<Eigen::Index>(k));
        const Report& expected = single->solve(problem, q);
        q = expected.q;
        CHECK(reports[k].outcome == expected.outcome);
        CHECK(std::strcmp(reports[k].method, expected.method) == 0);
        check_batch_answer(c, k, poses.col(static_cast<Eigen::Index>(k)), reports[k]);
        lanes += std::strstr(reports[k].reason, "batch") != nullptr ? 1 : 0;
      }
      CHECK(lanes > 80);  // of 120 whole poses, some of which are out of reach
      poses = c.seeds;
      const AllocationCounter counter;
      batch.solve(*solver, c.shared, c.goals, poses, reports);
      CHECK(counter.count() == 0);
    }
  }
}

TEST_CASE("an answer depends neither on its neighbours nor on the instruction set") {
  BatchCase c;
  fill_batch_case(c, 7, 150, false, false);
  Reach solver;
  Batch batch;
  std::vector<Report> reports;
  MatX whole = c.seeds;
  batch.solve(solver, c.shared, c.goals, whole, reports);

  const auto count = static_cast<Eigen::Index>(c.goals.size());
  std::vector<Goal> turned(c.goals.rbegin(), c.goals.rend());
  MatX backwards = c.seeds.rowwise().reverse();
  batch.solve(solver, c.shared, turned, backwards, reports);
  CHECK(batch_same_bits(whole, MatX(backwards.rowwise().reverse())));

  for (Eigen::Index first = 0; first < count; first += 7) {
    const Eigen::Index size = std::min<Eigen::Index>(7, count - first);
    const std::vector<Goal> part(c.goals.begin() + first, c.goals.begin() + first + size);
    MatX poses = c.seeds.middleCols(first, size);
    batch.solve(solver, c.shared, part, poses, reports);
    CHECK(batch_same_bits(poses, MatX(whole.middleCols(first, size))));
  }
  for (Isa isa : available_isas()) {
    CAPTURE(isa_name(isa));
    Reach other;
    other.use(isa);
    MatX poses = c.seeds;
    batch.solve(other, c.shared, c.goals, poses, reports);
    CHECK(batch_same_bits(poses, whole));
  }
}

TEST_CASE("methods without a way of their own, limits of the call and locked joints go goal by goal") {
  BatchCase c;
  fill_batch_case(c, 7, 20, false, true);
  const auto dls = std::move(make_solver("dls")).value();
  Batch batch;
  std::vector<Report> reports;
  MatX poses = c.seeds;
  batch.solve(*dls, c.shared, c.goals, poses, reports);
  Problem problem;
  problem.model = c.model;
  for (Eigen::Index k = 0; k < poses.cols(); ++k) {
    problem.goals.assign(1, c.goals[static_cast<std::size_t>(k)]);
    VecX q = c.seeds.col(k);
    const Report& report = dls->solve(problem, q);
    q = report.q;
    CHECK(report.outcome == reports[static_cast<std::size_t>(k)].outcome);
    CHECK(batch_same_bits(MatX(q), MatX(poses.col(k))));
  }
  c.shared.locked = {c.model.velocity_joint(2)};
  VecX upper = c.model.upper();
  upper[0] = 0.5 * (c.model.lower()[0] + upper[0]);
  test::set_limits(c.shared, c.model.lower(), upper);
  Reach solver;
  poses = c.seeds;
  batch.solve(solver, c.shared, c.goals, poses, reports);
  for (Eigen::Index k = 0; k < poses.cols(); ++k) {
    CHECK(poses(2, k) == doctest::Approx(c.seeds(2, k)).epsilon(1e-15));
    CHECK(poses(0, k) <= upper[0]);
  }
  c.shared.locked.clear();  // limits of the call alone keep the lanes
  poses = c.seeds;
  batch.solve(solver, c.shared, c.goals, poses, reports);
  for (Eigen::Index k = 0; k < poses.cols(); ++k) CHECK(poses(0, k) <= upper[0]);
}

TEST_CASE("goals that are none are refused inside a batch, and an empty batch is none") {
  BatchCase c;
  fill_batch_case(c, 7, 12, false, true);
  std::get<PoseGoal>(c.goals[3]).target.position.x() = std::numeric_limits<double>::quiet_NaN();
  std::get<PoseGoal>(c.goals[5]).target.rotation *= 2.0;
  Reach solver;
  Batch batch;
  std::vector<Report> reports;
  MatX poses = c.seeds;
  poses(1, 6) = std::numeric_limits<double>::quiet_NaN();
  batch.solve(solver, c.shared, c.goals, poses, reports);
  CHECK(reports[3].outcome == Outcome::refused);
  CHECK(reports[5].outcome == Outcome::refused);
  CHECK(reports[6].ok());
  for (Eigen::Index k = 0; k < poses.cols(); ++k) CHECK(inside_limits(c.model, poses.col(k), 0.0));
  MatX none(c.model.q_size(), 0);
  batch.solve(solver, c.shared, {}, none, reports);
  CHECK(reports.empty());
}
