#include "armature/model/compile.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "support/linkages.hpp"

using namespace armature;
using test::joint;

namespace {

Linkage two_joints() { return test::planar_arm({2.0, 1.0}); }

// Compiling fails, and the sentence holds all these words.
void refuses(const Linkage& linkage, std::initializer_list<const char*> words) {
  const Result<Model> model = compile(linkage);
  REQUIRE(!model.ok());
  CAPTURE(model.message());
  for (const char* word : words) CHECK(model.message().find(word) != std::string::npos);
  CHECK(model.message().back() != ' ');
  CHECK(find_mistakes(linkage).front() == model.message());
}

}  // namespace

TEST_CASE("the compiled layout keeps its invariant") {
  const Model model = test::compiled(test::everything_tree());
  int q = 0;
  int v = 0;
  for (int i = 0; i < model.link_count(); ++i) {
    const ModelJoint& j = model.joint(i);
    CHECK(j.parent < i);
    CHECK(model.subtree_end(i) > i);
    if (j.parent >= 0) CHECK(model.subtree_end(i) <= model.subtree_end(j.parent));
    for (int k = i + 1; k < model.link_count(); ++k) {  // the range is just the subtree
      int up = k;
      while (up > i) up = model.parent(up);
      CHECK((up == i) == (k < model.subtree_end(i)));
    }
    if (j.mimic) {
      CHECK(j.q_index == model.joint(j.source).q_index);
      continue;
    }
    CHECK(j.q_index == q);
    CHECK(j.v_index == v);
    q += j.q_count;
    v += j.v_count;
  }
  CHECK(q == model.q_size());
  CHECK(v == model.v_size());
  CHECK(model.lower().size() == q);
  CHECK(model.link("left_free") >= 0);
  CHECK_FALSE(model.has_link("nobody"));
}

TEST_CASE("order of description does not matter, links may come last") {
  Linkage l = two_joints();
  std::reverse(l.links.begin(), l.links.end());
  std::reverse(l.joints.begin(), l.joints.end());
  const Model model = test::compiled(l);
  CHECK(model.link_name(0) == "base");
  CHECK(model.parent(model.link("tip")) == model.link("link2"));
}

TEST_CASE("each mistake has its own sentence") {
  Linkage l = two_joints();
  l.joints[1].parent = "lnk1";
  refuses(l, {"'link2'", "'lnk1'", "did you mean 'link1'"});

  l = two_joints();
  l.joints[0].child = "elbow";
  refuses(l, {"'joint1'", "'elbow'", "Valid names"});

  l = two_joints();
  l.links.push_back({"loose", {}});
  refuses(l, {"2 roots", "'base'", "'loose'"});

  l = two_joints();
  l.joints[0].parent = "tip";
  refuses(l, {"cycle", "'link1'"});

  l = two_joints();
  l.links.erase(l.links.begin());
  l.joints[0].parent = "tip";
  refuses(l, {"cycle"});

  l = two_joints();
  l.links.push_back({"extra", {}});
  l.links.push_back({"extra2", {}});
  l.joints.push_back(joint("a", Fixed{}, "extra", "extra2", {}));
  l.joints.push_back(joint("b", Fixed{}, "extra2", "extra", {}));
  refuses(l, {"cycle", "'extra'"});

  l = two_joints();
  l.links[1].name = "base";
  refuses(l, {"Two links", "'base'"});

  l = two_joints();
  l.joints[1].name = "joint1";
  refuses(l, {"Two joints", "'joint1'"});

  l = two_joints();
  l.joints.push_back(joint("again", Fixed{}, "base", "link2", {}));
  refuses(l, {"two joints", "'again'"});

  l = two_joints();
  l.joints[0].type = Revolute{Vec3::Zero()};
  refuses(l, {"'joint1'", "zero axis"});

  l = two_joints();
  l.joints[0].limits.lower = {1.0};
  l.joints[0].limits.upper = {-1.0};
  refuses(l, {"'joint1'", "reversed"});

  l = two_joints();
  l.joints[0].limits.lower = {1.0, 2.0};
  refuses(l, {"'joint1'", "2 lower limits", "1"});

  l = two_joints();
  l.joints[0].origin.position.x() = std::numeric_limits<double>::quiet_NaN();
  refuses(l, {"'joint1'", "finite"});

  l = two_joints();
  l.joints[0].origin.rotation *= 2.0;
  refuses(l, {"'joint1'", "scales"});

  l = two_joints();
  l.joints[0].limits.cone = ConeLimit{};
  refuses(l, {"'joint1'", "cone", "spherical"});

  l = two_joints();
  l.links[1].visuals.push_back({"arm_shape", Mat4::Identity(), {}, false});
  refuses(l, {"'link1'", "'arm_shape'"});

  l = two_joints();
  l.poses.push_back({"home", {{"joint9", {0.0}}}});
  refuses(l, {"'home'", "'joint9'"});

  l = two_joints();
  l.poses.push_back({"home", {{"joint1", {0.0, 1.0}}}});
  refuses(l, {"'home'", "'joint1'", "2 values"});

  refuses(Linkage{}, {"no links"});
}

