// Arms of six revolute joints as the kernels see them: plain arrays. six.hpp makes them and says what they mean.
//
// Everything is in base coordinates at the zero pose, lengths divided by `length`. E_i is the rotation about axis i,
// the tip stands at E_1 ... E_6 * tip, and the motion asked for is X = goal * tip^-1 = E_1 ... E_6. "Frame i" has the
// axis as z and a point of it as origin; matrices are row-major and map coordinates of one frame to another. Closed
// forms are for the first joints of the arm or, `mirrored`, for those of the reversed arm (axes negated, X^-1).
#pragma once

#include "armature/base/isa.hpp"

namespace armature::inline v0_2::analytic {

inline constexpr int kSix = 6;
inline constexpr int kMaxSixAnswers = 32;  // 16 exist at most; room for what is told apart later

enum class SixClass {
  none,
  wrist_parallel,  // S: 4, 5, 6 meet; 2 parallel to 3
  wrist_meeting,   // S: 4, 5, 6 meet; 1 meets 2
  parallel,        // P: 2, 3, 4 parallel; 5 meets 6
  pair,            // K: 2 parallel to 3; 4 meets 5
  general,         // G
};

/// Joints 4, 5, 6 through one point.
struct SphericalWrist {
  double to_5[9], to_6[9];              // frame 4 to 5, frame 5 to 6
  double a = 0.0, b = 0.0, c = 0.0;     // axis 4 . R5 axis 6 = a cos + b sin + c
  double x[3] = {}, y[3] = {};          // R5 axis 6 in frame 4, across axis 4: (1, cos, sin)
  double axis6[3] = {}, side6[3] = {};  // z and x of frame 6, base coordinates
  bool right = false;                   // axis 5 perpendicular to both neighbours: sin 5 is known exactly
};

/// Classes S and P.
struct ClosedArm {
  double frame1[9] = {}, origin1[3] = {};   // rotation of frame 1 in the base
  double point[3] = {};                     // where the last axes meet
  double h[3] = {};                         // the common direction of the parallel axes, in frame 1
  double to_h[9] = {}, offset[3] = {};      // frame 1 to the frame of h; from its origin to that of frame 1
  double height = 0.0;                      // of `point` along h, from origin 1
  double n[2] = {}, u[2] = {};              // planar links, across h
  double a3 = 0.0, b3 = 0.0, square = 0.0;  // joint 3: a3 cos + b3 sin = (distance^2 - square) / 2
  double sign3 = 1.0, sign4 = 1.0;          // of axes against h
  // 1 meets 2
  double to_3[9] = {}, to_2[9] = {};  // frame 3 to 2; frame 2 to 1
  double n3[3] = {}, u3[3] = {};      // n in frame 2, u in frame 3
  double g[3] = {};                   // axis 1 in frame 2
  double to_4[9] = {};                // frame 3 (or that of h) to 4
  SphericalWrist wrist;
  // P
  double a5 = 0.0, b5 = 0.0, c5 = 0.0;  // h . R5 axis 6
  double y6[3] = {}, z6[3] = {};        // R5^T h in frame 6, across axis 6: (1, cos, sin)
  double frame6[9] = {};                // rotation of frame 6 in the base
  double to_6[9] = {};                  // frame 5 to 6
  double e5[3] = {}, d5[3] = {};        // x of the frame of h, and origin 4 from `point`, in frame 5
  double e_h[2] = {1.0, 0.0};
  bool right = false;
  double line = 1e-20;  // square of the sine between h and axis 6 below which they are one line
};

/// Class K.
struct PairArm {
  double frame1[9] = {}, origin1[3] = {}, axis[6][3] = {};
  double h[3] = {}, n[3] = {}, u[3] = {}, along4[3] = {};  // along4: axis 4 across h
  double lambda = 0.0, mu = 0.0, height = 0.0, slope = 0.0, rest = 0.0, sign3 = 1.0;
  double h1[3][3] = {}, d1[3][3] = {};  // R1 h and R1 (origin 2 - origin 1): (1, cos, sin) of joint 1
  double c6[3][3] = {};                 // E6^-1 (4 meets 5): (1, cos, sin) of joint 6
  double k6[3][3][3] = {};              // R6^T R5^T axis 4: [(1, cos, sin) of 5][of 6]
};

/// Class G: one choice of eliminated pair, line and kept joints.
struct GeneralArm {
  int u = 0, v = 0, line = 0, kept[3] = {};
  double turn_left = 1.0, turn_kept = 1.0;  // signs of the angles on either side of the loop
  int goal_at = 0;                          // the kept joint before which the goal enters
  bool goal_inverse = false, swap = false;
  double before[3][12] = {}, after[3][12] = {};  // fixed motions around the kept joints
  double line0[15] = {};
  double equations[6][14] = {}, constant[6] = {};
  double solve_pair[4][14] = {}, left0[14] = {};
  double frame[6][9] = {}, axis[6][3] = {};
};

struct alignas(64) SixArm {
  Isa isa = Isa::baseline;
  SixClass kind = SixClass::none;
  bool mirrored = false;
  bool has_general = false;     // eliminants[0] is sound: class G, and snapped arms for a second opinion
  bool has_second = false;      // eliminants[1] is sound
  double length = 1.0;          // metres per unit
  double defect = 0.0;          // how far the geometry is from its class, units and radians
  double tip_inverse[12] = {};  // row-major 3 x 3, then the translation
  double link[7][12] = {};      // the true arm: frame i-1 to frame i; base to 0; 5 to tip
  ClosedArm closed;
  PairArm pair;
  GeneralArm eliminants[2];
};

struct SixGoal {
  double rotation[9] = {};  // of the tip in the base, row-major
  double position[3] = {};  // metres
  double start[6] = {};     // what a joint that is free is set to
  bool thorough = false;    // both eliminants, always
};

struct SixAnswers {
  int count = 0;
  bool complete = true;       // nothing was seen that casts doubt on the list
  unsigned free_joints = 0;   // bit i: at some answer joint i could have any value
  double noise = 0.0;         // of the eliminant, relative
  int dropped = 0;            // roots that led to no answer
  bool clear_margin = false;  // S, P without answers: each branch is out of reach by more than rounding
  alignas(64) double q[kMaxSixAnswers][kSix];
  double residual[kMaxSixAnswers];  // units and radians
};

}  // namespace armature::inline v0_2::analytic
