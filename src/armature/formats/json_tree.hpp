// JSON text as a read-only tree that knows where in the text everything stands. Parsed by nlohmann's SAX parser into
// one flat array (32 bytes a value), so that memory is bounded by kMaxJsonValues and nothing recurses. Duplicate keys,
// nesting beyond kMaxJsonDepth and malformed UTF-8 are refused with a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armature/formats/source.hpp"

namespace armature::inline v0_2 {

inline constexpr int kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxJsonValues = 8'000'000;
inline constexpr std::size_t kMaxJsonBytes = 256u << 20;

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };
const char* json_kind_name(JsonKind kind);  // "a number", "an array", ...

class JsonTree;

/// One value of a tree; empty when there is none. Valid as long as its tree is neither moved nor destroyed.
class JsonRef {
 public:
  JsonRef() = default;
  JsonRef(const JsonTree* tree, std::uint32_t index) : tree_(tree), index_(index) {}
  explicit operator bool() const { return tree_ != nullptr; }

  JsonKind kind() const;
  bool is(JsonKind k) const { return kind() == k; }
  double number() const;                    // of a number; a boolean's 0 or 1
  std::string_view text() const;            // of a string
  std::string_view key() const;             // of an object's member
  std::size_t size() const;                 // members of an array or object
  std::size_t offset() const;               // where it stands in the text (its last byte; containers: their first)
  std::string pointer() const;              // "/joints/3/axis"
  std::string path() const;                 // "joints[3].axis"
  bool has_text() const;                    // it was read from text, so that offset() means something
  JsonRef get(std::string_view key) const;  // member of an object; empty when there is none

  /// Members in the order of the text.
  class Iterator {
   public:
    Iterator(const JsonTree* tree, std::uint32_t index) : tree_(tree), index_(index) {}
    JsonRef operator*() const { return {tree_, index_}; }
    Iterator& operator++();
    bool operator!=(const Iterator& o) const { return index_ != o.index_; }

   private:
    const JsonTree* tree_;
    std::uint32_t index_;
  };
  Iterator begin() const;
  Iterator end() const;

 private:
  std::uint32_t end_index() const;
  const JsonTree* tree_ = nullptr;
  std::uint32_t index_ = 0;
};

class JsonTree {
 public:
  /// `comments`: // and /* */ are passed over instead of refused.
  static Result<JsonTree> parse(const Source& source, bool comments = false);
  JsonRef root() const { return {this, 0}; }

 private:
  friend class JsonRef;
  friend class JsonTreeBuilder;
  friend class JsonTextBuilder;
  struct Node {
    std::uint32_t offset = 0;
    std::uint32_t key = 0;  // into text_
    std::uint32_t key_size = 0;
    std::uint32_t end = 0;  // index behind this value and all it holds; strings: length
    union {
      double number;
      std::uint64_t extent;  // containers: number of members; strings: where in text_
    };
    JsonKind kind = JsonKind::null;
    Node() : number(0.0) {}
  };
  std::uint32_t after(std::uint32_t index) const;
  std::vector<Node> nodes_;
  std::string text_;  // all keys and strings, decoded
  bool has_text_ = false;
};

/// Builds a tree value by value, for objects of other languages. Calls return false after a mistake (too deep, too many
/// values, a key twice), which `mistake` then tells; the tree must not be read then.
///
///   builder.begin_object() && builder.key("target") && builder.begin_array() && builder.number(1) && ... &&
///   builder.end()
class JsonTreeBuilder {
 public:
  explicit JsonTreeBuilder(JsonTree& tree) : tree_(tree) {}
  JsonTreeBuilder(const JsonTreeBuilder&) = delete;
  JsonTreeBuilder& operator=(const JsonTreeBuilder&) = delete;
  virtual ~JsonTreeBuilder() = default;

  bool null() { return add(JsonKind::null) != nullptr; }
  bool boolean(bool value) { return add_number(JsonKind::boolean, value ? 1.0 : 0.0); }
  bool number(double value) { return add_number(JsonKind::number, value); }
  bool string(std::string_view value);
  bool key(std::string_view value);  // of the next value
  bool begin_object() { return open(JsonKind::object); }
  bool begin_array() { return open(JsonKind::array); }
  bool end();  // of the innermost object or array

  std::string mistake;

 protected:
  std::size_t offset = 0;  // of the next value

 private:
  virtual bool fail(std::size_t at, const std::string& sentence);
  virtual std::string first_place(std::size_t) const { return ""; }
  JsonTree::Node* add(JsonKind kind);
  bool add_number(JsonKind kind, double value);
  bool open(JsonKind kind);
  bool unique_keys();

  JsonTree& tree_;
  std::vector<std::uint32_t> open_;
  std::vector<std::pair<std::string_view, std::uint32_t>> keys_;
  std::uint32_t key_ = 0;
  std::uint32_t key_size_ = 0;
};

inline bool JsonRef::has_text() const { return tree_->has_text_; }

/// Keys of the outermost object, found by a quick scan of the first `most` bytes: for telling JSON formats apart.
std::vector<std::string> top_level_keys(std::string_view bytes, std::size_t most = 1u << 20);

}  // namespace armature::inline v0_2
