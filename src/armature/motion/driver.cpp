// Over 400 lines: predictor, corrector and the tests of a step share what was linearized at both of its ends.
#include "armature/motion/driver.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kLongestStep = 1.05;  // of a prediction, radians and lengths together
constexpr double kSmallest = 1e-6;     // share of the change below which a step is given up
constexpr double kLimitSlack = 1e-12;

}  // namespace

const char* outcome_name(DriveOutcome outcome) {
  switch (outcome) {
    case DriveOutcome::reached:
      return "reached";
    case DriveOutcome::dead_point:
      return "dead_point";
    case DriveOutcome::branch_point:
      return "branch_point";
    case DriveOutcome::limit:
      return "limit";
    case DriveOutcome::locked:
      return "locked";
    case DriveOutcome::not_finite:
      return "not_finite";
  }
  return "";
}

void Driver::prepare(const Model& model, std::span<const char> driven) {
  driven_.assign(driven.begin(), driven.end());
  assembler_.prepare(model, driven);
  std::size_t total = 0, most_rows = 1, most_columns = 1;
  offset_.clear();
  for (const LoopBlock& block : assembler_.blocks.blocks) {
    offset_.push_back(total);
    total += block.rows.size() * block.columns.size();
    most_rows = std::max(most_rows, block.rows.size());
    most_columns = std::max(most_columns, block.columns.size());
  }
  for (Side* side : {&before_, &after_}) {
    side->J.assign(total, 0.0);
    side->qr.assign(offset_.size(), {});
    side->ratio.assign(offset_.size(), 1.0);
    side->index.assign(offset_.size(), 1.0);
    side->squares.assign(most_columns, 0.0);
    side->sign.assign(offset_.size(), 0);
    for (std::size_t b = 0; b < offset_.size(); ++b) {
      const LoopBlock& block = assembler_.blocks.blocks[b];
      side->qr[b].resize(static_cast<int>(block.rows.size()), static_cast<int>(block.columns.size()));
    }
  }
  rhs_.resize(most_rows);
  x_.resize(most_columns);
  small_.resize(most_columns * most_columns);
  reference_.resize(most_rows * most_columns);
  for (VecX* v : {&t0_, &t1_, &step_, &previous_t_, &previous_change_, &difference_}) v->setZero(model.v_size());
  for (VecX* q : {&trial_, &previous_q_, &limit_q_, &low_q_, &known_q_}) q->setZero(model.q_size());
  cut_ = assembler_.rows.middles_of_cuts();
  have_ = known_ = false;
  solves_ = 0;
}

double Driver::norm(const VecX& v) const {
  double sum = 0.0;
  for (int i = 0; i < v.size(); ++i) {
    const double x = v[i] / assembler_.rows.unit(i);
    sum += x * x;
  }
  return std::sqrt(sum);
}

// Of the pose that the assembler's frames and rows are at.
void Driver::linearize(Side& side) const {
  for (std::size_t b = 0; b < offset_.size(); ++b) {
    const LoopBlock& block = assembler_.blocks.blocks[b];
    const int m = static_cast<int>(block.rows.size());
    const int n = static_cast<int>(block.columns.size());
    double* const J = side.J.data() + offset_[b];
    assembler_.block_jacobian(block, J);
    double& index = side.index[b];
    double* const squares = side.squares.data();
    assembler_.column_squares(block, J, squares);
    if (m == 2 && n == 2) {
      const double det = J[0] * J[3] - J[1] * J[2];
      const double largest = std::max(J[0] * J[0] + J[1] * J[1], J[2] * J[2] + J[3] * J[3]);
      side.ratio[b] = largest > 0.0 ? std::abs(det) / largest : 0.0;
      index = squares[0] * squares[1] > 0.0 ? std::abs(det) / std::sqrt(squares[0] * squares[1]) : 0.0;
      side.sign[b] = det > 0.0 ? 1 : det < 0.0 ? -1 : 0;
      continue;
    }
    PivotedQr& qr = side.qr[b];
    qr.compute(J, m, n);
    const bool tall = m >= n;
    side.ratio[b] = tall && qr.pivot(0) > 0.0 ? qr.pivot(n - 1) / qr.pivot(0) : 0.0;
    side.sign[b] = m == n ? qr.determinant_sign() : 0;
    index = tall ? 1.0 : 0.0;
    for (int c = 0; c < n && tall; ++c) {
      const double square = squares[qr.column(c)];
      index *= square > 0.0 ? qr.pivot(c) / std::sqrt(square) : 0.0;
    }
  }
}

