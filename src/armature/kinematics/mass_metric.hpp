// How heavy each joint is to move: the metric in which a body moves least.
//
// Masses are the links' own where the model has any; else they come from the links' shapes (their volumes); where it
// has none, from the pipe model of trees: the cross-section of a bone is the sum of its children's, its mass section
// times length.
#pragma once

#include <span>
#include <vector>

#include "armature/kinematics/branches.hpp"
#include "armature/kinematics/state.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

enum class MassSource { file, shapes, bones };

struct LinkMasses {
  MassSource source = MassSource::file;
  std::vector<double> mass;  // per link: kg where the model has masses, else in a unit in which only ratios count
  std::vector<Vec3> center;  // in the link's frame
  double total = 0.0;
};

LinkMasses link_masses(const Model& model);

class MassMetric {
 public:
  /// Allocates when the model is another one.
  void prepare(const Model& model);
  /// Links that stay in their place. A limb that ends in one, from where it leaves the rest of the body, has no weight:
  /// it stands between the body and its foot however the body moves, and turning it against the body moves neither.
  void hold(std::span<const int> links);
  /// Per velocity: sum over the links below of mass * |velocity of the link's centre per unit of that velocity|^2 at
  /// pose q, over total mass * size^2 (of what is not held). Per radian^2, or per length^2 of the model's unit. A joint
  /// that others mimic counts each of them by itself.
  void compute(const double* q, VecX& metric);

 private:
  struct Body {  // a link and all below it, seen from the motions' centre
    double mass;
    Vec3 first;   // sum of mass * place
    Mat3 second;  // sum of mass * place * place'
  };
  Model model_;
  LinkMasses masses_;
  std::vector<double> mass_;  // per link, 0 of what is held
  double total_ = 0.0;
  Branches branches_;
  State state_;
  std::vector<int> link_of_motion_;
  std::vector<Body> bodies_;
};

}  // namespace armature::inline v0_2
