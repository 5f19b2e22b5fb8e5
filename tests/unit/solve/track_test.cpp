// Following prescribed paths: on the line, on one branch, and honest where that is impossible.
#include "armature/solve/track.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/registry.hpp"
#include "armature/solve/sequence.hpp"

using namespace armature;

namespace {

Model track_model(std::string_view name) {
  for (const BuiltinModel& builtin : builtin_models()) {
    if (builtin.name == name) return compile(read_document(builtin.json, {})->linkage).value();
  }
  FAIL("no such model");
  return {};
}

Transform track_tip(const Model& model, const double* q, int link) {
  State state;
  forward(model, q, state);
  return state.X_WL[static_cast<std::size_t>(link)];
}

// A straight line for `link` from `a` to `b` in steps of a millimetre, its rotation kept.
GoalPath track_line(int link, const Vec3& a, const Vec3& b, const Mat3& turned) {
  GoalPath path;
  path.link = link;
  path.curve = Curve::polyline({a, b}).value();
  path.orientation.at = {0.0};
  path.orientation.keys = {Quat(turned)};
  path.timing.duration = path.curve.length();  // one metre a second: a frame of a millisecond is a millimetre
  return path;
}

struct Followed {
  double deviation = 0.0;  // metres, from where the tip should be
  double turned = 0.0;     // radians
  double step = 0.0;       // largest joint step, computed anew
};
Followed measure_track(const Model& model, const GoalPath& path, const Track& track) {
  Followed followed;
  for (int f = 0; f < track.clip.frame_count(); ++f) {
    const double* q = track.clip.frame(f);
    const double time = f * track.clip.frame_time;
    const Transform tip = track_tip(model, q, path.link);
    followed.deviation = std::max(followed.deviation, (tip.position - path.position(time)).norm());
    followed.turned =
        std::max(followed.turned, log_rotation(tip.quaternion().conjugate() * path.rotation(time)).norm());
    if (f > 0) {
      VecX v(model.v_size());
      difference(model, track.clip.frame(f - 1), q, v.data());
      followed.step = std::max(followed.step, v.cwiseAbs().maxCoeff());
    }
  }
  return followed;
}

Track follow(const Model& model, const GoalPath& path, const VecX& start, double tolerance = 1e-7) {
  const std::unique_ptr<Solver> solver = make_solver("reach").value();
  solver->common_options().tolerance = tolerance;
  Problem problem;
  problem.model = model;
  TrackOptions options;
  options.frame_time = 1e-3;
  return track(*solver, problem, {path}, start, options).value();
}

}  // namespace

TEST_CASE("a Panda follows half a metre in millimetres: on the line, on one branch") {
  const Model panda = track_model("panda");
  const int tcp = panda.link("panda_tcp");
  const VecX start = panda.find_pose("ready").value();
  const Transform X = track_tip(panda, start.data(), tcp);
  const Vec3 a = X.position + Vec3(0.1, -0.25, -0.1);
  const GoalPath path = track_line(tcp, a, a + Vec3(0, 0.5, 0), X.rotation);
  const Track result = follow(panda, path, start);
  const Followed followed = measure_track(panda, path, result);
  MESSAGE("deviation " << followed.deviation << " m, largest joint step " << followed.step << " rad");
  CHECK(result.clip.frame_count() == 501);
  CHECK(followed.deviation < 1e-6);
  CHECK(followed.turned < 1e-5);
  CHECK(result.unreached == 0);
  CHECK(result.jumps == 0);
  CHECK(followed.step < 0.01);
  const TrackFrame& worst = result.frames[static_cast<std::size_t>(result.largest_step_frame)];
  CHECK(worst.joint_step == doctest::Approx(followed.step).epsilon(1e-9));
}