// Block after block: what the velocities before it do to its rows, its own must undo. After linearize(side).
double Driver::find_tangent(const VecX& change, VecX& t, Side& side) {
  const ClosureRows& rows = assembler_.rows;
  t = change;
  double worst = 1.0;
  transmission_ = 1.0;
  weakest_ = -1;
  double out[6];
  for (std::size_t b = 0; b < offset_.size(); ++b) {
    const LoopBlock& block = assembler_.blocks.blocks[b];
    const int m = static_cast<int>(block.rows.size());
    const int n = static_cast<int>(block.columns.size());
    const double* const J = side.J.data() + offset_[b];
    std::fill(rhs_.begin(), rhs_.begin() + m, 0.0);
    for (const LoopBlock::Part& part : block.parts) {
      const ClosureRows::Item& item = rows.items()[at(part.item)];
      const std::span<const ClosureRows::Entry> entries = rows.entries(item);
      std::size_t own = 0;
      for (int e = item.first_entry; e < item.end_entry; ++e) {
        if (own < part.columns.size() && part.columns[own].entry == e) {
          ++own;
          continue;
        }
        const ClosureRows::Entry& entry = entries[at(e - item.first_entry)];
        if (t[entry.velocity] == 0.0) continue;
        rows.slope(item, entry, out);
        const double rate = t[entry.velocity] / rows.unit(entry.velocity);
        for (int r = 0; r < item.rows; ++r) {
          const int row = part.row[at(r)];
          if (row >= 0) rhs_[at(row)] -= out[r] * rate;
        }
      }
    }
    if (m == 2 && n == 2) {
      const double scale = side.ratio[b] > 1e-12 ? 1.0 / (J[0] * J[3] - J[1] * J[2]) : 0.0;
      x_[0] = scale * (rhs_[0] * J[3] - J[2] * rhs_[1]);
      x_[1] = scale * (J[0] * rhs_[1] - J[1] * rhs_[0]);
    } else {
      side.qr[b].solve(rhs_.data(), x_.data(), side.qr[b].rank(1e-12));
    }
    for (int c = 0; c < n; ++c) t[block.columns[at(c)]] = x_[at(c)] * rows.unit(block.columns[at(c)]);
    worst = std::min(worst, side.ratio[b]);
    if (weakest_ < 0 || side.index[b] < transmission_) {
      transmission_ = std::min(1.0, side.index[b]);
      weakest_ = static_cast<int>(b);
    }
  }
  return worst;
}

bool Driver::flips(const Side& before, const Side& after) {
  for (std::size_t b = 0; b < offset_.size(); ++b) {
    if (before.ratio[b] < kSingular || after.ratio[b] < kSingular) continue;
    const LoopBlock& block = assembler_.blocks.blocks[b];
    const int m = static_cast<int>(block.rows.size());
    const int n = static_cast<int>(block.columns.size());
    if (m < n) continue;
    if (m == n) {
      if (before.sign[b] * after.sign[b] < 0) return true;
      continue;
    }
    // More rows than columns: in the space of the columns before, Q0' J0 = R P' and Q0' J1.
    for (int k = 0; k < n; ++k) before.qr[b].q_column(k, reference_.data() + k * m);
    int sign = 1;
    for (const Side* side : {&before, &after}) {
      const double* const J = side->J.data() + offset_[b];
      for (int c = 0; c < n; ++c) {
        for (int k = 0; k < n; ++k) small_[at(c * n + k)] = dot(reference_.data() + k * m, J + c * m, m);
      }
      sign *= determinant_sign(small_.data(), n);
    }
    if (sign < 0) return true;
  }
  return false;
}

// Where the motion leads: by the cubic through the last two poses and tangents, by the quadratic that does without the
// present tangent where it is not to be trusted, or along the tangent.
bool Driver::predict(const VecX& q, const VecX& change, double h, bool singular, VecX& step) {
  const Model& model = assembler_.rows.model();
  if (have_) difference(model, previous_q_.data(), q.data(), difference_.data());
  if (have_ && singular) {
    const double p = previous_h_;
    step = previous_t_ * h + (difference_ - previous_t_ * p) * ((2.0 * p * h + h * h) / (p * p));
  } else if (have_ && h <= 2.01 * previous_h_) {
    const double x = 1.0 + h / previous_h_;
    const double h01 = -2.0 * x * x * x + 3.0 * x * x;
    const double h10 = x * x * x - 2.0 * x * x + x;
    const double h11 = x * x * x - x * x;
    step = previous_h_ * (h10 * previous_t_ + h11 * t0_) + (h01 - 1.0) * difference_;
  } else {
    step = t0_ * h;
  }
  for (int v = 0; v < step.size(); ++v) {
    if (driven_[at(v)] != 0 || !assembler_.rows.in_loop(v)) step[v] = change[v] * h;
  }
  const double length = norm(step);
  return length <= kLongestStep;
}

