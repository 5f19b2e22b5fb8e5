#include "armature/draw/svg.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "armature/formats/xml.hpp"

namespace armature::inline v0_2 {
namespace {

// At most two decimals, no trailing zeros, no "-0".
std::string number(double value) {
  char text[40];
  const double rounded = std::round(value * 100.0) / 100.0;
  std::snprintf(text, sizeof text, "%.2f", rounded == 0.0 ? 0.0 : rounded);
  std::string s = text;
  while (s.back() == '0') s.pop_back();
  if (s.back() == '.') s.pop_back();
  return s;
}

std::string point(const Vec2& p) { return number(p.x()) + "," + number(p.y()); }

Vec2 on_circle(const Vec2& centre, double radius, double angle) {
  return centre + radius * Vec2(std::cos(angle), -std::sin(angle));
}

}  // namespace

Svg::Svg(double width, double height, std::string_view title) : width_(width), height_(height), title_(title) {}

void Svg::shape(std::string_view element, const Pen& pen) {
  body_ += "<" + std::string(element) + " fill=\"" + pen.fill + "\"";
  if (pen.stroke != "none" && pen.width > 0.0) {
    body_ += " stroke=\"" + pen.stroke + "\" stroke-width=\"" + number(pen.width) + "\"";
    if (!pen.dash.empty()) body_ += " stroke-dasharray=\"" + pen.dash + "\"";
  }
  if (pen.opacity < 1.0) body_ += " opacity=\"" + number(pen.opacity) + "\"";
  body_ += "/>\n";
}

void Svg::line(const Vec2& a, const Vec2& b, const Pen& pen) {
  shape("path d=\"M" + point(a) + "L" + point(b) + "\"", pen);
}

void Svg::polyline(const std::vector<Vec2>& points, const Pen& pen, bool closed) {
  if (points.empty()) return;
  std::string d = "path d=\"M";
  for (std::size_t i = 0; i < points.size(); ++i) d += (i == 0 ? "" : "L") + point(points[i]);
  shape(d + (closed ? "Z\"" : "\""), pen);
}

void Svg::circle(const Vec2& c, double radius, const Pen& pen) {
  shape("circle cx=\"" + number(c.x()) + "\" cy=\"" + number(c.y()) + "\" r=\"" + number(radius) + "\"", pen);
}

void Svg::rectangle(const Vec2& corner, const Vec2& size, const Pen& pen, double rounding) {
  std::string d = "rect x=\"" + number(corner.x()) + "\" y=\"" + number(corner.y()) + "\" width=\"" + number(size.x()) +
                  "\" height=\"" + number(size.y()) + "\"";
  if (rounding > 0.0) d += " rx=\"" + number(rounding) + "\"";
  shape(d, pen);
}

void Svg::arc(const Vec2& centre, double radius, double from, double to, const Pen& pen) {
  const bool large = std::abs(to - from) > kPi;
  const bool sweep = to < from;  // y points down: counter-clockwise as seen is sweep 0
  const std::string r = number(radius);
  shape("path d=\"M" + point(on_circle(centre, radius, from)) + "A" + r + "," + r + " 0 " + (large ? "1" : "0") + " " +
            (sweep ? "1 " : "0 ") + point(on_circle(centre, radius, to)) + "\"",
        pen);
}

void Svg::head(const Vec2& tip, const Vec2& direction, const Pen& pen, double size) {
  const Vec2 along = direction.normalized() * size;
  const Vec2 across(-along.y(), along.x());
  polyline({tip, tip - along + 0.36 * across, tip - 0.8 * along, tip - along - 0.36 * across},
           Pen::filled(pen.stroke, pen.opacity), true);
}

void Svg::arrow(const Vec2& a, const Vec2& b, const Pen& pen, double size) {
  const Vec2 way = b - a;
  if (!(way.norm() > 1e-9)) return;
  const double fitting = std::min(size, way.norm());
  line(a, b - way.normalized() * 0.8 * fitting, pen);
  head(b, way, pen, fitting);
}

void Svg::arc_arrow(const Vec2& centre, double radius, double from, double to, const Pen& pen, double size) {
  const double sign = to > from ? 1.0 : -1.0;
  const double back = sign * std::min(std::abs(to - from), 0.8 * size / radius);
  arc(centre, radius, from, to - back, pen);
  const Vec2 tip = on_circle(centre, radius, to);
  const double mean = to - 0.5 * back;
  head(tip, sign * Vec2(-std::sin(mean), -std::cos(mean)), pen, size);
}

void Svg::text(const Vec2& at, std::string_view text, const Lettering& lettering) {
  body_ += "<text xml:space=\"preserve\" x=\"" + number(at.x()) + "\" y=\"" + number(at.y()) + "\" font-size=\"" +
           number(lettering.size) + "\" fill=\"" + lettering.color + "\"";
  if (std::string_view(lettering.anchor) != "start") body_ += " text-anchor=\"" + std::string(lettering.anchor) + "\"";
  if (lettering.bold) body_ += " font-weight=\"600\"";
  if (lettering.italic) body_ += " font-style=\"italic\"";
  if (lettering.turned != 0.0) body_ += " transform=\"rotate(" + number(lettering.turned) + " " + point(at) + ")\"";
  body_ += ">";
  std::size_t pos = 0;
  bool lowered = false;
  const auto piece = [&](std::string_view part, bool low) {
    if (part.empty()) return;
    const double shift = low == lowered ? 0.0 : (low ? 0.28 : -0.28) * lettering.size;
    if (!low && !lowered) {
      body_ += xml_escaped(part);
    } else {
      body_ += "<tspan dy=\"" + number(shift) + "\"" +
               (low ? " font-size=\"" + number(0.72 * lettering.size) + "\"" : std::string()) + ">" +
               xml_escaped(part) + "</tspan>";
    }
    lowered = low;
  };
  while (pos < text.size()) {
    const std::size_t start = text.find("_{", pos);
    const std::size_t end = start == std::string_view::npos ? start : text.find('}', start);
    if (end == std::string_view::npos) {
      piece(text.substr(pos), false);
      break;
    }
    piece(text.substr(pos, start - pos), false);
    piece(text.substr(start + 2, end - start - 2), true);
    pos = end + 1;
  }
  body_ += "</text>\n";
}

void Svg::make_grey() {
  // Colours are written as #rrggbb, only as values of attributes.
  const auto channel = [&](std::size_t at) { return std::strtol(body_.substr(at, 2).c_str(), nullptr, 16); };
  const auto is_color = [&](std::size_t at) {
    return at + 8 <= body_.size() && body_[at + 7] == '"' &&
           body_.find_first_not_of("0123456789abcdefABCDEF", at + 1) == at + 7;
  };
  for (std::size_t at = body_.find("\"#"); at != std::string::npos; at = body_.find("\"#", at + 1)) {
    if (!is_color(at + 1)) continue;
    const double grey = 0.2126 * static_cast<double>(channel(at + 2)) + 0.7152 * static_cast<double>(channel(at + 4)) +
                        0.0722 * static_cast<double>(channel(at + 6));  // ITU-R BT.709
    char text[8];
    const int level = static_cast<int>(grey + 0.5);
    std::snprintf(text, sizeof text, "%02x%02x%02x", level, level, level);
    body_.replace(at + 2, 6, text);
  }
}

std::string Svg::str() const {
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width_) + "\" height=\"" +
                    number(height_) + "\" viewBox=\"0 0 " + number(width_) + " " + number(height_) +
                    "\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\" "
                    "stroke-linecap=\"round\" stroke-linejoin=\"round\">\n";
  if (!title_.empty()) out += "<title>" + xml_escaped(title_) + "</title>\n";
  out += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  return out + body_ + "</svg>\n";
}

}  // namespace armature::inline v0_2
