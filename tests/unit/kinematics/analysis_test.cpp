// Analysis of serial chains: classes, every answer, degenerate goals. Forward kinematics is the model's own.
#include "armature/kinematics/analysis.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/analysis_data.hpp"
#include "armature/kinematics/forward.hpp"
#include "support/allocation_counter.hpp"
#include "support/analytic_arms.hpp"
#include "support/arms.hpp"

using namespace armature;
using test::Axis;

namespace {

Model builtin(std::string_view name) {
  for (const BuiltinModel& entry : builtin_models()) {
    if (entry.name == name) return test::compiled(read_document(entry.json, {})->linkage);
  }
  FAIL("no such model");
  return {};
}

struct Case {
  Model model;
  int base = 0, tip = 0;
  ChainAnalysis analysis;

  Case(Model m, const char* base_name, const char* tip_name, const ChainTask& task = {}) : model(std::move(m)) {
    base = std::string(base_name) == "world" ? kWorld : model.link(base_name);
    tip = model.link(tip_name);
    Result<ChainAnalysis> made = analyze_chain(model, base, tip, Vec3::Zero(), task);
    REQUIRE_MESSAGE(made.ok(), made.message());
    analysis = std::move(*made);
  }
  explicit Case(const std::vector<Axis>& axes, const Transform& tip_frame, const ChainTask& task = {})
      : Case(test::compiled(test::arm_of_axes(axes, tip_frame)), "base", "tip", task) {}

  Transform place(const VecX& q) const {
    State state;
    forward(model, q, state);
    return relative(state, base, tip);
  }
  VecX pose(const double* values) const {
    VecX q = VecX::Zero(model.q_size());
    for (int j = 0; j < analysis.joint_count(); ++j) {
      const ChainCoordinate& c = analysis.chain.coordinates[static_cast<std::size_t>(j)];
      q[c.coordinate] = (values[j] - c.offset) / c.multiplier;
    }
    return q;
  }
  VecX random(Rng& rng) const {
    VecX q = VecX::Zero(model.q_size());
    for (const ChainCoordinate& c : analysis.chain.coordinates) {
      const bool angle = model.coordinate_kinds()[static_cast<std::size_t>(c.coordinate)] == Coordinate::angle;
      q[c.coordinate] = angle ? rng.uniform(-kPi, kPi) : rng.uniform(-0.5, 0.5);
    }
    return q;
  }
  void solve(const Transform& X, ChainAnswers& out, bool thorough = false, const double* start = nullptr) const {
    const double zero[kMaxAnalyticJoints] = {};
    ChainSolveOptions options;
    options.thorough = thorough;
    solve_chain(analysis, X, start != nullptr ? start : zero, options, out);
  }
};

double error_of(const Case& c, const Transform& goal, const VecX& q) {
  const Transform X = c.place(q);
  if (c.analysis.task.position_only) return (X.position - goal.position).norm();
  const Mat3 turn = X.rotation.transpose() * goal.rotation;
  double angle = log_rotation(turn).norm();
  if (c.analysis.task.free_turn) {  // only the axis itself counts
    angle = (X.rotation * c.analysis.task.axis - goal.rotation * c.analysis.task.axis).norm();
  }
  return std::max((X.position - goal.position).norm(), angle);
}

struct Tally {
  int misses = 0, incomplete = 0, most = 0, odd = 0;
  double worst = 0.0;
};

Tally run(const Case& c, int goals, std::uint64_t seed = 1) {
  Tally tally;
  Rng rng(seed);
  ChainAnswers answers;
  for (int n = 0; n < goals; ++n) {
    const VecX q = c.random(rng);
    const Transform X = c.place(q);
    c.solve(X, answers);
    double nearest = 9.0;
    for (int k = 0; k < answers.count; ++k) {
      const VecX found = c.pose(answers.value[k]);
      nearest = std::min(nearest, test::pose_distance(c.model, q, found));
      tally.worst = std::max(tally.worst, error_of(c, X, found));
    }
    tally.misses += nearest > 1e-6;
    tally.incomplete += answers.complete ? 0 : 1;
    tally.most = std::max(tally.most, answers.count);
    tally.odd += answers.count % 2;
  }
  return tally;
}

/// 2 parallel to 3, a wrist through one point whose axes stand at any angles, shoulder offset.
std::vector<Axis> wrist_axes() {
  return {{{0, 0, 1}, {0, 0, 0}},         {{0, 1, 0}, {0.1, 0.05, 0.4}},  {{0, -1, 0}, {0.1, 0.1, 0.9}},
          {{1, 0, 0.2}, {0.5, 0.1, 1.0}}, {{0, 1, 0.3}, {0.5, 0.1, 1.0}}, {{1, 0.1, 0}, {0.5, 0.1, 1.0}}};
}
std::vector<Axis> parallel_axes() {
  return {{{0, 0, 1}, {0, 0, 0}},         {{0, 1, 0}, {0, 0.1, 0.1}},      {{0, 1, 0}, {0.4, 0.1, 0.1}},
          {{0, -1, 0}, {0.8, 0.05, 0.1}}, {{0, 0.1, -1}, {0.8, 0.1, 0.0}}, {{0.1, 1, 0}, {0.8, 0.1, 0.0}}};
}
std::vector<Axis> pair_axes() {
  return {{{0, 0, 1}, {0, 0, 0}},        {{0, 1, 0}, {0, 0.02, 0.3}},   {{0, -1, 0}, {0, 0.1, 0.9}},
          {{1, 0, 0}, {0.2, 0.08, 1.0}}, {{0, 1, 0}, {0.6, 0.08, 1.0}}, {{1, 0, 0}, {0.6, -0.08, 1.1}}};
}
/// The same arm from its other end.
std::vector<Axis> reversed(std::vector<Axis> axes) {
  std::reverse(axes.begin(), axes.end());
  return axes;
}
Transform some_tip(const std::vector<Axis>& axes) {
  return {axes.back().point + Vec3(0.05, 0.02, 0.1), exp_rotation(Vec3(0.3, -0.4, 0.5)).toRotationMatrix()};
}

}  // namespace

