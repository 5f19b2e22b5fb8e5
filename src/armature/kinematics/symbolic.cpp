#include "armature/kinematics/symbolic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "armature/base/math.hpp"
#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {
namespace {

using Sum = std::vector<std::pair<int, double>>;

// One turn about, or slide along, a fixed axis of the frame that the motions before it left.
struct OneMotion {
  bool turn = true;
  Vec3 axis = Vec3::UnitZ();
  int coordinate = 0;   // of the joint
  double factor = 1.0;  // angle or way per unit of the coordinate
};

/// What a joint consists of; empty for joints that have no such form.
std::vector<OneMotion> motions_of(const JointType& type) {
  struct Visitor {
    std::vector<OneMotion> operator()(const Fixed&) const { return {}; }
    std::vector<OneMotion> operator()(const Revolute& j) const { return {{true, j.axis, 0}}; }
    std::vector<OneMotion> operator()(const Continuous& j) const { return {{true, j.axis, 0}}; }
    std::vector<OneMotion> operator()(const Prismatic& j) const { return {{false, j.axis, 0}}; }
    std::vector<OneMotion> operator()(const Helical& j) const {
      return {{false, j.axis, 0, j.advance()}, {true, j.axis, 0}};
    }
    std::vector<OneMotion> operator()(const Cylindrical& j) const { return {{false, j.axis, 1}, {true, j.axis, 0}}; }
    std::vector<OneMotion> operator()(const Universal& j) const { return {{true, j.axis, 0}, {true, j.axis2, 1}}; }
    std::vector<OneMotion> operator()(const Planar& j) const {
      return {{false, j.x_axis, 0}, {false, j.normal.cross(j.x_axis), 1}, {true, j.normal, 2}};
    }
    std::vector<OneMotion> operator()(const Spherical&) const { return {}; }
    std::vector<OneMotion> operator()(const Euler& j) const { return turns(j.order, 0); }
    std::vector<OneMotion> operator()(const Free&) const { return {}; }
    std::vector<OneMotion> operator()(const FreeEuler& j) const {
      std::vector<OneMotion> all = turns(j.order, 3);
      for (int k = 2; k >= 0; --k) all.insert(all.begin(), OneMotion{false, Vec3::Unit(k), k});
      return all;
    }
    static std::vector<OneMotion> turns(const EulerOrder& order, int first) {
      std::vector<OneMotion> all;
      for (int k = 0; k < 3; ++k) all.push_back({true, Vec3::Unit(order.axis[static_cast<std::size_t>(k)]), first + k});
      return all;
    }
  };
  return std::visit(Visitor{}, type);
}

void add_to(Formula& sum, const Formula& other, double factor) {
  if (factor == 0.0) return;
  for (const auto& [product, value] : other) sum[product] += factor * value;
}

Formula times(const Formula& formula, int atom) {
  Formula out;
  for (const auto& [product, value] : formula) {
    std::vector<int> longer = product;
    longer.insert(std::upper_bound(longer.begin(), longer.end(), atom), atom);
    out[longer] += value;
  }
  return out;
}

int find_atom(SymbolicJacobian& s, FormulaAtom::Kind kind, const Sum& sum) {
  for (std::size_t i = 0; i < s.atoms.size(); ++i) {
    if (s.atoms[i].kind == kind && s.atoms[i].sum == sum) return static_cast<int>(i);
  }
  s.atoms.push_back({kind, sum});
  return static_cast<int>(s.atoms.size()) - 1;
}

using Matrix = std::array<std::array<Formula, 3>, 3>;

Matrix constant(const Mat3& M) {
  Matrix out;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double value = M(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c));
      if (value != 0.0) out[r][c][{}] = value;
    }
  }
  return out;
}

Matrix product(const Matrix& A, const Mat3& B) {
  Matrix out;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t k = 0; k < 3; ++k) {
        add_to(out[r][c], A[r][k], B(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c)));
      }
    }
  }
  return out;
}

Mat3 cross_matrix(const Vec3& a) {
  Mat3 M;
  M << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return M;
}

/// Walks down the chain. The rotation so far is  before * Rot(axis, angle) * after,  where `before` holds the turns
/// about other axes, `angle` is a sum of coordinates and `after` a constant: a turn about a parallel axis only adds to
/// the sum.
class Walk {
 public:
  explicit Walk(SymbolicJacobian& out) : out_(out), before_(constant(Mat3::Identity())) { out_.position.assign(3, {}); }

