// Names, removal, locking, chains, scaling and grafting. Edits that reflect or turn joints round live in edit_turn.cpp.
// Over 400 lines: every verb carries the same names, poses, closures and bodies along.
#include "armature/model/edit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>

#include "armature/base/suggest.hpp"
#include "armature/model/linkage_check.hpp"
#include "armature/model/opaque.hpp"
#include "armature/model/references.hpp"

namespace armature::inline v0_2 {
namespace {

std::vector<std::string> names_of_links(const Linkage& l) {
  std::vector<std::string> names;
  for (const Link& link : l.links) names.push_back(link.name);
  return names;
}
std::vector<std::string> names_of_joints(const Linkage& l) {
  std::vector<std::string> names;
  for (const Joint& joint : l.joints) names.push_back(joint.name);
  return names;
}
Status need_link(const Linkage& l, std::string_view name) {
  if (l.find_link(name) != nullptr) return {};
  return Error{unknown_name("link", name, names_of_links(l))};
}
Status need_joint(const Linkage& l, std::string_view name) {
  if (l.find_joint(name) != nullptr) return {};
  return Error{unknown_name("joint", name, names_of_joints(l))};
}
Error taken(std::string_view kind, std::string_view name) {
  return Error{"The name " + detail::quoted(name) + " is taken by another " + std::string(kind) + "."};
}

void scale_shape(Shape& shape, double factor) {
  if (Box* box = std::get_if<Box>(&shape)) box->size *= factor;
  if (Sphere* ball = std::get_if<Sphere>(&shape)) ball->radius *= factor;
  if (Cylinder* rod = std::get_if<Cylinder>(&shape)) rod->radius *= factor, rod->length *= factor;
  if (Capsule* capsule = std::get_if<Capsule>(&shape)) capsule->radius *= factor, capsule->length *= factor;
}

// Keeps only the named links, the joints between them, and what refers to those.
void keep_links(Linkage& l, const std::unordered_set<std::string>& kept) {
  const auto gone = [&](const std::string& link) { return kept.find(link) == kept.end(); };
  std::unordered_set<std::string> removed_links, removed_joints;
  for (const Link& link : l.links) {
    if (gone(link.name)) removed_links.insert(link.name);
  }
  for (const Joint& joint : l.joints) {
    if (gone(joint.child) || (!joint.parent.empty() && gone(joint.parent))) removed_joints.insert(joint.name);
  }
  drop_opaque(l, Named::link, [&](const std::string& name) { return removed_links.count(name) != 0; });
  drop_opaque(l, Named::joint, [&](const std::string& name) { return removed_joints.count(name) != 0; });
  l.links.erase(std::remove_if(l.links.begin(), l.links.end(), [&](const Link& k) { return gone(k.name); }),
                l.links.end());
  l.joints.erase(std::remove_if(l.joints.begin(), l.joints.end(),
                                [&](const Joint& j) { return gone(j.child) || (!j.parent.empty() && gone(j.parent)); }),
                 l.joints.end());
  for (Joint& joint : l.joints) {
    if (joint.mimic && l.find_joint(joint.mimic->joint) == nullptr) joint.mimic.reset();
  }
  for (NamedPose& pose : l.poses) {
    pose.values.erase(std::remove_if(pose.values.begin(), pose.values.end(),
                                     [&](const auto& value) { return l.find_joint(value.first) == nullptr; }),
                      pose.values.end());
  }
  l.effectors.erase(std::remove_if(l.effectors.begin(), l.effectors.end(), gone), l.effectors.end());
  l.bodies.erase(std::remove_if(l.bodies.begin(), l.bodies.end(), [&](const Body& b) { return gone(b.link); }),
                 l.bodies.end());
  l.ignored_pairs.erase(std::remove_if(l.ignored_pairs.begin(), l.ignored_pairs.end(),
                                       [&](const IgnoredPair& p) { return gone(p.a) || gone(p.b); }),
                        l.ignored_pairs.end());
  const auto broken = [&](Group& group) {
    const auto removed = [&](const std::string& joint) { return l.find_joint(joint) == nullptr; };
    group.joints.erase(std::remove_if(group.joints.begin(), group.joints.end(), removed), group.joints.end());
    return group.tip.empty() ? group.joints.empty() : gone(group.tip) || (!group.base.empty() && gone(group.base));
  };
  l.groups.erase(std::remove_if(l.groups.begin(), l.groups.end(), broken), l.groups.end());
  closure_edit::drop_dangling(l);
}

}  // namespace

Status add_link(Linkage& l, std::string_view parent, Joint joint, Link link) {
  if (!parent.empty()) {
    if (const Status s = need_link(l, parent); !s) return s;
  }
  if (l.find_link(link.name) != nullptr) return taken("link", link.name);
  if (l.find_joint(joint.name) != nullptr) return taken("joint", joint.name);
  joint.parent = parent;
  joint.child = link.name;
  l.links.push_back(std::move(link));
  l.joints.push_back(std::move(joint));
  return {};
}

Status remove_link(Linkage& l, std::string_view name) {
  if (const Status s = need_link(l, name); !s) return s;
  std::unordered_set<std::string> removed{std::string(name)};
  for (bool grew = true; grew;) {
    grew = false;
    for (const Joint& joint : l.joints) {
      if (removed.count(joint.parent) != 0) grew = removed.insert(joint.child).second || grew;
    }
  }
  if (removed.size() == l.links.size()) return Error{"Removing link " + detail::quoted(name) + " would leave nothing."};
  std::unordered_set<std::string> kept;
  for (const Link& link : l.links) {
    if (removed.count(link.name) == 0) kept.insert(link.name);
  }
  keep_links(l, kept);
  return {};
}

Status rename_link(Linkage& l, std::string_view from, std::string_view to) {
  if (const Status s = need_link(l, from); !s) return s;
  if (to.empty()) return Error{"A link needs a name."};
  if (from != to && l.find_link(to) != nullptr) return taken("link", to);
  const std::string old(from);
  l.find_link(from)->name = to;
  const auto renamed = [&](const std::string& name) { return name == old ? std::string(to) : name; };
  each_link_reference(l, [&](std::string& name) { name = renamed(name); });
  rename_opaque(l, Named::link, renamed);
  closure_edit::rename_link(l, old, std::string(to));
  return {};
}

Status rename_joint(Linkage& l, std::string_view from, std::string_view to) {
  if (const Status s = need_joint(l, from); !s) return s;
  if (to.empty()) return Error{"A joint needs a name."};
  if (from != to && l.find_joint(to) != nullptr) return taken("joint", to);
  const std::string old(from);
  l.find_joint(from)->name = to;
  const auto renamed = [&](const std::string& name) { return name == old ? std::string(to) : name; };
  each_joint_reference(l, [&](std::string& name) { name = renamed(name); });
  rename_opaque(l, Named::joint, renamed);
  closure_edit::rename_joint(l, old, std::string(to));
  return {};
}

Status add_tip(Linkage& l, std::string_view name, std::string_view link, const Transform& origin) {
  if (name.empty()) return Error{"A link needs a name."};
  Joint joint;
  joint.name = std::string(name) + "_joint";
  joint.type = Fixed{};
  joint.origin = origin;
  Link tip;
  tip.name = name;
  if (const Status s = need_link(l, link); !s) return s;
  const Status added = add_link(l, link, std::move(joint), std::move(tip));
  if (added.ok()) l.effectors.insert(l.effectors.begin(), std::string(name));
  return added;
}

Status float_root(Linkage& l) {
  const auto above_root =
      std::find_if(l.joints.begin(), l.joints.end(), [](const Joint& j) { return j.parent.empty(); });
  if (above_root != l.joints.end() && coordinate_count(above_root->type) > 0) {
    return Error{"The root joint " + detail::quoted(above_root->name) + " is " + type_name(above_root->type) +
                 " already; nothing stands fixed."};
  }
  Joint root;
  root.name = "root";
  root.type = Free{};
  if (above_root != l.joints.end()) {
    root.child = above_root->child;
    root.origin = above_root->origin;
    l.joints.erase(above_root);
  } else {
    for (const Link& link : l.links) {
      if (l.joint_above(link.name) == nullptr) root.child = link.name;
    }
    if (root.child.empty()) return Error{"The linkage has no root link that a free joint could carry."};
  }
  for (int n = 2; l.find_joint(root.name) != nullptr; ++n) root.name = "root_" + std::to_string(n);
  l.joints.insert(l.joints.begin(), std::move(root));
  return {};
}

Status lock_joint(Linkage& linkage, std::string_view name, const std::vector<double>& values) {
  if (const Status s = need_joint(linkage, name); !s) return s;
  Linkage l = linkage;
  const Joint& target = *l.find_joint(name);
  if (target.mimic) {
    return Error{"Joint " + detail::quoted(name) + " follows joint " + detail::quoted(target.mimic->joint) +
                 "; lock that one instead."};
  }
  if (static_cast<int>(values.size()) != coordinate_count(target.type)) {
    return Error{"Joint " + detail::quoted(name) + " (" + type_name(target.type) + ") takes " +
                 std::to_string(coordinate_count(target.type)) + " values, not " + std::to_string(values.size()) + "."};
  }
  if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
    return Error{"Joint " + detail::quoted(name) + " cannot be locked at a value that is not a finite number."};
  }
  std::vector<std::pair<std::string, std::vector<double>>> waiting{{std::string(name), values}};
  std::size_t budget = l.joints.size() + 1;  // a cycle of mimics ends too
  while (!waiting.empty() && budget-- > 0) {
    const auto [joint_name, at] = waiting.back();
    waiting.pop_back();
    for (const Joint& follower : l.joints) {
      if (follower.mimic && follower.mimic->joint == joint_name && !at.empty()) {
        waiting.push_back({follower.name, {follower.mimic->multiplier * at[0] + follower.mimic->offset}});
      }
    }
    Joint& joint = *l.find_joint(joint_name);
    std::vector<std::string> mistakes;
    check_parameters(joint, mistakes);  // transforms expect unit axes, as compile() makes them
    if (!mistakes.empty()) return Error{mistakes.front()};
    if (!at.empty()) joint.origin = joint.origin * joint_transform(joint.type, at.data());
    joint.type = Fixed{};
    joint.limits = {};
    joint.mimic.reset();
    joint.opaque.clear();  // friction, safety limits, calibration: of a joint that moves
    drop_opaque(l, Named::joint, [&name = joint_name](const std::string& other) { return other == name; });
    if (const Status s = closure_edit::lock_joint(l, joint_name, at); !s) return s;
    for (NamedPose& pose : l.poses) {
      pose.values.erase(std::remove_if(pose.values.begin(), pose.values.end(),
                                       [&name = joint_name](const auto& value) { return value.first == name; }),
                        pose.values.end());
    }
  }
  linkage = std::move(l);
  return {};
}