TEST_CASE("analysis: classes of built-in robots") {
  const Case ur5(builtin("ur5"), "world", "tool0");
  CHECK(ur5.analysis.kind == ChainClass::parallel);
  CHECK(ur5.analysis.exact());
  CHECK(ur5.analysis.sentence.find("Class P") == 0);
}

TEST_CASE("analysis: every answer of structured arms, from either end") {
  struct Row {
    std::vector<Axis> axes;
    ChainClass kind;
    int most;
  };
  std::vector<Axis> meeting = wrist_axes();
  meeting[1].point = Vec3(0, 0, 0.4);  // 1 meets 2
  meeting[2].direction = Vec3(0.3, 0.4, 1);
  for (const Row& row : {Row{wrist_axes(), ChainClass::wrist, 8}, Row{meeting, ChainClass::wrist, 8},
                         Row{parallel_axes(), ChainClass::parallel, 8}, Row{pair_axes(), ChainClass::pair, 16}}) {
    for (const bool turn_round : {false, true}) {
      const std::vector<Axis> axes = turn_round ? reversed(row.axes) : row.axes;
      const Case c(axes, some_tip(axes));
      CAPTURE(class_name(row.kind));
      CAPTURE(turn_round);
      CHECK(c.analysis.kind == row.kind);
      CHECK(c.analysis.mirrored == turn_round);
      const Tally tally = run(c, 300);
      CHECK(tally.misses == 0);
      CHECK(tally.incomplete == 0);
      CHECK(tally.most <= row.most);
      CHECK(tally.worst < 1e-10);
    }
  }
}

TEST_CASE("analysis: six joints without structure") {
  Rng rng(3);
  for (int n = 0; n < 4; ++n) {
    const Case c(test::random_axes(rng, 6), test::random_tip(rng));
    CHECK(c.analysis.kind == ChainClass::general);
    const Tally tally = run(c, 150);
    CHECK(tally.misses == 0);
    CHECK(tally.most <= 16);
    CHECK(tally.worst < 1e-10);
  }
}

