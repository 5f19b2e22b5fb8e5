#include "armature/geom/support_polygon.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/base/index.hpp"

namespace armature::inline v0_2 {
namespace {

using Point = SupportPolygon::Point;

double cross(const Point& a, const Point& b) { return a.x() * b.y() - a.y() * b.x(); }

}  // namespace

Point SupportPolygon::normal(int edge) const {
  const Point along = (end_of(edge) - start_of(edge)).normalized();
  return {-along.y(), along.x()};
}

void SupportPolygon::set(std::span<const Point> points, double margin) {
  points_ = points;
  std::array<int, kMaxSupportPoints> order;
  const int n = static_cast<int>(points.size());
  for (int i = 0; i < n; ++i) order[at(i)] = i;
  const auto point = [&](int i) -> const Point& { return points_[at(i)]; };
  std::sort(order.begin(), order.begin() + n, [&](int a, int b) {
    if (point(a).x() != point(b).x()) return point(a).x() < point(b).x();
    return point(a).y() != point(b).y() ? point(a).y() < point(b).y() : a < b;
  });
  double size = 0.0;
  for (int i = 0; i < n; ++i) size = std::max(size, (point(i) - point(order[0])).cwiseAbs().maxCoeff());
  const double same = 1e-12 * size;  // points nearer than that are one, and bends flatter than that are none

  // Lower hull from left to right, then the upper one back (Andrew).
  int count = 0;
  const auto grow = [&](int i, int floor) {
    if (count > 0 && (point(i) - point(hull_[at(count - 1)])).cwiseAbs().maxCoeff() <= same) return;
    while (count >= floor + 2) {
      const Point a = point(hull_[at(count - 1)]) - point(hull_[at(count - 2)]);
      if (cross(a, point(i) - point(hull_[at(count - 2)])) > same * a.norm()) break;
      --count;
    }
    hull_[at(count++)] = i;
  };
  for (int k = 0; k < n; ++k) grow(order[at(k)], 0);
  if (count > 1) {
    const int lower = count - 1;
    for (int k = n - 2; k >= 0; --k) grow(order[at(k)], lower);
    --count;  // the first point once more
  }
  corners_ = std::max(count, 1);
  margin_ = 0.0;
  inset_.count = 0;
  if (corners_ < 3) return;
  margin_ = margin;
  draw_in(margin_, inset_);
  if (inset_.count > 0) return;
  double low = 0.0;
  double high = std::min(margin, size);
  for (int i = 0; i < 40; ++i) {
    margin_ = 0.5 * (low + high);
    draw_in(margin_, inset_);
    (inset_.count > 0 ? low : high) = margin_;
  }
  margin_ = low;
  draw_in(margin_, inset_);
}

// The hull, cut along every edge moved inwards.
void SupportPolygon::draw_in(double margin, Inset& out) const {
  out.count = corners_;
  for (int e = 0; e < corners_; ++e) out.corner[at(e)] = {start_of(e), e};
  if (margin <= 0.0) return;
  Inset next;
  for (int e = 0; e < corners_ && out.count > 0; ++e) {
    const Point n = normal(e);
    const double bound = n.dot(start_of(e)) + margin;
    next.count = 0;
    for (int k = 0; k < out.count; ++k) {
      const Corner& from = out.corner[at(k)];
      const Corner& to = out.corner[at((k + 1) % out.count)];
      const double a = n.dot(from.at) - bound;
      const double b = n.dot(to.at) - bound;
      if (a >= 0.0) next.corner[at(next.count++)] = from;
      if ((a >= 0.0) == (b >= 0.0)) continue;
      const Point crossing = from.at + (a / (a - b)) * (to.at - from.at);
      next.corner[at(next.count++)] = {crossing, a >= 0.0 ? e : from.edge};
    }
    out = next;
  }
}

void SupportPolygon::add(Way& way, int hull_point, const Slope& slope) const {
  const int index = hull_[at(hull_point % corners_)];
  for (int k = 0; k < way.count; ++k) {
    if (way.point[at(k)] != index) continue;
    way.of_point[at(k)] += slope;
    return;
  }
  way.point[at(way.count)] = index;
  way.of_point[at(way.count++)] = slope;
}

// With u along the edge from p to p', n across it, s = n.p + margin - n.place: the way is s n, and n turns with the
// ends: dn = -u (n.(dp' - dp)) / length.
SupportPolygon::Way SupportPolygon::along_edge(int edge, double margin, const Point& place) const {
  const Point p = start_of(edge);
  const double length = (end_of(edge) - p).norm();
  const Point u = (end_of(edge) - p) / length;
  Point n(-u.y(), u.x());
  double s = n.dot(p - place) + margin;
  Way way;
  way.way = s * n;
  way.of_place = -n * n.transpose();
  const Slope turn = -u * n.transpose() / length;  // dn = turn (dp' - dp)
  const Slope slope = s * turn + n * ((p - place).transpose() * turn);
  add(way, edge, Slope(n * n.transpose() - slope));
  add(way, edge + 1, slope);
  return way;
}

// Where two drawn-in edges meet: N x = b with rows n.x = n.p + margin, so that dx = N^-1 (dn.(p - x) + n.dp).
SupportPolygon::Way SupportPolygon::to_corner(int before, int after, const Point& x, const Point& place) const {
  Way way;
  way.way = x - place;
  way.of_place = -Slope::Identity();
  Slope N;
  N.row(0) = normal(before).transpose();
  N.row(1) = normal(after).transpose();
  const double det = N.determinant();
  if (std::abs(det) < 1e-9) {  // hardly a corner: it moves as the point there does
    add(way, after, Slope::Identity());
    return way;
  }
  const Slope inverse = N.inverse();
  for (int k = 0; k < 2; ++k) {
    const int edge = k == 0 ? before : after;
    const Point p = start_of(edge);
    const double length = (end_of(edge) - p).norm();
    const Point u = (end_of(edge) - p) / length;
    const Point n = normal(edge);
    const Point column = inverse.col(k);
    const Slope slope = column * ((p - x).transpose() * Slope(-u * n.transpose() / length));
    add(way, edge, Slope(column * n.transpose() - slope));
    add(way, edge + 1, slope);
  }
  return way;
}

SupportPolygon::Way SupportPolygon::way_from(const Point& place) const {
  Way to_point;
  to_point.way = start_of(0) - place;
  to_point.of_place = -Slope::Identity();
  if (corners_ == 1) {
    add(to_point, 0, Slope::Identity());
    return to_point;
  }
  if (corners_ == 2) {
    const Point along = end_of(0) - start_of(0);
    const double part = along.dot(place - start_of(0)) / along.squaredNorm();
    if (part > 0.0 && part < 1.0) return along_edge(0, 0.0, place);
    const int end = part <= 0.0 ? 0 : 1;
    to_point.way = start_of(end) - place;
    add(to_point, end, Slope::Identity());
    return to_point;
  }
  bool inside = true;
  for (int e = 0; e < corners_ && inside; ++e) inside = normal(e).dot(place - start_of(e)) >= margin_;
  if (inside) return {};
  double best = std::numeric_limits<double>::infinity();
  int nearest = 0;
  double where = 0.0;
  for (int k = 0; k < inset_.count; ++k) {
    const Point from = inset_.corner[at(k)].at;
    const Point along = inset_.corner[at((k + 1) % inset_.count)].at - from;
    const double square = along.squaredNorm();
    const double part = square > 0.0 ? std::clamp(along.dot(place - from) / square, 0.0, 1.0) : 0.0;
    const double distance = (from + part * along - place).squaredNorm();
    if (distance < best) best = distance, nearest = k, where = part;
  }
  if (where > 0.0 && where < 1.0) return along_edge(inset_.corner[at(nearest)].edge, margin_, place);
  const int corner = where <= 0.0 ? nearest : (nearest + 1) % inset_.count;
  const int before = inset_.corner[at((corner + inset_.count - 1) % inset_.count)].edge;
  return to_corner(before, inset_.corner[at(corner)].edge, inset_.corner[at(corner)].at, place);
}

}  // namespace armature::inline v0_2
