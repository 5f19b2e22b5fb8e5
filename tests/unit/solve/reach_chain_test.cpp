// The reach method on serial chains: every reachable goal, inside limits, the same bits everywhere, no allocation.
#include "armature/solve/methods/reach_chain.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>

#include "support/allocation_counter.hpp"
#include "support/chains.hpp"

using namespace armature;
using namespace armature::test;

namespace {

constexpr double kTolerance = 1e-5;

ChainQuestion ask(const Transform& target, double tolerance = kTolerance) {
  ChainQuestion question;
  question.target = target;
  question.tolerance = question.orientation_tolerance = tolerance;
  return question;
}

std::vector<double> middle(const NamedChain& c) {
  std::vector<double> q;
  for (const ChainJoint& j : c.joints) q.push_back(std::isfinite(j.lower + j.upper) ? 0.5 * (j.lower + j.upper) : 0.0);
  return q;
}

ReachChain solver_of(const NamedChain& c) { return {c.chain(), c.lower().data(), c.upper().data()}; }

bool inside(const NamedChain& c, const std::vector<double>& q) {
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (!(q[i] >= c.joints[i].lower && q[i] <= c.joints[i].upper)) return false;
  }
  return true;
}

double rotation_between(const Mat3& a, const Mat3& b) { return log_rotation(Mat3(a * b.transpose())).norm(); }

std::vector<NamedChain> arms() {
  std::vector<NamedChain> all{ur5(), panda()};
  for (int n : {6, 7, 9, 12, 16, 20}) all.push_back(random_chain(n, static_cast<std::uint64_t>(n), false));
  for (int n : {7, 10}) all.push_back(random_chain(n, static_cast<std::uint64_t>(40 + n), true));
  return all;
}

enum class Kind { random, corner, straight };

/// Solves `count` goals that some pose reaches; checks each answer against plain forward kinematics and the limits.
void solve_all(const NamedChain& c, Kind kind, int count, double tolerance, bool random_seeds) {
  CAPTURE(c.name);
  ReachChain solver = solver_of(c);
  ChainSearch search;
  Rng rng(11);
  std::vector<double> q = middle(c);
  for (int k = 0; k < count; ++k) {
    std::vector<double> goal = random_joints(c, rng, kind == Kind::corner);
    if (kind == Kind::straight) {
      for (std::size_t i = 0; i < goal.size(); i += 1 + static_cast<std::size_t>(k % 2)) {
        goal[i] = std::clamp(0.0, c.joints[i].lower, c.joints[i].upper);
      }
    }
    const Transform target = plain_forward(c, goal.data());
    q = random_seeds ? random_joints(c, rng) : middle(c);
    const ChainQuestion question = ask(target, tolerance);
    const AllocationCounter counter;
    const ChainAnswer answer = solver.solve(question, search, q.data());
    CHECK(counter.count() == 0);
    CHECK(answer.outcome == Outcome::converged);
    CHECK(inside(c, q));
    const Transform x = plain_forward(c, q.data());
    const double position = (x.position - target.position).norm();
    const double rotation = rotation_between(x.rotation, target.rotation);
    CHECK(position <= tolerance + 1e-13);
    CHECK(rotation <= tolerance + 1e-13);
    CHECK(answer.position_error == doctest::Approx(position).epsilon(1e-3).scale(1e-11));
    CHECK(answer.orientation_error == doctest::Approx(rotation).epsilon(1e-3).scale(1e-11));
  }
}

}  // namespace

TEST_CASE("every reachable goal is reached inside limits without allocation, from the middle and from anywhere") {
  for (const NamedChain& c : arms()) {
    solve_all(c, Kind::random, 200, kTolerance, false);
    solve_all(c, Kind::random, 100, kTolerance, true);
  }
}

TEST_CASE("goals with every joint at a limit, straight goals, tight tolerances") {
  for (const NamedChain& c : {ur5(), panda(), random_chain(9, 9, false)}) {
    solve_all(c, Kind::corner, 100, kTolerance, false);
    solve_all(c, Kind::straight, 100, kTolerance, false);
    solve_all(c, Kind::random, 50, 1e-9, false);
  }
}

