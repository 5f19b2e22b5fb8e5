// Turning the crank: drive() moves one or more joints of a mechanism and lets everything else follow with its loops
// closed; circuit() finds all that one drive can reach, through its dead points; trail() is the path of a point.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/kinematics/assembly_modes.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/model/refs.hpp"
#include "armature/motion/clip.hpp"
#include "armature/motion/driver.hpp"

namespace armature::inline v0_2 {

struct DriveMove {
  std::string joint;             // of one coordinate
  double to = 0.0;               // radians or metres
  std::optional<double> from{};  // default: where the start has it
};

struct DriveOptions {
  std::string joint{};  // the drive; its coordinate goes from `from` to `to`
  double to = 0.0;
  std::optional<double> from{};
  std::vector<DriveMove> also{};  // further drives, moved in step with it
  int frames = 100;               // poses of the clip, first and last included
  double frame_time = 1.0 / 30.0;
  VecX start{};    // default: the first pose of the model that assembles
  int branch = 0;  // where branches meet at the start: 1 or 2 chooses one; 0 stops there and says so
};

struct DriveReport {
  DriveOutcome outcome = DriveOutcome::reached;
  Clip clip;                         // frames reached
  std::vector<double> values;        // of the drive, per frame
  std::vector<double> transmission;  // index per frame: 1 best, 0 at a dead point
  VecX q;                            // last pose
  double value = 0.0;                // of the drive there
  std::optional<double> stopped_at;  // where the dead point, branch point or limit lies, exactly
  VecX stopped_pose;                 // the pose there
  std::vector<std::string> in_line;  // links of the group that is singular at a dead point
  std::string other_drive;           // a joint that could be driven there instead
  std::string limit_joint;           // joint or closure at its limit
  double largest_closure_error = 0;  // metres, over all frames
  std::string text;

  bool ok() const { return outcome == DriveOutcome::reached; }
  const std::string& message() const { return text; }
};

/// The error says what is wrong with the question; how the motion ended is the report's outcome.
Result<DriveReport> drive(const Model& model, const DriveOptions& options);

struct DeadPoint {
  double value = 0.0;  // of the drive
  VecX q;
};

/// All poses that the mechanism passes through from `q` as the drive and everything else moves on, dead points
/// included.
struct CircuitReport {
  bool closed = false;              // it came back to where it began
  bool full_turn = false;           // closed, and the drive turned round once or more
  bool unfinished = false;          // it goes on (a screw, a cam without end) and was followed no further
  double lower = 0.0, upper = 0.0;  // range of the drive
  std::vector<DeadPoint> dead_points;
  std::vector<double> branch_points;  // values of the drive where branches meet
  std::string limit_joint;            // joint or closure that ended it where it is not closed
  Clip poses;                         // along the circuit, by arc length
};
Result<CircuitReport> circuit(const Model& model, const VecX& q, const std::string& drive, double largest_step = 0.1);

/// A circuit and the assembly modes (numbers from 1) that lie on it: none where it does not reach the drive's value.
struct ModeCircuit {
  std::string drive;
  std::vector<int> modes;
  CircuitReport report;
};
/// The circuits of each drive that is in a loop, the others held, through the modes; of a mechanism of one freedom
/// those, too, that assemblies at twelve other values of the drive lie on. Short circuits between those values may be
/// missed.
std::vector<ModeCircuit> find_circuits(const Model& model, const MechanismReport& mechanism,
                                       const AssemblyModes& modes);

/// How every velocity follows the drive at q: dq/du, 1 for the drive itself. `drive` has one coordinate.
Result<VecX> velocity_ratios(const Model& model, const VecX& q, const std::string& drive);

/// Closes the loops in every frame of a motion that was made joint by joint (key poses), with the drives as they are.
/// The error names the first frame that does not close.
Status close_loops(const Model& model, Clip& clip);

/// Path of a point of a link (in its frame) over a clip, in the world: a coupler curve.
std::vector<Vec3> trail(const Model& model, const Clip& clip, int link, const Vec3& point);
/// For short programs, of a clip that knows its model. Throws for a link that does not exist.
inline std::vector<Vec3> trail(const Clip& clip, const LinkRef& link, const Vec3& point = Vec3::Zero()) {
  return trail(clip.model, clip, resolve(clip.model, link).value(), point);
}

}  // namespace armature::inline v0_2
