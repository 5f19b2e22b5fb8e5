#include "armature/solve/mass_goals.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/motion/figure.hpp"

namespace armature::inline v0_2 {
namespace {

// Points of a shape that can touch the ground; of rounded ones the middle of the curve, which is on the safe side.
void add_points(const Shape& shape, const Mat4& ready, std::vector<Vec3>& out) {
  std::vector<Vec3> points;
  const auto corners = [&](const Vec3& half) {
    for (int k = 0; k < 8; ++k) {
      points.emplace_back((k & 1) != 0 ? half.x() : -half.x(), (k & 2) != 0 ? half.y() : -half.y(),
                          (k & 4) != 0 ? half.z() : -half.z());
    }
  };
  if (const auto* box = std::get_if<Box>(&shape)) {
    corners(0.5 * box->size);
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    const double side = std::sqrt(0.5) * cylinder->radius;
    corners(Vec3(side, side, 0.5 * cylinder->length));
  } else if (std::holds_alternative<Sphere>(shape)) {
    points.emplace_back(Vec3::Zero());
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    points = {Vec3(0, 0, -0.5 * capsule->length), Vec3(0, 0, 0.5 * capsule->length)};
  } else if (const auto* line = std::get_if<Polyline>(&shape)) {
    points = line->points;
  }
  for (const Vec3& point : points) out.push_back((ready * point.homogeneous()).head<3>());
}

std::vector<Vec3> points_of(const Model& model, int link) {
  std::vector<Vec3> points;
  const Linkage& linkage = model.linkage();
  for (const bool collision : {true, false}) {
    if (!points.empty()) break;
    for (const Visual& visual : model.source_link(link).visuals) {
      if (visual.collision != collision) continue;
      const auto named = [&](const Geometry& geometry) { return geometry.name == visual.geometry; };
      const auto geometry = std::find_if(linkage.geometries.begin(), linkage.geometries.end(), named);
      if (geometry != linkage.geometries.end()) add_points(geometry->shape, visual.X_LG, points);
    }
  }
  if (points.empty()) {
    points.emplace_back(Vec3::Zero());
    for (int child = link + 1; child < model.link_count(); ++child) {
      if (model.parent(child) == link) points.push_back(model.joint(child).origin.position);
    }
  }
  if (points.size() > 8) {  // their box
    Vec3 low = points.front();
    Vec3 high = points.front();
    for (const Vec3& point : points) {
      low = low.cwiseMin(point);
      high = high.cwiseMax(point);
    }
    points.clear();
    Mat4 X_LG = Mat4::Identity();
    X_LG.topRightCorner<3, 1>() = 0.5 * (low + high);
    add_points(Box{high - low}, X_LG, points);
  }
  return points;
}

}  // namespace

Result<std::vector<Contact>> resolve_contacts(const BalanceGoal& goal, const Model& model) {
  const auto wrong = [](const std::string& why) { return Error{"Field 'contacts' of the balance goal: " + why}; };
  std::vector<Contact> contacts = goal.contacts;
  if (contacts.empty()) {
    const Figure figure = guess_figure(model);
    for (const FigureLimb& leg : figure.leg) {
      for (const int link : {leg.end, leg.toe}) {
        if (link >= 0) contacts.push_back({link, {}});
      }
    }
    if (contacts.empty()) return wrong("name the links that stand on the ground; no feet were found by their names.");
  }
  std::size_t count = 0;
  for (Contact& contact : contacts) {
    const Result<int> link = resolve(model, contact.link);
    if (!link) return wrong(contact.link.empty() ? "each contact names its link." : link.message());
    contact.link = *link;
    if (contact.points.empty()) contact.points = points_of(model, *link);
    for (const Vec3& point : contact.points) {
      if (!point.allFinite()) return wrong("points must be finite.");
    }
    count += contact.points.size();
  }
  if (count > kMaxContactPoints) {
    return wrong(std::to_string(count) + " points; at most " + std::to_string(kMaxContactPoints) + " are possible.");
  }
  return contacts;
}

Status MassGoal::bind(const Goal& goal, const Model& model, const GoalLinks& links) {
  const auto* balance = std::get_if<BalanceGoal>(&goal);
  const bool same = model_ == model && goal_ != nullptr && (balance != nullptr) == !places_.empty() &&
                    (balance == nullptr || contacts_ == balance->contacts);
  goal_ = &goal;
  links_ = links;
  if (!same) {
    places_.clear();
    if (balance != nullptr) {
      const Result<std::vector<Contact>> contacts = resolve_contacts(*balance, model);
      if (!contacts) {
        goal_ = nullptr;
        return contacts.error();
      }
      for (const Contact& contact : *contacts) {
        for (const Vec3& point : contact.points) places_.push_back({contact.link.index(), point});
      }
      contacts_ = balance->contacts;
    }
    model_ = model;
    center_.prepare(model);
    resize(model, state_);
    center_slope_.resize(3, model.v_size());
    link_slope_.resize(6, model.v_size());
    flat_.resize(places_.size());
  }
  if (balance != nullptr) {
    const Vec3 up = balance->up.normalized();
    across_[0] = up.unitOrthogonal();
    across_[1] = up.cross(across_[0]);
  }
  return {};
}

SupportPolygon::Way MassGoal::way_into_support(const Vec3& center) const {
  // Seen from the center, so that figures far from the world's origin keep their digits.
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const Vec3 at_world = state_.X_WL[at(places_[k].link)] * places_[k].point - center;
    flat_[k] = {across_[0].dot(at_world), across_[1].dot(at_world)};
  }
  polygon_.set(flat_, std::get<BalanceGoal>(*goal_).margin);
  return polygon_.way_from(SupportPolygon::Point::Zero());
}

