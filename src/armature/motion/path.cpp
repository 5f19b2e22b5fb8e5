#include "armature/motion/path.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr std::size_t kTable = 64;  // steps of a cubic's arc-length table

Vec3 cubic_point(const Vec3* p, double u) {
  const double v = 1.0 - u;
  return v * v * v * p[0] + 3.0 * v * v * u * p[1] + 3.0 * v * u * u * p[2] + u * u * u * p[3];
}

Vec3 cubic_rate(const Vec3* p, double u) {
  const double v = 1.0 - u;
  return 3.0 * (v * v * (p[1] - p[0]) + 2.0 * v * u * (p[2] - p[1]) + u * u * (p[3] - p[2]));
}

// Arc length of a cubic from a to b: Gauss-Legendre with five points.
double cubic_length(const Vec3* p, double a, double b) {
  static constexpr double kX[] = {0.0, 0.5384693101056831, 0.9061798459386640};
  static constexpr double kW[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  const double middle = 0.5 * (a + b);
  const double half = 0.5 * (b - a);
  double sum = kW[0] * cubic_rate(p, middle).norm();
  for (int i = 1; i < 3; ++i) {
    sum += kW[i] * (cubic_rate(p, middle - half * kX[i]).norm() + cubic_rate(p, middle + half * kX[i]).norm());
  }
  return sum * half;
}

Status check_points(const std::vector<Vec3>& points, std::size_t least, const char* what) {
  if (points.size() < least) {
    return Error{std::string("A ") + what + " needs at least " + std::to_string(least) + " points, not " +
                 std::to_string(points.size()) + "."};
  }
  for (const Vec3& p : points) {
    if (!p.allFinite()) return Error{std::string("A ") + what + " has a point that is not finite."};
  }
  return {};
}

}  // namespace

void Curve::add(Piece piece, double length) {
  pieces_.push_back(std::move(piece));
  lengths_.push_back(lengths_.back() + length);
}

void Curve::add_cubic(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  Cubic cubic{{a, b, c, d}, {0.0}};
  for (std::size_t i = 0; i < kTable; ++i) {
    const double from = static_cast<double>(i) / kTable;
    cubic.table.push_back(cubic.table.back() + cubic_length(cubic.p, from, from + 1.0 / kTable));
  }
  const double length = cubic.table.back();
  add(std::move(cubic), length);
}

Result<Curve> Curve::polyline(const std::vector<Vec3>& points) {
  if (const Status s = check_points(points, 1, "polyline"); !s) return s.error();
  Curve curve;
  curve.waypoints_.push_back(0.0);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    curve.add(Line{points[i], points[i + 1]}, (points[i + 1] - points[i]).norm());
    curve.waypoints_.push_back(curve.length());
  }
  if (points.size() == 1) curve.add(Line{points[0], points[0]}, 0.0);
  return curve;
}

Result<Curve> Curve::arc(const Vec3& center, const Vec3& normal, const Vec3& start, double angle) {
  if (const Status s = check_points({center, normal, start}, 3, "circle"); !s) return s.error();
  if (!std::isfinite(angle) || std::abs(angle) > 1e6) return Error{"A circle's angle must be a number of radians."};
  const double n = normal.norm();
  if (!(n > 1e-12)) return Error{"A circle needs a normal that is not zero, such as 0 0 1."};
  const Vec3 z = normal / n;
  Vec3 x = start - center;
  x -= z * z.dot(x);  // the start as seen in the circle's plane
  if (!(x.norm() > 1e-12)) return Error{"A circle's start lies on its axis; it needs a radius."};
  if (std::abs(z.dot(start - center)) > 1e-6 * x.norm()) {
    return Error{"A circle's start does not lie in the plane through its center; move the center along the normal."};
  }
  Curve curve;
  curve.waypoints_.push_back(0.0);
  curve.add(Arc{center, x, z.cross(x), angle}, std::abs(angle) * x.norm());
  curve.waypoints_.push_back(curve.length());
  return curve;
}

