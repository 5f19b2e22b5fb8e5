#include "armature/formats/mjcf_include.hpp"

#include <unordered_set>

#include "armature/base/suggest.hpp"
#include "armature/formats/xml.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kMostDepth = 20;  // of files that include files

class Expander {
 public:
  explicit Expander(const ReadOptions& options) : options_(options) {}

  MjcfText text;

  // Appends what the source holds: all of it, or only what is inside the outermost element.
  Status append(const Source& source, bool inside, int depth) {
    const Result<XmlTree> tree = XmlTree::parse(source);
    if (!tree) return tree.error();
    std::size_t begin = 0, end = source.bytes.size();
    if (inside) {
      const std::string_view root = tree->text(source, tree->root());
      begin = tree->offset(tree->root()) - 1;
      end = begin + root.size();
      if (tree->root().first()) {
        begin = tree->offset(tree->root().first()) - 1;
        end = begin + source.bytes.substr(begin, end - begin).rfind('<');
      } else {
        begin = end;  // nothing inside
      }
    }
    std::vector<XmlRef> stack{tree->root()};
    while (!stack.empty()) {  // depth first, in the order of the text
      const XmlRef element = stack.back();
      stack.pop_back();
      if (element.is("include")) {
        const std::size_t at = tree->offset(element) - 1;  // its "<"
        copy(source, begin, at);
        begin = at + tree->text(source, element).size();
        if (const Status status = include(source, at, element, depth); !status) return status;
        continue;
      }
      const std::size_t first = stack.size();
      for (const XmlRef child : element) stack.push_back(child);
      std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    }
    copy(source, begin, end);
    return {};
  }

 private:
  void copy(const Source& source, std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    text.parts.push_back({text.bytes.size(), source.name, source.line(begin)});
    text.bytes += source.bytes.substr(begin, end - begin);
  }

  Status include(const Source& source, std::size_t at, XmlRef element, int depth) {
    const std::string name(element.attribute("file").value_or(""));
    if (name.empty()) return source.error(at, "An <include> needs file=\"...\".");
    if (!seen_.insert(name).second) {
      return source.error(at, armature::detail::quoted(name) + " is included twice; a file may be included once.");
    }
    if (depth >= kMostDepth) return source.error(at, "Files include each other too deeply.");
    if (options_.load == nullptr) {
      return source.error(at, "It includes " + armature::detail::quoted(name) + ", which cannot be opened from here.");
    }
    const Result<std::string> bytes = options_.load(name, options_.load_context);
    if (!bytes) return source.error(at, bytes.message());
    if (text.bytes.size() + bytes->size() > kMaxXmlBytes) {
      return source.error(at, "With what it includes the model is larger than " + std::to_string(kMaxXmlBytes >> 20) +
                                  " MiB, the most that is read as XML.");
    }
    return append(Source{*bytes, name}, true, depth + 1);
  }

  const ReadOptions& options_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

Result<MjcfText> expand_mjcf_includes(const Source& source, const ReadOptions& options) {
  if (source.bytes.find("<include") == std::string_view::npos) return MjcfText{};
  Expander expander(options);
  if (const Status status = expander.append(source, false, 0); !status) return status.error();
  return std::move(expander.text);
}

}  // namespace armature::inline v0_2
