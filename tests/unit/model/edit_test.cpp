#include "armature/model/edit.hpp"

#include <doctest/doctest.h>

#include "armature/geom/rotation.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/expand.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

double largest_difference(const Transform& a, const Transform& b) {
  return (a.matrix() - b.matrix()).cwiseAbs().maxCoeff();
}

// Copies the values of joints of the same name and size.
VecX same_values(const Model& from, const VecX& q, const Model& to) {
  VecX out = neutral_pose(to);
  for (const ModelJoint& j : from.joints()) {
    const int at = to.lookup_joint(j.name).value_or(-1);
    if (j.mimic || at < 0 || to.joint(at).q_count != j.q_count || to.joint(at).mimic) continue;
    out.segment(to.joint(at).q_index, j.q_count) = q.segment(j.q_index, j.q_count);
  }
  return out;
}

std::vector<JointType> invertible() {
  std::vector<JointType> types;
  for (const JointType& type : test::every_joint_type()) {
    if (!std::holds_alternative<Planar>(type) && !std::holds_alternative<Free>(type) &&
        !std::holds_alternative<FreeEuler>(type)) {
      types.push_back(type);
    }
  }
  return types;
}

// A chain with a named pose "some" of random values, to see how edits rewrite coordinates.
Linkage chain_with_pose(const std::vector<JointType>& types) {
  Linkage l = test::random_chain(types, 3);
  const Model model = test::compiled(l);
  Rng rng(9);
  const VecX q = random_pose(model, rng);
  NamedPose pose{"some", {}};
  for (const ModelJoint& j : model.joints()) {
    if (j.q_count == 0) continue;
    const double* own = q.data() + j.q_index;
    pose.values.push_back({j.name, std::vector<double>(own, own + j.q_count)});
  }
  l.poses.push_back(pose);
  return l;
}

}  // namespace

TEST_CASE("expanded joints give the same frames") {
  const Linkage l = test::everything_tree();
  Linkage expanded = l;
  REQUIRE(expand_joints(expanded).ok());
  const Model a = test::compiled(l);
  const Model b = test::compiled(expanded);
  for (const ModelJoint& j : b.joints()) CHECK(j.q_count <= 1);
  CHECK(b.v_size() == a.v_size());
  Rng rng(51);
  State sa, sb;
  for (int i = 0; i < 20; ++i) {
    const VecX q = random_pose(a, rng);
    forward(a, q, sa);
    forward(b, expand_pose(a, q, b), sb);
    for (int link = 0; link < a.link_count(); ++link) {
      const int other = b.link(a.link_name(link));
      REQUIRE(other >= 0);
      CHECK(largest_difference(relative(sa, kWorld, link), relative(sb, kWorld, other)) < 1e-12);
    }
  }
}

TEST_CASE("rerooting keeps every relative frame") {
  Linkage l = chain_with_pose(invertible());
  l.joints.push_back(test::joint("root_joint", Free{}, "", "link0", Transform::translate(Vec3(1, 2, 3))));
  const Model a = test::compiled(l);
  for (const char* root : {"link3", "link6", "tip"}) {  // the last turns every joint round
    Linkage turned = l;
    REQUIRE(reroot(turned, root).ok());
    const Model b = test::compiled(turned);
    CHECK(b.link_name(0) == root);
    CHECK(b.v_size() == a.v_size());
    State sa, sb;
    for (const bool neutral : {true, false}) {
      forward(a, neutral ? neutral_pose(a) : *a.find_pose("some"), sa);
      forward(b, neutral ? neutral_pose(b) : *b.find_pose("some"), sb);
      for (int link = 0; link < a.link_count(); ++link) {
        const int other = b.link(a.link_name(link));
        const Transform expected = relative(sa, a.link(root), link);
        CHECK(largest_difference(expected, relative(sb, 0, other)) < 1e-12);
        if (neutral) CHECK(largest_difference(relative(sa, kWorld, link), relative(sb, kWorld, other)) < 1e-12);
      }
    }
  }
  Linkage planar = test::random_chain({Planar{}}, 1);
  CHECK(reroot(planar, "tip").message().find("expand it first") != std::string::npos);
}

