// What the links of a model occupy, compiled once: capsules (spheres among them) and boxes, and which pairs of them
// could touch. docs/bodies.md has the mathematics and where bodies come from.
//
// Invariant: solids are ordered by link; no pair is of one rigid group, of neighbours, or in the model's ignored_pairs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/geom/distance.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

/// A capsule along z (`box` false) or a box, on a link or (link -1) in the world.
struct Solid {
  int link = -1;
  bool box = false;
  Transform origin;          // in the link's frame
  Vec3 half = Vec3::Zero();  // of a box
  double radius = 0.0;       // of a capsule
  double length = 0.0;       // of its axis
  double bound = 0.0;        // radius of the sphere about the origin that holds all of it
};
/// From a box, sphere, capsule or cylinder (its cover).
Solid make_solid(const Shape& shape, const Transform& origin, int link);

enum class PairReason { checked, adjacent, ignored, always, never };
const char* reason_name(PairReason reason);

/// Two links with bodies, and why they are, or are not, asked whether they touch.
struct LinkPair {
  int a, b;  // links, a < b
  PairReason reason = PairReason::checked;
  std::string word;                // of the file that ignores it
  double rate = 0.0;               // part of the sampled poses in which they touch
  double largest_clearance = 0.0;  // over the samples
};

struct SolidPair {
  int a, b;       // solids
  double margin;  // the most that is kept between them: half their largest clearance over the samples
};

struct BodyOptions {
  int samples = 1000;  // random poses that tell rates; 0: none, and no pair is ignored for its rate
  bool prove = false;  // pairs that never touched in the samples: try to prove it, and check them no more
  int cells = 20000;   // most cells of one proof
  std::string source;  // "": the first that exists; else only "file", "collision", "visual" or "bones"
  /// Triangles of a mesh that a shape names, in the mesh's own frame and unit; null: meshes are passed over, with a
  /// note, and the bones stand in for them.
  std::function<Result<std::vector<Triangle>>(const std::string& uri)> load_mesh;
  int most_per_link = 3;  // capsules or boxes around one mesh
};

struct Bodies {
  std::vector<Body> list;        // by link's name, with their sources: what a file would hold
  std::vector<Solid> solids;     // the same, compiled
  std::vector<SolidPair> pairs;  // that are checked, likely hits first
  std::vector<LinkPair> links;   // every pair of links with bodies
  std::vector<std::string> notes;
  std::uint64_t fingerprint = 0;  // of the model
  std::uint64_t stamp = 0;        // of the bodies and pairs

  bool empty() const { return solids.empty(); }
};

Result<Bodies> compile_bodies(const Model& model, const BodyOptions& options = {});

/// For each link the topmost one that moves rigidly with it.
std::vector<int> rigid_groups(const Model& model);
/// For each link: whether some joint above it can move.
std::vector<char> moving_links(const Model& model);

}  // namespace armature::inline v0_2
