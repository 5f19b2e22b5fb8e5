// The textbook's sequences, figures 5.20 to 5.25: to 1e-9 of independently computed values.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/methods.hpp"
#include "armature/solve/track.hpp"
#include "support/arms.hpp"
#include "support/data.hpp"

using namespace armature;

namespace {

struct Case {
  const char* figure;
  const char* method;
  std::vector<double> goal;
  double damping;
  std::vector<double> gains;
  const char* jacobian_at;
  std::vector<double> pose10, pose20, effector20;
};

// Frames 10 and 20 of every case.
const Case kCases[] = {
    {"5.20a",
     "pseudoinverse",
     {-20.0, 5.0},
     0,
     {},
     "effector",
     {0.787261876017, 1.857395698496, 1.199820210953},
     {2.131100489989, 1.370996109954, 0.658839361188},
     {-19.948476989152, 4.920123526018}},
    {"5.20b",
     "dls",
     {-20.0, 5.0},
     1.0,
     {},
     "effector",
     {0.786504966376, 1.857319398675, 1.200030947721},
     {2.13024561155, 1.372174976367, 0.659431903263},
     {-19.932563865907, 4.921503070614}},
    {"5.21a",
     "pseudoinverse",
     {-35.0, 5.0},
     0,
     {},
     "effector",
     {1.33369711254, 1.676142175948, 1.005887488644},
     {3.08529150792, -0.071783994398, -0.019291681588},
     {-29.840114098114, 2.855642626527}},
    {"5.21b",
     "dls",
     {-35.0, 5.0},
     5.0,
     {},
     "effector",
     {1.309597408835, 1.693897464369, 1.018483517284},
     {3.028617309339, -0.035576847007, -0.055335060572},
     {-29.690674539793, 4.183479760103}},
    {"5.22 top",
     "pseudoinverse",
     {-20.0, 5.0},
     0,
     {0.1, 0.5, 0.1},
     "effector",
     {0.972424994018, 1.700388861761, 1.724664849435},
     {2.29733305627, 0.97249626578, 1.432515372926},
     {-19.932383487654, 4.933589502524}},
    {"5.22 bottom",
     "pseudoinverse",
     {-20.0, 5.0},
     0,
     {0.1, 0.1, 0.5},
     "effector",
     {0.593179017176, 2.232135338806, 0.182019881909},
     {2.084655317503, 1.620580935105, 0.037583980174},
     {-19.94947261552, 4.891838844641}},
    {"5.23",
     "pseudoinverse",
     {-20.0, 5.0},
     0,
     {},
     "target",
     {0.809680998216, 1.823913321343, 1.225091102525},
     {2.133584673455, 1.376484872038, 0.659910760044},
     {-19.912971194262, 4.802271502756}},
    {"5.24",
     "transpose",
     {-20.0, 5.0},
     0,
     {},
     "effector",
     {0.782393810799, 1.860556711679, 1.216569011174},
     {2.140219017701, 1.391150397766, 0.670490658534},
     {-19.780321813381, 4.470935305554}},
    {"5.25",
     "ccd",
     {-20.0, 5.0},
     0,
     {},
     "effector",
     {0.817768999649, 1.840944308099, 1.28937051565},
     {2.024099222552, 1.972819180609, -0.559117651876},
     {-17.911036334034, 4.477759083508}},
};

Track run(const Model& model, const std::string& method, const std::vector<double>& goal, double damping,
          const std::vector<double>& gains, const std::string& jacobian_at) {
  Problem problem;
  problem.model = model;
  PositionGoal position;
  position.link = model.link("tip");
  position.target = Vec3(goal[0], goal[1], 0);
  position.axes.free[2] = true;
  position.path = Path::line();
  problem.goals.push_back(position);
  if (!gains.empty()) {
    problem.goals.emplace_back(
        PostureGoal{.target = neutral_pose(model), .gain = Eigen::Map<const VecX>(gains.data(), 3)});
  }
  auto solver = make_solver(method).value();
  if (damping > 0.0) REQUIRE(solver->set_option("damping", std::to_string(damping)).ok());
  if (jacobian_at != "effector") REQUIRE(solver->set_option("jacobian_at", jacobian_at).ok());
  const SolveOptions before = solver->common_options();
  VecX start(3);
  start << kPi / 8, kPi / 4, kPi / 4;
  problem.start = start;
  Result<Track> sequence = track(solver, problem, {.frame_rate = 20.0, .steps_per_frame = 1});
  REQUIRE_MESSAGE(sequence.ok(), sequence.message());
  CHECK(solver->common_options().max_iterations == before.max_iterations);
  REQUIRE(sequence->frames.size() == 21);
  return *sequence;
}

double distance(const double* a, const std::vector<double>& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace

TEST_CASE("figures 5.20 to 5.25: frames 10 and 20") {
  const Model model = test::compiled(test::planar_arm({15, 10, 5}));
  for (const Case& c : kCases) {
    CAPTURE(c.figure);
    const Track s = run(model, c.method, c.goal, c.damping, c.gains, c.jacobian_at);
    CHECK(distance(s.clip.frame(10), c.pose10) < 1e-9);
    CHECK(distance(s.clip.frame(20), c.pose20) < 1e-9);
    CHECK(distance(s.frames[20].actual.data(), c.effector20) < 1e-9);
  }
}

TEST_CASE("figures 5.20 to 5.25: every frame of the reference file") {
  const auto file = test::shared_data("../chapter/planar_sequences.json");
  if (!file) return;
  const Model model = test::compiled(test::planar_arm({15, 10, 5}));
  const auto cases = nlohmann::json::parse(test::read_file(*file)).at("cases");
  REQUIRE(cases.size() == 9);
  for (const auto& c : cases) {
    CAPTURE(c.at("figure").get<std::string>());
    const std::string given = c.at("method");
    const std::string method = given == "transpose_norm"                      ? "transpose"
                               : given == "control" || given == "alternative" ? "pseudoinverse"
                                                                              : given;
    const auto& options = c.at("options");
    const Track s = run(model, method, c.at("goal"), options.value("damping", 0.0),
                        options.value("gains", std::vector<double>{}), given == "alternative" ? "target" : "effector");
    int compared = 0;
    for (const auto& [key, frame] : c.at("frames").items()) {
      const int f = std::stoi(key);
      CHECK(distance(s.clip.frame(f), frame.at("pose")) < 1e-9);
      CHECK(distance(s.frames[static_cast<std::size_t>(f)].actual.data(), frame.at("effector")) < 1e-9);
      ++compared;
    }
    CHECK(compared == 5);
  }
}

TEST_CASE("to convergence: every frame is on the line, and poses move little") {
  const Model model = test::compiled(test::planar_arm({15, 10, 5}));
  Problem problem;
  problem.model = model;
  PositionGoal goal;
  goal.link = model.link("tip");
  goal.target = Vec3(-20, 5, 0);
  goal.path = Path::line();
  problem.goals.push_back(goal);
  auto solver = make_solver("dls").value();
  VecX start(3);
  start << kPi / 8, kPi / 4, kPi / 4;
  problem.start = start;
  const Track s = track(solver, problem, {.frame_rate = 40.0}).value();
  State state;
  forward(model, start, state);
  const Vec3 from = state.transform(goal.link).position;
  for (int f = 0; f < 41; ++f) {
    const Vec3 wanted = from + f / 40.0 * (goal.target - from);
    CHECK(s.frames[static_cast<std::size_t>(f)].outcome == Outcome::converged);
    CHECK((s.frames[static_cast<std::size_t>(f)].actual - wanted).norm() < 1e-4);
    if (f > 0) {
      const Eigen::Map<const VecX> a(s.clip.frame(f - 1), 3);
      const Eigen::Map<const VecX> b(s.clip.frame(f), 3);
      CHECK((a - b).cwiseAbs().maxCoeff() < 0.3);
    }
  }
}

TEST_CASE("pose goals slide along a line and the short way round") {
  const Model model = test::compiled(test::seven_linkage());
  State state;
  const VecX q = VecX::Constant(7, 0.4);
  forward(model, q, state);
  PoseGoal goal;
  goal.link = model.link("tip");
  const Transform now = state.transform(goal.link);
  goal.target = Transform::from(Quat(Eigen::AngleAxisd(1.0, Vec3::UnitX())) * now.quaternion(), Vec3(0.1, 0.2, 0.3));
  goal.path = Path::line();
  const Problem problem{.model = model, .goals = {goal}};
  const std::vector<MovingGoal> moving = moving_goals(problem, q).value();
  REQUIRE(moving.size() == 1);
  Goal moved = goal;
  move_target(moving[0], 0.5, moved);
  const auto half = std::get<PoseGoal>(moved);
  CHECK((half.target.position - 0.5 * (now.position + goal.target.position)).norm() < 1e-14);
  CHECK(log_rotation(half.target.quaternion() * now.quaternion().conjugate()).norm() == doctest::Approx(0.5));
}

TEST_CASE("a link turns to its target where it stands") {
  const Model model = test::compiled(test::seven_linkage());
  const VecX q = VecX::Constant(7, 0.4);
  const Quat turned(rpy(0.3, 0.2, 0.1));
  const OrientationGoal goal{.link = "tip", .target = turned, .path = Path::line()};
  const Track result = track({.model = model, .goals = {goal}, .start = q}, {.frame_rate = 10}).value();
  CHECK(result.not_reached.empty());
  const VecX last = Eigen::Map<const VecX>(result.clip.frame(10), 7);
  CHECK(log_rotation(forward(model, last).transform("tip").quaternion().conjugate() * turned).norm() < 1e-5);
  CHECK(result.largest_step < 0.5);
}

TEST_CASE("tracks refuse what makes no sense") {
  const Model model = test::compiled(test::planar_arm({15, 10, 5}));
  Problem problem{.model = model, .start = VecX::Zero(3)};
  Solver solver = make_solver("dls").value();
  const TrackOptions options{.frame_rate = 20.0, .steps_per_frame = 1};
  CHECK(!track(solver, problem, options).ok());  // no goal
  problem.goals = {PositionGoal{.link = 4}};
  CHECK(!track(solver, problem, options).ok());  // no path
  problem.goals = {PositionGoal{.link = 4, .path = Path::line()}};
  CHECK(track(solver, problem, options).ok());
  problem.start = VecX::Zero(2);
  CHECK(!track(solver, problem, options).ok());
}
