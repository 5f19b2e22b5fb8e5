#include "armature/kinematics/loop_blocks.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"

namespace armature::inline v0_2 {
namespace {

class BlockFinder {
 public:
  BlockFinder(ClosureRows& rows, std::span<const char> held) : rows_(rows), held_(held) {}

  LoopBlocks run() {
    find_pattern();
    find_groups();
    for (const std::vector<int>& group : groups_) add_group(group);
    assign_links();
    return std::move(out_);
  }

 private:
  bool is_held(int v) const { return !held_.empty() && held_[at(v)] != 0; }

  // Which velocities move which rows at a pose without special angles.
  void find_pattern() {
    const int n = rows_.model().v_size();
    adjacent_.resize(at(rows_.rows()));
    MatX J(rows_.rows(), n);
    VecX phi(rows_.rows());
    Rng rng(11);
    MatX largest = MatX::Zero(rows_.rows(), n);
    for (int s = 0; s < 2; ++s) {
      const VecX q = rows_.scattered_pose(rng);
      rows_.evaluate(q.data(), phi.data());
      rows_.jacobian(J);
      largest = largest.cwiseMax(J.cwiseAbs());
    }
    for (const ClosureRows::Item& item : rows_.items()) couple_turns(item, largest);
    rows_of_column_.resize(at(n));
    for (int r = 0; r < rows_.rows(); ++r) {
      for (int v = 0; v < n; ++v) {
        if (!(largest(r, v) > 1e-12) || is_held(v)) continue;
        adjacent_[at(r)].push_back(v);
        rows_of_column_[at(v)].push_back(r);
      }
      if (adjacent_[at(r)].empty()) out_.held_rows.push_back(r);
    }
  }

  // Rows that measure one turn depend on each other's velocities where they do not hold: whether an axis is met or its
  // opposite is seen by all of them together.
  void couple_turns(const ClosureRows::Item& item, MatX& largest) const {
    std::vector<int> turning;
    for (int r = 0; r < item.rows; ++r) {
      const bool screw = item.moving_basis && item.all_rows == 5;
      const bool turns = item.turn != ClosureRows::Item::Turn::none && item.basis.block<3, 1>(3, r).norm() > 1e-12;
      if (screw || turns) turning.push_back(item.row + r);
    }
    if (turning.size() < 2) return;
    for (Eigen::Index v = 0; v < largest.cols(); ++v) {
      double most = 0.0;
      for (const int r : turning) most = std::max(most, largest(r, v));
      for (const int r : turning) largest(r, v) = most;
    }
  }

  // Rows that share no velocity, directly or through others, are separate systems.
  void find_groups() {
    std::vector<char> seen(at(rows_.rows()), 0);
    for (int first = 0; first < rows_.rows(); ++first) {
      if (seen[at(first)] != 0 || adjacent_[at(first)].empty()) continue;
      std::vector<int> group{first};
      seen[at(first)] = 1;
      for (std::size_t i = 0; i < group.size(); ++i) {
        for (const int v : adjacent_[at(group[i])]) {
          for (const int r : rows_of_column_[at(v)]) {
            if (seen[at(r)] == 0) {
              seen[at(r)] = 1;
              group.push_back(r);
            }
          }
        }
      }
      std::sort(group.begin(), group.end());
      groups_.push_back(std::move(group));
    }
  }

  // Gives row `start` a velocity of its own, moving others to other velocities where needed. Depth-first, no recursion.
  bool augment(int start) {
    struct Step {
      int row;
      std::size_t next;
      int via;
    };
    std::vector<Step> stack{{start, 0, -1}};
    ++mark_;
    while (!stack.empty()) {
      Step& top = stack.back();
      const std::vector<int>& all = adjacent_[at(top.row)];
      if (top.next == all.size()) {
        stack.pop_back();
        continue;
      }
      const int v = all[all.size() - 1 - top.next++];
      if (seen_[at(v)] == mark_) continue;
      seen_[at(v)] = mark_;
      const int owner = row_of_[at(v)];
      top.via = v;
      if (owner >= 0) {
        stack.push_back({owner, 0, -1});
        continue;
      }
      for (const Step& step : stack) {
        row_of_[at(step.via)] = step.row;
        column_of_[at(step.row)] = step.via;
      }
      return true;
    }
    return false;
  }

  void add_group(const std::vector<int>& group) {
    std::vector<int> columns;
    for (const int r : group) columns.insert(columns.end(), adjacent_[at(r)].begin(), adjacent_[at(r)].end());
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    row_of_.resize(at(rows_.model().v_size()), -1);
    seen_.resize(at(rows_.model().v_size()), 0);
    column_of_.resize(at(rows_.rows()), -1);
    bool square = group.size() == columns.size();
    for (std::size_t i = 0; i < group.size() && square; ++i) square = augment(group[i]);
    if (square) {
      sort_components(group);
    } else {
      add_block(group, columns);
    }
  }

