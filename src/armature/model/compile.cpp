// compile: first every check, each with its own sentence, then the flat layout. No recursion: depth is not bounded.
#include "armature/model/compile.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"

namespace armature {
namespace {

// Numbers this small are noise, and products of them are denormal, which costs a hundredfold in every later pass.
void flush_tiny(Transform& x) {
  const auto flush = [](double v) { return std::abs(v) < 1e-100 ? 0.0 : v; };
  x.rotation = x.rotation.unaryExpr(flush);
  x.translation = x.translation.unaryExpr(flush);
}

// Makes axes unit vectors and notes what is not finite or zero.
struct ParameterCheck {
  const std::string& where;
  std::vector<std::string>& mistakes;

  void axis(const char* name, Vec3& v) {
    const double largest = v.allFinite() ? v.cwiseAbs().maxCoeff() : 0.0;
    if (!v.allFinite()) {
      mistakes.push_back(where + " has an " + name + " with a value that is not a finite number.");
    } else if (largest < 1e-12) {
      mistakes.push_back(where + " has a zero " + name + "; it needs a direction, such as 0 0 1.");
    } else {
      v /= largest;
      v.normalize();
    }
  }
  void number(const char* name, double& v) {
    if (!std::isfinite(v)) mistakes.push_back(where + " has a " + name + " that is not a finite number.");
  }
  void order(const char*, EulerOrder&) {}
};

}  // namespace

class Compiler {
 public:
  explicit Compiler(const Linkage& linkage) { model_.linkage_ = linkage; }

  std::vector<std::string> mistakes;

  void check() {
    check_names();
    check_geometry();
    check_tree();
    for (std::size_t j = 0; j < linkage().joints.size(); ++j) check_joint(j);
    if (mistakes.empty()) check_mimics();
  }

  Model build() {
    lay_out_links();
    lay_out_coordinates();
    resolve_mimics();
    measure();
    compile_poses();
    model_.kernels_ = make_link_kernels(model_.joints_);
    find_effectors();
    take_fingerprint();
    return std::move(model_);
  }

 private:
  Linkage& linkage() { return model_.linkage_; }
  void mistake(std::string sentence) { mistakes.push_back(std::move(sentence)); }
  static std::string joint_label(const Joint& joint) { return "Joint " + quoted(joint.name); }

  void check_names() {
    Linkage& l = linkage();
    if (l.links.empty()) mistake("The linkage " + quoted(l.name) + " has no links; it needs at least one.");
    for (std::size_t i = 0; i < l.links.size(); ++i) {
      const std::string& name = l.links[i].name;
      if (name.empty()) mistake("Link number " + std::to_string(i + 1) + " has no name.");
      if (!links_.emplace(name, static_cast<int>(i)).second && !name.empty()) {
        mistake("Two links are named " + quoted(name) + "; names must be unique.");
      }
      link_names_.push_back(name);
    }
    for (std::size_t j = 0; j < l.joints.size(); ++j) {
      const std::string& name = l.joints[j].name;
      if (name.empty()) {
        mistake("Joint number " + std::to_string(j + 1) + " (to link " + quoted(l.joints[j].child) + ") has no name.");
      } else if (!joints_.emplace(name, static_cast<int>(j)).second) {
        mistake("Two joints are named " + quoted(name) + "; names must be unique.");
      }
      joint_names_.push_back(name);
    }
  }

  void check_geometry() {
    std::unordered_map<std::string, int> names;
    std::vector<std::string> valid;
    for (const Geometry& geometry : linkage().geometries) {
      if (!names.emplace(geometry.name, 0).second) {
        mistake("Two geometries are named " + quoted(geometry.name) + "; names must be unique.");
      }
      valid.push_back(geometry.name);
      if (!shape_is_sound(geometry.shape)) {
        mistake("Geometry " + quoted(geometry.name) + " has a size that is negative or not a finite number.");
      }
    }
    for (const Link& link : linkage().links) {
      for (const Visual& visual : link.visuals) {
        if (names.find(visual.geometry) == names.end()) {
          mistake("Link " + quoted(link.name) + " shows a geometry that does not exist. " +
                  unknown_name("geometry", visual.geometry, valid));
        }
        if (!visual.ready.allFinite()) {
          mistake("Link " + quoted(link.name) + " readies its geometry by a matrix that is not finite.");
        }
      }
    }
  }

