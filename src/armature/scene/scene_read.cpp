// A Scene out of its JSON. Over 400 lines: one function for each key, all of which add to one scene and its notes.
#include <algorithm>
#include <cmath>
#include <map>

#include "armature/base/suggest.hpp"
#include "armature/formats/base64.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/mesh.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/scene/exact.hpp"
#include "armature/scene/goal_parts.hpp"
#include "armature/scene/methods.hpp"
#include "armature/scene/obstacles_json.hpp"
#include "armature/scene/pose_text.hpp"
#include "armature/scene/scene.hpp"

namespace armature::inline v0_2 {
namespace {

class SceneReader {
 public:
  SceneReader(const JsonInput& input, const SceneArguments& arguments)
      : fields_(input.source()),
        root_(input.root()),
        object_(fields_, input.root(), "a scene"),
        arguments_(arguments) {}

  Result<Scene> read() {
    std::string tip = arguments_.tip;
    scene_.base = arguments_.base;
    scene_.read = arguments_.read;
    object_.get("format");
    object_.get("version");
    text("name", scene_.name);
    text("tip", tip, arguments_.tip);
    if (!tip.empty()) scene_.tip = tip;
    text("base", scene_.base, arguments_.base);
    text("method", scene_.method);
    text("group", scene_.group, arguments_.group);
    if (!arguments_.group.empty()) scene_.group = arguments_.group;
    if (const Value v = object_.get("view")) scene_.view_json = JsonText().copy(v).text();
    read_options();
    if (!fields_.ok() || !read_model()) return other_ ? fields_.error() : other_.error();
    if (const Status status = use_group(); !status) return status.error();
    for (const std::string& link : {scene_.tip.name(), scene_.base}) {
      if (link.empty()) continue;
      const Result<int> index = frame_index(scene_.model, link);
      if (!index) return index.error();
    }
    if (const Status status = read_start(); !status) return status.error();
    read_goals_and_joints();
    read_collisions();
    read_tracking();
    if (!object_.finish()) return fields_.error();
    if (!other_) return other_.error();
    if (const Status status = use_bodies(scene_, *scene_.loaded, scene_.exact, scene_.notes); !status) {
      return status.error();
    }
    return std::move(scene_);
  }

 private:
  void text(const char* key, std::string& out, const std::string& before = "") {
    std::string given;
    const Value v = object_.get(key);
    if (v && fields_.text(v, given) && before.empty()) out = given;
  }

  // What the caller said comes first.
  void word(Value value, std::string& out, std::string_view usual = "") {
    std::string given;
    if (fields_.text(value, given) && out == usual) out = given;
  }

  void flag(Value value, bool& out) {
    bool given = false;
    if (fields_.boolean(value, given)) out = out || given;
  }

  // A scene opens no folder but its own: only a person may name another.
  void read_mesh_root(Value value) {
    std::string given;
    if (!fields_.text(value, given) || !scene_.read.mesh_root.empty()) return;
    Result<std::string> folder = given;
    if (arguments_.folder_below != nullptr) folder = arguments_.folder_below(given, arguments_.folder);
    if (folder) {
      scene_.read.mesh_root = *folder;
    } else {
      fields_.fail(value, folder.message());
    }
  }

