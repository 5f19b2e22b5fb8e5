#include "armature/kinematics/mass_metric.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/forward.hpp"

namespace armature::inline v0_2 {
namespace {

// In the pipe model: length of a link without children, and the least length of any, in parts of the model's size.
constexpr double kLeafLength = 0.08;
constexpr double kLeastLength = 0.02;

double volume(const Shape& shape) {
  if (const auto* box = std::get_if<Box>(&shape)) return std::abs(box->size.prod());
  if (const auto* s = std::get_if<Sphere>(&shape)) return 4.0 / 3.0 * kPi * s->radius * s->radius * s->radius;
  if (const auto* c = std::get_if<Cylinder>(&shape)) return kPi * c->radius * c->radius * c->length;
  if (const auto* c = std::get_if<Capsule>(&shape)) {
    return kPi * c->radius * c->radius * (c->length + 4.0 / 3.0 * c->radius);
  }
  return 0.0;  // lines and files have none that is known here
}

bool weigh_inertials(const Model& model, LinkMasses& out) {
  bool any = false;
  for (int link = 0; link < model.link_count(); ++link) {
    const Link& from = model.source_link(link);
    out.mass[at(link)] = from.mass;
    out.center[at(link)] = from.center;
    any = any || from.mass > 0.0;
  }
  return any;
}

bool weigh_shapes(const Model& model, LinkMasses& out) {
  bool any = false;
  for (int link = 0; link < model.link_count(); ++link) {
    Vec3 moment = Vec3::Zero();
    double mass = 0.0;
    for (const Visual& visual : model.visuals(link)) {
      if (visual.collision) continue;
      const Geometry* geometry = model.linkage().find_geometry(visual.geometry);
      if (geometry == nullptr) continue;
      const double scale = std::abs(visual.X_LG.topLeftCorner<3, 3>().determinant());
      const double part = scale * volume(geometry->shape);
      if (!(part > 0.0) || !std::isfinite(part)) continue;
      mass += part;
      moment += part * visual.X_LG.topRightCorner<3, 1>();
    }
    if (mass <= 0.0) continue;
    out.mass[at(link)] = mass;
    out.center[at(link)] = moment / mass;
    any = true;
  }
  return any;
}

void weigh_pipes(const Model& model, LinkMasses& out) {
  std::vector<double> section(at(model.link_count()), 0.0);
  for (int link = model.link_count() - 1; link >= 0; --link) {
    Vec3 sum = Vec3::Zero();
    double length = 0.0;
    double below = 0.0;
    int children = 0;
    for (int child = link + 1; child < model.subtree_end(link); child = model.subtree_end(child)) {
      if (model.joint(child).v_count == 0 && model.is_leaf(child)) continue;  // sensors, logos
      const Vec3& offset = model.joint(child).origin.position;
      sum += offset;
      length += offset.norm();
      below += section[at(child)];
      ++children;
    }
    section[at(link)] = std::max(1.0, below);
    const double own = children > 0 ? length / children : kLeafLength * model.size();
    out.mass[at(link)] = section[at(link)] * std::max(own, kLeastLength * model.size());
    if (children > 0) out.center[at(link)] = 0.5 * sum / children;
  }
}

}  // namespace

LinkMasses link_masses(const Model& model) {
  LinkMasses masses;
  masses.mass.assign(at(model.link_count()), 0.0);
  masses.center.assign(at(model.link_count()), Vec3::Zero());
  masses.source = MassSource::file;
  if (!weigh_inertials(model, masses)) {
    masses.source = MassSource::shapes;
    if (!weigh_shapes(model, masses)) {
      masses.source = MassSource::bones;
      weigh_pipes(model, masses);
    }
  }
  for (const double mass : masses.mass) masses.total += mass;
  return masses;
}

void MassMetric::prepare(const Model& model) {
  if (model_ == model) return;
  model_ = model;
  masses_ = link_masses(model);
  mass_ = masses_.mass;
  total_ = masses_.total;
  branches_.compile(model);
  resize(model, state_);
  bodies_.resize(at(model.link_count()));
  link_of_motion_ = branches_.links_of_motions();
}

void MassMetric::hold(std::span<const int> links) {
  mass_ = masses_.mass;
  for (const int held : links) {
    int limb = held;
    const auto leaves_body = [&](int link) {  // something else that weighs hangs on the same parent
      const int parent = model_.parent(link);
      for (int child = parent + 1; child < model_.subtree_end(parent); child = model_.subtree_end(child)) {
        if (child == link) continue;
        for (int i = child; i < model_.subtree_end(child); ++i) {
          if (masses_.mass[at(i)] > 0.0) return true;
        }
      }
      return false;
    };
    while (limb >= 0 && model_.parent(limb) >= 0 && !leaves_body(limb)) limb = model_.parent(limb);
    if (limb < 0 || model_.parent(limb) < 0) continue;  // all there is ends there
    std::fill(mass_.begin() + limb, mass_.begin() + model_.subtree_end(limb), 0.0);
  }
  total_ = 0.0;
  for (const double mass : mass_) total_ += mass;
  if (total_ > 0.0) return;
  mass_ = masses_.mass;
  total_ = masses_.total;
}

void MassMetric::compute(const double* q, VecX& metric) {
  branches_.forward(q, state_);
  branches_.move(state_);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const double mass = mass_[i];
    const Vec3 place = state_.X_WL[i] * masses_.center[i] - branches_.centre();
    bodies_[i] = {mass, mass * place, mass * place * place.transpose()};
  }
  for (int i = model_.link_count() - 1; i > 0; --i) {
    if (model_.parent(i) < 0) continue;
    Body& above = bodies_[at(model_.parent(i))];
    above.mass += bodies_[at(i)].mass;
    above.first += bodies_[at(i)].first;
    above.second += bodies_[at(i)].second;
  }
  metric.setZero(model_.v_size());
  for (std::size_t m = 0; m < link_of_motion_.size(); ++m) {
    const Motion& motion = branches_.motions()[m];
    const Body& body = bodies_[at(link_of_motion_[m])];
    const Vec3& w = motion.angular;
    // sum of mass |l + w x p|^2
    const double turning = w.squaredNorm() * body.second.trace() - w.dot(body.second * w);
    const double value =
        body.mass * motion.linear.squaredNorm() + 2.0 * motion.linear.dot(w.cross(body.first)) + turning;
    metric[branches_.velocities()[m]] += std::max(0.0, value);
  }
  const double whole = total_ * model_.size() * model_.size();
  if (whole > 0.0) metric /= whole;
}

}  // namespace armature::inline v0_2
