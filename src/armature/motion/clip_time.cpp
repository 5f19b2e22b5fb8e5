// Clips over time: trim, resample, reverse, speed, smooth.
#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/number.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/clip_parts.hpp"
#include "armature/motion/frame_series.hpp"

namespace armature::inline v0_2::clips {
namespace {

constexpr double kOnFrame = 1e-6;  // of a frame: a time this near to one means it

// Frames at start, start + step, ..., counted in frames of the clip.
Clip sampled(const Model& model, const Clip& clip, double start, double step, int count) {
  Clip out = empty_like(clip);
  out.values.reserve(at(count) * at(clip.q_size));
  for (int f = 0; f < count; ++f) {
    const double place = std::clamp(start + f * step, 0.0, static_cast<double>(clip.frame_count() - 1));
    const int before = static_cast<int>(std::floor(place + kOnFrame));
    const double rest = place - before;
    if (rest < kOnFrame || before + 1 >= clip.frame_count()) {
      out.values.insert(out.values.end(), clip.frame(before), clip.frame(before) + clip.q_size);
    } else {
      append_blend(model, clip.frame(before), clip.frame(before + 1), rest, out);
    }
  }
  return out;
}

// Files round their frame times (0.0083333 s for 120 a second): a rate that is this near to a whole multiple of the
// clip's, or a whole part of it, means that one.
constexpr double kSameRate = 1e-4;
double meant_frame_time(double own, double asked) {
  const double frames = std::max(1.0, std::round(asked / own)), parts = std::max(1.0, std::round(own / asked));
  if (std::abs(asked / own - frames) < kSameRate * frames) return own * frames;
  if (std::abs(own / asked - parts) < kSameRate * parts) return own / parts;
  return asked;
}

Result<int> frames_of(double duration, double frame_time, int q_size) {
  if (!(std::isfinite(frame_time) && frame_time > 0.0)) return Error{"A frame must last a positive number of seconds."};
  return check_frame_count(std::floor(duration / frame_time + kOnFrame) + 1.0, q_size);
}

}  // namespace

Result<Clip> trim(const Model& model, const Clip& clip, double from, double to) {
  if (const Status status = check_clip(model, clip); !status) return status.error();
  const double end = clip.duration();
  const double slack = kOnFrame * clip.frame_time;
  if (from > to) {
    return Error{"A part from " + pretty_number(from) + " to " + pretty_number(to) + " s ends before it begins."};
  }
  if (!(from >= -slack && from <= to && from <= end + slack)) {
    return Error{"A part from " + pretty_number(from) + " to " + pretty_number(to) + " s does not lie in a motion of " +
                 pretty_number(end) + " s."};
  }
  // A second is frame 120 also where the file says 0.0083333 s a frame.
  const auto frame_at = [&](double time) {
    const double frame = time / clip.frame_time, whole = std::round(frame);
    return std::abs(frame - whole) < kOnFrame + std::min(kSameRate * whole, 0.05) ? whole : frame;
  };
  const double first = frame_at(from);
  const int count = static_cast<int>(std::floor(frame_at(std::min(to, end)) - first + kOnFrame)) + 1;
  return sampled(model, clip, first, 1.0, count);
}

Result<Clip> resample(const Model& model, const Clip& clip, double frame_time) {
  if (clip.q_size != model.q_size()) return other_model();
  if (std::isfinite(frame_time) && frame_time > 0.0) frame_time = meant_frame_time(clip.frame_time, frame_time);
  const Result<int> count = frames_of(clip.duration(), frame_time, clip.q_size);
  if (!count) return count.error();
  Clip out = clip;
  if (clip.frame_count() > 0) out = sampled(model, clip, 0.0, frame_time / clip.frame_time, *count);
  out.frame_time = frame_time;
  return out;
}

Clip reverse(const Clip& clip) {
  Clip out = empty_like(clip);
  for (int f = clip.frame_count() - 1; f >= 0; --f) {
    out.values.insert(out.values.end(), clip.frame(f), clip.frame(f) + clip.q_size);
  }
  return out;
}

Result<Clip> speed(const Model& model, const Clip& clip, double factor) {
  if (const Status status = check_clip(model, clip); !status) return status.error();
  if (!(std::isfinite(factor) && factor > 0.0)) return Error{"A speed must be above 0; reverse plays backwards."};
  const Result<int> count = frames_of(clip.duration() / factor, clip.frame_time, clip.q_size);
  if (!count) return count.error();
  return sampled(model, clip, 0.0, factor, *count);
}

Result<Clip> smooth(const Model& model, const Clip& clip, double seconds) {
  if (const Status status = check_clip(model, clip); !status) return status.error();
  if (!(std::isfinite(seconds) && seconds >= 0.0)) return Error{"A window of smoothing must last 0 seconds or more."};
  if (seconds > clip.duration()) {
    return Error{"A window of " + pretty_number(seconds) + " s is longer than the motion, which lasts " +
                 pretty_number(clip.duration()) + " s."};
  }
  const std::vector<double> weights = gaussian_window(seconds / clip.frame_time);
  const int last = clip.frame_count() - 1;
  Clip out = empty_like(clip);
  VecX step(model.v_size()), sum(model.v_size());
  for (int f = 0; f <= last; ++f) {
    sum.setZero();
    for (int k = 1; k < static_cast<int>(weights.size()); ++k) {
      for (const int sign : {-1, 1}) {
        // Beyond an end the motion goes on as it came, point-mirrored at the end, so that lines stay lines.
        const int frame = f + sign * k;
        const int inside = std::clamp(frame < 0 ? -frame : frame > last ? 2 * last - frame : frame, 0, last);
        pose_change(model, clip.frame(f), clip.frame(inside), step.data());
        if (frame != inside) {
          const int edge = frame < 0 ? 0 : last;
          VecX to_edge(model.v_size());
          pose_change(model, clip.frame(f), clip.frame(edge), to_edge.data());
          step = 2.0 * to_edge - step;
        }
        sum += weights[at(k)] * step;
      }
    }
    VecX q(clip.q_size);
    moved_pose(model, clip.frame(f), sum.data(), f > 0 ? out.frame(f - 1) : clip.frame(f), q.data());
    out.append(q);
  }
  return out;
}

}  // namespace armature::inline v0_2::clips
