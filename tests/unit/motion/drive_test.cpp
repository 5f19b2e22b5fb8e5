// Driving mechanisms: golden points, turns without a wrong branch, dead points, limits, change points, circuits.
#include "armature/motion/drive.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/edit.hpp"
#include "support/allocation_counter.hpp"
#include "support/loops.hpp"
#include "support/mechanisms.hpp"

using namespace armature;
using namespace armature::test;

namespace {

double short_way(const Model& model, const std::string& joint, double from, double to) {
  const ModelJoint& j = model.joint(joint);
  return coordinates(j.type)[0] == Coordinate::angle ? wrap_angle(to - from) : to - from;
}

VecX change_to(const Mechanism& m, const VecX& q, const std::vector<double>& drive) {
  VecX change = VecX::Zero(m.model.v_size());
  for (std::size_t k = 0; k < m.driven.size(); ++k) {
    const ModelJoint& joint = m.model.joint(m.driven[k]);
    change[joint.v_index] = short_way(m.model, m.driven[k], q[joint.q_index], drive[k]);
  }
  return change;
}

}  // namespace

TEST_CASE("drive: every golden point of every mechanism and assembly to 1e-9") {
  for (const Mechanism& m : golden_mechanisms()) {
    const Result<std::vector<char>> held = held_velocities(m.model, m.driven);
    REQUIRE(held.ok());
    for (const auto& [name, rows] : m.assemblies) {
      const std::string& assembly = name;  // clang: a lambda cannot see the binding
      INFO(m.name, " ", assembly);
      Driver driver;
      driver.prepare(m.model, *held);
      Assembler assembler;
      assembler.prepare(m.model, *held);
      // The parallelogram's row 0 lies where its two branches meet: nothing tells which one is meant.
      const std::size_t first = m.name == "four_bar_parallelogram" ? 1 : 0;
      VecX q = rows[first].q;
      REQUIRE(assembler.assemble(q.data()).ok);
      for (std::size_t r = first + 1; r < rows.size(); ++r) {
        const VecX change = change_to(m, q, rows[r].drive);
        REQUIRE(driver.advance(q, change) == DriveOutcome::reached);
        CHECK(farthest(m, q, rows[r]) < 1e-9);
      }
    }
  }
}

TEST_CASE("drive: turns with few values each, against the closed form, without one wrong branch") {
  struct Bar {
    double ground, crank, coupler, rocker;
  };
  int turns = 0;
  for (const Bar& bar : {Bar{4, 1.5, 4.2, 2.6}, Bar{1.2, 3, 2.6, 2.8}, Bar{4, 1, 4.1, 1.3}, Bar{10, 1, 9.5, 3}}) {
    const Model model = compiled(four_bar(bar.ground, bar.crank, bar.coupler, bar.rocker));
    for (const double side : {1.0, -1.0}) {
      for (const int values : {3, 5, 8, 20}) {
        for (const double direction : {1.0, -1.0}) {
          VecX q, expected;
          REQUIRE(four_bar_pose(bar.ground, bar.crank, bar.coupler, bar.rocker, 0.3, side, q));
          Driver driver;
          driver.prepare(model, *held_velocities(model, {"crank"}));
          VecX change = VecX::Zero(3);
          change[model.joint("crank").v_index] = direction * 2.0 * kPi / values;
          for (int k = 1; k <= values; ++k) {
            REQUIRE(driver.advance(q, change) == DriveOutcome::reached);
            REQUIRE(four_bar_pose(bar.ground, bar.crank, bar.coupler, bar.rocker, q[0], side, expected));
            CHECK(std::abs(wrap_angle(q[2] - expected[2])) < 1e-9);
          }
          ++turns;
        }
      }
    }
  }
  CHECK(turns == 64);
}