  static bool shape_is_sound(const Shape& shape) {
    const auto good = [](double v) { return std::isfinite(v) && v >= 0.0; };
    if (const Box* b = std::get_if<Box>(&shape)) return b->size.allFinite() && b->size.minCoeff() >= 0.0;
    if (const Sphere* s = std::get_if<Sphere>(&shape)) return good(s->radius);
    if (const Cylinder* c = std::get_if<Cylinder>(&shape)) return good(c->radius) && good(c->length);
    if (const Capsule* c = std::get_if<Capsule>(&shape)) return good(c->radius) && good(c->length);
    if (const Polyline* p = std::get_if<Polyline>(&shape)) {
      return std::all_of(p->points.begin(), p->points.end(), [](const Vec3& v) { return v.allFinite(); });
    }
    return true;
  }

  // Who hangs on whom; exactly one root; nothing loose.
  void check_tree() {
    Linkage& l = linkage();
    above_.assign(l.links.size(), -1);
    std::vector<std::string> roots;
    bool sound = true;
    constexpr std::size_t kEnough = 100;  // a hopeless file need not have all its mistakes explained
    for (std::size_t j = 0; j < l.joints.size(); ++j) {
      if (mistakes.size() > kEnough) return;
      const Joint& joint = l.joints[j];
      const auto child = links_.find(joint.child);
      if (child == links_.end()) {
        mistake(joint_label(joint) + " moves a link that does not exist. " +
                unknown_name("link", joint.child, link_names_));
        sound = false;
        continue;
      }
      if (!joint.parent.empty() && links_.find(joint.parent) == links_.end()) {
        mistake("Link " + quoted(joint.child) + " names a parent " + quoted(joint.parent) + " that does not exist" +
                finish(did_you_mean(joint.parent, link_names_)));
        sound = false;
      }
      int& above = above_[static_cast<std::size_t>(child->second)];
      if (above >= 0) {
        mistake("Link " + quoted(joint.child) + " hangs on two joints, " +
                quoted(l.joints[static_cast<std::size_t>(above)].name) + " and " + quoted(joint.name) +
                "; a linkage is a tree, so each link has one parent.");
        sound = false;
      } else {
        above = static_cast<int>(j);
      }
      if (joint.parent.empty()) roots.push_back(joint.child);
    }
    for (std::size_t i = 0; i < l.links.size(); ++i) {
      if (above_[i] < 0) roots.push_back(l.links[i].name);
    }
    if (!sound || l.links.empty() || links_.size() != l.links.size()) return;
    if (roots.empty()) {
      mistake("The linkage has no root: its joints form a cycle through link " + quoted(l.links[0].name) + ".");
      return;
    }
    if (roots.size() > 1) {
      std::vector<std::string> shown;
      for (const std::string& root : roots) shown.push_back(quoted(root));
      mistake("The linkage has " + std::to_string(roots.size()) + " roots, " + join(shown, 6) +
              "; it must have one link that hangs on no other.");
      return;
    }
    visit_from(roots.front());
    if (order_.size() != l.links.size()) {
      std::vector<char> seen(l.links.size(), 0);
      for (const int i : order_) seen[static_cast<std::size_t>(i)] = 1;
      const auto loose = static_cast<std::size_t>(std::find(seen.begin(), seen.end(), 0) - seen.begin());
      mistake("The joints form a cycle through link " + quoted(l.links[loose].name) +
              "; a linkage is a tree, so no link can hang on itself.");
    }
  }

  static std::string finish(const std::string& hint) { return hint.empty() ? "." : hint; }

  // Depth-first order of link indices, children in the order of their joints.
  void visit_from(const std::string& root) {
    Linkage& l = linkage();
    std::vector<std::vector<int>> children(l.links.size());
    for (const Joint& joint : l.joints) {
      if (!joint.parent.empty()) {
        children[static_cast<std::size_t>(links_[joint.parent])].push_back(links_[joint.child]);
      }
    }
    std::vector<int> stack{links_[root]};
    while (!stack.empty() && order_.size() <= l.links.size()) {
      const int link = stack.back();
      stack.pop_back();
      order_.push_back(link);
      const std::vector<int>& below = children[static_cast<std::size_t>(link)];
      stack.insert(stack.end(), below.rbegin(), below.rend());
    }
  }

