#include "armature/model/cut.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {
namespace {

// The joint seen from its child: the inverse motion by the same coordinates. False: this type cannot say it.
struct Turned {
  Limits& limits;
  bool operator()(Fixed&) const { return true; }
  bool operator()(Spherical&) const { return !limits.cone; }  // its quaternion is conjugated, which no limit sees
  bool operator()(Universal& j) const {
    const Vec3 first = j.axis;
    j.axis = -j.axis2;
    j.axis2 = -first;
    for (std::vector<double>* list : {&limits.lower, &limits.upper, &limits.velocity, &limits.effort}) {
      if (list->size() == 2) std::swap((*list)[0], (*list)[1]);
    }
    return true;
  }
  template <class Axial>
  bool operator()(Axial& j) const {
    if constexpr (requires { j.axis; }) {
      j.axis = -j.axis;
      return true;
    } else {
      return false;
    }
  }
};

// Parameters of a joint whose frame is turned by R.
struct Rotated {
  const Mat3& R;
  void axis(const char*, Vec3& v) const { v = R * v; }
  void number(const char*, double&) const {}
  void order(const char*, EulerOrder&) const {}
};

bool has_axes_only(const JointType& type) {
  return !std::holds_alternative<Spherical>(type) && !std::holds_alternative<Euler>(type) &&
         !std::holds_alternative<Free>(type) && !std::holds_alternative<FreeEuler>(type);
}

class Cutter {
 public:
  Cutter(Linkage& linkage, const std::vector<std::string>& keep)
      : linkage_(linkage), keep_(keep.begin(), keep.end()), group_(linkage.links.size()) {
    std::iota(group_.begin(), group_.end(), std::size_t{0});
    for (std::size_t i = 0; i < linkage.links.size(); ++i) index_.emplace(linkage.links[i].name, i);
    for (const Link& link : linkage.links) link_names_.insert(link.name);
    for (const Closure& closure : linkage.closures) joint_names_.insert(closure.name);
  }

  Status run(const std::string& root) {
    choose();
    const auto start = index_.find(root);
    if (start == index_.end()) return Error{"There is no link " + detail::quoted(root) + " to be the root."};
    std::vector<bool> seen(linkage_.links.size(), false);
    std::vector<std::size_t> stack{start->second};
    seen[start->second] = true;
    std::vector<Link> links = linkage_.links;
    while (!stack.empty()) {
      const std::size_t at = stack.back();
      stack.pop_back();
      std::vector<std::size_t> next;
      for (const std::size_t edge : touching_[at]) {
        const Closure& closure = linkage_.closures[edge];
        const std::size_t a = link_index(closure.a.link), b = link_index(closure.b.link);
        const std::size_t other = a == at ? b : a;
        if (seen[other]) continue;
        seen[other] = true;
        next.push_back(other);
        if (const Status status = add(closure, b == at, links); !status) return status;
      }
      stack.insert(stack.end(), next.rbegin(), next.rend());
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (!seen[i]) {
        return Error{"Link " + detail::quoted(linkage_.links[i].name) + " is joined to nothing that leads to " +
                     detail::quoted(root) + "."};
      }
    }
    std::vector<Closure> rest;
    for (std::size_t e = 0; e < linkage_.closures.size(); ++e) {
      if (!in_tree_[e]) rest.push_back(std::move(linkage_.closures[e]));
    }
    linkage_.links = std::move(links);
    linkage_.joints = std::move(joints_);
    linkage_.closures = std::move(rest);
    return {};
  }

 private:
  std::size_t link_index(const std::string& name) const { return index_.find(name)->second; }
  std::size_t group(std::size_t i) {
    while (group_[i] != i) i = group_[i] = group_[group_[i]];
    return i;
  }

  // Kruskal's tree: the joints that should stay come first, and one that joins what is joined already is cut.
  void choose() {
    in_tree_.assign(linkage_.closures.size(), false);
    touching_.resize(linkage_.links.size());
    std::vector<std::pair<int, std::size_t>> order;
    for (std::size_t e = 0; e < linkage_.closures.size(); ++e) {
      const Closure& closure = linkage_.closures[e];
      const auto* type = std::get_if<JointType>(&closure.type);
      if (type == nullptr || index_.count(closure.a.link) == 0 || index_.count(closure.b.link) == 0) continue;
      const bool limited = !closure.limits.lower.empty() || !closure.limits.upper.empty();
      order.emplace_back(limited || keep_.count(closure.name) != 0 ? 0 : velocity_count(*type), e);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    for (const auto& [freedom, e] : order) {
      const std::size_t a = group(link_index(linkage_.closures[e].a.link));
      const std::size_t b = group(link_index(linkage_.closures[e].b.link));
      if (a == b) continue;
      group_[b] = a;
      in_tree_[e] = true;
    }
    for (std::size_t e = 0; e < in_tree_.size(); ++e) {
      if (!in_tree_[e]) continue;
      touching_[link_index(linkage_.closures[e].a.link)].push_back(e);
      touching_[link_index(linkage_.closures[e].b.link)].push_back(e);
    }
  }

  Status add(const Closure& closure, bool turned, std::vector<Link>& links) {
    Joint joint;
    joint.name = closure.name;
    joint.type = std::get<JointType>(closure.type);
    joint.limits = closure.limits;
    const ClosureFrame& from = turned ? closure.b : closure.a;
    const ClosureFrame& to = turned ? closure.a : closure.b;
    if (turned && !std::visit(Turned{joint.limits}, joint.type)) {
      return Error{"Joint " + detail::quoted(joint.name) + " (" + type_name(joint.type) +
                   ") would have to be turned round to hang " + detail::quoted(to.link) + " on " +
                   detail::quoted(from.link) + ", which its type does not allow."};
    }
    joint.parent = from.link;
    joint.child = to.link;
    joint.origin = from.origin;
    const bool at_child = to.origin.position == Vec3::Zero() || std::holds_alternative<Fixed>(joint.type);
    if (at_child && (to.origin.is_identity() || has_axes_only(joint.type))) {
      joint.origin = from.origin * to.origin.inverse();
      Rotated visitor{to.origin.rotation};
      describe_joint(joint.type, visitor);
      joints_.push_back(std::move(joint));
      return {};
    }
    Joint frame;
    frame.name = fresh(joint_names_, to.link + "_frame");
    frame.type = Fixed{};
    frame.child = to.link;
    frame.parent = joint.child = fresh(link_names_, joint.name);
    frame.origin = to.origin.inverse();
    links.push_back({joint.child, {}});
    joints_.push_back(std::move(joint));
    joints_.push_back(std::move(frame));
    return {};
  }

  static std::string fresh(std::unordered_set<std::string>& taken, std::string name) {
    while (!taken.insert(name).second) name += "_";
    return name;
  }

  Linkage& linkage_;
  std::unordered_set<std::string> keep_, link_names_, joint_names_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::size_t> group_;
  std::vector<bool> in_tree_;
  std::vector<std::vector<std::size_t>> touching_;  // joints of the tree at each link
  std::vector<Joint> joints_;
};

}  // namespace

Status cut(Linkage& linkage, const std::string& root, const std::vector<std::string>& keep) {
  if (!linkage.joints.empty()) return Error{"Only a linkage whose joints are all closures can be cut into a tree."};
  return Cutter(linkage, keep).run(root);
}

}  // namespace armature::inline v0_2
