// What a file holds: a linkage, motions of it, and remarks. Every reader returns one, every writer takes one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/model/linkage.hpp"
#include "armature/motion/clip.hpp"

namespace armature::inline v0_2 {

struct Document {
  Linkage linkage;
  std::vector<Clip> clips;            // pose vectors of compile(linkage)
  std::vector<std::string> notes;     // what was left out, repaired or assumed, one sentence each
  std::vector<std::string> mistakes;  // what is wrong in the file although it can be read; also among the notes
};

struct ReadOptions {
  std::string file_name;               // for messages, and for the detection by extension
  bool safety_limits = false;          // URDF: use the soft limits of safety_controller
  bool exact_angles = false;           // URDF: rounded right angles (1.5708) as what they mean (pi / 2)
  std::string mesh_root;               // where package:// leads
  std::string srdf;                    // URDF: its semantic description, a file; "": the one beside it, if there is one
  std::string part;                    // which of several linkages in the file, by name; "": the first
  std::string bvh_positions = "auto";  // non-root position channels: "auto", "absolute", "offset"
  bool float_root = false;             // a root that stands fixed gets a free joint
  std::string up;                      // "y", "z": the whole is turned so that this axis points up; "": as it is
  double unit_scale = 1.0;             // of all lengths: 0.01 reads centimetres as metres
  std::size_t max_bytes = std::size_t{1} << 31;
  /// Reads a file that the text refers to (glTF buffers) by the URI as it stands there; null: such references are
  /// refused. scene/load has the one that opens files.
  Result<std::string> (*load)(std::string_view uri, void* context) = nullptr;
  void* load_context = nullptr;
  /// Called now and then with done/total bytes; false stops the reading.
  bool (*progress)(double fraction, void* context) = nullptr;
  void* progress_context = nullptr;
};

struct WriteOptions {
  std::vector<std::string>* notes = nullptr;  // what this format cannot carry over
  int digits = 0;                             // 0: as many as the exact round trip needs
  std::string dh_convention = "standard";     // of Denavit-Hartenberg tables: "standard" or "modified"
  std::string base, tip;                      // of Denavit-Hartenberg tables: the chain; "": root, first effector
  std::string up;           // "y", "z": turned so that this axis points up; "": y for BVH, else as it is
  double unit_scale = 1.0;  // of all lengths
  /// Takes the text piece by piece, so that a long motion never lies in memory as text; false stops the writing.
  /// Null: the whole text is returned.
  bool (*sink)(std::string_view piece, void* context) = nullptr;
  void* sink_context = nullptr;
  /// Called now and then with the fraction that is done; false stops the writing.
  bool (*progress)(double fraction, void* context) = nullptr;
  void* progress_context = nullptr;
};

}  // namespace armature::inline v0_2
