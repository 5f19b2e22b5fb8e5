#include "common.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/base/number.hpp"
#include "armature/kinematics/frames.hpp"

namespace armature::cli {
CLI::Option* add_model_argument(CLI::App& command, std::string& model) {
  return command
      .add_option("MODEL", model, "A built-in model (see `armature models`), a file, or - for standard input")
      ->required();
}

CLI::Option* add_json_flag(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "Print JSON for programs instead of text for people");
}

void add_read_options(CLI::App& command, ReadOptions& options) {
  const char* const group = "How files are read";
  command
      .add_option("--bvh-positions", options.bvh_positions,
                  "BVH, position channels below the root: absolute (they replace the OFFSET), offset (they are added "
                  "to it), or auto (told by the numbers; the default)")
      ->check(CLI::IsMember({"auto", "absolute", "offset"}))
      ->type_name("HOW")
      ->group(group);
  command.add_flag("--safety-limits", options.safety_limits, "URDF: the soft limits of safety_controller")
      ->group(group);
  command
      .add_flag("--exact-angles", options.exact_angles,
                "URDF: rounded right angles as what they mean: 1.5708 as pi/2, 3.1416 as pi, 0.7854 as pi/4")
      ->group(group);
  command.add_option("--mesh-root", options.mesh_root, "URDF: the folder that package:// leads to")
      ->type_name("FOLDER")
      ->group(group);
  command.add_option("--srdf", options.srdf, "URDF: its semantic description (default: the .srdf beside it)")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--up", options.up,
                  "Turn the whole so that this axis points up (BVH and glTF have y up, robots and our own files z)")
      ->check(CLI::IsMember({"y", "z"}))
      ->type_name("y|z")
      ->group(group);
  command.add_option("--unit-scale", options.unit_scale, "Multiply all lengths: 0.01 reads centimetres as metres")
      ->transform(within(1e-300, 1e300))
      ->type_name("FACTOR")
      ->group(group);
  command.add_flag("--float-root", options.float_root, "Give a root that stands fixed a free joint")->group(group);
  command.add_option("--part", options.part, "Which of several linkages in the file, by name (default: the first)")
      ->type_name("NAME")
      ->group(group);
}

namespace {
CLI::Validator within(double low, double high, const char* kind, bool whole) {
  const auto check = [=](std::string& text) -> std::string {
    const Result<double> value = parse_quantity(text, kind, "It");
    if (value && *value >= low && *value <= high && (!whole || *value == std::floor(*value))) {
      if (*kind != '\0') text = format_number(*value);  // in SI units
      return "";
    }
    const char* what = *kind == '\0' ? "number" : kind;
    return fmt::format("{} is not {} {} from {} to {}", in_quotes(text), what[0] == 'a' ? "an" : "a",
                       whole ? "whole number" : what, format_number(low), format_number(high));
  };
  return CLI::Validator(check, high < 1e100 ? fmt::format("{} to {}", format_number(low), format_number(high)) : "");
}
}  // namespace

CLI::Validator within(double low, double high, const char* kind) { return within(low, high, kind, false); }
CLI::Validator within(int low, int high) { return within(low, high, "", true); }

void write_output(const std::string& path, std::string_view bytes) {
  if (path == "-") {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  } else {
    need(write_file_atomically(path, bytes));
  }
}

int link_of(const Model& model, const std::string& name) { return need(model.find_link(name)); }

int tip_of(const Model& model, const std::string& name) {
  std::vector<std::string> notes;
  const int tip = name.empty() ? need(default_tip(model, notes)) : link_of(model, name);
  add_notes(notes);
  return tip;
}

int base_of(const Model& model, const std::string& name) {
  return name.empty() ? kWorld : need(frame_index(model, name));
}

VecX pose_of(const Model& model, const std::string& text, const VecX& q) {
  std::vector<std::string> notes;
  VecX pose = need(parse_pose(model, text, q, notes));
  add_notes(notes);
  return pose;
}

Json pose_to_json(const Model& model, const VecX& q) {
  JsonText json;
  write_pose(json, model, q);
  return Json::parse(json.text());
}

}  // namespace armature::cli
