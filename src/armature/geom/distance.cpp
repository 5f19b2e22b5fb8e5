#include "armature/geom/distance.hpp"

#include <algorithm>
#include <cmath>

namespace armature::inline v0_2 {
namespace {

constexpr double kTiny = 1e-24;  // squared length below which a segment is a point

double clamp01(double x) { return std::min(std::max(x, 0.0), 1.0); }

Vec3 any_perpendicular(const Vec3& d) {
  const Vec3 other = std::abs(d[0]) < 0.6 * d.norm() ? Vec3::UnitX() : Vec3::UnitY();
  const Vec3 n = d.cross(other);
  return n.squaredNorm() > 0.0 ? Vec3(n.normalized()) : Vec3::UnitZ();
}

Nearest from_points(const Vec3& a, const Vec3& b, const Vec3& if_touching) {
  Nearest out;
  out.on_a = a;
  out.on_b = b;
  const Vec3 gap = a - b;
  out.distance = gap.norm();
  out.normal = out.distance > 1e-12 ? Vec3(gap / out.distance) : if_touching;
  return out;
}

// The segment in the box's frame, at the t of [0, 1] where it is nearest to the box [-h, h]. The squared distance has
// the slope g(t) = sum_k d_k (x_k - clamp(x_k)), monotone and linear between the six t where x_k = +-h_k.
double nearest_to_box(const Vec3& a, const Vec3& d, const Vec3& h) {
  const auto slope = [&](double t) {
    double g = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double x = a[k] + t * d[k];
      g += d[k] * (x - std::min(std::max(x, -h[k]), h[k]));
    }
    return g;
  };
  double low = 0.0, high = 1.0;
  double g_low = slope(0.0), g_high = slope(1.0);
  if (g_low >= 0.0) return 0.0;
  if (g_high <= 0.0) return 1.0;
  for (int k = 0; k < 3; ++k) {
    if (std::abs(d[k]) < 1e-300) continue;
    for (const double side : {-h[k], h[k]}) {
      const double t = (side - a[k]) / d[k];
      if (!(t > low && t < high)) continue;
      const double g = slope(t);
      if (g <= 0.0) {
        low = t;
        g_low = g;
      } else {
        high = t;
        g_high = g;
      }
    }
  }
  return g_high > g_low ? low + (high - low) * (-g_low / (g_high - g_low)) : low;
}

// How far the segment must move to leave the box: the least over the box's faces and the edges crossed with d.
Nearest leave_box(const Vec3& a, const Vec3& d, const Vec3& h) {
  Nearest best;
  best.distance = -1e300;
  const Vec3 b = a + d;
  for (int k = 0; k < 3; ++k) {
    for (const double side : {-1.0, 1.0}) {
      const double x = side > 0.0 ? std::min(a[k], b[k]) : -std::max(a[k], b[k]);
      const double depth = x - h[k];  // negative: inside by that much
      if (depth <= best.distance) continue;
      best.distance = depth;
      best.normal = side * Vec3::Unit(k);
      const bool first = side > 0.0 ? a[k] < b[k] : a[k] > b[k];
      best.on_a = first ? a : b;
      if (std::abs(a[k] - b[k]) < 1e-12) best.on_a = 0.5 * (a + b);
      for (int i = 0; i < 3; ++i) best.on_a[i] = i == k ? best.on_a[i] : std::min(std::max(best.on_a[i], -h[i]), h[i]);
      best.on_b = best.on_a;
      best.on_b[k] = side * h[k];
    }
  }
  if (d.squaredNorm() < kTiny) return best;
  for (int k = 0; k < 3; ++k) {
    Vec3 n = Vec3::Unit(k).cross(d);
    const double length = n.norm();
    if (length < 1e-9 * d.norm()) continue;
    n /= length;
    const double reach = std::abs(n[0]) * h[0] + std::abs(n[1]) * h[1] + std::abs(n[2]) * h[2];
    for (const double side : {-1.0, 1.0}) {
      const Vec3 m = side * n;
      const double depth = m.dot(a) - reach;
      if (depth <= best.distance) continue;
      best.distance = depth;
      best.normal = m;
      // The edge along k that is farthest along m, and where the lines of edge and segment are nearest.
      Vec3 corner;
      for (int i = 0; i < 3; ++i) corner[i] = m[i] >= 0.0 ? h[i] : -h[i];
      const Segment edge{corner - Vec3::Unit(k) * (corner[k] + h[k]), 2.0 * h[k] * Vec3::Unit(k)};
      const SegmentPair at = nearest_on_segments({a, d}, edge);
      best.on_a = a + at.s * d;
      best.on_b = edge.a + at.t * edge.d;
    }
  }
  return best;
}

struct InBox {
  Vec3 a, d;
};
InBox to_box(const Segment& p, const OrientedBox& box) {
  return {box.axes.transpose() * (p.a - box.center), box.axes.transpose() * p.d};
}

Nearest to_world(Nearest n, const OrientedBox& box) {
  n.on_a = box.center + box.axes * n.on_a;
  n.on_b = box.center + box.axes * n.on_b;
  n.normal = box.axes * n.normal;
  return n;
}

void corners(const OrientedBox& box, Vec3 out[8]) {
  for (int i = 0; i < 8; ++i) {
    const Vec3 local((i & 1) != 0 ? box.half[0] : -box.half[0], (i & 2) != 0 ? box.half[1] : -box.half[1],
                     (i & 4) != 0 ? box.half[2] : -box.half[2]);
    out[i] = box.center + box.axes * local;
  }
}

constexpr int kEdges[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                               {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

// Boxes that overlap: the axis of least overlap among the faces of both and the crossed edges.
Nearest part_boxes(const OrientedBox& p, const OrientedBox& q) {
  Nearest best;
  best.distance = -1e300;
  const Vec3 offset = p.center - q.center;
  const auto reach = [](const OrientedBox& box, const Vec3& n) {
    double r = 0.0;
    for (int k = 0; k < 3; ++k) r += std::abs(n.dot(box.axes.col(k))) * box.half[k];
    return r;
  };
  const auto support = [](const OrientedBox& box, const Vec3& n) {
    Vec3 x = box.center;
    for (int k = 0; k < 3; ++k) {
      const double along = n.dot(box.axes.col(k));
      if (std::abs(along) > 1e-9) x += (along > 0.0 ? box.half[k] : -box.half[k]) * box.axes.col(k);
    }
    return x;
  };
  const auto consider = [&](Vec3 n) {
    const double length = n.norm();
    if (length < 1e-9) return;
    n /= length;
    if (n.dot(offset) < 0.0) n = -n;
    const double depth = n.dot(offset) - reach(p, n) - reach(q, n);
    if (depth <= best.distance) return;
    best.distance = depth;
    best.normal = n;
  };
  for (int k = 0; k < 3; ++k) consider(p.axes.col(k));
  for (int k = 0; k < 3; ++k) consider(q.axes.col(k));
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) consider(p.axes.col(i).cross(q.axes.col(k)));
  }
  best.on_a = nearest_point(q, support(p, -best.normal));
  best.on_b = best.on_a - best.distance * best.normal;
  return best;
}

}  // namespace