  void place(const Transform& X) {
    translate(X.position, {});
    after_ = after_ * X.rotation;
  }
  void translate(const Vec3& way, const Sum& length) {
    if (way.isZero(0.0)) return;
    const std::array<Formula, 3> moved = direction(way);
    for (std::size_t r = 0; r < 3; ++r) {
      if (length.empty()) {
        add_to(out_.position[r], moved[r], 1.0);
      } else {
        for (const auto& [coordinate, factor] : length) {
          const int variable = find_atom(out_, FormulaAtom::Kind::variable, {{coordinate, 1.0}});
          add_to(out_.position[r], times(moved[r], variable), factor);
        }
      }
    }
  }
  void turn(const Vec3& axis, const Sum& angle, double offset) {
    const Vec3 here = after_ * axis;  // in the frame that `axis_` is given in
    const double along = here.dot(axis_);
    if (!angle_.empty() && std::abs(std::abs(along) - 1.0) < 1e-12) {
      for (const auto& [coordinate, factor] : angle) add_angle(coordinate, along > 0.0 ? factor : -factor);
    } else {
      before_ = rotation();
      after_ = Mat3::Identity();
      axis_ = axis;
      angle_ = angle;
      tidy(before_);
    }
    after_ = after_ * Transform::rotate(axis, offset).rotation;
  }
  /// A constant direction of the present frame, in the world.
  std::array<Formula, 3> direction(const Vec3& v) {
    const Matrix R = rotation();
    std::array<Formula, 3> out;
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t k = 0; k < 3; ++k) add_to(out[r], R[r][k], v[static_cast<Eigen::Index>(k)]);
    }
    return out;
  }

  /// Sums of rounding errors are not terms.
  static void tidy(Formula& formula, double scale) {
    for (auto at = formula.begin(); at != formula.end();) {
      at = std::abs(at->second) <= 1e-12 * scale ? formula.erase(at) : std::next(at);
    }
  }

 private:
  static void tidy(Matrix& M) {
    for (auto& row : M) {
      for (Formula& entry : row) tidy(entry, 1.0);
    }
  }
  void add_angle(int coordinate, double factor) {
    for (auto& [have, sum] : angle_) {
      if (have != coordinate) continue;
      sum += factor;
      return;
    }
    angle_.emplace_back(coordinate, factor);
  }
  Matrix rotation() {
    if (angle_.empty()) return product(before_, after_);
    // Rodrigues: a a' + cos (1 - a a') + sin [a].
    const Mat3 along = axis_ * axis_.transpose();
    const int cosine = find_atom(out_, FormulaAtom::Kind::cosine, angle_);
    const int sine = find_atom(out_, FormulaAtom::Kind::sine, angle_);
    const Matrix fixed = product(before_, along * after_);
    const Matrix even = product(before_, (Mat3::Identity() - along) * after_);
    const Matrix odd = product(before_, cross_matrix(axis_) * after_);
    Matrix out;
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) {
        out[r][c] = fixed[r][c];
        add_to(out[r][c], times(even[r][c], cosine), 1.0);
        add_to(out[r][c], times(odd[r][c], sine), 1.0);
      }
    }
    tidy(out);
    return out;
  }
  SymbolicJacobian& out_;
  Matrix before_;
  Vec3 axis_ = Vec3::UnitZ();
  Sum angle_;
  Mat3 after_ = Mat3::Identity();
};

/// By one coordinate. Every formula here has each atom at most once in a product.
Formula derivative(SymbolicJacobian& s, const Formula& formula, int coordinate) {
  Formula out;
  for (const auto& [factors, value] : formula) {
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const FormulaAtom atom = s.atoms[static_cast<std::size_t>(factors[i])];
      for (const auto& [of, factor] : atom.sum) {
        if (of != coordinate) continue;
        std::vector<int> rest = factors;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        double slope = factor * value;
        if (atom.kind != FormulaAtom::Kind::variable) {
          const bool sine = atom.kind == FormulaAtom::Kind::sine;
          if (!sine) slope = -slope;
          const int other = find_atom(s, sine ? FormulaAtom::Kind::cosine : FormulaAtom::Kind::sine, atom.sum);
          rest.insert(std::upper_bound(rest.begin(), rest.end(), other), other);
        }
        out[rest] += slope;
      }
    }
  }
  return out;
}

// "12" or, where a coordinate has another factor than 1, "1-2" or "1+2*3"; LaTeX writes the same below the line.
std::string subscript(const Sum& sum) {
  bool plain = true;
  for (const auto& [coordinate, factor] : sum) plain = plain && factor == 1.0 && coordinate < 9;
  std::string text;
  for (const auto& [coordinate, factor] : sum) {
    if (!plain) {
      if (factor < 0.0) {
        text += '-';
      } else if (!text.empty()) {
        text += '+';
      }
      if (std::abs(factor) != 1.0) text += pretty_number(std::abs(factor), 6) + "*";
    }
    text += std::to_string(coordinate + 1);
  }
  return plain || sum.size() == 1 ? text : "(" + text + ")";
}

}  // namespace

