// When the feet of a figure stand: heel and toe, each slow and low, measured in leg lengths against how fast the body
// and the foot itself move, so that walks, runs, dances and jumps are read alike.
#pragma once

#include <optional>
#include <vector>

#include "armature/motion/anatomy.hpp"

namespace armature::inline v0_2 {

/// Ways of the joints that tell, z up, one point per frame. `toe` is the ball of the foot; it may be empty.
struct FootPaths {
  std::vector<Vec3> hip[2], ankle[2], toe[2];  // left, right
  double leg = 1.0;                            // length of a leg
  double frame_time = 1.0 / 30.0;
  bool guessed_toes = false;  // points of feet that are one bone: they count if they stand as long as ankles do
  bool has_toes() const { return !toe[0].empty() && !toe[1].empty(); }
  int frame_count() const { return static_cast<int>(ankle[0].size()); }
};

/// The ways of a figure's feet; add_balls() comes first.
FootPaths foot_paths(const FigureTracks& tracks);
/// The ways of a figure's feet in a clip; none where it has no two whole legs.
std::optional<FootPaths> foot_paths(const Model& model, const Figure& figure, const Clip& clip, const Vec3& up);
/// Rows: two axes beside up and up itself, which turn a world with that up into one with z up.
Mat3 z_up(const Vec3& up);

struct Contacts {
  std::vector<char> heel[2], toe[2];     // per frame: stands or not; without toes `toe` is empty
  std::vector<double> floor;             // height of the ground under the figure, per frame
  double heel_height = 0.0;              // of an ankle over the floor while the foot is flat
  double toe_height = 0.0;               // of a toe joint
  bool flat(int side, int frame) const;  // heel and toe
};
/// `still_speed`: leg lengths per second below which a low foot stands, however slow the rest is.
Contacts find_contacts(const FootPaths& paths, double still_speed = 0.45);

/// A foot that turns about the vertical pivots on its ball, its heel or its sole; what is far from that point does not
/// stand: held, the foot would turn about its toe in any case, or for seconds before and after. Clears such frames of
/// `states`, those of heel or toe, among the frames `where`.
void release_pivots(const FootPaths& paths, int side, bool heel, const std::vector<char>& where,
                    std::vector<char>& states);

/// How far a point moves along the ground (z up) while it stands from frame `first` to before `end`: the largest
/// distance from where it has settled, 35 ms (or a quarter of a short stance) after it came down and before it leaves.
/// A stance that the clip cuts off has settled there.
double settled_slide(const std::vector<Vec3>& way, int first, int end, double frame_time);

/// How fast the ground moves under a figure that walks in place (a treadmill), lengths per second; none where it does
/// not.
std::optional<Vec3> find_belt(const FootPaths& paths);
/// The ways as the ground sees them that moves so.
void ride_on(const Vec3& belt, FootPaths& paths);

}  // namespace armature::inline v0_2
