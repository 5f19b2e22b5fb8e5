// Rows of closures, assembling, Assur groups, mobility, assembly modes.
#include "support/loops.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>

#include "armature/geom/qr.hpp"
#include "armature/kinematics/assembly_modes.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/loop_projection.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/registry.hpp"
#include "support/allocation_counter.hpp"
#include "support/linkages.hpp"
#include "support/mechanisms.hpp"

using namespace armature;
using namespace armature::test;

namespace {

// A chain of every kind of joint, its end held to the world at the place where `q` has it, by a closure of this type.
Model held_chain(const ClosureType& type, std::uint64_t seed, VecX& q) {
  Linkage l = random_chain({Revolute{Vec3(1, 2, -1).normalized()}, Spherical{}, Prismatic{Vec3(0, 0.6, 0.8)},
                            Universal{}, Revolute{Vec3::UnitX()}, Euler{}, Cylindrical{Vec3::UnitY()}},
                           seed);
  const Model open = compiled(l);
  Rng rng(seed);
  q = random_pose(open, rng);
  State state;
  forward(open, q, state);
  Closure closure;
  closure.name = "hold";
  closure.type = type;
  closure.a = {"tip", random_transform(rng, 0.3)};
  const Transform X_WA = state.X_WL[static_cast<std::size_t>(open.link("tip"))] * closure.a.origin;
  closure.b = {"", X_WA};
  if (const auto* joint = std::get_if<JointType>(&type)) {
    double qc[kMaxJointCoordinates] = {0.3, -0.2, 0.4, 0.5, 0.1, 0.2, 0.3};
    if (!coordinates(*joint).empty() && coordinates(*joint).back() == Coordinate::quaternion) {
      neutral_coordinates(*joint, qc);
    }
    closure.b.origin = X_WA * joint_transform(*joint, qc);
  } else if (auto* rod = std::get_if<Rod>(&closure.type)) {
    rod->length = 0.7;
    closure.b.origin.position += 0.7 * Vec3(0.6, 0.0, 0.8);
  }
  l.closures = {closure};
  return compiled(l);
}

std::vector<ClosureType> every_closure_type() {
  std::vector<ClosureType> all;
  for (const JointType& type : every_joint_type()) {
    JointType sound = type;
    if (auto* planar = std::get_if<Planar>(&sound)) {  // as compile makes it
      planar->x_axis = (planar->x_axis - planar->normal * planar->normal.dot(planar->x_axis)).normalized();
    }
    if (velocity_count(type) < 6) all.emplace_back(sound);
  }
  all.emplace_back(Rod{});
  return all;
}

}  // namespace

TEST_CASE("loops: every joint type closes a loop, its slopes are the differences of its rows") {
  for (const ClosureType& type : every_closure_type()) {
    INFO(std::string(type_name(type)));
    VecX q;
    const Model model = held_chain(type, 11, q);
    ClosureRows rows;
    rows.compile(model);
    const auto* joint = std::get_if<JointType>(&type);
    CHECK(rows.rows() == (joint != nullptr ? 6 - velocity_count(*joint) : 1));
    VecX phi(rows.rows()), up(rows.rows()), down(rows.rows());
    CHECK(rows.evaluate(q.data(), phi.data()) < 1e-12);
    MatX J(rows.rows(), model.v_size());
    rows.jacobian(J);
    const double h = 1e-5;
    double worst = 0.0;
    for (int v = 0; v < model.v_size(); ++v) {
      VecX step = VecX::Zero(model.v_size());
      step[v] = h * rows.unit(v);
      rows.evaluate(integrate(model, q, step).data(), up.data());
      rows.evaluate(integrate(model, q, VecX(-step)).data(), down.data());
      worst = std::max(worst, ((up - down) / (2.0 * h) - J.col(v)).cwiseAbs().maxCoeff());
    }
    CHECK(worst < 1e-8);
  }
}