TEST_CASE("drive: every mechanism that turns comes round with few values a turn as it does with many") {
  constexpr int kFine = 120;
  int turns = 0, mechanisms = 0;
  for (const Mechanism& m : golden_mechanisms()) {
    if (m.driven.size() != 1 || coordinates(m.model.joint(m.driven[0]).type)[0] != Coordinate::angle) continue;
    if (m.name == "four_bar_parallelogram") continue;  // its change points have a test of their own
    const Result<std::vector<char>> held = held_velocities(m.model, m.driven);
    REQUIRE(held.ok());
    const int drive = m.model.joint(m.driven[0]).v_index;
    bool any = false;
    for (const auto& [name, rows] : m.assemblies) {
      const std::string& assembly = name;
      INFO(m.name, " ", assembly);
      Driver driver;
      driver.prepare(m.model, *held);
      Assembler assembler;
      assembler.prepare(m.model, *held);
      for (const std::size_t row : {rows.size() / 5, rows.size() / 2, rows.size() - 1}) {
        for (const double direction : {1.0, -1.0}) {
          VecX q = rows[row].q;
          REQUIRE(assembler.assemble(q.data()).ok);
          std::vector<VecX> fine{q};
          VecX change = VecX::Zero(m.model.v_size());
          change[drive] = direction * 2.0 * kPi / kFine;
          while (fine.size() <= kFine && driver.advance(q, change) == DriveOutcome::reached) fine.push_back(q);
          if (fine.size() <= kFine) continue;  // a rocker: it ends at dead points
          any = true;
          for (const int values : {3, 5, 8, 20}) {
            q = fine[0];
            change[drive] = direction * 2.0 * kPi / values;
            for (int k = 1; k <= values; ++k) {
              REQUIRE(driver.advance(q, change) == DriveOutcome::reached);
              const VecX v = difference(m.model, q, fine[static_cast<std::size_t>(k * kFine / values)]);
              CHECK(v.cwiseAbs().maxCoeff() < 1e-8);
            }
            ++turns;
          }
        }
      }
    }
    mechanisms += any ? 1 : 0;
  }
  if (mechanisms == 0) return;  // the collection is not there, which golden_mechanisms() has said
  CHECK(mechanisms >= 6);
  CHECK(turns >= 200);
  MESSAGE(turns, " turns of ", mechanisms, " mechanisms");
}

TEST_CASE("drive: dead points lie where the closed form has them, and are explained") {
  struct Rocker {
    double ground, crank, coupler, rocker;
  };
  for (const Rocker& r : {Rocker{3.6, 2.8, 1.0, 2.5}, Rocker{4, 3, 2.2, 3.4}}) {
    const Model model = compiled(four_bar(r.ground, r.crank, r.coupler, r.rocker));
    // Coupler and rocker stretched: the diagonal is as long as both together.
    const double reach = r.coupler + r.rocker;
    const double angle =
        std::acos((r.ground * r.ground + r.crank * r.crank - reach * reach) / (2.0 * r.ground * r.crank));
    VecX q;
    REQUIRE(four_bar_pose(r.ground, r.crank, r.coupler, r.rocker, angle - 0.2, 1.0, q));
    DriveOptions options;
    options.joint = "crank";
    options.to = angle + 0.5;
    options.frames = 30;
    options.start = q;
    const Result<DriveReport> report = drive(model, options);
    REQUIRE_MESSAGE(report.ok(), report.message());
    CHECK(report->outcome == DriveOutcome::dead_point);
    REQUIRE(report->stopped_at.has_value());
    CHECK(*report->stopped_at == doctest::Approx(angle).epsilon(1e-12));
    CHECK(report->in_line == std::vector<std::string>{"coupler", "rocker"});
    CHECK(report->message().find("in line") != std::string::npos);
    CHECK(report->largest_closure_error < 1e-12);
    CHECK(report->value <= angle);
  }
}

TEST_CASE("drive: a gap between two dead points is never jumped") {
  for (const Mechanism& m : golden_mechanisms()) {
    if (m.name != "jansen") continue;
    const auto& rows = m.assemblies[1].second;  // one dyad flipped: it cannot pass 3.2933 .. 3.3948
    DriveOptions options;
    options.joint = m.driven[0];
    options.start = rows[4].q;
    options.to = rows[4].drive[0] + 2.0 * kPi;
    options.frames = 21;
    const Result<DriveReport> report = drive(m.model, options);
    REQUIRE_MESSAGE(report.ok(), report.message());
    CHECK(report->outcome == DriveOutcome::dead_point);
    CHECK(*report->stopped_at == doctest::Approx(m.facts["w_flipped_dead_points"][0].get<double>()).epsilon(1e-9));
  }
}

