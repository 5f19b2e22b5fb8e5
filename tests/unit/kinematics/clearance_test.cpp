#include "armature/kinematics/clearance.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "armature/kinematics/body_pairs.hpp"
#include "armature/kinematics/fit_bodies.hpp"
#include "armature/kinematics/forward.hpp"
#include "support/allocation_counter.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

// An arm of hinges with bones of `length`, each a capsule, its axes in turn y and z.
Linkage arm(int joints, double length = 0.4) {
  Linkage l;
  l.name = "arm";
  l.links.push_back({"link0", {}});
  for (int i = 1; i <= joints; ++i) {
    Joint j = test::joint("joint" + std::to_string(i), Revolute{i % 2 == 1 ? Vec3::UnitY() : Vec3::UnitZ()},
                          "link" + std::to_string(i - 1), "link" + std::to_string(i),
                          Transform::translate(Vec3(0, 0, length)));
    j.limits.lower = {-2.5};
    j.limits.upper = {2.5};
    l.links.push_back({j.child, {}});
    l.joints.push_back(j);
    l.bodies.push_back({j.child, Capsule{0.06, 0.8 * length}, Transform::translate(Vec3(0, 0, 0.5 * length)), "file"});
  }
  l.bodies.push_back({"link0", Box{Vec3(0.3, 0.3, 0.1)}, Transform::translate(Vec3(0, 0, 0.1)), "file"});
  return l;
}

std::vector<Obstacle> things() {
  std::vector<Obstacle> out;
  out.push_back({"floor", Plane{}, Transform::translate(Vec3(0, 0, -0.1)), ""});
  out.push_back({"board", Box{Vec3(0.3, 0.8, 0.02)}, Transform::translate(Vec3(0.6, 0, 0.5)), ""});
  out.push_back({"ball", Sphere{0.2}, Transform::translate(Vec3(-0.7, 0.2, 0.7)), ""});
  out.push_back({"pole", Capsule{0.05, 1.0}, Transform::translate(Vec3(0, 0.8, 0.5)), ""});
  out.push_back({"can", Cylinder{0.1, 0.3}, Transform::translate(Vec3(0.2, -0.7, 0.4)), ""});
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->triangles = surface_of({4, 4, Vec2(0.5, 0.5), std::vector<double>(16, 0.0)});
  out.push_back({"sheet", std::shared_ptr<const TriangleMesh>(mesh), Transform::translate(Vec3(0.9, 0, 0.9)), ""});
  auto cloud = std::make_shared<PointCloud>();
  Rng rng(3);
  for (int i = 0; i < 50; ++i)
    cloud->points.push_back(Vec3(-0.8, 0.5, 1.0) + 0.1 * test::random_transform(rng).position);
  cloud->radius = 0.01;
  out.push_back({"cloud", std::shared_ptr<const PointCloud>(cloud), {}, ""});
  out.push_back({"cup", Cylinder{0.04, 0.1}, Transform::translate(Vec3(0, 0, 0.45)), "link4"});
  return out;
}

}  // namespace

TEST_CASE("clearance: yes and no agree with the distances, and nothing allocates") {
  const Model model = *compile(arm(5));
  const Bodies bodies = *compile_bodies(model);
  const std::vector<Obstacle> obstacles = things();
  Clearance clearance;
  const Status status = clearance.prepare(model, bodies, obstacles);
  REQUIRE_MESSAGE(status.ok(), status.message());
  Rng rng(1);
  std::vector<NearPair> near;
  int free = 0, touching = 0;
  clearance.nearest(neutral_pose(model).data(), 10.0, near);
  for (int i = 0; i < 2000; ++i) {
    const VecX q = random_pose(model, rng);
    const double margin = rng.uniform(0.0, 0.1);
    double least = 1e300;
    const test::AllocationCounter counter;
    clearance.nearest(q.data(), 10.0, near);
    const bool yes = clearance.is_free(q.data(), margin);
    const double smallest = clearance.smallest(q.data(), 10.0);
    CHECK(counter.count() == 0);
    CHECK(smallest == (near.empty() ? 10.0 : near.front().nearest.distance));
    for (const NearPair& pair : near) least = std::min(least, pair.nearest.distance - std::min(margin, pair.margin));
    if (std::abs(least) > 1e-9) CHECK(yes == (least > 0.0));
    free += yes ? 1 : 0;
    touching += yes ? 0 : 1;
    for (std::size_t k = 1; k < near.size(); ++k) CHECK(near[k - 1].nearest.distance <= near[k].nearest.distance);
  }
  CHECK(free > 50);
  CHECK(touching > 50);
}

