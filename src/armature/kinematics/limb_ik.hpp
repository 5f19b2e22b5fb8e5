// Limbs and looks of a character posed against a State that is there already: what a game does after it sampled its
// animation. Closed form, only the limb's own links are moved, nothing is allocated; a target out of reach costs what
// one within reach costs. For anything else (several goals, loops, obstacles) there is solve().
#pragma once

#include <array>

#include "armature/base/result.hpp"
#include "armature/kinematics/state.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

struct LimbReach {
  Vec3 pole = Vec3::Zero();  // a point that the middle joint turns towards; zero: the side that it bends to stays
  double weight = 1.0;       // 0: as it is, 1: all the way
  double soft = 0.01;    // of the limb's length: over which the reach fades out, so that the limb never snaps straight
  bool keep_end = true;  // the end keeps its rotation in the world (a foot stays level)
};

/// The ground under a foot, in the world, and how the foot is made.
struct Footing {
  Vec3 heel = Vec3::Zero(), toe = Vec3::Zero();
  Vec3 up = Vec3::UnitZ();
  int toe_link = -1;                            // below the limb's end; -1: the foot is not turned
  double ankle_height = 0.0, toe_height = 0.0;  // of the end's and the toe link's origins over the sole
};

/// A limb of two bones: a ball, then a hinge or a ball, then whatever turns the end.
class LimbIk {
 public:
  /// Links of the limb, the inner one first. The error says which joint does not fit.
  static Result<LimbIk> make(const Model& model, int upper, int lower, int end);
  static Result<LimbIk> make(const Model& model, std::string_view upper, std::string_view lower, std::string_view end);

  /// Brings the end's origin to `target` (in the world). `state` holds forward(model, q) before and after; `q` changes
  /// with it. Limits hold. The distance that is left.
  double reach(const Vec3& target, const LimbReach& how, double* q, State& state) const;

  /// Stands a foot on the ground: its origin over `heel`, its toe joint over `toe`, each as high along the slope's
  /// normal as it is over the sole. The distance that is left.
  double stand(const Footing& ground, const LimbReach& how, double* q, State& state) const;

  double length(const State& state) const;  // of both bones

 private:
  Model model_;
  int upper_ = -1, lower_ = -1, end_ = -1;
  bool hinge_ = false;
};

struct LookAt {
  Vec3 direction = Vec3::UnitX();  // of sight, in the frame of the last link
  Vec3 eye = Vec3::Zero();         // where from, in that frame
  double weight = 1.0;
  double most = 1.2;  // radians that the whole chain turns at most
};

/// A chain of balls that turn together towards a point: neck and head, or the spine too.
class LookIk {
 public:
  static constexpr int kMost = 8;
  /// Links from the inner to the outer one, each below the one before; shares of the turn, equal when left out.
  static Result<LookIk> make(const Model& model, const std::vector<int>& links, const std::vector<double>& shares = {});
  /// The angle that is left between sight and target.
  double look(const Vec3& target, const LookAt& how, double* q, State& state) const;

 private:
  Model model_;
  std::array<int, kMost> links_{};
  std::array<double, kMost> shares_{};
  int count_ = 0;
};

}  // namespace armature::inline v0_2
