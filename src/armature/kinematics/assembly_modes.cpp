#include "armature/kinematics/assembly_modes.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/number.hpp"
#include "armature/geom/qr.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kLimitSlack = 1e-6;  // of limits

class ModeSearch {
 public:
  ModeSearch(const Model& model, std::span<const char> held, const ModesOptions& options, AssemblyModes& out)
      : model_(model), options_(options), out_(out) {
    assembler_.prepare(model, held);
    middles_ = assembler_.rows.middles_of_cuts();
    family_.assign(assembler_.blocks.blocks.size(), 0);
    find_thread();
    if (!model.linkage().effectors.empty()) {
      seen_links_ = model.effectors();
    } else {
      seen_links_ = assembler_.rows.links();
      for (const ModelClosure& closure : model.closures()) {
        for (const int link : {closure.joint, closure.source}) {
          if (link >= 0) seen_links_.push_back(link);
        }
      }
    }
  }

  void run(const VecX& q) {
    place_all(q);
    for (std::size_t i = 0; i < turn_.size(); ++i) turn_[i] = thread_angle(i);
    const int blocks = static_cast<int>(assembler_.blocks.blocks.size());
    // Depth first over the groups. The first branch is the pose that was given.
    std::vector<std::vector<VecX>> open(at(blocks) + 1);
    open[0].push_back(q);
    int depth = 0;
    std::vector<double> width(at(blocks) + 1, 1.0);
    bool dropped = false;
    while (depth >= 0) {
      if (open[at(depth)].empty()) {
        --depth;
        continue;
      }
      if (static_cast<int>(out_.q.size()) >= options_.max_modes || looked_at_ > 16 * options_.max_modes) {
        dropped = true;
        break;
      }
      const VecX pose = open[at(depth)].back();
      open[at(depth)].pop_back();
      if (depth == blocks) {
        add_mode(pose);
        continue;
      }
      std::vector<VecX> found = solve_block(depth, pose);
      width[at(depth) + 1] = std::max(width[at(depth) + 1], static_cast<double>(found.size()));
      std::reverse(found.begin(), found.end());  // the last is taken first
      open[at(depth) + 1] = std::move(found);
      ++depth;
    }
    out_.complete = !dropped && sure_;
    out_.count = static_cast<double>(out_.q.size());
    if (dropped) {
      out_.count = 1.0;
      for (const double w : width) out_.count *= w;
    }
    out_.families = static_cast<int>(std::count(family_.begin(), family_.end(), 1));
  }

 private:
  // All poses of one group with those before it in place.
  std::vector<VecX> solve_block(int index, const VecX& pose) {
    const LoopBlock& block = assembler_.blocks.blocks[at(index)];
    std::vector<VecX> found;
    std::vector<std::vector<Transform>> frames;
    std::vector<int> hits;
    Rng rng(1 + static_cast<std::uint64_t>(index));
    int closed = 0;
    for (int start = 0; start < options_.max_starts; ++start) {
      VecX q = pose;
      if (start > 0) scatter(block, rng, q);
      place_all(q);
      if (!assembler_.assemble_block(index, q.data(), 80, 0.7).ok || on_another_turn(block)) continue;
      if (breaks_limits(block, q)) {
        out_.limited = true;
        continue;
      }
      if (lacks_rank(block, q) && goes_on(index, q)) {
        family_[at(index)] = 1;
        if (start > 300 && found.empty()) break;
        continue;
      }
      ++closed;
      std::vector<Transform> now;
      for (const int link : told_apart_by(block)) now.push_back(assembler_.rows.frame(link));
      if (now.empty()) {  // joints that are coupled, in no loop
        for (const int link : block.joints) {
          const ModelJoint& joint = model_.joint(link);
          now.push_back(joint_transform(joint.type, q.data() + joint.q_index));
        }
      }
      int same = -1;
      for (std::size_t i = 0; i < frames.size() && same < 0; ++i) {
        if (alike(frames[i], now)) same = static_cast<int>(i);
      }
      if (same >= 0) {
        ++hits[at(same)];
      } else {
        found.push_back(q);
        frames.push_back(std::move(now));
        hits.push_back(1);
      }
      const auto once = std::count(hits.begin(), hits.end(), 1);
      // Small groups have few poses: 20 hits do; others take 60.
      if (once == 0 && closed >= (block.rows.size() <= 2 ? 20 : 60)) return found;
      if (start >= 300 && closed == 0) return found;
    }
    sure_ = sure_ && std::count(hits.begin(), hits.end(), 1) == 0;
    return found;
  }

