// A circuit by arc length: both ways from a pose until the motion comes back to it or a limit ends it.
#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/drive.hpp"

namespace armature::inline v0_2 {
namespace {

class CircuitWalk {
 public:
  CircuitWalk(const Model& model, int drive, double largest_step)
      : model_(model), drive_(drive), largest_(largest_step) {}

  CircuitReport run(const VecX& q, std::span<const char> held) {
    VecX direction = VecX::Zero(model_.v_size());
    direction[model_.joint(drive_).v_index] = 1.0;
    path_.prepare(model_, held, direction);
    LoopPath::Point start;
    path_.resize(start);
    start.q = q;
    CircuitReport report;
    report.poses.q_size = model_.q_size();
    report.poses.name = model_.joint(drive_).name;
    report.lower = report.upper = value(q);
    if (path_.find_tangent(start, nullptr) == 0) {
      report.poses.append(q);
      return report;
    }
    std::vector<VecX> ahead, behind;
    report.closed = walk(start, 1.0, ahead, report);
    if (!report.closed) walk(start, -1.0, behind, report);
    for (std::size_t i = behind.size(); i-- > 0;) report.poses.append(behind[i]);
    report.poses.append(q);
    for (const VecX& pose : ahead) report.poses.append(pose);
    std::stable_sort(report.dead_points.begin(), report.dead_points.end(),
                     [](const DeadPoint& a, const DeadPoint& b) { return a.value < b.value; });
    std::sort(report.branch_points.begin(), report.branch_points.end());
    report.full_turn = report.closed && report.dead_points.empty() && report.upper - report.lower > kPi;
    // The last step went past where it began.
    const double turn = 2.0 * kPi;
    if (report.full_turn)
      report.upper = report.lower + turn * std::max(1.0, std::round((report.upper - report.lower) / turn));
    return report;
  }

 private:
  double value(const VecX& q) const { return q[model_.joint(drive_).q_index]; }

  // How far apart two poses are, measured as steps are, full turns apart being the same.
  double distance(const VecX& a, const VecX& b) {
    VecX d = difference(model_, a, b);
    double sum = 0.0;
    for (int v = 0; v < d.size(); ++v) {
      const ModelJoint& joint = model_.joint(model_.velocity_joint(v));
      const int k = v - joint.v_index;
      double x = d[v];
      if (k < coordinate_count(joint.type) && turn_repeats(joint.type, k)) x = wrap_angle(x);
      x /= path_.rows().unit(v);
      sum += x * x;
    }
    return std::sqrt(sum);
  }

  // True when it came back to `start`.
  bool walk(const LoopPath::Point& start, double sign, std::vector<VecX>& poses, CircuitReport& report) {
    LoopPath::Point a = start, b = start, c = start;
    a.tangent *= sign;
    const int s = path_.columns() - 1;
    double h = largest_;
    bool away = false;
    for (int k = 0; k < 20000; ++k) {
      bool ok = false;
      for (int halving = 0; halving < 20; ++halving, h *= 0.5) {
        if (!path_.walk(a, h, b)) continue;
        // The motion bends little within a step, and the step is as long as it was meant to be.
        if (b.tangent.dot(a.tangent) < 0.97) continue;
        ok = true;
        break;
      }
      if (!ok) {  // no way on: branches meet here, and which one to follow is not known
        report.branch_points.push_back(value(a.q));
        return false;
      }
      int blocked = -1;
      for (int i = 0; i < model_.q_size(); ++i) {
        const bool out = b.q[i] < model_.lower()[i] - 1e-12 || b.q[i] > model_.upper()[i] + 1e-12;
        const bool was = a.q[i] < model_.lower()[i] - 1e-12 || a.q[i] > model_.upper()[i] + 1e-12;
        if (out && !was) blocked = i;
      }
      if (blocked >= 0) {
        double low = 0.0, high = h;
        for (int i = 0; i < 60 && high - low > 1e-15; ++i) {
          const double middle = 0.5 * (low + high);
          if (!path_.walk(a, middle, c)) break;
          const bool out = c.q[blocked] < model_.lower()[blocked] || c.q[blocked] > model_.upper()[blocked];
          (out ? high : low) = middle;
        }
        path_.walk(a, low, c);
        poses.push_back(c.q);
        note(c.q, report);
        report.limit_joint = model_.coordinate_name(blocked);
        return false;
      }
      if (a.tangent[s] * b.tangent[s] < 0.0) locate(a, b, h, c, report);
      // Back at the start: it lies on the way from a to b. Compared by pose, not by q: full turns are the same.
      const double after = distance(b.q, start.q);
      away = away || after > 3.0 * h;
      if (away && after < 1.5 * h) {
        if (after > distance(a.q, start.q) || after < 1e-9) {
          note(b.q, report);
          return true;
        }
      }
      poses.push_back(b.q);
      note(b.q, report);
      std::swap(a, b);
      h = std::min(largest_, 1.5 * h);
    }
    return false;
  }

  void note(const VecX& q, CircuitReport& report) const {
    report.lower = std::min(report.lower, value(q));
    report.upper = std::max(report.upper, value(q));
  }

