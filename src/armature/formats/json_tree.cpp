#include "armature/formats/json_tree.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {
namespace {

// Reads bytes and tells everybody how far it has come: the SAX interface itself gives no positions.
class CountingIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** position) : at_(at), position_(position) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *position_ = ++at_;
    return *this;
  }
  bool operator==(const CountingIterator& o) const { return at_ == o.at_; }
  bool operator!=(const CountingIterator& o) const { return at_ != o.at_; }

 private:
  const char* at_;
  const char** position_;
};

}  // namespace

// Text into a tree: nlohmann's SAX interface.
class JsonTextBuilder : public JsonTreeBuilder {
 public:
  JsonTextBuilder(JsonTree& tree, const Source& source)
      : JsonTreeBuilder(tree), position(source.bytes.data()), source_(source) {
    tree.has_text_ = true;
  }

  bool null() { return here() && JsonTreeBuilder::null(); }
  bool boolean(bool value) { return here() && JsonTreeBuilder::boolean(value); }
  bool number_integer(std::int64_t value) { return here() && number(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) { return here() && number(static_cast<double>(value)); }
  bool number_float(double value, const std::string&) { return here() && number(value); }
  bool string(std::string& value) { return here() && JsonTreeBuilder::string(value); }
  template <class Bytes>
  bool binary(Bytes&) {
    return false;  // not in JSON text
  }
  bool key(std::string& value) { return JsonTreeBuilder::key(value); }
  bool start_object(std::size_t) { return here() && begin_object(); }
  bool start_array(std::size_t) { return here() && begin_array(); }
  bool end_array() { return end(); }
  bool end_object() { return end(); }
  bool parse_error(std::size_t at, const std::string& token, const nlohmann::detail::exception& problem) {
    // "[json.exception...] parse error at line 1, column 2: syntax error while parsing value - unexpected '}';
    // expected"
    std::string why = problem.what();
    const std::size_t colon = why.find(": ");
    if (problem.id == 406) {
      why = "the number " + armature::detail::quoted(token) + " is too large; numbers must lie within +-1.7e308";
    } else if (colon != std::string::npos) {
      why = why.substr(colon + 2);
    }
    for (char& c : why) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    if (why.size() > 300) why = why.substr(0, 200) + " ... " + why.substr(why.size() - 60);
    return fail(at > 0 ? at - 1 : 0, "This is not well-formed JSON: " + to_utf8(why) + ".");
  }

  const char* position;
  Error error;

 private:
  // The byte before the parser's position: the last of the token (a number's follower at most).
  bool here() {
    const auto read = static_cast<std::size_t>(position - source_.bytes.data());
    offset = read > 0 ? read - 1 : 0;
    return true;
  }
  bool fail(std::size_t at, const std::string& sentence) override {
    if (error.message.empty()) error = source_.error(at, sentence);
    return false;
  }
  std::string first_place(std::size_t at) const override {
    return " (first in line " + std::to_string(source_.line(at)) + ")";
  }

  const Source& source_;
};

bool JsonTreeBuilder::fail(std::size_t, const std::string& sentence) {
  if (mistake.empty()) mistake = sentence;
  return false;
}

JsonTree::Node* JsonTreeBuilder::add(JsonKind kind) {
  if (tree_.nodes_.size() >= kMaxJsonValues) {
    fail(offset, "There are more than " + std::to_string(kMaxJsonValues) +
                     " values, the most that is read; keep long motions in CSV or BVH files.");
    return nullptr;
  }
  if (!open_.empty()) ++tree_.nodes_[open_.back()].extent;
  JsonTree::Node node;
  node.kind = kind;
  node.offset = static_cast<std::uint32_t>(offset);
  node.key = key_;
  node.key_size = key_size_;
  key_size_ = 0;
  tree_.nodes_.push_back(node);
  return &tree_.nodes_.back();
}

bool JsonTreeBuilder::add_number(JsonKind kind, double value) {
  JsonTree::Node* node = add(kind);
  if (node != nullptr) node->number = value;
  return node != nullptr;
}

bool JsonTreeBuilder::string(std::string_view value) {
  JsonTree::Node* node = add(JsonKind::string);
  if (node == nullptr) return false;
  node->extent = tree_.text_.size();
  node->end = static_cast<std::uint32_t>(value.size());
  tree_.text_ += value;
  return true;
}

bool JsonTreeBuilder::key(std::string_view value) {
  key_ = static_cast<std::uint32_t>(tree_.text_.size());
  key_size_ = static_cast<std::uint32_t>(value.size());
  tree_.text_ += value;
  return true;
}

bool JsonTreeBuilder::open(JsonKind kind) {
  if (open_.size() >= static_cast<std::size_t>(kMaxJsonDepth)) {
    return fail(offset, "Arrays and objects are nested deeper than " + std::to_string(kMaxJsonDepth) +
                            " levels, the most that is read.");
  }
  JsonTree::Node* node = add(kind);
  if (node == nullptr) return false;
  node->extent = 0;
  open_.push_back(static_cast<std::uint32_t>(tree_.nodes_.size() - 1));
  return true;
}

bool JsonTreeBuilder::end() {
  if (tree_.nodes_[open_.back()].kind == JsonKind::object && !unique_keys()) return false;
  tree_.nodes_[open_.back()].end = static_cast<std::uint32_t>(tree_.nodes_.size());
  open_.pop_back();
  return true;
}

bool JsonTreeBuilder::unique_keys() {
  const std::uint32_t object = open_.back();
  keys_.clear();
  for (std::uint32_t i = object + 1; i < tree_.nodes_.size(); i = tree_.after(i)) {
    const JsonTree::Node& node = tree_.nodes_[i];
    keys_.emplace_back(std::string_view(tree_.text_).substr(node.key, node.key_size), node.offset);
  }
  std::sort(keys_.begin(), keys_.end());
  for (std::size_t i = 1; i < keys_.size(); ++i) {
    if (keys_[i].first == keys_[i - 1].first) {
      return fail(keys_[i].second, "The key " + armature::detail::quoted(keys_[i].first) +
                                       " stands twice in one object" + first_place(keys_[i - 1].second) +
                                       "; keep one of them.");
    }
  }
  return true;
}

Result<JsonTree> JsonTree::parse(const Source& source, bool comments) {
  if (source.bytes.size() > kMaxJsonBytes) {
    return source.error("The file is larger than " + std::to_string(kMaxJsonBytes >> 20) +
                        " MiB, the most that is read as JSON.");
  }
  JsonTree tree;
  JsonTextBuilder builder(tree, source);
  const char* const begin = source.bytes.data();
  const bool ok = nlohmann::json::sax_parse(CountingIterator(begin, &builder.position),
                                            CountingIterator(begin + source.bytes.size(), &builder.position), &builder,
                                            nlohmann::json::input_format_t::json, true, comments);
  if (!ok) return builder.error.message.empty() ? source.error("This is not well-formed JSON.") : builder.error;
  return tree;
}

std::uint32_t JsonTree::after(std::uint32_t index) const {
  const Node& node = nodes_[index];
  return node.kind == JsonKind::array || node.kind == JsonKind::object ? node.end : index + 1;
}

const char* json_kind_name(JsonKind kind) {
  constexpr const char* kNames[] = {"null", "true or false", "a number", "a string", "an array", "an object"};
  return kNames[static_cast<int>(kind)];
}

JsonKind JsonRef::kind() const { return tree_->nodes_[index_].kind; }
double JsonRef::number() const { return tree_->nodes_[index_].number; }
std::size_t JsonRef::offset() const { return tree_->nodes_[index_].offset; }

std::string_view JsonRef::text() const {
  const JsonTree::Node& node = tree_->nodes_[index_];
  return std::string_view(tree_->text_).substr(node.extent, node.end);
}

std::string_view JsonRef::key() const {
  const JsonTree::Node& node = tree_->nodes_[index_];
  return std::string_view(tree_->text_).substr(node.key, node.key_size);
}

std::size_t JsonRef::size() const {
  const JsonTree::Node& node = tree_->nodes_[index_];
  return node.kind == JsonKind::array || node.kind == JsonKind::object ? node.extent : 0;
}

JsonRef::Iterator JsonRef::begin() const { return {tree_, size() > 0 ? index_ + 1 : end_index()}; }
JsonRef::Iterator JsonRef::end() const { return {tree_, end_index()}; }
std::uint32_t JsonRef::end_index() const { return tree_->after(index_); }

JsonRef::Iterator& JsonRef::Iterator::operator++() {
  index_ = tree_->after(index_);
  return *this;
}

JsonRef JsonRef::get(std::string_view key) const {
  if (kind() != JsonKind::object) return {};
  for (const JsonRef member : *this) {
    if (member.key() == key) return member;
  }
  return {};
}

std::string JsonRef::pointer() const {
  std::string path;
  std::uint32_t at = 0;
  while (at != index_) {  // down from the root, into the member that holds this value
    const bool object = tree_->nodes_[at].kind == JsonKind::object;
    std::size_t count = 0;
    std::uint32_t member = at + 1;
    for (; tree_->after(member) <= index_; member = tree_->after(member)) ++count;
    path += '/';
    if (object) {
      for (const char c : JsonRef(tree_, member).key().substr(0, 80)) {  // RFC 6901
        if (c == '~') {
          path += "~0";
        } else if (c == '/') {
          path += "~1";
        } else {
          path += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
        }
      }
    } else {
      path += std::to_string(count);
    }
    at = member;
  }
  return path;
}

std::string JsonRef::path() const {
  std::string path;
  std::uint32_t at = 0;
  while (at != index_) {
    const bool object = tree_->nodes_[at].kind == JsonKind::object;
    std::size_t count = 0;
    std::uint32_t member = at + 1;
    for (; tree_->after(member) <= index_; member = tree_->after(member)) ++count;
    if (object) {
      path += path.empty() ? "" : ".";
      for (const char c : JsonRef(tree_, member).key().substr(0, 80))
        path += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    } else {
      path += "[" + std::to_string(count) + "]";
    }
    at = member;
  }
  return path;
}

std::vector<std::string> top_level_keys(std::string_view bytes, std::size_t most) {
  std::vector<std::string> keys;
  const std::string_view text = without_bom(bytes).substr(0, most);
  int depth = 0;
  bool key_next = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      if (end >= text.size()) break;
      if (depth == 1 && key_next) {
        keys.emplace_back(text.substr(i + 1, end - i - 1));
        key_next = false;
      }
      i = end;
    } else if (c == '{' || c == '[') {
      if (depth == 0 && c == '[') break;
      ++depth;
      key_next = depth == 1;
    } else if (c == '}' || c == ']') {
      if (--depth <= 0) break;
    } else if (c == ',') {
      key_next = depth == 1;
    } else if (depth == 0 && c != ' ' && c != '\t' && c != '\r' && c != '\n') {
      break;  // not JSON
    }
  }
  return keys;
}

}  // namespace armature::inline v0_2