TEST_CASE("loops: assemble closes from far off, is idempotent, leaves held joints alone and does not allocate") {
  Rng rng(3);
  for (const ClosureType& type : every_closure_type()) {
    INFO(std::string(type_name(type)));
    VecX q0;
    const Model model = held_chain(type, 5, q0);
    std::vector<char> held(static_cast<std::size_t>(model.v_size()), 0);
    held[0] = 1;
    Assembler assembler;
    assembler.prepare(model, held);
    for (int n = 0; n < 20; ++n) {
      VecX v(model.v_size());
      for (int i = 0; i < v.size(); ++i) v[i] = i == 0 ? 0.0 : rng.uniform(-0.5, 0.5);
      VecX q = integrate(model, q0, v);
      const double before = q[0];
      const AllocationCounter counter;
      const AssembleReport report = assembler.assemble(q.data());
      CHECK(counter.count() == 0);
      CHECK(report.ok);
      CHECK(q[0] == before);
      CHECK(closure_error(model, q) < 1e-11);
      const VecX once = q;
      CHECK(assembler.assemble(q.data()).ok);
      CHECK((q - once).cwiseAbs().maxCoeff() < 1e-11);
    }
  }
}

TEST_CASE("loops: what counts as closed is closed exactly, or left as it is; assembled again it is the same pose") {
  const Model rounded = compiled(four_bar(4, 1.5, 4.2, 2.6));
  VecX q;
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 0.9, 1.0, q));
  q[1] += 3e-11;  // as far as a file may have rounded it
  CHECK(closure_error(rounded, q) > 1e-11);
  REQUIRE(assemble(rounded, q).ok());
  CHECK(closure_error(rounded, q) < 1e-12);
  VecX again = q;
  REQUIRE(assemble(rounded, again).ok());
  CHECK(again == q);
  q[1] += 1e-12;  // twelve digits, as drawn linkages are written
  REQUIRE(closure_error(rounded, q) > 3e-12);
  REQUIRE(assemble(rounded, q).ok());
  CHECK(closure_error(rounded, q) < 1e-13);
  again = q;
  REQUIRE(assemble(rounded, again).ok());
  CHECK(again == q);

  const Model stretched = compiled(four_bar(3.0 + 1e-9, 1, 1, 1));  // too short by less than what counts
  q = Vec3(0.4, -0.5, 0.3);
  REQUIRE(assemble(stretched, q).ok());
  CHECK(closure_error(stretched, q) > 1e-10);
  for (int n = 0; n < 3; ++n) {
    again = q;
    REQUIRE(assemble(stretched, again).ok());
    CHECK(again == q);
  }
}

TEST_CASE("loops: a loop that stays open is never called closed") {
  const Model model = compiled(four_bar(4.0, 3.0, 1.0, 1.0));  // closes near 0 of the crank only
  for (const bool whole : {false, true}) {                     // the crank is held, or every joint
    INFO(whole);
    std::vector<char> held(3, whole ? 1 : 0);
    held[0] = 1;
    Assembler assembler;
    assembler.prepare(model, held);
    VecX q = Vec3(3.0, 0.1, 0.1);
    const AssembleReport report = assembler.assemble(q.data());
    CHECK_FALSE(report.ok);
    CHECK(report.worst_item == 0);
    CHECK(report.error > 0.1);
    CHECK(q[0] == 3.0);
  }
}

TEST_CASE("loops: a four-bar is one dyad with three idle rows; a scissor has one dyad per stage") {
  const Model bar = compiled(four_bar(4, 1.5, 4.2, 2.6));
  VecX q;
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 0.9, 1.0, q));
  const MechanismReport report = analyze_mechanism(bar, q);
  CHECK(report.assembled);
  CHECK(report.mobility == 1);
  CHECK(report.kutzbach == -2);
  CHECK(report.kutzbach_reduced == 1);
  CHECK(report.idle == 3);
  CHECK(report.redundant == 0);
  CHECK(report.groups.size() == 1);
  CHECK(report.drives == std::vector<std::string>{"crank"});
  CHECK(report.driven_well());
  // The transmission index is the sine of the angle between coupler and rocker.
  CHECK(report.transmission == doctest::Approx(std::abs(std::sin(q[0] + q[1] - q[2]))).epsilon(1e-12));
  const Model lift = compiled(scissor(20));
  const MechanismReport many = analyze_mechanism(lift, scissor_pose(lift, 0.8));
  CHECK(many.mobility == 1);
  CHECK(many.groups.size() == 20);
  CHECK_FALSE(many.singular);
}

