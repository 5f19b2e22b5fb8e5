#include "armature/model/closure.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/model/linkage_check.hpp"

namespace armature::inline v0_2 {

const char* type_name(const ClosureType& type) {
  if (std::holds_alternative<Rod>(type)) return "rod";
  if (std::holds_alternative<Coupling>(type)) return "coupling";
  return type_name(std::get<JointType>(type));
}

Result<ClosureType> closure_type_from_name(std::string_view name) {
  if (name == "rod") return ClosureType(Rod{});
  if (name == "coupling") return ClosureType(Coupling{});
  if (Result<JointType> joint = joint_type_from_name(name)) return ClosureType(*joint);
  std::vector<std::string> names = joint_type_names();
  names.insert(names.end(), {"rod", "coupling"});
  return Error{unknown_name("closure type", name, names)};
}

namespace {

std::string label(const Closure& closure) { return "Closure " + detail::quoted(closure.name); }

struct ClosureCheck {
  Linkage& linkage;
  std::vector<std::string>& mistakes;
  std::vector<std::string> links, joints;

  void frame(const Closure& closure, ClosureFrame& frame) {
    const std::string where = label(closure);
    if (!frame.link.empty() && linkage.find_link(frame.link) == nullptr) {
      mistakes.push_back(where + " holds a link that does not exist. " + unknown_name("link", frame.link, links));
    }
    const Mat3 gram = frame.origin.rotation.transpose() * frame.origin.rotation;
    if (!frame.origin.is_finite()) {
      mistakes.push_back(where + " has an origin with a value that is not a finite number.");
    } else if ((gram - Mat3::Identity()).cwiseAbs().maxCoeff() > 1e-6 || frame.origin.rotation.determinant() < 0.0) {
      mistakes.push_back(where + " has an origin that is not a rotation and a translation.");
    }
  }

  void coupled_joint(const Closure& closure, const std::string& name) {
    const Joint* joint = linkage.find_joint(name);
    if (joint == nullptr) {
      mistakes.push_back(label(closure) + " couples a joint that does not exist. " +
                         unknown_name("joint", name, joints));
    } else if (coordinate_count(joint->type) != 1) {
      mistakes.push_back(label(closure) + " couples joint " + detail::quoted(name) + ", which is " +
                         type_name(joint->type) + "; a coupling needs joints of exactly one coordinate.");
    }
  }

  void coupling(const Closure& closure, const Coupling& c) {
    coupled_joint(closure, c.joint);
    if (!c.source.empty()) coupled_joint(closure, c.source);
    if (c.joint == c.source)
      mistakes.push_back(label(closure) + " couples joint " + detail::quoted(c.joint) + " to itself.");
    if (!std::all_of(c.polynomial.begin(), c.polynomial.end(), [](double v) { return std::isfinite(v); })) {
      mistakes.push_back(label(closure) + " has a polynomial with a value that is not a finite number.");
    }
    if (c.polynomial.size() > 16) {
      mistakes.push_back(label(closure) + " has a polynomial of " + std::to_string(c.polynomial.size()) +
                         " coefficients; the most are 16.");
    }
  }

  // The parameters and limits are checked as those of a joint of this type.
  void joint_type(Closure& closure, JointType& type) {
    if (velocity_count(type) == 6) {
      mistakes.push_back(label(closure) + " is " + type_name(type) + ", which holds nothing together; leave it out.");
      return;
    }
    Joint as_joint;
    as_joint.name = closure.name;
    as_joint.type = type;
    as_joint.limits = closure.limits;
    std::vector<std::string> found;
    check_parameters(as_joint, found);
    check_limits(as_joint, label(closure), found);
    for (std::string& sentence : found) {
      if (sentence.rfind("Joint ", 0) == 0) sentence.replace(0, 5, "Closure");
      mistakes.push_back(std::move(sentence));
    }
    type = as_joint.type;
    // With one axis there is no direction left that it holds, and nothing to measure along it.
    if (const auto* cross = std::get_if<Universal>(&type); cross && cross->axis.cross(cross->axis2).norm() < 1e-6) {
      mistakes.push_back(label(closure) + " is universal, but its two axes are parallel; a revolute closure is meant.");
    }
  }

  void run() {
    std::unordered_set<std::string> names;
    for (const Link& link : linkage.links) links.push_back(link.name);
    for (const Joint& joint : linkage.joints) joints.push_back(joint.name);
    for (Closure& closure : linkage.closures) {
      if (mistakes.size() > 100) return;
      if (closure.name.empty()) mistakes.push_back("A closure has no name.");
      if (!names.insert(closure.name).second) {
        mistakes.push_back("Two closures are named " + detail::quoted(closure.name) + "; names must be unique.");
      }
      if (linkage.find_joint(closure.name) != nullptr) {
        mistakes.push_back(label(closure) + " has the name of a joint; give it another.");
      }
      if (const auto* c = std::get_if<Coupling>(&closure.type)) {
        coupling(closure, *c);
        continue;
      }
      frame(closure, closure.a);
      frame(closure, closure.b);
      if (closure.a.link == closure.b.link) {
        mistakes.push_back(label(closure) + " holds " +
                           (closure.a.link.empty() ? "the world" : "link " + detail::quoted(closure.a.link)) +
                           " to itself; a loop needs two links.");
      }
      if (auto* rod = std::get_if<Rod>(&closure.type)) {
        if (!(rod->length > 0.0 && rod->length < 1e100)) {  // beyond that its square overflows
          mistakes.push_back(label(closure) + " is a rod of length " + pretty_number(rod->length) +
                             "; its length must be positive and below 1e100 (two points that coincide are a spherical "
                             "closure).");
        }
        if (!closure.limits.lower.empty() || !closure.limits.upper.empty()) {
          mistakes.push_back(label(closure) + " is a rod, which has no coordinates to limit.");
        }
      } else {
        joint_type(closure, std::get<JointType>(closure.type));
      }
    }
    names.clear();
    for (const std::string& drive : linkage.drives) {
      const Joint* joint = linkage.find_joint(drive);
      if (joint == nullptr) {
        mistakes.push_back("A drive names a joint that does not exist. " + unknown_name("joint", drive, joints));
      } else if (joint->mimic) {
        mistakes.push_back("Joint " + detail::quoted(drive) + " follows joint " + detail::quoted(joint->mimic->joint) +
                           "; drive that one instead.");
      } else if (coordinate_count(joint->type) == 0) {
        mistakes.push_back("Joint " + detail::quoted(drive) + " is fixed and cannot be driven.");
      }
      if (!names.insert(drive).second) mistakes.push_back("Joint " + detail::quoted(drive) + " is driven twice.");
    }
  }
};

}  // namespace

void check_closures(Linkage& linkage, std::vector<std::string>& mistakes) {
  if (linkage.closures.empty() && linkage.drives.empty()) return;
  ClosureCheck{linkage, mistakes, {}, {}}.run();
}

}  // namespace armature::inline v0_2
