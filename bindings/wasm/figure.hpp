// One opened linkage with everything that is computed about it: pose, frames, problem, method, clips. The class that
// JavaScript holds; the methods are those of armature.d.ts, in the same order. Split over several files by subject:
// figure.cpp (pose), figure_problem.cpp (goals, joints, method), figure_solve.cpp, figure_files.cpp.
#pragma once

#include <emscripten/val.h>

#include <memory>
#include <string>

#include "armature/formats/document.hpp"
#include "armature/kinematics/state.hpp"
#include "armature/model/model.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/solver.hpp"
#include "armature/solve/stack.hpp"

namespace armature::js {

/// Name of the posture that set_joints() makes of gains.
inline constexpr const char* kJointGains = "gains of joints";

class Figure {
 public:
  using val = emscripten::val;

  /// Reads, compiles and poses; the error is the core's sentence.
  static Result<std::shared_ptr<Figure>> make(Document document, const std::string& format);
  Figure(const Figure&) = delete;
  Figure& operator=(const Figure&) = delete;

  val description() const;
  val notes() const;

  // Pose.
  val pose();
  void forward();
  val frames();
  val neutral() const;
  val random(double seed) const;
  void clamp();
  val interpolate(const val& a, const val& b, double t) const;
  void integrate(const val& velocity, double dt);
  val jacobian(double link, const val& point);

  // Problem.
  val set_goals(const val& goals);
  void move_goal(double index, double x, double y, double z, double qx, double qy, double qz, double qw);
  val set_joints(const val& settings);
  val set_solver(const std::string& name, const val& options);
  val check(const std::string& name) const;

  // Solving.
  val solve();
  val solve_within(double seconds);
  val measure();
  double timing();
  val trace(double max_iterations);
  val trace_within(double max_iterations, double seconds);
  val sequence(const val& request);
  val null_space();
  val workspace(double link, double samples, double seed) const;
  val batch(const std::string& name, double goals, double seed);

  // Files.
  val clips() const;
  val clip_frame(double clip, double frame) const;
  val meshes() const;
  val edit(const val& change) const;
  val write(const val& request) const;

 private:
  Figure(Document document, Model model, const std::string& format);
  int link_of(double link) const;
  VecX pose_of(const val& list) const;
  /// JavaScript writes into the pose directly: throws ArgumentError when something there is not finite.
  void check_pose() const;
  Result<Goal> goal_of(const val& description) const;
  void use_planar_axes();
  val report_value(const Report& report, double microseconds, const std::string& refusal) const;
  /// The method cannot take the problem: why, or "".
  std::string refusal() const;

  Document document_;
  Model model_;
  std::string format_;
  bool planar_ = false;
  VecX q_;
  VecX start_;  // of the last solve or trace, for timing()
  State state_;
  std::vector<double> frames_;  // 16 a link, column-major
  Problem problem_;
  std::unique_ptr<Solver> solver_;
  std::string solver_key_;  // name and options in use
  CompiledProblem compiled_;
  Stack stack_;
  Jacobian jacobian_;
};

}  // namespace armature::js
