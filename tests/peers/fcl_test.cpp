// FCL (Debian: libfcl-dev) as the oracle of bodies, shapes and free answers: it knows nothing of our distances, trees
// and fits. Its yes or no about meshes and shapes is exact; its distances of boxes come from an iteration.
#include <doctest/doctest.h>

#include <cstdio>

#ifndef ARMATURE_HAS_FCL

TEST_CASE("fcl: the oracle of bodies") { std::printf("SKIPPED: needs FCL (libfcl-dev)\n"); }

#else

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/body_pairs.hpp"
#include "armature/kinematics/body_sources.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/exact_shapes.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/methods/reach.hpp"
#include "support/data.hpp"
#include "support/linkages.hpp"
#include "support/meshed.hpp"

using namespace armature;

namespace {

using Geometry3 = std::shared_ptr<fcl::CollisionGeometryd>;

struct Thing {
  int link = -1;
  Geometry3 geometry;
  Transform origin;
};

fcl::Transform3d pose_of(const Transform& X) {
  fcl::Transform3d out = fcl::Transform3d::Identity();
  out.linear() = X.rotation;
  out.translation() = X.position;
  return out;
}

Geometry3 mesh_of(const std::vector<Triangle>& triangles) {
  auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd> >();
  std::vector<fcl::Vector3d> points;
  std::vector<fcl::Triangle> faces;
  for (const Triangle& t : triangles) {
    const std::size_t first = points.size();
    points.insert(points.end(), {t.a, t.b, t.c});
    faces.emplace_back(first, first + 1, first + 2);
  }
  model->beginModel();
  model->addSubModel(points, faces);
  model->endModel();
  return model;
}

Thing thing_of(const Model& model, const Obstacle& obstacle) {
  Thing out;
  out.origin = obstacle.origin;
  if (!obstacle.link.empty()) out.link = model.link(obstacle.link);
  if (const auto* box = std::get_if<Box>(&obstacle.shape)) {
    out.geometry = std::make_shared<fcl::Boxd>(box->size[0], box->size[1], box->size[2]);
  } else if (const auto* ball = std::get_if<Sphere>(&obstacle.shape)) {
    out.geometry = std::make_shared<fcl::Sphered>(ball->radius);
  } else if (const auto* rod = std::get_if<Cylinder>(&obstacle.shape)) {
    out.geometry = std::make_shared<fcl::Cylinderd>(rod->radius, rod->length);
  } else if (const auto* capsule = std::get_if<Capsule>(&obstacle.shape)) {
    out.geometry = std::make_shared<fcl::Capsuled>(capsule->radius, capsule->length);
  } else if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh> >(&obstacle.shape)) {
    out.geometry = mesh_of((*mesh)->triangles);
  }
  return out;
}

bool collide(const Thing& a, const Transform& X_a, const Thing& b, const Transform& X_b) {
  const fcl::CollisionRequestd request;
  fcl::CollisionResultd result;
  fcl::collide(a.geometry.get(), pose_of(X_a * a.origin), b.geometry.get(), pose_of(X_b * b.origin), request, result);
  return result.isCollision();
}

// The real shapes of a model, and which pairs of links are asked about.
struct Robot {
  std::string name;
  Model model;
  Bodies bodies;
  std::vector<Obstacle> shapes;
  std::vector<Thing> things;
  std::vector<char> asked;  // per pair of links

  Robot(std::string name_, const Linkage& linkage, const BodyOptions& options) : name(std::move(name_)) {
    model = compile(linkage).value();
    bodies = compile_bodies(model, options).value();
    std::vector<std::string> notes;
    shapes = link_shapes(model, options, notes);
    for (const Obstacle& shape : shapes) things.push_back(thing_of(model, shape));
    const auto n = static_cast<std::size_t>(model.link_count());
    asked.assign(n * n, 0);
    for (const LinkPair& pair : bodies.links) {
      const bool yes = pair.reason == PairReason::checked || pair.reason == PairReason::never;
      asked[static_cast<std::size_t>(pair.a) * n + static_cast<std::size_t>(pair.b)] = yes ? 1 : 0;
    }
  }

  bool asks(int a, int b) const {
    return asked[static_cast<std::size_t>(std::min(a, b) * model.link_count() + std::max(a, b))] != 0;
  }
  /// Whether something touches by FCL.
  bool touches(const VecX& q, const std::vector<Thing>& world) const {
    const State state = forward(model, q);
    const std::vector<char> moves = moving_links(model);
    const auto frame = [&](int link) { return link < 0 ? Transform{} : state.X_WL[static_cast<std::size_t>(link)]; };
    for (std::size_t i = 0; i < things.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (!asks(things[i].link, things[k].link)) continue;
        if (collide(things[i], frame(things[i].link), things[k], frame(things[k].link))) return true;
      }
      if (moves[static_cast<std::size_t>(things[i].link)] == 0) continue;
      for (const Thing& other : world) {
        if (collide(things[i], frame(things[i].link), other, {})) return true;
      }
    }
    return false;
  }
};

