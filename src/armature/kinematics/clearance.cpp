// Over 400 lines: one list of things and pairs, and the few questions that are asked of it.
#include "armature/kinematics/clearance.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kNoMargin = 1e300;  // no cap
constexpr std::size_t kNearPairs = 64;

// Nearest first; the smallest distance, or `within`.
double sorted(std::vector<NearPair>& pairs, double within) {
  for (std::size_t i = 1; i < pairs.size(); ++i) {  // few pairs; a stable sort of the library's would allocate
    for (std::size_t k = i; k > 0 && pairs[k].nearest.distance < pairs[k - 1].nearest.distance; --k) {
      std::swap(pairs[k], pairs[k - 1]);
    }
  }
  return pairs.empty() ? within : pairs.front().nearest.distance;
}

constexpr std::uint64_t kForEver = ~std::uint64_t{0};  // placed once
constexpr double kInside = 1e-12;                      // squared metres

// A box around something that is carried and that is no solid itself.
Obstacle boxed(const Obstacle& obstacle, const std::vector<Vec3>& points, double radius) {
  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (const Vec3& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  Obstacle out = obstacle;
  out.shape = Box{high - low + Vec3::Constant(2.0 * radius + 1e-9)};
  out.origin = obstacle.origin * Transform::translate(0.5 * (low + high));
  return out;
}

Obstacle carried_solid(const Obstacle& obstacle) {
  std::vector<Vec3> points;
  if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&obstacle.shape)) {
    for (const Triangle& t : (*mesh)->triangles) points.insert(points.end(), {t.a, t.b, t.c});
    return boxed(obstacle, points, 0.0);
  }
  if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&obstacle.shape)) {
    return boxed(obstacle, (*cloud)->points, (*cloud)->radius);
  }
  return obstacle;
}

bool solid_shape(const ObstacleShape& shape, Shape& out) {
  if (const auto* box = std::get_if<Box>(&shape)) return out = *box, true;
  if (const auto* ball = std::get_if<Sphere>(&shape)) return out = *ball, true;
  if (const auto* rod = std::get_if<Cylinder>(&shape)) return out = *rod, true;
  if (const auto* capsule = std::get_if<Capsule>(&shape)) return out = *capsule, true;
  return false;
}

}  // namespace

Status Clearance::prepare(const Model& model, const Bodies& bodies, std::span<const Obstacle> obstacles) {
  model_ = {};
  solids_ = bodies.solids;
  thing_.assign(solids_.size(), -1);
  pairs_ = bodies.pairs;
  worlds_.clear();
  names_.clear();
  std::vector<std::size_t> in_world;
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    const Obstacle& obstacle = obstacles[i];
    if (Status status = check_obstacle(obstacle); !status) return status;
    names_.push_back(obstacle.name.empty() ? std::string("obstacle ") + std::to_string(i + 1) : obstacle.name);
    if (obstacle.link.empty()) {
      in_world.push_back(i);
      continue;
    }
    const Result<int> link = model.find_link(obstacle.link);
    if (!link)
      return Error{"Obstacle " + detail::quoted(names_.back()) + " is carried by a link that does not exist. " +
                   link.message()};
    const Obstacle carried = carried_solid(obstacle);
    Shape shape;
    solid_shape(carried.shape, shape);
    solids_.push_back(make_solid(shape, carried.origin, *link));
    thing_.push_back(static_cast<int>(i));
  }
  model_ = model;
  const int own = static_cast<int>(solids_.size());
  pair_carried(bodies);
  for (const std::size_t i : in_world) {
    if (Status status = add_obstacle(obstacles[i], static_cast<int>(i)); !status) return status;
  }

  const std::vector<char> moves = moving_links(model);
  movers_.clear();
  std::vector<int> links;
  for (int s = 0; s < own; ++s) {
    const int link = solids_[at(s)].link;
    links.push_back(link);
    if (moves[at(link)] == 0) continue;
    movers_.push_back(s);
    for (int w = own; w < static_cast<int>(solids_.size()); ++w) pairs_.push_back({s, w, kNoMargin});
  }
  if (links.empty()) links.push_back(0);
  branches_.compile(model, links);
  resize(model, state_);
  placed_.resize(solids_.size());
  balls_.resize(solids_.size());
  placed_at_.assign(solids_.size(), kForEver);
  pose_ = 0;
  const VecX neutral = neutral_pose(model);
  branches_.forward(neutral.data(), state_);
  for (int s = 0; s < static_cast<int>(solids_.size()); ++s) place(s);
  for (int s = 0; s < static_cast<int>(solids_.size()); ++s) {
    placed_at_[at(s)] = s < own && moves[at(solids_[at(s)].link)] != 0 ? 0 : kForEver;
  }
  make_levers(own);
  split_.clear();
  make_covers(own, moves);
  watch({});
  find_split();
  if (!split_.empty()) make_covers(own, moves);
  pose_ = 0;
  middle_.resize(model.q_size());
  motion_.resize(model.v_size());
  whole_.resize(model.v_size());
  waiting_.reserve(64);
  watch({});
  return {};
}

