#include "armature/kinematics/triangle_tree.hpp"

#include <algorithm>

namespace armature::inline v0_2 {
namespace {

constexpr int kLeafTriangles = 4;
constexpr int kDeepestTree = 60;  // halving by count: never reached with less than 2^60 triangles

Vec3 middle_of(const Triangle& t) { return (t.a + t.b + t.c) / 3.0; }

void box_of(const Segment& p, Vec3& low, Vec3& high) {
  low = p.a.cwiseMin(p.a + p.d);
  high = p.a.cwiseMax(p.a + p.d);
}
void box_of(const OrientedBox& p, Vec3& low, Vec3& high) {
  const Vec3 reach = p.axes.cwiseAbs() * p.half;
  low = p.center - reach;
  high = p.center + reach;
}

// Between boxes along the axes.
double gap(const Vec3& low_a, const Vec3& high_a, const Vec3& low_b, const Vec3& high_b) {
  return (low_a - high_b).cwiseMax(low_b - high_a).cwiseMax(Vec3::Zero()).norm();
}

// The most that a triangle can be inside of the shape: how far it has to move, along its normal at most, to be outside.
// A segment has no inside.
double deepest(const Segment&) { return 0.0; }
double deepest(const OrientedBox& p) { return p.half.norm(); }

}  // namespace

void TriangleTree::build(std::vector<Triangle> triangles, double radius) {
  triangles_ = std::move(triangles);
  radius_ = radius;
  nodes_.clear();
  if (triangles_.empty()) return;
  nodes_.reserve(triangles_.size());
  split(0, static_cast<int>(triangles_.size()), 0);
}

int TriangleTree::split(int first, int count, int depth) {
  const int index = static_cast<int>(nodes_.size());
  Node node;
  node.low = Vec3::Constant(1e300);
  node.high = Vec3::Constant(-1e300);
  Vec3 low = node.low, high = node.high;  // of the middles
  for (int i = first; i < first + count; ++i) {
    const Triangle& t = triangles_[static_cast<std::size_t>(i)];
    node.low = node.low.cwiseMin(t.a).cwiseMin(t.b).cwiseMin(t.c);
    node.high = node.high.cwiseMax(t.a).cwiseMax(t.b).cwiseMax(t.c);
    low = low.cwiseMin(middle_of(t));
    high = high.cwiseMax(middle_of(t));
  }
  node.first = first;
  node.count = count;
  nodes_.push_back(node);
  if (count <= kLeafTriangles || depth > kDeepestTree) return index;
  int axis = 0;
  (high - low).maxCoeff(&axis);
  const int half = count / 2;
  const auto begin = triangles_.begin() + first;
  std::nth_element(begin, begin + half, begin + count,
                   [axis](const Triangle& a, const Triangle& b) { return middle_of(a)[axis] < middle_of(b)[axis]; });
  split(first, half, depth + 1);
  const int right = split(first + half, count - half, depth + 1);
  nodes_[static_cast<std::size_t>(index)].right = right;
  return index;
}

template <class Shape>
void TriangleTree::search(const Shape& shape, const Vec3& low, const Vec3& high, double radius, bool any,
                          Nearest& best) const {
  const double inside = deepest(shape);
  int stack[2 * kDeepestTree + 4];
  int waiting = 0;
  if (!nodes_.empty()) stack[waiting++] = 0;
  while (waiting > 0) {
    const int at = stack[--waiting];
    const Node& node = nodes_[static_cast<std::size_t>(at)];
    const double apart = gap(low, high, node.low, node.high);
    if ((apart > 0.0 ? apart : -inside) - radius - radius_ >= best.distance) continue;
    if (node.right == 0) {
      for (int i = node.first; i < node.first + node.count; ++i) {
        const Nearest n = distance(shape, triangles_[static_cast<std::size_t>(i)]);
        if (n.distance - radius - radius_ >= best.distance) continue;
        best = with_radii(n, radius, radius_);
        if (any) return;
      }
      continue;
    }
    const Node& left = nodes_[static_cast<std::size_t>(at + 1)];
    const Node& right = nodes_[static_cast<std::size_t>(node.right)];
    const bool left_first = gap(low, high, left.low, left.high) <= gap(low, high, right.low, right.high);
    stack[waiting++] = left_first ? node.right : at + 1;
    stack[waiting++] = left_first ? at + 1 : node.right;
  }
}

Nearest TriangleTree::nearest(const Segment& p, double radius, double within) const {
  Nearest best;
  best.distance = within;
  Vec3 low, high;
  box_of(p, low, high);
  search(p, low, high, radius, false, best);
  return best;
}

Nearest TriangleTree::nearest(const OrientedBox& p, double within) const {
  Nearest best;
  best.distance = within;
  Vec3 low, high;
  box_of(p, low, high);
  search(p, low, high, 0.0, false, best);
  return best;
}

bool TriangleTree::touches(const Segment& p, double radius, double margin) const {
  Nearest best;
  best.distance = margin;
  Vec3 low, high;
  box_of(p, low, high);
  search(p, low, high, radius, true, best);
  return best.distance < margin;
}

bool TriangleTree::touches(const OrientedBox& p, double margin) const {
  Nearest best;
  best.distance = margin;
  Vec3 low, high;
  box_of(p, low, high);
  search(p, low, high, 0.0, true, best);
  return best.distance < margin;
}

}  // namespace armature::inline v0_2
