#include "armature/model/cut.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"

using namespace armature;

namespace {

Closure graph_joint(const char* name, const JointType& type, const char* a, const Transform& at_a, const char* b,
                    const Transform& at_b = {}) {
  Closure closure;
  closure.name = name;
  closure.type = type;
  closure.a = {a, at_a};
  closure.b = {b, at_b};
  return closure;
}

}  // namespace

TEST_CASE("cut: a joint passed from child to parent is turned round and keeps its coordinate") {
  // Given from b to a, but a is the root: b must hang on a.
  const Transform X_BJ{Vec3(0, 0, -1), Mat3::Identity()}, X_AJ{Vec3(0.5, 0, 0), Mat3::Identity()};
  for (const JointType& type : {JointType(Revolute{Vec3::UnitY()}), JointType(Prismatic{Vec3::UnitY()}),
                                JointType(Helical{Vec3::UnitY(), 0.3}), JointType(Universal{})}) {
    Linkage linkage;
    linkage.links = {{"a", {}}, {"b", {}}};
    linkage.closures = {graph_joint("j", type, "b", X_BJ, "a", X_AJ)};
    REQUIRE(cut(linkage, "a").ok());
    CHECK(linkage.closures.empty());
    const Result<Model> model = compile(linkage);
    REQUIRE_MESSAGE(model.ok(), model.message());
    VecX q(model->q_size());
    for (int i = 0; i < q.size(); ++i) q[i] = 0.4 - 0.7 * i;
    State state;
    forward(*model, q, state);
    VecX own = q;
    if (q.size() == 2) std::swap(own[0], own[1]);  // a universal joint's axes change places
    const Transform X_BA = X_BJ * joint_transform(type, own.data()) * X_AJ.inverse();
    const Transform found = state.X_WL[static_cast<std::size_t>(*model->lookup_link("b"))];
    CHECK((found.matrix() - X_BA.inverse().matrix()).cwiseAbs().maxCoeff() < 1e-14);
  }
}

TEST_CASE("cut: what is named or limited stays in the tree, and of the rest the freest is cut") {
  const auto triangle = [] {
    Linkage linkage;
    linkage.links = {{"a", {}}, {"b", {}}, {"c", {}}};
    linkage.closures = {graph_joint("ab", Spherical{}, "a", {}, "b"), graph_joint("bc", Revolute{}, "b", {}, "c"),
                        graph_joint("ca", Revolute{}, "c", {}, "a")};
    return linkage;
  };
  Linkage linkage = triangle();
  REQUIRE(cut(linkage, "a").ok());
  REQUIRE(linkage.closures.size() == 1);
  CHECK(linkage.closures[0].name == "ab");
  linkage = triangle();
  REQUIRE(cut(linkage, "a", {"ab"}).ok());
  CHECK(linkage.closures.at(0).name == "ca");  // of equals the last
  linkage = triangle();
  linkage.closures[2].limits.lower = {-1.0};
  linkage.closures[2].limits.upper = {1.0};
  REQUIRE(cut(linkage, "a", {"ab"}).ok());
  CHECK(linkage.closures.at(0).name == "bc");
}

TEST_CASE("cut: links that nothing joins, roots that do not exist, and joints that cannot be turned are said") {
  Linkage linkage;
  linkage.links = {{"a", {}}, {"b", {}}};
  CHECK(cut(linkage, "a").message().find("'b' is joined to nothing") != std::string::npos);
  CHECK(cut(linkage, "x").message().find("'x'") != std::string::npos);
  linkage.closures = {graph_joint("j", Planar{}, "b", {}, "a")};
  CHECK(cut(linkage, "a").message().find("turned round") != std::string::npos);
  CHECK(linkage.closures.size() == 1);
}
