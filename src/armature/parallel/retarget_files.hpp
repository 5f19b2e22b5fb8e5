// Many motions carried over to one figure, on every core and on every machine, resumable: files in, files out.
#pragma once

#include <string>
#include <vector>

#include "armature/motion/retarget.hpp"
#include "armature/parallel/job.hpp"
#include "armature/scene/load.hpp"

namespace armature::inline v0_2 {

/// What became of one motion.
struct RetargetedFile {
  std::string file;   // the motion
  std::string out;    // what was written
  std::string error;  // why nothing was; "": all is well
  int frames = 0;
  int bones = 0;
  double largest_slide = 0.0;
  double hand_error = 0.0;
};

struct RetargetFilesOptions : JobOptions {
  std::string out = {};           // folder of the answers, which is there
  std::string extension = "bvh";  // of the answers
  std::string clip = {};          // which of several motions in a file, by name or number; "": the first
  std::vector<Clip> clips = {};   // of the target's own file: kept in answers that are glTF
  bool only_skeleton = false;     // neither they, nor the target's meshes and skins
  RetargetOptions retarget = {};
};

struct RetargetFilesReport {
  std::vector<RetargetedFile> files;  // in the order of the motions, as far as the job came
  bool complete = true;
};

/// The motions in a folder (.bvh, .glb, .gltf, .fbx, .csv, .jsonl), by name; or a sentence when there are none.
Result<std::vector<std::string>> motions_in(const std::string& folder);

/// A motion that cannot be read or carried over is told in its row; the others go on. Only the first rank knows rows.
Result<RetargetFilesReport> retarget_files(const std::vector<std::string>& motions, const Model& target,
                                           const RetargetFilesOptions& options);

}  // namespace armature::inline v0_2
