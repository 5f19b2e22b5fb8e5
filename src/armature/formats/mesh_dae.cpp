// COLLADA: the geometries that the visual scene shows, each under the product of its nodes' transforms; where there is
// no scene, every geometry as it stands. up_axis is passed over, as URDF tools do. Triangles, polylists and polygons.
#include "armature/formats/mesh_dae.hpp"

#include <algorithm>
#include <unordered_map>

#include "armature/formats/xml.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kDeepestNodes = 64;
constexpr std::size_t kMostInstances = 10000;
// Of the whole file, whatever is shown many times counted as often: what is read ends soon.
constexpr std::size_t kMostNodes = 1'000'000;
constexpr std::size_t kMostNumbers = 20 * kMaxMeshTriangles;

// "#id" without its mark.
std::string id_of(std::optional<std::string_view> reference) {
  return std::string(reference && !reference->empty() ? reference->substr(1) : std::string_view());
}

class DaeReader {
 public:
  DaeReader(const Source& source, const XmlTree& tree) : source_(source), tree_(tree), x_(source, tree) {}

  Result<std::vector<Triangle>> read(XmlRef root) {
    Mat4 whole = Mat4::Identity();
    if (const XmlRef asset = root.child("asset")) {
      double unit = 1.0;
      if (const XmlRef u = asset.child("unit")) x_.number(u, "meter", unit);
      whole.topLeftCorner<3, 3>() *= unit;
      // up_axis is not applied: robot tools take the axes of a DAE that a URDF names as they stand.
    }
    for (const XmlRef library : root) {
      if (library.is("library_geometries")) {
        for (const XmlRef geometry : library) {
          if (const auto id = geometry.attribute("id")) geometries_.emplace(*id, geometry);
        }
      }
      if (library.is("library_nodes")) {
        for (const XmlRef node : library) {
          if (const auto id = node.attribute("id")) nodes_.emplace(*id, node);
        }
      }
    }
    for (const XmlRef library : root) {
      if (!library.is("library_visual_scenes")) continue;
      for (const XmlRef scene : library) {
        for (const XmlRef node : scene) visit(node, whole, 0);
      }
    }
    if (instances_ == 0) {
      for (const auto& [id, geometry] : geometries_) add(geometry, whole);
    }
    if (!x_.ok()) return x_.error();
    return std::move(out_);
  }

 private:
  // The text between an element's tags.
  std::string_view content(XmlRef element) const {
    std::string_view text = tree_.text(source_, element);
    const std::size_t begin = text.find('>'), end = text.rfind("</");
    return begin == std::string_view::npos || end == std::string_view::npos || end <= begin
               ? std::string_view()
               : text.substr(begin + 1, end - begin - 1);
  }

