#include "armature/formats/placed_shape.hpp"

#include <cmath>

#include "armature/formats/spelling.hpp"

namespace armature::inline v0_2 {

std::optional<PlacedShape> placed_shape(const Visual& visual, const Shape& shape, Dropped& dropped) {
  const std::optional<ReadyParts> parts = split_ready(visual.X_LG);
  if (!parts) {
    dropped.add("visual that is sheared or flattened");
    return std::nullopt;
  }
  const Vec3 scale = parts->scale.cwiseAbs();  // all but meshes are their own mirror images
  const bool round = std::abs(scale[0] - scale[1]) <= 1e-12 * scale[0];
  const bool uniform = round && std::abs(scale[0] - scale[2]) <= 1e-12 * scale[0];
  if (const auto* box = std::get_if<Box>(&shape)) {
    return PlacedShape{parts->origin, Box{box->size.cwiseProduct(scale)}};
  }
  if (const auto* ball = std::get_if<Sphere>(&shape)) {
    if (uniform) return PlacedShape{parts->origin, Sphere{ball->radius * scale[0]}};
    return PlacedShape{parts->origin, Sphere{1.0}, ball->radius * scale};
  }
  if (const auto* rod = std::get_if<Cylinder>(&shape); rod != nullptr && round) {
    return PlacedShape{parts->origin, Cylinder{rod->radius * scale[0], rod->length * scale[2]}};
  }
  if (const auto* capsule = std::get_if<Capsule>(&shape); capsule != nullptr && uniform) {
    return PlacedShape{parts->origin, Capsule{capsule->radius * scale[0], capsule->length * scale[2]}};
  }
  if (const auto* mesh = std::get_if<MeshFile>(&shape)) return PlacedShape{parts->origin, *mesh, parts->scale};
  dropped.add(std::string(shape_name(shape)) + (std::holds_alternative<Polyline>(shape) ? "" : " with unequal scale"));
  return std::nullopt;
}

}  // namespace armature::inline v0_2
