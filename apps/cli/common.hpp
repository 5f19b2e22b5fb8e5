// What the subcommands share: exit codes, models and poses from arguments. How things are shown is in output.hpp.
//
// A command reads its input, and on bad input throws BadInput with a whole sentence (main.cpp prints it and leaves with
// exit code 2). A command whose answer is "no" prints it and throws Quit{kNotReached}.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "armature/formats/document.hpp"
#include "armature/formats/registry.hpp"
#include "armature/model/model.hpp"
#include "armature/scene/load.hpp"
#include "output.hpp"

namespace armature::cli {

enum ExitCode { kDone = 0, kNotReached = 1, kBadInput = 2 };

struct BadInput {
  std::string message;
};
struct Quit {
  int code;
};

/// The value, or BadInput with the library's sentence.
template <class T>
T need(Result<T> result) {
  if (!result.ok()) throw BadInput{result.message()};
  return std::move(result).value();
}
inline void need(const Status& status) {
  if (!status.ok()) throw BadInput{status.message()};
}

// --- arguments -------------------------------------------------------------------------------------------------------

/// The positional MODEL and the flag --json, worded alike everywhere.
CLI::Option* add_model_argument(CLI::App& command, std::string& model);
CLI::Option* add_json_flag(CLI::App& command, bool& json);

/// How files are read: --bvh-positions, --safety-limits, --mesh-root, --part.
void add_read_options(CLI::App& command, ReadOptions& options);

/// "a,b,c" -> names, spaces trimmed; commas inside [] do not split.
std::vector<std::string> split_list(std::string_view text);

/// "1,2.5,-3" -> numbers; `what` names the option in the error. Angles may be given as "90deg".
std::vector<double> parse_numbers(std::string_view text, std::string_view what);
/// One finite number, "90deg" allowed; false when it is none.
bool parse_value(std::string_view text, double& value);

// --- models ----------------------------------------------------------------------------------------------------------

/// Writes a whole file, or standard output for "-".
void write_output(const std::string& path, std::string_view bytes);

/// Link by name; the error lists the links.
int link_of(const Model& model, const std::string& name);

// --- poses -----------------------------------------------------------------------------------------------------------

/// "joint1=0.3,shoulder=[0,0,0,1],elbow=90deg" on top of `q`; a word without "=" is a named pose of the model, which
/// replaces q.
void apply_pose_text(const Model& model, std::string_view text, VecX& q);
/// {"joint": value | [values], ...} on top of `q`. `where` begins the error: "poses.jsonl, line 3".
void apply_pose_json(const Model& model, const Json& pose, std::string_view where, VecX& q);
/// The same from one line of a .jsonl file.
void apply_pose_line(const Model& model, std::string_view line, std::string_view where, VecX& q);
/// {"joint": value} for one coordinate, {"joint": [values]} for several; mimic and fixed joints are left out.
Json pose_to_json(const Model& model, const VecX& q);
/// Parses one line of a .jsonl file; BadInput when it is not JSON.
Json parse_json_line(std::string_view line, std::string_view where);

}  // namespace armature::cli
