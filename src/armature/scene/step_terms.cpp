#include "armature/scene/step_terms.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/geom/svd.hpp"
#include "armature/solve/methods/coordinate_descent.hpp"
#include "armature/solve/methods/jacobian_method.hpp"
#include "armature/solve/methods/two_link.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kAllDecimals = 17;
constexpr int kDecimals[] = {3, 4, 5, 6, 8, 10, 12, kAllDecimals};

double rounded(double x, int decimals) {
  if (decimals >= kAllDecimals) return x;
  const double unit = math::power(10.0, decimals);
  return std::round(x * unit) / unit;
}

// The value of an option now, by its name in the code.
double option_of(const Method& solver, std::string_view name, double otherwise) {
  for (const OptionInfo& option : solver.option_list()) {
    if (option.name == name) return option.default_value;
  }
  return otherwise;
}

void clamp_largest(VecX& x, double most) {
  const double largest = x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
  if (largest > most) x *= most / largest;
}

// The most that each singular vector may turn a joint (section 3 of the paper on selectively damped least squares).
VecX value_limits(const Stack& stack, double gamma) {
  Svd svd;
  svd.resize(stack.rows(), stack.columns());
  svd.compute(stack.A);
  VecX most = VecX::Zero(svd.rank(1e-10));
  for (Eigen::Index i = 0; i < most.size(); ++i) {
    double needed = 0.0, spent = 0.0;
    for (const Stack::Block& block : stack.blocks()) {
      needed += svd.U().col(i).segment(block.first, block.count).norm();
      for (int c = 0; c < stack.columns(); ++c) {
        spent += std::abs(svd.V()(c, i)) * stack.A.col(c).segment(block.first, block.count).norm();
      }
    }
    spent /= svd.s()[i];
    most[i] = spent > needed ? gamma * needed / spent : gamma;
  }
  return most;
}

bool solves_a_system(const std::string& method) {
  return method == "dls" || method == "pseudoinverse" || method == "inverse" || method == "transpose" ||
         method == "sdls";
}

// The terms of the method's equation at this pose.
void find_terms(const Method& solver, const TraceStep& entry, Stack& stack, ExplainedStep& out) {
  stack.differentiate(option_of(solver, "jacobian_at", 0.0) == 1.0);
  if (out.method != "inverse") stack.drop_blocked(entry.q.data());
  for (int c = 0; c < stack.columns(); ++c) {
    const bool dropped = stack.A.col(c).isZero(0.0) && !stack.J.col(c).isZero(0.0);  // at a bound
    out.columns[static_cast<std::size_t>(stack.active[static_cast<std::size_t>(c)])].scale =
        dropped ? 0.0 : stack.scale[c];
  }
  out.step_size = option_of(solver, "step_size", 1.0);
  if (out.method == "transpose") {
    out.alpha = option_of(solver, "scale", option_of(solver, "alpha", 0.0));
    const VecX moved = stack.A * (stack.A.transpose() * stack.error);
    if (out.alpha == 0.0 && moved.squaredNorm() > 0.0) out.alpha = stack.error.dot(moved) / moved.squaredNorm();
  }
  if (out.method == "sdls") {
    out.gamma = option_of(solver, "gamma", 0.0);
    out.value_limits = value_limits(stack, out.gamma);
    const double longest = option_of(solver, "max_error", 0.0) * stack.model().size();
    for (const Stack::Block& block : stack.blocks()) {
      const double norm = stack.error.segment(block.first, block.count).norm();
      for (int r = block.first; norm > longest && r < block.first + block.count; ++r) {
        out.rows[static_cast<std::size_t>(r)].wanted *= longest / norm;
      }
    }
  }
  VecX z;
  const bool takes_control = out.method == "dls" || out.method == "pseudoinverse";
  if (takes_control && stack.control(entry.q.data(), option_of(solver, "control", 0.0) == 1.0, z)) {
    for (int c = 0; c < stack.columns(); ++c) {
      out.columns[static_cast<std::size_t>(stack.active[static_cast<std::size_t>(c)])].z = z[c];
    }
  }
}

// One sweep of coordinate descent again, joint after joint.
void find_turns(const Method& solver, const TraceStep& entry, Stack& stack, ExplainedStep& out) {
  CoordinateDescent descent;
  descent.prepare(stack);
  VecX pose = entry.q;
  stack.evaluate(pose.data());
  stack.step.setZero();
  descent.load(stack);
  const double step_size = option_of(solver, "step_size", 1.0);
  const double max_step = option_of(solver, "max_step", -1.0);
  const bool one = out.method == "ccd_ranked";
  std::vector<StepTurn> turns;
  for (std::size_t i = descent.handles.size(); i-- > 0;) {
    const Handle& handle = descent.handles[i];
    if (handle.kind == Handle::Kind::coupled) return;  // no closed form to show
    const int count = handle.kind == Handle::Kind::ball ? 3 : 1;
    const int velocity = stack.active[static_cast<std::size_t>(handle.column)];
    if (one && out.columns[static_cast<std::size_t>(velocity)].asked == 0.0 && count == 1) continue;
    const Change change = descent.best(stack, handle, pose.data(), descent.wanted);
    const Vec3 local = stack.state.X_WL[static_cast<std::size_t>(handle.link)].rotation.transpose() * change.rotation;
    descent.make(stack, handle, change, step_size, max_step, pose.data(), descent.wanted);
    for (int k = 0; k < count; ++k) {
      turns.push_back({velocity + k, count == 3 ? local[k] : change.amount, stack.step[handle.column + k]});
    }
  }
  for (const StepTurn& turn : turns) {
    const double asked = out.columns[static_cast<std::size_t>(turn.column)].asked;
    if (std::abs(asked - turn.made) > 1e-9 * (1.0 + std::abs(asked))) return;  // not what the method did
  }
  out.turns = std::move(turns);
  out.step_size = step_size;
}