// The lowest link above (or equal to) both; -1: none.
int Clearance::common_link(int a, int b) const {
  while (a != b) (a > b ? a : b) = model_.parent(a > b ? a : b);  // parents come before children
  return a;
}

// Whether one of the velocities moves `link` in the frame of `beyond`, a link above it.
bool Clearance::moves(int link, int beyond, std::span<const char> velocities) const {
  for (int i = link; i >= 0 && i != beyond; i = model_.parent(i)) {
    const ModelJoint& joint = model_.joint(i);
    for (int k = 0; k < joint.v_count; ++k) {
      if (velocities[at(joint.v_index + k)] != 0) return true;
    }
  }
  return false;
}

// A carried thing has the pairs of its link, and none with its own rigid group.
void Clearance::pair_carried(const Bodies& bodies) {
  const std::vector<int> group = rigid_groups(model_);
  const int count = static_cast<int>(solids_.size());
  for (int s = static_cast<int>(bodies.solids.size()); s < count; ++s) {
    for (int other = 0; other < s; ++other) {
      const int a = std::min(solids_[at(s)].link, solids_[at(other)].link);
      const int b = std::max(solids_[at(s)].link, solids_[at(other)].link);
      if (group[at(a)] == group[at(b)]) continue;
      const auto known = std::find_if(bodies.links.begin(), bodies.links.end(),
                                      [&](const LinkPair& pair) { return pair.a == a && pair.b == b; });
      const bool off = known != bodies.links.end() &&
                       (known->reason == PairReason::adjacent || known->reason == PairReason::ignored);
      if (!off) pairs_.push_back({other, s, kNoMargin});
    }
  }
}

Status Clearance::add_obstacle(const Obstacle& obstacle, int index) {
  Shape shape;
  if (solid_shape(obstacle.shape, shape)) {
    solids_.push_back(make_solid(shape, obstacle.origin, -1));
    thing_.push_back(index);
    return {};
  }
  World world;
  world.obstacle = index;
  world.origin = obstacle.origin;
  std::vector<Triangle> triangles;
  double radius = 0.0;
  if (const auto* plane = std::get_if<Plane>(&obstacle.shape)) {
    world.plane = true;
    world.normal = obstacle.origin.rotation * plane->normal.normalized();
    world.point = obstacle.origin.position;
  } else if (const auto* field = std::get_if<HeightField>(&obstacle.shape)) {
    world.ground = true;
    world.field = *field;
    triangles = surface_of(*field, true);
  } else if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&obstacle.shape)) {
    triangles = (*mesh)->triangles;
  } else if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&obstacle.shape)) {
    radius = (*cloud)->radius;
    for (const Vec3& p : (*cloud)->points) triangles.push_back({p, p, p});
  }
  for (Triangle& t : triangles) {
    for (Vec3* p : {&t.a, &t.b, &t.c}) *p = obstacle.origin * *p;
  }
  world.tree.build(std::move(triangles), radius);
  worlds_.push_back(std::move(world));
  return {};
}

void Clearance::place(int s) {
  const Solid& solid = solids_[at(s)];
  Placed& placed = placed_[at(s)];
  placed_at_[at(s)] = pose_;
  const Transform X = solid.link >= 0 ? state_.X_WL[at(solid.link)] * solid.origin : solid.origin;
  placed.box.center = X.position;
  balls_[at(s)] = {X.position, solid.bound};
  if (solid.box) {
    placed.box.axes = X.rotation;
    placed.box.half = solid.half;
  } else {
    placed.segment.d = solid.length * X.rotation.col(2);
    placed.segment.a = X.position - 0.5 * placed.segment.d;
  }
}

