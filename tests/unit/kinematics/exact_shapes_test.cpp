#include "armature/kinematics/exact_shapes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "armature/geom/triangle_distance.hpp"
#include "armature/kinematics/body_sources.hpp"
#include "armature/kinematics/fit_bodies.hpp"
#include "armature/kinematics/forward.hpp"
#include "support/allocation_counter.hpp"
#include "support/linkages.hpp"
#include "support/meshed.hpp"

using namespace armature;

namespace {

Triangle random_triangle(Rng& rng, double size) {
  const Vec3 p = test::random_transform(rng).position;
  const auto spread = [&] { return Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)); };
  return {p + size * spread(), p + size * spread(), p + size * spread()};
}

Vec3 point_of(const Triangle& t, Rng& rng) {
  double u = rng.uniform(), v = rng.uniform();
  if (u + v > 1.0) u = 1.0 - u, v = 1.0 - v;
  return t.a + u * (t.b - t.a) + v * (t.c - t.a);
}

// A hook: a bar with another across its end. One capsule or box around it holds much air.
std::vector<Triangle> hook() {
  std::vector<Triangle> out;
  Mat4 X = Mat4::Identity();
  test::add_triangles(Box{Vec3(0.06, 0.06, 0.5)}, X, out);
  X.topRightCorner<3, 1>() = Vec3(0.15, 0.0, 0.25);
  test::add_triangles(Box{Vec3(0.36, 0.06, 0.06)}, X, out);
  return out;
}

// Three hinges, a hook on each of the last three links.
Linkage hooks() {
  Linkage l;
  l.name = "hooks";
  l.links.push_back({"link0", {}});
  l.geometries.push_back({"hook", MeshFile{"hook"}});
  for (int i = 1; i <= 4; ++i) {
    Joint j =
        test::joint("joint" + std::to_string(i), Revolute{i % 2 == 1 ? Vec3::UnitY() : Vec3::UnitZ()},
                    "link" + std::to_string(i - 1), "link" + std::to_string(i), Transform::translate(Vec3(0, 0, 0.3)));
    j.limits.lower = {-2.5};
    j.limits.upper = {2.5};
    l.joints.push_back(j);
    Link link{j.child, {}};
    Visual visual;
    visual.geometry = "hook";
    visual.collision = true;
    link.visuals.push_back(visual);
    l.links.push_back(link);
  }
  return l;
}

}  // namespace

TEST_CASE("triangles: apart, no two points are nearer; across each other, the distance is negative") {
  Rng rng(1);
  int crossing = 0, apart = 0;
  for (int i = 0; i < 400; ++i) {
    const Triangle p = random_triangle(rng, 1.5), q = random_triangle(rng, 1.5);
    const Nearest n = distance(p, q);
    CHECK(distance(q, p).distance == doctest::Approx(n.distance).epsilon(1e-9));
    CHECK(plane_gap(p, q) <= std::max(n.distance, 0.0) + 1e-12);
    double least = 1e300;
    for (int k = 0; k < 300; ++k) least = std::min(least, (point_of(p, rng) - point_of(q, rng)).norm());
    if (n.distance > 0.0) {
      ++apart;
      CHECK(n.distance <= least + 1e-12);
      CHECK((n.on_a - n.on_b).norm() == doctest::Approx(n.distance));
      CHECK((nearest_point(p, n.on_a) - n.on_a).norm() < 1e-9);
      CHECK((nearest_point(q, n.on_b) - n.on_b).norm() < 1e-9);
      CHECK(n.normal.dot(n.on_a - n.on_b) == doctest::Approx(n.distance));
    } else {
      ++crossing;
      CHECK((nearest_point(p, n.on_a) - n.on_a).norm() < 1e-9);
      CHECK((nearest_point(q, n.on_a) - n.on_a).norm() < 1e-9);
    }
  }
  CHECK(crossing > 20);
  CHECK(apart > 100);
}

TEST_CASE("surfaces: the distance of two is that of their nearest triangles, wherever they stand") {
  const std::vector<Triangle> mesh = hook();
  const MeshSurface a(mesh, 0.0, true), b(mesh, 0.0, true);
  Rng rng(2);
  int near = 0, crossing = 0;
  for (int i = 0; i < 60; ++i) {
    Transform X = test::random_transform(rng);
    X.position *= 0.3;
    double least = 1e300;
    for (const Triangle& p : mesh) {
      for (const Triangle& q : mesh) least = std::min(least, distance(p, {X * q.a, X * q.b, X * q.c}).distance);
    }
    CHECK(a.nearest(b, X, 10.0, false).distance == doctest::Approx(least));
    const Nearest some = a.nearest(b, X, 0.05, true);
    CHECK((some.distance < 0.05) == (least < 0.05));
    near += least < 0.05 ? 1 : 0;
    crossing += least < 0.0 ? 1 : 0;
  }
  CHECK(crossing > 5);
  CHECK(near < 60);
}

TEST_CASE("surfaces: a prism holds its cylinder, and what lies inside is inside") {
  const Cylinder rod{0.2, 0.6};
  const Transform X = Transform::translate(Vec3(0.1, 0.2, 0.3));
  const MeshSurface prism(surface_around(rod, X), 0.0, true), open(surface_around(rod, X), 0.0, false);
  Rng rng(3);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 p(rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3), rng.uniform(-0.4, 0.4));
    const double around = std::hypot(p[0], p[1]);
    const bool in = around <= 0.2 && std::abs(p[2]) <= 0.3, out = around > 0.2 * 1.0022 || std::abs(p[2]) > 0.3;
    if (in) CHECK(prism.holds(X * p));
    if (out) CHECK_FALSE(prism.holds(X * p));
    CHECK_FALSE(open.holds(X * p));
  }
  CHECK(prism.farthest(Vec3::UnitZ())[2] == doctest::Approx(0.6));
}