SegmentPair nearest_on_segments(const Segment& p, const Segment& q) {  // Ericson, Real-Time Collision Detection, 5.1.9
  const Vec3 r = p.a - q.a;
  const double A = p.d.squaredNorm(), E = q.d.squaredNorm();
  const double b = p.d.dot(q.d), c = p.d.dot(r), f = q.d.dot(r);
  double s = 0.0, t = 0.0;
  if (A <= kTiny && E <= kTiny) {
    // points
  } else if (A <= kTiny) {
    t = clamp01(f / E);
  } else if (E <= kTiny) {
    s = clamp01(-c / A);
  } else {
    const double denominator = A * E - b * b;
    s = denominator > 1e-14 * A * E ? clamp01((b * f - c * E) / denominator) : 0.0;
    t = clamp01((b * s + f) / E);
    s = clamp01((b * t - c) / A);
  }
  return {s, t, (r + s * p.d - t * q.d).squaredNorm()};
}

Nearest distance(const Segment& p, const Segment& q) {
  const SegmentPair at = nearest_on_segments(p, q);
  const Vec3 a = p.a + at.s * p.d, b = q.a + at.t * q.d;
  const Vec3 cross = p.d.cross(q.d);
  const Vec3 across = cross.squaredNorm() > 1e-20 * p.d.squaredNorm() * q.d.squaredNorm() && cross.squaredNorm() > 0.0
                          ? Vec3(cross.normalized())
                          : any_perpendicular(p.d.squaredNorm() > q.d.squaredNorm() ? p.d : q.d);
  return from_points(a, b, across);
}