TEST_CASE("clearance: of a pair that is always near no more is asked than it can keep") {
  const Model model = *compile(arm(4));
  Bodies bodies = *compile_bodies(model);
  REQUIRE(!bodies.pairs.empty());
  Clearance clearance;
  REQUIRE(clearance.prepare(model, bodies, {}).ok());
  const VecX q = neutral_pose(model);
  std::vector<NearPair> near;
  clearance.nearest(q.data(), 10.0, near);
  REQUIRE(!near.empty());
  const double distance = near.front().nearest.distance;
  REQUIRE(distance > 0.01);
  for (SolidPair& pair : bodies.pairs) pair.margin = 2.0 * distance;
  REQUIRE(clearance.prepare(model, bodies, {}).ok());
  CHECK_FALSE(clearance.is_free(q.data(), 2.0 * distance));
  for (SolidPair& pair : bodies.pairs) pair.margin = 0.5 * distance;
  REQUIRE(clearance.prepare(model, bodies, {}).ok());
  CHECK(clearance.is_free(q.data(), 2.0 * distance));
}

TEST_CASE("clearance: distances change no faster than the bodies can move, and a way that is proved free is free") {
  const Model model = *compile(arm(5));
  const Bodies bodies = *compile_bodies(model);
  Clearance clearance;
  REQUIRE(clearance.prepare(model, bodies, things()).ok());
  Rng rng(2);
  int proved = 0, touched = 0;
  for (int i = 0; i < 300; ++i) {
    const VecX q0 = random_pose(model, rng),
               q1 = interpolate(model, q0, random_pose(model, rng), rng.uniform(0.0, 0.3));
    bool samples = true;
    for (int k = 0; k <= 50; ++k)
      samples = samples && clearance.is_free(interpolate(model, q0, q1, k / 50.0).data(), 0.0);
    const bool proof = clearance.prove_free(q0, q1, 0.0);
    if (proof) CHECK(samples);
    proved += proof ? 1 : 0;
    touched += samples ? 0 : 1;
  }
  CHECK(proved > 10);
  CHECK(touched > 10);
}

TEST_CASE("clearance: slopes of distances are their differences") {
  const Model model = *compile(arm(5));
  const Bodies bodies = *compile_bodies(model);
  const std::vector<Obstacle> obstacles = {
      {"ball", Sphere{0.2}, Transform::translate(Vec3(0.8, 0.4, 0.1)), ""},
      {"wall", Box{Vec3(0.1, 3.0, 3.0)}, Transform::translate(Vec3(-0.7, 0, 0)), ""},
      {"floor", Plane{}, Transform::translate(Vec3(0, 0, -0.6)), ""}};
  Clearance clearance, other;
  REQUIRE(clearance.prepare(model, bodies, obstacles).ok());
  REQUIRE(other.prepare(model, bodies, obstacles).ok());
  Rng rng(8);
  std::vector<NearPair> near, moved;
  VecX slope;
  int seen = 0, right = 0;
  for (int i = 0; i < 200; ++i) {
    const VecX q = random_pose(model, rng);
    clearance.nearest(q.data(), 0.5, near);
    for (const NearPair& pair : near) {
      clearance.slope(pair, slope);
      VecX v(model.v_size());
      for (int k = 0; k < v.size(); ++k) v[k] = rng.uniform(-1.0, 1.0);
      double d[2] = {0.0, 0.0};
      for (const int side : {0, 1}) {
        const VecX at = integrate(model, q, (side == 0 ? -1e-6 : 1e-6) * v);
        other.nearest(at.data(), 1.0, moved);
        for (const NearPair& same : moved) {
          const bool it = same.link_a == pair.link_a && same.link_b == pair.link_b && same.obstacle == pair.obstacle;
          if (it) d[side] = same.nearest.distance;
        }
      }
      ++seen;
      right += std::abs((d[1] - d[0]) / 2e-6 - slope.dot(v)) < 1e-4 * (1.0 + v.norm()) ? 1 : 0;
    }
  }
  CHECK(seen > 200);
  CHECK(right * 100 >= 98 * seen);  // but where the nearest points jump
}

