#include "armature/model/opaque.hpp"

#include <algorithm>

namespace armature::inline v0_2 {
namespace {

using Visit =
    std::function<void(std::string_view element, std::string_view attribute, std::size_t at, std::size_t size)>;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Calls visit for every attribute's value and every element's whole content (attribute "") in well-formed XML.
void each_value(std::string_view text, const Visit& visit) {
  std::size_t i = 0;
  while ((i = text.find('<', i)) != std::string_view::npos) {
    if (text.compare(i, 4, "<!--") == 0) {
      const std::size_t end = text.find("-->", i);
      i = end == std::string_view::npos ? text.size() : end + 3;
      continue;
    }
    if (text.compare(i, 9, "<![CDATA[") == 0) {
      const std::size_t end = text.find("]]>", i);
      i = end == std::string_view::npos ? text.size() : end + 3;
      continue;
    }
    std::size_t k = i + 1;
    while (k < text.size() && !is_space(text[k]) && text[k] != '>' && text[k] != '/') ++k;
    const std::string_view element = text.substr(i + 1, k - i - 1);
    while (k < text.size() && text[k] != '>') {
      while (k < text.size() && (is_space(text[k]) || text[k] == '/')) ++k;
      const std::size_t name = k;
      while (k < text.size() && text[k] != '=' && text[k] != '>' && !is_space(text[k])) ++k;
      const std::string_view attribute = text.substr(name, k - name);
      while (k < text.size() && (is_space(text[k]) || text[k] == '=')) ++k;
      if (k >= text.size() || (text[k] != '"' && text[k] != '\'')) continue;
      const std::size_t end = text.find(text[k], k + 1);
      if (end == std::string_view::npos) return;
      visit(element, attribute, k + 1, end - k - 1);
      k = end + 1;
    }
    if (k >= text.size()) return;
    // Content without child elements, up to this element's own end.
    const std::size_t next = text.find('<', k);
    if (next != std::string_view::npos && text[k - 1] != '/' && next + 1 < text.size() && text[next + 1] == '/') {
      std::size_t first = k + 1, last = next;
      while (first < last && is_space(text[first])) ++first;
      while (last > first && is_space(text[last - 1])) --last;
      if (last > first) visit(element, "", first, last - first);
    }
    i = k + 1;
  }
}

bool contains(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

// Whether a value at this place may name a thing of this kind.
bool may_name(Named kind, std::string_view element, std::string_view attribute) {
  if (attribute == "type") return false;
  const auto speaks_of = [&](const char* word) { return contains(element, word) || contains(attribute, word); };
  const bool joint = speaks_of("joint") || speaks_of("Joint");
  const bool link = speaks_of("link") || speaks_of("Link") || speaks_of("body") || speaks_of("frame");
  if (kind == Named::joint) return joint || !link;
  return link || !joint;
}

}  // namespace

std::string renamed_references(const std::string& text, Named kind,
                               const std::function<std::string(const std::string&)>& rename) {
  std::string out;
  std::size_t done = 0;
  each_value(text, [&](std::string_view element, std::string_view attribute, std::size_t at, std::size_t size) {
    if (!may_name(kind, element, attribute)) return;
    const std::string old = text.substr(at, size);
    const std::string now = rename(old);
    if (now == old) return;
    out.append(text, done, at - done);
    out += now;
    done = at + size;
  });
  out.append(text, done, std::string::npos);
  return out;
}

void rename_opaque(Linkage& l, Named kind, const std::function<std::string(const std::string&)>& rename) {
  const auto each = [&](std::vector<Opaque>& list) {
    for (Opaque& part : list) part.text = renamed_references(part.text, kind, rename);
  };
  each(l.opaque);
  for (Link& link : l.links) each(link.opaque);
  for (Joint& joint : l.joints) each(joint.opaque);
}

void drop_opaque(Linkage& l, Named kind, const std::function<bool(const std::string&)>& gone) {
  const auto refers = [&](const Opaque& part) {
    bool found = false;
    each_value(part.text, [&](std::string_view element, std::string_view attribute, std::size_t at, std::size_t size) {
      found = found || (may_name(kind, element, attribute) && gone(part.text.substr(at, size)));
    });
    return found;
  };
  l.opaque.erase(std::remove_if(l.opaque.begin(), l.opaque.end(), refers), l.opaque.end());
}

}  // namespace armature::inline v0_2
