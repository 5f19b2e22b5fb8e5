#include "armature/motion/keyframes.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "armature/base/math.hpp"
#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr const char* kInterpolationNames[] = {"step", "linear", "cubic", "ease", "auto"};
constexpr double kMostFrames = 1e7;   // longer than a day at 60 Hz is a mistake
constexpr double kMostNumbers = 1e8;  // a few keys must not fill the memory

using Tangent = Eigen::Matrix<double, kMaxJointVelocities, 1>;

// Velocity of log(a^-1 p) at p = a exp(d) when p turns with body rate w: the inverse right Jacobian of SO(3).
Vec3 log_rate(const Vec3& d, const Vec3& w) {
  const double angle = d.norm();
  const double k =
      angle < 1e-4 ? 1.0 / 12.0 : 1.0 / (angle * angle) - (1.0 + math::cos(angle)) / (2.0 * angle * math::sin(angle));
  return w + 0.5 * d.cross(w) + k * d.cross(d.cross(w));
}

Tangent difference_of(const JointType& type, const std::vector<double>& from, const std::vector<double>& to) {
  Tangent v = Tangent::Zero();
  difference_coordinates(type, from.data(), to.data(), v.data());
  return v;
}

Tangent tangent_of(const std::vector<double>& rate) {
  Tangent v = Tangent::Zero();
  std::copy(rate.begin(), rate.end(), v.data());
  return v;
}

// The keys of one joint, and where they lie in time when the motion repeats.
struct TrackView {
  const JointType& type;
  const std::vector<Key>& keys;
  double period;  // 0: it does not repeat

  // First and last key are the same moment of the cycle.
  bool closed() const { return keys.size() > 1 && keys.back().time - keys.front().time >= period * (1.0 - 1e-12); }
  // The velocity from key `a` to key `b` in the tangent space of `at`, which is one of them; `later` seconds are added
  // to b's time.
  Tangent slope(std::size_t a, std::size_t b, double later, bool in_b) const {
    const Tangent way = in_b ? Tangent(-difference_of(type, keys[b].values, keys[a].values))
                             : difference_of(type, keys[a].values, keys[b].values);
    return way / (keys[b].time + later - keys[a].time);
  }
  Tangent rate(std::size_t k, bool clamped) const;
};

// Catmull-Rom rate at key k for uneven times, in the key's own tangent space; one-sided at ends that do not repeat.
// Clamped: none where the key is a turning point, and never so fast that the cubic leaves the range of its neighbours
// (Fritsch and Carlson 1980: at most three times either slope).
Tangent TrackView::rate(std::size_t k, bool clamped) const {
  const std::size_t last = keys.size() - 1;
  const bool wraps = period > 0.0 && last > 0;
  const bool has_before = k > 0 || wraps;
  const bool has_after = k < last || wraps;
  if (!has_before && !has_after) return Tangent::Zero();
  Tangent before = Tangent::Zero();
  Tangent after = Tangent::Zero();
  double t_before = 1.0;
  double t_after = 1.0;
  if (k > 0) {
    before = slope(k - 1, k, 0.0, true);
    t_before = keys[k].time - keys[k - 1].time;
  } else if (wraps && closed()) {
    before = slope(last - 1, last, 0.0, true);
    t_before = keys[last].time - keys[last - 1].time;
  } else if (wraps) {
    before = slope(last, 0, period, true);
    t_before = keys[0].time + period - keys[last].time;
  }
  if (k < last) {
    after = slope(k, k + 1, 0.0, false);
    t_after = keys[k + 1].time - keys[k].time;
  } else if (wraps && closed()) {
    after = slope(0, 1, 0.0, false);
    t_after = keys[1].time - keys[0].time;
  } else if (wraps) {
    after = slope(last, 0, period, false);
    t_after = keys[0].time + period - keys[last].time;
  }
  // Keys may be next to nothing apart: a slope beyond all numbers counts as none.
  const auto sound = [](const Tangent& rate) { return rate.allFinite() ? rate : Tangent(Tangent::Zero()); };
  if (!has_before) return sound(after);
  if (!has_after) return sound(before);
  Tangent rate = sound((before * t_after + after * t_before) / (t_before + t_after));
  if (!clamped) return rate;
  for (int i = 0; i < rate.size(); ++i) {
    const double most = before[i] * after[i] > 0.0 ? 3.0 * std::min(std::abs(before[i]), std::abs(after[i])) : 0.0;
    rate[i] = std::clamp(rate[i], -most, most);
  }
  return rate;
}