TEST_CASE("bodies: a joint with one limit comes to every angle, which a proof must see") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Range {
    double lower, upper;
    bool apart;
  };
  for (const Range& range : {Range{-kPi, 1.0, true}, Range{-kInfinity, 1.0, false}, Range{2.5, kInfinity, false},
                             Range{-kInfinity, kInfinity, false}, Range{2.6, 2.3 + 2.0 * kPi - 0.3, true}}) {
    CAPTURE(range.lower);
    CAPTURE(range.upper);
    Linkage l = test::planar_arm({1.0});
    l.joints.front().limits.lower = {range.lower};
    l.joints.front().limits.upper = {range.upper};
    const Model model = test::compiled(l);
    const int link = model.link(l.joints.front().child), base = model.parent(link);
    const Solid still = make_solid(Sphere{0.1}, Transform::translate(Vec3(std::cos(2.3), std::sin(2.3), 0.0)), base);
    const Solid moving = make_solid(Sphere{0.1}, Transform::translate(Vec3(1.0, 0.0, 0.0)), link);
    CHECK(prove_apart(model, still, moving, 20000) == range.apart);
  }
}

TEST_CASE("bodies: pairs with reasons; what is proved never to touch never touches") {
  Linkage l = arm(4, 0.4);
  for (Joint& joint : l.joints) {
    joint.limits.lower = {-0.4};
    joint.limits.upper = {0.4};
  }
  l.ignored_pairs.push_back({"link1", "link4", "by hand"});
  const Model model = *compile(l);
  BodyOptions options;
  options.prove = true;
  const Bodies bodies = *compile_bodies(model, options);
  int never = 0;
  for (const LinkPair& pair : bodies.links) {
    if (pair.b == pair.a + 1) CHECK(pair.reason == PairReason::adjacent);
    if (pair.reason == PairReason::ignored) CHECK(pair.word == "by hand");
    if (pair.reason == PairReason::never) ++never;
  }
  CHECK(never > 0);
  BodyOptions all;
  all.samples = 0;
  const Bodies every = *compile_bodies(model, all);
  Clearance clearance;
  REQUIRE(clearance.prepare(model, every, {}).ok());
  Rng rng(4);
  std::vector<NearPair> near;
  for (int i = 0; i < 5000; ++i) {
    clearance.nearest(random_pose(model, rng).data(), 0.0, near);
    for (const NearPair& touch : near) {
      for (const LinkPair& pair : bodies.links) {
        const bool same =
            pair.a == std::min(touch.link_a, touch.link_b) && pair.b == std::max(touch.link_a, touch.link_b);
        if (same) CHECK(pair.reason != PairReason::never);
      }
    }
  }
}

TEST_CASE("bodies: from shapes, and from bones where there are none") {
  Linkage l = arm(3);
  l.bodies.clear();
  Bodies bodies = *compile_bodies(*compile(l));
  CHECK(bodies.list.size() == 3);
  CHECK(bodies.list[0].source == "bone");
  CHECK(bodies.notes.size() == 1);
  l.geometries.push_back({"g", Cylinder{0.05, 0.4}});
  Visual visual;
  visual.geometry = "g";
  l.links[1].visuals.push_back(visual);
  visual.collision = true;
  l.links[2].visuals.push_back(visual);
  bodies = *compile_bodies(*compile(l));
  REQUIRE(bodies.list.size() == 2);
  CHECK(bodies.list[0].source == "visual");
  CHECK(bodies.list[1].source == "collision");
  BodyOptions wrong;
  wrong.source = "bone";
  CHECK_FALSE(compile_bodies(*compile(l), wrong).ok());
}