// Half a metre along `way`, with the pose `middle`, which is nearly singular, half way.
static int follow_past(const Model& model, int tip, const VecX& middle, const Vec3& way, double largest_step) {
  const Transform X = track_tip(model, middle.data(), tip);
  const Vec3 half = 0.25 * way;
  const GoalPath path = track_line(tip, X.position - half, X.position + half, X.rotation);
  const Track result = follow(model, path, middle);
  const Followed followed = measure_track(model, path, result);
  MESSAGE("deviation " << followed.deviation << " m, largest joint step " << followed.step << " rad, "
                       << result.near_singular << " frames near singular");
  CHECK(result.unreached == 0);
  CHECK(result.jumps == 0);
  CHECK(followed.deviation < 1e-6);
  CHECK(followed.step < largest_step);
  return result.near_singular;
}

TEST_CASE("past a wrist singularity the arm is quick, whole, and says so") {
  // A UR5 whose wrist comes within 0.02 rad of aligned axes in the middle of the line.
  const Model ur5 = track_model("ur5");
  const int tip = ur5.link_count() - 1;
  VecX middle = VecX::Zero(ur5.q_size());
  middle << 0.3, -1.2, 1.6, -0.9, 0.02, 0.4;
  const Mat3 turn = track_tip(ur5, middle.data(), tip).rotation;
  CHECK(follow_past(ur5, tip, middle, turn.col(1).cross(Vec3::UnitZ()).normalized(), 0.5) > 0);
}

TEST_CASE("a Panda follows half a metre past a singular shoulder") {
  // With joint 2 straight and joint 3 at a right angle six of its joints move the hand in five ways only.
  const Model panda = track_model("panda");
  const int tcp = panda.link("panda_tcp");
  VecX middle = panda.find_pose("ready").value();
  middle.head<7>() << 0.1, 0.01, 0.5 * kPi - 0.01, -1.8, 0.2, 1.8, 0.3;
  follow_past(panda, tcp, middle, Vec3::UnitX(), 0.05);  // with seven joints it may pass beside it
}

TEST_CASE("one Euler step a frame is the textbook's sequence") {
  const Model arm = track_model("planar_arm");
  const int tip = arm.link("tip");
  const VecX start = arm.find_pose("chapter").value();
  const Vec3 from = track_tip(arm, start.data(), tip).position;
  const Vec3 to(-20, 5, 0);
  const std::unique_ptr<Solver> solver = make_solver("pseudoinverse").value();
  Problem problem;
  problem.model = arm;

  PositionGoal goal;
  goal.link = tip;
  goal.target = to;
  goal.axes.free[2] = true;
  problem.goals.assign(1, goal);
  const Sequence sequence = run_sequence(*solver, problem, start, {21, 1}).value();
  problem.goals.clear();

  GoalPath path;
  path.link = tip;
  path.planar = true;
  path.curve = Curve::polyline({from, to}).value();
  path.timing.duration = 20.0;
  TrackOptions options;
  options.frame_time = 1.0;
  options.steps_per_frame = 1;
  const SolveOptions before = solver->common_options();
  const Track result = track(*solver, problem, {path}, start, options).value();
  REQUIRE(result.clip.frame_count() == 21);
  double worst = 0.0;
  for (std::size_t i = 0; i < result.clip.values.size(); ++i) {
    worst = std::max(worst, std::abs(result.clip.values[i] - sequence.clip.values[i]));
  }
  CHECK(worst < 1e-12);
  CHECK(result.unreached > 10);  // Euler steps lag behind, and the frames say so
  CHECK(result.frames[20].position_error == doctest::Approx(sequence.frames[20].position_error));
  CHECK(solver->common_options().max_iterations == before.max_iterations);
  CHECK(solver->common_options().keep_best == before.keep_best);
}

