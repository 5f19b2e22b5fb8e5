#include "armature/kinematics/assemble.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/geom/linalg.hpp"
#include "armature/geom/qr.hpp"

namespace armature::inline v0_2 {

void Assembler::prepare(const Model& model, std::span<const char> held) {
  rows.compile(model);
  blocks = find_blocks(rows, held);
  make_room();
}

void Assembler::make_room() {
  std::size_t most_rows = 0, most_columns = 0;
  for (const LoopBlock& block : blocks.blocks) {
    most_rows = std::max(most_rows, block.rows.size());
    most_columns = std::max(most_columns, block.columns.size());
  }
  const std::size_t most = std::max(most_rows, most_columns);
  J_.resize(most_rows * most_columns);
  H_.resize(2 * most * most);
  step_.resize(most);
  rhs_.resize(most);
  saved_.resize(kMaxJointCoordinates * most_columns);
  phi.assign(at(rows.rows()), 0.0);
}

double Assembler::block_residual(const LoopBlock& block, const double* q) {
  rows.place(q, block.links);
  for (const LoopBlock::Part& part : block.parts) {
    rows.residual(part.item, q, phi.data() + rows.items()[at(part.item)].row);
  }
  double sum = 0.0;
  for (const int r : block.rows) sum += phi[at(r)] * phi[at(r)];
  return std::sqrt(sum);
}

void Assembler::block_jacobian(const LoopBlock& block, double* J) const {
  const int m = static_cast<int>(block.rows.size());
  std::fill(J, J + m * static_cast<int>(block.columns.size()), 0.0);
  double out[6];
  for (const LoopBlock::Part& part : block.parts) {
    const ClosureRows::Item& item = rows.items()[at(part.item)];
    const std::span<const ClosureRows::Entry> entries = rows.entries(item);
    for (const LoopBlock::Part::Column& column : part.columns) {
      rows.slope(item, entries[at(column.entry - item.first_entry)], out);
      for (int r = 0; r < item.rows; ++r) {
        if (part.row[at(r)] >= 0) J[column.column * m + part.row[at(r)]] += out[r];
      }
    }
  }
}

void Assembler::column_squares(const LoopBlock& block, const double* J, double* squares) const {
  const int m = static_cast<int>(block.rows.size());
  for (std::size_t c = 0; c < block.columns.size(); ++c) {
    squares[c] = 0.0;
    for (int r = 0; r < m; ++r) squares[c] += J[at(m) * c + at(r)] * J[at(m) * c + at(r)];
  }
  for (const LoopBlock::Part& part : block.parts) {
    const ClosureRows::Item& item = rows.items()[at(part.item)];
    if (item.kind != ClosureRows::Item::Kind::rod) continue;
    const std::span<const ClosureRows::Entry> entries = rows.entries(item);
    const Vec3 along = item.world.block<3, 1>(0, 0).stableNormalized();
    for (std::size_t i = 0; i < part.columns.size(); ++i) {
      // A coordinate that moves both ends, or that others mimic, has several entries: their sum counts, once.
      const int column = part.columns[i].column;
      Vec3 velocity = Vec3::Zero();
      bool counted = false;
      for (std::size_t j = 0; j < part.columns.size(); ++j) {
        if (part.columns[j].column != column) continue;
        counted = counted || j < i;
        velocity += rows.end_velocity(item, entries[at(part.columns[j].entry - item.first_entry)]);
      }
      if (!counted) squares[column] += (velocity - along * along.dot(velocity)).squaredNorm();
    }
  }
}

// (J'J + mu I) x = -J' phi, or the same through J J' where there are fewer rows: x is the same.
bool damped_step(const double* J, int m, int n, const double* phi, double mu, double* H, double* rhs, double* x) {
  if (m == 2 && n == 2) {
    const double a = J[0] * J[0] + J[1] * J[1] + mu, b = J[0] * J[2] + J[1] * J[3];
    const double d = J[2] * J[2] + J[3] * J[3] + mu;
    const double r0 = -(J[0] * phi[0] + J[1] * phi[1]), r1 = -(J[2] * phi[0] + J[3] * phi[1]);
    const double det = a * d - b * b;
    if (!(det > 0.0)) return false;
    x[0] = (r0 * d - b * r1) / det;
    x[1] = (a * r1 - b * r0) / det;
    return true;
  }
  if (m < n) {
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j <= i; ++j) {
        double sum = i == j ? mu : 0.0;
        for (int c = 0; c < n; ++c) sum += J[c * m + i] * J[c * m + j];
        H[j * m + i] = sum;
      }
      rhs[i] = -phi[i];
    }
    if (!(ldlt_solve(H, rhs, m) > 0.0)) return false;
    for (int c = 0; c < n; ++c) {
      double sum = 0.0;
      for (int r = 0; r < m; ++r) sum += J[c * m + r] * rhs[r];
      x[c] = sum;
    }
    return true;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) H[j * n + i] = (i == j ? mu : 0.0) + dot(J + i * m, J + j * m, m);
    x[i] = -dot(J + i * m, phi, m);
  }
  return ldlt_solve(H, x, n) > 0.0;
}