TEST_CASE("rerooting keeps the places of joints in a model of any size") {
  Linkage l = chain_with_pose(invertible());
  for (Joint& joint : l.joints) joint.origin.rotation.setIdentity();  // else a seat is needed anyway
  REQUIRE(scale(l, 1e-15).ok());
  const Model a = test::compiled(l);
  REQUIRE(reroot(l, "tip").ok());
  const Model b = test::compiled(l);
  State sa, sb;
  forward(a, neutral_pose(a), sa);
  forward(b, neutral_pose(b), sb);
  for (int link = 0; link < a.link_count(); ++link) {
    const Vec3 expected = relative(sa, a.link("tip"), link).position;
    const Vec3 found = relative(sb, 0, b.link(a.link_name(link))).position;
    CHECK((1e15 * (expected - found)).norm() < 1e-12);
  }
}

TEST_CASE("rerooting turns a cone round: the same rotations are allowed, seen from the other side") {
  Linkage l = test::random_chain({Spherical{}}, 4);
  l.joints[0].limits.cone = ConeLimit{Vec3(1, 2, 2).normalized(), 0.8, -0.3, 0.9};
  Linkage turned = l;
  REQUIRE(reroot(turned, "tip").ok());
  const Model a = test::compiled(l);
  const Model b = test::compiled(turned);
  Rng rng(5);
  int inside = 0;
  for (int i = 0; i < 300; ++i) {
    const Quat q = exp_rotation(Vec3{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)});
    const bool allowed = inside_limits(a, VecX(q.coeffs()), 1e-9);
    CHECK(allowed == inside_limits(b, VecX(q.conjugate().coeffs()), 1e-9));
    inside += allowed ? 1 : 0;
  }
  CHECK(inside > 20);
  CHECK(inside < 280);
}

TEST_CASE("mirroring reflects every frame, for every joint type") {
  const Linkage l = chain_with_pose(test::every_joint_type());
  const Model a = test::compiled(l);
  State sa, sb;
  forward(a, *a.find_pose("some"), sa);
  for (int axis = 0; axis < 3; ++axis) {
    Linkage reflected = l;
    REQUIRE(mirror(reflected, axis).ok());
    const Model b = test::compiled(reflected);
    forward(b, *b.find_pose("some"), sb);
    Mat4 M = Mat4::Identity();
    M(axis, axis) = -1.0;
    for (int link = 0; link < a.link_count(); ++link) {
      const Mat4 expected = M * relative(sa, kWorld, link).matrix() * M;
      CHECK((expected - relative(sb, kWorld, link).matrix()).cwiseAbs().maxCoeff() < 1e-12);
    }
    REQUIRE(mirror(reflected, axis).ok());  // twice is nothing
    const Model c = test::compiled(reflected);
    forward(c, *c.find_pose("some"), sb);
    CHECK(largest_difference(sa.X_WL.back(), sb.X_WL.back()) < 1e-12);
  }
}

TEST_CASE("mirroring turns limits round and swaps sides in names") {
  Linkage l;
  l.links = {{"left_hand", {}}, {"base", {}}};
  l.joints = {test::joint("left_wrist", Euler{}, "base", "left_hand", {})};
  l.joints[0].limits.lower = {-1, -2, -3};
  l.joints[0].limits.upper = {4, 5, 6};
  REQUIRE(mirror(l, 1, true).ok());
  CHECK(l.joints[0].name == "right_wrist");
  CHECK(l.joints[0].child == "right_hand");
  CHECK(l.joints[0].limits.lower == std::vector<double>{-4, -2, -6});
  CHECK(l.joints[0].limits.upper == std::vector<double>{1, 5, 3});
}

