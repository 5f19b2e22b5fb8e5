#include "armature/model/dh.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/math.hpp"
#include "armature/base/number.hpp"
#include "armature/base/rng.hpp"
#include "armature/base/suggest.hpp"
#include "armature/geom/shortest_turn.hpp"
#include "armature/model/edit.hpp"

namespace armature::inline v0_2 {
namespace {

Transform about_z(double theta, double d) {
  Transform x = Transform::rotate(Vec3::UnitZ(), theta);
  x.position.z() = d;
  return x;
}
Transform about_x(double alpha, double a) {
  Transform x = Transform::rotate(Vec3::UnitX(), alpha);
  x.position.x() = a;
  return x;
}

// A rotation that takes z to the unit vector `axis`; the identity for z itself.
Mat3 z_to(const Vec3& axis) {
  if ((axis - Vec3::UnitZ()).norm() < 1e-15) return Mat3::Identity();
  return quaternion_between(Vec3::UnitZ(), axis).toRotationMatrix();
}

// What is left of the way from the current frame (its z along a joint's axis) to the next joint's frame (likewise)
// after a row's Rz(theta) Tz(d) Tx(a) Rx(alpha). The rest is a turn about and a slide along the next axis.
struct Step {
  double theta, d, a, alpha;
  Transform rest;
};

Step split(const Transform& x) {
  constexpr double kParallel =
      1e-8;  // below, the common normal is so far away that treating the axes as parallel errs less
  const Vec3 z = x.rotation.col(2);  // direction of the next axis
  const Vec3& p = x.position;        // a point of it
  Step step{};
  // Already of that form: keep the frame as it is.
  const Vec3 x_axis = x.rotation.col(0);
  const Vec3 across(p.x(), p.y(), 0.0);
  const double a = across.dot(x_axis);
  if (std::abs(x_axis.z()) < 1e-13 &&
      (across - a * Vec3(x_axis.x(), x_axis.y(), 0.0)).norm() < 1e-13 * (1.0 + p.norm())) {
    step.theta = math::atan2(x_axis.y(), x_axis.x());
    step.d = p.z();
    step.a = a;
    step.alpha = math::atan2(x.rotation(2, 1), x.rotation(2, 2));
  } else {
    const Vec3 cross(-z.y(), z.x(), 0.0);  // z_now x z_next
    const bool parallel = cross.norm() < kParallel;
    Vec3 normal = cross.normalized();
    Vec3 foot = p;  // of the common normal on the next axis
    if (parallel) {
      foot = p - z * (p.z() / z.z());  // at the height of the current origin: d = 0
      normal = Vec3(foot.x(), foot.y(), 0.0);
      normal = normal.norm() > 1e-12 * (1.0 + p.norm()) ? Vec3(normal.normalized()) : Vec3::UnitX();
    } else {
      // The point of the next axis nearest to the current one: its part perpendicular to z_now is along the normal.
      const double along = -(p.x() * z.x() + p.y() * z.y()) / (z.x() * z.x() + z.y() * z.y());
      foot = p + along * z;
    }
    if (normal.x() < 0.0) normal = -normal;  // |theta| at most a quarter turn; a may be negative
    step.theta = math::atan2(normal.y(), normal.x());
    step.d = foot.z();
    step.a = foot.dot(normal);
    step.alpha = math::atan2(Vec3::UnitZ().cross(z).dot(normal), z.z());
  }
  step.rest = (about_z(step.theta, step.d) * about_x(step.alpha, step.a)).inverse() * x;
  return step;
}

// The joints of the chain from its root down to `tip`; articulated by `q`, one coordinate per moving joint.
Transform chain_forward(const std::vector<const Joint*>& joints, const std::vector<JointType>& types, const double* q) {
  Transform x;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    x = x * joints[i]->origin * joint_transform(types[i], q);
    q += coordinate_count(types[i]);
  }
  return x;
}

}  // namespace

const char* dh_convention_name(DhConvention convention) {
  return convention == DhConvention::standard ? "standard" : "modified";
}

