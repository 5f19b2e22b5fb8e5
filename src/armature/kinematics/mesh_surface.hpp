// A mesh that is asked about itself: its distance to another mesh, and whether a point lies inside.
#pragma once

#include <vector>

#include "armature/kinematics/triangle_tree.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

class MeshSurface {
 public:
  /// `radius`: how far the surface of each triangle lies outside it. `closed`: it has an inside.
  MeshSurface(std::vector<Triangle> triangles, double radius, bool closed);
  const TriangleTree& tree() const { return tree_; }
  const std::vector<Triangle>& triangles() const { return tree_.triangles(); }

  /// The nearest triangles of two surfaces, `X` the other's frame in this one, points in this one; `within` where none
  /// are nearer than that. `any`: the first two that are nearer are enough.
  Nearest nearest(const MeshSurface& other, const Transform& X, double within, bool any) const;
  /// Whether the point lies inside a closed surface: two of three rays cross it an odd number of times.
  bool holds(const Vec3& point) const;
  /// The corner that is farthest along a direction.
  Vec3 farthest(const Vec3& direction) const;

 private:
  struct Node {
    Vec3 low, high;
    int first = 0, count = 0;  // triangles of it
    int right = 0;             // 0: a leaf; the left child follows at once
  };
  int add(int first, int count);
  template <class Wanted, class See>
  void visit(Wanted wanted, See see) const;

  TriangleTree tree_;
  std::vector<Node> nodes_;
  double radius_ = 0.0;
  bool closed_ = false;
};

/// A closed surface around a cylinder along z: a prism of 48 sides that holds it, its edges 0.22 % of the radius
/// outside.
std::vector<Triangle> surface_around(const Cylinder& cylinder, const Transform& origin);

}  // namespace armature::inline v0_2