  // Tarjan's strongly connected components of "row needs the velocity of that row": each comes after those it needs.
  void sort_components(const std::vector<int>& group) {
    struct Step {
      int row;
      std::size_t next;
    };
    std::vector<int> index(at(rows_.rows()), -1), low(at(rows_.rows()), 0), open;
    std::vector<char> on(at(rows_.rows()), 0);
    int counter = 0;
    for (const int first : group) {
      if (index[at(first)] >= 0) continue;
      std::vector<Step> stack{{first, 0}};
      while (!stack.empty()) {
        Step& top = stack.back();
        const int r = top.row;
        if (top.next == 0) {
          index[at(r)] = low[at(r)] = counter++;
          open.push_back(r);
          on[at(r)] = 1;
        }
        if (top.next < adjacent_[at(r)].size()) {
          const int needed = row_of_[at(adjacent_[at(r)][top.next++])];
          if (index[at(needed)] < 0) {
            stack.push_back({needed, 0});
          } else if (on[at(needed)] != 0) {
            low[at(r)] = std::min(low[at(r)], index[at(needed)]);
          }
          continue;
        }
        if (low[at(r)] == index[at(r)]) {
          std::vector<int> component, columns;
          while (true) {
            const int member = open.back();
            open.pop_back();
            on[at(member)] = 0;
            component.push_back(member);
            columns.push_back(column_of_[at(member)]);
            if (member == r) break;
          }
          std::sort(component.begin(), component.end());
          std::sort(columns.begin(), columns.end());
          add_block(component, columns);
        }
        stack.pop_back();
        if (!stack.empty()) low[at(stack.back().row)] = std::min(low[at(stack.back().row)], low[at(r)]);
      }
    }
  }

  void add_block(const std::vector<int>& rows, const std::vector<int>& columns) {
    LoopBlock block;
    block.rows = rows;
    block.columns = columns;
    const auto place_of = [](const std::vector<int>& list, int value) {
      const auto it = std::lower_bound(list.begin(), list.end(), value);
      return it != list.end() && *it == value ? static_cast<int>(it - list.begin()) : -1;
    };
    for (std::size_t i = 0; i < rows_.items().size(); ++i) {
      const ClosureRows::Item& item = rows_.items()[i];
      const auto first = std::lower_bound(rows.begin(), rows.end(), item.row);
      if (first == rows.end() || *first >= item.row + item.rows) continue;
      LoopBlock::Part part;
      part.item = static_cast<int>(i);
      for (int r = 0; r < 6; ++r) part.row[at(r)] = r < item.rows ? place_of(rows, item.row + r) : -1;
      for (int e = item.first_entry; e < item.end_entry; ++e) {
        const int velocity = rows_.entries(item)[at(e - item.first_entry)].velocity;
        if (const int column = place_of(columns, velocity); column >= 0) part.columns.push_back({e, column});
      }
      block.parts.push_back(std::move(part));
    }
    for (const int v : columns) {
      const int joint = rows_.model().velocity_joint(v);
      if (block.joints.empty() || block.joints.back() != joint) block.joints.push_back(joint);
      level_of_velocity_.resize(at(rows_.model().v_size()), -1);
      level_of_velocity_[at(v)] = static_cast<int>(out_.blocks.size());
    }
    out_.blocks.push_back(std::move(block));
  }

  // Only the relative place of a closure's frames matters: links below their common ancestor, wherever that is.
  void assign_links() {
    const Model& model = rows_.model();
    level_of_velocity_.resize(at(model.v_size()), -1);
    std::vector<int> level(at(model.link_count()), -1);  // last block that moves the link
    for (const int link : rows_.links()) {
      const ModelJoint& joint = model.joint(link);
      int& own = level[at(link)];
      if (joint.parent >= 0) own = level[at(joint.parent)];
      for (int k = 0; k < joint.v_count; ++k) own = std::max(own, level_of_velocity_[at(joint.v_index + k)]);
      if (own < 0) out_.still_links.push_back(link);
    }
    std::vector<int> seen(at(model.link_count()), -1);
    std::vector<char> moved(at(model.link_count()), 0);
    for (std::size_t b = 0; b < out_.blocks.size(); ++b) {
      LoopBlock& block = out_.blocks[b];
      const int number = static_cast<int>(b);
      for (const LoopBlock::Part& part : block.parts) {
        const ModelClosure& closure = model.closures()[at(rows_.items()[at(part.item)].closure)];
        int a = closure.a, c = closure.b;
        while (a != c) {  // the larger index is never the ancestor of the smaller
          int& deeper = a > c ? a : c;
          if (seen[at(deeper)] != number) block.loop.push_back(deeper);
          seen[at(deeper)] = number;
          deeper = model.parent(deeper);
        }
        out_.moved_later = out_.moved_later || (a >= 0 && level[at(a)] > number);
      }
      std::sort(block.loop.begin(), block.loop.end());  // parents have smaller indices
      for (const int link : block.loop) {
        const ModelJoint& joint = model.joint(link);
        bool own = joint.parent >= 0 && seen[at(joint.parent)] == number && moved[at(joint.parent)] != 0;
        for (int k = 0; k < joint.v_count; ++k) own = own || level_of_velocity_[at(joint.v_index + k)] == number;
        moved[at(link)] = own ? 1 : 0;
        if (own) block.links.push_back(link);
      }
    }
  }

  ClosureRows& rows_;
  std::span<const char> held_;
  LoopBlocks out_;
  std::vector<std::vector<int>> adjacent_;        // velocities of each row
  std::vector<std::vector<int>> rows_of_column_;  // rows of each velocity
  std::vector<std::vector<int>> groups_;
  std::vector<int> row_of_, column_of_, seen_, level_of_velocity_;
  int mark_ = 0;
};

}  // namespace

LoopBlocks find_blocks(ClosureRows& rows, std::span<const char> held) { return BlockFinder(rows, held).run(); }

}  // namespace armature::inline v0_2
