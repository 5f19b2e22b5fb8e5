// Fuzzes closed loops: any linkage with any closures is analyzed, assembled, driven and solved. Whatever is called
// closed is closed, held joints stay, every frame of a motion is finite, and solving keeps the law of support/law.hpp.
#include "armature/kinematics/mechanism.hpp"

#include <algorithm>
#include <cstring>

#include "armature/kinematics/assembly_modes.hpp"
#include "armature/kinematics/closure_rows.hpp"
#include "armature/motion/drive.hpp"
#include "armature/solve/registry.hpp"
#include "support/any_goal.hpp"
#include "support/any_loop.hpp"
#include "support/law.hpp"

using namespace armature;
using namespace armature::fuzz;

namespace {

// What counts as closed, beside the mechanism and where it stands.
double slack(const Model& model, const VecX& q) {
  State state;
  forward(model, q, state);
  return 1e-6 * magnitude(model, state, q);
}

std::string any_joint(Choices& choose, const Model& model) {
  const std::vector<std::string> names = model.joint_names();
  return names.empty() ? "" : names[static_cast<std::size_t>(choose.below(static_cast<int>(names.size())))];
}

// Neither so large nor turned so often that a double's last bit is a gap.
bool is_sane(const Model& model, const VecX& q) { return (q.array().abs() < 1e9).all() && slack(model, q) < 1e3; }

void assemble_it(Choices& choose, const Model& model, VecX q) {
  std::vector<std::string> held;
  if (choose.below(2) == 1) held.push_back(any_joint(choose, model));
  const VecX before = q;
  const Status status = assemble(model, q, held);
  demand(q.allFinite() || !before.allFinite(), "an assembled pose is finite");
  for (const std::string& name : held) {
    const std::optional<int> link = model.lookup_joint(name);
    if (!link || model.joint(*link).mimic) continue;
    const ModelJoint& joint = model.joint(*link);
    if (joint.q_count == 0) continue;  // perhaps no memory at all
    demand(std::memcmp(q.data() + joint.q_index, before.data() + joint.q_index,
                       sizeof(double) * static_cast<std::size_t>(joint.q_count)) == 0,
           "a held joint stays where it is");
  }
  if (!status.ok()) {
    demand(!status.message().empty(), "a refusal has a sentence");
    return;
  }
  context() = "; open by " + pretty_number(closure_error(model, q)) + ", " + open_loops(model, q);
  if (!is_sane(model, q)) return;
  demand(closure_error(model, q) <= slack(model, q), "an assembled mechanism is closed");
  VecX again = q;
  demand(assemble(model, again, held).ok() && again == q, "what is assembled stays as it is");
}

void analyze_it(const Model& model, const VecX& q) {
  const MechanismReport report = analyze_mechanism(model, q);
  demand(report.mobility >= 0 && report.mobility <= model.v_size(), "mobility is between nothing and everything");
  demand(report.q.size() == model.q_size(), "an analysis is of a pose");
  if (!report.assembled) return;
  demand(report.q.allFinite(), "the analyzed pose is finite");
  if (is_sane(model, report.q))
    demand(closure_error(model, report.q) <= slack(model, report.q), "the analyzed pose is closed");
  ModesOptions few;
  few.max_modes = 4;
  few.max_starts = 6;
  const AssemblyModes modes = assembly_modes(model, report.q, few);
  for (const VecX& mode : modes.q) {
    demand(mode.allFinite(), "a mode is finite");
    if (is_sane(model, mode)) demand(closure_error(model, mode) <= slack(model, mode), "a mode is closed");
  }
}

void drive_it(Choices& choose, const Model& model, const VecX& q) {
  DriveOptions options;
  options.joint = any_joint(choose, model);
  options.to = choose.mixed();
  if (choose.one_in(4)) options.from = choose.mixed();
  options.frames = choose.one_in(16) ? choose.below(3) : 8;
  options.branch = choose.one_in(4) ? choose.below(4) : 0;
  if (choose.below(2) == 0) options.start = q;
  if (choose.one_in(4)) options.also.push_back({any_joint(choose, model), choose.plain(), {}});
  const Result<DriveReport> report = drive(model, options);
  if (!report) {
    demand(!report.message().empty(), "a refusal has a sentence");
    return;
  }
  demand(!report->message().empty(), "every outcome has its sentence");
  demand(report->values.size() == static_cast<std::size_t>(report->clip.frame_count()), "one value per frame");
  for (int f = 0; f < report->clip.frame_count(); ++f) {
    const VecX frame = Eigen::Map<const VecX>(report->clip.frame(f), model.q_size());
    demand(frame.allFinite(), "a driven frame is finite");
    if (is_sane(model, frame)) demand(closure_error(model, frame) <= slack(model, frame), "a driven frame is closed");
  }
}

void solve_it(Choices& choose, const Model& model, const VecX& there_q) {
  const BuiltinMethod& entry =
      builtin_methods()[static_cast<std::size_t>(choose.below(255)) % builtin_methods().size()];
  Problem problem;
  problem.model = model;
  State there;
  forward(model, there_q, there);
  problem.goals.push_back(any_goal(choose, model, there, there_q));
  const std::unique_ptr<Method> solver = entry.make();
  solver->common_options().max_iterations = 30;
  Rng rng(choose.seed());
  const VecX start = random_pose(model, rng);
  const Report report = solver->solve(problem, start);
  context() = "; " + std::string(entry.info.name) + " " + outcome_name(report.outcome);
  demand(!report.message().empty(), "every outcome has its sentence");
  check_law(problem, solver->common_options(), report.q, report);
  // Loops that the goals do not need are left as they are; one without a joint nobody can close.
  if (!report.ok() || !is_sane(model, start) || !is_sane(model, report.q)) return;
  const VecX moved = difference(model, start, report.q);
  ClosureRows rows;
  rows.compile(model);
  VecX phi(rows.rows());
  rows.evaluate(report.q.data(), phi.data());
  for (const ClosureRows::Item& item : rows.items()) {
    const std::span<const ClosureRows::Entry> entries = rows.entries(item);
    if (std::none_of(entries.begin(), entries.end(), [&](const auto& entry) { return moved[entry.velocity] != 0.0; }))
      continue;
    const double gap = std::max(phi.segment(item.row, item.rows).norm() * rows.length(), item.idle_gap);
    demand(gap <= slack(model, report.q), "converged means closed");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choose(data, size);
  context().clear();
  const int way = choose.below(4);
  Linkage linkage;
  VecX q;
  if (!any_loops(choose, linkage, q)) return 0;
  const Result<Model> model = compile(linkage);
  if (!model) {
    demand(!model.message().empty(), "a refusal has a sentence");
    return 0;
  }
  if (choose.one_in(4)) {
    Rng rng(choose.seed());
    q = random_pose(*model, rng);
  }
  switch (way) {
    case 0:
      assemble_it(choose, *model, q);
      break;
    case 1:
      analyze_it(*model, q);
      break;
    case 2:
      drive_it(choose, *model, q);
      break;
    default:
      solve_it(choose, *model, q);
  }
  return 0;
}