Result<Curve> Curve::catmull_rom(const std::vector<Vec3>& given, bool closed) {
  if (const Status s = check_points(given, 2, "Catmull-Rom curve"); !s) return s.error();
  std::vector<Vec3> points;  // without repeats, which have no direction
  for (const Vec3& p : given) {
    if (points.empty() || (p - points.back()).norm() > 1e-12) points.push_back(p);
  }
  if (closed && points.size() > 1 && (points.front() - points.back()).norm() > 1e-12) points.push_back(points.front());
  if (points.size() < 2) return polyline({given.front()});
  const std::size_t n = points.size();
  const auto at = [&](std::ptrdiff_t i) -> Vec3 {
    const auto last = static_cast<std::ptrdiff_t>(n) - 1;
    if (closed && i < 0) return points[static_cast<std::size_t>(last + i)];
    if (closed && i > last) return points[static_cast<std::size_t>(i - last)];
    if (i < 0) return 2.0 * points[0] - points[1];  // straight on beyond the ends
    if (i > last) return 2.0 * points[n - 1] - points[n - 2];
    return points[static_cast<std::size_t>(i)];
  };
  Curve curve;
  curve.waypoints_.push_back(0.0);
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const auto i = static_cast<std::ptrdiff_t>(k);
    const Vec3 p0 = at(i - 1), p1 = at(i), p2 = at(i + 1), p3 = at(i + 2);
    // Centripetal knots (Yuksel, Schaefer, Keyser 2011), as one Bezier piece.
    const double d1 = std::sqrt((p1 - p0).norm()), d2 = std::sqrt((p2 - p1).norm()), d3 = std::sqrt((p3 - p2).norm());
    const Vec3 b1 = (d1 * d1 * p2 - d2 * d2 * p0 + (2 * d1 * d1 + 3 * d1 * d2 + d2 * d2) * p1) / (3 * d1 * (d1 + d2));
    const Vec3 b2 = (d3 * d3 * p1 - d2 * d2 * p3 + (2 * d3 * d3 + 3 * d3 * d2 + d2 * d2) * p2) / (3 * d3 * (d3 + d2));
    curve.add_cubic(p1, b1, b2, p2);
    curve.waypoints_.push_back(curve.length());
  }
  return curve;
}

Result<Curve> Curve::bezier(const std::vector<Vec3>& points) {
  if (const Status s = check_points(points, 4, "Bezier curve"); !s) return s.error();
  if (points.size() % 3 != 1) {
    return Error{"A Bezier curve needs 4, 7, 10, ... control points (pieces share their ends), not " +
                 std::to_string(points.size()) + "."};
  }
  Curve curve;
  curve.waypoints_.push_back(0.0);
  for (std::size_t i = 0; i + 3 < points.size(); i += 3) {
    curve.add_cubic(points[i], points[i + 1], points[i + 2], points[i + 3]);
    curve.waypoints_.push_back(curve.length());
  }
  return curve;
}

std::pair<std::size_t, double> Curve::locate(double s) const {
  s = std::isfinite(s) ? std::clamp(s, 0.0, length()) : 0.0;
  const auto after = std::upper_bound(lengths_.begin() + 1, lengths_.end() - 1, s);
  const std::size_t piece = static_cast<std::size_t>(after - lengths_.begin()) - 1;
  const double own = lengths_[piece + 1] - lengths_[piece];
  const double along = s - lengths_[piece];
  if (!(own > 0.0)) return {piece, 0.0};
  const Cubic* cubic = std::get_if<Cubic>(&pieces_[piece]);
  if (cubic == nullptr) return {piece, along / own};
  const auto cell = std::upper_bound(cubic->table.begin() + 1, cubic->table.end() - 1, along);
  const std::size_t i = static_cast<std::size_t>(cell - cubic->table.begin()) - 1;
  const double step = cubic->table[i + 1] - cubic->table[i];
  const double from = static_cast<double>(i) / kTable;
  double u = from + (step > 0.0 ? (along - cubic->table[i]) / step / kTable : 0.0);
  for (int newton = 0; newton < 4; ++newton) {  // length(u) = along
    const double rate = cubic_rate(cubic->p, u).norm();
    if (!(rate > 1e-300)) break;
    const double error = cubic->table[i] + cubic_length(cubic->p, from, u) - along;
    u = std::clamp(u - error / rate, from, from + 1.0 / kTable);
  }
  return {piece, u};
}