TEST_CASE("drive: limits of joints that follow stop the motion exactly there") {
  Linkage l = four_bar(4, 1.5, 4.2, 2.6);
  VecX q, at;
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 0.6, 1.0, q));
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 1.7, 1.0, at));
  l.find_joint("rocker_pin")->limits = {{0.0}, {at[2]}, {}, {}};
  const Model model = compiled(l);
  DriveOptions options;
  options.joint = "crank";
  options.to = 2.5;
  options.start = q;
  const Result<DriveReport> report = drive(model, options);
  REQUIRE_MESSAGE(report.ok(), report.message());
  CHECK(report->outcome == DriveOutcome::limit);
  CHECK(report->limit_joint == "rocker_pin");
  CHECK(report->value == doctest::Approx(1.7).epsilon(1e-10));
  CHECK(inside_limits(model, report->q, 1e-11));
}

TEST_CASE("drive: a parallelogram keeps its branch through its change points; a start on one asks which") {
  const Model model = compiled(four_bar(3, 1, 3, 1));
  VecX q;
  REQUIRE(four_bar_pose(3, 1, 3, 1, 0.4, 1.0, q));
  for (const double rate : {0.1, 0.27, kPi / 10.0}) {
    Driver driver;
    driver.prepare(model, *held_velocities(model, {"crank"}));
    VecX pose = q, change = VecX::Zero(3);
    change[0] = rate;
    for (int k = 0; k < 200; ++k) {
      REQUIRE(driver.advance(pose, change) == DriveOutcome::reached);
      CHECK(std::abs(wrap_angle(pose[2] - pose[0])) < 1e-6);
    }
  }
  DriveOptions options;
  options.joint = "crank";
  options.to = 1.0;
  options.start = VecX::Zero(3);
  Result<DriveReport> report = drive(model, options);
  REQUIRE(report.ok());
  CHECK(report->outcome == DriveOutcome::branch_point);
  double rockers[2] = {0.0, 0.0};
  for (int branch = 1; branch <= 2; ++branch) {
    options.branch = branch;
    report = drive(model, options);
    REQUIRE(report.ok());
    CHECK(report->outcome == DriveOutcome::reached);
    rockers[branch - 1] = report->q[2];
  }
  CHECK(std::abs(rockers[0] - rockers[1]) > 0.5);  // parallel and antiparallel
}

TEST_CASE("drive: a rigid mechanism is locked") {
  Linkage l = four_bar(4, 1, 4, 1);
  l.links.push_back({"third", {}});
  l.joints.push_back(joint("third_pin", Revolute{}, "ground", "third", Transform::translate(Vec3(1.5, 0, 0))));
  l.closures.push_back(pin("pin3", "coupler", Vec3(1.5, 0.1, 0), "third", Vec3(1.0, 0, 0)));
  const Model model = compiled(l);
  const MechanismReport mechanism = analyze_mechanism(model);
  REQUIRE(mechanism.assembled);
  CHECK(mechanism.mobility == 0);
  DriveOptions options;
  options.joint = "crank";
  options.start = mechanism.q;
  options.to = mechanism.q[0] + 1.0;
  const Result<DriveReport> report = drive(model, options);
  REQUIRE_MESSAGE(report.ok(), report.message());
  CHECK(report->outcome == DriveOutcome::locked);
}

TEST_CASE("drive: velocity ratios are those of the formula, and nothing allocates while driving") {
  const Model model = compiled(four_bar(4, 1.5, 4.2, 2.6));
  VecX q;
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 0.9, 1.0, q));
  const Result<VecX> ratio = velocity_ratios(model, q, "crank");
  REQUIRE(ratio.ok());
  const double t2 = q[0], t3 = q[0] + q[1], t4 = q[2];
  CHECK((*ratio)[2] == doctest::Approx(1.5 * std::sin(t3 - t2) / (2.6 * std::sin(t3 - t4))).epsilon(1e-12));
  Driver driver;
  driver.prepare(model, *held_velocities(model, {"crank"}));
  VecX change = VecX::Zero(3);
  change[0] = 0.3;
  driver.advance(q, change);
  const AllocationCounter counter;
  for (int k = 0; k < 50; ++k) driver.advance(q, change);
  CHECK(counter.count() == 0);
}

