// MJCF: each rule of docs/formats/mjcf.md on small models, frames computed by hand, and the real models.
#include <doctest/doctest.h>

#include "armature/base/rng.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/motion/drive.hpp"
#include "armature/scene/load.hpp"
#include "support/data.hpp"
#include "support/same_linkage.hpp"

using namespace armature;

namespace {

Result<Document> read_mjcf(const std::string& text) {
  ReadOptions options;
  options.file_name = "m.xml";
  return read_document(text, options);
}

Document must_read_mjcf(const std::string& text) {
  Result<Document> document = read_mjcf(text);
  REQUIRE_MESSAGE(document.ok(), document.message());
  return std::move(document).value();
}

Document body(const std::string& inside, const std::string& before = "<compiler angle='radian'/>") {
  return must_read_mjcf("<mujoco>" + before + "<worldbody><body name='b'>" + inside + "</body></worldbody></mujoco>");
}

// Frame of a link with the named joints set.
Transform frame(const Document& document, const std::string& link,
                const std::vector<std::pair<std::string, std::vector<double>>>& pose = {}) {
  const Result<Model> model = compile(document.linkage);
  REQUIRE_MESSAGE(model.ok(), model.message());
  VecX q = neutral_pose(*model);
  for (const auto& [joint, values] : pose) REQUIRE(set_joint(*model, joint, values, q).ok());
  State state;
  forward(*model, q, state);
  const Result<int> index = model->find_link(link);
  REQUIRE_MESSAGE(index.ok(), index.message());
  return state.X_WL[static_cast<std::size_t>(*index)];
}

void check_refused_mjcf(const std::string& text, std::initializer_list<const char*> parts) {
  const Result<Document> document = read_mjcf(text);
  REQUIRE(!document.ok());
  for (const char* part : parts) {
    CHECK_MESSAGE(document.message().find(part) != std::string::npos, document.message() << " lacks " << part);
  }
}

bool noted(const Document& document, const std::string& part) {
  return std::any_of(document.notes.begin(), document.notes.end(),
                     [&](const auto& n) { return n.find(part) != std::string::npos; });
}

double off(const Transform& a, const Transform& b) { return (a.matrix() - b.matrix()).cwiseAbs().maxCoeff(); }

}  // namespace

TEST_CASE("mjcf: the five spellings of an orientation, in degrees and radians, moving and fixed axes") {
  const auto turned = [](const std::string& attributes, const std::string& compiler) {
    return frame(must_read_mjcf("<mujoco><compiler " + compiler + "/><worldbody><body name='b' pos='1 2 3' " +
                                attributes + "/></worldbody></mujoco>"),
                 "b");
  };
  const Transform quarter{Vec3(1, 2, 3), Transform::rotate(Vec3::UnitX(), kPi / 2).rotation};
  CHECK(off(turned("quat='1 1 0 0'", ""), quarter) < 1e-15);
  CHECK(off(turned("axisangle='2 0 0 90'", ""), quarter) < 1e-15);
  CHECK(off(turned("axisangle='2 0 0 1.5707963267948966'", "angle='radian'"), quarter) < 1e-15);
  CHECK(off(turned("xyaxes='3 0 0 1 0 2'", ""), quarter) < 1e-15);
  CHECK(off(turned("zaxis='0 -5 0'", ""), quarter) < 1e-15);
  CHECK(off(turned("euler='90 0 0'", ""), quarter) < 1e-15);
  const Mat3 x = Transform::rotate(Vec3::UnitX(), 0.1).rotation;
  const Mat3 y = Transform::rotate(Vec3::UnitY(), 0.2).rotation;
  const Mat3 z = Transform::rotate(Vec3::UnitZ(), 0.3).rotation;
  CHECK((turned("euler='.1 .2 .3'", "angle='radian'").rotation - x * y * z).norm() < 1e-15);
  CHECK((turned("euler='.1 .2 .3'", "angle='radian' eulerseq='XYZ'").rotation - z * y * x).norm() < 1e-15);
  CHECK((turned("euler='.3 .2 .1'", "angle='radian' eulerseq='zyx'").rotation - z * y * x).norm() < 1e-15);
}

