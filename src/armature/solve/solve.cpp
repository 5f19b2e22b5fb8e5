#include "armature/solve/solve.hpp"

#include "armature/solve/measure.hpp"
#include "armature/solve/methods/auto.hpp"

namespace armature::inline v0_2 {

Report solve(const Problem& problem) {
  Report report = Auto().solve(problem);
  if (report.measures.condition == 0.0 && report.outcome != Outcome::refused) {  // fast methods form no Jacobian
    report.measures = measures(problem, report.q);
  }
  return report;
}

}  // namespace armature::inline v0_2
