// The textbook's figures, redrawn with our own computed poses. Each function returns one finished picture.
// To add one: a function in figures_*.cpp and a line in kFigures of figures.cpp.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "armature/draw/svg.hpp"
#include "armature/kinematics/state.hpp"
#include "armature/model/model.hpp"
#include "drawing.hpp"

namespace armature::cli {

Svg figure_5_1();            // posing by turning joints
Svg figure_5_2();            // posing by placing the hand
Svg figure_5_3();            // the two joints of one freedom
Svg figure_5_4();            // complex joints
Svg figure_5_5();            // a figure and its tree
Svg figure_5_6();            // arc and node
Svg figure_5_7();            // a hierarchical model
Svg figure_5_8();            // its tree
Svg figure_5_9();            // variable rotations at the joints
Svg figure_5_10();           // the tree with rotations
Svg figure_5_11();           // two appendages
Svg figure_5_12();           // their tree
Svg figure_5_13();           // traversal with a matrix stack
Svg figure_5_14();           // the two-link arm, its angles and its reach
Svg figure_5_15();           // its solution by analysis
Svg figure_5_16();           // velocities induced by a joint
Svg figure_5_17();           // planar three-joint arm
Svg figure_5_18();           // instantaneous changes
Svg figure_5_19();           // a singular pose
Svg figure_5_20();           // pseudoinverse, without and with damping
Svg figure_5_21();           // the same, out of reach
Svg figure_5_22();           // control term
Svg figure_5_23();           // alternative Jacobian
Svg figure_5_24();           // transpose
Svg figure_5_25();           // cyclic coordinate descent
Svg figure_poses_or_path();  // interpolating poses against prescribing the path (section 5.3)

/// The iterations of a method on the textbook's arm, and its error: for docs/methods.
Svg method_picture(const std::string& method);

/// How symbols of lengths and points are set.
inline const Lettering kSymbol{14.0, ink::kText, "middle", false, true, 0.0};
/// The point of the page at this distance and angle from another.
inline Vec2 polar(const Vec2& from, double radius, double angle) {
  return from + radius * Vec2(std::cos(angle), -std::sin(angle));
}

/// A built-in model; the figures' models are always there.
Model builtin_model(const std::string& name);
/// Origins of the given links at a pose.
std::vector<Vec3> places_of(const Model& model, const VecX& q, const std::vector<std::string>& links);

}  // namespace armature::cli
