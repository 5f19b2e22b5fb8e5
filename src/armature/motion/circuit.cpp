// A circuit by arc length: both ways from a pose until the motion comes back to it or a limit ends it; and the circuits
// through all assemblies of a mechanism.
#include <algorithm>
#include <cmath>
#include <utility>

#include "armature/base/index.hpp"
#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/loop_projection.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/drive.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kMostSteps = 20000;
constexpr std::size_t kMostCircuits = 16;  // of one drive
constexpr int kValuesElsewhere = 12;       // of the drive, at which further circuits are looked for
constexpr double kMeet = 1e-5;             // smallest pivot over the largest below which branches meet
constexpr double kReturned = 1e-7;         // distance of poses that are one
constexpr double kPerhapsMeet = 0.2;       // ... and below which the least along the way is looked for

class CircuitWalk {
 public:
  CircuitWalk(const Model& model, int drive, double largest_step)
      : model_(model), drive_(drive), largest_(largest_step) {}

  CircuitReport run(const VecX& q, std::span<const char> held) {
    VecX direction = VecX::Zero(model_.v_size());
    direction[model_.joint(drive_).v_index] = 1.0;
    path_.prepare(model_, held, direction);
    cut_ = path_.rows().middles_of_cuts();
    Point start;
    path_.resize(start);
    start.q = q;
    CircuitReport report;
    report.poses.q_size = model_.q_size();
    report.poses.name = model_.joint(drive_).name;
    report.lower = report.upper = value(q);
    const int ways = path_.find_tangent(start, nullptr);
    if (ways == 0) {
      report.poses.append(q);
      return report;
    }
    VecX branches[2];
    if (const int count = ways == 2 ? path_.branch_tangents(start, branches) : 0; count > 0) {
      start.tangent = branches[0];
      if (count > 1) report.branch_points.push_back(value(q));
    }
    begins_dead_ = start.ratio > kMeet && std::abs(start.tangent[path_.columns() - 1]) < 1e-7;
    if (begins_dead_) report.dead_points.push_back({value(q), q});
    std::vector<Point> way, ahead;
    report.closed = walk(start, 1.0, ahead, report);
    if (!report.closed) {
      walk(start, -1.0, way, report);
      std::reverse(way.begin(), way.end());
      for (Point& point : way) point.tangent = -point.tangent;
    }
    way.push_back(start);
    way.insert(way.end(), ahead.begin(), ahead.end());
    for (const Point& point : way) report.poses.append(point.q);
    find_branch_points(way, report);
    std::stable_sort(report.dead_points.begin(), report.dead_points.end(),
                     [](const DeadPoint& a, const DeadPoint& b) { return a.value < b.value; });
    std::sort(report.branch_points.begin(), report.branch_points.end());
    return report;
  }

 private:
  using Point = LoopPath::Point;

  double value(const VecX& q) const { return q[model_.joint(drive_).q_index]; }

  // The way from one pose to another, per velocity, measured as steps are; full turns apart is the same.
  const VecX& way_between(const VecX& a, const VecX& b) {
    between_ = difference(model_, a, b);
    for (int v = 0; v < between_.size(); ++v) {
      const ModelJoint& joint = model_.joint(model_.velocity_joint(v));
      const int k = v - joint.v_index;
      double& x = between_[v];
      if (k < coordinate_count(joint.type) && turn_repeats(joint.type, k)) x = wrap_angle(x);
      x /= path_.rows().unit(v);
    }
    return between_;
  }
  double distance(const VecX& a, const VecX& b) { return way_between(a, b).norm(); }

  // How far along the tangent of a point another pose lies.
  double ahead_of(const Point& point, const VecX& q) {
    const VecX& way = way_between(point.q, q);
    double sum = point.tangent[path_.columns() - 1] * way[model_.joint(drive_).v_index];
    for (int c = 0; c + 1 < path_.columns(); ++c) sum += point.tangent[c] * way[path_.velocity(c)];
    return sum;
  }

