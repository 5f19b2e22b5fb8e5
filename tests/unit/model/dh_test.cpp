// Denavit-Hartenberg tables: both conventions to linkages, chains back to tables, proved by forward kinematics.
#include "armature/model/dh.hpp"

#include <doctest/doctest.h>

#include "armature/base/rng.hpp"
#include "armature/model/compile.hpp"

using namespace armature;

namespace {

DhTable random_table(Rng& rng, DhConvention convention, int n) {
  DhTable table;
  table.name = "random";
  table.convention = convention;
  const auto pick = [&](double special) { return rng.below(3) == 0 ? special : rng.uniform(-1.5, 1.5); };
  for (int i = 0; i < n; ++i) {
    DhRow row;
    row.joint = "j" + std::to_string(i);
    row.prismatic = rng.below(4) == 0;
    row.a = pick(0.0);
    row.alpha = pick(rng.below(2) == 0 ? 0.0 : kPi / 2);
    row.d = pick(0.0);
    row.theta = pick(0.0);
    row.flip = rng.below(4) == 0;
    table.rows.push_back(row);
  }
  table.base = {Vec3(0.1, -0.2, 0.3), Transform::rotate(Vec3(1, 2, 3).normalized(), 0.7).rotation};
  table.tool = {Vec3(0.0, 0.05, 0.1), Transform::rotate(Vec3(3, -2, 1).normalized(), -0.4).rotation};
  return table;
}

Transform chain_pose(const Linkage& linkage, const double* q) {
  Transform x;
  for (const Joint& joint : linkage.joints) {
    x = x * joint.origin * joint_transform(joint.type, q);
    q += coordinate_count(joint.type);
  }
  return x;
}

double distance(const Transform& a, const Transform& b) { return (a.matrix() - b.matrix()).cwiseAbs().maxCoeff(); }

}  // namespace

TEST_CASE("a table, its linkage, the table of that linkage, and the other convention give the same poses") {
  Rng rng(5);
  double worst = 0.0;
  for (int n = 1; n <= 60; ++n) {
    for (const DhConvention convention : {DhConvention::standard, DhConvention::modified}) {
      const DhTable table = random_table(rng, convention, 1 + n % 8);
      const Result<Linkage> linkage = dh_to_linkage(table);
      REQUIRE_MESSAGE(linkage.ok(), linkage.message());
      REQUIRE(compile(*linkage).ok());
      const DhTable other =
          dh_convert(table, convention == DhConvention::standard ? DhConvention::modified : DhConvention::standard);
      for (const DhConvention wanted : {DhConvention::standard, DhConvention::modified}) {
        const Result<DhTable> back = linkage_to_dh(*linkage, "base", "tip", wanted);
        REQUIRE_MESSAGE(back.ok(), back.message());
        CHECK(back->convention == wanted);
        std::vector<double> q(table.rows.size());
        for (int k = 0; k < 4; ++k) {
          for (double& v : q) v = rng.uniform(-3.0, 3.0);
          const Transform expected = dh_forward(table, q.data());
          worst = std::max({worst, distance(expected, chain_pose(*linkage, q.data())),
                            distance(expected, dh_forward(*back, q.data())),
                            distance(expected, dh_forward(other, q.data()))});
        }
      }
    }
  }
  CHECK(worst < 1e-11);
}

TEST_CASE("a table comes back with the numbers it was made of") {
  DhTable table;  // Puma 560, standard
  const double a[] = {0, 0.4318, 0.0203, 0, 0, 0};
  const double alpha[] = {kPi / 2, 0, -kPi / 2, kPi / 2, -kPi / 2, 0};
  const double d[] = {0.67183, 0, 0.15005, 0.4318, 0, 0};
  for (int i = 0; i < 6; ++i)
    table.rows.push_back({"joint" + std::to_string(i + 1), false, a[i], alpha[i], d[i], 0, false, {}});
  for (const DhConvention convention : {DhConvention::standard, DhConvention::modified}) {
    const DhTable want = dh_convert(table, convention);
    const Result<DhTable> got = linkage_to_dh(*dh_to_linkage(want), "base", "tip", convention);
    REQUIRE_MESSAGE(got.ok(), got.message());
    for (std::size_t i = 0; i < 6; ++i) {
      CHECK(got->rows[i].a == doctest::Approx(want.rows[i].a).epsilon(1e-14));
      CHECK(got->rows[i].alpha == doctest::Approx(want.rows[i].alpha).epsilon(1e-14));
      CHECK(std::abs(got->rows[i].theta) < 1e-14);
      // Along parallel axes, and between base and first axis, d is free: a modified table may come back with another.
      if (convention == DhConvention::standard) {
        CHECK(got->rows[i].d == doctest::Approx(want.rows[i].d).epsilon(1e-14));
      }
    }
  }
}

