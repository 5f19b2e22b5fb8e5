#include "armature/scene/obstacles_json.hpp"

#include <filesystem>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/mesh.hpp"
#include "armature/formats/registry.hpp"
#include "armature/scene/goal_parts.hpp"

namespace armature::inline v0_2 {
namespace {

class ObstacleReader {
 public:
  ObstacleReader(JsonFields& fields, const Model& model, const MeshLoader& mesh)
      : f_(fields), model_(model), mesh_(mesh) {}

  bool read(Value at, Obstacle& out) {
    JsonObject object(f_, at, "an obstacle");
    if (const Value v = object.get("name")) f_.text(v, out.name);
    if (const Value v = object.require("shape")) read_shape(v, out.shape);
    if (const Value v = object.get("origin")) read_transform(f_, v, out.origin);
    if (const Value v = object.get("link"); v && f_.text(v, out.link)) {
      const Status known = model_.empty() ? Status{} : model_.find_link(out.link).status();
      if (!known) f_.fail(v, known.message());
      if (out.link == out.name) f_.fail(v, "A thing that a link carries needs a name of its own, not the link's.");
    }
    if (!object.finish()) return false;
    if (const Status status = check_obstacle(out); !status) return f_.fail(at, status.message());
    return true;
  }

 private:
  void read_shape(Value at, ObstacleShape& out) {
    JsonObject object(f_, at, "a shape");
    std::string type;
    const Value word = object.require("type");
    if (!word || !f_.text(word, type)) return;
    const auto number = [&](const char* key, double& value) {
      if (const Value v = object.require(key)) f_.number(v, value);
    };
    if (type == "box") {
      Box box;
      if (const Value v = object.require("size")) f_.vector(v, box.size);
      out = box;
    } else if (type == "sphere") {
      Sphere sphere;
      number("radius", sphere.radius);
      out = sphere;
    } else if (type == "cylinder") {
      Cylinder cylinder;
      number("radius", cylinder.radius);
      number("length", cylinder.length);
      out = cylinder;
    } else if (type == "capsule") {
      Capsule capsule;
      number("radius", capsule.radius);
      number("length", capsule.length);
      out = capsule;
    } else if (type == "plane") {
      Plane plane;
      if (const Value v = object.get("normal")) f_.vector(v, plane.normal);
      out = plane;
    } else if (type == "height_field") {
      read_field(object, out);
    } else if (type == "mesh") {
      read_mesh_shape(object, at, out);
    } else if (type == "points") {
      auto cloud = std::make_shared<PointCloud>();
      number("radius", cloud->radius);
      if (const Value v = object.require("points"); v && f_.expect(v, JsonKind::array)) {
        for (const Value point : v) {
          if (!f_.vector(point, cloud->points.emplace_back())) return;
        }
      }
      out = std::shared_ptr<const PointCloud>(std::move(cloud));
    } else {
      f_.fail(word, unknown_name("shape of an obstacle", type,
                                 {"box", "sphere", "cylinder", "capsule", "plane", "height_field", "mesh", "points"}));
    }
    object.finish();
  }

  // "heights": rows of numbers.
  void read_field(JsonObject& object, ObstacleShape& out) {
    HeightField field;
    if (const Value v = object.require("size")) f_.numbers(v, field.size.data(), 2);
    field.heights.clear();
    field.rows = field.columns = 0;
    if (const Value v = object.require("heights"); v && f_.expect(v, JsonKind::array, "rows of heights")) {
      for (const Value row : v) {
        const std::size_t before = field.heights.size();
        if (!f_.number_list(row, field.heights)) return;
        const int size = static_cast<int>(field.heights.size() - before);
        if (field.rows++ == 0) field.columns = size;
        if (size != field.columns) f_.fail(row, "All rows must have as many heights as the first.");
      }
    }
    out = std::move(field);
  }