void Clearance::place(const double* q) {
  // An answer is asked about more than once.
  if (pose_ > 0 && std::equal(q, q + model_.q_size(), state_.q.begin())) return;
  branches_.forward(q, state_);
  moved_ = false;
  ++pose_;
  covers_.place(state_.X_WL.data());
}

// Whether the balls around two solids keep the margin: a quick yes.
inline bool Clearance::far(int a, int b, double margin) const {
  const Ball &x = balls_[at(a)], &y = balls_[at(b)];
  const double most = x.bound + y.bound + margin;
  return most < 0.0 || (x.center - y.center).squaredNorm() >= most * most;
}

bool Clearance::touches(int a, int b, double margin) const {
  if (far(a, b, margin)) return false;
  const Solid &sa = solids_[at(a)], &sb = solids_[at(b)];
  const Placed &pa = placed_[at(a)], &pb = placed_[at(b)];
  // The ball around one against the box that is the other: boards are much thinner than their balls.
  const auto ball_clear = [margin](const OrientedBox& box, const Ball& ball) {
    const Vec3 x = box.axes.transpose() * (ball.center - box.center);
    const double reach = ball.bound + margin;
    return reach > 0.0 && (x.cwiseAbs() - box.half).cwiseMax(0.0).squaredNorm() >= reach * reach;
  };
  if (sb.box && ball_clear(pb.box, balls_[at(a)])) return false;
  if (sa.box && ball_clear(pa.box, balls_[at(b)])) return false;
  if (!sa.box && !sb.box) {
    const double reach = sa.radius + sb.radius + margin;
    return reach > 0.0 && nearest_on_segments(pa.segment, pb.segment).squared < reach * reach;
  }
  if (sa.box && sb.box) {
    const double gap = separation(pa.box, pb.box, margin);
    return gap < margin && (gap < 0.0 || distance(pa.box, pb.box).distance < margin);
  }
  const double reach = (sa.box ? sb.radius : sa.radius) + margin;
  return reach > 0.0 &&
         (sa.box ? squared_distance(pb.segment, pa.box) : squared_distance(pa.segment, pb.box)) < reach * reach;
}

Nearest Clearance::measure(int a, int b) const {
  const Solid &sa = solids_[at(a)], &sb = solids_[at(b)];
  const Placed &pa = placed_[at(a)], &pb = placed_[at(b)];
  if (!sa.box && !sb.box) return with_radii(distance(pa.segment, pb.segment), sa.radius, sb.radius);
  if (sa.box && sb.box) return distance(pa.box, pb.box);
  if (sb.box) return with_radii(distance(pa.segment, pb.box), sa.radius, 0.0);
  return flipped(with_radii(distance(pb.segment, pa.box), sb.radius, 0.0));
}

// The same bits without points and normal, where these are not needed on the way.
double Clearance::distance_of(int a, int b) const {
  const Solid &sa = solids_[at(a)], &sb = solids_[at(b)];
  const Placed &pa = placed_[at(a)], &pb = placed_[at(b)];
  if (!sa.box && !sb.box) {
    const Segment &p = pa.segment, &q = pb.segment;
    const SegmentPair nearest = nearest_on_segments(p, q);
    const Vec3 on_a = p.a + nearest.s * p.d, on_b = q.a + nearest.t * q.d;
    return (on_a - on_b).norm() - (sa.radius + sb.radius);
  }
  if (!sa.box || !sb.box) {
    const double squared = sa.box ? squared_distance(pb.segment, pa.box) : squared_distance(pa.segment, pb.box);
    if (squared > kInside) return std::sqrt(squared) - (sa.radius + sb.radius);
  }
  return measure(a, b).distance;
}