  // Whether a step of length h from a passes the pose where the walk began, in the same direction: then c is that pose
  // as the walk finds it. Coming near is not enough: a screw is a pitch further after a turn.
  bool returns(const Point& start, double sign, const Point& a, double h, Point& c) {
    double x = ahead_of(a, start.q);
    for (int i = 0; i < 8; ++i) {
      if (!(x >= -0.1 * h && x <= 1.1 * h) || !path_.walk(a, x, c)) return false;
      const double further = ahead_of(c, start.q);
      x += further;
      if (std::abs(further) < 1e-12) break;
    }
    return distance(c.q, start.q) < (start.ratio < kMeet ? 1e-4 : kReturned) &&
           sign * c.tangent.dot(start.tangent) > 0.9;
  }

  bool beyond(const VecX& q, int i, double slack) const {
    return q[i] < model_.lower()[i] - slack || q[i] > model_.upper()[i] + slack;
  }

  // A limit that the step from a to b crosses: its coordinate, q_size and more for that of a closure, or -1. `cut` is
  // the closure beyond its limits at a, and at b afterwards.
  int crossed(const Point& a, const Point& b, int& cut) {
    const int before = std::exchange(cut, path_.rows().beyond_cut_limits(1e-12, cut_));
    for (int i = 0; i < model_.q_size(); ++i) {
      if (beyond(b.q, i, 1e-12) && !beyond(a.q, i, 1e-12)) return i;
    }
    return cut >= 0 && before < 0 ? model_.q_size() + cut : -1;
  }

  // The pose between a and one step of length h, at which the limit is met.
  void stop_at(int limit, const Point& a, double h, Point& c) {
    double low = 0.0, high = h;
    for (int i = 0; i < 60 && high - low > 1e-15; ++i) {
      const double middle = 0.5 * (low + high);
      if (!path_.walk(a, middle, c)) break;
      const bool out =
          limit < model_.q_size() ? beyond(c.q, limit, 0.0) : path_.rows().beyond_cut_limits(0.0, cut_) >= 0;
      (out ? high : low) = middle;
    }
    path_.walk(a, low, c);
  }

  // True when it came back to `start`.
  bool walk(const Point& start, double sign, std::vector<Point>& points, CircuitReport& report) {
    Point a = start, b = start, c = start;
    a.tangent *= sign;
    const int s = path_.columns() - 1;
    double h = largest_;
    bool away = false;
    path_.find_tangent(c, start.tangent.data());
    int cut = path_.rows().beyond_cut_limits(1e-12, cut_);
    for (int k = 0; k < kMostSteps; ++k) {
      bool ok = false;
      for (int halving = 0; halving < 20; ++halving, h *= 0.5) {
        if (!path_.walk(a, h, b)) continue;
        // The motion bends little within a step, and the step is as long as it was meant to be.
        if (b.tangent.dot(a.tangent) < 0.97) continue;
        ok = true;
        break;
      }
      if (!ok) {  // no way on: branches meet here, and which one to follow is not known
        add_branch_point(value(a.q), report);
        return false;
      }
      if (const int limit = crossed(a, b, cut); limit >= 0) {
        stop_at(limit, a, h, c);
        points.push_back(c);
        note(c.q, report);
        report.limit_joint = limit < model_.q_size() ? model_.coordinate_name(limit)
                                                     : model_.closures()[at(limit - model_.q_size())].name;
        return false;
      }
      if (!(begins_dead_ && k == 0) && a.tangent[s] * b.tangent[s] < 0.0 && locate(a, b, h, c, report))
        points.push_back(c);
      const double after = distance(b.q, start.q);
      away = away || after > 3.0 * h;
      if (away && after < 1.5 * h && returns(start, sign, a, h, c)) {
        note(c.q, report);
        report.full_turn = turn_repeats(model_.joint(drive_).type, 0) && std::abs(value(c.q) - value(start.q)) > kPi;
        return true;
      }
      points.push_back(b);
      note(b.q, report);
      std::swap(a, b);
      h = std::min(largest_, 1.5 * h);
    }
    report.unfinished = true;
    return false;
  }