TEST_CASE("circuit: a crank-rocker has two circuits of full turns, a double rocker one with its dead points") {
  VecX q;
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 0.9, 1.0, q));
  Result<CircuitReport> way = circuit(compiled(four_bar(4, 1.5, 4.2, 2.6)), q, "crank");
  REQUIRE_MESSAGE(way.ok(), way.message());
  CHECK(way->closed);
  CHECK(way->full_turn);
  CHECK(way->upper - way->lower == doctest::Approx(2.0 * kPi).epsilon(1e-12));
  CHECK(way->dead_points.empty());
  REQUIRE(four_bar_pose(4, 3, 2.2, 3.4, 1.0, 1.0, q));
  way = circuit(compiled(four_bar(4, 3, 2.2, 3.4)), q, "crank");
  REQUIRE_MESSAGE(way.ok(), way.message());
  CHECK(way->closed);
  CHECK_FALSE(way->full_turn);
  REQUIRE(way->dead_points.size() >= 2);
  const double stretched = std::acos((16.0 + 9.0 - 5.6 * 5.6) / 24.0);
  CHECK(way->upper == doctest::Approx(stretched).epsilon(1e-9));
}

TEST_CASE("circuit: one that does not reach the drive's value is found all the same") {
  // A six-bar whose last dyad closes between 30 and 176 degrees of the crank only, in one assembly of its four-bar.
  Linkage l = four_bar(100, 30, 90, 70);
  for (const char* name : {"link5", "link6"}) l.links.push_back({name, {}});
  l.joints.push_back(joint("p5", Revolute{}, "coupler", "link5", Transform::translate(Vec3(40, 20, 0))));
  l.joints.push_back(joint("p6", Revolute{}, "ground", "link6", Transform::translate(Vec3(60, 120, 0))));
  l.closures.push_back(pin("pin2", "link5", Vec3(80, 0, 0), "link6", Vec3(50, 0, 0)));
  const Model model = compiled(l);
  VecX q = neutral_pose(model);
  q[model.joint("crank").q_index] = 0.45;
  const MechanismReport mechanism = analyze_mechanism(model, q);
  REQUIRE(mechanism.assembled);
  VecX at = mechanism.q;
  const Result<std::vector<char>> held = held_velocities(model, mechanism.drives);
  const std::vector<ModeCircuit> circuits = find_circuits(model, mechanism, assembly_modes(model, at, *held));
  int with_dead_points = 0;
  for (const ModeCircuit& item : circuits) with_dead_points += item.report.dead_points.size() == 2 ? 1 : 0;
  CHECK(with_dead_points == 1);
  CHECK(circuits.size() == 3);
}

TEST_CASE("circuit: a crank that swings over more than half a turn and back does not turn round") {
  VecX q;
  REQUIRE(four_bar_pose(4, 2.5, 2.75, 2.75, 0.9, 1.0, q));
  const Result<CircuitReport> way = circuit(compiled(four_bar(4, 2.5, 2.75, 2.75)), q, "crank");
  REQUIRE_MESSAGE(way.ok(), way.message());
  CHECK(way->closed);
  CHECK_FALSE(way->full_turn);
  // Coupler and rocker in line: 5.5 from the crank's pin to the rocker's.
  CHECK(way->upper - way->lower == doctest::Approx(2.0 * std::acos(-0.4)).epsilon(1e-9));
}

