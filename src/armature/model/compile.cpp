// compile: first every check (linkage_check.hpp), then the flat layout.
#include "armature/model/compile.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/model/linkage_check.hpp"

namespace armature::inline v0_2 {

class Compiler {
 public:
  explicit Compiler(const Linkage& linkage) : shared_(std::make_shared<ModelData>()), data_(*shared_), model_(shared_) {
    data_.linkage = linkage;
  }

  std::vector<std::string> check() {
    tree_.run();
    return tree_.mistakes;
  }

  Model build() {
    lay_out_links();
    lay_out_coordinates();
    resolve_mimics();
    measure();
    compile_poses();
    data_.kernels = make_link_kernels(data_.joints);
    find_effectors();
    lay_out_closures();
    take_fingerprint();
    return model_;
  }

 private:
  Linkage& linkage() { return data_.linkage; }
  static std::string joint_label(const Joint& joint) { return "Joint " + detail::quoted(joint.name); }

  void lay_out_links() {
    Linkage& l = linkage();
    std::vector<int> position(l.links.size(), -1);
    data_.subtree_end.assign(tree_.order.size(), 0);
    for (std::size_t i = 0; i < tree_.order.size(); ++i) {
      const int link = tree_.order[i];
      const std::string& name = l.links[static_cast<std::size_t>(link)].name;
      position[static_cast<std::size_t>(link)] = static_cast<int>(i);
      ModelJoint joint;
      const int above = tree_.above[static_cast<std::size_t>(link)];
      if (above >= 0) {
        const Joint& from = l.joints[static_cast<std::size_t>(above)];
        joint.name = from.name;
        joint.type = from.type;
        joint.origin = from.origin;
        joint.cone = from.limits.cone;
        if (!from.parent.empty()) joint.parent = position[static_cast<std::size_t>(tree_.link_index[from.parent])];
        data_.joint_by_name.emplace(from.name, static_cast<int>(i));
      }
      joint.source = static_cast<int>(i);
      data_.joints.push_back(std::move(joint));
      data_.link_names.push_back(name);
      data_.link_by_name.emplace(name, static_cast<int>(i));
      data_.linkage_link.push_back(link);
    }
    for (int i = model_.link_count() - 1; i >= 0; --i) {
      int& end = data_.subtree_end[static_cast<std::size_t>(i)];
      end = std::max(end, i + 1);
      const int parent = model_.parent(i);
      if (parent >= 0) {
        int& parents_end = data_.subtree_end[static_cast<std::size_t>(parent)];
        parents_end = std::max(parents_end, end);
      }
    }
  }

  const Joint* source_joint(int link) {
    const int above = tree_.above[static_cast<std::size_t>(tree_.order[static_cast<std::size_t>(link)])];
    return above >= 0 ? &linkage().joints[static_cast<std::size_t>(above)] : nullptr;
  }

  void lay_out_coordinates() {
    std::vector<double> lower, upper, velocity;
    for (int i = 0; i < model_.link_count(); ++i) {
      ModelJoint& joint = data_.joints[static_cast<std::size_t>(i)];
      const Joint* from = source_joint(i);
      joint.mimic = from != nullptr && from->mimic.has_value();
      joint.q_index = static_cast<int>(lower.size());
      joint.v_index = static_cast<int>(velocity.size());
      joint.q_count = coordinate_count(joint.type);
      joint.v_count = velocity_count(joint.type);
      if (joint.mimic) continue;
      const bool unlimited = goes_short_way(joint.type);
      if (unlimited && from != nullptr && !(from->limits.lower.empty() && from->limits.upper.empty())) {
        data_.notes.push_back(joint_label(*from) + " is continuous; its position limits are ignored.");
      }
      const std::span<const Coordinate> kinds = coordinates(joint.type);
      for (std::size_t k = 0; k < kinds.size(); ++k) {
        const bool free = unlimited || kinds[k] == Coordinate::quaternion || from == nullptr;
        lower.push_back(free || from->limits.lower.empty() ? -kInfinity : from->limits.lower[k]);
        upper.push_back(free || from->limits.upper.empty() ? kInfinity : from->limits.upper[k]);
        data_.coordinate_kinds.push_back(kinds[k]);
        data_.coordinate_joint.push_back(i);
      }
      for (int k = 0; k < joint.v_count; ++k) {
        const bool free = from == nullptr || from->limits.velocity.empty();
        velocity.push_back(free ? kInfinity : from->limits.velocity[static_cast<std::size_t>(k)]);
        data_.velocity_joint.push_back(i);
      }
    }
    data_.q_size = static_cast<int>(lower.size());
    data_.v_size = static_cast<int>(velocity.size());
    data_.lower = Eigen::Map<const VecX>(lower.data(), data_.q_size);
    data_.upper = Eigen::Map<const VecX>(upper.data(), data_.q_size);
    data_.velocity_limit = Eigen::Map<const VecX>(velocity.data(), data_.v_size);
  }

