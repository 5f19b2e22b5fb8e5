#include "armature/solve/methods/ccd.hpp"

namespace armature::inline v0_2 {

Status Ccd::check(const Problem& problem) const {
  return check_compiled(
      problem, settings, [](const CompiledProblem& p) { return check_frames(p, kCcdInfo.name); }, true);
}

const Report& Ccd::run(const Problem& problem, ConstVecRef start, Trace* trace) {
  Stack& stack = loop_.stack;
  loop_.uses_jacobian = false;
  loop_.closes_loops = true;
  return loop_.run(
      kCcdInfo, problem, settings, start, trace,
      [&] {
        Status status = check_frames(loop_.compiled, kCcdInfo.name);
        if (status.ok()) descent_.prepare(stack);
        return status;
      },
      [&](double* pose) {
        stack.step.setZero();
        descent_.load(stack);
        // A change at one joint leaves the frames of all joints further in as they are: one forward pass serves the
        // whole sweep.
        for (std::size_t i = descent_.handles.size(); i-- > 0;) {
          const Handle& handle = descent_.handles[i];
          if (handle.kind == Handle::Kind::coupled) {
            descent_.descend_coupled(stack, handle, pose);
            descent_.load(stack);
            continue;
          }
          const Change change = descent_.best(stack, handle, pose, descent_.wanted);
          descent_.make(stack, handle, change, settings.step_size, settings.max_step, pose, descent_.wanted);
        }
        return Move::stepped;
      });
}

}  // namespace armature::inline v0_2
