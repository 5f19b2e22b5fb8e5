#include "armature/solve/stack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/base/index.hpp"
#include "armature/geom/svd.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {

void Stack::prepare(CompiledProblem& problem) {
  problem_ = &problem;
  system_.prepare(problem);
  length = problem.length();
  tolerance = problem.tolerance();
  const bool loops = problem.tied_by() != nullptr;
  const bool plain = problem.plain_joints() && problem.preferences().empty() && !loops && !loops_on_;
  if (plain && plain_ && layout_ == system_.layout()) return;  // nothing has another shape than the last time
  plain_ = plain;
  layout_ = system_.layout();
  loops_on_ = loops;
  find_columns();
  find_blocks();
  find_levels();
  error.setZero(system_.rows());
  J.resize(rows(), columns());
  A.resize(rows(), columns());
  if (!loops_on_) return;
  const bool same = problem.model() == loops_model_ && active == loops_.active();
  if (!same) loops_.prepare(model(), active);
  loops_model_ = problem.model();
  blocked_.assign(at(columns()), 0);
  if (before_.size() != model().q_size()) before_.resize(model().q_size());
  whole_.resize(rows(), columns());
}

bool Stack::close(double* q) { return !loops_on_ || loops_.close(q, lower(), upper()); }

Status Stack::assemble(VecX& q) {
  if (!loops_on_) return {};
  if (std::string sentence = loops_.never_closes(); !sentence.empty()) return Error{std::move(sentence)};
  before_ = q;
  if (close(q.data())) return {};
  q = before_;
  Assembler assembler;
  assembler.prepare(model());
  const bool assembled = find_assembled_pose(model(), assembler, q);
  // That was with every joint free; once more with what the problem allows.
  for (const ModelJoint& joint : model().joints()) {
    if (joint.mimic || joint.q_count == 0) continue;
    bool moves = false;
    for (const int v : active) moves = moves || (v >= joint.v_index && v < joint.v_index + joint.v_count);
    if (!moves) q.segment(joint.q_index, joint.q_count) = before_.segment(joint.q_index, joint.q_count);
  }
  armature::clamp(model(), lower(), upper(), q.data());
  if (assembled && close(q.data())) return {};
  q = before_;
  return Error{"The loops of " + detail::quoted(model().name()) +
               " do not close from the start or any other pose that was tried, inside the limits."};
}

void Stack::find_columns() {
  const Model& m = model();
  column_of_.assign(at(m.v_size()), -1);
  active.clear();
  system_column_.clear();
  coordinate_of_.clear();
  const bool drawn = !problem_->preferences().empty();
  for (int v = 0; v < m.v_size(); ++v) {
    const bool follows = loops_on_ && problem_->in_loop(v);
    if ((system_.column_of(v) < 0 && !drawn && !follows) || problem_->joint_weight(v) <= 0.0) continue;
    column_of_[at(v)] = static_cast<int>(active.size());
    active.push_back(v);
    system_column_.push_back(system_.column_of(v));
  }
  const auto n = static_cast<Eigen::Index>(active.size());
  scale.resize(n);
  unit_.resize(n);
  step.setZero(n);
  if (push_.size() != m.v_size()) push_.resize(m.v_size());
  for (int c = 0; c < columns(); ++c) {
    const int v = active[at(c)];
    const ModelJoint& joint = m.joint(m.velocity_joint(v));
    const int k = v - joint.v_index;
    // Up to the quaternion, if there is one, velocities and coordinates pair off.
    const int scalars = joint.q_count == joint.v_count ? joint.q_count : joint.q_count - 4;
    coordinate_of_.push_back(k < scalars ? joint.q_index + k : -1);
    const bool slides = k < scalars && m.coordinate_kinds()[at(joint.q_index + k)] == Coordinate::length;
    unit_[c] = slides ? length : 1.0;
    scale[c] = unit_[c] * problem_->joint_weight(v);
  }
}

void Stack::find_blocks() {
  blocks_.clear();
  for (int g = 0; g < static_cast<int>(problem_->goals().size()); ++g) {
    const CompiledGoal& goal = problem_->goals()[at(g)];
    for (int r = 0; goal.required && r < goal.rows; ++r) {
      const bool begins = r == 0 || problem_->is_angle(goal, r) != problem_->is_angle(goal, r - 1);
      if (begins) blocks_.push_back({first_row(g) + r, 0});
      ++blocks_.back().count;
    }
  }
}