void find_triangle(Stack& stack, const TraceStep& entry, ExplainedStep& out) {
  CoordinateDescent descent;
  Limb limb;
  descent.prepare(stack);
  if (!find_limb(stack, descent, limb).ok()) return;
  stack.evaluate(entry.q.data());  // find_limb() tried another pose
  const FrameTarget& frame = stack.problem().goals()[static_cast<std::size_t>(limb.goal)].frame;
  if (!limb.planar || frame.base != kWorld) return;
  const auto frame_of = [&](int handle) -> const Transform& {
    return stack.state.X_WL[static_cast<std::size_t>(descent.handles[static_cast<std::size_t>(handle)].link)];
  };
  const Vec3 shoulder = frame_of(limb.shoulder[0]).position, elbow = frame_of(limb.elbow).position;
  const Vec3 wrist = stack.state.X_WL[static_cast<std::size_t>(frame.link)] * limb.carried;
  Vec3 target = frame.target.position;
  for (int k = 0; k < 3; ++k) {
    if (frame.position_axes.free[static_cast<std::size_t>(k)]) target[k] = wrist[k];
  }
  out.triangle[0] = (elbow - shoulder).norm();
  out.triangle[1] = (wrist - elbow).norm();
  out.triangle[2] = (target - shoulder).norm();
}

// The columns that take part, with their scale.
MatX system_of(const ExplainedStep& step, int decimals, std::vector<int>& active) {
  for (int c = 0; c < static_cast<int>(step.columns.size()); ++c) {
    if (step.columns[static_cast<std::size_t>(c)].scale > 0.0) active.push_back(c);
  }
  MatX A(step.J.rows(), static_cast<Eigen::Index>(active.size()));
  for (std::size_t i = 0; i < active.size(); ++i) {
    const double scale = rounded(step.columns[static_cast<std::size_t>(active[i])].scale, decimals);
    for (Eigen::Index r = 0; r < A.rows(); ++r) {
      A(r, static_cast<Eigen::Index>(i)) = scale * rounded(step.J(r, active[i]), decimals);
    }
  }
  return A;
}

std::string equation_of(const ExplainedStep& step, bool weighted, bool controlled) {
  const std::string J = weighted ? "A" : "J";
  const std::string k = step.step_size != 1.0 ? "k " : "";
  std::string u;
  if (step.method == "dls") u = k + J + "'(" + J + " " + J + "' + lambda^2 I)^-1 V";
  if (step.method == "pseudoinverse") u = k + J + "+ V";
  if (step.method == "inverse") u = k + J + "^-1 V";
  if (step.method == "transpose") u = k + "alpha " + J + "' V";
  if (step.method == "sdls") u = k + "clamp_gamma( sum_i clamp_i( (u_i . V / s_i) v_i ) )";
  if (u.empty()) return "";
  if (controlled) u = "[ " + u + " - (I - " + J + "+ " + J + ") z ]";
  const std::string s = step.step_limit < 1.0 ? "s " : "";
  const std::string of = step.method == "sdls" ? ", of A = J diag(w)" : ", A = J diag(w)";
  return "change = " + s + (weighted ? "w * " + u + of : u);
}

const char* reference_of(const std::string& method, bool controlled) {
  if (method == "dls") return controlled ? "  (eqs 5.24, 5.28)" : "  (eq 5.24)";
  if (method == "pseudoinverse") return controlled ? "  (eqs 5.20 to 5.23, 5.28)" : "  (eqs 5.20 to 5.23)";
  if (method == "inverse") return "  (eq 5.19)";
  return "";
}

// Few enough decimals to read, enough to give the same step.
int decimals_for(const ExplainedStep& step) {
  for (const int decimals : kDecimals) {
    const VecX again = reproduce(step, decimals);
    bool same = again.size() == static_cast<Eigen::Index>(step.columns.size());
    const double slack = decimals < kAllDecimals ? 2.0 / math::power(10.0, decimals) : 1e-9;
    double largest = 0.0;
    for (const StepColumn& column : step.columns) largest = std::max(largest, std::abs(column.asked));
    for (Eigen::Index v = 0; same && v < again.size(); ++v) {
      // What is compared is what is printed, itself rounded.
      const double asked = rounded(step.columns[static_cast<std::size_t>(v)].asked, decimals);
      same = std::abs(again[v] - asked) <= std::min(slack, 0.02 * largest + 1e-15) + 1e-9 * largest;
    }
    if (same) return decimals;
  }
  return -1;
}