TEST_CASE("scaling scales every position and keeps every rotation") {
  Linkage l = test::everything_tree();
  const Model a = test::compiled(l);
  Linkage big = l;
  REQUIRE(scale(big, 1000.0).ok());
  const Model b = test::compiled(big);
  CHECK(b.size() == doctest::Approx(1000 * a.size()));
  Rng rng(52);
  const VecX q = random_pose(a, rng);
  VecX scaled = q;
  for (int i = 0; i < a.q_size(); ++i) {
    if (a.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::length) scaled[i] *= 1000.0;
  }
  State sa, sb;
  forward(a, q, sa);
  forward(b, scaled, sb);
  for (std::size_t i = 0; i < sa.X_WL.size(); ++i) {
    CHECK((sb.X_WL[i].position - 1000 * sa.X_WL[i].position).norm() < 1e-9);
    CHECK((sb.X_WL[i].rotation - sa.X_WL[i].rotation).norm() < 1e-12);
  }
  CHECK(!scale(big, 0.0).ok());
}

TEST_CASE("scaling scales limits of lengths, those of speed too, and no others") {
  Linkage l = test::random_chain({Cylindrical{Vec3::UnitX()}}, 2);
  l.joints[0].limits.lower = {-1.0, -0.5};
  l.joints[0].limits.upper = {2.0, 0.25};
  l.joints[0].limits.velocity = {3.0, 0.75};
  const std::span<const Coordinate> kinds = coordinates(l.joints[0].type);
  Linkage big = l;
  REQUIRE(scale(big, 8.0).ok());
  for (std::size_t k = 0; k < 2; ++k) {
    const double factor = kinds[k] == Coordinate::length ? 8.0 : 1.0;
    CHECK(big.joints[0].limits.lower[k] == factor * l.joints[0].limits.lower[k]);
    CHECK(big.joints[0].limits.upper[k] == factor * l.joints[0].limits.upper[k]);
    CHECK(big.joints[0].limits.velocity[k] == factor * l.joints[0].limits.velocity[k]);
  }
}

TEST_CASE("locking freezes a joint and its followers where they are") {
  Linkage l = test::planar_arm({3, 2, 1});
  l.joints[2].mimic = Mimic{"joint2", 2.0, 0.1};
  const Model a = test::compiled(l);
  REQUIRE(lock_joint(l, "joint2", {0.4}).ok());
  const Model b = test::compiled(l);
  CHECK(b.v_size() == 1);
  State sa, sb;
  forward(a, VecX(Vec2(0.3, 0.4)), sa);
  forward(b, VecX(VecX::Constant(1, 0.3)), sb);
  CHECK(largest_difference(sa.X_WL.back(), sb.X_WL.back()) < 1e-14);
  CHECK(lock_joint(l, "joint9", {0.4}).message().find("Valid names") != std::string::npos);
}

TEST_CASE("locking takes axes as compile() does, and an axis of no length leaves everything as it was") {
  Linkage l = test::planar_arm({3, 2, 1});
  l.joints[1].type = Planar{Vec3(0, 0, 2), Vec3(3, 0, 1)};  // x is to lie in the plane
  const Model a = test::compiled(l);
  Linkage zero = l;
  REQUIRE(lock_joint(l, "joint2", {0.5, 0.1, 0.2}).ok());
  const Model b = test::compiled(l);
  State sa, sb;
  VecX q(5);
  q << 0.3, 0.5, 0.1, 0.2, -0.2;
  forward(a, q, sa);
  forward(b, VecX(Vec2(0.3, -0.2)), sb);
  CHECK(largest_difference(sa.X_WL.back(), sb.X_WL.back()) < 1e-14);
  zero.joints[1].type = Revolute{Vec3::UnitZ()};
  zero.joints[2].type = Revolute{Vec3::Zero()};
  zero.joints[2].mimic = Mimic{"joint2", 2.0, 0.1};
  CHECK(lock_joint(zero, "joint2", {0.5}).message().find("zero axis") != std::string::npos);
  CHECK(std::holds_alternative<Revolute>(zero.joints[1].type));
}

