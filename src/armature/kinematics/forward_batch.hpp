// Frames and Jacobians of many poses at once: poses side by side in the lanes of a register, one pass over the links
// for four or eight of them. Frames are the numbers that forward() gives.
//
//   ForwardBatch hands(model, {model.link("left_hand"), model.link("right_hand")});
//   hands.frames(poses.data(), poses.cols(), out.data());  // out: two Transforms for each pose
#pragma once

#include <cstdint>
#include <vector>

#include "armature/kinematics/jacobian.hpp"

namespace armature::inline v0_2 {

class ForwardBatch {
 public:
  /// The frames of these links, in this order; none given: of all links. Only what they hang from is computed.
  explicit ForwardBatch(const Model& model, const std::vector<int>& links = {});

  int link_count() const { return static_cast<int>(wanted_.size()); }

  /// `poses`: `count` pose vectors one behind the other, as the columns of a matrix are. `out`: link_count() frames for
  /// each pose, those of the first pose first. Nothing is allocated.
  void frames(const double* poses, std::int64_t count, Transform* out);
  /// Only where the links are: x, y, z of each.
  void positions(const double* poses, std::int64_t count, double* out);
  /// As jacobian() in world axes, to rounding: `out` has 6 x v_size numbers for each pose, column by column. `link` is
  /// a number of the list that was given.
  void jacobians(const double* poses, std::int64_t count, int link, const Vec3& point, double* out);

  // What the kernels read (forward_lanes.hpp): a link's turn in the pass.
  struct Step {
    std::int32_t link = 0;
    std::int32_t from = kPrevious;  // whose frame it hangs from: a kept one, the step before, or the world
    std::int32_t keep = -1;         // where its frame is kept for others; -1: nowhere
    std::int32_t out = -1;          // number of the frame that is given out; -1: none
    std::int32_t placed_about = 3;  // the coordinate axis that its placement turns about; 3: none
    static constexpr std::int32_t kPrevious = -1, kFromWorld = -2;
  };
  /// A joint that moves the link of a Jacobian, by one velocity.
  struct Column {
    std::int32_t keep = 0, velocity = 0;
    bool slides = false, first = true;  // of those with this velocity: mimic joints add to their source's
    double axis[3] = {};                // in the frame of its link, times the joint's multiplier
  };

 private:
  enum class Out : std::uint8_t { frames, positions };
  struct Plan {
    std::vector<Step> steps;
    std::vector<std::int32_t> slots;  // of the angles that the steps need
    int kept = 0;
  };
  Plan make_plan(const std::vector<int>& links, bool keep_all) const;
  void run(const Plan& plan, Out kind, const double* poses, std::int64_t count, double* out);
  void one(Out kind, const double* pose, double* out);
  bool prepare_columns(int link);

  Model model_;
  std::vector<int> wanted_;
  Plan all_, chain_;
  int chain_of_ = -1;  // the link that chain_ and columns_ are of
  bool chain_in_lanes_ = false;
  std::vector<Column> columns_;
  State state_;  // for poses that the lanes do not take
  Jacobian one_;
  std::vector<double> scratch_;        // sines, cosines and kept frames, a lane each
  std::vector<double> pose_, result_;  // of the last few poses, which do not fill the lanes
};

}  // namespace armature::inline v0_2