// How far the step was shortened, what came from where, and whether the equation gives the recorded step.
void find_scale(const CompiledProblem& compiled, ExplainedStep& out) {
  const VecX whole = reproduce(out);
  double largest = 0.0, asked = 0.0;
  for (Eigen::Index v = 0; v < whole.size(); ++v) {
    const StepColumn& column = out.columns[static_cast<std::size_t>(v)];
    const double unit = column.slides ? compiled.length() : 1.0;
    largest = std::max(largest, std::abs(whole[v]) / unit);
    asked = std::max(asked, std::abs(column.asked) / unit);
  }
  if (largest > 0.0 && asked < (1.0 - 1e-9) * largest) {
    out.step_limit = asked / largest;
    out.max_step = asked;
  }
  bool weighted = false, controlled = false;
  for (const StepColumn& column : out.columns) {
    weighted = weighted || column.scale != 1.0;
    controlled = controlled || column.z != 0.0;
  }
  ExplainedStep goals_only = out;
  goals_only.step_limit = 1.0;
  for (StepColumn& column : goals_only.columns) column.z = 0.0;
  const VecX from_goals = reproduce(goals_only);
  for (Eigen::Index v = 0; v < whole.size(); ++v) {
    StepColumn& column = out.columns[static_cast<std::size_t>(v)];
    column.from_goals = from_goals[v];
    column.from_control = controlled ? whole[v] - from_goals[v] : 0.0;
  }
  const int decimals = decimals_for(out);
  out.reproducible = decimals >= 0;
  if (!out.reproducible) return;
  out.decimals = decimals;
  out.equation = equation_of(out, weighted, controlled) + reference_of(out.method, controlled);
}

}  // namespace

void find_step_terms(const Method& solver, const TraceStep& entry, Stack& stack, ExplainedStep& out) {
  if (solves_a_system(out.method) && out.J.size() > 0) {
    find_terms(solver, entry, stack, out);
    find_scale(stack.problem(), out);
  }
  if (out.method == "ccd" || out.method == "ccd_ranked") find_turns(solver, entry, stack, out);
  if (out.method == "two_link") find_triangle(stack, entry, out);
}

VecX reproduce(const ExplainedStep& step, int decimals) {
  std::vector<int> active;
  const MatX A = system_of(step, decimals, active);
  VecX out = VecX::Zero(static_cast<Eigen::Index>(step.columns.size()));
  if (A.size() == 0) return step.J.size() > 0 ? out : VecX();
  const auto n = static_cast<Eigen::Index>(active.size());
  VecX V(A.rows()), u = VecX::Zero(n), z = VecX::Zero(n);
  for (Eigen::Index r = 0; r < A.rows(); ++r) V[r] = rounded(step.rows[static_cast<std::size_t>(r)].wanted, decimals);
  bool controlled = false;
  for (Eigen::Index c = 0; c < n; ++c) {
    const StepColumn& column = step.columns[static_cast<std::size_t>(active[static_cast<std::size_t>(c)])];
    z[c] = rounded(column.z, decimals);
    controlled = controlled || column.z != 0.0;
  }
  const double k = rounded(step.step_size, decimals);
  MinimumNorm exact;
  if (step.method == "dls" || step.method == "pseudoinverse" || step.method == "inverse") {
    MinimumNorm damped;
    damped.factor(A, step.method == "dls" ? rounded(step.damping, decimals) : 0.0);
    damped.solve(V, u);
    u *= k;
    if (controlled && step.method != "inverse") {
      exact.factor(A);
      exact.project(z);
      u -= z;
    }
  } else if (step.method == "transpose") {
    u = k * rounded(step.alpha, decimals) * (A.transpose() * V);
  } else if (step.method == "sdls") {
    Svd svd;
    svd.resize(static_cast<int>(A.rows()), static_cast<int>(A.cols()));
    svd.compute(A);
    for (Eigen::Index i = 0; i < step.value_limits.size() && i < svd.s().size(); ++i) {
      if (!(svd.s()[i] > 0.0)) continue;
      VecX part = (svd.U().col(i).dot(V) / svd.s()[i]) * svd.V().col(i);
      clamp_largest(part, rounded(step.value_limits[i], decimals));
      u += part;
    }
    clamp_largest(u, rounded(step.gamma, decimals));
    u *= k;
  } else {
    return VecX();
  }
  for (Eigen::Index c = 0; c < n; ++c) {
    const int v = active[static_cast<std::size_t>(c)];
    out[v] =
        rounded(step.step_limit, decimals) * rounded(step.columns[static_cast<std::size_t>(v)].scale, decimals) * u[c];
  }
  return out;
}

}  // namespace armature::inline v0_2