Result<Linkage> extract_chain(const Linkage& linkage, std::string_view base, std::string_view tip) {
  if (const Status s = need_link(linkage, base); !s) return s.error();
  if (const Status s = need_link(linkage, tip); !s) return s.error();
  Linkage chain = linkage;
  // Without the root joint the figure's place in the world does not matter: the base is the new world.
  closure_edit::hold_root_instead_of_world(chain);
  chain.joints.erase(
      std::remove_if(chain.joints.begin(), chain.joints.end(), [](const Joint& j) { return j.parent.empty(); }),
      chain.joints.end());
  const auto climb = [&] {
    std::unordered_set<std::string> path{std::string(tip)};
    std::string link(tip);
    while (link != base) {
      const Joint* above = chain.joint_above(link);
      if (above == nullptr || !path.insert(above->parent).second) break;
      link = above->parent;
    }
    return path;
  };
  std::unordered_set<std::string> path = climb();
  if (path.count(std::string(base)) == 0) {
    if (const Status s = reroot(chain, base); !s) return s.error();
    path = climb();
  }
  if (path.count(std::string(base)) == 0) {
    return Error{"There is no way from link " + detail::quoted(base) + " to link " + detail::quoted(tip) + "."};
  }
  keep_links(chain, path);
  return chain;
}

