// Over 400 lines: one walk from the first value to the last, and the words for each way in which it can end.
#include "armature/motion/drive.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

Result<int> one_coordinate_joint(const Model& model, const std::string& name) {
  const Result<int> link = model.find_joint(name);
  if (!link) return link.error();
  const ModelJoint& joint = model.joint(*link);
  if (joint.mimic) {
    return Error{"Joint " + detail::quoted(name) + " follows joint " + detail::quoted(model.joint(joint.source).name) +
                 "; drive that one instead."};
  }
  if (joint.q_count != 1) {
    return Error{"Joint " + detail::quoted(name) + " is " + type_name(joint.type) +
                 "; only a joint of one coordinate can be driven."};
  }
  return *link;
}

std::string value_text(const ModelJoint& joint, double value) {
  const bool angle = coordinates(joint.type)[0] == Coordinate::angle;
  return angle ? pretty_number(value * 180.0 / kPi) + " deg" : pretty_number(value);
}

class Drive {
 public:
  Drive(const Model& model, const DriveOptions& options) : model_(model), options_(options) {}

  Result<DriveReport> run() {
    if (const Status status = resolve(); !status) return status.error();
    if (const Status status = find_start(); !status) return status.error();
    driver_.prepare(model_, driven_);
    if (const Status status = go_to_beginning(); !status) return status.error();
    move();
    return std::move(report_);
  }

 private:
  Status resolve() {
    moves_.push_back({options_.joint, options_.to, options_.from});
    moves_.insert(moves_.end(), options_.also.begin(), options_.also.end());
    if (options_.frames < 2 || options_.frames > 10'000'000) {
      return Error{"A drive needs from 2 to 10,000,000 frames, not " + std::to_string(options_.frames) + "."};
    }
    for (const DriveMove& move : moves_) {
      const Result<int> link = one_coordinate_joint(model_, move.joint);
      if (!link) return link.error();
      if (std::find(links_.begin(), links_.end(), *link) != links_.end()) {
        return Error{"Joint " + detail::quoted(move.joint) + " is driven twice."};
      }
      if (!std::isfinite(move.to) || (move.from && !std::isfinite(*move.from))) {
        return Error{"Joint " + detail::quoted(move.joint) + " is driven to a value that is not a finite number."};
      }
      links_.push_back(*link);
      names_.push_back(move.joint);
    }
    if (options_.start.size() != 0 && (options_.start.size() != model_.q_size() || !options_.start.allFinite())) {
      return Error{"The start pose needs " + std::to_string(model_.q_size()) + " finite numbers."};
    }
    return {};
  }

  Status find_start() {
    MechanismReport mechanism = options_.start.size() != 0 ? analyze_mechanism(model_, options_.start, names_)
                                : model_.poses().empty()   ? analyze_mechanism(model_, neutral_pose(model_), names_)
                                                         : analyze_mechanism(model_, model_.poses().front().q, names_);
    if (!mechanism.assembled)
      return Error{mechanism.notes.empty() ? "The loops do not close." : mechanism.notes.front()};
    q_ = mechanism.q;
    if (options_.start.size() != 0) {
      // A start that is assembled already stays as it is, bit for bit.
      if (closure_error(model_, options_.start) <= Assembler::kClosed * model_.size()) q_ = options_.start;
    }
    std::vector<std::string> held = mechanism.drives;
    held.insert(held.end(), mechanism.free_joints.begin(), mechanism.free_joints.end());
    Result<std::vector<char>> driven = held_velocities(model_, mechanism.drives);
    if (!driven) return driven.error();
    driven_ = std::move(*driven);
    // Drives that fight are driven all the same: the outcome says that they are locked.
    for (const int link : links_) driven_[at(model_.joint(link).v_index)] = 1;
    return {};
  }