TEST_CASE("fits: every triangle lies in one body, and an elbow gets two") {
  // Two bars at a right angle.
  std::vector<Triangle> mesh;
  const auto bar = [&](const Transform& X, const Vec3& h) {
    Vec3 c[8];
    for (int i = 0; i < 8; ++i) {
      c[i] = X * Vec3((i & 1) != 0 ? h[0] : -h[0], (i & 2) != 0 ? h[1] : -h[1], (i & 4) != 0 ? h[2] : -h[2]);
    }
    const int faces[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
    for (const auto& f : faces) {
      mesh.push_back({c[f[0]], c[f[1]], c[f[2]]});
      mesh.push_back({c[f[0]], c[f[2]], c[f[3]]});
    }
  };
  bar(Transform::translate(Vec3(0, 0, 0.5)), Vec3(0.05, 0.05, 0.5));
  bar(Transform::translate(Vec3(0.5, 0, 1.0)), Vec3(0.5, 0.05, 0.05));
  for (const int most : {1, 3}) {
    const std::vector<FittedBody> fits = fit_bodies(mesh, most);
    REQUIRE(!fits.empty());
    CHECK(static_cast<int>(fits.size()) <= most);
    if (most > 1) CHECK(fits.size() >= 2);
    // Corners, edges and insides of the triangles are covered, each piece by one body.
    Rng rng(1);
    for (const Triangle& t : mesh) {
      for (int i = 0; i < 50; ++i) {
        double u = rng.uniform(), v = rng.uniform();
        if (u + v > 1.0) u = 1.0 - u, v = 1.0 - v;
        const Vec3 p = t.a + u * (t.b - t.a) + v * (t.c - t.a);
        bool inside = false;
        for (const FittedBody& fit : fits) inside = inside || covers(fit, {p, p, p}, 1e-9);
        CHECK(inside);
      }
    }
  }
  CHECK(fit_bodies({}, 3).empty());
}

TEST_CASE("meshes: of the triangles inside a box the deepest counts, whatever was met before") {
  std::vector<Triangle> triangles;
  Rng rng(4);
  for (int i = 0; i < 60; ++i) {
    const Vec3 p = test::random_transform(rng).position;
    triangles.push_back({p, p + 0.01 * Vec3::UnitX(), p + 0.01 * Vec3::UnitY()});
  }
  const OrientedBox box{Vec3::Zero(), Mat3::Identity(), Vec3(0.9, 0.8, 0.7)};
  double deepest = 1.0;
  for (const Triangle& t : triangles) deepest = std::min(deepest, distance(box, t).distance);
  REQUIRE(deepest < -0.3);
  TriangleTree tree;
  tree.build(triangles, 0.0);
  CHECK(tree.nearest(box, 1.0).distance == deepest);
  CHECK(tree.nearest(box, 0.5 * deepest).distance == deepest);
}

TEST_CASE("meshes: a triangle across a plate is deeper than the plate is thick, whoever asks first") {
  const double half = 0.05;
  Linkage l;
  l.links = {{"ground", {}}, {"ball", {}}, {"plate", {}}};
  l.joints = {test::joint("slide", Prismatic{Vec3::UnitX()}, "ground", "ball", Transform::translate(Vec3(0, 0, 0.8))),
              test::joint("other", Prismatic{Vec3::UnitX()}, "ground", "plate", {})};
  l.bodies = {{"ball", Sphere{0.3}, {}, "file"}, {"plate", Box{Vec3(1, 1, 2 * half)}, {}, "file"}};
  const Model model = test::compiled(l);
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->triangles = {{Vec3(0.1, 0, -9), Vec3(0.1, 9, 0), Vec3(0.1, 0, 9)}};
  const std::vector<Obstacle> sheet{{"sheet", std::shared_ptr<const TriangleMesh>(mesh), {}, ""}};
  Clearance clearance;
  REQUIRE(clearance.prepare(model, *compile_bodies(model), sheet).ok());
  std::vector<NearPair> pairs;
  const VecX q = VecX::Zero(model.q_size());
  CHECK(clearance.nearest(q.data(), 1.0, pairs) == doctest::Approx(-0.4));  // of the side that goes through
  CHECK(clearance.smallest(q.data(), 1.0) == doctest::Approx(-0.4));
}

TEST_CASE("bodies: one that is too large for distances is refused") {
  Linkage l = arm(2);
  l.bodies.push_back({"link1", Sphere{1e80}, {}, "file"});
  CHECK(compile_bodies(*compile(l)).message().find("'link1'") != std::string::npos);
}

TEST_CASE("obstacles: a height field has sides, and no way leads through them unseen") {
  Linkage l;
  l.links = {{"ground", {}}, {"ball", {}}};
  l.joints = {test::joint("slide", Prismatic{Vec3::UnitX()}, "ground", "ball", {})};
  l.bodies = {{"ball", Sphere{0.1}, {}, "file"}};
  const Model model = test::compiled(l);
  const std::vector<Obstacle> block{
      {"block", HeightField{2, 2, Vec2(1, 1), {3, 3, 3, 3}}, Transform::translate(Vec3(2, 0, 0)), ""}};
  Clearance clearance;
  REQUIRE(clearance.prepare(model, *compile_bodies(model), block).ok());
  const VecX before = VecX::Zero(1), inside = VecX::Constant(1, 1.8);
  CHECK(clearance.smallest(before.data(), 9.0) == doctest::Approx(1.4));  // 1.5 to the side
  CHECK_FALSE(clearance.is_free(inside.data(), 0.0));
  CHECK_FALSE(clearance.prove_free(before, inside, 0.0));
  CHECK(clearance.prove_free(before, VecX::Constant(1, 1.3), 0.0));
}

TEST_CASE("clearance: a joint that follows an endless one not at all does not spoil the proof of a way") {
  Linkage l;
  l.links = {{"ground", {}}, {"arm", {}}, {"tip", {}}};
  l.joints = {test::joint("turn", Continuous{Vec3::UnitZ()}, "ground", "arm", {}),
              test::joint("slide", Prismatic{Vec3::UnitX()}, "arm", "tip", Transform::translate(Vec3(1, 0, 0)))};
  l.joints[1].mimic = Mimic{"turn", 0.0, 0.5};
  l.bodies = {{"tip", Sphere{0.1}, {}, "file"}};
  const Model model = test::compiled(l);
  const std::vector<Obstacle> post{{"post", Plane{Vec3(0, 1, 0)}, Transform::translate(Vec3(0, -0.3, 0)), ""}};
  Clearance clearance;
  REQUIRE(clearance.prepare(model, *compile_bodies(model), post).ok());
  CHECK_FALSE(clearance.prove_free(VecX::Zero(1), VecX::Constant(1, -1.5), 0.0));
  CHECK(clearance.prove_free(VecX::Zero(1), VecX::Constant(1, 1.5), 0.0));
}

TEST_CASE("obstacles: a height field is solid below, and mistakes are told") {
  const Model model = *compile(arm(2));
  const Bodies bodies = *compile_bodies(model);
  Clearance clearance;
  std::vector<Obstacle> ground{
      {"hill", HeightField{3, 3, Vec2(4, 4), {0, 0, 0, 0, 1, 0, 0, 0, 0}}, Transform::translate(Vec3(0, 0, -2)), ""}};
  REQUIRE(clearance.prepare(model, bodies, ground).ok());
  CHECK(clearance.is_free(neutral_pose(model).data(), 0.0));
  ground[0].origin.position[2] = 3.0;  // far above: everything is inside the ground
  REQUIRE(clearance.prepare(model, bodies, ground).ok());
  CHECK_FALSE(clearance.is_free(neutral_pose(model).data(), 0.0));
  CHECK_FALSE(clearance.prepare(model, bodies, std::vector<Obstacle>{{"a", Box{Vec3(1, -1, 1)}, {}, ""}}).ok());
  CHECK_FALSE(clearance.prepare(model, bodies, std::vector<Obstacle>{{"a", Sphere{1}, {}, "nobody"}}).ok());
  CHECK_FALSE(clearance.prepare(model, bodies, std::vector<Obstacle>{{"a", Plane{}, {}, "link1"}}).ok());
  CHECK_FALSE(clearance.prepare(model, bodies, std::vector<Obstacle>{{"a", Plane{Vec3(1e300, 0, 0)}, {}, ""}}).ok());
  CHECK_FALSE(clearance.prepare(model, bodies, std::vector<Obstacle>{{"a", Sphere{1e80}, {}, ""}}).ok());
  const HeightField abyss{2, 2, Vec2(1, 1), {0, 0, 0, -1e300}};
  CHECK_FALSE(clearance.prepare(model, bodies, std::vector<Obstacle>{{"a", abyss, {}, ""}}).ok());
  CHECK_FALSE(
      clearance.prepare(model, bodies, std::vector<Obstacle>{{"a", HeightField{3, 3, Vec2(1, 1), {0}}, {}, ""}}).ok());
}
