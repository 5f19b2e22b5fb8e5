// A search's answer as Python holds it: Report.
#pragma once

#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"
#include "python.hpp"

namespace armature::python {

/// What was asked and what came out; everything else (goals, contacts, measures) is put into words when it is asked
/// for.
struct Answer {
  FigurePtr figure;
  std::shared_ptr<const Problem> problem;
  Report report;
  VecX q;
  double microseconds = 0.0;
  py::object trace = py::none();
  py::object fields = py::none();  // the report as every surface writes it, once it was asked for
};

/// Solves, timed, without Python's lock.
Answer solve(const FigurePtr& figure, Method& solver, std::shared_ptr<const Problem> problem, const VecX& start,
             bool traced);
/// Of a pose that was not searched for.
Answer judged(const FigurePtr& figure, std::shared_ptr<const Problem> problem, const Report& report, const VecX& q);

}  // namespace armature::python
