#include "armature/solve/methods/ccd_ranked.hpp"

#include <algorithm>
#include <cmath>

namespace armature::inline v0_2 {

Status CcdRanked::check(const Problem& problem) const {
  return check_compiled(
      problem, settings, [](const CompiledProblem& p) { return check_frames(p, kCcdRankedInfo.name); }, true);
}

double CcdRanked::rank(const Stack& stack, std::size_t i, const Change& change, const double* q) const {
  const Handle& handle = descent_.handles[i];
  if (settings.ranking == Ranking::limits && handle.kind != Handle::Kind::ball) {
    // Share of the half range that is left on the nearer side after the change.
    const double low = stack.lower()[handle.coordinate];
    const double high = stack.upper()[handle.coordinate];
    if (!std::isfinite(low) || !std::isfinite(high) || !(high > low)) return change.gain;
    const double after = q[handle.coordinate] + change.amount;
    const double margin = std::min(after - low, high - after) / (0.5 * (high - low));
    return change.gain * std::clamp(margin, 0.02, 1.0);
  }
  if (settings.ranking == Ranking::recent && last_used_[i] >= 0) {
    const double age = loop_.report.iterations - last_used_[i];
    return change.gain * age / (age + static_cast<double>(descent_.handles.size()));
  }
  return change.gain;
}

const Report& CcdRanked::run(const Problem& problem, ConstVecRef start, Trace* trace) {
  Stack& stack = loop_.stack;
  loop_.uses_jacobian = false;
  loop_.closes_loops = true;
  return loop_.run(
      kCcdRankedInfo, problem, settings, start, trace,
      [&] {
        Status status = check_frames(loop_.compiled, kCcdRankedInfo.name);
        if (!status.ok()) return status;
        descent_.prepare(stack);
        last_used_.assign(descent_.handles.size(), -1);
        return status;
      },
      [&](double* pose) {
        stack.step.setZero();
        descent_.load(stack);
        std::size_t best = descent_.handles.size();
        double highest = 0.0;
        Change chosen;
        std::size_t coupled = best;
        for (std::size_t i = 0; i < descent_.handles.size(); ++i) {
          const Handle& handle = descent_.handles[i];
          if (handle.kind == Handle::Kind::coupled) {  // the one left alone longest stands ready
            if (coupled == descent_.handles.size() || last_used_[i] < last_used_[coupled]) coupled = i;
            continue;
          }
          const Change change = descent_.best(stack, handle, pose, descent_.wanted);
          const double score = rank(stack, i, change, pose);
          if (score > highest * (1.0 + 1e-9)) {  // among equals the first, whatever rounding says
            highest = score;
            best = i;
            chosen = change;
          }
        }
        // Coupled joints have no closed form to rank by: they take every turn in which no other joint gains much.
        if (coupled < descent_.handles.size() && !(highest > 1e-3 * descent_.objective())) {
          descent_.descend_coupled(stack, descent_.handles[coupled], pose);
          last_used_[coupled] = loop_.report.iterations;
        } else if (best < descent_.handles.size()) {
          descent_.make(stack, descent_.handles[best], chosen, settings.step_size, settings.max_step, pose,
                        descent_.wanted);
          last_used_[best] = loop_.report.iterations;
        }
        return Move::stepped;
      });
}

}  // namespace armature::inline v0_2
