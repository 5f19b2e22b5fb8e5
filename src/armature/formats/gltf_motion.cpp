// Clips as animations of glTF: one that was not changed since it was read keeps its keys, any other gets LINEAR keys at
// the frames that the way between their neighbours does not give. So the few keys of a reduced clip are what is
// written, and a joint that stands still has two.
#include <algorithm>
#include <cmath>
#include <map>

#include "armature/base/suggest.hpp"
#include "armature/formats/gltf_output.hpp"

namespace armature::inline v0_2 {
namespace {

int former_animation(const GltfExtra& extra, const Clip& clip) {
  const auto found = std::find(extra.clip_names.begin(), extra.clip_names.end(), clip.name);
  return found != extra.clip_names.end() ? static_cast<int>(found - extra.clip_names.begin()) : -1;
}

// Scales and weights of the animation that this clip was read from.
void keep_other_channels(const Json& before, Json& animation) {
  for (const Json& channel : before["channels"]) {
    const Json& path = channel["target"]["path"];
    if (path == "translation" || path == "rotation") continue;
    Json copy = channel;
    animation["samplers"].push_back(before["samplers"][channel["sampler"].get<std::size_t>()]);
    copy["sampler"] = animation["samplers"].size() - 1;
    animation["channels"].push_back(std::move(copy));
  }
}

constexpr double kSameTurn = 3e-7;   // radians: what the single precision of glTF cannot tell
constexpr double kSamePlace = 1e-7;  // of the figure's size
constexpr double kWideTurn = 0.8;    // radians between two keys: beyond, readers that do not slerp would be far off

// What a link does in its parent's frame, in all frames.
struct LocalMotion {
  std::vector<Quat> turns;
  std::vector<Vec3> places;
  bool is_turning = false, is_moving = false;  // leaves the rest pose at all
};

LocalMotion local_motion(const GltfOutput& out, const Clip& clip, int link) {
  const ModelJoint& joint = out.model.joint(link);
  LocalMotion motion;
  const Quat rest = joint.origin.quaternion();
  Quat before = rest;
  double mimicked[1];
  for (int f = 0; f < clip.frame_count(); ++f) {
    const double* q = clip.frame(f) + joint.q_index;
    if (joint.mimic) {
      mimicked[0] = joint.multiplier * q[0] + joint.offset;
      q = mimicked;
    }
    const Transform local = joint.origin * joint_transform(joint.type, q);
    Quat turn = local.quaternion();
    if (turn.dot(before) < 0.0) turn.coeffs() *= -1.0;  // the short way, also for readers that do not look
    before = turn;
    motion.is_turning = motion.is_turning || log_rotation(turn.conjugate() * rest).norm() > 1e-9;
    motion.is_moving = motion.is_moving || (local.position - joint.origin.position).norm() > 1e-9 * out.model.size();
    motion.turns.push_back(turn);
    motion.places.push_back(local.position);
  }
  return motion;
}

// How far frame f is from the way between a and b, in what may be left out: above 1 it needs a key.
double off_the_way(const std::vector<Quat>& turns, int a, int b, int f) {
  const double share = static_cast<double>(f - a) / (b - a);
  const Quat& from = turns[static_cast<std::size_t>(a)];
  const Quat& to = turns[static_cast<std::size_t>(b)];
  const Quat there = slerp(from, to, share);
  const double off = log_rotation(there.conjugate() * turns[static_cast<std::size_t>(f)]).norm() / kSameTurn;
  const bool wide = log_rotation(from.conjugate() * to).norm() > kWideTurn;
  return wide ? off + 8.0 * share * (1.0 - share) : off;
}
double off_the_way(const std::vector<Vec3>& places, double size, int a, int b, int f) {
  const double share = static_cast<double>(f - a) / (b - a);
  const Vec3& from = places[static_cast<std::size_t>(a)];
  const Vec3 there = from + share * (places[static_cast<std::size_t>(b)] - from);
  return (there - places[static_cast<std::size_t>(f)]).norm() / (kSamePlace * size);
}

// The frames that need keys: first and last, those off the way between their neighbours, and the worst of each stretch
// that the keys so far do not give (Douglas and Peucker 1973).
template <class Off>
std::vector<int> needed_frames(int count, const Off& off) {
  std::vector<int> kept{0};
  const auto fill = [&](int a, int b) {  // between two that are kept
    std::vector<int> ends{b};
    while (!ends.empty()) {
      int worst = -1;
      double most = 1.0;
      for (int f = a + 1; f < ends.back(); ++f) {
        if (const double now = off(a, ends.back(), f); now > most) {
          most = now;
          worst = f;
        }
      }
      if (worst >= 0) {
        ends.push_back(worst);
      } else {
        kept.push_back(a = ends.back());
        ends.pop_back();
      }
    }
  };
  for (int f = 1; f < count; ++f) {
    if (f + 1 == count || off(f - 1, f + 1, f) > 1.0) fill(kept.back(), f);
  }
  return kept;
}

// Samplers with the same keys share their times.
class KeyTimes {
 public:
  KeyTimes(const Clip& clip, GltfOutput& out) : clip_(clip), out_(out) {}
  int input(const std::vector<int>& frames) {
    const auto [entry, added] = inputs_.try_emplace(frames, -1);
    if (added) {
      std::vector<float> times;
      for (const int f : frames) times.push_back(static_cast<float>(f * clip_.frame_time));
      entry->second = out_.add_floats(times, "SCALAR", 1, 0, true);
    }
    return entry->second;
  }