Vec3 Curve::position(double s) const {
  if (pieces_.empty()) return Vec3::Zero();
  const auto [piece, u] = locate(s);
  if (const Line* line = std::get_if<Line>(&pieces_[piece])) return line->a + u * (line->b - line->a);
  if (const Arc* arc = std::get_if<Arc>(&pieces_[piece])) {
    return arc->center + math::cos(u * arc->angle) * arc->x + math::sin(u * arc->angle) * arc->y;
  }
  return cubic_point(std::get_if<Cubic>(&pieces_[piece])->p, u);
}

Vec3 Curve::tangent(double s) const {
  if (pieces_.empty()) return Vec3::Zero();
  const auto [piece, u] = locate(s);
  Vec3 t = Vec3::Zero();
  if (const Line* line = std::get_if<Line>(&pieces_[piece])) {
    t = line->b - line->a;
  } else if (const Arc* arc = std::get_if<Arc>(&pieces_[piece])) {
    t = (arc->angle < 0.0 ? -1.0 : 1.0) * (math::cos(u * arc->angle) * arc->y - math::sin(u * arc->angle) * arc->x);
  } else {
    t = cubic_rate(std::get_if<Cubic>(&pieces_[piece])->p, u);
  }
  const double n = t.norm();
  return n > 1e-300 ? Vec3(t / n) : Vec3(Vec3::Zero());
}

Quat OrientationTrack::sample(double share) const {
  if (keys.empty()) return Quat::Identity();
  const auto after = std::upper_bound(at.begin(), at.end(), share);
  if (after == at.begin()) return keys.front().normalized();
  if (after == at.end()) return keys.back().normalized();
  const std::size_t i = static_cast<std::size_t>(after - at.begin()) - 1;
  const double u = (share - at[i]) / (at[i + 1] - at[i]);
  if (turning == Turning::slerp) return slerp(keys[i], keys[i + 1], u);
  // Squad (Shoemake 1987): inner keys from the logarithms to both neighbours.
  const auto inner = [&](std::size_t k) {
    const Quat& before = keys[k == 0 ? 0 : k - 1];
    const Quat& next = keys[std::min(k + 1, keys.size() - 1)];
    const Vec3 sum = log_rotation(keys[k].conjugate() * before) + log_rotation(keys[k].conjugate() * next);
    return keys[k] * exp_rotation(-0.25 * sum);
  };
  return slerp(slerp(keys[i], keys[i + 1], u), slerp(inner(i), inner(i + 1), u), 2.0 * u * (1.0 - u));
}

double Timing::total(double length) const {
  if (profile != Profile::trapezoid) return std::max(duration, 0.0);
  if (!(speed > 0.0 && acceleration > 0.0)) return std::max(duration, 0.0);
  const double ramp = speed * speed / acceleration;  // distance of speeding up and slowing down together
  if (length <= ramp) return 2.0 * std::sqrt(length / acceleration);
  return 2.0 * speed / acceleration + (length - ramp) / speed;
}

double Timing::share(double length, double t) const {
  const double whole = total(length);
  if (t >= whole) return 1.0;
  if (!(t > 0.0)) return 0.0;
  const double u = t / whole;
  if (profile == Profile::ease) return u * u * (3.0 - 2.0 * u);
  if (profile == Profile::steady || !(speed > 0.0 && acceleration > 0.0)) return u;
  const double peak = std::min(speed, std::sqrt(length * acceleration));
  const double ramp = peak / acceleration;  // seconds
  if (t < ramp) return 0.5 * acceleration * t * t / length;
  if (t > whole - ramp) return 1.0 - 0.5 * acceleration * (whole - t) * (whole - t) / length;
  return (0.5 * peak * ramp + peak * (t - ramp)) / length;
}