Transform dh_forward(const DhTable& table, const double* q) {
  Transform x = table.base;
  for (const DhRow& row : table.rows) {
    const double value = row.flip ? -*q++ : *q++;
    const Transform turn = row.prismatic ? about_z(row.theta, row.d + value) : about_z(row.theta + value, row.d);
    const Transform side = about_x(row.alpha, row.a);
    x = x * (table.convention == DhConvention::standard ? turn * side : side * turn);
  }
  return x * table.tool;
}

DhTable dh_convert(const DhTable& table, DhConvention convention) {
  DhTable made = table;
  made.convention = convention;
  if (convention == table.convention || table.rows.empty()) return made;
  std::vector<DhRow>& rows = made.rows;
  const std::size_t n = rows.size();
  if (convention == DhConvention::modified) {  // Tx(a) Rx(alpha) go over to the row below
    made.tool = about_x(rows[n - 1].alpha, rows[n - 1].a) * table.tool;
    for (std::size_t i = 0; i < n; ++i) {
      rows[i].a = i > 0 ? table.rows[i - 1].a : 0.0;
      rows[i].alpha = i > 0 ? table.rows[i - 1].alpha : 0.0;
    }
  } else {  // and back to the row above
    made.base = table.base * about_x(rows[0].alpha, rows[0].a);
    for (std::size_t i = 0; i < n; ++i) {
      rows[i].a = i + 1 < n ? table.rows[i + 1].a : 0.0;
      rows[i].alpha = i + 1 < n ? table.rows[i + 1].alpha : 0.0;
    }
  }
  return made;
}

Result<Linkage> dh_to_linkage(const DhTable& table) {
  if (table.rows.empty()) return Error{"The Denavit-Hartenberg table " + detail::quoted(table.name) + " has no rows."};
  Linkage linkage;
  linkage.name = table.name;
  linkage.links.push_back({"base", {}});
  Transform before = table.base;  // constant part since the last joint
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const DhRow& row = table.rows[i];
    if (!std::isfinite(row.a) || !std::isfinite(row.alpha) || !std::isfinite(row.d) || !std::isfinite(row.theta)) {
      return Error{"Row " + std::to_string(i + 1) + " of the Denavit-Hartenberg table " + detail::quoted(table.name) +
                   " holds a number that is not finite."};
    }
    // Rz and Tz commute with the joint's own motion, so they may stand on either side of it.
    const Transform turn = about_z(row.theta, row.d);
    const Transform side = about_x(row.alpha, row.a);
    const bool standard = table.convention == DhConvention::standard;
    Joint joint;
    joint.name = row.joint.empty() ? "joint" + std::to_string(i + 1) : row.joint;
    const Vec3 axis = row.flip ? Vec3(-Vec3::UnitZ()) : Vec3(Vec3::UnitZ());
    if (row.prismatic) {
      joint.type = Prismatic{axis};
    } else {
      joint.type = Revolute{axis};
    }
    joint.parent = linkage.links.back().name;
    joint.child = "link" + std::to_string(i + 1);
    joint.origin = standard ? before : before * side * turn;
    joint.limits = row.limits;
    before = standard ? turn * side : Transform();
    linkage.links.push_back({joint.child, {}});
    linkage.joints.push_back(std::move(joint));
  }
  Joint end;
  end.name = "tool";
  while (linkage.find_joint(end.name) != nullptr) end.name += "_";
  end.type = Fixed{};
  end.parent = linkage.links.back().name;
  end.child = "tip";
  end.origin = before * table.tool;
  linkage.links.push_back({"tip", {}});
  linkage.joints.push_back(std::move(end));
  return linkage;
}

