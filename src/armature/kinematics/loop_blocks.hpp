// The order in which loops can be closed one after the other. With some velocities held, the rows of the closures and
// the velocities that are left are matched and sorted into strongly connected parts: block triangular form (Dulmage,
// Mendelsohn 1958). The parts are the Assur groups of a mechanism: dyads mostly, so that cost grows with their number,
// not with its cube.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "armature/kinematics/closure_rows.hpp"

namespace armature::inline v0_2 {

struct LoopBlock {
  /// What of one closure belongs to the block.
  struct Part {
    int item;
    std::array<int, 6> row;  // of the block, per row of the closure; -1: another block's
    struct Column {
      int entry;   // of ClosureRows
      int column;  // of the block
    };
    std::vector<Column> columns;
  };
  std::vector<int> rows;     // of the whole system
  std::vector<int> columns;  // velocities that it finds
  std::vector<int> joints;   // link indices of the joints with those velocities
  std::vector<int> loop;     // links of its loops, below their common ancestors, parents first
  std::vector<int> links;    // of these, those that its columns move
  std::vector<Part> parts;
};

struct LoopBlocks {
  std::vector<LoopBlock> blocks;
  std::vector<int> still_links;  // frames that no block moves
  std::vector<int> held_rows;    // rows that only held velocities change
  bool moved_later = false;      // a loop hangs on what a later block moves: frames must be placed anew at the end
};

/// `held`: per velocity, non-zero: it stays; empty: none. Allocates.
LoopBlocks find_blocks(ClosureRows& rows, std::span<const char> held);

}  // namespace armature::inline v0_2
