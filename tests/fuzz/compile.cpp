// Fuzzes compile(): the bytes decide on links, joints, names, parents, numbers and limits, sound or not. Nothing may
// crash or hang; find_mistakes() and compile() agree; what compiles keeps the promises of Model.
#include "armature/model/compile.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "support/choices.hpp"

using namespace armature;
using fuzz::Choices;

namespace {

Joint any_joint(Choices& choose) {
  Joint joint;
  const std::vector<std::string> types = joint_type_names();
  joint.type = *joint_type_from_name(types[static_cast<std::size_t>(choose.below(static_cast<int>(types.size())))]);
  describe_joint(joint.type, choose);
  joint.name = choose.name();
  joint.parent = choose.name();
  joint.child = choose.name();
  if (choose.below(2) == 1) joint.origin.position = choose.vector();
  if (choose.below(4) == 1) joint.origin = Transform::rotate(Vec3::UnitY(), 1.0) * joint.origin;
  if (choose.below(16) == 1) joint.origin.rotation(choose.below(3), choose.below(3)) = choose.number();
  joint.limits.lower = choose.numbers();
  joint.limits.upper = choose.numbers();
  joint.limits.velocity = choose.numbers();
  if (choose.below(8) == 1) {
    joint.limits.cone = ConeLimit{choose.vector(), choose.number(), choose.number(), choose.number()};
  }
  if (choose.below(4) == 1) joint.mimic = Mimic{choose.name(), choose.number(), choose.number()};
  return joint;
}

void check_promises(const Model& model) {
  const auto demand = [](bool kept) {
    if (!kept) std::abort();
  };
  double largest = 0.0;
  int q = 0;
  for (int i = 0; i < model.link_count(); ++i) {
    const ModelJoint& joint = model.joint(i);
    demand(joint.parent < i && model.link(model.link_name(i)) == i);
    if (!joint.mimic) {
      demand(joint.q_count == 0 || joint.q_index == q);
      q += joint.q_count;
    }
    largest = std::max(largest, joint.origin.position.cwiseAbs().maxCoeff());
  }
  demand(q == model.q_size());
  State state;
  const VecX neutral = neutral_pose(model);
  for (int i = 0; i < model.q_size(); ++i) demand(!(model.lower()[i] > model.upper()[i]));
  forward(model, neutral, state);
  for (const Transform& frame : state.X_WL) demand(largest > 1e100 || frame.position.allFinite());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choose(data, size);
  Linkage linkage;
  linkage.name = choose.name();
  const int links = choose.below(20);
  // Names in order, so that most linkages have some that fit together.
  for (int i = 0; i < links; ++i)
    linkage.links.push_back({choose.below(8) == 7 ? choose.name() : std::string(1, static_cast<char>('a' + i)), {}});
  while (choose.left() && linkage.joints.size() < 40) linkage.joints.push_back(any_joint(choose));
  if (choose.below(4) == 1) linkage.effectors.push_back(choose.name());
  const Result<Model> model = compile(linkage);
  const std::vector<std::string> mistakes = find_mistakes(linkage);
  if (model.ok() != mistakes.empty()) std::abort();
  for (const std::string& sentence : mistakes) {
    if (sentence.empty()) std::abort();
  }
  if (model.ok()) check_promises(*model);
  return 0;
}