  void check_joint(std::size_t index) {
    Joint& joint = linkage().joints[index];
    const std::string where = joint_label(joint);
    ParameterCheck parameters{where, mistakes};
    const std::size_t before = mistakes.size();
    describe_joint(joint.type, parameters);
    if (Planar* planar = std::get_if<Planar>(&joint.type); planar != nullptr && mistakes.size() == before) {
      planar->x_axis -= planar->normal * planar->normal.dot(planar->x_axis);
      if (planar->x_axis.norm() < 1e-9) {
        mistake(where + " has an x_axis along its normal; it must lie in the plane.");
      } else {
        planar->x_axis.normalize();
      }
    }
    Transform& placement = joint.placement;
    const Mat3 gram = placement.rotation.transpose() * placement.rotation;
    if (!placement.is_finite()) {
      mistake(where + " has a placement with a value that is not a finite number.");
    } else if ((gram - Mat3::Identity()).cwiseAbs().maxCoeff() > 1e-6 || placement.rotation.determinant() < 0.0) {
      mistake(where + " has a placement that is not a rotation and a translation (it scales, shears or mirrors).");
    } else {
      flush_tiny(placement);
    }
    check_limits(joint, where);
  }

  void check_limits(Joint& joint, const std::string& where) {
    const std::size_t q_count = coordinates(joint.type).size();
    const std::size_t v_count = static_cast<std::size_t>(velocity_count(joint.type));
    Limits& limits = joint.limits;
    const auto wrong_count = [&](const char* what, std::size_t has, std::size_t needs) {
      if (has == 0 || has == needs) return false;
      mistake(where + " (" + type_name(joint.type) + ") has " + std::to_string(has) + " " + what +
              " where it needs none or " + std::to_string(needs) + ".");
      return true;
    };
    const bool wrong_lower = wrong_count("lower limits", limits.lower.size(), q_count);
    const bool wrong_upper = wrong_count("upper limits", limits.upper.size(), q_count);
    const bool wrong_velocity = wrong_count("velocity limits", limits.velocity.size(), v_count);
    if (wrong_lower || wrong_upper || wrong_velocity) return;
    for (const std::vector<double>* list : {&limits.lower, &limits.upper, &limits.velocity}) {
      if (std::any_of(list->begin(), list->end(), [](double v) { return std::isnan(v); })) {
        mistake(where + " has a limit that is not a number.");
        return;
      }
    }
    for (std::size_t i = 0; i < std::min(limits.lower.size(), limits.upper.size()); ++i) {
      if (coordinates(joint.type)[i] == Coordinate::quaternion) continue;
      if (limits.lower[i] > limits.upper[i]) {
        mistake(where + " has its limits reversed: lower " + pretty_number(limits.lower[i]) + " is above upper " +
                pretty_number(limits.upper[i]) + ".");
      } else if (limits.lower[i] == kInfinity || limits.upper[i] == -kInfinity) {
        mistake(where + " has limits that no value can meet.");
      }
    }
    if (std::any_of(limits.velocity.begin(), limits.velocity.end(), [](double v) { return v < 0.0; })) {
      mistake(where + " has a negative velocity limit.");
    }
    if (!limits.cone) return;
    ConeLimit& cone = *limits.cone;
    if (q_count == 0 || coordinates(joint.type).back() != Coordinate::quaternion) {
      mistake(where + " is " + type_name(joint.type) + "; only spherical and free joints can have a cone.");
      return;
    }
    ParameterCheck{where, mistakes}.axis("cone axis", cone.axis);
    if (!(cone.swing >= 0.0 && cone.swing <= kPi + 1e-9)) {
      mistake(where + " has a cone whose swing is not between 0 and pi.");
    }
    if (!(cone.twist_lower <= cone.twist_upper && cone.twist_lower >= -kPi - 1e-9 && cone.twist_upper <= kPi + 1e-9)) {
      mistake(where + " has a cone whose twist limits are reversed or outside -pi to pi.");
    }
  }