TEST_CASE("mjcf: joints turn about their anchors, in order, and count from ref") {
  // MuJoCo: X <- X * T(anchor) R(axis, q - ref) T(-anchor) for each joint of the body in turn.
  const Document document = body(
      "<joint name='h1' axis='0 0 2' pos='0.5 0 0' ref='0.2'/><joint name='s' type='slide' axis='1 0 0' ref='0.1'/>"
      "<joint name='h2' axis='0 1 0' pos='0 0 0.25' range='-1 1'/><body name='c' pos='0 0 1'/>");
  const double q1 = 0.7, q2 = 0.4, q3 = -0.3;
  const auto about = [](const Vec3& p, const Vec3& axis, double angle) {
    return Transform::translate(p) * Transform::rotate(axis, angle) * Transform::translate(-p);
  };
  const Transform expected = about(Vec3(0.5, 0, 0), Vec3::UnitZ(), q1 - 0.2) *
                             Transform::translate(Vec3(q2 - 0.1, 0, 0)) * about(Vec3(0, 0, 0.25), Vec3::UnitY(), q3);
  const std::vector<std::pair<std::string, std::vector<double>>> pose{{"h1", {q1}}, {"s", {q2}}, {"h2", {q3}}};
  CHECK(off(frame(document, "b", pose), expected) < 1e-15);
  CHECK(off(frame(document, "c", pose), expected * Transform::translate(Vec3(0, 0, 1))) < 1e-15);
  CHECK(document.linkage.find_joint("h2")->limits.upper[0] == 1.0);
  CHECK(document.linkage.find_joint("h1")->limits.upper.empty());
}

TEST_CASE("mjcf: default classes are inherited, overridden and chosen by class and childclass") {
  const Document document = must_read_mjcf(R"(<mujoco><default><joint axis='1 0 0' range='-10 10'/>
      <default class='y'><joint axis='0 1 0'/><default class='yy'><joint type='slide'/></default></default></default>
    <worldbody><body name='a'><joint name='j0'/>
      <body name='b' childclass='y'><joint name='j1'/>
        <body name='c'><joint name='j2' class='yy'/><body name='d'><joint name='j3' class='main' limited='false'/></body></body></body>
    </body></worldbody></mujoco>)");
  const auto joint = [&](const char* name) { return *document.linkage.find_joint(name); };
  CHECK(std::get<Revolute>(joint("j0").type).axis == Vec3::UnitX());
  CHECK(std::get<Revolute>(joint("j1").type).axis == Vec3::UnitY());
  CHECK(joint("j1").limits.upper[0] == doctest::Approx(kPi / 18));
  CHECK(std::get<Prismatic>(joint("j2").type).axis == Vec3::UnitY());
  CHECK(joint("j2").limits.upper[0] == 10.0);
  CHECK(std::get<Revolute>(joint("j3").type).axis == Vec3::UnitX());
  CHECK(joint("j3").limits.upper.empty());
}

TEST_CASE("mjcf: limits follow range, limited and autolimits") {
  const auto limited = [](const std::string& attributes, const std::string& compiler) {
    return !body("<joint name='j' " + attributes + "/>", "<compiler angle='radian' " + compiler + "/>")
                .linkage.joints[0]
                .limits.lower.empty();
  };
  CHECK(limited("range='0 1'", ""));
  CHECK(!limited("range='0 1'", "autolimits='false'"));
  CHECK(limited("range='0 1' limited='true'", "autolimits='false'"));
  CHECK(!limited("range='0 1' limited='false'", ""));
  CHECK(!limited("", ""));
  CHECK(limited("limited='true'", ""));
  const Document ball = body("<joint name='j' type='ball' range='0 0.5'/>");
  CHECK(ball.linkage.joints[0].limits.cone->swing == 0.5);
  CHECK(noted(ball, "swing and twist"));
}

