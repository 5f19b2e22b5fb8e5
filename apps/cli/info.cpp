// `armature info MODEL`: the tree with its joints and limits, in degrees for people and in radians as JSON.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

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
               joint.name.empty() ? "" : type_name(joint.type), limits_text(model, joint)});
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
  for (const Clip& clip : loaded.document.clips) {
    fmt::print("motion: {}{} frames, {} s\n", clip.name.empty() ? "" : printable(clip.name) + ", ", clip.frame_count(),
               pretty_number(clip.duration(), 4));
  }
}

// A number for one coordinate, a list for several, null where nothing limits.
Json limit_json(const VecX& limits, const ModelJoint& joint) {
  if (joint.q_count == 0) return nullptr;
  if (joint.q_count == 1) return number_to_json(limits[joint.q_index]);
  return numbers_to_json(limits.data() + joint.q_index, static_cast<std::size_t>(joint.q_count));
}

// A mimic joint's own range follows from its source's.
Json mimic_limit_json(const Model& model, const ModelJoint& joint, bool upper) {
  if (joint.q_count != 1) return nullptr;
  const bool from_upper = upper == (joint.multiplier >= 0.0);
  return number_to_json(joint.multiplier * (from_upper ? model.upper() : model.lower())[joint.q_index] + joint.offset);
}

Json joint_json(const Model& model, int link) {
  const ModelJoint& joint = model.joint(link);
  Json json = {{"name", joint.name},
               {"type", type_name(joint.type)},
               {"parent", joint.parent < 0 ? Json(nullptr) : Json(model.link_name(joint.parent))},
               {"child", model.link_name(link)},
               {"q_size", joint.q_count},
               {"v_size", joint.v_count}};
  json["lower"] = joint.mimic ? mimic_limit_json(model, joint, false) : limit_json(model.lower(), joint);
  json["upper"] = joint.mimic ? mimic_limit_json(model, joint, true) : limit_json(model.upper(), joint);
  if (joint.cone) {
    json["cone"] = {{"axis", numbers_to_json(joint.cone->axis.data(), 3)},
                    {"swing", joint.cone->swing},
                    {"twist", {joint.cone->twist_lower, joint.cone->twist_upper}}};
  }
  if (joint.mimic) {
    json["mimic"] = {
        {"joint", model.joint(joint.source).name}, {"multiplier", joint.multiplier}, {"offset", joint.offset}};
  }
  return json;
}

Json info_json(const LoadedModel& loaded) {
  const Model& model = loaded.model;
  Json json = {
      {"name", model.name()}, {"q_size", model.q_size()}, {"v_size", model.v_size()}, {"links", model.link_names()}};
  json["joints"] = Json::array();
  for (int link = 0; link < model.link_count(); ++link) {
    if (!model.joint(link).name.empty()) json["joints"].push_back(joint_json(model, link));
  }
  json["effectors"] = Json::array();
  for (const int link : model.effectors()) json["effectors"].push_back(model.link_name(link));
  json["poses"] = Json::object();
  for (const ModelPose& pose : model.poses()) json["poses"][pose.name] = pose_to_json(model, pose.q);
  json["size"] = model.size();
  json["closures"] = Json::array();
  for (const ModelClosure& closure : model.closures()) {
    Json item = {{"name", closure.name}, {"type", type_name(closure.type)}};
    if (std::holds_alternative<Coupling>(closure.type)) {
      item["joint"] = model.joint(closure.joint).name;
      item["source"] = closure.source < 0 ? Json(nullptr) : Json(model.joint(closure.source).name);
    } else {
      item["a"] = closure.a < 0 ? Json(nullptr) : Json(model.link_name(closure.a));
      item["b"] = closure.b < 0 ? Json(nullptr) : Json(model.link_name(closure.b));
    }
    json["closures"].push_back(std::move(item));
  }
  if (model.closures().empty()) {
    json["mobility"] = model.v_size();
  } else {
    const MechanismReport mechanism = analyze_mechanism(model);
    json["mobility"] = mechanism.assembled ? Json(mechanism.mobility) : Json(nullptr);
    json["drives"] = mechanism.drives;
    add_notes(mechanism.notes);
  }
  json["clips"] = Json::array();
  for (const Clip& clip : loaded.document.clips) {
    json["clips"].push_back({{"name", clip.name}, {"frames", clip.frame_count()}, {"frame_time", clip.frame_time}});
  }
  json["description"] = model.linkage().description;
  return json;
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
    const LoadedModel loaded = need(load_model(options->model, options->read));
    add_notes(loaded.document.notes);
    add_notes(loaded.model.notes());
    if (options->json) {
      print_answer(info_json(loaded));
    } else {
      print_text(loaded);
    }
  });
}

}  // namespace armature::cli
