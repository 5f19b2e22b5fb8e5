// Armature's own format, reading. Described in docs/formats/json.md and docs/formats/armature.schema.json; the writer
// is json_write.cpp. Over 400 lines, as one reader of all the lists of a linkage. A joint type's parameters come from
// its describe(), so a new joint type needs no change here.
#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/json_linkage.hpp"
#include "armature/formats/registry.hpp"
#include "armature/formats/spelling.hpp"

namespace armature::inline v0_2 {
namespace {

class LinkageReader {
 public:
  explicit LinkageReader(const Source& source) : f_(source) {}

  Result<Document> read(JsonRef root) {
    JsonObject file(f_, root, "a linkage");
    if (JsonRef v = file.get("format"); v && (!f_.expect(v, JsonKind::string) || v.text() != "armature")) {
      f_.fail(v, "The key 'format' must be \"armature\".");
    }
    double version = 1.0;
    if (JsonRef v = file.get("version"); v && f_.number(v, version) && version != 1.0 && version != 2.0) {
      f_.fail(v, "This is version " + pretty_number(version) + " of the format; this program reads versions 1 and 2.");
    }
    if (JsonRef v = file.get("name")) f_.text(v, document_.linkage.name);
    if (JsonRef v = file.get("description")) f_.text(v, document_.linkage.description);
    if (JsonRef v = file.get("up")) {
      f_.text(v, document_.linkage.up);
      if (document_.linkage.up != "y" && document_.linkage.up != "z")
        f_.fail(v, "The key 'up' must be \"y\" or \"z\".");
    }
    if (JsonRef v = file.get("geometries"); v && f_.expect(v, JsonKind::array)) {
      for (const JsonRef item : v) read_geometry(item);
    }
    if (JsonRef v = file.require("links"); v && f_.expect(v, JsonKind::array)) {
      for (const JsonRef item : v) read_link(item);
    }
    if (JsonRef v = file.get("joints"); v && f_.expect(v, JsonKind::array)) {
      for (const JsonRef item : v) read_joint(item);
    }
    if (JsonRef v = file.get("closures"); v && f_.expect(v, JsonKind::array)) {
      for (const JsonRef item : v) read_closure(f_, item, document_.linkage);
    }
    if (JsonRef v = file.get("drives"); v && f_.expect(v, JsonKind::array, "an array of joints' names")) {
      for (const JsonRef item : v) f_.text(item, document_.linkage.drives.emplace_back());
    }
    if (JsonRef v = file.get("poses"); v && f_.expect(v, JsonKind::object)) {
      for (const JsonRef item : v) read_pose(item);
    }
    if (JsonRef v = file.get("effectors"); v && f_.expect(v, JsonKind::array, "an array of links' names")) {
      for (const JsonRef item : v) f_.text(item, document_.linkage.effectors.emplace_back());
    }
    if (JsonRef v = file.get("groups"); v && f_.expect(v, JsonKind::object)) {
      for (const JsonRef item : v) read_group(item);
    }
    if (JsonRef v = file.get("bodies"); v && f_.expect(v, JsonKind::array)) {
      for (const JsonRef item : v) read_body(item);
    }
    if (JsonRef v = file.get("ignored_pairs"); v && f_.expect(v, JsonKind::array)) {
      for (const JsonRef item : v) read_ignored_pair(item);
    }
    if (JsonRef v = file.get("opaque")) read_opaque(v, document_.linkage.opaque);
    if (JsonRef v = file.get("clips"); v && f_.expect(v, JsonKind::array)) {
      for (const JsonRef item : v) read_clip(item);
    }
    file.finish();
    if (!f_.ok()) return f_.error();
    if (f_.comments > 0) {
      document_.notes.push_back(std::to_string(f_.comments) + (f_.comments == 1 ? " comment was" : " comments were") +
                                " passed over; comments are not kept.");
    }
    return std::move(document_);
  }

 private:
  // "type" and the numbers of a shape; used for named geometries and for those written inside a link.
  void read_shape(JsonObject& object, Shape& shape) {
    std::string type;
    const JsonRef at = object.require("type");
    if (!at || !f_.text(at, type)) return;
    const auto positive = [&](const char* key, double& value) {
      const JsonRef v = object.require(key);
      if (v && f_.number(v, value) && value < 0.0) f_.fail(v, "A length must not be negative.");
    };
    if (type == "box") {
      Box box;
      const JsonRef v = object.require("size");
      if (v && f_.vector(v, box.size) && box.size.minCoeff() < 0.0) f_.fail(v, "A size must not be negative.");
      shape = box;
    } else if (type == "sphere") {
      Sphere sphere;
      positive("radius", sphere.radius);
      shape = sphere;
    } else if (type == "cylinder") {
      Cylinder cylinder;
      positive("radius", cylinder.radius);
      positive("length", cylinder.length);
      shape = cylinder;
    } else if (type == "capsule") {
      Capsule capsule;
      positive("radius", capsule.radius);
      positive("length", capsule.length);
      shape = capsule;
    } else if (type == "polyline") {
      Polyline line;
      if (const JsonRef v = object.require("points"); v && f_.expect(v, JsonKind::array)) {
        for (const JsonRef point : v) {
          if (!f_.vector(point, line.points.emplace_back())) return;
        }
      }
      shape = std::move(line);
    } else if (type == "mesh") {
      MeshFile mesh;
      if (const JsonRef v = object.require("uri")) f_.text(v, mesh.uri);
      shape = std::move(mesh);
    } else {
      f_.fail(at, unknown_name("shape", type, {"box", "sphere", "cylinder", "capsule", "polyline", "mesh"}));
    }
  }

