// A report as JSON, with the names of every surface: ok, outcome, message, q, pose, goals, joints_at_limits, ...
#pragma once

#include <string>
#include <vector>

#include "armature/scene/json_text.hpp"
#include "armature/solve/keep_clear.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"
#include "armature/solve/solutions.hpp"

namespace armature::inline v0_2 {

struct ReportText {
  double microseconds = 0.0;  // negative: left out
  bool measures = true;       // singular values and what follows from them
};

/// The members of a report, into an open object.
void write_report(JsonText& json, const Problem& problem, const Report& report, const VecX& q, const ReportText& text);

/// A list of iterations: [{"q", "error", "error_norm", "jacobian", "singular_values", "step", "damping"}].
void write_trace(JsonText& json, const Trace& trace);

/// {"q", "residuals", "complete", "singular_joints", "class"} and, for seven joints, "curves".
void write_solutions(JsonText& json, const Model& model, const Solutions& all);

/// [{"a", "b", "depth", "point_a", "point_b"}], deepest first.
void write_collisions(JsonText& json, const std::vector<Touch>& collisions);
/// {ok, message, touching, left, gaps, deepest, collisions, largest_change}.
void write_clear(JsonText& json, const ClearMotion& clear);

}  // namespace armature::inline v0_2
