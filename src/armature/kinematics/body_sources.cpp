#include "armature/kinematics/body_sources.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/suggest.hpp"
#include "armature/geom/shortest_turn.hpp"
#include "armature/kinematics/fit_bodies.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kBoneRadius = 0.12;    // of a bone's length
constexpr double kThickestBone = 0.05;  // of the model's size
constexpr double kShortestBone = 0.02;  // of the model's size: below it there is none

struct MatrixParts {
  Transform origin;
  Vec3 scale;
};

// A visual's matrix as a rigid transform and scales along the shape's axes; a mirror image turns into a scale.
bool split_matrix(const Mat4& m, MatrixParts& out) {
  const Mat3 A = m.topLeftCorner<3, 3>();
  for (int k = 0; k < 3; ++k) out.scale[k] = A.col(k).norm();
  if (!(out.scale.minCoeff() > 0.0)) return false;
  out.origin.rotation = A * out.scale.cwiseInverse().asDiagonal();
  if (out.origin.rotation.determinant() < 0.0) {
    out.origin.rotation.col(0) = -out.origin.rotation.col(0);
    out.scale[0] = -out.scale[0];
  }
  const Mat3 defect = out.origin.rotation.transpose() * out.origin.rotation - Mat3::Identity();
  out.origin.position = m.topRightCorner<3, 1>();
  return defect.cwiseAbs().maxCoeff() < 1e-6;
}

// A box, sphere, cylinder or capsule under a matrix, as a shape that holds it. Sheared ones become boxes around them.
bool primitive_body(const Shape& shape, const Mat4& matrix, Body& out) {
  MatrixParts parts;
  Vec3 half;
  if (const auto* box = std::get_if<Box>(&shape)) {
    half = 0.5 * box->size;
  } else if (const auto* ball = std::get_if<Sphere>(&shape)) {
    half = Vec3::Constant(ball->radius);
  } else if (const auto* rod = std::get_if<Cylinder>(&shape)) {
    half = Vec3(rod->radius, rod->radius, 0.5 * rod->length);
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    half = Vec3(capsule->radius, capsule->radius, 0.5 * capsule->length + capsule->radius);
  } else {
    return false;
  }
  if (half.maxCoeff() <= 0.0) return false;
  if (!split_matrix(matrix, parts)) {
    const Vec3 reach = matrix.topLeftCorner<3, 3>().cwiseAbs() * half;
    out.shape = Box{2.0 * reach};
    out.origin = Transform::translate(matrix.topRightCorner<3, 1>());
    return reach.maxCoeff() > 0.0;
  }
  const Vec3 s = parts.scale.cwiseAbs();
  out.origin = parts.origin;
  const bool round = std::abs(s[0] - s[1]) <= 1e-9 * s[0];
  const bool uniform = round && std::abs(s[0] - s[2]) <= 1e-9 * s[0];
  if (std::holds_alternative<Sphere>(shape) && uniform) {
    out.shape = Sphere{s[0] * half[0]};
  } else if (const auto* capsule = std::get_if<Capsule>(&shape); capsule != nullptr && uniform) {
    out.shape = Capsule{s[0] * capsule->radius, s[0] * capsule->length};
  } else if (const auto* rod = std::get_if<Cylinder>(&shape); rod != nullptr && round) {
    out.shape = Cylinder{s[0] * rod->radius, s[2] * rod->length};
  } else {
    out.shape = Box{2.0 * s.cwiseProduct(half)};
  }
  return true;
}

void place_triangles(const Mat4& X, std::vector<Triangle>& triangles) {
  for (Triangle& t : triangles) {
    for (Vec3* p : {&t.a, &t.b, &t.c}) *p = X.topLeftCorner<3, 3>() * *p + X.topRightCorner<3, 1>();
  }
}

// Those for collision, where the link has any, or was asked for these only.
bool takes_collision(const Model& model, int link, const std::string& only) {
  if (!only.empty()) return only == "collision";
  const auto& visuals = model.visuals(link);
  return std::any_of(visuals.begin(), visuals.end(), [](const Visual& v) { return v.collision; });
}

// A shape as an obstacle of its link; false: it is none that can be asked.
bool shape_of_link(const Visual& visual, const Geometry& geometry, const BodyOptions& options, Obstacle& out,
                   std::string& why) {
  Body body;
  MatrixParts parts;
  if (const auto* mesh = std::get_if<MeshFile>(&geometry.shape)) {
    Result<std::vector<Triangle>> triangles = Error{"meshes are not loaded here."};
    if (options.load_mesh) triangles = options.load_mesh(mesh->uri);
    if (!triangles) return why = triangles.message(), false;
    place_triangles(visual.X_LG, *triangles);
    auto shape = std::make_shared<TriangleMesh>();
    shape->triangles = std::move(*triangles);
    shape->uri = mesh->uri;
    out.shape = std::shared_ptr<const TriangleMesh>(std::move(shape));
    out.origin = {};
    return true;
  }
  if (!primitive_body(geometry.shape, visual.X_LG, body)) return true;  // nothing to touch: no size, or a line
  if (!split_matrix(visual.X_LG, parts)) return why = "a sheared shape has no body of its own kind.", false;
  if (geometry.shape.index() != body.shape.index()) return why = "a stretched round shape has only its box.", false;
  if (const auto* box = std::get_if<Box>(&body.shape)) out.shape = *box;
  if (const auto* ball = std::get_if<Sphere>(&body.shape)) out.shape = *ball;
  if (const auto* rod = std::get_if<Cylinder>(&body.shape)) out.shape = *rod;
  if (const auto* capsule = std::get_if<Capsule>(&body.shape)) out.shape = *capsule;
  out.origin = body.origin;
  return true;
}

