// Walks over the text of a motion file: words, lines, numbers. No copies, no exceptions; positions turn into line
// numbers by Source (source.hpp) only when something is wrong.
#pragma once

#include <cstddef>
#include <string_view>

namespace armature::inline v0_2 {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  std::size_t position() const { return at_; }
  void set_position(std::size_t at) { at_ = at; }
  std::string_view text() const { return text_; }

  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  static bool is_line_end(char c) { return c == '\n' || c == '\r'; }
  static bool is_brace(char c) { return c == '{' || c == '}'; }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  /// Space within the line only.
  void skip_blanks() {
    while (at_ < text_.size() && is_space(text_[at_]) && !is_line_end(text_[at_])) ++at_;
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  bool at_line_end() {
    skip_blanks();
    return at_ == text_.size() || is_line_end(text_[at_]);
  }

  /// The next word: up to white space or a brace; a brace is a word of its own. Empty at the end.
  std::string_view word() {
    skip_space();
    const std::size_t begin = at_;
    if (at_ < text_.size() && is_brace(text_[at_])) return text_.substr(at_++, 1);
    while (at_ < text_.size() && !is_space(text_[at_]) && !is_brace(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::string_view peek_word() {
    skip_space();
    const std::size_t before = at_;
    const std::string_view next = word();
    at_ = before;
    return next;
  }

  /// What is left of the line up to `stop`, which is not taken, without the space around it.
  std::string_view rest_of_line(char stop = '\0') {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_line_end(text_[at_]) && (stop == '\0' || text_[at_] != stop)) ++at_;
    std::size_t end = at_;
    while (end > begin && is_space(text_[end - 1])) --end;
    return text_.substr(begin, end - begin);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// ASCII comparison without regard to case; `lower` is given in lower case.
inline bool same_word(std::string_view word, std::string_view lower) {
  if (word.size() != lower.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c) != lower[i]) return false;
  }
  return true;
}

}  // namespace armature::inline v0_2
