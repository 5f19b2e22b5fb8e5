// The comparison of all methods on one problem; see compare.cpp.
#pragma once

#include <string>

namespace armature::cli {

/// Every method that can take it on the textbook's arm: prints the table and writes the plot.
void compare_chapter(const std::string& svg_path);

}  // namespace armature::cli
