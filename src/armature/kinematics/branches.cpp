#include "armature/kinematics/branches.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "armature/base/index.hpp"
#include "armature/base/math.hpp"
#include "armature/geom/product.hpp"
#include "armature/kinematics/forward.hpp"

namespace armature::inline v0_2 {

// Says for each velocity of a joint where its axis stands still: in the link's own frame, or in its parent's.
class Branches::Builder {
 public:
  Builder(const Model& model, Branches& out) : model_(model), out_(out) {}

  void add_link(int link) {
    link_ = link;
    joint_ = &model_.joint(link);
    std::visit([this](const auto& type) { add(type); }, joint_->type);
  }

 private:
  void add(const Fixed&) {}
  void add(const Revolute& j) { own(Kind::turn, 0, j.axis); }
  void add(const Prismatic& j) { own(Kind::slide, 0, j.axis); }
  void add(const Helical& j) {
    own(Kind::screw, 0, j.axis);
    out_.sources_.back().advance = j.advance();
  }
  void add(const Cylindrical& j) {
    own(Kind::turn, 0, j.axis);
    own(Kind::slide, 1, j.axis);
  }
  void add(const Universal& j) {
    placed(Kind::turn, 0, j.axis);
    own(Kind::turn, 1, j.axis2);
  }
  void add(const Planar& j) {
    placed(Kind::slide, 0, j.x_axis);
    placed(Kind::slide, 1, j.normal.cross(j.x_axis));
    own(Kind::turn, 2, j.normal);
  }
  void add(const Spherical&) { own(Kind::ball, 0, Vec3::Zero(), 3); }
  void add(const Euler& j) { euler(j.order, 0); }
  void add(const Free&) {
    for (int i = 0; i < 3; ++i) placed(Kind::slide, i, Vec3::Unit(i));
    own(Kind::ball, 3, Vec3::Zero(), 3);
  }
  void add(const FreeEuler& j) {
    for (int i = 0; i < 3; ++i) placed(Kind::slide, i, Vec3::Unit(i));
    euler(j.order, 3);
  }
  template <class Other>
  void add(const Other& j) {
    own(Kind::other, 0, Vec3::Zero(), j.kVelocities);
  }
  void euler(const EulerOrder& order, int first) {
    placed(Kind::turn, first, Vec3::Unit(order.axis[0]));
    placed(Kind::middle, first + 1, Vec3::Unit(order.axis[1]));
    out_.sources_.back().first = joint_->origin.rotation * Vec3::Unit(order.axis[0]);
    out_.sources_.back().angle = joint_->q_index + first;
    own(Kind::turn, first + 2, Vec3::Unit(order.axis[2]));
  }

  void own(Kind kind, int velocity, const Vec3& axis, int velocities = 1) {
    source(kind, velocity, link_, axis, velocities);
  }
  void placed(Kind kind, int velocity, const Vec3& axis) {
    source(kind, velocity, joint_->parent, joint_->origin.rotation * axis, 1);
  }
  // Velocities count like coordinates: a quaternion, which has fewer, comes last.
  void source(Kind kind, int velocity, int frame, const Vec3& axis, int velocities) {
    out_.sources_.push_back({kind, frame, link_, static_cast<int>(out_.velocities_.size()), joint_->multiplier, 0.0, 0,
                             axis, Vec3::Zero()});
    for (int i = 0; i < velocities; ++i) out_.velocities_.push_back(joint_->v_index + velocity + i);
  }

  const Model& model_;
  Branches& out_;
  const ModelJoint* joint_ = nullptr;
  int link_ = 0;
};

void Branches::compile(const Model& model) {
  *this = Branches{};
  model_ = model;
  path_begin_.assign(at(model.link_count()), 0);
  path_end_ = path_begin_;
  links_.resize(at(model.link_count()));
  std::iota(links_.begin(), links_.end(), 0);
  Builder builder(model, *this);
  for (const int link : links_) builder.add_link(link);
  motions_.resize(velocities_.size());
}

std::vector<int> Branches::links_of_motions() const {
  std::vector<int> links(motions_.size());
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const int end = s + 1 < sources_.size() ? sources_[s + 1].motion : static_cast<int>(links.size());
    std::fill(links.begin() + sources_[s].motion, links.begin() + end, sources_[s].link);
  }
  return links;
}

