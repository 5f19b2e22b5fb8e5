// What the commands that solve share (ik, track, compare, step): the flags of a scene. The flags of methods are made
// from their described options: a new method or option needs no edit here.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "armature/scene/report_json.hpp"
#include "armature/scene/scene.hpp"
#include "common.hpp"

namespace armature::cli {

/// What must not be touched, and how that is asked.
struct CollisionFlags {
  std::string obstacles, margin, collision;
  bool exact = false;
};
/// `what`: of which nothing may touch, such as "the answer".
void add_collision_flags(CLI::App& command, CollisionFlags& flags, const std::string& what);
/// What the flags say into the problem, with the bodies of its model. `exact`: as the problem has it, and then as
/// asked.
void use_collision_flags(const CollisionFlags& flags, const LoadedModel& loaded, Problem& problem, bool& exact,
                         std::vector<std::string>& notes);

struct SolveFlags : CollisionFlags {
  SceneArguments arguments;  // model, tip, base, start, how files are read
  std::string scene, goals, posture, gain, joint_weights, limits, method;
  std::vector<std::string> goal, pole, locked;
  std::map<std::string, std::string> options;  // by the option's own name
  bool json = false;
};

std::vector<std::string> method_names();

/// MODEL, the flags of a scene, every option of every method, and --json. `method`: also --method, with this default;
/// empty: without.
void add_solve_flags(CLI::App& command, SolveFlags& flags, const std::string& method);

/// The scene of the flags: the file, then its parts' files, then what the flags say. `targets`: another argument that
/// may be standard input. The scene's notes are taken over.
Scene scene_of(const SolveFlags& flags, const std::string& targets = "");
/// The same where at least one goal is needed.
Scene scene_with_goals(const SolveFlags& flags);

/// Solves and measures the solve alone.
const Report& timed_solve(Method& solver, const Problem& problem, VecX& q, double& microseconds);
/// "position left_hand" or the goal's own name, for each goal of the problem.
Json report_to_json(const Problem& problem, const Report& report, const VecX& q, const ReportText& text);

/// A report as text for people: the outcome, each goal where there are several, each joint.
void print_report(const Problem& problem, const Report& report, const VecX& q, double microseconds);

}  // namespace armature::cli
