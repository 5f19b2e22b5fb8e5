// One opened model as JavaScript holds it: what its file brought along, pose vectors, kinematics, edits, files.
// armature.mjs makes the class Model of it. Everything with a structure comes and goes as JSON text of scene/.
#pragma once

#include <memory>
#include <string>

#include "armature/kinematics/state.hpp"
#include "armature/scene/load.hpp"
#include "convert.hpp"

namespace armature::js {

class ModelHandle {
 public:
  using Loaded = std::shared_ptr<const LoadedModel>;

  /// `format` is the name of the one it was read from.
  using Files = std::shared_ptr<const std::map<std::string, std::string>>;
  /// `files`: what the document names, by name; its meshes are read when bodies are asked for.
  static std::shared_ptr<ModelHandle> make(Document document, const std::string& format, Files files = nullptr);
  const Loaded& loaded() const { return loaded_; }
  const Model& model() const { return loaded_->model; }

  std::string info() const;
  val notes() const { return string_array(all_notes()); }
  /// Shapes of links: [{link, type, matrix, size...}].
  val visuals() const;
  val meshes() const;

  // Pose vectors.
  val pose(const std::string& json, const val& from) const;
  std::string pose_json(const val& q) const;
  val start() const;
  val neutral() const;
  val random(double seed) const;
  val clamp(const val& q) const;
  val integrate(const val& q, const val& velocity) const;
  val difference(const val& from, const val& to) const;
  val interpolate(const val& from, const val& to, double t) const;

  // Kinematics: 16 numbers a link, column-major; 6 x v_size, linear rows first.
  val forward(const val& q) const;
  val jacobian(const std::string& link, const val& q, const val& point) const;
  /// Random places that a link reaches, three numbers each.
  val random_places(const std::string& link, double samples, double seed) const;
  val solutions(const std::string& goal, const val& start) const;

  // Files.
  val clip_frames(double clip) const;
  std::shared_ptr<ModelHandle> edit(const std::string& json) const;
  /// With `branch` below a link, or beside this model ("" as the link); `place`: x, y, z, qx, qy, qz, qw.
  std::shared_ptr<ModelHandle> graft(const ModelHandle& branch, const std::string& link, const std::string& prefix,
                                     const val& place) const;
  /// What the names of `branch` need in front of them to be free here.
  std::string free_prefix(const ModelHandle& branch) const;
  /// `clip`: {name, frame_time, q}, or undefined for the model's own clips.
  val write(const std::string& format, const val& clip) const;

  VecX pose_of(const val& list) const;

 private:
  ModelHandle(LoadedModel loaded, std::string format);
  /// An edited model has neither the file's motions nor its skins.
  std::shared_ptr<ModelHandle> changed(Document next) const;
  std::vector<std::string> all_notes() const;
  int link_of(const std::string& name) const { return need(model().find_link(name)); }

  Loaded loaded_;
  std::string format_;
};

/// The frames of a state, as JavaScript reads them.
void write_transforms(const State& state, std::vector<double>& out);
/// A motion from {name, frame_time, q}.
Clip clip_of(const val& value, const Model& model);
val clip_value(const Clip& clip);

}  // namespace armature::js
