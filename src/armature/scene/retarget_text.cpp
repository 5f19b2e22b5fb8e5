#include "armature/scene/retarget_text.hpp"

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {

Result<LoadedModel> make_travelling(LoadedModel target, bool float_root, std::vector<std::string>& notes) {
  const Model before = target.model;
  Result<Model> after = make_travelling(before, float_root, notes);
  if (!after) return after.error();
  if (*after == before) return target;
  for (Clip& clip : target.document.clips) {
    Clip wider = clip;
    wider.q_size = after->q_size();
    wider.values.clear();
    for (int f = 0; f < clip.frame_count(); ++f) wider.append(carry_pose(before, *after, clip.frame(f)));
    clip = std::move(wider);
  }
  target.document.linkage = after->linkage();
  target.model = std::move(*after);
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
  json.member("sinking", r.sinking)
      .member("hand_sinking", r.hand_sinking)
      .member("knee_peak", r.knee_peak)
      .member("head_peak", r.head_peak);
  json.member("foot_peak", r.foot_peak).member("travel", r.travel).member("standing", r.standing).end();
}

}  // namespace armature::inline v0_2
