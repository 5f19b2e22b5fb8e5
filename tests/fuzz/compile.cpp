// Fuzzes compile(): the bytes decide on links, joints, names, parents, numbers and limits, sound or not. Nothing may
// crash or hang; find_mistakes() and compile() agree; what compiles keeps the promises of Model.
#include "armature/model/compile.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"

using namespace armature;

namespace {

class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool left() const { return at_ < size_; }
  int below(int count) { return left() ? data_[at_++] % count : 0; }

  double number() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr std::array<double, 16> kNumbers{0.0,       1.0,    -1.0,  0.5,  -2.0,  3.25,       1e-9,   1e-320,
                                              kInfinity, -1e300, 1e300, 7e-7, 1e100, -kInfinity, -3.125, 0.0};
    const int which = below(18);
    return which < 16    ? kNumbers[static_cast<std::size_t>(which)]
           : which == 16 ? std::nan("")
                         : below(256) / 64.0 - 2.0;
  }
  Vec3 vector() {
    const double x = number(), y = number();
    return Vec3(x, y, number());
  }
  std::string name() {
    const int which = below(20);
    if (which == 19) return "";
    if (which == 18) return std::string(static_cast<std::size_t>(below(256)), '\xC3');
    return std::string(1, static_cast<char>('a' + which));
  }
  std::vector<double> numbers() {
    std::vector<double> list(static_cast<std::size_t>(below(4) == 0 ? below(9) : 0));
    for (double& value : list) value = number();
    return list;
  }

  // The visitor of a joint's parameters.
  void axis(const char*, Vec3& v) {
    if (below(3) > 0) v = vector();
  }
  void number(const char*, double& v) { v = number(); }
  void order(const char*, EulerOrder& o) {
    for (auto& axis : o.axis) axis = static_cast<std::uint8_t>(below(5));
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

Joint any_joint(Choices& choose) {
  Joint joint;
  const std::vector<std::string> types = joint_type_names();
  joint.type = *joint_type_from_name(types[static_cast<std::size_t>(choose.below(static_cast<int>(types.size())))]);
  describe_joint(joint.type, choose);
  joint.name = choose.name();
  joint.parent = choose.name();
  joint.child = choose.name();
  if (choose.below(2) == 1) joint.placement.translation = choose.vector();
  if (choose.below(4) == 1) joint.placement = Transform::rotate(Vec3::UnitY(), 1.0) * joint.placement;
  if (choose.below(16) == 1) joint.placement.rotation(choose.below(3), choose.below(3)) = choose.number();
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
    demand(joint.parent < i && model.find_link(model.link_name(i)) == i);
    if (!joint.mimic) {
      demand(joint.q_count == 0 || joint.q_index == q);
      q += joint.q_count;
    }
    largest = std::max(largest, joint.placement.translation.cwiseAbs().maxCoeff());
  }
  demand(q == model.q_size());
  State state;
  const VecX neutral = neutral_pose(model);
  for (int i = 0; i < model.q_size(); ++i) demand(!(model.lower()[i] > model.upper()[i]));
  forward(model, neutral, state);
  for (const Transform& frame : state.X_WL) demand(largest > 1e100 || frame.translation.allFinite());
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