void MassGoal::linearize(const State& state, GoalRows& rows) const {
  rows.links = 0;
  rows.rows = row_count();
  forward(model_, state.q.data(), state_);
  const Vec3 center = center_.compute(state_);
  if (const auto* goal = std::get_if<CenterOfMassGoal>(goal_)) {
    const Vec3 seen = links_.base == kWorld ? center : Vec3(state_.X_WL[at(links_.base)].inverse() * center);
    int row = 0;
    for (int i = 0; i < 3; ++i) {
      if (!goal->axes.free[at(i)]) rows.error[at(row++)] = goal->axes.outside(i, goal->target[i] - seen[i]);
    }
    return;
  }
  const SupportPolygon::Way way = way_into_support(center);
  rows.error[0] = way.way.x();
  rows.error[1] = way.way.y();
}

void MassGoal::slopes(const State& state, MatX& J) const {
  forward(model_, state.q.data(), state_);
  const Vec3 center = center_.compute(state_, center_slope_);
  if (const auto* goal = std::get_if<CenterOfMassGoal>(goal_)) {
    Mat3 axes = Mat3::Identity();
    Vec3 seen = center;
    if (links_.base != kWorld) {
      const Transform& X_WB = state_.X_WL[at(links_.base)];
      axes = X_WB.rotation;
      seen = X_WB.inverse() * center;
      jacobian_at_world_point(model_, state_, links_.base, center, link_slope_);
      center_slope_ -= link_slope_.topRows<3>();
    }
    int row = 0;
    for (int i = 0; i < 3; ++i) {
      if (goal->axes.free[at(i)]) continue;
      const bool counts = goal->axes.box[i] <= 0.0 || goal->axes.outside(i, goal->target[i] - seen[i]) != 0.0;
      if (counts) {
        J.row(row).noalias() = axes.col(i).transpose() * center_slope_;
      } else {
        J.row(row).setZero();
      }
      ++row;
    }
    return;
  }
  // The convention is the derivative of what is actual: minus that of the way.
  const SupportPolygon::Way way = way_into_support(center);
  for (int r = 0; r < 2; ++r) {
    const Vec3 along = way.of_place(r, 0) * across_[0] + way.of_place(r, 1) * across_[1];
    J.row(r).noalias() = -along.transpose() * center_slope_;
  }
  for (int k = 0; k < way.count; ++k) {
    const Place& place = places_[at(way.point[at(k)])];
    jacobian(model_, state_, place.link, place.point, link_slope_);
    for (int r = 0; r < 2; ++r) {
      const Vec3 along = way.of_point[at(k)](r, 0) * across_[0] + way.of_point[at(k)](r, 1) * across_[1];
      J.row(r).noalias() -= along.transpose() * link_slope_.topRows<3>();
    }
  }
}

}  // namespace armature::inline v0_2
