// `armature jacobian MODEL`: how the tip moves as each joint does (section 5.3.2): numbers at a pose, checked against
// differences, and formulas for chains of hinges and slides.
#include "armature/kinematics/jacobian.hpp"

#include <fmt/format.h>

#include <memory>

#include "armature/base/number.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/measures.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/kinematics/symbolic.hpp"
#include "armature/kinematics/velocity.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace armature::cli {
namespace {

constexpr const char* kRows[] = {"v_x", "v_y", "v_z", "w_x", "w_y", "w_z"};
constexpr const char* kLatexRows[] = {"v_x", "v_y", "v_z", "\\omega_x", "\\omega_y", "\\omega_z"};

struct JacobianOptions {
  std::string model, tip, pose, point, frame;
  ReadOptions read;
  bool symbolic = false, latex = false, json = false;
};

struct Numbers {
  VecX q;
  State state;
  Jacobian J;
  std::vector<int> moving;  // columns that are not zero at every pose: joints above the tip
  double difference = 0.0;  // largest entry of J minus central differences of the pose, world axes
};

Vec3 point_of(const std::string& text) { return text.empty() ? Vec3::Zero() : need(parse_place(text, "--point")); }

// Central differences of forward kinematics: what the columns are the limit of (eq 5.7).
double difference_from(const Model& model, const VecX& q, int tip, const Vec3& point, const Jacobian& J) {
  constexpr double kStep = 1e-6;
  const double lengths = model.size();
  State ahead, behind;
  double largest = 0.0;
  for (int v = 0; v < model.v_size(); ++v) {
    VecX change = VecX::Zero(model.v_size());
    change[v] = kStep;
    forward(model, integrate(model, q, change), ahead);
    change[v] = -kStep;
    forward(model, integrate(model, q, change), behind);
    const Transform A = relative(ahead, kWorld, tip);
    const Transform B = relative(behind, kWorld, tip);
    Vec6 slope;
    slope << (A * point - B * point) / (2.0 * kStep), log_rotation(A.rotation * B.rotation.transpose()) / (2.0 * kStep);
    const Vec6 off = slope - J.col(v);
    largest = std::max({largest, off.head<3>().cwiseAbs().maxCoeff() / lengths, off.tail<3>().cwiseAbs().maxCoeff()});
  }
  return largest;
}

Numbers numbers_of(const Model& model, const JacobianOptions& options, int tip, const Vec3& point) {
  Numbers out;
  out.q = options.pose.empty() ? start_pose(model) : pose_of(model, options.pose, default_pose(model));
  forward(model, out.q, out.state);
  out.J.resize(6, model.v_size());
  jacobian(model, out.state, tip, point, out.J);
  out.difference = difference_from(model, out.q, tip, point, out.J);
  std::vector<char> above(static_cast<std::size_t>(model.v_size()), 0);
  for (int link = tip; link >= 0; link = model.parent(link)) {
    const ModelJoint& joint = model.joint(link);
    for (int k = 0; k < joint.v_count; ++k) above[static_cast<std::size_t>(joint.v_index + k)] = 1;
  }
  for (int v = 0; v < model.v_size(); ++v) {
    if (above[static_cast<std::size_t>(v)] != 0) out.moving.push_back(v);
  }
  if (options.frame.empty() || options.frame == "world") return out;
  // The same velocities in the axes of another frame.
  const int frame = options.frame == "tip" ? tip : base_of(model, options.frame);
  const Mat3 turn = relative(out.state, frame, kWorld).rotation;
  out.J.topRows<3>() = (turn * out.J.topRows<3>()).eval();
  out.J.bottomRows<3>() = (turn * out.J.bottomRows<3>()).eval();
  return out;
}

std::string entry_text(double value) { return pretty_number(std::abs(value) < 5e-13 ? 0.0 : value, 6); }

void print_numbers(const Model& model, const Numbers& numbers, const std::string& tip, const std::string& frame) {
  fmt::print("Jacobian of {} in the axes of {}: velocities of the tip per unit of each joint's (eq 5.15)\n\n",
             in_quotes(tip), frame.empty() || frame == "world" ? "the world" : in_quotes(frame));
  std::vector<std::string> header = {""};
  for (const int v : numbers.moving) header.push_back(velocity_name(model, v));
  Table table(header);
  for (int r = 0; r < 6; ++r) {
    std::vector<std::string> row = {kRows[r]};
    for (const int v : numbers.moving) row.push_back(entry_text(numbers.J(r, v)));
    table.add(row);
  }
  fmt::print("{}\n", table.text(2));
  fmt::print("Largest difference from central differences of the pose: {} (lengths as fractions of the model's size)\n",
             pretty_number(numbers.difference, 2));
}

Json measures_json(const MatX& J) {
  const Measures m = measures(J);
  return {{"singular_values", m.singular_values},
          {"manipulability", number_to_json(m.manipulability)},
          {"condition", number_to_json(m.condition)}};
}

void print_symbolic(const SymbolicJacobian& s, const std::string& tip, bool latex) {
  const FormulaStyle style = latex ? FormulaStyle::latex : FormulaStyle::text;
  const auto text = [&](const Formula& formula) { return formula_text(s, formula, style, 6); };
  if (latex) {
    for (int r = 0; r < 3; ++r) {
      fmt::print("p_{} &= {} \\\\\n", "xyz"[r], text(s.position[static_cast<std::size_t>(r)]));
    }
    fmt::print("J &= \\begin{{bmatrix}}\n");
    for (std::size_t r = 0; r < 6; ++r) {
      fmt::print("  ");
      for (std::size_t k = 0; k < s.columns.size(); ++k) {
        fmt::print("{}{}", k == 0 ? "" : " & ", text(s.columns[k][r]));
      }
      fmt::print(" \\\\  % {}\n", kLatexRows[r]);
    }
    fmt::print("\\end{{bmatrix}}\n");
  } else {
    fmt::print("Position of {} (eq 5.11)\n\n", in_quotes(tip));
    for (int r = 0; r < 3; ++r) {
      fmt::print("  p_{} = {}\n", "xyz"[r], text(s.position[static_cast<std::size_t>(r)]));
    }
    for (std::size_t k = 0; k < s.columns.size(); ++k) {
      fmt::print("\nColumn {}: {}\n\n", k + 1, s.names[k]);
      for (std::size_t r = 0; r < 6; ++r) fmt::print("  {} = {}\n", kRows[r], text(s.columns[k][r]));
    }
  }
  fmt::print("\n{}with\n", latex ? "% " : "");
  for (std::size_t a = 0; a < s.atoms.size(); ++a) {
    fmt::print("{}  {} = {}\n", latex ? "%" : "", atom_name(s, static_cast<int>(a), style),
               atom_meaning(s, static_cast<int>(a)));
  }
}

Json symbolic_json(const SymbolicJacobian& s) {
  // Twelve digits: what is evaluated agrees with the numbers to that.
  const auto text = [&](const Formula& formula) { return formula_text(s, formula, FormulaStyle::text, 12); };
  Json position = Json::array(), rows = Json::array(), columns = Json::array(), atoms = Json::object();
  for (const Formula& row : s.position) position.push_back(text(row));
  for (std::size_t r = 0; r < 6; ++r) {
    Json row = Json::array();
    for (const auto& column : s.columns) row.push_back(text(column[r]));
    rows.push_back(row);
  }
  for (const std::string& name : s.names) columns.push_back(name);
  for (std::size_t a = 0; a < s.atoms.size(); ++a) {
    atoms[atom_name(s, static_cast<int>(a), FormulaStyle::text)] = atom_meaning(s, static_cast<int>(a));
  }
  return {{"position", position}, {"jacobian", rows}, {"columns", columns}, {"where", atoms}};
}

void run(const JacobianOptions& options) {
  const LoadedModel loaded = need(open_model(options.model, options.read));
  add_notes(loaded.document.notes);
  if (!loaded.model.closures().empty()) {
    add_notes({"The columns are those of the open tree: what its loops let the joints do is in `armature info`."});
  }
  const Model& model = loaded.model;
  const int tip = tip_of(model, options.tip);
  const Vec3 point = point_of(options.point);
  const Numbers numbers = numbers_of(model, options, tip, point);
  if (options.json) {
    Json rows = Json::array(), columns = Json::array();
    for (int r = 0; r < 6; ++r) {
      const VecX row = numbers.J.row(r).transpose();
      rows.push_back(numbers_to_json(row.data(), static_cast<std::size_t>(row.size())));
    }
    for (int v = 0; v < model.v_size(); ++v) columns.push_back(velocity_name(model, v));
    Json answer = {{"tip", model.link_name(tip)},
                   {"pose", pose_to_json(model, numbers.q)},
                   {"jacobian", rows},
                   {"columns", columns},
                   {"rows", kRows},
                   {"measures", measures_json(numbers.J)},
                   {"difference", numbers.difference}};
    if (options.symbolic || options.latex)
      answer["symbolic"] = symbolic_json(need(symbolic_jacobian(model, tip, point)));
    print_answer(answer);
    return;
  }
  if (options.symbolic || options.latex) {
    print_symbolic(need(symbolic_jacobian(model, tip, point)), model.link_name(tip), options.latex);
    return;
  }
  print_numbers(model, numbers, model.link_name(tip), options.frame);
  const Measures m = measures(numbers.J);
  const double largest = m.singular_values.empty() ? 0.0 : m.singular_values.front();
  if (!(m.smallest() > 1e-12 * largest)) {
    fmt::print("Singular: the largest singular value is {}, the smallest 0; some velocity of the tip cannot be had\n",
               pretty_number(largest, 4));
    return;
  }
  fmt::print("Singular values from {} to {}; manipulability {}\n", pretty_number(largest, 4),
             pretty_number(m.smallest(), 4), pretty_number(m.manipulability, 4));
}

}  // namespace