TEST_CASE("analysis: three axes through one point, anywhere, with turning and sliding joints beside them") {
  Rng rng(8);
  for (const int first : {3, 0, 2, 1}) {
    for (int slides = 0; slides < 8; ++slides) {
      CAPTURE(first);
      CAPTURE(slides);
      std::vector<Axis> axes = test::random_axes(rng, 6);
      int others = 0;
      for (int i = 0; i < 6; ++i) {
        const bool in = i >= first && i < first + 3;
        if (in) axes[static_cast<std::size_t>(i)].point = axes[static_cast<std::size_t>(first)].point;
        if (!in) axes[static_cast<std::size_t>(i)].slides = ((slides >> others++) & 1) != 0;
      }
      const Case c(axes, test::random_tip(rng));
      CHECK(c.analysis.kind == ChainClass::spherical);
      const Tally tally = run(c, 40);
      CHECK(tally.misses == 0);
      CHECK(tally.most <= 8);
      CHECK(tally.worst < 1e-9);
    }
  }
}

TEST_CASE("analysis: three parallel axes, anywhere, beside axes without structure") {
  Rng rng(28);
  for (const int first : {0, 1, 2, 3}) {
    for (int n = 0; n < 4; ++n) {
      CAPTURE(first);
      std::vector<Axis> axes = test::random_axes(rng, 6);
      for (int i = first + 1; i < first + 3; ++i) {
        axes[static_cast<std::size_t>(i)].direction =
            (i % 2 == 0 ? 1.0 : -1.0) * axes[static_cast<std::size_t>(first)].direction;
      }
      const Case c(axes, test::random_tip(rng));
      CHECK(c.analysis.kind == ChainClass::planar);
      const Tally tally = run(c, 60);
      CHECK(tally.misses == 0);
      CHECK(tally.most <= 8);
      CHECK(tally.worst < 1e-9);
    }
  }
}

TEST_CASE("analysis: three joints that move one plane, with slides among them") {
  Rng rng(29);
  for (const int first : {0, 1, 2, 3}) {
    for (int slides = 1; slides < 7; ++slides) {
      CAPTURE(first);
      CAPTURE(slides);
      std::vector<Axis> axes = test::random_axes(rng, 6);
      const Vec3 h = axes[static_cast<std::size_t>(first)].direction;
      for (int i = 0; i < 3; ++i) {
        Axis& axis = axes[static_cast<std::size_t>(first + i)];
        axis.slides = ((slides >> i) & 1) != 0;
        axis.direction = axis.slides ? Vec3(h.cross(test::random_direction(rng)).normalized()) : h;
      }
      const Case c(axes, test::random_tip(rng));
      CHECK(c.analysis.kind == ChainClass::planar);
      const Tally tally = run(c, 60);
      CHECK(tally.misses == 0);
      CHECK(tally.most <= 8);
      CHECK(tally.worst < 1e-9);
    }
  }
}

TEST_CASE("analysis: a slide that leads three joints of a plane, with an offset wrist behind them") {
  Rng rng(30);
  for (const int first : {0, 1, 2, 3}) {
    for (int n = 0; n < 3; ++n) {
      CAPTURE(first);
      std::vector<Axis> axes = test::random_axes(rng, 6);
      for (int i = 1; i < 3; ++i) {
        axes[static_cast<std::size_t>(first + i)].direction = axes[static_cast<std::size_t>(first)].direction;
      }
      axes[first == 1 || first == 3 ? 0 : 5].slides = true;
      const Case c(axes, test::random_tip(rng));
      CHECK(c.analysis.kind == ChainClass::planar);
      const Tally tally = run(c, 60);
      CHECK(tally.misses == 0);
      CHECK(tally.most <= 4);
      CHECK(tally.worst < 1e-9);
    }
  }
}

