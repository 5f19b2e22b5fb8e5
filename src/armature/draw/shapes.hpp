// Planar drawings: a view from the model's plane to the page, arms, goals, frames, and line plots.
#pragma once

#include <string>
#include <vector>

#include "armature/draw/svg.hpp"

namespace armature::drawing {

// Ink and colours of the pictures; methods have theirs in method_style().
namespace ink {
inline constexpr const char* kText = "#1a1b1e";
inline constexpr const char* kSoft = "#64686f";
inline constexpr const char* kFaint = "#d4d6d8";
inline constexpr const char* kBar = "#dfe3e7";
inline constexpr const char* kEdge = "#3a3d43";
inline constexpr const char* kGoal = "#b3261e";
inline constexpr const char* kPath = "#1c5cc0";
inline constexpr const char* kColumns[3] = {"#a34a08", "#0f766e", "#7a3fb5"};
}  // namespace ink

inline const Lettering kCaption{12.0, ink::kSoft, "middle", false, false, 0.0};

/// Plane to page: x right, y up, one scale for both.
class View {
 public:
  /// The box [low, high] of the plane fits into the rectangle of the page, centred.
  View(const Vec2& low, const Vec2& high, const Vec2& corner, const Vec2& size);
  /// Of two or three coordinates; the third is left out.
  template <class Point>
  Vec2 operator()(const Eigen::MatrixBase<Point>& p) const {
    return origin_ + scale_ * Vec2(p.eval()[0], -p.eval()[1]);
  }
  double scale() const { return scale_; }

 private:
  Vec2 origin_;
  double scale_;
};

/// The box around points, grown by `margin` on every side.
struct Bounds {
  Vec2 low = Vec2(1e300, 1e300);
  Vec2 high = Vec2(-1e300, -1e300);
  void add(const Vec2& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  void grow(double margin) {
    low.array() -= margin;
    high.array() += margin;
  }
};

struct ArmStyle {
  double width = 9.0;  // of a link, pixels
  std::string fill = ink::kBar;
  std::string edge = ink::kEdge;
  double opacity = 1.0;
  bool ground = true;  // a stand at the first point
};

/// Links between successive points (already on the page): rounded bars, joints as rings, the end as a dot.
void draw_arm(Svg& svg, const std::vector<Vec2>& points, const ArmStyle& style);
/// A stand with hatching below `at`.
void draw_ground(Svg& svg, const Vec2& at, double size);
/// A ring with a cross.
void draw_goal(Svg& svg, const Vec2& at, double size = 6.0);
/// Two arrows along the frame's x and y, with the frame's name.
void draw_frame(Svg& svg, const Vec2& origin, double angle, double length, const std::string& name);

/// How a method is shown everywhere: colour, dash and marker.
struct MethodStyle {
  const char* color;
  const char* dash;
  char
      marker;  // o disc, s square, p pentagon, ^ v triangles, d diamond, D open diamond, S open square, x cross, * star
};
MethodStyle method_style(std::string_view method);
void draw_marker(Svg& svg, const Vec2& at, const MethodStyle& style, double size = 3.5);

/// Error over iterations, logarithmic upwards.
struct Series {
  std::string name;
  MethodStyle style;
  std::vector<double> values;  // one per iteration, from 0
};
void draw_log_plot(Svg& svg, const Vec2& corner, const Vec2& size, const std::vector<Series>& series,
                   const std::string& y_label, double tolerance);

}  // namespace armature::drawing
