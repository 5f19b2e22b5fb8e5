#include "armature/kinematics/covers.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/isa.hpp"
#include "armature/base/rng.hpp"

namespace armature::inline v0_2 {

namespace baseline {
extern const CoverKernel kCoverKernel;
}
#if defined(__x86_64__) && defined(__GNUC__)
namespace avx2 {
extern const CoverKernel kCoverKernel;
}
#endif

const CoverKernel& cover_kernel() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (isa_available(Isa::avx2)) return avx2::kCoverKernel;
#endif
  return baseline::kCoverKernel;
}

namespace {

constexpr int kCoverTrials = 200;
constexpr double kCoverSlack = 1e-5;  // of a cover's size: more than its kernel's rounding

// Solids are the convex hulls of such balls: the ends of a capsule, the corners of a box.
struct CoveredBall {
  Vec3 center;
  double radius;
};

struct CoverLine {
  Vec3 point, along;
};

// The least capsule about a line that holds the balls; returns its volume.
double fit_cover(const std::vector<CoveredBall>& balls, const CoverLine& line, Cover& out) {
  double radius = 0.0;
  for (const CoveredBall& ball : balls) {
    const Vec3 from = ball.center - line.point;
    const double s = from.dot(line.along);
    radius = std::max(radius, std::sqrt(std::max(0.0, from.squaredNorm() - s * s)) + ball.radius);
  }
  double first = 1e300, last = -1e300;
  for (const CoveredBall& ball : balls) {
    const Vec3 from = ball.center - line.point;
    const double s = from.dot(line.along), left = radius - ball.radius;
    const double play = std::sqrt(std::max(0.0, left * left - (from.squaredNorm() - s * s)));
    first = std::min(first, s + play);
    last = std::max(last, s - play);
  }
  if (first > last) first = last = 0.5 * (first + last);  // a ball holds them
  out.a = line.point + first * line.along;
  out.d = (last - first) * line.along;
  out.radius = radius;
  return radius * radius * ((last - first) + 4.0 / 3.0 * radius);
}

}  // namespace

Cover cover_of(std::span<const Solid> solids) {
  Cover best;
  if (solids.empty()) return best;
  best.link = solids.front().link;
  std::vector<CoveredBall> balls;
  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (const Solid& solid : solids) {
    for (int corner = 0; corner < (solid.box ? 8 : 2); ++corner) {
      const Vec3 sign((corner & 1) != 0 ? 1.0 : -1.0, (corner & 2) != 0 ? 1.0 : -1.0, (corner & 4) != 0 ? 1.0 : -1.0);
      const Vec3 local = solid.box ? Vec3(sign.cwiseProduct(solid.half)) : Vec3(0.0, 0.0, 0.5 * sign[0] * solid.length);
      balls.push_back({solid.origin * local, solid.radius});
      low = low.cwiseMin(balls.back().center);
      high = high.cwiseMax(balls.back().center);
    }
  }
  const Vec3 middle = 0.5 * (low + high);
  double least = 1e300;
  CoverLine line{middle, Vec3::UnitZ()};
  const auto consider = [&](const CoverLine& trial) {
    Cover cover = best;
    const double volume = fit_cover(balls, trial, cover);
    if (!(volume < least)) return false;
    least = volume;
    line = trial;
    best = cover;
    return true;
  };
  for (const Solid& solid : solids) {
    for (int k = 0; k < 3; ++k) {
      consider({middle, solid.origin.rotation.col(k)});
      consider({solid.origin.position, solid.origin.rotation.col(k)});
    }
    for (const Solid& other : solids) {
      const Vec3 between = other.origin.position - solid.origin.position;
      if (between.norm() > 1e-9 * (1.0 + solid.bound)) consider({middle, between.normalized()});
    }
  }
  // From the best of these downhill, by ever shorter random changes. One capsule is its own cover already.
  const double size = (high - low).norm();
  double length = 0.25;
  Rng rng(11);
  for (int trial = 0; trial < kCoverTrials && (solids.size() > 1 || solids.front().box); ++trial) {
    double change[6];
    for (double& x : change) x = rng.uniform(-length, length);
    const Vec3 turned = line.along + Vec3(change[0], change[1], change[2]);
    const Vec3 moved = line.point + 0.5 * size * Vec3(change[3], change[4], change[5]);
    if (!consider({moved, turned.normalized()})) length = std::max(0.96 * length, 1e-3);
  }
  best.radius += kCoverSlack * (best.radius + best.d.norm());
  return best;
}