  // The links people look at, where the group has such links.
  const std::vector<int>& told_apart_by(const LoopBlock& block) {
    shown_.clear();
    for (const int link : block.links) {
      if (std::find(seen_links_.begin(), seen_links_.end(), link) != seen_links_.end()) shown_.push_back(link);
    }
    return shown_.empty() ? block.links : shown_;
  }

  void scatter(const LoopBlock& block, Rng& rng, VecX& q) const {
    double furthest = 1.5;  // of slides, in lengths
    for (const LoopBlock::Part& part : block.parts) furthest = std::min(furthest, thread_[at(part.item)]);
    for (const int link : block.joints) {
      const ModelJoint& joint = model_.joint(link);
      double v[kMaxJointVelocities] = {0, 0, 0, 0, 0, 0};
      for (const int c : block.columns) {
        if (model_.velocity_joint(c) != link) continue;
        const bool slides = coordinates(joint.type)[at(c - joint.v_index)] == Coordinate::length;
        v[c - joint.v_index] = rng.uniform(-1.0, 1.0) * (slides ? furthest * assembler_.rows.unit(c) : kPi);
      }
      if (furthest == 1.5) neutral_if_whole(joint, block, q);
      integrate_coordinates(joint.type, q.data() + joint.q_index, v, q.data() + joint.q_index);
    }
  }
  // Scattering begins at the neutral coordinates where the group owns all of the joint.
  void neutral_if_whole(const ModelJoint& joint, const LoopBlock& block, VecX& q) const {
    int own = 0;
    for (const int c : block.columns) own += c >= joint.v_index && c < joint.v_index + joint.v_count ? 1 : 0;
    if (own == joint.v_count) neutral_coordinates(joint.type, q.data() + joint.q_index);
  }