TEST_CASE("a chain can be taken out, up and down the tree") {
  const Linkage l = test::everything_tree();
  Linkage expanded = l;
  REQUIRE(expand_joints(expanded).ok());
  const Model a = test::compiled(expanded);
  const Result<Linkage> chain = extract_chain(expanded, "left_prismatic", "right_helical");
  REQUIRE(chain.ok());
  const Model b = test::compiled(*chain);
  CHECK(b.link_name(0) == "left_prismatic");
  Rng rng(53);
  VecX q = random_pose(a, rng);
  // Followers whose source is not part of the chain move on their own: give them what the source gave them.
  VecX own = same_values(a, q, b);
  for (const ModelJoint& j : a.joints()) {
    const int at = b.lookup_joint(j.name).value_or(-1);
    if (j.mimic && at >= 0 && !b.joint(at).mimic) own[b.joint(at).q_index] = j.multiplier * q[j.q_index] + j.offset;
  }
  State sa, sb;
  forward(a, q, sa);
  forward(b, own, sb);
  const Transform expected = relative(sa, a.link("left_prismatic"), a.link("right_helical"));
  CHECK(largest_difference(expected, relative(sb, 0, b.link("right_helical"))) < 1e-12);
  CHECK(!extract_chain(l, "left_prismatic", "nobody").ok());
}

TEST_CASE("grafting hangs a branch below a link") {
  Linkage l = test::planar_arm({1, 1});
  const Linkage hand = test::planar_arm({0.2});
  REQUIRE(graft(l, "tip", hand, "hand_", Transform::translate(Vec3(0, 0, 1))).ok());
  const Model model = test::compiled(l);
  State state;
  forward(model, neutral_pose(model), state);
  const Vec3 end = relative(state, kWorld, model.link("hand_tip")).position;
  CHECK((end - Vec3(2.2, 0, 1)).norm() < 1e-14);
  CHECK(graft(l, "tip", hand, "hand_", {}).message().find("taken") != std::string::npos);
}

TEST_CASE("grafting without a link puts a model beside another, in the world") {
  const auto place = [](const Linkage& l, const std::string& link) {
    const Model model = test::compiled(l);
    State state;
    forward(model, neutral_pose(model), state);
    return relative(state, kWorld, model.link(link));
  };
  const Linkage arm = test::planar_arm({1, 1});
  const Transform at = Transform::translate(Vec3(0, 3, 0));

  SUBCASE("a root that stands holds the other, wherever it stands") {
    Linkage l = arm;
    REQUIRE(l.joint_above(l.links[0].name) == nullptr);
    Joint stand;
    stand.name = "stand";
    stand.child = l.links[0].name;
    stand.origin = Transform::from(exp_rotation(Vec3(0.3, -0.2, 1.1)), Vec3(5, 6, 7));
    l.joints.push_back(stand);
    const Transform before = place(l, "tip");
    REQUIRE(graft(l, "", arm, "b_", at).ok());
    CHECK(largest_difference(place(l, "tip"), before) < 1e-12);
    CHECK((place(l, "b_tip").position - Vec3(2, 3, 0)).norm() < 1e-12);
  }
  SUBCASE("a root that travels does not take the other along") {
    Linkage l = arm;
    REQUIRE(float_root(l).ok());
    REQUIRE(graft(l, "", arm, "b_", at).ok());
    CHECK(l.find_link("ground") != nullptr);
    const Model model = test::compiled(l);
    VecX q = neutral_pose(model);
    q.segment(model.joint(model.find_joint("root").value()).q_index, 3) = Vec3(0, 0, 9);
    State state;
    forward(model, q, state);
    CHECK((relative(state, kWorld, model.link("tip")).position - Vec3(2, 0, 9)).norm() < 1e-12);
    CHECK((relative(state, kWorld, model.link("b_tip")).position - Vec3(2, 3, 0)).norm() < 1e-12);
  }
  SUBCASE("worlds with another axis up are turned") {
    Linkage l = arm, standing = arm;
    standing.up = "y";
    REQUIRE(graft(l, "", standing, "b_", at).ok());
    const Transform tip = place(l, "b_tip");
    CHECK((tip.rotation * Vec3::UnitY() - Vec3::UnitZ()).norm() < 1e-15);
    Linkage back = standing;
    REQUIRE(graft(back, "", arm, "b_", at).ok());
    CHECK((place(back, "b_tip").rotation * Vec3::UnitZ() - Vec3::UnitY()).norm() < 1e-15);
  }
  SUBCASE("prefixes are found until names are free; what is refused changes nothing") {
    Linkage l = arm;
    l.name = "arm";
    Linkage branch = l;
    for (const char* prefix : {"arm_", "arm_2_", "arm_3_"}) {
      CHECK(free_prefix(l, branch) == prefix);
      REQUIRE(graft(l, "", branch, free_prefix(l, branch), at).ok());
    }
    Linkage moving = arm;
    REQUIRE(float_root(moving).ok());
    CHECK(!graft(moving, "", arm, "", at).ok());
    CHECK(moving.find_link("ground") == nullptr);
    CHECK(free_prefix(Linkage{}, branch).empty());
    Linkage nothing;
    CHECK(!graft(nothing, "", branch, "", at).ok());
  }
}

