#include "armature/kinematics/mesh_surface.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/geom/triangle_distance.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kLeafTriangles = 4;
constexpr int kDeepest = 64;  // halving by count: never reached
constexpr int kPrismSides = 48;

// Whether the half line from p goes through the triangle (Moeller and Trumbore).
bool crosses(const Vec3& p, const Vec3& ray, const Triangle& t) {
  const Vec3 e1 = t.b - t.a, e2 = t.c - t.a, h = ray.cross(e2);
  const double det = e1.dot(h);
  if (det == 0.0) return false;
  const Vec3 s = p - t.a;
  const double u = s.dot(h) / det;
  if (!(u >= 0.0 && u <= 1.0)) return false;
  const Vec3 q = s.cross(e1);
  const double v = ray.dot(q) / det;
  return v >= 0.0 && u + v <= 1.0 && e2.dot(q) / det > 0.0;
}

bool meets_box(const Vec3& p, const Vec3& ray, const Vec3& low, const Vec3& high) {
  double from = 0.0, to = 1e300;
  for (int k = 0; k < 3; ++k) {  // no component of a ray is 0
    const double a = (low[k] - p[k]) / ray[k], b = (high[k] - p[k]) / ray[k];
    from = std::max(from, std::min(a, b));
    to = std::min(to, std::max(a, b));
  }
  return from <= to * (1.0 + 1e-12);
}

}  // namespace

MeshSurface::MeshSurface(std::vector<Triangle> triangles, double radius, bool closed)
    : radius_(radius), closed_(closed) {
  tree_.build(std::move(triangles), radius);
  nodes_.reserve(tree_.size());
  if (!tree_.empty()) add(0, static_cast<int>(tree_.size()));
}

// The tree has put near triangles beside each other, halving by count.
int MeshSurface::add(int first, int count) {
  const int index = static_cast<int>(nodes_.size());
  Node node;
  node.first = first;
  node.count = count;
  node.low = Vec3::Constant(1e300);
  node.high = Vec3::Constant(-1e300);
  for (int i = first; i < first + count; ++i) {
    const Triangle& t = triangles()[static_cast<std::size_t>(i)];
    node.low = node.low.cwiseMin(t.a).cwiseMin(t.b).cwiseMin(t.c);
    node.high = node.high.cwiseMax(t.a).cwiseMax(t.b).cwiseMax(t.c);
  }
  nodes_.push_back(node);
  if (count <= kLeafTriangles) return index;
  add(first, count / 2);
  const int right = add(first + count / 2, count - count / 2);
  nodes_[static_cast<std::size_t>(index)].right = right;
  return index;
}

Nearest MeshSurface::nearest(const MeshSurface& other, const Transform& X, double within, bool any) const {
  Nearest best;
  best.distance = within;
  if (nodes_.empty() || other.nodes_.empty()) return best;
  const Mat3& R = X.rotation;
  const Mat3 A = R.cwiseAbs();
  const double radii = radius_ + other.radius_;
  // Between a box of this surface and one of the other: along the axes of the one and of the other.
  const auto apart = [&](const Node& a, const Node& b) {
    const Vec3 half_a = 0.5 * (a.high - a.low), half_b = 0.5 * (b.high - b.low);
    const Vec3 t = X * Vec3(0.5 * (b.low + b.high)) - 0.5 * (a.low + a.high);
    const Vec3 own = (t.cwiseAbs() - half_a - A * half_b).cwiseMax(Vec3::Zero());
    const Vec3 turned = R.transpose() * t;
    const Vec3 theirs = (turned.cwiseAbs() - half_b - A.transpose() * half_a).cwiseMax(Vec3::Zero());
    return std::sqrt(std::max(own.squaredNorm(), theirs.squaredNorm()));
  };
  struct Waiting {
    int a, b;
    double apart;
  };
  Waiting stack[2 * kDeepest + 2];  // each step takes one and leaves two that are one level deeper
  int waiting = 0;
  stack[waiting++] = {0, 0, apart(nodes_.front(), other.nodes_.front())};
  while (waiting > 0) {
    const Waiting now = stack[--waiting];
    // Boxes that overlap may hold triangles that cross, however deep: those are looked at whatever was found.
    if (now.apart > 0.0 && now.apart - radii >= best.distance) continue;
    const Node& a = nodes_[static_cast<std::size_t>(now.a)];
    const Node& b = other.nodes_[static_cast<std::size_t>(now.b)];
    if (a.right == 0 && b.right == 0) {
      for (int k = b.first; k < b.first + b.count; ++k) {
        const Triangle& theirs = other.triangles()[static_cast<std::size_t>(k)];
        const Triangle t{X * theirs.a, X * theirs.b, X * theirs.c};
        for (int i = a.first; i < a.first + a.count; ++i) {
          const Triangle& own = triangles()[static_cast<std::size_t>(i)];
          const double gap = plane_gap(own, t);
          if (gap > 0.0 && gap - radii >= best.distance) continue;
          const Nearest n = distance(own, t);
          if (n.distance - radii >= best.distance) continue;
          best = with_radii(n, radius_, other.radius_);
          if (any) return best;
        }
      }
      continue;
    }
    const bool split_a =
        b.right == 0 || (a.right != 0 && (a.high - a.low).squaredNorm() >= (b.high - b.low).squaredNorm());
    Waiting left = now, right = now;
    (split_a ? left.a : left.b) += 1;
    (split_a ? right.a : right.b) = split_a ? a.right : b.right;
    for (Waiting* next : {&left, &right}) {
      next->apart = apart(nodes_[static_cast<std::size_t>(next->a)], other.nodes_[static_cast<std::size_t>(next->b)]);
    }
    const bool left_first = left.apart <= right.apart;
    stack[waiting++] = left_first ? right : left;
    stack[waiting++] = left_first ? left : right;
  }
  return best;
}

