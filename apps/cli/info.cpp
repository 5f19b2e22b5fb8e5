// `armature info MODEL`: the tree with its joints and limits, in degrees for people and in radians as JSON.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/scene/chain_notes.hpp"
#include "armature/scene/model_json.hpp"
#include "armature/scene/obstacles_json.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

// With the order of its angles where there is one: "euler zxy".
std::string type_text(const JointType& type) {
  std::string text = type_name(type);
  if (const Euler* euler = std::get_if<Euler>(&type)) text += " " + std::string(euler->order.name());
  if (const FreeEuler* euler = std::get_if<FreeEuler>(&type)) text += " " + std::string(euler->order.name());
  return text;
}

std::string shown(double value, Coordinate kind) {
  if (!std::isfinite(value)) return value < 0 ? "-∞" : "∞";
  return kind == Coordinate::angle ? pretty_number(value * 180.0 / kPi, 4) + "°" : pretty_number(value, 4);
}

// "-160° .. 160°", one range per coordinate; quaternions show their cone.
std::string limits_text(const Model& model, const ModelJoint& joint) {
  if (joint.mimic) {
    return fmt::format("= {} × {}{}", pretty_number(joint.multiplier, 4), model.joint(joint.source).name,
                       joint.offset == 0.0 ? "" : fmt::format(" + {}", pretty_number(joint.offset, 4)));
  }
  std::vector<std::string> parts;
  const auto kinds = coordinates(joint.type);
  for (int c = 0; c < joint.q_count; ++c) {
    const Coordinate kind = kinds[static_cast<std::size_t>(c)];
    if (kind == Coordinate::quaternion) break;
    const double lower = model.lower()[joint.q_index + c];
    const double upper = model.upper()[joint.q_index + c];
    parts.push_back(std::isinf(lower) && std::isinf(upper) ? "free" : shown(lower, kind) + " .. " + shown(upper, kind));
  }
  if (joint.cone) {
    parts.push_back(fmt::format("swing ≤ {}, twist {} .. {}", shown(joint.cone->swing, Coordinate::angle),
                                shown(joint.cone->twist_lower, Coordinate::angle),
                                shown(joint.cone->twist_upper, Coordinate::angle)));
  }
  bool all_free = true;
  for (const std::string& part : parts) all_free = all_free && part == "free";
  return all_free ? (joint.v_count > 0 ? "no limits" : "") : fmt::format("{}", fmt::join(parts, ", "));
}

int depth_of(const Model& model) {
  std::vector<int> depth(static_cast<std::size_t>(model.link_count()), 0);
  int deepest = 0;
  for (int link = 1; link < model.link_count(); ++link) {
    depth[static_cast<std::size_t>(link)] = depth[static_cast<std::size_t>(model.parent(link))] + 1;
    deepest = std::max(deepest, depth[static_cast<std::size_t>(link)]);
  }
  return deepest;
}

// Box characters before each link's name. Very deep chains go straight down and indent only where they branch.
std::vector<std::string> tree_prefixes(const Model& model) {
  const bool staircase = depth_of(model) <= 24;
  const auto count = static_cast<std::size_t>(model.link_count());
  std::vector<std::string> below(count);  // what stands before the children of a link
  std::vector<std::string> prefix(count);
  for (int link = 1; link < model.link_count(); ++link) {
    const int parent = model.parent(link);
    const bool first = parent == link - 1;
    const bool last = model.subtree_end(link) == model.subtree_end(parent);
    const std::string& before = below[static_cast<std::size_t>(parent)];
    if (!staircase && first && last) {
      prefix[static_cast<std::size_t>(link)] = before;
      below[static_cast<std::size_t>(link)] = before;
    } else {
      prefix[static_cast<std::size_t>(link)] = before + (last ? "└─ " : "├─ ");
      below[static_cast<std::size_t>(link)] = before + (last ? "   " : "│  ");
    }
  }
  return prefix;
}

