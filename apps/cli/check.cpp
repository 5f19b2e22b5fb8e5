// `armature check FILE`: every problem of a model file, one sentence each.
#include <fmt/format.h>

#include <memory>

#include "armature/kinematics/mechanism.hpp"
#include "armature/model/compile.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {

void add_check(CLI::App& app) {
  struct Options {
    std::string file;
    ReadOptions read;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("check", "What is wrong with a file, where, and what would be right");
  command->add_option("FILE", options->file, "A file, - for standard input, or the name of a built-in model")
      ->required();
  add_json_flag(*command, options->json);
  add_read_options(*command, options->read);
  command->footer(
      "Exit code 0: sound, 1: problems were found, 2: there is no such file.\n\n"
      "Examples:\n"
      "  armature check robot.urdf\n"
      "  armature check model.json --json");
  command->callback([options] {
    const Result<Document> document = read_document(need(find_model(options->file, options->read)), options->read);
    std::vector<std::string> problems;
    std::vector<std::string> notes;
    std::string loops;
    Json closures = Json::object();
    if (!document.ok()) {
      problems.push_back(document.message());
    } else {
      problems = find_mistakes(document->linkage);
      notes = document->notes;
      if (problems.empty()) {
        const Model model = need(compile(document->linkage));
        notes.insert(notes.end(), model.notes().begin(), model.notes().end());
        if (!model.closures().empty()) {
          const MechanismReport mechanism = analyze_mechanism(model);
          (mechanism.assembled ? notes : problems)
              .insert((mechanism.assembled ? notes : problems).end(), mechanism.notes.begin(), mechanism.notes.end());
          loops = fmt::format("{} loop{} {}", model.closures().size(), model.closures().size() == 1 ? "" : "s",
                              mechanism.assembled
                                  ? fmt::format("{}, mobility {}", model.closures().size() == 1 ? "closes" : "close",
                                                mechanism.mobility)
                                  : "cannot be closed");
          closures = {{"count", model.closures().size()},
                      {"assembled", mechanism.assembled},
                      {"closure_error", number_to_json(mechanism.closure_error)},
                      {"mobility", mechanism.assembled ? Json(mechanism.mobility) : Json(nullptr)}};
        }
      }
    }
    add_notes(notes);
    if (options->json) {
      Json list = Json::array();
      for (const std::string& problem : problems) list.push_back({{"message", problem}});
      print_answer({{"file", options->file}, {"problems", list}, {"closures", closures}}, problems.empty());
    } else {
      if (problems.empty()) {
        fmt::print("{}: sound{}\n", options->file, loops.empty() ? "" : "; " + loops);
      } else {
        fmt::print("{}: {} problem{}\n", options->file, problems.size(), problems.size() == 1 ? "" : "s");
      }
      for (const std::string& problem : problems) fmt::print("  {}\n", printable(problem));
    }
    if (!problems.empty()) throw Quit{kNotReached};
  });
}

}  // namespace armature::cli
