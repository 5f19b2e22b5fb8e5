// A scene of one model as JavaScript holds it: a pose in views, goals whose targets move without objects, solving. Its
// text is read by scene/, its answers are written there. armature.mjs makes the class Scene of it.
#pragma once

#include <memory>
#include <string>

#include "armature/scene/exact.hpp"
#include "armature/scene/scene.hpp"
#include "armature/solve/follower.hpp"
#include "armature/solve/methods/follow.hpp"
#include "model_handle.hpp"

namespace armature::js {

class SceneHandle {
 public:
  explicit SceneHandle(const ModelHandle& model);

  /// All of it anew from a scene's JSON; `customs` are goals in JavaScript. The pose becomes the scene's start unless
  /// `keep_pose`.
  void set(const std::string& json, const val& customs, bool keep_pose);
  std::string json() const;
  val notes() const { return string_array(scene_.notes); }

  val q() { return view_of(q_.data(), static_cast<std::size_t>(q_.size())); }
  val transforms() { return view_of(transforms_.data(), transforms_.size()); }
  void forward();
  void clamp();
  void integrate(const val& velocity, double dt);
  /// NaN keeps a part as it is.
  void set_target(double goal, double x, double y, double z, double qx, double qy, double qz, double qw);

  /// From the pose in q, which then holds the answer. `seconds` above 0 is a limit besides the method's own.
  std::string solve(double seconds, bool measures);
  std::string measure();
  std::string trace(double max_iterations, double seconds);
  /// One iteration of the last trace, explained.
  std::string explain(double iteration) const;
  val null_space() const;
  /// Why the method cannot take the scene; "": it can.
  std::string check(const std::string& method) const;
  /// What is nearer than `within` to each other, nearest first: {clearance, pairs: [{a, b, distance, ...}]}.
  std::string clearance(double within);

  /// A gesture from the pose in q: each follow() is one frame of it, by the follow method.
  void begin();
  std::string follow(double seconds, bool measures);

  std::string compare(const std::string& methods, double seconds) const;
  val track() const;
  /// What the scene's keys make: {clip, not_reached, largest_error}; `below`: the motion of the model's file, where
  /// that is not in the module.
  val animate(const val& below) const;
  /// {q, ok, microseconds} for targets of 3 or 7 numbers each, put into the first goal; every one from the start.
  val solve_batch(const val& targets, double size);
  /// The method on random goals that a pose reaches.
  val benchmark(double goals, double seed);

 private:
  void check_pose() const;
  std::string report_json(const Problem& problem, const Report& report, double microseconds, bool measures,
                          const std::string& trace = "", const std::vector<int>& began_anew = {}) const;

  ModelHandle::Loaded loaded_;
  Scene scene_;
  Problem problem_;
  std::vector<int> goal_of_;  // per goal of the scene: its index in the problem, -1 while it follows a path
  Solver solver_;
  std::string solver_key_;  // method and options in use
  std::unique_ptr<Follow> follow_;
  std::unique_ptr<NamedClearance> clearance_;  // with the scene's obstacles; null: to be prepared
  VecX q_;
  State state_;
  std::vector<double> transforms_;
  Trace trace_;
};

/// `follower` of one scene: see solve/follower.hpp.
class FollowerHandle {
 public:
  FollowerHandle(const ModelHandle& model, const std::string& json, double velocity_scale);
  void set_target(double goal, double x, double y, double z, double qx, double qy, double qz, double qw);
  void set_twist(double goal, const val& linear, const val& angular);
  val step(double dt);
  void stop() { follower_->stop(); }
  void resume() { follower_->resume(); }

 private:
  ModelHandle::Loaded loaded_;
  Scene scene_;
  std::unique_ptr<Follower> follower_;
};

}  // namespace armature::js