  void check_mimics() {
    Linkage& l = linkage();
    for (const Joint& joint : l.joints) {
      if (!joint.mimic) continue;
      const std::string where = joint_label(joint);
      const auto source = joints_.find(joint.mimic->joint);
      if (source == joints_.end()) {
        mistake(where + " mimics a joint that does not exist. " +
                unknown_name("joint", joint.mimic->joint, joint_names_));
        continue;
      }
      const Joint& followed = l.joints[static_cast<std::size_t>(source->second)];
      for (const Joint* each : {&joint, &followed}) {
        if (coordinate_count(each->type) != 1) {
          mistake(where + " mimics " + quoted(followed.name) + ", but " + quoted(each->name) + " is " +
                  type_name(each->type) + "; mimicry needs joints of exactly one coordinate.");
          break;
        }
      }
      if (!std::isfinite(joint.mimic->multiplier) || !std::isfinite(joint.mimic->offset)) {
        mistake(where + " mimics with a multiplier or offset that is not a finite number.");
      }
    }
    if (!mistakes.empty()) return;
    // Follow each chain of mimics; a joint met twice on the way is on a cycle.
    std::vector<std::size_t> seen(l.joints.size(), 0);  // 1 + where the walk started that came by
    for (std::size_t start = 0; start < l.joints.size(); ++start) {
      std::size_t j = start;
      while (l.joints[j].mimic && seen[j] == 0) {
        seen[j] = start + 1;
        j = static_cast<std::size_t>(joints_[l.joints[j].mimic->joint]);
      }
      if (l.joints[j].mimic && seen[j] == start + 1) {
        mistake(joint_label(l.joints[j]) + " mimics itself through a cycle of mimic joints.");
        return;
      }
    }
  }

  void lay_out_links() {
    Linkage& l = linkage();
    std::vector<int> position(l.links.size(), -1);
    model_.subtree_end_.assign(order_.size(), 0);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const int link = order_[i];
      const std::string& name = l.links[static_cast<std::size_t>(link)].name;
      position[static_cast<std::size_t>(link)] = static_cast<int>(i);
      ModelJoint joint;
      const int above = above_[static_cast<std::size_t>(link)];
      if (above >= 0) {
        const Joint& from = l.joints[static_cast<std::size_t>(above)];
        joint.name = from.name;
        joint.type = from.type;
        joint.placement = from.placement;
        joint.cone = from.limits.cone;
        if (!from.parent.empty()) joint.parent = position[static_cast<std::size_t>(links_[from.parent])];
        model_.joint_by_name_.emplace(from.name, static_cast<int>(i));
      }
      joint.source = static_cast<int>(i);
      model_.joints_.push_back(std::move(joint));
      model_.link_names_.push_back(name);
      model_.link_by_name_.emplace(name, static_cast<int>(i));
      model_.linkage_link_.push_back(link);
    }
    for (int i = model_.link_count() - 1; i >= 0; --i) {
      int& end = model_.subtree_end_[static_cast<std::size_t>(i)];
      end = std::max(end, i + 1);
      const int parent = model_.parent(i);
      if (parent >= 0) {
        int& parents_end = model_.subtree_end_[static_cast<std::size_t>(parent)];
        parents_end = std::max(parents_end, end);
      }
    }
  }

  const Joint* source_joint(int link) {
    const int above = above_[static_cast<std::size_t>(order_[static_cast<std::size_t>(link)])];
    return above >= 0 ? &linkage().joints[static_cast<std::size_t>(above)] : nullptr;
  }

