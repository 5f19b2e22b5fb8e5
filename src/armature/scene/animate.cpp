#include "armature/scene/animate.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/drive.hpp"
#include "armature/motion/retime.hpp"
#include "armature/scene/clip_text.hpp"

namespace armature::inline v0_2 {
namespace {

Result<Clip> motion_below(const Scene& scene, double frame_time, const Clip* below) {
  if (below == nullptr) {
    const bool has = scene.loaded != nullptr && !scene.loaded->document.clips.empty();
    if (!has) return Error{"The keys lie on top of the motion of the model's file, which holds none."};
    below = &scene.loaded->document.clips.front();
  }
  ClipWork work;
  work.model = scene.model;
  work.clip = *below;
  for (const std::string& words : *scene.layers.clip) {
    const std::size_t gap = std::min(words.find(' '), words.size());
    const std::string argument = gap < words.size() ? words.substr(gap + 1) : "";
    const ClipLoader none;
    if (const Status done = apply_clip_tool(work, words.substr(0, gap), argument, none); !done) return done.error();
  }
  if (frame_time > 0.0 && std::abs(frame_time - work.clip.frame_time) > 1e-9 * frame_time) {
    return clips::resample(scene.model, work.clip, frame_time);
  }
  return work.clip;
}

// How much of a layer is there at a time: all of it between its keys.
double share(const Keyframes& keys, double fade, double time) {
  if (fade <= 0.0) return 1.0;
  return std::clamp(1.0 - std::max(keys.start() - time, time - keys.end()) / fade, 0.0, 1.0);
}

// The joints that have keys, moved from where they are towards the keys. Nothing of weight 0 changes a bit.
void blend(const Keyframes& keys, const Model& model, double time, double weight, VecX& sampled, VecX& q) {
  if (weight == 0.0) return;
  keys.sample(time, sampled);
  double v[kMaxJointVelocities];
  for (int i = 0; i < model.link_count(); ++i) {
    if (keys.tracks()[at(i)].empty()) continue;
    const ModelJoint& joint = model.joint(i);
    const double* to = sampled.data() + joint.q_index;
    double* own = q.data() + joint.q_index;
    if (weight == 1.0) {
      std::copy(to, to + joint.q_count, own);
      continue;
    }
    difference_coordinates(joint.type, own, to, v);
    for (int k = 0; k < joint.v_count; ++k) v[k] *= weight;
    integrate_coordinates(joint.type, own, v, own);
  }
}

const std::string& name_of(const Goal& goal) {
  return std::visit([](const auto& g) -> const std::string& { return g.name; }, goal);
}

// The goals that are solved for, and which of them move.
struct KeyedProblem {
  Problem problem;
  std::vector<std::size_t> goal;  // of each keyed goal: its index in the problem