TEST_CASE("the same bits on every run and every instruction set") {
  for (const NamedChain& c : arms()) {
    CAPTURE(c.name);
    ReachChain reference = solver_of(c);
    reference.use(Isa::baseline);
    ChainSearch search;
    search.max_iterations = 400;
    for (Isa isa : available_isas()) {
      CAPTURE(isa_name(isa));
      ReachChain solver = solver_of(c);
      solver.use(isa);
      Rng rng(12);
      for (int k = 0; k < 40; ++k) {
        Transform target = plain_forward(c, random_joints(c, rng).data());
        if (k % 4 == 3) target.position *= 1.3;  // some out of reach
        ChainQuestion question = ask(target);
        if (k % 4 == 2) {
          question.partial = true;
          question.orientation_free = {false, k % 8 == 2, true};
          question.position_box = Vec3(0.01, 0.0, 0.02);
          question.orientation_in_goal_frame = k % 8 == 2;
        }
        std::vector<double> a = middle(c), b = a;
        const ChainAnswer x = reference.solve(question, search, a.data());
        const ChainAnswer y = solver.solve(question, search, b.data());
        CHECK(x.outcome == y.outcome);
        CHECK(x.iterations == y.iterations);
        CHECK(std::memcmp(a.data(), b.data(), sizeof(double) * a.size()) == 0);
      }
    }
  }
}

TEST_CASE("a near seed is used as it is, and few steps suffice") {
  const NamedChain c = panda();
  ReachChain solver = solver_of(c);
  ChainSearch search;
  Rng rng(13);
  int iterations = 0;
  for (int k = 0; k < 200; ++k) {
    const std::vector<double> goal = random_joints(c, rng);
    std::vector<double> q = goal;
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] = std::clamp(q[i] + rng.uniform(-0.01, 0.01), c.joints[i].lower, c.joints[i].upper);
    }
    const ChainAnswer answer = solver.solve(ask(plain_forward(c, goal.data()), 1e-8), search, q.data());
    CHECK(answer.outcome == Outcome::converged);
    iterations += answer.iterations;
    for (std::size_t i = 0; i < q.size(); ++i) CHECK(std::abs(q[i] - goal[i]) < 0.6);
  }
  CHECK(iterations < 3.5 * 200);
}

TEST_CASE("beyond reach and inside the hole is proved, with the nearest pose") {
  NamedChain two;
  two.name = "two links";
  two.joints = {{ChainJointKind::revolute, {}, Vec3::UnitZ(), -kPi, kPi},
                {ChainJointKind::revolute, Transform::translate(Vec3(0.5, 0, 0)), Vec3::UnitZ(), -2.5, 2.5}};
  two.tip = Transform::translate(Vec3(0.3, 0, 0));
  ReachChain solver = solver_of(two);
  ChainQuestion question;
  question.orientation = false;
  question.target.position = Vec3(0.6, 0.8, 0.0);
  std::vector<double> q = {0.0, 0.0};
  ChainAnswer answer = solver.solve(question, {}, q.data());
  CHECK(answer.outcome == Outcome::unreachable);
  REQUIRE(answer.proof.has_value());
  CHECK(answer.proof->bound == ReachBound::beyond);
  CHECK(answer.proof->length == doctest::Approx(0.8));
  CHECK(answer.proof->distance == doctest::Approx(1.0));
  CHECK(answer.position_error == doctest::Approx(0.2));
  CHECK(q[0] == doctest::Approx(std::atan2(0.8, 0.6)).epsilon(1e-3));
  CHECK(std::abs(q[1]) < 1e-2);

  question.target.position = Vec3(0.0, 0.1, 0.0);
  answer = solver.solve(question, {}, q.data());
  CHECK(answer.outcome == Outcome::unreachable);
  REQUIRE(answer.proof.has_value());
  CHECK(answer.proof->bound == ReachBound::inside_hole);
  CHECK(answer.position_error == doctest::Approx(answer.proof->length - 0.1).epsilon(1e-3));
}

