// `armature exercise [NAME] [ANSWER]`: lists the exercises, shows one, checks an answer.
#include "armature/scene/exercise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>

#include "armature/formats/builtin_models.hpp"
#include "commands.hpp"
#include "common.hpp"
#include "motion_input.hpp"

namespace armature::cli {
namespace {

struct ExerciseOptions {
  std::string name;
  std::vector<std::string> answers;  // "1.5 2.25" as well as "1.5,2.25"
  int hint = 0;
  bool json = false;
};

const char* how_to_answer(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::numbers:
      return "Answer with numbers, to four digits: 1.5,2.25 (90deg for degrees)";
    case AnswerKind::pose:
      return "Answer with a pose: 0.3,1.2 or joint=value,... (90deg for degrees)";
    case AnswerKind::choice:
      return "Answer with a letter";
    case AnswerKind::model:
      return "Answer with a file that holds the model";
    case AnswerKind::motion:
      return "Answer with a file that holds the motion";
  }
  return "";
}

void list_all(bool json) {
  const std::vector<Exercise> all = need(exercises());
  if (json) {
    Json rows = Json::array();
    for (const Exercise& e : all) rows.push_back({{"name", e.name}, {"section", e.section}, {"title", e.title}});
    print_answer({{"exercises", rows}});
    return;
  }
  Table table({"section", "name", ""});
  for (const Exercise& e : all) table.add({e.section, e.name, e.title});
  fmt::print("{}\n`armature exercise NAME` shows one, `armature exercise NAME ANSWER` checks your answer.\n",
             table.text());
}

void show(const Exercise& e, const ExerciseOptions& options) {
  if (options.json) {
    print_answer({{"name", e.name},
                  {"section", e.section},
                  {"title", e.title},
                  {"task", e.task},
                  {"hints", e.hints},
                  {"choices", e.choices}});
    return;
  }
  fmt::print("{} (section {})\n\n{}\n", bold(e.title), e.section, e.task);
  for (std::size_t i = 0; i < e.choices.size(); ++i) {
    fmt::print("{}  {}) {}", i == 0 ? "\n" : "", static_cast<char>('a' + i), e.choices[i]);
    fmt::print("\n");
  }
  const auto hints = std::min(static_cast<std::size_t>(options.hint), e.hints.size());
  for (std::size_t i = 0; i < hints; ++i) fmt::print("\nHint {}: {}\n", i + 1, e.hints[i]);
  fmt::print("\n{}: armature exercise {} ANSWER", how_to_answer(e.kind), e.name);
  if (hints < e.hints.size()) fmt::print("; --hint {} says more", hints + 1);
  fmt::print(".\n");
}

Answer read_answer(const Exercise& e, const std::string& given) {
  Answer answer;
  answer.text = given;
  if (e.kind == AnswerKind::model) {
    for (const BuiltinModel& model : builtin_models()) {
      if (given == model.name) {
        throw BadInput{fmt::format("{} is built in; the answer is a file that you write.", in_quotes(given))};
      }
    }
    answer.model = need(load_document(given)).linkage;
  }
  if (e.kind == AnswerKind::motion) {
    // A file that holds its own linkage, or a table of the exercise's model.
    const std::string extension = std::filesystem::path(given).extension().string();
    answer.motion = extension == ".csv" || extension == ".jsonl" ? load_motion(e.model, given, "").clip
                                                                 : load_motion(given, "", "").clip;
  }
  return answer;
}

void check(const Exercise& e, const ExerciseOptions& options) {
  const Verdict verdict = need(check_answer(e, read_answer(e, fmt::format("{}", fmt::join(options.answers, ",")))));
  const std::string hint = verdict.passed || e.hints.empty() ? "" : e.hints.front();
  if (options.json) {
    print_answer(
        {{"rows", {{{"name", e.name}, {"passed", verdict.passed}, {"message", verdict.message}, {"hint", hint}}}}},
        verdict.passed);
  } else {
    fmt::print("{}\n", verdict.message);
    if (!hint.empty()) fmt::print("Hint: {}\n", hint);
  }
  if (!verdict.passed) throw Quit{kNotReached};
}

}  // namespace

void add_exercise(CLI::App& app) {
  auto options = std::make_shared<ExerciseOptions>();
  CLI::App* command = app.add_subcommand("exercise", "Exercises to the chapter, with hints and automatic checks");
  command->add_option("NAME", options->name, "The exercise; without it all are listed");
  command->add_option("ANSWER", options->answers, "Your answer: numbers, a pose, a letter, or a file");
  command->add_option("--hint", options->hint, "Show this many hints")->transform(within(0, 9));
  add_json_flag(*command, options->json);
  command->footer(
      "Exit code 0: right, 1: not yet.\n\n"
      "Examples:\n"
      "  armature exercise\n"
      "  armature exercise other_elbow --hint 1\n"
      "  armature exercise place_of_hand 12.34,5.678\n"
      "  armature exercise build_two_link my_arm.json");
  command->callback([options] {
    if (options->name.empty()) return list_all(options->json);
    const Exercise e = need(find_exercise(options->name));
    if (options->answers.empty()) return show(e, *options);
    check(e, *options);
  });
}

}  // namespace armature::cli
