// What the top of an MJCF file settles for the rest of it: compiler settings, default classes, meshes and materials;
// and orientations in MJCF's five spellings. Used by mjcf.cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "armature/formats/xml.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/geom/transform.hpp"

namespace armature::inline v0_2 {

inline constexpr double kMjcfUnlimited = 1e10;  // MuJoCo takes no larger number: it stands for a missing bound

struct MjcfMesh {
  std::string uri;
  Vec3 scale = Vec3::Ones();
};

class MjcfSettings {
 public:
  /// Reads every <compiler>, <default> and <asset> below the outermost element. Mistakes go to `fields`.
  MjcfSettings(XmlFields& fields, XmlRef root);

  double to_radians(double angle) const { return degrees_ ? angle * (kPi / 180.0) : angle; }
  bool autolimits() const { return autolimits_; }

  /// The element that holds attribute `name` of `element`: itself, or the nearest of its class and that class's
  /// parents. Empty when none does. `childclass` is what the surrounding bodies say ("" for nothing).
  XmlRef holder(XmlRef element, const char* name, std::string_view childclass);

  /// pos and quat, axisangle, xyaxes, zaxis or euler, of the element or its class.
  Transform placement(XmlRef element, std::string_view childclass);

  const MjcfMesh* find_mesh(std::string_view name) const;
  const std::array<double, 4>* find_color(std::string_view material) const;

 private:
  struct Class {
    std::string parent;                      // "" at the top
    std::map<std::string, XmlRef> defaults;  // by element name
  };
  void read_compiler(XmlRef element);
  void read_default(XmlRef element, const std::string& parent, int depth);
  void read_asset(XmlRef element);

  XmlFields& x_;
  bool degrees_ = true;
  bool autolimits_ = true;
  int euler_[3] = {0, 1, 2};
  bool euler_fixed_axes_ = false;
  std::string mesh_folder_;
  std::unordered_map<std::string, Class> classes_;
  std::unordered_map<std::string, MjcfMesh> meshes_;
  std::unordered_map<std::string, std::array<double, 4>> colors_;
};

}  // namespace armature::inline v0_2
