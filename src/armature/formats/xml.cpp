#include "armature/formats/xml.hpp"

#include <algorithm>
#include <cmath>
#include <rapidxml/rapidxml.hpp>
#include <vector>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Walks over the markup without reading it, to bound what the (recursive) parser will meet. It follows the parser's own
// rules for what ends a comment, a name or a value, so that it never counts less than the parser will; where the parser
// would give up, so does the walk.
struct Scan {
  std::size_t items = 0;
  int deepest = 0;
  std::size_t deepest_at = 0;
  std::size_t entity_at = std::string_view::npos;
  std::size_t root_at = std::string_view::npos;  // behind the '<' of the first element

  explicit Scan(std::string_view whole, bool root_only = false) : text_(whole) {
    for (std::size_t i = text_.find('<'); i < text_.size(); i = text_.find('<', i)) {
      if (starts(i, "<!--")) {
        i = behind(i + 4, "-->");
      } else if (starts(i, "<![CDATA[")) {
        i = behind(i + 9, "]]>");
      } else if (starts(i, "<?")) {
        i = behind(i + 2, "?>");
      } else if (starts(i, "<!DOCTYPE") && i + 9 < text_.size() && is_space(text_[i + 9])) {
        i = document_type(i + 10);
      } else if (starts(i, "<!")) {
        i = behind(i + 2, ">");
      } else if (starts(i, "</")) {
        --depth_;
        i = behind(i + 2, ">");
      } else {
        if (root_at == std::string_view::npos) root_at = i + 1;
        if (root_only) return;
        i = tag(i + 1);
      }
    }
  }

 private:
  bool starts(std::size_t i, std::string_view mark) const { return text_.compare(i, mark.size(), mark) == 0; }
  std::size_t behind(std::size_t from, std::string_view mark) const {
    const std::size_t at = text_.find(mark, from);
    return at == std::string_view::npos ? text_.size() : at + mark.size();
  }
  std::size_t skip(std::size_t i, std::string_view stop) const {
    return std::min(text_.find_first_of(stop, i), text_.size());
  }
  std::size_t skip_space(std::size_t i) const { return std::min(text_.find_first_not_of(" \t\r\n", i), text_.size()); }

  std::size_t document_type(std::size_t i) {
    int brackets = 0;
    for (; i < text_.size() && (text_[i] != '>' || brackets > 0); ++i) {
      if (text_[i] == '[') ++brackets;
      if (text_[i] == ']' && brackets > 0) --brackets;
      if (entity_at == std::string_view::npos && starts(i, "<!ENTITY")) entity_at = i;
    }
    return i;
  }

  std::size_t tag(std::size_t i) {
    ++items;
    i = skip_space(skip(i, " \t\r\n/>?"));
    while (i < text_.size() && text_[i] != '/' && text_[i] != '>') {
      const std::size_t name_end = skip(i, " \t\r\n/<>=?!");
      const std::size_t equals = skip_space(name_end);
      const std::size_t quote = skip_space(equals + 1);
      if (name_end == i || quote >= text_.size() || text_[equals] != '=' ||
          (text_[quote] != '"' && text_[quote] != '\'')) {
        return text_.size();  // malformed
      }
      const std::size_t end = text_.find(text_[quote], quote + 1);
      if (end == std::string_view::npos) return text_.size();
      ++items;
      i = skip_space(end + 1);
    }
    if (i < text_.size() && text_[i] == '>' && ++depth_ > deepest) {
      deepest = depth_;
      deepest_at = i;
    }
    return i;
  }

  std::string_view text_;
  int depth_ = 0;
};

std::string_view view(const char* text, std::size_t size) {
  return size == 0 ? std::string_view() : std::string_view(text, size);
}

}  // namespace

struct XmlTree::Content {
  std::vector<char> text;  // a copy that the parser may write into, ended by a zero byte
  rapidxml::xml_document<char> document;
};

XmlTree::XmlTree() : content_(std::make_unique<Content>()) {}
XmlTree::XmlTree(XmlTree&&) noexcept = default;
XmlTree& XmlTree::operator=(XmlTree&&) noexcept = default;
XmlTree::~XmlTree() = default;

