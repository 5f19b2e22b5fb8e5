// Files of one record a line, read as they come: fk's poses, ik's goals.
#pragma once

#include <fmt/format.h>

#include <string>

#include "armature/scene/files.hpp"
#include "common.hpp"
#include "output.hpp"

namespace armature::cli {

/// take(line, where) for every line that is not blank, with progress in `what`; the path may be a pipe, or - for
/// standard input.
template <class Take>
void for_each_line(const std::string& path, const char* what, Take take) {
  LineReader file(path);
  need(file.open());
  Progress progress(what);
  std::string line;
  for (int number = 1; need(file.next(line)); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    take(line, fmt::format("{}, line {}", path == "-" ? "Standard input" : path, number));
    if (file.fraction() > 0.0) progress.at(file.fraction());
  }
}

}  // namespace armature::cli
