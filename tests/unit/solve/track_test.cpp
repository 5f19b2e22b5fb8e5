// Following prescribed paths: on the line, on one branch, and honest where that is impossible.
#include "armature/solve/track.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/scene/methods.hpp"
#include "armature/solve/method_options.hpp"
#include "support/linkages.hpp"

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
PoseGoal track_line(int link, const Vec3& a, const Vec3& b, const Mat3& turned) {
  // One metre per second: a frame of a millisecond is a millimetre.
  return {.link = link, .path = Path::line({a, b}, {.duration = (b - a).norm(), .rotations = {{0.0, Quat(turned)}}})};
}

PathMotion motion_of(const Path& path, bool turns = false) { return PathMotion::make(path, {}, {}, turns).value(); }

struct Followed {
  double deviation = 0.0;  // metres, from where the tip should be
  double turned = 0.0;     // radians
  double step = 0.0;       // largest joint step, computed anew
};
Followed measure_track(const Model& model, const PoseGoal& goal, const Track& track) {
  const PathMotion path = motion_of(goal.path, true);
  Followed followed;
  for (int f = 0; f < track.clip.frame_count(); ++f) {
    const double* q = track.clip.frame(f);
    const double time = f * track.clip.frame_time;
    const Transform tip = track_tip(model, q, goal.link.index());
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

Track follow(const Model& model, const PoseGoal& goal, const VecX& start) {
  Solver solver{ReachOptions{}, {.tolerance = 1e-7}};
  return track(solver, {.model = model, .goals = {goal}, .start = start}, {.frame_rate = 1000}).value();
}

}  // namespace

TEST_CASE("a Panda follows half a metre in millimetres: on the line, on one branch") {
  const Model panda = track_model("panda");
  const int tcp = panda.link("panda_tcp");
  const VecX start = panda.find_pose("ready").value();
  const Transform X = track_tip(panda, start.data(), tcp);
  const Vec3 a = X.position + Vec3(0.1, -0.25, -0.1);
  const PoseGoal path = track_line(tcp, a, a + Vec3(0, 0.5, 0), X.rotation);
  const Track result = follow(panda, path, start);
  const Followed followed = measure_track(panda, path, result);
  MESSAGE("deviation " << followed.deviation << " m, largest joint step " << followed.step << " rad");
  CHECK(result.clip.frame_count() == 501);
  CHECK(followed.deviation < 1e-6);
  CHECK(followed.turned < 1e-5);
  CHECK(result.not_reached.empty());
  CHECK(result.jumps.empty());
  CHECK(followed.step < 0.01);
  CHECK(result.largest_step == doctest::Approx(followed.step).epsilon(1e-9));
}

// Half a metre along `way`, with the pose `middle`, which is nearly singular, half way.
static int follow_past(const Model& model, int tip, const VecX& middle, const Vec3& way, double largest_step) {
  const Transform X = track_tip(model, middle.data(), tip);
  const Vec3 half = 0.25 * way;
  const PoseGoal path = track_line(tip, X.position - half, X.position + half, X.rotation);
  const Track result = follow(model, path, middle);
  const Followed followed = measure_track(model, path, result);
  MESSAGE("deviation " << followed.deviation << " m, largest joint step " << followed.step << " rad, "
                       << result.near_singular.size() << " frames near singular");
  CHECK(result.not_reached.empty());
  CHECK(result.jumps.empty());
  CHECK(followed.deviation < 1e-6);
  CHECK(followed.step < largest_step);
  return static_cast<int>(result.near_singular.size());
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

TEST_CASE("near singular frames of several effectors are reported") {
  const Model arms = track_model("two_arms");
  VecX start = neutral_pose(arms);
  start[arms.joint(arms.link("left_forearm")).q_index] = 0.8;
  start[arms.joint(arms.link("right_forearm")).q_index] = 0.8;
  const Vec3 shoulder = track_tip(arms, start.data(), arms.link("left_arm")).position;
  const Vec3 hand = track_tip(arms, start.data(), arms.link("left_tip")).position;
  const Vec3 stretched = shoulder + 3.5995 * (hand - shoulder).normalized();  // of 3.6
  const PositionGoal left{.link = "left_tip", .path = Path::line({hand, stretched})};
  const PositionGoal right{.link = "right_tip",
                           .target = track_tip(arms, start.data(), arms.link("right_tip")).position};
  const Track result = track({.model = arms, .goals = {left, right}, .start = start}).value();
  CHECK(result.ok());
  CHECK(result.frames.back().near_singular);
  CHECK_FALSE(result.frames.front().near_singular);
}

TEST_CASE("frames out of reach are reported, and the arm comes back on its branch") {
  const Model arm = track_model("two_link");
  const int tip = arm.link("tip");
  const VecX start = arm.find_pose("bent").value();
  const Path there_and_back = Path::line({Vec3(1, 1, 0), Vec3(2.5, 0, 0), Vec3(1, 1, 0)});
  const PathMotion path = motion_of(there_and_back);
  const PositionGoal goal{.link = tip, .path = there_and_back};
  const Track result = track({.model = arm, .goals = {goal}, .start = start}, {.frame_rate = 100}).value();
  int beyond = 0;
  for (int f = 0; f <= 100; ++f) {
    const double distance = path.position(0.01 * f).norm();
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
  CHECK(static_cast<int>(result.not_reached.size()) >= beyond);
  CHECK(!result.near_singular.empty());
  CHECK(result.clip.frame(100)[1] > 0.0);  // elbow on the side it started from
}

TEST_CASE("a redundant arm keeps its posture by the control term") {
  const Model panda = track_model("panda");
  const int tcp = panda.link("panda_tcp");
  const VecX start = panda.find_pose("ready").value();
  const Transform X = track_tip(panda, start.data(), tcp);
  const PositionGoal round{
      .link = tcp,  // position only: four freedoms are left over
      .path = Path::arc(X.position + Vec3(0, 0, 0.15), Vec3::UnitX(), {}, 4 * kPi, {.duration = 2})};
  const auto drift = [&](bool held) {
    Problem problem{.model = panda, .goals = {round}, .start = start};
    if (held) {
      problem.goals.emplace_back(PostureGoal{.target = start, .gain = VecX::Constant(panda.v_size(), 0.5)});
    }
    const Track result = track(problem).value();
    CHECK(result.not_reached.empty());
    CHECK(result.jumps.empty());
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
  const Vec3 from = track_tip(human, start.data(), hand).position;
  const Path sweep =
      Path::catmull_rom({from, from + Vec3(0.3, 0.1, 0.3), from + Vec3(0.35, 0.2, 0.7)}, {.profile = Profile::ease});
  const PathMotion path = motion_of(sweep);
  Problem problem{.model = human, .goals = {keep, PositionGoal{.link = hand, .path = sweep}}, .start = start};
  const Track result = track(problem).value();
  CHECK(result.clip.frame_count() == 31);
  CHECK(result.not_reached.empty());
  CHECK(result.jumps.empty());
  for (int f = 0; f < result.clip.frame_count(); ++f) {
    const Transform now = track_tip(human, result.clip.frame(f), foot);
    CHECK((now.position - planted.position).norm() < 1e-5);
    CHECK((track_tip(human, result.clip.frame(f), hand).position - path.position(f / 30.0)).norm() < 1e-5);
  }

  CHECK(result.message() == "All 31 frames are reached.");

  CHECK(!track(Problem{}).ok());
  CHECK(!track(problem, {.frame_rate = 0.0}).ok());
  problem.start = VecX::Zero(3);
  CHECK(!track(problem).ok());
  problem.start = start;
  problem.goals.pop_back();
  CHECK(!track(problem).ok());  // nothing moves
  for (const Path& bad : {Path::line({from}, {.duration = -1}), Path::line({from, Vec3(NAN, 0, 0)}),
                          Path::line({from}, {.profile = Profile::trapezoid}), Path::bezier({from, from}),
                          Path::line({from}, {.rotations = {{0, Quat::Identity()}}})}) {
    problem.goals = {PositionGoal{.link = hand, .path = bad}};
    CHECK(!track(problem).ok());
  }
}

TEST_CASE("a path is counted from where its goal is, in the frame of its base") {
  const Model panda = track_model("panda");
  const VecX start = panda.find_pose("ready").value();
  const Vec3 from = forward(panda, start).transform("panda_tcp", "panda_link2").position;
  const PositionGoal goal{
      .link = "panda_tcp", .base = "panda_link2", .path = Path::line({{0, 0, 0}, {0.03, 0, 0.02}}, {.relative = true})};
  const Track result = track({.model = panda, .goals = {goal}, .start = start}).value();
  CHECK(result.ok());
  for (int f = 0; f <= 30; f += 10) {
    const VecX q = Eigen::Map<const VecX>(result.clip.frame(f), panda.q_size());
    const Vec3 there = forward(panda, q).transform("panda_tcp", "panda_link2").position;
    CHECK((there - from - f / 30.0 * Vec3(0.03, 0, 0.02)).norm() < 2e-6);
  }
}

TEST_CASE("the goal on a path keeps what it asks for besides its target") {
  const Model arm = track_model("two_link");
  const VecX start = arm.find_pose("bent").value();
  PositionGoal goal{.link = "tip", .path = Path::line({{0, 0, 0}, {0, 0, 5}}, {.relative = true})};
  CHECK(!track({.model = arm, .goals = {goal}, .start = start}).value().ok());  // out of its plane
  goal.axes.free[2] = true;
  CHECK(track({.model = arm, .goals = {goal}, .start = start}).value().ok());
}

TEST_CASE("a path on a faster clock near singular poses: only they are slow, and a change of branch is said") {
  const Model puma = track_model("puma560");
  const VecX acceleration = VecX::Constant(puma.v_size(), 2.0);
  for (const Vec3& way : {Vec3(-0.3, 0.0, 0.0), Vec3(0.0, -0.5, 0.0), Vec3(0.0, 0.3, 0.0)}) {
    CAPTURE(way.transpose());
    const PoseGoal goal{.link = puma.effectors().front(),
                        .path = Path::line({Vec3::Zero(), way}, {.relative = true, .duration = 2.0})};
    TrackOptions options{.frame_rate = 200.0};  // as fine as what is timed
    const Track plain = track({.model = puma, .goals = {goal}}, options).value();
    const RetimeOptions limits{.velocity_scale = 0.5, .acceleration = acceleration, .frame_time = 0.01};
    const Retimed least = retime(puma, plain.clip, limits).value();
    options.frame_rate = 100.0;
    options.retime = limits;
    const Result<Track> found = track({.model = puma, .goals = {goal}}, options);
    REQUIRE_MESSAGE(found.ok(), found.message());
    const Track& result = *found;
    CHECK((result.clip.frame_count() - 1) * result.clip.frame_time <= 1.1 * least.duration + 0.01);
    const MotionRatios ratios = motion_ratios(puma, result.clip, 0.5 * puma.velocity_limit(), acceleration);
    CHECK(ratios.velocity <= 1.0 + 1e-9);
    CHECK(ratios.acceleration <= 1.0 + 3e-9);  // a clock's square
    CHECK(result.jumps.size() == plain.jumps.size());
    CHECK((result.message().find("From one branch to another") != std::string::npos) == !plain.jumps.empty());
  }
}

TEST_CASE("a path on a faster clock past a singular pose stays on it, in the time that integrals give") {
  // A hinge and a slide along a line that passes the hinge's axis closely: the angle is atan(x / e), the length
  // sqrt(x^2 + e^2), and with limits of velocity alone each stretch takes what the slower of the two needs.
  Linkage l;
  l.name = "polar";
  for (const char* name : {"ground", "turntable", "tip"}) l.links.push_back({name, {}});
  l.joints = {test::joint("turn", Revolute{Vec3::UnitZ()}, "ground", "turntable", {}),
              test::joint("out", Prismatic{Vec3::UnitX()}, "turntable", "tip", {})};
  l.joints[1].limits.lower = {0.0};
  l.joints[1].limits.upper = {2.0};
  const Model model = test::compiled(l);
  const double e = 0.002, half = 0.5, turning = 2.0, sliding = 0.5;
  VecX start(2);
  start << std::atan2(e, -half), std::hypot(half, e);
  PositionGoal goal{.link = "tip", .path = Path::line({Vec3(-half, e, 0.0), Vec3(half, e, 0.0)}, {.duration = 0.5})};
  goal.axes.free[2] = true;
  TrackOptions options{.frame_rate = 200.0};
  options.retime = RetimeOptions{.velocity = Vec2(turning, sliding)};
  const Track result = track({.model = model, .goals = {goal}, .start = start}, options).value();
  CHECK(result.ok());
  double off = 0.0;
  for (int f = 0; f < result.clip.frame_count(); ++f) {
    const Vec3 tip = track_tip(model, result.clip.frame(f), model.link("tip")).position;
    off = std::max(off, std::abs(tip.y() - e));
  }
  CHECK(off < 1e-5);
  CHECK(motion_ratios(model, result.clip, options.retime->velocity, VecX::Constant(2, HUGE_VAL)).velocity <=
        1.0 + 1e-9);
  // Both need the same where e / (x^2 + e^2) / turning = x / sqrt(x^2 + e^2) / sliding.
  double low = 0.0, high = half;
  for (int i = 0; i < 60; ++i) {
    const double x = 0.5 * (low + high);
    (e / std::hypot(x, e) / turning > x / sliding ? low : high) = x;
  }
  const double least = 2.0 * (std::atan(low / e) / turning + (std::hypot(half, e) - std::hypot(low, e)) / sliding);
  CHECK(result.clip.duration() >= least - 1e-9);
  CHECK(result.clip.duration() < 1.02 * least + 0.005);
  // The paths ask for half a second: it is said that the limits do not allow it, and only then.
  CHECK(result.slowed());
  CHECK(result.message().find("where the paths ask for 0.5 s") != std::string::npos);
  options.retime = RetimeOptions{.velocity = Vec2(2000.0, 500.0)};
  CHECK(!track({.model = model, .goals = {goal}, .start = start}, options).value().slowed());
}

TEST_CASE("a path on a faster clock: frames stay on it, limits hold by differences, and the report is theirs") {
  const Model panda = track_model("panda");
  const int tcp = panda.link("panda_tcp");
  const VecX start = panda.find_pose("ready").value();
  const Transform X = track_tip(panda, start.data(), tcp);
  const Vec3 center = X.position + Vec3(0.1, 0.0, 0.0);
  // A circle in 11 frames: interpolated between them, it would leave its line by millimetres.
  PoseGoal goal{.link = tcp, .path = Path::arc(center, Vec3::UnitZ(), {}, 2.0 * kPi, {.profile = Profile::ease})};
  for (const double rate : {10.0, 60.0}) {
    for (const double limit : {4.0, 1000.0}) {
      CAPTURE(rate);
      CAPTURE(limit);
      TrackOptions options{.frame_rate = rate};
      options.retime = RetimeOptions{.velocity_scale = 0.5, .acceleration = VecX::Constant(panda.v_size(), limit)};
      const Track result = track({.model = panda, .goals = {goal}, .start = start}, options).value();
      CHECK(result.ok());
      REQUIRE(result.frames.size() == static_cast<std::size_t>(result.clip.frame_count()));
      CHECK(result.clip.frame_time == 1.0 / rate);
      double off = 0.0, turned = 0.0;
      for (int f = 0; f < result.clip.frame_count(); ++f) {
        const Transform tip = track_tip(panda, result.clip.frame(f), tcp);
        const Vec3 arm = tip.position - center;
        off = std::max({off, std::abs(arm.head<2>().norm() - 0.1), std::abs(arm.z())});
        turned = std::max(turned, log_rotation(tip.quaternion().conjugate() * X.quaternion()).norm());
        CHECK(result.frames[static_cast<std::size_t>(f)].time == doctest::Approx(f / rate));
      }
      CHECK(off < 1e-5);
      CHECK(off <= result.largest_error + 1e-12);
      CHECK(turned < 1e-4);
      const MotionRatios ratios =
          motion_ratios(panda, result.clip, 0.5 * panda.velocity_limit(), options.retime->acceleration);
      CHECK(ratios.velocity <= 1.0 + 1e-9);
      CHECK(ratios.acceleration <= 1.0 + 1e-6);
      if (rate > 50.0) CHECK(std::max(ratios.velocity, ratios.acceleration) > 0.8);  // no time is wasted
    }
  }
  // Where a path cannot be reached poses are interpolated, and the errors are those of the frames that are returned.
  goal.path = Path::line({X.position, X.position + Vec3(1.5, 0.0, 0.0)});
  TrackOptions options;
  options.retime = RetimeOptions{};
  const Track missed = track({.model = panda, .goals = {goal}, .start = start}, options).value();
  CHECK(!missed.ok());
  CHECK(missed.frames.size() == static_cast<std::size_t>(missed.clip.frame_count()));
  const Vec3 end = track_tip(panda, missed.clip.frame(missed.clip.frame_count() - 1), tcp).position;
  CHECK(missed.largest_error >= (end - X.position - Vec3(1.5, 0.0, 0.0)).norm() - 1e-9);
  // Ended early: not ok, and how far it came is said; of a turn without any length too.
  options.stop = true;
  for (const bool retimes : {true, false}) {
    if (!retimes) options.retime.reset();
    const Track stopped = track({.model = panda, .goals = {goal}, .start = start}, options).value();
    CHECK(!stopped.ok());
    CHECK_MESSAGE(stopped.not_reached.empty(), stopped.message());
    CHECK(stopped.fraction > 0.05);
    CHECK(stopped.fraction < 0.6);
    CHECK(stopped.message().find("Stopped at ") == 0);
    const Vec3 last = track_tip(panda, stopped.clip.frame(stopped.clip.frame_count() - 1), tcp).position;
    CHECK((last - X.position).norm() == doctest::Approx(1.5 * stopped.fraction).epsilon(1e-4));
  }
}
