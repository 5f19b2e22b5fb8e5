// A graph of links and joints, as SDF files and drawings of mechanisms have it, as a tree and the closures that make
// loops of it.
#pragma once

#include <string>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

/// Takes a linkage whose joints are all given as closures (frame `a` on the parent, frame `b` on the child) and makes
/// joints of as many as it takes to hang every link on `root`; the others stay closures. Never cut where that can be
/// helped are joints with limits and those named in `keep` (motors, followers and their leaders); of the rest those
/// with most freedom are cut, and of equals the last. A joint that the tree passes from child to parent is turned
/// round: its coordinate stays what it was. Where a joint is not at its child's origin, the link at the joint is named
/// after it, and the child hangs on that by a fixed joint "<child>_frame".
Status cut(Linkage& linkage, const std::string& root, const std::vector<std::string>& keep = {});

}  // namespace armature::inline v0_2
