#include "bits/jobs.hpp"

#include <memory>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/motion/retarget.hpp"
#include "armature/scene/methods.hpp"
#include "armature/solve/batch.hpp"
#include "armature/solve/track.hpp"
#include "armature/solve/workspace.hpp"
#include "support/solve_in_place.hpp"
#include "support/zoo.hpp"

namespace armature::bits {
namespace {

using SharedModel = std::shared_ptr<const Model>;

std::vector<SharedModel> built_in() {
  std::vector<SharedModel> models;
  for (const BuiltinModel& builtin : builtin_models()) {
    ReadOptions options;
    options.file_name = std::string(builtin.name) + ".json";
    models.push_back(std::make_shared<Model>(test::must_compile(read_document(builtin.json, options)->linkage)));
  }
  models.push_back(std::make_shared<Model>(test::must_compile(test::zoo_linkage())));  // every joint type
  return models;
}

SharedModel named(const std::vector<SharedModel>& models, std::string_view name) {
  for (const SharedModel& model : models) {
    if (model->name() == name) return model;
  }
  ARMATURE_CHECK(false, "no such model");
  return nullptr;
}

void add_report(const Report& report, Numbers& out) {
  out.add(static_cast<double>(report.outcome));
  out.add(report.iterations);
  out.add(report.position_error);
  out.add(report.orientation_error);
  for (const GoalReport& goal : report.goals) {
    out.add(goal.position_error);
    out.add(goal.orientation_error);
    out.add(goal.reached ? 1.0 : 0.0);
  }
  for (const LimitContact& at : report.joints_at_limits) out.add(at.index);
  for (const LimitContact& at : report.blocking_joints) out.add(at.index);
}

PoseGoal pose_goal(int link, const State& there) {
  PoseGoal goal;
  goal.link = link;
  goal.target = there.X_WL[static_cast<std::size_t>(link)];
  return goal;
}

PositionGoal position_goal(int link, const State& there) {
  PositionGoal goal;
  goal.link = link;
  goal.target = there.X_WL[static_cast<std::size_t>(link)].position;
  return goal;
}

void forward_job(const Model& model, int poses, Numbers& out) {
  Rng rng(11);
  State state;
  Jacobian J(6, model.v_size());
  for (int n = 0; n < poses; ++n) {
    forward(model, random_pose(model, rng), state);
    for (const Transform& frame : state.X_WL) {
      out.add(frame.rotation.data(), 9);
      out.add(frame.position.data(), 3);
    }
    jacobian(model, state, model.effectors().front(), Vec3(0.1, 0.2, 0.3), J);
    out.add(J.data(), static_cast<std::size_t>(J.size()));
  }
}

// Every third goal is drawn to three times its distance, mostly out of reach.
void method_job(const Model& model, const BuiltinMethod& entry, int goals, Numbers& out) {
  Rng rng(23);
  State there;
  Solver solver(entry.make());
  solver->common_options().max_iterations = 100;
  for (int n = 0; n < goals; ++n) {
    forward(model, random_pose(model, rng), there);
    const int link = model.effectors()[rng.below(model.effectors().size())];
    Problem problem;
    problem.model = model;
    if (n % 2 == 0) {
      PositionGoal goal = position_goal(link, there);
      if (n % 3 == 2) goal.target *= 3.0;
      problem.goals.emplace_back(goal);
    } else {
      problem.goals.emplace_back(pose_goal(link, there));
    }
    VecX q = random_pose(model, rng);
    add_report(test::solve_in_place(*solver, problem, q), out);
    out.add(q);
  }
}

void quality_job(const Model& model, const char* quality, int goals, Numbers& out) {
  Rng rng(29);
  State there;
  Solver solver = std::move(make_solver("reach")).value();
  ARMATURE_CHECK(solver->set_option("quality", quality).ok(), "no such quality");
  for (int n = 0; n < goals; ++n) {
    forward(model, random_pose(model, rng), there);
    PoseGoal goal = pose_goal(model.effectors().front(), there);
    if (n % 4 == 1) goal.orientation_axes.free[2] = true;
    if (n % 4 == 2) goal.position_axes.box = Vec3(0.01, 0.02, 0.0) * model.size();
    if (n % 4 == 3) goal.orientation_axes.frame = AxesFrame::target;
    Problem problem;
    problem.model = model;
    problem.goals.emplace_back(goal);
    VecX q = random_pose(model, rng);
    add_report(test::solve_in_place(*solver, problem, q), out);
    out.add(q);
  }
}

void batch_job(const Model& model, int goals, Numbers& out) {
  Rng rng(31);
  State there;
  std::vector<Goal> list;
  MatX poses(model.q_size(), goals);
  for (int n = 0; n < goals; ++n) {
    forward(model, random_pose(model, rng), there);
    list.emplace_back(pose_goal(model.effectors().front(), there));
    if (n % 20 == 7) std::get<PoseGoal>(list.back()).target.position *= 10.0;
    poses.col(n) = random_pose(model, rng);
  }
  Problem shared;
  shared.model = model;
  Solver solver = std::move(make_solver("reach")).value();
  Batch batch;
  std::vector<Report> reports;
  batch.solve(*solver, shared, list, poses, reports);
  out.add(poses.data(), static_cast<std::size_t>(poses.size()));
  for (const Report& report : reports) add_report(report, out);
}

// Several goals of several kinds at once: the general path.
void general_job(const Model& model, int goals, Numbers& out) {
  Rng rng(37);
  State there;
  Solver solver = std::move(make_solver("reach")).value();
  const int last = model.link_count() - 1;
  for (int n = 0; n < goals; ++n) {
    forward(model, random_pose(model, rng), there);
    Problem problem;
    problem.model = model;
    PositionGoal first = position_goal(last, there);
    first.priority = n % 2;
    AimGoal aim;
    aim.link = model.effectors().front();
    aim.target = there.transform(aim.link) * Vec3(0.5, 0.0, 0.0);
    PointOnPlaneGoal plane;
    plane.link = last / 2;
    plane.target = there.transform(plane.link).position;
    plane.tolerance = 1e-3 * model.size();
    PostureGoal posture;
    posture.target = middle_pose(model);
    problem.goals = {first, aim, plane, posture};
    VecX q = random_pose(model, rng);
    add_report(test::solve_in_place(*solver, problem, q), out);
    out.add(q);
  }
}

void track_job(const Model& model, Numbers& out) {
  State state;
  const VecX start = middle_pose(model);
  forward(model, start, state);
  const int link = model.effectors().front();
  const Vec3 from = state.X_WL[static_cast<std::size_t>(link)].position;
  const Path path = Path::catmull_rom(
      {from, from + 0.1 * model.size() * Vec3(-1, 0.5, 0), from + 0.15 * model.size() * Vec3(-1, -0.5, -0.5)});
  const PositionGoal goal{.link = link, .path = path};
  const Result<Track> track = armature::track({.model = model, .goals = {goal}, .start = start});
  ARMATURE_CHECK(track.ok(), "the path of the fixed set cannot be followed");
  out.add(track->clip.values.data(), track->clip.values.size());
}

void retarget_job(const Model& model, Numbers& out) {
  Rng rng(41);
  Clip clip;
  clip.q_size = model.q_size();
  for (int n = 0; n < 12; ++n) clip.append(random_pose(model, rng));
  clip.model = model;
  const Result<Retargeted> result = retarget(clip, model);
  ARMATURE_CHECK(result.ok(), "the motion of the fixed set cannot be carried over");
  out.add(result->clip.values.data(), result->clip.values.size());
  out.add(result->largest_slide);
}

void workspace_job(const Model& model, int samples, Numbers& out) {
  WorkspaceOptions options;
  options.tip = model.effectors().front();
  options.cells = 8;
  options.samples = samples;
  options.orientations = 4;
  Workspace workspace = std::move(Workspace::make(model, options)).value();
  while (workspace.phase() != Workspace::Phase::done) {
    for (int chunk = 0; chunk < workspace.chunk_count(); ++chunk) {
      if (workspace.is_done(chunk)) continue;
      const Workspace::Phase before = workspace.phase();
      workspace.merge(chunk, workspace.run(chunk));
      if (workspace.phase() != before) break;
    }
  }
  for (int cell = 0; cell < workspace.grid().size(); ++cell) {
    out.add(workspace.hits(cell));
    out.add(workspace.reachable(cell) ? 1.0 : 0.0);
    out.add(workspace.dexterity(cell));
  }
}

}  // namespace

std::vector<Job> all_jobs(bool small) {
  const std::vector<SharedModel> models = built_in();
  std::vector<Job> jobs;
  const auto add = [&](const std::string& name, const SharedModel& model, auto run) {
    jobs.push_back({name, [model, run](Numbers& out) { run(*model, out); }});
  };
  const int few = small ? 2 : 40;
  for (const SharedModel& model : models) {
    const std::string name = model->name();
    if (model->q_size() == 0) continue;
    add("forward/" + name, model, [few](const Model& m, Numbers& out) { forward_job(m, few, out); });
    for (const BuiltinMethod& entry : builtin_methods()) {
      const std::string method = entry.info.name;
      if (small && model->q_size() > 12) continue;
      add("method/" + name + "/" + method, model,
          [&entry, few](const Model& m, Numbers& out) { method_job(m, entry, few, out); });
    }
  }
  for (const char* name : {"panda", "ur5", "puma560", "scara"}) {
    const SharedModel model = named(models, name);
    for (const char* quality : {"first", "nearest", "manipulable", "centered"})
      add("quality/" + std::string(name) + "/" + quality, model,
          [quality, few](const Model& m, Numbers& out) { quality_job(m, quality, few, out); });
    add("batch/" + std::string(name), model,
        [small](const Model& m, Numbers& out) { batch_job(m, small ? 20 : 500, out); });
    add("track/" + std::string(name), model, track_job);
  }
  for (const char* name : {"human", "hand", "two_arms", "zoo"}) {
    if (small && std::string_view(name) == "human") continue;
    add("general/" + std::string(name), named(models, name),
        [few](const Model& m, Numbers& out) { general_job(m, few / 2, out); });
  }
  if (!small) add("retarget/human", named(models, "human"), retarget_job);
  for (const char* name : {"planar_arm", "scara"})
    add("workspace/" + std::string(name), named(models, name),
        [small](const Model& m, Numbers& out) { workspace_job(m, small ? 500 : 20000, out); });
  return jobs;
}

}  // namespace armature::bits