TEST_CASE("loops: what can never close is named, with its gap") {
  Linkage l = four_bar(4, 1.5, 4.2, 2.6);
  l.closures[0].b.origin.position.z() = 0.032;
  const MechanismReport report = analyze_mechanism(compiled(l));
  CHECK_FALSE(report.assembled);
  VecX q = Vec3(0.3, -0.2, 0.5);
  const VecX before = q;
  const Status open = assemble(compiled(l), q);
  CHECK(open.message().find("'pin'") != std::string::npos);
  CHECK(q == before);
  REQUIRE(report.never_close.size() == 1);
  CHECK(report.never_close[0].closure == "pin");
  CHECK(report.never_close[0].gap == doctest::Approx(0.032));
}

TEST_CASE("loops: bars that are too short are open by what they lack") {
  const MechanismReport report = analyze_mechanism(compiled(four_bar(10, 1, 2, 3)));
  CHECK_FALSE(report.assembled);
  CHECK(closure_error(compiled(four_bar(10, 1, 2, 3)), report.q) == doctest::Approx(4.0).epsilon(1e-3));
}

TEST_CASE("loops: a mechanism that closes beyond its limits alone says so") {
  Linkage l = four_bar(4, 1.5, 4.2, 2.6);
  CHECK(analyze_mechanism(compiled(l)).notes.empty());
  l.joints[2].limits.lower = {3.0};  // the rocker never comes there
  l.joints[2].limits.upper = {3.1};
  const MechanismReport report = analyze_mechanism(compiled(l));
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0].find("'rocker_pin'") != std::string::npos);
}

TEST_CASE("loops: drives that fight or leave freedom are named") {
  Linkage l = four_bar(4, 1.5, 4.2, 2.6);
  l.drives = {"crank", "rocker_pin"};
  VecX q;
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 0.9, 1.0, q));
  CHECK(analyze_mechanism(compiled(l), q).fighting == std::vector<std::string>{"rocker_pin"});
  l.drives = {};
  CHECK(analyze_mechanism(compiled(l), q).drives == std::vector<std::string>{"crank"});
  CHECK(analyze_mechanism(compiled(l), q, {"rocker_pin"}).drives == std::vector<std::string>{"rocker_pin"});
  CHECK(analyze_mechanism(compiled(l), q, {"crank", "rocker_pin"}).fighting == std::vector<std::string>{"rocker_pin"});
}

TEST_CASE("loops: where branches meet the mobility is that of the poses around") {
  const Model model = compiled(four_bar(4, 2, 4, 2));
  const MechanismReport in_line = analyze_mechanism(model, VecX(Vec3::Zero()));  // all bars in one line
  CHECK(in_line.singular);
  CHECK(in_line.mobility == 1);
  VecX q;
  REQUIRE(four_bar_pose(4, 2, 4, 2, 0.9, 1.0, q));
  const MechanismReport elsewhere = analyze_mechanism(model, q);
  CHECK_FALSE(elsewhere.singular);
  CHECK(elsewhere.mobility == 1);
}

TEST_CASE("loops: couplings turn joints by a polynomial") {
  Linkage l = planar_arm({1.0, 1.0});
  Closure gear;
  gear.name = "gear";
  gear.type = Coupling{"joint2", "joint1", {0.1, -2.0, 0.5}};
  l.closures = {gear};
  const Model model = compiled(l);
  VecX q(2);
  q << 0.3, 0.0;
  REQUIRE(assemble(model, q, {"joint1"}).ok());
  CHECK(q[0] == 0.3);
  CHECK(q[1] == doctest::Approx(0.1 - 0.6 + 0.045).epsilon(1e-14));
  CHECK(analyze_mechanism(model, q).mobility == 1);
}