  void resolve_mimics() {
    for (int i = 0; i < model_.link_count(); ++i) {
      ModelJoint& joint = data_.joints[static_cast<std::size_t>(i)];
      if (!joint.mimic) continue;
      const int above = tree_.above[static_cast<std::size_t>(tree_.order[static_cast<std::size_t>(i)])];
      const LinkageCheck::Leader& leader = tree_.leaders[static_cast<std::size_t>(above)];
      joint.multiplier = leader.multiplier;
      joint.offset = leader.offset;
      joint.source = data_.joint_by_name[linkage().joints[static_cast<std::size_t>(leader.joint)].name];
      const ModelJoint& followed = model_.joint(joint.source);
      joint.q_index = followed.q_index;
      joint.v_index = followed.v_index;
      fold_limits(i, joint);
    }
  }

  // A follower's own limits bind its source.
  void fold_limits(int link, const ModelJoint& joint) {
    const Joint& from = *source_joint(link);
    if (goes_short_way(joint.type) || joint.multiplier == 0.0) return;
    double low = from.limits.lower.empty() ? -kInfinity : (from.limits.lower[0] - joint.offset) / joint.multiplier;
    double high = from.limits.upper.empty() ? kInfinity : (from.limits.upper[0] - joint.offset) / joint.multiplier;
    if (joint.multiplier < 0.0) {
      low = from.limits.upper.empty() ? -kInfinity : (from.limits.upper[0] - joint.offset) / joint.multiplier;
      high = from.limits.lower.empty() ? kInfinity : (from.limits.lower[0] - joint.offset) / joint.multiplier;
    }
    double& lower = data_.lower[joint.q_index];
    double& upper = data_.upper[joint.q_index];
    if (std::max(lower, low) > std::min(upper, high)) {
      data_.notes.push_back(joint_label(from) + " has limits that its source " +
                            detail::quoted(model_.joint(joint.source).name) + " can never meet; they are ignored.");
      return;
    }
    lower = std::max(lower, low);
    upper = std::min(upper, high);
  }

  void measure() {
    std::vector<double> length(static_cast<std::size_t>(model_.link_count()), 0.0);
    double longest = 0.0;
    for (int i = 1; i < model_.link_count(); ++i) {
      const ModelJoint& joint = model_.joint(i);
      double own = joint.origin.position.norm();
      for (int k = 0; k < joint.q_count; ++k) {
        const double per_unit = travel(joint.type, k);
        if (per_unit == 0.0) continue;
        const double low = joint.multiplier * data_.lower[joint.q_index + k] + joint.offset;
        const double high = joint.multiplier * data_.upper[joint.q_index + k] + joint.offset;
        if (std::isfinite(low) && std::isfinite(high)) own += per_unit * std::max(std::abs(low), std::abs(high));
      }
      length[static_cast<std::size_t>(i)] = own + length[static_cast<std::size_t>(joint.parent)];
      longest = std::max(longest, length[static_cast<std::size_t>(i)]);
    }
    data_.size = std::isfinite(longest) && longest > 0.0 ? longest : 1.0;
  }

  // A name that no longer fits (its link was removed) is no mistake.
  void find_effectors() {
    for (const std::string& name : linkage().effectors) {
      if (const std::optional<int> link = model_.lookup_link(name)) {
        data_.effectors.push_back(*link);
      } else {
        const std::string hint = did_you_mean(name, tree_.link_names);
        data_.notes.push_back("The effector " + detail::quoted(name) + " is not a link" + (hint.empty() ? "." : hint));
      }
    }
    if (!linkage().effectors.empty()) return;
    std::vector<char> moved(static_cast<std::size_t>(model_.link_count()), 0);
    std::vector<int> leaves;
    for (int link = 0; link < model_.link_count(); ++link) {
      const ModelJoint& joint = model_.joint(link);
      const auto at = static_cast<std::size_t>(link);
      moved[at] = joint.v_count > 0 || (joint.parent >= 0 && moved[static_cast<std::size_t>(joint.parent)] != 0);
      if (!model_.is_leaf(link)) continue;
      leaves.push_back(link);
      if (moved[at] != 0) data_.effectors.push_back(link);  // robots have frames at their base that nothing moves
    }
    if (data_.effectors.empty()) data_.effectors = std::move(leaves);
  }

  void lay_out_closures() {
    for (const Closure& from : linkage().closures) {
      ModelClosure closure;
      closure.name = from.name;
      closure.type = from.type;
      closure.X_A = from.a.origin;
      closure.X_B = from.b.origin;
      if (const auto* coupling = std::get_if<Coupling>(&from.type)) {
        closure.joint = *model_.lookup_joint(coupling->joint);
        if (!coupling->source.empty()) closure.source = *model_.lookup_joint(coupling->source);
      } else {
        if (!from.a.link.empty()) closure.a = *model_.lookup_link(from.a.link);
        if (!from.b.link.empty()) closure.b = *model_.lookup_link(from.b.link);
      }
      if (const auto* type = std::get_if<JointType>(&from.type)) {
        const auto count = static_cast<std::size_t>(coordinate_count(*type));
        closure.lower.assign(count, -kInfinity);
        closure.upper.assign(count, kInfinity);
        for (std::size_t k = 0; k < count && !goes_short_way(*type); ++k) {
          if (coordinates(*type)[k] == Coordinate::quaternion) break;
          if (!from.limits.lower.empty()) closure.lower[k] = from.limits.lower[k];
          if (!from.limits.upper.empty()) closure.upper[k] = from.limits.upper[k];
        }
      }
      data_.closures.push_back(std::move(closure));
    }
    for (const std::string& name : linkage().drives) data_.drives.push_back(*model_.lookup_joint(name));
  }

