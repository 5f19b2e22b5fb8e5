#include "armature/solve/methods/follow_free.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/follower.hpp"
#include "armature/solve/methods/follow.hpp"
#include "armature/solve/track.hpp"
#include "support/allocation_counter.hpp"
#include "support/follow_scenario.hpp"

using namespace armature;
using namespace armature::test;

namespace {

// Posts and a board around a robot that stands at the origin.
std::vector<Obstacle> things(double size) {
  std::vector<Obstacle> out = {
      {"table", Box{size * Vec3(1.2, 1.2, 0.02)}, Transform::translate(Vec3(0, 0, -0.15 * size)), ""}};
  for (const double y : {-0.35, 0.0, 0.35}) {
    out.push_back({"post", Box{size * Vec3(0.04, 0.04, 0.8)}, Transform::translate(size * Vec3(0.45, y, 0.3)), ""});
  }
  out.push_back({"ball", Sphere{0.08 * size}, Transform::translate(size * Vec3(-0.3, 0.3, 0.4)), ""});
  return out;
}

struct Line {
  Problem problem;
  VecX start;
  Transform from;
  Vec3 along;
  void at(double t) { std::get<PoseGoal>(problem.goals[0]).target.position = from.position + t * along; }
};

// Straight lines of the effector from free poses.
class Lines {
 public:
  explicit Lines(const char* name, double margin = 0.0) : model_(builtin_model(name)) {
    problem_.model = model_;
    problem_.obstacles = things(model_.size());
    problem_.bodies = std::make_shared<const Bodies>(*compile_bodies(model_));
    problem_.margin = margin;
    problem_.collision = Collision::search;
    REQUIRE(clearance.prepare(model_, *problem_.bodies, problem_.obstacles).ok());
  }
  Line next() {
    Line line;
    line.problem = problem_;
    do {
      line.start = random_pose(model_, rng_);
    } while (!clearance.is_free(line.start.data(), problem_.margin));
    const int tip = model_.effectors().front();
    forward(model_, line.start, state_);
    line.from = state_.X_WL[static_cast<std::size_t>(tip)];
    PoseGoal goal;
    goal.link = tip;
    goal.target = line.from;
    line.problem.goals = {goal};
    for (int k = 0; k < 3; ++k) line.along[k] = rng_.uniform(-1.0, 1.0);
    line.along *= 0.4 * model_.size() / line.along.norm();
    return line;
  }
  const Model& model() const { return model_; }
  Clearance clearance;

 private:
  Model model_;
  Problem problem_;
  State state_;
  Rng rng_{5};
};

}  // namespace

TEST_CASE("follow: no frame of a gesture touches, and no way between frames; plain gestures do") {
  for (const char* name : {"panda", "ur5"}) {
    CAPTURE(name);
    Lines lines(name, 0.003);
    int plain_touches = 0, reached = 0, frames = 0;
    for (int n = 0; n < 25; ++n) {
      Line line = lines.next();
      for (const bool with : {false, true}) {
        line.problem.collision = with ? Collision::search : Collision::off;
        Follow follow;
        follow.settings.recover = Recover::never;
        VecX q = line.start;
        REQUIRE(follow.begin(line.problem, q));
        for (int f = 1; f <= 60; ++f) {
          line.at(f / 60.0);
          const VecX before = q;
          const Report& report = follow.solve(line.problem, q);
          q = report.q;
          if (!with) {
            plain_touches += lines.clearance.is_free(q.data(), 0.003) ? 0 : 1;
            continue;
          }
          ++frames;
          reached += report.ok() ? 1 : 0;
          CHECK(lines.clearance.is_free(q.data(), 0.003));
          CHECK(report.collisions.empty());
          for (int k = 1; k < 8; ++k)
            CHECK(lines.clearance.is_free(interpolate(lines.model(), before, q, k / 8.0).data(), 0.0));
        }
      }
    }
    CHECK(plain_touches > 50);
    CHECK(reached * 4 > frames);
    MESSAGE(name << ": " << reached << " of " << frames << " frames reached, plain ones touch in " << plain_touches);
  }
}