  // The drive turns back between a and b.
  void locate(const LoopPath::Point& a, const LoopPath::Point& b, double h, LoopPath::Point& c, CircuitReport& report) {
    const int s = path_.columns() - 1;
    double low = 0.0, high = h, f_low = a.tangent[s], f_high = b.tangent[s];
    for (int i = 0; i < 60; ++i) {
      const double x = i % 3 == 2 ? 0.5 * (low + high) : low - f_low * (high - low) / (f_high - f_low);
      if (!path_.walk(a, x, c)) return;
      const double f = c.tangent[s];
      if (f_low * f <= 0.0) {
        high = x;
        f_high = f;
      } else {
        low = x;
        f_low = f;
      }
      if (std::abs(f) < 1e-15 || high - low < 1e-15) break;
    }
    note(c.q, report);
    if (c.ratio < 1e-6) {
      report.branch_points.push_back(value(c.q));
    } else {
      report.dead_points.push_back({value(c.q), c.q});
    }
  }

  const Model& model_;
  int drive_;
  double largest_;
  LoopPath path_;
};

// Whether a pose lies on a circuit: near one of its poses, frames compared by their coordinates short way round.
bool lies_on(const Model& model, const CircuitReport& circuit, const VecX& q, double slack) {
  for (int f = 0; f < circuit.poses.frame_count(); ++f) {
    VecX other = Eigen::Map<const VecX>(circuit.poses.frame(f), model.q_size());
    const VecX d = difference(model, q, other);
    double largest = 0.0;
    for (int v = 0; v < d.size(); ++v) {
      const ModelJoint& joint = model.joint(model.velocity_joint(v));
      const int k = v - joint.v_index;
      const bool turns = k < joint.q_count && turn_repeats(joint.type, k);
      const bool length =
          k < joint.q_count && coordinates(joint.type)[static_cast<std::size_t>(k)] == Coordinate::length;
      largest = std::max(largest, std::abs(turns ? wrap_angle(d[v]) : length ? d[v] / model.size() : d[v]));
    }
    if (largest < slack) return true;
  }
  return false;
}

// Circuits that none of the modes lies on, since they do not reach the drive's present value: looked for at values over
// its range.
void add_circuits_elsewhere(const Model& model, const VecX& q, const std::string& drive,
                            std::vector<ModeCircuit>& circuits) {
  const Result<std::vector<char>> held = held_velocities(model, {drive});
  if (!held) return;
  const int coordinate = model.joint(drive).q_index;
  const double far = turn_repeats(model.joint(drive).type, 0) ? kPi : model.size();
  const double lower = std::max(model.lower()[coordinate], -far), upper = std::min(model.upper()[coordinate], far);
  const ModesOptions few{16, 100};
  constexpr int kValues = 12;
  for (int i = 0; i < kValues; ++i) {
    VecX start = q;
    start[coordinate] = lower + (upper - lower) * (i + 0.5) / kValues;
    for (const VecX& mode : assembly_modes(model, start, *held, few).q) {
      const bool known = std::any_of(circuits.begin(), circuits.end(), [&](const ModeCircuit& item) {
        return item.drive == drive && lies_on(model, item.report, mode, 0.12);
      });
      if (known || circuits.size() >= 16) continue;
      if (Result<CircuitReport> found = circuit(model, mode, drive)) circuits.push_back({drive, {}, std::move(*found)});
    }
  }
}

}  // namespace

Result<CircuitReport> circuit(const Model& model, const VecX& q, const std::string& drive, double largest_step) {
  const Result<int> link = model.find_joint(drive);
  if (!link) return link.error();
  if (model.joint(*link).q_count != 1 || model.joint(*link).mimic) {
    return Error{"Joint " + detail::quoted(drive) + " has not one coordinate of its own to drive."};
  }
  const MechanismReport mechanism = analyze_mechanism(model, q, {drive});
  if (!mechanism.assembled) return Error{mechanism.notes.empty() ? "The loops do not close." : mechanism.notes.front()};
  Result<std::vector<char>> held = held_velocities(model, mechanism.drives);
  if (!held) return held.error();
  (*held)[at(model.joint(*link).v_index)] = 1;
  const bool closed_already = closure_error(model, q) <= Assembler::kClosed * model.size();
  return CircuitWalk(model, *link, largest_step).run(closed_already ? q : mechanism.q, *held);
}

std::vector<ModeCircuit> find_circuits(const Model& model, const MechanismReport& mechanism,
                                       const AssemblyModes& modes) {
  std::vector<ModeCircuit> circuits;
  for (const std::string& drive : mechanism.drives) {
    if (model.joint(drive).q_count != 1) continue;
    std::vector<char> done(modes.q.size(), 0);
    for (std::size_t m = 0; m < modes.q.size() && m < 16; ++m) {
      if (done[m] != 0) continue;
      Result<CircuitReport> found = circuit(model, modes.q[m], drive);
      if (!found) continue;
      ModeCircuit item{drive, {}, std::move(*found)};
      for (std::size_t k = m; k < modes.q.size(); ++k) {
        if (k != m && !lies_on(model, item.report, modes.q[k], 0.12)) continue;
        item.modes.push_back(static_cast<int>(k) + 1);
        done[k] = 1;
      }
      circuits.push_back(std::move(item));
    }
    if (mechanism.mobility == 1) add_circuits_elsewhere(model, mechanism.q, drive, circuits);
    if (mechanism.mobility > 1) break;  // the others alike; each drive alone moves a part of the whole
  }
  return circuits;
}

}  // namespace armature::inline v0_2