  void read_options() {
    if (const Value read = object_.get("read")) {
      JsonObject parts(fields_, read, "the object read");
      if (const Value v = parts.get("part")) word(v, scene_.read.part);
      if (const Value v = parts.get("mesh_root")) read_mesh_root(v);
      if (const Value v = parts.get("safety_limits")) flag(v, scene_.read.safety_limits);
      if (const Value v = parts.get("exact_angles")) flag(v, scene_.read.exact_angles);
      if (const Value v = parts.get("srdf")) word(v, scene_.read.srdf);
      if (const Value v = parts.get("bvh_positions")) word(v, scene_.read.bvh_positions, "auto");
      if (const Value v = parts.get("float_root")) flag(v, scene_.read.float_root);
      if (const Value v = parts.get("up")) word(v, scene_.read.up);
      double scale = 1.0;
      const Value given = parts.get("unit_scale");
      if (given && fields_.number(given, scale) && scene_.read.unit_scale == 1.0) scene_.read.unit_scale = scale;
      parts.finish();
    }
    const Value options = object_.get("options");
    if (!options || !fields_.expect(options, JsonKind::object)) return;
    for (const Value v : options) {
      const bool word = v.is(JsonKind::string);
      if (!word && !v.is(JsonKind::number) && !v.is(JsonKind::boolean)) {
        fields_.fail(v, "An option is a number, a word, or true or false.");
      }
      scene_.options.emplace_back(v.key(), word ? std::string(v.text()) : JsonText().copy(v).text());
    }
  }

  bool read_model() {
    const Value given = object_.get("model");
    if (arguments_.loaded != nullptr) {
      scene_.loaded = arguments_.loaded;
      scene_.model = scene_.loaded->model;
      if (given && given.is(JsonKind::string)) scene_.model_name = given.text();
      return true;
    }
    Result<LoadedModel> loaded = Error{};
    if (!arguments_.model.empty()) {
      scene_.model_name = arguments_.model;
      loaded = named(arguments_.model, true);
    } else if (!given) {
      return fields_.fail(root_,
                          "The scene names no model; give \"model\": a built-in name or a file beside the scene.");
    } else if (given.is(JsonKind::object) && given.get("base64")) {
      loaded = carried(given);
    } else if (given.is(JsonKind::object)) {
      loaded = compiled(JsonText().copy(given).text(), "model.json");
    } else {
      if (!fields_.text(given, scene_.model_name)) return false;
      loaded = named(scene_.model_name, false);
    }
    if (!loaded && !arguments_.model.empty()) {
      other_ = loaded.status();  // the caller's word, not the scene's
      return false;
    }
    if (!loaded) return fields_.fail(given, loaded.message());
    scene_.loaded = std::make_shared<const LoadedModel>(std::move(*loaded));
    scene_.model = scene_.loaded->model;
    for (const auto* notes : {&scene_.loaded->document.notes, &scene_.loaded->model.notes()}) {
      scene_.notes.insert(scene_.notes.end(), notes->begin(), notes->end());
    }
    return true;
  }

  Result<LoadedModel> named(const std::string& name, bool by_caller) {
    for (const BuiltinModel& builtin : builtin_models()) {
      if (builtin.name == name) return compiled(std::string(builtin.json), name + ".json");
    }
    if (by_caller && arguments_.load != nullptr) return arguments_.load(name, scene_.read);
    if (!by_caller && arguments_.load_below != nullptr) {
      return arguments_.load_below(name, arguments_.folder, scene_.read);
    }
    return Error{"There is no built-in model " + detail::quoted(name) + "."};
  }

  // A file of any format inside the scene, with those that it names: what an address carries.
  Result<LoadedModel> carried(Value given) {
    JsonObject parts(fields_, given, "a file in place");
    std::string name, bytes;
    std::map<std::string, std::string> files;
    const auto decoded = [&](Value value, std::string& out) {
      std::string text;
      if (!fields_.text(value, text)) return;
      if (!decode_base64(text, out)) fields_.fail(value, "This is not base64.");
    };
    if (const Value v = parts.require("file_name")) fields_.text(v, name);
    if (const Value v = parts.require("base64")) decoded(v, bytes);
    if (const Value v = parts.get("files"); v && fields_.expect(v, JsonKind::object)) {
      for (const Value file : v) decoded(file, files[std::string(file.key())]);
    }
    if (!parts.finish()) return fields_.error();
    return compiled(bytes, name, &files);
  }

