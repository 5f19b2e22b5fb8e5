// The coarse level of Clearance: which covers there are, which pairs of them are asked about, and how near is near.
#include <algorithm>
#include <map>

#include "armature/base/index.hpp"
#include "armature/base/rng.hpp"
#include "armature/kinematics/clearance.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {

// One cover for the bodies of a link, one for each thing that is carried, one for each capsule of the world. Where the
// covers of two links are near in many poses, their bodies get covers of their own (`split_`). First those that move.
void Clearance::make_covers(int own, const std::vector<char>& moves) {
  const int count = static_cast<int>(solids_.size());
  std::vector<std::pair<int, int>> fixed;
  const auto add = [&](int begin, int end) {
    const int link = solids_[at(begin)].link;
    (link >= 0 && moves[at(link)] != 0 ? cover_solids_ : fixed).emplace_back(begin, end);
  };
  cover_solids_.clear();
  std::vector<char> alone(solids_.size(), 0);  // gets a cover of its own, too
  for (int s = 0; s < count;) {
    int end = s + 1;
    const bool body = thing_[at(s)] < 0;
    while (body && end < own && thing_[at(end)] < 0 && solids_[at(end)].link == solids_[at(s)].link) ++end;
    if (solids_[at(s)].link >= 0 || !solids_[at(s)].box) add(s, end);
    for (const auto& [a, b] : split_) {
      if ((a == s || b == s) && end > s + 1) std::fill(alone.begin() + s, alone.begin() + end, char{1});
    }
    s = end;
  }
  for (int s = 0; s < count; ++s) {
    if (alone[at(s)] != 0) add(s, s + 1);
  }
  moving_covers_ = static_cast<int>(cover_solids_.size());
  while (cover_solids_.size() % 4 != 0) cover_solids_.emplace_back(0, 0);  // four are placed at once
  cover_solids_.insert(cover_solids_.end(), fixed.begin(), fixed.end());

  std::vector<Cover> covers;
  cover_of_.assign(solids_.size(), -1);
  own_cover_.assign(solids_.size(), -1);
  for (std::size_t c = 0; c < cover_solids_.size(); ++c) {
    const auto [begin, end] = cover_solids_[c];
    Cover cover = cover_of({solids_.data() + begin, at(end - begin)});
    for (int s = begin; s < end; ++s) {
      (end == begin + 1 && alone[at(s)] != 0 ? own_cover_ : cover_of_)[at(s)] = static_cast<int>(c);
    }
    if (static_cast<int>(c) >= moving_covers_ && cover.link >= 0) {
      const Transform& X = state_.X_WL[at(cover.link)];
      cover.a = X * cover.a;
      cover.d = X.rotation * cover.d;
    }
    covers.push_back(cover);
  }
  std::vector<CoverBox> boxes;
  for (int s = own; s < count; ++s) {
    const Solid& solid = solids_[at(s)];
    if (!solid.box) continue;
    cover_of_[at(s)] = -1 - static_cast<int>(boxes.size());
    CoverBox& box = boxes.emplace_back();
    std::copy_n(solid.origin.position.data(), 3, box.center);
    std::copy_n(solid.origin.rotation.data(), 9, box.axes);
    std::copy_n(solid.half.data(), 3, box.half);
  }
  for (int s = 0; s < count; ++s) own_cover_[at(s)] = own_cover_[at(s)] < 0 ? cover_of_[at(s)] : own_cover_[at(s)];
  box_count_ = static_cast<int>(boxes.size());
  covers_.set(covers, moving_covers_, std::move(boxes));
}

// Links whose covers are near in many random poses: their covers decide little.
void Clearance::find_split() {
  constexpr int kSplitPoses = 64, kSplitNear = 16;
  std::vector<int> near(groups_.size(), 0);
  Rng rng(13);
  for (int i = 0; i < kSplitPoses; ++i) {
    const VecX q = random_pose(model_, rng);
    place(q.data());
    set_limits(0.0, true);
    every_near([&](int g, double) { return ++near[at(g)], true; });
  }
  for (std::size_t g = 0; g < cover_groups_; ++g) {
    if (near[g] < kSplitNear) continue;
    split_.emplace_back(cover_solids_[at(groups_[g].cover)].first, cover_solids_[at(groups_[g].other)].first);
  }
}