TEST_CASE("analysis: three slides and three turning joints, in any order") {
  Rng rng(15);
  int orders = 0;
  for (int slides = 0; slides < 64; ++slides) {
    std::vector<Axis> axes = test::random_axes(rng, 6);
    int count = 0;
    for (int i = 0; i < 6; ++i) count += axes[static_cast<std::size_t>(i)].slides = ((slides >> i) & 1) != 0;
    if (count != 3) continue;
    ++orders;
    CAPTURE(slides);
    // As well where it must come from the wrist: turning axes that follow each other and do not meet.
    const Case c(axes, test::random_tip(rng));
    CHECK(c.analysis.kind == ChainClass::cartesian);
    const Tally tally = run(c, 40);
    CHECK(tally.misses == 0);
    CHECK(tally.incomplete == 0);
    CHECK(tally.most == 2);
    CHECK(tally.worst < 1e-9);
  }
  CHECK(orders == 20);
  // Slides that never span space leave nothing to solve.
  std::vector<Axis> flat = test::random_axes(rng, 6);
  for (const int i : {0, 1, 2}) flat[static_cast<std::size_t>(i)].slides = true;
  flat[2].direction = flat[0].direction + flat[1].direction;
  const Model model = test::compiled(test::arm_of_axes(flat, test::random_tip(rng)));
  CHECK(!analyze_chain(model, model.link("base"), model.link("tip")).ok());
}

TEST_CASE("analysis: a machine tool's two turning axes and the free turn of its spindle") {
  ChainTask spindle;
  spindle.free_turn = true;
  // Table that tilts and turns, three slides behind it; and a head that does, in front of the spindle.
  const Axis x{{1, 0, 0}, {0, 0, 0}, true}, y{{0, 1, 0}, {0, 0, 0}, true}, z{{0, 0, 1}, {0, 0, 0}, true};
  const Axis turn{{0, 0, 1}, {0.1, 0.05, 0}}, tilt{{1, 0, 0}, {0, 0.2, 0.15}};
  for (const std::vector<Axis>& axes : {std::vector<Axis>{turn, tilt, x, y, z}, std::vector<Axis>{x, y, z, turn, tilt},
                                        std::vector<Axis>{turn, x, y, z, tilt}}) {
    const Case c(axes, Transform::translate(Vec3(0.05, 0.1, 0.4)), spindle);
    CHECK(c.analysis.kind == ChainClass::fewer);
    const Tally tally = run(c, 60);
    CHECK(tally.misses == 0);
    CHECK(tally.most == 2);
    CHECK(tally.worst < 1e-9);
  }
}

TEST_CASE("analysis: the Stanford arm slides behind its shoulder") {
  const Model model = builtin("stanford_arm");
  int tip = 0;
  for (int i = 0; i < model.link_count(); ++i) tip = model.is_leaf(i) ? i : tip;
  const Case c(builtin("stanford_arm"), "world", model.link_name(tip).c_str());
  const Tally tally = run(c, 200);
  CHECK(tally.misses == 0);
  CHECK(tally.worst < 1e-9);
}

