#include "armature/draw/figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/obstacles_json.hpp"

namespace armature::drawing {
namespace {

struct Patch {
  double nearness = 0.0;
  std::vector<Vec2> outline;  // plane coordinates
  std::string fill;
};

std::string hex_color(const Vec3& rgb) {
  std::string text = "#";
  for (const double v : rgb) {
    const auto byte = static_cast<unsigned>(std::lround(255.0 * std::clamp(v, 0.0, 1.0)));
    text += "0123456789abcdef"[byte / 16];
    text += "0123456789abcdef"[byte % 16];
  }
  return text;
}

// Older figures are paler, not transparent: one sees no parts through others.
std::string paled(const std::string& color, double pale) {
  const unsigned long rgb = std::strtoul(color.c_str() + 1, nullptr, 16);
  const Vec3 own(static_cast<double>(rgb >> 16 & 255), static_cast<double>(rgb >> 8 & 255),
                 static_cast<double>(rgb & 255));
  return hex_color((own + pale * (Vec3::Constant(255.0) - own)) / 255.0);
}

double cross2(const Vec2& o, const Vec2& a, const Vec2& b) {
  return (a.x() - o.x()) * (b.y() - o.y()) - (a.y() - o.y()) * (b.x() - o.x());
}

std::vector<Vec2> convex_hull(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
  std::vector<Vec2> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t base = hull.size();
    for (const Vec2& p : points) {
      while (hull.size() >= base + 2 && cross2(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

// Points of the world whose hull, seen by the camera, is the shape's outline.
std::vector<Vec3> outline_points(const Shape& shape, const Mat4& X, const Camera& camera, const MeshPoints* meshes) {
  std::vector<Vec3> points;
  const auto place = [&](const Vec3& p) -> Vec3 { return X.topLeftCorner<3, 3>() * p + X.topRightCorner<3, 1>(); };
  const double scale = std::cbrt(std::abs(X.topLeftCorner<3, 3>().determinant()));
  const auto ball = [&](const Vec3& centre, double radius) {
    for (int i = 0; i < 20; ++i) {
      const double t = 2.0 * kPi * i / 20;
      points.emplace_back(place(centre) + radius * scale * (std::cos(t) * camera.right + std::sin(t) * camera.up));
    }
  };
  if (const Box* box = std::get_if<Box>(&shape)) {
    for (int i = 0; i < 8; ++i) {
      points.push_back(place(0.5 * box->size.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1))));
    }
  } else if (const Sphere* sphere = std::get_if<Sphere>(&shape)) {
    ball(Vec3::Zero(), sphere->radius);
  } else if (const Capsule* capsule = std::get_if<Capsule>(&shape)) {
    for (const double z : {-0.5, 0.5}) ball(Vec3(0, 0, z * capsule->length), capsule->radius);
  } else if (const Cylinder* cylinder = std::get_if<Cylinder>(&shape)) {
    for (const double z : {-0.5, 0.5}) {
      for (int i = 0; i < 24; ++i) {
        const double t = 2.0 * kPi * i / 24;
        points.push_back(
            place(Vec3(cylinder->radius * std::cos(t), cylinder->radius * std::sin(t), z * cylinder->length)));
      }
    }
  } else if (const MeshFile* mesh = std::get_if<MeshFile>(&shape); mesh != nullptr && meshes != nullptr) {
    if (const auto found = meshes->find(mesh->uri); found != meshes->end()) {
      for (const Vec3& p : found->second) points.push_back(place(p));
    }
  }
  return points;  // polylines have none
}

template <class Take>
void for_each_shape(const Model& model, const VecX& q, const Camera& camera, const Vec3& shift,
                    const MeshPoints* meshes, Take&& take) {
  traverse(model, q, [&](int, const Visual& visual, const Mat4& X) {
    const Geometry* geometry = model.linkage().find_geometry(visual.geometry);
    if (visual.collision || geometry == nullptr) return;
    std::vector<Vec3> points = outline_points(geometry->shape, X, camera, meshes);
    if (points.empty()) return;
    for (Vec3& p : points) p += shift;
    take(points, visual);
  });
}

// From every link to its children and to the points where it closes a loop; rods, between their ends.
template <class Take>
void for_each_bone(const Model& model, const State& state, const Vec3& shift, Take&& take) {
  const auto bone = [&](const Vec3& a, const Vec3& b, bool leaf) {
    if ((b - a).norm() > 1e-6 * model.size()) take(Vec3(a + shift), Vec3(b + shift), leaf);
  };
  std::vector<char> floats(static_cast<std::size_t>(model.link_count()), 0);  // or hangs on what does
  for (int i = 0; i < model.link_count(); ++i) {
    const int parent = model.parent(i);
    const bool carried = parent >= 0 && floats[static_cast<std::size_t>(parent)] != 0;
    const bool free = model.joint(i).v_count >= 6;
    floats[static_cast<std::size_t>(i)] = carried || free ? 1 : 0;
    // What moves freely hangs on no bone: a figure is not tied to the node above its hips. Files that give every joint
    // six channels still mean bones by those below.
    if (parent < 0 || (free && !carried)) continue;
    bone(state.X_WL[static_cast<std::size_t>(parent)].position, state.X_WL[static_cast<std::size_t>(i)].position,
         model.is_leaf(i));
  }
  for (const ModelClosure& closure : model.closures()) {
    if (std::holds_alternative<Coupling>(closure.type)) continue;
    Vec3 ends[2];
    const std::pair<int, const Transform*> sides[] = {{closure.a, &closure.X_A}, {closure.b, &closure.X_B}};
    for (int k = 0; k < 2; ++k) {
      const auto& [link, X] = sides[k];
      const Transform frame = link < 0 ? Transform{} : state.X_WL[static_cast<std::size_t>(link)];
      ends[k] = (frame * *X).position;
      if (link >= 0 && model.parent(link) >= 0) bone(frame.position, ends[k], false);
    }
    if (std::holds_alternative<Rod>(closure.type)) bone(ends[0], ends[1], false);
  }
}

std::vector<Vec2> tapered_bar(const Vec2& a, const Vec2& b, double from, double to) {
  const Vec2 u = (b - a).normalized();
  const Vec2 n(-u.y(), u.x());
  std::vector<Vec2> outline;
  for (int k = 0; k <= 10; ++k) {
    const double t = kPi * k / 10.0;
    outline.push_back(a - from * std::sin(t) * u + from * std::cos(t) * n);
  }
  for (int k = 0; k <= 10; ++k) {
    const double t = kPi * k / 10.0;
    outline.push_back(b + to * std::sin(t) * u - to * std::cos(t) * n);
  }
  return outline;
}

void draw_sticks(Svg& svg, const Model& model, const State& state, const Camera& camera, const View& view,
                 const Vec3& shift, const FigureStyle& style) {
  struct Stick {
    double nearness;
    Vec2 a, b;
    double width;
    bool leaf;
  };
  std::vector<Stick> sticks;
  const std::string edge = paled(ink::kEdge, style.pale);
  for_each_bone(model, state, shift, [&](const Vec3& a, const Vec3& b, bool leaf) {
    const Vec2 pa = view(camera.flat(a));
    const Vec2 pb = view(camera.flat(b));
    if ((pb - pa).norm() < 0.3) return;
    const double width = std::min(style.width, std::max(1.6, 0.4 * (pb - pa).norm()));
    sticks.push_back({camera.nearness(0.5 * (a + b)), pa, pb, width, leaf});
  });
  std::stable_sort(sticks.begin(), sticks.end(),
                   [](const Stick& a, const Stick& b) { return a.nearness < b.nearness; });
  for (const Stick& s : sticks) {
    const double half = 0.5 * s.width;
    svg.polyline(tapered_bar(s.a, s.b, half, (s.leaf ? 0.62 : 0.85) * half),
                 {edge, std::min(1.1, 0.14 * s.width + 0.3), paled(ink::kBar, 0.6 * style.pale), "", 1.0}, true);
  }
  for (const Stick& s : sticks) {
    if (s.width > 3.0) svg.circle(s.a, 0.3 * s.width, {edge, std::min(1.1, 0.14 * s.width + 0.3), "#ffffff", "", 1.0});
    if (s.leaf) svg.circle(s.b, 0.24 * s.width, Pen::filled(edge));
  }
}

void draw_solids(Svg& svg, const Model& model, const VecX& q, const Camera& camera, const View& view, const Vec3& shift,
                 const FigureStyle& style) {
  std::vector<Patch> patches;
  double nearest = -1e300;
  double farthest = 1e300;
  for_each_shape(model, q, camera, shift, style.meshes, [&](const std::vector<Vec3>& points, const Visual& visual) {
    Patch patch;
    std::vector<Vec2> flat;
    for (const Vec3& p : points) {
      patch.nearness += camera.nearness(p) / static_cast<double>(points.size());
      flat.push_back(camera.flat(p));
    }
    patch.outline = convex_hull(std::move(flat));
    const std::array<double, 4> c = visual.color.value_or(std::array<double, 4>{0.87, 0.89, 0.91, 1.0});
    patch.fill = hex_color(Vec3(c[0], c[1], c[2]));
    nearest = std::max(nearest, patch.nearness);
    farthest = std::min(farthest, patch.nearness);
    patches.push_back(std::move(patch));
  });
  std::stable_sort(patches.begin(), patches.end(),
                   [](const Patch& a, const Patch& b) { return a.nearness < b.nearness; });
  for (const Patch& patch : patches) {
    std::vector<Vec2> page;
    for (const Vec2& p : patch.outline) page.push_back(view(p));
    // What is farther away is paler.
    const double far = nearest > farthest ? (nearest - patch.nearness) / (nearest - farthest) : 0.0;
    const double pale = std::max(style.pale, far > 0.05 ? 0.4 * far : 0.0);
    svg.polyline(page, {paled(ink::kEdge, style.pale), 0.7, paled(patch.fill, pale), "", 1.0}, true);
  }
}

// The sector a hinge can swing through, from its lower to its upper limit, and where it is now.
void draw_limits(Svg& svg, const Model& model, const State& state, const VecX& q, const Camera& camera,
                 const View& view, const Vec3& shift) {
  const double radius = 0.09 * model.size();
  for (int i = 0; i < model.link_count(); ++i) {
    const ModelJoint& joint = model.joint(i);
    const Revolute* hinge = std::get_if<Revolute>(&joint.type);
    if (hinge == nullptr || joint.mimic) continue;
    const double lower = model.lower()[joint.q_index];
    const double upper = model.upper()[joint.q_index];
    if (!std::isfinite(lower) || !std::isfinite(upper) || upper - lower > 2.0 * kPi + 1e-9) continue;
    const Vec3 axis = hinge->axis.normalized();
    // Towards the next joint further out, seen from this one.
    Vec3 out = Vec3::Zero();
    for (int k = i + 1; k < model.subtree_end(i) && out.norm() < 1e-6 * model.size(); ++k) {
      const Vec3 there =
          state.X_WL[static_cast<std::size_t>(i)].inverse() * state.X_WL[static_cast<std::size_t>(k)].position;
      out = there - axis * axis.dot(there);
    }
    if (out.norm() < 1e-6 * model.size()) out = axis.unitOrthogonal();
    out.normalize();
    const Transform X_WP = joint.parent >= 0 ? state.X_WL[static_cast<std::size_t>(joint.parent)] : Transform{};
    const Transform X_WJ = X_WP * joint.origin;
    const auto at = [&](double angle) {
      const Vec3 turned = Transform::rotate(axis, angle).rotation * out;
      return view(camera.flat(X_WJ * Vec3(radius * turned) + shift));
    };
    const Vec2 centre = view(camera.flat(X_WJ.position + shift));
    std::vector<Vec2> arc;
    const int steps = std::max(4, static_cast<int>(std::ceil((upper - lower) / 0.1)));
    for (int k = 0; k <= steps; ++k) arc.push_back(at(lower + (upper - lower) * k / steps));
    std::vector<Vec2> sector = arc;
    sector.push_back(centre);
    svg.polyline(sector, Pen::filled(ink::kPath, 0.12), true);
    svg.polyline(arc, Pen::line(ink::kPath, 1.0));
    svg.line(centre, arc.front(), Pen::line(ink::kPath, 0.7));
    svg.line(centre, arc.back(), Pen::line(ink::kPath, 0.7));
    svg.line(centre, at(q[joint.q_index]), Pen::line(ink::kGoal, 1.3));
  }
}

}  // namespace

MeshPoints load_mesh_points(const Model& model, const Beside& beside, std::vector<std::string>& notes) {
  MeshPoints meshes;
  const MeshLoader load = meshes_beside(beside);
  int missing = 0;
  std::string first;
  for (int i = 0; i < model.link_count(); ++i) {
    for (const Visual& visual : model.visuals(i)) {
      const Geometry* geometry = model.linkage().find_geometry(visual.geometry);
      const MeshFile* mesh = geometry != nullptr ? std::get_if<MeshFile>(&geometry->shape) : nullptr;
      if (visual.collision || mesh == nullptr || meshes.count(mesh->uri) > 0) continue;
      std::vector<Vec3>& points = meshes[mesh->uri];
      const Result<std::vector<Triangle>> triangles = load(mesh->uri);
      if (!triangles) {
        if (++missing == 1) first = triangles.message();
        continue;
      }
      // The corner farthest out in each of many directions: enough for an outline from any side.
      for (int k = 0; k < 200 && !triangles->empty(); ++k) {
        const double z = 1.0 - (2.0 * k + 1.0) / 200.0;
        const double turn = 2.399963229728653 * k;  // the golden angle spreads them evenly
        const double r = std::sqrt(1.0 - z * z);
        const Vec3 out(r * std::cos(turn), r * std::sin(turn), z);
        Vec3 best = (*triangles)[0].a;
        for (const Triangle& t : *triangles) {
          for (const Vec3* p : {&t.a, &t.b, &t.c}) {
            if (out.dot(*p) > out.dot(best)) best = *p;
          }
        }
        points.push_back(best);
      }
    }
  }
  if (missing > 0) {
    notes.push_back(std::to_string(missing) + (missing == 1 ? " mesh" : " meshes") + " could not be read, and " +
                    (missing == 1 ? "is" : "are") + " shown as sticks or not at all: " + first);
  }
  return meshes;
}

bool has_shapes(const Model& model, const MeshPoints& meshes) {
  int all = 0;
  int drawn = 0;
  for (int i = 0; i < model.link_count(); ++i) {
    for (const Visual& visual : model.visuals(i)) {
      const Geometry* geometry = model.linkage().find_geometry(visual.geometry);
      if (visual.collision || geometry == nullptr) continue;
      ++all;
      const MeshFile* mesh = std::get_if<MeshFile>(&geometry->shape);
      const auto found = mesh == nullptr ? meshes.end() : meshes.find(mesh->uri);
      if (mesh == nullptr || (found != meshes.end() && !found->second.empty())) ++drawn;
    }
  }
  return drawn > 0 && 2 * drawn >= all;
}

Result<Camera> camera_named(const std::string& name, bool y_up) {
  Camera camera;
  Mat3 basis = Mat3::Identity();  // forward, left, up
  if (y_up) basis << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  double azimuth = 0.0;
  double elevation = 0.0;
  if (name == "top") {
    camera.right = basis * Vec3::UnitX();
    camera.up = basis * Vec3::UnitY();
    camera.towards = camera.floor_normal = basis * Vec3::UnitZ();
    camera.looks_down = false;
    return camera;
  }
  if (name == "front") {
    azimuth = 0.0;
  } else if (name == "side") {
    azimuth = -90.0;
  } else if (name == "oblique") {
    azimuth = 38.0;
    elevation = 18.0;
  } else {
    const std::size_t comma = name.find(',');
    if (comma == std::string::npos || !parse_number(name.substr(0, comma), azimuth) ||
        !parse_number(name.substr(comma + 1), elevation) || std::abs(elevation) >= 90.0) {
      return Error{
          "A view is top, front, side, oblique, or azimuth,elevation in degrees (elevation between -90 and 90), not " +
          detail::quoted(name) + "."};
    }
  }
  const double a = azimuth * kPi / 180.0;
  const double e = elevation * kPi / 180.0;
  const Vec3 towards(std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e));
  const Vec3 right(-std::sin(a), std::cos(a), 0.0);
  camera.right = basis * right;
  camera.towards = basis * towards;
  camera.up = basis * towards.cross(right);
  camera.floor_normal = basis * Vec3::UnitZ();
  camera.looks_down = elevation > 3.0;
  return camera;
}

void draw_figure(Svg& svg, const Model& model, const State& state, const VecX& q, const Camera& camera,
                 const View& view, const Vec3& shift, const FigureStyle& style) {
  if (style.ground) draw_ground(svg, view(camera.flat(state.X_WL[0].position + shift)), 1.25 * style.width);
  if (style.sticks) {
    if (style.limits) draw_limits(svg, model, state, q, camera, view, shift);
    draw_sticks(svg, model, state, camera, view, shift, style);
  } else {
    draw_solids(svg, model, q, camera, view, shift, style);
    if (style.limits) draw_limits(svg, model, state, q, camera, view, shift);
  }
  if (!style.labels) return;
  for (int i = 0; i < model.link_count(); ++i) {
    const ModelJoint& joint = model.joint(i);
    if (joint.q_count == 0) continue;
    svg.text(
        view(camera.flat(state.X_WL[static_cast<std::size_t>(i)].position + shift)) + Vec2(0.8 * style.width + 2, 4),
        joint.name, {10.5, ink::kSoft, "start", false, false, 0});
  }
}

void add_figure(Bounds& bounds, const Model& model, const State& state, const VecX& q, const Camera& camera,
                const Vec3& shift, const FigureStyle& style) {
  const double around = style.limits ? 0.1 * model.size() : 0.0;  // room for the sectors
  const auto add = [&](const Vec3& place) {
    const Vec2 p = camera.flat(place);
    bounds.add(p - Vec2::Constant(around));
    bounds.add(p + Vec2::Constant(around));
  };
  bool boned = false;
  if (style.bones_only) {
    for_each_bone(model, state, shift, [&](const Vec3& a, const Vec3& b, bool) {
      add(a);
      add(b);
      boned = true;
    });
  }
  for (const Transform& X : state.X_WL) {
    if (!boned) add(X.position + shift);
  }
  if (style.sticks) {
    if (model.closures().empty()) return;
    for_each_bone(model, state, shift, [&](const Vec3&, const Vec3& b, bool) { bounds.add(camera.flat(b)); });
    return;
  }
  for_each_shape(model, q, camera, shift, style.meshes, [&](const std::vector<Vec3>& points, const Visual&) {
    for (const Vec3& p : points) bounds.add(camera.flat(p));
  });
}

}  // namespace armature::drawing
