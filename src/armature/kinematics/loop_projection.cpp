#include "armature/kinematics/loop_projection.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/assemble.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

bool inside_cones(const Model& model, const double* q) {
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || !joint.cone) continue;
    const Quat turned = joint_detail::quaternion(q + joint.q_index + joint.q_count - 4);
    Quat nearest = turned;
    if (clamp_to_cone(*joint.cone, nearest) && log_rotation(turned.conjugate() * nearest).norm() > 1e-9) return false;
  }
  return true;
}

}  // namespace

std::vector<int> loop_of_velocities(const Model& model) {
  std::vector<int> loop(at(model.v_size()), -1);
  const auto mark = [&](const ModelJoint& joint, int closure) {
    for (int k = 0; k < joint.v_count; ++k) loop[at(joint.v_index + k)] = closure;
  };
  for (std::size_t c = model.closures().size(); c-- > 0;) {
    const ModelClosure& closure = model.closures()[c];
    for (const int link : {closure.joint, closure.source}) {
      if (link >= 0) mark(model.joint(link), static_cast<int>(c));
    }
    int a = closure.a;
    int b = closure.b;
    while (a != b) {
      int& deeper = a > b ? a : b;
      mark(model.joint(deeper), static_cast<int>(c));
      deeper = model.parent(deeper);
    }
  }
  return loop;
}

void LoopProjection::prepare(const Model& model, std::span<const int> active) {
  rows_.compile(model);
  active_.assign(active.begin(), active.end());
  coordinate_.clear();
  for (const int v : active_) {
    const ModelJoint& joint = model.joint(model.velocity_joint(v));
    const int k = v - joint.v_index;
    const int scalars = joint.q_count == joint.v_count ? joint.q_count : joint.q_count - 4;
    coordinate_.push_back(k < scalars ? joint.q_index + k : -1);
  }
  const std::size_t n = active_.size();
  const std::size_t m = at(rows_.rows());
  held_.assign(n, 0);
  used_.reserve(n);
  J_.resize(rows_.rows(), model.v_size());
  phi_.assign(m, 0.0);
  A_.assign(m * n, 0.0);
  const std::size_t k = std::max<std::size_t>(1, std::min(m, n));
  H_.assign(k * k, 0.0);
  rhs_.assign(k, 0.0);
  step_.assign(n, 0.0);
  null_.assign(n * n, 0.0);
  product_.assign(n * 64, 0.0);
  v_.setZero(model.v_size());
  trial_.setZero(model.q_size());
  qr_.resize(static_cast<int>(n), static_cast<int>(m));
  cut_ = middles_ = rows_.middles_of_cuts();
}

bool LoopProjection::newton(double* q) {
  const Model& model = rows_.model();
  const int m = rows_.rows();
  used_.clear();
  for (std::size_t c = 0; c < active_.size(); ++c) {
    if (held_[c] == 0 && rows_.in_loop(active_[c])) used_.push_back(static_cast<int>(c));
  }
  const int n = static_cast<int>(used_.size());
  double error = rows_.evaluate(q, phi_.data());
  double lambda = 1.0;
  int slow = 0;  // steps in a row that gained little: at a pose from which the loops do not close
  for (int iteration = 0; iteration < 40 && slow < 4 && error >= Assembler::kDone; ++iteration) {
    if (n == 0) break;
    rows_.jacobian(J_);
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < m; ++r) A_[at(c * m + r)] = J_(r, active_[at(used_[at(c)])]);
    }
    const double before = error;
    bool accepted = false;
    for (int attempt = 0; attempt < 10 && !accepted; ++attempt) {
      const double mu = std::max(lambda * before * before, 1e-14);
      if (!damped_step(A_.data(), m, n, phi_.data(), mu, H_.data(), rhs_.data(), step_.data())) {
        lambda *= 100.0;
        continue;
      }
      double largest = 0.0;
      for (int c = 0; c < n; ++c) largest = std::max(largest, std::abs(step_[at(c)]));
      const double cut = largest > 0.7 ? 0.7 / largest : 1.0;
      v_.setZero();
      for (int c = 0; c < n; ++c) {
        const int v = active_[at(used_[at(c)])];
        v_[v] = cut * step_[at(c)] * rows_.unit(v);
      }
      integrate(model, q, v_.data(), trial_.data());
      const double after = rows_.evaluate(trial_.data(), phi_.data());
      if (after < before) {
        accepted = true;
        error = after;
        std::copy(trial_.data(), trial_.data() + trial_.size(), q);
        lambda = std::max(lambda * (after < 0.25 * before ? 0.2 : 0.6), 1e-6);
      } else {
        rows_.evaluate(q, phi_.data());
        lambda *= 5.0;
        if (before < 1e-12) break;
      }
    }
    if (!accepted) break;
    slow = error > 0.9 * before && error > Assembler::kClosed ? slow + 1 : 0;
  }
  return error < Assembler::kClosed;
}

