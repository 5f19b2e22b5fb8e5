// Solving and what comes of it: reports, traces, sequences, null space, clouds and batches.
#include <emscripten.h>

#include <algorithm>
#include <cmath>

#include "armature/geom/linalg.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/registry.hpp"
#include "armature/solve/sequence.hpp"
#include "convert.hpp"
#include "figure.hpp"

namespace armature::js {
namespace {

// What one call may ask for: a page that asks for more has made a mistake, and would only freeze.
constexpr int kMostIterations = 1000000;
constexpr int kMostFrames = 100000;
constexpr int kMostSamples = 10000000;

// Microseconds of one call, by repeating it for a while: browsers' clocks are coarse.
template <class F>
double repeat_microseconds(F&& f, double milliseconds) {
  const double begin = emscripten_get_now();
  int calls = 0;
  double now = begin;
  while (now - begin < milliseconds && calls < 10000) {
    f();
    ++calls;
    now = emscripten_get_now();
  }
  return calls > 0 ? 1000.0 * (now - begin) / calls : 0.0;
}

double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return 0.0;
  const auto at = std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

// A method's own time limit made shorter for as long as this lives; 0 leaves it as it is.
class TimeLimit {
 public:
  TimeLimit(CommonOptions& options, double seconds) : options_(options), kept_(options.max_time) {
    if (seconds > 0.0) options.max_time = kept_ > 0.0 ? std::min(kept_, seconds) : seconds;
  }
  ~TimeLimit() { options_.max_time = kept_; }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  CommonOptions& options_;
  double kept_;
};

// Puts the goal where its link is in `state`.
void aim_at_state(Goal& goal, const State& state) {
  if (auto* p = std::get_if<PositionGoal>(&goal)) {
    p->target = state.X_WL[static_cast<std::size_t>(p->link.index())] * p->point;
  } else if (auto* o = std::get_if<OrientationGoal>(&goal)) {
    o->target = state.X_WL[static_cast<std::size_t>(o->link.index())].quaternion();
  } else if (auto* b = std::get_if<PoseGoal>(&goal)) {
    b->target = state.X_WL[static_cast<std::size_t>(b->link.index())] * Transform::translate(b->point);
  }
}

}  // namespace

val Figure::report_value(const Report& report, double microseconds, const std::string& refusal) const {
  val out = val::object();
  out.set("outcome", std::string(refusal.empty() ? outcome_name(report.outcome) : "refused"));
  out.set("message", refusal.empty() ? report.message() : refusal);
  out.set("method", std::string(report.method));
  out.set("why", std::string(report.why));
  out.set("iterations", report.iterations);
  out.set("restarts", report.restarts);
  out.set("microseconds", microseconds);
  out.set("error", report.position_error);
  val goals = val::array();
  for (std::size_t i = 0; i < report.goals.size(); ++i) {
    if (report.goals[i].name == kJointGains) continue;
    val goal = val::object();
    goal.set("position_error", report.goals[i].position_error);
    goal.set("orientation_error", report.goals[i].orientation_error);
    goal.set("reached", report.goals[i].reached);
    goals.set(i, goal);
  }
  out.set("goals", goals);
  const std::vector<LimitContact>& limits =
      report.ok() || report.blocking_joints.empty() ? report.joints_at_limits : report.blocking_joints;
  val at_limits = val::array();
  for (std::size_t i = 0; i < limits.size(); ++i) {
    val entry = val::object();
    entry.set("joint", model_.coordinate_joint(limits[i].index));
    entry.set("coordinate", limits[i].coordinate);
    entry.set("side", std::string(limits[i].side == LimitSide::lower ? "lower" : "upper"));
    at_limits.set(i, entry);
  }
  out.set("joints_at_limits", at_limits);
  const double largest = report.condition > 0.0 && std::isfinite(report.condition)
                             ? report.condition * report.smallest_singular_value
                             : 0.0;
  const double sigma[2] = {std::max(largest, report.smallest_singular_value), report.smallest_singular_value};
  out.set("singular_values", number_array(sigma, 2));
  out.set("manipulability", report.manipulability);
  out.set("condition_number", report.condition);
  if (report.bound != ReachBound::none) {
    out.set("reach", report.bound_length);
    out.set("distance", report.goal_distance);
    out.set("bound", std::string(bound_name(report.bound)));
  }
  return out;
}

val Figure::solve() { return solve_within(0.0); }

val Figure::solve_within(double seconds) {
  check_pose();
  start_ = q_;
  const TimeLimit limit(solver_->common_options(), seconds);
  const double begin = emscripten_get_now();
  const Report& report = solver_->solve(problem_, q_);
  q_ = report.q;
  const double microseconds = 1000.0 * (emscripten_get_now() - begin);
  forward();
  if (report.outcome == Outcome::refused) return report_value(report, microseconds, refusal());
  const Dexterity measures = dexterity_of(problem_, report, q_);
  Report full = report;
  full.smallest_singular_value = measures.smallest_singular_value;
  full.condition = measures.condition;
  full.manipulability = measures.manipulability;
  return report_value(full, microseconds, "");
}

double Figure::timing() {
  if (!start_.allFinite()) throw ArgumentError{"The pose holds a number that is not finite."};
  if (!refusal().empty()) return 0.0;
  return repeat_microseconds([&] { solver_->solve(problem_, start_); }, 2.0);
}

val Figure::measure() {
  check_pose();
  Report report;
  const std::string why = refusal();
  if (problem_.goals.empty() || !compiled_.interpret(problem_, solver_->common_options()).ok()) {
    return report_value(report, 0.0, why);
  }
  stack_.prepare(compiled_);
  stack_.evaluate(q_.data());
  stack_.differentiate();
  report.outcome = stack_.converged() ? Outcome::converged : Outcome::iteration_limit;
  stack_.finish(q_.data(), report);
  report.method = solver_->info().name;
  return report_value(report, 0.0, why);
}

val Figure::trace(double max_iterations) { return trace_within(max_iterations, 0.0); }

val Figure::trace_within(double max_iterations, double seconds) {
  check_pose();
  const int most = integer_of(max_iterations, 0, kMostIterations, "max_iterations");
  start_ = q_;
  CommonOptions& options = solver_->common_options();
  const int kept = options.max_iterations;
  options.max_iterations = std::min(kept, most);
  Trace trace;
  const TimeLimit limit(options, seconds);
  const std::string why = refusal();
  const Report& report = solver_->solve(problem_, start_, &trace);
  VecX q = report.q;
  options.max_iterations = kept;
  // A method without iterations: where it began and where it ended.
  if (trace.steps.empty() && why.empty() && compiled_.interpret(problem_, options).ok()) {
    stack_.prepare(compiled_);
    for (VecX* pose : {&start_, &q}) {
      stack_.evaluate(pose->data());
      stack_.differentiate();
      stack_.record(trace, pose->data(), 0.0, false);
      trace.steps.back().step.setZero();
    }
    trace.steps.front().step = difference(model_, start_, q);
  }
  val steps = val::array();
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const TraceStep& step = trace.steps[i];
    val entry = val::object();
    entry.set("iteration", static_cast<int>(i));
    entry.set("q", copy_of(step.q));
    entry.set("error", step.error_norm);
    entry.set("jacobian", matrix_value(step.J));
    entry.set("singular_values",
              number_array(step.singular_values.data(), static_cast<std::size_t>(step.singular_values.size())));
    entry.set("wanted", copy_of(step.error));
    entry.set("step", copy_of(step.step));
    entry.set("damping", step.damping);
    steps.set(i, entry);
  }
  val out = val::object();
  out.set("report", report_value(report, 0.0, why));
  out.set("steps", steps);
  return out;
}

