// Which rows a model's closures have: directions, columns, and what is idle.
#include <algorithm>
#include <cmath>

#include "armature/base/rng.hpp"
#include "armature/geom/qr.hpp"
#include "armature/kinematics/closure_rows.hpp"

namespace armature::inline v0_2 {
namespace {

using Basis = Mat<6, 6>;

// A direction counts as idle below this share of the mechanism's length per radian: what twelve printed digits leave.
constexpr double kIdlePivot = 1e-9;

// The twist of velocity k in the link's frame, where it does not depend on the coordinates.
struct ConstantTwist {
  int k;
  Vec6* twist;
  bool operator()(const Universal& j) const { return k == 1 && set(joint_detail::angular(j.axis2)); }
  bool operator()(const Planar& j) const { return k == 2 && set(joint_detail::angular(j.normal)); }
  bool operator()(const Free&) const { return k >= 3 && set(joint_detail::angular(Vec3::Unit(k - 3))); }
  bool operator()(const Euler&) const { return false; }
  bool operator()(const FreeEuler&) const { return false; }
  template <class Other>
  bool operator()(const Other& j) const {
    constexpr bool known = std::is_base_of_v<Revolute, Other> || std::is_same_v<Other, Prismatic> ||
                           std::is_same_v<Other, Helical> || std::is_same_v<Other, Cylindrical> ||
                           std::is_same_v<Other, Spherical>;
    if constexpr (!known) return false;
    double zero[kMaxJointCoordinates] = {0, 0, 0, 1, 0, 0, 0};
    Vec6 columns[kMaxJointVelocities];
    j.twists(zero, columns);
    return set(columns[k]);
  }
  bool set(const Vec6& value) const {
    *twist = value;
    return true;
  }
};

// Rows of the types whose directions stand still in frame a.
struct SimpleRows {
  ClosureRows::Item& item;

  bool operator()(const Fixed&) const { return linear(nullptr, true) && angular_all(); }
  bool operator()(const Revolute& j) const { return linear(&j.axis, true) && angular_across(j.axis); }
  bool operator()(const Continuous& j) const { return (*this)(static_cast<const Revolute&>(j)); }
  bool operator()(const Prismatic& j) const { return linear(&j.axis, false) && angular_all(); }
  bool operator()(const Cylindrical& j) const { return linear(&j.axis, false) && angular_across(j.axis); }
  bool operator()(const Planar& j) const {
    add(j.normal, Vec3::Zero());
    return angular_across(j.normal);
  }
  bool operator()(const Spherical&) const { return linear(nullptr, true); }
  bool operator()(const Euler&) const { return linear(nullptr, true); }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }

  void add(const Vec3& l, const Vec3& a) const { item.basis.col(item.all_rows++) << l, a; }
  // Along the axis (where it holds there) and across it; along the frame's own axes without one.
  bool linear(const Vec3* axis, bool along) const {
    if (axis == nullptr) {
      for (int k = 0; k < 3; ++k) add(Vec3::Unit(k), Vec3::Zero());
      return true;
    }
    const Vec3 u = across(*axis);
    add(u, Vec3::Zero());
    add(axis->cross(u), Vec3::Zero());
    if (along) add(*axis, Vec3::Zero());
    return true;
  }
  bool angular_all() const {
    item.turn = ClosureRows::Item::Turn::full;
    for (int k = 0; k < 3; ++k) add(Vec3::Zero(), Vec3::Unit(k));
    return true;
  }
  bool angular_across(const Vec3& axis) const {
    item.turn = ClosureRows::Item::Turn::swing;
    item.axis = axis;
    const Vec3 u = item.half_turn = across(axis);
    add(Vec3::Zero(), u);
    add(Vec3::Zero(), axis.cross(u));
    return true;
  }
  // An axis of the frame where the axis is one, too.
  static Vec3 across(const Vec3& axis) {
    int smallest = 0;
    for (int k = 1; k < 3; ++k) {
      if (std::abs(axis[k]) < std::abs(axis[smallest])) smallest = k;
    }
    const Vec3 u = Vec3::Unit(smallest);
    return (u - axis * axis.dot(u)).normalized();
  }
};

}  // namespace

class ClosureRows::Builder {
 public:
  Builder(const Model& model, ClosureRows& out) : model_(model), out_(out) {}

  void run() {
    out_.model_ = model_;
    find_links();
    find_length();
    lay_out_items();
    drop_idle();
    for (const Item& item : out_.items_) {
      for (int e = item.first_entry; e < item.end_entry && item.rows > 0; ++e) {
        out_.in_loop_[static_cast<std::size_t>(out_.entries_[static_cast<std::size_t>(e)].velocity)] = 1;
      }
    }
  }