TEST_CASE("analysis: fewer freedoms") {
  Rng rng(21);
  const auto check = [&](const char* what, const Case& c, int most, double accuracy = 1e-9) {
    CAPTURE(what);
    CHECK(c.analysis.kind == ChainClass::fewer);
    const Tally tally = run(c, 60);
    CHECK(tally.misses == 0);
    CHECK(tally.most <= most);
    CHECK(tally.most >= 1);
    CHECK(tally.worst < accuracy);
  };
  ChainTask position;
  position.position_only = true;
  check("3R position, general", Case(test::random_axes(rng, 3), test::random_tip(rng), position), 4);
  ChainTask in_plane = position;
  in_plane.free_slide = true;
  check("2R in the plane", Case(test::compiled(test::planar_arm({0.7, 0.5})), "base", "tip", in_plane), 2);
  check("2R in the plane, height given", Case(test::compiled(test::planar_arm({0.7, 0.5})), "base", "tip", position),
        2);
  check("3R in the plane, pose", Case(test::compiled(test::planar_arm({0.7, 0.5, 0.3})), "base", "tip"), 2);
  const std::vector<Axis> scara = {
      {{0, 0, 1}, {0, 0, 0}}, {{0, 0, 1}, {0.4, 0, 0}}, {{0, 0, 1}, {0.7, 0, 0}, true}, {{0, 0, 1}, {0.7, 0, 0}}};
  check("SCARA RRPR", Case(scara, some_tip(scara)), 2);
  const std::vector<Axis> slide_first = {scara[2], scara[0], scara[1], scara[3]};
  check("SCARA PRRR", Case(slide_first, some_tip(slide_first)), 2);
  const std::vector<Axis> slide_last = {scara[0], scara[1], scara[3], scara[2]};
  check("SCARA RRRP", Case(slide_last, some_tip(slide_last)), 2);
  const std::vector<Axis> cartesian = {
      {{1, 0, 0}, {0, 0, 0}, true}, {{0, 1, 0}, {0, 0, 0}, true}, {{0, 0.1, 1}, {0, 0, 0}, true}};
  check("cartesian", Case(cartesian, some_tip(cartesian), position), 1);
  check("cartesian, pose", Case(cartesian, some_tip(cartesian)), 1);
  const std::vector<Axis> cylindrical = {
      {{0, 0, 1}, {0, 0, 0}}, {{0, 0, 1}, {0, 0, 0}, true}, {{1, 0, 0}, {0.3, 0.1, 0}, true}};
  check("cylindrical", Case(cylindrical, some_tip(cylindrical), position), 2);
  std::vector<Axis> five = wrist_axes();
  five.pop_back();
  ChainTask tool;
  tool.free_turn = true;
  check("5R, pose", Case(five, some_tip(five)), 8);
  check("5R, tool axis", Case(five, some_tip(five), tool), 16);
  check("5R general, tool axis", Case(test::random_axes(rng, 5), test::random_tip(rng), tool), 16);
}

TEST_CASE("analysis: no answer that random Newton starts find is missing") {
  Rng rng(31);
  for (const std::vector<Axis>& axes : {wrist_axes(), parallel_axes(), pair_axes(), test::random_axes(rng, 6)}) {
    const Case c(axes, some_tip(axes));
    const analytic::Arm& arm = c.analysis.constants->arm;
    ChainAnswers answers;
    int found = 0, missing = 0;
    for (int n = 0; n < 8; ++n) {
      const Transform X = c.place(c.random(rng));
      c.solve(X, answers);
      for (int k = 0; k < 60; ++k) {
        double q[kMaxAnalyticJoints] = {};
        for (int j = 0; j < 6; ++j) q[j] = rng.uniform(-kPi, kPi);
        if (!(analytic::polish(arm, arm.to_units(X), q, 30) < 1e-11)) continue;
        ++found;
        double nearest = 9.0;
        for (int a = 0; a < answers.count; ++a) {
          double away = 0.0;
          for (int j = 0; j < 6; ++j)
            away = std::max(away, std::abs(std::remainder(q[j] - answers.value[a][j], 2.0 * kPi)));
          nearest = std::min(nearest, away);
        }
        missing += nearest > 1e-3;
      }
    }
    CHECK(found > 20);
    CHECK(missing == 0);
  }
}

TEST_CASE("analysis: refusals say why") {
  const auto why = [](const std::vector<Axis>& axes, const ChainTask& task = {}) {
    const Model model = test::compiled(test::arm_of_axes(axes, some_tip(axes)));
    const Result<ChainAnalysis> made = analyze_chain(model, model.link("base"), model.link("tip"), Vec3::Zero(), task);
    return made.ok() ? std::string("accepted") : made.message();
  };
  Rng rng(4);
  CHECK(why(test::random_axes(rng, 8)).find("at most seven joints") != std::string::npos);
  std::vector<Axis> slide = test::random_axes(rng, 6);
  slide[2].slides = true;
  CHECK(why(slide).find("slides in one or two joints") != std::string::npos);
  std::vector<Axis> seven = test::random_axes(rng, 7);
  seven[1].slides = seven[4].slides = true;
  CHECK(why(seven).find("without its slide") != std::string::npos);
  ChainTask position;
  position.position_only = true;
  CHECK(why(test::random_axes(rng, 5), position).find("three joints") != std::string::npos);
  const std::vector<Axis> flat = {{{0, 0, 1}, {0, 0, 0}}, {{0, 0, 1}, {1, 0, 0}}, {{0, 0, 1}, {2, 0, 0}}};
  CHECK(why(flat, position).find("vanish") != std::string::npos);
}