Status scale(Linkage& l, double factor) {
  if (!(std::isfinite(factor) && factor > 0.0)) return Error{"A linkage can only be scaled by a positive number."};
  l.extra.reset();  // a skin does not grow along
  const auto is_length = [](const JointType& type, std::size_t k) {
    return k < coordinates(type).size() && coordinates(type)[k] == Coordinate::length;
  };
  for (Joint& joint : l.joints) {
    joint.origin.position *= factor;
    scale_parameters(joint.type, factor);
    for (std::vector<double>* list : {&joint.limits.lower, &joint.limits.upper, &joint.limits.velocity}) {
      for (std::size_t k = 0; k < list->size(); ++k) {
        if (is_length(joint.type, k)) (*list)[k] *= factor;
      }
    }
    if (!joint.mimic) continue;
    const Joint* source = l.find_joint(joint.mimic->joint);
    const bool length = is_length(joint.type, 0);
    if (length) joint.mimic->offset *= factor;
    if (source != nullptr && length != is_length(source->type, 0)) {
      joint.mimic->multiplier *= length ? factor : 1.0 / factor;
    }
  }
  for (NamedPose& pose : l.poses) {
    for (auto& [name, values] : pose.values) {
      const Joint* joint = l.find_joint(name);
      for (std::size_t k = 0; joint != nullptr && k < values.size(); ++k) {
        if (is_length(joint->type, k)) values[k] *= factor;
      }
    }
  }
  closure_edit::scale(l, factor);
  // Shapes: in the readying matrix, so that shared geometry and mesh files scale as well.
  Mat4 grow = Mat4::Identity();
  grow.topLeftCorner<3, 3>() *= factor;
  for (Link& link : l.links) {
    for (Visual& visual : link.visuals) visual.X_LG = grow * visual.X_LG;
    // The same body measured in another unit: its mass stays.
    link.center *= factor;
    link.inertia *= factor * factor;
  }
  for (Body& body : l.bodies) {
    body.origin.position *= factor;
    scale_shape(body.shape, factor);
  }
  return {};
}

