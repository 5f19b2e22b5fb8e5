#include "armature/solve/solutions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "armature/base/index.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/reach.hpp"
#include "armature/solve/solution_curves.hpp"

namespace armature::inline v0_2 {
namespace {

std::string poses(const Solutions& all) {
  const int answers = all.answer_count();
  if (all.count() == 0) return "No pose reaches";
  const std::string turns =
      answers < all.count() ? "(" + std::to_string(all.count()) + " with full turns) " : std::string();
  return std::to_string(answers) + (answers == 1 ? " pose " + turns + "reaches" : " poses " + turns + "reach");
}

/// One problem with its start, limits and options in place; fills a Solutions.
class Finder {
 public:
  Finder(const Problem& problem, const SolutionsOptions& options) : problem_(problem), options_(options) {}

  Status prepare() {
    if (Status status = check_problem(problem_); !status) return status;
    const Model& model = problem_.model;
    if (!options_.within_limits) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      problem_.limits.clear();
      for (int link = 0; link < model.link_count(); ++link) {
        const ModelJoint& joint = model.joint(link);
        if (joint.mimic || joint.q_count == 0 || joint.q_count != joint.v_count) continue;
        Limits none;
        none.lower.assign(at(joint.q_count), -kInfinity);
        none.upper.assign(at(joint.q_count), kInfinity);
        problem_.limits.emplace_back(JointRef(link), none);
      }
    }
    start_ = options_.start.size() > 0   ? options_.start
             : problem_.start.size() > 0 ? problem_.start
                                         : start_pose(model);
    if (Status status = compiled_.interpret(problem_, SolveOptions{}, start_); !status) return status;
    clamp_start(model, compiled_.lower(), compiled_.upper(), start_.data());
    return {};
  }

  Solutions find() {
    chain_.any_axis = true;
    if (chain_.prepare(compiled_, start_.data())) {
      by_analysis();
    } else {
      by_search();
    }
    return std::move(out_);
  }

 private:
  void by_analysis() {
    const ChainAnalysis& analysis = chain_.analysis();
    const bool curved = analysis.kind == ChainClass::srs || analysis.kind == ChainClass::locked;
    ChainSolveOptions how;
    how.thorough = options_.thorough;
    how.lower = chain_.lower;
    how.upper = chain_.upper;
    out_.chain_class = class_name(analysis.kind);
    if (curved) {
      std::vector<CurvePoint> points =
          options_.samples > 0 ? sample_curves(chain_, how, options_.samples) : nearest_on_curves(chain_, how);
      const std::size_t most = at(std::max(1, options_.max_count));
      bool cut = false;
      if (options_.samples <= 0 && points.size() > most) points.resize(most), cut = true;
      resize(points.size());
      for (std::size_t k = 0; k < points.size(); ++k) {
        add(points[k].value);
        out_.answers.push_back(static_cast<int>(k));
        out_.curves.push_back(points[k].curve);
      }
      std::vector<int> curves = out_.curves;
      std::sort(curves.begin(), curves.end());
      const auto many = std::unique(curves.begin(), curves.end()) - curves.begin();
      const std::string lines = std::to_string(many) + (many == 1 ? " curve" : " curves");
      say(points.empty() ? ""
                         : "seven joints leave " + lines + " of them, and these are " +
                               (options_.samples > 0 ? "samples" : "the points nearest to the start") +
                               (cut ? ", the nearest ones" : ""));
    } else {
      auto answers = std::make_unique<ChainAnswers>();
      auto limited = std::make_unique<LimitedAnswers>();
      solve_chain(analysis, chain_.target(), chain_.start, how, *answers);
      within_limits(analysis, *answers, chain_.lower, chain_.upper, chain_.start, options_.max_count, *limited);
      resize(at(limited->count));
      std::vector<int> number(at(answers->count), -1);  // in the order of the list
      int numbers = 0;
      for (int k = 0; k < limited->count; ++k) {
        add(limited->item[k].value);
        int& n = number[at(limited->item[k].answer)];
        if (n < 0) n = numbers++;
        out_.answers.push_back(n);
      }
      for (int j = 0; j < chain_.joint_count(); ++j) {
        if (((answers->singular_joints >> j) & 1u) == 0) continue;
        out_.singular_joints.push_back(analysis.chain.coordinates[at(j)].coordinate);
      }
      // What turns without moving the goal does not decide whether there is a pose at all.
      const std::vector<int>& turning = chain_.free_coordinates();
      if (out_.count() > 0) out_.singular_joints.insert(out_.singular_joints.end(), turning.begin(), turning.end());
      out_.complete = answers->complete && !limited->cut && out_.singular_joints.empty();
      say(limited->cut ? "there are more, and these are the nearest to the start"
          : !out_.singular_joints.empty() && out_.count() == 0
              ? "a joint is free at some that lie outside, and not all of its values were tried"
          : !out_.singular_joints.empty()     ? "at some of them a joint is free, so that a curve of poses runs through"
          : answers->complete && out_.count() ? "these are all"
          : answers->complete                 ? "the equations leave nothing open"
                                              : "the equations left something open, so there may be more");
    }
    out_.message += " " + analysis.sentence;
  }