  void lay_out_coordinates() {
    std::vector<double> lower, upper, velocity;
    for (int i = 0; i < model_.link_count(); ++i) {
      ModelJoint& joint = model_.joints_[static_cast<std::size_t>(i)];
      const Joint* from = source_joint(i);
      joint.mimic = from != nullptr && from->mimic.has_value();
      joint.q_index = static_cast<int>(lower.size());
      joint.v_index = static_cast<int>(velocity.size());
      joint.q_count = coordinate_count(joint.type);
      joint.v_count = velocity_count(joint.type);
      if (joint.mimic) continue;
      const bool unlimited = std::holds_alternative<Continuous>(joint.type);
      if (unlimited && from != nullptr && !(from->limits.lower.empty() && from->limits.upper.empty())) {
        model_.notes_.push_back(joint_label(*from) + " is continuous; its position limits are ignored.");
      }
      const std::span<const Coordinate> kinds = coordinates(joint.type);
      for (std::size_t k = 0; k < kinds.size(); ++k) {
        const bool free = unlimited || kinds[k] == Coordinate::quaternion || from == nullptr;
        lower.push_back(free || from->limits.lower.empty() ? -kInfinity : from->limits.lower[k]);
        upper.push_back(free || from->limits.upper.empty() ? kInfinity : from->limits.upper[k]);
        model_.coordinate_kinds_.push_back(kinds[k]);
        model_.coordinate_joint_.push_back(i);
      }
      for (int k = 0; k < joint.v_count; ++k) {
        const bool free = from == nullptr || from->limits.velocity.empty();
        velocity.push_back(free ? kInfinity : from->limits.velocity[static_cast<std::size_t>(k)]);
        model_.velocity_joint_.push_back(i);
      }
    }
    model_.q_size_ = static_cast<int>(lower.size());
    model_.v_size_ = static_cast<int>(velocity.size());
    model_.lower_ = Eigen::Map<const VecX>(lower.data(), model_.q_size_);
    model_.upper_ = Eigen::Map<const VecX>(upper.data(), model_.q_size_);
    model_.velocity_limit_ = Eigen::Map<const VecX>(velocity.data(), model_.v_size_);
  }

  void resolve_mimics() {
    for (int i = 0; i < model_.link_count(); ++i) {
      ModelJoint& joint = model_.joints_[static_cast<std::size_t>(i)];
      if (!joint.mimic) continue;
      const Joint* follower = source_joint(i);
      int source = i;
      while (follower != nullptr && follower->mimic) {
        joint.offset += joint.multiplier * follower->mimic->offset;
        joint.multiplier *= follower->mimic->multiplier;
        source = model_.joint_by_name_[follower->mimic->joint];
        follower = source_joint(source);
      }
      const ModelJoint& followed = model_.joint(source);
      joint.source = source;
      joint.q_index = followed.q_index;
      joint.v_index = followed.v_index;
      fold_limits(i, joint);
    }
  }

  // A follower's own limits bind its source.
  void fold_limits(int link, const ModelJoint& joint) {
    const Joint& from = *source_joint(link);
    if (std::holds_alternative<Continuous>(joint.type) || joint.multiplier == 0.0) return;
    double low = from.limits.lower.empty() ? -kInfinity : (from.limits.lower[0] - joint.offset) / joint.multiplier;
    double high = from.limits.upper.empty() ? kInfinity : (from.limits.upper[0] - joint.offset) / joint.multiplier;
    if (joint.multiplier < 0.0) {
      low = from.limits.upper.empty() ? -kInfinity : (from.limits.upper[0] - joint.offset) / joint.multiplier;
      high = from.limits.lower.empty() ? kInfinity : (from.limits.lower[0] - joint.offset) / joint.multiplier;
    }
    double& lower = model_.lower_[joint.q_index];
    double& upper = model_.upper_[joint.q_index];
    if (std::max(lower, low) > std::min(upper, high)) {
      model_.notes_.push_back(joint_label(from) + " has limits that its source " +
                              quoted(model_.joint(joint.source).name) + " can never meet; they are ignored.");
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
      double own = joint.placement.translation.norm();
      for (int k = 0; k < joint.q_count; ++k) {
        if (coordinates(joint.type)[static_cast<std::size_t>(k)] != Coordinate::length) continue;
        const double low = joint.multiplier * model_.lower_[joint.q_index + k] + joint.offset;
        const double high = joint.multiplier * model_.upper_[joint.q_index + k] + joint.offset;
        if (std::isfinite(low) && std::isfinite(high)) own += std::max(std::abs(low), std::abs(high));
      }
      length[static_cast<std::size_t>(i)] = own + length[static_cast<std::size_t>(joint.parent)];
      longest = std::max(longest, length[static_cast<std::size_t>(i)]);
    }
    model_.size_ = std::isfinite(longest) && longest > 0.0 ? longest : 1.0;
  }