class Gatherer {
 public:
  Gatherer(const Model& model, const BodyOptions& options, std::vector<std::string>& notes)
      : model_(model), options_(options), notes_(notes) {}

  Result<std::vector<Body>> gather() {
    const Linkage& linkage = model_.linkage();
    const std::string& only = options_.source;
    if (!only.empty() && only != "file" && only != "collision" && only != "visual" && only != "bones") {
      return Error{unknown_name("source of bodies", only, {"file", "collision", "visual", "bones"})};
    }
    if (only == "file" || (only.empty() && !linkage.bodies.empty())) return linkage.bodies;
    bool shapes = false;
    for (int link = 0; link < model_.link_count() && only != "bones"; ++link) {
      const bool has_collision = std::any_of(model_.visuals(link).begin(), model_.visuals(link).end(),
                                             [](const Visual& v) { return v.collision; });
      if (only == "collision" && !has_collision) continue;
      const bool collision = only == "collision" || (only.empty() && has_collision);
      if (add_shapes(link, collision)) {
        shapes = true;
      } else if (!model_.visuals(link).empty()) {
        add_bones(link);
      }
    }
    if (!shapes && only != "collision" && only != "visual") {
      bodies_.clear();
      for (int link = 0; link < model_.link_count(); ++link) add_bones(link);
      if (!bodies_.empty()) {
        notes_.push_back(model_.linkage().geometries.empty()
                             ? "The model has no shapes; its bodies are guessed from its bones."
                             : "No shape could be used; the bodies are guessed from the bones.");
      }
    } else if (unread_ > 0) {
      notes_.push_back(std::to_string(unread_) + (unread_ == 1 ? " mesh was" : " meshes were") +
                       " not read, so bones stand in: " + first_unread_);
    }
    return std::move(bodies_);
  }

 private:
  bool add_shapes(int link, bool collision) {
    bool any = false;
    for (const Visual& visual : model_.visuals(link)) {
      if (visual.collision != collision) continue;
      const Geometry* geometry = model_.linkage().find_geometry(visual.geometry);
      if (geometry == nullptr) continue;
      Body body;
      body.link = model_.link_name(link);
      if (primitive_body(geometry->shape, visual.X_LG, body)) {
        body.source = collision ? "collision" : "visual";
        bodies_.push_back(std::move(body));
        any = true;
      } else if (const auto* mesh = std::get_if<MeshFile>(&geometry->shape)) {
        any = add_mesh(link, *mesh, visual, collision) || any;
      }
    }
    return any;
  }

  bool add_mesh(int link, const MeshFile& mesh, const Visual& visual, bool collision) {
    Result<std::vector<Triangle>> triangles = Error{"meshes are not loaded here."};
    if (options_.load_mesh) triangles = options_.load_mesh(mesh.uri);
    if (!triangles) {
      if (unread_++ == 0) first_unread_ = triangles.message();
      return false;
    }
    place_triangles(visual.X_LG, *triangles);
    const std::vector<FittedBody> fits = fit_bodies(*triangles, options_.most_per_link);
    for (const FittedBody& fit : fits) {
      bodies_.push_back({model_.link_name(link), fit.shape, fit.origin, collision ? "collision mesh" : "visual mesh"});
    }
    return !fits.empty();
  }

  // From the link's origin to each joint below it.
  void add_bones(int link) {
    for (int child = link + 1; child < model_.subtree_end(link); child = model_.subtree_end(child)) {
      const Vec3 bone = model_.joint(child).origin.position;
      const double length = bone.norm();
      if (length < kShortestBone * model_.size()) continue;
      const double radius = std::min(kBoneRadius * length, kThickestBone * model_.size());
      Body body;
      body.link = model_.link_name(link);
      body.source = "bone";
      body.shape = Capsule{radius, length};
      body.origin = Transform::from(quaternion_between(Vec3::UnitZ(), bone / length), 0.5 * bone);
      bodies_.push_back(std::move(body));
    }
  }

  const Model& model_;
  const BodyOptions& options_;
  std::vector<std::string>& notes_;
  std::vector<Body> bodies_;
  std::string first_unread_;
  int unread_ = 0;
};

}  // namespace

Result<std::vector<Body>> gather_bodies(const Model& model, const BodyOptions& options,
                                        std::vector<std::string>& notes) {
  return Gatherer(model, options, notes).gather();
}

std::vector<Obstacle> link_shapes(const Model& model, const BodyOptions& options, std::vector<std::string>& notes) {
  std::vector<Obstacle> out;
  for (int link = 0; link < model.link_count() && options.source != "bones"; ++link) {
    const bool collision = takes_collision(model, link, options.source);
    std::vector<Obstacle> own;
    std::string why;
    for (const Visual& visual : model.visuals(link)) {
      const Geometry* geometry = model.linkage().find_geometry(visual.geometry);
      if (visual.collision != collision || geometry == nullptr) continue;
      Obstacle shape;
      shape.name = shape.link = model.link_name(link);
      shape.shape = Box{Vec3::Zero()};
      if (!shape_of_link(visual, *geometry, options, shape, why)) break;
      if (check_obstacle(shape)) own.push_back(std::move(shape));
    }
    if (!why.empty()) {
      notes.push_back("Of link " + detail::quoted(model.link_name(link)) +
                      " the bodies decide, not its shapes: " + why);
    } else {
      for (Obstacle& shape : own) out.push_back(std::move(shape));
    }
  }
  return out;
}

}  // namespace armature::inline v0_2
