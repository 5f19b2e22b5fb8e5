#include "armature/kinematics/closure_rows.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/joint_fit.hpp"

namespace armature::inline v0_2 {
namespace {

// The rotation vector of the shortest turn that brings `from` to `to` (unit vectors). Not their cross product, which is
// zero for opposite directions too. To those every half turn leads: the one about `half_turn` is taken.
Vec3 swing_vector(const Vec3& from, const Vec3& to, const Vec3& half_turn) {
  const Vec3 cross = from.cross(to);
  const double sine = cross.norm();
  const double cosine = from.dot(to);
  if (sine < 1e-12) return cosine > 0.0 ? cross : Vec3(kPi * half_turn);
  return cross * (math::atan2(sine, cosine) / sine);
}

const double* joint_coordinates(const ModelJoint& joint, const double* q, double* value) {
  const double* own = q + joint.q_index;
  if (!joint.mimic) return own;
  value[0] = joint.multiplier * own[0] + joint.offset;
  return value;
}

double polynomial(const std::vector<double>& c, double x, double& slope) {
  double value = 0.0;
  slope = 0.0;
  for (std::size_t k = c.size(); k-- > 0;) {
    slope = slope * x + value;
    value = value * x + c[k];
  }
  return value;
}

}  // namespace

void ClosureRows::place(const double* q, std::span<const int> links) {
  for (const int link : links) {
    const ModelJoint& joint = model_.joint(link);
    double value[1];
    const double* own = joint_coordinates(joint, q, value);
    Transform& X = X_WL_[static_cast<std::size_t>(link)];
    const Transform placed =
        joint.parent < 0 ? joint.origin : X_WL_[static_cast<std::size_t>(joint.parent)] * joint.origin;
    X = joint.q_count == 0 ? placed : placed * joint_transform(joint.type, own);
    const int first = first_twist_[static_cast<std::size_t>(link)];
    if (first < 0) continue;
    Twist* const twists = twists_.data() + first;
    Vec6 now[kMaxJointVelocities];
    bool known = false;
    for (int k = 0; k < joint.v_count; ++k) {
      if (!twists[k].constant && !known) joint_twists(joint.type, own, now), known = true;
      const Vec6& twist = twists[k].constant ? twists[k].own : now[k];
      twists[k].linear.noalias() = X.rotation * twist.head<3>();
      twists[k].angular.noalias() = X.rotation * twist.tail<3>();
    }
  }
}

Transform ClosureRows::relative(const Item& item, Transform& X_WA, Transform& X_WB) const {
  const ModelClosure& closure = model_.closures()[static_cast<std::size_t>(item.closure)];
  X_WA = closure.a < 0 ? closure.X_A : X_WL_[static_cast<std::size_t>(closure.a)] * closure.X_A;
  X_WB = closure.b < 0 ? closure.X_B : X_WL_[static_cast<std::size_t>(closure.b)] * closure.X_B;
  Transform X;
  X.rotation.noalias() = X_WA.rotation.transpose() * X_WB.rotation;
  X.position.noalias() = X_WA.rotation.transpose() * (X_WB.position - X_WA.position);
  return X;
}

// Error in a's axes and an orthonormal basis of the directions that the fitted joint leaves alone.
void ClosureRows::fitted_error(Item& item, const Transform& X, Vec6& error, Mat<6, 6>& basis, int& count) const {
  const ModelClosure& closure = model_.closures()[static_cast<std::size_t>(item.closure)];
  const JointType& type = std::get<JointType>(closure.type);
  double* const qc = item.near.data();
  fit_coordinates(type, X, qc, qc);
  const Transform T = joint_transform(type, qc);
  error.head<3>() = (X.position - T.position) / length_;
  error.tail<3>() = log_rotation(Mat3(X.rotation * T.rotation.transpose()));
  Vec6 twists[kMaxJointVelocities];
  joint_twists(type, qc, twists);
  if (std::holds_alternative<Universal>(type)) {
    // The one direction left to turn about, by its formula, so that its sign never jumps.
    const Vec3 first = T.rotation * twists[0].tail<3>();
    const Vec3 second = T.rotation * twists[1].tail<3>();
    basis.setZero();
    basis.topLeftCorner<3, 3>().setIdentity();
    basis.block<3, 1>(3, 3) = first.cross(second).normalized();
    count = 4;
    return;
  }
  // Gram-Schmidt, first on the joint's own directions, then on the axes of space.
  Eigen::Matrix<double, 6, 12> kept;
  int total = 0;
  const auto add = [&](Vec6 v, double least) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < total; ++i) v -= kept.col(i) * kept.col(i).dot(v);
    }
    const double norm = v.norm();
    if (norm > least) kept.col(total++) = v / norm;
  };
  for (int k = 0; k < velocity_count(type); ++k) {
    Vec6 s;
    s << T.rotation * twists[k].head<3>() / length_, T.rotation * twists[k].tail<3>();
    add(s, 1e-9);
  }
  const int own = total;
  for (int k = 0; k < 6 && total < 6; ++k) add(Vec6::Unit(k), 0.1);
  for (int k = 0; k < 6 && total < 6; ++k) add(Vec6::Unit(k), 1e-9);
  count = total - own;
  basis.leftCols(count) = kept.middleCols(own, count);
}

