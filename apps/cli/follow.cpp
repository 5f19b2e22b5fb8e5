// `armature follow MODEL --targets -`: a control loop on a stream. One target a line in, one pose a line out, each a
// tick later, within velocity and acceleration limits.
#include "armature/solve/methods/follow.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>

#include "armature/scene/targets.hpp"
#include "armature/solve/follower.hpp"
#include "armature/solve/measure.hpp"
#include "commands.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct FollowFlags : SolveFlags {
  std::string targets, acceleration;
  double frame_rate = 100.0;
  double velocity_scale = 1.0;
};

class Loop {
 public:
  Loop(const FollowFlags& flags, Scene& scene) : flags_(flags), scene_(scene) {
    scene.method = "follow";
    Solver solver = need(make_solver(scene));
    options_.velocity_scale = flags.velocity_scale;
    if (!flags.acceleration.empty()) {
      options_.acceleration = need(parse_velocities(scene.model, flags.acceleration, "--acceleration",
                                                    std::numeric_limits<double>::infinity(), JointUnits::own));
    }
    const auto& settings = static_cast<Follow&>(*solver).settings;
    options_.follow = settings;
    options_.common = settings;
  }

  void run() {
    TargetReader reader(flags_.targets, scene_);
    need(reader.open());
    Target target;
    while (need(reader.next(target))) {
      if (!follower_) start(target);
      if (target.goal.index() != follower_->goal(0).index()) {
        throw BadInput{fmt::format("{}: The stream began with a goal of type {}; this is one of type {}.", target.where,
                                   goal_name(follower_->goal(0)), goal_name(target.goal))};
      }
      follower_->goal(0) = target.goal;
      if (const Status status = check_problem(follower_->problem()); !status) {
        throw BadInput{target.where + ": " + status.message()};
      }
      print(target, follower_->step(1.0 / flags_.frame_rate));
    }
    add_notes(scene_.notes);
  }

 private:
  void start(const Target& target) {
    Problem problem = make_problem(scene_);
    if (problem.goals.empty()) problem.goals.resize(1);
    problem.goals.front() = target.goal;
    problem.start = target.start;
    follower_ = std::make_unique<Follower>(problem, options_);
    need(follower_->status());
  }

  void print(const Target& target, const FollowerStep& step) {
    const Report report = measure(follower_->problem(), step.q, options_.common);
    const bool reached = report.ok();
    text_.clear();
    text_.begin_object();
    if (!target.id.empty()) text_.key("id").raw(target.id);
    text_.member("time", ++ticks_ / flags_.frame_rate).member("ok", reached);
    text_.member("outcome", outcome_name(reached ? Outcome::converged : step.report->outcome));
    text_.key("q").numbers(step.q).key("velocity").numbers(step.velocity);
    text_.member("position_error", report.position_error).member("orientation_error", report.orientation_error);
    if (!reached) text_.member("message", step.report->message());
    fmt::print("{}\n", text_.end().text());
    std::fflush(stdout);
  }

  const FollowFlags& flags_;
  Scene& scene_;
  FollowerOptions options_;
  std::unique_ptr<Follower> follower_;
  JsonText text_;
  int ticks_ = 0;
};

}  // namespace

void add_follow(CLI::App& app) {
  auto flags = std::make_shared<FollowFlags>();
  CLI::App* command = app.add_subcommand("follow", "A control loop: poses that follow a stream of targets");
  add_solve_flags(*command, *flags, "");
  command
      ->add_option("--targets", flags->targets,
                   "Targets, one per tick and line: .jsonl {\"id\", \"target\"} or .csv x,y,z[,qx,qy,qz,qw]; - for "
                   "standard input")
      ->required();
  command->add_option("--frame-rate", flags->frame_rate, "Ticks per second")->transform(within(0.001, 1e6));
  command->add_option("--velocity-scale", flags->velocity_scale, "Fraction of the velocity limits to use")
      ->transform(within(1e-6, 1.0));
  command->add_option("--acceleration", flags->acceleration,
                      "Acceleration limits, one number for all joints or joint=value,... (default: none)");
  command->footer(
      "Each line is answered at once by {\"id\", \"time\", \"ok\", \"q\", \"velocity\", \"position_error\", ...}: the "
      "pose one\n"
      "tick later. A target that jumps is walked to; a target out of reach is followed as far as possible. Further "
      "goals\n"
      "of the scene are kept. A target that is not reached (yet) is a line with \"ok\": false, not a failure.\n\n"
      "Examples:\n"
      "  tracker | armature follow panda --tip panda_tcp --targets - --frame-rate 500 --velocity-scale 0.5\n"
      "  armature follow ur5 --targets drawing.csv --frame-rate 125 --acceleration 5 > motion.jsonl");
  command->callback([flags] {
    Scene scene = scene_of(*flags, flags->targets);
    Loop loop(*flags, scene);
    loop.run();
  });
}

}  // namespace armature::cli
