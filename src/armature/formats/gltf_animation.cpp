// Animations of a glTF file as clips: LINEAR, STEP and CUBICSPLINE samplers, sampled at a steady rate on which the
// file's own times lie where there is one.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/gltf.hpp"
#include "armature/kinematics/joint_fit.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kStays = 1e-5;        // a bone this near to its place (of the longest bone) is in it
constexpr double kOnFrame = 1e-3;      // a time this near to a frame (in frames) lies on it
constexpr double kDefaultRate = 60.0;  // frames a second, where no rate fits
constexpr double kSlowestRate = 24.0;  // sparser keys are filled in

enum class Way { linear, step, cubic };

// One channel: times and values, and where the last look-up was.
struct Curve {
  std::vector<double> times;
  std::vector<double> values;  // `width` numbers each; in-tangent, value, out-tangent for cubic
  std::size_t width = 3;
  Way way = Way::linear;
  std::size_t last = 0;

  const double* value(std::size_t key) const { return values.data() + width * (way == Way::cubic ? 3 * key + 1 : key); }
  const double* in_tangent(std::size_t key) const { return values.data() + width * 3 * key; }
  const double* out_tangent(std::size_t key) const { return values.data() + width * (3 * key + 2); }

  // At `time`, or at the key that is nearer than `slack`. Times rise from call to call.
  Vec4 at(double time, double slack) {
    while (last + 1 < times.size() && times[last + 1] <= time + slack) ++last;
    const double before = times[last];
    if (last + 1 == times.size() || time <= before + slack || way == Way::step) return key(last);
    const double span = times[last + 1] - before;
    const double t = std::clamp((time - before) / span, 0.0, 1.0);
    if (way == Way::cubic) return hermite(t, span);
    const Vec4 a = key(last);
    const Vec4 b = key(last + 1);
    if (width == 4) return slerp(Quat(a), Quat(b), t).coeffs();
    return a + t * (b - a);
  }

  Vec4 key(std::size_t k) const { return gather(value(k)); }
  Vec4 gather(const double* from) const {
    Vec4 v = Vec4::Zero();
    for (std::size_t i = 0; i < width; ++i) v[static_cast<Eigen::Index>(i)] = from[i];
    return v;
  }
  // glTF 2.0, appendix C.5.
  Vec4 hermite(double t, double span) const {
    const double t2 = t * t;
    const double t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * key(last) + span * (t3 - 2 * t2 + t) * gather(out_tangent(last)) +
           (-2 * t3 + 3 * t2) * key(last + 1) + span * (t3 - t2) * gather(in_tangent(last + 1));
  }
};

struct MovedNode {
  int node = -1;
  int link = -1;
  Curve position, rotation;  // no times: not animated
};

bool on_grid(const std::vector<double>& times, double step) {
  return std::all_of(times.begin(), times.end(), [&](double t) {
    const double frames = t / step;
    return std::abs(frames - std::round(frames)) <= kOnFrame + 4e-7 * frames;  // single precision
  });
}

class AnimationSampler {
 public:
  AnimationSampler(const GltfFile& file, const GltfTree& tree, const Model& model, const Source& source,
                   Document& document)
      : file_(file), tree_(tree), model_(model), source_(source), document_(document) {
    neutral_.assign(static_cast<std::size_t>(model.q_size()), 0.0);
    for (int i = 0; i < model.link_count(); ++i) {
      const ModelJoint& joint = model.joint(i);
      if (!joint.mimic) neutral_coordinates(joint.type, neutral_.data() + joint.q_index);
    }
  }

  Status sample(std::vector<int>& animation_of_clip) {
    const Json& animations = gltf_list(file_.json, "animations");
    for (std::size_t i = 0; i < animations.size(); ++i) {
      const std::string name = gltf_name(animations[i], "animation", i);
      if (const Status status = collect(animations[i], name); !status) return status;
      if (moved_.empty()) continue;
      Clip clip;
      clip.name = name;
      clip.q_size = model_.q_size();
      if (const Status status = frames(animations[i], clip); !status) return status;
      document_.clips.push_back(std::move(clip));
      animation_of_clip.push_back(static_cast<int>(i));
    }
    return {};
  }