void sample_track(const TrackView& track, double time, double* q) {
  const std::vector<Key>& keys = track.keys;
  const auto next = std::upper_bound(keys.begin(), keys.end(), time, [](double t, const Key& k) { return t < k.time; });
  const bool outside = next == keys.begin() || next == keys.end();
  const bool wraps = outside && track.period > 0.0 && keys.size() > 1 && !track.closed();
  if (outside && !wraps) {
    const Key& held = next == keys.begin() ? keys.front() : keys.back();
    std::copy(held.values.begin(), held.values.end(), q);
    return;
  }
  const std::size_t i = wraps ? keys.size() - 1 : static_cast<std::size_t>(next - keys.begin()) - 1;
  const std::size_t j = wraps ? 0 : i + 1;
  const Key& a = keys[i];
  const Key& b = keys[j];
  const double since = time < a.time ? time + track.period - a.time : time - a.time;
  const double span = b.time - a.time + (wraps ? track.period : 0.0);
  const double u = since / span;
  const Tangent d = difference_of(track.type, a.values, b.values);
  Tangent move = Tangent::Zero();
  switch (a.interpolation) {
    case Interpolation::step:
      break;
    case Interpolation::linear:
      move = u * d;
      break;
    case Interpolation::ease:
      move = u * u * (3.0 - 2.0 * u) * d;
      break;
    case Interpolation::cubic:
    case Interpolation::automatic: {
      const bool clamped = a.interpolation == Interpolation::automatic;
      const Tangent start = span * (a.rate_out.empty() ? track.rate(i, clamped) : tangent_of(a.rate_out));
      Tangent end = span * (b.rate_in.empty() ? track.rate(j, clamped) : tangent_of(b.rate_in));
      const int n = velocity_count(track.type);
      if (!a.values.empty() && coordinates(track.type).back() == Coordinate::quaternion) {
        end.segment<3>(n - 3) = log_rate(d.segment<3>(n - 3), Vec3(end.segment<3>(n - 3)));
      }
      const double u2 = u * u;
      const double u3 = u2 * u;  // Hermite's basis, with the first value 0
      move = (3.0 * u2 - 2.0 * u3) * d + (u3 - 2.0 * u2 + u) * start + (u3 - u2) * end;
      break;
    }
  }
  integrate_coordinates(track.type, a.values.data(), move.data(), q);
}

Result<int> frame_count_for(double duration, double frame_time, int q_size) {
  if (!(std::isfinite(frame_time) && frame_time > 0.0)) return Error{"A frame must last a positive number of seconds."};
  return check_frame_count(std::floor(duration / frame_time + 1e-9) + 1.0, q_size);
}

}  // namespace

Result<int> check_frame_count(double count, int q_size) {
  const double most = std::floor(std::min(kMostFrames, kMostNumbers / std::max(1, q_size)));
  if (count <= most) return static_cast<int>(count);
  return Error{"That makes " + pretty_number(count) + " frames; at most " + std::to_string(static_cast<int>(most)) +
               " of this model are possible. Take a longer frame time."};
}

const char* interpolation_name(Interpolation interpolation) {
  return kInterpolationNames[static_cast<std::size_t>(interpolation)];
}

Result<Interpolation> interpolation_from_name(std::string_view name) {
  for (int i = 0; i < static_cast<int>(std::size(kInterpolationNames)); ++i) {
    if (name == kInterpolationNames[i]) return static_cast<Interpolation>(i);
  }
  return Error{unknown_name("interpolation", name, {std::begin(kInterpolationNames), std::end(kInterpolationNames)})};
}

Keyframes::Keyframes(const Model& model) : model_(model), tracks_(static_cast<std::size_t>(model.link_count())) {}

Status Keyframes::set(std::string_view joint, const Key& key) {
  const Result<int> link = model_.find_joint(joint);
  if (!link) return link.error();
  VecX q = neutral_pose(model_);
  if (const Status status = set_joint(model_, joint, key.values, q); !status) return status;
  if (!std::isfinite(key.time))
    return Error{"A key of joint " + detail::quoted(joint) + " has a time that is not finite."};
  const auto wanted = static_cast<std::size_t>(velocity_count(model_.joint(*link).type));
  for (const std::vector<double>* rate : {&key.rate_in, &key.rate_out}) {
    if (rate->empty()) continue;
    const bool finite = std::all_of(rate->begin(), rate->end(), [](double v) { return std::isfinite(v); });
    if (rate->size() == wanted && finite) continue;
    return Error{"A tangent of joint " + detail::quoted(joint) + " has " + std::to_string(wanted) + " finite " +
                 (wanted == 1 ? "number" : "numbers") + ", its velocities per second."};
  }
  return set_track(*link, key);
}

Status Keyframes::set_track(int link, const Key& key) {
  std::vector<Key>& track = tracks_[static_cast<std::size_t>(link)];
  const auto at =
      std::lower_bound(track.begin(), track.end(), key.time, [](const Key& k, double t) { return k.time < t; });
  if (at != track.end() && at->time == key.time) {
    *at = key;
  } else {
    track.insert(at, key);
  }
  return {};
}

