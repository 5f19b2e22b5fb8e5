#include "common.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::cli {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// Every mistake in a pose ends with the joints there are.
BadInput bad_pose(const Model& model, std::string_view where, std::string message) {
  if (message.find("Valid names:") == std::string::npos) {
    message += " Valid joints: " + join(model.joint_names(), 100) + ".";
  }
  return BadInput{where.empty() ? message : fmt::format("{}: {}", where, message)};
}

std::string needs_numbers(std::string_view joint, std::string_view given) {
  return fmt::format("Joint {} needs a finite number or a list of finite numbers, not {}.", in_quotes(joint), given);
}

// JSON has no NaN and no infinity, but programs write them all the same: the joint before the first one, or "".
std::string joint_before_non_finite(std::string_view line) {
  std::size_t at = std::string_view::npos;
  for (const char* word : {"NaN", "nan", "Infinity", "inf"}) at = std::min(at, line.find(word));
  // A number too large for a double is infinite too.
  for (std::size_t pos = 0; pos < line.size(); ++pos) {
    double value = 0.0;
    std::size_t end = pos;
    if (!read_number(line, end, value)) continue;
    if (std::isinf(value)) at = std::min(at, pos);
    pos = end - 1;
  }
  if (at == std::string_view::npos) return "";
  const std::size_t colon = line.rfind(':', at);
  const std::size_t end = colon == std::string_view::npos ? colon : line.rfind('"', colon);
  if (end == std::string_view::npos || end == 0) return "";
  const std::size_t begin = line.rfind('"', end - 1);
  return begin == std::string_view::npos ? "" : std::string(line.substr(begin + 1, end - begin - 1));
}

}  // namespace

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
  command.add_option("--mesh-root", options.mesh_root, "URDF: the folder that package:// leads to")
      ->type_name("FOLDER")
      ->group(group);
  command.add_option("--part", options.part, "Which of several linkages in the file, by name (default: the first)")
      ->type_name("NAME")
      ->group(group);
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    if (i == text.size() || (text[i] == ',' && depth <= 0)) {
      const std::string_view item = trimmed(text.substr(start, i - start));
      if (!item.empty()) items.emplace_back(item);
      start = i + 1;
    }
  }
  return items;
}

bool parse_value(std::string_view text, double& value) {
  text = trimmed(text);
  double factor = 1.0;
  if (text.size() > 3 && text.substr(text.size() - 3) == "deg") {
    factor = kPi / 180.0;
    text = trimmed(text.substr(0, text.size() - 3));
  }
  if (!parse_number(text, value)) return false;
  value *= factor;
  return true;
}

std::vector<double> parse_numbers(std::string_view text, std::string_view what) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  std::vector<double> values;
  for (const std::string& item : split_list(text)) {
    double value = 0.0;
    if (!parse_value(item, value)) {
      throw BadInput{fmt::format("{} needs finite numbers separated by commas, not {}.", what, in_quotes(item))};
    }
    values.push_back(value);
  }
  return values;
}

void write_output(const std::string& path, std::string_view bytes) {
  if (path == "-") {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  } else {
    need(write_file_atomically(path, bytes));
  }
}

int link_of(const Model& model, const std::string& name) { return need(model.link_index(name)); }

void apply_pose_text(const Model& model, std::string_view text, VecX& q) {
  for (const std::string& item : split_list(text)) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) {
      q = need(named_pose(model, item));
      continue;
    }
    const std::string joint(trimmed(std::string_view(item).substr(0, equals)));
    std::string_view list = trimmed(std::string_view(item).substr(equals + 1));
    const Status known = model.joint_index(joint).status();
    if (!known.ok()) throw bad_pose(model, "", known.message());
    if (list.size() >= 2 && list.front() == '[' && list.back() == ']') list = list.substr(1, list.size() - 2);
    std::vector<double> values;
    for (const std::string& word : split_list(list)) {
      double value = 0.0;
      if (!parse_value(word, value)) throw bad_pose(model, "", needs_numbers(joint, in_quotes(word)));
      values.push_back(value);
    }
    const Status set = set_joint(model, joint, values, q);
    if (!set.ok()) throw bad_pose(model, "", set.message());
  }
}

void apply_pose_json(const Model& model, const Json& pose, std::string_view where, VecX& q) {
  if (!pose.is_object()) throw BadInput{fmt::format("{}: A pose is an object such as {{\"joint\": 0.5}}.", where)};
  std::vector<double> values;
  for (const auto& [joint, value] : pose.items()) {
    const Status known = model.joint_index(joint).status();
    if (!known.ok()) throw bad_pose(model, where, known.message());
    values.clear();
    const auto add = [&, &name = joint](const Json& v) {
      if (!v.is_number() || !std::isfinite(v.get<double>())) {
        throw bad_pose(model, where, needs_numbers(name, v.dump(-1, ' ', true, Json::error_handler_t::replace)));
      }
      values.push_back(v.get<double>());
    };
    if (value.is_array()) {
      for (const Json& v : value) add(v);
    } else {
      add(value);
    }
    const Status set = set_joint(model, joint, values, q);
    if (!set.ok()) throw bad_pose(model, where, set.message());
  }
}

void apply_pose_line(const Model& model, std::string_view line, std::string_view where, VecX& q) {
  const Json pose = Json::parse(line, nullptr, false);
  if (pose.is_discarded()) {
    const std::string joint = joint_before_non_finite(line);
    if (!joint.empty()) throw bad_pose(model, where, needs_numbers(joint, "NaN or infinity"));
    throw BadInput{fmt::format("{}: This line is not JSON: {}", where, in_quotes(line.substr(0, 120)))};
  }
  apply_pose_json(model, pose, where, q);
}

Json pose_to_json(const Model& model, const VecX& q) {
  Json pose = Json::object();
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.q_count == 0) continue;
    if (joint.q_count == 1) {
      pose[joint.name] = number_to_json(q[joint.q_index]);
    } else {
      pose[joint.name] = numbers_to_json(q.data() + joint.q_index, static_cast<std::size_t>(joint.q_count));
    }
  }
  return pose;
}

Json parse_json_line(std::string_view line, std::string_view where) {
  Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded()) {
    throw BadInput{fmt::format("{}: This line is not JSON: {}", where, in_quotes(line.substr(0, 120)))};
  }
  return json;
}

}  // namespace armature::cli