  // A name that no longer fits (its link was removed) is no mistake.
  void find_effectors() {
    for (const std::string& name : linkage().effectors) {
      const int link = model_.find_link(name);
      if (link >= 0) {
        model_.effectors_.push_back(link);
      } else {
        model_.notes_.push_back("The effector " + quoted(name) + " is no link of the linkage" +
                                finish(did_you_mean(name, link_names_)));
      }
    }
    for (int link = 0; link < model_.link_count() && linkage().effectors.empty(); ++link) {
      if (model_.is_leaf(link)) model_.effectors_.push_back(link);
    }
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
    for (ModelJoint& joint : model_.joints_) {
      hash.bits(joint.type.index());
      describe_joint(joint.type, hash);
      for (int i : {joint.parent, joint.q_index, joint.source, int{joint.mimic}, int{joint.cone.has_value()}}) {
        hash.bits(static_cast<std::uint64_t>(i));
      }
      hash.number(joint.multiplier);
      hash.number(joint.offset);
      hash.vector(joint.placement.translation);
      for (int i = 0; i < 3; ++i) hash.vector(joint.placement.rotation.col(i));
      if (!joint.cone) continue;
      hash.vector(joint.cone->axis);
      for (double x : {joint.cone->swing, joint.cone->twist_lower, joint.cone->twist_upper}) hash.number(x);
    }
    for (const VecX* limits : {&model_.lower_, &model_.upper_}) {
      for (int i = 0; i < model_.q_size_; ++i) hash.number((*limits)[i]);
    }
    model_.fingerprint_ = hash.value;
  }

  void compile_poses() {
    for (const NamedPose& pose : linkage().poses) {
      VecX q(model_.q_size_);
      for (int i = 0; i < model_.link_count(); ++i) {
        const ModelJoint& joint = model_.joint(i);
        if (!joint.mimic) neutral_coordinates(joint.type, q.data() + joint.q_index);
      }
      for (const auto& [name, values] : pose.values) {
        const ModelJoint& joint = model_.joint(model_.find_joint(name));
        for (std::size_t k = 0; k < values.size(); ++k) q[joint.q_index + static_cast<int>(k)] = values[k];
      }
      model_.poses_.push_back({pose.name, std::move(q)});
    }
  }

 public:
  // Named poses need the joints' types; checked when those are sound.
  void check_poses() {
    std::unordered_map<std::string, int> names;
    for (const NamedPose& pose : linkage().poses) {
      const std::string where = "Pose " + quoted(pose.name);
      if (!names.emplace(pose.name, 0).second) mistake("Two poses are named " + quoted(pose.name) + ".");
      for (const auto& [name, values] : pose.values) {
        const auto found = joints_.find(name);
        if (found == joints_.end()) {
          mistake(where + " sets a joint that does not exist. " + unknown_name("joint", name, joint_names_));
          continue;
        }
        const Joint& joint = linkage().joints[static_cast<std::size_t>(found->second)];
        const std::size_t needs = coordinates(joint.type).size();
        if (joint.mimic) {
          mistake(where + " sets joint " + quoted(name) + ", which follows " + quoted(joint.mimic->joint) + ".");
        } else if (values.size() != needs) {
          mistake(where + " gives joint " + quoted(name) + " " + std::to_string(values.size()) +
                  " values where it has " + std::to_string(needs) + ".");
        } else if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
          mistake(where + " gives joint " + quoted(name) + " a value that is not a finite number.");
        }
      }
    }
  }

 private:
  Model model_;
  std::unordered_map<std::string, int> links_, joints_;
  std::vector<std::string> link_names_, joint_names_;
  std::vector<int> above_;  // joint index above each link, -1: none
  std::vector<int> order_;  // link indices, depth-first
};

Result<Model> compile(const Linkage& linkage) {
  Compiler compiler(linkage);
  compiler.check();
  if (compiler.mistakes.empty()) compiler.check_poses();
  if (!compiler.mistakes.empty()) return Error{compiler.mistakes.front()};
  return compiler.build();
}

std::vector<std::string> find_mistakes(const Linkage& linkage) {
  Compiler compiler(linkage);
  compiler.check();
  if (compiler.mistakes.empty()) compiler.check_poses();
  return std::move(compiler.mistakes);
}

}  // namespace armature
