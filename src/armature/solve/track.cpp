#include "armature/solve/track.hpp"

#include <algorithm>
#include <cmath>

#include "armature/kinematics/pose.hpp"
#include "armature/motion/keyframes.hpp"
#include "armature/solve/methods/follow.hpp"
#include "armature/solve/stack.hpp"

namespace armature {
namespace {

constexpr int kSettling = 64;      // solves in which a joint that is held back may arrive
constexpr int kLastDescent = 100;  // iterations that bring a frame home which following left short
constexpr int kLongestWait = 8;  // frames between two looks for another branch, at most; a quarter of it for few joints
constexpr int kLookPatience = 200;  // iterations of a look
constexpr int kBisections = 24;     // of a frame, for the last point that is reached
constexpr int kFewJoints = 10;      // velocities of a model for which the nearest branch is looked for

// Restores a solver's options when done with it.
class Borrowed {
 public:
  Borrowed(Solver& solver, int steps_per_frame) : solver_(solver), kept_(solver.common_options()) {
    if (steps_per_frame > 0) {  // plain Euler steps, each taken as it is: see run_sequence
      CommonOptions& now = solver.common_options();
      now.max_iterations = steps_per_frame;
      now.tolerance = now.orientation_tolerance = 1e-300;
      now.keep_best = false;
      if (now.max_step < 0.0) now.max_step = 0.0;
    }
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  const CommonOptions& kept() const { return kept_; }
  ~Borrowed() { solver_.common_options() = kept_; }

 private:
  Solver& solver_;
  CommonOptions kept_;
};

struct JointStep {
  double size = 0.0;
  int index = 0;
};

// The largest change of a joint; sliding joints count in parts of the model's size.
JointStep largest_change(const Model& model, const VecX& from, const VecX& to, VecX& v) {
  difference(model, from.data(), to.data(), v.data());
  JointStep largest;
  for (int i = 0; i < model.v_size(); ++i) {
    const ModelJoint& joint = model.joint(model.velocity_joint(i));
    const std::span<const Coordinate> kinds = coordinates(joint.type);
    const auto k = static_cast<std::size_t>(i - joint.v_index);
    const bool length = k < kinds.size() && kinds[k] == Coordinate::length;
    const double change = std::abs(v[i]) / (length ? model.size() : 1.0);
    if (change > largest.size) largest = {change, i};
  }
  return largest;
}

// Whether the solver searches, and so keeps a branch only when told to: 1 when it is told, 0 when not, else -1.
int keeps_branch(const Solver& solver) {
  for (const OptionInfo& option : solver.options()) {
    if (option.name == "continuous") return option.default_value > 0.0 ? 1 : 0;
  }
  return -1;
}
bool searches(const Solver& solver) { return keeps_branch(solver) >= 0; }

// Moves a pose along with its goals, each time by no more than `step` of a joint.
class Mover {
 public:
  Mover(Solver& solver, const Problem& problem, double step)
      : solver_(solver), model_(problem.model), step_(step), v_(problem.model.v_size()) {
    // Loops and collisions are for the solver, which keeps its branch from the second frame on.
    follows_ = (&solver.info() == &kFollowInfo || searches(solver)) && problem.model.closures().empty() &&
               !problem.avoids_collisions();
    if (&solver.info() == &kFollowInfo) follow_.settings = static_cast<Follow&>(solver).settings;
    static_cast<CommonOptions&>(follow_.settings) = solver.common_options();
    follow_.settings.recover_choice.index = static_cast<int>(Recover::never);
    static_cast<CommonOptions&>(local_.settings) = solver.common_options();
    local_.settings.local = true;
    local_.settings.max_iterations = local_.settings.give_up = kLastDescent;
    box_.resize(v_.size());
    for (int i = 0; i < box_.size(); ++i) box_[i] = step * unit(i);
  }

  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;
  ~Mover() {
    if (kept_ == 0) static_cast<void>(solver_.set_option("continuous", "false"));
  }

