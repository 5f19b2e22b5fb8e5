#include "armature/draw/shapes.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/number.hpp"
#include "armature/solve/registry.hpp"

namespace armature::drawing {

View::View(const Vec2& low, const Vec2& high, const Vec2& corner, const Vec2& size) {
  const Vec2 span = (high - low).cwiseMax(1e-12);
  scale_ = std::min(size.x() / span.x(), size.y() / span.y());
  const Vec2 middle = 0.5 * (low + high);
  const Vec2 page = corner + 0.5 * size;
  origin_ = page - scale_ * Vec2(middle.x(), -middle.y());
}

void draw_ground(Svg& svg, const Vec2& at, double size) {
  const double y = at.y() + 0.75 * size;
  const Pen pen = Pen::line(ink::kEdge, 1.0);
  svg.polyline({at, Vec2(at.x() - 0.55 * size, y), Vec2(at.x() + 0.55 * size, y)},
               {ink::kEdge, 1.0, "#ffffff", "", 1.0}, true);
  svg.line(Vec2(at.x() - size, y), Vec2(at.x() + size, y), pen);
  for (int i = 0; i < 6; ++i) {
    const double x = at.x() - size + (i + 0.5) * size / 3.0;
    svg.line(Vec2(x, y), Vec2(x - 0.28 * size, y + 0.3 * size), Pen::line(ink::kEdge, 0.7));
  }
}

void draw_arm(Svg& svg, const std::vector<Vec2>& points, const ArmStyle& style) {
  if (points.empty()) return;
  if (style.ground) draw_ground(svg, points.front(), 1.25 * style.width);
  const double half = 0.5 * style.width;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Vec2 way = points[i + 1] - points[i];
    if (way.norm() < 1e-9) continue;
    // A bar that narrows a little outwards, with round ends.
    const Vec2 u = way.normalized();
    const Vec2 n(-u.y(), u.x());
    const double a = half;
    const double b = i + 2 == points.size() ? 0.62 * half : 0.85 * half;
    std::vector<Vec2> outline;
    for (int k = 0; k <= 12; ++k) {
      const double t = kPi * k / 12.0;
      outline.push_back(points[i] - a * std::sin(t) * u + a * std::cos(t) * n);
    }
    for (int k = 0; k <= 12; ++k) {
      const double t = kPi * k / 12.0;
      outline.push_back(points[i + 1] + b * std::sin(t) * u - b * std::cos(t) * n);
    }
    svg.polyline(outline, {style.edge, 1.1, style.fill, "", style.opacity}, true);
  }
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    svg.circle(points[i], 0.3 * style.width, {style.edge, 1.1, "#ffffff", "", style.opacity});
  }
  svg.circle(points.back(), 0.26 * style.width, Pen::filled(style.edge, style.opacity));
}

void draw_goal(Svg& svg, const Vec2& at, double size) {
  const Pen pen = Pen::line(ink::kGoal, 1.4);
  svg.circle(at, size, pen);
  for (const Vec2& d : {Vec2(1, 0), Vec2(0, 1)}) {
    svg.line(at - 1.55 * size * d, at - 0.45 * size * d, pen);
    svg.line(at + 0.45 * size * d, at + 1.55 * size * d, pen);
  }
}

void draw_frame(Svg& svg, const Vec2& origin, double angle, double length, const std::string& name) {
  const Vec2 x(std::cos(angle), -std::sin(angle));
  const Vec2 y(-std::sin(angle), -std::cos(angle));
  svg.arrow(origin, origin + length * x, Pen::line("#c9302c", 1.4), 6.5);
  svg.arrow(origin, origin + length * y, Pen::line("#2c8a2e", 1.4), 6.5);
  svg.circle(origin, 2.0, Pen::filled(ink::kText));
  if (!name.empty()) {
    Lettering lettering{11.5, ink::kText, "middle", false, true, 0.0};
    svg.text(origin - 0.42 * length * (x + y) + Vec2(0, 4), name, lettering);
  }
}

MethodStyle method_style(std::string_view method) {
  MethodInfo info{"", "", "", ""};
  for (const BuiltinMethod& entry : builtin_methods()) {
    if (method == entry.info.name) info = entry.info;
  }
  return {info.color, info.dash, info.marker};
}

void draw_marker(Svg& svg, const Vec2& at, const MethodStyle& style, double size) {
  const auto polygon = [&](int corners, double turn, double radius, bool open) {
    std::vector<Vec2> points;
    for (int i = 0; i < corners; ++i) {
      const double t = turn + 2.0 * kPi * i / corners;
      points.push_back(at + radius * Vec2(std::sin(t), -std::cos(t)));
    }
    svg.polyline(points, {style.color, 1.3, open ? "#ffffff" : style.color, "", 1.0}, true);
  };
  switch (style.marker) {
    case 's':
      return polygon(4, kPi / 4, 1.25 * size, false);
    case 'S':
      return polygon(4, kPi / 4, 1.25 * size, true);
    case 'd':
      return polygon(4, 0.0, 1.25 * size, false);
    case 'D':
      return polygon(4, 0.0, 1.25 * size, true);
    case 'p':
      return polygon(5, 0.0, 1.15 * size, false);
    case '^':
      return polygon(3, 0.0, 1.25 * size, false);
    case 'v':
      return polygon(3, kPi, 1.25 * size, false);
    case 'x':
      svg.line(at - Vec2(size, size), at + Vec2(size, size), Pen::line(style.color, 1.6));
      svg.line(at - Vec2(size, -size), at + Vec2(size, -size), Pen::line(style.color, 1.6));
      return;
    case '*': {
      std::vector<Vec2> points;
      for (int i = 0; i < 10; ++i) {
        const double t = kPi * i / 5.0;
        points.push_back(at + (i % 2 == 0 ? 1.4 : 0.6) * size * Vec2(std::sin(t), -std::cos(t)));
      }
      svg.polyline(points, Pen::filled(style.color), true);
      return;
    }
    default:
      svg.circle(at, size, Pen::filled(style.color));
  }
}