 private:
  void find_links() {
    std::vector<char> needed(static_cast<std::size_t>(model_.link_count()), 0);
    for (const ModelClosure& closure : model_.closures()) {
      for (int link : {closure.a, closure.b}) {
        for (int i = link; i >= 0 && needed[static_cast<std::size_t>(i)] == 0; i = model_.parent(i)) {
          needed[static_cast<std::size_t>(i)] = 1;
        }
      }
    }
    for (int i = 0; i < model_.link_count(); ++i) {
      if (needed[static_cast<std::size_t>(i)] != 0) out_.links_.push_back(i);
    }
    out_.X_WL_.assign(static_cast<std::size_t>(model_.link_count()), Transform());
    out_.first_twist_.assign(static_cast<std::size_t>(model_.link_count()), -1);
  }

  // The longest piece of any loop, so that the size of a piece is about 1 whatever the unit.
  void find_length() {
    double longest = 0.0;
    for (int link : out_.links_) {
      if (link > 0) longest = std::max(longest, model_.joint(link).origin.position.norm());
    }
    for (const ModelClosure& closure : model_.closures()) {
      if (closure.a >= 0) longest = std::max(longest, closure.X_A.position.norm());
      if (closure.b >= 0) longest = std::max(longest, closure.X_B.position.norm());
      if (const auto* rod = std::get_if<Rod>(&closure.type)) longest = std::max(longest, rod->length);
    }
    out_.length_ = longest > 0.0 && std::isfinite(longest) ? longest : model_.size();
    out_.unit_.assign(static_cast<std::size_t>(model_.v_size()), 1.0);
    out_.in_loop_.assign(static_cast<std::size_t>(model_.v_size()), 0);
    for (const ModelJoint& joint : model_.joints()) {
      const std::span<const Coordinate> kinds = coordinates(joint.type);
      for (int k = 0; k < joint.v_count && !joint.mimic; ++k) {
        const bool slides = kinds[static_cast<std::size_t>(k)] == Coordinate::length;
        out_.unit_[static_cast<std::size_t>(joint.v_index + k)] = slides ? out_.length_ : 1.0;
      }
    }
  }

  void add_entries(int link, int stop, double sign) {
    for (int i = link; i != stop; i = model_.parent(i)) {
      const ModelJoint& joint = model_.joint(i);
      int& first = out_.first_twist_[static_cast<std::size_t>(i)];
      if (first < 0) {
        first = static_cast<int>(out_.twists_.size());
        for (int k = 0; k < joint.v_count; ++k) {
          Twist twist{false, Vec6::Zero(), Vec3::Zero(), Vec3::Zero()};
          twist.constant = std::visit(ConstantTwist{k, &twist.own}, joint.type);
          out_.twists_.push_back(twist);
        }
      }
      for (int k = 0; k < joint.v_count; ++k) {
        out_.entries_.push_back({i, k, joint.v_index + k, sign * joint.multiplier, first + k});
      }
    }
  }

  void lay_out_items() {
    for (std::size_t c = 0; c < model_.closures().size(); ++c) {
      const ModelClosure& closure = model_.closures()[c];
      Item item{};
      item.closure = static_cast<int>(c);
      item.turn = Item::Turn::none;
      item.half_turn.setZero();
      item.basis.setZero();
      item.world.setZero();
      item.first_entry = static_cast<int>(out_.entries_.size());
      if (const auto* type = std::get_if<JointType>(&closure.type)) {
        neutral_coordinates(*type, item.near.data());
        item.kind = std::visit(SimpleRows{item}, *type) ? Item::Kind::simple : Item::Kind::fitted;
        if (item.kind == Item::Kind::fitted) {
          item.all_rows = 6 - velocity_count(*type);
          item.moving_basis = true;
          item.basis.setIdentity();
        }
      } else {
        item.kind = std::holds_alternative<Rod>(closure.type) ? Item::Kind::rod : Item::Kind::coupling;
        item.all_rows = 1;
      }
      if (item.kind == Item::Kind::coupling) {
        int k = 0;
        for (int link : {closure.joint, closure.source}) {
          if (link >= 0) {
            const ModelJoint& joint = model_.joint(link);
            out_.entries_.push_back({link, k, joint.v_index, joint.multiplier, -1});
          }
          ++k;
        }
      } else {
        // In depth-first order the larger index is never the ancestor of the smaller, so stepping the larger one up
        // meets at the lowest common ancestor.
        int a = closure.a;
        int b = closure.b;
        while (a != b) (a > b ? a : b) = model_.parent(a > b ? a : b);
        add_entries(closure.b, a, 1.0);
        add_entries(closure.a, a, -1.0);
      }
      item.end_entry = static_cast<int>(out_.entries_.size());
      item.rows = item.all_rows;
      out_.items_.push_back(item);
    }
    number_rows();
    out_.all_rows_ = out_.rows_;
  }

  void number_rows() {
    out_.rows_ = 0;
    for (Item& item : out_.items_) {
      item.row = out_.rows_;
      out_.rows_ += item.rows;
    }
  }

  const Entry& entry(const Item& item, int e) const {
    return out_.entries_[static_cast<std::size_t>(item.first_entry + e)];
  }