Result<XmlTree> XmlTree::parse(const Source& source) {
  const std::string_view bytes = source.bytes;
  if (bytes.size() > kMaxXmlBytes) {
    return source.error("The file is larger than " + std::to_string(kMaxXmlBytes >> 20) +
                        " MiB, the most that is read as XML.");
  }
  if (const std::size_t zero = bytes.find('\0'); zero != std::string_view::npos) {
    return source.error(zero, "There is a zero byte: this is not a text file.");
  }
  if (!is_utf8(bytes)) {
    std::size_t end = 0;  // of the last line that is sound
    while (end < bytes.size()) {
      const std::size_t next = std::min(bytes.find('\n', end), bytes.size() - 1) + 1;
      if (!is_utf8(bytes.substr(end, next - end))) break;
      end = next;
    }
    return source.error(end, "The text is not UTF-8; save the file with that encoding.");
  }
  const Scan scan(bytes);
  if (scan.entity_at != std::string_view::npos) {
    return source.error(scan.entity_at,
                        "The file declares entities of its own; these are not expanded. Write their "
                        "text where it belongs.");
  }
  if (scan.deepest > kMaxXmlDepth) {
    return source.error(scan.deepest_at, "Elements are nested deeper than " + std::to_string(kMaxXmlDepth) +
                                             " levels, the most that is read.");
  }
  if (scan.items > kMaxXmlItems) {
    return source.error("The file holds more than " + std::to_string(kMaxXmlItems) +
                        " elements and attributes, the most that is read.");
  }
  XmlTree tree;
  std::vector<char>& text = tree.content_->text;
  text.reserve(bytes.size() + 1);
  text.assign(bytes.begin(), bytes.end());
  text.push_back('\0');
  try {
    tree.content_->document.parse<rapidxml::parse_validate_closing_tags | rapidxml::parse_no_data_nodes>(text.data());
  } catch (const rapidxml::parse_error& error) {
    return source.error(static_cast<std::size_t>(error.where<char>() - text.data()),
                        "This is not well-formed XML: " + std::string(error.what()) + ".");
  }
  const XmlRef root = tree.root();
  if (!root) return source.error("The file holds no XML element.");
  if (root.next()) {
    return source.error(tree.offset(root.next()), "A second outermost element <" + std::string(root.next().name()) +
                                                      "> follows; an XML file has one.");
  }
  return tree;
}

XmlRef XmlTree::root() const { return XmlRef(&content_->document).first(); }

std::size_t XmlTree::offset(XmlRef element) const {
  return element ? static_cast<std::size_t>(element.position() - content_->text.data()) : 0;
}

std::string_view XmlTree::text(const Source& source, XmlRef element) const {
  const std::string_view bytes = source.bytes;
  const std::size_t begin = offset(element) - 1;
  int depth = 0;
  for (std::size_t i = begin; i < bytes.size();) {
    const auto starts = [&](std::string_view mark) { return bytes.compare(i, mark.size(), mark) == 0; };
    const auto behind = [&](std::string_view mark) {
      const std::size_t end = bytes.find(mark, i);
      return end == std::string_view::npos ? bytes.size() : end + mark.size();
    };
    if (starts("<!--")) {
      i = behind("-->");
    } else if (starts("<![CDATA[")) {
      i = behind("]]>");
    } else if (starts("<?")) {
      i = behind("?>");
    } else if (starts("</")) {
      i = behind(">");
      if (--depth == 0) return bytes.substr(begin, i - begin);
    } else if (bytes[i] == '<') {
      ++depth;
      for (++i; i < bytes.size() && bytes[i] != '>'; ++i) {  // a value may hold '>'
        if (bytes[i] == '"' || bytes[i] == '\'') i = std::min(bytes.find(bytes[i], i + 1), bytes.size() - 1);
      }
      const bool empty = i < bytes.size() && bytes[i - 1] == '/';
      ++i;
      if (empty && --depth == 0) return bytes.substr(begin, i - begin);
    } else {
      i = std::min(bytes.find('<', i), bytes.size());
    }
  }
  return bytes.substr(begin);
}

std::string XmlTree::whole_text(const Source& source, XmlRef element) const {
  const std::string_view found = text(source, element);
  const Result<XmlTree> alone = parse(Source{found, ""});
  return alone && alone->root().name() == element.name() ? std::string(found) : std::string();
}