  // FNV-1a over everything that FK and limits depend on.
  struct Hash {
    std::uint64_t value = 14695981039346656037ull;
    void bits(std::uint64_t x) { value = (value ^ x) * 1099511628211ull, value ^= value >> 29; }
    void number(double x) {
      std::uint64_t word = 0;
      std::memcpy(&word, &x, sizeof word);
      bits(word);
    }
    void vector(const Vec3& x) {
      for (int i = 0; i < 3; ++i) number(x[i]);
    }
    // The visitor of joint_types.hpp.
    void axis(const char*, const Vec3& x) { vector(x); }
    void number(const char*, double x) { number(x); }
    void order(const char*, const EulerOrder& x) {
      for (int i : x.axis) bits(static_cast<std::uint64_t>(i));
    }
  };
  void take_fingerprint() {
    Hash hash;
    for (ModelJoint& joint : data_.joints) {
      hash.bits(joint.type.index());
      describe_joint(joint.type, hash);
      for (int i : {joint.parent, joint.q_index, joint.source, int{joint.mimic}, int{joint.cone.has_value()}}) {
        hash.bits(static_cast<std::uint64_t>(i));
      }
      hash.number(joint.multiplier);
      hash.number(joint.offset);
      hash.vector(joint.origin.position);
      for (int i = 0; i < 3; ++i) hash.vector(joint.origin.rotation.col(i));
      if (!joint.cone) continue;
      hash.vector(joint.cone->axis);
      for (double x : {joint.cone->swing, joint.cone->twist_lower, joint.cone->twist_upper}) hash.number(x);
    }
    for (const VecX* limits : {&data_.lower, &data_.upper}) {
      for (int i = 0; i < data_.q_size; ++i) hash.number((*limits)[i]);
    }
    for (ModelClosure& closure : data_.closures) {
      for (int i : {static_cast<int>(closure.type.index()), closure.a, closure.b, closure.joint, closure.source}) {
        hash.bits(static_cast<std::uint64_t>(i));
      }
      for (const Transform* x : {&closure.X_A, &closure.X_B}) {
        hash.vector(x->position);
        for (int i = 0; i < 3; ++i) hash.vector(x->rotation.col(i));
      }
      if (auto* type = std::get_if<JointType>(&closure.type)) {
        hash.bits(type->index());
        describe_joint(*type, hash);
      } else if (const auto* rod = std::get_if<Rod>(&closure.type)) {
        hash.number(rod->length);
      } else {
        for (double c : std::get<Coupling>(closure.type).polynomial) hash.number(c);
      }
      for (double x : closure.lower) hash.number(x);
      for (double x : closure.upper) hash.number(x);
    }
    for (int drive : data_.drives) hash.bits(static_cast<std::uint64_t>(drive));
    for (int i = 0; i < static_cast<int>(data_.joints.size()); ++i) {
      const Link& link = data_.linkage.links[static_cast<std::size_t>(data_.linkage_link[static_cast<std::size_t>(i)])];
      if (link.mass == 0.0) continue;
      hash.bits(static_cast<std::uint64_t>(i));
      hash.number(link.mass);
      hash.vector(link.center);
      for (int k = 0; k < 3; ++k) hash.vector(link.inertia.col(k));
    }
    data_.fingerprint = hash.value;
  }

  void compile_poses() {
    for (const NamedPose& pose : linkage().poses) {
      VecX q(data_.q_size);
      for (int i = 0; i < model_.link_count(); ++i) {
        const ModelJoint& joint = model_.joint(i);
        if (!joint.mimic) neutral_coordinates(joint.type, q.data() + joint.q_index);
      }
      for (const auto& [name, values] : pose.values) {
        const ModelJoint& joint = model_.joint(*model_.lookup_joint(name));
        for (std::size_t k = 0; k < values.size(); ++k) q[joint.q_index + static_cast<int>(k)] = values[k];
      }
      data_.poses.push_back({pose.name, std::move(q)});
    }
  }

  std::shared_ptr<ModelData> shared_;
  ModelData& data_;
  Model model_;  // the same, to be read from
  LinkageCheck tree_{data_.linkage};
};

Result<Model> compile(const Linkage& linkage) {
  Compiler compiler(linkage);
  const std::vector<std::string> mistakes = compiler.check();
  if (!mistakes.empty()) return Error{mistakes.front()};
  return compiler.build();
}

std::vector<std::string> find_mistakes(const Linkage& linkage) { return Compiler(linkage).check(); }

}  // namespace armature::inline v0_2
