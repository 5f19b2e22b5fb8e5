#include "armature/kinematics/analysis.hpp"

#include <algorithm>

#include "armature/base/number.hpp"
#include "armature/kinematics/analysis_data.hpp"

namespace armature::inline v0_2 {

const char* class_name(ChainClass kind) {
  switch (kind) {
    case ChainClass::wrist:
      return "S";
    case ChainClass::parallel:
      return "P";
    case ChainClass::pair:
      return "K";
    case ChainClass::general:
      return "G";
    case ChainClass::spherical:
      return "spherical";
    case ChainClass::planar:
      return "planar";
    case ChainClass::cartesian:
      return "cartesian";
    case ChainClass::srs:
      return "S-R-S";
    case ChainClass::locked:
      return "locked";
    case ChainClass::fewer:
      return "fewer";
  }
  return "?";
}

namespace {

const char* what(ChainClass kind) {
  switch (kind) {
    case ChainClass::wrist:
      return "a spherical wrist, and two parallel or meeting axes: closed form, at most 8 answers";
    case ChainClass::parallel:
      return "three parallel axes, and two that meet: closed form, at most 8 answers";
    case ChainClass::pair:
      return "two parallel axes and two that meet: a polynomial of degree 16";
    case ChainClass::general:
      return "six turning joints without a special structure: a polynomial of degree 16";
    case ChainClass::spherical:
      return "three axes through one point: a polynomial of degree 4, at most 8 answers";
    case ChainClass::planar:
      return "three joints that move in one plane: a polynomial of degree 4, at most 8 answers";
    case ChainClass::cartesian:
      return "three slides take the place, three turning joints the rotation: closed form, at most 2 answers";
    case ChainClass::srs:
      return "spherical shoulder and wrist: a curve of answers over the arm angle, at most 8 of them";
    case ChainClass::locked:
      return "seven joints without a closed form of their own: one is held at its start";
    case ChainClass::fewer:
      return "fewer joints than a pose has freedoms: closed form";
  }
  return "";
}

ChainClass class_of(analytic::SixClass kind) {
  switch (kind) {
    case analytic::SixClass::wrist_parallel:
    case analytic::SixClass::wrist_meeting:
      return ChainClass::wrist;
    case analytic::SixClass::parallel:
      return ChainClass::parallel;
    case analytic::SixClass::pair:
      return ChainClass::pair;
    default:
      return ChainClass::general;
  }
}

}  // namespace

namespace analytic {
namespace {

/// Six joints: S and P, then three meeting axes, three slides, three joints in a plane, then K, then G.
bool analyze_six(const Arm& arm, bool closed_only, ChainAnalysis& out, ChainAnalysis::Constants& data) {
  data.six = make_six(arm, true);
  const bool closed = data.six.kind != SixClass::none && data.six.kind != SixClass::pair;
  if (!(closed && data.six.defect < kExact) && make_spherical(arm, kExact, data.spherical)) {
    out.kind = ChainClass::spherical;
    out.mirrored = data.spherical.first == 0;
    out.defect = data.spherical.defect;
    return true;
  }
  if (make_cartesian(arm, data.cartesian)) {
    out.kind = ChainClass::cartesian;
    return true;
  }
  const bool exact = data.six.kind != SixClass::none && data.six.defect < kExact;
  if (!exact && make_parallel_triple(arm, kExact, data.parallel)) {
    out.kind = ChainClass::planar;
    out.mirrored = data.parallel.mirrored;
    out.defect = data.parallel.defect;
    return true;
  }
  if (data.six.kind == SixClass::none || data.six.defect >= kExact) data.six = make_six(arm, closed_only);
  if (data.six.kind == SixClass::none) return false;
  out.kind = class_of(data.six.kind);
  out.mirrored = data.six.mirrored;
  out.defect = data.six.defect;
  return true;
}

/// The joint whose lock leaves the best arm of six: ends first (their lock only moves the goal), closed forms first.
/// Where one joint slides (an arm on a rail) it is that one.
bool analyze_locked(const Arm& arm, bool closed_only, ChainAnalysis& out, ChainAnalysis::Constants& data) {
  const int order[7] = {6, 0, 5, 1, 4, 2, 3};
  const bool slides = std::any_of(arm.slides, arm.slides + 7, [](bool s) { return s; });
  for (const int pass : {0, 1, 2}) {  // S and P; K; G
    for (const int joint : order) {
      const bool end = joint == 0 || joint == 6;
      if (slides && !arm.slides[joint]) continue;
      if (pass == 2 && (!end || closed_only)) continue;
      // At some value that is nothing special, so that no structure is there by chance.
      const SixArm trial = make_six(with_locked(arm, joint, end ? 0.0 : 0.4), pass < 2);
      if (trial.kind == SixClass::none || (pass == 0 && trial.kind == SixClass::pair)) continue;
      if (trial.defect >= kExact && pass == 0) continue;
      data.six = trial;
      out.kind = ChainClass::locked;
      out.locked_joint = joint;
      out.mirrored = trial.mirrored;
      out.defect = trial.defect;
      return true;
    }
  }
  return false;
}

}  // namespace
}  // namespace analytic

Result<ChainAnalysis> analyze_chain(ModelChain chain, const ChainTask& task, bool closed_only) {
  ChainAnalysis out;
  out.chain = std::move(chain);
  out.task = task;
  const int n = out.joint_count();
  const auto refuse = [&](const std::string& why) {
    return Error{"The chain of " + std::to_string(n) + (n == 1 ? " joint" : " joints") + " has no closed form: " + why +
                 "."};
  };
  if (n > 7) return refuse("analysis takes at most seven joints; lock some, or solve it with `reach`");
  auto data = std::make_shared<ChainAnalysis::Constants>();
  data->arm = analytic::make_arm(out.chain);
  const analytic::Arm& arm = data->arm;
  const bool slides = std::any_of(arm.slides, arm.slides + n, [](bool s) { return s; });
  if (task.position_only || task.rotation_only || task.free_turn || n < 6) {
    const char* why = "";
    const analytic::Task asked{task.position_only, task.rotation_only, task.free_turn, task.free_slide, task.axis};
    if (!analytic::make_fewer(arm, asked, closed_only, data->fewer, why)) return refuse(why);
    out.kind = ChainClass::fewer;
    out.mirrored = data->fewer.mirrored && data->fewer.kind != analytic::FewerKind::position;
    out.defect = data->fewer.defect;
  } else if (n == 6) {
    if (!analytic::analyze_six(arm, closed_only, out, *data)) {
      return refuse(slides ? "it slides in one or two joints, and no three neighbouring axes meet or move one plane; "
                             "solve it with `reach`"
                           : "its axes make every eliminant vanish; solve it with `reach`");
    }
  } else {
    if (!slides && analytic::make_srs(arm, analytic::kExact, data->srs)) {
      out.kind = ChainClass::srs;
      out.defect = data->srs.defect;
    } else if (!analytic::analyze_locked(arm, closed_only, out, *data)) {
      return refuse(slides ? "without its slide it is no solvable arm of six turning joints; solve it with `reach`"
                           : "no joint leaves a solvable arm of six when it is locked; solve it with `reach`");
    }
  }
  out.sentence = std::string("Class ") + class_name(out.kind) + (out.mirrored ? ", from the other end" : "") + ": " +
                 what(out.kind);
  if (!out.exact()) out.sentence += "; snapped, the geometry is off by " + pretty_number(out.defect, 2);
  out.sentence += ".";
  out.constants = std::move(data);
  return out;
}

Result<ChainAnalysis> analyze_chain(const Model& model, int base, int tip, const Vec3& point, const ChainTask& task) {
  Result<ModelChain> chain = make_chain(model, base, tip, point);
  if (!chain) return chain.error();
  return analyze_chain(std::move(*chain), task);
}

}  // namespace armature::inline v0_2