TEST_CASE("a goal that only limits forbid stalls and names the joints that block it") {
  NamedChain c = panda();
  ReachChain free_solver = solver_of(c);
  Rng rng(14);
  int refused = 0;
  for (int k = 0; k < 20; ++k) {
    // Reached with joint 2 far out; then that joint may only go half as far.
    std::vector<double> goal = random_joints(c, rng);
    goal[1] = 1.7;
    goal[3] = -0.2;
    const Transform target = plain_forward(c, goal.data());
    ReachChain solver = solver_of(c);
    std::vector<double> upper = c.upper(), lower = c.lower();
    upper[1] = 0.5;
    lower[1] = -0.5;
    solver.set_limits(lower.data(), upper.data());
    std::vector<double> q = middle(c);
    ChainSearch search;
    search.max_iterations = 1000;
    const ChainAnswer answer = solver.solve(ask(target), search, q.data());
    CHECK(std::abs(q[1]) <= 0.5);
    if (answer.outcome == Outcome::converged) continue;
    ++refused;
    CHECK((answer.outcome == Outcome::stalled || answer.outcome == Outcome::unreachable));
    bool blocked = false;  // some joint is at a bound that the error pushes against
    for (std::size_t i = 0; i < q.size(); ++i) {
      blocked = blocked || (q[i] <= lower[i] && solver.gradient()[i] < -solver.gradient_floor()) ||
                (q[i] >= upper[i] && solver.gradient()[i] > solver.gradient_floor());
    }
    CHECK((answer.outcome == Outcome::unreachable || blocked));
    solver.restore_limits();
    CHECK(solver.solve(ask(target), search, q.data()).outcome == Outcome::converged);
  }
  CHECK(refused >= 5);
}

TEST_CASE("the nearest pose is as near as the best of many descents") {
  int good = 0, all = 0;
  for (const NamedChain& c : {ur5(), panda()}) {
    ReachChain solver = solver_of(c);
    Rng rng(15);
    ChainSearch search;
    for (int k = 0; k < 10; ++k) {
      Transform target = plain_forward(c, random_joints(c, rng).data());
      target.position = target.position.normalized() * 1.5;
      std::vector<double> q = middle(c);
      const ChainAnswer answer = solver.solve(ask(target), search, q.data());
      CHECK(answer.outcome == Outcome::unreachable);
      CHECK(inside(c, q));
      // The reference: another seed of the random starts, several times.
      const double length = solver.chain().length;
      const auto cost = [&](const ChainAnswer& a) {
        return std::hypot(a.position_error / length, 2.0 * std::sin(0.5 * a.orientation_error));
      };
      double best = cost(answer);
      for (std::uint64_t seed = 2; seed < 6; ++seed) {
        search.seed = seed;
        std::vector<double> other = random_joints(c, rng);
        best = std::min(best, cost(solver.solve(ask(target), search, other.data())));
      }
      search.seed = 1;
      ++all;
      good += cost(answer) <= 1.01 * best ? 1 : 0;
    }
  }
  CHECK(good >= all * 9 / 10);
}

TEST_CASE("locked joints stay, limits of the call hold, unwilling joints move less") {
  const NamedChain c = panda();
  ReachChain solver = solver_of(c);
  Rng rng(16);
  for (int k = 0; k < 20; ++k) {
    const std::vector<double> goal = random_joints(c, rng);
    std::vector<double> lower = c.lower(), upper = c.upper();
    lower[2] = upper[2] = goal[2];
    solver.set_limits(lower.data(), upper.data());
    std::vector<double> q = middle(c);
    q[2] = goal[2];
    const ChainAnswer answer = solver.solve(ask(plain_forward(c, goal.data())), {}, q.data());
    CHECK(answer.outcome == Outcome::converged);
    CHECK(q[2] == goal[2]);
  }
  solver.restore_limits();
  double willing = 0.0, unwilling = 0.0;
  for (int k = 0; k < 20; ++k) {
    const std::vector<double> seed = random_joints(c, rng);
    Transform target = plain_forward(c, seed.data());
    target.position += Vec3(0.02, -0.01, 0.015);
    std::vector<double> q = seed;
    ChainSearch search;
    search.quality = Quality::nearest;
    solver.set_mobility(nullptr);
    if (solver.solve(ask(target), search, q.data()).outcome == Outcome::converged) willing += std::abs(q[0] - seed[0]);
    const double mobility[7] = {0.01, 1, 1, 1, 1, 1, 1};
    q = seed;
    solver.set_mobility(mobility);
    if (solver.solve(ask(target), search, q.data()).outcome == Outcome::converged)
      unwilling += std::abs(q[0] - seed[0]);
  }
  CHECK(unwilling < 0.3 * willing);
}