AssembleReport Assembler::assemble_block(int index, double* q, int max_iterations, double max_step) {
  const LoopBlock& block = blocks.blocks[at(index)];
  const Model& model = rows.model();
  const int m = static_cast<int>(block.rows.size());
  const int n = static_cast<int>(block.columns.size());
  AssembleReport report;
  double* const own_phi = H_.data() + H_.size() / 2;  // H takes the first half
  rows.place(q, block.loop);
  double error = block_residual(block, q);
  double lambda = 1.0;
  int stalled = 0;
  for (int iteration = 0; iteration < max_iterations && error >= kDone; ++iteration) {
    block_jacobian(block, J_.data());
    for (int r = 0; r < m; ++r) own_phi[r] = phi[at(block.rows[at(r)])];
    const double before = error;
    bool accepted = false;
    for (int attempt = 0; attempt < 12 && !accepted; ++attempt) {
      const double mu = std::max(lambda * before * before, 1e-14);
      if (!damped_step(J_.data(), m, n, own_phi, mu, H_.data(), rhs_.data(), step_.data())) {
        lambda = std::max(lambda, 1e-6) * 100.0;
        continue;
      }
      double largest = 0.0, square = 0.0;
      for (int c = 0; c < n; ++c) largest = std::max(largest, std::abs(step_[at(c)]));
      const double cut = largest > max_step ? max_step / largest : 1.0;
      for (int c = 0; c < n; ++c) square += step_[at(c)] * step_[at(c)] * cut * cut;
      // Take the step, and back again where it leads to a larger gap.
      double* save = saved_.data();
      int c = 0;
      for (const int link : block.joints) {
        const ModelJoint& joint = model.joint(link);
        double* const own = q + joint.q_index;
        std::copy(own, own + joint.q_count, save);
        save += joint.q_count;
        double v[kMaxJointVelocities] = {0, 0, 0, 0, 0, 0};
        for (; c < n && model.velocity_joint(block.columns[at(c)]) == link; ++c) {
          v[block.columns[at(c)] - joint.v_index] = step_[at(c)] * cut * rows.unit(block.columns[at(c)]);
        }
        integrate_coordinates(joint.type, own, v, own);
      }
      const double after = block_residual(block, q);
      if (after < before) {
        accepted = true;
        error = after;
        lambda = std::max(lambda * (after < 0.25 * before ? 0.2 : 0.6), 1e-6);
        ++report.iterations;
        report.moved += std::sqrt(square);
        break;
      }
      save = saved_.data();
      for (const int link : block.joints) {
        const ModelJoint& joint = model.joint(link);
        std::copy(save, save + joint.q_count, q + joint.q_index);
        save += joint.q_count;
      }
      lambda *= 5.0;
      if (before < 1e-12) break;
    }
    if (!accepted) {
      error = block_residual(block, q);
      break;
    }
    if (error > 0.999 * before) {
      if (++stalled > 8) break;
    } else {
      stalled = 0;
    }
  }
  report.error = error;
  report.ok = error < kClosed;
  return report;
}

