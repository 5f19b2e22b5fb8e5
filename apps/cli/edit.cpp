// `armature edit MODEL VERB ARGUMENT ... -o OUT`: edits in order, from any format to any.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "armature/formats/registry.hpp"
#include "armature/model/compile.hpp"
#include "armature/scene/edit_text.hpp"
#include "armature/scene/files.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

struct EditOptions {
  std::string model, to;
  std::vector<std::string> edits, out;
  ReadOptions read;
  bool json = false;
};

std::string verb_list() {
  std::string text = "Edits:\n";
  for (const EditVerb& verb : edit_verbs()) {
    std::string name = verb.name;
    std::replace(name.begin(), name.end(), '_', '-');
    text += fmt::format("  {:<30} {}\n", name + " " + verb.argument, verb.doc);
  }
  return text;
}

bool takes_argument(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  for (const EditVerb& verb : edit_verbs()) {
    if (name == verb.name) return *verb.argument != '\0';
  }
  return true;
}

// Several formats are called .xml: what was one of them stays it.
const Format& output_format(const EditOptions& options, const std::string& path) {
  if (!options.to.empty()) return *need(format_named(options.to));
  if (path == "-") throw BadInput{"Writing to standard output needs the format: --to urdf, for example."};
  const auto is_xml = [](const std::string& name) {
    return name.size() > 4 && name.compare(name.size() - 4, 4, ".xml") == 0;
  };
  if (is_xml(path) && is_xml(options.model)) {
    const Result<std::string> bytes = read_file(options.model);
    const Result<const Format*> format =
        bytes ? detect_format(*bytes, options.model) : Result<const Format*>(bytes.error());
    if (format && (*format)->write != nullptr) return **format;
  }
  return *need(format_for_writing(path));
}

void run(const EditOptions& options) {
  if (options.edits.empty())
    throw BadInput{"Say what to edit, for example: armature edit panda lock panda_joint3=0 -o six.urdf"};
  Document document = need(load_document(options.model, options.read));
  std::vector<std::string> notes = document.notes;
  const LinkageLoader load = [&](const std::string& name) -> Result<Linkage> {
    Result<Document> branch = load_document(name, options.read);
    if (!branch) return branch.error();
    return std::move(branch->linkage);
  };
  for (std::size_t i = 0; i < options.edits.size(); ++i) {
    const std::string& verb = options.edits[i];
    std::string argument;
    if (takes_argument(verb) && i + 1 < options.edits.size()) argument = options.edits[++i];
    need(apply_edit(document.linkage, verb, argument, load, notes));
  }
  const Model model = need(compile(document.linkage));
  if (!document.clips.empty()) {
    notes.push_back("Dropped the motions of the file: they are of the model before the edit.");
    document.clips.clear();
  }
  document.linkage.extra.reset();
  Json written = Json::array();
  for (const std::string& path : options.out) {
    WriteOptions write;
    write.notes = &notes;
    const Format& format = output_format(options, path);
    write_output(path, need(write_document(document, format, write)));
    written.push_back(path);
  }
  add_notes(notes);
  const bool shown = std::find(options.out.begin(), options.out.end(), "-") != options.out.end();
  if (shown) return;
  if (options.json) {
    print_answer({{"links", model.link_count()},
                  {"joints", model.joint_names().size()},
                  {"q_size", model.q_size()},
                  {"out", written}});
    return;
  }
  fmt::print("{}: {} links, {} joints, {} numbers in a pose{}\n", printable(model.name()), model.link_count(),
             model.joint_names().size(), model.q_size(),
             options.out.empty() ? "" : fmt::format(" → {}", fmt::join(options.out, ", ")));
  if (options.out.empty()) add_notes({"Nothing was written; name a file with -o."});
}

}  // namespace

void add_edit(CLI::App& app) {
  auto options = std::make_shared<EditOptions>();
  CLI::App* command =
      app.add_subcommand("edit", "Change a model: reroot, lock, rename, extract, mirror, scale, graft, ...");
  add_model_argument(*command, options->model);
  command->add_option("EDIT", options->edits, "Edits in order, each followed by what it takes; see below")
      ->expected(-1);
  command->add_option("-o,--out", options->out, "The file to write, its format told by its extension; may be repeated")
      ->take_all()
      ->expected(1);
  command->add_option("--to", options->to, "The format to write, when the extension does not tell");
  add_json_flag(*command, options->json);
  add_read_options(*command, options->read);
  command->footer(verb_list() +
                  "\nExamples:\n"
                  "  armature edit panda lock panda_finger_joint1=0.04 -o gripping.urdf\n"
                  "  armature edit human expand all -o human_hinges.json\n"
                  "  armature edit ur5 graft gripper.urdf@tool0 add-tip grasp=tool0:0,0,0.12 -o ur5_gripper.urdf\n"
                  "  armature edit robot.urdf extract base_link..tool0 scale 1000 -o arm_mm.json");
  command->callback([options] { run(*options); });
}

}  // namespace armature::cli