TEST_CASE("partial goals: position alone, orientation alone, free axes, boxes") {
  for (const NamedChain& c : {ur5(), panda(), random_chain(5, 5, false)}) {
    CAPTURE(c.name);
    ReachChain solver = solver_of(c);
    Rng rng(17);
    for (int k = 0; k < 40; ++k) {
      const Transform target = plain_forward(c, random_joints(c, rng).data());
      ChainQuestion question = ask(target);
      question.position = k % 4 != 1;
      question.orientation = k % 4 != 0;
      question.partial = k % 4 > 1;
      question.orientation_in_goal_frame = k % 4 == 2;
      if (question.partial) question.orientation_free = {false, false, true};
      if (k % 4 == 3) {
        question.position_box = Vec3(0.01, 0.01, 0.0);
        question.orientation_box = Vec3(0.1, 0.0, 0.0);
      }
      std::vector<double> q = middle(c);
      const ChainAnswer answer = solver.solve(question, {}, q.data());
      CHECK(answer.outcome == Outcome::converged);
      CHECK(inside(c, q));
      const Transform x = plain_forward(c, q.data());
      const Vec3 p = target.position - x.position;
      Vec3 w = log_rotation(Mat3(target.rotation * x.rotation.transpose()));
      if (question.partial) {  // the swing that is left without the turn about the free axis (OrientationGoal)
        const bool own = question.orientation_in_goal_frame;
        const Vec3 axis = own ? Vec3(target.rotation.col(2)) : Vec3::UnitZ();
        const Vec3 now = own ? Vec3(x.rotation.col(2)) : Vec3(x.rotation * target.rotation.row(2).transpose());
        const Vec3 n = now.cross(axis);
        w = n.norm() > 0.0 ? Vec3(n / n.norm() * std::atan2(n.norm(), now.dot(axis))) : Vec3(Vec3::Zero());
        if (own) w = target.rotation.transpose() * w;
      }
      if (k % 4 == 0) CHECK(p.norm() <= kTolerance * 1.001);
      if (k % 4 == 1) CHECK(w.norm() <= kTolerance * 1.001);
      if (k % 4 == 2) CHECK(std::max(p.norm(), w.head<2>().norm()) <= kTolerance * 1.001);
      if (k % 4 == 3) {
        CHECK(p.cwiseAbs().x() <= 0.01 + kTolerance);
        CHECK(p.cwiseAbs().z() <= kTolerance * 1.001);
        CHECK(std::abs(w.x()) <= 0.1 + kTolerance);
        CHECK(std::abs(w.y()) <= kTolerance * 1.001);
      }
    }
  }
}

TEST_CASE("nearest to the seed really uses the seed; other qualities choose among answers") {
  const NamedChain c = ur5();
  ReachChain solver = solver_of(c);
  Rng rng(18);
  double first = 0.0, nearest = 0.0, centred_first = 0.0, centred = 0.0;
  for (int k = 0; k < 50; ++k) {
    const std::vector<double> seed = random_joints(c, rng);
    std::vector<double> goal = seed;
    for (double& g : goal) g += rng.uniform(-0.4, 0.4);
    const ChainQuestion question = ask(plain_forward(c, goal.data()));
    const auto run = [&](Quality quality) {
      std::vector<double> q = seed;
      ChainSearch search;
      search.quality = quality;
      CHECK(solver.solve(question, search, q.data()).outcome == Outcome::converged);
      return q;
    };
    const auto distance = [&](const std::vector<double>& q) {
      double sum = 0.0;
      for (std::size_t i = 0; i < q.size(); ++i) sum += (q[i] - seed[i]) * (q[i] - seed[i]);
      return std::sqrt(sum);
    };
    const auto size = [&](const std::vector<double>& q) {
      double sum = 0.0;
      for (double x : q) sum += x * x;
      return sum;
    };
    const std::vector<double> a = run(Quality::first);
    first += distance(a);
    centred_first += size(a);
    nearest += distance(run(Quality::nearest));
    centred += size(run(Quality::centered));
  }
  CHECK(nearest <= first);
  CHECK(nearest / 50 < 2.0);
  CHECK(centred < centred_first);
}

