#include "armature/scene/goal_json.hpp"

namespace armature::inline v0_2 {

bool set_target(Goal& goal, const Vec3& place) {
  if (auto* position = std::get_if<PositionGoal>(&goal)) {
    position->target = place;
  } else if (auto* aim = std::get_if<AimGoal>(&goal)) {
    aim->target = place;
  } else if (auto* pose = std::get_if<PoseGoal>(&goal)) {
    pose->target.position = place;
  } else if (auto* center = std::get_if<CenterOfMassGoal>(&goal)) {
    center->target = place;
  } else if (auto* pole = std::get_if<PoleGoal>(&goal)) {
    pole->target = place;
  } else {
    return false;
  }
  return true;
}

bool set_target(Goal& goal, const Quat& rotation) {
  if (auto* orientation = std::get_if<OrientationGoal>(&goal)) {
    orientation->target = rotation;
  } else if (auto* pose = std::get_if<PoseGoal>(&goal)) {
    pose->target.rotation = rotation.toRotationMatrix();
  } else {
    return false;
  }
  return true;
}

bool set_target(Goal& goal, const Transform& target) {
  const bool moved = set_target(goal, target.position);
  return set_target(goal, target.quaternion()) || moved;
}

}  // namespace armature::inline v0_2
