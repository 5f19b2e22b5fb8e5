// `armature convert IN OUT`: from any format that can be read to any that can be written.
#include <fmt/format.h>

#include <memory>

#include "armature/base/suggest.hpp"
#include "armature/scene/files.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

struct ConvertOptions {
  std::string in;
  std::string out;
  std::string to;
  std::string clip;
  std::string dh_convention = "standard";
  std::string base, tip;
  int digits = 0;
  ReadOptions read;
  bool json = false;
};

std::string format_list() {
  std::string text = "Formats:\n";
  for (const Format& format : formats()) {
    text += fmt::format("  {:<6} {} ({}{})\n", format.name, format.label, format.read != nullptr ? "read" : "",
                        format.write == nullptr ? "" : (format.read != nullptr ? ", write" : "write"));
  }
  return text;
}

bool show_progress(double fraction, void* progress) {
  static_cast<Progress*>(progress)->at(fraction);
  return true;
}

// The motion of that name or number alone; "" keeps all.
void keep_clip(Document& document, const std::string& wanted) {
  if (wanted.empty()) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < document.clips.size(); ++i) {
    names.push_back(document.clips[i].name);
    if (wanted != document.clips[i].name && wanted != std::to_string(i)) continue;
    std::swap(document.clips.front(), document.clips[i]);
    document.clips.resize(1);
    return;
  }
  if (names.empty()) throw BadInput{"The file holds no motion, so --clip has nothing to choose from."};
  throw BadInput{unknown_name("motion", wanted, names)};
}

// Where the pieces of the text go.
struct ConvertSink {
  OutputFile file;
  Status status;
  std::size_t bytes = 0;

  static bool take(std::string_view piece, void* context) {
    ConvertSink& sink = *static_cast<ConvertSink*>(context);
    sink.status = sink.file.write(piece);
    sink.bytes += piece.size();
    return sink.status.ok();
  }
};

// Returns how many bytes there are; what the format cannot carry goes to `lost`.
std::size_t write_converted(const Document& document, const Format& format, const ConvertOptions& options,
                            std::vector<std::string>& lost) {
  Progress progress("writing");
  ConvertSink sink{OutputFile(options.out), {}, 0};
  WriteOptions write;
  write.notes = &lost;
  write.digits = options.digits;
  write.dh_convention = options.dh_convention;
  write.base = options.base;
  write.tip = options.tip;
  write.up = options.read.up;  // a figure that was turned as it was read stays so
  write.sink = ConvertSink::take;
  write.sink_context = &sink;
  write.progress = show_progress;
  write.progress_context = &progress;
  need(sink.file.open());
  const Result<std::string> rest = write_document(document, format, write);
  need(sink.status);
  if (!rest.ok()) throw BadInput{rest.message()};
  need(sink.file.commit());
  return sink.bytes;
}

Document read_converted(const ConvertOptions& options) {
  Progress progress("reading");
  ReadOptions read = options.read;
  read.progress = show_progress;
  read.progress_context = &progress;
  return need(load_document(options.in, read));
}

}  // namespace

void add_convert(CLI::App& app) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = app.add_subcommand("convert", "Convert a model or a motion between formats");
  command->add_option("IN", options->in, "A file, - for standard input, or the name of a built-in model")->required();
  command->add_option("OUT", options->out, "The file to write, its format told by its extension; - for standard output")
      ->required();
  command->add_option("--to", options->to, "The format to write, when the extension does not tell");
  command->add_option("--clip", options->clip, "Only this one of several motions, by name or number (from 0)")
      ->type_name("NAME");
  command->add_option("--digits", options->digits, "Digits of numbers in text (default: as many as read back exactly)")
      ->transform(within(1, 17));
  command->add_option("--dh-convention", options->dh_convention, "Of Denavit-Hartenberg tables")
      ->check(CLI::IsMember({"standard", "modified"}))
      ->type_name("standard|modified");
  command
      ->add_option("--base", options->base, "Of Denavit-Hartenberg tables: where the chain begins (default: the root)")
      ->type_name("LINK");
  command
      ->add_option("--tip", options->tip,
                   "Of Denavit-Hartenberg tables: where the chain ends (default: the first effector)")
      ->type_name("LINK");
  add_json_flag(*command, options->json);
  add_read_options(*command, options->read);
  command->footer(format_list() +
                  "\nWhat the new format cannot carry is listed on stderr. The file appears whole or not at all.\n\n"
                  "Examples:\n"
                  "  armature convert robot.urdf robot.json\n"
                  "  armature convert human human.urdf\n"
                  "  armature convert walk.bvh walk.glb\n"
                  "  armature convert walk.bvh walk.csv --bvh-positions absolute\n"
                  "  armature convert robots.dh.json arm.urdf --part puma560\n"
                  "  armature convert baxter.urdf left.dh.csv --base torso --tip left_gripper");
  command->callback([options] {
    if (options->out == "-" && options->to.empty()) {
      throw BadInput{"Writing to standard output needs the format: --to json, for example."};
    }
    const Format& format =
        options->to.empty() ? *need(format_for_writing(options->out)) : *need(format_named(options->to));
    Document document = read_converted(*options);
    keep_clip(document, options->clip);
    std::vector<std::string> notes = document.notes;
    const std::size_t bytes = write_converted(document, format, *options, notes);
    add_notes(notes);
    if (options->json && options->out != "-") {
      print_answer({{"in", options->in}, {"out", options->out}, {"format", format.name}, {"bytes", bytes}});
    } else if (options->out != "-") {
      fmt::print("{} → {} ({}, {} bytes)\n", options->in, options->out, format.label, bytes);
    }
  });
}

}  // namespace armature::cli