TEST_CASE("mjcf: couplings become mimics, and what is no mimic is said") {
  const std::string start =
      "<mujoco><compiler angle='radian'/><worldbody><body name='a'><joint name='p' ref='0.5'/>"
      "<body name='b'><joint name='q' ref='0.25'/></body></body></worldbody><equality>";
  const Document document = must_read_mjcf(start +
                                           "<joint joint1='q' joint2='p' polycoef='0.1 2 0 0 0'/><connect body1='a' "
                                           "body2='b' anchor='0 0 0'/></equality></mujoco>");
  const Joint& q = *document.linkage.find_joint("q");
  REQUIRE(q.mimic.has_value());
  CHECK(q.mimic->joint == "p");
  CHECK(q.mimic->multiplier == 2.0);
  CHECK(q.mimic->offset == doctest::Approx(0.25 + 0.1 - 2 * 0.5));
  REQUIRE(document.linkage.closures.size() == 1);
  CHECK(std::string(type_name(document.linkage.closures[0].type)) == "spherical");
  const Document cycle =
      must_read_mjcf(start + "<joint joint1='q' joint2='p'/><joint joint1='p' joint2='q'/></equality></mujoco>");
  REQUIRE(cycle.linkage.closures.size() == 1);  // a mimic cannot follow itself; a coupling can say it
  CHECK(compile(cycle.linkage).ok());
  const Document bent = must_read_mjcf(start + "<joint joint1='q' joint2='p' polycoef='0 1 1'/></equality></mujoco>");
  CHECK(!bent.linkage.find_joint("q")->mimic.has_value());
  REQUIRE(bent.linkage.closures.size() == 1);
  // q - 0.25 = (p - 0.5) + (p - 0.5)^2, multiplied out.
  const auto& coupling = std::get<Coupling>(bent.linkage.closures[0].type);
  CHECK(coupling.joint == "q");
  CHECK(coupling.source == "p");
  REQUIRE(coupling.polynomial.size() == 3);
  CHECK(coupling.polynomial[0] == doctest::Approx(0.0));
  CHECK(coupling.polynomial[1] == doctest::Approx(0.0));
  CHECK(coupling.polynomial[2] == doctest::Approx(1.0));
  const Document held = must_read_mjcf(start + "<joint joint1='q' polycoef='0.5'/></equality></mujoco>");
  CHECK(held.linkage.find_joint("q")->limits.lower[0] == 0.75);
  // One that names nobody is a note: the others hold.
  const Document other =
      must_read_mjcf(start + "<joint joint1='r' joint2='p'/><joint joint1='q' joint2='p'/></equality></mujoco>");
  CHECK(noted(other, "a joint that does not exist ('r')"));
  CHECK(other.linkage.find_joint("q")->mimic.has_value());
}

TEST_CASE("mjcf: connect and weld close loops where the bodies stand in the file") {
  const std::string start =
      "<mujoco><compiler angle='radian'/><worldbody><body name='a'><joint name='p' ref='0.5'/>"
      "<body name='b' pos='1 0 0'><joint name='q'/></body></body><body name='c' pos='1 1 0'><joint name='r'/></body>"
      "</worldbody><equality>";
  const Document loops = must_read_mjcf(
      start + "<connect name='pin' body1='b' body2='c' anchor='0 1 0'/><weld body1='a'/></equality></mujoco>");
  REQUIRE(loops.linkage.closures.size() == 2);
  CHECK(loops.linkage.closures[0].name == "pin");
  CHECK(loops.linkage.closures[0].a.origin.position.isApprox(Vec3(0, 1, 0)));
  CHECK(loops.linkage.closures[0].b.origin.position.norm() < 1e-15);
  CHECK(loops.linkage.closures[1].b.link == "world");
  const Result<Model> model = compile(loops.linkage);
  REQUIRE_MESSAGE(model.ok(), model.message());
  VecX q = VecX::Zero(3);
  q[model->joint("p").q_index] = 0.5;
  CHECK(closure_error(*model, q) < 1e-14);
  CHECK(
      noted(must_read_mjcf(start + "<connect body1='b' body2='c' anchor='0 0 0' active='false'/></equality></mujoco>"),
            "inactive <connect>"));
  check_refused_mjcf(start + "<connect body1='b' body2='x' anchor='0 0 0'/></equality></mujoco>", {"no body 'x'"});
}

TEST_CASE("mjcf: Cassie has the same mobility through SDF, with its root free or held") {
  const auto file = test::shared_data("mjcf/agility_cassie.xml");
  if (!file) return;
  ReadOptions options;
  options.file_name = file->string();
  const Result<Document> cassie = read_document(test::read_file(*file), options);
  REQUIRE_MESSAGE(cassie.ok(), cassie.message());
  CHECK(analyze_mechanism(compile(cassie->linkage).value()).mobility == 22);  // six of them its free pelvis
  const Result<std::string> sdf = write_document(*cassie, **format_named("sdf"), {});
  REQUIRE_MESSAGE(sdf.ok(), sdf.message());
  options.file_name = "cassie.sdf";
  for (const bool floats : {true, false}) {
    options.float_root = floats;
    const Result<Document> again = read_document(*sdf, options);
    REQUIRE_MESSAGE(again.ok(), again.message());
    CHECK(analyze_mechanism(compile(again->linkage).value()).mobility == (floats ? 22 : 16));
  }
}