TEST_CASE("exact: what the bodies find apart is apart, and shapes decide about the rest, without allocating") {
  const test::Meshes meshes{{"hook", hook()}};
  const Model model = *compile(hooks());
  BodyOptions options = test::with_meshes(meshes);
  options.most_per_link = 1;
  const Bodies bodies = *compile_bodies(model, options);
  std::vector<std::string> notes;
  const std::vector<Obstacle> shapes = link_shapes(model, options, notes);
  CHECK(notes.empty());
  REQUIRE(shapes.size() == 4);
  for (const Obstacle& shape : shapes) CHECK(is_link_shape(shape));
  Clearance clearance;
  REQUIRE(clearance.prepare(model, bodies, {}).ok());
  ExactShapes exact;
  REQUIRE(exact.prepare(model, bodies, shapes));

  const FalseAlarms alarms = exact.count_false_alarms(bodies, clearance, 500);
  CHECK(alarms.missed == 0.0);  // the bodies hold the shapes
  CHECK(alarms.shapes > 0.02);
  CHECK(alarms.bodies > alarms.shapes + 0.02);

  Rng rng(5);
  std::vector<NearPair> near;
  clearance.nearest(neutral_pose(model).data(), 10.0, near);
  const MeshSurface surface(hook(), 0.0, true);
  for (int i = 0; i < 100; ++i) {
    const VecX q = random_pose(model, rng);
    const test::AllocationCounter counter;
    clearance.nearest(q.data(), 1.0, near);
    exact.place(q.data());
    double sum = 0.0;
    for (const NearPair& pair : near) sum += exact.nearest(pair, 1.0, false).distance;
    CHECK(counter.count() == 0);
    CHECK(std::isfinite(sum));
    const State state = forward(model, q);
    for (const NearPair& pair : near) {
      const auto frame = [&](int link) { return state.X_WL[static_cast<std::size_t>(link)]; };
      const Nearest truth = surface.nearest(surface, frame(pair.link_a).inverse() * frame(pair.link_b), 1.0, false);
      const Nearest found = exact.nearest(pair, 1.0, false);
      if (truth.distance > 0.0) CHECK(found.distance <= truth.distance + 1e-9);
      if (truth.distance < 0.0) CHECK(found.distance < 0.0);
      CHECK(found.distance >= std::min(pair.nearest.distance, 0.0) - 1.0);
      // The fits hold the meshes: where they are apart, the meshes are at least as far apart.
      if (pair.nearest.distance > 0.0) CHECK(found.distance >= pair.nearest.distance - 1e-6);
    }
  }
}

TEST_CASE("exact: cylinders, planes, ground and clouds by their own shape; links without shapes by their bodies") {
  // One slide along x with a flat disc, whose cover is larger than it.
  Linkage l;
  l.name = "slide";
  l.links = {{"base", {}}, {"disc", {}}};
  l.geometries.push_back({"disc", Cylinder{0.2, 0.1}});
  Visual visual;
  visual.geometry = "disc";
  l.links[1].visuals.push_back(visual);
  Joint slide = test::joint("slide", Prismatic{Vec3::UnitZ()}, "base", "disc", {});
  slide.limits.lower = {-1.0};
  slide.limits.upper = {1.0};
  l.joints.push_back(slide);
  const Model model = *compile(l);
  const Bodies bodies = *compile_bodies(model);
  std::vector<std::string> notes;
  std::vector<Obstacle> all = link_shapes(model, {}, notes);
  std::vector<Obstacle> things;
  things.push_back({"floor", Plane{}, Transform::translate(Vec3(0, 0, -0.5)), ""});
  things.push_back({"hill", HeightField{2, 2, Vec2(2, 2), {0, 0, 0, 0}}, Transform::translate(Vec3(0, 0, -0.45)), ""});
  auto cloud = std::make_shared<PointCloud>();
  cloud->points = {Vec3(0, 0, 0.5)};
  cloud->radius = 0.02;
  things.push_back({"point", std::shared_ptr<const PointCloud>(cloud), {}, ""});
  things.push_back({"lid", Cylinder{0.3, 0.1}, Transform::translate(Vec3(0.45, 0, 0.0)), ""});
  all.insert(all.end(), things.begin(), things.end());
  Clearance clearance;
  REQUIRE(clearance.prepare(model, bodies, things).ok());
  ExactShapes exact;
  REQUIRE(exact.prepare(model, bodies, all));
  std::vector<NearPair> near;
  const auto distance_to = [&](const char* name, double height) {
    VecX q(1);
    q << height;
    clearance.nearest(q.data(), 2.0, near);
    exact.place(q.data());
    for (const NearPair& pair : near) {
      if (clearance.obstacle_name(pair.obstacle) == name) return exact.nearest(pair, 2.0, false).distance;
    }
    return 2.0;
  };
  CHECK(distance_to("floor", 0.0) == doctest::Approx(0.45));
  CHECK(distance_to("floor", -0.5) == doctest::Approx(-0.05));
  CHECK(distance_to("hill", 0.0) == doctest::Approx(0.4));
  CHECK(distance_to("hill", -0.8) < -0.1);
  CHECK(distance_to("point", 0.0) == doctest::Approx(0.43));
  CHECK(distance_to("lid", 0.3) == doctest::Approx(0.2));
  CHECK(distance_to("lid", 0.0) < 0.0);  // 0.45 between axes, radii 0.2 and 0.3
  exact.prepare(model, bodies, things);
  CHECK_FALSE(exact.ready());
}