TEST_CASE("analysis: singular goals name the free joint and are still reached") {
  std::vector<Axis> axes = wrist_axes();
  axes[3].direction = axes[5].direction = Vec3(1, 0, 0);
  axes[4].direction = Vec3(0, 1, 0);
  const Case c(axes, some_tip(axes));
  Rng rng(2);
  ChainAnswers answers;
  for (int n = 0; n < 50; ++n) {
    VecX q = c.random(rng);
    q[4] = 0.0;  // axes 4 and 6 in line
    double start[6] = {0, 0, 0, 0.7, 0, 0};
    const Transform X = c.place(q);
    c.solve(X, answers, false, start);
    CHECK((answers.singular_joints & (1u << 3)) != 0);
    bool at_start = false;
    for (int k = 0; k < answers.count; ++k) {
      CHECK(error_of(c, X, c.pose(answers.value[k])) < 1e-9);
      at_start = at_start || std::abs(answers.value[k][3] - 0.7) < 1e-12;
    }
    CHECK(at_start);
  }
  // P: joint 6 is free where joint 5 is zero, but only some values let the planar part reach.
  const Case p(builtin("ur5"), "world", "tool0");
  int reached = 0;
  for (int n = 0; n < 200; ++n) {
    VecX q = p.random(rng);
    q[4] = 0.0;
    const Transform X = p.place(q);
    p.solve(X, answers);
    bool found = false;
    for (int k = 0; k < answers.count; ++k) found = found || error_of(p, X, p.pose(answers.value[k])) < 1e-8;
    reached += found;
  }
  CHECK(reached == 200);
}

TEST_CASE("analysis: the free joint is named near a second singular pose, too") {
  // The nearer the elbow is to straight, the more of rounding reaches the wrist: 1e-12 and more of its sine.
  std::vector<Axis> axes = wrist_axes();
  axes[3].direction = axes[5].direction = Vec3(1, 0, 0);
  axes[4].direction = Vec3(0, 1, 0);
  const Case c(axes, some_tip(axes));
  const Vec3 upper = axes[2].point - axes[1].point, lower = axes[3].point - axes[2].point;  // in the plane of x and z
  const double straight = std::atan2(lower.x(), lower.z()) - std::atan2(upper.x(), upper.z());
  Rng rng(3);
  ChainAnswers answers;
  for (const double bend : {1e-1, 1e-2, 1e-3, 1e-4}) {
    for (int n = 0; n < 50; ++n) {
      VecX q = c.random(rng);
      q[2] = straight + (n % 2 == 0 ? bend : -bend);
      q[4] = 0.0;
      const double start[6] = {0, 0, 0, 0.7, 0, 0};
      const Transform X = c.place(q);
      c.solve(X, answers, false, start);
      CHECK((answers.singular_joints & (1u << 3)) != 0);
      bool at_start = false;
      for (int k = 0; k < answers.count; ++k) {
        CHECK(error_of(c, X, c.pose(answers.value[k])) < 1e-9);
        at_start = at_start || std::abs(answers.value[k][3] - 0.7) < 1e-12;
      }
      CHECK(at_start);
    }
  }
}

TEST_CASE("analysis: near singular goals, exact arms") {
  for (const double delta : {1e-4, 1e-6}) {
    for (const bool wrist : {true, false}) {
      std::vector<Axis> axes = wrist_axes();
      axes[3].direction = axes[5].direction = Vec3(1, 0, 0);
      axes[4].direction = Vec3(0, 1, 0);
      const Case c = wrist ? Case(axes, some_tip(axes)) : Case(builtin("ur5"), "world", "tool0");
      Rng rng(6);
      ChainAnswers answers;
      int gross = 0;
      for (int n = 0; n < 300; ++n) {
        VecX q = c.random(rng);
        q[4] = n % 2 == 0 ? delta : -delta;
        c.solve(c.place(q), answers);
        double nearest = 9.0;
        for (int k = 0; k < answers.count; ++k) {
          nearest = std::min(nearest, test::pose_distance(c.model, q, c.pose(answers.value[k])));
        }
        gross += nearest > 1e-2;
      }
      CHECK(gross == 0);
    }
  }
}