  static Result<KeyedProblem> make(const Scene& scene, bool only_keyed) {
    KeyedProblem out;
    out.problem = make_problem(scene);
    const std::vector<KeyLayers::KeyedGoal>& keyed = scene.layers.goals;
    const auto has_keys = [&](const Goal& g) {
      return std::any_of(keyed.begin(), keyed.end(), [&](const auto& k) { return k.goal == name_of(g); });
    };
    if (only_keyed) {  // what stays where it was would pull the motion back
      std::erase_if(out.problem.goals, [&](const Goal& g) {
        const bool place = std::holds_alternative<PositionGoal>(g) || std::holds_alternative<OrientationGoal>(g) ||
                           std::holds_alternative<PoseGoal>(g);
        return place && !has_keys(g);
      });
    }
    for (const KeyLayers::KeyedGoal& key : keyed) {
      const auto found = std::find_if(out.problem.goals.begin(), out.problem.goals.end(),
                                      [&](const Goal& g) { return name_of(g) == key.goal; });
      if (found == out.problem.goals.end()) {
        std::vector<std::string> names;
        for (const Goal& g : out.problem.goals) names.push_back(name_of(g));
        return Error{unknown_name("goal that has keys", key.goal, names)};
      }
      out.goal.push_back(static_cast<std::size_t>(found - out.problem.goals.begin()));
    }
    return out;
  }
  void move(const KeyLayers& layers, double time, VecX& targets) {
    layers.targets->sample(time, targets);
    for (std::size_t k = 0; k < goal.size(); ++k) {
      const double* t = targets.data() + layers.goals[k].q_index;
      if (layers.goals[k].place) set_target(problem.goals[goal[k]], Vec3(t[0], t[1], t[2]));
      if (layers.goals[k].turn) set_target(problem.goals[goal[k]], Quat(t[6], t[3], t[4], t[5]));
    }
  }
};

// Searches stay on their branch once they are on one.
void keep_branch(Method& method) {
  for (const OptionInfo& option : method.option_list()) {
    if (option.name == "keep_branch") static_cast<void>(method.set_option("keep_branch", "true"));
  }
}

constexpr int kSlowings = 8;  // of a clock, until the frames keep the limits

// The scene's keyed goals, solved for in every frame from its own pose or from the last answer.
Status solve_goals(const Scene& scene, const std::vector<double>& times, bool moved, Animation& out) {
  const KeyLayers& layers = scene.layers;
  const Model& model = scene.model;
  Result<KeyedProblem> keyed = KeyedProblem::make(scene, moved);
  if (!keyed) return keyed.error();
  const Result<Solver> solver = make_solver(scene, "reach");
  if (!solver) return solver.error();
  if (const Status fit = (*solver)->check(keyed->problem); !fit) return fit.error();
  if (moved) keep_branch(**solver);
  VecX q, targets;
  VecX answer = Eigen::Map<const VecX>(out.clip.frame(0), model.q_size());
  for (int f = 0; f < out.clip.frame_count(); ++f) {
    const double time = times[at(f)];
    const double weight = moved ? layers.goal_weight * share(*layers.targets, layers.fade, time) : 1.0;
    if (weight == 0.0) continue;
    q = Eigen::Map<const VecX>(out.clip.frame(f), model.q_size());
    keyed->move(layers, time, targets);
    const Report& report = (*solver)->solve(keyed->problem, moved ? q : answer);
    answer = report.q;
    if (!moved && f == 0) keep_branch(**solver);
    if (!report.ok()) out.not_reached.push_back(f);
    out.largest_error = std::max(out.largest_error, report.position_error);
    if (weight < 1.0) q = interpolate(model, q, answer, weight);
    const VecX& made = weight < 1.0 ? q : answer;
    std::copy(made.data(), made.data() + made.size(), out.clip.frame(f));
  }
  return {};
}

// The motion on the clock that the scene asks for. Goals are solved for again at their new times, from poses that are
// nearly there; a goal that has only part of the weight stays interpolated.
Result<Animation> on_clock(const Scene& scene, const Animation& made, double from) {
  const Model& model = scene.model;
  RetimeOptions asked = *scene.tracking.retime;
  if (asked.velocity.size() == 0) {
    Result<VecX> limit = velocity_limits_of(model, scene.limits);
    if (!limit) return limit.error();
    asked.velocity = std::move(*limit);
  }
  const bool again = scene.layers.targets && scene.layers.goal_weight == 1.0 && scene.layers.fade <= 0.0;
  const VecX velocity = asked.velocity_scale * asked.velocity;
  const VecX acceleration =
      asked.acceleration.size() > 0 ? asked.acceleration : VecX::Constant(model.v_size(), HUGE_VAL);
  RetimeOptions clock = asked;
  for (int i = 0;; ++i) {
    Result<Retimed> timed = retime(model, made.clip, clock);
    if (!timed) return timed.error();
    Animation out;
    out.clip = std::move(timed->clip);
    out.not_reached = made.not_reached;
    out.largest_error = made.largest_error;
    if (!again) {
      // Frames that were missed, as they are counted now.
      out.not_reached.clear();
      for (int f = 0; f < out.clip.frame_count(); ++f) {
        const int nearest = static_cast<int>(std::lround(timed->source[at(f)]));
        if (std::binary_search(made.not_reached.begin(), made.not_reached.end(), nearest)) out.not_reached.push_back(f);
      }
      return out;
    }
    std::vector<double> times;
    for (const double source : timed->source) times.push_back(from + source * made.clip.frame_time);
    out.not_reached.clear();
    out.largest_error = 0.0;
    if (const Status solved = solve_goals(scene, times, true, out); !solved) return solved.error();
    const MotionRatios ratios = motion_ratios(model, out.clip, velocity, acceleration);
    const double over = std::max(ratios.velocity, std::sqrt(ratios.acceleration)) * (1.0 + 1e-9);
    if (over <= 1.0 + 2e-9) return out;
    if (i == kSlowings) return Error{"The motion has corners that no clock smooths; give it more frames."};
    clock.velocity /= over;
    if (clock.acceleration.size() > 0) clock.acceleration /= over * over;
  }
}

Result<Animation> make_motion(const Scene& scene, double frame_time, const Clip* below) {
  const KeyLayers& layers = scene.layers;
  const Model& model = scene.model;
  const bool poses = scene.keys && !scene.keys->empty();
  if (!poses && !layers.targets && !layers.clip) return Error{"There are no keys to make a motion of."};
  Animation out;
  double from = 0.0;
  int count = 0;
  if (layers.clip) {
    Result<Clip> motion = motion_below(scene, frame_time, below);
    if (!motion) return motion.error();
    out.clip = std::move(*motion);
    count = out.clip.frame_count();
  } else {
    if (frame_time <= 0.0) frame_time = 1.0 / scene.tracking.frame_rate;
    if (!(std::isfinite(frame_time) && frame_time > 0.0))
      return Error{"A frame must last a positive number of seconds."};
    double to = layers.duration;
    if (!(to > 0.0)) {
      from = poses ? scene.keys->start() : layers.targets->start();
      to = poses ? scene.keys->end() : layers.targets->end();
      if (poses && layers.targets) {
        from = std::min(from, layers.targets->start());
        to = std::max(to, layers.targets->end());
      }
    }
    const Result<int> frames = check_frame_count(std::floor((to - from) / frame_time + 1e-9) + 1.0, model.q_size());
    if (!frames) return frames.error();
    count = *frames;
    out.clip.frame_time = frame_time;
    out.clip.q_size = model.q_size();
    out.clip.model = model;
    const VecX still = poses || scene.start.size() != model.q_size() ? neutral_pose(model) : scene.start;
    for (int f = 0; f < count; ++f) out.clip.append(still);
  }

  VecX q(model.q_size()), sampled;
  if (poses) {
    for (int f = 0; f < count; ++f) {
      const double time = from + f * out.clip.frame_time;
      const double weight = layers.clip ? layers.weight * share(*scene.keys, layers.fade, time) : 1.0;
      q = Eigen::Map<const VecX>(out.clip.frame(f), model.q_size());
      blend(*scene.keys, model, time, weight, sampled, q);
      std::copy(q.data(), q.data() + q.size(), out.clip.frame(f));
    }
  }
  if (layers.targets) {
    std::vector<double> times;
    for (int f = 0; f < count; ++f) times.push_back(from + f * out.clip.frame_time);
    const bool moved = poses || layers.clip;  // there is a motion below the goals
    if (const Status solved = solve_goals(scene, times, moved, out); !solved) return solved.error();
  }
  if (!scene.tracking.retime) return out;
  if (const Status closed = close_loops(model, out.clip); !closed) return closed.error();
  return on_clock(scene, out, from);
}

}  // namespace

Result<Animation> animate(const Scene& scene, double frame_time, const Clip* below) {
  Result<Animation> made = make_motion(scene, frame_time, below);
  if (!made || !scene.avoids_collisions()) return made;
  Result<ClearMotion> clear = keep_clear(scene, made->clip);
  if (!clear) return clear.error();
  made->clip = std::move(clear->clip);
  clear->clip = {};
  made->cleared = std::move(*clear);
  return made;
}

}  // namespace armature::inline v0_2
