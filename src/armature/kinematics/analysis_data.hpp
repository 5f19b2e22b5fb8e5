// The constants behind a ChainAnalysis.
#pragma once

#include "armature/kinematics/analysis.hpp"
#include "armature/kinematics/analytic/cartesian.hpp"
#include "armature/kinematics/analytic/fewer.hpp"
#include "armature/kinematics/analytic/parallel.hpp"
#include "armature/kinematics/analytic/six.hpp"
#include "armature/kinematics/analytic/spherical.hpp"
#include "armature/kinematics/analytic/srs.hpp"

namespace armature::inline v0_2 {

static_assert(kMaxAnalyticJoints == analytic::kMaxArmJoints && kMaxChainAnswers == analytic::kMaxAnswers);

struct ChainAnalysis::Constants {
  analytic::Arm arm;
  analytic::SixArm six;  // S, P, K, G; of a locked chain with its joint at zero
  analytic::SphericalArm spherical;
  analytic::CartesianArm cartesian;
  analytic::ParallelTriple parallel;  // class `planar`
  analytic::SrsArm srs;
  analytic::FewerArm fewer;
};

}  // namespace armature::inline v0_2