void ClosureRows::residual(int index, const double* q, double* phi) {
  Item& item = items_[static_cast<std::size_t>(index)];
  const ModelClosure& closure = model_.closures()[static_cast<std::size_t>(item.closure)];
  if (item.kind == Item::Kind::coupling) {
    const Coupling& coupling = std::get<Coupling>(closure.type);
    double value[1], slope = 0.0;
    const ModelJoint& joint = model_.joint(closure.joint);
    const double y = *joint_coordinates(joint, q, value);
    const double x = closure.source < 0 ? 0.0 : *joint_coordinates(model_.joint(closure.source), q, value);
    const double unit = unit_[static_cast<std::size_t>(joint.v_index)];
    const double gap = y - polynomial(coupling.polynomial, x, slope);
    if (item.rows > 0) phi[0] = gap / unit;  // none, where no joint of the loop can change it
    item.world(0, 0) = 1.0 / unit;
    item.world(1, 0) = -slope / unit;
    return;
  }
  Transform X_WA, X_WB;
  const Transform X = relative(item, X_WA, X_WB);
  item.point = X_WB.position;
  if (item.kind == Item::Kind::rod) {
    const double l = std::get<Rod>(closure.type).length;
    if (item.rows > 0) phi[0] = (X.position.squaredNorm() - l * l) / (2.0 * l * length_);
    item.world.block<3, 1>(0, 0) = (X_WB.position - X_WA.position) / (l * length_);
    item.world.block<3, 1>(3, 0).setZero();
    return;
  }
  Vec6 error;
  const int n = item.rows;
  if (item.kind == Item::Kind::simple) {
    error.head<3>() = X.position / length_;
    switch (item.turn) {
      case Item::Turn::none:
        error.tail<3>().setZero();
        break;
      case Item::Turn::full:
        error.tail<3>() = log_rotation(X.rotation);
        break;
      case Item::Turn::swing:
        error.tail<3>() = swing_vector(item.axis, X.rotation * item.axis, item.half_turn);
        break;
    }
    for (int r = 0; r < n; ++r) {
      phi[r] = item.basis.col(r).dot(error);
      item.world.block<3, 1>(0, r) = X_WA.rotation * item.basis.block<3, 1>(0, r) / length_;
      item.world.block<3, 1>(3, r) = X_WA.rotation * item.basis.block<3, 1>(3, r);
    }
    return;
  }
  Mat<6, 6> own;
  int count = 0;
  fitted_error(item, X, error, own, count);
  for (int r = 0; r < n; ++r) {
    const Vec6 row =
        item.moving_basis ? Vec6(own.leftCols(count) * item.basis.col(r).head(count)) : Vec6(item.basis.col(r));
    phi[r] = row.dot(error);
    item.world.block<3, 1>(0, r) = X_WA.rotation * row.head<3>() / length_;
    item.world.block<3, 1>(3, r) = X_WA.rotation * row.tail<3>();
  }
}

void ClosureRows::slope(const Item& item, const Entry& entry, double* out) const {
  const double factor = entry.factor * unit_[static_cast<std::size_t>(entry.velocity)];
  if (item.kind == Item::Kind::coupling) {
    out[0] = factor * item.world(entry.k, 0);
    return;
  }
  const Twist& twist = twists_[static_cast<std::size_t>(entry.twist)];
  const Vec3 linear =
      twist.linear + twist.angular.cross(item.point - X_WL_[static_cast<std::size_t>(entry.link)].position);
  for (int r = 0; r < item.rows; ++r) {
    out[r] = factor * (item.world.block<3, 1>(0, r).dot(linear) + item.world.block<3, 1>(3, r).dot(twist.angular));
  }
}

