// What the subcommands share: exit codes, models and poses from arguments. How things are shown is in output.hpp.
//
// A command reads its input, and on bad input throws BadInput with a whole sentence (main.cpp prints it and exits with
// code 2). A command whose answer is "no" prints it and throws Quit{kNotReached}.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "armature/formats/document.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/model/model.hpp"
#include "armature/scene/load.hpp"
#include "armature/scene/pose_text.hpp"
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

/// How files are read, one list for every command that reads a model: the fields of ReadOptions that a user chooses.
void add_read_options(CLI::App& command, ReadOptions& options);

/// A number of a kind ("angle", "length", "time"; "": plain) between two others; with its unit it becomes SI.
CLI::Validator within(double low, double high, const char* kind = "");
/// A whole number.
CLI::Validator within(int low, int high);

// --- models ----------------------------------------------------------------------------------------------------------

/// Writes a whole file, or standard output for "-".
void write_output(const std::string& path, std::string_view bytes);

/// Link by name; the error lists the links.
int link_of(const Model& model, const std::string& name);

/// The tip by name, or the model's effector, with a note where it has several; the base by name, or the world.
int tip_of(const Model& model, const std::string& name);
int base_of(const Model& model, const std::string& name);

/// --pose: on top of `q`.
VecX pose_of(const Model& model, const std::string& text, const VecX& q);
Json pose_to_json(const Model& model, const VecX& q);

}  // namespace armature::cli