TEST_CASE("loops: a mode of a gear keeps its full turns, which count") {
  Linkage l = planar_arm({1.0, 1.0});
  Closure gear;
  gear.name = "gear";
  gear.type = Coupling{"joint2", "joint1", {0.0, 3.0}};
  l.closures = {gear};
  const Model model = compiled(l);
  const AssemblyModes modes = assembly_modes(model, VecX(Vec2(2.0, 6.0)));
  REQUIRE(!modes.q.empty());
  for (const VecX& mode : modes.q) CHECK(closure_error(model, mode) < 1e-9);
}

TEST_CASE("loops: assembly modes of a four-bar are the two of the closed form") {
  const Model bar = compiled(four_bar(4, 1.5, 4.2, 2.6));
  VecX up, down;
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 0.9, 1.0, up));
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 0.9, -1.0, down));
  const AssemblyModes modes = assembly_modes(bar, up);
  CHECK(modes.complete);
  REQUIRE(modes.q.size() == 2);
  CHECK((modes.q[0] - up).cwiseAbs().maxCoeff() < 1e-9);
  CHECK(std::abs(wrap_angle(modes.q[1][2] - down[2])) < 1e-9);
  const Model lift = compiled(scissor(12));
  const AssemblyModes many = assembly_modes(lift, scissor_pose(lift, 0.8));
  CHECK_FALSE(many.complete);
  CHECK(many.count == doctest::Approx(4096.0));
}

TEST_CASE("loops: modes inside the limits alone count, and a pose where two meet is one") {
  Linkage l = four_bar(4, 1.5, 4.2, 2.6);
  l.joints[2].limits.lower = {0.0};
  l.joints[2].limits.upper = {kPi};
  VecX up;
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, 0.9, 1.0, up));
  const AssemblyModes above = assembly_modes(compiled(l), up);
  CHECK(above.limited);
  REQUIRE(above.q.size() == 1);
  CHECK((above.q[0] - up).cwiseAbs().maxCoeff() < 1e-9);
  l.joints[2].limits = {};
  l.closures[0].limits.lower = {0.0};  // the rocker seen from the coupler: positive in one of the two
  l.closures[0].limits.upper = {kPi};
  CHECK(assembly_modes(compiled(l), up).q.size() == 1);
  // All bars in one line: its only assembly there, not a family. With both long bars on the ground's pivots it is one.
  const AssemblyModes in_line = assembly_modes(compiled(four_bar(4, 2, 4, 2)), VecX(Vec3::Zero()));
  CHECK(in_line.q.size() == 1);
  CHECK(in_line.families == 0);
  const AssemblyModes spins = assembly_modes(compiled(four_bar(2, 2, 1, 1)), VecX(Vec3(0.0, 0.5, 0.5)));
  CHECK(spins.q.empty());
  CHECK(spins.families == 1);
}

// A crank whose block slides along an arm; the arm may point to the block or away from it.
TEST_CASE("loops: an axis in the plane of its loop is never met the wrong way round") {
  for (const JointType& type : {JointType(Cylindrical{Vec3::UnitX()}), JointType(Planar{Vec3::UnitY(), Vec3::UnitX()}),
                                JointType(Prismatic{Vec3::UnitX()})}) {
    INFO(std::string(type_name(type)));
    Linkage l;
    for (const char* name : {"ground", "crank_bar", "arm_bar", "block"}) l.links.push_back({name, {}});
    l.joints = {joint("crank", Revolute{}, "ground", "crank_bar", {}),
                joint("arm", Revolute{}, "ground", "arm_bar", Transform::translate(Vec3(3, 0, 0))),
                joint("pin", Revolute{}, "crank_bar", "block", Transform::translate(Vec3(1, 0, 0)))};
    l.closures = {pin("slot", "arm_bar", Vec3::Zero(), "block", Vec3::Zero(), type)};
    l.drives = {"crank"};
    const Model model = compiled(l);
    const AssemblyModes modes = assembly_modes(model, VecX(Vec3::Zero()));
    CHECK(modes.complete);
    CHECK(modes.q.size() == 2);
    for (const VecX& q : modes.q) {
      const ModelJoint &crank = model.joint("crank"), &arm = model.joint("arm"), &block = model.joint("pin");
      CHECK(std::abs(wrap_angle(q[crank.q_index] + q[block.q_index] - q[arm.q_index])) < 1e-9);
    }
  }
}

