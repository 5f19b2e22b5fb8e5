// `armature mechanism MODEL`: what a linkage with loops can do: mobility, drives, assemblies, circuits, dead points.
#include "armature/kinematics/mechanism.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/kinematics/assembly_modes.hpp"
#include "armature/kinematics/pose.hpp"
#include "commands.hpp"
#include "driving.hpp"
#include "picture.hpp"

namespace armature::cli {
namespace {

struct MechanismFlags {
  std::string model, pose, out;
  std::vector<std::string> trails;
  ReadOptions read;
  bool modes = false, circuits = false, json = false;
};

struct Circuit {
  std::string drive;
  std::vector<int> modes;  // numbers from 1
  CircuitReport report;
};

std::string coordinate_text(const Model& model, const std::string& joint, double value) {
  const ModelJoint& own = model.joint(joint);
  const bool angle = coordinates(own.type)[0] == Coordinate::angle;
  return angle ? pretty_number(value * 180.0 / kPi, 6) + "°" : pretty_number(value, 6);
}

// Whether a pose lies on a circuit: near one of its poses, frames compared by their coordinates short way round.
bool lies_on(const Model& model, const CircuitReport& circuit, const VecX& q, double slack) {
  for (int f = 0; f < circuit.poses.frame_count(); ++f) {
    VecX other = Eigen::Map<const VecX>(circuit.poses.frame(f), model.q_size());
    const VecX d = difference(model, q, other);
    double largest = 0.0;
    for (int v = 0; v < d.size(); ++v) {
      const ModelJoint& joint = model.joint(model.velocity_joint(v));
      const int k = v - joint.v_index;
      const bool turns = k < joint.q_count && turn_repeats(joint.type, k);
      const bool length =
          k < joint.q_count && coordinates(joint.type)[static_cast<std::size_t>(k)] == Coordinate::length;
      largest = std::max(largest, std::abs(turns ? wrap_angle(d[v]) : length ? d[v] / model.size() : d[v]));
    }
    if (largest < slack) return true;
  }
  return false;
}

std::vector<Circuit> find_circuits(const Model& model, const MechanismReport& mechanism, const AssemblyModes& modes) {
  std::vector<Circuit> circuits;
  for (const std::string& drive : mechanism.drives) {
    if (model.joint(drive).q_count != 1) continue;
    std::vector<char> done(modes.q.size(), 0);
    for (std::size_t m = 0; m < modes.q.size() && m < 16; ++m) {
      if (done[m] != 0) continue;
      Result<CircuitReport> found = circuit(model, modes.q[m], drive);
      if (!found) continue;
      Circuit item{drive, {}, std::move(*found)};
      for (std::size_t k = m; k < modes.q.size(); ++k) {
        if (k != m && !lies_on(model, item.report, modes.q[k], 0.12)) continue;
        item.modes.push_back(static_cast<int>(k) + 1);
        done[k] = 1;
      }
      circuits.push_back(std::move(item));
    }
    if (mechanism.mobility > 1) break;  // the others alike; each drive alone moves a part of the whole
  }
  return circuits;
}

Json circuit_json(const Circuit& item) {
  Json json = {{"drive", item.drive},          {"modes", item.modes},
               {"closed", item.report.closed}, {"full_turn", item.report.full_turn},
               {"lower", item.report.lower},   {"upper", item.report.upper}};
  json["dead_points"] = Json::array();
  for (const DeadPoint& dead : item.report.dead_points) json["dead_points"].push_back(dead.value);
  json["branch_points"] = item.report.branch_points;
  if (!item.report.limit_joint.empty()) json["limit_joint"] = item.report.limit_joint;
  return json;
}

std::string circuit_text(const Model& model, const Circuit& item) {
  std::vector<std::string> numbers;
  for (const int m : item.modes) numbers.push_back(std::to_string(m));
  std::string text = fmt::format("{}: assembl{} {}, ", printable(item.drive), item.modes.size() == 1 ? "y" : "ies",
                                 fmt::join(numbers, " and "));
  if (item.report.full_turn) {
    text += "full turns";
  } else {
    text += fmt::format("{} .. {}", coordinate_text(model, item.drive, item.report.lower),
                        coordinate_text(model, item.drive, item.report.upper));
  }
  if (!item.report.dead_points.empty()) {
    std::vector<std::string> at;
    for (const DeadPoint& dead : item.report.dead_points) at.push_back(coordinate_text(model, item.drive, dead.value));
    text += fmt::format(", dead points at {}", fmt::join(at, ", "));
  }
  if (!item.report.branch_points.empty()) {
    std::vector<std::string> at;
    for (const double value : item.report.branch_points) at.push_back(coordinate_text(model, item.drive, value));
    text += fmt::format(", branches meet at {}", fmt::join(at, ", "));
  }
  if (!item.report.closed && !item.report.limit_joint.empty()) {
    text += fmt::format(", ended by the limits of {}", printable(item.report.limit_joint));
  }
  return text;
}

void print_report(const Model& model, const MechanismReport& m) {
  fmt::print("{}: {} closure{}, mobility {}\n", bold(model.name()), model.closures().size(),
             model.closures().size() == 1 ? "" : "s", m.assembled ? std::to_string(m.mobility) : "unknown");
  fmt::print("  Kutzbach            {}{}\n", m.kutzbach,
             m.plane_or_point ? fmt::format(" in space, {} in the plane (or about a point)", m.kutzbach_reduced) : "");
  fmt::print("  constraints         {}, of these {} idle, {} redundant\n", m.rows, m.idle, m.redundant);
  if (!m.assembled) return;
  std::vector<std::string> names;
  for (const std::string& name : m.drives) names.push_back(printable(name));
  fmt::print("  drives              {} ({})\n", fmt::join(names, ", "), m.drives_given ? "given" : "chosen");
  fmt::print("  groups              {}\n", m.groups.size());
  fmt::print("  transmission        {}\n", pretty_number(m.transmission, 4));
  fmt::print("  closure error       {}\n", pretty_number(m.closure_error, 3));
}

}  // namespace

void add_mechanism(CLI::App& app) {
  auto flags = std::make_shared<MechanismFlags>();
  CLI::App* command =
      app.add_subcommand("mechanism", "Mobility, drives, assemblies, circuits and dead points of loops");
  add_model_argument(*command, flags->model);
  command->add_option("--pose", flags->pose, "The pose to look at (default: the first that assembles)");
  command->add_flag("--modes", flags->modes,
                    "List the ways in which it can be assembled with its drives where they are");
  command->add_flag("--circuits", flags->circuits, "List what each drive can reach, and its dead points");
  command->add_option("--trail", flags->trails, "LINK:x,y,z: the path of a point in the picture; may be repeated");
  command->add_option("-o,--out", flags->out, "A picture of the mechanism on its circuit: .svg or .png");
  add_json_flag(*command, flags->json);
  add_read_options(*command, flags->read);
  command->footer(
      "Exit code 1: it cannot be assembled.\n\n"
      "Examples:\n"
      "  armature mechanism four_bar --modes --circuits\n"
      "  armature mechanism jansen --trail foot -o jansen.svg\n"
      "  armature mechanism stewart --modes --json");
  command->callback([flags] {
    if (!flags->out.empty() && !is_picture(flags->out)) {
      throw BadInput{fmt::format("A picture is written as .svg or .png, not {}.", in_quotes(flags->out))};
    }
    const LoadedModel loaded = need(open_model(flags->model, flags->read));
    const Model& model = loaded.model;
    add_notes(loaded.document.notes);
    add_notes(model.notes());
    const MechanismReport m = flags->pose.empty()
                                  ? analyze_mechanism(model, start_pose(model))
                                  : analyze_mechanism(model, pose_of(model, flags->pose, start_pose(model)));
    add_notes(m.notes);
    Json json = {{"mobility", m.assembled ? Json(m.mobility) : Json(nullptr)},
                 {"kutzbach", m.kutzbach},
                 {"kutzbach_reduced", m.plane_or_point ? Json(m.kutzbach_reduced) : Json(nullptr)},
                 {"constraints", m.rows},
                 {"idle", m.idle},
                 {"redundant", m.redundant},
                 {"drives", m.drives},
                 {"drives_given", m.drives_given},
                 {"free_joints", m.free_joints},
                 {"singular", m.singular},
                 {"transmission", number_to_json(m.transmission)},
                 {"closure_error", number_to_json(m.closure_error)},
                 {"groups", m.groups}};
    if (m.assembled) json["pose"] = pose_to_json(model, m.q);
    if (!flags->json) print_report(model, m);
    if (m.assembled && (flags->modes || flags->circuits)) {
      const AssemblyModes modes = assembly_modes(model, m.q, need(held_velocities(model, m.drives)));
      if (flags->modes) {
        json["modes"] = Json::array();
        for (const VecX& q : modes.q) json["modes"].push_back(pose_to_json(model, q));
        json["mode_count"] = modes.count;
        json["modes_complete"] = modes.complete;
        json["families"] = modes.families;
        if (!flags->json) {
          fmt::print("  assemblies          {}{}{}\n", pretty_number(modes.count),
                     modes.complete                                      ? ""
                     : modes.count > static_cast<double>(modes.q.size()) ? " (product over the groups)"
                                                                         : " found",
                     modes.families > 0 ? ", and families of poses with freedom of their own" : "");
        }
      }
      if (flags->circuits) {
        json["circuits"] = Json::array();
        for (const Circuit& item : find_circuits(model, m, modes)) {
          json["circuits"].push_back(circuit_json(item));
          if (!flags->json) fmt::print("  circuit             {}\n", circuit_text(model, item));
        }
      }
    }
    if (m.assembled && !flags->out.empty()) {
      std::vector<TrailPoint> trails;
      for (const std::string& text : flags->trails) trails.push_back(parse_trail(model, text));
      Clip clip;
      if (!m.drives.empty()) {
        if (Result<CircuitReport> way = circuit(model, m.q, m.drives.front(), 0.03)) clip = way->poses;
      }
      write_picture(flags->out, draw_mechanism(model, m.q, clip, trails, ""));
      json["out"] = flags->out;
      if (!flags->json) fmt::print("  written             {}\n", flags->out);
    }
    if (flags->json) print_answer(json, m.assembled);
    if (!m.assembled) throw Quit{kNotReached};
  });
}

}  // namespace armature::cli