TEST_CASE("the table of a UR5 has the published numbers, whatever frames its description has") {
  // As in URDF files: frames at the joints, offsets of shoulder and elbow one after the other.
  Linkage linkage;
  linkage.links = {{"base_link", {}}};
  const auto add = [&](const char* name, Vec3 axis, Vec3 place, double pitch) {
    Joint joint;
    joint.name = joint.child = name;
    joint.parent = linkage.links.back().name;
    joint.type = Revolute{axis};
    joint.origin = Transform::rotate(Vec3::UnitY(), pitch);
    joint.origin.position = place;
    linkage.links.push_back({name, {}});
    linkage.joints.push_back(joint);
  };
  add("shoulder_pan", Vec3::UnitZ(), {0, 0, 0.089159}, 0);
  add("shoulder_lift", Vec3::UnitY(), {0, 0.13585, 0}, kPi / 2);
  add("elbow", Vec3::UnitY(), {0, -0.1197, 0.425}, 0);
  add("wrist_1", Vec3::UnitY(), {0, 0, 0.39225}, kPi / 2);
  add("wrist_2", Vec3::UnitZ(), {0, 0.093, 0}, 0);
  add("wrist_3", Vec3::UnitY(), {0, 0, 0.09465}, 0);
  Joint flange;
  flange.name = flange.child = "tool";
  flange.parent = "wrist_3";
  flange.origin = Transform::rotate(Vec3::UnitX(), -kPi / 2);
  flange.origin.position = {0, 0.0823, 0};
  linkage.links.push_back({"tool", {}});
  linkage.joints.push_back(flange);

  const Result<DhTable> table = linkage_to_dh(linkage, "base_link", "tool", DhConvention::standard);
  REQUIRE_MESSAGE(table.ok(), table.message());
  const double a[] = {0, 0.425, 0.39225, 0, 0, 0};
  const double d[] = {0.089159, 0, 0, 0.10915, 0.09465, 0.0823};
  const double alpha[] = {kPi / 2, 0, 0, kPi / 2, kPi / 2, 0};
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(std::abs(table->rows[i].a) == a[i]);  // the sign goes with the zero of the angle
    CHECK(std::abs(table->rows[i].d) == d[i]);
    CHECK(std::abs(table->rows[i].alpha) == alpha[i]);
  }
  CHECK(table->base.position == Vec3::Zero());
}

TEST_CASE("what has no table says why") {
  Rng rng(1);
  Linkage linkage = *dh_to_linkage(random_table(rng, DhConvention::standard, 3));
  CHECK(linkage_to_dh(linkage, "base", "nobody", DhConvention::standard).message().find("nobody") != std::string::npos);
  CHECK(linkage_to_dh(linkage, "tip", "tip", DhConvention::standard).message().find("No joint moves") !=
        std::string::npos);
  CHECK(linkage_to_dh(linkage, "tip", "base", DhConvention::standard).ok());  // up the tree
  linkage.joints[1].type = Spherical{};
  CHECK(linkage_to_dh(linkage, "base", "tip", DhConvention::standard).message().find("Converting to URDF") !=
        std::string::npos);
  linkage.joints[1].type = Revolute{};
  linkage.joints[1].mimic = Mimic{"j0", 1.0, 0.0};
  CHECK(linkage_to_dh(linkage, "base", "tip", DhConvention::standard).message().find("mimics") != std::string::npos);
  CHECK(!dh_to_linkage(DhTable{}).ok());
}