  bool follows() const { return follows_; }
  // To the first frame, by whatever way.
  const Report& begin(const Problem& problem, VecX& q) {
    if (!follows_) {
      const Report& first = taken(solver_.solve(problem, q), q);
      kept_ = keeps_branch(solver_);
      if (kept_ == 0) static_cast<void>(solver_.set_option("continuous", "true"));
      return first;
    }
    if (const Report& near = follow_.solve(problem, q); near.ok()) {
      q = near.q;
    } else if (searches(solver_)) {
      q = solver_.solve(problem, q).q;
    } else {
      static_cast<CommonOptions&>(search_.settings) = solver_.common_options();
      search_.settings.max_iterations = ReachOptions{}.max_iterations;
      q = search_.solve(problem, q).q;
    }
    follow_.begin(problem, q);
    return taken(follow_.solve_within(problem, q, box_), q);
  }
  // From q to the goals as they are now. `far`: a joint would have to move farther than it may at a time.
  const Report& move(const Problem& problem, VecX& q, bool& far) {
    before_ = q;
    if (!follows_) {
      const Report& report = taken(solver_.solve(problem, q), q);
      far = largest_change(model_, before_, q, v_).size > step_;
      return report;
    }
    follow_.go_on_from(q);
    const Report& report = taken(follow_.solve_within(problem, q, box_), q);
    far = follow_.held_back() && !report.ok();  // the goals are met: what is held back will come after
    if (report.ok() || far || report.bound != ReachBound::none) return report;
    // Left short by a local minimum, or by a little: a plain descent, if there is one near.
    const Report& last = local_.solve(problem, q);
    if (!last.ok()) return report;
    descended_ = last.q;
    far = largest_change(model_, before_, descended_, v_).size > step_;
    return far ? report : taken(last, q);
  }
  // After a frame that was missed: another branch that reaches, if it is time to look for one. Looks become rarer
  // while there is none.
  const Report* change_branch(const Problem& problem, VecX& q) {
    if (!follows_ || ++missed_ < wait_) return nullptr;
    missed_ = 0;
    static_cast<CommonOptions&>(search_.settings) = solver_.common_options();
    search_.settings.max_iterations = ReachOptions{}.max_iterations;
    search_.settings.give_up = kLookPatience;
    search_.settings.quality_choice.index =
        static_cast<int>(model_.v_size() <= kFewJoints ? Quality::nearest : Quality::first);
    const Report& report = search_.solve(problem, q);
    const int longest = model_.v_size() <= kFewJoints ? kLongestWait / 4 : kLongestWait;
    wait_ = report.ok() ? 1 : std::min(longest, wait_ + 1);
    if (!report.ok()) return nullptr;
    return &taken(report, q);
  }
  // The same where even the shortest time is too long: on and on with the goals at rest, or at last by a jump.
  const Report& settle(const Problem& problem, VecX& q, int& solves) {
    bool far = true;
    for (int i = 0; i < kSettling; ++i) {
      const Report& report = move(problem, q, far);
      ++solves;
      if (far && follow_.held_back()) continue;
      return far ? taken(local_.solve(problem, descended_), q) : report;
    }
    return move(problem, q, far);
  }

 private:
  static const Report& taken(const Report& report, VecX& q) {
    q = report.q;
    return report;
  }
  double unit(int velocity) const {
    const ModelJoint& joint = model_.joint(model_.velocity_joint(velocity));
    const std::span<const Coordinate> kinds = coordinates(joint.type);
    const auto k = static_cast<std::size_t>(velocity - joint.v_index);
    return k < kinds.size() && kinds[k] == Coordinate::length ? model_.size() : 1.0;
  }

  Solver& solver_;
  const Model model_;
  double step_;
  bool follows_ = false;
  Follow follow_;
  Reach local_, search_;
  VecX box_, v_, before_, descended_;
  int missed_ = 0, wait_ = 1;  // frames
  int kept_ = -1;              // whether the solver was told to keep its branch
};

// How far from singular frames are.
class Singularity {
 public:
  double condition(const Problem& problem, const Report& report, const VecX& q) {
    if (report.condition > 0.0 || !compiled_.interpret(problem, {}).ok()) return report.condition;
    stack_.prepare(compiled_);
    stack_.evaluate(q.data());
    stack_.differentiate();
    return stack_.rows() > 0 && stack_.columns() > 0 ? dexterity(stack_.J).condition : 0.0;
  }