void Branches::compile(const Model& model, std::span<const int> links) {
  *this = Branches{};
  model_ = model;
  const auto count = static_cast<std::size_t>(model.link_count());
  std::vector<char> needed(count, 0);
  for (int link : links) {
    for (int i = link; i >= 0 && needed[static_cast<std::size_t>(i)] == 0; i = model.parent(i)) {
      needed[static_cast<std::size_t>(i)] = 1;
    }
  }
  path_begin_.assign(count, 0);
  path_end_.assign(count, 0);
  std::vector<int> own_begin(count, 0), own_end(count, 0);  // motions of each link's own joint
  Builder builder(model, *this);
  for (int i = 0; i < model.link_count(); ++i) {
    const auto n = static_cast<std::size_t>(i);
    if (needed[n] == 0) continue;
    links_.push_back(i);
    const int first = static_cast<int>(velocities_.size());
    builder.add_link(i);
    own_begin[n] = first;
    own_end[n] = static_cast<int>(velocities_.size());
  }
  // Only of the links that were asked for: a path of every link on a long chain would grow with its square.
  for (int link : links) {
    const auto n = static_cast<std::size_t>(link);
    if (link < 0 || path_end_[n] > path_begin_[n]) continue;
    path_begin_[n] = static_cast<int>(path_.size());
    for (int i = link; i >= 0; i = model.parent(i)) {
      for (int m = own_end[static_cast<std::size_t>(i)]; m-- > own_begin[static_cast<std::size_t>(i)];) {
        path_.push_back(m);
      }
    }
    path_end_[n] = static_cast<int>(path_.size());
    std::reverse(path_.begin() + path_begin_[n], path_.end());
  }
  motions_.resize(velocities_.size());
}

std::span<const int> Branches::motions_of(int link) const {
  const auto n = static_cast<std::size_t>(link);
  return {path_.data() + path_begin_[n], static_cast<std::size_t>(path_end_[n] - path_begin_[n])};
}

void Branches::forward(const double* q, State& state) const {
  if (static_cast<int>(links_.size()) == model_.link_count()) {
    armature::forward(model_, q, state);
  } else {
    forward_links(model_, q, links_, state);
  }
}

void Branches::move(const State& state) {
  const double* q = state.q.data();
  centre_ = sources_.empty() ? Vec3(Vec3::Zero()) : state.X_WL[static_cast<std::size_t>(sources_[0].link)].position;
  for (const Source& source : sources_) {
    const Transform& X_WL = state.X_WL[static_cast<std::size_t>(source.link)];
    Motion* motion = motions_.data() + source.motion;
    const Vec3 to_centre = centre_ - X_WL.position;
    if (source.kind == Kind::ball) {
      for (int i = 0; i < 3; ++i) {
        motion[i].angular = X_WL.rotation.col(i);
        motion[i].linear = motion[i].angular.cross(to_centre);
      }
      continue;
    }
    if (source.kind == Kind::other) {
      const ModelJoint& joint = model_.joint(source.link);
      double value[kMaxJointCoordinates];
      std::copy_n(q + joint.q_index, joint.q_count, value);
      if (joint.mimic) value[0] = joint.multiplier * value[0] + joint.offset;
      Vec6 twists[kMaxJointVelocities];
      joint_twists(joint.type, value, twists);
      for (int i = 0; i < joint.v_count; ++i) {
        motion[i].angular = source.factor * (X_WL.rotation * twists[i].tail<3>());
        motion[i].linear = source.factor * (X_WL.rotation * twists[i].head<3>()) + motion[i].angular.cross(to_centre);
      }
      continue;
    }
    Vec3 axis = source.axis;
    if (source.kind == Kind::middle) {
      const double angle = q[source.angle];
      axis = math::cos(angle) * source.axis + math::sin(angle) * source.first.cross(source.axis);
    }
    if (source.frame >= 0) axis = product(state.X_WL[static_cast<std::size_t>(source.frame)].rotation, axis);
    axis *= source.factor;
    if (source.kind == Kind::slide) {
      motion->angular.setZero();
      motion->linear = axis;
      continue;
    }
    motion->angular = axis;
    motion->linear = axis.cross(to_centre);
    if (source.kind == Kind::screw) motion->linear += source.advance * axis;
  }
}

}  // namespace armature::inline v0_2
