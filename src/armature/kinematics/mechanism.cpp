#include "armature/kinematics/mechanism.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/geom/qr.hpp"
#include "armature/geom/svd.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kMechanismRank = 1e-8;

// Of the rows over the given columns: as many singular values as exceed max(1e-8, 10 |phi|) of the largest.
int rank_of(const MatX& J, const std::vector<int>& columns, double error) {
  if (columns.empty() || J.rows() == 0) return 0;
  MatX part(J.rows(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) part.col(static_cast<Eigen::Index>(c)) = J.col(columns[c]);
  Svd svd;
  svd.compute(part);
  return svd.rank(std::max(kMechanismRank, 10.0 * error));
}

class Analyst {
 public:
  Analyst(const Model& model, MechanismReport& out) : model_(model), out_(out) {}

  void run(const VecX& start, const std::vector<std::string>& wanted) {
    wanted_ = wanted;
    all_.prepare(model_);
    count();
    out_.q = start;
    out_.assembled = out_.never_close.empty() && find_assembled_pose(model_, all_, out_.q);
    out_.closure_error = closure_error(model_, out_.q);
    for (int v = 0; v < model_.v_size(); ++v) {
      if (all_.rows.in_loop(v)) loop_.push_back(v);
    }
    J_.resize(all_.rows.rows(), model_.v_size());
    if (!out_.assembled) {
      say_open();
      return;
    }
    say_outside();
    find_mobility();
    find_drives();
    describe_groups();
  }

 private:
  void count() {
    const ClosureRows& rows = all_.rows;
    out_.rows = rows.all_rows();
    out_.idle = rows.all_rows() - rows.rows();
    out_.kutzbach = model_.v_size() - rows.all_rows();
    out_.plane_or_point = out_.idle > 0;
    out_.kutzbach_reduced = model_.v_size() - rows.rows();
    for (const ClosureRows::Item& item : rows.items()) {
      std::string sentence = rows.never_closes(item);
      if (sentence.empty()) continue;
      out_.never_close.push_back({model_.closures()[at(item.closure)].name, item.idle_gap});
      out_.notes.push_back(std::move(sentence));
    }
  }

  void say_open() {
    if (!out_.never_close.empty()) return;
    out_.notes.push_back("The loops do not close from any pose that was tried; in the nearest to closing, " +
                         open_loops(model_, out_.q) + ".");
  }

  void say_outside() {
    std::vector<std::string> names;
    for (int i = 0; i < model_.q_size(); ++i) {
      if (out_.q[i] < model_.lower()[i] - 1e-6 || out_.q[i] > model_.upper()[i] + 1e-6)
        names.push_back(detail::quoted(model_.coordinate_name(i)));
    }
    std::vector<double> cut = all_.rows.middles_of_cuts();
    all_.error(out_.q.data());
    if (const int closure = all_.rows.beyond_cut_limits(1e-6, cut); closure >= 0)
      names.push_back(detail::quoted(model_.closures()[at(closure)].name));
    if (names.empty()) return;
    out_.notes.push_back("No pose was found in which the loops close inside the limits; this one breaks those of " +
                         detail::join(names) + ".");
  }

  int rank_at(const VecX& q, const std::vector<int>& columns) {
    const double error = all_.error(q.data());
    all_.rows.jacobian(J_);
    return rank_of(J_, columns, error);
  }

  // The most over the pose and its neighbours: at a dead point of a drive the rest cannot follow it, a little further
  // it can. J_ is that of the pose with the most.
  int rank_around(const std::vector<int>& columns) {
    int most = -1;
    const VecX* best = nullptr;
    for (const VecX& q : around_) {
      const int rank = rank_at(q, columns);
      if (rank <= most) continue;
      most = rank;
      best = &q;
      if (rank == most_) return rank;
    }
    return rank_at(*best, columns);
  }

  void find_mobility() {
    const int here = rank_at(out_.q, loop_);
    most_ = here;
    around_ = {out_.q};
    Rng rng(5);
    VecX v(model_.v_size());
    for (int s = 0; s < 4; ++s) {
      for (int i = 0; i < model_.v_size(); ++i) v[i] = rng.uniform(-0.05, 0.05) * all_.rows.unit(i);
      VecX q = integrate(model_, out_.q, v);
      if (!all_.assemble(q.data()).ok) continue;
      const int rank = rank_at(q, loop_);
      if (rank > most_) around_.clear();
      most_ = std::max(most_, rank);
      if (rank == most_) around_.push_back(q);
    }
    out_.mobility = model_.v_size() - most_;
    out_.redundant = all_.rows.rows() - most_;
    out_.singular = here < most_;
    if (out_.singular) {
      out_.notes.push_back("The pose is singular: it has " + std::to_string(most_ - here) + " more way" +
                           (most_ - here == 1 ? "" : "s") +
                           " to move than the poses around it: branches may meet here.");
    }
    if (out_.mobility == 0) out_.notes.push_back("The mechanism is rigid: with its loops closed nothing can move.");
  }

  // Joints at the ground first, turning before sliding, then as listed.
  std::vector<int> by_preference() const {
    std::vector<int> order;
    const auto rank = [&](int link) {
      const ModelJoint& joint = model_.joint(link);
      int depth = 0;
      for (int i = joint.parent; i >= 0 && depth < 1000; i = model_.parent(i)) {
        if (model_.joint(i).v_count > 0) ++depth;
      }
      const bool turns = joint.v_count == 1 && coordinates(joint.type)[0] == Coordinate::angle;
      return depth * 4 + (joint.v_count > 1 ? 2 : turns ? 0 : 1);
    };
    for (int link = 0; link < model_.link_count(); ++link) {
      const ModelJoint& joint = model_.joint(link);
      if (!joint.mimic && joint.v_count > 0) order.push_back(link);
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) < rank(b); });
    return order;
  }

  std::vector<int> without(const std::vector<char>& driven) const {
    std::vector<int> columns;
    for (const int v : loop_) {
      if (driven[at(v)] == 0) columns.push_back(v);
    }
    return columns;
  }

  int loop_velocities(const ModelJoint& joint) const {
    int count = 0;
    for (int k = 0; k < joint.v_count; ++k) count += all_.rows.in_loop(joint.v_index + k) ? 1 : 0;
    return count;
  }

  void find_drives() {
    driven_.assign(at(model_.v_size()), 0);
    out_.drives_given = !model_.drives().empty();
    const auto take = [&](int link, char value) {
      const ModelJoint& joint = model_.joint(link);
      for (int k = 0; k < joint.v_count; ++k) driven_[at(joint.v_index + k)] = value;
    };
    int left = static_cast<int>(loop_.size()) - most_;  // ways to move the loops that no drive has taken yet
    // A joint may be driven as long as the rest can still follow: its velocities take freedom away, not rank.
    const auto add = [&](int link) {
      const ModelJoint& joint = model_.joint(link);
      if (joint.mimic || joint.v_count == 0 || driven_[at(joint.v_index)] != 0) return true;
      const int own = loop_velocities(joint);
      if (own > left) return false;
      take(link, 1);
      if (own > 0 && rank_around(without(driven_)) < most_) {
        take(link, 0);
        return false;
      }
      left -= own;
      out_.drives.push_back(joint.name);
      return true;
    };
    for (const std::string& name : wanted_) {
      const std::optional<int> link = model_.lookup_joint(name);
      if (link && !add(*link)) out_.fighting.push_back(name);
    }
    for (const int link : model_.drives()) {
      if (!add(link) && wanted_.empty()) out_.fighting.push_back(model_.joint(link).name);
    }
    // Drives that were given are all there are, unless others were asked for in their place.
    if (!out_.drives_given || !wanted_.empty()) {
      for (const int link : by_preference()) add(link);
    }
    // What stays free: velocities that the driven ones do not decide.
    const std::vector<int> rest = without(driven_);
    const int rank = rank_around(rest);
    if (rank < static_cast<int>(rest.size())) {
      MatX part(J_.rows(), static_cast<Eigen::Index>(rest.size()));
      for (std::size_t c = 0; c < rest.size(); ++c) part.col(static_cast<Eigen::Index>(c)) = J_.col(rest[c]);
      const MatX null = null_space(part, kMechanismRank);
      for (std::size_t c = 0; c < rest.size(); ++c) {
        if (null.row(static_cast<Eigen::Index>(c)).norm() > 1e-6) {
          const std::string& name = model_.joint(model_.velocity_joint(rest[c])).name;
          if (out_.free_joints.empty() || out_.free_joints.back() != name) out_.free_joints.push_back(name);
        }
      }
    }
    for (int link = 0; link < model_.link_count(); ++link) {
      const ModelJoint& joint = model_.joint(link);
      if (joint.mimic || joint.v_count == 0 || driven_[at(joint.v_index)] != 0) continue;
      if (loop_velocities(joint) == 0) out_.free_joints.push_back(joint.name);
    }
    if (!out_.fighting.empty() && out_.mobility > 0) {
      const std::string names = detail::join(out_.fighting);
      out_.notes.push_back(out_.drives.empty()
                               ? "The loops do not let " + names + " move."
                               : "The drives fight: " + names + " cannot be moved independently of those before.");
    }
    if (out_.drives_given && !out_.free_joints.empty()) {
      out_.notes.push_back("The drives leave " + detail::join(out_.free_joints) + " free.");
    }
  }

  void describe_groups() {
    Assembler closed;
    closed.prepare(model_, driven_);
    closed.error(out_.q.data());
    PivotedQr qr;
    for (const LoopBlock& block : closed.blocks.blocks) {
      std::vector<std::string> names;
      for (const int link : block.joints) names.push_back(model_.joint(link).name);
      out_.groups.push_back(std::move(names));
      out_.transmission = std::min(out_.transmission, transmission_index(closed, block, qr));
    }
  }

  const Model& model_;
  MechanismReport& out_;
  Assembler all_;
  std::vector<int> loop_;
  std::vector<std::string> wanted_;
  std::vector<char> driven_;
  MatX J_;
  std::vector<VecX> around_;  // poses with the rank that counts
  int most_ = 0;
};

}  // namespace