  Result<LoadedModel> compiled(const std::string& text, const std::string& name,
                               std::map<std::string, std::string>* files = nullptr) {
    ReadOptions options = scene_.read;
    options.file_name = name;
    if (files != nullptr) {
      options.load = load_carried;
      options.load_context = files;
    }
    Result<Document> document = read_document(std::string_view(text), options);
    if (!document) return document.error();
    Result<Model> model = compile(document->linkage);
    if (!model) return model.error();
    LoadedModel loaded{std::move(*document), std::move(*model), {arguments_.folder, {}}};
    if (files != nullptr) loaded.carried = std::make_shared<const std::map<std::string, std::string>>(*files);
    return loaded;
  }

  // A named chain of the model, or a set of its joints: its tip, where the scene names none, and what moves.
  Status use_group() {
    if (scene_.group.empty()) return {};
    std::vector<std::string> names;
    for (const Group& group : scene_.model.linkage().groups) {
      names.push_back(group.name);
      if (group.name != scene_.group) continue;
      if (group.tip.empty())
        return Error{"The group " + detail::quoted(group.name) +
                     " is a set of joints without a tip; name one with 'tip'."};
      if (scene_.tip.empty()) {
        scene_.tip = group.tip;
        if (!group.joints.empty()) {
          scene_.notes.push_back("The tip of the group " + detail::quoted(group.name) + ", a set of joints, is " +
                                 detail::quoted(group.tip) + ".");
        }
      }
      lock_outside(group);
      return {};
    }
    if (names.empty()) return Error{"The model has no groups; an SRDF beside a URDF brings them."};
    return Error{unknown_name("group", scene_.group, names)};
  }

  // A group's joints alone may move, and those to which the scene gives a weight by name. Joints of loops are left to
  // their closures: the passive ones have to move.
  void lock_outside(const Group& group) {
    const Linkage& linkage = scene_.model.linkage();
    if (!scene_.model.closures().empty()) {
      scene_.notes.push_back("The model has loops: joints outside the group " + detail::quoted(group.name) +
                             " may move, too.");
      return;
    }
    std::vector<std::string> own = group.joints;
    std::string link = group.joints.empty() ? group.tip : "";
    while (!link.empty() && link != group.base) {  // a tree: a model was compiled from it
      const Joint* above = linkage.joint_above(link);
      if (above == nullptr) break;
      own.push_back(above->name);
      link = above->parent;
    }
    if (const Value weights = root_.get("joint_weights"); weights && weights.is(JsonKind::object)) {
      for (const Value v : weights) own.emplace_back(v.key());
    }
    for (const ModelJoint& joint : scene_.model.joints()) {
      if (joint.v_count == 0 || joint.mimic || std::find(own.begin(), own.end(), joint.name) != own.end()) continue;
      scene_.locked.emplace_back(joint.name);
    }
  }

  void read_collisions() {
    part("obstacles", [&](JsonFields& fields, Value list) {
      return read_obstacles(fields, list, scene_.model, load_mesh(), scene_.obstacles);
    });
    if (const Value v = object_.get("margin"); v && fields_.number(v, scene_.margin) && !(scene_.margin >= 0.0)) {
      fields_.fail(v, "A margin must not be negative.");
    }
    note_units(scene_, scene_.notes);
    std::string word;
    if (const Value v = object_.get("collision"); v && fields_.text(v, word)) {
      const Result<Collision> collision = parse_collision(word);
      if (collision) {
        scene_.collision = *collision;
      } else {
        fields_.fail(v, collision.message());
      }
    }
    if (const Value v = object_.get("exact")) fields_.boolean(v, scene_.exact);
  }

  MeshLoader load_mesh() const {
    if (arguments_.read_below == nullptr) return nullptr;
    return [folder = arguments_.folder, read = arguments_.read_below](const std::string& uri) {
      const Result<std::string> bytes = read(uri, folder);
      return bytes ? read_mesh(*bytes, uri) : Result<std::vector<Triangle>>(bytes.error());
    };
  }

