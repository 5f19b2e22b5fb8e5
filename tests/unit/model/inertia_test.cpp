#include "armature/model/inertia.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/center_of_mass.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/model/edit.hpp"
#include "armature/model/expand.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

// A tree of hinges whose links are all heavy, each in its own way.
Linkage heavy_tree(std::uint64_t seed) {
  Rng rng(seed);
  Linkage l = test::random_chain({Revolute{}, Prismatic{}, Revolute{Vec3::UnitX()}, Spherical{}, Revolute{}}, seed);
  Joint arm = test::joint("arm", Revolute{Vec3::UnitY()}, "link2", "arm", test::random_transform(rng));
  l.links.push_back({"arm", {}});
  l.joints.push_back(arm);
  for (Link& link : l.links) {
    const Transform X = test::random_transform(rng, 0.3);
    const Inertia body = solid_inertia(Box{Vec3(0.1, 0.2, 0.3) * rng.uniform(0.5, 1.5)}, 1000.0).in(X);
    link.mass = body.mass;
    link.center = body.center;
    link.inertia = body.about_center;
  }
  return l;
}

Inertia total_at_rest(const Linkage& l) {
  const Model model = *compile(l);
  State state;
  forward(model, neutral_pose(model), state);
  return total_inertia(model, state);
}

double off(const Inertia& a, const Inertia& b) {
  return std::abs(a.mass - b.mass) + (a.center - b.center).norm() + (a.about_center - b.about_center).norm();
}

}  // namespace

TEST_CASE("inertia: solids, and many small pieces make the whole") {
  const Shape shapes[] = {Box{Vec3(0.2, 0.3, 0.5)}, Sphere{0.3}, Cylinder{0.2, 0.7}, Capsule{0.2, 0.5}};
  for (const Shape& shape : shapes) {
    const Inertia whole = solid_inertia(shape, 1.0);
    const auto inside = [&](const Vec3& p) {
      if (const auto* b = std::get_if<Box>(&shape)) return (p.cwiseAbs() - 0.5 * b->size).maxCoeff() <= 0.0;
      if (const auto* s = std::get_if<Sphere>(&shape)) return p.norm() <= s->radius;
      if (const auto* c = std::get_if<Cylinder>(&shape)) {
        return p.head<2>().norm() <= c->radius && std::abs(p[2]) <= 0.5 * c->length;
      }
      const auto& c = std::get<Capsule>(shape);
      const double z = std::min(std::max(p[2], -0.5 * c.length), 0.5 * c.length);
      return (p - Vec3(0, 0, z)).norm() <= c.radius;
    };
    Inertia sum;
    const double h = 0.02;
    for (double x = -0.5; x < 0.5; x += h) {
      for (double y = -0.5; y < 0.5; y += h) {
        for (double z = -0.5; z < 0.5; z += h) {
          const Vec3 p(x + 0.5 * h, y + 0.5 * h, z + 0.5 * h);
          if (inside(p)) sum += Inertia{h * h * h, p, Mat3(Mat3::Identity() * (h * h * h * h * h / 6.0))};
        }
      }
    }
    CHECK(sum.mass == doctest::Approx(whole.mass).epsilon(0.03));
    CHECK((sum.about_center - whole.about_center).norm() < 0.05 * whole.about_center.norm());
  }
}

