#include "armature/solve/methods/analytic.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/geom/svd.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/reach_bound.hpp"

namespace armature::inline v0_2 {

Status Analytic::check(const Problem& problem) const {
  return check_compiled(problem, settings, [&](const CompiledProblem& compiled) {
    ProblemChain chain;
    // Where locked joints stand decides what the others form.
    VecX q = problem.start.size() > 0 ? problem.start : start_pose(problem.model);
    clamp_start(problem.model, compiled.lower(), compiled.upper(), q.data());
    chain.prepare(compiled, q.data());
    return chain.status();
  });
}

// Makes room for everything that a later solve of such a problem may need: no solve allocates but the first.
void Analytic::warm_up(CompiledProblem& compiled, const VecX& q) {
  report_.outcome = Outcome::stalled;
  stack_.prepare(compiled);
  stack_.evaluate(q.data());
  stack_.differentiate();
  stack_.finish(q.data(), report_);
  report_.measures.clear();
}

bool Analytic::measure(CompiledProblem& compiled, const VecX& q) {
  forward(compiled.model(), q, state_);
  report_.goals.resize(compiled.goals().size());
  bool reached = true;
  for (std::size_t g = 0; g < report_.goals.size(); ++g) {
    static_cast<GoalResidual&>(report_.goals[g]) = compiled.measure(compiled.goals()[g], state_);
    reached = reached && report_.goals[g].reached;
  }
  return reached;
}

// No answer inside limits, and errors within the tolerance would not change that: either no branch exists, each missing
// by far, or every answer lies outside its limits by more than the tolerance can move it.
bool Analytic::proved(const CompiledGoal& goal) const {
  const ChainAnalysis& analysis = chain_.analysis();
  const bool closed = analysis.kind == ChainClass::wrist || analysis.kind == ChainClass::parallel;
  if (!closed || !analysis.exact() || !answers_.no_answer_is_sure || answers_.singular_joints != 0) return false;
  const double length = 2.0 * analysis.chain.chain.length;
  if (goal.tolerance / length > 1e-5) return false;
  for (int k = 0; k < answers_.count; ++k) {
    Transform X;
    double jacobian[36], s[kMaxSmall];
    Eigen::Map<Eigen::Matrix<double, 6, 6>> J(jacobian);
    forward(analysis.chain.chain, answers_.value[k], X, J);
    J.topRows<3>() /= length;
    singular_values(J, s);
    if (!(s[5] > 1e-3)) return false;
    const double reach = 10.0 * (goal.tolerance / length + goal.orientation_tolerance) / s[5];
    bool outside = false;
    for (int j = 0; j < 6 && !outside; ++j) {
      const double v = answers_.value[k][j], turn = 2.0 * kPi;
      const double up = v + turn * std::ceil((chain_.lower[j] - reach - v) / turn);
      outside = up > chain_.upper[j] + reach;
    }
    if (!outside) return false;
  }
  return true;
}

// The nearest answer inside limits; q stays where there is none.
void Analytic::find(CompiledProblem& compiled, VecX& q) {
  ChainSolveOptions how;
  how.thorough = settings.thorough;
  how.lower = chain_.lower;
  how.upper = chain_.upper;
  const auto solve_from = [&](const double* start) {
    solve_chain(chain_.analysis(), chain_.target(), start, how, answers_);
    within_limits(chain_.analysis(), answers_, chain_.lower, chain_.upper, chain_.start, 1, limited_);
  };
  solve_from(chain_.start);
  if (limited_.count == 0 && chain_.analysis().kind == ChainClass::locked) {
    // Other values of the locked joint, outwards from the start.
    const int joint = chain_.analysis().locked_joint;
    const bool slides = chain_.analysis().chain.joints[at(joint)].kind == ChainJointKind::prismatic;
    const double range = chain_.upper[joint] - chain_.lower[joint];
    const double far = !slides ? kPi : std::isfinite(range) ? range : 4.0 * chain_.analysis().chain.chain.length;
    double start[kMaxAnalyticJoints];
    std::copy(chain_.start, chain_.start + chain_.joint_count(), start);
    for (int k = 1; k <= 96 && limited_.count == 0; ++k) {
      const double step = (k % 2 == 1 ? 1 : -1) * ((k + 1) / 2) * far / 48.0;
      start[joint] = chain_.start[joint] + step;
      if (start[joint] < chain_.lower[joint] || start[joint] > chain_.upper[joint]) continue;
      solve_from(start);
      ++report_.restarts;
    }
  }
  if (limited_.count > 0) chain_.put(compiled, limited_.item[0].value, q.data());
}

const Report& Analytic::run(const Problem& problem, ConstVecRef start, Trace* trace) {
  report_.q = start;
  if (const Status status = compiled_.interpret(problem, settings, report_.q); !status) {
    refuse(problem, kAnalyticInfo.name, status, report_);
    return report_;
  }
  return answer(compiled_, report_.q, trace);
}

bool Analytic::is_quick(const CompiledProblem& compiled, const VecX& start) {
  if (!chain_.prepare(compiled, start.data(), true)) return false;
  const ChainAnalysis& analysis = chain_.analysis();
  return analysis.exact() && (analysis.kind == ChainClass::wrist || analysis.kind == ChainClass::parallel);
}

const Report& Analytic::answer(CompiledProblem& compiled, ConstVecRef start, Trace* trace) {
  VecX& q = report_.q;
  q = start;
  const Model& model = compiled.model();
  report_.method = kAnalyticInfo.name;
  report_.reason = "";
  report_.iterations = report_.restarts = 0;
  report_.proof.reset();
  report_.measures.clear();
  report_.joints_at_limits.reserve(at(model.q_size()));  // so that later solves need not
  report_.blocking_joints.reserve(at(model.q_size()));
  clamp_start(model, compiled.lower(), compiled.upper(), q.data());
  if (!chain_.prepare(compiled, q.data())) {
    refuse(compiled.problem(), kAnalyticInfo.name, chain_.status(), report_);
    return report_;
  }
  if (chain_.renewed()) warm_up(compiled, q);
  before_ = q;
  limited_.count = 0;
  bool reached = measure(compiled, q);
  const bool may = settings.max_iterations > 0;
  if (!reached && may) {
    find(compiled, q);
    report_.iterations = 1;
    reached = measure(compiled, q);
  }
  report_.outcome = reached ? Outcome::converged : may ? Outcome::stalled : Outcome::iteration_limit;
  if (reached) {
    fill_report(compiled, q.data(), nullptr, 0.0, report_);
  } else {
    stack_.prepare(compiled);
    stack_.evaluate(q.data());
    stack_.differentiate();
    stack_.finish(q.data(), report_);
    report_.proof = prove_unreachable(compiled, q.data());
    if (!report_.proof && may && limited_.count == 0 && proved(compiled.goals()[at(chain_.goal())])) {
      report_.proof = Proof{.bound = ReachBound::no_solution};
    }
    if (report_.proof) report_.outcome = Outcome::unreachable;
  }
  if (trace == nullptr) return report_;
  stack_.prepare(compiled);
  step_.resize(model.v_size());
  difference(model, before_.data(), q.data(), step_.data());
  stack_.step.setZero(stack_.columns());
  for (int c = 0; c < stack_.columns(); ++c) stack_.step[c] = step_[stack_.active[at(c)]];
  if (report_.iterations > 0) {
    stack_.evaluate(before_.data());
    stack_.record(*trace, before_.data(), 0.0, false);
  }
  stack_.step.setZero();
  stack_.evaluate(q.data());
  stack_.record(*trace, q.data(), 0.0, false);
  return report_;
}

}  // namespace armature::inline v0_2
