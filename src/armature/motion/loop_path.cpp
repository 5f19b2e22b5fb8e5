#include "armature/motion/loop_path.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/geom/svd.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {
constexpr double kNull = 1e-7;  // pivots below this share of the largest are zero
}

void LoopPath::prepare(const Model& model, std::span<const char> held, const VecX& direction) {
  rows_.compile(model);
  free_.clear();
  for (int v = 0; v < model.v_size(); ++v) {
    if (rows_.in_loop(v) && held[at(v)] == 0) free_.push_back(v);
  }
  direction_ = direction;
  for (int v = 0; v < model.v_size(); ++v) direction_[v] /= rows_.unit(v);
  const double norm = direction_.norm();
  scale_ = norm > 0.0 ? 1.0 / norm : 1.0;
  direction_ *= scale_;
  const int m = rows_.rows();
  const int n = columns();
  J_.resize(m, model.v_size());
  A_.resize(at(m * n));
  const std::size_t k = at(std::max(1, std::min(m, n)));
  H_.resize(k * k);
  rhs_.resize(k);
  step_.resize(at(n));
  phi_.resize(at(m));
  null_.resize(at(n) * 4);
  v_.resize(model.v_size());
  trial_.resize(model.q_size());
  qr_.resize(m, n);
}

void LoopPath::resize(Point& point) const {
  point.q.resize(rows_.model().q_size());
  point.tangent.resize(columns());
}

void LoopPath::fill() {
  rows_.jacobian(J_);
  const int m = rows_.rows();
  for (std::size_t c = 0; c < free_.size(); ++c) {
    for (int r = 0; r < m; ++r) A_[c * at(m) + at(r)] = J_(r, free_[c]);
  }
  double* const last = A_.data() + free_.size() * at(m);
  for (int r = 0; r < m; ++r) last[r] = 0.0;
  for (int v = 0; v < direction_.size(); ++v) {
    if (direction_[v] == 0.0) continue;
    for (int r = 0; r < m; ++r) last[r] += J_(r, v) * direction_[v];
  }
}

void LoopPath::move(const double* q, const double* step, double* q_out) {
  v_ = direction_ * step[free_.size()];
  for (std::size_t c = 0; c < free_.size(); ++c) v_[free_[c]] += step[c];
  for (int v = 0; v < v_.size(); ++v) v_[v] *= rows_.unit(v);
  integrate(rows_.model(), q, v_.data(), q_out);
}

int LoopPath::find_tangent(Point& point, const double* towards) {
  rows_.evaluate(point.q.data(), phi_.data());
  fill();
  const int m = rows_.rows();
  const int n = columns();
  qr_.compute(A_.data(), m, n);
  const int rank = qr_.rank(kNull);
  // One way to go: the smallest pivot that must be there is the last but one column's.
  point.ratio = qr_.steps() >= n - 1 && n > 1 ? qr_.pivot(n - 2) / qr_.pivot(0) : (n > 1 ? 0.0 : 1.0);
  const int count = n - rank;
  point.tangent.setZero();
  if (count <= 0) return 0;
  if (count == 1) {
    qr_.null_vector(rank, rank, point.tangent.data());
    point.tangent.normalize();
    const double sign =
        towards != nullptr ? point.tangent.dot(Eigen::Map<const VecX>(towards, n)) : point.tangent[n - 1];
    if (sign < 0.0) point.tangent = -point.tangent;
    return 1;
  }
  // Several: the part of `towards` in their span, by Gram-Schmidt over at most four.
  const int used = std::min(count, 4);
  for (int k = 0; k < used; ++k) {
    Eigen::Map<VecX> vector(null_.data() + k * n, n);
    qr_.null_vector(rank + k, rank, vector.data());
    for (int i = 0; i < k; ++i) {
      const Eigen::Map<const VecX> other(null_.data() + i * n, n);
      vector -= other * other.dot(vector);
    }
    vector.normalize();
    const double along = towards != nullptr ? vector.dot(Eigen::Map<const VecX>(towards, n)) : vector[n - 1];
    point.tangent += vector * along;
  }
  const double norm = point.tangent.norm();
  if (norm > 0.0) point.tangent /= norm;
  return count;
}

