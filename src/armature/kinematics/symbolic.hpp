// The position of a point and its Jacobian as formulas in the joints' sines and cosines (eqs 5.11-5.17), for chains of
// hinges and slides: joints that consist of turns and slides about fixed axes (all types but balls and free joints).
//
// Turns about parallel axes in a row add up, so that a planar arm gives 15 c1 + 10 c12 + 5 c123 and not products of
// six factors.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/model/model.hpp"

namespace armature::inline v0_2 {

/// A sum of products of atoms; atoms are numbers of SymbolicJacobian::atoms.
using Formula = std::map<std::vector<int>, double>;

struct FormulaAtom {
  enum class Kind { sine, cosine, variable };
  Kind kind = Kind::variable;
  std::vector<std::pair<int, double>> sum;  // coordinate (position in `coordinates`), factor
};

struct SymbolicJacobian {
  std::vector<int> coordinates;  // of the pose vector, in the order of the chain: they are numbered 1, 2, ... in names
  std::vector<int> velocities;   // the column of each
  std::vector<std::string> names;  // of the coordinates
  std::vector<FormulaAtom> atoms;
  std::vector<Formula> position;              // 3
  std::vector<std::vector<Formula>> columns;  // one per coordinate, 6 rows: linear, then angular
};

/// Of `point` of the link (in its frame), seen from the world. The error names the joint that has no such formula.
Result<SymbolicJacobian> symbolic_jacobian(const Model& model, int link, const Vec3& point);

double evaluate(const SymbolicJacobian& symbolic, const Formula& formula, const VecX& q);

enum class FormulaStyle { text, latex };
/// "-15 s1 - 10 s12", or in LaTeX; numbers rounded to `digits`.
std::string formula_text(const SymbolicJacobian& symbolic, const Formula& formula, FormulaStyle style, int digits);
/// "s12", and what it stands for: "sin(joint1 + joint2)".
std::string atom_name(const SymbolicJacobian& symbolic, int atom, FormulaStyle style);
std::string atom_meaning(const SymbolicJacobian& symbolic, int atom);

}  // namespace armature::inline v0_2
