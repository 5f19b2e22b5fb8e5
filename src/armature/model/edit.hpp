// Editing a Linkage. Each edit either succeeds whole or leaves the linkage as it was and says why.
// Edits that change how a joint's coordinates are counted (reroot, mirror) rewrite its limits and named poses alike.
#pragma once

#include <string>
#include <string_view>

#include "armature/base/result.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

/// Adds `link` below `parent` ("" makes it the root), moved by `joint`, whose parent and child are set here.
Status add_link(Linkage& linkage, std::string_view parent, Joint joint, Link link);

/// Removes the link and everything below it. Joints elsewhere that followed a removed one move on their own.
Status remove_link(Linkage& linkage, std::string_view link);

/// Renames, with every reference to it.
Status rename_link(Linkage& linkage, std::string_view from, std::string_view to);
Status rename_joint(Linkage& linkage, std::string_view from, std::string_view to);

/// Fixes a joint (and those that follow it) at the given coordinates.
Status lock_joint(Linkage& linkage, std::string_view joint, const std::vector<double>& values);

/// Makes `link` the root: joints on the way are turned round, and at neutral coordinates all links are
/// as before, seen from it. A
/// turned joint needs a helper link "<joint>_seat" where its placement is not the identity. Planar and free joints on
/// the way must be expanded first.
Status reroot(Linkage& linkage, std::string_view link);

/// Only the links between `base` and `tip`, with `base` as root.
Result<Linkage> extract_chain(const Linkage& linkage, std::string_view base, std::string_view tip);

/// Reflects everything in the plane through the origin perpendicular to `axis` (0, 1, 2 for x, y, z); with
/// `swap_sides`, "left" and "right" change places in all names.
Status mirror(Linkage& linkage, int axis, bool swap_sides = false);
/// The name of the other side's: left for right.
std::string swapped_sides(const std::string& name);

/// A free joint above the root ("root", or "root_2" where that name is taken), so that a figure that stood fixed can
/// travel. A root joint that is fixed gives way to it and leaves it its placement; one that moves is refused.
Status float_root(Linkage& linkage);

/// A link without shape at `origin` of `link`, such as a tool's point, held by a fixed joint "<name>_joint"; it becomes
/// the first effector.
Status add_tip(Linkage& linkage, std::string_view name, std::string_view link, const Transform& origin = {});

/// Multiplies all lengths: placements, travel, pitch, geometry.
Status scale(Linkage& linkage, double factor);

/// Hangs `branch` below `link`: its names get `prefix`, its root joint (or a fixed one) is placed at `placement`.
/// Without a link it stands beside the linkage, `placement` being in the world: below the root link, or, where that one
/// moves, below a new root link "ground"; a world whose other axis points up is turned.
Status graft(Linkage& linkage, std::string_view link, const Linkage& branch, std::string_view prefix,
             const Transform& placement);
/// What the names of `branch` need in front of them to be free in `linkage`: nothing, its name, or its name and a
/// number.
std::string free_prefix(const Linkage& linkage, const Linkage& branch);

}  // namespace armature::inline v0_2
