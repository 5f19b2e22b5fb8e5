#include <algorithm>
#include <cmath>

#include "armature/base/number.hpp"
#include "armature/model/dh.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kNoise = 1e-12;  // of the table's size, or radians: what composing frames leaves behind

// 0 for noise, and the shorter number where the last digits are noise: 0.09465000000000001 is 0.09465.
double clean(double value, double size) {
  if (std::abs(value) < kNoise * size) return 0.0;
  double shorter = value;
  parse_number(pretty_number(value, 14), shorter);
  return std::abs(shorter - value) < 1e-15 * std::max(std::abs(value), size) ? shorter : value;
}

double clean_angle(double angle) {
  const double eighths = std::round(angle / (kPi / 4));
  return std::abs(angle - eighths * (kPi / 4)) < kNoise ? eighths * (kPi / 4) : clean(angle, 1.0);
}

void clean(Transform& x, double size) {
  for (double& entry : x.rotation.reshaped()) {
    if (std::abs(entry - std::round(entry)) < kNoise) entry = std::round(entry) + 0.0;
  }
  for (double& entry : x.position) entry = clean(entry, size);
}

}  // namespace

void tidy(DhTable& table) {
  if (table.rows.empty()) return;
  double size = table.base.position.norm() + table.tool.position.norm();
  for (const DhRow& row : table.rows) size += std::abs(row.a) + std::abs(row.d);
  for (DhRow& row : table.rows) {
    row.alpha = clean_angle(row.alpha);
    row.theta = clean_angle(row.theta);
  }

  std::vector<DhRow>& rows = table.rows;
  if (std::abs(rows[0].d) < kNoise * size && !rows[0].prismatic) {
    const Vec3 axis = table.base.rotation.col(2);
    rows[0].d = table.base.position.dot(axis);
    table.base.position -= rows[0].d * axis;
  }
  for (std::size_t i = 1; i + 1 < rows.size(); ++i) {
    const bool parallel = rows[i].alpha == 0.0 || std::abs(rows[i].alpha) == kPi;
    if (!parallel || rows[i].prismatic || rows[i + 1].prismatic) continue;
    rows[i + 1].d += rows[i].alpha == 0.0 ? rows[i].d : -rows[i].d;
    rows[i].d = 0.0;
  }

  for (DhRow& row : rows) {
    row.a = clean(row.a, size);
    row.d = clean(row.d, size);
  }
  clean(table.base, size);
  clean(table.tool, size);
}

}  // namespace armature::inline v0_2
