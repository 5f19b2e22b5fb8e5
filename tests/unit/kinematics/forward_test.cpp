#include "armature/kinematics/forward.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/frames.hpp"
#include "support/linkages.hpp"

using namespace armature;

TEST_CASE("the planar arm is where the textbook's equations put it") {
  const Model model = test::compiled(test::planar_arm({15, 10, 5}));
  State state;
  const VecX q = Vec3(kPi / 8, kPi / 4, kPi / 4);
  forward(model, q, state);
  const Vec3 tip = state.X_WL[static_cast<std::size_t>(model.link("tip"))].position;
  CHECK(tip.x() == doctest::Approx(15.771610149495).epsilon(1e-12));
  CHECK(tip.y() == doctest::Approx(19.598444473146).epsilon(1e-12));
  CHECK(tip.z() == 0.0);
}

TEST_CASE("angles of any size have their exact sine and cosine") {
  const Model model = test::compiled(test::planar_arm({1.0}));
  State state;
  for (const double angle : {0.3, 9.9e4, 1.1e5, 3.3e7, -2.5e9, 7.7e12}) {
    forward(model, VecX::Constant(1, angle), state);
    const Vec3 tip = state.X_WL[static_cast<std::size_t>(model.link("tip"))].position;
    CHECK((tip - Vec3(std::cos(angle), std::sin(angle), 0.0)).norm() < 1e-14);
  }
}

TEST_CASE("flat pass, partial pass and matrix-stack traversal agree") {
  Linkage l = test::everything_tree();
  l.geometries.push_back({"ball", Sphere{0.1}});
  for (Link& link : l.links) {
    Mat4 X_LG = Mat4::Identity();
    X_LG(0, 0) = 3.0;  // a scale, which must not reach the children
    X_LG(1, 3) = 0.5;
    link.visuals.push_back({"ball", X_LG, {}, false});
  }
  const Model model = test::compiled(l);
  Rng rng(21);
  State state;
  for (int repeat = 0; repeat < 10; ++repeat) {
    VecX q = random_pose(model, rng);
    forward(model, q, state);
    int visited = 0;
    traverse(model, q, [&](int link, const Visual& visual, const Mat4& X_WG) {
      ++visited;
      const Mat4 expected = state.X_WL[static_cast<std::size_t>(link)].matrix() * visual.X_LG;
      CHECK((X_WG - expected).cwiseAbs().maxCoeff() < 1e-13);
    });
    CHECK(visited == model.link_count());

    const int from = model.link("right_universal");
    const VecX other = random_pose(model, rng);
    for (int i = from; i < model.subtree_end(from); ++i) {
      const ModelJoint& j = model.joint(i);
      if (!j.mimic) q.segment(j.q_index, j.q_count) = other.segment(j.q_index, j.q_count);
    }
    forward_from(model, q.data(), from, state);
    State whole;
    forward(model, q, whole);
    for (int i = 0; i < model.link_count(); ++i) {
      CHECK(state.X_WL[static_cast<std::size_t>(i)].matrix() == whole.X_WL[static_cast<std::size_t>(i)].matrix());
    }
  }
}

TEST_CASE("each frame is its parent's, placed and articulated") {
  const Model model = test::compiled(test::everything_tree());
  Rng rng(22);
  const VecX q = random_pose(model, rng);
  State state;
  forward(model, q, state);
  for (int i = 0; i < model.link_count(); ++i) {
    const ModelJoint& j = model.joint(i);
    VecX own = q.segment(j.q_index, j.q_count);
    if (j.mimic) own[0] = j.multiplier * own[0] + j.offset;
    const Transform expected = j.origin * joint_transform(j.type, own.data());
    CHECK((relative(state, j.parent, i).matrix() - expected.matrix()).cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEST_CASE("points and directions convert up, down and across the tree") {
  const Model model = test::compiled(test::everything_tree());
  Rng rng(23);
  State state;
  forward(model, random_pose(model, rng), state);
  const int left = model.link("left_euler");
  const int right = model.link("right_planar");
  const Vec3 p(0.3, -0.2, 0.9);
  for (const auto& [a, b] :
       {std::pair{left, right}, {right, left}, {0, left}, {left, 0}, {kWorld, right}, {left, left}}) {
    const Vec3 there = convert_point(state, a, b, p);
    CHECK((convert_point(state, b, a, there) - p).norm() < 1e-13);
    CHECK((relative(state, b, a) * p - there).norm() < 1e-13);
    const Vec3 direction = convert_direction(state, a, b, p);
    CHECK((direction - (there - convert_point(state, a, b, Vec3::Zero()))).norm() < 1e-13);
  }
}

TEST_CASE("every shortcut of the flat pass agrees with the joint's own transform") {
  std::vector<JointType> types;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {1.0, -1.0}) {
      types.push_back(Revolute{sign * Vec3::Unit(axis)});
      types.push_back(Universal{sign * Vec3::Unit(axis), -sign * Vec3::Unit((axis + 1) % 3)});
    }
  }
  types.push_back(Universal{Vec3(1, 1, 0).normalized(), Vec3::UnitZ()});
  for (const bool placed : {true, false}) {
    Linkage l = test::random_chain(types, 5);
    if (!placed) {  // placements that do not rotate have a shortcut of their own
      for (Joint& joint : l.joints) joint.origin.rotation.setIdentity();
    }
    l.joints[2].mimic = Mimic{"joint1", -1.5, 0.25};
    const Model model = test::compiled(l);
    Rng rng(24);
    const VecX q = random_pose(model, rng);
    State state;
    forward(model, q, state);
    for (int i = 1; i < model.link_count(); ++i) {
      const ModelJoint& j = model.joint(i);
      VecX own = q.segment(j.q_index, j.q_count);
      if (j.mimic) own[0] = j.multiplier * own[0] + j.offset;
      const Transform expected = j.origin * joint_transform(j.type, own.data());
      CHECK((relative(state, j.parent, i).matrix() - expected.matrix()).cwiseAbs().maxCoeff() < 1e-13);
    }
  }
}