std::string_view XmlRef::name() const { return view(node_->name(), node_->name_size()); }
const char* XmlRef::position() const { return node_->name(); }

std::optional<std::string_view> XmlRef::attribute(std::string_view name) const {
  for (const auto* a = node_->first_attribute(); a != nullptr; a = a->next_attribute()) {
    if (view(a->name(), a->name_size()) == name) return view(a->value(), a->value_size());
  }
  return std::nullopt;
}

bool XmlRef::next_attribute(const void*& at, std::string_view& name, std::string_view& value) const {
  const auto* a = at == nullptr ? node_->first_attribute()
                                : static_cast<const rapidxml::xml_attribute<char>*>(at)->next_attribute();
  at = a;
  if (a == nullptr) return false;
  name = view(a->name(), a->name_size());
  value = view(a->value(), a->value_size());
  return true;
}

std::string_view XmlRef::content() const {
  std::string_view text = view(node_->value(), node_->value_size());
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

XmlRef XmlRef::first() const {
  const auto* node = node_->first_node();
  while (node != nullptr && node->type() != rapidxml::node_element) node = node->next_sibling();
  return XmlRef(node);
}

XmlRef XmlRef::next() const {
  const auto* node = node_->next_sibling();
  while (node != nullptr && node->type() != rapidxml::node_element) node = node->next_sibling();
  return XmlRef(node);
}

XmlRef XmlRef::child(std::string_view tag) const {
  for (const XmlRef element : *this) {
    if (element.is(tag)) return element;
  }
  return {};
}

bool XmlFields::fail(XmlRef at, std::string_view sentence) {
  if (!ok()) return false;
  error_ = source_.error(tree_.offset(at), sentence);
  error_.message = where(at) + ", <" + std::string(at.name().substr(0, 60)) + ">: " + std::string(sentence);
  return false;
}

bool XmlFields::text(XmlRef at, const char* attribute, std::string& out) {
  if (!ok()) return false;
  const auto value = at.attribute(attribute);
  if (!value) return fail(at, "The attribute '" + std::string(attribute) + "' is missing.");
  if (value->find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail(at, "The attribute '" + std::string(attribute) + "' is empty.");
  }
  out = *value;
  return true;
}

bool XmlFields::number(XmlRef at, const char* attribute, double& out) { return numbers(at, attribute, &out, 1); }

bool XmlFields::numbers(XmlRef at, const char* attribute, double* out, int count) {
  if (!ok()) return false;
  const auto value = at.attribute(attribute);
  return value && read_numbers(at, std::string(attribute) + "=", *value, out, count);
}

bool XmlFields::content(XmlRef at, double* out, int count) {
  return ok() && at && read_numbers(at, "", at.content(), out, count);
}

bool XmlFields::read_numbers(XmlRef at, const std::string& what, std::string_view value, double* out, int count) {
  double read[16];
  if (split_numbers(value, read, count) != count) {
    std::string message = what + armature::detail::quoted(value) + " must be ";
    message += count == 1 ? "one number" : std::to_string(count) + " numbers with spaces between them";
    if (value.find(',') != std::string_view::npos) message += " (decimals have a point, not a comma)";
    return fail(at, message + ".");
  }
  std::copy(read, read + count, out);
  return true;
}

int split_numbers(std::string_view text, double* out, int most) {
  int count = 0;
  std::size_t i = 0;
  for (;;) {
    while (i < text.size() && is_space(text[i])) ++i;
    if (i == text.size()) return count;
    double value = 0.0;
    if (count == most || !read_number(text, i, value) || !std::isfinite(value)) return -1;
    if (i < text.size() && !is_space(text[i])) return -1;
    out[count++] = value;
  }
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : is_utf8(text) ? std::string(text) : to_utf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      case '\r':
        out += "&#13;";
        break;
      case '\t':
        out += "&#9;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return out;
}

std::string_view xml_root_name(std::string_view bytes) {
  const std::string_view text = without_bom(bytes);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text[start] != '<') return {};
  const Scan scan(text, true);
  if (scan.root_at == std::string_view::npos) return {};
  std::size_t end = scan.root_at;
  while (end < text.size() && !is_space(text[end]) && text[end] != '>' && text[end] != '/') ++end;
  return text.substr(scan.root_at, end - scan.root_at);
}

}  // namespace armature::inline v0_2