void CoverTable::set(std::span<const Cover> covers, int moving, std::vector<CoverBox> boxes) {
  const int count = static_cast<int>(covers.size());
  const int padded = (count + 3) / 4 * 4 + 4;  // a block may begin at any cover
  boxes_ = std::move(boxes);
  link_.assign(at(padded), 0);
  local_.assign(at(2 * padded), {});
  world_.assign(at(2 * padded), {});
  radius_.assign(at(padded), 0.0);
  storage_.assign(at(9 * padded / 4), {});  // nine rows
  placed_ = moving;
  padded_ = padded;
  double* const first = storage_.front().v;
  double* rows[9];
  for (int i = 0; i < 9; ++i) rows[i] = first + i * padded;
  for (int k = 0; k < count; ++k) {
    const Cover& cover = covers[at(k)];
    link_[at(k)] = cover.link;
    radius_[at(k)] = cover.radius;
    for (int i = 0; i < 3; ++i) {
      local_[at(2 * k)].v[i] = cover.a[i];
      local_[at(2 * k + 1)].v[i] = cover.d[i];
      rows[i][k] = cover.a[i];
      rows[3 + i][k] = cover.d[i];
    }
    const double square = cover.d.squaredNorm();
    rows[6][k] = square;
    rows[7][k] = square > 1e-24 ? 1.0 / square : 0.0;
    rows[8][k] = 0.5 * std::sqrt(square);
  }
  kernel_ = &cover_kernel();
}

CoverArrays CoverTable::arrays() {
  double* row = storage_.front().v;
  const auto next = [&] { return row += padded_; };
  CoverArrays out{placed_, padded_, link_.data(), local_.data(), world_.data(), row};
  out.ay = next();
  out.az = next();
  out.dx = next();
  out.dy = next();
  out.dz = next();
  out.square = next();
  out.inverse = next();
  out.half_length = next();
  return out;
}

void CoverTable::set_pairs(std::span<const std::pair<int, int>> pairs, std::span<const char> with_boxes) {
  blocks_.clear();
  at_pair_.assign(pairs.size(), 0);
  // Either cover of a pair may be the one that meets four neighbours: the fullest blocks first.
  const int count = padded_ - 3;
  std::vector<std::vector<int>> open(at(padded_), std::vector<int>(at(padded_), -1));  // pair, by both its covers
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto [a, b] = pairs[p];
    open[at(a)][at(b)] = open[at(b)][at(a)] = static_cast<int>(p);
  }
  for (int full = 4; full > 0; --full) {
    for (int cover = 0; cover < padded_; ++cover) {
      for (int first = 0; first < count; ++first) {
        const int* lane = &open[at(cover)][at(first)];
        if (std::count_if(lane, lane + 4, [](int p) { return p >= 0; }) != full) continue;
        CoverBlock& block = blocks_.emplace_back(CoverBlock{cover, first, 0u, {-1, -1, -1, -1}});
        for (int k = 0; k < 4; ++k) {
          const int p = open[at(cover)][at(first + k)];
          if (p < 0) continue;
          block.lanes |= 1u << k;
          block.pair[k] = p;
          at_pair_[at(p)] = 4 * (blocks_.size() - 1) + at(k);
          open[at(cover)][at(first + k)] = open[at(first + k)][at(cover)] = -1;
        }
      }
    }
  }
  limits_.assign(blocks_.size(), {});
  const int fours = (placed_ + 3) / 4;
  box_limits_.assign(at(fours), {});
  box_lanes_.assign(at(fours), 0u);
  for (int k = 0; k < placed_; ++k) {
    if (with_boxes[at(k)] != 0) box_lanes_[at(k / 4)] |= 1u << (k % 4);
  }
  near_.resize(std::max(pairs.size(), at(4 * fours) * boxes_.size()));
}

std::span<const NearCover> CoverTable::near_pairs() {
  const int count =
      kernel_->near(arrays(), blocks_.data(), static_cast<int>(blocks_.size()), limits_.data(), near_.data());
  return {near_.data(), at(count)};
}

std::span<const NearCover> CoverTable::near_boxes() {
  if (boxes_.empty()) return {};
  const int count = kernel_->near_boxes(arrays(), boxes_.data(), static_cast<int>(boxes_.size()), box_limits_.data(),
                                        box_lanes_.data(), static_cast<int>(box_lanes_.size()), near_.data());
  return {near_.data(), at(count)};
}

}  // namespace armature::inline v0_2
