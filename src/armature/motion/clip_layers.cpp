// Clips on top of each other, and left for right.
#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "armature/base/index.hpp"
#include "armature/base/number.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/edit.hpp"
#include "armature/motion/clip_parts.hpp"
#include "armature/motion/frame_series.hpp"
#include "armature/motion/posed_figure.hpp"

namespace armature::inline v0_2::clips {
namespace {

// Of each velocity: 1 where its joint takes part.
VecX mask_of(const Model& model, const std::vector<int>& links) {
  if (links.empty()) return VecX::Ones(model.v_size());
  VecX mask = VecX::Zero(model.v_size());
  for (const int link : links) {
    for (int i = link; i < model.subtree_end(link); ++i) {
      const ModelJoint& joint = model.joint(i);
      if (!joint.mimic) mask.segment(joint.v_index, joint.v_count).setOnes();
    }
  }
  return mask;
}

// Exporters number what they write: b_LeftLeg01_015 is across from b_RightLeg01_019.
std::string_view unnumbered(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last == 0 || last + 1 == name.size()) return name;
  return name[last] == '_' || name[last] == '.' || name[last] == '-' ? name.substr(0, last) : name;
}

// The link on the other side; itself where a name has no side.
std::vector<int> partners_of(const Model& model) {
  std::vector<int> partner(at(model.link_count()));
  std::map<std::string, int, std::less<>> numbered;  // -1: more than one
  for (int i = 0; i < model.link_count(); ++i) {
    const auto [place, added] = numbered.emplace(unnumbered(model.link_name(i)), i);
    if (!added) place->second = -1;
  }
  for (int i = 0; i < model.link_count(); ++i) {
    const std::string other = swapped_sides(model.link_name(i));
    partner[at(i)] = model.lookup_link(other).value_or(i);
    if (partner[at(i)] != i || other == model.link_name(i)) continue;
    const auto found = numbered.find(unnumbered(other));
    if (found != numbered.end() && found->second >= 0) partner[at(i)] = found->second;
  }
  const Figure figure = guess_figure(model);  // sides that names tell in other words
  const auto pair = [&](int left, int right) {
    if (left < 0 || right < 0) return;
    partner[at(left)] = right;
    partner[at(right)] = left;
  };
  for (const auto& [left, right] :
       {std::pair(&figure.arm[0], &figure.arm[1]), std::pair(&figure.leg[0], &figure.leg[1])}) {
    pair(left->collar, right->collar);
    pair(left->upper, right->upper);
    pair(left->lower, right->lower);
    pair(left->end, right->end);
    pair(left->toe, right->toe);
  }
  for (int i = 0; i < model.link_count(); ++i) {  // both ways, or not at all
    if (partner[at(partner[at(i)])] != i) partner[at(i)] = i;
  }
  return partner;
}

Mat3 reflection(const Vec3& normal) { return Mat3::Identity() - 2.0 * normal * normal.transpose(); }

}  // namespace

Result<Clip> layer(const Model& model, const Clip& base, const Clip& over, const LayerOptions& options) {
  if (const Status status = check_clip(model, base); !status) return status.error();
  if (const Status status = check_clip(model, over); !status) return status.error();
  if (!(std::isfinite(options.weight) && std::isfinite(options.start) && options.fade >= 0.0)) {
    return Error{"A layer needs a finite weight and start, and a fade of 0 seconds or more."};
  }
  if (!options.additive && !(options.weight >= 0.0 && options.weight <= 1.0)) {
    return Error{"The weight of a layer goes from 0 (the motion below) to 1 (the layer), not " +
                 pretty_number(options.weight) + "; only additive layers may have others."};
  }
  for (const int link : options.links) {
    if (link < 0 || link >= model.link_count()) return Error{"A layer's mask names a link that does not exist."};
  }
  Clip top = over;
  if (std::abs(over.frame_time - base.frame_time) > 1e-6 * base.frame_time) {
    Result<Clip> same_rate = resample(model, over, base.frame_time);
    if (!same_rate) return same_rate.error();
    top = std::move(*same_rate);
  }
  const VecX mask = mask_of(model, options.links);
  const int last = top.frame_count() - 1;
  Clip out = empty_like(base);
  VecX v(model.v_size()), q(model.q_size());
  for (int f = 0; f < base.frame_count(); ++f) {
    const double time = f * base.frame_time - options.start;
    double weight = options.weight;
    if (options.fade > 0.0) {
      weight *= smooth_step(time / options.fade) * smooth_step((last * base.frame_time - time) / options.fade);
    } else if (time < -0.5 * base.frame_time) {
      weight = 0.0;
    }
    const int there = static_cast<int>(std::clamp(std::round(time / base.frame_time), 0.0, 1.0 * last));
    pose_change(model, options.additive ? top.frame(0) : base.frame(f), top.frame(there), v.data());
    v = weight * v.cwiseProduct(mask);
    moved_pose(model, base.frame(f), v.data(), f > 0 ? out.frame(f - 1) : base.frame(f), q.data());
    out.append(q);
  }
  return out;
}

Result<Clip> mirror(const Model& model, const Clip& clip) {
  if (const Status status = check_clip(model, clip); !status) return status.error();
  const std::vector<int> partner = partners_of(model);
  const Figure figure = guess_figure(model);
  State rest, state;
  forward(model, neutral_pose(model), rest);
  // Across the figure at rest: from the right to the left, over all pairs.
  Vec3 left = Vec3::Zero();
  for (int i = 0; i < model.link_count(); ++i) {
    const Vec3 way = rest.X_WL[at(i)].position - rest.X_WL[at(partner[at(i)])].position;
    if (way.norm() > left.norm()) left = left.dot(way) < 0.0 ? Vec3(-way) : way;
  }
  if (!(left.norm() > 1e-9 * model.size())) {
    return Error{"No link's name says left or right, so there is nothing to exchange."};
  }
  left.normalize();
  const Vec3 up = up_of(model, clip);
  const int root = std::max(0, figure.pelvis);
  forward(model, clip.frame(0), state);
  // The plane that the figure stands in at the start: upright, through its root, across its own left.
  const Transform start = state.X_WL[at(root)];
  Vec3 across = start.rotation * rest.X_WL[at(root)].rotation.transpose() * left;
  across -= up * up.dot(across);
  if (!(across.norm() > 1e-6)) across = left;
  across.normalize();
  const Mat3 swap = reflection(across);
  const Mat3 rest_swap = reflection(left);
  PosedFigure body(model, false);
  Clip out = empty_like(clip);
  VecX q = pose_of_frame(clip, 0);
  for (int f = 0; f < clip.frame_count(); ++f) {
    forward(model, clip.frame(f), state);
    for (int i = 0; i < model.link_count(); ++i) {
      const std::size_t other = at(partner[at(i)]);
      Transform wanted;
      wanted.rotation = swap * state.X_WL[other].rotation * rest.X_WL[other].rotation.transpose() * rest_swap *
                        rest.X_WL[at(i)].rotation;
      wanted.position = start.position + swap * (state.X_WL[other].position - start.position);
      body.fit(i, wanted, q);
      body.set_frame(i, q);
    }
    out.append(q);
  }
  return out;
}

}  // namespace armature::inline v0_2::clips
