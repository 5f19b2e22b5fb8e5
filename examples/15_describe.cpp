// Describe an arm in a few lines, compile it, pose it, and ask where its parts are.
#include <cstdio>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/edit.hpp"

using namespace armature;

int main() {
  // A Linkage is what you edit: links and joints by name. Here: base - shoulder - upper - elbow - lower - hand.
  Linkage linkage;
  linkage.name = "my_arm";
  linkage.links.push_back({"base", {}});

  Joint shoulder;
  shoulder.name = "shoulder";
  shoulder.type = Revolute{Vec3::UnitZ()};
  shoulder.limits.lower = {-2.0};
  shoulder.limits.upper = {2.0};
  Joint elbow = shoulder;
  elbow.name = "elbow";
  elbow.origin = Transform::translate({0.4, 0, 0});  // where the elbow sits on the upper arm, metres
  Joint mount;                                       // a joint without a type is fixed
  mount.name = "mount";
  mount.origin = Transform::translate({0.3, 0, 0});

  for (const Status& added :
       {add_link(linkage, "base", shoulder, {"upper", {}}), add_link(linkage, "upper", elbow, {"lower", {}}),
        add_link(linkage, "lower", mount, {"hand", {}})}) {
    if (!added.ok()) return std::printf("%s\n", added.message().c_str()), 1;
  }

  // A Model is what is computed with. compile() names every mistake in a sentence.
  const Result<Model> model = compile(linkage);
  if (!model.ok()) return std::printf("%s\n", model.message().c_str()), 1;

  // A pose is a vector of numbers; joints can be set by name.
  VecX q = neutral_pose(*model);
  for (const Status& set : {set_joint(*model, "shoulder", {0.5}, q), set_joint(*model, "elbow", {1.0}, q)}) {
    if (!set.ok()) return std::printf("%s\n", set.message().c_str()), 1;
  }

  // A State holds what was computed; it is yours, and reusing it never allocates.
  State state;
  forward(*model, q, state);
  for (int link = 0; link < model->link_count(); ++link) {
    const Vec3& p = state.X_WL[static_cast<std::size_t>(link)].position;
    std::printf("%-6s at %.3f %.3f %.3f\n", model->link_name(link).c_str(), p.x(), p.y(), p.z());
  }

  // What happens with a name that does not exist? A sentence that helps.
  std::printf("%s\n", set_joint(*model, "elbwo", {1.0}, q).message().c_str());

  const Vec3 hand = state.X_WL[static_cast<std::size_t>(model->link("hand"))].position;
  const Vec3 expected(0.4 * std::cos(0.5) + 0.3 * std::cos(1.5), 0.4 * std::sin(0.5) + 0.3 * std::sin(1.5), 0);
  return (hand - expected).norm() < 1e-12 ? 0 : 1;
}
