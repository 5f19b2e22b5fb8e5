#include "armature/kinematics/exact_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "armature/base/index.hpp"
#include "armature/kinematics/body_pairs.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kNearlyAlways = 0.95;  // of the samples: then it is no fault of a pose, as for bodies
constexpr int kAlwaysPoses = 200;

Nearest moved(Nearest n, const Transform& X) {
  n.on_a = X * n.on_a;
  n.on_b = X * n.on_b;
  n.normal = X.rotation * n.normal;
  return n;
}

// Between a solid and a surface, in the frame of the surface.
Nearest to_surface(const Solid& solid, const Transform& X, const MeshSurface& surface, double within) {
  if (solid.box) return surface.tree().nearest(box_at(solid, X), within);
  return surface.tree().nearest(segment_at(solid, X), solid.radius, within);
}

// Inside a closed surface: as deep as the nearest triangle is far.
bool inside(const MeshSurface& surface, const Vec3& point, Nearest& out) {
  if (!surface.holds(point)) return false;
  out = surface.tree().nearest(Segment{point, Vec3::Zero()}, 0.0, 1e300);
  out.distance = -out.distance;
  out.normal = -out.normal;
  return true;
}

// The lowest point of a solid along a direction.
Vec3 lowest(const Solid& solid, const Transform& X, const Vec3& up) {
  if (!solid.box) {
    const Segment segment = segment_at(solid, X);
    return (up.dot(segment.d) < 0.0 ? Vec3(segment.a + segment.d) : segment.a) - solid.radius * up;
  }
  const OrientedBox box = box_at(solid, X);
  Vec3 x = box.center;
  for (int k = 0; k < 3; ++k) x -= std::copysign(box.half[k], up.dot(box.axes.col(k))) * box.axes.col(k);
  return x;
}

std::vector<Triangle> moved(std::vector<Triangle> triangles, const Transform& X) {
  for (Triangle& t : triangles) {
    for (Vec3* p : {&t.a, &t.b, &t.c}) *p = X * *p;
  }
  return triangles;
}

}  // namespace

ExactShapes::Part ExactShapes::part_of(const Obstacle& obstacle) {
  Part part;
  part.origin = obstacle.origin;
  const auto surface = [&](std::vector<Triangle> triangles, double radius, bool closed) {
    Vec3 low = Vec3::Constant(1e300), high = -low;
    for (const Triangle& t : triangles) {
      low = low.cwiseMin(t.a).cwiseMin(t.b).cwiseMin(t.c);
      high = high.cwiseMax(t.a).cwiseMax(t.b).cwiseMax(t.c);
    }
    part.kind = Kind::surface;
    part.center = 0.5 * (low + high);
    part.bound = 0.5 * (high - low).norm() + radius;
    part.surface = std::make_shared<const MeshSurface>(std::move(triangles), radius, closed);
  };
  const auto solid = [&](const Shape& shape) {
    part.solid = make_solid(shape, obstacle.origin, -1);
    part.center = obstacle.origin.position;
    part.bound = part.solid.bound;
  };
  if (const auto* box = std::get_if<Box>(&obstacle.shape)) {
    solid(*box);
  } else if (const auto* ball = std::get_if<Sphere>(&obstacle.shape)) {
    solid(*ball);
  } else if (const auto* capsule = std::get_if<Capsule>(&obstacle.shape)) {
    solid(*capsule);
  } else if (const auto* rod = std::get_if<Cylinder>(&obstacle.shape)) {
    surface(surface_around(*rod, obstacle.origin), 0.0, true);
  } else if (const auto* plane = std::get_if<Plane>(&obstacle.shape)) {
    part.kind = Kind::plane;
    part.normal = obstacle.origin.rotation * plane->normal.normalized();
    part.point = obstacle.origin.position;
  } else if (const auto* field = std::get_if<HeightField>(&obstacle.shape)) {
    surface(moved(surface_of(*field, true), obstacle.origin), 0.0, false);
    part.kind = Kind::ground;
    part.field = *field;
    part.bound = 1e300;
  } else if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&obstacle.shape)) {
    surface(moved((*mesh)->triangles, obstacle.origin), 0.0, is_link_shape(obstacle));
  } else if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&obstacle.shape)) {
    std::vector<Triangle> points;
    for (const Vec3& p : (*cloud)->points) points.push_back({p, p, p});
    surface(moved(std::move(points), obstacle.origin), (*cloud)->radius, false);
  }
  return part;
}

