#include <fmt/format.h>

#include <CLI/CLI.hpp>
int main() { fmt::print("hi\n"); }
