#include "bench_ik.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "armature/geom/rotation.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/methods.hpp"
#include "armature/solve/batch.hpp"
#include "bench_peer.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

struct BenchGoal {
  Transform target;
  std::vector<double> seed;  // of the chain
};

/// The chain's joints inside a pose of the whole model.
class ChainPose {
 public:
  ChainPose(const Model& model, const ModelChain& chain) : model_(model), chain_(chain), middle_(middle_pose(model)) {}
  void set(const double* joints, VecX& q) const {
    for (std::size_t i = 0; i < chain_.coordinates.size(); ++i) {
      const ChainCoordinate& c = chain_.coordinates[i];
      q[c.coordinate] = (joints[i] - c.offset) / c.multiplier;
    }
  }
  void get(const VecX& q, double* joints) const {
    for (std::size_t i = 0; i < chain_.coordinates.size(); ++i) {
      const ChainCoordinate& c = chain_.coordinates[i];
      joints[i] = c.multiplier * q[c.coordinate] + c.offset;
    }
  }
  const VecX& middle() const { return middle_; }
  Transform forward(const double* joints) {
    VecX q = middle_;
    set(joints, q);
    armature::forward(model_, q, state_);
    return relative(state_, chain_.base, chain_.tip);
  }

 private:
  const Model& model_;
  const ModelChain& chain_;
  VecX middle_;
  State state_;
};

std::vector<BenchGoal> draw_goals(const ModelChain& chain, const BenchSettings& settings, ChainPose& pose) {
  Rng rng(static_cast<std::uint64_t>(settings.seed));
  std::vector<BenchGoal> goals(static_cast<std::size_t>(settings.poses));
  std::vector<double> truth(chain.joints.size());
  for (BenchGoal& goal : goals) {
    random_joints(chain, rng, truth.data());
    if (settings.goals == BenchGoals::corners) {
      for (std::size_t i = 0; i < truth.size(); ++i) {
        const ChainJoint& j = chain.joints[i];
        if (j.upper - j.lower < 1e300) truth[i] = rng.uniform() < 0.5 ? j.lower : j.upper;
      }
    }
    goal.target = pose.forward(truth.data());
    goal.seed.resize(truth.size());
    if (settings.random_seed_pose) {
      random_joints(chain, rng, goal.seed.data());
    } else {
      pose.get(pose.middle(), goal.seed.data());
    }
  }
  return goals;
}

/// Each of the six components, position and rotation vector, within the tolerance.
bool is_right(const Transform& target, const Transform& found, double tolerance) {
  const double slack = tolerance * (1.0 + 1e-9) + 1e-12;
  const Vec3 position = target.position - found.position;
  const Vec3 rotation = log_rotation(Mat3(target.rotation * found.rotation.transpose()));
  return position.cwiseAbs().maxCoeff() <= slack && rotation.cwiseAbs().maxCoeff() <= slack;
}

/// Checks one answer and enters it in the row.
void count_answer(const ModelChain& chain, const BenchGoal& goal, int number, bool claimed, const double* q,
                  const BenchSettings& settings, const ChainPose& pose,
                  const std::function<Transform(const double*)>& check, BenchRow& row) {
  const char* why = "not claimed to be reached";
  if (claimed) {
    ++row.claimed;
    why = "claimed, but the check finds it off";
    if (is_right(goal.target, check(q), settings.tolerance)) {
      ++row.right;
      why = "outside limits";
      if (inside_limits(chain, q)) {
        ++row.inside;
        return;
      }
    }
  }
  BenchMiss miss{number, goal.target, pose.middle(), why};
  pose.set(goal.seed.data(), miss.seed);
  row.misses.push_back(std::move(miss));
}