TEST_CASE("mimic joints: chains resolve, cycles and strangers are refused") {
  Linkage l = test::planar_arm({1, 1, 1});
  l.joints[1].mimic = Mimic{"joint1", 2.0, 0.1};
  l.joints[2].mimic = Mimic{"joint2", -1.0, 0.5};
  const Model model = test::compiled(l);
  CHECK(model.v_size() == 1);
  const ModelJoint& third = model.joint("joint3");
  CHECK(third.multiplier == -2.0);
  CHECK(third.offset == doctest::Approx(-0.1 + 0.5));

  l.joints[0].mimic = Mimic{"joint3", 1.0, 0.0};
  refuses(l, {"mimics itself"});
  l.joints[0].mimic = Mimic{"tip_joint", 1.0, 0.0};
  refuses(l, {"'tip_joint'", "fixed", "one coordinate"});
  l.joints[0].mimic = Mimic{"nobody", 1.0, 0.0};
  refuses(l, {"'nobody'", "Valid names"});
}

TEST_CASE("long rows of mimic joints compile, and those that lead to infinity are refused") {
  Linkage l = test::planar_arm(std::vector<double>(50000, 0.001));
  for (std::size_t i = 1; i < 50000; ++i) l.joints[i].mimic = Mimic{l.joints[i - 1].name, -1.0, 0.5};
  const Model model = test::compiled(l);
  CHECK(model.v_size() == 1);
  CHECK(model.joint("joint50000").multiplier == -1.0);
  CHECK(model.joint("joint50000").offset == 0.5);
  CHECK(model.joint("joint49999").offset == 0.0);
  for (std::size_t i = 1; i < 50000; ++i) l.joints[i].mimic->multiplier = 1.5;
  refuses(l, {"mimics 'joint1' through other joints", "not a finite number"});
}

TEST_CASE("a follower's limits bind its source, and impossible ones are noted") {
  Linkage l = test::planar_arm({1, 1});
  l.joints[0].limits.lower = {-3.0};
  l.joints[0].limits.upper = {3.0};
  l.joints[1].mimic = Mimic{"joint1", -2.0, 1.0};
  l.joints[1].limits.lower = {-1.0};
  l.joints[1].limits.upper = {2.0};
  Model model = test::compiled(l);
  CHECK(model.lower()[0] == doctest::Approx(-0.5));
  CHECK(model.upper()[0] == doctest::Approx(1.0));
  l.joints[1].limits.lower = {20.0};
  l.joints[1].limits.upper = {21.0};
  model = test::compiled(l);
  CHECK(model.lower()[0] == -3.0);
  CHECK(model.notes().size() == 1);
}

TEST_CASE("a very deep linkage compiles without deep recursion") {
  const Model model = test::compiled(test::planar_arm(std::vector<double>(50000, 0.001)));
  CHECK(model.v_size() == 50000);
  CHECK(model.size() == doctest::Approx(50.0));
}

TEST_CASE("the travel of a slide counts in the model's size") {
  Linkage l;
  l.links = {{"base", {}}, {"carriage", {}}, {"tip", {}}};
  l.joints = {joint("slide", Prismatic{Vec3::UnitX()}, "base", "carriage", {}),
              joint("end", Fixed{}, "carriage", "tip", Transform::translate(Vec3(0, 0, 0.5)))};
  l.joints[0].limits.lower = {-3.0};
  l.joints[0].limits.upper = {2.0};
  CHECK(test::compiled(l).size() == doctest::Approx(3.5));
  l.joints[0].limits = {};  // no limits: no length that means anything
  CHECK(test::compiled(l).size() == doctest::Approx(0.5));
}

TEST_CASE("a named pose leaves joints it does not name neutral, balls unturned") {
  Linkage l = test::random_chain({Revolute{Vec3::UnitZ()}, Spherical{}, Free{}}, 6);
  l.poses.push_back({"bent", {{"joint1", {0.5}}}});
  const Model model = test::compiled(l);
  VecX expected = neutral_pose(model);
  expected[model.joint("joint1").q_index] = 0.5;
  CHECK(*model.find_pose("bent") == expected);
  CHECK(expected[model.joint("joint2").q_index + 3] == 1.0);
}

TEST_CASE("fingerprint: equal for the same motion, different for any change of it") {
  const auto two_links = [] {
    Linkage l;
    l.links = {{"a", {}}, {"b", {}}};
    Joint joint;
    joint.name = "j";
    joint.type = Revolute{Vec3::UnitX()};
    joint.parent = "a";
    joint.child = "b";
    l.joints = {joint};
    return l;
  };
  const auto fingerprint = [](const Linkage& l) { return compile(l).value().fingerprint(); };
  Linkage l = two_links();
  const auto original = fingerprint(l);
  CHECK(original == fingerprint(two_links()));
  l.links[0].name = l.joints[0].parent = "renamed";
  CHECK(original == fingerprint(l));
  l = two_links();
  l.joints[0].origin.position.z() = 1e-9;
  CHECK(original != fingerprint(l));
  l = two_links();
  l.joints[0].limits.upper = {1.0};
  CHECK(original != fingerprint(l));
  l = two_links();
  l.joints[0].type = Revolute{-Vec3::UnitX()};
  CHECK(original != fingerprint(l));
  l.joints[0].type = Prismatic{Vec3::UnitX()};
  CHECK(original != fingerprint(l));
}