bool LoopPath::close(Point& point) {
  const int m = rows_.rows();
  const int n = columns();
  double error = rows_.evaluate(point.q.data(), phi_.data());
  double lambda = 1.0;
  for (int iteration = 0; iteration < 30 && error >= Assembler::kDone; ++iteration) {
    fill();
    bool accepted = false;
    const double before = error;
    for (int attempt = 0; attempt < 10 && !accepted; ++attempt) {
      const double mu = std::max(lambda * before * before, 1e-14);
      if (!damped_step(A_.data(), m, n, phi_.data(), mu, H_.data(), rhs_.data(), step_.data())) {
        lambda *= 100.0;
        continue;
      }
      double largest = 0.0;
      for (int c = 0; c < n; ++c) largest = std::max(largest, std::abs(step_[at(c)]));
      if (largest > 0.5) {
        for (int c = 0; c < n; ++c) step_[at(c)] *= 0.5 / largest;
      }
      move(point.q.data(), step_.data(), trial_.data());
      // A refused step leaves phi of the trial behind: evaluated again below.
      const double after = rows_.evaluate(trial_.data(), phi_.data());
      if (after < before) {
        accepted = true;
        error = after;
        point.q = trial_;
        point.s += step_[at(n - 1)];
        lambda = std::max(lambda * 0.2, 1e-6);
      } else {
        rows_.evaluate(point.q.data(), phi_.data());
        lambda *= 5.0;
        if (before < 1e-12) break;
      }
    }
    if (!accepted) break;
  }
  return error < Assembler::kClosed;
}

bool LoopPath::walk(const Point& from, double h, Point& to) {
  const int n = columns();
  for (int c = 0; c < n; ++c) step_[at(c)] = h * from.tangent[c];
  move(from.q.data(), step_.data(), to.q.data());
  to.s = from.s + step_[at(n - 1)];
  if (!close(to)) return false;
  return find_tangent(to, from.tangent.data()) > 0;
}

int LoopPath::branch_tangents(const Point& point, VecX out[2]) {
  const int m = rows_.rows();
  const int n = columns();
  rows_.evaluate(point.q.data(), phi_.data());
  fill();
  Eigen::Map<const MatX> A(A_.data(), m, n);
  Svd svd;
  svd.compute(A);
  const int rank = svd.rank(1e-6);
  if (n - rank != 2 || m - rank < 1) return 0;
  const MatX N = null_space(A, 1e-6);
  const MatX W = null_space(MatX(A.transpose()), 1e-6);
  if (N.cols() != 2 || W.cols() < 1) return 0;
  // A left null vector each: a form that vanishes along the branches. Where rows are redundant there are several, and a
  // direction that one of them forbids is none.
  constexpr double h = 1e-4;
  MatX forms = MatX::Zero(W.cols(), 3);  // of x x, x y and y y
  VecX moved(rows_.model().q_size());
  for (int i = 0; i < 2; ++i) {
    MatX slope[2];
    for (int side = 0; side < 2; ++side) {
      const VecX step = (side == 0 ? h : -h) * N.col(i);
      move(point.q.data(), step.data(), moved.data());
      rows_.evaluate(moved.data(), phi_.data());
      fill();
      slope[side] = Eigen::Map<const MatX>(A_.data(), m, n);
    }
    for (int j = 0; j < 2; ++j) forms.col(i + j) += W.transpose() * ((slope[0] - slope[1]) * N.col(j)) / (2.0 * h);
  }
  Eigen::Index strongest = 0;
  const double size = forms.rowwise().norm().maxCoeff(&strongest);
  const double a = forms(strongest, 0), b = forms(strongest, 1), c = forms(strongest, 2);
  const double root = b * b - 4.0 * a * c;
  if (!(root > 1e-10 * size * size)) return 0;
  int count = 0;
  for (int k = 0; k < 2; ++k) {
    const double sign = k == 0 ? 1.0 : -1.0;
    Vec2 xy(1.0, 1.0);
    if (std::abs(a) > std::abs(c)) {
      xy[0] = (-b + sign * std::sqrt(root)) / (2.0 * a);
    } else if (c != 0.0) {
      xy[1] = (-b + sign * std::sqrt(root)) / (2.0 * c);
    } else {  // x y = 0
      xy[k] = 0.0;
    }
    xy.normalize();
    const Vec3 products(xy[0] * xy[0], xy[0] * xy[1], xy[1] * xy[1]);
    if ((forms * products).cwiseAbs().maxCoeff() > 1e-3 * size) continue;
    out[count] = N * xy;
    if (out[count][n - 1] < 0.0) out[count] = -out[count];
    ++count;
  }
  return count;
}

}  // namespace armature::inline v0_2
