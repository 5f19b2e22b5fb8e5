// Which bodies are asked whether they touch. Off: one rigid group; neighbours (through links without bodies); what the
// model ignores; pairs that touch in nearly every pose, which is the fit's fault and not the pose's; pairs that are
// proved never to touch. Used by compile_bodies.
#pragma once

#include "armature/kinematics/bodies.hpp"

namespace armature::inline v0_2 {

/// Where a solid is when its link stands at X: a box, or the axis of a capsule.
OrientedBox box_at(const Solid& solid, const Transform& X);
Segment segment_at(const Solid& solid, const Transform& X);
Nearest distance_between(const Solid& a, const Transform& X_a, const Solid& b, const Transform& X_b);

/// Fills bodies.links and bodies.pairs.
void choose_pairs(const Model& model, const BodyOptions& options, Bodies& bodies);

/// The farthest that a point at most `extent` from the origin of `link` can be from the joint above link `from`,
/// whatever the pose; infinite below sliding joints without limits. `from` is `link` or above it.
double lever(const Model& model, int from, int link, double extent);

/// How far such a point can move per unit of one velocity of the joint above link `joint`, at most.
double velocity_reach(const Model& model, int joint, int velocity, int link, double extent);

/// Whether two solids never touch, by branch and bound over the joints between them: a cell of poses is done when the
/// distance at its middle exceeds what its half widths can move the bodies. False: not proved with so many cells.
bool prove_apart(const Model& model, const Solid& a, const Solid& b, int most_cells);

}  // namespace armature::inline v0_2