Vec3 ClosureRows::end_velocity(const Item& item, const Entry& entry) const {
  const double l = std::get<Rod>(model_.closures()[static_cast<std::size_t>(item.closure)].type).length;
  const Vec3 rod = item.world.block<3, 1>(0, 0) * (l * length_);
  const Vec3 end = entry.factor > 0.0 ? item.point : Vec3(item.point - rod);
  const Twist& twist = twists_[static_cast<std::size_t>(entry.twist)];
  const Vec3 linear = twist.linear + twist.angular.cross(end - X_WL_[static_cast<std::size_t>(entry.link)].position);
  return linear * (entry.factor * unit_[static_cast<std::size_t>(entry.velocity)] / length_);
}

double ClosureRows::evaluate(const double* q, double* phi) {
  place(q, links_);
  for (std::size_t i = 0; i < items_.size(); ++i) residual(static_cast<int>(i), q, phi + items_[i].row);
  double sum = 0.0;
  for (int r = 0; r < rows_; ++r) sum += phi[r] * phi[r];
  return std::sqrt(sum);
}

void ClosureRows::jacobian(MatX& J) const {
  J.setZero();
  double out[6];
  for (const Item& item : items_) {
    for (const Entry& entry : entries(item)) {
      slope(item, entry, out);
      for (int r = 0; r < item.rows; ++r) J(item.row + r, entry.velocity) += out[r];
    }
  }
}

std::string ClosureRows::never_closes(const Item& item) const {
  if (item.idle_gap <= 1e-6 * length_) return "";
  return "Closure " + detail::quoted(model_.closures()[static_cast<std::size_t>(item.closure)].name) +
         " can never close: its frames stay " + pretty_number(item.idle_gap, 3) +
         " apart in a direction that no joint of the loop can change.";
}

void ClosureRows::cut_coordinates(int index, double* q) const {
  const Item& item = items_[static_cast<std::size_t>(index)];
  const ModelClosure& closure = model_.closures()[static_cast<std::size_t>(item.closure)];
  const auto* type = std::get_if<JointType>(&closure.type);
  if (type == nullptr) return;
  Transform X_WA, X_WB;
  fit_coordinates(*type, relative(item, X_WA, X_WB), q, q);
}

std::vector<double> ClosureRows::middles_of_cuts() const {
  std::vector<double> middles(items_.size() * kMaxJointCoordinates, 0.0);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const ModelClosure& closure = model_.closures()[static_cast<std::size_t>(items_[i].closure)];
    for (std::size_t k = 0; k < closure.lower.size(); ++k) {
      const double low = closure.lower[k], high = closure.upper[k];
      const bool below = std::isfinite(low), above = std::isfinite(high);
      middles[i * kMaxJointCoordinates + k] = below && above ? 0.5 * low + 0.5 * high
                                              : below        ? low + kPi
                                              : above        ? high - kPi
                                                             : 0.0;
    }
  }
  return middles;
}

int ClosureRows::beyond_cut_limits(double slack, std::vector<double>& near) const {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const ModelClosure& closure = model_.closures()[static_cast<std::size_t>(items_[i].closure)];
    bool limited = false;
    for (std::size_t k = 0; k < closure.lower.size(); ++k) {
      limited = limited || std::isfinite(closure.lower[k]) || std::isfinite(closure.upper[k]);
    }
    if (!limited) continue;
    double* const own = near.data() + i * kMaxJointCoordinates;
    cut_coordinates(static_cast<int>(i), own);
    for (std::size_t k = 0; k < closure.lower.size(); ++k) {
      if (own[k] < closure.lower[k] - slack || own[k] > closure.upper[k] + slack) return items_[i].closure;
    }
  }
  return -1;
}

double closure_error(const Model& model, const VecX& q) {
  if (model.closures().empty()) return 0.0;
  ClosureRows rows;
  rows.compile(model);
  VecX phi(rows.rows());
  rows.evaluate(q.data(), phi.data());
  double largest = 0.0;
  for (const ClosureRows::Item& item : rows.items()) {
    const double gap = phi.segment(item.row, item.rows).norm() * rows.length();
    largest = std::max(largest, std::max(gap, item.idle_gap));
  }
  return largest;
}

}  // namespace armature::inline v0_2