TEST_CASE("mjcf: Cassie and the Robotiq gripper assemble and move") {
  struct Case {
    const char *file, *joint;
    int loops;
  };
  for (const auto& [file, joint, loops] :
       {Case{"mjcf/agility_cassie.xml", "left-knee", 4}, Case{"mjcf/robotiq_2f85.xml", "left_driver_joint", 2}}) {
    const auto path = test::shared_data(file);
    if (!path) continue;
    INFO(*path);
    ReadOptions options;
    options.file_name = file;
    const Result<Document> document = read_document(test::read_file(*path), options);
    REQUIRE_MESSAGE(document.ok(), document.message());
    const Result<Model> model = compile(document->linkage);
    REQUIRE_MESSAGE(model.ok(), model.message());
    CHECK(static_cast<int>(model->closures().size()) == loops);
    const MechanismReport mechanism = analyze_mechanism(*model);
    CHECK(mechanism.assembled);
    DriveOptions motion;
    motion.joint = joint;
    motion.start = mechanism.q;
    motion.to = mechanism.q[model->joint(joint).q_index] + 0.1;
    motion.frames = 20;
    const Result<DriveReport> report = drive(*model, motion);
    REQUIRE_MESSAGE(report.ok(), report.message());
    CHECK_MESSAGE(report->outcome == DriveOutcome::reached, report->message());
    CHECK(report->largest_closure_error < 1e-11);
  }
}

TEST_CASE("mjcf: free joints, sites, frames, key poses and names that are missing") {
  const Document document = must_read_mjcf(R"(<mujoco model='m'><compiler angle='radian'/><worldbody>
    <frame pos='0 0 1'><body pos='0 1 0' quat='0 0 0 1'><freejoint/><site name='tool' pos='1 0 0'/>
      <body name='c'><joint name='ball' type='ball'/></body></body></frame></worldbody>
    <keyframe><key name='home' qpos='1 2 3 1 0 0 0  0.6 0.8 0 0'/></keyframe></mujoco>)");
  CHECK(document.linkage.name == "m");
  CHECK(noted(document, "Bodies and joints without a name, which were given one: 2."));
  CHECK(off(frame(document, "tool"), {Vec3(-1, 1, 1), Transform::rotate(Vec3::UnitZ(), kPi).rotation}) < 1e-15);
  REQUIRE(document.linkage.poses.size() == 1);
  const auto& values = document.linkage.poses[0].values;
  REQUIRE(values.size() == 2);
  CHECK(off(frame(document, "tool", values), {Vec3(2, 2, 3), Mat3::Identity()}) < 1e-14);
  CHECK(values[1].second == std::vector<double>{0.8, 0, 0, 0.6});
}

TEST_CASE("mjcf: shapes have their whole sizes") {
  const Document document = must_read_mjcf(R"(<mujoco><compiler meshdir='assets'/>
    <asset><mesh name='m' file='part.stl' scale='0.001 0.001 0.001'/><mesh file='other.obj'/><material name='red' rgba='1 0 0 1'/></asset>
    <worldbody><geom type='plane' size='1 1 1'/><body name='b'>
      <geom size='0.5'/><geom type='box' size='1 2 3' material='red'/><geom type='capsule' size='0.1' fromto='0 0 0 2 0 0' group='3'/>
      <geom type='ellipsoid' size='1 2 3'/><geom type='mesh' mesh='m'/><geom type='mesh' mesh='other' rgba='0 1 0 1'/>
      <geom type='cylinder' size='0.1 0.5'/></body></worldbody></mujoco>)");
  const Linkage& linkage = document.linkage;
  const Link& b = *linkage.find_link("b");
  REQUIRE(b.visuals.size() == 7);
  const auto shape = [&](int i) { return linkage.find_geometry("b." + std::to_string(i + 1))->shape; };
  CHECK(std::get<Sphere>(shape(0)).radius == 0.5);
  CHECK(std::get<Box>(shape(1)).size == Vec3(2, 4, 6));
  CHECK(b.visuals[1].color == std::array<double, 4>{1, 0, 0, 1});
  CHECK(std::get<Capsule>(shape(2)).length == 2.0);
  CHECK(b.visuals[2].X_LG(0, 3) == 1.0);
  CHECK(std::abs(b.visuals[2].X_LG(0, 2)) == doctest::Approx(1.0));
  CHECK(b.visuals[2].collision);
  CHECK(b.visuals[3].X_LG(2, 2) == 3.0);
  CHECK(std::get<MeshFile>(shape(4)).uri == "assets/part.stl");
  CHECK(b.visuals[4].X_LG(0, 0) == 0.001);
  CHECK(std::get<MeshFile>(shape(5)).uri == "assets/other.obj");
  CHECK(std::get<Cylinder>(shape(6)).length == 1.0);
  CHECK(noted(document, "1 x plane <geom>"));
}

