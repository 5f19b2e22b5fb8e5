// Paths for a goal's target to take (section 5.3): a curve by arc length, rotations along it, and a clock.
//
//   const Path line = Path::line({{0, -0.25, 0}, {0, 0.25, 0}}, {.relative = true, .profile = Profile::ease, .duration
//   = 2}); PoseGoal{.link = "panda_tcp", .path = line}
#pragma once

#include <memory>
#include <optional>
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

/// Rotations at places along a path.
struct OrientationTrack {
  std::vector<double> at;  // ascending, shares of the way
  std::vector<Quat> keys;
  Turning turning = Turning::slerp;
  Quat sample(double share) const;  // held before the first and after the last; identity when empty
};

enum class Profile { steady, ease, trapezoid };  // of the speed along a path

/// Time to distance: how fast a path is run through.
struct Timing {
  Profile profile = Profile::steady;
  double duration = 1.0;      // seconds; of a trapezoid it follows from speed and acceleration
  double speed = 0.0;         // trapezoid: largest speed, metres per second
  double acceleration = 0.0;  // trapezoid

  double total(double length) const;            // seconds the whole length takes
  double share(double length, double t) const;  // of the way that is done at time t, 0 to 1
  double distance(double length, double t) const { return length * share(length, t); }
};

struct PathRotation {
  double at = 0.0;  // share of the way, 0 to 1
  Quat rotation = Quat::Identity();
};

struct PathOptions {
  bool relative = false;  // points are counted from where the goal's point is at the start
  bool closed = false;    // a curve through points: back to the first one
  Profile profile = Profile::steady;
  double duration = 1.0;                  // seconds; of a trapezoid it follows from speed and acceleration
  double speed = 0.0;                     // trapezoid: largest speed, metres per second
  double acceleration = 0.0;              // trapezoid
  double delay = 0.0;                     // seconds before it begins
  std::vector<PathRotation> rotations{};  // of a pose goal; none: as at the start
  Turning turning = Turning::slerp;
};

/// How a goal's target moves, in the frame of the goal's base. A handle: copies share what they describe. One that was
/// made without a curve is empty, and the target stays.
class Path {
 public:
  Path() = default;
  /// Straight from point to point; without points, from where the goal's frame is at the start to its target.
  static Path line(std::vector<Vec3> points = {}, PathOptions options = {});
  /// Smooth through all points.
  static Path catmull_rom(std::vector<Vec3> points, PathOptions options = {});
  /// Cubic Bezier pieces: 4, 7, 10, ... control points.
  static Path bezier(std::vector<Vec3> points, PathOptions options = {});
  /// Part of a circle. Without `center` or `from` that point is where the goal's is at the start.
  static Path arc(std::optional<Vec3> center, const Vec3& normal, std::optional<Vec3> from, double angle,
                  PathOptions options = {});

  bool empty() const { return data_ == nullptr; }
  /// It leads to the goal's own target.
  bool to_target() const;

  /// What it was made of.
  struct Data {
    enum class Kind { line, catmull_rom, bezier, arc } kind = Kind::line;
    std::vector<Vec3> points{};
    std::optional<Vec3> center{}, from{};
    Vec3 normal = Vec3::UnitZ();
    double angle = 0.0;
    PathOptions options{};
  };
  const Data& data() const { return *data_; }

 private:
  explicit Path(Data data);
  std::shared_ptr<const Data> data_;
};

/// A path from where it starts, on the common clock: held before and after.
struct PathMotion {
  Curve curve;
  OrientationTrack orientation;  // empty: the rotation does not follow it
  Timing timing;
  double delay = 0.0;  // seconds

  /// `here`: the goal's frame at the start; `target`: what a line without points leads to; `turns`: the goal has a
  /// rotation. The error says what is wrong with the path.
  static Result<PathMotion> make(const Path& path, const Transform& here, const Transform& target, bool turns);

  double end() const { return delay + timing.total(curve.length()); }
  double share(double time) const { return timing.share(curve.length(), time - delay); }
  Vec3 position(double time) const { return curve.position(curve.length() * share(time)); }
  Quat rotation(double time) const { return orientation.sample(share(time)); }
};

}  // namespace armature::inline v0_2
