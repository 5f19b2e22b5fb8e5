// The shapes themselves, meshes as their triangles, asked where the bodies around two things touch (docs/bodies.md,
// "Exact"). They come with a problem as obstacles: one that a link carries and that has the link's own name is a shape
// of that link (link_shapes in body_sources.hpp makes them), and the link's bodies must hold it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "armature/kinematics/clearance.hpp"
#include "armature/kinematics/mesh_surface.hpp"

namespace armature::inline v0_2 {

/// Whether the obstacle is a shape of the link that carries it.
inline bool is_link_shape(const Obstacle& obstacle) { return !obstacle.link.empty() && obstacle.name == obstacle.link; }

/// Part of the sampled poses in which the bodies touch, and in which the shapes do; what lies between are false alarms.
/// `missed`: the shapes touch and the bodies do not, which no cover allows.
struct FalseAlarms {
  int poses = 0;
  double bodies = 0.0, shapes = 0.0, missed = 0.0;
};

class ExactShapes {
 public:
  /// `obstacles`: all of a problem; in a NearPair they are counted without the shapes of links. False: no link has
  /// shapes, there is nothing to ask. Obstacles must be sound (Clearance::prepare).
  bool prepare(const Model& model, const Bodies& bodies, std::span<const Obstacle> obstacles);
  bool ready() const { return !model_.empty(); }

  /// As in Clearance: only pairs that some of these velocities can move; empty: all.
  void watch(std::span<const char> velocities);

  void place(const double* q) { branches_.forward(q, state_); }
  /// How near two things come that Clearance found near, at the pose of place(); `within` where they are not nearer.
  /// Nothing is asked, and the distance of the bodies is the answer, where one of them has no shapes. `any`: the first
  /// points that are nearer than `within` are enough.
  Nearest nearest(const NearPair& pair, double within, bool any) const;
  /// Two links that Clearance does not ask about, since their bodies touch in nearly every pose.
  struct Other {
    int a, b;
    bool watched = true;
  };
  const std::vector<Other>& others() const { return others_; }
  /// Whether such a pair touches.
  bool others_touch() const;
  /// Those pairs: nearer than `within`.
  void nearest_others(double within, std::vector<NearPair>& out) const;

  /// `clearance` has the bodies and no obstacles. Of pairs that are asked about, or proved never to touch.
  FalseAlarms count_false_alarms(const Bodies& bodies, Clearance& clearance, int poses);

 private:
  enum class Kind { solid, surface, plane, ground };
  struct Part {
    Kind kind = Kind::solid;
    Solid solid;
    std::shared_ptr<const MeshSurface> surface;
    Vec3 normal = Vec3::UnitZ(), point = Vec3::Zero();  // of a plane
    HeightField field;                                  // of ground, and where it lies
    Transform origin;
    Vec3 center = Vec3::Zero();  // of a sphere that holds it; of a surface or solid
    double bound = 1e300;
  };
  using Thing = std::vector<Part>;  // in the frame of its link, or in the world

  static Part part_of(const Obstacle& obstacle);
  static Nearest measure(const Part& a, const Transform& X_a, const Part& b, const Transform& X_b, double within,
                         bool any);
  static Nearest above_ground(const Part& a, const Transform& X_a, const Part& ground, double within, bool any);
  static Nearest measure(const Thing& a, const Transform& X_a, const Thing& b, const Transform& X_b, double within,
                         bool any);
  Transform frame(int link) const;

  Model model_;
  std::vector<Thing> links_;      // shapes of each link
  std::vector<Thing> obstacles_;  // without the shapes of links
  std::vector<Other> others_;
  Branches branches_;
  State state_;
};

}  // namespace armature::inline v0_2