TEST_CASE("mjcf: mistakes are told with line and element") {
  const auto wrong = [](const std::string& inside) {
    return "<mujoco>\n<worldbody>\n<body name='b'>" + inside + "</body></worldbody></mujoco>";
  };
  check_refused_mjcf(wrong("<joint type='hing'/>"), {"m.xml, line 3, <joint>", "did you mean 'hinge'?"});
  check_refused_mjcf(wrong("<joint class='k'/>"), {"no class 'k'", "main"});
  check_refused_mjcf(wrong("<joint axis='0 0 0'/>"), {"axis=\"0 0 1\""});
  check_refused_mjcf(wrong("<joint range='1 0'/>"), {"reversed"});
  check_refused_mjcf(wrong("<joint range='1'/>"), {"2 numbers"});
  check_refused_mjcf(wrong("<joint name='j'/><joint name='j'/>"), {"Another joint is named 'j'"});
  check_refused_mjcf(wrong("<body name='b'/>"), {"Another body is named 'b'"});
  check_refused_mjcf(wrong("<body><freejoint/></body>"), {"hangs on the world"});
  check_refused_mjcf(wrong("<geom type='box' size='1'/>"), {"needs 3 sizes"});
  check_refused_mjcf(wrong("<geom type='mesh' mesh='m'/>"), {"no mesh 'm'"});
  check_refused_mjcf(wrong("<replicate count='3'/>"), {"<replicate>", "save it"});
  check_refused_mjcf("<mujoco><include file='x'/></mujoco>", {"m.xml, line 1", "'x'", "cannot be opened"});
  check_refused_mjcf("<mujoco/>", {"no <worldbody>"});
  check_refused_mjcf("<mujoco><compiler eulerseq='xYz'/><worldbody/></mujoco>", {"eulerseq"});
  check_refused_mjcf(
      "<mujoco><worldbody><body><joint/></body></worldbody><keyframe><key qpos='1 2'/></keyframe></mujoco>",
      {"<key>", "1 numbers"});
}

TEST_CASE("mjcf: what is included stands in its place, and messages name its file") {
  std::map<std::string, std::string> files{
      {"arm.xml",
       "<mujoco model='arm'><compiler angle='radian'/>\n<default><joint range='-1 1'/></default>\n"
       "<worldbody><body name='upper'><joint name='a'/>\n<include file='hand.xml'/></body></worldbody></mujoco>"},
      {"hand.xml",
       "<?xml version='1.0'?><!-- a part --><mujocoinclude>\n<body name='hand' pos='0 0 1'><joint name='b'/></body>\n"
       "</mujocoinclude>"},
      {"empty.xml", "<mujocoinclude/>"}};
  const auto with = [&](const std::string& text) {
    ReadOptions options;
    options.file_name = "scene.xml";
    options.load = load_carried;
    options.load_context = &files;
    return read_document(text, options);
  };
  const std::string scene =
      "<mujoco model='scene'>\n<include file='arm.xml'/><include file='empty.xml'/>\n"
      "<keyframe><key name='bent' qpos='0.5 -0.5'/></keyframe></mujoco>";
  const Result<Document> read = with(scene);
  REQUIRE_MESSAGE(read.ok(), read.message());
  CHECK(read->linkage.name == "scene");
  CHECK(read->linkage.joint_above("hand")->limits.upper[0] ==
        1.0);  // the default of a file that is included, in another
  CHECK(read->linkage.poses.size() == 1);
  CHECK(frame(*read, "hand", {{"a", {0.0}}}).matrix()(2, 3) == 1.0);

  const auto refused = [&](const std::string& text, std::initializer_list<const char*> parts) {
    const Result<Document> wrong = with(text);
    REQUIRE(!wrong.ok());
    for (const char* part : parts) CHECK_MESSAGE(wrong.message().find(part) != std::string::npos, wrong.message());
  };
  files["hand.xml"] = "<mujocoinclude>\n<body name='hand'>\n<joint name='a'/></body></mujocoinclude>";
  refused(scene, {"arm.xml, line 3", "Another joint is named 'a'"});
  files["hand.xml"] = "<mujocoinclude>\n<include file='arm.xml'/></mujocoinclude>";
  refused(scene, {"hand.xml, line 2", "included twice"});
  files["hand.xml"] = "<mujocoinclude>\n<body></mujocoinclude>";
  refused(scene, {"hand.xml, line"});
  refused("<mujoco>\n<include file='gone.xml'/></mujoco>", {"scene.xml, line 2", "gone.xml"});
  refused("<mujoco>\n<include/></mujoco>", {"scene.xml, line 2", "file="});
  refused(
      "<mujoco>\n\n<include file='empty.xml'/><worldbody/><worldbody><joints/><body "
      "name='world'/></worldbody></mujoco>",
      {"scene.xml, line 3"});
}

