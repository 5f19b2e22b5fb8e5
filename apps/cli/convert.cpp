// `armature convert IN OUT`: from any format that can be read to any that can be written.
#include <fmt/format.h>

#include <memory>

#include "armature/base/suggest.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

struct ConvertOptions {
  std::string in;
  std::string out;
  std::string to;
  bool json = false;
};

const Format& format_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Format& format : formats()) {
    if (format.write == nullptr) continue;
    if (name == format.name) return format;
    names.emplace_back(format.name);
  }
  throw BadInput{unknown_name("format to write", name, names)};
}

std::string format_list() {
  std::string text = "Formats:\n";
  for (const Format& format : formats()) {
    text += fmt::format("  {:<6} {} ({}{})\n", format.name, format.label, format.read != nullptr ? "read" : "",
                        format.write == nullptr ? "" : (format.read != nullptr ? ", write" : "write"));
  }
  return text;
}

}  // namespace

void add_convert(CLI::App& app) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = app.add_subcommand("convert", "Convert a model or a motion between formats");
  command->add_option("IN", options->in, "A file, - for standard input, or the name of a built-in model")->required();
  command->add_option("OUT", options->out, "The file to write, its format told by its extension; - for standard output")
      ->required();
  command->add_option("--to", options->to, "The format to write, when the extension does not tell");
  add_json_flag(*command, options->json);
  command->footer(format_list() +
                  "\nWhat the new format cannot carry is listed on stderr.\n\n"
                  "Examples:\n"
                  "  armature convert robot.urdf robot.json\n"
                  "  armature convert human human.urdf\n"
                  "  armature convert walk.bvh walk.glb");
  command->callback([options] {
    const Document document = load_document(options->in);
    if (options->out == "-" && options->to.empty()) {
      throw BadInput{"Writing to standard output needs the format: --to json, for example."};
    }
    const Format& format = options->to.empty() ? *need(format_for_writing(options->out)) : format_named(options->to);
    std::vector<std::string> lost;
    WriteOptions write_options;
    write_options.notes = &lost;
    const std::string bytes = need(write_document(document, format, write_options));
    write_output(options->out, bytes);
    std::vector<std::string> notes = document.notes;
    notes.insert(notes.end(), lost.begin(), lost.end());
    if (options->json && options->out != "-") {
      print_json({{"in", options->in},
                  {"out", options->out},
                  {"format", format.name},
                  {"bytes", bytes.size()},
                  {"notes", notes}});
      return;
    }
    print_notes(notes);
    if (options->out != "-") {
      fmt::print("{} → {} ({}, {} bytes)\n", options->in, options->out, format.label, bytes.size());
    }
  });
}

}  // namespace armature::cli