Nearest distance(const Segment& p, const OrientedBox& box) {
  const InBox in = to_box(p, box);
  const double t = nearest_to_box(in.a, in.d, box.half);
  const Vec3 x = in.a + t * in.d;
  const Vec3 inside = x.cwiseMax(-box.half).cwiseMin(box.half);
  if ((x - inside).squaredNorm() > kTiny) return to_world(from_points(x, inside, Vec3::UnitZ()), box);
  return to_world(leave_box(in.a, in.d, box.half), box);
}

double squared_distance(const Segment& p, const OrientedBox& box) {
  const InBox in = to_box(p, box);
  const Vec3 x = in.a + nearest_to_box(in.a, in.d, box.half) * in.d;
  return (x - x.cwiseMax(-box.half).cwiseMin(box.half)).squaredNorm();
}

Vec3 nearest_point(const OrientedBox& box, const Vec3& x) {
  const Vec3 local = box.axes.transpose() * (x - box.center);
  return box.center + box.axes * local.cwiseMax(-box.half).cwiseMin(box.half);
}

Vec3 nearest_point(const Triangle& tri, const Vec3& x) {  // Ericson 5.1.5
  const Vec3 ab = tri.b - tri.a, ac = tri.c - tri.a, ap = x - tri.a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0.0 && d2 <= 0.0) return tri.a;
  const Vec3 bp = x - tri.b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0.0 && d4 <= d3) return tri.b;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return tri.a + (d1 > d3 ? d1 / (d1 - d3) : 0.0) * ab;
  const Vec3 cp = x - tri.c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0.0 && d5 <= d6) return tri.c;
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return tri.a + (d2 > d6 ? d2 / (d2 - d6) : 0.0) * ac;
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
    const double sum = (d4 - d3) + (d5 - d6);
    return tri.b + (sum > 0.0 ? (d4 - d3) / sum : 0.0) * (tri.c - tri.b);
  }
  const double sum = va + vb + vc;
  return sum > 0.0 ? Vec3(tri.a + (vb / sum) * ab + (vc / sum) * ac) : tri.a;
}

Nearest distance(const Segment& p, const Triangle& tri) {
  const Vec3 normal = (tri.b - tri.a).cross(tri.c - tri.a);
  const double area = normal.norm();
  const Vec3 unit = area > 0.0 ? Vec3(normal / area) : any_perpendicular(p.d);
  const Vec3 end = p.a + p.d;
  if (area > 0.0) {  // through the triangle: the side that the middle of the segment is on is the way out
    const double da = unit.dot(p.a - tri.a), db = unit.dot(end - tri.a);
    if (da * db <= 0.0 && da != db) {
      const Vec3 x = p.a + (da / (da - db)) * p.d;
      if ((nearest_point(tri, x) - x).squaredNorm() < kTiny + 1e-24 * area) {
        Nearest out;
        out.on_a = out.on_b = x;
        out.normal = da + db >= 0.0 ? unit : Vec3(-unit);
        return out;
      }
    }
  }
  Nearest best = from_points(p.a, nearest_point(tri, p.a), unit);
  const auto keep = [&](const Nearest& other) {
    if (other.distance < best.distance) best = other;
  };
  keep(from_points(end, nearest_point(tri, end), unit));
  keep(distance(p, Segment{tri.a, tri.b - tri.a}));
  keep(distance(p, Segment{tri.b, tri.c - tri.b}));
  keep(distance(p, Segment{tri.c, tri.a - tri.c}));
  return best;
}

