#include "armature/scene/retarget_text.hpp"

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/gltf.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/edit.hpp"
#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {

Result<LoadedModel> make_travelling(LoadedModel target, bool float_root, std::vector<std::string>& notes) {
  const Model& model = target.model;
  const int pelvis = guess_figure(model).pelvis;
  for (int link = pelvis; link >= 0; link = model.parent(link)) {
    if (!model.joint(link).mimic && model.joint(link).v_count >= 6) return target;
  }
  const bool gltf = dynamic_cast<const GltfExtra*>(target.document.extra.get()) != nullptr;
  if (gltf && pelvis >= 0 && !model.joint(pelvis).name.empty()) {
    Joint* joint = target.document.linkage.find_joint(model.joint(pelvis).name);
    if (joint != nullptr) {
      joint->type = Free{};
      notes.push_back("The hips " + detail::quoted(model.link_name(pelvis)) +
                      " are moved as well as turned, which the file did not do.");
    }
  } else if (float_root) {
    if (const Status status = armature::float_root(target.document.linkage); !status) return status.error();
  } else {
    return target;
  }
  Result<Model> freed = compile(target.document.linkage);
  if (!freed) return freed.error();
  target.model = std::move(*freed);
  if (!gltf) return target;
  // Motions of the file are of the model before: the hips' place at rest is added to each frame.
  for (Clip& clip : target.document.clips) {
    Clip wider = clip;
    wider.q_size = target.model.q_size();
    wider.values.clear();
    const ModelJoint& joint = target.model.joint(pelvis);
    const int added = joint.q_count == 7 ? 7 : 0;
    for (int f = 0; f < clip.frame_count(); ++f) {
      const double* q = clip.frame(f);
      wider.values.insert(wider.values.end(), q, q + joint.q_index);
      const bool turned = clip.q_size == wider.q_size - 3;
      wider.values.insert(wider.values.end(), {0.0, 0.0, 0.0});
      if (!turned) wider.values.insert(wider.values.end(), {0.0, 0.0, 0.0, 1.0});
      wider.values.insert(wider.values.end(), q + joint.q_index, q + clip.q_size);
    }
    if (added > 0 &&
        wider.values.size() == static_cast<std::size_t>(wider.q_size) * static_cast<std::size_t>(clip.frame_count())) {
      clip = std::move(wider);
    }
  }
  return target;
}

Result<VecX> reference_pose(const Model& model, const Clip* clip, std::string_view text,
                            std::vector<std::string>& notes) {
  if (text.empty()) return VecX();
  constexpr std::string_view kFrame = "frame=";
  if (text.substr(0, kFrame.size()) != kFrame || clip == nullptr)
    return parse_pose(model, text, neutral_pose(model), notes);
  double number = 0.0;
  if (!parse_number(text.substr(kFrame.size()), number) || number < 0.0 || number >= clip->frame_count()) {
    return Error{"A reference frame must lie between 0 and " + std::to_string(clip->frame_count() - 1) + ", not " +
                 detail::quoted(text.substr(kFrame.size())) + "."};
  }
  return VecX(Eigen::Map<const VecX>(clip->frame(static_cast<int>(number)), clip->q_size));
}

void write_retarget_report(JsonText& json, const RetargetReport& r) {
  json.begin_object().member("leg_direction", r.leg_direction).member("arm_direction", r.arm_direction);
  json.member("trunk_direction", r.trunk_direction).member("knees_back", r.knees_back);
  json.member("source_slide", r.source_slide).member("slide", r.slide).member("floating", r.floating);
  json.member("sinking", r.sinking).member("knee_peak", r.knee_peak).member("head_peak", r.head_peak);
  json.member("foot_peak", r.foot_peak).member("travel", r.travel).member("standing", r.standing).end();
}

}  // namespace armature::inline v0_2
