#include "armature/formats/mesh.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "armature/base/number.hpp"
#include "armature/formats/mesh_dae.hpp"
#include "armature/formats/source.hpp"
#include "armature/formats/xml.hpp"

namespace armature::inline v0_2 {
namespace {

bool mesh_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Words of a text, line by line.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  bool next_line(std::string_view& line) {
    if (at_ >= text_.size()) return false;
    begin_ = at_;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    line = text_.substr(at_, end - at_);
    at_ = end + 1;
    return true;
  }
  std::size_t offset() const { return begin_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0, begin_ = 0;
};

std::string_view next_word(std::string_view& line) {
  std::size_t i = 0;
  while (i < line.size() && mesh_space(line[i])) ++i;
  std::size_t end = i;
  while (end < line.size() && !mesh_space(line[end])) ++end;
  const std::string_view word = line.substr(i, end - i);
  line.remove_prefix(end);
  return word;
}

Error too_many(const Source& source) {
  return source.error("The mesh has more than " + std::to_string(kMaxMeshTriangles) +
                      " triangles, the most that is read.");
}

Result<std::vector<Triangle>> read_binary_stl(const Source& source, std::uint32_t count) {
  if (count > kMaxMeshTriangles) return too_many(source);
  std::vector<Triangle> out;
  out.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    float x[12];
    std::memcpy(x, source.bytes.data() + 84 + std::size_t{50} * i, sizeof x);
    out.push_back({Vec3(x[3], x[4], x[5]), Vec3(x[6], x[7], x[8]), Vec3(x[9], x[10], x[11])});
  }
  return out;
}

Result<std::vector<Triangle>> read_text_stl(const Source& source) {
  std::vector<Triangle> out;
  Vec3 corner[3];
  int corners = 0;
  Words words(source.bytes);
  std::string_view line;
  while (words.next_line(line)) {
    if (next_word(line) != "vertex") continue;
    double n[3];
    if (split_numbers(line, n, 3) != 3) return source.error(words.offset(), "A vertex has three numbers.");
    corner[corners++] = Vec3(n[0], n[1], n[2]);
    if (corners < 3) continue;
    corners = 0;
    if (out.size() >= kMaxMeshTriangles) return too_many(source);
    out.push_back({corner[0], corner[1], corner[2]});
  }
  if (corners != 0) return source.error("The last facet has less than three vertices.");
  return out;
}

// "f 1/2/3 -1 4//2 ...": indices from 1, or from the end; a face of many corners is a fan.
Result<std::vector<Triangle>> read_obj(const Source& source) {
  std::vector<Vec3> points;
  std::vector<Triangle> out;
  std::vector<std::size_t> face;
  Words words(source.bytes);
  std::string_view line;
  while (words.next_line(line)) {
    const std::string_view kind = next_word(line);
    if (kind == "v") {
      double n[8];
      if (split_numbers(line, n, 8) < 3) return source.error(words.offset(), "A vertex has three numbers.");
      points.emplace_back(n[0], n[1], n[2]);
      if (points.size() > 3 * kMaxMeshTriangles) return too_many(source);
    } else if (kind == "f") {
      face.clear();
      for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
        double index = 0.0;
        const std::string_view number = word.substr(0, word.find('/'));
        if (split_numbers(number, &index, 1) != 1 || index != std::floor(index)) {
          return source.error(words.offset(), "A face names its vertices by whole numbers.");
        }
        if (index < 0.0) index += static_cast<double>(points.size()) + 1.0;
        if (!(index >= 1.0 && index <= static_cast<double>(points.size()))) {
          return source.error(words.offset(), "A face names a vertex that is not there.");
        }
        face.push_back(static_cast<std::size_t>(index) - 1);
      }
      for (std::size_t i = 2; i < face.size(); ++i) {
        if (out.size() >= kMaxMeshTriangles) return too_many(source);
        out.push_back({points[face[0]], points[face[i - 1]], points[face[i]]});
      }
    }
  }
  return out;
}

bool ends_in(const std::string& name, std::string_view extension) {
  if (name.size() < extension.size()) return false;
  for (std::size_t i = 0; i < extension.size(); ++i) {
    const char c = name[name.size() - extension.size() + i];
    if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != extension[i]) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<Triangle>> read_mesh(std::string_view bytes, const std::string& file_name) {
  const Source source{bytes, file_name};
  Result<std::vector<Triangle>> triangles = Error{};
  std::uint32_t count = 0;
  if (bytes.size() >= 84) std::memcpy(&count, bytes.data() + 80, 4);
  if (xml_root_name(bytes.substr(0, 4096)) == "COLLADA") {
    triangles = read_dae(source);
  } else if (bytes.size() >= 84 && bytes.size() == 84 + std::size_t{50} * count) {
    triangles = read_binary_stl(source, count);  // also those that begin with "solid"
  } else if (ends_in(file_name, ".obj")) {
    triangles = read_obj(source);
  } else if (bytes.find("facet") != std::string_view::npos) {
    triangles = read_text_stl(source);
  } else if (ends_in(file_name, ".stl")) {
    return source.error(
        "This is neither a binary STL (its length does not fit the number of triangles it tells) nor a "
        "text STL.");
  } else {
    return source.error("This is no mesh that can be read: STL, OBJ or DAE.");
  }
  if (!triangles) return triangles;
  for (const Triangle& t : *triangles) {
    if (!t.a.allFinite() || !t.b.allFinite() || !t.c.allFinite()) {
      return source.error("The mesh has a corner that is not a finite number.");
    }
  }
  if (triangles->empty()) return source.error("The mesh has no triangles.");
  return triangles;
}

}  // namespace armature::inline v0_2
