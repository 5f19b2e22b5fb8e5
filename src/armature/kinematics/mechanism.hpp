// What a mechanism can do: its true mobility beside Kutzbach's count, redundant and idle constraints, which joints may
// be driven, and whether a pose is singular.
//
// Mobility is n - max rank J over poses near an assembled one: the formula of Kutzbach counts constraints and is wrong
// wherever geometry makes some of them repeat others (every planar linkage in space, Bennett's and Sarrus' linkages).
#pragma once

#include <string>
#include <vector>

#include "armature/geom/qr.hpp"
#include "armature/kinematics/assemble.hpp"

namespace armature::inline v0_2 {

/// A closure whose frames no joint of its loop can bring together.
struct NeverCloses {
  std::string closure;
  double gap = 0.0;  // metres, an angle counted as the arc at the mechanism's length
};

struct MechanismReport {
  bool assembled = false;           // loops close, and `q` is such a pose
  VecX q;                           // assembled pose that the numbers hold for
  double closure_error = 0;         // at q, metres
  int mobility = 0;                 // ways to move with all loops closed, joints outside loops included
  int kutzbach = 0;                 // 6 (N - 1 - j) + sum f
  bool plane_or_point = false;      // idle rows show that loops move in a plane or about a point:
  int kutzbach_reduced = 0;         // then the same count with 3 in place of 6
  int rows = 0;                     // constraints of all closures
  int idle = 0;                     // of these, directions that no joint could change
  int redundant = 0;                // of the rest, those that geometry makes repeat others
  bool singular = false;            // q has more freedom than its neighbours: a change point
  std::vector<std::string> drives;  // given by the model, else chosen
  bool drives_given = false;
  std::vector<std::string> free_joints;          // joints that the drives leave free
  std::vector<std::string> fighting;             // drives that cannot all be moved independently
  std::vector<std::vector<std::string>> groups;  // Assur groups: the joints of each, in the order they are solved
  double transmission = 1.0;  // smallest index over the groups, with these drives, at q: 0 at a dead point
  std::vector<NeverCloses> never_close;
  std::vector<std::string> notes;  // sentences

  bool driven_well() const { return assembled && free_joints.empty() && fighting.empty(); }
};

/// At `q` (assembled first, everything free; if that fails from `q`, seeded poses are tried). `drives`: joints that
/// shall be driven, before those of the model and those chosen, as far as they leave the rest able to follow.
/// Allocates.
MechanismReport analyze_mechanism(const Model& model, const VecX& q, const std::vector<std::string>& drives = {});
/// At the model's first named pose that assembles, else its neutral pose.
MechanismReport analyze_mechanism(const Model& model);

/// An assembled pose to start from: the pose given, else the first named pose that closes, else the neutral pose
/// assembled, else the best of some seeded tries. False when none closes. Limits are kept where that is possible.
bool find_assembled_pose(const Model& model, Assembler& all_free, VecX& q);

/// Of a block, after its residual: |det J| over the product of its columns' norms (Hadamard). The sine of the
/// transmission angle for a dyad, 0 at a dead point, defined for every group. Allocates.
double transmission_index(const Assembler& assembler, const LoopBlock& block, PivotedQr& qr);

}  // namespace armature::inline v0_2
