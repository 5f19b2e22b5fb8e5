// How the subcommands show things: JSON, colours, tables, progress. Results go to stdout, everything else to stderr.
#pragma once

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "armature/base/printable.hpp"
#include "armature/base/suggest.hpp"

namespace armature::cli {

using Json = nlohmann::ordered_json;  // numbers are written in the shortest form that reads back exactly

/// Infinity and NaN become null.
Json number_to_json(double value);
Json numbers_to_json(const double* values, std::size_t count);
void print_json(const Json& json, int indent = 2);  // ends with a newline; -1: on one line
/// The answer of a command: {"ok": ..., the members of `answer`, "notes": [...]}.
void print_answer(const Json& answer, bool ok = true);

/// armature::quoted under another name: for a std::string the compiler would find std::quoted too.
inline std::string in_quotes(std::string_view name) { return armature::quoted(name); }

/// Remarks on what was dropped, repaired or assumed. They are kept for the answer's JSON, and show_notes() puts them
/// on stderr behind all results ("note: ..."), each once.
void add_notes(const std::vector<std::string>& notes);
void show_notes();

/// Colours only on a terminal, and never when NO_COLOR is set.
bool colours_on(std::FILE* stream);
std::string bold(std::string_view text);
std::string dim(std::string_view text);
std::string error_label();  // "armature:" in red where colours are on

/// Ends CLI11's messages without a full stop and without line breaks.
std::string trimmed_sentence(std::string_view text);

/// Columns as wide as they need to be; numbers to the right.
class Table {
 public:
  explicit Table(const std::vector<std::string>& header) { add(header); }
  void add(const std::vector<std::string>& row);  // printable: names come from files
  std::string text(int indent = 0) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Width on a terminal of UTF-8 text that has no wide characters.
std::size_t display_width(std::string_view text);

/// A bar on a terminal, redrawn at most ten times a second and gone at the end; elsewhere a line every ten seconds.
class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void at(double fraction);

 private:
  std::string label_;
  bool shown_ = false;
  bool on_ = false;
  std::int64_t last_ = 0;  // milliseconds
};

}  // namespace armature::cli
