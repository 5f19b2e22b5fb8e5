// The convex hull of points of a plane, drawn in by a margin, and the way into it from outside: what a figure stands
// on.
#pragma once

#include <array>
#include <span>

#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

inline constexpr int kMaxSupportPoints = 64;

class SupportPolygon {
 public:
  using Point = Eigen::Matrix<double, 2, 1, Eigen::DontAlign>;
  using Slope = Eigen::Matrix<double, 2, 2, Eigen::DontAlign>;

  /// The way from a place into the polygon, and how it changes as the place and the points move.
  struct Way {
    Point way = Point::Zero();       // zero inside
    Slope of_place = Slope::Zero();  // d way / d place
    int count = 0;                   // points it depends on
    std::array<int, 4> point;        // which
    std::array<Slope, 4> of_point;   // d way / d point
  };

  /// 1 to kMaxSupportPoints points. A margin that would leave nothing is cut to what leaves a place.
  void set(std::span<const Point> points, double margin);
  Way way_from(const Point& place) const;
  /// The margin that was asked for, or as much of it as leaves a place.
  double margin() const { return margin_; }
  /// Points of the hull, counterclockwise; one or two where all are alike or in line.
  std::span<const int> hull() const { return {hull_.data(), static_cast<std::size_t>(corners_)}; }

 private:
  struct Corner {
    Point at;
    int edge;  // the edge that begins here
  };
  struct Inset {
    std::array<Corner, 2 * kMaxSupportPoints> corner;
    int count = 0;
  };
  Point start_of(int edge) const { return points_[static_cast<std::size_t>(hull_[static_cast<std::size_t>(edge)])]; }
  Point end_of(int edge) const { return start_of((edge + 1) % corners_); }
  Point normal(int edge) const;  // inwards
  void draw_in(double margin, Inset& out) const;
  void add(Way& way, int hull_point, const Slope& slope) const;
  Way along_edge(int edge, double margin, const Point& place) const;
  Way to_corner(int before, int after, const Point& at, const Point& place) const;

  std::span<const Point> points_;
  std::array<int, kMaxSupportPoints + 1> hull_;
  int corners_ = 0;
  double margin_ = 0.0;
  Inset inset_;
};

}  // namespace armature::inline v0_2