  bool numbers(XmlRef element, std::vector<double>& out) {
    std::string_view text = content(element);
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t begin = text.find_first_not_of(" \t\r\n", i);
      if (begin == std::string_view::npos) break;
      i = std::min(text.find_first_of(" \t\r\n", begin), text.size());
      double value = 0.0;
      if (split_numbers(text.substr(begin, i - begin), &value, 1) != 1) {
        return x_.fail(element, "There is something among the numbers that is none.");
      }
      if (++numbers_ > kMostNumbers) return x_.fail(element, "There are more numbers than are read.");
      out.push_back(value);
    }
    return true;
  }

  void visit(XmlRef node, Mat4 X, int depth) {
    if (!node.is("node") || depth > kDeepestNodes || !x_.ok()) return;
    if (++visits_ > kMostNodes) return static_cast<void>(x_.fail(node, "There are more nodes than are read."));
    for (const XmlRef part : node) {
      std::vector<double> n;
      const bool moves = part.is("matrix") || part.is("translate") || part.is("rotate") || part.is("scale");
      if (moves && !numbers(part, n)) return;
      Mat4 own = Mat4::Identity();
      if (part.is("matrix") && n.size() == 16) {
        own = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(n.data());
      } else if (part.is("translate") && n.size() == 3) {
        own.topRightCorner<3, 1>() = Vec3(n[0], n[1], n[2]);
      } else if (part.is("rotate") && n.size() == 4 && Vec3(n[0], n[1], n[2]).norm() > 0.0) {
        own.topLeftCorner<3, 3>() = Transform::rotate(Vec3(n[0], n[1], n[2]).normalized(), n[3] * kPi / 180.0).rotation;
      } else if (part.is("scale") && n.size() == 3) {
        own.topLeftCorner<3, 3>() = Vec3(n[0], n[1], n[2]).asDiagonal();
      }
      X = X * own;
    }
    for (const XmlRef part : node) {
      if (part.is("node")) visit(part, X, depth + 1);
      const std::string url(part.attribute("url").value_or(""));
      if (url.size() < 2 || ++instances_ > kMostInstances) continue;
      if (part.is("instance_geometry")) {
        if (const auto found = geometries_.find(url.substr(1)); found != geometries_.end()) add(found->second, X);
      } else if (part.is("instance_node")) {
        if (const auto found = nodes_.find(url.substr(1)); found != nodes_.end()) visit(found->second, X, depth + 1);
      }
    }
  }

  // The numbers of <source id="#...">; through <vertices> to its positions.
  bool positions(XmlRef mesh, std::string id, std::vector<double>& out, std::size_t& stride) {
    for (const XmlRef part : mesh) {
      if (!part.is("vertices") || part.attribute("id") != id) continue;
      for (const XmlRef input : part) {
        if (input.attribute("semantic") == std::string_view("POSITION")) {
          id = id_of(input.attribute("source"));
        }
      }
    }
    for (const XmlRef part : mesh) {
      if (!part.is("source") || part.attribute("id") != id) continue;
      if (const XmlRef technique = part.child("technique_common")) {
        double n = 3.0;
        if (const XmlRef accessor = technique.child("accessor")) x_.number(accessor, "stride", n);
        stride = n >= 3.0 && n < 64.0 ? static_cast<std::size_t>(n) : 3;
      }
      return part.child("float_array") && numbers(part.child("float_array"), out);
    }
    return false;
  }

  void add(XmlRef geometry, const Mat4& X) {
    const XmlRef mesh = geometry.child("mesh");
    if (!mesh) return;
    for (const XmlRef faces : mesh) {
      if (!faces.is("triangles") && !faces.is("polylist") && !faces.is("polygons")) continue;
      std::size_t offset = 0, step = 0, stride = 3;
      std::string source;
      for (const XmlRef input : faces) {
        if (!input.is("input")) continue;
        double n = 0.0;
        x_.number(input, "offset", n);
        const std::size_t own = n >= 0.0 && n < 64.0 ? static_cast<std::size_t>(n) : 0;
        step = std::max(step, own + 1);
        if (input.attribute("semantic") != std::string_view("VERTEX")) continue;
        offset = own;
        source = id_of(input.attribute("source"));
      }
      std::vector<double> points, counts;
      if (step == 0 || !positions(mesh, source, points, stride)) continue;
      if (faces.child("vcount") && !numbers(faces.child("vcount"), counts)) return;
      const auto corner = [&](double index, Vec3& p) {
        if (!(index >= 0.0) || (index + 1.0) * static_cast<double>(stride) > static_cast<double>(points.size())) {
          return x_.fail(faces, "A face names a vertex that is not there.");
        }
        const std::size_t i = static_cast<std::size_t>(index) * stride;
        p = X.topLeftCorner<3, 3>() * Vec3(points[i], points[i + 1], points[i + 2]) + X.topRightCorner<3, 1>();
        return true;
      };
      std::size_t face = 0;
      for (const XmlRef list : faces) {
        if (!list.is("p")) continue;
        std::vector<double> n;
        if (!numbers(list, n)) return;
        const std::size_t all = n.size() / step;
        for (std::size_t first = 0; first < all;) {
          std::size_t size = faces.is("triangles") ? 3 : faces.is("polygons") ? all : 0;
          if (faces.is("polylist")) {
            const double count = face < counts.size() ? counts[face] : 0.0;
            size = count >= 1.0 && count < static_cast<double>(all) ? static_cast<std::size_t>(count) : all;
          }
          ++face;
          size = std::min(size, all - first);
          Triangle t;
          for (std::size_t k = 2; k < size; ++k) {
            if (!corner(n[first * step + offset], t.a) || !corner(n[(first + k - 1) * step + offset], t.b) ||
                !corner(n[(first + k) * step + offset], t.c)) {
              return;
            }
            if (out_.size() >= kMaxMeshTriangles) {
              x_.fail(faces, "The mesh has more triangles than are read.");
              return;
            }
            out_.push_back(t);
          }
          first += std::max<std::size_t>(size, 1);
        }
      }
    }
  }

  const Source& source_;
  const XmlTree& tree_;
  XmlFields x_;
  std::unordered_map<std::string, XmlRef> geometries_, nodes_;
  std::vector<Triangle> out_;
  std::size_t instances_ = 0, visits_ = 0, numbers_ = 0;
};

}  // namespace

Result<std::vector<Triangle>> read_dae(const Source& source) {
  const Result<XmlTree> tree = XmlTree::parse(source);
  if (!tree) return tree.error();
  return DaeReader(source, *tree).read(tree->root());
}

}  // namespace armature::inline v0_2