  Status read_start() {
    const Model& model = scene_.model;
    scene_.start = start_pose(model);
    const Value v = object_.get("start");
    if (v && !read_pose(fields_, v, model, scene_.start, scene_.notes)) return fields_.error();
    if (arguments_.start.empty()) return {};
    Result<VecX> start = parse_pose(model, arguments_.start, scene_.start, scene_.notes);
    if (start) scene_.start = std::move(*start);
    return start.status();
  }

  void read_goals_and_joints() {
    const Model& model = scene_.model;
    part("goals", [&](JsonFields& fields, Value goals) {
      GoalContext context = scene_.context();
      context.functions = arguments_.functions;
      return read_goals(fields, goals, context, scene_.goals);
    });
    if (const Value locked = object_.get("locked"); locked && fields_.expect(locked, JsonKind::array)) {
      for (const Value v : locked) {
        int link = 0;
        if (!read_joint(fields_, v, model, link)) return;
        const bool known = std::any_of(scene_.locked.begin(), scene_.locked.end(),
                                       [&](const JointRef& joint) { return joint.name() == v.text(); });
        if (!known) scene_.locked.emplace_back(v.text());
      }
    }
    if (const Value v = object_.get("joint_weights")) {
      VecX weights;
      read_velocities(fields_, v, model, 1.0, weights);
      for (const ModelJoint& joint : model.joints()) {
        if (joint.v_count < 2 || weights.size() == 0) continue;
        const auto own = weights.segment(joint.v_index, joint.v_count);
        if (own.minCoeff() != own.maxCoeff())
          fields_.fail(v, "Joint " + detail::quoted(joint.name) + " has one weight for all of its coordinates.");
      }
      if (weights.size() > 0) scene_.joint_weights = joint_weights_from(model, weights);
    }
    if (const Value limits = object_.get("limits"); limits && fields_.expect(limits, JsonKind::object)) {
      for (const Value v : limits) read_limits(v);
    }
    part("keys", [&](JsonFields& fields, Value keys) {
      scene_.keys.emplace(model);
      scene_.keys_json = JsonText().copy(keys).text();
      return read_keys(fields, keys, model, scene_.notes, *scene_.keys, scene_.layers);
    });
  }

  // A part stands in place, or the name of its file does: below the scene's folder.
  template <class Read>
  void part(const char* key, Read read) {
    const Value value = object_.get(key);
    if (!value) return;
    if (!value.is(JsonKind::string)) {
      read(fields_, value);
      return;
    }
    const std::string path(value.text());
    Result<std::string> text = Error{"Here only what stands in place is read, no other file."};
    if (arguments_.read_below != nullptr) text = arguments_.read_below(path, arguments_.folder);
    if (!text) {
      fields_.fail(value, text.message());
      return;
    }
    const std::string& folder = arguments_.folder;
    const Result<JsonInput> input = JsonInput::parse(std::move(*text), folder.empty() ? path : folder + "/" + path);
    JsonFields fields(input ? input->source() : fields_.source());
    if (input && read(fields, input->root())) return;
    if (other_) other_ = input ? fields.error() : input.error();
  }

  void read_limits(Value value) {
    const Result<int> index = scene_.model.find_joint(value.key());
    if (!index) {
      fields_.fail(value, index.message());
      return;
    }
    const ModelJoint& joint = scene_.model.joint(*index);
    if (const Status status = check_limited(joint); !status) {
      fields_.fail(value, status.message());
      return;
    }
    Limits limits;
    const auto side = [&](Value v, std::vector<double>& out) {
      if (!v) return;
      out.resize(static_cast<std::size_t>(joint.q_count));  // as many as velocities: see check_limited
      if (v.is(JsonKind::number) && joint.q_count == 1) {
        out[0] = v.number();
      } else {
        fields_.numbers(v, out.data(), out.size());
      }
    };
    if (double pair[2] = {}; value.is(JsonKind::array) && joint.q_count == 1) {
      if (!fields_.numbers(value, pair, 2)) return;
      limits.lower = {pair[0]};
      limits.upper = {pair[1]};
    } else {
      JsonObject parts(fields_, value, "an entry of 'limits'");
      side(parts.get("lower"), limits.lower);
      side(parts.get("upper"), limits.upper);
      side(parts.get("velocity"), limits.velocity);
      parts.finish();
    }
    for (const std::vector<double>* bounds : {&limits.lower, &limits.upper}) {
      for (std::size_t k = 0; k < bounds->size(); ++k) {
        note_likely_unit(scene_.model, joint.q_index + static_cast<int>(k), (*bounds)[k], scene_.notes);
      }
    }
    scene_.limits.emplace_back(joint.name, std::move(limits));
  }

