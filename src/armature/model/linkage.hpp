// What you edit: links and joints by name, in any order, possibly half-built. No invariant; compile() checks it all.
// In the textbook's words a link is a node (geometry and the matrix that readies it), a joint is an arc (a constant
// placement, then the articulation).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "armature/geom/transform.hpp"
#include "armature/model/closure.hpp"
#include "armature/model/joint.hpp"
#include "armature/model/limits.hpp"

namespace armature::inline v0_2 {

// Shapes, centred at the origin; cylinders and capsules along z. Metres.
struct Box {
  Vec3 size = Vec3::Ones();
};
struct Sphere {
  double radius = 1.0;
};
struct Cylinder {
  double radius = 1.0;
  double length = 1.0;
};
struct Capsule {
  double radius = 1.0;
  double length = 1.0;  // of the straight part, without the caps
};
struct Polyline {
  std::vector<Vec3> points{};
};
struct MeshFile {
  std::string uri{};  // kept as written: "package://..." too
};
using Shape = std::variant<Box, Sphere, Cylinder, Capsule, Polyline, MeshFile>;

/// A shape that links refer to by name, so that several can share it.
struct Geometry {
  std::string name{};
  Shape shape{};
};

/// One use of a geometry by a link. `X_LG` prepares it for articulation (it may scale) and never reaches the children.
struct Visual {
  std::string geometry{};
  Mat4 X_LG = Mat4::Identity();
  std::optional<std::array<double, 4>> color{};  // r, g, b, a in [0, 1]
  bool collision = false;                        // used for collision, not drawn
  std::string material{};                        // its name in the file, where the color came from one
};

/// A part of a file that a linkage has no word for (a plugin, a transmission, friction): its text as it stood, written
/// back by the same format. Edits carry it along; see opaque.hpp for what they do to it.
struct Opaque {
  std::string format{};  // "urdf"
  std::string text{};
};

struct Link {
  std::string name{};
  std::vector<Visual> visuals{};
  // As a rigid body; mass 0: not known. See inertia.hpp.
  double mass = 0.0;            // kg
  Vec3 center = Vec3::Zero();   // of mass, in the link's frame
  Mat3 inertia = Mat3::Zero();  // about the center, along the link's axes, kg m^2
  std::vector<Opaque> opaque = {};
};

/// This joint's coordinate is multiplier * (coordinate of `joint`) + offset.
struct Mimic {
  std::string joint{};
  double multiplier = 1.0;
  double offset = 0.0;
};

struct Joint {
  std::string name{};
  JointType type{};
  std::string parent{};  // link; "" is the world: the root joint, which places the whole figure
  std::string child{};   // link
  Transform origin{};    // of the joint's frame in the parent link's frame: L, constant
  Limits limits{};
  std::optional<Mimic> mimic{};
  std::vector<Opaque> opaque{};
};

/// A pose by joint name; joints not named are neutral.
struct NamedPose {
  std::string name{};
  std::vector<std::pair<std::string, std::vector<double>>> values{};
};

/// What a link occupies, for clearance: a box, a sphere or a capsule.
struct Body {
  std::string link{};
  Shape shape{};
  Transform origin{};    // of the shape in the link's frame
  std::string source{};  // where it comes from, for people: "file", "collision", "mesh", "visual", "bone"
};

/// Two links whose bodies are never asked whether they touch.
struct IgnoredPair {
  std::string a{}, b{};
  std::string reason{};  // "adjacent", "never", "always", or a file's own word
};

/// A part of the figure by name: the chain from `base` to `tip`, or the joints listed.
struct Group {
  std::string name{};
  std::string base{}, tip{};
  std::vector<std::string> joints{};  // where it is no chain
};

/// What a format wants back when it writes what it read (glTF: meshes and skins). A model keeps it, so that a motion of
/// the model is written into the file that the model came from.
struct Extra {
  virtual ~Extra() = default;
  /// What no other format keeps, for a note: "1 mesh, 1 skin". Empty: nothing that would be missed.
  virtual std::string format_only() const { return ""; }
  /// Every joint of the file can move as well as turn, whatever its type here says.
  virtual bool joints_can_move() const { return false; }
};

struct Linkage {
  std::string name{};
  std::string description{};  // one sentence for people
  std::string up{};           // axis of its world that points up, "y" or "z"; "": z, unless a figure stands otherwise
  std::vector<Geometry> geometries{};
  std::vector<Link> links{};
  std::vector<Joint> joints{};
  std::vector<NamedPose> poses{};
  std::vector<std::string> effectors{};  // links one reaches with, by name; empty: the leaves that a joint moves
  std::vector<Closure> closures{};       // what makes loops of the tree
  std::vector<std::string> drives{};     // joints that have a motor; empty: chosen by analyze_mechanism
  std::vector<Group> groups{};
  std::vector<Body> bodies{};  // as the file gives them; see kinematics/bodies.hpp for where others come from
  std::vector<IgnoredPair> ignored_pairs{};
  std::vector<Opaque> opaque{};
  std::shared_ptr<const Extra> extra = {};

  // First match by name, or nullptr.
  const Link* find_link(std::string_view name) const;
  const Joint* find_joint(std::string_view name) const;
  const Geometry* find_geometry(std::string_view name) const;
  Link* find_link(std::string_view name);
  Joint* find_joint(std::string_view name);

  /// The joint whose child is `link`, or nullptr.
  const Joint* joint_above(std::string_view link) const;
};

}  // namespace armature::inline v0_2
