// Formulas against numbers: what symbolic_jacobian() says, evaluated, is what jacobian() computes.
#include "armature/kinematics/symbolic.hpp"

#include <doctest/doctest.h>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

void compare(const Model& model, int link, const Vec3& point, Rng& rng) {
  const Result<SymbolicJacobian> made = symbolic_jacobian(model, link, point);
  REQUIRE_MESSAGE(made.ok(), made.message());
  const SymbolicJacobian& s = *made;
  State state;
  for (int trial = 0; trial < 5; ++trial) {
    const VecX q = random_pose(model, rng);
    forward(model, q, state);
    const Vec3 place = convert_point(state, link, kWorld, point);
    const double scale = model.size() + point.norm();
    for (int r = 0; r < 3; ++r) {
      CHECK(std::abs(evaluate(s, s.position[static_cast<std::size_t>(r)], q) - place[r]) < 1e-10 * scale);
    }
    Jacobian J(6, model.v_size());
    jacobian(model, state, link, point, J);
    Jacobian formulas = Jacobian::Zero(6, model.v_size());
    for (std::size_t k = 0; k < s.columns.size(); ++k) {
      for (int r = 0; r < 6; ++r) {
        formulas(r, s.velocities[k]) = evaluate(s, s.columns[k][static_cast<std::size_t>(r)], q);
      }
    }
    CHECK((J - formulas).cwiseAbs().maxCoeff() < 1e-10 * std::max(1.0, scale));
  }
}

}  // namespace

TEST_CASE("Formulas of chains of every joint without a quaternion give the numeric Jacobian") {
  Rng rng(5);
  std::vector<JointType> types;
  for (const JointType& type : test::every_joint_type()) {
    if (coordinate_count(type) == velocity_count(type)) types.push_back(type);
  }
  REQUIRE(types.size() >= 9);
  for (std::size_t first = 0; first < types.size(); ++first) {
    const std::vector<JointType> three = {types[first], types[(first + 4) % types.size()],
                                          types[(first + 7) % types.size()]};
    const Model model = *compile(test::random_chain(three, 11 + first));
    CAPTURE(type_name(types[first]));
    compare(model, model.link_count() - 1, Vec3(0.1, -0.2, 0.3), rng);
  }
}

TEST_CASE("Formulas of the built-in arms give the numeric Jacobian") {
  Rng rng(7);
  int chains = 0;
  for (const BuiltinModel& builtin : builtin_models()) {
    const Model model = *compile(read_document(builtin.json, {})->linkage);
    for (const int link : model.effectors()) {
      if (!symbolic_jacobian(model, link, Vec3::Zero()).ok()) continue;
      CAPTURE(builtin.name);
      CAPTURE(model.link_name(link));
      compare(model, link, Vec3(0.01, 0.02, -0.03), rng);
      ++chains;
    }
  }
  CHECK(chains >= 9);
}

TEST_CASE("Turns about parallel axes add up, and rounding leaves no terms") {
  const Model arm = *compile(read_document(
                                 [] {
                                   for (const BuiltinModel& b : builtin_models()) {
                                     if (b.name == "planar_arm") return b.json;
                                   }
                                   return std::string_view{};
                                 }(),
                                 {})
                                 ->linkage);
  const SymbolicJacobian s = *symbolic_jacobian(arm, arm.link("tip"), Vec3::Zero());
  const auto text = [&](const Formula& f) { return formula_text(s, f, FormulaStyle::text, 6); };
  CHECK(text(s.position[0]) == "15 c1 + 10 c12 + 5 c123");
  CHECK(text(s.position[1]) == "15 s1 + 10 s12 + 5 s123");
  CHECK(text(s.position[2]) == "0");
  CHECK(text(s.columns[0][0]) == "-15 s1 - 10 s12 - 5 s123");
  CHECK(text(s.columns[2][1]) == "5 c123");
  CHECK(text(s.columns[1][5]) == "1");
  CHECK(formula_text(s, s.columns[2][1], FormulaStyle::latex, 6) == "5\\,c_{123}");
}

TEST_CASE("A ball has no formula, and the sentence says what to do") {
  const Model model = *compile(test::random_chain({Revolute{}, Spherical{}}, 3));
  const Result<SymbolicJacobian> made = symbolic_jacobian(model, model.link_count() - 1, Vec3::Zero());
  REQUIRE(!made.ok());
  CHECK(made.message().find("'joint2' is spherical") != std::string::npos);
  CHECK(made.message().find("expand") != std::string::npos);
}