void draw_log_plot(Svg& svg, const Vec2& corner, const Vec2& size, const std::vector<Series>& series,
                   const std::string& y_label, double tolerance) {
  double low = tolerance > 0.0 ? tolerance : 1e300;
  double high = 0.0;
  std::vector<double> lengths;
  for (const Series& s : series) {
    lengths.push_back(static_cast<double>(s.values.size()));
    for (const double v : s.values) {
      high = std::max(high, v);
      if (v > 0.0) low = std::min(low, std::max(v, 1e-5 * tolerance));
    }
  }
  if (!(high > 0.0) || !(low < 1e300)) return;
  const double bottom = std::floor(std::log10(low) - 1e-9);
  const double top = std::max(std::ceil(std::log10(high) + 1e-9), bottom + 1.0);
  // Slow methods would squeeze the others to the edge: the axis ends where most have, and says so.
  std::sort(lengths.begin(), lengths.end());
  double last = lengths.empty() ? 1.0 : lengths.back() - 1.0;
  const double typical = lengths.empty() ? 1.0 : lengths[lengths.size() / 2];
  last = std::max(4.0, std::min(last, 4.0 * typical));
  const auto place = [&](double iteration, double value) {
    const double log = std::log10(std::max(value, std::pow(10.0, bottom)));
    return Vec2(corner.x() + size.x() * iteration / last, corner.y() + size.y() * (top - log) / (top - bottom));
  };
  const Lettering tick{11.0, ink::kSoft, "end", false, false, 0.0};
  const int every = top - bottom > 8.0 ? 2 : 1;
  for (int e = static_cast<int>(bottom); e <= static_cast<int>(top); ++e) {
    const Vec2 a = place(0.0, std::pow(10.0, e));
    svg.line(a, a + Vec2(size.x(), 0), Pen::line(ink::kFaint, 0.7));
    if ((e - static_cast<int>(bottom)) % every == 0) {
      const bool plain = e >= -1 && e <= 3;
      const std::string label = plain ? pretty_number(std::pow(10.0, e)) : "1e" + std::to_string(e);
      svg.text(a + Vec2(-7, 4), label, tick);
    }
  }
  double pitch = std::pow(10.0, std::floor(std::log10(last)));
  if (last / pitch < 2.5) pitch /= 5.0;
  if (last / pitch < 5.0) pitch /= 2.0;
  pitch = std::max(1.0, std::round(pitch));
  for (double i = 0.0; i <= last + 1e-9; i += pitch) {
    const Vec2 a(corner.x() + size.x() * i / last, corner.y() + size.y());
    svg.line(a, a + Vec2(0, 4), Pen::line(ink::kSoft, 0.9));
    svg.text(a + Vec2(0, 17), pretty_number(std::round(i), 15), {11.0, ink::kSoft, "middle", false, false, 0.0});
  }
  svg.line(corner + Vec2(0, size.y()), corner + size, Pen::line(ink::kEdge, 1.0));
  svg.line(corner, corner + Vec2(0, size.y()), Pen::line(ink::kEdge, 1.0));
  svg.text(corner + Vec2(0.5 * size.x(), size.y() + 35), "iteration", {12.0, ink::kText, "middle", false, false, 0.0});
  svg.text(corner + Vec2(-46, 0.5 * size.y()), y_label, {12.0, ink::kText, "middle", false, false, -90.0});
  if (tolerance > 0.0) {
    const Vec2 a = place(0.0, tolerance);
    svg.line(a, a + Vec2(size.x(), 0), Pen::line("#0a7350", 1.0, "5 4"));
    svg.text(a + Vec2(6, 13), "tolerance", {11.0, "#0a7350", "start", false, false, 0.0});
  }
  double legend = corner.y() + 6.0;
  for (const Series& s : series) {
    std::vector<Vec2> points;
    for (std::size_t i = 0; i < s.values.size() && static_cast<double>(i) <= last; ++i) {
      points.push_back(place(static_cast<double>(i), s.values[i]));
    }
    svg.polyline(points, Pen::line(s.style.color, 1.75, s.style.dash));
    const std::size_t spacing = std::max<std::size_t>(1, points.size() / 8);
    for (std::size_t i = 0; i < points.size(); i += spacing) draw_marker(svg, points[i], s.style);
    if (!points.empty()) draw_marker(svg, points.back(), s.style);
    if (series.size() == 1) continue;  // the title says which
    const Vec2 at(corner.x() + size.x() + 20, legend);
    svg.line(at, at + Vec2(28, 0), Pen::line(s.style.color, 1.75, s.style.dash));
    draw_marker(svg, at + Vec2(14, 0), s.style);
    const bool cut = static_cast<double>(s.values.size()) - 1.0 > last;
    const std::string note = cut ? " (" + std::to_string(s.values.size() - 1) + " in all)" : "";
    svg.text(at + Vec2(36, 4), s.name + note, {12.0, ink::kText, "start", false, false, 0.0});
    legend += 20.0;
  }
}

}  // namespace armature::drawing