Linkage builtin(const char* name) {
  for (const BuiltinModel& entry : builtin_models()) {
    if (entry.name == std::string_view(name)) return read_document(entry.json, {}).value().linkage;
  }
  return {};
}

std::vector<Obstacle> shelf() {
  const auto board = [](const char* name, Vec3 size, Vec3 at) {
    return Obstacle{name, Box{size}, Transform::translate(at), ""};
  };
  return {board("table", {0.6, 1.2, 0.04}, {0.6, 0, -0.1}),  board("low", {0.3, 0.8, 0.02}, {0.62, 0, 0.2}),
          board("middle", {0.3, 0.8, 0.02}, {0.62, 0, 0.5}), board("top", {0.3, 0.8, 0.02}, {0.62, 0, 0.8}),
          board("left", {0.3, 0.02, 0.7}, {0.62, 0.4, 0.5}), board("right", {0.3, 0.02, 0.7}, {0.62, -0.4, 0.5}),
          board("back", {0.02, 0.8, 0.7}, {0.77, 0, 0.5})};
}

// Goals from random poses; every answer that is called free must be free by FCL. Returns how many were found.
int ask(const Robot& robot, const char* tip, const std::vector<Obstacle>& obstacles, bool exact, int goals,
        int& touching) {
  std::vector<Thing> world;
  for (const Obstacle& obstacle : obstacles) world.push_back(thing_of(robot.model, obstacle));
  Problem problem;
  problem.model = robot.model;
  problem.bodies = std::make_shared<const Bodies>(robot.bodies);
  problem.obstacles = obstacles;
  if (exact) problem.obstacles.insert(problem.obstacles.end(), robot.shapes.begin(), robot.shapes.end());
  problem.collision = Collision::search;
  Reach reach;
  Rng rng(21);
  int found = 0;
  // Joints that do not move the effector (fingers) stay where the search has them: an answer must exist.
  const VecX start = start_pose(robot.model);
  const auto draw = [&] {
    VecX q = random_pose(robot.model, rng);
    const int link = robot.model.link(tip);
    for (int c = 0; c < q.size(); ++c) {
      int above = link;
      while (above >= 0 && above != robot.model.coordinate_joint(c)) above = robot.model.parent(above);
      if (above < 0) q[c] = start[c];
    }
    return q;
  };
  for (int i = 0; i < goals; ++i) {
    VecX q = draw();
    while (robot.touches(q, world)) q = draw();
    PoseGoal goal;
    goal.link = tip;
    goal.target = forward(robot.model, q).X_WL[static_cast<std::size_t>(robot.model.link(tip))];
    problem.goals = {goal};
    const Report& report = reach.solve(problem, start);
    if (!report.ok()) continue;
    ++found;
    if (robot.touches(report.q, world)) ++touching;
  }
  return found;
}

}  // namespace

TEST_CASE("fcl: distances of spheres, capsules and boxes are those of FCL") {
  Rng rng(1);
  double worst = 0.0;
  int apart = 0, overlapping = 0;
  const auto shape = [&](int kind) -> Shape {
    if (kind == 0) return Sphere{rng.uniform(0.05, 0.3)};
    if (kind == 1) return Capsule{rng.uniform(0.05, 0.2), rng.uniform(0.1, 0.6)};
    return Box{Vec3(rng.uniform(0.1, 0.5), rng.uniform(0.1, 0.5), rng.uniform(0.1, 0.5))};
  };
  const auto geometry = [](const Shape& s) -> Geometry3 {
    if (const auto* ball = std::get_if<Sphere>(&s)) return std::make_shared<fcl::Sphered>(ball->radius);
    if (const auto* c = std::get_if<Capsule>(&s)) return std::make_shared<fcl::Capsuled>(c->radius, c->length);
    const Vec3& size = std::get<Box>(s).size;
    return std::make_shared<fcl::Boxd>(size[0], size[1], size[2]);
  };
  for (int i = 0; i < 3000; ++i) {
    const Shape a = shape(i % 3), b = shape(i / 3 % 3);
    Transform X_a = test::random_transform(rng), X_b = test::random_transform(rng);
    X_a.position *= 0.4;
    X_b.position *= 0.4;
    const double own = distance_between(make_solid(a, {}, 0), X_a, make_solid(b, {}, 0), X_b).distance;
    const Thing first{0, geometry(a), {}}, second{0, geometry(b), {}};
    if (std::abs(own) > 1e-5) CHECK(collide(first, X_a, second, X_b) == (own < 0.0));
    if (own < 1e-5) {
      ++overlapping;
      continue;
    }
    ++apart;
    fcl::DistanceRequestd request;
    request.distance_tolerance = 1e-10;
    fcl::DistanceResultd result;
    fcl::distance(first.geometry.get(), pose_of(X_a), second.geometry.get(), pose_of(X_b), request, result);
    worst = std::max(worst, std::abs(result.min_distance - own));
    CHECK(std::abs(result.min_distance - own) < 1e-6);
  }
  CHECK(apart > 500);
  CHECK(overlapping > 500);
  std::printf("fcl: %d distances, the worst %.1e off\n", apart, worst);
}