void add_jacobian(CLI::App& app) {
  auto options = std::make_shared<JacobianOptions>();
  CLI::App* command =
      app.add_subcommand("jacobian", "The Jacobian of a link: numbers at a pose, or formulas (section 5.3.2)");
  add_model_argument(*command, options->model);
  command->add_option("--tip", options->tip, "The link that moves (default: the model's effector)");
  command->add_option("--point", options->point, "Point of the tip, x,y,z in its frame (default: its origin)");
  command->add_option("--pose", options->pose, "At this pose (default: where a search starts)");
  command->add_option("--frame", options->frame,
                      "Axes of the rows: world (default), tip, or a link; formulas are in world axes");
  command->add_flag("--symbolic", options->symbolic,
                    "Formulas in the joints' sines and cosines, for chains of hinges and slides");
  command->add_flag("--latex", options->latex, "The same for LaTeX, to stand in an align environment");
  add_json_flag(*command, options->json);
  add_read_options(*command, options->read);
  command->footer(
      "Rows are the tip's linear velocity, then its angular velocity. In formulas s12 is sin(q1 + q2) and c12 its\n"
      "cosine, with the joints numbered along the chain; parallel axes in a row add up.\n\n"
      "Examples:\n"
      "  armature jacobian planar_arm --pose chapter\n"
      "  armature jacobian planar_arm --symbolic\n"
      "  armature jacobian puma560 --latex > puma.tex\n"
      "  armature jacobian panda --tip panda_hand --frame tip --json");
  command->callback([options] { run(*options); });
}

}  // namespace armature::cli