struct Try {
  bool claimed = false;
  int iterations = 0;
};
/// Runs one solver over the goals. `solve` gets a goal and the seed in q, and leaves the answer there.
BenchRow run_solver(const ModelChain& chain, const std::vector<BenchGoal>& goals, int count,
                    const BenchSettings& settings, ChainPose& pose,
                    const std::function<Transform(const double*)>& check,
                    const std::function<void(std::size_t)>& prepare,
                    const std::function<Try(std::size_t, double*)>& solve,
                    const std::function<void(double)>& progress) {
  using Clock = std::chrono::steady_clock;
  BenchRow row;
  row.poses = count;
  std::vector<double> times(static_cast<std::size_t>(count)), q, attempt;
  double iterations = 0.0;
  for (std::size_t n = 0; n < times.size(); ++n) {
    const BenchGoal& goal = goals[n];
    times[n] = 1e300;
    Try answer;
    prepare(n);
    for (int r = 0; r < std::max(1, settings.repeats); ++r) {
      attempt = goal.seed;
      const auto begin = Clock::now();
      const Try result = solve(n, attempt.data());
      const double spent = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
      if (spent > times[n]) continue;
      times[n] = spent;
      answer = result;
      q = attempt;
    }
    iterations += answer.iterations;
    count_answer(chain, goal, static_cast<int>(n), answer.claimed, q.data(), settings, pose, check, row);
    if (n % 64 == 0) progress(static_cast<double>(n) / count);
  }
  if (times.empty()) return row;
  for (double t : times) row.mean += t / count;
  row.iterations = iterations / count;
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) { return times[static_cast<std::size_t>(part * (count - 1))]; };
  row.median = at(0.5);
  row.p99 = at(0.99);
  row.worst = times.back();
  return row;
}

Solver make_timed(const std::string& method, const BenchSettings& settings) {
  Solver solver = need(make_solver(method));
  SolveOptions& common = solver->common_options();
  common.tolerance = settings.tolerance;  // of norms: stricter than of each component
  common.orientation_tolerance = settings.tolerance;
  common.max_time = settings.seconds;
  common.max_iterations = 1000000;  // the time decides
  return solver;
}

BenchRow run_method(const std::string& method, const Model& model, const ModelChain& chain,
                    const std::vector<BenchGoal>& goals, const BenchSettings& settings, ChainPose& pose,
                    const std::function<Transform(const double*)>& check, const std::function<void(double)>& progress) {
  Solver solver = make_timed(method, settings);
  Problem problem;
  problem.model = model;
  PoseGoal goal;
  goal.base = chain.base;
  goal.link = chain.tip;
  problem.goals.assign(1, goal);
  VecX q = pose.middle();
  if (const Status status = solver->check(problem); !status.ok()) {
    throw BadInput{fmt::format("Method '{}' cannot take this: {}", method, status.message())};
  }
  if (!goals.empty()) {  // the first solve of a chain compiles it: not timed
    std::get<PoseGoal>(problem.goals[0]).target = goals[0].target;
    q = solver->solve(problem, q).q;
  }
  BenchRow row = run_solver(
      chain, goals, static_cast<int>(goals.size()), settings, pose, check,
      [&](std::size_t n) { std::get<PoseGoal>(problem.goals[0]).target = goals[n].target; },
      [&](std::size_t, double* joints) {
        pose.set(joints, q);
        const Report& report = solver->solve(problem, q);
        pose.get(report.q, joints);
        return Try{report.ok(), report.iterations};
      },
      progress);
  row.solver = method;
  row.ours = true;
  row.about = fmt::format("Armature, method {}", method);
  return row;
}

