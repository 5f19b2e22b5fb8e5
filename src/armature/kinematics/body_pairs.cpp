#include "armature/kinematics/body_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "armature/base/index.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kAlways = 0.95;  // of the samples

using LinkKey = std::pair<int, int>;

// The nearest link above that has bodies, through rigid groups without any; -1: none.
std::set<LinkKey> neighbours(const Model& model, const std::vector<int>& group, const std::set<int>& with_bodies) {
  std::set<LinkKey> out;
  for (const int g : with_bodies) {
    int above = model.parent(g);
    while (above >= 0 && with_bodies.count(group[at(above)]) == 0) above = model.parent(group[at(above)]);
    if (above >= 0) out.insert({group[at(above)], g});
  }
  return out;
}

}  // namespace

OrientedBox box_at(const Solid& solid, const Transform& X) {
  return {X * solid.origin.position, X.rotation * solid.origin.rotation, solid.half};
}
Segment segment_at(const Solid& solid, const Transform& X) {
  const Vec3 d = solid.length * (X.rotation * solid.origin.rotation.col(2));
  return {X * solid.origin.position - 0.5 * d, d};
}

Nearest distance_between(const Solid& a, const Transform& X_a, const Solid& b, const Transform& X_b) {
  if (a.box && b.box) return distance(box_at(a, X_a), box_at(b, X_b));
  if (b.box) return with_radii(distance(segment_at(a, X_a), box_at(b, X_b)), a.radius, 0.0);
  if (a.box) return flipped(with_radii(distance(segment_at(b, X_b), box_at(a, X_a)), b.radius, 0.0));
  return with_radii(distance(segment_at(a, X_a), segment_at(b, X_b)), a.radius, b.radius);
}

double lever(const Model& model, int from, int link, double extent) {
  double length = extent;
  for (int i = link; i >= 0; i = model.parent(i)) {
    const ModelJoint& joint = model.joint(i);
    if (i != from) length += joint.origin.position.norm();
    for (int k = 0; k < joint.q_count; ++k) {
      const double per_unit = travel(joint.type, k);
      if (per_unit == 0.0) continue;
      const auto value = [&](double of_source) {  // nothing of an endless joint is nothing
        return joint.multiplier == 0.0 ? joint.offset : joint.multiplier * of_source + joint.offset;
      };
      const double low = value(model.lower()[joint.q_index + k]), high = value(model.upper()[joint.q_index + k]);
      length += per_unit * std::max(std::abs(low), std::abs(high));
    }
    if (i == from) return length;
  }
  return std::numeric_limits<double>::infinity();
}

double velocity_reach(const Model& model, int joint, int velocity, int link, double extent) {
  const JointType& type = model.joint(joint).type;
  const std::span<const Coordinate> kinds = coordinates(type);
  const auto k = at(velocity);
  const bool length = k < kinds.size() && kinds[k] == Coordinate::length;
  const double slides = k < kinds.size() && kinds[k] != Coordinate::quaternion ? travel(type, velocity) : 0.0;
  return length ? slides : slides + lever(model, joint, link, extent);
}

bool prove_apart(const Model& model, const Solid& a, const Solid& b, int most_cells) {
  // The joints between the two: those above one of them only.
  std::vector<int> chain_a, chain_b;
  std::set<int> above_a;
  for (int i = a.link; i >= 0; i = model.parent(i)) above_a.insert(i);
  int common = b.link;
  while (common >= 0 && above_a.count(common) == 0) {
    chain_b.push_back(common);
    common = model.parent(common);
  }
  for (int i = a.link; i != common && i >= 0; i = model.parent(i)) chain_a.push_back(i);
  struct Axis {
    int coordinate;
    double lower, upper, lever;
  };
  std::vector<Axis> axes;
  const auto collect = [&](const std::vector<int>& chain, const Solid& solid) {
    const double extent = solid.origin.position.norm() + solid.bound;
    for (const int link : chain) {
      const ModelJoint& joint = model.joint(link);
      if (joint.v_count == 0) continue;
      if (joint.q_count != 1) return false;  // balls and the like are not halved here
      const bool turns = coordinates(joint.type)[0] == Coordinate::angle;
      const double reach = std::abs(joint.multiplier) * velocity_reach(model, link, 0, solid.link, extent);
      double low = model.lower()[joint.q_index], high = model.upper()[joint.q_index];
      // A full turn is every turn, unless another joint follows by a share of it.
      if (turns && joint.multiplier == std::round(joint.multiplier)) {
        if (!std::isfinite(low)) low = std::isfinite(high) ? high - 2.0 * kPi : -kPi;
        if (!std::isfinite(high)) high = low + 2.0 * kPi;
      }
      if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(reach)) return false;
      const auto same =
          std::find_if(axes.begin(), axes.end(), [&](const Axis& x) { return x.coordinate == joint.q_index; });
      if (same != axes.end()) {
        same->lever += reach;
      } else {
        axes.push_back({joint.q_index, low, high, reach});
      }
    }
    return true;
  };
  if (!collect(chain_a, a) || !collect(chain_b, b) || axes.empty()) return false;

  const std::size_t n = axes.size();
  std::vector<std::vector<double>> waiting;  // n middles, n half widths
  std::vector<double> first(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    first[i] = 0.5 * (axes[i].lower + axes[i].upper);
    first[n + i] = 0.5 * (axes[i].upper - axes[i].lower);
  }
  waiting.push_back(first);
  VecX q = neutral_pose(model);
  State state;
  resize(model, state);
  for (int cells = 0; !waiting.empty(); ++cells) {
    if (cells > most_cells) return false;
    std::vector<double> cell = std::move(waiting.back());
    waiting.pop_back();
    double reach = 0.0, widest = -1.0;
    std::size_t axis = 0;
    for (std::size_t i = 0; i < n; ++i) {
      q[axes[i].coordinate] = cell[i];
      const double own = cell[n + i] * axes[i].lever;
      reach += own;
      if (own > widest) {
        widest = own;
        axis = i;
      }
    }
    forward(model, q, state);
    const double d = distance_between(a, state.X_WL[at(a.link)], b, state.X_WL[at(b.link)]).distance;
    if (d <= 0.0) return false;
    if (d > reach) continue;
    cell[n + axis] *= 0.5;
    std::vector<double> other = cell;
    cell[axis] -= cell[n + axis];
    other[axis] += cell[n + axis];
    waiting.push_back(std::move(cell));
    waiting.push_back(std::move(other));
  }
  return true;
}