std::string LoopProjection::never_closes() const {
  for (const ClosureRows::Item& item : rows_.items()) {
    const auto active = [&](const ClosureRows::Entry& entry) {
      return std::find(active_.begin(), active_.end(), entry.velocity) != active_.end();
    };
    const std::span<const ClosureRows::Entry> entries = rows_.entries(item);
    if (std::none_of(entries.begin(), entries.end(), active)) continue;
    if (std::string sentence = rows_.never_closes(item); !sentence.empty()) return sentence;
  }
  return "";
}

bool LoopProjection::close(double* q, const double* lower, const double* upper) {
  std::fill(held_.begin(), held_.end(), 0);
  for (int round = 0; round < 6; ++round) {
    if (!newton(q)) return false;
    // What left its limits is put back and held there; the rest closes the loops once more.
    bool outside = false;
    for (std::size_t c = 0; c < active_.size(); ++c) {
      const int i = coordinate_[c];
      if (i < 0 || (q[i] >= lower[i] && q[i] <= upper[i])) continue;
      q[i] = std::clamp(q[i], lower[i], upper[i]);
      held_[c] = 1;
      outside = true;
    }
    if (outside) continue;
    cut_ = middles_;
    return rows_.beyond_cut_limits(1e-9, cut_) < 0 && inside_cones(rows_.model(), q);
  }
  return false;
}

void LoopProjection::find(const double* q, const VecX& scale, std::span<const char> blocked) {
  const int m = rows_.rows();
  used_.clear();
  for (std::size_t c = 0; c < active_.size(); ++c) {
    if (blocked[c] == 0) used_.push_back(static_cast<int>(c));
  }
  const int n = static_cast<int>(used_.size());
  rows_.evaluate(q, phi_.data());
  rows_.jacobian(J_);
  // Columns of the closures' rows, transposed: their complement is the null space.
  for (int r = 0; r < m; ++r) {
    for (int c = 0; c < n; ++c) {
      const int column = used_[at(c)];
      const int v = active_[at(column)];
      A_[at(r * n + c)] = J_(r, v) / rows_.unit(v) * scale[column];
    }
  }
  // Rows of the same size, so that lengths and angles count alike for the rank.
  null_count_ = n;
  int rank = 0;
  if (n > 0 && m > 0) {
    qr_.compute(A_.data(), n, m);
    rank = qr_.rank(1e-8);
  }
  null_count_ = n - rank;
  for (int k = 0; k < null_count_; ++k) {
    if (rank == 0) {
      for (int c = 0; c < n; ++c) null_[at(k * n + c)] = c == k ? 1.0 : 0.0;
    } else {
      qr_.q_column(rank + k, null_.data() + k * n);
    }
  }
}

template <class Row>
void LoopProjection::project_row(Row row) {
  const int n = static_cast<int>(used_.size());
  if (product_.size() < at(std::max(1, null_count_))) product_.resize(at(null_count_));
  for (int k = 0; k < null_count_; ++k) {
    double sum = 0.0;
    for (int c = 0; c < n; ++c) sum += row[used_[at(c)]] * null_[at(k * n + c)];
    product_[at(k)] = sum;
  }
  row.setZero();
  for (int c = 0; c < n; ++c) {
    double sum = 0.0;
    for (int k = 0; k < null_count_; ++k) sum += product_[at(k)] * null_[at(k * n + c)];
    row[used_[at(c)]] = sum;
  }
}

void LoopProjection::project(MatX& A) {
  for (Eigen::Index r = 0; r < A.rows(); ++r) project_row(A.row(r));
}

void LoopProjection::project(VecX& u) { project_row(u.transpose()); }

void LoopProjection::expand(const VecX& z, VecX& u) const {
  const int n = static_cast<int>(used_.size());
  u.setZero();
  for (int k = 0; k < null_count_; ++k) {
    for (int c = 0; c < n; ++c) u[used_[at(c)]] += null_[at(k * n + c)] * z[k];
  }
}

void LoopProjection::reduce(const MatX& A, MatX& reduced) const {
  const int n = static_cast<int>(used_.size());
  reduced.setZero(A.rows(), null_count_);
  for (int k = 0; k < null_count_; ++k) {
    for (int c = 0; c < n; ++c) reduced.col(k) += null_[at(k * n + c)] * A.col(used_[at(c)]);
  }
}

}  // namespace armature::inline v0_2
