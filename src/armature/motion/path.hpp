// Paths for an effector to follow (section 5.3): a curve by arc length, orientations along it, and a clock.
#pragma once

#include <variant>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/geom/transform.hpp"

namespace armature::inline v0_2 {

/// A curve in space made of pieces, measured and walked by arc length (metres).
class Curve {
 public:
  static Result<Curve> polyline(const std::vector<Vec3>& points);
  /// Part of a circle: from `start`, around `center`, by `angle` (radians, may exceed a turn) about `normal`.
  static Result<Curve> arc(const Vec3& center, const Vec3& normal, const Vec3& start, double angle);
  /// Smooth through all points (centripetal Catmull-Rom: no cusps, no loops between points).
  static Result<Curve> catmull_rom(const std::vector<Vec3>& points, bool closed = false);
  /// Cubic Bezier pieces: 4, 7, 10, ... control points, pieces share their ends.
  static Result<Curve> bezier(const std::vector<Vec3>& control_points);

  double length() const { return lengths_.back(); }
  Vec3 position(double s) const;  // s clamped to [0, length()]
  Vec3 tangent(double s) const;   // unit; zero on a curve of no length
  /// Arc length at which each of the defining points is passed.
  const std::vector<double>& waypoints() const { return waypoints_; }

 private:
  struct Line {
    Vec3 a, b;
  };
  struct Arc {
    Vec3 center, x, y;  // x, y: perpendicular, as long as the radius
    double angle;
  };
  struct Cubic {
    Vec3 p[4];
    std::vector<double> table;  // arc length at evenly spaced parameters
  };
  using Piece = std::variant<Line, Arc, Cubic>;

  void add(Piece piece, double length);
  void add_cubic(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);
  std::pair<std::size_t, double> locate(double s) const;  // piece and parameter in [0, 1]

  std::vector<Piece> pieces_;
  std::vector<double> lengths_{0.0};  // at the start of each piece, and the whole
  std::vector<double> waypoints_;
};

enum class Turning { slerp, squad };  // steady between keys, or smooth through them

/// Rotations at places along a curve.
struct OrientationTrack {
  std::vector<double> at;  // ascending, arc length
  std::vector<Quat> keys;
  Turning turning = Turning::slerp;
  Quat sample(double s) const;  // held before the first and after the last; identity when empty
};

/// Time to distance: how fast a path is run through.
struct Timing {
  enum class Profile { steady, ease, trapezoid } profile = Profile::steady;
  double duration = 1.0;      // seconds; of a trapezoid it follows from speed and acceleration
  double speed = 0.0;         // trapezoid: largest speed, metres a second
  double acceleration = 0.0;  // trapezoid

  double total(double length) const;               // seconds the whole length takes
  double distance(double length, double t) const;  // where on the path at time t
};

/// One effector's path on a common clock.
struct GoalPath {
  int link = 0;
  Vec3 point = Vec3::Zero();
  Curve curve;
  OrientationTrack orientation;  // empty: position only
  Timing timing;
  double start = 0.0;   // seconds on the common clock; held before and after
  bool planar = false;  // z is free: for arms that live in the x-y plane

  double end() const { return start + timing.total(curve.length()); }
  Vec3 position(double time) const { return curve.position(timing.distance(curve.length(), time - start)); }
  Quat rotation(double time) const { return orientation.sample(timing.distance(curve.length(), time - start)); }
};

}  // namespace armature::inline v0_2