TEST_CASE("mjcf: a capsule that is fitted to a mesh is the mesh, and an empty color is none") {
  const Document document = body("<geom type='capsule' mesh='m' rgba=''/><geom type='sphere' size='1' rgba=' '/>",
                                 "<asset><mesh name='m' file='m.stl'/><material name='plain' rgba=''/></asset>");
  REQUIRE(document.linkage.geometries.size() == 2);
  CHECK(std::holds_alternative<MeshFile>(document.linkage.geometries[0].shape));
  CHECK(noted(document, "capsule fitted to a mesh"));
  for (const Visual& visual : document.linkage.links[1].visuals) CHECK(!visual.color.has_value());
}

TEST_CASE("mjcf: the real models read, compile, and survive our own format") {
  const auto folder = test::shared_data("mjcf");
  if (!folder) return;
  const std::map<std::string, int> freedom{{"agility_cassie", 6 + 2 * 13},
                                           {"franka_panda", 8},
                                           {"mujoco_humanoid", 27},
                                           {"robotiq_2f85", 7},
                                           {"shadow_hand_right", 24},
                                           {"unitree_g1", 35},
                                           {"ur5e", 6}};
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    if (entry.path().extension() != ".xml") continue;
    ++models;
    const std::string name = entry.path().stem().string();
    const Document document = must_read_mjcf(test::read_file(entry.path()));
    const Result<Model> model = compile(document.linkage);
    REQUIRE_MESSAGE(model.ok(), name << ": " << model.message());
    CHECK_MESSAGE(model->v_size() == freedom.at(name), name << " has " << model->v_size());
    const Result<std::string> json = write_document(document, **format_for_writing("x.json"), {});
    REQUIRE_MESSAGE(json.ok(), json.message());
    CHECK_MESSAGE(test::difference(document.linkage, must_read_mjcf(*json).linkage) == "", name);
  }
  CHECK(models == 7);
}

TEST_CASE("mjcf: two robots that exist as URDF too have the same frames in both") {
  const auto compare = [](const char* mjcf, const char* urdf, const std::string& prefix, const std::string& base) {
    const auto a = test::shared_data(mjcf);
    const auto b = test::shared_data(urdf);
    if (!a || !b) return -1;
    const Result<Model> one = compile(must_read_mjcf(test::read_file(*a)).linkage);
    const Result<Model> two = compile(must_read_mjcf(test::read_file(*b)).linkage);
    REQUIRE((one.ok() && two.ok()));
    Rng rng(9);
    VecX q = neutral_pose(*one);
    VecX p = neutral_pose(*two);
    for (int i = 0; i < one->link_count(); ++i) {
      const ModelJoint& joint = one->joint(i);
      const int other = two->lookup_joint(prefix + joint.name).value_or(-1);
      if (joint.q_count != 1 || other < 0) continue;
      q[joint.q_index] = p[two->joint(other).q_index] = rng.uniform(-1.0, 1.0);
    }
    State x, y;
    forward(*one, q, x);
    forward(*two, p, y);
    int same = 0;
    for (int i = 0; i < one->link_count(); ++i) {
      const int j = two->lookup_link(prefix + one->link_name(i)).value_or(-1);
      if (j < 0) continue;
      const Transform u = relative(x, *one->find_link(base), i);
      const Transform v = relative(y, *two->find_link(prefix + base), j);
      CHECK_MESSAGE(off(u, v) < 1e-5, mjcf << " " << one->link_name(i) << " " << off(u, v));  // files keep 6 digits
      ++same;
    }
    return same;
  };
  const int panda = compare("mjcf/franka_panda.xml", "urdf/franka_panda.urdf", "panda_", "link0");
  CHECK((panda == -1 || panda >= 8));
  const int g1 = compare("mjcf/unitree_g1.xml", "urdf/unitree_g1_29dof.urdf", "", "pelvis");
  CHECK((g1 == -1 || g1 >= 30));
}
