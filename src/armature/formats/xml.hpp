// XML text as a tree that knows its line numbers (rapidxml inside), and the few things that robot files need from it.
// Guarded before parsing: size, number of elements and attributes, nesting (the parser recurses), zero bytes, entity
// declarations (never expanded, so they are refused), malformed UTF-8.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "armature/formats/source.hpp"
#include "armature/geom/types.hpp"

namespace rapidxml {
template <class Ch>
class xml_node;
}

namespace armature::inline v0_2 {

inline constexpr std::size_t kMaxXmlBytes = 64u << 20;
inline constexpr std::size_t kMaxXmlItems = 2'000'000;  // elements and attributes, at most 100 bytes each
inline constexpr int kMaxXmlDepth = 1000;

class XmlTree;

/// One element; empty when there is none. Valid as long as its tree lives.
class XmlRef {
 public:
  XmlRef() = default;
  explicit XmlRef(const rapidxml::xml_node<char>* node) : node_(node) {}
  explicit operator bool() const { return node_ != nullptr; }

  std::string_view name() const;
  bool is(std::string_view tag) const { return name() == tag; }
  /// Value of an attribute with entities resolved.
  std::optional<std::string_view> attribute(std::string_view name) const;
  std::string_view content() const;          // its text, without white space around it
  XmlRef child(std::string_view tag) const;  // first with this name
  XmlRef first() const;                      // first child element
  XmlRef next() const;                       // next sibling element
  const char* position() const;              // in the tree's copy of the text

  class Iterator;
  Iterator begin() const;  // child elements
  Iterator end() const;

  /// Calls f(name, value) for every attribute.
  template <class F>
  void each_attribute(F&& f) const {
    const void* at = nullptr;
    std::string_view name, value;
    while (next_attribute(at, name, value)) f(name, value);
  }

 private:
  bool next_attribute(const void*& at, std::string_view& name, std::string_view& value) const;
  const rapidxml::xml_node<char>* node_ = nullptr;
};

class XmlRef::Iterator {
 public:
  explicit Iterator(XmlRef at) : at_(at) {}
  XmlRef operator*() const { return at_; }
  Iterator& operator++() {
    at_ = at_.next();
    return *this;
  }
  bool operator!=(const Iterator& o) const { return at_.node_ != o.at_.node_; }

 private:
  XmlRef at_;
};
inline XmlRef::Iterator XmlRef::begin() const { return Iterator(first()); }
inline XmlRef::Iterator XmlRef::end() const { return Iterator(XmlRef()); }

class XmlTree {
 public:
  static Result<XmlTree> parse(const Source& source);
  XmlTree(XmlTree&&) noexcept;
  XmlTree& operator=(XmlTree&&) noexcept;
  ~XmlTree();

  XmlRef root() const;
  std::size_t offset(XmlRef element) const;  // in the source's bytes
  /// The element as it stands in the source, from its '<' to the end of its closing tag.
  std::string_view text(const Source& source, XmlRef element) const;
  /// The same, to be written back into another file: "" where it is no element on its own (the parser lets names with
  /// quotation marks pass, and then its end is not found).
  std::string whole_text(const Source& source, XmlRef element) const;

 private:
  struct Content;
  XmlTree();
  std::unique_ptr<Content> content_;
};

/// Reads typed attributes; keeps the first mistake as a whole sentence with its line (compare JsonFields).
class XmlFields {
 public:
  XmlFields(const Source& source, const XmlTree& tree) : source_(source), tree_(tree) {}

  bool ok() const { return error_.message.empty(); }
  const Error& error() const { return error_; }
  int line(XmlRef at) const { return source_.line(tree_.offset(at)); }
  std::string where(XmlRef at) const { return source_.where(tree_.offset(at)); }

  /// Keeps "arm.urdf, line 3, <origin>: <sentence>" unless there is an error already. Returns false.
  bool fail(XmlRef at, std::string_view sentence);

  /// False (a mistake) when it is missing or empty of anything but its name.
  bool text(XmlRef at, const char* attribute, std::string& out);
  /// False when the attribute is missing (no mistake) or wrong (a mistake).
  bool number(XmlRef at, const char* attribute, double& out);
  bool numbers(XmlRef at, const char* attribute, double* out, int count);
  bool vector(XmlRef at, const char* attribute, Vec3& out) { return numbers(at, attribute, out.data(), 3); }
  /// The element's content instead of an attribute; no mistake where `at` is empty.
  bool content(XmlRef at, double* out, int count);

 private:
  bool read_numbers(XmlRef at, const std::string& what, std::string_view value, double* out, int count);
  const Source& source_;
  const XmlTree& tree_;
  Error error_;
};

/// Splits at white space into at most `most` finite numbers; -1 when something else is in it.
int split_numbers(std::string_view text, double* out, int most);

/// `text` for an attribute in double quotes. Characters that XML cannot hold become '?'.
std::string xml_escaped(std::string_view text);

/// Name of the outermost element, found by a quick scan that skips comments and declarations; "" when there is none.
std::string_view xml_root_name(std::string_view bytes);

}  // namespace armature::inline v0_2
