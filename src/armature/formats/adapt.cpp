#include "armature/formats/adapt.hpp"

#include <cmath>

#include "armature/base/suggest.hpp"
#include "armature/formats/gltf.hpp"
#include "armature/formats/tree_for_writing.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/edit.hpp"
#include "armature/model/expand.hpp"
#include "armature/motion/figure.hpp"

namespace armature::inline v0_2 {
namespace {

Status check_up(std::string_view up) {
  if (up == "y" || up == "z") return {};
  return Error{"up: " + unknown_name("axis", up, {"y", "z"})};
}

}  // namespace

bool has_y_up(const Linkage& linkage, const Model& model) {
  if (!linkage.up.empty()) return linkage.up == "y";
  const Figure figure = guess_figure(model);
  State rest;
  forward(model, neutral_pose(model), rest);
  if (!figure.has_legs()) return is_planar(model);
  Vec3 up = Vec3::Zero();
  for (const FigureLimb& leg : figure.leg) {
    up += rest.X_WL[static_cast<std::size_t>(leg.center)].position -
          rest.X_WL[static_cast<std::size_t>(leg.end)].position;
  }
  return up.y() > std::abs(up.x()) && up.y() > std::abs(up.z());
}

Status turn_up(Document& document, std::string_view up) {
  if (const Status status = check_up(up); !status) return status;
  const Result<Model> model = compile(document.linkage);
  if (!model) return model.error();
  const bool stands = has_y_up(document.linkage, *model) == (up == "y");
  document.linkage.up = up;
  if (stands) return {};
  // Exact: y becomes z and z becomes -y, or back.
  Transform turn;
  turn.rotation << 1, 0, 0, 0, 0, up == "z" ? -1 : 1, 0, up == "z" ? 1 : -1, 0;
  Linkage& linkage = document.linkage;
  for (Closure& closure : linkage.closures) {
    if (std::holds_alternative<Coupling>(closure.type)) continue;
    for (ClosureFrame* frame : {&closure.a, &closure.b}) {
      if (frame->link.empty()) frame->origin = turn * frame->origin;
    }
  }
  for (Joint& joint : linkage.joints) {
    if (!joint.parent.empty()) continue;
    joint.origin = turn * joint.origin;
    return {};
  }
  Joint joint;
  joint.name = fresh_joint(linkage, "up_axis");
  joint.type = Fixed{};
  joint.child = root_link(linkage);
  joint.origin = turn;
  linkage.joints.insert(linkage.joints.begin(), std::move(joint));
  return {};
}

Status scale_lengths(Document& document, double factor) {
  if (!(factor > 0.0) || !std::isfinite(factor)) return Error{"unit_scale must be a positive number."};
  if (factor == 1.0) return {};
  const std::shared_ptr<const Extra> extra = document.linkage.extra;
  if (const Status status = scale(document.linkage, factor); !status) return status;
  if (extra != nullptr) {
    document.linkage.extra = scaled_gltf(extra.get(), factor);
    const std::string kept = extra->format_only();
    if (!kept.empty() && document.linkage.extra == nullptr) {
      document.notes.push_back("Not scaled, so left out: " + kept + ".");
    }
  }
  if (document.clips.empty()) return {};
  const Result<Model> model = compile(document.linkage);
  if (!model) return model.error();
  for (Clip& clip : document.clips) {
    if (clip.q_size != model->q_size()) continue;
    for (std::size_t i = 0; i < clip.values.size(); ++i) {
      const std::size_t coordinate = i % static_cast<std::size_t>(clip.q_size);
      if (model->coordinate_kinds()[coordinate] == Coordinate::length) clip.values[i] *= factor;
    }
    if (!clip.model.empty()) clip.model = *model;
  }
  return {};
}

Status give_free_root(Document& document) {
  Linkage& linkage = document.linkage;
  const Result<Model> before = compile(linkage);
  if (!before) return before.error();
  const std::string root = root_link(linkage);
  const Joint* above = linkage.joint_above(root);
  const Link& ground = *linkage.find_link(root);
  std::vector<Joint*> below;
  for (Joint& joint : linkage.joints) {
    if (joint.parent == root) below.push_back(&joint);
  }
  const bool bare = root == "world" && above == nullptr && ground.visuals.empty() && !has_inertial(ground);
  const Joint* carrier = bare && below.size() == 1 ? below[0] : above;
  if (carrier != nullptr && coordinate_count(carrier->type) > 0) {
    document.notes.push_back("The root moves already, by joint " + detail::quoted(carrier->name) + " (" +
                             type_name(carrier->type) + ").");
    return {};
  }
  if (bare && below.size() == 1) {
    below[0]->type = Free{};
  } else if (const Status status = float_root(linkage); !status) {
    return status;
  }
  const Result<Model> after = compile(linkage);
  if (!after) return after.error();
  for (Clip& clip : document.clips) {
    if (clip.q_size != before->q_size()) continue;
    Clip moved = clip;
    moved.q_size = after->q_size();
    moved.values.clear();
    for (int f = 0; f < clip.frame_count(); ++f) {
      moved.append(expand_pose(*before, Eigen::Map<const VecX>(clip.frame(f), clip.q_size), *after));
    }
    if (!clip.model.empty()) moved.model = *after;
    clip = std::move(moved);
  }
  return {};
}

Status adapt(Document& document, const ReadOptions& options) {
  if (!options.up.empty()) {
    if (const Status status = turn_up(document, options.up); !status) return status;
  }
  if (const Status status = scale_lengths(document, options.unit_scale); !status) return status;
  return options.float_root ? give_free_root(document) : Status();
}

Status adapt(Document& document, const WriteOptions& options) {
  const std::size_t notes = document.notes.size();
  if (!options.up.empty()) {
    if (const Status status = turn_up(document, options.up); !status) return status;
  }
  if (const Status status = scale_lengths(document, options.unit_scale); !status) return status;
  if (options.notes != nullptr) {
    options.notes->insert(options.notes->end(), document.notes.begin() + static_cast<std::ptrdiff_t>(notes),
                          document.notes.end());
  }
  return {};
}

}  // namespace armature::inline v0_2
