#include "armature/solve/track.hpp"

#include <algorithm>
#include <cmath>

#include "armature/kinematics/pose.hpp"
#include "armature/motion/keyframes.hpp"

namespace armature {
namespace {

// Restores a solver's options when done with it.
class Borrowed {
 public:
  Borrowed(Solver& solver, int steps_per_frame) : solver_(solver), kept_(solver.common_options()) {
    for (const OptionInfo& option : solver.options()) {
      if (option.name == "continuous") was_continuous_ = option.default_value;
    }
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
  void set_continuous(bool on) const {
    if (was_continuous_ >= 0.0) static_cast<void>(solver_.set_option("continuous", on ? "true" : "false"));
  }
  const CommonOptions& kept() const { return kept_; }
  ~Borrowed() {
    set_continuous(was_continuous_ > 0.0);
    solver_.common_options() = kept_;
  }

 private:
  Solver& solver_;
  CommonOptions kept_;
  double was_continuous_ = -1.0;  // the solver has no such option
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

  const Borrowed borrowed(solver, options.steps_per_frame);
  borrowed.set_continuous(false);
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
    return options.steps_per_frame > 0 && near ? Outcome::converged : report.outcome;
  };
  const auto record = [&](const Report& report, TrackFrame frame) {
    frame.outcome = outcome_of(report);
    frame.position_error = report.position_error;
    frame.orientation_error = report.orientation_error;
    frame.near_singular = report.condition * options.near_singular > 1.0;
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
  if (options.steps_per_frame == 0) q = solver.solve(problem, q).q;  // by whatever way
  borrowed.set_continuous(true);
  const Report& first_report = solver.solve(problem, q);
  q = first_report.q;
  record(first_report, {});

  // One step a frame is the textbook's integration: no subdivision then.
  const int halvings = options.steps_per_frame > 0 ? 0 : options.halvings;
  VecX before, trial;
  for (int f = 1; f < *frames; ++f) {
    TrackFrame frame;
    frame.time = f * options.frame_time;
    frame.solves = 0;
    before = q;
    double from = (f - 1) * options.frame_time;
    double span = options.frame_time;
    const double shortest = options.frame_time * std::ldexp(1.0, -halvings) * 1.0001;
    const Report* report = nullptr;
    while (from < frame.time - 1e-9 * options.frame_time) {
      const double to = std::min(frame.time, from + span);
      set_time(to);
      report = &solver.solve(problem, q);
      trial = report->q;
      ++frame.solves;
      const bool too_far = largest_change(model, q, trial, v).size > options.largest_step;
      if (too_far && span > shortest) {
        span *= 0.5;
        continue;
      }
      frame.jump = frame.jump || (too_far && options.steps_per_frame == 0);
      q = trial;
      from = to;
      span = std::min(2.0 * span, options.frame_time);
    }
    const JointStep step = largest_change(model, before, q, v);
    frame.joint_step = step.size;
    frame.step_index = step.index;
    record(*report, frame);
  }
  return result;
}

}  // namespace armature