void print_text(const LoadedModel& loaded) {
  const Model& model = loaded.model;
  const std::size_t joint_count = model.joint_names().size();
  fmt::print("{}: {} links, {} joints, {} degrees of freedom, longest branch {}\n", bold(model.name()),
             model.link_count(), joint_count, model.v_size(), pretty_number(model.size(), 4));
  if (!model.linkage().description.empty()) fmt::print("{}\n", printable(model.linkage().description, true));
  fmt::print("\n");
  const std::vector<std::string> prefixes = tree_prefixes(model);
  Table table({"link", "joint", "type", "limits"});
  for (int link = 0; link < model.link_count(); ++link) {
    const ModelJoint& joint = model.joint(link);
    table.add({prefixes[static_cast<std::size_t>(link)] + model.link_name(link), joint.name,
               joint.name.empty() ? "" : type_text(joint.type), limits_text(model, joint)});
  }
  fmt::print("{}\n", table.text());
  std::vector<std::string> names;
  for (const int link : model.effectors()) names.push_back(printable(model.link_name(link)));
  fmt::print("effectors: {}\n", fmt::join(names, ", "));
  if (!model.closures().empty()) {
    Table loops({"closure", "type", "a", "b"});
    const auto link = [&](int i) { return i < 0 ? std::string("world") : model.link_name(i); };
    for (const ModelClosure& closure : model.closures()) {
      const bool joints = std::holds_alternative<Coupling>(closure.type);
      loops.add({closure.name, type_name(closure.type), joints ? model.joint(closure.joint).name : link(closure.a),
                 joints ? (closure.source < 0 ? "" : model.joint(closure.source).name) : link(closure.b)});
    }
    fmt::print("{}\n", loops.text());
    const MechanismReport mechanism = analyze_mechanism(model);
    fmt::print("mobility: {} (Kutzbach {}{})\n",
               mechanism.assembled ? std::to_string(mechanism.mobility) : "loops open", mechanism.kutzbach,
               mechanism.plane_or_point ? fmt::format(", in the plane {}", mechanism.kutzbach_reduced) : "");
    names.clear();
    for (const std::string& drive : mechanism.drives) names.push_back(printable(drive));
    fmt::print("drives: {}{}\n", fmt::join(names, ", "), mechanism.drives_given ? "" : " (chosen)");
    add_notes(mechanism.notes);
  }
  names.clear();
  for (const ModelPose& pose : model.poses()) names.push_back(printable(pose.name));
  if (!names.empty()) fmt::print("poses: {}\n", fmt::join(names, ", "));
  for (const ChainNote& note : chain_notes(model)) {
    if (!note.analysis || note.analysis->joint_count() < 6) continue;  // of arms: there the class matters
    fmt::print("equations of {}: {}\n", printable(model.link_name(note.tip)), printable(note.analysis->sentence));
  }
  for (const Clip& clip : loaded.document.clips) {
    fmt::print("motion: {}{} frames, {} s\n", clip.name.empty() ? "" : printable(clip.name) + ", ", clip.frame_count(),
               pretty_number(clip.duration(), 4));
  }
}

// What the links occupy, without asking which of them can touch: `armature bodies` does that.
void write_info_bodies(JsonText& json, const LoadedModel& loaded) {
  BodyOptions options;
  options.samples = 0;
  options.prove = false;
  options.load_mesh = meshes_of(loaded);
  const Result<Bodies> bodies = compile_bodies(loaded.model, options);
  json.key("bodies").begin_array();
  if (bodies) {
    for (const Body& body : bodies->list)
      json.begin_object().member("link", body.link).member("source", body.source).end();
  } else {
    add_notes({bodies.message()});
  }
  json.end();
}

// [{"tip", "class", "exact", "defect", "message"}], class null where there are no equations.
Json chains_json(const Model& model) {
  Json chains = Json::array();
  for (const ChainNote& note : chain_notes(model)) {
    Json chain = {{"tip", model.link_name(note.tip)}, {"class", nullptr}};
    if (note.analysis) {
      chain["class"] = class_name(note.analysis->kind);
      chain["exact"] = note.analysis->exact();
      chain["defect"] = note.analysis->defect;
    }
    chain["message"] = note.analysis ? note.analysis->sentence : note.analysis.message();
    chains.push_back(chain);
  }
  return chains;
}

}  // namespace

void add_info(CLI::App& app) {
  struct Options {
    std::string model;
    ReadOptions read;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("info", "Draw a model's tree with its joints and limits");
  add_model_argument(*command, options->model);
  add_json_flag(*command, options->json);
  add_read_options(*command, options->read);
  command->footer(
      "Text shows angles in degrees; JSON has radians, null where there is no limit.\n\n"
      "Examples:\n"
      "  armature info human\n"
      "  armature info robot.urdf --json\n"
      "  armature info robot.urdf --safety-limits\n"
      "  cat walk.bvh | armature info -");
  command->callback([options] {
    const LoadedModel loaded = need(open_model(options->model, options->read));
    add_notes(loaded.document.notes);
    add_notes(loaded.model.notes());
    add_notes(exact_angles_notes(loaded.model, options->model, options->read));
    if (options->json) {
      JsonText json;
      json.begin_object();
      write_model(json, loaded.document, loaded.model);
      write_info_bodies(json, loaded);
      Json answer = Json::parse(json.end().text());
      answer["chains"] = chains_json(loaded.model);
      print_answer(answer);
    } else {
      print_text(loaded);
    }
  });
}

}  // namespace armature::cli
