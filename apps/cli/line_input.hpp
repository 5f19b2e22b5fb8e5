// Files of one record a line, read as they come: fk's poses, ik's goals.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <string>

#include "common.hpp"
#include "output.hpp"

namespace armature::cli {

/// take(line, where) for every line that is not blank, with progress in `what`; the path - is standard input.
template <class Take>
void for_each_line(const std::string& path, const char* what, Take take) {
  const bool piped = path == "-";
  std::ifstream file;
  double total = 0.0, done = 0.0;
  if (!piped) {
    file.open(path, std::ios::binary | std::ios::ate);
    if (!file) throw BadInput{fmt::format("The file {} cannot be opened.", in_quotes(path))};
    total = static_cast<double>(file.tellg());
    file.seekg(0);
  }
  std::istream& in = piped ? std::cin : file;
  Progress progress(what);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    done += static_cast<double>(line.size() + 1);
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    take(line, fmt::format("{}, line {}", piped ? "Standard input" : path, number));
    if (total > 0.0) progress.at(done / total);
  }
  if (in.bad()) throw BadInput{fmt::format("The file {} cannot be read to its end.", in_quotes(path))};
}

}  // namespace armature::cli
