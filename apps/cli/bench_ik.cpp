#include "bench_ik.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "armature/geom/rotation.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/parallel/for_all.hpp"
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
/// What a thread solves with: prepare(goal), then solve(goal, q) with the seed in q, which leaves the answer there.
struct Solving {
  std::function<void(std::size_t)> prepare;
  std::function<Try(std::size_t, double*)> solve;
};
/// Runs one solver over the goals, on `threads` threads. Answers are checked afterwards, in the order of the goals:
/// other libraries' forward kinematics need not be fit for threads.
BenchRow run_solver(const ModelChain& chain, const std::vector<BenchGoal>& goals, int count,
                    const BenchSettings& settings, int threads, ChainPose& pose,
                    const std::function<Transform(const double*)>& check, const std::function<Solving()>& make,
                    const std::function<void(double)>& progress) {
  using Clock = std::chrono::steady_clock;
  constexpr int kPiece = 64;
  BenchRow row;
  row.poses = count;
  const std::size_t joints = chain.joints.size();
  std::vector<double> times(static_cast<std::size_t>(count)), answers(times.size() * joints);
  std::vector<Try> tries(times.size());
  ParallelOptions parallel;
  parallel.threads = threads;
  parallel.progress = [&](double done) {
    progress(done);
    return true;
  };
  const int pieces = (count + kPiece - 1) / kPiece;
  std::vector<Solving> workers(static_cast<std::size_t>(worker_count(pieces, parallel)));
  for (Solving& worker : workers) worker = make();
  for_all(pieces, parallel, [&](int piece, int worker) {
    const Solving& own = workers[static_cast<std::size_t>(worker)];
    std::vector<double> attempt;
    const std::size_t begin = static_cast<std::size_t>(piece) * kPiece;
    for (std::size_t n = begin; n < std::min(begin + kPiece, times.size()); ++n) {
      times[n] = 1e300;
      own.prepare(n);
      for (int r = 0; r < std::max(1, settings.repeats); ++r) {
        attempt = goals[n].seed;
        const auto start = Clock::now();
        const Try result = own.solve(n, attempt.data());
        const double spent = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
        if (spent > times[n]) continue;
        times[n] = spent;
        tries[n] = result;
        std::copy(attempt.begin(), attempt.end(), &answers[n * joints]);
      }
    }
  });
  double iterations = 0.0;
  for (std::size_t n = 0; n < times.size(); ++n) {
    iterations += tries[n].iterations;
    count_answer(chain, goals[n], static_cast<int>(n), tries[n].claimed, &answers[n * joints], settings, pose, check,
                 row);
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
  struct Own {
    Solver solver;
    Problem problem;
    VecX q;
  };
  const auto make = [&] {
    auto own = std::make_shared<Own>(Own{make_timed(method, settings), {}, pose.middle()});
    own->problem.model = model;
    own->problem.goals.assign(1, PoseGoal{.link = chain.tip, .base = chain.base});
    if (const Status status = own->solver->check(own->problem); !status.ok()) {
      throw BadInput{fmt::format("Method '{}' cannot take this: {}", method, status.message())};
    }
    if (!goals.empty()) {  // the first solve of a chain compiles it: not timed
      std::get<PoseGoal>(own->problem.goals[0]).target = goals[0].target;
      own->solver->solve(own->problem, own->q);
    }
    return Solving{[own, &goals](std::size_t n) { std::get<PoseGoal>(own->problem.goals[0]).target = goals[n].target; },
                   [own, &pose](std::size_t, double* joints) {
                     pose.set(joints, own->q);
                     const Report& report = own->solver->solve(own->problem, own->q);
                     pose.get(report.q, joints);
                     return Try{report.ok(), report.iterations};
                   }};
  };
  BenchRow row =
      run_solver(chain, goals, static_cast<int>(goals.size()), settings, settings.threads, pose, check, make, progress);
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
  BenchRow row;
  row.solver = method + " batch";
  row.ours = true;
  row.about = fmt::format("Armature, method {}, {} goals together", method, kAtOnce);
  row.poses = static_cast<int>(goals.size());
  const std::size_t joints = chain.joints.size();
  const int pieces = static_cast<int>((goals.size() + kAtOnce - 1) / kAtOnce);
  std::vector<double> spent(static_cast<std::size_t>(pieces)), answers(goals.size() * joints);
  std::vector<Try> tries(goals.size());
  struct Own {
    std::optional<Solver> solver;
    Batch batch;
    std::vector<Goal> questions;
    std::vector<Report> reports;
    MatX seeds, poses;
  };
  ParallelOptions parallel;
  parallel.threads = settings.threads;
  std::vector<Own> workers(static_cast<std::size_t>(worker_count(pieces, parallel)));
  Problem problem;
  problem.model = model;
  for_all(pieces, parallel, [&](int piece, int worker) {
    Own& own = workers[static_cast<std::size_t>(worker)];
    const bool first = !own.solver;
    if (first) {
      own.solver = make_timed(method, settings);
      (*own.solver)->common_options().max_time = 0.0;  // goals solved together share their time: patience decides
    }
    const std::size_t begin = static_cast<std::size_t>(piece) * kAtOnce,
                      count = std::min(kAtOnce, goals.size() - begin);
    own.questions.clear();
    own.seeds.resize(model.q_size(), static_cast<Eigen::Index>(count));
    for (std::size_t k = 0; k < count; ++k) {
      own.questions.emplace_back(PoseGoal{.link = chain.tip, .target = goals[begin + k].target, .base = chain.base});
      VecX q = pose.middle();
      pose.set(goals[begin + k].seed.data(), q);
      own.seeds.col(static_cast<Eigen::Index>(k)) = q;
    }
    double fastest = 1e300;
    for (int r = 0; r < std::max(1, settings.repeats) + (first ? 1 : 0); ++r) {
      own.poses = own.seeds;
      const auto start = Clock::now();
      own.batch.solve(**own.solver, problem, own.questions, own.poses, own.reports);
      const double took = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
      if (r > 0 || !first) fastest = std::min(fastest, took);  // the very first compiles the chain
    }
    spent[static_cast<std::size_t>(piece)] = fastest;
    for (std::size_t k = 0; k < count; ++k) {
      tries[begin + k] = {own.reports[k].ok(), own.reports[k].iterations};
      pose.get(own.poses.col(static_cast<Eigen::Index>(k)), &answers[(begin + k) * joints]);
    }
  });
  for (const double t : spent) row.mean += t / static_cast<double>(goals.size());
  for (std::size_t n = 0; n < goals.size(); ++n) {
    row.iterations += static_cast<double>(tries[n].iterations) / static_cast<double>(goals.size());
    count_answer(chain, goals[n], static_cast<int>(n), tries[n].claimed, &answers[n * joints], settings, pose, check,
                 row);
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
    const auto make = [&] {
      return Solving{[](std::size_t) {},
                     [&](std::size_t n, double* joints) {
                       Rng rng(static_cast<std::uint64_t>(settings.seed) * 1000003u + n);
                       return Try{peer->solve(goals[n].target, rng, joints), 0};
                     }};
    };
    BenchRow row = run_solver(chain, goals, peer_poses, settings, 1, pose, check, make, tell);
    row.solver = peer->name();
    row.about = peer->about();
    run.rows.push_back(std::move(row));
    ++part;
  }
  return run;
}

}  // namespace armature::cli
