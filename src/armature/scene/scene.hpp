// A scene: a model, the pose it starts from, goals, what may move how far, a method, a clock. One JSON form is a file
// of the command line, a dict of Python, an object of TypeScript and the studio's address (docs/formats/scene.md).
//
//   const Report report = solve(load_scene("pick.json").value());
//
//   Scene scene;                                         // or in place
//   scene.model = load_model("panda").value();
//   scene.goals = {PositionGoal{.target = {0.4, 0.2, 0.5}}};
//   save("pick.json", scene).value();
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/scene/goal_json.hpp"
#include "armature/scene/load.hpp"
#include "armature/scene/methods.hpp"
#include "armature/scene/motion_json.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/track.hpp"

namespace armature::inline v0_2 {

struct Scene : Problem {
  std::string name{};
  std::string model_name{};  // as it was given; "": in place
  std::shared_ptr<const LoadedModel> loaded{};
  ReadOptions read{};
  std::string group{};   // of the model: its tip where none is named
  std::string base{};    // frame of goals that name none; "": the world
  bool exact = false;    // where bodies touch, the shapes themselves decide (docs/bodies.md)
  std::string method{};  // "": the default of who solves
  OptionValues options{};
  TrackOptions tracking{};
  std::optional<Keyframes> keys{};
  KeyLayers layers{};                    // besides the key poses
  std::string keys_json{}, view_json{};  // as they were read
  std::vector<std::string> notes{};      // what was assumed, repaired, or looks like a slip

  std::string tip_name() const { return tip.named() || tip.empty() ? tip.name() : model.link_name(tip.index()); }
  GoalContext context() { return {model, start, tip_name(), base, notes, false, {}}; }
};

/// What a caller says besides the scene's text, and that comes before it.
struct SceneArguments {
  std::string model;                          // name, path or "-"; "": the scene's own
  std::shared_ptr<const LoadedModel> loaded;  // or a model that is there already
  std::string folder;                         // where the scene's files are; "": the working directory
  std::string tip, base, group, start;
  ReadOptions read;
  std::vector<std::shared_ptr<const GoalFunction>> functions;  // of goals of one's own; see GoalContext
  /// How models that the caller names are opened, and models and parts that the scene names; null: only built-in models
  /// and what stands in place.
  Result<LoadedModel> (*load)(const std::string& model, const ReadOptions& options) = nullptr;
  Result<LoadedModel> (*load_below)(const std::string& name, const std::string& folder,
                                    const ReadOptions& options) = nullptr;
  Result<std::string> (*read_below)(const std::string& name, const std::string& folder) = nullptr;
  Result<std::string> (*folder_below)(const std::string& name, const std::string& folder) = nullptr;
};
/// With files: open_model; what the scene names lies below its folder.
SceneArguments with_files(SceneArguments arguments);

/// From JSON text; "{}" with a model in `arguments` is the scene in which nothing was said.
Result<Scene> read_scene(std::string text, const std::string& name, const SceneArguments& arguments);
/// From an object of another language, or text that was parsed already.
Result<Scene> read_scene(const JsonInput& input, const SceneArguments& arguments);
/// The keys of a scene, as read_scene knows them.
std::vector<std::string> scene_keys();
/// From a file, or standard input ("-"), with files.
Result<Scene> load_scene(const std::string& path, SceneArguments arguments = {});
/// Whether the text is a scene rather than a model: it says so, or it has goals.
bool is_scene(std::string_view text);

std::string to_json(const Scene& scene);
/// Whether that is all of it: a goal of one's own is code, which no file holds.
Status can_be_written(const Scene& scene);

/// Whether a scene may give the joint limits: not those that follow another joint, nor balls, whose numbers are not
/// angles.
Status check_limited(const ModelJoint& joint);
/// "a=-1..1,b=0..90deg" into the scene's limits.
Status parse_limits(std::string_view text, Scene& scene);
/// One number per velocity as weights of joints.
JointMap<double> joint_weights_from(const Model& model, const VecX& velocities);

/// The problem of a moment: without the goals that follow a path, which are for track().
Problem make_problem(const Scene& scene);
/// A motion: goals follow their paths, by `reach` unless the scene names a method. Where none has a path, positions,
/// orientations and poses slide to their targets in a straight line and the short way round, in so many frames, by one
/// Euler step of the pseudoinverse per frame unless other steps (0: until they are reached) or methods are asked for;
/// where collisions are avoided by `reach`, until they are reached.
Result<Track> track(const Scene& scene, int frames = 21, int steps_per_frame = -1);
/// One answer by the scene's method; `refused` with the sentence where that, or one of its options, does not exist.
Report solve(const Scene& scene);
/// The scene's method, or `method` where it names none, with the scene's options. Options that it does not have are an
/// error, unless `lenient` (for a list of methods), where they are left out.
Result<Solver> make_solver(const Scene& scene, const std::string& method = "auto", bool lenient = false);

}  // namespace armature::inline v0_2