  void note(const VecX& q, CircuitReport& report) const {
    report.lower = std::min(report.lower, value(q));
    report.upper = std::max(report.upper, value(q));
  }

  static void add_branch_point(double value, CircuitReport& report) {
    for (const double known : report.branch_points) {
      if (std::abs(known - value) < kMeet) return;
    }
    report.branch_points.push_back(value);
  }

  // The drive turns back between a and b, at c.
  bool locate(const Point& a, const Point& b, double h, Point& c, CircuitReport& report) {
    const int s = path_.columns() - 1;
    double low = 0.0, high = h, f_low = a.tangent[s], f_high = b.tangent[s];
    for (int i = 0; i < 60; ++i) {
      const double x = i % 3 == 2 ? 0.5 * (low + high) : low - f_low * (high - low) / (f_high - f_low);
      if (!path_.walk(a, x, c)) return false;
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
    VecX only[2];
    if (c.ratio < kMeet && path_.branch_tangents(c, only) != 1) {
      add_branch_point(value(c.q), report);
    } else {
      report.dead_points.push_back({value(c.q), c.q});
    }
    return true;
  }

  // Branches that the motion passed without leaving its own: where its rows lose rank on the way, at a least of the
  // pivots' ratio, which is a corner there.
  void find_branch_points(const std::vector<Point>& way, CircuitReport& report) {
    const std::size_t n = way.size();
    Point c = way.front();
    VecX only[2];
    for (std::size_t i = 0; i < n; ++i) {
      if (!report.closed && (i == 0 || i + 1 == n)) continue;
      const Point& before = way[(i + n - 1) % n];
      const Point& after = way[(i + 1) % n];
      if (way[i].ratio > kPerhapsMeet || way[i].ratio > before.ratio || way[i].ratio > after.ratio) continue;
      if (std::max(before.ratio, after.ratio) < 10.0 * kMeet) continue;  // lacking all along
      if (least_ratio(before, distance(before.q, way[i].q), c) < kMeet ||
          least_ratio(way[i], distance(way[i].q, after.q), c) < kMeet) {
        if (path_.branch_tangents(c, only) != 1) add_branch_point(value(c.q), report);
      }
    }
  }

  // By golden section over a step from `from`; c: the pose there.
  double least_ratio(const Point& from, double length, Point& c) {
    const double golden = 0.6180339887498949;
    const auto ratio_at = [&](double x) { return path_.walk(from, x, c) ? c.ratio : kInfinity; };
    double low = 0.0, high = length;
    double x1 = high - golden * (high - low), x2 = low + golden * (high - low);
    double f1 = ratio_at(x1), f2 = ratio_at(x2);
    for (int i = 0; i < 60 && high - low > 1e-9; ++i) {
      if (f1 <= f2) {
        high = x2;
        x2 = x1;
        f2 = f1;
        x1 = high - golden * (high - low);
        f1 = ratio_at(x1);
      } else {
        low = x1;
        x1 = x2;
        f1 = f2;
        x2 = low + golden * (high - low);
        f2 = ratio_at(x2);
      }
    }
    return ratio_at(0.5 * (low + high));
  }

  const Model& model_;
  int drive_;
  double largest_;
  LoopPath path_;
  std::vector<double> cut_;  // of cut joints with limits, followed
  VecX between_;
  bool begins_dead_ = false;
};

// Whether a circuit passes through a pose: where its drive is that of the pose the loops are closed with the drives
// held, and links compared as modes are, by where they are.
class Passes {
 public:
  Passes(const Model& model, const std::string& drive, std::span<const char> held)
      : model_(model), coordinate_(model.joint(drive).q_index), turns_(turn_repeats(model.joint(drive).type, 0)) {
    assembler_.prepare(model, held);
    links_ = model.linkage().effectors.empty() ? assembler_.rows.links() : model.effectors();
  }

