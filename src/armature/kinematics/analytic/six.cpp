#include "armature/kinematics/analytic/six.hpp"

#include <algorithm>

namespace armature::inline v0_2::analytic {
namespace {

void store_links(const Arm& arm, SixArm& out) {
  Transform before;
  for (int i = 0; i <= 6; ++i) {
    Transform frame = arm.tip;
    if (i < 6) frame = {arm.point[i], frame_about(arm.axis[i])};
    store(before.inverse() * frame, out.link[i]);
    before = frame;
  }
}

}  // namespace

SixArm make_six(const Arm& arm, bool closed_only) {
  SixArm out;
  out.isa = best_isa();
  out.length = arm.length;
  store(arm.tip.inverse(), out.tip_inverse);
  store_links(arm, out);
  if (arm.count != 6 || std::any_of(arm.slides, arm.slides + 6, [](bool s) { return s; })) return out;
  const Arm turned_round = mirrored(arm);
  for (const double tolerance : {kExact, kSnapped}) {
    for (const bool mirror : {false, true}) {
      if (!make_closed(mirror ? turned_round : arm, tolerance, out.closed, out.kind, out.defect)) continue;
      out.mirrored = mirror;
      if (tolerance == kSnapped && !closed_only) out.has_general = choose_eliminants(arm, out);
      return out;
    }
    for (const bool mirror : {false, true}) {
      if (!make_pair_arm(mirror ? turned_round : arm, tolerance, out.pair, out.defect)) continue;
      out.mirrored = mirror;
      out.kind = SixClass::pair;
      return out;
    }
  }
  out.kind = SixClass::none;
  out.defect = 0.0;
  if (!closed_only && choose_eliminants(arm, out)) {
    out.kind = SixClass::general;
    out.has_general = true;
  }
  return out;
}

#define ARMATURE_DECLARE(isa)                                 \
  namespace isa {                                             \
  void solve_six(const SixArm&, const SixGoal&, SixAnswers&); \
  }
ARMATURE_DECLARE(baseline)
#if defined(__x86_64__) && defined(__GNUC__)
ARMATURE_DECLARE(avx2)
ARMATURE_DECLARE(avx512)
#endif
#undef ARMATURE_DECLARE

SixSolve six_solver([[maybe_unused]] Isa isa) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (isa == Isa::avx512) return avx512::solve_six;
  if (isa == Isa::avx2) return avx2::solve_six;
#endif
  return baseline::solve_six;
}

void set_goal(const Arm& arm, const Transform& X_BT, SixGoal& goal) {
  store(X_BT.rotation, goal.rotation);
  store(Vec3(X_BT.position - arm.origin), goal.position);
}

}  // namespace armature::inline v0_2::analytic