bool ExactShapes::prepare(const Model& model, const Bodies& bodies, std::span<const Obstacle> obstacles) {
  model_ = {};
  links_.assign(at(model.link_count()), {});
  obstacles_.clear();
  others_.clear();
  std::vector<int> links;
  for (const Obstacle& obstacle : obstacles) {
    const std::optional<int> link = obstacle.link.empty() ? std::nullopt : model.lookup_link(obstacle.link);
    if (link) links.push_back(*link);
    if (!is_link_shape(obstacle)) {
      obstacles_.push_back({part_of(obstacle)});
    } else if (link) {
      links_[at(*link)].push_back(part_of(obstacle));
    }
  }
  if (std::all_of(links_.begin(), links_.end(), [](const Thing& thing) { return thing.empty(); })) return false;
  model_ = model;
  for (const LinkPair& pair : bodies.links) {
    if (pair.reason != PairReason::always || links_[at(pair.a)].empty() || links_[at(pair.b)].empty()) continue;
    others_.push_back({pair.a, pair.b});
  }
  branches_.compile(model_, links);
  resize(model_, state_);
  const VecX neutral = neutral_pose(model_);
  place(neutral.data());
  std::vector<int> hits(others_.size(), 0);
  Rng rng(7);
  for (int n = 0; n < kAlwaysPoses && !others_.empty(); ++n) {
    const VecX q = random_pose(model_, rng);
    place(q.data());
    for (std::size_t i = 0; i < others_.size(); ++i) {
      const Other& pair = others_[i];
      hits[i] +=
          measure(links_[at(pair.a)], frame(pair.a), links_[at(pair.b)], frame(pair.b), 0.0, true).distance < 0.0;
    }
  }
  for (std::size_t i = others_.size(); i-- > 0;) {
    if (hits[i] >= kNearlyAlways * kAlwaysPoses) others_.erase(others_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return true;
}

void ExactShapes::watch(std::span<const char> velocities) {
  for (Other& pair : others_) {
    pair.watched = velocities.empty();
    // The joints above one of the two and not above both.
    for (int a = pair.a, b = pair.b; a != b && !pair.watched;) {
      int& lower = a > b ? a : b;  // parents come before children
      const ModelJoint& joint = model_.joint(lower);
      for (int k = 0; k < joint.v_count; ++k) pair.watched = pair.watched || velocities[at(joint.v_index + k)] != 0;
      lower = model_.parent(lower);
    }
  }
}

Transform ExactShapes::frame(int link) const { return link >= 0 ? state_.X_WL[at(link)] : Transform{}; }

Nearest ExactShapes::measure(const Part& a, const Transform& X_a, const Part& b, const Transform& X_b, double within,
                             bool any) {
  Nearest none;
  none.distance = within;
  const double most = a.bound + b.bound + within;
  if (most < 0.0 || (X_a * a.center - X_b * b.center).squaredNorm() >= most * most) return none;
  if (a.kind == Kind::plane || a.kind == Kind::ground) return flipped(measure(b, X_b, a, X_a, within, any));
  if (b.kind == Kind::plane || b.kind == Kind::ground) return above_ground(a, X_a, b, within, any);
  const Transform b_in_a = X_a.inverse() * X_b;
  Nearest best, deep;
  if (a.kind == Kind::solid && b.kind == Kind::solid) {
    best = distance_between(a.solid, X_a, b.solid, X_b);
    return best.distance < within ? best : none;
  }
  if (a.kind == Kind::surface && b.kind == Kind::surface) {
    best = moved(a.surface->nearest(*b.surface, b_in_a, within, any), X_a);
  } else if (a.kind == Kind::surface) {
    best = flipped(moved(to_surface(b.solid, b_in_a, *a.surface, within), X_a));
  } else {
    best = moved(to_surface(a.solid, b_in_a.inverse(), *b.surface, within), X_b);
  }
  if (best.distance < (any ? within : 0.0)) return best;
  // No surface crosses the other, but one may lie wholly inside.
  const auto point_of = [](const Part& part) {
    return part.kind == Kind::solid ? part.solid.origin.position : part.surface->triangles().front().a;
  };
  if (b.kind == Kind::surface && inside(*b.surface, b_in_a.inverse() * point_of(a), deep)) return moved(deep, X_b);
  if (a.kind == Kind::surface && inside(*a.surface, b_in_a * point_of(b), deep)) return flipped(moved(deep, X_a));
  return best;
}

// The thing stands in the world, and everything below it is solid.
Nearest ExactShapes::above_ground(const Part& a, const Transform& X, const Part& ground, double within, bool any) {
  Nearest best;
  best.distance = within;
  const Vec3 up = ground.kind == Kind::plane ? ground.normal : Vec3(ground.origin.rotation.col(2));
  const Vec3 low =
      a.kind == Kind::solid ? lowest(a.solid, X, up) : Vec3(X * a.surface->farthest(X.rotation.transpose() * -up));
  if (ground.kind == Kind::plane) {
    const double d = up.dot(low - ground.point);
    if (d < within) best = {d, low, low - d * up, up};
    return best;
  }
  best = a.kind == Kind::solid ? to_surface(a.solid, X, *ground.surface, within)
                               : flipped(ground.surface->nearest(*a.surface, X, within, any));
  const auto below = [&](const Vec3& x) {
    const Vec3 local = ground.origin.inverse() * x;
    const double d = local[2] - height_at(ground.field, local[0], local[1]);
    if (d < 0.0 && d < best.distance) best = {d, x, x - d * up, up};
  };
  below(low);
  if (a.kind == Kind::surface) {
    for (const Triangle& t : a.surface->triangles()) {
      for (const Vec3* p : {&t.a, &t.b, &t.c}) below(X * *p);
    }
  }
  return best;
}

Nearest ExactShapes::measure(const Thing& a, const Transform& X_a, const Thing& b, const Transform& X_b, double within,
                             bool any) {
  Nearest best;
  best.distance = within;
  for (const Part& x : a) {
    for (const Part& y : b) {
      const Nearest n = measure(x, X_a, y, X_b, best.distance, any);
      if (n.distance >= best.distance) continue;
      best = n;
      if (any) return best;
    }
  }
  return best;
}

Nearest ExactShapes::nearest(const NearPair& pair, double within, bool any) const {
  const Thing& a = pair.carried >= 0 ? obstacles_[at(pair.carried)] : links_[at(pair.link_a)];
  const Thing& b = pair.obstacle >= 0 ? obstacles_[at(pair.obstacle)] : links_[at(pair.link_b)];
  if (a.empty() || b.empty()) return pair.nearest;
  return measure(a, frame(pair.link_a), b, frame(pair.link_b), within, any);
}

bool ExactShapes::others_touch() const {
  return std::any_of(others_.begin(), others_.end(), [&](const Other& pair) {
    return pair.watched &&
           measure(links_[at(pair.a)], frame(pair.a), links_[at(pair.b)], frame(pair.b), 0.0, true).distance < 0.0;
  });
}

void ExactShapes::nearest_others(double within, std::vector<NearPair>& out) const {
  for (const Other& pair : others_) {
    if (!pair.watched) continue;
    NearPair near;
    near.link_a = pair.a;
    near.link_b = pair.b;
    near.nearest = measure(links_[at(pair.a)], frame(pair.a), links_[at(pair.b)], frame(pair.b), within, false);
    if (near.nearest.distance < within) out.push_back(near);
  }
}

FalseAlarms ExactShapes::count_false_alarms(const Bodies& bodies, Clearance& clearance, int poses) {
  FalseAlarms out;
  out.poses = poses;
  Rng rng(11);
  std::vector<NearPair> near;
  int by_bodies = 0, by_shapes = 0, missed = 0;
  for (int n = 0; n < poses; ++n) {
    const VecX q = random_pose(model_, rng);
    clearance.nearest(q.data(), 0.0, near);
    place(q.data());
    // Where one of the two has no shapes the bodies decide; the others are asked whatever the bodies say.
    bool shapes = std::any_of(near.begin(), near.end(), [&](const NearPair& pair) {
      return links_[at(pair.link_a)].empty() || links_[at(pair.link_b)].empty();
    });
    for (const LinkPair& pair : bodies.links) {
      if (shapes) break;
      if (pair.reason != PairReason::checked && pair.reason != PairReason::never) continue;
      shapes = measure(links_[at(pair.a)], frame(pair.a), links_[at(pair.b)], frame(pair.b), 0.0, true).distance < 0.0;
    }
    by_bodies += near.empty() ? 0 : 1;
    by_shapes += shapes ? 1 : 0;
    missed += shapes && near.empty() ? 1 : 0;
  }
  out.bodies = static_cast<double>(by_bodies) / poses;
  out.shapes = static_cast<double>(by_shapes) / poses;
  out.missed = static_cast<double>(missed) / poses;
  return out;
}

}  // namespace armature::inline v0_2