  void read_tracking() {
    TrackOptions& tracking = scene_.tracking;
    const auto number = [&](const char* key, double least, double& out) {
      const Value v = object_.get(key);
      double given = 0.0;
      if (!v || !fields_.number(v, given)) return;
      if (given >= least && given <= 1e6) {
        out = given;
      } else {
        fields_.fail(v, "This must lie between " + std::to_string(static_cast<int>(least)) + " and 1e6.");
      }
    };
    double rate = tracking.frame_rate;
    double steps = tracking.steps_per_frame;
    number("frame_rate", 0.0, rate);
    number("steps_per_frame", 0.0, steps);
    number("max_joint_step", 0.0, tracking.max_joint_step);
    number("singular_below", 0.0, tracking.singular_below);
    if (!(rate > 0.0)) fields_.fail(object_.get("frame_rate"), "Frames per second are more than 0.");
    if (steps != std::floor(steps)) fields_.fail(object_.get("steps_per_frame"), "This must be a whole number.");
    if (const Value v = object_.get("stop")) fields_.boolean(v, tracking.stop);
    if (const Value v = object_.get("retime")) read_retime(v);
    tracking.frame_rate = rate;
    tracking.steps_per_frame = static_cast<int>(steps);
  }

  // true, or {"velocity_scale": ..., "velocity": ..., "acceleration": ...}.
  void read_retime(Value value) {
    bool on = true;
    RetimeOptions clock;
    if (value.is(JsonKind::boolean)) {
      fields_.boolean(value, on);
    } else {
      JsonObject parts(fields_, value, "retime");
      const Model& model = scene_.model;
      if (const Value v = parts.get("velocity_scale")) fields_.number(v, clock.velocity_scale);
      if (const Value v = parts.get("velocity"); v && read_velocities(fields_, v, model, HUGE_VAL, clock.velocity)) {
        clock.velocity = clock.velocity.cwiseMin(model.velocity_limit());
      }
      if (const Value v = parts.get("acceleration")) read_velocities(fields_, v, model, HUGE_VAL, clock.acceleration);
      parts.finish();
    }
    if (on) scene_.tracking.retime = std::move(clock);
  }

  JsonFields fields_;
  Value root_;
  JsonObject object_;
  const SceneArguments& arguments_;
  Status other_;  // a mistake outside the scene's own text
  Scene scene_;
};

}  // namespace

Result<Scene> read_scene(std::string text, const std::string& name, const SceneArguments& arguments) {
  Result<JsonInput> input = JsonInput::parse(std::move(text), name);
  if (!input) return input.error();
  return read_scene(*input, arguments);
}

Result<Scene> read_scene(const JsonInput& input, const SceneArguments& arguments) {
  return SceneReader(input, arguments).read();
}

std::vector<std::string> scene_keys() {
  return {"format",         "version",        "name",    "tip",       "base",       "method",
          "view",           "read",           "options", "model",     "start",      "goals",
          "locked",         "joint_weights",  "limits",  "keys",      "frame_rate", "steps_per_frame",
          "max_joint_step", "singular_below", "group",   "obstacles", "margin",     "collision",
          "exact",          "stop",           "retime"};
}

}  // namespace armature::inline v0_2
