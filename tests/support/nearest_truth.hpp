// How often quality `nearest` gives the answer that is truly the nearest: an exhaustive search to compare with.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/methods/follow.hpp"
#include "armature/solve/methods/reach.hpp"
#include "armature/solve/methods/reach_nearest.hpp"
#include "support/data.hpp"
#include "support/follow_scenario.hpp"

namespace armature::test {

struct NearestArm {
  std::string name;
  Model model;
  int base = kWorld, tip = 0;
};

/// Built-in arms, and the chains of five joints and more of the shared robots.
inline std::vector<NearestArm> nearest_arms() {
  std::vector<NearestArm> arms;
  for (const char* name : {"ur5", "puma560", "stanford_arm", "panda"}) {
    if (const auto linkage = gesture_linkage(name)) {
      Model model = compile(*linkage).value();
      const int tip = model.effectors().front();
      arms.push_back({name, std::move(model), kWorld, tip});
    }
  }
  const auto list = shared_data("robots.json");
  if (!list) return arms;
  const nlohmann::json robots = nlohmann::json::parse(read_file(*list));
  for (const auto& robot : robots["robots"]) {
    const std::string file = robot["file"].get<std::string>();
    const auto path = shared_data(file);
    if (!path) continue;
    ReadOptions options;
    options.file_name = file;
    const Result<Document> document = read_document(read_file(*path), options);
    if (!document.ok()) continue;
    const Result<Model> model = compile(document->linkage);
    if (!model.ok()) continue;
    for (const auto& chain : robot["chains"]) {
      if (chain["dof"].get<int>() < 5 || chain["dof"].get<int>() > 8) continue;
      const std::string tip = chain["tip"].get<std::string>();
      arms.push_back({file.substr(file.find_last_of('/') + 1) + " " + tip, *model,
                      model->find_link(chain["base"].get<std::string>()).value(), model->find_link(tip).value()});
    }
  }
  return arms;
}

struct NearestTally {
  int solved = 0, nearest = 0, by_analysis = 0;
  double ratio = 0.0, microseconds = 0.0;
};

/// Radians; slides over a quarter of the model's size.
inline double answer_distance(const Model& model, const VecX& a, const VecX& b) {
  double sum = 0.0;
  for (int i = 0; i < model.q_size(); ++i) {
    const double d =
        (b[i] - a[i]) /
        (model.coordinate_kinds()[static_cast<std::size_t>(i)] == Coordinate::length ? 0.25 * model.size() : 1.0);
    sum += d * d;
  }
  return std::sqrt(sum);
}

inline NearestTally examine_nearest(const NearestArm& arm, int goals, int starts, bool position,
                                    std::uint64_t seed = 5) {
  const Model& model = arm.model;
  NearestTally tally;
  Rng rng(seed);
  // Joints that do not move the tip stay where they are.
  std::vector<char> moves(static_cast<std::size_t>(model.link_count()), 0);
  const Result<ModelChain> chain = make_chain(model, arm.base, arm.tip);
  if (!chain) return tally;
  for (const ChainCoordinate& c : chain->coordinates) {
    moves[static_cast<std::size_t>(model.velocity_joint(c.velocity))] = 1;
  }
  std::vector<JointRef> locked;
  for (int link = 0; link < model.link_count(); ++link) {
    const ModelJoint& joint = model.joint(link);
    if (moves[static_cast<std::size_t>(link)] == 0 && joint.v_count > 0 && !joint.mimic) locked.emplace_back(link);
  }
  const auto draw = [&](Rng& from, const VecX* rest) {
    VecX q = random_pose(model, from);
    for (int i = 0; i < model.q_size(); ++i) {
      if (model.upper()[i] - model.lower()[i] > 7.0 && std::isfinite(model.upper()[i])) q[i] = from.uniform(-kPi, kPi);
    }
    if (rest != nullptr) {
      VecX kept = *rest;
      for (const ChainCoordinate& c : chain->coordinates) kept[c.coordinate] = q[c.coordinate];
      q = kept;
    }
    clamp(model, q);
    return q;
  };
  Reach local, search, nearest;
  local.settings.local = true;
  nearest.settings.quality = Quality::nearest;
  Follow slide;
  for (int g = 0; g < goals; ++g) {
    const VecX start = draw(rng, nullptr), there = draw(rng, &start);
    State state;
    forward(model, there, state);
    const Transform X = relative(state, arm.base, arm.tip);
    Problem problem;
    problem.model = model;
    problem.locked = locked;
    if (position) {
      PositionGoal goal;
      goal.link = arm.tip;
      goal.base = arm.base;
      goal.target = X.position;
      problem.goals.emplace_back(goal);
    } else {
      PoseGoal goal;
      goal.link = arm.tip;
      goal.base = arm.base;
      goal.target = X;
      problem.goals.emplace_back(goal);
    }
    double best = HUGE_VAL;
    const auto consider = [&](VecX q) {
      turn_towards(model, model.lower().data(), model.upper().data(), start.data(), q.data());
      best = std::min(best, answer_distance(model, start, q));
      VecX slid = q;
      if (slide.slide(problem, start, slid)) best = std::min(best, answer_distance(model, start, slid));
    };
    consider(there);
    Rng draws(99 + static_cast<std::uint64_t>(g));
    for (int k = 0; k < starts; ++k) {
      const Report& found = local.solve(problem, k == 0 ? start : draw(draws, &start));
      if (found.ok()) consider(found.q);
    }
    if (const Report& found = search.solve(problem, start); found.ok()) consider(found.q);
    const auto begin = std::chrono::steady_clock::now();
    const Report& report = nearest.solve(problem, start);
    const double spent = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    if (!report.ok()) continue;
    const double found = answer_distance(model, start, report.q);
    best = std::min(best, found);
    ++tally.solved;
    tally.nearest += found <= 1.01 * best + 1e-4 ? 1 : 0;
    tally.by_analysis += std::string(report.reason).find("analysis") != std::string::npos ? 1 : 0;
    tally.ratio += best > 1e-9 ? found / best : 1.0;
    tally.microseconds += spent;
  }
  return tally;
}

}  // namespace armature::test