 private:
  CompiledProblem compiled_;
  Stack stack_;
};

// Share of the paths' length that lies before a time.
double fraction_at(const std::vector<GoalPath>& paths, double time) {
  double done = 0.0, whole = 0.0;
  for (const GoalPath& path : paths) {
    whole += path.curve.length();
    done += path.timing.distance(path.curve.length(), time - path.start);
  }
  return whole > 0.0 ? done / whole : 1.0;
}

}  // namespace

Goal goal_at(const GoalPath& path, double time) {
  if (path.orientation.keys.empty()) {
    PositionGoal goal;
    goal.link = path.link;
    goal.point = path.point;
    goal.target = path.position(time);
    goal.axes.free[2] = path.planar;
    return goal;
  }
  PoseGoal goal;
  goal.link = path.link;
  goal.point = path.point;
  goal.target = Transform::from(path.rotation(time), path.position(time));
  goal.position_axes.free[2] = path.planar;
  return goal;
}

Result<Track> track(Solver& solver, const Problem& given, const std::vector<GoalPath>& paths, const VecX& start,
                    const TrackOptions& options) {
  if (given.model.empty()) return Error{"There is no model to move."};
  const Model& model = given.model;
  if (paths.empty()) return Error{"There is no path to follow."};
  if (start.size() != model.q_size() || !start.allFinite()) {
    return Error{"The start pose needs " + std::to_string(model.q_size()) + " finite numbers."};
  }
  if (!(std::isfinite(options.frame_time) && options.frame_time > 0.0)) {
    return Error{"A frame must last a positive number of seconds."};
  }
  double end = 0.0;
  for (const GoalPath& path : paths) end = std::max(end, path.end());
  // The last frame is at the end or beyond.
  const Result<int> frames = check_frame_count(std::ceil(end / options.frame_time - 1e-9) + 1.0, model.q_size());
  if (!frames) return frames.error();

  Problem problem = given;
  const std::size_t first = problem.goals.size();
  for (const GoalPath& path : paths) problem.goals.push_back(goal_at(path, 0.0));
  if (const Status status = solver.check(problem); !status) return status.error();
  const auto set_time = [&](double time) {
    for (std::size_t i = 0; i < paths.size(); ++i) problem.goals[first + i] = goal_at(paths[i], time);
  };

  const bool steps = options.steps_per_frame > 0;  // the textbook's integration: no subdivision then
  const Borrowed borrowed(solver, options.steps_per_frame);
  Mover mover(solver, problem, options.largest_step);
  Singularity singularity;
  Track result;
  result.clip.frame_time = options.frame_time;
  result.clip.q_size = model.q_size();
  result.frames.reserve(static_cast<std::size_t>(*frames));

  VecX q = start;
  VecX v(model.v_size());
  // An Euler step ends out of iterations by design: what counts is how near it came.
  const double tolerance = borrowed.kept().tolerance > 0.0 ? borrowed.kept().tolerance : 1e-6 * model.size();
  const auto outcome_of = [&](const Report& report) {
    const bool near =
        report.position_error <= tolerance && report.orientation_error <= borrowed.kept().orientation_tolerance;
    return steps && near ? Outcome::converged : report.outcome;
  };
  const auto record = [&](const Report& report, TrackFrame frame) {
    frame.outcome = outcome_of(report);
    frame.position_error = report.position_error;
    frame.orientation_error = report.orientation_error;
    frame.near_singular = singularity.condition(problem, report, q) * options.near_singular > 1.0;
    result.unreached += frame.outcome == Outcome::converged ? 0 : 1;
    result.jumps += frame.jump ? 1 : 0;
    result.near_singular += frame.near_singular ? 1 : 0;
    const bool larger =
        result.frames.empty() ||
        frame.joint_step > result.frames[static_cast<std::size_t>(result.largest_step_frame)].joint_step;
    if (larger) result.largest_step_frame = static_cast<int>(result.frames.size());
    result.frames.push_back(frame);
    result.clip.append(q);
  };
  if (steps) {
    const Report& report = solver.solve(problem, q);
    q = report.q;
    record(report, {});
  } else {
    record(mover.begin(problem, q), {});
  }
  if (options.stop && result.unreached > 0) {
    result.fraction = 0.0;
    return result;
  }

  VecX before, trial;
  for (int f = 1; f < *frames; ++f) {
    TrackFrame frame;
    frame.time = f * options.frame_time;
    frame.solves = 0;
    before = q;
    double from = (f - 1) * options.frame_time;
    double span = options.frame_time;
    const double shortest = options.frame_time * std::ldexp(1.0, -options.halvings) * 1.0001;
    const Report* report = nullptr;
    while (from < frame.time - 1e-9 * options.frame_time) {
      const double to = std::min(frame.time, from + span);
      set_time(to);
      trial = q;
      bool far = false;
      report = steps ? &solver.solve(problem, trial) : &mover.move(problem, trial, far);
      if (steps) trial = report->q;
      ++frame.solves;
      if (far && span > shortest) {
        span *= 0.5;
        continue;
      }
      if (far && mover.follows()) report = &mover.settle(problem, trial, frame.solves);
      frame.jump = frame.jump || (far && largest_change(model, q, trial, v).size > options.largest_step);
      q = trial;
      from = to;
      span = std::min(2.0 * span, options.frame_time);
    }
    if (options.stop && outcome_of(*report) != Outcome::converged) {
      // The last point that is reached, between this frame and the one before.
      double low = frame.time - options.frame_time, high = frame.time;
      q = before;
      for (int i = 0; i < kBisections && !steps; ++i) {
        const double middle = 0.5 * (low + high);
        set_time(middle);
        trial = q;
        bool far = false;
        const bool reached = mover.move(problem, trial, far).ok() && !far;
        (reached ? low : high) = middle;
        if (reached) q = trial;
      }
      result.fraction = fraction_at(paths, low);
      if (low <= frame.time - options.frame_time) return result;
      frame.time = low;
      frame.jump = false;
      set_time(low);
      bool far = false;
      report = &mover.move(problem, q, far);
    } else if (!steps && !report->ok() && report->bound == ReachBound::none) {
      trial = q;
      if (const Report* other = mover.change_branch(problem, q)) {
        report = other;
        ++frame.solves;
        frame.jump = frame.jump || largest_change(model, trial, q, v).size > options.largest_step;
      }
    }
    const JointStep step = largest_change(model, before, q, v);
    frame.joint_step = step.size;
    frame.step_index = step.index;
    record(*report, frame);
    if (result.fraction < 1.0) break;
  }
  return result;
}

}  // namespace armature
