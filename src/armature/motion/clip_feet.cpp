// Foot clean-up: a figure onto itself, with its feet held while they stand.
#include <algorithm>

#include "armature/base/index.hpp"
#include "armature/motion/clip_parts.hpp"
#include "armature/motion/frame_series.hpp"
#include "armature/motion/retarget.hpp"

namespace armature::inline v0_2::clips {

Result<Clip> feet(const Model& model, const Clip& clip) {
  if (const Status status = check_clip(model, clip); !status) return status.error();
  const Figure figure = guess_figure(model);
  const int root = root_of(model, clip);
  if (!figure.has_legs() || root < 0) {
    return Error{"Feet are cleaned of figures with two legs and a root that travels; this model has none."};
  }
  RetargetOptions options;
  for (const std::string& link : model.links()) options.bone_map.emplace_back(link, link);
  options.keep_hands = false;
  options.within_limits = false;  // a captured figure's limits are its own affair
  Clip own = clip;
  own.model = model;
  Result<Retargeted> cleaned = retarget(own, model, options);
  if (!cleaned) return cleaned.error();
  // Onto the ground that the motion had, which its rest pose does not tell.
  const Vec3 up = up_of(model, clip);
  const std::vector<Transform> before = root_frames(model, clip, root);
  const std::vector<Transform> after = root_frames(model, cleaned->clip, root);
  std::vector<double> shift[3];
  for (std::size_t f = 0; f < before.size(); ++f) {
    for (int k = 0; k < 3; ++k) shift[k].push_back(before[f].position[k] - after[f].position[k]);
  }
  const Vec3 middle(percentile(shift[0], 50.0), percentile(shift[1], 50.0), percentile(shift[2], 50.0));
  const Transform back = Transform::translate(up * up.dot(middle));
  move_root(model, root, std::vector<Transform>(before.size(), back), cleaned->clip);
  cleaned->clip.name = clip.name;
  if (first_frame_stands_apart(model, clip)) std::copy_n(clip.frame(0), clip.q_size, cleaned->clip.frame(0));
  return cleaned->clip;
}

}  // namespace armature::inline v0_2::clips
