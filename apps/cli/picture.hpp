// Pictures as files: SVG as it is, PNG and PDF by librsvg and cairo where the program was built with it.
#pragma once

#include <string>

#include "armature/draw/svg.hpp"

namespace armature::cli {

/// Whether the path names a picture: .svg, .png or .pdf.
bool is_picture(const std::string& path);

/// Whether this program can write PNG and PDF.
bool has_png();

/// Writes the picture in the format its path names; `scale` is the PNG's pixels per SVG unit. BadInput with what to do
/// where that is not possible.
void write_picture(const std::string& path, const Svg& svg, double scale = 2.0);

}  // namespace armature::cli