  // Directions in which no pose, assembled or not, moves frame b against frame a.
  void drop_idle() {
    constexpr int kSamples = 3;
    Rng rng(7);
    std::vector<std::vector<double>> slopes(out_.items_.size());  // column-major, entries x all_rows of each item
    std::vector<std::vector<double>> gaps(out_.items_.size());    // phi of each sample
    std::vector<double> phi(6);
    for (int s = 0; s < kSamples; ++s) {
      const VecX q = out_.scattered_pose(rng);
      out_.place(q.data(), out_.links_);
      for (std::size_t i = 0; i < out_.items_.size(); ++i) {
        const Item& item = out_.items_[i];
        out_.residual(static_cast<int>(i), q.data(), phi.data());
        gaps[i].insert(gaps[i].end(), phi.begin(), phi.begin() + item.all_rows);
        std::vector<double>& all = slopes[i];
        const int count = item.end_entry - item.first_entry;
        all.resize(static_cast<std::size_t>(kSamples * count * item.all_rows), 0.0);
        double out[6];
        for (int e = 0; e < count; ++e) {
          // Followers of one joint have one velocity and may cancel: they count together, at the first of them.
          int first = 0;
          while (entry(item, first).velocity != entry(item, e).velocity) ++first;
          out_.slope(item, entry(item, e), out);
          for (int r = 0; r < item.all_rows; ++r) {
            all[static_cast<std::size_t>((r * kSamples + s) * count + first)] += out[r];
          }
        }
      }
    }
    for (std::size_t i = 0; i < out_.items_.size(); ++i) reduce(out_.items_[i], slopes[i], gaps[i], kSamples);
    number_rows();
  }

  void reduce(Item& item, const std::vector<double>& slopes, const std::vector<double>& gaps, int samples) {
    const int n = item.all_rows;
    const int height = samples * (item.end_entry - item.first_entry);
    PivotedQr qr;
    int rank = 0;
    if (height > 0) {
      qr.compute(slopes.data(), height, n);
      while (rank < qr.steps() && qr.pivot(rank) > kIdlePivot * std::max(1.0, qr.pivot(0))) ++rank;
    }
    if (rank == n) return;
    // Idle combinations of rows, orthonormal; then the rest: whole rows where only whole rows are idle.
    MatX idle(n, n - rank);
    int count = 0;
    const auto add = [&](MatX& to, int& filled, VecX v, double least) {
      for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < count; ++k) v -= idle.col(k) * idle.col(k).dot(v);
        for (int k = 0; k < filled && &to != &idle; ++k) v -= to.col(k) * to.col(k).dot(v);
      }
      if (v.norm() > least && filled < to.cols()) to.col(filled++) = v.normalized();
    };
    for (int k = rank; k < n; ++k) {
      VecX v = VecX::Zero(n);
      if (height > 0) {
        qr.null_vector(k, rank, v.data());
      } else {
        v[k] = 1.0;
      }
      add(idle, count, v, 1e-12);
    }
    for (int k = 0; k < count; ++k) {
      for (int s = 0; s < samples; ++s) {
        double gap = 0.0;
        for (int r = 0; r < n; ++r) gap += idle(r, k) * gaps[static_cast<std::size_t>(s * n + r)];
        item.idle_gap = std::max(item.idle_gap, std::abs(gap) * out_.length_);
      }
    }
    MatX kept(n, rank);
    int filled = 0;
    for (const double least : {0.99, 0.1, 1e-6}) {
      for (int k = 0; k < n; ++k) add(kept, filled, VecX::Unit(n, k), least);
    }
    if (item.kind == Item::Kind::simple || item.kind == Item::Kind::fitted) {
      Basis basis = Basis::Zero();
      for (int k = 0; k < rank; ++k) basis.col(k) = item.basis.leftCols(n) * kept.col(k);
      item.basis = basis;
      Eigen::Index turning = 0;
      const double turns = basis.bottomRows<3>().colwise().norm().maxCoeff(&turning);
      if (item.kind == Item::Kind::simple && turns <= 1e-12) item.turn = Item::Turn::none;
      if (turns > 1e-12) item.half_turn = basis.block<3, 1>(3, turning) / turns;
    }
    item.rows = rank;
  }

  const Model& model_;
  ClosureRows& out_;
};

VecX ClosureRows::scattered_pose(Rng& rng) const {
  VecX q(model_.q_size());
  for (const ModelJoint& joint : model_.joints()) {
    if (joint.mimic) continue;
    double v[kMaxJointVelocities];
    neutral_coordinates(joint.type, q.data() + joint.q_index);
    for (int k = 0; k < joint.v_count; ++k) v[k] = rng.uniform(-2.0, 2.0) * unit(joint.v_index + k);
    integrate_coordinates(joint.type, q.data() + joint.q_index, v, q.data() + joint.q_index);
  }
  return q;
}

void ClosureRows::compile(const Model& model) {
  *this = ClosureRows{};
  Builder(model, *this).run();
}

}  // namespace armature::inline v0_2
