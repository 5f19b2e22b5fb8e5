// One iteration of a method, with everything that is needed to compute its step again by hand: what `armature step` and
// the studio's Step view print. The terms are put into the method's equation, and shown only where that gives the very
// step that the method recorded.
//
// Rows are those of the goals: v_x v_y v_z (lengths), w_x w_y w_z (angles, multiplied by `rotation_weight`, metres per
// radian), all times the root of the goal's weight. Columns are the model's velocities; a slide's is per metre.
// With A = J diag(scale), columns of scale 0 left out, and k the step size:
//
//   dls            u = k A'(A A' + damping^2 I)^-1 V - (I - A+ A) z        (eqs 5.24, 5.28)
//   pseudoinverse  u = k A+ V - (I - A+ A) z                               (eqs 5.20 to 5.23, 5.28)
//   inverse        u = k A^-1 V                                            (eq 5.19)
//   transpose      u = k alpha A' V
//   sdls           u = k clamp(sum_i clamp((u_i . V / s_i) v_i, value_limits_i), gamma)
//
//   asked = step_limit * scale * u,  step = asked as far as the limits allow
#pragma once

#include <string>
#include <vector>

#include "armature/scene/json_text.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"
#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

struct StepRow {
  std::string name;  // "v_x", "w_z"
  std::string goal;
  bool angle = false;
  double error = 0.0;   // target minus actual
  double wanted = 0.0;  // V: the error, or what a clamp left of it
};

struct StepColumn {
  std::string name;  // "elbow", "root.x", "root.wz"
  std::string joint;
  bool slides = false;  // metres instead of radians
  double scale = 0.0;
  double z = 0.0;  // control term, as an unknown of the system
  double from_goals = 0.0, from_control = 0.0;
  double asked = 0.0, step = 0.0;
  bool has_value = false;  // not a part of a rotation
  double before = 0.0;
  const char* limit = "";  // "lower", "upper", "cone": what kept the step from being as asked
  double bound = 0.0;
};

/// Coordinate descent: one joint after the other.
struct StepTurn {
  int column = 0;
  double best = 0.0;  // what would bring the effector nearest, by itself
  double made = 0.0;  // after gain, largest step and limits
};

struct ExplainedStep {
  std::string method, label;
  int iteration = 0;        // 0 is the start
  bool last = false;        // the search ended here: there is no step
  bool restarted = false;   // the search began anew with this pose
  bool leads_anew = false;  // ... and does with the next one: no step leads there
  bool next_is_last = false;
  bool reproducible = false;  // the system below gives `asked`
  std::string equation;       // of the terms in use; "": the method solves no system
  VecX q;
  std::vector<StepRow> rows;
  std::vector<StepColumn> columns;
  MatX J;
  double rotation_weight = 0.0;  // of angle rows, metres per radian; 0: there are none
  VecX singular_values;
  double damping = 0.0, alpha = 0.0, gamma = 0.0, step_size = 1.0, step_limit = 1.0;
  double max_step = 0.0;  // that step_limit keeps to: the largest change, radians
  VecX value_limits;
  std::vector<StepTurn> turns;           // in this order
  double triangle[3] = {0.0, 0.0, 0.0};  // two_link: upper part, lower part, distance of the target
  std::string link;                      // of the first goal ...
  MatX link_jacobian;                    // ... and its own Jacobian, 6 rows v_x to w_z (eqs 5.11 to 5.15)
  double error = 0.0, error_after = 0.0;
  bool singular = false;
  int decimals = 3;  // that the printed numbers need so that they give the printed step; 17: all of them
  std::string message;
};

/// A solve that keeps its iterations. Entry 0 is the pose in q, brought into limits, whatever the method does with it;
/// each `step` is what the method asked for there. The last entry is the answer.
Report solve_traced(Method& solver, const Problem& problem, VecX& q, Trace& trace);
/// Whether the search began anew with entry i: no step of the one before leads there.
bool began_anew(const Model& model, const Trace& trace, int i);

/// `index` into a trace of solve_traced.
ExplainedStep explain_step(const Problem& problem, const Method& solver, const Trace& trace, int index);

/// `asked` again, from the rows, columns and scalars rounded to so many decimals (17: as they are). Empty when the
/// method solves no system.
VecX reproduce(const ExplainedStep& step, int decimals = 17);

/// As members of an open object.
void write_step(JsonText& json, const ExplainedStep& step);

}  // namespace armature::inline v0_2
