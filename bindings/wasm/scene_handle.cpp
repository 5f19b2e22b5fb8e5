// Over 400 lines: a short function for each method of the studio's scene.
#include "scene_handle.hpp"

#include <emscripten.h>

#include <algorithm>
#include <cmath>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/animate.hpp"
#include "armature/scene/compare.hpp"
#include "armature/scene/explain_step.hpp"
#include "armature/scene/report_json.hpp"
#include "armature/solve/measure.hpp"
#include "callbacks.hpp"

namespace armature::js {
namespace {

// What one call may ask for: a page that asks for more has made a mistake, and would only freeze.
constexpr int kMostIterations = 1000000;
constexpr int kMostGoals = 10000000;

Scene read(const ModelHandle::Loaded& loaded, const std::string& json) {
  SceneArguments arguments;
  arguments.loaded = loaded;
  return need(read_scene(json, "scene", arguments));
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
  TimeLimit(SolveOptions& options, double seconds) : options_(options), kept_(options.max_time) {
    if (seconds > 0.0) options.max_time = kept_ > 0.0 ? std::min(kept_, seconds) : seconds;
  }
  ~TimeLimit() { options_.max_time = kept_; }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  SolveOptions& options_;
  double kept_;
};

val frame_list(const std::vector<int>& frames) {
  val numbers = val::array();
  for (const int frame : frames) numbers.call<void>("push", frame);
  return numbers;
}

// The parts that are numbers.
void move_target(Goal& goal, double x, double y, double z, double qx, double qy, double qz, double qw) {
  const Vec3 place(x, y, z);
  const Quat turn(qw, qx, qy, qz);
  if (place.allFinite()) armature::set_target(goal, place);
  if (std::isfinite(turn.norm()) && turn.norm() > 0.0) armature::set_target(goal, turn.normalized());
}

}  // namespace

SceneHandle::SceneHandle(const ModelHandle& model) : loaded_(model.loaded()) { set("{}", val::array(), false); }

void SceneHandle::set(const std::string& json, const val& customs, bool keep_pose) {
  Scene next = read(loaded_, json);
  const auto count = customs["length"].as<int>();
  for (int i = 0; i < count; ++i) {
    const val given = customs[i];
    CustomGoal goal;
    goal.name = text_of(given["name"], "The name of a goal");
    goal.function = custom_function(given["function"]);
    if (given["weight"].isNumber()) goal.weight = given["weight"].as<double>();
    if (given["tolerance"].isNumber()) goal.tolerance = given["tolerance"].as<double>();
    if (given["priority"].isNumber()) goal.priority = static_cast<int>(given["priority"].as<double>());
    next.goals.push_back(goal);
  }
  std::string key = next.method;
  for (const auto& [name, text] : next.options) key += " " + name + "=" + text;
  if (next.avoids_collisions()) {  // not every method can
    key += " free";
  }
  if (q_.size() == 0 || key != solver_key_) solver_ = need(make_solver(next));
  solver_key_ = key;
  scene_ = std::move(next);
  problem_ = make_problem(scene_);
  clearance_.reset();
  goal_of_.clear();
  int index = 0;
  for (const Goal& goal : scene_.goals) goal_of_.push_back(has_path(goal) ? -1 : index++);
  if (!keep_pose || q_.size() == 0) q_ = scene_.start;
  forward();
}

std::string SceneHandle::json() const {
  Scene now = scene_;
  now.start = q_;
  for (std::size_t g = 0; g < goal_of_.size(); ++g) {  // where targets were moved to
    if (goal_of_[g] >= 0) now.goals[g] = problem_.goals[static_cast<std::size_t>(goal_of_[g])];
  }
  return to_json(now);
}

void SceneHandle::forward() {
  armature::forward(loaded_->model, q_, state_);
  write_transforms(state_, transforms_);
}

void SceneHandle::clamp() { armature::clamp(loaded_->model, q_); }

void SceneHandle::integrate(const val& velocity, double dt) {
  std::vector<double> v = numbers_of(velocity, "A velocity");
  if (static_cast<int>(v.size()) != loaded_->model.v_size()) {
    throw ArgumentError{"A velocity of this model holds " + std::to_string(loaded_->model.v_size()) + " numbers, got " +
                        std::to_string(v.size()) + "."};
  }
  for (double& x : v) x *= dt;
  for (const double x : v) {
    if (!std::isfinite(x)) throw ArgumentError{"A velocity and its time must be finite."};
  }
  armature::integrate(loaded_->model, q_.data(), v.data(), q_.data());
}

void SceneHandle::set_target(double goal, double x, double y, double z, double qx, double qy, double qz, double qw) {
  const int index = integer_of(goal, 0, static_cast<int>(goal_of_.size()) - 1, "goal");
  const int at = goal_of_[static_cast<std::size_t>(index)];
  if (at >= 0) move_target(problem_.goals[static_cast<std::size_t>(at)], x, y, z, qx, qy, qz, qw);
}

void SceneHandle::check_pose() const {
  if (!q_.allFinite()) throw ArgumentError{"The pose holds a number that is not finite."};
}

std::string SceneHandle::report_json(const Problem& problem, const Report& report, double microseconds, bool measures,
                                     const std::string& trace, const std::vector<int>& began_anew) const {
  const ReportText text{microseconds, measures};
  JsonText json;
  json.begin_object();
  write_report(json, problem, report, q_, text);
  if (!trace.empty()) {
    json.key("began_anew").begin_array();
    for (const int i : began_anew) json.value(i);
    json.end().key("trace").raw(trace);
  }
  return json.end().text();
}

std::string SceneHandle::solve(double seconds, bool measures) {
  check_pose();
  const TimeLimit limit(solver_->common_options(), seconds);
  const double begin = emscripten_get_now();
  const Report& report = solver_->solve(problem_, q_);
  const double microseconds = 1000.0 * (emscripten_get_now() - begin);
  q_ = report.q;
  forward();
  return report_json(problem_, report, microseconds, measures);
}

std::string SceneHandle::measure() {
  check_pose();
  Report report = armature::measure(problem_, q_, solver_->common_options());
  if (report.outcome == Outcome::refused) report.refusal = check_problem(problem_).message();
  return report_json(problem_, report, 0.0, true);
}

std::string SceneHandle::trace(double max_iterations, double seconds) {
  check_pose();
  SolveOptions& options = solver_->common_options();
  const TimeLimit limit(options, seconds);
  const int kept = options.max_iterations;
  options.max_iterations = std::min(kept, integer_of(max_iterations, 0, kMostIterations, "max_iterations"));
  const VecX start = q_;
  const Report report = solve_traced(*solver_, problem_, q_, trace_);
  options.max_iterations = kept;
  std::vector<int> anew;
  for (int i = 0; i < static_cast<int>(trace_.steps.size()); ++i) {
    if (began_anew(loaded_->model, trace_, i)) anew.push_back(i);
  }
  JsonText json;
  write_trace(json, trace_);
  const std::string text = report_json(problem_, report, 0.0, true, json.text(), anew);
  q_ = start;
  return text;
}

std::string SceneHandle::explain(double iteration) const {
  const int at = integer_of(iteration, 0, static_cast<int>(trace_.steps.size()) - 1, "iteration");
  JsonText json;
  json.begin_object();
  write_step(json, explain_step(problem_, *solver_, trace_, at));
  return json.end().text();
}

val SceneHandle::null_space() const {
  check_pose();
  return matrix_value(armature::null_space(problem_, q_));
}

std::string SceneHandle::check(const std::string& method) const {
  if (method.empty() || method == solver_->info().name) return solver_->check(problem_).message();
  const Result<Solver> other = make_solver(method);
  return other ? (*other)->check(problem_).message() : other.message();
}

std::string SceneHandle::clearance(double within) {
  check_pose();
  if (!(within >= 0.0) || !std::isfinite(within)) throw ArgumentError{"within is a length, 0 or more."};
  if (clearance_ == nullptr) {
    auto made = std::make_unique<NamedClearance>();
    need(made->prepare(*loaded_, scene_.obstacles, scene_.exact));
    clearance_ = std::move(made);
  }
  std::vector<NamedClearance::Pair> pairs;
  const double smallest = clearance_->nearest(q_, within, pairs);
  JsonText json;
  json.begin_object().member("clearance", smallest).key("pairs").begin_array();
  for (const NamedClearance::Pair& pair : pairs) {
    json.begin_object().member("a", pair.a).member("b", pair.b).member("distance", pair.nearest.distance);
    json.key("point_a").numbers(pair.nearest.on_a).key("point_b").numbers(pair.nearest.on_b).end();
  }
  return json.end().end().text();
}

void SceneHandle::begin() {
  check_pose();
  follow_ = std::make_unique<Follow>();
  const SolveOptions& own = solver_->common_options();
  follow_->settings.tolerance = own.tolerance;
  follow_->settings.orientation_tolerance = own.orientation_tolerance;
  follow_->begin(problem_, q_);
}

std::string SceneHandle::follow(double seconds, bool measures) {
  check_pose();
  if (follow_ == nullptr) begin();
  const TimeLimit limit(follow_->common_options(), seconds);
  const double begin = emscripten_get_now();
  const Report& report = follow_->solve(problem_, q_);
  const double microseconds = 1000.0 * (emscripten_get_now() - begin);
  q_ = report.q;
  forward();
  return report_json(problem_, report, microseconds, measures);
}

std::string SceneHandle::compare(const std::string& methods, double seconds) const {
  const JsonInput input = need(JsonInput::parse(methods, "methods"));
  JsonFields fields(input.source());
  std::vector<std::string> names;
  if (fields.expect(input.root(), JsonKind::array)) {
    for (const Value name : input.root()) {
      names.emplace_back();
      fields.text(name, names.back());
    }
  }
  if (!fields.ok()) throw ArgumentError{fields.error().message};
  Scene scene = scene_;
  scene.start = q_;
  for (std::size_t g = 0; g < goal_of_.size(); ++g) {
    if (goal_of_[g] >= 0) scene.goals[g] = problem_.goals[static_cast<std::size_t>(goal_of_[g])];
  }
  const std::vector<Comparison> rows = need(armature::compare(scene, names, {seconds}));
  JsonText json;
  json.begin_object();
  write_comparison(json, scene, rows);
  return json.end().text();
}

val SceneHandle::track() const {
  Scene scene = scene_;
  scene.start = q_;
  for (std::size_t g = 0; g < goal_of_.size(); ++g) {
    if (goal_of_[g] >= 0) scene.goals[g] = problem_.goals[static_cast<std::size_t>(goal_of_[g])];
  }
  const Track track = need(armature::track(scene));
  val out = val::object();
  out.set("clip", clip_value(track.clip));
  out.set("not_reached", frame_list(track.not_reached));
  out.set("near_singular", frame_list(track.near_singular));
  out.set("jumps", frame_list(track.jumps));
  out.set("largest_error", track.largest_error);
  out.set("largest_step", track.largest_step);
  out.set("solves", track.solves);
  out.set("fraction", track.fraction);
  return out;
}

val SceneHandle::animate(const val& below) const {
  Scene scene = scene_;
  scene.start = q_;
  Clip motion;
  if (!below.isUndefined()) motion = clip_of(below, loaded_->model);
  const Animation made = need(armature::animate(scene, 0.0, below.isUndefined() ? nullptr : &motion));
  val out = val::object();
  out.set("clip", clip_value(made.clip));
  out.set("not_reached", frame_list(made.not_reached));
  out.set("largest_error", made.largest_error);
  if (made.cleared) {
    JsonText json;
    write_clear(json, *made.cleared);
    out.set("cleared", val::global("JSON").call<val>("parse", json.text()));
  }
  return out;
}

val SceneHandle::solve_batch(const val& targets, double size) {
  check_pose();
  const std::vector<double> numbers = numbers_of(targets, "targets");
  const int each = integer_of(size, 3, 7, "Numbers of a target");
  if ((each != 3 && each != 7) || numbers.size() % static_cast<std::size_t>(each) != 0) {
    throw ArgumentError{"Targets have 3 numbers each (places) or 7 (place and quaternion)."};
  }
  if (goal_of_.empty() || goal_of_.front() < 0) throw ArgumentError{"The scene has no goal to put targets into."};
  const std::size_t count = numbers.size() / static_cast<std::size_t>(each);
  const VecX start = q_;
  const Problem kept = problem_;
  std::vector<double> poses, times;
  val ok = val::array();
  for (std::size_t i = 0; i < count; ++i) {
    const double* n = numbers.data() + i * static_cast<std::size_t>(each);
    const bool turned = each == 7;
    move_target(problem_.goals.front(), n[0], n[1], n[2], turned ? n[3] : NAN, turned ? n[4] : NAN, turned ? n[5] : NAN,
                turned ? n[6] : NAN);
    const double begin = emscripten_get_now();
    const Report& report = solver_->solve(problem_, start);
    times.push_back(1000.0 * (emscripten_get_now() - begin));
    ok.call<void>("push", report.ok());
    poses.insert(poses.end(), report.q.data(), report.q.data() + report.q.size());
  }
  problem_ = kept;
  val out = val::object();
  out.set("q", copy_of(poses));
  out.set("ok", ok);
  out.set("microseconds", copy_of(times));
  return out;
}

val SceneHandle::benchmark(double goals, double seed) {
  check_pose();
  const int count = integer_of(goals, 0, kMostGoals, "goals");
  const Problem kept = problem_;
  Rng rng(seed_of(seed));
  State state;
  std::vector<double> iterations, microseconds;
  int solved = 0, asked = 0;
  const bool takes = solver_->check(problem_).ok();
  for (; takes && asked < count; ++asked) {
    armature::forward(loaded_->model, random_pose(loaded_->model, rng), state);
    for (Goal& goal : problem_.goals) {
      const int link = effector(goal, loaded_->model, problem_.tip);
      if (link == kWorld) continue;
      const Transform& X = state.X_WL[static_cast<std::size_t>(link)];
      const auto* place = std::get_if<PositionGoal>(&goal);
      const auto* pose = std::get_if<PoseGoal>(&goal);
      const Vec3 point = place != nullptr ? place->point : pose != nullptr ? pose->point : Vec3(Vec3::Zero());
      armature::set_target(goal, X * Transform::translate(point));
    }
    const double begin = emscripten_get_now();
    const Report& report = solver_->solve(problem_, q_);
    microseconds.push_back(1000.0 * (emscripten_get_now() - begin));
    iterations.push_back(report.iterations);
    if (report.ok()) ++solved;
  }
  problem_ = kept;
  val out = val::object();
  out.set("solved", solved);
  out.set("goals", asked);
  out.set("median_iterations", percentile(iterations, 0.5));
  out.set("p95_iterations", percentile(iterations, 0.95));
  out.set("median_microseconds", percentile(microseconds, 0.5));
  out.set("p95_microseconds", percentile(microseconds, 0.95));
  return out;
}

FollowerHandle::FollowerHandle(const ModelHandle& model, const std::string& json, double velocity_scale)
    : loaded_(model.loaded()), scene_(read(loaded_, json)) {
  FollowerOptions options;
  options.velocity_scale = velocity_scale;
  follower_ = std::make_unique<Follower>(make_problem(scene_), options);
  need(follower_->status());
}

void FollowerHandle::set_target(double goal, double x, double y, double z, double qx, double qy, double qz, double qw) {
  const int index = integer_of(goal, 0, static_cast<int>(scene_.goals.size()) - 1, "goal");
  move_target(follower_->goal(index), x, y, z, qx, qy, qz, qw);
  follower_->end_twist(index);
}

void FollowerHandle::set_twist(double goal, const val& linear, const val& angular) {
  const int index = integer_of(goal, 0, static_cast<int>(scene_.goals.size()) - 1, "goal");
  const std::vector<double> moves = numbers_of(linear, "linear"), turns = numbers_of(angular, "angular");
  if (moves.size() != 3 || turns.size() != 3) throw ArgumentError{"A twist has three numbers each: linear, angular."};
  if (!follower_->set_twist(index, Vec3(moves[0], moves[1], moves[2]), Vec3(turns[0], turns[1], turns[2]))) {
    throw ArgumentError{"A twist moves goals of a place, a rotation or both whose base is the world."};
  }
}

val FollowerHandle::step(double dt) {
  if (!(dt > 0.0) || !std::isfinite(dt)) throw ArgumentError{"A step takes a number of seconds above 0."};
  const FollowerStep& now = follower_->step(dt);
  val out = val::object();
  out.set("q", copy_of(now.q));
  out.set("velocity", copy_of(now.velocity));
  out.set("outcome", std::string(outcome_name(now.report->outcome)));
  out.set("position_error", now.report->position_error);
  out.set("orientation_error", now.report->orientation_error);
  return out;
}

}  // namespace armature::js