  VecX change_to(const std::vector<double>& targets) const {
    VecX change = VecX::Zero(model_.v_size());
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const ModelJoint& joint = model_.joint(links_[i]);
      change[joint.v_index] = targets[i] - q_[joint.q_index];
    }
    return change;
  }
  double value(std::size_t i) const { return q_[model_.joint(links_[i]).q_index]; }

  // From where the start is to where the motion begins, by driving there, so that the assembly stays the same; where a
  // dead point lies between, by assembling near.
  Status go_to_beginning() {
    std::vector<double> targets;
    bool away = false;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      targets.push_back(moves_[i].from.value_or(value(i)));
      away = away || targets[i] != value(i);
    }
    if (!away) return {};
    const VecX start = q_;
    if (driver_.advance(q_, change_to(targets)) == DriveOutcome::reached) {
      set_exactly(targets);
      return {};
    }
    driver_.restart();
    q_ = start;
    set_exactly(targets);
    Assembler assembler;
    assembler.prepare(model_, driven_);
    if (assembler.assemble(q_.data()).ok) return {};
    Rng rng(17);
    for (int i = 0; i < 40; ++i) {
      q_ = assembler.rows.scattered_pose(rng);
      for (int k = 0; k < model_.q_size(); ++k) {
        if (driven_coordinate(k)) q_[k] = start[k];
      }
      set_exactly(targets);
      if (assembler.assemble(q_.data()).ok) return {};
    }
    return Error{not_closing(start, targets)};
  }

  // Names every drive; what the only one of a mechanism can reach from the start is known.
  std::string not_closing(const VecX& start, const std::vector<double>& targets) const {
    std::string where;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      where += (i == 0 ? "joint " : " and joint ") + detail::quoted(names_[i]) + " at " +
               value_text(model_.joint(links_[i]), targets[i]);
    }
    std::string text = "The loops of " + detail::quoted(model_.name()) + " do not close with " + where + ".";
    const int mobility = analyze_mechanism(model_, start).mobility;
    if (mobility == 0) return text + " The mechanism is rigid: nothing can be driven.";
    if (static_cast<int>(names_.size()) > mobility) {
      return text + " Its mobility is " + std::to_string(mobility) + ": so many joints can be driven at once.";
    }
    if (names_.size() > 1) return text;
    const Result<CircuitReport> range = circuit(model_, start, names_[0]);
    if (!range || range->full_turn) return text;
    return text + " From the start it goes from " + value_text(model_.joint(links_[0]), range->lower) + " to " +
           value_text(model_.joint(links_[0]), range->upper) + ".";
  }

  bool driven_coordinate(int coordinate) const {
    const ModelJoint& joint = model_.joint(model_.coordinate_joint(coordinate));
    return driven_[at(joint.v_index)] != 0;
  }
  void set_exactly(const std::vector<double>& targets) {
    for (std::size_t i = 0; i < links_.size(); ++i) q_[model_.joint(links_[i]).q_index] = targets[i];
  }

  void record() {
    report_.clip.append(q_);
    report_.values.push_back(value(0));
    report_.transmission.push_back(driver_.transmission());
    report_.largest_closure_error = std::max(report_.largest_closure_error, closure_error_now());
  }
  double closure_error_now() { return checker_.error(q_.data()) * checker_.rows.length(); }

  void move() {
    checker_.prepare(model_);
    report_.clip.q_size = model_.q_size();
    report_.clip.model = model_;
    report_.clip.frame_time = options_.frame_time;
    report_.clip.name = options_.joint;
    std::vector<double> from;
    for (std::size_t i = 0; i < moves_.size(); ++i) from.push_back(value(i));
    std::vector<double> targets(moves_.size());
    for (std::size_t i = 0; i < moves_.size(); ++i) targets[i] = moves_[i].to;
    const VecX whole = change_to(targets);
    report_.outcome = choose_branch(whole);
    driver_.look(q_, whole);
    record();
    for (int f = 1; f < options_.frames && report_.ok(); ++f) {
      const double share = static_cast<double>(f) / (options_.frames - 1);
      for (std::size_t i = 0; i < moves_.size(); ++i) {
        targets[i] = f + 1 == options_.frames ? moves_[i].to : from[i] + share * (moves_[i].to - from[i]);
      }
      const VecX change = change_to(targets);
      report_.outcome = driver_.advance(q_, change);
      if (!report_.ok()) {
        explain_stop(change);
        break;
      }
      record();
    }
    report_.q = q_;
    report_.value = value(0);
    describe();
  }

  // A start where branches meet: without a past nobody knows which one is meant.
  DriveOutcome choose_branch(const VecX& change) {
    if (change.norm() == 0.0) return DriveOutcome::reached;
    LoopPath path;
    path.prepare(model_, driven_, change);
    LoopPath::Point point;
    path.resize(point);
    point.q = q_;
    if (path.find_tangent(point, nullptr) < 2 && point.ratio > 1e-6) return DriveOutcome::reached;
    VecX branches[2];
    const int count = path.branch_tangents(point, branches);
    if (count == 0) return DriveOutcome::reached;
    if (count > 1 && (options_.branch < 1 || options_.branch > count)) {
      report_.stopped_at = value(0);
      report_.stopped_pose = q_;
      return DriveOutcome::branch_point;
    }
    const VecX& chosen = branches[count > 1 ? options_.branch - 1 : 0];
    VecX tangent = change;
    const double ds = chosen[path.columns() - 1];
    if (std::abs(ds) < 1e-9) return DriveOutcome::branch_point;
    for (int c = 0; c + 1 < path.columns(); ++c) {
      const int v = path.velocity(c);
      tangent[v] = chosen[c] / ds / path.scale() * path.rows().unit(v);
    }
    driver_.follow_branch(q_, tangent, change);
    return DriveOutcome::reached;
  }

  // Tells a dead point from a lock and a change point, and finds where it is.
  void explain_stop(const VecX& change) {
    if (report_.outcome == DriveOutcome::limit) {
      const int i = driver_.limit_coordinate();
      report_.limit_joint = i >= 0 ? model_.coordinate_name(i) : model_.closures()[at(driver_.limit_closure())].name;
      report_.stopped_at = value(0);
      report_.stopped_pose = q_;
      record();
      return;
    }
    if (report_.outcome != DriveOutcome::dead_point && report_.outcome != DriveOutcome::branch_point) return;
    LoopPath path;
    path.prepare(model_, driven_, change);
    LoopPath::Point a, b, c;
    for (LoopPath::Point* p : {&a, &b, &c}) path.resize(*p);
    a.q = q_;
    report_.outcome = DriveOutcome::locked;
    if (path.find_tangent(a, nullptr) == 0) return;
    const int s = path.columns() - 1;
    if (std::abs(a.tangent[s]) < 1e-9 && a.ratio > 1e-6) {
      finish_dead(path, a);
      return;
    }
    for (int k = 0; k < 400; ++k) {
      if (!path.walk(a, 0.02, b)) return;
      if (b.tangent[s] <= 0.0) {  // the drive turns back between a and b
        double low = 0.0, high = 0.02, f_low = a.tangent[s], f_high = b.tangent[s];
        c = b;
        for (int i = 0; i < 60; ++i) {
          const double h = i % 3 == 2 ? 0.5 * (low + high) : low - f_low * (high - low) / (f_high - f_low);
          if (!path.walk(a, h, c)) break;
          const double f = c.tangent[s];
          if (f_low * f <= 0.0) {
            high = h;
            f_high = f;
          } else {
            low = h;
            f_low = f;
          }
          if (std::abs(f) < 1e-15 || high - low < 1e-15) break;
        }
        finish_dead(path, c);
        return;
      }
      std::swap(a, b);
    }
  }

  void finish_dead(LoopPath& path, const LoopPath::Point& at_point) {
    report_.outcome = at_point.ratio < 1e-6 ? DriveOutcome::branch_point : DriveOutcome::dead_point;
    report_.stopped_pose = at_point.q;
    report_.stopped_at = at_point.q[model_.joint(links_[0]).q_index];
    driver_.look(at_point.q, VecX::Zero(model_.v_size()));
    if (driver_.weakest_block() >= 0) {
      const LoopBlock& block = driver_.assembler().blocks.blocks[at(driver_.weakest_block())];
      for (const int link : block.joints) report_.in_line.push_back(model_.link_name(link));
      for (const LoopBlock::Part& part : block.parts) {
        const ClosureRows::Item& item = driver_.assembler().rows.items()[at(part.item)];
        if (item.kind == ClosureRows::Item::Kind::rod)
          report_.in_line.push_back(model_.closures()[at(item.closure)].name);
      }
    }
    int best = -1;
    for (int c = 0; c + 1 < path.columns(); ++c) {
      const ModelJoint& joint = model_.joint(model_.velocity_joint(path.velocity(c)));
      if (joint.q_count != 1) continue;
      if (best < 0 || std::abs(at_point.tangent[c]) > std::abs(at_point.tangent[best])) best = c;
    }
    if (best >= 0) report_.other_drive = model_.joint(model_.velocity_joint(path.velocity(best))).name;
  }

  void describe() {
    const ModelJoint& joint = model_.joint(links_[0]);
    const std::string who = "Joint " + detail::quoted(joint.name);
    const std::string where =
        report_.stopped_at ? value_text(joint, *report_.stopped_at) : value_text(joint, report_.value);
    switch (report_.outcome) {
      case DriveOutcome::reached:
        report_.text = who + " reached " + value_text(joint, report_.value) + " in " +
                       std::to_string(report_.clip.frame_count()) + " frames.";
        break;
      case DriveOutcome::dead_point: {
        std::vector<std::string> links;
        for (const std::string& link : report_.in_line) links.push_back(detail::quoted(link));
        report_.text = who + " stops at a dead point at " + where;
        if (links.size() == 2) report_.text += ": links " + links[0] + " and " + links[1] + " are in line";
        if (links.size() > 2) report_.text += ": links " + detail::join(links, 6) + " can push no further";
        report_.text += ".";
        if (!report_.other_drive.empty()) {
          report_.text += " Drive joint " + detail::quoted(report_.other_drive) + " to pass it.";
        }
        break;
      }
      case DriveOutcome::branch_point:
        report_.text = "Branches of the motion meet at " + where + " of joint " + detail::quoted(joint.name) +
                       ", where the mechanism can go on in two ways; begin beside it, or choose branch 1 or 2.";
        break;
      case DriveOutcome::limit:
        report_.text =
            who + " stops at " + where + ", where " + detail::quoted(report_.limit_joint) + " is at its limit.";
        break;
      case DriveOutcome::locked:
        report_.text = who + " is locked at " + where + ": the loops allow no motion of it.";
        break;
      case DriveOutcome::not_finite:
        report_.text = who + " stops at " + where + ": the numbers overflow double precision.";
        break;
    }
  }

  const Model& model_;
  const DriveOptions& options_;
  std::vector<DriveMove> moves_;
  std::vector<int> links_;
  std::vector<std::string> names_;
  std::vector<char> driven_;
  Driver driver_;
  Assembler checker_;
  VecX q_;
  DriveReport report_;
};

}  // namespace