double separation(const OrientedBox& p, const OrientedBox& q, double enough) {  // Ericson 4.4.1
  const Mat3 R = p.axes.transpose() * q.axes;
  const Vec3 t = p.axes.transpose() * (q.center - p.center);
  const Mat3 A = R.cwiseAbs();
  double best = -1e300;
  for (int i = 0; i < 3; ++i) {
    best =
        std::max(best, std::abs(t[i]) - p.half[i] - (A(i, 0) * q.half[0] + A(i, 1) * q.half[1] + A(i, 2) * q.half[2]));
  }
  if (best >= enough) return best;
  for (int k = 0; k < 3; ++k) {
    const double along = t[0] * R(0, k) + t[1] * R(1, k) + t[2] * R(2, k);
    best =
        std::max(best, std::abs(along) - q.half[k] - (A(0, k) * p.half[0] + A(1, k) * p.half[1] + A(2, k) * p.half[2]));
  }
  if (best >= enough) return best;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int k = 0; k < 3; ++k) {
      const double squared = 1.0 - R(i, k) * R(i, k);  // of the length of the crossed axes
      if (squared < 1e-9) continue;
      const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
      const double along = std::abs(t[i2] * R(i1, k) - t[i1] * R(i2, k));
      const double reach =
          p.half[i1] * A(i2, k) + p.half[i2] * A(i1, k) + q.half[k1] * A(i, k2) + q.half[k2] * A(i, k1);
      best = std::max(best, (along - reach) / std::sqrt(squared));
    }
  }
  return best;
}

Nearest distance(const OrientedBox& p, const OrientedBox& q) {
  // Nearest points of disjoint boxes lie on an edge of one of them. The middle of an edge says how near it can be at
  // best: few of the 24 are looked at closely.
  struct Edge {
    double bound;
    Segment local;  // in the other box's frame
    bool of_q;
  };
  Edge edges[24];
  int count = 0;
  for (const bool of_q : {false, true}) {
    const OrientedBox &own = of_q ? q : p, &box = of_q ? p : q;
    const Vec3 center = box.axes.transpose() * (own.center - box.center);
    const Mat3 sides = box.axes.transpose() * own.axes;
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const Vec3 half = own.half[k] * sides.col(k);
      for (const double side_i : {-own.half[i], own.half[i]}) {
        for (const double side_j : {-own.half[j], own.half[j]}) {
          const Vec3 middle = center + side_i * sides.col(i) + side_j * sides.col(j);
          const double to_middle = (middle.cwiseAbs() - box.half).cwiseMax(0.0).norm();
          edges[count++] = {to_middle - own.half[k], {middle - half, 2.0 * half}, of_q};
        }
      }
    }
  }
  const double least = separation(p, q, 1e300) * (1.0 + 1e-12);  // often reached by the first edge
  double best = 1e300;
  const Edge* nearest = nullptr;
  while (!(best <= least)) {
    Edge* next = edges;
    for (Edge& edge : edges) next = edge.bound < next->bound ? &edge : next;
    if (!(next->bound < best)) break;
    next->bound = 1e300;  // done
    const Vec3& h = next->of_q ? p.half : q.half;
    const Vec3 x = next->local.a + nearest_to_box(next->local.a, next->local.d, h) * next->local.d;
    const double far = (x.cwiseAbs() - h).cwiseMax(0.0).norm();
    if (far * far <= kTiny) return part_boxes(p, q);
    if (nearest != nullptr && far >= best) continue;
    best = far;
    nearest = next;
  }
  if (nearest == nullptr) return part_boxes(p, q);  // numbers that are none
  const OrientedBox& box = nearest->of_q ? p : q;
  const Segment edge{box.center + box.axes * nearest->local.a, box.axes * nearest->local.d};
  return nearest->of_q ? flipped(distance(edge, box)) : distance(edge, box);
}

Nearest distance(const OrientedBox& p, const Triangle& tri) {
  Nearest best;
  best.distance = 1e300;
  const Segment sides[3] = {{tri.a, tri.b - tri.a}, {tri.b, tri.c - tri.b}, {tri.c, tri.a - tri.c}};
  for (const Segment& side : sides) {
    const Nearest n = flipped(distance(side, p));
    if (n.distance < best.distance) best = n;
  }
  Vec3 own[8];
  corners(p, own);
  for (const auto& edge : kEdges) {
    const Nearest n = distance(Segment{own[edge[0]], own[edge[1]] - own[edge[0]]}, tri);
    if (n.distance < best.distance) best = n;
  }
  return best;
}

Nearest with_radii(Nearest n, double radius_a, double radius_b) {
  n.distance -= radius_a + radius_b;
  n.on_a -= radius_a * n.normal;
  n.on_b += radius_b * n.normal;
  return n;
}

Nearest flipped(const Nearest& n) { return {n.distance, n.on_b, n.on_a, -n.normal}; }

}  // namespace armature::inline v0_2