bool Driver::crosses_limit(const VecX& q) {
  const Model& model = assembler_.rows.model();
  limit_coordinate_ = limit_closure_ = -1;
  for (int i = 0; i < model.q_size(); ++i) {
    if (q[i] < model.lower()[i] - kLimitSlack || q[i] > model.upper()[i] + kLimitSlack) {
      limit_coordinate_ = i;
      return true;
    }
  }
  limit_closure_ = assembler_.rows.beyond_cut_limits(kLimitSlack, cut_);
  return limit_closure_ >= 0;
}

// q is inside, h leads outside: the longest step that stays inside, by bisection and secants on the way beyond.
DriveOutcome Driver::stop_at_limit(VecX& q, const VecX& change, double h, bool singular) {
  const Model& model = assembler_.rows.model();
  const int coordinate = limit_coordinate_;
  const int closure = limit_closure_;
  double low = 0.0, high = h;
  low_q_ = q;
  for (int k = 0; k < 80 && high - low > 1e-15 * std::max(1.0, h); ++k) {
    double middle = 0.5 * (low + high);
    if (coordinate >= 0 && k % 3 != 2) {  // secant on the coordinate's distance from its limit
      const bool above = trial_[coordinate] > model.upper()[coordinate];
      const double bound = above ? model.upper()[coordinate] : model.lower()[coordinate];
      const double a = low_q_[coordinate] - bound, b = trial_[coordinate] - bound;
      if (a != b) middle = std::clamp(low - a * (high - low) / (b - a), low, high);
    }
    predict(q, change, middle, singular, step_);
    integrate(model, q.data(), step_.data(), limit_q_.data());
    const AssembleReport report = assembler_.assemble(limit_q_.data(), 20, 0.5);
    ++solves_;
    if (!report.ok) break;
    if (crosses_limit(limit_q_)) {
      if (high == middle) break;
      high = middle;
      trial_ = limit_q_;
    } else {
      if (low == middle) break;
      low = middle;
      low_q_ = limit_q_;
    }
  }
  q = low_q_;
  done_ += low;
  limit_coordinate_ = coordinate;
  limit_closure_ = closure;
  have_ = false;
  return DriveOutcome::limit;
}

// Exactly on a change point the rows are quadratic across the branches, and a closed loop may be off by the root of its
// tolerance. Poses a little before and after are sharp: interpolate.
void Driver::polish(VecX& q, const VecX& change) {
  const Model& model = assembler_.rows.model();
  const double size = norm(change);
  const double eps = std::min(0.01 / size, 0.5 * previous_h_);
  if (!(eps > 0.0) || previous_h_ < 2.0 * eps) return;
  const double p = previous_h_;
  difference(model, previous_q_.data(), q.data(), difference_.data());
  const auto solve_at = [&](double x, VecX& out) {
    step_ = previous_t_ * x + (difference_ - previous_t_ * p) * (x * x / (p * p));
    for (int v = 0; v < step_.size(); ++v) {
      if (driven_[at(v)] != 0 || !assembler_.rows.in_loop(v)) step_[v] = change[v] * x;
    }
    integrate(model, previous_q_.data(), step_.data(), out.data());
    ++solves_;
    return assembler_.assemble(out.data(), 20, 0.5).ok;
  };
  if (!solve_at(p - eps, low_q_) || tangent_here(change, t1_, after_) < 1e-7) return;
  limit_q_ = low_q_;
  step_.setZero();
  previous_change_ = t1_;  // kept for a moment
  if (!solve_at(p + eps, low_q_) || tangent_here(change, t1_, after_) < 1e-7) return;
  difference(model, limit_q_.data(), low_q_.data(), difference_.data());
  step_ = difference_ - eps * (previous_change_ + t1_);
  if (norm(step_) > 0.05 * norm(difference_)) return;
  step_ = 0.5 * difference_ + 0.25 * eps * (previous_change_ - t1_);
  integrate(model, limit_q_.data(), step_.data(), trial_.data());
  if (assembler_.error(trial_.data()) < 1e-9) {
    // The driven ones are where they were sent, to the last bit.
    for (const ModelJoint& joint : model.joints()) {
      if (joint.mimic || joint.v_count == 0 || driven_[at(joint.v_index)] == 0) continue;
      for (int k = 0; k < joint.q_count; ++k) trial_[joint.q_index + k] = q[joint.q_index + k];
    }
    q = trial_;
  }
}