AssembleReport Assembler::assemble(double* q, int max_iterations, double max_step) {
  AssembleReport report;
  report.ok = true;
  place_still_links(q);
  double square = 0.0, worst = 0.0;
  for (std::size_t b = 0; b < blocks.blocks.size(); ++b) {
    const AssembleReport own = assemble_block(static_cast<int>(b), q, max_iterations, max_step);
    report.iterations += own.iterations;
    report.moved += own.moved;
    report.ok = report.ok && own.ok;
    square += own.error * own.error;
    if (own.error > worst && !own.ok) {
      worst = own.error;
      report.worst_item = blocks.blocks[b].parts.front().item;
    }
  }
  if (blocks.moved_later || !blocks.held_rows.empty()) rows.evaluate(q, phi.data());
  // Rows of held velocities alone: nobody could close them, but they may be open.
  for (const int r : blocks.held_rows) {
    for (std::size_t i = 0; i < rows.items().size(); ++i) {
      const ClosureRows::Item& item = rows.items()[i];
      if (r < item.row || r >= item.row + item.rows) continue;
      const double gap = std::abs(phi[at(r)]);
      square += gap * gap;
      if (gap > kClosed) {
        report.ok = false;
        report.worst_item = static_cast<int>(i);
      }
    }
  }
  report.error = std::sqrt(square);
  return report;
}

Result<std::vector<char>> held_velocities(const Model& model, const std::vector<std::string>& joints) {
  std::vector<char> held(at(model.v_size()), 0);
  for (const std::string& name : joints) {
    const Result<int> link = model.find_joint(name);
    if (!link) return link.error();
    const ModelJoint& joint = model.joint(*link);
    for (int k = 0; k < joint.v_count; ++k) held[at(joint.v_index + k)] = 1;
  }
  return held;
}

std::string open_loops(const Model& model, const VecX& q) {
  ClosureRows rows;
  rows.compile(model);
  VecX phi(rows.rows());
  rows.evaluate(q.data(), phi.data());
  std::string text;
  for (const ClosureRows::Item& item : rows.items()) {
    double gap = phi.segment(item.row, item.rows).norm() * rows.length();
    // Idle directions are as far off as a file rounds its numbers.
    if (gap <= 1e-9 * rows.length() && item.idle_gap <= 1e-6 * rows.length()) continue;
    gap = std::max(gap, item.idle_gap);
    text += (text.empty() ? "closure " : ", closure ") + detail::quoted(model.closures()[at(item.closure)].name) +
            " is open by " + pretty_number(gap, 3);
  }
  return text;
}

Status assemble(const Model& model, VecX& q, const std::vector<std::string>& held) {
  if (model.closures().empty()) return {};
  if (q.size() != model.q_size() || !q.allFinite()) {
    return Error{"The pose to assemble needs " + std::to_string(model.q_size()) + " finite numbers."};
  }
  const Result<std::vector<char>> holding = held_velocities(model, held);
  if (!holding) return holding.error();
  Assembler assembler;
  assembler.prepare(model, *holding);
  if (!open_loops(model, q).empty()) {
    const VecX start = q;
    assembler.assemble(q.data());
    const std::string open = open_loops(model, q);
    if (!open.empty()) {
      q = start;
      return Error{"The loops of " + detail::quoted(model.name()) + " do not close from this pose: " + open + "."};
    }
  }
  // As exactly as numbers go, or left as it is: loops that their own joints barely close would creep on each time. What
  // ends this would end it at once the next time, so that what is assembled stays as it is to the bit.
  constexpr double kExact = 1e-12;
  VecX exact;
  for (double gap = assembler.error(q.data()); gap >= Assembler::kDone;) {
    exact = q;
    assembler.assemble(exact.data());
    const double left = assembler.error(exact.data());
    if (left >= kExact || (gap < kExact && left > 0.1 * gap) || !open_loops(model, exact).empty()) break;
    q = exact;
    gap = left;
  }
  return {};
}

}  // namespace armature::inline v0_2