Result<DhTable> linkage_to_dh(const Linkage& linkage, std::string_view base, std::string_view tip,
                              DhConvention convention) {
  const Result<Linkage> chain = extract_chain(linkage, base, tip);
  if (!chain) return chain.error();
  std::vector<const Joint*> joints;
  std::string link(tip);
  while (link != base && joints.size() <= chain->joints.size()) {
    const Joint* above = chain->joint_above(link);
    if (above == nullptr)
      return Error{"There is no way from link " + detail::quoted(base) + " to link " + detail::quoted(tip) + "."};
    joints.push_back(above);
    link = above->parent;
  }
  std::reverse(joints.begin(), joints.end());

  DhTable table;
  table.name = linkage.name;
  std::vector<JointType> types;
  Transform here;  // from the frame of the last row to the current place, all coordinates zero
  double size = 0.0;
  for (const Joint* joint : joints) {
    JointType type = joint->type;
    Vec3 axis = Vec3::Zero();
    if (auto* j = std::get_if<Revolute>(&type)) axis = j->axis.normalized(), j->axis = axis;
    if (auto* j = std::get_if<Continuous>(&type)) axis = j->axis.normalized(), j->axis = axis;
    if (auto* j = std::get_if<Prismatic>(&type)) axis = j->axis.normalized(), j->axis = axis;
    const bool moves = !std::holds_alternative<Fixed>(type);
    if (moves && (!axis.allFinite() || axis.isZero(0.0))) {
      return Error{"Joint " + detail::quoted(joint->name) + " is " + type_name(type) +
                   "; a Denavit-Hartenberg table has only revolute and prismatic joints. Converting to URDF first "
                   "makes such joints of others."};
    }
    if (joint->mimic) {
      return Error{"Joint " + detail::quoted(joint->name) +
                   " mimics another; a Denavit-Hartenberg table cannot represent that."};
    }
    types.push_back(type);
    size += joint->origin.position.norm();
    here = here * joint->origin;
    if (!moves) continue;
    const Mat3 turn = z_to(axis);
    const Transform at_joint = here * Transform{Vec3::Zero(), turn};
    if (table.rows.empty()) {
      table.base = at_joint;
      here = Transform{Vec3::Zero(), turn.transpose()};
    } else {
      const Step step = split(at_joint);
      DhRow& row = table.rows.back();
      row.theta = step.theta;
      row.d = step.d;
      row.a = step.a;
      row.alpha = step.alpha;
      here = step.rest * Transform{Vec3::Zero(), turn.transpose()};
    }
    DhRow row;
    row.joint = joint->name;
    row.prismatic = std::holds_alternative<Prismatic>(type);
    row.limits = joint->limits;
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) {
    return Error{"No joint moves between link " + detail::quoted(base) + " and link " + detail::quoted(tip) +
                 "; a Denavit-Hartenberg table needs one."};
  }
  const Step last = split(here);
  if (last.rest.position.norm() < 1e-13 && (last.rest.rotation - Mat3::Identity()).norm() < 1e-13) {
    DhRow& row = table.rows.back();
    row.theta = last.theta;
    row.d = last.d;
    row.a = last.a;
    row.alpha = last.alpha;
  } else {
    table.tool = here;
  }
  tidy(table);
  table = dh_convert(table, convention);

  Rng rng(1);
  std::vector<double> q(table.rows.size());
  const double reach = std::max(size, 1e-3);
  for (int n = 0; n < 8; ++n) {
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = rng.uniform(-2.0, 2.0) * (table.rows[i].prismatic ? reach : 1.0);
    const Transform want = chain_forward(joints, types, q.data());
    const Transform got = dh_forward(table, q.data());
    const double error = std::max((want.rotation - got.rotation).cwiseAbs().maxCoeff(),
                                  (want.position - got.position).cwiseAbs().maxCoeff() / reach);
    if (!(error < 1e-9)) {
      return Error{"The chain from " + detail::quoted(base) + " to " + detail::quoted(tip) +
                   " has neighbouring axes that are almost but not quite parallel; its Denavit-Hartenberg table would "
                   "be off by " +
                   pretty_number(error, 3) + " of its size."};
    }
  }
  return table;
}

}  // namespace armature::inline v0_2
