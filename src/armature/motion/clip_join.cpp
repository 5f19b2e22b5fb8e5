// Clips that lead into each other or into themselves, and the travel of their root.
#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/number.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/motion/clip_parts.hpp"
#include "armature/motion/contacts.hpp"
#include "armature/motion/frame_series.hpp"

namespace armature::inline v0_2::clips {
namespace {

Vec3 up_or(const Vec3& given, const Model& model, const Clip& clip) {
  return given.norm() > 0.0 ? Vec3(given.normalized()) : up_of(model, clip);
}

int frames_in(double seconds, const Clip& clip) {
  return static_cast<int>(std::lround(std::min(1e7, seconds / clip.frame_time)));
}

// The travel of the root as a transform of the world per frame: the ground's way under a motion in place.
std::vector<Transform> travel_transforms(const std::vector<GroundMove>& travel, const Vec3& start, const Vec3& up) {
  const Mat3 axes = z_up(up);
  const Vec3 pivot = start - up * up.dot(start);
  std::vector<Transform> moves;
  for (const GroundMove& move : travel) {
    Transform turn = Transform::rotate(up, move.heading);
    turn.position = pivot + axes.transpose() * Vec3(move.x, move.y, 0.0) - turn.rotation * pivot;
    moves.push_back(turn);
  }
  return moves;
}

}  // namespace

Result<Clip> concat(const Model& model, const Clip& first, const Clip& second, const JoinOptions& options) {
  if (const Status status = check_clip(model, first); !status) return status.error();
  if (const Status status = check_clip(model, second); !status) return status.error();
  Clip next = second;
  if (std::abs(next.frame_time - first.frame_time) > 1e-6 * first.frame_time) {
    Result<Clip> same_rate = resample(model, second, first.frame_time);
    if (!same_rate) return same_rate.error();
    next = std::move(*same_rate);
  }
  if (!(std::isfinite(options.blend) && options.blend >= 0.0)) return Error{"A blend must last 0 seconds or more."};
  const int blend = frames_in(options.blend, first);
  if (blend >= std::min(first.frame_count(), next.frame_count()) && blend > 0) {
    return Error{"A blend of " + pretty_number(options.blend) + " s is longer than one of the motions."};
  }
  const int begin = first.frame_count() - 1 - blend;  // frame of the first at which the second begins
  if (const int root = root_of(model, first); options.align && root >= 0) {
    const Vec3 up = up_or(options.up, model, first);
    const std::vector<Transform> there = root_frames(model, first, root);
    const std::vector<Transform> here = root_frames(model, next, root);
    const GroundTurn turn = ground_turn(here[at(blend / 2)], there[at(begin + blend / 2)], up);
    move_root(model, root, std::vector<Transform>(here.size(), turn.transform()), next);
  }
  if (const Result<int> count = check_frame_count(begin + 1.0 * next.frame_count(), first.q_size); !count) {
    return count.error();
  }
  Clip out = empty_like(first);
  out.values.assign(first.values.begin(), first.values.begin() + static_cast<std::ptrdiff_t>(begin) * first.q_size);
  for (int f = 0; f < next.frame_count(); ++f) {
    if (f < blend) {
      append_blend(model, first.frame(begin + f), next.frame(f), smooth_step(static_cast<double>(f) / blend), out);
    } else {
      out.values.insert(out.values.end(), next.frame(f), next.frame(f) + next.q_size);
    }
  }
  return out;
}

Result<Clip> loop(const Model& model, const Clip& clip, const JoinOptions& options) {
  if (const Status status = check_clip(model, clip); !status) return status.error();
  const int last = clip.frame_count() - 1;
  if (last < 3) return Error{"A loop needs at least 4 frames."};
  if (!(std::isfinite(options.blend) && options.blend >= 0.0)) return Error{"A blend must last 0 seconds or more."};
  if (options.blend > 0.5 * clip.duration()) {
    return Error{"A blend of " + pretty_number(options.blend) + " s at both ends does not fit into a motion of " +
                 pretty_number(clip.duration()) + " s."};
  }
  const double seconds = options.blend > 0.0 ? options.blend : std::min(0.5, 0.25 * clip.duration());
  const int reach = std::clamp(frames_in(seconds, clip), 1, last / 2);
  // What is missing at the seam, first in poses, then in steps per frame; half is made up on either side, along a cubic
  // that leaves the rest of the clip with neither a jump nor a kink. Steps are compared once the poses are the same:
  // before, rates of joints that must turn far would be rates in different frames.
  const int root = root_of(model, clip);
  const Vec3 up = up_or(options.up, model, clip);
  Clip out = clip;
  for (const bool steps : {false, true}) {
    Clip onward = empty_like(clip);  // the first two frames, carried to where the cycle ends
    for (int f = 0; f < 2; ++f) onward.append(pose_of_frame(out, f));
    if (options.align && root >= 0) {
      const std::vector<Transform> frames = root_frames(model, out, root);
      const GroundTurn turn = ground_turn(frames.front(), frames.back(), up);
      move_root(model, root, std::vector<Transform>(2, turn.transform()), onward);
    }
    VecX off(model.v_size()), step_in(model.v_size());
    if (steps) {
      pose_change(model, out.frame(last - 1), out.frame(last), step_in.data());
      pose_change(model, onward.frame(0), onward.frame(1), off.data());
      off -= step_in;
    } else {
      pose_change(model, out.frame(last), onward.frame(0), off.data());
    }
    for (int f = 0; f <= last; ++f) {
      const double end = std::max(0.0, 1.0 - static_cast<double>(last - f) / reach);
      const double start = std::max(0.0, 1.0 - static_cast<double>(f) / reach);
      const double before = 1.0 - 1.0 / reach;  // one frame from the seam, where the bend is 1
      const auto bend = [&](double u) { return reach * u * u * (u - 1.0) / std::max(before * before, 0.1); };
      const VecX v = 0.5 * (steps ? bend(end) + bend(start) : smooth_step(end) - smooth_step(start)) * off;
      moved_pose(model, out.frame(f), v.data(), f > 0 ? out.frame(f - 1) : out.frame(f), out.frame(f));
    }
  }
  return out;
}

Result<RootMotion> in_place(const Model& model, const Clip& clip, const RootOptions& options) {
  if (const Status status = check_clip(model, clip); !status) return status.error();
  const int root = root_of(model, clip);
  if (root < 0) return Error{"No joint of this model is free to travel; it is in place already."};
  const Vec3 up = up_or(options.up, model, clip);
  const std::vector<Transform> frames = root_frames(model, clip, root);
  const Mat3 axes = z_up(up);
  std::vector<Vec3> way;  // x, y, heading
  double heading = 0.0;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const Vec3 shift = axes * (frames[f].position - frames[0].position);
    if (options.turn && f > 0) {
      const double whole = heading_between(frames[0].rotation, frames[f].rotation, up);
      heading += wrap_angle(whole - heading);
    }
    way.emplace_back(shift.x(), shift.y(), heading);
  }
  way = smoothed(way, options.smooth / clip.frame_time);
  RootMotion out;
  for (const Vec3& each : way) out.travel.push_back({each.x(), each.y(), each.z()});
  std::vector<Transform> moves = travel_transforms(out.travel, frames[0].position, up);
  for (Transform& move : moves) move = move.inverse();
  out.clip = clip;
  move_root(model, root, moves, out.clip);
  return out;
}

Result<Clip> add_travel(const Model& model, const Clip& clip, const std::vector<GroundMove>& travel, const Vec3& up) {
  if (const Status status = check_clip(model, clip); !status) return status.error();
  const int root = root_of(model, clip);
  if (root < 0) return Error{"No joint of this model is free to travel."};
  if (travel.size() != at(clip.frame_count())) return Error{"The travel needs one row for each frame."};
  Clip out = clip;
  const Vec3 start = root_frames(model, clip, root).front().position;
  move_root(model, root, travel_transforms(travel, start, up_or(up, model, clip)), out);
  return out;
}

}  // namespace armature::inline v0_2::clips