TEST_CASE("add, remove and rename keep references whole") {
  Linkage l = test::planar_arm({1, 1, 1});
  l.joints[1].mimic = Mimic{"joint3", 1.0, 0.0};
  l.poses.push_back({"home", {{"joint3", {0.5}}, {"joint1", {0.1}}}});
  REQUIRE(rename_joint(l, "joint3", "wrist").ok());
  REQUIRE(rename_link(l, "link2", "forearm").ok());
  CHECK(l.joints[1].mimic->joint == "wrist");
  REQUIRE(compile(l).ok());
  CHECK(!rename_link(l, "forearm", "base").ok());
  REQUIRE(remove_link(l, "link3").ok());
  CHECK(l.find_link("tip") == nullptr);
  const Model model = test::compiled(l);
  CHECK(model.v_size() == 2);  // the follower moves on its own now
  CHECK(l.poses[0].values.size() == 1);
  Joint j;
  j.name = "new_joint";
  REQUIRE(add_link(l, "forearm", j, Link{"new_link", {}}).ok());
  CHECK(!add_link(l, "forearm", j, Link{"new_link2", {}}).ok());
  CHECK(!add_link(l, "nobody", Joint{}, Link{"x", {}}).ok());
  CHECK(!remove_link(l, "base").ok());
}

TEST_CASE("an axis of any length locks to a rotation") {
  Linkage linkage = test::planar_arm({1.0, 1.0});
  linkage.joints[0].type = Revolute{Vec3(1, 1, 0)};
  Linkage unit = linkage;
  unit.joints[0].type = Revolute{Vec3(1, 1, 0).normalized()};
  REQUIRE(lock_joint(linkage, "joint1", {0.5}).ok());
  REQUIRE(lock_joint(unit, "joint1", {0.5}).ok());
  REQUIRE(compile(linkage).ok());
  const Transform& a = linkage.find_joint("joint1")->origin;
  CHECK((a.rotation - unit.find_joint("joint1")->origin.rotation).norm() < 1e-15);
}

TEST_CASE("edit: add_tip adds a bare link, which becomes the first effector") {
  Linkage linkage;
  linkage.links = {{"arm", {}}};
  linkage.effectors = {"arm"};
  REQUIRE(add_tip(linkage, "pen", "arm", Transform::translate(Vec3(0, 0, 0.1))).ok());
  CHECK(linkage.effectors == std::vector<std::string>{"pen", "arm"});
  CHECK(linkage.joint_above("pen")->origin.position == Vec3(0, 0, 0.1));
  CHECK(!add_tip(linkage, "pen", "arm").ok());
  CHECK(!add_tip(linkage, "", "arm").ok());
  CHECK(add_tip(linkage, "nib", "amr").message().find("did you mean") != std::string::npos);
  CHECK(linkage.links.size() == 2);
}