// A cross between two shafts: it can be put together with the second shaft turned half round, the cross too.
TEST_CASE("loops: an assembly that needs the joints of a later group turned round is found") {
  Linkage l;
  for (const char* name : {"ground", "first", "cross", "second"}) l.links.push_back({name, {}});
  l.joints = {joint("in", Revolute{Vec3::UnitX()}, "ground", "first", {}),
              joint("pivot", Revolute{Vec3::UnitY()}, "first", "cross", {}),
              joint("out", Revolute{Vec3::UnitX()}, "ground", "second", Transform::rotate(Vec3::UnitZ(), 0.5))};
  l.closures = {pin("end", "cross", Vec3::Zero(), "second", Vec3::Zero())};
  l.drives = {"in"};
  const Model model = compiled(l);
  const AssemblyModes modes = assembly_modes(model, VecX(Vec3::Zero()));
  CHECK(modes.complete);
  REQUIRE(modes.q.size() == 2);
  for (const VecX& q : modes.q) CHECK(closure_error(model, q) < 1e-11);
  CHECK(std::abs(std::abs(modes.q[1][model.joint("out").q_index]) - kPi) < 1e-9);
}

TEST_CASE("loops: a screw is one assembly, whatever its pitch") {
  for (const double pitch : {0.01, -0.5, 3.0}) {
    Linkage l;
    for (const char* name : {"ground", "screw", "nut"}) l.links.push_back({name, {}});
    l.joints = {joint("turn", Revolute{}, "ground", "screw", {}),
                joint("lift", Prismatic{Vec3::UnitZ()}, "ground", "nut", {})};
    l.closures = {pin("thread", "screw", Vec3::Zero(), "nut", Vec3::Zero(), JointType(Helical{Vec3::UnitZ(), pitch}))};
    l.drives = {"turn"};
    const Model model = compiled(l);
    VecX q(2);
    q << 0.4, 0.0;
    REQUIRE(assemble(model, q, {"turn"}).ok());
    const AssemblyModes modes = assembly_modes(model, q);
    CHECK(modes.complete);
    CHECK(modes.q.size() == 1);
  }
}

TEST_CASE("loops: a drive at its dead point is a drive") {
  // A follower at the bottom of its cam, driven: it cannot push the cam from there, but it can a little further.
  Linkage l;
  for (const char* name : {"ground", "cam", "follower"}) l.links.push_back({name, {}});
  l.joints = {joint("turn", Revolute{}, "ground", "cam", {}),
              joint("lift", Prismatic{Vec3::UnitY()}, "ground", "follower", {})};
  Closure profile;
  profile.name = "profile";
  profile.type = Coupling{"lift", "turn", {0.3, 0.0, 0.5}};
  l.closures = {profile};
  l.drives = {"lift"};
  const MechanismReport cam = analyze_mechanism(compiled(l), VecX(Vec2(0.0, 0.3)));
  CHECK(cam.mobility == 1);
  CHECK(cam.driven_well());
  CHECK(cam.drives == std::vector<std::string>{"lift"});
  CHECK(cam.notes.empty());
  // Coupler and rocker in line: the crank cannot push them, and is a drive all the same.
  VecX q;
  const double dead = std::acos((4.0 * 4.0 + 3.0 * 3.0 - 3.7 * 3.7) / (2.0 * 4.0 * 3.0));
  REQUIRE(four_bar_pose(4, 3, 2.2, 1.5, dead - 1e-13, 1.0, q));
  const MechanismReport bars = analyze_mechanism(compiled(four_bar(4, 3, 2.2, 1.5)), q);
  CHECK(bars.mobility == 1);
  CHECK(bars.driven_well());
}