TEST_CASE("frames out of reach are reported, and the arm comes back on its branch") {
  const Model arm = track_model("two_link");
  const int tip = arm.link("tip");
  const VecX start = arm.find_pose("bent").value();
  GoalPath path;
  path.link = tip;
  path.curve = Curve::polyline({Vec3(1, 1, 0), Vec3(2.5, 0, 0), Vec3(1, 1, 0)}).value();
  const std::unique_ptr<Solver> solver = make_solver("reach").value();
  Problem problem;
  problem.model = arm;
  TrackOptions options;
  options.frame_time = 0.01;
  const Track result = track(*solver, problem, {path}, start, options).value();
  int beyond = 0;
  for (int f = 0; f <= 100; ++f) {
    const double distance = path.position(f * options.frame_time).norm();
    const TrackFrame& frame = result.frames[static_cast<std::size_t>(f)];
    if (distance > 1.8 + 1e-3) {
      ++beyond;
      CHECK(frame.outcome != Outcome::converged);
      CHECK(frame.position_error == doctest::Approx(distance - 1.8).epsilon(0.02));
    } else if (distance < 1.8 - 1e-3) {
      CHECK(frame.outcome == Outcome::converged);
    }
  }
  CHECK(beyond > 20);
  CHECK(result.unreached >= beyond);
  CHECK(result.near_singular > 0);
  CHECK(result.clip.frame(100)[1] > 0.0);  // elbow on the side it started from
}

TEST_CASE("a redundant arm keeps its posture by the control term") {
  const Model panda = track_model("panda");
  const int tcp = panda.link("panda_tcp");
  const VecX start = panda.find_pose("ready").value();
  const Transform X = track_tip(panda, start.data(), tcp);
  GoalPath path;  // position only: four freedoms are left over
  path.link = tcp;
  path.curve = Curve::arc(X.position + Vec3(0, 0, 0.15), Vec3::UnitX(), X.position, 4 * kPi).value();
  path.timing.duration = 2.0;
  const auto drift = [&](bool held) {
    Problem problem;
    problem.model = panda;
    if (held) {
      problem.goals.emplace_back(PostureGoal{.target = start, .gain = VecX::Constant(panda.v_size(), 0.5)});
    }
    const std::unique_ptr<Solver> solver = make_solver("reach").value();
    const Track result = track(*solver, problem, {path}, start, {}).value();
    CHECK(result.unreached == 0);
    CHECK(result.jumps == 0);
    return difference(panda, start, VecX(Eigen::Map<const VecX>(result.clip.frame(60), panda.q_size()))).norm();
  };
  const double held = drift(true);
  MESSAGE("drift after two rounds: " << drift(false) << " rad without, " << held << " rad with the control term");
  CHECK(held < 0.02);
}

TEST_CASE("a foot stays planted while a hand reaches; bad paths are refused") {
  const Model human = track_model("human");
  const VecX start = neutral_pose(human);
  const int foot = human.link("left_foot");
  const int hand = human.link("right_hand");
  const Transform planted = track_tip(human, start.data(), foot);
  PoseGoal keep;
  keep.link = foot;
  keep.target = planted;
  Problem problem;
  problem.model = human;
  problem.goals.emplace_back(keep);
  GoalPath path;
  path.link = hand;
  const Vec3 from = track_tip(human, start.data(), hand).position;
  path.curve = Curve::catmull_rom({from, from + Vec3(0.3, 0.1, 0.3), from + Vec3(0.35, 0.2, 0.7)}).value();
  path.timing.profile = Timing::Profile::ease;
  const std::unique_ptr<Solver> solver = make_solver("reach").value();
  const Track result = track(*solver, problem, {path}, start, {}).value();
  CHECK(result.clip.frame_count() == 31);
  CHECK(result.unreached == 0);
  CHECK(result.jumps == 0);
  for (int f = 0; f < result.clip.frame_count(); ++f) {
    const Transform now = track_tip(human, result.clip.frame(f), foot);
    CHECK((now.position - planted.position).norm() < 1e-5);
    CHECK((track_tip(human, result.clip.frame(f), hand).position - path.position(f / 30.0)).norm() < 1e-5);
  }

  CHECK(!track(*solver, problem, {}, start, {}).ok());
  CHECK(!track(*solver, {}, {path}, start, {}).ok());
  CHECK(!track(*solver, problem, {path}, VecX::Zero(3), {}).ok());
  TrackOptions still;
  still.frame_time = 0.0;
  CHECK(!track(*solver, problem, {path}, start, still).ok());
}