TEST_CASE("analysis: goals out of reach have no answer") {
  for (const std::vector<Axis>& axes : {wrist_axes(), parallel_axes(), pair_axes()}) {
    const Case c(axes, some_tip(axes));
    Rng rng(9);
    ChainAnswers answers;
    for (int n = 0; n < 50; ++n) {
      Transform X = c.place(c.random(rng));
      X.position = X.position.normalized() * 8.0;
      c.solve(X, answers);
      CHECK(answers.count == 0);
    }
  }
}

TEST_CASE("analysis: rounded geometry is snapped, and its answers are the true arm's") {
  std::vector<Axis> axes = wrist_axes();
  axes[2].direction = Vec3(1e-6, -1, 2e-6);
  axes[5].point += Vec3(0, 3e-6, 0);
  const Case c(axes, some_tip(axes));
  CHECK(c.analysis.kind == ChainClass::wrist);
  CHECK(!c.analysis.exact());
  CHECK(c.analysis.sentence.find("snapped") != std::string::npos);
  const Tally tally = run(c, 200);
  CHECK(tally.misses <= 1);
  CHECK(tally.worst < 1e-9);
}

TEST_CASE("analysis: the same bits on every instruction set, and no allocation") {
  Rng arms(17);
  std::vector<std::vector<Axis>> all = {wrist_axes(), parallel_axes(), pair_axes(), test::random_axes(arms, 6)};
  for (const std::vector<Axis>& axes : all) {
    const Case c(axes, some_tip(axes));
    Rng rng(5);
    for (int n = 0; n < 40; ++n) {
      const Transform X = c.place(c.random(rng));
      analytic::SixArm six = c.analysis.constants->six;
      analytic::SixGoal goal;
      analytic::set_goal(c.analysis.constants->arm, X, goal);
      goal.thorough = n % 2 == 0;
      analytic::SixAnswers first, other;
      six.isa = Isa::baseline;
      test::AllocationCounter counter;
      solve(six, goal, first);
      CHECK(counter.count() == 0);
      for (const Isa isa : kIsas) {
        if (!isa_available(isa)) continue;
        six.isa = isa;
        solve(six, goal, other);
        REQUIRE(other.count == first.count);
        CHECK(std::memcmp(first.q, other.q, sizeof(double) * 6 * static_cast<std::size_t>(first.count)) == 0);
        CHECK(other.complete == first.complete);
      }
    }
  }
}