 private:
  // Fills moved_ with what the animation does to links that can move.
  Status collect(const Json& animation, const std::string& name) {
    moved_.clear();
    std::vector<int> slot(tree_.nodes.size(), -1);
    std::size_t scales = 0;
    std::size_t weights = 0;
    for (const Json& channel : animation["channels"]) {
      const Json& target = channel["target"];
      const int node = gltf_index(target, "node");
      if (node < 0) continue;
      const Json& path = target["path"];
      scales += path == "scale" ? 1 : 0;
      weights += path == "weights" ? 1 : 0;
      if (path != "translation" && path != "rotation") continue;
      const std::string& link_name = tree_.nodes[static_cast<std::size_t>(node)].link;
      const int link = model_.lookup_link(link_name).value_or(-1);
      if (link < 0 || model_.joint(link).mimic || model_.joint(link).q_count == 0) continue;
      int& at = slot[static_cast<std::size_t>(node)];
      if (at < 0) {
        at = static_cast<int>(moved_.size());
        moved_.emplace_back();
        moved_.back().node = node;
        moved_.back().link = link;
      }
      const Json& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
      for (const char* part : {"input", "output"}) {
        if (!accessor_present(file_, gltf_index(sampler, part))) {
          return source_.error("The animation " + armature::detail::quoted(name) +
                               " needs a buffer that is not there.");
        }
      }
      MovedNode& moved = moved_[static_cast<std::size_t>(at)];
      read_curve(sampler, path == "rotation" ? moved.rotation : moved.position, path == "rotation" ? 4 : 3);
    }
    if (scales > 0) {
      document_.notes.push_back("The animation " + armature::detail::quoted(name) + " scales " +
                                std::to_string(scales) +
                                " nodes, which a linkage cannot follow; the scales are kept when glTF is written.");
    }
    if (weights > 0) {
      document_.notes.push_back("The animation " + armature::detail::quoted(name) +
                                " has weights of morph targets; they are kept when glTF is written.");
    }
    return {};
  }

