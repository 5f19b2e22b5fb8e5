// What edits do to closures and drives; mirror is in edit_turn.cpp, which knows how joint types reflect.
#include <algorithm>
#include <utility>

#include "armature/base/suggest.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2::closure_edit {
namespace {

bool is_length(const Linkage& linkage, const std::string& name) {
  const Joint* joint = linkage.find_joint(name);
  return joint != nullptr && !coordinates(joint->type).empty() && coordinates(joint->type)[0] == Coordinate::length;
}

}  // namespace

void rename_link(Linkage& linkage, const std::string& from, const std::string& to) {
  for (Closure& closure : linkage.closures) {
    for (ClosureFrame* frame : {&closure.a, &closure.b}) {
      if (frame->link == from) frame->link = to;
    }
  }
}

void rename_joint(Linkage& linkage, const std::string& from, const std::string& to) {
  for (Closure& closure : linkage.closures) {
    auto* coupling = std::get_if<Coupling>(&closure.type);
    if (coupling == nullptr) continue;
    if (coupling->joint == from) coupling->joint = to;
    if (coupling->source == from) coupling->source = to;
  }
  std::replace(linkage.drives.begin(), linkage.drives.end(), from, to);
}

void drop_dangling(Linkage& linkage) {
  const auto no_link = [&](const std::string& name) { return !name.empty() && linkage.find_link(name) == nullptr; };
  const auto no_joint = [&](const std::string& name) { return !name.empty() && linkage.find_joint(name) == nullptr; };
  linkage.closures.erase(std::remove_if(linkage.closures.begin(), linkage.closures.end(),
                                        [&](const Closure& c) {
                                          if (const auto* k = std::get_if<Coupling>(&c.type)) {
                                            return no_joint(k->joint) || no_joint(k->source);
                                          }
                                          return no_link(c.a.link) || no_link(c.b.link);
                                        }),
                         linkage.closures.end());
  linkage.drives.erase(std::remove_if(linkage.drives.begin(), linkage.drives.end(), no_joint), linkage.drives.end());
}

Status lock_joint(Linkage& linkage, const std::string& name, const std::vector<double>& values) {
  linkage.drives.erase(std::remove(linkage.drives.begin(), linkage.drives.end(), name), linkage.drives.end());
  std::vector<Closure> kept;
  for (Closure& closure : linkage.closures) {
    auto* coupling = std::get_if<Coupling>(&closure.type);
    if (coupling == nullptr || (coupling->joint != name && coupling->source != name) || values.size() != 1) {
      kept.push_back(std::move(closure));
      continue;
    }
    std::vector<double>& c = coupling->polynomial;
    if (coupling->source == name) {
      double sum = 0.0;
      for (std::size_t k = c.size(); k-- > 0;) sum = sum * values[0] + c[k];
      coupling->source.clear();
      c = {sum};
    } else if (coupling->source.empty()) {
      continue;  // it was held already
    } else {
      const bool straight = std::all_of(c.begin() + std::min<std::ptrdiff_t>(2, std::ssize(c)), c.end(),
                                        [](double v) { return v == 0.0; });
      if (c.size() < 2 || c[1] == 0.0 || !straight) {
        return Error{"Joint " + detail::quoted(name) + " follows joint " + detail::quoted(coupling->source) +
                     " through closure " + detail::quoted(closure.name) + "; lock that one instead."};
      }
      c = {(values[0] - c[0]) / c[1]};
      coupling->joint = std::exchange(coupling->source, "");
    }
    kept.push_back(std::move(closure));
  }
  linkage.closures = std::move(kept);
  return {};
}

void scale(Linkage& linkage, double factor) {
  for (Closure& closure : linkage.closures) {
    closure.a.origin.position *= factor;
    closure.b.origin.position *= factor;
    if (auto* rod = std::get_if<Rod>(&closure.type)) {
      rod->length *= factor;
    } else if (auto* coupling = std::get_if<Coupling>(&closure.type)) {
      const double out = is_length(linkage, coupling->joint) ? factor : 1.0;
      const double in = is_length(linkage, coupling->source) ? factor : 1.0;
      double power = 1.0;
      for (double& c : coupling->polynomial) {
        c *= out / power;
        power *= in;
      }
    } else {
      JointType& type = std::get<JointType>(closure.type);
      scale_parameters(type, factor);
      const std::span<const Coordinate> kinds = coordinates(type);
      for (std::vector<double>* list : {&closure.limits.lower, &closure.limits.upper, &closure.limits.velocity}) {
        for (std::size_t k = 0; k < std::min(list->size(), kinds.size()); ++k) {
          if (kinds[k] == Coordinate::length) (*list)[k] *= factor;
        }
      }
    }
  }
}

void graft(Linkage& linkage, const Linkage& branch, const std::string& prefix, const std::string& onto,
           const Transform& origin) {
  // Named drives stay all drives: a branch's are added to none only where there was nothing to drive.
  const bool take_drives = !linkage.drives.empty() || linkage.closures.empty();
  for (Closure closure : branch.closures) {
    closure.name = prefix + closure.name;
    for (ClosureFrame* frame : {&closure.a, &closure.b}) {
      if (frame->link.empty()) {
        frame->link = onto;
        frame->origin = origin * frame->origin;
      } else {
        frame->link = prefix + frame->link;
      }
    }
    if (auto* coupling = std::get_if<Coupling>(&closure.type)) {
      closure.a = closure.b = {};
      coupling->joint = prefix + coupling->joint;
      if (!coupling->source.empty()) coupling->source = prefix + coupling->source;
    }
    linkage.closures.push_back(std::move(closure));
  }
  if (!take_drives) return;
  for (const std::string& drive : branch.drives) linkage.drives.push_back(prefix + drive);
}

void rename_all(Linkage& linkage, std::string (*word)(const std::string&)) {
  for (Closure& closure : linkage.closures) {
    closure.name = word(closure.name);
    closure.a.link = word(closure.a.link);
    closure.b.link = word(closure.b.link);
    if (auto* coupling = std::get_if<Coupling>(&closure.type)) {
      coupling->joint = word(coupling->joint);
      coupling->source = word(coupling->source);
    }
  }
  for (std::string& drive : linkage.drives) drive = word(drive);
}

void hold_root_instead_of_world(Linkage& linkage) {
  const auto is_root = [&](const Link& link) {
    const Joint* above = linkage.joint_above(link.name);
    return above == nullptr || above->parent.empty();
  };
  const auto root = std::find_if(linkage.links.begin(), linkage.links.end(), is_root);
  if (root == linkage.links.end()) return;
  const Joint* above = linkage.joint_above(root->name);
  const bool moves = above != nullptr && coordinate_count(above->type) > 0;
  std::vector<Closure> kept;
  for (Closure& closure : linkage.closures) {
    bool gone = false;
    for (ClosureFrame* frame : {&closure.a, &closure.b}) {
      if (!frame->link.empty() || std::holds_alternative<Coupling>(closure.type)) continue;
      gone = gone || moves;
      frame->link = root->name;
      if (above != nullptr) frame->origin = above->origin.inverse() * frame->origin;
    }
    if (!gone) kept.push_back(std::move(closure));
  }
  linkage.closures = std::move(kept);
}

}  // namespace armature::inline v0_2::closure_edit
