// Closed loops of a linkage. The tree of joints stays the model; a closure holds two of its links together besides, as
// the joint would at which the loop was cut.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "armature/geom/transform.hpp"
#include "armature/model/joint.hpp"
#include "armature/model/limits.hpp"

namespace armature::inline v0_2 {

struct Linkage;

/// Keeps the two origins at a distance: a bar with a ball at either end, without a link of its own (and without the
/// idle spin that such a link would have).
struct Rod {
  double length = 1.0;
};

/// Couples the coordinates of two joints of one coordinate each: joint = c0 + c1 * source + c2 * source^2 + ... Gears
/// and cams that a mimic cannot say, because it is linear and owns no coordinate.
struct Coupling {
  std::string joint{};
  std::string source{};  // "": the joint stays at c0
  std::vector<double> polynomial{0.0, 1.0};
};

using ClosureType = std::variant<JointType, Rod, Coupling>;

/// "revolute", ..., "rod", "coupling".
const char* type_name(const ClosureType& type);
/// The type by its name with default parameters; the error lists all names.
Result<ClosureType> closure_type_from_name(std::string_view name);

/// A frame of a link.
struct ClosureFrame {
  std::string link{};  // "": the world
  Transform origin{};  // of the frame in the link
};

/// Holds frame `a` and frame `b` together as a joint of this type between them would. A coupling has no frames.
struct Closure {
  std::string name{};
  ClosureType type{};
  ClosureFrame a{}, b{};
  Limits limits{};  // of the cut joint's own coordinates
};

/// Puts right what needs no question (unit axes) and appends what is wrong, one sentence each. Run on a linkage whose
/// tree is sound.
void check_closures(Linkage& linkage, std::vector<std::string>& mistakes);

/// What the edits of edit.hpp do to closures and drives; each is called by the edit of that name.
namespace closure_edit {
void rename_link(Linkage& linkage, const std::string& from, const std::string& to);
void rename_joint(Linkage& linkage, const std::string& from, const std::string& to);
/// Drops closures whose links or joints are gone, and drives likewise.
void drop_dangling(Linkage& linkage);
/// A joint that was fixed at `values` drives nothing, and what is coupled to it stays where that puts it.
Status lock_joint(Linkage& linkage, const std::string& joint, const std::vector<double>& values);
void scale(Linkage& linkage, double factor);
/// The branch's world is frame `origin` of link `onto`.
void graft(Linkage& linkage, const Linkage& branch, const std::string& prefix, const std::string& onto,
           const Transform& origin);
/// The names of links, joints and closures, each through `word`.
void rename_all(Linkage& linkage, std::string (*word)(const std::string&));
/// Frames of the world become frames of the root link, before the root is placed elsewhere. Where the root moves in the
/// world they cannot, and their closures are dropped.
void hold_root_instead_of_world(Linkage& linkage);
}  // namespace closure_edit

}  // namespace armature::inline v0_2
