// `armature animate MODEL`: the goal slides to its place over some frames, and the pose follows.
#include <fmt/format.h>

#include <memory>

#include "armature/base/number.hpp"
#include "armature/solve/sequence.hpp"
#include "commands.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct AnimateOptions : SolveFlags {
  int frames = 21;
  int steps_per_frame = 1;
};

Json place_to_json(const Vec3& place, bool planar) { return numbers_to_json(place.data(), planar ? 2 : 3); }

}  // namespace

void add_animate(CLI::App& app) {
  auto options = std::make_shared<AnimateOptions>();
  CLI::App* command = app.add_subcommand("animate", "Frames of an arm that follows its goal");
  add_solve_flags(*command, *options, true);
  command->add_option("--frames", options->frames, "How many frames, the first of which is the start")
      ->check(CLI::Range(2, 1000000));
  command
      ->add_option("--steps-per-frame", options->steps_per_frame,
                   "Steps of the method a frame; 1 is plain Euler integration, 0 goes on until it converges")
      ->check(CLI::Range(0, 1000000));
  command->footer(
      "With --json each frame gives one line {\"frame\": k, \"goal\": [..], \"pose\": [..], \"effector\": [..]}.\n"
      "With a number of steps every step is taken as the method gives it: no clamp unless --max-step asks for one.\n\n"
      "Examples:\n"
      "  armature animate planar_arm --tip tip --goal -20,5 --method pseudoinverse --json\n"
      "  armature animate planar_arm --tip tip --goal -35,5 --method dls --damping 5\n"
      "  armature animate planar_arm --tip tip --goal -20,5 --method pseudoinverse "
      "--gain joint1=0.1,joint2=0.5,joint3=0.1\n"
      "  armature animate planar_arm --tip tip --goal -20,5 --method pseudoinverse --jacobian-at goal\n"
      "  armature animate panda --tip panda_tcp --goal 0.5,0.3,0.4 --frames 100 --steps-per-frame 0");
  command->callback([options] {
    const LoadedModel loaded = load_model(options->model);
    const Model& model = loaded.model;
    const GivenGoal given =
        parse_goal(model, tip_of(model, options->tip), base_of(model, options->base), options->goal);
    Problem problem = problem_of(model, *options);
    problem.goals.push_back(given.goal);
    // A sequence is the textbook's business: its plainest method unless another is asked for.
    const std::unique_ptr<Solver> solver =
        solver_of(options->method.empty() ? "pseudoinverse" : options->method, *options);
    const Sequence sequence = need(
        run_sequence(*solver, problem, start_pose(model, options->start), {options->frames, options->steps_per_frame}));
    Table table({"frame", "goal", "effector", "distance", "pose"});
    const auto list = [](const double* v, int n) {
      std::string text;
      for (int i = 0; i < n; ++i) text += (i == 0 ? "" : ", ") + pretty_number(v[i], 6);
      return text;
    };
    const int shown = given.planar ? 2 : 3;
    for (std::size_t f = 0; f < sequence.frames.size(); ++f) {
      const SequenceFrame& frame = sequence.frames[f];
      const double* q = sequence.clip.frame(static_cast<int>(f));
      if (options->json) {
        Json json;
        json["frame"] = f;
        json["goal"] = place_to_json(frame.goal, given.planar);
        json["pose"] = numbers_to_json(q, static_cast<std::size_t>(model.q_size()));
        json["effector"] = place_to_json(frame.effector, given.planar);
        print_json(json, -1);
      } else {
        table.add({std::to_string(f), list(frame.goal.data(), shown), list(frame.effector.data(), shown),
                   pretty_number((frame.goal - frame.effector).head(shown).norm(), 4), list(q, model.q_size())});
      }
    }
    if (!options->json) fmt::print("{}", table.text());
  });
}

}  // namespace armature::cli