namespace {

/// The link that stands in the world, and where: the root, or a new link above a root that moves.
std::pair<std::string, Transform> ground_of(Linkage& l) {
  Joint* above_root = nullptr;
  for (Joint& joint : l.joints) {
    if (joint.parent.empty()) above_root = &joint;
  }
  if (above_root == nullptr) {
    const auto root = std::find_if(l.links.begin(), l.links.end(),
                                   [&](const Link& link) { return l.joint_above(link.name) == nullptr; });
    return {root == l.links.end() ? "" : root->name, {}};
  }
  if (coordinate_count(above_root->type) == 0) return {above_root->child, above_root->origin};
  Link ground;
  ground.name = "ground";
  for (int n = 2; l.find_link(ground.name) != nullptr; ++n) ground.name = "ground_" + std::to_string(n);
  above_root->parent = ground.name;
  l.links.insert(l.links.begin(), ground);
  return {ground.name, {}};
}

/// Turns a world with `from` up into one with `to` up.
Transform turned_up(const std::string& from, const std::string& to) {
  const double turn = from == to ? 0.0 : to == "y" ? -1.0 : 1.0;
  Transform out;
  if (turn != 0.0) out.rotation << 1, 0, 0, 0, 0, -turn, 0, turn, 0;
  return out;
}

}  // namespace

std::string free_prefix(const Linkage& linkage, const Linkage& branch) {
  const auto clash = [&](const std::string& prefix) {
    const auto taken = [&](const auto& list, auto find) {
      return std::any_of(list.begin(), list.end(), [&](const auto& x) { return find(prefix + x.name) != nullptr; });
    };
    return taken(branch.links, [&](const std::string& n) { return linkage.find_link(n); }) ||
           taken(branch.joints, [&](const std::string& n) { return linkage.find_joint(n); }) ||
           taken(branch.geometries, [&](const std::string& n) { return linkage.find_geometry(n); });
  };
  std::string prefix;
  for (int n = 1; clash(prefix); ++n) prefix = branch.name + (n > 1 ? "_" + std::to_string(n) + "_" : "_");
  return prefix;
}