void Driver::follow_branch(const VecX& q, const VecX& tangent, const VecX& change) {
  // A pose a little way back along the branch makes the history that a step across a change point is predicted from.
  const Model& model = assembler_.rows.model();
  const double h = std::min(0.5, 0.02 / std::max(1e-300, norm(tangent)));
  step_ = -h * tangent;
  integrate(model, q.data(), step_.data(), trial_.data());
  known_ = false;
  if (!assembler_.assemble(trial_.data(), 20, 0.5).ok) return;
  tangent_here(change, previous_t_, after_);
  previous_q_ = trial_;
  previous_h_ = h;
  previous_change_ = change;
  have_ = true;
}

void Driver::look(const VecX& q, const VecX& change) {
  assembler_.error(q.data());
  tangent_here(change, t0_, before_);
  known_ = false;
}

DriveOutcome Driver::advance(VecX& q, const VecX& change) {
  const Model& model = assembler_.rows.model();
  done_ = 0.0;
  // Usually the pose that the last step ended with, of which everything is known.
  if (!known_ || q != known_q_) {
    assembler_.error(q.data());
    linearize(before_);
  }
  known_ = false;
  const double ratio = find_tangent(change, t0_, before_);
  if (crosses_limit(q)) limit_coordinate_ = limit_closure_ = -1;  // outside already: only what gets worse counts
  bool singular = ratio < kSingular;
  if (have_) {  // the past is of use only along the same drive
    const double c = change.dot(previous_change_), a = change.norm(), b = previous_change_.norm();
    if (!(c >= 0.999 * a * b) || b == 0.0) {
      have_ = false;
    } else {
      previous_t_ *= a / b;
      previous_h_ *= b / a;
    }
  }
  if (ratio < 1e-9 && !have_ && change.norm() > 0.0) return DriveOutcome::branch_point;
  double h = 1.0;
  while (done_ < 1.0 - 1e-15) {
    h = std::min(h, 1.0 - done_);
    bool accepted = false;
    bool next_singular = false;
    for (; h >= kSmallest; h *= 0.5) {
      if (!predict(q, change, h, singular, step_)) continue;
      const double length = norm(step_);
      if (!(length < 1e6)) return DriveOutcome::not_finite;
      integrate(model, q.data(), step_.data(), trial_.data());
      const AssembleReport report = assembler_.assemble(trial_.data(), 12, 0.5);
      ++solves_;
      if (!report.ok || report.moved > 0.35 * length + 1e-9) continue;
      next_singular = tangent_here(change, t1_, after_) < kSingular;
      difference(model, q.data(), trial_.data(), difference_.data());
      const double moved = norm(difference_);
      if (!singular && !next_singular) {
        if (flips(before_, after_)) continue;
        difference_ -= 0.5 * h * (t0_ + t1_);
        accepted = norm(difference_) <= 0.1 * moved + 1e-9;
      } else if (!next_singular) {
        difference_ -= h * t1_;
        accepted = have_ && norm(difference_) <= 0.3 * moved + 1e-7;
      } else if (!singular) {
        difference_ -= h * t0_;
        accepted = norm(difference_) <= 0.35 * moved + 1e-7;
      } else {
        accepted = have_;
      }
      if (accepted) break;
    }
    if (!accepted) {
      assembler_.error(q.data());
      tangent_here(change, t0_, before_);
      return singular && !have_ ? DriveOutcome::branch_point : DriveOutcome::dead_point;
    }
    if (crosses_limit(trial_)) {
      const bool was_outside =
          limit_coordinate_ >= 0 && (q[limit_coordinate_] < model.lower()[limit_coordinate_] - 1e-9 ||
                                     q[limit_coordinate_] > model.upper()[limit_coordinate_] + 1e-9);
      if (!was_outside) return stop_at_limit(q, change, h, singular);
    }
    if (singular && !next_singular) {  // the tangent that the step itself shows
      difference(model, q.data(), trial_.data(), difference_.data());
      t0_ = (2.0 / h) * difference_ - t1_;
    }
    previous_t_ = t0_;
    previous_q_ = q;
    previous_h_ = h;
    previous_change_ = change;
    have_ = true;
    q = trial_;
    std::swap(t0_, t1_);
    std::swap(before_, after_);
    singular = next_singular;
    done_ += h;
    h *= 1.6;
  }
  done_ = 1.0;
  if (singular && have_) {
    polish(q, change);
    previous_change_ = change;
  } else {
    known_q_ = q;
    known_ = true;
  }
  return DriveOutcome::reached;
}

}  // namespace armature::inline v0_2