// Goes to the leaves of all boxes that are wanted.
template <class Wanted, class See>
void MeshSurface::visit(Wanted wanted, See see) const {
  int stack[kDeepest + 2];
  int waiting = 0;
  if (!nodes_.empty()) stack[waiting++] = 0;
  while (waiting > 0) {
    const int at = stack[--waiting];
    const Node& node = nodes_[static_cast<std::size_t>(at)];
    if (!wanted(node)) continue;
    if (node.right != 0) {
      stack[waiting++] = node.right;
      stack[waiting++] = at + 1;
      continue;
    }
    for (int i = node.first; i < node.first + node.count; ++i) see(triangles()[static_cast<std::size_t>(i)]);
  }
}

bool MeshSurface::holds(const Vec3& point) const {
  if (!closed_ || nodes_.empty()) return false;
  const Node& all = nodes_.front();
  if ((point - all.low).minCoeff() < 0.0 || (all.high - point).minCoeff() < 0.0) return false;
  const Vec3 rays[3] = {{0.5377, 0.7071, 0.4593}, {-0.8171, 0.3253, 0.4761}, {0.2113, -0.6287, -0.7484}};
  int votes = 0;
  for (const Vec3& ray : rays) {
    int crossings = 0;
    visit([&](const Node& node) { return meets_box(point, ray, node.low, node.high); },
          [&](const Triangle& t) { crossings += crosses(point, ray, t) ? 1 : 0; });
    votes += crossings % 2;
  }
  return votes >= 2;
}

Vec3 MeshSurface::farthest(const Vec3& direction) const {
  double best = -1e300;
  Vec3 out = Vec3::Zero();
  visit(
      [&](const Node& node) {
        return direction.cwiseProduct(node.low).cwiseMax(direction.cwiseProduct(node.high)).sum() > best;
      },
      [&](const Triangle& t) {
        for (const Vec3* p : {&t.a, &t.b, &t.c}) {
          if (direction.dot(*p) <= best) continue;
          best = direction.dot(*p);
          out = *p;
        }
      });
  return out;
}

std::vector<Triangle> surface_around(const Cylinder& c, const Transform& origin) {
  const double r = c.radius / math::cos(kPi / kPrismSides), h = 0.5 * c.length;
  std::vector<Triangle> out;
  const auto point = [&](int i, double z) {
    const double angle = 2.0 * kPi * (i % kPrismSides) / kPrismSides;
    return Vec3(origin * Vec3(r * math::cos(angle), r * math::sin(angle), z));
  };
  const Vec3 bottom = origin * Vec3(0, 0, -h), top = origin * Vec3(0, 0, h);
  for (int i = 0; i < kPrismSides; ++i) {
    const Vec3 a = point(i, -h), b = point(i + 1, -h), d = point(i, h), e = point(i + 1, h);
    out.insert(out.end(), {{a, b, e}, {a, e, d}, {b, a, bottom}, {d, e, top}});
  }
  return out;
}

}  // namespace armature::inline v0_2
