// `armature step MODEL`: one iteration explained: the error V, J, its singular values, and the change of each joint.
#include <fmt/format.h>

#include <memory>

#include "armature/base/number.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/kinematics/velocity.hpp"
#include "commands.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct StepOptions : SolveFlags {
  int iteration = 1;
};

Json matrix_to_json(const MatX& M) {
  Json rows = Json::array();
  for (Eigen::Index r = 0; r < M.rows(); ++r) {
    const VecX row = M.row(r).transpose();
    rows.push_back(numbers_to_json(row.data(), static_cast<std::size_t>(row.size())));
  }
  return rows;
}

// The system that the method solves, in words and numbers; "" for methods that solve none.
std::string system_text(const std::string& method, double damping) {
  if (method == "inverse") return "J v = V  (eq 5.19)";
  if (method == "pseudoinverse") return "(J J') b = V,  v = J' b  (eqs 5.22, 5.23)";
  if (method == "dls") {
    return fmt::format("(J J' + {}^2 I) b = V,  v = J' b  (eq 5.24)", pretty_number(damping, 6));
  }
  if (method == "transpose") return "v = a J' V";
  if (method == "sdls") return "v = sum of (u_i . V / s_i) v_i, each clamped by itself";
  return "";
}

void print_matrix(const char* name, const MatX& M, const std::vector<std::string>& columns) {
  std::vector<std::string> header = {name};
  header.insert(header.end(), columns.begin(), columns.end());
  Table table(header);
  for (Eigen::Index r = 0; r < M.rows(); ++r) {
    std::vector<std::string> row = {""};
    for (Eigen::Index c = 0; c < M.cols(); ++c) row.push_back(pretty_number(M(r, c), 6));
    table.add(row);
  }
  fmt::print("{}", table.text(2));
}

}  // namespace

void add_step(CLI::App& app) {
  auto options = std::make_shared<StepOptions>();
  CLI::App* command = app.add_subcommand("step", "One iteration of a method, explained");
  add_solve_flags(*command, *options, "dls");
  command->add_option("--iteration", options->iteration, "Which iteration to show, from 1")
      ->check(CLI::Range(1, 100000));
  command->footer(
      "Examples:\n"
      "  armature step planar_arm --goal -20,5 --method dls --damping 1\n"
      "  armature step planar_arm --goal -20,5 --method pseudoinverse --iteration 3 --json");
  command->callback([options] {
    const Scene scene = scene_with_goals(*options);
    const Model& model = scene.model();
    const Problem problem = make_problem(scene);
    const std::unique_ptr<Solver> solver = need(make_solver(scene, "dls"));
    need(solver->check(problem));
    solver->common_options().max_iterations = options->iteration;
    solver->common_options().keep_best = false;
    Trace trace;
    const Report report = solver->solve(problem, scene.start, &trace);
    const std::size_t index =
        std::min(static_cast<std::size_t>(options->iteration) - 1, trace.steps.empty() ? 0 : trace.steps.size() - 1);
    if (trace.steps.empty()) throw BadInput{fmt::format("Method '{}' keeps no trace.", solver->info().name)};
    if (index + 1 < static_cast<std::size_t>(options->iteration)) {
      add_notes({fmt::format("The method ends after {} iterations; its end is shown.", report.iterations)});
    }
    const TraceStep& step = trace.steps[index];
    const double after = index + 1 < trace.steps.size() ? trace.steps[index + 1].error_norm : step.error_norm;
    const std::string system = system_text(solver->info().name, step.damping);
    if (options->json) {
      Json json;
      json["method"] = solver->info().name;
      json["iteration"] = index + 1;
      json["q"] = numbers_to_json(step.q.data(), static_cast<std::size_t>(step.q.size()));
      json["pose"] = pose_to_json(model, step.q);
      json["error"] = numbers_to_json(step.error.data(), static_cast<std::size_t>(step.error.size()));
      json["error_norm"] = number_to_json(step.error_norm);
      json["jacobian"] = matrix_to_json(step.J);
      json["singular_values"] =
          numbers_to_json(step.singular_values.data(), static_cast<std::size_t>(step.singular_values.size()));
      json["damping"] = number_to_json(step.damping);
      json["system"] = system;
      Json change = Json::object();
      for (int v = 0; v < model.v_size(); ++v) change[velocity_name(model, v)] = number_to_json(step.step[v]);
      json["step"] = change;
      json["error_after"] = number_to_json(after);
      json["outcome"] = outcome_name(report.outcome);
      json["message"] = report.message();
      print_answer(json);
      return;
    }
    fmt::print("{}, iteration {}\n\n", bold(solver->info().label), index + 1);
    std::vector<std::string> names;
    for (int v = 0; v < model.v_size(); ++v) names.push_back(velocity_name(model, v));
    print_matrix("V", step.error.transpose(), [&] {
      std::vector<std::string> rows;
      for (Eigen::Index r = 0; r < step.error.size(); ++r) rows.push_back(fmt::format("row {}", r + 1));
      return rows;
    }());
    fmt::print("\n");
    if (step.J.size() > 0) {
      print_matrix("J", step.J, names);
      fmt::print("\n  singular values ");
      for (Eigen::Index i = 0; i < step.singular_values.size(); ++i) {
        fmt::print(" {}", pretty_number(step.singular_values[i], 6));
      }
      fmt::print("\n");
    }
    if (!system.empty()) fmt::print("  solved           {}\n", system);
    fmt::print("\n");
    Table table({"joint", "before", "change", "degrees"});
    VecX next(model.q_size());
    for (int v = 0; v < model.v_size(); ++v) {
      const ModelJoint& joint = model.joint(model.velocity_joint(v));
      const int k = v - joint.v_index;
      const int scalars = joint.q_count == joint.v_count ? joint.q_count : joint.q_count - 4;
      const bool slides =
          k < scalars && model.coordinate_kinds()[static_cast<std::size_t>(joint.q_index + k)] == Coordinate::length;
      table.add({names[static_cast<std::size_t>(v)], k < scalars ? pretty_number(step.q[joint.q_index + k], 6) : "",
                 pretty_number(step.step[v], 6), slides ? "" : pretty_number(step.step[v] * 180.0 / kPi, 5)});
    }
    fmt::print("{}\n  error {} -> {}\n", table.text(2), pretty_number(step.error_norm, 6), pretty_number(after, 6));
  });
}

}  // namespace armature::cli
