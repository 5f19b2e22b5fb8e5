// A small SVG writer: shapes and text in pixels, y downwards, numbers rounded to hundredths so that files are small and
// the same on every machine. What every picture is made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

/// How a shape is drawn. Colours as SVG spells them; "none" leaves a part out.
struct Pen {
  std::string stroke = "#1a1b1e";
  double width = 1.0;
  std::string fill = "none";
  std::string dash;  // "6 3"; empty: solid
  double opacity = 1.0;

  static Pen line(std::string color, double width = 1.0, std::string dash = "") {
    return {std::move(color), width, "none", std::move(dash), 1.0};
  }
  static Pen filled(std::string color, double opacity = 1.0) { return {"none", 0.0, std::move(color), "", opacity}; }
};

struct Lettering {
  double size = 12.0;
  std::string color = "#1a1b1e";
  const char* anchor = "start";  // start, middle, end
  bool bold = false;
  bool italic = false;
  double turned = 0.0;  // degrees, clockwise
};

class Svg {
 public:
  Svg(double width, double height, std::string_view title = "");

  void line(const Vec2& a, const Vec2& b, const Pen& pen);
  void polyline(const std::vector<Vec2>& points, const Pen& pen, bool closed = false);
  void circle(const Vec2& centre, double radius, const Pen& pen);
  void rectangle(const Vec2& corner, const Vec2& size, const Pen& pen, double rounding = 0.0);
  /// Part of a circle from one angle to another, radians, counter-clockwise as seen.
  void arc(const Vec2& centre, double radius, double from, double to, const Pen& pen);
  /// A line with a head at b.
  void arrow(const Vec2& a, const Vec2& b, const Pen& pen, double head = 7.0);
  /// The same along an arc.
  void arc_arrow(const Vec2& centre, double radius, double from, double to, const Pen& pen, double head = 6.0);
  /// Text; "_{x}" sets x as a subscript.
  void text(const Vec2& at, std::string_view text, const Lettering& lettering);

  /// Every colour as the grey of its lightness: for print in one colour.
  void make_grey();

  double width() const { return width_; }
  double height() const { return height_; }
  std::string str() const;

 private:
  void shape(std::string_view element, const Pen& pen);
  void head(const Vec2& tip, const Vec2& direction, const Pen& pen, double size);

  double width_;
  double height_;
  std::string title_;
  std::string body_;
};

}  // namespace armature::inline v0_2
