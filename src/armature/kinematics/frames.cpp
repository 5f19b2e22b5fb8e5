#include "armature/kinematics/frames.hpp"

namespace armature::inline v0_2 {
namespace {
const Transform& frame(const State& state, int link) {
  static const Transform kIdentity;
  ARMATURE_DCHECK(link < static_cast<int>(state.X_WL.size()), "frames: no such link in this state");
  return link == kWorld ? kIdentity : state.X_WL[static_cast<std::size_t>(link)];
}
}  // namespace

Transform relative(const State& state, int a, int b) {
  if (a == b) return {};
  return frame(state, a).inverse() * frame(state, b);
}

Vec3 convert_point(const State& state, int from, int to, const Vec3& point) {
  if (from == to) return point;
  const Transform& X_WT = frame(state, to);
  return X_WT.rotation.transpose() * (frame(state, from) * point - X_WT.position);
}

Vec3 convert_direction(const State& state, int from, int to, const Vec3& direction) {
  if (from == to) return direction;
  return frame(state, to).rotation.transpose() * (frame(state, from).rotation * direction);
}

}  // namespace armature::inline v0_2