  void read_geometry(JsonRef at) {
    JsonObject object(f_, at, "a geometry");
    Geometry geometry;
    if (const JsonRef v = object.require("name")) f_.text(v, geometry.name);
    read_shape(object, geometry.shape);
    object.finish();
    document_.linkage.geometries.push_back(std::move(geometry));
  }

  void read_link(JsonRef at) {
    Link link;
    if (at.is(JsonKind::string)) {  // a bare name
      link.name = at.text();
      document_.linkage.links.push_back(std::move(link));
      return;
    }
    JsonObject object(f_, at, "a link");
    if (const JsonRef v = object.require("name")) f_.text(v, link.name);
    if (const JsonRef v = object.get("visuals"); v && f_.expect(v, JsonKind::array)) {
      for (const JsonRef item : v) read_visual(item, link);
    }
    if (const JsonRef v = object.get("mass"); v && f_.number(v, link.mass) && link.mass < 0.0) {
      f_.fail(v, "A mass must not be negative.");
    }
    if (const JsonRef v = object.get("center")) f_.vector(v, link.center);
    if (const JsonRef v = object.get("inertia")) read_inertia(v, link.inertia);
    if (const JsonRef v = object.get("opaque")) read_opaque(v, link.opaque);
    object.finish();
    document_.linkage.links.push_back(std::move(link));
  }

  // Three moments, or six numbers xx, yy, zz, xy, xz, yz.
  void read_inertia(JsonRef at, Mat3& inertia) {
    std::vector<double> n;
    if (!f_.number_list(at, n)) return;
    if (n.size() != 3 && n.size() != 6) {
      f_.fail(at, "An inertia is 3 numbers (the moments) or 6 (xx, yy, zz, xy, xz, yz), not " +
                      std::to_string(n.size()) + ".");
      return;
    }
    n.resize(6, 0.0);
    inertia << n[0], n[3], n[4], n[3], n[1], n[5], n[4], n[5], n[2];
  }

  void read_opaque(JsonRef at, std::vector<Opaque>& list) {
    if (!f_.expect(at, JsonKind::array)) return;
    for (const JsonRef item : at) {
      JsonObject object(f_, item, "an opaque part");
      Opaque& part = list.emplace_back();
      if (const JsonRef v = object.require("format")) f_.text(v, part.format);
      if (const JsonRef v = object.require("text")) f_.text(v, part.text);
      object.finish();
    }
  }

  void read_group(JsonRef at) {
    JsonObject object(f_, at, "a group");
    Group& group = document_.linkage.groups.emplace_back();
    group.name = at.key();
    if (const JsonRef v = object.get("base")) f_.text(v, group.base);
    if (const JsonRef v = object.get("tip")) f_.text(v, group.tip);
    if (const JsonRef v = object.get("joints"); v && f_.expect(v, JsonKind::array)) {
      for (const JsonRef item : v) f_.text(item, group.joints.emplace_back());
    }
    object.finish();
  }

  void read_body(JsonRef at) {
    JsonObject object(f_, at, "a body");
    Body body;
    body.source = "file";
    if (const JsonRef v = object.require("link")) f_.text(v, body.link);
    if (const JsonRef v = object.require("shape")) {
      JsonObject shape(f_, v, "a shape");
      read_shape(shape, body.shape);
      shape.finish();
    }
    if (const JsonRef v = object.get("origin")) read_origin(f_, v, body.origin);
    if (const JsonRef v = object.get("source")) f_.text(v, body.source);
    object.finish();
    document_.linkage.bodies.push_back(std::move(body));
  }

  void read_ignored_pair(JsonRef at) {
    JsonObject object(f_, at, "an ignored pair");
    IgnoredPair& pair = document_.linkage.ignored_pairs.emplace_back();
    if (const JsonRef v = object.require("a")) f_.text(v, pair.a);
    if (const JsonRef v = object.require("b")) f_.text(v, pair.b);
    if (const JsonRef v = object.get("reason")) f_.text(v, pair.reason);
    object.finish();
  }