TEST_CASE("circuit: stays inside the limits of joints and closures, and so do those found elsewhere") {
  Linkage l = four_bar(4, 1.5, 4.2, 2.6);
  l.joints[2].limits.lower = {1.6};
  l.joints[2].limits.upper = {2.2};
  const Model model = compiled(l);
  const MechanismReport mechanism = analyze_mechanism(model);
  const Result<std::vector<char>> held = held_velocities(model, mechanism.drives);
  const std::vector<ModeCircuit> circuits = find_circuits(model, mechanism, assembly_modes(model, mechanism.q, *held));
  CHECK(circuits.size() == 2);  // as the rocker goes there and as it comes back
  double degrees = 0.0;
  for (const ModeCircuit& item : circuits) {
    CHECK_FALSE(item.report.full_turn);
    CHECK(item.report.limit_joint == "rocker_pin");
    degrees += item.report.upper - item.report.lower;
    for (int f = 0; f < item.report.poses.frame_count(); ++f) {
      CHECK(item.report.poses.frame(f)[2] > 1.6 - 1e-9);
      CHECK(item.report.poses.frame(f)[2] < 2.2 + 1e-9);
    }
  }
  // The same by counting the crank's values at which the closed form has the rocker there.
  int inside = 0;
  for (int i = 0; i < 36000; ++i) {
    VecX q;
    if (!four_bar_pose(4, 1.5, 4.2, 2.6, 2.0 * kPi * i / 36000, 1.0, q)) continue;
    inside += q[2] > 1.6 && q[2] < 2.2 ? 1 : 0;
  }
  CHECK(degrees == doctest::Approx(2.0 * kPi * inside / 36000).epsilon(1e-3));
  // The pin's own angle, the rocker seen from the coupler.
  VecX q, end;
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 0.9, 1.0, q));
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 1.4, 1.0, end));
  Linkage cut = four_bar(4, 1.5, 4.2, 2.6);
  const double least = q[2] - q[0] - q[1], most = end[2] - end[0] - end[1];
  cut.closures[0].limits.lower = {std::min(least, most) + 2.0 * kPi};  // full turns are the same
  cut.closures[0].limits.upper = {std::max(least, most) + 2.0 * kPi};
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 1.1, 1.0, q));
  const Result<CircuitReport> between = circuit(compiled(cut), q, "crank");
  REQUIRE_MESSAGE(between.ok(), between.message());
  CHECK(between->limit_joint == "pin");
  CHECK(between->lower == doctest::Approx(0.9).epsilon(1e-9));
  CHECK(between->upper == doctest::Approx(1.4).epsilon(1e-9));
  DriveOptions options;
  options.joint = "crank";
  options.start = q;
  options.to = 2.0;
  const DriveReport driven = *drive(compiled(cut), options);
  CHECK(driven.outcome == DriveOutcome::limit);
  CHECK(driven.stopped_at.value_or(0.0) == doctest::Approx(1.4).epsilon(1e-9));
}

TEST_CASE("circuit: names the points at which branches meet, turns where the drive comes round, slides otherwise") {
  VecX q;
  REQUIRE(four_bar_pose(3, 1, 3, 1, 0.9, 1.0, q));
  Result<CircuitReport> way = circuit(compiled(four_bar(3, 1, 3, 1)), q, "crank");
  REQUIRE_MESSAGE(way.ok(), way.message());
  CHECK(way->full_turn);
  REQUIRE(way->branch_points.size() == 2);  // in line at 0 and 180 degrees
  for (const double value : way->branch_points) CHECK(std::abs(std::remainder(value, kPi)) < 1e-6);
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 0.9, 1.0, q));
  CHECK(circuit(compiled(four_bar(4, 1.5, 4.2, 2.6)), q, "crank")->branch_points.empty());
  const Model lift = compiled(scissor(2));  // both stages fold at once where the lift is flat: branches meet
  way = circuit(lift, scissor_pose(lift, 0.8), "foot");
  REQUIRE_MESSAGE(way.ok(), way.message());
  CHECK_FALSE(way->full_turn);
  CHECK_FALSE(way->branch_points.empty());
  CHECK(way->upper < 1.0 + 1e-6);
  // A cam without end is followed for a while.
  Linkage cam;
  for (const char* name : {"ground", "wheel", "follower"}) cam.links.push_back({name, {}});
  cam.joints = {joint("cam", Revolute{}, "ground", "wheel", {}),
                joint("lift", Prismatic{Vec3::UnitY()}, "ground", "follower", {})};
  Closure profile;
  profile.name = "profile";
  profile.type = Coupling{"lift", "cam", {0.1, 0.0, 0.2, -0.03}};
  cam.closures = {profile};
  way = circuit(compiled(cam), VecX(Vec2(0.0, 0.1)), "cam");
  REQUIRE_MESSAGE(way.ok(), way.message());
  CHECK(way->unfinished);
  CHECK_FALSE(way->closed);
}