  // Many starts, answers told apart: by full turns, and where goals leave a freedom by a good distance.
  void by_search() {
    const Model& model = problem_.model;
    Problem exact = problem_;
    for (Goal& goal : exact.goals) {
      if (auto* pose = std::get_if<PoseGoal>(&goal)) pose->tolerance = pose->orientation_tolerance = 0.0;
      if (auto* position = std::get_if<PositionGoal>(&goal)) position->tolerance = 0.0;
      if (auto* orientation = std::get_if<OrientationGoal>(&goal)) orientation->tolerance = 0.0;
    }
    Reach reach;
    reach.settings.tolerance = 1e-9 * model.size();
    reach.settings.orientation_tolerance = 1e-9;
    Stack stack;
    stack.prepare(compiled_);
    const bool freedom = stack.columns() > stack.rows();
    const double apart = freedom ? 0.5 : 1e-4;
    std::vector<char> moves(at(model.q_size()), 0);  // coordinates of joints that can move a goal
    for (const int velocity : stack.active) {
      const ModelJoint& joint = model.joint(model.velocity_joint(velocity));
      for (int c = 0; c < joint.q_count; ++c) moves[at(joint.q_index + c)] = 1;
    }
    struct Found {
      VecX q;
      double distance;
    };
    std::vector<Found> found;
    VecX step(model.v_size());
    const auto distance = [&](const VecX& a, const VecX& b) {
      difference(model, a.data(), b.data(), step.data());
      for (int v = 0; v < model.v_size(); ++v) {
        const ModelJoint& joint = model.joint(model.velocity_joint(v));
        const bool length = coordinates(joint.type)[at(v - joint.v_index)] == Coordinate::length;
        step[v] = length ? step[v] / compiled_.length() : std::remainder(step[v], 2.0 * kPi);
      }
      return step;
    };
    Rng rng(static_cast<std::uint64_t>(options_.seed));
    const std::size_t most = at(std::max(1, freedom ? std::min(options_.max_count, 16) : options_.max_count));
    Outcome first = Outcome::stalled;
    for (int n = 0; n <= options_.starts && found.size() < most; ++n) {
      VecX q = start_;
      if (n > 0) {
        const VecX random = random_pose(model, rng);
        for (int c = 0; c < model.q_size(); ++c) {
          if (moves[at(c)] != 0) q[c] = std::clamp(random[c], compiled_.lower()[c], compiled_.upper()[c]);
        }
        reach.settings.keep_branch = true;  // each start to where it leads
      }
      const Report& report = reach.solve(exact, q);
      q = report.q;
      if (n == 0) first = report.outcome;
      if (first == Outcome::unreachable) break;
      if (!report.ok()) continue;
      const bool seen = std::any_of(found.begin(), found.end(),
                                    [&](const Found& f) { return (distance(f.q, q).array().abs() < apart).all(); });
      if (!seen) found.push_back({q, distance(start_, q).norm()});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Found& a, const Found& b) { return a.distance < b.distance; });
    resize(found.size());
    for (const Found& f : found) {
      out_.answers.push_back(static_cast<int>(out_.answers.size()));
      add_pose(f.q);
    }
    out_.complete = first == Outcome::unreachable;
    say(out_.complete
            ? "link lengths prove it"
            : "found from " + std::to_string(options_.starts) + " starts, so there may be more" +
                  (freedom && !found.empty() ? ": the goals leave a freedom, and these are points of it" : ""));
    out_.message += " " + chain_.status().message();
  }

  void resize(std::size_t count) {
    out_.q.resize(problem_.model.q_size(), static_cast<Eigen::Index>(count));
    out_.residuals.resize(static_cast<Eigen::Index>(count));
    filled_ = 0;
  }
  void add(const double* values) {
    pose_ = start_;
    chain_.put(compiled_, values, pose_.data());
    add_pose(pose_);
  }
  void add_pose(const VecX& q) {
    forward(problem_.model, q, state_);
    double residual = 0.0;
    for (const CompiledGoal& goal : compiled_.goals()) {
      if (!goal.counts) continue;
      const GoalResidual errors = compiled_.measure(goal, state_);
      residual = std::max({residual, errors.position_error / problem_.model.size(), errors.orientation_error});
    }
    out_.q.col(filled_) = q;
    out_.residuals[filled_++] = residual;
  }
  void say(const std::string& rest) {
    const char* where = options_.within_limits ? " inside the limits" : ", limits not counted";
    out_.message = poses(out_) + " the goal" + where + (rest.empty() ? "" : "; " + rest) + ".";
  }

  Problem problem_;
  const SolutionsOptions& options_;
  CompiledProblem compiled_;
  ProblemChain chain_;
  VecX start_, pose_;
  State state_;
  Eigen::Index filled_ = 0;
  Solutions out_;
};

}  // namespace

int Solutions::answer_count() const {
  return answers.empty() ? 0 : 1 + *std::max_element(answers.begin(), answers.end());
}

Result<Solutions> solutions(const Problem& problem, const SolutionsOptions& options) {
  Finder finder(problem, options);
  if (Status status = finder.prepare(); !status) return status.error();
  return finder.find();
}

Result<Solutions> solutions(const Model& model, const Goal& goal, const SolutionsOptions& options) {
  Problem problem;
  problem.model = model;
  problem.goals.push_back(goal);
  return solutions(problem, options);
}

}  // namespace armature::inline v0_2