 private:
  const Clip& clip_;
  GltfOutput& out_;
  std::map<std::vector<int>, int> inputs_;
};

Status check_times(const Clip& clip) {
  for (int f = 0; f < clip.frame_count(); ++f) {
    const auto time = static_cast<float>(f * clip.frame_time);
    if (!std::isfinite(time) || (f > 0 && !(time > static_cast<float>((f - 1) * clip.frame_time)))) {
      return Error{"The motion " + armature::detail::quoted(clip.name) +
                   " has frames too close together for the single-precision times of glTF."};
    }
  }
  return {};
}

Status sample_clip(const Clip& clip, const GltfExtra* extra, GltfOutput& out, Json& animation) {
  if (const Status status = check_times(clip); !status) return status;
  if (!clip.name.empty()) animation["name"] = to_utf8(clip.name);
  animation["channels"] = Json::array();
  animation["samplers"] = Json::array();
  animation["extras"]["armature_frame_time"] = clip.frame_time;
  KeyTimes times(clip, out);
  const auto add = [&](int node, const char* path, int input, int output) {
    if (extra != nullptr) {
      make_gltf_trs(out.json["nodes"][static_cast<std::size_t>(node)],
                    extra->tree.nodes[static_cast<std::size_t>(node)]);
    }
    animation["samplers"].push_back({{"input", input}, {"output", output}});
    animation["channels"].push_back(
        {{"sampler", animation["samplers"].size() - 1}, {"target", {{"node", node}, {"path", path}}}});
  };
  for (int i = 0; i < out.model.link_count(); ++i) {
    const int node = out.node_of_link[static_cast<std::size_t>(i)];
    if (out.model.joint(i).q_count == 0 || node < 0) continue;
    const LocalMotion motion = local_motion(out, clip, i);
    std::vector<float> values;
    if (motion.is_turning) {
      const std::vector<int> keys =
          needed_frames(clip.frame_count(), [&](int a, int b, int f) { return off_the_way(motion.turns, a, b, f); });
      for (const int f : keys) {
        const auto& turn = motion.turns[static_cast<std::size_t>(f)].coeffs();
        for (int k = 0; k < 4; ++k) values.push_back(static_cast<float>(turn[k]));
      }
      add(node, "rotation", times.input(keys), out.add_floats(values, "VEC4", 4));
    }
    if (motion.is_moving) {
      values.clear();
      const std::vector<int> keys = needed_frames(clip.frame_count(), [&](int a, int b, int f) {
        return off_the_way(motion.places, out.model.size(), a, b, f);
      });
      for (const int f : keys) {
        const Vec3 place = out.without_scale(i, motion.places[static_cast<std::size_t>(f)]);
        for (int k = 0; k < 3; ++k) values.push_back(static_cast<float>(place[k]));
      }
      add(node, "translation", times.input(keys), out.add_floats(values, "VEC3", 3));
    }
  }
  return {};
}

}  // namespace

Status write_gltf_animations(const GltfExtra* extra, GltfOutput& out) {
  Json written = Json::array();
  const Json before = extra != nullptr ? gltf_list(extra->file.json, "animations") : Json::array();
  std::vector<char> replaced(before.size(), 0);
  if (extra != nullptr) {
    for (const int a : extra->animations) replaced[static_cast<std::size_t>(a)] = 1;
  }
  for (std::size_t a = 0; a < before.size(); ++a) {
    if (replaced[a] == 0) written.push_back(before[a]);  // it moves no link
  }
  for (const Clip& clip : out.document.clips) {
    const int a = extra != nullptr ? former_animation(*extra, clip) : -1;
    if (a >= 0 && extra->hashes[static_cast<std::size_t>(a)] == clip_hash(clip)) {
      written.push_back(before[static_cast<std::size_t>(extra->animations[static_cast<std::size_t>(a)])]);
      continue;
    }
    if (clip.q_size != out.model.q_size()) {
      return Error{"The motion " + armature::detail::quoted(clip.name) + " has " + std::to_string(clip.q_size) +
                   " numbers a frame, but the linkage has " + std::to_string(out.model.q_size()) + " coordinates."};
    }
    if (clip.frame_count() == 0) {
      out.note("The motion " + armature::detail::quoted(clip.name) + " has no frames; glTF cannot carry it.");
      continue;
    }
    Json animation;
    if (const Status status = sample_clip(clip, extra, out, animation); !status) return status;
    if (a >= 0)
      keep_other_channels(before[static_cast<std::size_t>(extra->animations[static_cast<std::size_t>(a)])], animation);
    if (animation["channels"].empty()) {
      out.note("The motion " + armature::detail::quoted(clip.name) + " moves nothing; glTF cannot carry it.");
      continue;
    }
    written.push_back(std::move(animation));
  }
  out.json.erase("animations");
  if (!written.empty()) out.json["animations"] = std::move(written);
  return {};
}

}  // namespace armature::inline v0_2