Path::Path(Data data) : data_(std::make_shared<const Data>(std::move(data))) {}

Path Path::line(std::vector<Vec3> points, PathOptions options) {
  return Path({.kind = Data::Kind::line, .points = std::move(points), .options = std::move(options)});
}

Path Path::catmull_rom(std::vector<Vec3> points, PathOptions options) {
  return Path({.kind = Data::Kind::catmull_rom, .points = std::move(points), .options = std::move(options)});
}

Path Path::bezier(std::vector<Vec3> points, PathOptions options) {
  return Path({.kind = Data::Kind::bezier, .points = std::move(points), .options = std::move(options)});
}

Path Path::arc(std::optional<Vec3> center, const Vec3& normal, std::optional<Vec3> from, double angle,
               PathOptions options) {
  return Path({.kind = Data::Kind::arc,
               .center = std::move(center),
               .from = std::move(from),
               .normal = normal,
               .angle = angle,
               .options = std::move(options)});
}

bool Path::to_target() const { return !empty() && data_->kind == Data::Kind::line && data_->points.empty(); }

Result<PathMotion> PathMotion::make(const Path& path, const Transform& here, const Transform& target, bool turns) {
  if (path.empty()) return Error{"There is no path to follow."};
  const Path::Data& data = path.data();
  const PathOptions& options = data.options;
  const bool times = options.duration >= 0.0 && options.delay >= 0.0 && options.speed >= 0.0 &&
                     options.acceleration >= 0.0 && std::isfinite(options.duration + options.delay) &&
                     std::isfinite(options.speed + options.acceleration);
  if (!times) return Error{"The duration, delay, speed and acceleration of a path are finite and not negative."};
  if (options.profile == Profile::trapezoid && !(options.speed > 0.0 && options.acceleration > 0.0)) {
    return Error{"A trapezoid needs a speed and an acceleration above 0."};
  }
  const Vec3 origin = options.relative ? here.position : Vec3::Zero();
  const auto place = [&](const std::optional<Vec3>& p) { return p ? Vec3(origin + *p) : here.position; };
  std::vector<Vec3> points = data.points;
  for (Vec3& point : points) point += origin;
  if (path.to_target()) points = {here.position, target.position};

  using Kind = Path::Data::Kind;
  Result<Curve> curve = data.kind == Kind::line          ? Curve::polyline(points)
                        : data.kind == Kind::catmull_rom ? Curve::catmull_rom(points, options.closed)
                        : data.kind == Kind::bezier
                            ? Curve::bezier(points)
                            : Curve::arc(place(data.center), data.normal, place(data.from), data.angle);
  if (!curve) return curve.error();
  PathMotion motion;
  motion.curve = std::move(*curve);
  motion.timing = {options.profile, options.duration, options.speed, options.acceleration};
  motion.delay = options.delay;
  if (!turns) {
    if (!options.rotations.empty()) return Error{"Only a goal with an orientation can follow rotations; use a pose."};
    return motion;
  }
  motion.orientation.turning = options.turning;
  for (const PathRotation& key : options.rotations) {
    const bool ascends = motion.orientation.at.empty() || key.at > motion.orientation.at.back();
    if (!ascends || !(key.at >= 0.0 && key.at <= 1.0)) {
      return Error{"\"at\" is the share of the way, 0 to 1, and goes up from rotation to rotation."};
    }
    if (!(key.rotation.norm() > 1e-12 && std::isfinite(key.rotation.norm()))) {
      return Error{"A rotation of a path is a quaternion whose length is not 0."};
    }
    motion.orientation.at.push_back(key.at);
    motion.orientation.keys.push_back(key.rotation.normalized());
  }
  if (options.rotations.empty()) {  // as at the start, or turning to the target's
    motion.orientation.at = {0.0};
    motion.orientation.keys = {here.quaternion()};
    if (path.to_target()) {
      motion.orientation.at.push_back(1.0);
      motion.orientation.keys.push_back(target.quaternion());
    }
  }
  return motion;
}

}  // namespace armature::inline v0_2
