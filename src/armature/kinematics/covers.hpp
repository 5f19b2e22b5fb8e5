// The coarse level of bodies: one capsule around all that a link carries, four of them asked at once. A capsule that is
// apart from another speaks for everything inside both, so the bodies themselves are asked only where covers are near.
//
// The kernels (covers.inl, one per instruction set) never decide that something touches: what they leave open is
// decided by the bodies, in one place for all machines.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "armature/kinematics/bodies.hpp"

namespace armature::inline v0_2 {

/// A capsule in the frame of a link, or (link -1) in the world.
struct Cover {
  int link = -1;
  Vec3 a = Vec3::Zero(), d = Vec3::Zero();  // one end of its axis, and the way to the other
  double radius = 0.0;
};
/// Holds all of these solids, which must be of one link.
Cover cover_of(std::span<const Solid> solids);

struct alignas(32) Four {
  double v[4] = {0.0, 0.0, 0.0, 0.0};
};

/// One cover against up to four neighbours in the list.
struct CoverBlock {
  int cover, first;
  unsigned lanes;  // that count
  int pair[4];     // what is reported of each
};

struct CoverBox {
  double center[3], axes[9], half[3];  // axes: column after column
};

struct NearCover {
  int pair;       // of a box: box * padded count of covers + cover
  double square;  // of the distance of the covers' axes
};

/// No solid and no obstacle reaches as far: kernels multiply four lengths.
inline constexpr double kLargestLength = 1e70;

/// Squared sine below which axes count as parallel: the distance found is too long by 1e-6 of them at most, and covers
/// are made larger by more than that.
inline constexpr double kCoverParallel = 1e-12;

/// What a kernel works on.
struct CoverArrays {
  int placed = 0;  // covers that move: the first ones
  int padded = 0;  // all of them, in whole fours
  const int* link = nullptr;
  const Four* local = nullptr;  // a and d of each
  Four* world = nullptr;        // the same, placed; scratch
  double *ax = nullptr, *ay = nullptr, *az = nullptr, *dx = nullptr, *dy = nullptr, *dz = nullptr;  // placed
  const double *square = nullptr, *inverse = nullptr;  // |d|^2 and its inverse (0 for a ball)
  const double* half_length = nullptr;
};

struct CoverKernel {
  void (*place)(const CoverArrays& covers, const Transform* frames);
  /// Appends the pairs whose axes are not farther apart than their limits; returns how many.
  int (*near)(const CoverArrays& covers, const CoverBlock* blocks, int count, const Four* limits, NearCover* out);
  /// The same for the first covers, four by four, and boxes; `limits` and `lanes` per four covers.
  int (*near_boxes)(const CoverArrays& covers, const CoverBox* boxes, int count, const Four* limits,
                    const unsigned* lanes, int fours, NearCover* out);
};
const CoverKernel& cover_kernel();

/// Covers, and which pairs of them are asked about.
class CoverTable {
 public:
  /// Covers that move first; `boxes` stand in the world.
  void set(std::span<const Cover> covers, int moving, std::vector<CoverBox> boxes);
  /// Pairs of covers, each numbered by its index; `with_boxes`: whether a cover (that moves) is asked about boxes.
  void set_pairs(std::span<const std::pair<int, int>> pairs, std::span<const char> with_boxes);

  /// Those that move; the others stand in the world.
  void place(const Transform* frames) { kernel_->place(arrays(), frames); }

  /// How far apart the axes must be: of a pair of covers, and of a cover from boxes. Valid until changed.
  void limit_pair(int pair, double limit) {
    const std::size_t lane = at_pair_[static_cast<std::size_t>(pair)];
    limits_[lane / 4].v[lane % 4] = limit;
  }
  void limit_boxes(int cover, double limit) { box_limits_[static_cast<std::size_t>(cover / 4)].v[cover % 4] = limit; }
  /// Where its axis is.
  Segment axis(int cover) const {
    const double* const rows = storage_.front().v;  // fours side by side are rows of numbers
    const double* const x = rows + cover;
    return {{x[0], x[padded_], x[2 * padded_]}, {x[3 * padded_], x[4 * padded_], x[5 * padded_]}};
  }
  double radius(int cover) const { return radius_[static_cast<std::size_t>(cover)]; }
  int padded() const { return padded_; }

  /// What is not farther apart than its limit, at the poses of place(): pairs of covers, then covers and boxes.
  std::span<const NearCover> near_pairs();
  std::span<const NearCover> near_boxes();

 private:
  CoverArrays arrays();

  int placed_ = 0, padded_ = 0;
  const CoverKernel* kernel_ = nullptr;
  std::vector<int> link_;
  std::vector<Four> local_, world_, storage_;
  std::vector<double> radius_;
  std::vector<CoverBox> boxes_;
  std::vector<CoverBlock> blocks_;
  std::vector<Four> limits_, box_limits_;
  std::vector<unsigned> box_lanes_;
  std::vector<std::size_t> at_pair_;
  std::vector<NearCover> near_;
};

}  // namespace armature::inline v0_2
