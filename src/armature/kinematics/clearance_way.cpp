// Whether a whole way from one pose to another is free: proved by how far bodies can move.
#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/body_pairs.hpp"
#include "armature/kinematics/clearance.hpp"
#include "armature/kinematics/exact_shapes.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kShortestPart =
    1.0 / 300.0;  // of a way: one that is not proved in parts of this length passes too near

}  // namespace

// How far each velocity above a solid can move it: no pose changes that.
void Clearance::make_levers(int own) {
  levers_.clear();
  lever_begin_.assign(1, 0);
  for (int s = 0; s < own; ++s) {
    const Solid& solid = solids_[at(s)];
    const double extent = solid.origin.position.norm() + solid.bound;
    for (int i = solid.link; i >= 0; i = model_.parent(i)) {
      const ModelJoint& joint = model_.joint(i);
      for (int k = 0; k < joint.v_count; ++k) {
        const double reach = velocity_reach(model_, i, k, solid.link, extent);
        levers_.push_back({i, joint.v_index + k, std::abs(joint.multiplier), reach});
      }
    }
    lever_begin_.push_back(static_cast<int>(levers_.size()));
  }
}

// How far the solid can move in the frame of the link `beyond` (-1: the world) while the joints move by `motion`.
double Clearance::motion_of(int solid, int beyond, const VecX& motion) const {
  double sum = 0.0;
  for (int k = lever_begin_[at(solid)]; k < lever_begin_[at(solid) + 1]; ++k) {
    const Lever& lever = levers_[at(k)];
    if (lever.link <= beyond) break;  // parents come before children
    const double speed = std::abs(lever.factor * motion[lever.velocity]);
    if (speed > 0.0) sum += speed * lever.reach;
  }
  return sum;
}

// How much the distance of two solids can change meanwhile; joints above both move them alike.
double Clearance::slack(int a, int b, int common, const VecX& motion) const {
  const double own = motion_of(a, common, motion);
  return solids_[at(b)].link < 0 ? own : own + motion_of(b, common, motion);
}

// The most that any of a cover's solids moves.
double Clearance::cover_motion(int cover, int beyond, const VecX& motion) const {
  double most = 0.0;
  for (int s = cover_solids_[at(cover)].first; s < cover_solids_[at(cover)].second; ++s) {
    most = std::max(most, motion_of(s, beyond, motion));
  }
  return most;
}

// The same for everything that two links carry.
double Clearance::slack_of_links(int a, int b, const VecX& motion) const {
  const int common = common_link(a, b);
  double most[2] = {0.0, 0.0};
  for (int s = 0; s < static_cast<int>(solids_.size()); ++s) {
    for (const int side : {0, 1}) {
      if (solids_[at(s)].link != (side == 0 ? a : b)) continue;
      most[side] = std::max(most[side], motion_of(s, common, motion));
    }
  }
  return most[0] + most[1];
}

// As set_limits, with what motion_ can change.
void Clearance::limit_ways(double margin) {
  limit_ = -1e300;  // for one part of one way
  for (std::size_t g = 0; g < cover_groups_; ++g) {
    const Group& group = groups_[g];
    double reach = cover_motion(group.cover, group.common, motion_);
    if (group.other < static_cast<int>(moving_covers_)) reach += cover_motion(group.other, group.common, motion_);
    covers_.limit_pair(static_cast<int>(g), group.radii + std::min(margin, group.margin) + reach);
  }
  for (int c = 0; c < moving_covers_; ++c) {
    covers_.limit_boxes(c, covers_.radius(c) + margin + cover_motion(c, -1, motion_));
  }
}

bool Clearance::prove_free(const VecX& q0, const VecX& q1, double margin, int most_checks, ExactShapes* shapes) {
  difference(model_, q0.data(), q1.data(), whole_.data());
  waiting_.assign(1, {0.0, 1.0});
  for (int checks = 0; !waiting_.empty(); ++checks) {
    if (checks >= most_checks) return false;
    const auto [from, to] = waiting_.back();
    waiting_.pop_back();
    const double t = 0.5 * (from + to);
    motion_ = t * whole_;
    integrate(model_, q0.data(), motion_.data(), middle_.data());
    motion_ = (0.5 * (to - from)) * whole_;
    place(middle_.data());
    if (shapes != nullptr) shapes->place(middle_.data());
    bool certain = true, free = true;
    // What bodies leave open: a closest point of the shapes lies in some body, which moves no farther than this.
    const auto look = [&](const NearPair& pair, double own, double reach) {
      const bool apart = shapes != nullptr && shapes->nearest(pair, own + reach, true).distance >= own + reach;
      certain = certain && apart;
      if (shapes != nullptr && !apart) free = free && shapes->nearest(pair, own, true).distance >= own;
    };
    limit_ways(margin);
    const bool apart = every_near([&](int g, double) {
      const Group& group = groups_[at(g)];
      for (int p = group.begin; p < group.end && free; ++p) {
        const SolidPair& pair = watched_pairs_[at(p)];
        need(pair.a), need(pair.b);
        const double own = std::min(margin, pair.margin);
        const double reach = slack(pair.a, pair.b, group.common, motion_);
        if (!touches(pair.a, pair.b, own + reach)) continue;
        if (shapes != nullptr) {
          look(between(pair.a, pair.b), own, reach);
        } else {
          certain = false;
          free = !touches(pair.a, pair.b, own);
        }
      }
      return free;
    });
    if (!apart) return false;
    for (const World& world : worlds_) {
      for (const int s : watched_movers_) {
        const double reach = motion_of(s, -1, motion_);
        need(s);
        if (!touches(s, world, margin + reach)) continue;
        if (shapes != nullptr) {
          NearPair pair;
          pair.link_a = solids_[at(s)].link;
          pair.carried = thing_[at(s)];
          pair.obstacle = world.obstacle;
          pair.nearest = measure(s, world, margin + reach);
          look(pair, margin, reach);
        } else {
          certain = false;
          free = !touches(s, world, margin);
        }
        if (!free) return false;
      }
    }
    if (shapes != nullptr) {
      for (const ExactShapes::Other& other : shapes->others()) {
        if (!other.watched) continue;
        NearPair pair;
        pair.link_a = other.a;
        pair.link_b = other.b;
        look(pair, 0.0, slack_of_links(other.a, other.b, motion_));
        if (!free) return false;
      }
    }
    if (certain) continue;
    if (to - from < kShortestPart) return false;
    waiting_.push_back({from, t});
    waiting_.push_back({t, to});  // first: what is approached is near at the end
  }
  return true;
}

}  // namespace armature::inline v0_2