void Stack::find_levels() {
  levels_ = 1;
  if (!loops_on_ || problem_->all_one_priority()) return;
  level_.assign(at(system_.rows()), 0);
  const std::span<const CompiledGoal> goals = problem_->goals();
  levels_ = 0;
  for (int last = std::numeric_limits<int>::min();;) {  // one priority after the other, as they ascend
    int next = std::numeric_limits<int>::max();
    bool any = false;
    for (std::size_t g = 0; g < goals.size(); ++g) {
      if (first_row(static_cast<int>(g)) < 0 || (levels_ > 0 && goals[g].priority <= last)) continue;
      next = std::min(next, goals[g].priority);
      any = true;
    }
    if (!any) break;
    for (std::size_t g = 0; g < goals.size(); ++g) {
      const int first = first_row(static_cast<int>(g));
      if (first < 0 || goals[g].priority != next) continue;
      for (int r = 0; r < goals[g].rows; ++r) level_[at(first + r)] = levels_;
    }
    last = next;
    ++levels_;
  }
  levels_ = std::max(levels_, 1);
}

double Stack::error_norm(int levels) const {
  if (levels_ == 1) return error.norm();
  constexpr double kOutweighs = 1e4;
  double sum = 0.0;
  for (int level = 0; level < levels; ++level) {
    double squares = 0.0;
    for (int r = 0; r < rows(); ++r) squares += level_[at(r)] == level ? error[r] * error[r] : 0.0;
    const double off = std::sqrt(squares) - 0.5 * tolerance;
    sum = kOutweighs * sum + (std::isfinite(off) ? std::max(0.0, off) : off);
  }
  return sum;
}

void Stack::evaluate(const double* q) {
  system_.evaluate(q);
  for (int r = 0; r < rows(); ++r) error[r] = length * system_.error[at(r)];
}

void Stack::differentiate(bool at_target) {
  system_.differentiate(at_target);
  for (int c = 0; c < columns(); ++c) {
    if (system_column_[at(c)] < 0) {
      J.col(c).setZero();
      A.col(c).setZero();
      continue;
    }
    const double* column = system_.dual.column(system_column_[at(c)]);
    const double factor = length / unit_[c];
    for (int r = 0; r < rows(); ++r) {
      J(r, c) = factor * column[r];
      A(r, c) = scale[c] * J(r, c);
    }
  }
  if (!loops_on_) return;
  whole_ = A;
  std::fill(blocked_.begin(), blocked_.end(), 0);
  loops_.find(system_.state.q.data(), scale, blocked_);
  loops_.project(A);
}

int Stack::drop_blocked(const double* q) {
  int dropped = 0;
  if (loops_on_) {  // a joint that is held at its limit changes how all others can move
    for (bool more = true; more;) {
      more = false;
      for (int c = 0; c < columns(); ++c) {
        const int i = coordinate_of_[at(c)];
        if (i < 0 || blocked_[at(c)] != 0 || (q[i] > lower()[i] && q[i] < upper()[i])) continue;
        const double push = A.col(c).dot(error);
        if ((push < 0.0 && q[i] <= lower()[i]) || (push > 0.0 && q[i] >= upper()[i])) {
          blocked_[at(c)] = 1;
          more = true;
          ++dropped;
        }
      }
      if (more) project_rest(q);
    }
    return dropped;
  }
  for (int c = 0; c < columns(); ++c) {
    const int i = coordinate_of_[at(c)];
    if (i < 0 || (q[i] > lower()[i] && q[i] < upper()[i])) continue;
    const double push = A.col(c).dot(error);
    if ((push < 0.0 && q[i] <= lower()[i]) || (push > 0.0 && q[i] >= upper()[i])) {
      A.col(c).setZero();
      ++dropped;
    }
  }
  return dropped;
}

void Stack::project_rest(const double* q) {
  A = whole_;
  loops_.find(q, scale, blocked_);
  loops_.project(A);
}

int Stack::drop_outward(const double* q, const VecX& u) {
  if (!loops_on_) return 0;
  int dropped = 0;
  for (int c = 0; c < columns(); ++c) {
    const int i = coordinate_of_[at(c)];
    if (i < 0 || blocked_[at(c)] != 0) continue;
    if ((u[c] < 0.0 && q[i] <= lower()[i]) || (u[c] > 0.0 && q[i] >= upper()[i])) {
      blocked_[at(c)] = 1;
      ++dropped;
    }
  }
  if (dropped > 0) project_rest(q);
  return dropped;
}

void Stack::scatter(Rng& rng, double share, double* q) {
  for (int c = 0; c < columns(); ++c) {
    const int i = coordinate_of_[at(c)];
    const double way = kPi * rng.uniform(-1.0, 1.0);
    const bool bounded = i >= 0 && std::isfinite(lower()[i]) && std::isfinite(upper()[i]);
    step[c] = bounded ? lower()[i] + (upper()[i] - lower()[i]) * (0.5 + 0.5 * way / kPi) - q[i] : way * unit_[c];
  }
  step *= share;
  move(q);
}