  void read_visual(JsonRef at, Link& link) {
    JsonObject object(f_, at, "a visual");
    Visual visual;
    const JsonRef geometry = object.require("geometry");
    if (geometry && geometry.is(JsonKind::object)) {  // used here only: named after the link
      JsonObject shape(f_, geometry, "a geometry");
      visual.geometry = inline_geometry_name(link.name, link.visuals.size());
      Geometry own{visual.geometry, {}};
      read_shape(shape, own.shape);
      shape.finish();
      document_.linkage.geometries.push_back(std::move(own));
    } else if (geometry && f_.expect(geometry, JsonKind::string, "the name of a geometry, or a shape {...}")) {
      visual.geometry = geometry.text();
    }
    const JsonRef origin = object.get("origin");
    const JsonRef scale = object.get("scale");
    const JsonRef matrix = object.get("matrix");
    if (matrix && (origin || scale)) {
      f_.fail(matrix, "A visual is placed by 'matrix' or by 'origin' and 'scale', not by both.");
    } else if (matrix) {
      double m[16];
      if (f_.numbers(matrix, m, 16)) visual.X_LG = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(m);
    } else {
      Transform placement;
      Vec3 factors = Vec3::Ones();
      if (origin) read_origin(f_, origin, placement);
      if (scale) f_.vector(scale, factors);
      visual.X_LG = placement.matrix();
      if (scale) visual.X_LG.topLeftCorner<3, 3>() = placement.rotation * factors.asDiagonal();
    }
    if (const JsonRef v = object.get("color")) f_.numbers(v, visual.color.emplace().data(), 4);
    if (const JsonRef v = object.get("collision")) f_.boolean(v, visual.collision);
    if (const JsonRef v = object.get("material")) f_.text(v, visual.material);
    object.finish();
    link.visuals.push_back(std::move(visual));
  }

  void read_joint(JsonRef at) {
    JsonObject object(f_, at, "a joint");
    Joint joint;
    if (const JsonRef v = object.require("name")) f_.text(v, joint.name);
    std::string type;
    if (const JsonRef v = object.require("type"); v && f_.text(v, type)) {
      Result<JointType> found = joint_type_from_name(type);
      if (found) {
        joint.type = std::move(found).value();
      } else {
        f_.fail(v, found.message());
      }
    }
    if (const JsonRef v = object.get("parent")) f_.text(v, joint.parent);
    if (const JsonRef v = object.require("child")) f_.text(v, joint.child);
    if (const JsonRef v = object.get("origin")) read_origin(f_, v, joint.origin);
    read_parameters(f_, object, joint.type);
    if (const JsonRef v = object.get("limits")) read_limits(f_, v, joint.type, joint.limits);
    if (const JsonRef v = object.get("mimic")) {
      JsonObject mimic(f_, v, "a mimic");
      joint.mimic.emplace();
      if (const JsonRef w = mimic.require("joint")) f_.text(w, joint.mimic->joint);
      if (const JsonRef w = mimic.get("multiplier")) f_.number(w, joint.mimic->multiplier);
      if (const JsonRef w = mimic.get("offset")) f_.number(w, joint.mimic->offset);
      mimic.finish();
    }
    if (const JsonRef v = object.get("opaque")) read_opaque(v, joint.opaque);
    object.finish();
    document_.linkage.joints.push_back(std::move(joint));
  }

  void read_pose(JsonRef at) {
    NamedPose pose;
    pose.name = at.key();
    if (!f_.expect(at, JsonKind::object, "a pose, an object {\"joint\": value, ...}")) return;
    for (const JsonRef value : at) {
      auto& [joint, numbers] = pose.values.emplace_back();
      joint = value.key();
      if (value.is(JsonKind::array)) {
        f_.number_list(value, numbers);
      } else {
        f_.number(value, numbers.emplace_back());
      }
    }
    document_.linkage.poses.push_back(std::move(pose));
  }

  void read_clip(JsonRef at) {
    JsonObject object(f_, at, "a clip");
    Clip clip;
    if (const JsonRef v = object.get("name")) f_.text(v, clip.name);
    if (const JsonRef v = object.require("frame_time"); v && f_.number(v, clip.frame_time) && clip.frame_time <= 0.0) {
      f_.fail(v, "The time between frames must be positive, in seconds.");
    }
    if (const JsonRef v = object.require("frames"); v && f_.expect(v, JsonKind::array)) {
      for (const JsonRef frame : v) {
        const std::size_t before = clip.values.size();
        if (!f_.number_list(frame, clip.values)) return;
        const auto size = static_cast<int>(clip.values.size() - before);
        if (before == 0) clip.q_size = size;
        if (size != clip.q_size || size == 0) {
          f_.fail(frame, "Every frame must hold as many numbers as the model's pose (the first has " +
                             std::to_string(clip.q_size) + "), but this one has " + std::to_string(size) + ".");
        }
      }
    }
    object.finish();
    document_.clips.push_back(std::move(clip));
  }

  JsonFields f_;
  Document document_;
};

}  // namespace

bool detect_json(std::string_view bytes) {
  bool links = false;
  bool joints = false;
  for (const std::string& key : top_level_keys(bytes)) {
    links = links || key == "links";
    joints = joints || key == "joints";
  }
  return links && joints;
}

Result<Document> read_json(std::string_view bytes, const ReadOptions& options) {
  const Source source{bytes, options.file_name};
  const Result<JsonTree> tree = JsonTree::parse(source);
  if (!tree) return tree.error();
  return LinkageReader(source).read(tree->root());
}

}  // namespace armature::inline v0_2