TEST_CASE("inertia: edits carry masses: total mass, center and inertia stay, or are reflected or scaled") {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const Linkage l = heavy_tree(seed);
    const Inertia before = total_at_rest(l);

    Linkage edited = l;
    REQUIRE(lock_joint(edited, "joint1", {0.0}).ok());
    CHECK(off(total_at_rest(edited), before) < 1e-9 * before.mass);

    edited = l;
    REQUIRE(expand_joints(edited).ok());
    CHECK(off(total_at_rest(edited), before) < 1e-9 * before.mass);

    edited = l;
    REQUIRE(reroot(edited, "arm").ok());
    // The new root is the frame that everything is seen from.
    const Model model = *compile(l);
    State state;
    forward(model, neutral_pose(model), state);
    const Transform X_WA = state.X_WL[static_cast<std::size_t>(*model.find_link("arm"))];
    CHECK(off(total_at_rest(edited).in(X_WA), before) < 1e-8 * before.mass);

    edited = l;
    REQUIRE(mirror(edited, 1).ok());
    const Mat3 M = Vec3(1, -1, 1).asDiagonal();
    const Inertia mirrored = total_at_rest(edited);
    CHECK((mirrored.center - M * before.center).norm() < 1e-9);
    CHECK((mirrored.about_center - M * before.about_center * M).norm() < 1e-9 * before.about_center.norm());

    edited = l;
    REQUIRE(scale(edited, 2.0).ok());
    const Inertia scaled = total_at_rest(edited);
    CHECK(scaled.mass == doctest::Approx(before.mass));
    CHECK((scaled.center - 2.0 * before.center).norm() < 1e-9);
    CHECK((scaled.about_center - 4.0 * before.about_center).norm() < 1e-9 * before.about_center.norm());

    edited = l;
    const Transform at = Transform::translate(Vec3(0, 0, 1));
    REQUIRE(graft(edited, "link0", l, "b_", at).ok());
    CHECK(off(total_at_rest(edited), before + before.in(at)) < 1e-8 * before.mass);

    const Result<Linkage> chain = extract_chain(l, "link0", "tip");
    REQUIRE(chain.ok());
    Inertia without = total_at_rest(*chain);
    const Inertia arm = inertia_of(*l.find_link("arm")).in(X_WA);
    CHECK(off(without + arm, before) < 1e-8 * before.mass);
  }
}

TEST_CASE("inertia: what no body can have is refused") {
  Linkage l = heavy_tree(3);
  l.links[1].mass = -1.0;
  CHECK_FALSE(compile(l).ok());
  l = heavy_tree(3);
  l.links[1].inertia(0, 1) += 1.0;
  CHECK_FALSE(compile(l).ok());
}

TEST_CASE("inertia: principal moments that no body can have are told, however the body is turned") {
  Rng rng(3);
  const auto moments = [&](double x, double y, double z) {
    const Transform X = test::random_transform(rng);
    return check_moments(Inertia{1.0, Vec3::Zero(), Vec3(x, y, z).asDiagonal()}.in(X), "Link 'a'").ok();
  };
  for (int n = 0; n < 20; ++n) {
    CHECK(moments(1, 1, 1));
    CHECK(moments(1, 1, 2));          // a flat ring
    CHECK(moments(1e-9, 1e-9, 0.0));  // a needle
    CHECK(moments(0, 0, 0));
    CHECK(moments(1, 1, 2.0001));  // rounded
    CHECK_FALSE(moments(1, 1, 2.1));
    CHECK_FALSE(moments(1e-7, 1e-7, 3e-7));
    CHECK_FALSE(moments(1, 5, 1));
    CHECK_FALSE(moments(1, 1, -0.1));
    CHECK_FALSE(moments(-1, -1, -1));
  }
}

TEST_CASE("center of mass: its derivative is that of its place, and one mass is its own") {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    Linkage l = heavy_tree(seed);
    const Model model = *compile(l);
    CenterOfMass center;
    center.prepare(model);
    Rng rng(seed);
    State state;
    CenterJacobian J(3, model.v_size());
    for (int n = 0; n < 5; ++n) {
      const VecX q = random_pose(model, rng);
      forward(model, q, state);
      const Vec3 c = center.compute(state, J);
      CHECK((c - center.compute(state)).norm() < 1e-12 * model.size());
      CHECK((c - total_inertia(model, state).center).norm() < 1e-12 * model.size());
      for (int v = 0; v < model.v_size(); ++v) {
        VecX step = VecX::Zero(model.v_size());
        const double h = 1e-6;
        step[v] = h;
        forward(model, integrate(model, q, step), state);
        const Vec3 ahead = center.compute(state);
        forward(model, integrate(model, q, VecX(-step)), state);
        const Vec3 slope = (ahead - center.compute(state)) / (2.0 * h);
        CHECK((slope - J.col(v)).norm() < 1e-7 * model.size());
      }
    }
  }
}