void Clearance::watch(std::span<const char> velocities) {
  // Groups of pairs, in the order of their likeliest ones.
  std::map<std::pair<int, int>, std::vector<SolidPair>> members;
  std::vector<std::pair<int, int>> order;
  unwatched_pairs_.clear();
  unwatched_movers_.clear();
  for (const SolidPair& pair : pairs_) {
    const int a = solids_[at(pair.a)].link, b = solids_[at(pair.b)].link;
    const int common = b < 0 ? -1 : common_link(a, b);
    if (!velocities.empty() && !moves(a, common, velocities) && !(b >= 0 && moves(b, common, velocities))) {
      unwatched_pairs_.push_back(pair);
      continue;
    }
    std::pair<int, int> covers{cover_of_[at(pair.a)], cover_of_[at(pair.b)]};
    if (covers.second >= 0) {
      const std::pair<int, int> first{cover_solids_[at(covers.first)].first, cover_solids_[at(covers.second)].first};
      const bool split = std::find(split_.begin(), split_.end(), first) != split_.end();
      if (split) covers = {own_cover_[at(pair.a)], own_cover_[at(pair.b)]};
    }
    std::vector<SolidPair>& group = members[covers];
    if (group.empty()) order.push_back(covers);
    group.push_back(pair);
  }
  std::stable_partition(order.begin(), order.end(), [](const auto& covers) { return covers.second >= 0; });
  watched_pairs_.clear();
  groups_.clear();
  std::vector<std::pair<int, int>> pairs;
  std::vector<char> with_boxes(at(moving_covers_), 0);
  box_group_.assign(at(box_count_ * covers_.padded()), -1);
  for (const auto& covers : order) {
    const std::vector<SolidPair>& group = members[covers];
    const int a = solids_[at(group.front().a)].link, b = solids_[at(group.front().b)].link;
    Group& out = groups_.emplace_back();
    out.begin = static_cast<int>(watched_pairs_.size());
    watched_pairs_.insert(watched_pairs_.end(), group.begin(), group.end());
    out.end = static_cast<int>(watched_pairs_.size());
    out.cover = covers.first;
    out.other = covers.second;
    out.common = b < 0 ? -1 : common_link(a, b);
    out.radii = covers_.radius(out.cover) + (out.other >= 0 ? covers_.radius(out.other) : 0.0);
    out.margin = 0.0;
    for (const SolidPair& pair : group) out.margin = std::max(out.margin, pair.margin);
    if (out.other >= 0) {
      pairs.push_back(covers);
    } else {
      with_boxes[at(out.cover)] = 1;
      box_group_[at((-1 - covers.second) * covers_.padded() + out.cover)] = static_cast<int>(groups_.size()) - 1;
    }
  }
  touched_ = -1;
  cover_groups_ = pairs.size();
  covers_.set_pairs(pairs, with_boxes);
  ranked_.reserve(groups_.size());
  limit_ = -1e300;  // for nothing yet

  watched_movers_.clear();
  watched_covers_.clear();
  for (const int s : movers_) {
    if (!velocities.empty() && !moves(solids_[at(s)].link, -1, velocities)) {
      unwatched_movers_.push_back(s);
      continue;
    }
    watched_movers_.push_back(s);
    if (watched_covers_.empty() || watched_covers_.back() != cover_of_[at(s)]) {
      watched_covers_.push_back(cover_of_[at(s)]);
    }
  }
}

// Until which distance covers count as near; `capped`: of pairs with a margin of their own no more than that.
void Clearance::set_limits(double margin, bool capped) {
  if (limit_ == margin && limit_capped_ == capped) return;
  limit_ = margin;
  limit_capped_ = capped;
  for (std::size_t g = 0; g < cover_groups_; ++g) {
    const Group& group = groups_[g];
    covers_.limit_pair(static_cast<int>(g), group.radii + (capped ? std::min(margin, group.margin) : margin));
  }
  for (int c = 0; c < moving_covers_; ++c) covers_.limit_boxes(c, covers_.radius(c) + margin);
}

// A quick yes: everything in the cover keeps the margin from something that is no solid.
bool Clearance::cover_far(int cover, const World& world, double margin) const {
  if (world.ground) return false;  // a body is below it by a few of its points, which are not the cover's
  const Segment axis = covers_.axis(cover);
  const double radius = covers_.radius(cover);
  // Of a triangle that its axis crosses a cover does not say how deep it is, and a box inside the cover may be deeper.
  if (!world.plane) return !world.tree.touches(axis, radius, std::max(margin, 0.0));
  const double height = world.normal.dot(axis.a - world.point);
  return std::min(height, height + world.normal.dot(axis.d)) - radius >= margin;
}

}  // namespace armature::inline v0_2