TEST_CASE("loops: what is said of drives fits a rigid mechanism") {
  const Linkage rigid = [] {
    Linkage l = four_bar(4, 1.5, 4.2, 2.6);
    l.closures.push_back(pin("strut", "crank_bar", Vec3(0.7, 0, 0), "ground", Vec3(0.3, 0.6, 0), Rod{0.5}));
    return l;
  }();
  const MechanismReport report = analyze_mechanism(compiled(rigid));
  CHECK(report.mobility == 0);
  CHECK(report.fighting == std::vector<std::string>{"crank"});
  REQUIRE(report.notes.size() == 1);  // that nothing can move says it all
  CHECK(report.notes[0].find("rigid") != std::string::npos);
}

TEST_CASE("loops: golden mechanisms have the mobility and the modes of the file") {
  for (const Mechanism& m : golden_mechanisms()) {
    INFO(m.name);
    const MechanismReport report = analyze_mechanism(m.model, m.assemblies[0].second[4].q);
    CHECK(report.assembled);
    CHECK(report.mobility == m.mobility);
    CHECK(report.kutzbach == m.kutzbach);
    if (m.kutzbach_planar) CHECK(report.kutzbach_reduced == *m.kutzbach_planar);
    CHECK(report.driven_well());
    if (!m.facts.contains("modes") || m.name == "stewart") continue;
    const Result<std::vector<char>> held = held_velocities(m.model, m.driven);
    const AssemblyModes modes = assembly_modes(m.model, report.q, *held);
    int count = static_cast<int>(modes.q.size());
    if (m.name == "delta") {  // the file counts those whose platform has not turned
      const ModelJoint& platform = m.model.joint("platform_joint");
      count = static_cast<int>(std::count_if(modes.q.begin(), modes.q.end(), [&](const VecX& q) {
        return std::abs(std::abs(q[platform.q_index + 6]) - 1.0) < 1e-6;
      }));
    }
    CHECK(count == m.facts["modes"].get<int>());
  }
}

TEST_CASE("loops: the pivoted factors give rank, null vectors and determinants") {
  Rng rng(2);
  PivotedQr qr;
  for (int n = 0; n < 50; ++n) {
    MatX A(4, 6);
    for (Eigen::Index i = 0; i < A.size(); ++i) A.data()[i] = rng.uniform(-1, 1);
    A.row(3) = A.row(0) - 2.0 * A.row(1);
    qr.compute(A.data(), 4, 6);
    CHECK(qr.rank(1e-9) == 3);
    VecX x(6);
    for (int k = 3; k < 6; ++k) {
      qr.null_vector(k, 3, x.data());
      CHECK((A * x).norm() < 1e-12 * x.norm());
    }
    MatX S = A.leftCols(4);
    S.row(3) = VecX::Ones(4);
    qr.compute(S.data(), 4, 4);
    MatX copy = S;
    CHECK(qr.determinant_sign() == (S.determinant() > 0.0 ? 1 : -1));
    CHECK(determinant_sign(copy.data(), 4) == qr.determinant_sign());
  }
}

TEST_CASE("loops: a rod that no joint can change has no row, and is left alone") {
  Linkage l = planar_arm({1.0, 1.0});
  l.closures.push_back(pin("strut", "base", Vec3(0.5, 0, 0), "link1", Vec3::Zero(), Rod{0.5}));
  const Model model = compiled(l);
  Problem problem;
  problem.model = model;
  problem.goals.emplace_back(PositionGoal{.link = model.link("tip"), .target = {1.2, 0.7, 0.0}});
  for (const BuiltinMethod& method : builtin_methods()) {
    const std::string name = method.info.name;
    if (name != "ccd" && name != "dls" && name != "reach" && name != "follow") continue;
    CAPTURE(name);
    CHECK(method.make()->solve(problem, VecX::Constant(2, 0.3)).ok());
  }
}
