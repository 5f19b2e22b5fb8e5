// Fuzzes keyframes: any keys of any joints at any times. What is accepted samples to a finite pose at every time,
// passes through its keys, and becomes a clip of finite frames whose check, resampling and retiming hold together.
#include "armature/motion/keyframes.hpp"

#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/motion/clips.hpp"
#include "armature/motion/retime.hpp"
#include "support/sound_linkage.hpp"

using namespace armature;
using namespace armature::fuzz;

namespace {

// A new clock keeps its limits, by differences of the frames that it gives, and the way from first to last.
void retime_it(Choices& choose, const Model& model, const Clip& clip) {
  RetimeOptions options;
  const auto limits = [&] {
    VecX values(model.v_size());
    for (double& value : values) value = choose.one_in(16) ? choose.mixed() : 0.2 + std::abs(choose.plain());
    return values;
  };
  if (choose.below(2) == 0) options.velocity = limits();
  if (choose.below(2) == 0) options.acceleration = limits();
  if (choose.one_in(8)) options.velocity_scale = choose.number();
  if (choose.one_in(8)) options.frame_time = std::max(1e-3, std::abs(choose.mixed()));
  if (clip.frame_count() > 500) return;
  // Ten million frames are allowed and take a minute here; more are refused at once. About, from what the limits say of
  // the whole way.
  VecX way = VecX::Zero(model.v_size()), part(model.v_size());
  for (int f = 1; f < clip.frame_count(); ++f) {
    difference(model, clip.frame(f - 1), clip.frame(f), part.data());
    way += part.cwiseAbs();
  }
  double least = 0.0;
  for (int v = 0; v < model.v_size(); ++v) {
    const double velocity = options.velocity.size() > 0 ? options.velocity[v] : model.velocity_limit()[v];
    least = std::max(least, way[v] / (velocity * options.velocity_scale));
    if (options.acceleration.size() > 0) least = std::max(least, 2.0 * std::sqrt(way[v] / options.acceleration[v]));
  }
  const double frames = least / (options.frame_time > 0.0 ? options.frame_time : clip.frame_time);
  if (frames > 1e5 && frames < 1e8) return;
  const Result<Retimed> retimed = retime(model, clip, options);
  if (!retimed) {
    demand(!retimed.message().empty(), "a refusal has a sentence");
    return;
  }
  for (double value : retimed->clip.values) demand(std::isfinite(value), "a retimed frame is finite");
  demand(retimed->clip.frame_count() > 0 && retimed->velocity_ratio <= 1.0 && retimed->acceleration_ratio <= 1.0,
         "a new clock keeps the limits");
  VecX step(model.v_size());
  difference(model, clip.frame(clip.frame_count() - 1), retimed->clip.frame(retimed->clip.frame_count() - 1),
             step.data());
  demand(retimed->duration == 0.0 || step.norm() <= 1e-6 * std::max(1.0, model.size()),
         "a new clock ends where the old one did");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choose(data, size);
  const Result<Model> model = compile(sound_linkage(choose, 5));
  if (!model) return 0;
  Keyframes keys(*model);
  const std::vector<std::string> joints = model->joint_names();
  bool huge = false;
  while (choose.left() && !joints.empty()) {
    Key key;
    key.time = choose.one_in(8) ? choose.mixed() : choose.plain();
    key.interpolation = static_cast<Interpolation>(choose.below(4));
    const int which = choose.below(static_cast<int>(joints.size()) + 1);
    if (which == static_cast<int>(joints.size())) {
      Rng rng(choose.seed());
      const Status status = keys.set_pose(key.time, random_pose(*model, rng), key.interpolation);
      if (!status.ok()) demand(!status.message().empty(), "a refusal has a sentence");
      continue;
    }
    const std::string& name = joints[static_cast<std::size_t>(which)];
    const ModelJoint& joint = model->joint(*model->lookup_joint(name));
    key.values.resize(static_cast<std::size_t>(choose.one_in(16) ? choose.below(9) : joint.q_count));
    for (double& value : key.values) value = choose.mixed();
    const Status status = keys.set(name, key);
    if (!status.ok()) {
      demand(!status.message().empty(), "a refusal has a sentence");
      continue;
    }
    for (double value : key.values) huge = huge || std::abs(value) > 1e100;
    VecX q = neutral_pose(*model);
    keys.sample(key.time, q);
    bool ball = joint.q_count != joint.v_count;
    for (int i = 0; i < joint.q_count && !ball; ++i) {
      const double wanted = key.values[static_cast<std::size_t>(i)];
      demand(std::abs(q[joint.q_index + i] - wanted) <= 1e-9 * std::max(1.0, std::abs(wanted)),
             "a key is passed through");
    }
  }
  if (huge) return 0;
  VecX q = neutral_pose(*model);
  for (double time :
       {keys.start() - 1.0, keys.start(), 0.5 * (keys.start() + keys.end()), keys.end(), keys.end() + 1.0}) {
    keys.sample(time, q);
    demand(q.allFinite(), "a sample is finite");
  }
  const Result<Clip> clip = keys.to_clip(keys.end() - keys.start() > 50.0 ? 1.0 : 1.0 / 30.0);
  if (!clip) {
    demand(!clip.message().empty(), "a refusal has a sentence");
    return 0;
  }
  demand(model->q_size() == 0 || clip->values.size() % static_cast<std::size_t>(model->q_size()) == 0, "whole frames");
  for (double value : clip->values) demand(std::isfinite(value), "a frame is finite");
  if (clip->frame_count() > 5000) return 0;
  const MotionCheck check = check_motion(*model, *clip);
  for (const MotionFault& fault : check.faults)
    demand(fault.frame >= 0 && fault.frame < std::max(1, clip->frame_count()), "a fault names a frame");
  const double rate = choose.one_in(8) ? choose.number() : 1.0 / 24.0;
  const Result<Clip> other = clips::resample(*model, *clip, rate);
  if (other.ok()) {
    for (double value : other->values) demand(std::isfinite(value), "a resampled frame is finite");
  }
  Choices late(data + size - std::min<std::size_t>(size, 40), std::min<std::size_t>(size, 40));  // the keys took all
  retime_it(late, *model, *clip);
  return 0;
}
