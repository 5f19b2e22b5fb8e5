// What the commands that solve share (ik, animate, compare, step): flags for goal, start, method and its options.
// The flags of methods are made from their described options: a new method or option needs no edit here.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "armature/solve/problem.hpp"
#include "armature/solve/registry.hpp"
#include "common.hpp"

namespace armature::cli {

struct SolveFlags {
  std::string model;
  std::string tip;
  std::string base;
  std::string method;
  std::string goal;
  std::string start;
  std::string gain;
  std::string rest;
  std::string lock;
  std::map<std::string, std::string> options;  // by the option's own name; "" where not given
  ReadOptions read;
  bool json = false;
};

/// MODEL, --tip, --base, --goal, --start, --gain, --rest, --lock, every option of every method, and --json. `method`:
/// also --method, with this default; empty: without.
void add_solve_flags(CLI::App& command, SolveFlags& flags, const std::string& method);

/// One goal as the user gave it.
struct GivenGoal {
  Goal goal;
  bool planar = false;  // two numbers: z is free
};
/// "x,y", "x,y,z" or "x,y,z,qx,qy,qz,qw" for the tip.
GivenGoal parse_goal(const Model& model, int tip, int base, std::string_view text);
/// {"position": [..], "quaternion": [..]}, either part may be missing. `where` begins the error.
GivenGoal goal_from_json(int tip, int base, const Json& json, std::string_view where);
GivenGoal make_goal(int tip, int base, const std::vector<double>& position, const std::vector<double>& quaternion,
                    std::string_view where);

/// The pose to start from: --start on top of the model's pose "chapter", "ready" or "rest" where it has one, else the
/// middle of the limits.
VecX start_pose(const Model& model, const std::string& start);

/// The tip (or the only effector there is) and the base.
int tip_of(const Model& model, const std::string& name);
int base_of(const Model& model, const std::string& name);

/// Gains, rest pose and locks of the flags in a problem without goals.
Problem problem_of(const Model& model, const SolveFlags& flags);

/// The method by name with the options given. Options that it does not have are BadInput, unless `lenient` (for a list
/// of methods), where they are left out.
std::unique_ptr<Solver> solver_of(const std::string& method, const SolveFlags& flags, bool lenient = false);
/// `auto` when there is such a method, else `dls`.
std::string default_method();

/// What a report says, for JSON lines: outcome, errors, iterations, joints at limits, measures.
Json report_to_json(const Model& model, const Problem& problem, const Report& report, const VecX& q,
                    double microseconds);
/// Per goal: type, link, priority, errors, whether it is reached (a preference never has to be).
Json residuals_to_json(const Model& model, const Problem& problem, const Report& report);
/// Solves and measures the solve alone.
const Report& timed_solve(Solver& solver, const Problem& problem, VecX& q, double& microseconds);

}  // namespace armature::cli
