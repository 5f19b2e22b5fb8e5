#include "armature/solve/solutions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "armature/base/index.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/goal.hpp"

namespace armature {
namespace {

constexpr double kTurn = 2.0 * kPi;
constexpr double kOnLimit = 1e-10;  // rounding that still counts as on the limit
constexpr int kMaxTurns = 16;       // of one joint

/// Values of one joint that mean the same and lie inside, nearest to the start first; `violation` when there is none.
int variants(double value, bool slides, double lower, double upper, double start, double* out, bool& cut,
             double& violation) {
  const auto outside = [&](double v) { return std::max({0.0, lower - v, v - upper}); };
  violation = 0.0;
  if (slides) {
    violation = outside(value);
    if (violation > kOnLimit) return 0;
    out[0] = std::clamp(value, lower, upper);
    return 1;
  }
  const double nearest = value + kTurn * std::round((start - value) / kTurn);
  if (!std::isfinite(lower) || !std::isfinite(upper)) {
    // Without two limits there is no end of turns: the nearest one that fits.
    double v = nearest;
    if (v < lower - kOnLimit) v += kTurn * std::ceil((lower - kOnLimit - v) / kTurn);
    if (v > upper + kOnLimit) v -= kTurn * std::ceil((v - upper - kOnLimit) / kTurn);
    out[0] = std::clamp(v, lower, upper);
    return 1;
  }
  const double first = value + kTurn * std::ceil((lower - kOnLimit - value) / kTurn);
  int n = 0;
  for (double v = first; v <= upper + kOnLimit; v += kTurn) {
    if (n == kMaxTurns) {
      cut = true;
      break;
    }
    out[n++] = std::clamp(v, lower, upper);
  }
  if (n == 0) violation = std::min(outside(first), outside(first - kTurn));
  std::sort(out, out + n, [&](double a, double b) {
    const double da = std::abs(a - start), db = std::abs(b - start);
    return da != db ? da < db : a < b;
  });
  return n;
}

template <class GoalT>
Result<Solutions> find(const Model& model, const GoalT& goal, const SolutionsOptions& options) {
  if (Status status = check_fields(Goal(goal), model); !status) return status.error();
  const Result<GoalLinks> links = resolve_links(Goal(goal), model);
  if (!links) return links.error();
  const Result<ChainGoal> asked = chain_goal(goal.frame_target(*links));
  if (!asked) return asked.error();
  Result<ChainAnalysis> analysis = analyze_chain(model, asked->base, asked->tip, asked->point, asked->task);
  if (!analysis) return analysis.error();
  const int n = analysis->joint_count();
  const VecX start = options.start.size() > 0 ? options.start : middle_pose(model);
  if (start.size() != model.q_size()) return Error{"The start has another number of coordinates than the model."};
  const VecX& low = options.lower.size() > 0 ? options.lower : model.lower();
  const VecX& high = options.upper.size() > 0 ? options.upper : model.upper();
  if (low.size() != model.q_size() || high.size() != model.q_size()) {
    return Error{"The limits have another number of coordinates than the model."};
  }
  double from[kMaxAnalyticJoints], lower[kMaxAnalyticJoints], upper[kMaxAnalyticJoints];
  for (int j = 0; j < n; ++j) {
    const ChainCoordinate& c = analysis->chain.coordinates[at(j)];
    from[j] = c.multiplier * start[c.coordinate] + c.offset;
    const double a = c.multiplier * low[c.coordinate] + c.offset, b = c.multiplier * high[c.coordinate] + c.offset;
    lower[j] = std::min(a, b);
    upper[j] = std::max(a, b);
    if (!options.within_limits) {
      lower[j] = -std::numeric_limits<double>::infinity();
      upper[j] = std::numeric_limits<double>::infinity();
    }
  }
  ChainAnswers answers;
  ChainSolveOptions how;
  how.thorough = options.thorough;
  how.samples = options.samples;
  how.lower = lower;
  how.upper = upper;
  solve_chain(*analysis, asked->target, from, how, answers);

  Solutions out;
  out.kind = analysis->kind;
  out.complete = answers.complete;
  if (!answers.complete) {
    out.note = analysis->kind == ChainClass::srs ? "Seven joints leave curves of answers: these are points of them."
               : analysis->kind == ChainClass::locked
                   ? "One of seven joints is held at its start: these are the answers "
                     "for this value of it."
                   : "The equations left something open, so there may be more answers.";
  }
  auto limited = std::make_unique<LimitedAnswers>();
  if (options.within_limits) {
    within_limits(*analysis, answers, lower, upper, from, options.max_count, *limited);
  } else {
    for (int k = 0; k < answers.count; ++k) {
      LimitedAnswer& item = limited->item[limited->count++];
      item.answer = k;
      std::copy(answers.value[k], answers.value[k] + n, item.value);
    }
  }
  if (limited->cut) {
    out.complete = false;
    out.note = "There are more than " + std::to_string(limited->count) + "; these are the nearest to the start.";
  }
  out.q = start.replicate(1, limited->count);
  out.residuals.resize(limited->count);
  for (int k = 0; k < limited->count; ++k) {
    const LimitedAnswer& item = limited->item[k];
    out.residuals[k] = answers.residual[item.answer];
    for (int j = 0; j < n; ++j) {
      const ChainCoordinate& c = analysis->chain.coordinates[at(j)];
      out.q(c.coordinate, k) = (item.value[j] - c.offset) / c.multiplier;
    }
  }
  for (int j = 0; j < n; ++j) {
    if (((answers.singular_joints >> j) & 1u) != 0) {
      out.singular_joints.push_back(analysis->chain.coordinates[at(j)].coordinate);
    }
  }
  if (!out.singular_joints.empty()) {
    out.complete = false;
    if (out.note.empty()) out.note = "At some answer a joint is free: a curve of poses runs through it.";
  }
  return out;
}

}  // namespace

Result<ChainGoal> chain_goal(const FrameTarget& frame) {
  ChainGoal out;
  out.base = frame.base;
  out.tip = frame.link;
  out.point = frame.point;
  out.target = frame.target;
  if (frame.orientation) {
    if (!frame.position_axes.trivial()) {
      return Error{"Analysis takes a pose goal with all three coordinates of its position."};
    }
    const Axes& axes = frame.orientation_axes;
    if (axes.rows() == 0) {
      out.task.position_only = true;
      return out;
    }
    if (!axes.box.isZero(0.0)) return Error{"Analysis takes orientations without tolerance boxes."};
    if (axes.rows() == 3) return out;
    if (axes.rows() != 2 || !axes.of_target()) {
      return Error{"Analysis takes an orientation with no free axis, or with one of the target's own axes free."};
    }
    out.task.free_turn = true;
    for (int i = 0; i < 3; ++i) {
      if (axes.free[at(i)]) out.task.axis = Vec3::Unit(i);
    }
    return out;
  }
  const Axes& axes = frame.position_axes;
  out.task.position_only = true;
  if (!axes.box.isZero(0.0)) return Error{"Analysis takes positions without tolerance boxes."};
  if (axes.rows() == 3) return out;
  if (axes.rows() != 2) return Error{"Analysis takes a position with at most one free coordinate."};
  out.task.free_slide = true;
  for (int i = 0; i < 3; ++i) {
    if (axes.free[at(i)]) out.task.axis = Vec3::Unit(i);
  }
  return out;
}

void within_limits(const ChainAnalysis& analysis, const ChainAnswers& answers, const double* lower, const double* upper,
                   const double* start, int max_count, LimitedAnswers& out) {
  out.count = 0;
  out.cut = false;
  out.nearest_violation = std::numeric_limits<double>::infinity();
  const int n = analysis.joint_count(), most = std::clamp(max_count, 1, kMaxLimited);
  const double length = 2.0 * analysis.chain.chain.length;
  for (int k = 0; k < answers.count; ++k) {
    double list[kMaxAnalyticJoints][kMaxTurns];
    int count[kMaxAnalyticJoints], pick[kMaxAnalyticJoints] = {};
    double worst = 0.0;
    for (int j = 0; j < n; ++j) {
      const bool slides = analysis.chain.joints[at(j)].kind == ChainJointKind::prismatic;
      double violation = 0.0;
      count[j] = variants(answers.value[k][j], slides, lower[j], upper[j], start[j], list[j], out.cut, violation);
      worst = std::max(worst, violation);
    }
    if (worst > 0.0 && worst > kOnLimit) {
      out.nearest_violation = std::min(out.nearest_violation, worst);
      continue;
    }
    out.nearest_violation = 0.0;
    // Too many combinations: the farthest turns of the joint that has most go first.
    const auto combinations = [&] {
      double product = 1.0;
      for (int j = 0; j < n; ++j) product *= count[j];
      return product;
    };
    while (combinations() > 4096.0) {
      --*std::max_element(count, count + n);
      out.cut = true;
    }
    for (bool more = true; more;) {
      LimitedAnswer item;
      item.answer = k;
      double sum = 0.0;
      for (int j = 0; j < n; ++j) {
        const bool slides = analysis.chain.joints[at(j)].kind == ChainJointKind::prismatic;
        item.value[j] = list[j][pick[j]];
        const double d = (item.value[j] - start[j]) / (slides ? 0.5 * length : 1.0);
        sum += d * d;
      }
      item.distance = std::sqrt(sum);
      // Into the sorted list; among equals the earlier answer stays first.
      int place = out.count;
      while (place > 0 && item.distance < out.item[place - 1].distance) --place;
      if (place < most) {
        if (out.count == most) out.cut = true;
        const int last = std::min(out.count, most - 1);
        for (int i = last; i > place; --i) out.item[i] = out.item[i - 1];
        out.item[place] = item;
        out.count = last + 1;
      } else {
        out.cut = true;
      }
      more = false;
      for (int j = 0; j < n && !more; ++j) {
        if (++pick[j] < count[j]) {
          more = true;
        } else {
          pick[j] = 0;
        }
      }
    }
  }
}

Result<Solutions> solutions(const Model& model, const PoseGoal& goal, const SolutionsOptions& options) {
  return find(model, goal, options);
}
Result<Solutions> solutions(const Model& model, const PositionGoal& goal, const SolutionsOptions& options) {
  return find(model, goal, options);
}

}  // namespace armature
