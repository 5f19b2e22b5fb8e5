// Closures in a linkage: their mistakes, and what edits do to them.
#include "armature/model/closure.hpp"

#include <doctest/doctest.h>

#include "armature/kinematics/assemble.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/edit.hpp"
#include "support/loops.hpp"

using namespace armature;
using namespace armature::test;

namespace {

std::string first_mistake(const Linkage& l) {
  const std::vector<std::string> all = find_mistakes(l);
  return all.empty() ? "" : all.front();
}
bool says(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

VecX closed(const Model& model, double crank) {
  VecX q;
  REQUIRE(four_bar_pose(4, 1.5, 4.2, 2.6, crank, 1.0, q));
  static_cast<void>(model);
  return q;
}

}  // namespace

TEST_CASE("closures: mistakes are whole sentences that name the closure") {
  Linkage l = four_bar(4, 1.5, 4.2, 2.6);
  CHECK(find_mistakes(l).empty());
  l.closures[0].a.link = "couplr";
  CHECK(says(first_mistake(l), "'coupler'"));
  l = four_bar(4, 1.5, 4.2, 2.6);
  l.closures.push_back(l.closures[0]);
  CHECK(says(first_mistake(l), "Two closures"));
  l.closures[1].name = "other";
  l.closures[1].b = l.closures[1].a;
  CHECK(says(first_mistake(l), "itself"));
  l.closures[1] = pin("rod", "coupler", Vec3::Zero(), "rocker", Vec3::Zero(), Rod{-1.0});
  CHECK(says(first_mistake(l), "positive"));
  l.closures[1].type = Rod{1e300};
  CHECK(says(first_mistake(l), "below 1e100"));
  l.closures[1].type = JointType(Universal{Vec3::UnitZ(), -Vec3::UnitZ()});
  CHECK(says(first_mistake(l), "axes are parallel"));
  l.closures[1] = pin("free", "coupler", Vec3::Zero(), "rocker", Vec3::Zero(), JointType(Free{}));
  CHECK(says(first_mistake(l), "holds nothing"));
  l.closures[1].type = Coupling{"crank", "crnk", {0, 1}};
  CHECK(says(first_mistake(l), "'crank'"));
  l = four_bar(4, 1.5, 4.2, 2.6);
  l.closures[0].type = JointType(Revolute{Vec3::Zero()});
  CHECK(says(first_mistake(l), "Closure 'pin'"));
  l = four_bar(4, 1.5, 4.2, 2.6);
  l.drives = {"crank", "nobody"};
  CHECK(says(first_mistake(l), "drive"));
}

TEST_CASE("closures: renaming, removing, locking and grafting carry them along") {
  Linkage l = four_bar(4, 1.5, 4.2, 2.6);
  REQUIRE(rename_link(l, "coupler", "floater").ok());
  REQUIRE(rename_joint(l, "crank", "motor").ok());
  CHECK(l.closures[0].a.link == "floater");
  CHECK(l.drives == std::vector<std::string>{"motor"});
  CHECK(find_mistakes(l).empty());
  Linkage twice = l;
  REQUIRE(graft(twice, "rocker", l, "second_", Transform::translate(Vec3(0, 0, 1))).ok());
  CHECK(twice.closures.size() == 2);
  CHECK(twice.closures[1].a.link == "second_floater");
  CHECK(twice.drives.size() == 2);
  CHECK(find_mistakes(twice).empty());
  Linkage locked = l;
  REQUIRE(lock_joint(locked, "motor", {0.4}).ok());
  CHECK(locked.drives.empty());
  CHECK(locked.closures.size() == 1);
  CHECK(find_mistakes(locked).empty());
  REQUIRE(remove_link(l, "rocker").ok());
  CHECK(l.closures.empty());
  CHECK(find_mistakes(l).empty());
}

TEST_CASE("closures: a pose that closes the loops closes them after mirror, scale and reroot") {
  const Linkage original = four_bar(4, 1.5, 4.2, 2.6);
  const Model model = compiled(original);
  const VecX q = closed(model, 1.1);
  CHECK(closure_error(model, q) < 1e-14);
  Linkage l = original;
  l.poses = {{"closed", {{"crank", {q[0]}}, {"coupler_pin", {q[1]}}, {"rocker_pin", {q[2]}}}}};
  for (int axis = 0; axis < 3; ++axis) {
    Linkage m = l;
    REQUIRE(mirror(m, axis).ok());
    const Model mirrored = compiled(m);
    CHECK(closure_error(mirrored, mirrored.poses().front().q) < 1e-13);
  }
  Linkage large = l;
  REQUIRE(scale(large, 1000.0).ok());
  CHECK(closure_error(compiled(large), compiled(large).poses().front().q) < 1e-10);
  for (const char* root : {"coupler", "rocker", "crank_bar"}) {
    Linkage other = l;
    REQUIRE(reroot(other, root).ok());
    const Model rerooted = compiled(other);
    CHECK(closure_error(rerooted, rerooted.poses().front().q) < 1e-13);
  }
}

TEST_CASE("closures: frames of the world follow a root that is placed elsewhere") {
  Linkage l = planar_arm({1.0, 1.0});
  l.closures = {pin("held", "", Vec3(1.2, 0.4, 0), "tip", Vec3::Zero())};
  VecX q = VecX::Constant(2, 0.5);
  REQUIRE(assemble(compiled(l), q).ok());
  REQUIRE(reroot(l, "link1").ok());
  CHECK(l.closures[0].a.link == "base");
  CHECK(find_mistakes(l).empty());
}