  bool operator()(const CircuitReport& circuit, const VecX& q) {
    forward(model_, q, there_);
    const int frames = circuit.poses.frame_count();
    const int steps = circuit.closed ? frames : frames - 1;
    if (steps <= 0) return frames > 0 && alike(pose(circuit, 0));
    for (int f = 0; f < steps; ++f) {
      const VecX a = pose(circuit, f), b = pose(circuit, (f + 1) % frames);
      double whole = b[coordinate_] - a[coordinate_], part = q[coordinate_] - a[coordinate_];
      if (turns_) {
        whole = wrap_angle(whole);
        part = wrap_angle(part);
      }
      const double slack = 1e-9 + 0.01 * std::abs(whole);
      if (part < std::min(0.0, whole) - slack || part > std::max(0.0, whole) + slack) continue;
      const double t = std::abs(whole) > 0.0 ? std::clamp(part / whole, 0.0, 1.0) : 0.0;
      VecX between = integrate(model_, a, VecX(t * difference(model_, a, b)));
      between[coordinate_] = a[coordinate_] + part;
      if (assembler_.assemble(between.data()).ok && alike(between)) return true;
    }
    return false;
  }

 private:
  VecX pose(const CircuitReport& circuit, int frame) const {
    return Eigen::Map<const VecX>(circuit.poses.frame(frame), model_.q_size());
  }

  bool alike(const VecX& q) {
    constexpr double kSlack = 1e-4;
    forward(model_, q, here_);
    for (const int link : links_) {
      const Transform& a = here_.X_WL[at(link)];
      const Transform& b = there_.X_WL[at(link)];
      if ((a.position - b.position).norm() > kSlack * assembler_.rows.length()) return false;
      if ((a.rotation - b.rotation).norm() > kSlack) return false;
    }
    return true;
  }

  const Model& model_;
  int coordinate_;
  bool turns_;
  Assembler assembler_;
  std::vector<int> links_;
  State here_, there_;
};

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
  const Result<std::vector<char>> held = held_velocities(model, mechanism.drives);
  if (!held) return circuits;
  const std::vector<int> loops = loop_of_velocities(model);
  for (const std::string& drive : mechanism.drives) {
    if (model.joint(drive).q_count != 1 || loops[at(model.joint(drive).v_index)] < 0) continue;  // moves on its own
    Passes passes(model, drive, *held);
    std::vector<CircuitReport> own;
    const auto look_from = [&](const VecX& q) {
      if (own.size() >= kMostCircuits) return;
      for (const CircuitReport& known : own) {
        if (passes(known, q)) return;
      }
      if (Result<CircuitReport> found = circuit(model, q, drive)) own.push_back(std::move(*found));
    };
    for (const VecX& q : modes.q) look_from(q);
    if (mechanism.mobility == 1) {
      // Circuits that do not reach the drive's present value: looked for at values over its range.
      const int coordinate = model.joint(drive).q_index;
      const double far = turn_repeats(model.joint(drive).type, 0) ? kPi : model.size();
      const double lower = std::max(model.lower()[coordinate], -far), upper = std::min(model.upper()[coordinate], far);
      for (int i = 0; i < kValuesElsewhere; ++i) {
        VecX start = mechanism.q;
        start[coordinate] = lower + (upper - lower) * (i + 0.5) / kValuesElsewhere;
        for (const VecX& q : assembly_modes(model, start, *held, {16, 100}).q) look_from(q);
      }
    }
    for (CircuitReport& report : own) {
      ModeCircuit item{drive, {}, {}};
      for (std::size_t k = 0; k < modes.q.size(); ++k) {
        if (passes(report, modes.q[k])) item.modes.push_back(static_cast<int>(k) + 1);
      }
      item.report = std::move(report);
      circuits.push_back(std::move(item));
    }
  }
  return circuits;
}

}  // namespace armature::inline v0_2