  // Files whose times do not rise (gltf_check notes them): by time, and of several keys at one time the last.
  static void sort_keys(Curve& curve) {
    if (std::adjacent_find(curve.times.begin(), curve.times.end(), std::greater_equal<>()) == curve.times.end()) return;
    const std::size_t stride = curve.width * (curve.way == Way::cubic ? 3 : 1);
    std::vector<std::size_t> order(curve.times.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return curve.times[a] < curve.times[b]; });
    std::vector<double> times, values;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k + 1 < order.size() && curve.times[order[k + 1]] == curve.times[order[k]]) continue;
      times.push_back(curve.times[order[k]]);
      const double* from = curve.values.data() + order[k] * stride;
      values.insert(values.end(), from, from + stride);
    }
    curve.times = std::move(times);
    curve.values = std::move(values);
  }

  void read_curve(const Json& sampler, Curve& curve, std::size_t width) const {
    const int input = gltf_index(sampler, "input");
    curve.width = width;
    const Json* way = gltf_member(sampler, "interpolation");
    if (way != nullptr && *way == "STEP") curve.way = Way::step;
    if (way != nullptr && *way == "CUBICSPLINE") curve.way = Way::cubic;
    curve.times = read_accessor(file_, input);
    curve.values = read_accessor(file_, gltf_index(sampler, "output"));
    for (double& v : curve.values) v = std::isfinite(v) ? v : 0.0;
    // Without data all times are 0: one key.
    if (gltf_index(gltf_list(file_.json, "accessors")[static_cast<std::size_t>(input)], "bufferView") < 0) {
      curve.times.resize(1);
    }
    sort_keys(curve);
    if (width != 4) return;
    for (std::size_t k = 0; k < curve.times.size(); ++k) {
      double* q = const_cast<double*>(curve.value(k));
      const double n = Vec4(q[0], q[1], q[2], q[3]).norm();
      if (n > 1e-6) {
        if (curve.way != Way::cubic) {
          for (int i = 0; i < 4; ++i) q[i] /= n;
        }
      } else {
        q[3] = 1.0;
      }
    }
  }

  // The frame time: given by us, or one on which all times lie, or the default.
  double frame_time(const Json& animation, double end) {
    const Json* extras = gltf_member(animation, "extras");
    const Json* given = extras != nullptr ? gltf_member(*extras, "armature_frame_time") : nullptr;
    std::vector<double> times;
    for (const MovedNode& moved : moved_) {
      for (const Curve* curve : {&moved.position, &moved.rotation}) {
        if (curve->times == last_times_) continue;  // files share their times
        times.insert(times.end(), curve->times.begin(), curve->times.end());
        last_times_ = curve->times;
      }
    }
    last_times_.clear();
    if (given != nullptr && given->is_number() && given->get<double>() > 0.0 && on_grid(times, given->get<double>())) {
      return given->get<double>();
    }
    if (end <= 0.0) return 1.0 / kDefaultRate;
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    double smallest = end;
    for (std::size_t i = 1; i < times.size(); ++i) smallest = std::min(smallest, times[i] - times[i - 1]);
    const double spacing =
        times.size() > 1 ? (times.back() - times.front()) / static_cast<double>(times.size() - 1) : end;
    // Evenly spaced times give their own spacing, rounded to a whole rate; else the usual rates are tried.
    std::vector<double> steps;
    if (std::abs(spacing * std::round(1.0 / spacing) - 1.0) < 1e-5) steps.push_back(1.0 / std::round(1.0 / spacing));
    steps.insert(steps.end(), {spacing, 1.0 / 24, 1.0 / 25, 1.0 / 30, 1.0 / 48, 1.0 / 50, 1.0 / 60, 1.0 / 100,
                               1.0 / 120, 1.0 / 240, 1.0 / 1000});
    for (const double step : steps) {
      if (step > 0.0 && step <= smallest * 1.01 && on_grid(times, step)) {
        return step / std::max(1.0, std::ceil(step * kSlowestRate - 1e-6));  // keys stay on frames
      }
    }
    return 1.0 / kDefaultRate;
  }

  Status frames(const Json& animation, Clip& clip) {
    double end = 0.0;
    for (const MovedNode& moved : moved_) {
      for (const Curve* curve : {&moved.position, &moved.rotation}) {
        if (!curve->times.empty()) end = std::max(end, curve->times.back());
      }
    }
    clip.frame_time = frame_time(animation, end);
    double count = std::ceil(end / clip.frame_time - 2.0 * kOnFrame - 4e-7 * end / clip.frame_time) + 1.0;
    if (count > kMaxGltfFrames) {
      std::size_t keys = 0;
      for (const MovedNode& moved : moved_)
        keys = std::max({keys, moved.position.times.size(), moved.rotation.times.size()});
      const double most = std::max<double>(kMaxGltfFrames, static_cast<double>(keys));
      if (count > most) {
        clip.frame_time = end / (most - 1.0);
        count = most;
        document_.notes.push_back("The animation " + armature::detail::quoted(clip.name) + " lasts " +
                                  pretty_number(end) + " s; it is sampled every " + pretty_number(clip.frame_time) +
                                  " s only.");
      }
    }
    if (!keys_on_frames(clip.frame_time)) {
      document_.notes.push_back("The keys of the animation " + armature::detail::quoted(clip.name) +
                                " have no common rate; it is sampled " + pretty_number(1.0 / clip.frame_time) +
                                " times a second.");
    }
    const double numbers = count * clip.q_size;
    if (total_ + numbers > static_cast<double>(kMaxGltfNumbers)) {
      return source_.error("The animations have more than " + std::to_string(kMaxGltfNumbers) +
                           " numbers when sampled, the most that are read.");
    }
    total_ += numbers;
    const auto frame_count = static_cast<std::size_t>(count);
    clip.values.reserve(frame_count * neutral_.size());
    for (std::size_t f = 0; f < frame_count; ++f) {
      clip.values.insert(clip.values.end(), neutral_.begin(), neutral_.end());
      double* q = clip.values.data() + clip.values.size() - neutral_.size();
      const double* before = f > 0 ? q - neutral_.size() : neutral_.data();
      for (MovedNode& moved : moved_) pose(moved, static_cast<double>(f) * clip.frame_time, clip.frame_time, before, q);
    }
    return {};
  }

  bool keys_on_frames(double step) const {
    return std::all_of(moved_.begin(), moved_.end(), [&](const MovedNode& m) {
      return on_grid(m.position.times, step) && on_grid(m.rotation.times, step);
    });
  }

  void pose(MovedNode& moved, double time, double frame_time, const double* before, double* q) const {
    const GltfNode& node = tree_.nodes[static_cast<std::size_t>(moved.node)];
    const ModelJoint& joint = model_.joint(moved.link);
    const double slack = frame_time * kOnFrame + 4e-7 * time;
    Transform local = node.rest;
    if (!moved.position.times.empty()) local.position = node.above * moved.position.at(time, slack).head<3>();
    if (!moved.rotation.times.empty()) {
      const Quat turn(moved.rotation.at(time, slack));
      if (turn.norm() > 1e-9) local.rotation = turn.normalized().toRotationMatrix();
    }
    fit_coordinates(joint.type, joint.origin.inverse() * local, before + joint.q_index, q + joint.q_index);
  }

  const GltfFile& file_;
  const GltfTree& tree_;
  const Model& model_;
  const Source& source_;
  Document& document_;
  std::vector<double> neutral_;
  std::vector<MovedNode> moved_;
  std::vector<double> last_times_;
  double total_ = 0.0;
};

}  // namespace

