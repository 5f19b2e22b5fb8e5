// Over 400 lines: one walk along the paths, whose frames, flags and halvings share what is known of the last frame.
#include "armature/solve/track.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/number.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/keyframes.hpp"
#include "armature/motion/paced.hpp"
#include "armature/solve/free_answers.hpp"
#include "armature/solve/measure.hpp"
#include "armature/solve/methods/follow.hpp"
#include "armature/solve/stack.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kSettling = 64;      // solves in which a joint that is held back may arrive
constexpr int kLastDescent = 100;  // iterations that bring a frame home which following left short
constexpr int kLongestWait = 8;  // frames between two looks for another branch, at most; a quarter of it for few joints
constexpr int kLookPatience = 200;      // iterations of a look
constexpr int kBisections = 24;         // of a frame, for the last point that is reached
constexpr double kFineFrames = 400.0;   // at least, of a motion that is to be timed
constexpr double kOnPaths = 10.0;       // tolerances: joints interpolated between its frames leave the paths by less
constexpr double kFinest = 1e-4;        // radians between two frames of it, at least
constexpr int kMostBetween = 20000;     // frames that are put between
constexpr int kSections = 30;           // of the time between two frames, for the place of a pose on its paths
constexpr int kSlowings = 24;           // of a clock where frames are too fast, until all keep the limits
constexpr double kSlowest = 1.0 / 1.1;  // of the speed that the limits allow: beyond, poses are interpolated
constexpr int kRamp = 8;                // frames of the paths over which that begins and ends
constexpr int kFewJoints = 10;          // velocities of a model for which the nearest branch is looked for

