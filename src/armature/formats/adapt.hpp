// What reading and writing can change about a whole document: which axis points up, the unit of lengths, a root that
// travels. One place for every format and surface.
#pragma once

#include "armature/formats/document.hpp"

namespace armature::inline v0_2 {

/// Whether y points up in the linkage's world: as it says itself; else a figure tells by the way from its feet to its
/// hips. A flat linkage in the x-y plane is seen from above, with y up.
bool has_y_up(const Linkage& linkage, const Model& model);

/// Turned as a whole about x so that `up` ("y" or "z") points up; what moves in the root's frame is turned along.
Status turn_up(Document& document, std::string_view up);

/// All lengths multiplied, those of motions, meshes and skins too.
Status scale_lengths(Document& document, double factor);

/// A free joint above a root that stands fixed (above the one body that stands on a bare link "world"); motions stand
/// where they stood. A root that moves freely stays as it is, note.
Status give_free_root(Document& document);

/// The options of reading, after a format has read.
Status adapt(Document& document, const ReadOptions& options);
/// Those of writing, on a copy, before a format writes.
Status adapt(Document& document, const WriteOptions& options);

}  // namespace armature::inline v0_2