TEST_CASE("fcl: bodies hold their meshes, and shapes touch where FCL's do") {
  for (const char* name : {"panda", "ur5", "puma560"}) {
    CAPTURE(name);
    test::Meshes meshes;
    const Linkage linkage = test::meshed(builtin(name), meshes);
    const Robot robot(name, linkage, test::with_meshes(meshes));
    ExactShapes exact;
    REQUIRE(exact.prepare(robot.model, robot.bodies, robot.shapes));
    Clearance clearance;
    REQUIRE(clearance.prepare(robot.model, robot.bodies, {}).ok());
    Rng rng(3);
    std::vector<NearPair> near;
    int touching = 0, refused = 0, disagree = 0;
    for (int i = 0; i < 300; ++i) {
      const VecX q = random_pose(robot.model, rng);
      const bool fcl = robot.touches(q, {});
      clearance.nearest(q.data(), 0.0, near);
      exact.place(q.data());
      bool own = false;
      for (const NearPair& pair : near) own = own || exact.nearest(pair, 0.0, true).distance < 0.0;
      if (fcl) CHECK_FALSE(near.empty());  // a contact that the bodies miss
      disagree += fcl != own ? 1 : 0;
      touching += fcl ? 1 : 0;
      refused += near.empty() ? 0 : 1;
    }
    CHECK(disagree == 0);
    CHECK(touching > 0);
    CHECK(refused >= touching);
    std::printf("fcl: %s, 300 poses: %d touch by FCL, %d by bodies\n", name, touching, refused);
  }
}

TEST_CASE("fcl: no answer that is called free touches") {
  const int goals = std::getenv("ARMATURE_FULL") != nullptr ? 5000 : 100;  // of each line; 40,000 in all
  for (const char* name : {"panda", "ur5"}) {
    CAPTURE(name);
    test::Meshes meshes;
    const Linkage linkage = test::meshed(builtin(name), meshes);
    const Robot robot(name, linkage, test::with_meshes(meshes));
    const char* tip = name == std::string_view("panda") ? "panda_hand" : "tool0";
    for (const bool exact : {false, true}) {
      for (const bool world : {false, true}) {
        int touching = 0;
        const int found = ask(robot, tip, world ? shelf() : std::vector<Obstacle>{}, exact, goals, touching);
        CHECK(touching == 0);
        CHECK(found * 100 >= (exact ? 100 : 60) * goals);
        std::printf("fcl: %s%s%s: %d of %d found, %d touch\n", name, world ? ", shelf" : "", exact ? ", exact" : "",
                    found, goals, touching);
        std::fflush(stdout);
      }
    }
  }
}

TEST_CASE("fcl: no contact of real robots is missed") {
  for (const char* name : {"anymal_c", "unitree_go1", "allegro_right", "kinova_jaco2_j2n6s300"}) {
    const auto file = test::shared_data(std::string("urdf/") + name + ".urdf");
    if (!file) continue;
    CAPTURE(name);
    const Result<Document> document = read_document(test::read_file(*file), {});
    REQUIRE_MESSAGE(document.ok(), document.message());
    const Robot robot(name, document->linkage, {});
    Clearance clearance;
    REQUIRE(clearance.prepare(robot.model, robot.bodies, {}).ok());
    Rng rng(4);
    int touching = 0, refused = 0;
    for (int i = 0; i < 200; ++i) {
      const VecX q = random_pose(robot.model, rng);
      const bool fcl = robot.touches(q, {}), free = clearance.is_free(q.data(), 0.0);
      if (fcl) CHECK_FALSE(free);
      touching += fcl ? 1 : 0;
      refused += free ? 0 : 1;
    }
    std::printf("fcl: %s, 200 poses: %d touch by FCL, %d by bodies\n", name, touching, refused);
  }
}

#endif