Status Keyframes::set_pose(double time, const VecX& q, Interpolation interpolation) {
  if (q.size() != model_.q_size()) {
    return Error{"A key pose has " + std::to_string(q.size()) + " values where the model has " +
                 std::to_string(model_.q_size()) + "."};
  }
  if (!q.allFinite() || !std::isfinite(time)) return Error{"A key pose holds a value that is not a finite number."};
  for (int i = 0; i < model_.link_count(); ++i) {
    const ModelJoint& joint = model_.joint(i);
    if (joint.mimic || joint.q_count == 0) continue;
    const double* own = q.data() + joint.q_index;
    if (const Status s = set_track(i, {time, std::vector<double>(own, own + joint.q_count), interpolation}); !s)
      return s;
  }
  return {};
}

bool Keyframes::empty() const {
  return std::all_of(tracks_.begin(), tracks_.end(), [](const auto& track) { return track.empty(); });
}

double Keyframes::start() const {
  double first = INFINITY;
  for (const auto& track : tracks_) {
    if (!track.empty()) first = std::min(first, track.front().time);
  }
  return std::isfinite(first) ? first : 0.0;
}

double Keyframes::end() const {
  double last = -INFINITY;
  for (const auto& track : tracks_) {
    if (!track.empty()) last = std::max(last, track.back().time);
  }
  return std::isfinite(last) ? last : 0.0;
}

void Keyframes::sample(double time, VecX& q) const {
  q = neutral_pose(model_);
  const double first = start();
  const double period = periodic_ ? end() - first : 0.0;
  if (period > 0.0 && !(time >= first && time <= first + period)) {
    time = first + std::fmod(std::fmod(time - first, period) + period, period);
    if (!std::isfinite(time)) time = first;
  }
  for (int i = 0; i < model_.link_count(); ++i) {
    const std::vector<Key>& track = tracks_[static_cast<std::size_t>(i)];
    const ModelJoint& joint = model_.joint(i);
    if (!track.empty()) sample_track({joint.type, track, period}, time, q.data() + joint.q_index);
  }
}

Result<Clip> Keyframes::to_clip(double frame_time) const {
  if (empty()) return Error{"There are no keys to make a motion of."};
  const Result<int> count = frame_count_for(end() - start(), frame_time, model_.q_size());
  if (!count) return count.error();
  Clip clip;
  clip.frame_time = frame_time;
  clip.q_size = model_.q_size();
  clip.model = model_;
  VecX q;
  for (int f = 0; f < *count; ++f) {
    sample(start() + f * frame_time, q);
    clip.append(q);
  }
  return clip;
}

MotionCheck check_motion(const Model& model, const Clip& clip) {
  MotionCheck check;
  std::vector<MotionFault> worst_speed(static_cast<std::size_t>(model.v_size()));
  std::vector<MotionFault> worst_place(static_cast<std::size_t>(model.q_size()));
  VecX v(model.v_size());
  for (int f = 0; f < clip.frame_count(); ++f) {
    const double* q = clip.frame(f);
    for (int i = 0; i < model.q_size(); ++i) {
      const double limit = q[i] < model.lower()[i] ? model.lower()[i] : model.upper()[i];
      const double beyond = q[i] < model.lower()[i] || q[i] > model.upper()[i] ? std::abs(q[i] - limit) : 0.0;
      MotionFault& worst = worst_place[static_cast<std::size_t>(i)];
      if (beyond > 1e-9 && beyond > std::abs(worst.value - worst.limit)) worst = {f, i, false, q[i], limit};
    }
    if (f == 0) continue;
    difference(model, clip.frame(f - 1), q, v.data());
    for (int i = 0; i < model.v_size(); ++i) {
      if (std::abs(v[i]) > check.largest_step) {
        check.largest_step = std::abs(v[i]);
        check.largest_step_frame = f;
        check.largest_step_index = i;
      }
      const double speed = std::abs(v[i]) / clip.frame_time;
      const double limit = model.velocity_limit()[i];
      if (!std::isfinite(limit)) continue;
      check.largest_speed_ratio = std::max(check.largest_speed_ratio, limit > 0.0 ? speed / limit : 0.0);
      MotionFault& worst = worst_speed[static_cast<std::size_t>(i)];
      if (speed > limit * (1.0 + 1e-9) && speed > worst.value) worst = {f, i, true, speed, limit};
    }
  }
  for (const std::vector<MotionFault>* list : {&worst_speed, &worst_place}) {
    for (const MotionFault& fault : *list) {
      if (fault.value != fault.limit) check.faults.push_back(fault);
    }
  }
  return check;
}

}  // namespace armature::inline v0_2