  // Triangles of a file, or in place as lists of nine numbers.
  void read_mesh_shape(JsonObject& object, Value at, ObstacleShape& out) {
    auto mesh = std::make_shared<TriangleMesh>();
    double scale = 1.0;
    if (const Value v = object.get("scale")) f_.number(v, scale);
    if (const Value v = object.get("uri"); v && f_.text(v, mesh->uri)) {
      Result<std::vector<Triangle>> triangles = Error{"Here no other file is read; give the triangles in place."};
      if (mesh_) triangles = mesh_(mesh->uri);
      if (triangles) {
        mesh->triangles = std::move(*triangles);
      } else {
        f_.fail(v, triangles.message());
      }
    } else if (const Value list = object.get("triangles"); list && f_.expect(list, JsonKind::array)) {
      for (const Value item : list) {
        double n[9];
        if (!f_.numbers(item, n, 9)) return;
        mesh->triangles.push_back({Vec3(n[0], n[1], n[2]), Vec3(n[3], n[4], n[5]), Vec3(n[6], n[7], n[8])});
      }
    } else if (f_.ok()) {
      f_.fail(at, "A mesh has a 'uri' or 'triangles'.");
    }
    for (Triangle& t : mesh->triangles) t.a *= scale, t.b *= scale, t.c *= scale;
    out = std::shared_ptr<const TriangleMesh>(std::move(mesh));
  }

