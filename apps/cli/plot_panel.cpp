#include "plot_panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/base/number.hpp"

namespace armature::cli {
namespace {

constexpr const char* kPlotColors[] = {"#1c5cc0", "#b83a00", "#08705d", "#7d1168",
                                       "#a48335", "#5b5f66", "#0094b0", "#6446c0"};
constexpr const char* kPlotDashes[] = {"", "7 3", "2 3", "10 3 2 3"};

// A step of 1, 2 or 5 times a power of ten that gives about `count` parts.
double plot_step(double span, int count) {
  const double raw = span / count;
  const double decade = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double m : {1.0, 2.0, 5.0}) {
    if (raw <= m * decade) return m * decade;
  }
  return 10.0 * decade;
}

double degree_step(double span, int count) {
  for (const double step : {15.0, 30.0, 45.0, 90.0, 180.0, 360.0}) {
    if (span > 45.0 && span / count <= step) return step;
  }
  return plot_step(span, count);
}

}  // namespace

void draw_panel(Svg& svg, const Vec2& corner, const Vec2& size, const PlotPanel& panel, const PlotAxis& axis,
                bool last) {
  const auto drawn = [&](double v) { return std::isfinite(v) && (panel.most == 0.0 || std::abs(v) <= panel.most); };
  double low = 1e300;
  double high = -1e300;
  for (const PlotLine& line : panel.lines) {
    for (const double v : line.values) {
      if (!drawn(v)) continue;
      low = std::min(low, v);
      high = std::max(high, v);
    }
  }
  if (low > high) low = high = 0.0;
  if (high - low < 1e-12 * std::max(1.0, std::abs(high))) {
    const double room = std::max(1e-9, 0.1 * std::abs(high));
    low -= room;
    high += room;
  }
  const double margin = 0.06 * (high - low);
  low = low >= 0.0 && low - margin < 0.0 ? 0.0 : low - margin;
  high += margin;
  const auto [first, most] = std::minmax_element(axis.values.begin(), axis.values.end());
  const double left = *first, span = *most - *first;
  const auto place = [&](double x, double v) {
    return Vec2(corner.x() + size.x() * (span > 0.0 ? (x - left) / span : 0.0),
                corner.y() + size.y() * (1.0 - (v - low) / (high - low)));
  };
  const double step = plot_step(high - low, 4);
  for (double v = std::ceil(low / step) * step; v <= high + 1e-9 * step; v += step) {
    const Vec2 at = place(left, v);
    svg.line(at, at + Vec2(size.x(), 0), Pen::line(ink::kFaint, 0.6));
    svg.text(at + Vec2(-7, 4), pretty_number(std::abs(v) < 1e-9 * step ? 0.0 : v, 4),
             {10.5, ink::kSoft, "end", false, false, 0});
  }
  const double tick = !(span > 0.0) ? 1.0 : axis.degrees ? degree_step(span, 8) : plot_step(span, 8);
  for (double x = std::ceil(left / tick - 1e-9) * tick; x <= left + span * (1 + 1e-9); x += tick) {
    const Vec2 at = place(x, low);
    svg.line(at, at + Vec2(0, 4), Pen::line(ink::kEdge, 0.9));
    if (last) {
      svg.text(at + Vec2(0, 17), pretty_number(std::abs(x) < 1e-9 * tick ? 0.0 : x, 4),
               {10.5, ink::kSoft, "middle", false, false, 0});
    }
  }
  svg.line(corner + Vec2(0, size.y()), corner + size, Pen::line(ink::kEdge, 1.0));
  svg.line(corner, corner + Vec2(0, size.y()), Pen::line(ink::kEdge, 1.0));
  svg.text(corner + Vec2(-52, 0.5 * size.y()), panel.label, {11.5, ink::kText, "middle", false, false, -90.0});
  double legend = corner.y() + 6.0;
  for (std::size_t i = 0; i < panel.lines.size(); ++i) {
    const Pen pen = Pen::line(kPlotColors[i % 8], 1.5, kPlotDashes[i / 8 % 4]);
    std::vector<Vec2> points;
    const std::vector<double>& values = panel.lines[i].values;
    for (std::size_t f = 0; f <= values.size(); ++f) {
      if (f < values.size() && drawn(values[f])) {
        points.push_back(place(axis.values[f], values[f]));
      } else if (!points.empty()) {  // the line breaks where a value is not drawn
        svg.polyline(points, pen);
        points.clear();
      }
    }
    if (panel.lines.size() < 2 && panel.lines[i].name.empty()) continue;
    if (i >= kNamedLines) continue;
    const Vec2 at(corner.x() + size.x() + 16, legend);
    const bool more = i + 1 == kNamedLines && panel.lines.size() > kNamedLines;
    if (!more) svg.line(at, at + Vec2(22, 0), pen);
    svg.text(at + Vec2(more ? 0 : 28, 4),
             more ? fmt::format("and {} more", panel.lines.size() - kNamedLines + 1) : panel.lines[i].name,
             {11, ink::kText, "start", false, false, 0});
    legend += 14.5;
  }
}

}  // namespace armature::cli
