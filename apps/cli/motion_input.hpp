// Motions as arguments: a file that holds a linkage and its motion, or a model and a motion of it in another file.
#pragma once

#include <string>

#include "armature/motion/clip.hpp"
#include "common.hpp"

namespace armature::cli {

struct LoadedMotion {
  Document document;
  Model model;
  Clip clip;           // empty when there is none
  Beside beside = {};  // where the model's meshes are
};

/// MODEL (which may be a motion file itself) and, unless `motion` is empty, the motion in that file. `clip` is the name
/// or number of one of several motions; "" takes the first. `read` is how both files are read.
LoadedMotion load_motion(const std::string& model, const std::string& motion, const std::string& clip,
                         const ReadOptions& read = {});

/// BadInput unless there are frames.
void need_frames(const LoadedMotion& motion, const std::string& name);

VecX pose_at(const Clip& clip, int frame);

/// BadInput for files that could not hold a motion or a picture of one: said before the work, not after it.
void check_motion_outputs(const std::vector<std::string>& paths);

/// Writes the document with this motion in the format that the path's extension names; notes go to stderr. glTF keeps
/// what else the document's file has: meshes, skins, materials, its other motions. A motion of the same name is
/// replaced. `up`: the axis that was asked for as the document was read, which it keeps; "": as the format has it.
void write_motion(const std::string& path, const Document& document, Clip clip, const std::string& up = "");

}  // namespace armature::cli