void Stack::clamp(double* q) const {
  for (int c = 0; c < columns(); ++c) {
    const int i = coordinate_of_[at(c)];
    if (i >= 0) q[i] = std::max(lower()[i], std::min(upper()[i], q[i]));
  }
}

bool Stack::ask(const VecX& u, double max_step) {
  double largest = 0.0;
  for (int c = 0; c < columns(); ++c) {
    step[c] = scale[c] * u[c];
    largest = std::max(largest, std::abs(step[c]) / unit_[c]);
  }
  if (!(largest < 1e12)) {  // also NaN: a step that means nothing
    step.setZero();
    return false;
  }
  if (max_step > 0.0 && largest > max_step) step *= max_step / largest;
  return true;
}

void Stack::apply(double* q, const VecX& u, double max_step) {
  const Model& m = model();
  if (!ask(u, max_step)) return;
  if (!loops_on_) return move(q);
  // Back onto the closed loops, by shorter steps where they do not close from here.
  before_ = Eigen::Map<const VecX>(q, m.q_size());
  for (int attempt = 0; attempt < 8; ++attempt, step *= 0.5) {
    move(q);
    if (loops_.close(q, lower(), upper())) return;
    std::copy(before_.data(), before_.data() + before_.size(), q);
  }
  step.setZero();
}

void Stack::move(double* q) const {
  const Model& m = model();
  for (int c = 0; c < columns();) {
    const int i = coordinate_of_[at(c)];
    if (i >= 0) {
      const double moved = std::max(lower()[i], std::min(upper()[i], q[i] + step[c]));
      if (std::isfinite(moved)) q[i] = moved;  // two large numbers may overflow
      ++c;
      continue;
    }
    // A quaternion: all of its active columns at once.
    const ModelJoint& joint = m.joint(m.velocity_joint(active[at(c)]));
    const int turn = joint.v_index + joint.v_count - 3;
    Vec3 w = Vec3::Zero();
    for (; c < columns() && active[at(c)] < turn + 3; ++c) w[active[at(c)] - turn] = step[c];
    double* r = q + joint.q_index + joint.q_count - 4;
    Quat turned = Quat(r[3], r[0], r[1], r[2]) * exp_rotation(w);
    const double norm = turned.norm();
    turned = norm > 1e-100 ? Quat(turned.coeffs() / norm) : exp_rotation(w);  // no rotation at all is none
    if (joint.cone) clamp_to_cone(*joint.cone, turned);
    for (int k = 0; k < 4; ++k) r[k] = turned.coeffs()[k];
  }
}

bool Stack::control(const double* q, bool printed, VecX& z) const {
  z.setZero(columns());
  bool any = false;
  double change[kMaxJointVelocities];
  for (const Preference& preference : problem_->preferences()) {
    for (int c = 0; c < columns();) {
      const ModelJoint& joint = model().joint(model().velocity_joint(active[at(c)]));
      difference_coordinates(joint.type, preference.desired + joint.q_index, q + joint.q_index, change);
      for (; c < columns() && active[at(c)] < joint.v_index + joint.v_count; ++c) {
        const double gain = preference.gain_of(active[at(c)]);
        const double away = change[active[at(c)] - joint.v_index];
        if (gain != 0.0) any = true;
        z[c] += gain * (printed ? away * away : away) / scale[c];
      }
    }
  }
  return any;
}

void Stack::finish(const double* q, Report& report) {
  system_.measure(*problem_, report.goals);
  push_.setZero();
  for (int c = 0; c < columns(); ++c) push_[active[at(c)]] = scale[c] * J.col(c).dot(error);
  fill_report(*problem_, q, push_.data(), 0.0, report);
  measure(report.measures);
}

void Stack::measure(Measures& out) {
  if (loops_on_) reduce(reduced_);  // what the mechanism can do, not its joints one by one
  measures(loops_on_ ? reduced_ : J, out);
}

void Stack::record(Trace& trace, const double* q, const VecX& rows_error, double damping, bool with_jacobian) const {
  const Model& m = model();
  TraceStep entry;
  entry.q = Eigen::Map<const VecX>(q, m.q_size());
  entry.error = rows_error;
  entry.error_norm = rows_error.norm();
  entry.step = VecX::Zero(m.v_size());
  for (int c = 0; c < columns(); ++c) entry.step[active[at(c)]] = step[c];
  entry.damping = damping;
  if (with_jacobian) {
    entry.J = MatX::Zero(rows(), m.v_size());
    for (int c = 0; c < columns(); ++c) entry.J.col(active[at(c)]) = J.col(c);
    Svd svd;
    svd.compute(J);
    entry.singular_values = svd.s();
  }
  trace.steps.push_back(std::move(entry));
}

}  // namespace armature::inline v0_2