Nearest Clearance::measure(int s, const World& world, double within) const {
  const Solid& solid = solids_[at(s)];
  const Placed& placed = placed_[at(s)];
  // The lowest point along a direction, radius included.
  const auto lowest = [&](const Vec3& up) {
    if (!solid.box) {
      const Vec3 end = up.dot(placed.segment.d) < 0.0 ? Vec3(placed.segment.a + placed.segment.d) : placed.segment.a;
      return Vec3(end - solid.radius * up);
    }
    Vec3 x = placed.box.center;
    for (int k = 0; k < 3; ++k) {
      const double along = up.dot(placed.box.axes.col(k));
      x -= (along > 0.0 ? placed.box.half[k] : along < 0.0 ? -placed.box.half[k] : 0.0) * placed.box.axes.col(k);
    }
    return x;
  };
  if (world.plane) {
    Nearest out;
    out.on_a = lowest(world.normal);
    out.distance = world.normal.dot(out.on_a - world.point);
    out.normal = world.normal;
    out.on_b = out.on_a - out.distance * world.normal;
    return out;
  }
  Nearest out =
      solid.box ? world.tree.nearest(placed.box, within) : world.tree.nearest(placed.segment, solid.radius, within);
  if (!world.ground) return out;
  // Below the surface: as deep as the lowest point that is.
  const Vec3 up = world.origin.rotation.col(2);
  const Vec3 ends[3] = {lowest(up), placed.box.center,
                        solid.box ? placed.box.center : Vec3(placed.segment.a + placed.segment.d)};
  for (const Vec3& x : ends) {
    const Vec3 local = world.origin.inverse() * x;
    const double below = local[2] - height_at(world.field, local[0], local[1]);
    if (below >= 0.0 || below >= out.distance) continue;
    out.distance = below;
    out.on_a = x;
    out.on_b = x - below * up;
    out.normal = up;
  }
  return out;
}

bool Clearance::touches(int s, const World& world, double margin) const {
  if (world.plane || world.ground) return measure(s, world, margin).distance < margin;
  const Solid& solid = solids_[at(s)];
  const Placed& placed = placed_[at(s)];
  return solid.box ? world.tree.touches(placed.box, margin) : world.tree.touches(placed.segment, solid.radius, margin);
}

bool Clearance::is_free(const double* q, double margin) {
  place(q);
  const auto pair_touches = [&](int p) {
    const SolidPair& pair = watched_pairs_[at(p)];
    need(pair.a), need(pair.b);
    return touches(pair.a, pair.b, std::min(margin, pair.margin));
  };
  // What touched at the last pose often touches at the next.
  if (touched_ >= 0 && pair_touches(touched_)) return false;
  touched_ = -1;
  set_limits(margin, true);
  const bool apart = every_near([&](int g, double) {
    for (int p = groups_[at(g)].begin; p < groups_[at(g)].end; ++p) {
      if (pair_touches(p)) return touched_ = p, false;
    }
    return true;
  });
  if (!apart) return false;
  for (const World& world : worlds_) {
    for (const int cover : watched_covers_) {
      if (cover_far(cover, world, margin)) continue;
      for (int s = cover_solids_[at(cover)].first; s < cover_solids_[at(cover)].second; ++s) {
        need(s);
        if (touches(s, world, margin)) return false;
      }
    }
  }
  return true;
}

double Clearance::smallest(const double* q, double within) {
  place(q);
  set_limits(within, false);
  ranked_.clear();
  every_near([&](int g, double square) {
    // Inside a box of the world nothing says how deep.
    const bool inside = groups_[at(g)].other < 0 && square < kInside;
    ranked_.emplace_back(inside ? -1e300 : std::sqrt(square) - groups_[at(g)].radii, g);
    return true;
  });
  std::sort(ranked_.begin(), ranked_.end());  // the nearest leaves least to ask
  double best = within;
  for (const auto& [bound, g] : ranked_) {
    if (bound >= best) break;
    for (int p = groups_[at(g)].begin; p < groups_[at(g)].end; ++p) {
      const SolidPair& pair = watched_pairs_[at(p)];
      need(pair.a), need(pair.b);
      const Solid &a = solids_[at(pair.a)], &b = solids_[at(pair.b)];
      if (far(pair.a, pair.b, best)) continue;
      if (a.box && b.box && separation(placed_[at(pair.a)].box, placed_[at(pair.b)].box, best) >= best) continue;
      best = std::min(best, distance_of(pair.a, pair.b));
    }
  }
  for (const World& world : worlds_) {
    for (const int cover : watched_covers_) {
      if (cover_far(cover, world, best)) continue;
      for (int s = cover_solids_[at(cover)].first; s < cover_solids_[at(cover)].second; ++s) {
        need(s);
        best = std::min(best, measure(s, world, best).distance);
      }
    }
  }
  return best;
}

