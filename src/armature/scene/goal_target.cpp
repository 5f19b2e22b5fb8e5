#include "armature/scene/goal_json.hpp"
#include "armature/scene/goal_parts.hpp"

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

bool set_target(Goal& goal, std::span<const double> numbers) {
  const double* n = numbers.data();
  if (!Eigen::Map<const VecX>(n, static_cast<Eigen::Index>(numbers.size())).allFinite()) return false;
  Quat rotation = Quat::Identity();
  if (auto* position = std::get_if<PositionGoal>(&goal); position != nullptr && numbers.size() == 3) {
    position->target = Vec3(n[0], n[1], n[2]);
  } else if (auto* orientation = std::get_if<OrientationGoal>(&goal); orientation != nullptr && numbers.size() == 4) {
    if (!unit_quaternion(n, rotation)) return false;
    orientation->target = rotation;
  } else if (auto* pose = std::get_if<PoseGoal>(&goal); pose != nullptr && numbers.size() == 7) {
    if (!unit_quaternion(n + 3, rotation)) return false;
    pose->target = Transform::from(rotation, Vec3(n[0], n[1], n[2]));
  } else if (pose != nullptr && numbers.size() == 16) {
    const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> M(n);
    if (!is_last_row(n + 12) || !rotation_of_matrix(M.topLeftCorner<3, 3>(), rotation)) return false;
    pose->target = Transform::from(rotation, M.topRightCorner<3, 1>());
  } else {
    return false;
  }
  return true;
}

}  // namespace armature::inline v0_2