TEST_CASE("follow: the elbow of seven joints gives way to a ball, and the hand stays where it is") {
  const Model model = builtin_model("panda");
  Problem problem;
  problem.model = model;
  problem.bodies = std::make_shared<const Bodies>(*compile_bodies(model));
  problem.start = start_pose(model);
  State state;
  forward(model, problem.start, state);
  const int hand = model.link("panda_hand");
  const Vec3 elbow = state.X_WL[static_cast<std::size_t>(model.link("panda_link4"))].position;
  PoseGoal goal;
  goal.link = hand;
  goal.target = state.X_WL[static_cast<std::size_t>(hand)];
  problem.goals = {goal};
  Follow follow;
  follow.settings.recover = Recover::never;
  VecX q = problem.start;
  REQUIRE(follow.begin(problem, q));
  Clearance clearance;
  for (int f = 0; f < 60; ++f) {
    const double away = std::max(0.08, 0.3 - 0.01 * f);
    problem.obstacles = {{"ball", Sphere{0.05}, Transform::translate(elbow + Vec3(0.0, away, 0.0)), ""}};
    const Report& report = follow.solve(problem, q);
    q = report.q;
    if (f < 40) continue;
    CHECK_MESSAGE(report.ok(), report.message());
  }
  REQUIRE(clearance.prepare(model, *problem.bodies, problem.obstacles).ok());
  CHECK_FALSE(clearance.is_free(problem.start.data(), 0.0));
  CHECK(clearance.is_free(q.data(), 0.0));
}

TEST_CASE("follow: a gesture that begins in a touch is led out of it, and frames do not allocate") {
  Lines lines("panda");
  Line line = lines.next();
  State state;
  forward(lines.model(), line.start, state);
  const Vec3 elbow = state.X_WL[static_cast<std::size_t>(lines.model().link("panda_link4"))].position;
  // A ball that is about 1 cm deep in the elbow.
  Clearance clearance;
  double before = 1.0;
  for (double away = 0.3; before > -0.01; away -= 0.005) {
    line.problem.obstacles = {{"lump", Sphere{0.1}, Transform::translate(elbow + Vec3(0.0, away, 0.0)), ""}};
    REQUIRE(clearance.prepare(lines.model(), *line.problem.bodies, line.problem.obstacles).ok());
    before = clearance.smallest(line.start.data(), 1.0);
  }
  REQUIRE(before < 0.0);
  Follow follow;
  follow.settings.recover = Recover::never;
  VecX q = line.start;
  REQUIRE(follow.begin(line.problem, q));
  double last = before;
  for (int f = 0; f < 40; ++f) {
    q = follow.solve(line.problem, q).q;
    const double now = clearance.smallest(q.data(), 1.0);
    CHECK(now >= std::min(last, 0.0) - 1e-9);
    last = now;
  }
  CHECK(last >= 0.0);
  const test::AllocationCounter counter;
  for (int f = 0; f < 20; ++f) {
    line.at(0.02 * f);
    q = follow.solve(line.problem, q).q;
  }
  CHECK(counter.count() == 0);
}

TEST_CASE("track and follower: what is shown is free, and who is held off says so") {
  Lines lines("ur5", 0.002);
  int blocked = 0;
  for (int n = 0; n < 8; ++n) {
    Line line = lines.next();
    line.problem.start = line.start;
    std::get<PoseGoal>(line.problem.goals[0]).path = Path::line({line.from.position + line.along}, {.duration = 1.0});
    const Result<Track> track = armature::track(line.problem);
    REQUIRE(track.ok());
    for (int f = 0; f < track->clip.frame_count(); ++f) {
      CHECK(lines.clearance.is_free(track->clip.frame(f), 0.002));
      blocked += track->frames[static_cast<std::size_t>(f)].outcome == Outcome::blocked ? 1 : 0;
    }
    if (!track->not_reached.empty() && track->frames.back().outcome == Outcome::blocked)
      CHECK(track->message().find("must not touch") != std::string::npos);

    Follower follower(line.problem);
    REQUIRE(follower.status().ok());
    follower.set_target(0, Vec3(line.from.position + line.along));
    for (int tick = 0; tick < 100; ++tick) CHECK(lines.clearance.is_free(follower.step(0.01).q.data(), 0.002));
    FollowerOptions braking;
    braking.acceleration = VecX::Constant(lines.model().v_size(), 5.0);
    CHECK_FALSE(Follower(line.problem, braking).status().ok());
  }
  CHECK(blocked > 0);
}
