#include "output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

namespace armature::cli {
namespace {

std::string painted(std::string_view code, std::string_view text, std::FILE* stream) {
  const std::string safe = printable(text);
  return colours_on(stream) ? fmt::format("\x1b[{}m{}\x1b[0m", code, safe) : safe;
}

bool looks_like_number(const std::string& text) {
  const std::size_t at = text.find_first_not_of("+-");
  return text == "-" || text == "inf" || (at != std::string::npos && at <= 1 && text[at] >= '0' && text[at] <= '9');
}

std::vector<std::string>& kept_notes() {
  static std::vector<std::string> notes;
  return notes;
}

}  // namespace

Json number_to_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json numbers_to_json(const double* values, std::size_t count) {
  Json list = Json::array();
  for (std::size_t i = 0; i < count; ++i) list.push_back(number_to_json(values[i]));
  return list;
}

void print_json(const Json& json, int indent) {
  fmt::print("{}\n", json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

void print_answer(const Json& answer, bool ok) {
  Json json{{"ok", ok}};
  json.update(answer);
  json["notes"] = kept_notes();
  print_json(json);
}

void add_notes(const std::vector<std::string>& notes) {
  std::vector<std::string>& kept = kept_notes();
  for (const std::string& note : notes) {
    if (std::find(kept.begin(), kept.end(), note) == kept.end()) kept.push_back(note);
  }
}

void show_notes() {
  std::fflush(stdout);
  for (const std::string& note : kept_notes()) fmt::print(stderr, "note: {}\n", printable(note));
}

bool colours_on(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != 0) return false;
  const char* term = std::getenv("TERM");
  if (term != nullptr && std::string_view(term) == "dumb") return false;
  return isatty(fileno(stream)) != 0;
}

std::string bold(std::string_view text) { return painted("1", text, stdout); }
std::string dim(std::string_view text) { return painted("2", text, stdout); }
std::string error_label() { return painted("1;31", "armature:", stderr); }

std::string trimmed_sentence(std::string_view text) {
  std::string line(text.substr(0, text.find('\n')));
  while (!line.empty() && (line.back() == '.' || line.back() == ' ')) line.pop_back();
  return line;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++width;
  }
  return width;
}

void Table::add(const std::vector<std::string>& row) {
  rows_.emplace_back();
  for (const std::string& cell : row) rows_.back().push_back(printable(cell));
}

std::string Table::text(int indent) const {
  std::vector<std::size_t> width;
  std::vector<bool> right;
  for (const auto& row : rows_) {
    width.resize(std::max(width.size(), row.size()), 0);
    right.resize(width.size(), true);
    for (std::size_t c = 0; c < row.size(); ++c) {
      width[c] = std::max(width[c], display_width(row[c]));
      if (&row != &rows_.front() && !row[c].empty() && !looks_like_number(row[c])) right[c] = false;
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line(static_cast<std::size_t>(indent), ' ');
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string gap(width[c] - display_width(row[c]), ' ');
      line += right[c] ? gap + row[c] : row[c] + gap;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += (&row == &rows_.front() ? bold(line) : line) + "\n";
  }
  return out;
}

namespace {
constexpr std::int64_t kLineEvery = 10000;  // milliseconds between two lines of a log
}

Progress::Progress(std::string label) : label_(std::move(label)), on_(isatty(STDERR_FILENO) != 0) {}

void Progress::at(double fraction) {
  const auto clock = std::chrono::steady_clock::now().time_since_epoch();
  const std::int64_t now = std::chrono::duration_cast<std::chrono::milliseconds>(clock).count();
  if (!on_) {  // in a log: a line now and then
    if (last_ == 0) last_ = now;
    if (now < last_ + kLineEvery) return;
    last_ = now;
    fmt::print(stderr, "{}: {:.0f} %\n", trimmed_sentence(label_), std::clamp(fraction, 0.0, 1.0) * 100);
    return;
  }
  if (last_ == 0) last_ = now + 200;  // quick work shows no bar at all
  if (now < last_ + 100) return;
  last_ = now;
  shown_ = true;
  const int filled = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * 30));
  std::string bar;
  for (int i = 0; i < 30; ++i) bar += i < filled ? "█" : "░";
  fmt::print(stderr, "\r{} {} {:3.0f} %", label_, bar, std::clamp(fraction, 0.0, 1.0) * 100);
  std::fflush(stderr);
}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace armature::cli