  JsonFields& f_;
  const Model& model_;
  const MeshLoader& mesh_;
};

struct ShapeWriter {
  JsonText& json;
  void operator()(const Box& s) { json.key("size").numbers(s.size); }
  void operator()(const Sphere& s) { json.member("radius", s.radius); }
  void operator()(const Cylinder& s) { json.member("radius", s.radius).member("length", s.length); }
  void operator()(const Capsule& s) { json.member("radius", s.radius).member("length", s.length); }
  void operator()(const Plane& s) { json.key("normal").numbers(s.normal); }
  void operator()(const HeightField& s) {
    json.key("size").numbers(s.size).key("heights").begin_array();
    for (int r = 0; r < s.rows; ++r) json.numbers(s.heights.data() + r * s.columns, s.columns);
    json.end();
  }
  void operator()(const std::shared_ptr<const TriangleMesh>& s) {
    json.key("triangles").begin_array();
    for (const Triangle& t : s->triangles) {
      const double n[9] = {t.a[0], t.a[1], t.a[2], t.b[0], t.b[1], t.b[2], t.c[0], t.c[1], t.c[2]};
      json.numbers(n, 9);
    }
    json.end();
  }
  void operator()(const std::shared_ptr<const PointCloud>& s) {
    json.member("radius", s->radius).key("points").begin_array();
    for (const Vec3& p : s->points) json.numbers(p);
    json.end();
  }
};

}  // namespace

bool read_obstacles(JsonFields& fields, Value list, const Model& model, const MeshLoader& mesh,
                    std::vector<Obstacle>& out) {
  out.clear();
  if (!fields.expect(list, JsonKind::array, "a list of obstacles")) return false;
  ObstacleReader reader(fields, model, mesh);
  for (const Value item : list) {
    if (!reader.read(item, out.emplace_back())) return false;
  }
  return true;
}

void write_obstacles(JsonText& json, const std::vector<Obstacle>& obstacles) {
  json.begin_array();
  for (const Obstacle& obstacle : obstacles) {
    json.begin_object();
    if (!obstacle.name.empty()) json.member("name", obstacle.name);
    json.key("shape").begin_object().member("type", obstacle_type(obstacle.shape));
    std::visit(ShapeWriter{json}, obstacle.shape);
    json.end();
    if (!obstacle.origin.is_identity()) {
      json.key("origin").begin_object().key("position").numbers(obstacle.origin.position);
      const Quat turn = obstacle.origin.quaternion();
      if (obstacle.origin.rotation != Mat3::Identity()) json.key("quaternion").numbers(turn.coeffs().data(), 4);
      json.end();
    }
    if (!obstacle.link.empty()) json.member("link", obstacle.link);
    json.end();
  }
  json.end();
}

Result<std::vector<Obstacle>> load_obstacles(const std::string& path, const Model& model) {
  Result<std::string> text = read_file(path);
  if (!text) return text.error();
  const Result<JsonInput> input = JsonInput::parse(std::move(*text), path == "-" ? "Standard input" : path);
  if (!input) return input.error();
  JsonFields fields(input->source());
  Value list = input->root();
  if (list.is(JsonKind::object)) {
    for (const Value member : list) {
      if (member.key() == "obstacles") list = member;
    }
  }
  const Beside beside{path == "-" ? "" : std::filesystem::path(path).parent_path().string(), "", kMaxFileBytes};
  std::vector<Obstacle> out;
  if (!read_obstacles(fields, list, model, meshes_beside(beside), out)) return fields.error();
  return out;
}

Result<Collision> parse_collision(std::string_view word) {
  if (word == "search") return Collision::search;
  if (word == "off") return Collision::off;
  return Error{unknown_name("way to treat collisions", word, {"search", "off"})};
}

MeshLoader meshes_beside(const Beside& beside) {
  return [beside](const std::string& uri) -> Result<std::vector<Triangle>> {
    const Result<OpenFile> file = open_beside(beside, uri, FileKind::mesh);
    if (!file) return file.error();
    const Result<std::string> bytes = read_open_file(*file, uri);
    if (!bytes) return bytes.error();
    return read_mesh(*bytes, uri);
  };
}

MeshLoader meshes_of(const LoadedModel& loaded) {
  const MeshLoader beside = meshes_beside(loaded.beside);
  if (loaded.carried == nullptr) return beside;
  return [files = loaded.carried, beside](const std::string& uri) -> Result<std::vector<Triangle>> {
    const Result<std::string> bytes = load_carried(uri, const_cast<std::map<std::string, std::string>*>(files.get()));
    return bytes ? read_mesh(*bytes, uri) : beside(uri);
  };
}

void note_units(const Problem& problem, std::vector<std::string>& notes) {
  const double size = problem.model.size();
  const std::string measures =
      "the longest branch of the model (" + pretty_number(size, 4) + "); did you mean millimetres?";
  if (problem.margin > size) {
    notes.push_back("A margin of " + pretty_number(problem.margin, 4) + " is more than " + measures);
  }
  for (const Obstacle& obstacle : problem.obstacles) {
    const double far = obstacle.origin.position.norm();
    if (!obstacle.link.empty() || !(far > 100.0 * size && far < 3000.0 * size)) continue;
    notes.push_back("The obstacle " + detail::quoted(obstacle.name) + " stands " + pretty_number(far, 4) +
                    " away, many times " + measures);
    return;
  }
}

void write_bodies(JsonText& json, const Model& model, const Bodies& bodies) {
  // As the model's own JSON writes them.
  Document document;
  document.linkage.name = model.name();
  document.linkage.links = model.linkage().links;
  document.linkage.bodies = bodies.list;
  const Result<const Format*> format = format_named("json");
  const Result<std::string> text = write_document(document, **format, {});
  json.key("bodies");
  Result<JsonTree> tree = JsonTree::parse({text ? *text : "{}", "bodies"});
  const JsonRef list = tree ? tree->root().get("bodies") : JsonRef();
  list ? json.copy(list) : json.raw("[]");
  for (const bool asked : {true, false}) {
    json.key(asked ? "pairs" : "ignored_pairs").begin_array();
    for (const LinkPair& pair : bodies.links) {
      if ((pair.reason == PairReason::checked) != asked) continue;
      json.begin_object().member("a", model.link_name(pair.a)).member("b", model.link_name(pair.b));
      if (asked) {
        json.member("rate", pair.rate).member("largest_clearance", pair.largest_clearance);
      } else {
        json.member("reason", pair.word.empty() ? std::string(reason_name(pair.reason)) : pair.word);
      }
      json.end();
    }
    json.end();
  }
}

}  // namespace armature::inline v0_2
