#include "armature/formats/mjcf_geom.hpp"

#include "armature/base/suggest.hpp"
#include "armature/formats/spelling.hpp"
#include "armature/geom/shortest_turn.hpp"
#include "armature/model/inertia.hpp"

namespace armature::inline v0_2 {
namespace {

// What MuJoCo infers for a body without <inertial>: solids of the given density, or of the given mass.
Inertia geom_inertia(const Shape& shape, const Vec3& scale, double density, const double* mass) {
  Inertia body = solid_inertia(shape, density);
  if (std::holds_alternative<Sphere>(shape) && scale != Vec3::Ones()) {  // an ellipsoid
    const Vec3 s = scale.cwiseProduct(scale);
    body.mass = density * 4.0 / 3.0 * kPi * scale.prod();
    body.about_center = Vec3(0.2 * body.mass * Vec3(s[1] + s[2], s[0] + s[2], s[0] + s[1])).asDiagonal();
  }
  if (mass == nullptr) return body;
  if (body.mass > 0.0) body.about_center *= *mass / body.mass;
  body.mass = *mass;
  return body;
}

}  // namespace

void read_mjcf_geom(XmlFields& x, MjcfSettings& settings, XmlRef element, const std::string& childclass,
                    const Transform& frame, Link& link, Linkage& linkage, Dropped& dropped, bool weigh) {
  const auto holder = [&](const char* name) { return settings.holder(element, name, childclass); };
  const auto word = [&](const char* name, const char* otherwise) {
    const XmlRef at = holder(name);
    return std::string(at ? *at.attribute(name) : otherwise);
  };
  const std::string mesh_name = word("mesh", "");
  std::string type = word("type", mesh_name.empty() ? "sphere" : "mesh");
  if (!mesh_name.empty() && type != "mesh" && type != "sdf") {
    dropped.add(type + " fitted to a mesh (the mesh itself is read)");  // MuJoCo fits it when it loads the mesh
    type = "mesh";
  }
  Transform placement = settings.placement(element, childclass);

  // Half sizes; how many are needed depends on the type and on whether two ends are given.
  double size[3] = {0, 0, 0};
  int sizes = 0;
  if (const XmlRef at = holder("size")) {
    sizes = split_numbers(*at.attribute("size"), size, 3);
    if (sizes < 1) {
      x.fail(at, "size must be one to three numbers with spaces between them.");
      return;
    }
    if (std::min({size[0], size[1], size[2]}) < 0.0 && type != "mesh") {
      x.fail(at, "size must not be negative.");
      return;
    }
  }
  double ends[6];
  const XmlRef fromto = holder("fromto");
  const bool has_ends = fromto && x.numbers(fromto, "fromto", ends, 6);
  if (has_ends) {
    const Vec3 from(ends[0], ends[1], ends[2]);
    const Vec3 to(ends[3], ends[4], ends[5]);
    const double length = (to - from).norm();
    if (!(length > 0.0)) {
      x.fail(fromto, "fromto needs two different ends.");
      return;
    }
    // MuJoCo's z axis points from `to` to `from`; the shapes are symmetric.
    placement = Transform::from(quaternion_between(Vec3::UnitZ(), (from - to) / length), 0.5 * (from + to));
    const bool square = type == "box" || type == "ellipsoid";
    if (square) size[1] = size[0];
    size[square ? 2 : 1] = 0.5 * length;
    sizes = 3;
  }
  if (!x.ok()) return;

  const auto need = [&](int count) {
    if (sizes >= count) return true;
    return x.fail(element, "A " + type + " needs " + std::to_string(count) + " sizes (or fromto), but has " +
                               std::to_string(sizes) + ".");
  };
  Visual visual;
  Vec3 scale = Vec3::Ones();
  Shape shape;
  if (type == "sphere") {
    if (!need(1)) return;
    shape = Sphere{size[0]};
  } else if (type == "capsule") {
    if (!need(2)) return;
    shape = Capsule{size[0], 2.0 * size[1]};
  } else if (type == "cylinder") {
    if (!need(2)) return;
    shape = Cylinder{size[0], 2.0 * size[1]};
  } else if (type == "box") {
    if (!need(3)) return;
    shape = Box{2.0 * Vec3(size[0], size[1], size[2])};
  } else if (type == "ellipsoid") {
    if (!need(3)) return;
    shape = Sphere{1.0};
    scale = Vec3(size[0], size[1], size[2]);
  } else if (type == "mesh") {
    const MjcfMesh* mesh = settings.find_mesh(mesh_name);
    if (mesh == nullptr) {
      x.fail(element, "There is no mesh " + armature::detail::quoted(mesh_name) + " among the assets.");
      return;
    }
    shape = MeshFile{mesh->uri};
    scale = mesh->scale;
  } else if (type == "plane" || type == "hfield" || type == "sdf") {
    dropped.add(type + " <geom>");
    return;
  } else {
    x.fail(element, unknown_name("geom type", type,
                                 {"sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "plane", "hfield"}));
    return;
  }
  if (weigh) {
    double density = 1000.0, mass = 0.0;
    if (const XmlRef at = holder("density")) x.number(at, "density", density);
    const XmlRef at = holder("mass");
    const bool given = at && x.number(at, "mass", mass);
    if (!given && std::holds_alternative<MeshFile>(shape) && density > 0.0) {
      dropped.add("mass of a mesh <geom>");
    } else {
      const Inertia own = geom_inertia(shape, scale, std::max(0.0, density), given ? &mass : nullptr);
      const Inertia whole = inertia_of(link) + own.in(frame * placement);
      link.mass = whole.mass;
      link.center = whole.center;
      link.inertia = 0.5 * (whole.about_center + whole.about_center.transpose());
    }
  }
  double group = 0.0;
  if (const XmlRef at = holder("group")) x.number(at, "group", group);
  visual.collision = group >= 3.0;
  std::array<double, 4> color{0.5, 0.5, 0.5, 1.0};
  const XmlRef colored = holder("rgba");
  const bool empty = colored && colored.attribute("rgba")->find_first_not_of(" \t\r\n") == std::string_view::npos;
  if (colored && !empty && x.numbers(colored, "rgba", color.data(), 4)) {
    visual.color = color;
  } else if (const auto* material = settings.find_color(word("material", ""))) {
    visual.color = *material;
  }
  visual.geometry = inline_geometry_name(link.name, link.visuals.size());
  visual.X_LG = (frame * placement).matrix();
  if (scale != Vec3::Ones()) visual.X_LG.topLeftCorner<3, 3>() = (frame * placement).rotation * scale.asDiagonal();
  linkage.geometries.push_back({visual.geometry, std::move(shape)});
  link.visuals.push_back(std::move(visual));
}

}  // namespace armature::inline v0_2