TEST_CASE("analysis: S-R-S, the free stretches of the arm angle are exact") {
  const Case c(test::compiled(test::seven_linkage()), "base", "tip");
  CHECK(c.analysis.kind == ChainClass::srs);
  const analytic::SrsArm& srs = c.analysis.constants->srs;
  double lower[7], upper[7];
  for (int j = 0; j < 7; ++j) {
    lower[j] = c.analysis.chain.joints[static_cast<std::size_t>(j)].lower;
    upper[j] = c.analysis.chain.joints[static_cast<std::size_t>(j)].upper;
  }
  Rng rng(12);
  int inside_count = 0;
  for (int n = 0; n < 20; ++n) {
    VecX q(7);
    for (int j = 0; j < 7; ++j) q[j] = rng.uniform(lower[j], upper[j]);
    const Transform X = c.place(q);
    const analytic::SrsPose pose = place(srs, c.analysis.constants->arm.to_units(X));
    REQUIRE(pose.elbows == 2);
    bool own_branch = false;
    for (int branch = 0; branch < 8; ++branch) {
      analytic::ArmAngles free;
      free_angles(srs, pose, branch, lower, upper, free);
      for (int k = 0; k < 360; ++k) {
        const double psi = -kPi + (k + 0.37) * kPi / 180.0;
        double v[7];
        bool inside = values_at(srs, pose, branch, psi, v), listed = false;
        double edge = 9.0;
        for (int j = 0; j < 7 && inside; ++j) inside = v[j] >= lower[j] && v[j] <= upper[j];
        for (int i = 0; i < free.count; ++i) {
          listed = listed || (psi > free.low[i] && psi < free.high[i]);
          edge = std::min({edge, std::abs(psi - free.low[i]), std::abs(psi - free.high[i])});
        }
        if (edge > 1e-9) CHECK(inside == listed);
        inside_count += inside;
      }
      const double psi = analytic::arm_angle(srs, pose, q.data());
      double v[7];
      if (values_at(srs, pose, branch, psi, v)) {
        double away = 0.0;
        for (int j = 0; j < 7; ++j) away = std::max(away, std::abs(std::remainder(v[j] - q[j], 2.0 * kPi)));
        own_branch = own_branch || away < 1e-7;
      }
    }
    CHECK(own_branch);
    // From the pose itself, the nearest point of its own curve is the pose.
    ChainAnswers answers;
    c.solve(X, answers, false, q.data());
    double nearest = 9.0;
    for (int k = 0; k < answers.count; ++k) {
      nearest = std::min(nearest, test::pose_distance(c.model, q, c.pose(answers.value[k])));
      CHECK(error_of(c, X, c.pose(answers.value[k])) < 1e-9);
    }
    CHECK(nearest < 1e-6);
  }
  CHECK(inside_count > 1000);
}

TEST_CASE("analysis: seven joints by a locked one") {
  const Case panda(builtin("panda"), "panda_link0", "panda_link8");
  CHECK(panda.analysis.kind == ChainClass::locked);
  Rng rng(14);
  ChainAnswers answers;
  for (int n = 0; n < 100; ++n) {
    const VecX q = panda.random(rng);
    double start[7] = {};
    for (int j = 0; j < 7; ++j) start[j] = q[panda.analysis.chain.coordinates[static_cast<std::size_t>(j)].coordinate];
    const double held = start[panda.analysis.locked_joint];
    std::fill(start, start + 7, 0.1);
    start[panda.analysis.locked_joint] = held;
    const Transform X = panda.place(q);
    panda.solve(X, answers, false, start);
    double nearest = 9.0;
    for (int k = 0; k < answers.count; ++k) {
      nearest = std::min(nearest, test::pose_distance(panda.model, q, panda.pose(answers.value[k])));
      CHECK(error_of(panda, X, panda.pose(answers.value[k])) < 1e-9);
    }
    CHECK(nearest < 1e-6);
    CHECK(!answers.complete);
  }
}

TEST_CASE("analysis: an arm on a rail is held where its slide stands") {
  Rng rng(17);
  for (const int place : {0, 6, 2}) {  // below, at the tool, between: closed forms only there
    CAPTURE(place);
    std::vector<Axis> axes = wrist_axes();
    axes.insert(axes.begin() + place, Axis{{0, 1, 0}, {0.1, 0, 0.2}, true});
    const Case c(axes, some_tip(wrist_axes()));
    CHECK(c.analysis.kind == ChainClass::locked);
    CHECK(c.analysis.locked_joint == place);
    ChainAnswers answers;
    for (int n = 0; n < 50; ++n) {
      const VecX q = c.random(rng);
      double start[7] = {};
      start[place] = q[c.analysis.chain.coordinates[static_cast<std::size_t>(place)].coordinate];
      const Transform X = c.place(q);
      c.solve(X, answers, false, start);
      double nearest = 9.0;
      for (int k = 0; k < answers.count; ++k) {
        nearest = std::min(nearest, test::pose_distance(c.model, q, c.pose(answers.value[k])));
        CHECK(error_of(c, X, c.pose(answers.value[k])) < 1e-9);
      }
      CHECK(nearest < 1e-6);
    }
  }
}