Status graft(Linkage& l, std::string_view onto, const Linkage& branch, std::string_view prefix,
             const Transform& placement) {
  if (onto.empty()) {
    Linkage both = l;
    const auto [ground, at] = ground_of(both);
    if (ground.empty()) return Error{"The linkage has no root link that another could stand beside."};
    const Transform turned = turned_up(branch.up.empty() ? "z" : branch.up, l.up.empty() ? "z" : l.up);
    if (const Status s = graft(both, ground, branch, prefix, at.inverse() * placement * turned); !s) return s;
    l = std::move(both);
    return {};
  }
  if (const Status s = need_link(l, onto); !s) return s;
  const std::string p(prefix);
  std::string root;
  for (const Link& link : branch.links) {
    const Joint* above = branch.joint_above(link.name);
    if (above == nullptr || above->parent.empty()) root = link.name;
    if (l.find_link(p + link.name) != nullptr) return taken("link", p + link.name);
  }
  if (root.empty()) return Error{"The branch " + detail::quoted(branch.name) + " has no root link to hang it by."};
  for (const Joint& joint : branch.joints) {
    if (l.find_joint(p + joint.name) != nullptr) return taken("joint", p + joint.name);
  }
  for (const Geometry& geometry : branch.geometries) {
    if (l.find_geometry(p + geometry.name) != nullptr) return taken("geometry", p + geometry.name);
  }
  const bool has_root_joint = branch.joint_above(root) != nullptr;
  if (!has_root_joint && l.find_joint(p + root + "_mount") != nullptr) return taken("joint", p + root + "_mount");

  Linkage named = branch;  // with its new names everywhere
  std::unordered_set<std::string> link_names, joint_names;
  for (Link& link : named.links) {
    link_names.insert(link.name);
    link.name = p + link.name;
    for (Visual& visual : link.visuals) visual.geometry = p + visual.geometry;
  }
  for (Geometry& geometry : named.geometries) geometry.name = p + geometry.name;
  each_link_reference(named, [&](std::string& name) { name = p + name; });
  each_joint_reference(named, [&](std::string& name) { name = p + name; });
  for (Joint& joint : named.joints) {
    joint_names.insert(joint.name);
    joint.name = p + joint.name;
    if (joint.parent.empty()) {
      joint.parent = onto;
      joint.origin = placement * joint.origin;
    }
  }
  rename_opaque(named, Named::link, [&](const std::string& n) { return link_names.count(n) != 0 ? p + n : n; });
  rename_opaque(named, Named::joint, [&](const std::string& n) { return joint_names.count(n) != 0 ? p + n : n; });
  for (Group& group : named.groups) group.name = p + group.name;
  const auto append = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  append(l.geometries, named.geometries);
  append(l.links, named.links);
  append(l.joints, named.joints);
  append(l.groups, named.groups);
  append(l.bodies, named.bodies);
  append(l.ignored_pairs, named.ignored_pairs);
  append(l.opaque, named.opaque);
  if (!has_root_joint) {
    Joint mount;
    mount.name = p + root + "_mount";
    mount.parent = onto;
    mount.child = p + root;
    mount.origin = placement;
    l.joints.push_back(std::move(mount));
  }
  closure_edit::graft(l, branch, p, std::string(onto), placement);
  // Named effectors stay the named ones: a branch without any adds none.
  if (!l.effectors.empty()) {
    append(l.effectors, named.effectors);
  }
  for (const NamedPose& pose : named.poses) {
    auto at = std::find_if(l.poses.begin(), l.poses.end(), [&](const NamedPose& n) { return n.name == pose.name; });
    if (at == l.poses.end()) at = l.poses.insert(l.poses.end(), NamedPose{pose.name, {}});
    at->values.insert(at->values.end(), pose.values.begin(), pose.values.end());
  }
  return {};
}

}  // namespace armature::inline v0_2
