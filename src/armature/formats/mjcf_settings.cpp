#include "armature/formats/mjcf_settings.hpp"

#include "armature/base/suggest.hpp"
#include "armature/geom/shortest_turn.hpp"

namespace armature::inline v0_2 {

MjcfSettings::MjcfSettings(XmlFields& fields, XmlRef root) : x_(fields) {
  classes_["main"];
  for (const XmlRef section : root) {
    if (section.is("compiler")) read_compiler(section);
    if (section.is("default")) read_default(section, "", 0);
  }
  for (const XmlRef section : root) {
    if (section.is("asset")) read_asset(section);
  }
}

void MjcfSettings::read_compiler(XmlRef element) {
  const auto choice = [&](const char* name, std::string_view yes, std::string_view no, bool& out) {
    const auto word = element.attribute(name);
    if (!word) return;
    if (*word != yes && *word != no) {
      x_.fail(element, unknown_name(std::string("setting of ") + name, *word, {std::string(yes), std::string(no)}));
    }
    out = *word == yes;
  };
  bool local = true;
  choice("angle", "degree", "radian", degrees_);
  choice("autolimits", "true", "false", autolimits_);
  choice("coordinate", "local", "global", local);
  if (!local) x_.fail(element, "coordinate=\"global\" is not read; save the model with local coordinates.");
  if (const auto folder = element.attribute("assetdir")) mesh_folder_ = *folder;
  if (const auto folder = element.attribute("meshdir")) mesh_folder_ = *folder;
  const auto sequence = element.attribute("eulerseq");
  if (!sequence) return;
  bool good = sequence->size() == 3;
  int lower = 0;
  for (std::size_t i = 0; i < sequence->size() && good; ++i) {
    const char c = (*sequence)[i];
    const bool small = c >= 'x' && c <= 'z';
    good = small || (c >= 'X' && c <= 'Z');
    lower += small ? 1 : 0;
    euler_[i] = small ? c - 'x' : c - 'X';
  }
  if (!good || (lower != 0 && lower != 3)) {
    x_.fail(element, "eulerseq=" + armature::detail::quoted(*sequence) +
                         " must be three letters, x, y, z for moving axes or X, Y, Z for fixed ones.");
  }
  euler_fixed_axes_ = lower == 0;
}

// Classes nest a few levels; the depth is bounded by the parser's own limit.
void MjcfSettings::read_default(XmlRef element, const std::string& parent, int depth) {
  std::string name = depth == 0 ? "main" : "";
  if (const auto given = element.attribute("class")) name = *given;
  if (name.empty()) {
    x_.fail(element, "A <default> inside another needs a class=\"...\".");
    return;
  }
  Class& made = classes_[name];
  if (depth == 0 && name != "main") {
    made.parent = "main";  // a class of its own at the top
  } else if (depth > 0 && name != parent) {
    made.parent = parent;
  }
  for (const XmlRef item : element) {
    if (!item.is("default")) classes_[name].defaults[std::string(item.name())] = item;
  }
  for (const XmlRef item : element) {
    if (item.is("default") && x_.ok()) read_default(item, name, depth + 1);
  }
}

XmlRef MjcfSettings::holder(XmlRef element, const char* name, std::string_view childclass) {
  if (element.attribute(name)) return element;
  std::string at = "main";
  if (const auto own = element.attribute("class")) {
    at = *own;
  } else if (!childclass.empty()) {
    at = childclass;
  }
  const std::string kind = element.is("freejoint") ? "joint" : std::string(element.name());
  for (int steps = 0; !at.empty() && steps < 1000; ++steps) {
    const auto found = classes_.find(at);
    if (found == classes_.end()) {
      std::vector<std::string> names;
      for (const auto& [known, unused] : classes_) names.push_back(known);
      std::sort(names.begin(), names.end());
      x_.fail(element, unknown_name("class", at, names));
      return {};
    }
    const auto holder = found->second.defaults.find(kind);
    if (holder != found->second.defaults.end() && holder->second.attribute(name)) return holder->second;
    at = found->second.parent;
  }
  return {};
}

Transform MjcfSettings::placement(XmlRef element, std::string_view childclass) {
  Transform x;
  if (const XmlRef at = holder(element, "pos", childclass)) x_.vector(at, "pos", x.position);
  // An orientation of the element's own, however spelled, replaces its class's.
  bool own = false;
  for (const char* name : {"quat", "axisangle", "xyaxes", "zaxis", "euler"}) own = own || element.attribute(name);
  const auto find = [&](const char* name) {
    return !own ? holder(element, name, childclass) : element.attribute(name) ? element : XmlRef();
  };
  double n[6];
  if (const XmlRef at = find("quat"); at && x_.numbers(at, "quat", n, 4)) {
    const Quat q(n[0], n[1], n[2], n[3]);
    if (!(q.norm() > 1e-10)) x_.fail(at, "quat has no length.");
    x.rotation = q.normalized().toRotationMatrix();
  } else if (const XmlRef a = find("axisangle"); a && x_.numbers(a, "axisangle", n, 4)) {
    const Vec3 axis(n[0], n[1], n[2]);
    if (!(axis.norm() > 1e-10)) x_.fail(a, "axisangle has an axis without length.");
    x.rotation = Transform::rotate(axis.normalized(), to_radians(n[3])).rotation;
  } else if (const XmlRef b = find("xyaxes"); b && x_.numbers(b, "xyaxes", n, 6)) {
    Mat3 m = Mat3::Identity();
    m.col(0) = Vec3(n[0], n[1], n[2]);
    m.col(1) = Vec3(n[3], n[4], n[5]);
    if (!(m.col(0).cross(m.col(1)).norm() > 1e-10)) x_.fail(b, "xyaxes must be two directions that are not parallel.");
    x.rotation = orthonormalized(m);
  } else if (const XmlRef c = find("zaxis"); c && x_.numbers(c, "zaxis", n, 3)) {
    const Vec3 axis(n[0], n[1], n[2]);
    if (!(axis.norm() > 1e-10)) x_.fail(c, "zaxis has no length.");
    x.rotation = quaternion_between(Vec3::UnitZ(), axis).toRotationMatrix();
  } else if (const XmlRef d = find("euler"); d && x_.numbers(d, "euler", n, 3)) {
    for (int i = 0; i < 3; ++i) {
      const Mat3 turn = Transform::rotate(Vec3::Unit(euler_[i]), to_radians(n[i])).rotation;
      x.rotation = euler_fixed_axes_ ? Mat3(turn * x.rotation) : Mat3(x.rotation * turn);
    }
  }
  return x;
}

void MjcfSettings::read_asset(XmlRef section) {
  for (const XmlRef item : section) {
    if (item.is("mesh")) {
      MjcfMesh mesh;
      const std::string file(item.attribute("file").value_or(""));
      std::string name(item.attribute("name").value_or(""));
      if (name.empty()) {  // the file's name without folder and extension
        name = file.substr(file.find_last_of('/') + 1);
        name = name.substr(0, name.rfind('.'));
      }
      const bool whole = mesh_folder_.empty() || file.substr(0, 1) == "/";
      mesh.uri = whole ? file : mesh_folder_ + (mesh_folder_.back() == '/' ? "" : "/") + file;
      if (const XmlRef at = holder(item, "scale", "")) x_.vector(at, "scale", mesh.scale);
      meshes_.emplace(name, std::move(mesh));
    } else if (item.is("material")) {
      std::array<double, 4> color{1, 1, 1, 1};
      const XmlRef at = holder(item, "rgba", "");
      const bool empty = at && at.attribute("rgba")->find_first_not_of(" \t\r\n") == std::string_view::npos;
      if (at && !empty && x_.numbers(at, "rgba", color.data(), 4)) {
        colors_.emplace(std::string(item.attribute("name").value_or("")), color);
      }
    }
  }
}

const MjcfMesh* MjcfSettings::find_mesh(std::string_view name) const {
  const auto found = meshes_.find(std::string(name));
  return found != meshes_.end() ? &found->second : nullptr;
}

const std::array<double, 4>* MjcfSettings::find_color(std::string_view material) const {
  const auto found = colors_.find(std::string(material));
  return found != colors_.end() ? &found->second : nullptr;
}

}  // namespace armature::inline v0_2