std::vector<GltfMovement> animated_nodes(const GltfFile& file, const GltfTree& tree) {
  double size = 0.0;
  for (const GltfNode& node : tree.nodes) size = std::max(size, node.rest.position.norm());
  // Programs that bake motions write a translation for every bone; one that never leaves its place is none.
  const auto stays = [&](const GltfNode& node, const Json& sampler) {
    const Json* way = gltf_member(sampler, "interpolation");
    const int output = gltf_index(sampler, "output");
    if ((way != nullptr && *way == "CUBICSPLINE") || !accessor_present(file, output)) return false;
    const std::vector<double> values = read_accessor(file, output);
    for (std::size_t k = 0; k + 2 < values.size(); k += 3) {
      const Vec3 off = node.above * Vec3(values[k], values[k + 1], values[k + 2]) - node.rest.position;
      if (!(off.norm() <= kStays * size)) return false;
    }
    return true;
  };
  std::vector<GltfMovement> all(tree.nodes.size());
  for (const Json& animation : gltf_list(file.json, "animations")) {
    for (const Json& channel : animation["channels"]) {
      const int node = gltf_index(channel["target"], "node");
      if (node < 0) continue;
      const auto i = static_cast<std::size_t>(node);
      const Json& path = channel["target"]["path"];
      if (path == "rotation") all[i].turns = true;
      if (path == "translation" && !all[i].slides) {
        all[i].slides = !stays(tree.nodes[i], animation["samplers"][channel["sampler"].get<std::size_t>()]);
      }
    }
  }
  return all;
}

Status sample_animations(const GltfFile& file, const GltfTree& tree, const Model& model, const Source& source,
                         Document& document, std::vector<int>& animation_of_clip) {
  return AnimationSampler(file, tree, model, source, document).sample(animation_of_clip);
}

std::uint64_t clip_hash(const Clip& clip) {
  std::uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a over the bits
  const auto mix = [&](double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0x100000001b3ull;
    hash ^= hash >> 32;
  };
  mix(clip.frame_time);
  mix(clip.q_size);
  for (const double value : clip.values) mix(value);
  return hash;
}

}  // namespace armature::inline v0_2