Result<SymbolicJacobian> symbolic_jacobian(const Model& model, int link, const Vec3& point) {
  std::vector<int> chain;
  for (int at = link; at >= 0; at = model.parent(at)) chain.push_back(at);
  std::reverse(chain.begin(), chain.end());

  SymbolicJacobian out;
  const auto number_of = [&](int coordinate, int velocity) {
    const auto have = std::find(out.coordinates.begin(), out.coordinates.end(), coordinate);
    if (have != out.coordinates.end()) return static_cast<int>(have - out.coordinates.begin());
    out.coordinates.push_back(coordinate);
    out.velocities.push_back(velocity);
    out.names.push_back(model.coordinate_name(coordinate));
    return static_cast<int>(out.coordinates.size()) - 1;
  };
  // Angular columns: the axis of each turn where it acts.
  std::vector<std::pair<int, std::array<Formula, 3>>> axes;
  Walk walk(out);
  double scale = 1.0;
  for (const int at : chain) {
    const ModelJoint& joint = model.joint(at);
    walk.place(joint.origin);
    scale = std::max(scale, joint.origin.position.norm());
    const std::vector<OneMotion> motions = motions_of(joint.type);
    if (motions.empty() && coordinate_count(joint.type) > 0) {
      return Error{"Joint " + detail::quoted(joint.name) + " is " + type_name(joint.type) +
                   ": its rotation is a quaternion, which has no formula in sines and cosines of angles. Replace it by "
                   "hinges (armature edit expand) or Euler angles first."};
    }
    for (const OneMotion& motion : motions) {
      const double factor = motion.factor * joint.multiplier;
      const double offset = motion.factor * joint.offset;
      const int number = number_of(joint.q_index + motion.coordinate, joint.v_index + motion.coordinate);
      if (motion.turn) {
        std::array<Formula, 3> axis = walk.direction(motion.axis);
        for (Formula& row : axis) {
          Formula scaled;
          add_to(scaled, row, factor);
          row = std::move(scaled);
        }
        axes.emplace_back(number, std::move(axis));
        walk.turn(motion.axis, {{number, factor}}, offset);
      } else {
        walk.translate(motion.axis, {{number, factor}});
        walk.translate(motion.axis * offset, {});
      }
    }
  }
  walk.translate(point, {});
  for (Formula& row : out.position) Walk::tidy(row, scale);

  const std::size_t count = out.coordinates.size();
  out.columns.assign(count, std::vector<Formula>(6));
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t r = 0; r < 3; ++r) {
      out.columns[k][r] = derivative(out, out.position[r], static_cast<int>(k));
      Walk::tidy(out.columns[k][r], scale);
    }
  }
  for (const auto& [number, axis] : axes) {
    for (std::size_t r = 0; r < 3; ++r) {
      Formula& entry = out.columns[static_cast<std::size_t>(number)][3 + r];
      add_to(entry, axis[r], 1.0);
      Walk::tidy(entry, 1.0);
    }
  }
  return out;
}

double evaluate(const SymbolicJacobian& symbolic, const Formula& formula, const VecX& q) {
  double total = 0.0;
  for (const auto& [factors, value] : formula) {
    double product = value;
    for (const int index : factors) {
      const FormulaAtom& atom = symbolic.atoms[static_cast<std::size_t>(index)];
      double sum = 0.0;
      for (const auto& [coordinate, factor] : atom.sum) {
        sum += factor * q[symbolic.coordinates[static_cast<std::size_t>(coordinate)]];
      }
      product *= atom.kind == FormulaAtom::Kind::sine     ? math::sin(sum)
                 : atom.kind == FormulaAtom::Kind::cosine ? math::cos(sum)
                                                          : sum;
    }
    total += product;
  }
  return total;
}

std::string atom_name(const SymbolicJacobian& symbolic, int atom, FormulaStyle style) {
  const FormulaAtom& a = symbolic.atoms[static_cast<std::size_t>(atom)];
  const char* letter = a.kind == FormulaAtom::Kind::sine ? "s" : a.kind == FormulaAtom::Kind::cosine ? "c" : "q";
  const std::string below = subscript(a.sum);
  return style == FormulaStyle::latex ? std::string(letter) + "_{" + below + "}" : letter + below;
}

std::string atom_meaning(const SymbolicJacobian& symbolic, int atom) {
  const FormulaAtom& a = symbolic.atoms[static_cast<std::size_t>(atom)];
  std::string sum;
  for (const auto& [coordinate, factor] : a.sum) {
    if (!sum.empty() || factor < 0.0) sum += factor < 0.0 ? (sum.empty() ? "-" : " - ") : " + ";
    if (std::abs(factor) != 1.0) sum += pretty_number(std::abs(factor), 12) + " ";
    sum += symbolic.names[static_cast<std::size_t>(coordinate)];
  }
  if (a.kind == FormulaAtom::Kind::variable) return sum;
  return (a.kind == FormulaAtom::Kind::sine ? "sin(" : "cos(") + sum + ")";
}

std::string formula_text(const SymbolicJacobian& symbolic, const Formula& formula, FormulaStyle style, int digits) {
  std::string text;
  for (const auto& [factors, value] : formula) {
    const std::string number = pretty_number(std::abs(value), digits);
    if (number == "0") continue;
    if (text.empty()) {
      if (value < 0.0) text += "-";
    } else {
      text += value < 0.0 ? " - " : " + ";
    }
    std::string term = number == "1" && !factors.empty() ? "" : number;
    for (const int atom : factors) {
      if (!term.empty()) term += style == FormulaStyle::latex ? "\\," : " ";
      term += atom_name(symbolic, atom, style);
    }
    text += term;
  }
  return text.empty() ? "0" : text;
}

}  // namespace armature::inline v0_2
