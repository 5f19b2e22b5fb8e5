// What `armature plot` draws: panels of lines over one axis.
#pragma once

#include <string>
#include <vector>

#include "drawing.hpp"

namespace armature::cli {

struct PlotLine {
  std::string name;
  std::vector<double> values;  // one a frame
};
struct PlotPanel {
  std::string label;
  std::vector<PlotLine> lines;
  double most = 0.0;  // values beyond it are not drawn; 0: all are
};
struct PlotAxis {
  std::string label = "time, s";
  std::vector<double> values;  // one a frame
  bool degrees = false;
};

inline constexpr std::size_t kNamedLines = 14;  // of a panel; the others are counted

/// `last`: the axis is labelled below it.
void draw_panel(Svg& svg, const Vec2& corner, const Vec2& size, const PlotPanel& panel, const PlotAxis& axis,
                bool last);

}  // namespace armature::cli