TEST_CASE("circuit: each drive of several has its own, and assemblies share one where the platform says so") {
  Linkage l;
  l.name = "five_bar";
  for (const char* name : {"ground", "a", "b", "c", "d"}) l.links.push_back({name, {}});
  l.joints = {joint("left", Revolute{}, "ground", "a", {}),
              joint("e1", Revolute{}, "a", "b", Transform::translate(Vec3(1, 0, 0))),
              joint("right", Revolute{}, "ground", "c", Transform::translate(Vec3(1.5, 0, 0))),
              joint("e2", Revolute{}, "c", "d", Transform::translate(Vec3(0.4, 0, 0)))};
  l.closures = {pin("meet", "b", Vec3(1.5, 0, 0), "d", Vec3(1.5, 0, 0))};
  l.drives = {"left", "right"};
  const Model model = compiled(l);
  VecX start = VecX::Zero(4);
  start << 1.5, 0.3, 0.8, 1.0;
  const MechanismReport mechanism = analyze_mechanism(model, start);
  const std::vector<ModeCircuit> circuits =
      find_circuits(model, mechanism, assembly_modes(model, mechanism.q, *held_velocities(model, mechanism.drives)));
  int left = 0, right = 0;
  for (const ModeCircuit& item : circuits) (item.drive == "left" ? left : right) += 1;
  CHECK(left > 0);
  CHECK(right > 0);
}

TEST_CASE("transmission: a rod counts like a link with pins") {
  Linkage with_rod = four_bar(100, 50, 40, 45);
  with_rod.links.erase(with_rod.links.begin() + 2);
  with_rod.joints.erase(with_rod.joints.begin() + 1);
  with_rod.closures = {pin("rod", "crank_bar", Vec3(50, 0, 0), "rocker", Vec3(45, 0, 0), Rod{40.0})};
  const Model pinned = compiled(four_bar(100, 50, 40, 45)), rod = compiled(with_rod);
  for (const double angle : {0.1, 0.5, 0.9, 1.0}) {
    VecX q;
    REQUIRE(four_bar_pose(100, 50, 40, 45, angle, 1.0, q));
    const VecX both = (VecX(2) << q[0], q[2]).finished();
    const double index = analyze_mechanism(pinned, q).transmission;
    CHECK(analyze_mechanism(rod, both).transmission == doctest::Approx(index).epsilon(1e-9));
    DriveOptions options;
    options.joint = "crank";
    options.start = both;
    options.from = angle;
    options.to = angle + 1e-3;
    options.frames = 2;
    CHECK(drive(rod, options)->transmission.front() == doctest::Approx(index).epsilon(1e-9));
  }
  DriveOptions options;
  options.joint = "crank";
  VecX q;
  REQUIRE(four_bar_pose(100, 50, 40, 45, 0.1, 1.0, q));
  options.start = (VecX(2) << q[0], q[2]).finished();
  options.to = 1.6;
  const DriveReport stopped = *drive(rod, options);
  CHECK(stopped.outcome == DriveOutcome::dead_point);
  CHECK(stopped.text.find("'rod'") != std::string::npos);
  options.from = options.to;
  CHECK(drive(rod, options).message().find("goes from -58.16") != std::string::npos);
}

