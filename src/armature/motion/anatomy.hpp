// Figures in a common language: where the joints of a figure are over a clip, and for each bone a frame fixed in it
// whose axes mean the same in every figure. Of a limb's bones: x the axis it flexes about, z along the bone; of trunk,
// head, hands and feet: forward, left, up. No rest pose enters but through these frames. The world is turned so that z
// is up.
#pragma once

#include <vector>

#include "armature/geom/transform.hpp"
#include "armature/motion/clip.hpp"
#include "armature/motion/figure.hpp"

namespace armature::inline v0_2 {

/// Parts of a figure by number.
enum LimbPart { kCollar, kUpper, kLower, kEnd, kToe };
inline constexpr int kPelvis = 0, kNeck = 1, kHead = 2, kPartCount = 23;
constexpr int part_of(int side, bool leg, int part) { return 3 + (2 * side + (leg ? 1 : 0)) * 5 + part; }

/// A bone over the frames: its rotation, and where its joint is.
struct BoneTrack {
  int link = -1;
  std::vector<Mat3> turn;
  std::vector<Vec3> place;
  bool there() const { return link >= 0; }
};

struct FigureTracks {
  int frames = 0;
  double frame_time = 1.0 / 30.0;
  BoneTrack part[kPartCount];
  std::vector<BoneTrack> spine, others;
  std::vector<Vec3> ball[2];   // of the feet, left and right (add_balls)
  bool guessed_balls = false;  // points of feet that are one bone

  const BoneTrack& limb(int side, bool leg, int k) const { return part[part_of(side, leg, k)]; }
  bool whole(int side, bool leg) const;
  Vec3 hips(int frame) const;       // middle of the hip joints, or the pelvis
  Vec3 shoulders(int frame) const;  // middle of the shoulders, or what is highest of the trunk
  double leg_length() const;        // 0 without legs
  double limb_length(int side, bool leg) const;
};
/// `turn` takes the model's world to one with z up; `others`: further links.
FigureTracks trace_figure(const Model& model, const Figure& figure, const std::vector<int>& others, const Clip& clip,
                          const Mat3& turn);

struct Anatomy {
  Mat3 part[kPartCount];  // frames fixed in the bones; identity where there is no such part
  std::vector<Mat3> spine, others;
  Mat3 body = Mat3::Identity();  // forward, left, up of the reference pose
  bool from_clip = false;        // the rest pose does not stand: the clip's most upright frames are the reference
  bool upright = true;           // the reference stands
};
/// `rest` has one frame, the reference pose; `clip` may be null (a target). `flat`: frames in which each foot lies flat
/// on the ground, null where that is not known. `parents`: for each of the others, the part that it hangs on.
Anatomy read_anatomy(const Model& model, const FigureTracks& rest, const FigureTracks* clip,
                     const std::vector<char>* flat, const std::vector<int>& parents);

/// Where the balls of the feet are: the toe joints, or points of feet that are one bone: three quarters of the way to
/// the foot's tip where the file has one, else where balls of feet usually are. `rest` as above.
void add_balls(const Model& model, const FigureTracks& rest, FigureTracks& clip);

/// Frame with z along `z` and x as near to `x` as that allows.
Mat3 frame_along(const Vec3& z, const Vec3& x);
Mat3 mean_rotation(const std::vector<Mat3>& turns);

}  // namespace armature::inline v0_2