  // Screws close on every turn of their thread, without end: only the turn that the pose has counts, and slides are
  // scattered over about that one.
  void find_thread() {
    const std::vector<ClosureRows::Item>& items = assembler_.rows.items();
    thread_.assign(items.size(), kInfinity);
    turn_.assign(items.size(), 0.0);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto* type = std::get_if<JointType>(&model_.closures()[at(items[i].closure)].type);
      const auto* screw = type != nullptr ? std::get_if<Helical>(type) : nullptr;
      if (screw != nullptr && screw->pitch != 0.0) thread_[i] = std::abs(screw->pitch) / assembler_.rows.length();
    }
  }
  double thread_angle(std::size_t item) const {
    double angle[kMaxJointCoordinates] = {0, 0, 0, 0, 0, 0, 0};
    if (thread_[item] < kInfinity) assembler_.rows.cut_coordinates(static_cast<int>(item), angle);
    return angle[0];
  }
  bool on_another_turn(const LoopBlock& block) const {
    for (const LoopBlock::Part& part : block.parts) {
      if (std::abs(thread_angle(at(part.item)) - turn_[at(part.item)]) > kPi) return true;
    }
    return false;
  }

  void place_all(const VecX& q) { assembler_.rows.place(q.data(), assembler_.rows.links()); }

  bool lacks_rank(const LoopBlock& block, const VecX& q) {
    const int m = static_cast<int>(block.rows.size());
    const int n = static_cast<int>(block.columns.size());
    if (m < n) return true;
    J_.resize(at(m * n));
    assembler_.block_residual(block, q.data());
    assembler_.block_jacobian(block, J_.data());
    qr_.compute(J_.data(), m, n);
    return qr_.rank(1e-6) < n;
  }

  // Whether the group, which lacks rank at q, can move on from there with its drives still: it is not a pose at which
  // two assemblies meet. Told by steps along its null vectors, after each of which the loops are closed again.
  bool goes_on(int index, const VecX& q) {
    constexpr double kStep = 0.03;
    const LoopBlock& block = assembler_.blocks.blocks[at(index)];
    const int m = static_cast<int>(block.rows.size());
    const int n = static_cast<int>(block.columns.size());
    if (m < n) return true;
    const int rank = qr_.rank(1e-6);
    bool moves = false;
    std::vector<VecX> null(at(n - rank), VecX::Zero(n));
    for (int k = rank; k < n; ++k) qr_.null_vector(k, rank, null[at(k - rank)].data());
    for (const VecX& direction : null) {
      for (const double step : {kStep, -kStep}) {
        VecX v = VecX::Zero(model_.v_size());
        for (int c = 0; c < n; ++c) {
          const int column = block.columns[at(c)];
          v[column] = step * direction[c] / direction.norm() * assembler_.rows.unit(column);
        }
        VecX moved = integrate(model_, q, v);
        place_all(moved);
        if (!assembler_.assemble_block(index, moved.data(), 80, 0.7).ok) continue;
        v = difference(model_, q, moved);
        double way = 0.0;
        for (int c = 0; c < n; ++c) {
          const int column = block.columns[at(c)];
          way += v[column] / assembler_.rows.unit(column) * direction[c] / direction.norm();
        }
        moves = moves || std::abs(way) > 0.3 * kStep;
      }
    }
    place_all(q);
    return moves;
  }

  // Joints of the group beyond their limits, full turns aside.
  bool breaks_limits(const LoopBlock& block, const VecX& q) {
    wrapped_ = q;
    wrap(model_, wrapped_);
    for (const int link : block.joints) {
      const ModelJoint& joint = model_.joint(link);
      for (int i = joint.q_index; i < joint.q_index + joint.q_count; ++i) {
        if (wrapped_[i] < model_.lower()[i] - kLimitSlack || wrapped_[i] > model_.upper()[i] + kLimitSlack) return true;
      }
    }
    return false;
  }

  bool alike(const std::vector<Transform>& a, const std::vector<Transform>& b) const {
    const double slack = 1e-5;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if ((a[i].position - b[i].position).norm() > slack * assembler_.rows.length()) return false;
      if ((a[i].rotation - b[i].rotation).norm() > slack) return false;
    }
    return true;
  }

  void add_mode(const VecX& pose) {
    ++looked_at_;
    VecX q = pose;
    wrap(model_, q);
    if (assembler_.error(q.data()) > Assembler::kClosed) {  // a gear is elsewhere after a full turn
      q = pose;
      if (assembler_.error(q.data()) > 1e-9) return;
    }
    cut_ = middles_;
    if (assembler_.rows.beyond_cut_limits(kLimitSlack, cut_) >= 0) {
      out_.limited = true;
      return;
    }
    forward(model_, q, state_);
    std::vector<Transform> now;
    for (const int link : seen_links_) now.push_back(state_.X_WL[at(link)]);
    for (const std::vector<Transform>& other : modes_) {
      if (alike(other, now)) return;
    }
    modes_.push_back(std::move(now));
    out_.q.push_back(q);
  }

  const Model& model_;
  const ModesOptions& options_;
  AssemblyModes& out_;
  Assembler assembler_;
  std::vector<char> family_;
  std::vector<int> seen_links_, shown_;
  std::vector<double> thread_, turn_;  // per closure: lengths per turn of a screw, and its angle in the pose given
  std::vector<double> middles_, cut_;  // of cut joints with limits
  VecX wrapped_;
  int looked_at_ = 0;
  std::vector<std::vector<Transform>> modes_;
  std::vector<double> J_;
  PivotedQr qr_;
  State state_;
  bool sure_ = true;
};

}  // namespace

AssemblyModes assembly_modes(const Model& model, const VecX& q, std::span<const char> held,
                             const ModesOptions& options) {
  AssemblyModes out;
  if (model.closures().empty() || q.size() != model.q_size()) {
    out.q.push_back(q);
    out.complete = true;
    out.count = 1.0;
    return out;
  }
  ModeSearch(model, held, options, out).run(q);
  return out;
}

AssemblyModes assembly_modes(const Model& model, const VecX& q, const ModesOptions& options) {
  const MechanismReport mechanism = analyze_mechanism(model, q);
  const Result<std::vector<char>> held = held_velocities(model, mechanism.drives);
  return assembly_modes(model, mechanism.q, held.ok() ? *held : std::vector<char>(at(model.v_size()), 0), options);
}

}  // namespace armature::inline v0_2
