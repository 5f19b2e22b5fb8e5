// Answers that touch nothing beside plain ones, in one run: what the targets for bodies are measured by.
//
//   bench_bodies [goals per line, default 1000]     one JSON object per line
//
// Lines of kind `answers`: goals made from random poses that are free by the bodies with 5 mm to spare (`inside`: those
// whose effector lies between the boards), start: the middle pose, to 1e-6; each goal by plain reach and with the
// bodies, the least of three times. `meshes`: the built-in models' shapes as meshes, fitted by bodies; goals made from
// poses free by the meshes with 5 mm to spare. `track`: straight lines among the obstacles, frame by frame.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/body_sources.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/batch.hpp"
#include "armature/solve/free_answers.hpp"
#include "armature/solve/methods/follow.hpp"
#include "armature/solve/methods/reach.hpp"
#include "armature/solve/track.hpp"
#include "support/meshed.hpp"

using namespace armature;

namespace {

constexpr double kSpare = 0.005;  // metres
using Clock = std::chrono::steady_clock;

// Of this thread alone: frames are too few to wait for a quiet machine.
double thread_microseconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

double microseconds(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

Linkage builtin(std::string_view name) {
  for (const BuiltinModel& model : builtin_models()) {
    if (model.name != name) continue;
    ReadOptions options;
    options.file_name = "m.json";
    return read_document(std::string_view(model.json), options).value().linkage;
  }
  std::abort();
}

// A table, three boards, two sides and a back.
std::vector<Obstacle> shelf() {
  const auto board = [](const char* name, const Vec3& size, const Vec3& at) {
    return Obstacle{name, Box{size}, Transform::translate(at), ""};
  };
  std::vector<Obstacle> all = {board("table", {1.4, 1.4, 0.04}, {0, 0, -0.1})};
  for (const double z : {0.15, 0.45, 0.75}) all.push_back(board("board", {0.3, 0.8, 0.02}, {0.6, 0, z}));
  for (const double y : {-0.4, 0.4}) all.push_back(board("side", {0.3, 0.02, 0.62}, {0.6, y, 0.45}));
  all.push_back(board("back", {0.02, 0.8, 0.62}, {0.76, 0, 0.45}));
  return all;
}

bool inside_shelf(const Vec3& p) {
  return p[0] > 0.47 && p[0] < 0.74 && std::abs(p[1]) < 0.38 && p[2] > 0.17 && p[2] < 0.73;
}

struct Times {
  std::vector<double> us;
  double mean() const {
    double sum = 0.0;
    for (const double t : us) sum += t;
    return us.empty() ? 0.0 : sum / static_cast<double>(us.size());
  }
  double at(double share) {
    if (us.empty()) return 0.0;
    std::sort(us.begin(), us.end());
    return us[std::min(us.size() - 1, static_cast<std::size_t>(share * static_cast<double>(us.size())))];
  }
};

struct Robot {
  const char* name;
  const char* tip;
};
constexpr Robot kRobots[] = {{"panda", "panda_hand"}, {"ur5", "tool0"}};

Problem make(const Linkage& linkage, const BodyOptions& options, const std::vector<Obstacle>& world, bool exact) {
  Problem problem;
  problem.model = compile(linkage).value();
  problem.bodies = std::make_shared<const Bodies>(compile_bodies(problem.model, options).value());
  problem.obstacles = world;
  problem.collision = Collision::search;
  std::vector<std::string> notes;
  if (exact) {
    for (Obstacle& shape : link_shapes(problem.model, options, notes)) problem.obstacles.push_back(std::move(shape));
  }
  return problem;
}

// Joints that do not move the effector (fingers) stay in the middle, where the answers have them.
void keep_others(const Model& model, int link, VecX& q) {
  const VecX middle = middle_pose(model);
  std::vector<char> above(static_cast<std::size_t>(model.link_count()), 0);
  for (int i = link; i >= 0; i = model.parent(i)) above[static_cast<std::size_t>(i)] = 1;
  for (int c = 0; c < model.q_size(); ++c) {
    if (above[static_cast<std::size_t>(model.coordinate_joint(c))] == 0) q[c] = middle[c];
  }
}

// Pose goals of random poses that are free with kSpare; fewer where there are hardly any.
std::vector<Goal> goals_of(const Problem& problem, const char* tip, int count, bool inside) {
  Problem spared = problem;
  spared.margin = kSpare;
  CompiledProblem compiled;
  compiled.interpret(spared, SolveOptions{}).value();
  FreeAnswers free;
  free.prepare(compiled);
  const Model& model = problem.model;
  const int link = model.link(tip);
  Rng rng(1);
  State state;
  std::vector<Goal> goals;
  for (long tries = 0; static_cast<int>(goals.size()) < count && tries < 4000L * count; ++tries) {
    VecX q = random_pose(model, rng);
    keep_others(model, link, q);
    forward(model, q, state);
    const Transform& X = state.X_WL[static_cast<std::size_t>(link)];
    if ((inside && !inside_shelf(X.position)) || !free.is_free(q.data())) continue;
    PoseGoal goal;
    goal.link = link;
    goal.target = X;
    goals.push_back(goal);
  }
  return goals;
}

struct Answers {
  Times times;
  int found = 0, free = 0;
};

Answers answer(const Problem& given, const std::vector<Goal>& goals, FreeAnswers& judge, int repeats) {
  Answers out;
  Problem problem = given;
  Reach reach;
  const VecX start = middle_pose(problem.model);
  for (const Goal& goal : goals) {
    problem.goals = {goal};
    double least = 1e300;
    bool ok = false;
    VecX q;
    for (int i = 0; i < repeats; ++i) {
      least = std::min(least, microseconds([&] {
                         const Report& report = reach.solve(problem, start);
                         ok = report.ok();
                         q = report.q;
                       }));
    }
    out.times.us.push_back(least);
    out.found += ok ? 1 : 0;
    out.free += ok && judge.is_free(q.data()) ? 1 : 0;
  }
  return out;
}

double batch_us(const Problem& problem, const std::vector<Goal>& goals) {
  Reach reach;
  Batch batch;
  std::vector<Report> reports;
  double least = 1e300;
  for (int i = 0; i < 3; ++i) {
    MatX poses = middle_pose(problem.model).replicate(1, static_cast<Eigen::Index>(goals.size()));
    least = std::min(least, microseconds([&] { batch.solve(reach, problem, goals, poses, reports); }));
  }
  return least / static_cast<double>(goals.size());
}

void print_answers(const Robot& robot, const char* scene, const std::vector<Obstacle>& world, bool inside, int count) {
  Problem free = make(builtin(robot.name), {}, world, false);
  const std::vector<Goal> goals = goals_of(free, robot.tip, count, inside);
  if (goals.empty()) return;
  CompiledProblem compiled;
  compiled.interpret(free, SolveOptions{}).value();
  FreeAnswers judge;
  judge.prepare(compiled);
  Problem plain = free;
  plain.collision = Collision::off;
  Answers without = answer(plain, goals, judge, 3), with = answer(free, goals, judge, 3);
  // One check, over random poses.
  Rng rng(2);
  std::vector<VecX> poses;
  for (int i = 0; i < 256; ++i) poses.push_back(random_pose(free.model, rng));
  double check = 1e300;
  int touching = 0;
  for (int i = 0; i < 7; ++i) {
    check = std::min(check, microseconds([&] {
                              for (const VecX& q : poses) touching += judge.is_free(q.data()) ? 0 : 1;
                            }) / 256.0);
  }
  std::printf(
      "{\"kind\": \"answers\", \"robot\": \"%s\", \"scene\": \"%s\", \"goals\": %zu, \"plain_free\": %.4f, \"found\": "
      "%.4f, \"free\": %.4f, \"check_us\": %.4f, \"pairs\": %zu, \"plain\": {\"mean\": %.3f, \"median\": %.3f, "
      "\"p99\": "
      "%.3f, \"batch\": %.3f}, \"with\": {\"mean\": %.3f, \"median\": %.3f, \"p99\": %.3f, \"batch\": %.3f}}\n",
      robot.name, scene, goals.size(), without.free / double(goals.size()), with.found / double(goals.size()),
      with.free / double(std::max(1, with.found)), check, free.bodies->pairs.size(), without.times.mean(),
      without.times.at(0.5), without.times.at(0.99), batch_us(plain, goals), with.times.mean(), with.times.at(0.5),
      with.times.at(0.99), batch_us(free, goals));
  std::fflush(stdout);
}

void print_meshes(const Robot& robot, const char* scene, const std::vector<Obstacle>& world, bool inside, int count) {
  test::Meshes meshes;
  const Linkage linkage = test::meshed(builtin(robot.name), meshes);
  const BodyOptions options = test::with_meshes(meshes);
  const Problem exact = make(linkage, options, world, true), bodies = make(linkage, options, world, false);
  const std::vector<Goal> goals = goals_of(exact, robot.tip, count, inside);
  if (goals.empty()) return;
  CompiledProblem compiled;
  compiled.interpret(exact, SolveOptions{}).value();
  FreeAnswers judge;
  judge.prepare(compiled);
  Answers by_bodies = answer(bodies, goals, judge, 1), by_shapes = answer(exact, goals, judge, 1);
  std::printf(
      "{\"kind\": \"meshes\", \"robot\": \"%s\", \"scene\": \"%s\", \"goals\": %zu, \"bodies\": %.4f, \"exact\": %.4f, "
      "\"touching\": %d, \"bodies_median\": %.3f, \"exact_median\": %.3f}\n",
      robot.name, scene, goals.size(), by_bodies.found / double(goals.size()), by_shapes.found / double(goals.size()),
      by_bodies.found - by_bodies.free + by_shapes.found - by_shapes.free, by_bodies.times.at(0.5),
      by_shapes.times.at(0.5));
  std::fflush(stdout);
}

// Lines between free goals, followed frame by frame: what a plain gesture touches, and what one that keeps clear costs.
void print_track(const Robot& robot, const std::vector<Obstacle>& world, int lines) {
  Problem free = make(builtin(robot.name), {}, world, false);
  const Model& model = free.model;
  CompiledProblem compiled;
  compiled.interpret(free, SolveOptions{}).value();
  FreeAnswers judge;
  judge.prepare(compiled);
  const int link = model.link(robot.tip);
  Rng rng(3);
  State state;
  constexpr int kFrames = 100;
  int asked = 0, frames = 0, near = 0, plain_touch = 0, free_touch = 0, gaps = 0, plain_whole = 0, free_whole = 0;
  Times plain_us, free_us, near_us, near_plain_us;
  while (asked < lines) {
    const VecX q0 = random_pose(model, rng);
    if (!judge.is_free(q0.data())) continue;
    ++asked;
    forward(model, q0, state);
    const Transform X = state.X_WL[static_cast<std::size_t>(link)];
    Vec3 along;
    for (int k = 0; k < 3; ++k) along[k] = rng.uniform(-1.0, 1.0);
    const Vec3 end = X.position + 0.3 * model.size() * along.normalized();
    Follow gestures[2];
    bool whole[2] = {true, true};
    std::vector<VecX> shown[2];
    std::vector<double> us[2];
    for (const int with : {0, 1}) {
      Problem problem = free;
      if (with == 0) problem.collision = Collision::off;
      PoseGoal goal;
      goal.link = link;
      goal.target = X;
      problem.goals = {goal};
      Follow& follow = gestures[with];
      follow.settings.recover = Recover::never;
      VecX q = q0;
      follow.begin(problem, q);
      for (int f = 0; f < kFrames; ++f) {
        std::get<PoseGoal>(problem.goals[0]).target.position = X.position + (end - X.position) * (f + 1.0) / kFrames;
        us[with].push_back(thread_microseconds([&] {
          const Report& report = follow.solve(problem, q);
          whole[with] = whole[with] && report.ok();
          q = report.q;
        }));
        shown[with].push_back(q);
      }
    }
    plain_whole += whole[0] ? 1 : 0;
    free_whole += whole[1] ? 1 : 0;
    for (int f = 0; f < kFrames; ++f) {
      const auto i = static_cast<std::size_t>(f);
      ++frames;
      plain_touch += judge.is_free(shown[0][i].data()) ? 0 : 1;
      free_touch += judge.is_free(shown[1][i].data()) ? 0 : 1;
      if (f > 0 && !judge.prove_free(shown[1][i - 1], shown[1][i])) ++gaps;
      plain_us.us.push_back(us[0][i]);
      free_us.us.push_back(us[1][i]);
      if (judge.clearance(shown[1][i].data()) > 0.02) continue;
      ++near;
      near_us.us.push_back(us[1][i]);
      near_plain_us.us.push_back(us[0][i]);
    }
  }
  std::printf(
      "{\"kind\": \"track\", \"robot\": \"%s\", \"lines\": %d, \"frames\": %d, \"near\": %d, \"plain_touch\": %d, "
      "\"free_touch\": %d, \"gaps\": %d, \"plain_whole\": %d, \"free_whole\": %d, \"plain_us\": %.3f, \"free_us\": "
      "%.3f, "
      "\"near_plain_us\": %.3f, \"near_us\": %.3f}\n",
      robot.name, lines, frames, near, plain_touch, free_touch, gaps, plain_whole, free_whole, plain_us.mean(),
      free_us.mean(), near_plain_us.mean(), near_us.mean());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1000;
  for (const Robot& robot : kRobots) {
    print_answers(robot, "self", {}, false, count);
    print_answers(robot, "shelf", shelf(), false, count);
    print_answers(robot, "inside", shelf(), true, count);
    print_meshes(robot, "self", {}, false, count);
    print_meshes(robot, "shelf", shelf(), false, count);
    print_meshes(robot, "inside", shelf(), true, std::max(1, count / 4));
    print_track(robot, shelf(), std::max(1, count / 10));
  }
  return 0;
}