double transmission_index(const Assembler& assembler, const LoopBlock& block, PivotedQr& qr) {
  const int m = static_cast<int>(block.rows.size());
  const int n = static_cast<int>(block.columns.size());
  if (m < n) return 0.0;
  std::vector<double> J(at(m * n)), squares(at(n));
  assembler.block_jacobian(block, J.data());
  assembler.column_squares(block, J.data(), squares.data());
  qr.compute(J.data(), m, n);
  double index = 1.0;
  for (int c = 0; c < n; ++c) {
    index *= squares[at(c)] > 0.0 ? qr.pivot(c) / std::sqrt(squares[at(c)]) : 0.0;
    // The product is taken over all columns: pivots are permuted, norms are not, which does not matter to it.
  }
  return std::min(index, 1.0);
}

bool find_assembled_pose(const Model& model, Assembler& all_free, VecX& q) {
  // Prefers poses inside the limits, but a closed one outside them to none, and of open ones the nearest to closing.
  VecX outside, nearest = q;
  double least = kInfinity;
  const std::vector<double> middles = all_free.rows.middles_of_cuts();
  std::vector<double> cut;
  const auto attempt = [&](VecX start) {
    if (!all_free.assemble(start.data()).ok) {
      const double gap = all_free.error(start.data());
      if (gap < least) {
        least = gap;
        nearest = start;
      }
      return false;
    }
    const VecX turned = start;
    wrap(model, start);
    if (all_free.error(start.data()) > Assembler::kClosed) start = turned;  // a gear is elsewhere after a full turn
    cut = middles;
    if (!inside_limits(model, start, 1e-6) || all_free.rows.beyond_cut_limits(1e-6, cut) >= 0) {
      if (outside.size() == 0) outside = start;
      return false;
    }
    q = start;
    return true;
  };
  if (q.size() == model.q_size() && q.allFinite() && attempt(q)) return true;
  for (const ModelPose& pose : model.poses()) {
    if (attempt(pose.q)) return true;
  }
  if (attempt(neutral_pose(model)) || attempt(middle_pose(model))) return true;
  // Further and further from the first one, then anywhere; what is in no loop stays.
  Rng rng(3);
  const VecX first = q.size() == model.q_size() && q.allFinite() ? q : neutral_pose(model);
  VecX v(model.v_size());
  for (int i = 0; i < 60; ++i) {
    for (int k = 0; k < v.size(); ++k) v[k] = rng.uniform(-0.1, 0.1) * (i + 1) * all_free.rows.unit(k);
    VecX start = i < 10       ? integrate(model, first, v)
                 : i % 2 == 0 ? random_pose(model, rng)
                              : all_free.rows.scattered_pose(rng);
    for (const ModelJoint& joint : model.joints()) {
      bool in_loop = false;
      for (int k = 0; k < joint.v_count; ++k) in_loop = in_loop || all_free.rows.in_loop(joint.v_index + k);
      if (!joint.mimic && !in_loop)
        start.segment(joint.q_index, joint.q_count) = first.segment(joint.q_index, joint.q_count);
    }
    if (attempt(std::move(start))) return true;
  }
  q = outside.size() > 0 ? outside : nearest;
  return outside.size() > 0;
}

MechanismReport analyze_mechanism(const Model& model, const VecX& q, const std::vector<std::string>& drives) {
  MechanismReport report;
  if (model.closures().empty()) {
    report.q = q;
    report.assembled = true;
    report.mobility = report.kutzbach = model.v_size();
    report.drives_given = !model.drives().empty();
    for (const ModelJoint& joint : model.joints()) {
      if (!joint.mimic && joint.v_count > 0) report.drives.push_back(joint.name);
    }
    return report;
  }
  Analyst(model, report).run(q, drives);
  return report;
}

MechanismReport analyze_mechanism(const Model& model) {
  return analyze_mechanism(model, model.poses().empty() ? neutral_pose(model) : model.poses().front().q);
}

}  // namespace armature::inline v0_2