// Of two links (or of a link and a thing) only the nearest bodies are told.
void Clearance::keep_nearest(int a, int b, int obstacle, const Nearest& nearest, double margin,
                             std::vector<NearPair>& pairs) const {
  NearPair near;
  near.link_a = solids_[at(a)].link;
  near.carried = thing_[at(a)];
  near.link_b = b >= 0 ? solids_[at(b)].link : -1;
  near.obstacle = b >= 0 ? thing_[at(b)] : obstacle;
  near.nearest = nearest;
  near.margin = margin;
  for (NearPair& other : pairs) {
    if (other.link_a != near.link_a || other.link_b != near.link_b || other.carried != near.carried ||
        other.obstacle != near.obstacle) {
      continue;
    }
    if (nearest.distance < other.nearest.distance) other = near;
    return;
  }
  pairs.push_back(near);
}

void Clearance::keep_nearest(const SolidPair& pair, double within, std::vector<NearPair>& pairs) {
  need(pair.a), need(pair.b);
  if (far(pair.a, pair.b, within)) return;
  const bool boxes = solids_[at(pair.a)].box && solids_[at(pair.b)].box;
  if (boxes && separation(placed_[at(pair.a)].box, placed_[at(pair.b)].box, within) >= within) return;
  const Nearest nearest = measure(pair.a, pair.b);
  if (nearest.distance < within) keep_nearest(pair.a, pair.b, -1, nearest, pair.margin, pairs);
}

void Clearance::keep_nearest(int solid, const World& world, double within, std::vector<NearPair>& pairs) {
  need(solid);
  const Nearest nearest = measure(solid, world, within);
  if (nearest.distance < within) keep_nearest(solid, -1, world.obstacle, nearest, kNoMargin, pairs);
}

double Clearance::nearest(const double* q, double within, std::vector<NearPair>& pairs) {
  place(q);
  pairs.clear();
  pairs.reserve(kNearPairs);
  set_limits(within, false);
  every_near([&](int g, double) {
    for (int p = groups_[at(g)].begin; p < groups_[at(g)].end; ++p) {
      keep_nearest(watched_pairs_[at(p)], within, pairs);
    }
    return true;
  });
  for (const World& world : worlds_) {
    for (const int cover : watched_covers_) {
      if (cover_far(cover, world, within)) continue;
      for (int s = cover_solids_[at(cover)].first; s < cover_solids_[at(cover)].second; ++s) {
        keep_nearest(s, world, within, pairs);
      }
    }
  }
  return sorted(pairs, within);
}

double Clearance::nearest_unwatched(const double* q, double within, std::vector<NearPair>& pairs) {
  place(q);
  pairs.clear();
  pairs.reserve(kNearPairs);
  for (const SolidPair& pair : unwatched_pairs_) keep_nearest(pair, within, pairs);
  for (const World& world : worlds_) {
    for (const int s : unwatched_movers_) keep_nearest(s, world, within, pairs);
  }
  return sorted(pairs, within);
}

NearPair Clearance::between(int a, int b) const {
  NearPair pair;
  pair.link_a = solids_[at(a)].link;
  pair.carried = thing_[at(a)];
  pair.link_b = solids_[at(b)].link;
  pair.obstacle = thing_[at(b)];
  pair.nearest = measure(a, b);
  return pair;
}

void Clearance::slope(const NearPair& pair, VecX& out) {
  if (!moved_) branches_.move(state_);
  moved_ = true;
  out.setZero(model_.v_size());
  const auto add = [&](int link, const Vec3& x, double sign) {
    if (link < 0) return;
    const Vec3 from_centre = x - branches_.centre();
    for (const int m : branches_.motions_of(link)) {
      out[branches_.velocities()[at(m)]] += sign * pair.nearest.normal.dot(branches_.motions()[at(m)].at(from_centre));
    }
  };
  add(pair.link_a, pair.nearest.on_a, 1.0);
  add(pair.link_b, pair.nearest.on_b, -1.0);
}

}  // namespace armature::inline v0_2
