// Denavit-Hartenberg tables (section 5.1.2) and linkages, both ways.
//
//   standard:        A_i = Rz(theta_i) Tz(d_i) Tx(a_i) Rx(alpha_i)
//   modified (Craig): A_i = Rx(alpha_i) Tx(a_i) Rz(theta_i) Tz(d_i), with the row's alpha and a as Craig prints them,
//   i.e.
//                    alpha_{i-1} and a_{i-1}
//   pose of the tip in the base = base * A_1 ... A_n * tool
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

enum class DhConvention { standard, modified };
const char* dh_convention_name(DhConvention convention);

/// One joint. Revolute: theta = q + `theta` (or -q + `theta`). Prismatic: d = q + `d` (or -q + `d`). Metres, radians.
struct DhRow {
  std::string joint;
  bool prismatic = false;
  double a = 0.0;
  double alpha = 0.0;
  double d = 0.0;
  double theta = 0.0;
  bool flip = false;  // the coordinate counts backwards
  Limits limits;
};

struct DhTable {
  std::string name;
  DhConvention convention = DhConvention::standard;
  Transform base;
  Transform tool;
  std::vector<DhRow> rows;
};

/// Pose of the tip for one coordinate a row: the product of the matrices, straight from the definition.
Transform dh_forward(const DhTable& table, const double* q);

/// The same poses in the other convention: a and alpha move by one row.
DhTable dh_convert(const DhTable& table, DhConvention convention);

/// A standard table as it is usually printed, with the same poses: the height of the base is d of the first row, what
/// lies along parallel axes is d of the last of them, right angles are exact, and the noise of composing frames is
/// gone.
void tidy(DhTable& table);

/// Links "base", "link1", ..., "tip", and the table's joints. Link i moves with joint i; in a modified table its frame
/// is the table's frame i, in a standard one it lies at joint i's axis, since frame i is bound to the next joint.
Result<Linkage> dh_to_linkage(const DhTable& table);

/// The table of the chain from `base` to `tip`, which may lead up and down the tree, through revolute, continuous,
/// prismatic and fixed joints; tidy. Proved before it is returned: its forward kinematics agree with the chain's to
/// 1e-9 of its size.
Result<DhTable> linkage_to_dh(const Linkage& linkage, std::string_view base, std::string_view tip,
                              DhConvention convention);

}  // namespace armature::inline v0_2