TEST_CASE("full turns: the answer is the equivalent angle nearest to the seed, inside limits") {
  NamedChain c = ur5();
  c.joints[5].lower = -std::numeric_limits<double>::infinity();
  c.joints[5].upper = std::numeric_limits<double>::infinity();
  ReachChain solver = solver_of(c);
  Rng rng(19);
  for (int k = 0; k < 30; ++k) {
    std::vector<double> q = middle(c);
    q[0] = 5.0;
    q[5] = 100.0;
    const Transform target = plain_forward(c, random_joints(c, rng).data());
    CHECK(solver.solve(ask(target), {}, q.data()).outcome == Outcome::converged);
    CHECK(std::abs(q[5] - 100.0) <= kPi + 1e-9);
    CHECK(inside(c, q));
    CHECK((std::abs(q[0] - 5.0) <= kPi + 1e-9 || q[0] + 2 * kPi > c.joints[0].upper));
  }
}

TEST_CASE("numbers that are none, and small budgets, end with a sound pose and a verdict") {
  const NamedChain c = panda();
  ReachChain solver = solver_of(c);
  Rng rng(20);
  std::vector<double> q = middle(c);
  ChainQuestion question = ask(plain_forward(c, random_joints(c, rng).data()));
  question.target.position.x() = std::numeric_limits<double>::quiet_NaN();
  CHECK(solver.solve(question, {}, q.data()).outcome == Outcome::not_finite);
  CHECK(inside(c, q));
  question = ask(plain_forward(c, random_joints(c, rng).data()));
  std::fill(q.begin(), q.end(), std::numeric_limits<double>::quiet_NaN());
  CHECK(solver.solve(question, {}, q.data()).outcome == Outcome::converged);
  q = middle(c);
  ChainSearch search;
  for (int budget : {0, 1, 2}) {
    search.max_iterations = budget;
    q = middle(c);
    const ChainAnswer answer = solver.solve(question, search, q.data());
    CHECK(answer.outcome == Outcome::iteration_limit);
    CHECK(answer.iterations <= budget);
    CHECK(inside(c, q));
  }
  search = {};
  search.max_time = 1e-9;
  // Blocked by limits, though no bound proves it: only the clock can end the search so soon.
  const std::vector<double> lower(7, -0.4), upper(7, 0.4);
  solver.set_limits(lower.data(), upper.data());
  rng = Rng(3);
  ChainAnswer patient;
  for (int k = 0; k < 100 && patient.outcome != Outcome::stalled; ++k) {
    question = ask(plain_forward(c, random_joints(c, rng).data()));
    q = middle(c);
    patient = solver.solve(question, {}, q.data());
  }
  REQUIRE(patient.outcome == Outcome::stalled);
  q = middle(c);
  const ChainAnswer answer = solver.solve(question, search, q.data());
  CHECK(answer.outcome == Outcome::time_limit);
  CHECK(answer.iterations < patient.iterations / 10);
  for (const double value : q) CHECK(std::abs(value) <= 0.4);
}

TEST_CASE("a start far beyond numbers, with no iterations, ends at once with a pose") {
  const NamedChain c = ur5();
  ReachChain solver = solver_of(c);
  ChainSearch search;
  search.max_iterations = 0;
  for (const double huge : {1e12, 1.6e153, 1e308, std::numeric_limits<double>::infinity()}) {
    std::vector<double> q(6, huge);
    Rng rng(4);
    const ChainAnswer answer = solver.solve(ask(plain_forward(c, random_joints(c, rng).data())), search, q.data());
    CHECK(answer.outcome != Outcome::converged);
    CHECK(inside(c, q));
  }
}
