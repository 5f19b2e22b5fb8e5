// `armature mechanism MODEL`: what a linkage with loops can do: mobility, drives, assemblies, circuits, dead points.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/scene/mechanism_json.hpp"
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

std::string coordinate_text(const Model& model, const std::string& joint, double value) {
  const ModelJoint& own = model.joint(joint);
  const bool angle = coordinates(own.type)[0] == Coordinate::angle;
  const double shown = angle ? value * 180.0 / kPi : value;
  return pretty_number(std::abs(shown) < (angle ? 1e-4 : 1e-6 * model.size()) ? 0.0 : shown, 6) + (angle ? "°" : "");
}

std::string circuit_text(const Model& model, const ModeCircuit& item) {
  std::vector<std::string> numbers;
  for (const int m : item.modes) numbers.push_back(std::to_string(m));
  std::string text = printable(item.drive) + ": ";
  text += numbers.empty()
              ? "not at this pose, "
              : fmt::format("assembl{} {}, ", numbers.size() == 1 ? "y" : "ies", fmt::join(numbers, " and "));
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
  if (item.report.unfinished) text += ", and goes on";
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
  fmt::print(
      "  drives              {}\n",
      names.empty() ? "none" : fmt::format("{} ({})", fmt::join(names, ", "), m.drives_given ? "given" : "chosen"));
  std::vector<std::string> values;
  for (const std::string& name : m.drives) {
    const ModelJoint& joint = model.joint(name);
    if (joint.q_count == 1)
      values.push_back(fmt::format("{} {}", printable(name), coordinate_text(model, name, m.q[joint.q_index])));
  }
  if (!values.empty()) fmt::print("  at the pose         {}\n", fmt::join(values, ", "));
  fmt::print("  groups              {}\n", m.groups.size());
  fmt::print("  transmission        {}\n", pretty_number(m.transmission, 4));
  fmt::print("  closure error       {}\n", pretty_number(m.closure_error, 3));
}

void print_modes(const AssemblyModes& modes) {
  fmt::print("  assemblies          {}{}{}{}\n", pretty_number(modes.count),
             modes.complete                                      ? ""
             : modes.count > static_cast<double>(modes.q.size()) ? " (product over the groups)"
                                                                 : " found",
             modes.limited ? " inside the limits" : "",
             modes.families > 0 ? ", and families of poses with freedom of their own" : "");
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
    const VecX start = start_pose(model);
    const MechanismAnswer answer = describe_mechanism(
        model, flags->pose.empty() ? start : pose_of(model, flags->pose, start), flags->modes, flags->circuits);
    const MechanismReport& m = answer.report;
    add_notes(m.notes);
    JsonText text;
    text.begin_object();
    write_mechanism(text, model, answer);
    Json json = Json::parse(text.end().text());
    if (!flags->json) {
      print_report(model, m);
      if (answer.modes) print_modes(*answer.modes);
      if (answer.circuits) {
        for (const ModeCircuit& item : *answer.circuits) {
          fmt::print("  circuit             {}\n", circuit_text(model, item));
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
