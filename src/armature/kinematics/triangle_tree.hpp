// Triangles (or points, as triangles of no size) in a tree of boxes, for distances to meshes and point clouds.
#pragma once

#include <vector>

#include "armature/geom/distance.hpp"

namespace armature::inline v0_2 {

class TriangleTree {
 public:
  /// `radius`: how far each triangle's surface lies outside it.
  void build(std::vector<Triangle> triangles, double radius);
  bool empty() const { return triangles_.empty(); }
  std::size_t size() const { return triangles_.size(); }
  const std::vector<Triangle>& triangles() const { return triangles_; }

  /// The nearest triangle, if its distance (radii taken off) is below `within`; else `within` is the distance. The
  /// segment has a radius; the box has none.
  Nearest nearest(const Segment& p, double radius, double within) const;
  Nearest nearest(const OrientedBox& p, double within) const;
  /// Whether anything comes as near as `margin`.
  bool touches(const Segment& p, double radius, double margin) const;
  bool touches(const OrientedBox& p, double margin) const;

  const Vec3& low() const { return nodes_.front().low; }
  const Vec3& high() const { return nodes_.front().high; }

 private:
  struct Node {
    Vec3 low, high;
    int first = 0, count = 0;  // triangles of a leaf
    int right = 0;             // 0: a leaf; the left child follows at once
  };
  int split(int first, int count, int depth);
  template <class Shape>
  void search(const Shape& shape, const Vec3& low, const Vec3& high, double radius, bool any, Nearest& best) const;

  std::vector<Triangle> triangles_;
  std::vector<Node> nodes_;
  double radius_ = 0.0;
};

}  // namespace armature::inline v0_2