void choose_pairs(const Model& model, const BodyOptions& options, Bodies& bodies) {
  const std::vector<int> group = rigid_groups(model);
  std::set<int> with_bodies;  // groups
  for (const Solid& solid : bodies.solids) with_bodies.insert(group[at(solid.link)]);
  std::set<LinkKey> near = neighbours(model, group, with_bodies);
  for (const ModelClosure& closure : model.closures()) {  // what a loop joins is joined as well
    if (closure.a < 0 || closure.b < 0) continue;
    const int a = group[at(closure.a)], b = group[at(closure.b)];
    near.insert({std::min(a, b), std::max(a, b)});
  }
  std::map<LinkKey, std::string> ignored;
  for (const IgnoredPair& pair : model.linkage().ignored_pairs) {
    const std::optional<int> a = model.lookup_link(pair.a), b = model.lookup_link(pair.b);
    if (a && b) ignored.emplace(LinkKey{std::min(*a, *b), std::max(*a, *b)}, pair.reason);
  }

  std::map<LinkKey, LinkPair> links;
  struct Candidate {
    int a, b;
    int hits = 0;
    double largest = -1e300, smallest = 1e300;
  };
  std::vector<Candidate> candidates;
  const int count = static_cast<int>(bodies.solids.size());
  for (int i = 0; i < count; ++i) {
    for (int k = i + 1; k < count; ++k) {
      const int a = bodies.solids[at(i)].link, b = bodies.solids[at(k)].link;
      const int ga = group[at(a)], gb = group[at(b)];
      if (ga == gb) continue;
      LinkPair& pair = links.try_emplace({a, b}, LinkPair{a, b, PairReason::checked, {}, 0.0, 0.0}).first->second;
      // Fingers that move together on one hand are made to touch.
      const bool fingers = model.joint(ga).v_count > 0 && model.joint(ga).source == model.joint(gb).source;
      if (fingers || near.count({std::min(ga, gb), std::max(ga, gb)}) != 0) pair.reason = PairReason::adjacent;
      if (const auto off = ignored.find({a, b}); off != ignored.end()) {
        pair.reason = PairReason::ignored;
        pair.word = off->second;
      }
      if (pair.reason == PairReason::checked) candidates.push_back({i, k});
    }
  }

  Rng rng(7);
  State state;
  resize(model, state);
  std::map<LinkKey, int> link_hits;
  std::map<LinkKey, double> link_clearance;
  for (int n = 0; n < options.samples && !candidates.empty(); ++n) {
    forward(model, random_pose(model, rng), state);
    std::map<LinkKey, double> least;
    for (Candidate& c : candidates) {
      const Solid &a = bodies.solids[at(c.a)], &b = bodies.solids[at(c.b)];
      const double d = distance_between(a, state.X_WL[at(a.link)], b, state.X_WL[at(b.link)]).distance;
      c.largest = std::max(c.largest, d);
      c.smallest = std::min(c.smallest, d);
      c.hits += d < 0.0 ? 1 : 0;
      const auto [at_pair, fresh] = least.try_emplace({a.link, b.link}, d);
      if (!fresh) at_pair->second = std::min(at_pair->second, d);
    }
    for (const auto& [key, d] : least) {
      link_hits[key] += d < 0.0 ? 1 : 0;
      const auto [at_pair, fresh] = link_clearance.try_emplace(key, d);
      if (!fresh) at_pair->second = std::max(at_pair->second, d);
    }
  }
  for (auto& [key, pair] : links) {
    if (pair.reason != PairReason::checked || options.samples == 0) continue;
    pair.rate = static_cast<double>(link_hits[key]) / options.samples;
    pair.largest_clearance = link_clearance[key];
    if (pair.rate >= kAlways) pair.reason = PairReason::always;
  }
  // A pair of links is proved apart when all of its bodies are.
  if (options.prove && options.samples > 0) {
    std::map<LinkKey, bool> apart;
    for (const Candidate& c : candidates) {
      const Solid &a = bodies.solids[at(c.a)], &b = bodies.solids[at(c.b)];
      bool& all = apart.try_emplace({a.link, b.link}, true).first->second;
      all = all && c.hits == 0 && prove_apart(model, a, b, options.cells);
    }
    for (auto& [key, all] : apart) {
      LinkPair& pair = links[key];
      if (all && pair.reason == PairReason::checked) pair.reason = PairReason::never;
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.hits > b.hits; });
  for (const Candidate& c : candidates) {
    const LinkKey key{bodies.solids[at(c.a)].link, bodies.solids[at(c.b)].link};
    if (links[key].reason != PairReason::checked) continue;
    const double cap = options.samples > 0 ? std::max(0.0, 0.5 * c.largest) : 1e300;
    bodies.pairs.push_back({c.a, c.b, cap});
  }
  for (auto& [key, pair] : links) bodies.links.push_back(std::move(pair));
}

}  // namespace armature::inline v0_2
