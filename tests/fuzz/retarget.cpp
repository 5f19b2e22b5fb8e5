// Fuzzes retargeting: a motion of one figure (limbs by name, or any linkage at all) carried over to another one.
// Whatever is accepted gives as many finite frames as the source has, inside the target's limits where those are to
// hold.
#include "armature/motion/retarget.hpp"

#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "support/sound_linkage.hpp"

using namespace armature;
using namespace armature::fuzz;

namespace {

// A linkage whose links have the names of a body's parts, so that the guesses of figure.hpp find something.
Linkage named_figure(Choices& choose) {
  static constexpr std::array<const char*, 20> kParts{
      "pelvis",       "spine",     "chest",           "neck",          "head",       "left_thigh",  "left_shin",
      "left_foot",    "left_toe",  "right_thigh",     "right_shin",    "right_foot", "left_collar", "left_upper_arm",
      "left_forearm", "left_hand", "right_upper_arm", "right_forearm", "right_hand", "tail"};
  Linkage linkage = sound_linkage(choose, 19);
  const auto rename = [&](std::string& name) {
    if (name.rfind("link", 0) == 0)
      name = kParts[static_cast<std::size_t>(std::atoi(name.c_str() + 4)) % kParts.size()];
  };
  for (Link& link : linkage.links) rename(link.name);
  for (Joint& joint : linkage.joints) {
    rename(joint.parent);
    rename(joint.child);
  }
  return linkage;
}

// Pelvis, two legs and an arm in their proper order, with joints and lengths of any kind.
Linkage upright_figure(Choices& choose) {
  Linkage linkage;
  linkage.name = "figure";
  const auto add = [&](const char* parent, const char* child, const Vec3& at) {
    Joint joint;
    joint.name = std::string("to_") + child;
    joint.parent = parent;
    joint.child = child;
    constexpr std::array<int, 4> kKinds{0, 1, 2, 3};
    switch (choose.of(kKinds)) {
      case 0:
        joint.type = Spherical{};
        break;
      case 1:
        joint.type = Euler{};
        break;
      case 2:
        joint.type = Revolute{choose.direction()};
        break;
      default:
        joint.type = Fixed{};
    }
    if (*parent == '\0') joint.type = choose.below(2) == 0 ? JointType(Free{}) : JointType(FreeEuler{});
    joint.limits = sound_limits(choose, joint.type, 1.0);
    joint.origin = Transform::translate(at + (choose.one_in(4) ? 0.1 : 0.0) * choose.plain_vector());
    linkage.links.push_back({child, {}});
    linkage.joints.push_back(joint);
  };
  const double leg = choose.one_in(8) ? choose.mixed() : 0.4;
  add("", "pelvis", Vec3(0, 1, 0));
  add("pelvis", "spine", Vec3(0, 0.2, 0));
  add("spine", "head", Vec3(0, 0.4, 0));
  for (const char* side : {"left", "right"}) {
    const double x = *side == 'l' ? 0.1 : -0.1;
    const std::string s = side;
    add("pelvis", (s + "_thigh").c_str(), Vec3(x, 0, 0));
    add((s + "_thigh").c_str(), (s + "_shin").c_str(), Vec3(0, -leg, 0));
    add((s + "_shin").c_str(), (s + "_foot").c_str(), Vec3(0, -leg, 0));
    if (choose.below(2) == 0) add((s + "_foot").c_str(), (s + "_toe").c_str(), Vec3(0, -0.05, 0.1));
    if (choose.below(2) == 0) continue;
    add("spine", (s + "_upper_arm").c_str(), Vec3(2 * x, 0.3, 0));
    add((s + "_upper_arm").c_str(), (s + "_forearm").c_str(), Vec3(3 * x, 0, 0));
    add((s + "_forearm").c_str(), (s + "_hand").c_str(), Vec3(3 * x, 0, 0));
  }
  return linkage;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choose(data, size);
  const bool upright = choose.below(4) > 0;
  const Result<Model> source = compile(upright ? upright_figure(choose) : named_figure(choose));
  const Result<Model> target = compile(upright ? upright_figure(choose) : named_figure(choose));
  if (!source || !target) return 0;
  Clip clip;
  clip.q_size = source->q_size();
  clip.frame_time = choose.one_in(8) ? choose.mixed() : 1.0 / 30.0;
  Rng rng(choose.seed());
  const int frames = choose.below(12);
  for (int f = 0; f < frames; ++f) {
    // Some stand still, so that feet count as planted.
    if (f > 0 && choose.below(2) == 0) {
      clip.append(Eigen::Map<const VecX>(clip.frame(f - 1), clip.q_size));
    } else {
      clip.append(choose.below(2) == 0 ? random_pose(*source, rng) : neutral_pose(*source));
    }
  }
  if (clip.frame_count() > 0 && clip.q_size > 0 && choose.one_in(8))
    clip.frame(0)[choose.below(clip.q_size)] = choose.mixed();
  RetargetOptions options;
  options.keep_feet = choose.below(4) > 0;
  options.keep_hands = choose.below(4) > 0;
  options.within_limits = choose.below(4) > 0;
  if (choose.one_in(8)) options.root_scale = choose.mixed();
  if (choose.one_in(8)) options.blend = choose.mixed();
  if (choose.one_in(8)) options.still_speed = choose.mixed();
  options.bone_map = guess_bone_map(*source, *target);
  if (choose.one_in(8)) options.bone_map.emplace_back(choose.name(), choose.name());
  clip.model = *source;
  const Result<Retargeted> result = retarget(clip, *target, options);
  if (!result) {
    demand(!result.message().empty(), "a refusal has a sentence");
    return 0;
  }
  demand(result->clip.q_size == target->q_size(), "frames are the target's");
  demand(target->q_size() == 0 || result->clip.frame_count() == clip.frame_count(), "as many frames as the source");
  for (double value : result->clip.values) demand(std::isfinite(value), "every frame is finite");
  for (int f = 0; options.within_limits && target->q_size() > 0 && f < result->clip.frame_count(); ++f)
    demand(inside_limits(*target, Eigen::Map<const VecX>(result->clip.frame(f), target->q_size()), 1e-6),
           "limits hold");
  for (const Footfall& step : result->footfalls)
    demand(step.first <= step.last && step.last < clip.frame_count() && step.slide >= 0.0,
           "a footfall is a stretch of frames");
  return 0;
}