// A lift of many stages moves by far more than any one of its joints does: where it began is not where it ends.
TEST_CASE("circuit: coming near its start is not coming back") {
  Linkage screw;
  for (const char* name : {"ground", "screw", "nut"}) screw.links.push_back({name, {}});
  screw.joints = {joint("turn", Revolute{}, "ground", "screw", {}),
                  joint("lift", Prismatic{Vec3::UnitZ()}, "ground", "nut", {})};
  screw.closures = {pin("thread", "screw", Vec3::Zero(), "nut", Vec3::Zero(), JointType(Helical{Vec3::UnitZ(), 0.01}))};
  const Result<CircuitReport> up = circuit(compiled(screw), VecX(Vec2(0.0, 0.0)), "turn");
  REQUIRE_MESSAGE(up.ok(), up.message());
  CHECK_FALSE(up->closed);
  CHECK_FALSE(up->full_turn);
  CHECK(up->unfinished);
  // A lever that follows a gear of 2.01 teeth to one is back after 100 turns, not after one or two.
  Linkage gears = planar_arm({1.0, 1.0});
  Closure gear;
  gear.name = "gear";
  gear.type = Coupling{"joint2", "joint1", {0.0, 2.01}};
  gears.closures = {gear};
  const Result<CircuitReport> round = circuit(compiled(gears), VecX(Vec2(0.0, 0.0)), "joint1");
  REQUIRE_MESSAGE(round.ok(), round.message());
  CHECK(round->closed);
  CHECK(round->full_turn);
  CHECK(round->upper - round->lower == doctest::Approx(200.0 * kPi).epsilon(1e-9));
  // And a full turn is exactly one.
  VecX q;
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 0.9, 1.0, q));
  const Result<CircuitReport> crank = circuit(compiled(four_bar(4, 1.5, 4.2, 2.6)), q, "crank");
  REQUIRE_MESSAGE(crank.ok(), crank.message());
  CHECK(crank->full_turn);
  CHECK(crank->upper - crank->lower == doctest::Approx(2.0 * kPi).epsilon(1e-9));
}

// Three equal cranks in a row: where all bars are in line two of them could go on as an antiparallelogram, the third
// lets none.
TEST_CASE("circuit: rows that repeat others do not make branches, and a start there needs no choice") {
  Linkage l;
  for (const char* name : {"ground", "k1", "bar", "k2", "k3"}) l.links.push_back({name, {}});
  l.joints = {joint("c1", Revolute{}, "ground", "k1", {}),
              joint("p1", Revolute{}, "k1", "bar", Transform::translate(Vec3(1, 0, 0))),
              joint("c2", Revolute{}, "ground", "k2", Transform::translate(Vec3(1.5, 0, 0))),
              joint("c3", Revolute{}, "ground", "k3", Transform::translate(Vec3(4, 0, 0)))};
  l.closures = {pin("p2", "bar", Vec3(1.5, 0, 0), "k2", Vec3(1, 0, 0)),
                pin("p3", "bar", Vec3(4, 0, 0), "k3", Vec3(1, 0, 0))};
  l.drives = {"c1"};
  const Model model = compiled(l);
  const auto turned = [&](double angle) {
    VecX q = VecX::Constant(4, angle);
    q[model.joint("p1").q_index] = -angle;
    return q;
  };
  const Result<CircuitReport> way = circuit(model, turned(0.7), "c1");
  REQUIRE_MESSAGE(way.ok(), way.message());
  CHECK(way->full_turn);
  CHECK(way->branch_points.empty());
  for (const double start : {0.0, kPi}) {
    INFO(start);
    const Result<DriveReport> turn =
        drive(model, {.joint = "c1", .to = start + 2.0 * kPi, .frames = 37, .start = turned(start)});
    REQUIRE_MESSAGE(turn.ok(), turn.message());
    CHECK_MESSAGE(turn->outcome == DriveOutcome::reached, turn->text);
    CHECK((turn->q - turned(start + 2.0 * kPi)).cwiseAbs().maxCoeff() < 1e-6);
  }
}

TEST_CASE("circuit: a scissor lift goes through its whole range") {
  const Model lift = compiled(scissor(3));
  const Result<CircuitReport> way = circuit(lift, scissor_pose(lift, 0.8), "foot");
  REQUIRE_MESSAGE(way.ok(), way.message());
  CHECK(way->upper - way->lower > 1.0);
}

TEST_CASE("drive: there and back again returns, scaling and another root change nothing") {
  Linkage l = four_bar(4, 1.5, 4.2, 2.6);
  const Model model = compiled(l);
  VecX q;
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 0.9, 1.0, q));
  DriveOptions options;
  options.joint = "crank";
  options.start = q;
  options.to = 4.0;
  const DriveReport there = *drive(model, options);
  options.start = there.q;
  options.to = 0.9;
  const DriveReport back = *drive(model, options);
  CHECK((back.q - q).cwiseAbs().maxCoeff() < 1e-11);
  REQUIRE(scale(l, 1000.0).ok());
  options.start = q;
  options.to = 4.0;
  const DriveReport large = *drive(compiled(l), options);
  CHECK((large.q - there.q).cwiseAbs().maxCoeff() < 1e-11);
}
