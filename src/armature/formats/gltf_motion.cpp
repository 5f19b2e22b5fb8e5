// Clips as animations of glTF: one that was not changed since it was read keeps its keys, any other gets a LINEAR key
// for each frame.
#include <algorithm>
#include <cmath>

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

// Local turns or places of a link in all frames; false when they never leave the rest pose.
bool local_motion(const GltfOutput& out, const Clip& clip, int link, std::vector<float>& turns,
                  std::vector<float>& places, bool turning) {
  const ModelJoint& joint = out.model.joint(link);
  const Quat rest_turn = joint.origin.quaternion();
  bool moved = false;
  Quat before = rest_turn;
  double mimicked[1];
  for (int f = 0; f < clip.frame_count(); ++f) {
    const double* q = clip.frame(f) + joint.q_index;
    if (joint.mimic) {
      mimicked[0] = joint.multiplier * q[0] + joint.offset;
      q = mimicked;
    }
    const Transform local = joint.origin * joint_transform(joint.type, q);
    if (turning) {
      Quat turn = local.quaternion();
      if (turn.dot(before) < 0.0) turn.coeffs() *= -1.0;  // the short way, also for readers that do not look
      before = turn;
      moved = moved || log_rotation(turn.conjugate() * rest_turn).norm() > 1e-9;
      for (int k = 0; k < 4; ++k) turns.push_back(static_cast<float>(turn.coeffs()[k]));
    } else {
      moved = moved || (local.position - joint.origin.position).norm() > 1e-9 * out.model.size();
      const Vec3 place = out.without_scale(link, local.position);
      for (int k = 0; k < 3; ++k) places.push_back(static_cast<float>(place[k]));
    }
  }
  return moved;
}

Status sample_clip(const Clip& clip, const GltfExtra* extra, GltfOutput& out, Json& animation) {
  if (!clip.name.empty()) animation["name"] = to_utf8(clip.name);
  animation["channels"] = Json::array();
  animation["samplers"] = Json::array();
  animation["extras"]["armature_frame_time"] = clip.frame_time;
  std::vector<float> times;
  for (int f = 0; f < clip.frame_count(); ++f) {
    times.push_back(static_cast<float>(f * clip.frame_time));
    if (!std::isfinite(times.back()) || (f > 0 && !(times[times.size() - 1] > times[times.size() - 2]))) {
      return Error{"The motion " + armature::detail::quoted(clip.name) +
                   " has frames too close together for the single-precision times of glTF."};
    }
  }
  int input = -1;
  for (int i = 0; i < out.model.link_count(); ++i) {
    const ModelJoint& joint = out.model.joint(i);
    const int node = out.node_of_link[static_cast<std::size_t>(i)];
    if (joint.q_count == 0 || node < 0) continue;
    std::vector<float> turns, places;
    const bool moves[2] = {local_motion(out, clip, i, turns, places, true),
                           local_motion(out, clip, i, turns, places, false)};
    for (int part = 0; part < 2; ++part) {
      if (!moves[part]) continue;
      if (input < 0) input = out.add_floats(times, "SCALAR", 1, 0, true);
      if (extra != nullptr)
        make_gltf_trs(out.json["nodes"][static_cast<std::size_t>(node)],
                      extra->tree.nodes[static_cast<std::size_t>(node)]);
      const int output = part == 0 ? out.add_floats(turns, "VEC4", 4) : out.add_floats(places, "VEC3", 3);
      animation["samplers"].push_back({{"input", input}, {"output", output}});
      animation["channels"].push_back({{"sampler", animation["samplers"].size() - 1},
                                       {"target", {{"node", node}, {"path", part == 0 ? "rotation" : "translation"}}}});
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