val Figure::sequence(const val& request) {
  check_pose();
  SequenceOptions options;
  options.frames = integer_of(number_or(request, "frames", 21), 2, kMostFrames, "frames");
  options.steps_per_frame = integer_of(number_or(request, "steps_per_frame", 1), 1, kMostIterations, "steps_per_frame");
  const Result<Sequence> made = run_sequence(*solver_, problem_, q_, options, integer_or(request, "goal", 0));
  if (!made) return failure(made.message());
  std::vector<double> goals;
  std::vector<double> effectors;
  for (const SequenceFrame& frame : made->frames) {
    goals.insert(goals.end(), frame.goal.data(), frame.goal.data() + 3);
    effectors.insert(effectors.end(), frame.effector.data(), frame.effector.data() + 3);
  }
  val out = val::object();
  out.set("frames", static_cast<int>(made->frames.size()));
  out.set("poses", copy_of(made->clip.values.data(), made->clip.values.size()));
  out.set("goals", copy_of(goals.data(), goals.size()));
  out.set("effectors", copy_of(effectors.data(), effectors.size()));
  return success(out);
}

val Figure::null_space() {
  check_pose();
  MatX basis(model_.v_size(), 0);
  if (!problem_.goals.empty() && compiled_.interpret(problem_, solver_->common_options()).ok()) {
    stack_.prepare(compiled_);
    stack_.evaluate(q_.data());
    stack_.differentiate();
    if (stack_.columns() > 0 && stack_.rows() > 0) {
      const MatX small = armature::null_space(stack_.J, 1e-6);
      basis = MatX::Zero(model_.v_size(), small.cols());
      for (int c = 0; c < stack_.columns(); ++c) basis.row(stack_.active[static_cast<std::size_t>(c)]) = small.row(c);
    }
  }
  return matrix_value(basis);
}

val Figure::workspace(double link, double samples, double seed) const {
  const auto at = static_cast<std::size_t>(link_of(link));
  const int count = integer_of(samples, 0, kMostSamples, "samples");
  Rng rng(seed_of(seed));
  State state;
  std::vector<double> points;
  points.reserve(3 * static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    armature::forward(model_, random_pose(model_, rng), state);
    const Vec3& p = state.X_WL[at].translation;
    points.insert(points.end(), p.data(), p.data() + 3);
  }
  return copy_of(points.data(), points.size());
}

val Figure::batch(const std::string& name, double goals, double seed) {
  check_pose();
  const int count = integer_of(goals, 0, kMostSamples, "goals");
  const VecX kept = q_;
  const Problem problem = problem_;
  Rng rng(seed_of(seed));
  State state;
  std::vector<double> iterations;
  std::vector<double> microseconds;
  int solved = 0;
  int asked = 0;
  if (name == solver_->info().name && refusal().empty()) {
    for (; asked < count; ++asked) {
      armature::forward(model_, random_pose(model_, rng), state);
      for (Goal& goal : problem_.goals) aim_at_state(goal, state);
      const double begin = emscripten_get_now();
      const Report& report = solver_->solve(problem_, kept);
      microseconds.push_back(1000.0 * (emscripten_get_now() - begin));
      iterations.push_back(report.iterations);
      if (report.ok()) ++solved;
    }
  }
  problem_ = problem;
  q_ = kept;
  forward();
  val out = val::object();
  out.set("solved", solved);
  out.set("goals", asked);
  out.set("median_iterations", percentile(iterations, 0.5));
  out.set("p95_iterations", percentile(iterations, 0.95));
  out.set("median_microseconds", percentile(microseconds, 0.5));
  out.set("p95_microseconds", percentile(microseconds, 0.95));
  return out;
}

}  // namespace armature::js