Result<DriveReport> drive(const Model& model, const DriveOptions& options) { return Drive(model, options).run(); }

Result<VecX> velocity_ratios(const Model& model, const VecX& q, const std::string& name) {
  const Result<int> link = one_coordinate_joint(model, name);
  if (!link) return link.error();
  const MechanismReport mechanism = analyze_mechanism(model, q, {name});
  Result<std::vector<char>> driven = held_velocities(model, mechanism.drives);
  if (!driven) return driven.error();
  (*driven)[at(model.joint(*link).v_index)] = 1;
  Driver driver;
  driver.prepare(model, *driven);
  VecX change = VecX::Zero(model.v_size());
  change[model.joint(*link).v_index] = 1.0;
  driver.look(q, change);
  return driver.tangent();
}

Status close_loops(const Model& model, Clip& clip) {
  if (model.closures().empty() || clip.frame_count() == 0) return {};
  if (clip.q_size != model.q_size()) return Error{"The motion belongs to another model: its frames have another size."};
  const VecX first = Eigen::Map<const VecX>(clip.frame(0), model.q_size());
  const MechanismReport mechanism = analyze_mechanism(model, first);
  if (!mechanism.assembled) return Error{mechanism.notes.empty() ? "The loops do not close." : mechanism.notes.front()};
  const Result<std::vector<char>> held = held_velocities(model, mechanism.drives);
  if (!held) return held.error();
  Assembler assembler;
  assembler.prepare(model, *held);
  for (int f = 0; f < clip.frame_count(); ++f) {
    if (assembler.assemble(clip.frame(f)).ok) continue;
    return Error{"Frame " + std::to_string(f) +
                 " of the motion: " + open_loops(model, Eigen::Map<const VecX>(clip.frame(f), model.q_size())) +
                 " with the drives where the keys have them; use --drive for motions of a mechanism."};
  }
  return {};
}

std::vector<Vec3> trail(const Model& model, const Clip& clip, int link, const Vec3& point) {
  std::vector<Vec3> path;
  if (clip.q_size != model.q_size() || link < 0 || link >= model.link_count()) return path;
  State state;
  for (int f = 0; f < clip.frame_count(); ++f) {
    forward(model, clip.frame(f), state);
    path.push_back(state.X_WL[at(link)] * point);
  }
  return path;
}

}  // namespace armature::inline v0_2