// Restores a solver's options when done with it.
class Borrowed {
 public:
  Borrowed(Method& solver, int steps_per_frame) : solver_(solver), kept_(solver.common_options()) {
    if (steps_per_frame > 0) {  // plain Euler steps, each taken as it is
      SolveOptions& now = solver.common_options();
      now.max_iterations = steps_per_frame;
      now.tolerance = now.orientation_tolerance = 1e-300;
      now.keep_best = false;
      if (now.max_step < 0.0) now.max_step = 0.0;
    }
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  const SolveOptions& kept() const { return kept_; }
  ~Borrowed() { solver_.common_options() = kept_; }

 private:
  Method& solver_;
  SolveOptions kept_;
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
int keeps_branch(const Method& solver) {
  for (const OptionInfo& option : solver.option_list()) {
    if (option.name == "keep_branch") return option.default_value > 0.0 ? 1 : 0;
  }
  return -1;
}
bool searches(const Method& solver) { return keeps_branch(solver) >= 0; }

// Moves a pose along with its goals, each time by no more than `step` of a joint.
class Mover {
 public:
  Mover(Method& solver, const Problem& problem, double step)
      : solver_(solver), model_(problem.model), step_(step), v_(problem.model.v_size()) {
    // Loops are for the solver, which keeps its branch from the second frame on.
    follows_ = (&solver.info() == &kFollowInfo || searches(solver)) && problem.model.closures().empty();
    if (&solver.info() == &kFollowInfo) follow_.settings = static_cast<Follow&>(solver).settings;
    static_cast<SolveOptions&>(follow_.settings) = solver.common_options();
    follow_.settings.recover = Recover::never;
    static_cast<SolveOptions&>(local_.settings) = solver.common_options();
    local_.settings.local = true;
    local_.settings.max_iterations = local_.settings.patience = kLastDescent;
    box_.resize(v_.size());
    for (int i = 0; i < box_.size(); ++i) box_[i] = step * unit(i);
  }

  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;
  ~Mover() {
    if (kept_ == 0) static_cast<void>(solver_.set_option("keep_branch", "false"));
  }

  bool follows() const { return follows_; }
  // The pose at the goals next to q, which is about there.
  const Report& touch_up(const Problem& problem, const VecX& q) { return local_.solve(problem, q); }
  // To the first frame, by whatever way.
  const Report& begin(const Problem& problem, VecX& q) {
    if (!follows_) {
      const Report& first = taken(solver_.solve(problem, q), q);
      kept_ = keeps_branch(solver_);
      if (kept_ == 0) static_cast<void>(solver_.set_option("keep_branch", "true"));
      return first;
    }
    if (const Report& near = follow_.solve(problem, q); near.ok()) {
      q = near.q;
    } else if (searches(solver_)) {
      q = solver_.solve(problem, q).q;
    } else {
      static_cast<SolveOptions&>(search_.settings) = solver_.common_options();
      search_.settings.max_iterations = ReachOptions::kMaxIterations;
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
    if (report.ok() || far || report.proof || report.outcome == Outcome::blocked) return report;
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
    static_cast<SolveOptions&>(search_.settings) = solver_.common_options();
    search_.settings.max_iterations = ReachOptions::kMaxIterations;
    search_.settings.patience = kLookPatience;
    search_.settings.quality = model_.v_size() <= kFewJoints ? Quality::nearest : Quality::first;
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

  Method& solver_;
  const Model model_;
  double step_;
  bool follows_ = false;
  Follow follow_;
  Reach local_, search_;
  VecX box_, v_, before_, descended_;
  int missed_ = 0, wait_ = 1;  // frames
  int kept_ = -1;              // whether the solver was told to keep its branch
};

// Whether poses, and the ways between them, touch nothing; where the problem asks for that.
class FreeWay {
 public:
  explicit FreeWay(const Problem& problem) {
    CompiledProblem compiled;
    compiled.closes_loops = true;  // what is looked at here does not move
    needed_ = problem.avoids_collisions() && compiled.interpret(problem, {}).ok() && free_.prepare(compiled);
  }
  bool is_free(const VecX& from, const VecX& to) {
    return !needed_ || (free_.is_free(to.data()) && free_.prove_free(from, to));
  }

 private:
  FreeAnswers free_;
  bool needed_ = false;
};

// How far from singular frames are.
class Singularity {
 public:
  double condition(const Problem& problem, const Report& report, const VecX& q) {
    const double known = report.measures.condition;
    if (known > 0.0 || !compiled_.interpret(problem, {}).ok()) return known;
    stack_.prepare(compiled_);
    stack_.evaluate(q.data());
    stack_.differentiate();
    if (stack_.rows() == 0 || stack_.columns() == 0) return 0.0;
    measures(stack_.J, measures_);
    return measures_.condition;
  }

 private:
  CompiledProblem compiled_;
  Stack stack_;
  Measures measures_;
};

// Share of the paths' length that lies before a time.
double fraction_at(const std::vector<MovingGoal>& moving, double time) {
  double done = 0.0, whole = 0.0, shares = 0.0;
  for (const MovingGoal& goal : moving) {
    whole += goal.motion.curve.length();
    done += goal.motion.curve.length() * goal.motion.share(time);
    shares += goal.motion.share(time);
  }
  return whole > 0.0 ? done / whole : shares / static_cast<double>(moving.size());  // turns alone have no length
}

double end_of(const std::vector<MovingGoal>& moving) {
  double end = 0.0;
  for (const MovingGoal& goal : moving) end = std::max(end, goal.motion.end());
  return end;
}

// A motion on another clock, near the paths: where on them each frame is, and how far to go to the goals there.
struct Guide {
  const Clip& clip;
  std::vector<double> times;   // on the paths' clock
  std::vector<double> shares;  // of the way to the goals that solving for them leads; 0: the pose as it is
  std::vector<char> jumps;
};

// A goal's own frame in that of its base, and where it should be; false for goals that have none.
bool frames_of(const Goal& goal, const GoalLinks& links, const State& state, Transform& here, Transform& target,
               bool& turns) {
  turns = false;
  if (const auto* position = std::get_if<PositionGoal>(&goal)) {
    here = relative(state, links.base, links.link) * Transform::translate(position->point);
    target = Transform::translate(position->target);
  } else if (const auto* pose = std::get_if<PoseGoal>(&goal)) {
    here = relative(state, links.base, links.link) * Transform::translate(pose->point);
    target = pose->target;
    turns = true;
  } else if (const auto* orientation = std::get_if<OrientationGoal>(&goal)) {
    here.rotation = relative(state, links.base, links.link).rotation;
    target = Transform::from(orientation->target, Vec3::Zero());
    turns = true;
  } else if (const auto* aim = std::get_if<AimGoal>(&goal)) {
    here = target = Transform::translate(aim->target);
  } else {
    return false;
  }
  return true;
}

std::string list_of(const std::vector<int>& frames) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(frames.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(frames[i]);
  }
  return frames.size() > kMost ? text + ", ..." : text;
}

}  // namespace

const Path* goal_path(const Goal& goal) {
  return std::visit(
      [](const auto& g) -> const Path* {
        if constexpr (requires { g.path; }) {
          return &g.path;
        } else {
          return nullptr;
        }
      },
      goal);
}
Path* goal_path(Goal& goal) { return const_cast<Path*>(goal_path(std::as_const(goal))); }

Result<std::vector<MovingGoal>> moving_goals(const Problem& problem, const VecX& start) {
  const Model& model = problem.model;
  VecX q = start;
  clamp(model, q);
  State state;
  forward(model, q, state);
  std::vector<MovingGoal> moving;
  for (std::size_t i = 0; i < problem.goals.size(); ++i) {
    const Goal& goal = problem.goals[i];
    const Path* path = goal_path(goal);
    if (path == nullptr || path->empty() || goal_fields(goal).weight == 0.0) continue;
    const Result<GoalLinks> links = resolve_links(goal, model, problem.tip);
    if (!links) return links.error();
    Transform here, target;
    bool turns = false;
    frames_of(goal, *links, state, here, target, turns);
    Result<PathMotion> motion = PathMotion::make(*path, here, target, turns);
    if (!motion) return motion.error();
    moving.push_back({i, std::move(*motion)});
  }
  return moving;
}

void move_target(const MovingGoal& moving, double time, Goal& goal) {
  const PathMotion& motion = moving.motion;
  if (auto* position = std::get_if<PositionGoal>(&goal)) {
    position->target = motion.position(time);
  } else if (auto* pose = std::get_if<PoseGoal>(&goal)) {
    pose->target = Transform::from(motion.rotation(time), motion.position(time));
  } else if (auto* orientation = std::get_if<OrientationGoal>(&goal)) {
    orientation->target = motion.rotation(time);
  } else if (auto* aim = std::get_if<AimGoal>(&goal)) {
    aim->target = motion.position(time);
  }
}

std::string Track::message() const {
  const std::size_t count = frames.size();
  const std::string ended =
      fraction < 1.0 ? "Stopped at " + pretty_number(100.0 * fraction, 4) + " % of the paths: " : "";
  std::string text = not_reached.empty() ? (fraction < 1.0 ? ended + "the rest is not reached from there."
                                                           : "All " + std::to_string(count) + " frames are reached.")
                                         : ended + std::to_string(not_reached.size()) + " of " + std::to_string(count) +
                                               " frames are not reached (" + list_of(not_reached) +
                                               "); the largest error is " + pretty_number(largest_error, 4) + ".";
  if (!near_singular.empty()) {
    text += " " + std::to_string(near_singular.size()) + " are near a singularity (" + list_of(near_singular) + ").";
  }
  std::vector<int> held;
  for (std::size_t i = 0; i < count; ++i) {
    if (frames[i].outcome == Outcome::blocked) held.push_back(static_cast<int>(i));
  }
  if (!held.empty()) {
    text += " " + std::to_string(held.size()) + " of them are held off by what they must not touch (" + list_of(held) +
            "): they come as near as a free way leads.";
  }
  if (!jumps.empty()) {
    const bool retimed = frames[at(jumps.front())].solves == 0;  // interpolated
    text += retimed ? " From one branch to another, off the paths, in the frames that end with " + list_of(jumps) + "."
                    : " A joint jumps at frame " + list_of(jumps) + ".";
  }
  if (slowed()) {
    text += " The limits make it take " + pretty_number(clip.duration(), 4) + " s, where the paths ask for " +
            pretty_number(asked, 4) + " s.";
  }
  return text;
}

Result<Track> track(const Problem& problem, const TrackOptions& options) {
  Reach reach;
  return track(reach, problem, options);
}

namespace {

// Along the paths on their own clock, or on that of a guide.
Result<Track> followed(Method& solver, const Problem& given, const TrackOptions& options, const Guide* guide) {
  if (given.model.empty()) return Error{"There is no model to move."};
  const Model& model = given.model;
  VecX start = given.start.size() > 0 ? given.start : start_pose(model);
  if (start.size() != model.q_size() || !start.allFinite()) {
    return Error{"The start pose needs " + std::to_string(model.q_size()) + " finite numbers."};
  }
  // Turns without number are taken off first: what is measured is then what is returned.
  if (VecX near = start; clamp_start(model, model.lower().data(), model.upper().data(), near.data())) start = near;
  const double frame_time = 1.0 / options.frame_rate;
  if (!(std::isfinite(frame_time) && frame_time > 0.0)) {
    return Error{"The frame rate must be a positive number of frames per second."};
  }
  if (const Status status = solver.check(given); !status) return status.error();
  const Result<std::vector<MovingGoal>> found = moving_goals(given, start);
  if (!found) return found.error();
  const std::vector<MovingGoal>& moving = *found;
  if (moving.empty()) return Error{"No goal has a path to follow."};
  const double end = end_of(moving);
  // The last frame is at the end or beyond.
  const Result<int> frames = check_frame_count(std::ceil(end / frame_time - 1e-9) + 1.0, model.q_size());
  if (!frames) return frames.error();

  Problem problem = given;
  const auto set_time = [&](double time) {
    for (const MovingGoal& goal : moving) move_target(goal, time, problem.goals[goal.goal]);
  };
  set_time(0.0);
  if (const Status status = solver.check(problem); !status) return status.error();
  const Goal& shown = problem.goals[moving.front().goal];
  const GoalLinks shown_links = *resolve_links(shown, model, problem.tip);

  const bool steps = options.steps_per_frame > 0;  // the textbook's integration: no subdivision then
  const Borrowed borrowed(solver, options.steps_per_frame);
  Mover mover(solver, problem, options.max_joint_step);
  Singularity singularity;
  FreeWay way(problem);
  Track result;
  result.stepped = steps;
  result.clip.model = model;
  result.clip.frame_time = frame_time;
  result.clip.q_size = model.q_size();
  result.frames.reserve(static_cast<std::size_t>(*frames));

  VecX q = start;
  VecX v(model.v_size());
  State state;
  // An Euler step ends out of iterations by design: what counts is how near it came.
  const double tolerance = borrowed.kept().tolerance > 0.0 ? borrowed.kept().tolerance : 1e-6 * model.size();
  const auto outcome_of = [&](const Report& report) {
    const bool near =
        report.position_error <= tolerance && report.orientation_error <= borrowed.kept().orientation_tolerance;
    return steps && near ? Outcome::converged : report.outcome;
  };
  bool held = false;  // the frame is left where the last free pose is
  const auto record = [&](const Report& report, TrackFrame frame) {
    const int number = static_cast<int>(result.frames.size());
    frame.outcome = outcome_of(report);
    frame.position_error = report.position_error;
    frame.orientation_error = report.orientation_error;
    frame.near_singular = singularity.condition(problem, report, q) * options.singular_below > 1.0;
    forward(model, q, state);
    Transform here, target;
    bool turns = false;
    frames_of(shown, shown_links, state, here, target, turns);
    const Transform X_WB = relative(state, kWorld, shown_links.base);
    frame.actual = X_WB * here.position;
    frame.target = X_WB * target.position;
    if (held) {
      frame.outcome = Outcome::blocked;
      frame.position_error = (frame.actual - frame.target).norm();
    }
    if (frame.outcome != Outcome::converged) result.not_reached.push_back(number);
    if (frame.jump) result.jumps.push_back(number);
    if (frame.near_singular) result.near_singular.push_back(number);
    result.largest_step = std::max(result.largest_step, frame.joint_step);
    result.largest_error = std::max(result.largest_error, frame.position_error);
    result.solves += frame.solves;
    result.frames.push_back(frame);
    result.clip.append(q);
  };
  VecX before, trial;
  for (int f = 0; guide != nullptr && f < guide->clip.frame_count(); ++f) {
    TrackFrame frame;
    frame.time = f * frame_time;
    frame.solves = 0;
    frame.jump = guide->jumps[at(f)] != 0;
    before = q;
    q = Eigen::Map<const VecX>(guide->clip.frame(f), model.q_size());
    set_time(guide->times[at(f)]);
    const Report* found = nullptr;
    if (const double share = guide->shares[at(f)]; share > 0.0) {
      found = &mover.touch_up(problem, q);
      frame.solves = 1;
      const bool near = found->ok() && largest_change(model, q, found->q, v).size <= options.max_joint_step;
      const bool taken = near && way.is_free(q, found->q);
      if (taken && share < 1.0) {
        v *= share;
        q = integrate(model, q, v);
      } else if (taken) {
        q = found->q;
      }
      if (!taken || share < 1.0) found = nullptr;
    }
    held = found == nullptr && !way.is_free(q, q);
    const JointStep step = f > 0 ? largest_change(model, before, q, v) : JointStep{};
    frame.joint_step = step.size;
    frame.step_index = step.index;
    record(found != nullptr ? *found : measure(problem, q, borrowed.kept()), frame);
  }
  if (guide != nullptr) return result;
  if (steps) {
    clamp(model, q);
    record(measure(problem, q, borrowed.kept()), {.solves = 0});
  } else {
    record(mover.begin(problem, q), {});
  }
  if (options.stop && !result.not_reached.empty()) {
    result.fraction = 0.0;
    return result;
  }

  for (int f = 1; f < *frames; ++f) {
    TrackFrame frame;
    frame.time = f * frame_time;
    frame.solves = 0;
    before = q;
    double from = (f - 1) * frame_time;
    double span = frame_time;
    const double shortest = frame_time * std::ldexp(1.0, -options.halvings) * 1.0001;
    const Report* report = nullptr;
    const double nearly = frame.time - 1e-9 * frame_time;
    while (from < nearly) {
      const double to = from + span < nearly ? from + span : frame.time;  // at last exactly: paths may be fast
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
      held = !steps && !way.is_free(q, trial);
      if (held && span > shortest) {
        span *= 0.5;
        continue;
      }
      if (held) {  // until the next frame
        set_time(frame.time);
        break;
      }
      frame.jump = frame.jump || (far && largest_change(model, q, trial, v).size > options.max_joint_step);
      q = trial;
      from = to;
      span = std::min(2.0 * span, frame_time);
    }
    if (options.stop && (held || outcome_of(*report) != Outcome::converged)) {
      // The last point that is reached, between this frame and the one before.
      double low = frame.time - frame_time, high = frame.time;
      q = before;
      for (int i = 0; i < kBisections && !steps; ++i) {
        const double middle = 0.5 * (low + high);
        set_time(middle);
        trial = q;
        bool far = false;
        const bool reached = mover.move(problem, trial, far).ok() && !far && way.is_free(q, trial);
        (reached ? low : high) = middle;
        if (reached) q = trial;
      }
      result.fraction = fraction_at(moving, low);
      if (low <= frame.time - frame_time) return result;
      frame.time = low;
      frame.jump = held = false;
      set_time(low);
      bool far = false;
      trial = q;
      report = &mover.move(problem, trial, far);
      if (steps || way.is_free(q, trial)) q = trial;
    } else if (!steps && !held && !report->ok() && !report->proof) {
      trial = q;
      if (const Report* other = mover.change_branch(problem, trial); other != nullptr && way.is_free(q, trial)) {
        report = other;
        q.swap(trial);
        ++frame.solves;
        frame.jump = frame.jump || largest_change(model, trial, q, v).size > options.max_joint_step;
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

// Where on the paths a pose is that lies between two frames: next to it. Near a singular pose joints move while the
// paths hardly do, and the other way round: shares of the time between the frames would not do.
class PlaceOnPaths {
 public:
  PlaceOnPaths(const Problem& problem, const std::vector<MovingGoal>& moving) : problem_(problem), moving_(moving) {}

  double time_of(const VecX& q, double low, double high, double share) {
    const Model& model = problem_.model;
    forward(model, q, state_);
    frames_.clear();
    for (const MovingGoal& goal : moving_) {
      Frame frame{goal.motion, {}, false, false};
      const Goal& given = problem_.goals[goal.goal];
      const Result<GoalLinks> links = resolve_links(given, model, problem_.tip);
      Transform target;
      if (!links || std::holds_alternative<AimGoal>(given)) continue;
      frames_of(given, *links, state_, frame.here, target, frame.turns);
      frame.moves = !std::holds_alternative<OrientationGoal>(given);
      frames_.push_back(frame);
    }
    if (frames_.empty()) return low + share * (high - low);
    constexpr double kGolden = 0.6180339887498949;
    double a = low, b = high;
    double u = b - kGolden * (b - a), v = a + kGolden * (b - a);
    double at_u = off(u), at_v = off(v);
    for (int i = 0; i < kSections; ++i) {
      if (at_u < at_v) {
        b = v, v = u, at_v = at_u;
        at_u = off(u = b - kGolden * (b - a));
      } else {
        a = u, u = v, at_u = at_v;
        at_v = off(v = a + kGolden * (b - a));
      }
    }
    return 0.5 * (a + b);
  }

 private:
  struct Frame {
    const PathMotion& motion;
    Transform here;
    bool turns, moves;
  };
  double off(double time) const {
    double sum = 0.0;
    for (const Frame& frame : frames_) {
      if (frame.moves) sum += (frame.here.position - frame.motion.position(time)).squaredNorm();
      if (!frame.turns) continue;
      const Vec3 turn = log_rotation(frame.here.quaternion().conjugate() * frame.motion.rotation(time));
      sum += turn.squaredNorm() * problem_.model.size() * problem_.model.size();
    }
    return sum;
  }

  const Problem& problem_;
  const std::vector<MovingGoal>& moving_;
  std::vector<Frame> frames_;
  State state_;
};

// Puts frames between those of a motion until what is interpolated between them lies on the paths, too. Near a singular
// pose joints move far while the paths hardly do; frames that are solved for again would not lie where they are timed.
void refine(const Problem& given, const std::vector<MovingGoal>& moving, const SolveOptions& common, double most,
            Track& whole) {
  const Model& model = given.model;
  Problem problem = given;
  PlaceOnPaths place(given, moving);
  FreeWay way(given);
  Reach local;
  static_cast<SolveOptions&>(local.settings) = common;
  local.settings.local = true;
  local.settings.max_iterations = local.settings.patience = kLastDescent;
  SolveOptions near = common;
  near.tolerance = kOnPaths * (common.tolerance > 0.0 ? common.tolerance : 1e-6 * model.size());
  near.orientation_tolerance *= kOnPaths;

  struct Frame {
    TrackFrame told;
    VecX q;
  };
  std::vector<Frame> waiting;  // the next one last
  std::vector<TrackFrame> frames;
  Clip clip = whole.clip;
  clip.values.clear();
  VecX before, v(model.v_size());
  for (int f = 0; f < whole.clip.frame_count(); ++f) {
    waiting.push_back({whole.frames[at(f)], Eigen::Map<const VecX>(whole.clip.frame(f), model.q_size())});
    const bool on_paths = f > 0 && !waiting[0].told.jump && waiting[0].told.outcome == Outcome::converged &&
                          frames.back().outcome == Outcome::converged;
    while (!waiting.empty()) {
      const Frame& next = waiting.back();
      const double step = on_paths ? largest_change(model, before, next.q, v).size : 0.0;
      if (step > kFinest && clip.frame_count() < whole.clip.frame_count() + kMostBetween) {
        Frame middle{next.told, integrate(model, before, VecX(0.5 * v))};
        middle.told.time = place.time_of(middle.q, frames.back().time, next.told.time, 0.5);
        for (const MovingGoal& goal : moving) move_target(goal, middle.told.time, problem.goals[goal.goal]);
        if (!measure(problem, middle.q, near).ok()) {
          const Report& found = local.solve(problem, middle.q);
          ++whole.solves;
          if (found.ok() && largest_change(model, middle.q, found.q, v).size < std::min(most, 0.5 * step) &&
              way.is_free(before, found.q) && way.is_free(found.q, next.q)) {
            middle.q = found.q;
            waiting.push_back(std::move(middle));
            continue;
          }
        }
      }
      before = next.q;
      frames.push_back(next.told);
      clip.append(next.q);
      waiting.pop_back();
    }
  }
  whole.frames = std::move(frames);
  whole.clip = std::move(clip);
}

// What became of a path's frames while its clock was looked for. Frames that are solved for again may be too fast where
// the poses between which they lie are not: by a little, which a slower pace there pays for, or by a change that no
// clock makes slower (near singular poses, and where solving begins and ends). There poses stay as interpolated.
class Corrections {
 public:
  explicit Corrections(const std::vector<TrackFrame>& path)
      : pace(path.size(), 1.0), shares(path.size(), 1.0), plain_(path.size(), 0) {
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path[i].outcome != Outcome::converged) plain_[i] = 1;
      for (std::size_t k = i > 0 ? i - 1 : 0; path[i].jump && k <= std::min(i + 1, path.size() - 1); ++k) plain_[k] = 1;
    }
    set_shares();
  }
  // A motion's frames, where on the path they are, and how much too fast each is.
  void slow(const std::vector<double>& source, const std::vector<double>& over) {
    std::vector<double> slower(pace.size(), 1.0);
    for (std::size_t f = 1; f < over.size(); ++f) {
      if (over[f] <= 1.0) continue;
      const auto from = static_cast<std::size_t>(std::max(0.0, std::floor(source[f < 2 ? 0 : f - 2])));
      const auto to = static_cast<std::size_t>(std::max(0.0, std::ceil(source[std::min(f, source.size() - 1)])));
      for (std::size_t i = from; i <= std::min(to, pace.size() - 1); ++i) slower[i] = std::max(slower[i], over[f]);
    }
    for (std::size_t i = 0; i < pace.size(); ++i) {
      if (slower[i] <= 1.0) continue;
      pace[i] /= slower[i] * (1.0 + 1e-6);
      if (pace[i] >= kSlowest) continue;
      pace[i] = 1.0;
      plain_[i] = 1;
    }
    set_shares();
  }
  double share_at(double source) const {
    const auto from = std::min(static_cast<std::size_t>(std::max(0.0, source)), shares.size() - 1);
    const double t = std::clamp(source - static_cast<double>(from), 0.0, 1.0);
    return (1.0 - t) * shares[from] + t * shares[std::min(from + 1, shares.size() - 1)];
  }

  std::vector<double> pace, shares;  // per frame of the path

 private:
  void set_shares() {
    std::vector<double> away(plain_.size());
    double near = kRamp;
    for (std::size_t i = 0; i < away.size(); ++i) away[i] = near = plain_[i] != 0 ? 0.0 : near + 1.0;
    near = kRamp;
    for (std::size_t i = away.size(); i-- > 0;) {
      near = plain_[i] != 0 ? 0.0 : near + 1.0;
      const double t = std::min(1.0, std::min(near, away[i]) / kRamp);
      shares[i] = t * t * (3.0 - 2.0 * t);
    }
  }
  std::vector<char> plain_;  // interpolated
};

// The paths in finer frames, timed by their poses, then followed once more at the times that came out. What the poses
// between the frames hide of the limits is found by differences of what is returned.
Result<Track> retimed(Method& solver, const Problem& given, TrackOptions options) {
  RetimeOptions asked = *options.retime;
  options.retime.reset();
  const bool steps = options.steps_per_frame > 0;  // frames are what those steps make of them
  TrackOptions fine = options;
  const VecX start = given.start.size() > 0 ? given.start : start_pose(given.model);
  std::vector<MovingGoal> moving;
  if (!given.model.empty() && start.size() == given.model.q_size() && start.allFinite()) {  // else it is said below
    if (Result<std::vector<MovingGoal>> found = moving_goals(given, start); found) moving = std::move(*found);
  }
  const double frames = end_of(moving) * options.frame_rate;
  if (!steps && frames > 0.0 && frames < kFineFrames) fine.frame_rate *= std::ceil(kFineFrames / frames);
  Result<Track> whole = followed(solver, given, fine, nullptr);
  if (!whole) return whole.error();
  if (asked.velocity.size() == 0) {
    Result<VecX> limit = velocity_limits_of(given.model, given.limits);
    if (!limit) return limit.error();
    asked.velocity = std::move(*limit);
  }
  RetimeOptions clock = asked;
  clock.frame_time = 1.0 / options.frame_rate;
  whole->clip.frame_time = clock.frame_time;
  whole->asked = whole->frames.empty() ? 0.0 : whole->frames.back().time;
  if (whole->clip.frame_count() < 2) return whole;
  if (!steps) refine(given, moving, solver.common_options(), options.max_joint_step, *whole);
  const std::vector<TrackFrame>& path = whole->frames;
  PlaceOnPaths place(given, moving);
  const VecX velocity = asked.velocity_scale * asked.velocity;
  const VecX acceleration =
      asked.acceleration.size() > 0 ? asked.acceleration : VecX::Constant(given.model.v_size(), HUGE_VAL);
  Corrections corrections(path);
  std::vector<double> over;
  for (int i = 0;; ++i) {
    const bool again = !steps && i < kSlowings;  // at last with interpolated poses alone: those keep the limits
    const Result<Retimed> timed =
        retime_paced(given.model, whole->clip, clock, again ? corrections.pace : std::vector<double>{});
    if (!timed) return timed.error();
    Guide guide{timed->clip, {}, {}, {}};
    std::size_t landed = 0;  // the last frame of the path that was passed
    for (const double source : timed->source) {
      const std::size_t last = path.size() - 1;
      const auto from = std::min(static_cast<std::size_t>(std::max(0.0, source)), last);
      const std::size_t to = std::min(from + 1, last);
      const Eigen::Map<const VecX> q(timed->clip.frame(static_cast<int>(guide.times.size())), given.model.q_size());
      guide.times.push_back(source <= static_cast<double>(from)
                                ? path[from].time
                                : place.time_of(q, path[from].time, path[to].time, source - static_cast<double>(from)));
      guide.shares.push_back(again ? corrections.share_at(source) : 0.0);
      bool jump = false;
      while (landed < from) jump = path[++landed].jump || jump;
      guide.jumps.push_back(jump ? 1 : 0);
    }
    guide.times.back() = path.back().time;  // where it stands still at last, too
    Result<Track> result = followed(solver, given, options, &guide);
    if (!result) return result.error();
    const MotionRatios ratios = motion_ratios(given.model, result->clip, velocity, acceleration, over);
    if (!again || std::max(ratios.velocity, std::sqrt(ratios.acceleration)) <= 1.0 + 1e-9) {
      result->fraction = whole->fraction;
      result->solves += whole->solves;
      result->asked = whole->asked;
      return result;
    }
    corrections.slow(timed->source, over);
  }
}

}  // namespace

Result<Track> track(Method& solver, const Problem& given, const TrackOptions& options) {
  return options.retime ? retimed(solver, given, options) : followed(solver, given, options, nullptr);
}

}  // namespace armature::inline v0_2