/// The same goals as one batch after another; only the mean time of a solve has a meaning then.
BenchRow run_batch(const std::string& method, const Model& model, const ModelChain& chain,
                   const std::vector<BenchGoal>& goals, const BenchSettings& settings, ChainPose& pose,
                   const std::function<Transform(const double*)>& check) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kAtOnce = 1000;
  Solver solver = make_timed(method, settings);
  solver->common_options().max_time = 0.0;  // goals solved together share their time: the method's own patience decides
  Problem problem;
  problem.model = model;
  Batch batch;
  std::vector<Goal> questions;
  std::vector<Report> reports;
  MatX seeds, poses;
  BenchRow row;
  row.solver = method + " batch";
  row.ours = true;
  row.about = fmt::format("Armature, method {}, {} goals together", method, kAtOnce);
  row.poses = static_cast<int>(goals.size());
  std::vector<double> joints(chain.joints.size());
  for (std::size_t first = 0; first < goals.size(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, goals.size() - first);
    questions.clear();
    seeds.resize(model.q_size(), static_cast<Eigen::Index>(count));
    for (std::size_t k = 0; k < count; ++k) {
      PoseGoal goal;
      goal.base = chain.base;
      goal.link = chain.tip;
      goal.target = goals[first + k].target;
      questions.emplace_back(goal);
      VecX q = pose.middle();
      pose.set(goals[first + k].seed.data(), q);
      seeds.col(static_cast<Eigen::Index>(k)) = q;
    }
    double fastest = 1e300;
    for (int r = 0; r < std::max(1, settings.repeats) + (first == 0 ? 1 : 0); ++r) {
      poses = seeds;
      const auto begin = Clock::now();
      batch.solve(*solver, problem, questions, poses, reports);
      const double spent = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
      if (r > 0 || first > 0) fastest = std::min(fastest, spent);  // the very first compiles the chain
    }
    row.mean += fastest / static_cast<double>(goals.size());
    for (std::size_t k = 0; k < count; ++k) {
      row.iterations += static_cast<double>(reports[k].iterations) / static_cast<double>(goals.size());
      pose.get(poses.col(static_cast<Eigen::Index>(k)), joints.data());
      const BenchGoal& goal = goals[first + k];
      count_answer(chain, goal, static_cast<int>(first + k), reports[k].ok(), joints.data(), settings, pose, check,
                   row);
    }
  }
  return row;
}

}  // namespace

BenchRun bench_chain(const Model& model, int base, int tip, const BenchSettings& settings,
                     const std::function<void(double)>& progress) {
  const ModelChain chain = need(make_chain(model, base, tip));
  ChainPose pose(model, chain);
  PeerChain terms;
  terms.model = &model;
  terms.base = base;
  terms.tip = tip;
  terms.chain = &chain;
  terms.tolerance = settings.tolerance;
  terms.seconds = settings.seconds;
  std::vector<double> middle(chain.joints.size());
  pose.get(pose.middle(), middle.data());
  Transform up_to_last;
  for (std::size_t i = 0; i < chain.joints.size(); ++i) {
    const ChainJoint& j = chain.joints[i];
    up_to_last = up_to_last * j.origin *
                 (j.kind == ChainJointKind::revolute ? Transform::rotate(j.axis, middle[i])
                                                     : Transform::translate(Vec3(j.axis * middle[i])));
  }
  terms.after_last = up_to_last.inverse() * pose.forward(middle.data());

  BenchRun run;
  run.joints = static_cast<int>(chain.joints.size());
  const LoadedPeers loaded = load_peers(terms);
  run.missing = loaded.missing;
  Peer* checker = nullptr;
  Transform X;
  for (const auto& peer : loaded.peers) {
    if (checker == nullptr && peer->forward(middle.data(), X)) checker = peer.get();
  }
  run.checked_by = checker != nullptr ? "KDL's forward kinematics" : "the plain forward kinematics of the whole model";
  const auto check = [&](const double* q) {
    Transform found;
    if (checker == nullptr || !checker->forward(q, found)) found = pose.forward(q);
    return found;
  };

  const std::vector<BenchGoal> goals = draw_goals(chain, settings, pose);
  const double parts = static_cast<double>(settings.methods.size() + (settings.peers ? loaded.peers.size() : 0));
  double part = 0.0;
  const auto tell = [&](double done) { progress((part + done) / parts); };
  for (const std::string& method : settings.methods) {
    run.rows.push_back(run_method(method, model, chain, goals, settings, pose, check, tell));
    if (settings.batch) run.rows.push_back(run_batch(method, model, chain, goals, settings, pose, check));
    ++part;
  }
  const int peer_poses = settings.peer_poses < 0 ? settings.poses : std::min(settings.peer_poses, settings.poses);
  for (const auto& peer : loaded.peers) {
    if (!settings.peers || peer_poses == 0) break;  // they still check the answers
    BenchRow row = run_solver(
        chain, goals, peer_poses, settings, pose, check, [](std::size_t) {},
        [&](std::size_t n, double* joints) {
          Rng rng(static_cast<std::uint64_t>(settings.seed) * 1000003u + n);
          return Try{peer->solve(goals[n].target, rng, joints), 0};
        },
        tell);
    row.solver = peer->name();
    row.about = peer->about();
    run.rows.push_back(std::move(row));
    ++part;
  }
  return run;
}

}  // namespace armature::cli
