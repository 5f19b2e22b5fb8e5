#include "armature/kinematics/branches.hpp"

#include <algorithm>
#include <cmath>

namespace armature {

// Takes the joints apart. A joint's frame may be turned by a constant A first (and back afterwards) so that its axis is
// a coordinate axis; A joins the placement before it and the offset behind it.
class Branches::Builder {
 public:
  Builder(const Model& model, Branches& out) : model_(model), out_(out) {}

  void add_link(int link) {
    const ModelJoint& joint = model_.joint(link);
    Place place = joint.parent < 0 ? Place{} : places_[static_cast<std::size_t>(joint.parent)];
    place.offset = place.offset * joint.placement;
    joint_ = &joint;
    link_ = link;
    place_ = &place;
    std::visit([this](const auto& type) { add(type); }, joint.type);
    places_.resize(static_cast<std::size_t>(model_.link_count()));
    places_[static_cast<std::size_t>(link)] = place;
  }

  struct Place {
    int node = -1;
    Transform offset;
  };
  const Place& place(int link) const { return places_[static_cast<std::size_t>(link)]; }

 private:
  void add(const Fixed&) {}
  void add(const Revolute& j) { single(OpKind::turn, j.axis, 0.0); }
  void add(const Prismatic& j) { single(OpKind::slide, j.axis, 0.0); }
  void add(const Helical& j) { single(OpKind::screw, j.axis, j.advance()); }
  void add(const Cylindrical& j) {
    const Mat3 A = turn_z_to(j.axis);
    begin(A);
    op(OpKind::turn, 2, 0);
    op(OpKind::slide, 2, 1);
    end(A);
  }
  void add(const Universal& j) {
    const Mat3 A = turn_z_to(j.axis);
    begin(A);
    op(OpKind::turn, 2, 0);
    end(A);
    const Mat3 B = turn_z_to(j.axis2);
    begin(B);
    op(OpKind::turn, 2, 1);
    end(B);
  }
  void add(const Planar& j) {
    Mat3 A;
    A << j.x_axis, j.normal.cross(j.x_axis), j.normal;
    begin(A);
    op(OpKind::slide, 0, 0);
    op(OpKind::slide, 1, 1);
    op(OpKind::turn, 2, 2);
    end(A);
  }
  void add(const Spherical&) {
    begin(Mat3::Identity());
    op(OpKind::ball, 0, 0, 3);
  }
  void add(const Euler& j) {
    begin(Mat3::Identity());
    for (int i = 0; i < 3; ++i) op(OpKind::turn, j.order.axis[i], i);
  }
  void add(const Free&) {
    begin(Mat3::Identity());
    for (int i = 0; i < 3; ++i) op(OpKind::slide, i, i);
    op(OpKind::ball, 0, 3, 3);
  }
  void add(const FreeEuler& j) {
    begin(Mat3::Identity());
    for (int i = 0; i < 3; ++i) op(OpKind::slide, i, i);
    for (int i = 0; i < 3; ++i) op(OpKind::turn, j.order.axis[i], 3 + i);
  }
  template <class Other>
  void add(const Other& j) {
    begin(Mat3::Identity());
    op(OpKind::other, 0, 0, j.kVelocities);
  }

  void single(OpKind kind, const Vec3& axis, double advance) {
    const Mat3 A = turn_z_to(axis);
    begin(A);
    op(kind, 2, 0);
    out_.ops_.back().advance = advance;
    end(A);
  }

  // A rotation with A * z = axis; exact for the coordinate axes.
  static Mat3 turn_z_to(const Vec3& axis) {
    const Vec3 x = std::abs(axis.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
    Mat3 A;
    A.col(2) = axis;
    A.col(1) = axis.cross(x).normalized();
    A.col(0) = A.col(1).cross(axis);
    return A;
  }

  void begin(const Mat3& A) {
    Transform placement = place_->offset;
    placement.rotation = placement.rotation * A;
    const int ops = static_cast<int>(out_.ops_.size());
    out_.nodes_.push_back({place_->node, ops, ops, placement});
    place_->node = static_cast<int>(out_.nodes_.size()) - 1;
    place_->offset = Transform{};
  }
  void op(OpKind kind, int axis, int coordinate, int velocities = 1) {
    out_.ops_.push_back({kind, static_cast<unsigned char>(axis), joint_->q_index + coordinate,
                         static_cast<int>(out_.velocities_.size()), joint_->multiplier, joint_->offset, 0.0, link_});
    // Velocities count like coordinates: a quaternion, which has fewer, comes last.
    for (int i = 0; i < velocities; ++i) out_.velocities_.push_back(joint_->v_index + coordinate + i);
    out_.nodes_.back().op_end = static_cast<int>(out_.ops_.size());
  }
  void end(const Mat3& A) { place_->offset.rotation = A.transpose(); }

  const Model& model_;
  Branches& out_;
  std::vector<Place> places_;
  const ModelJoint* joint_ = nullptr;
  int link_ = 0;
  Place* place_ = nullptr;
};

void Branches::compile(const Model& model, std::span<const int> links) {
  *this = Branches{};
  model_ = &model;
  std::vector<char> needed(static_cast<std::size_t>(model.link_count()), 0);
  for (int link : links) {
    for (int i = link; i >= 0 && needed[static_cast<std::size_t>(i)] == 0; i = model.parent(i)) {
      needed[static_cast<std::size_t>(i)] = 1;
    }
  }
  Builder builder(model, *this);
  for (int i = 0; i < model.link_count(); ++i) {
    if (needed[static_cast<std::size_t>(i)] != 0) builder.add_link(i);
  }
  wanted_of_link_.assign(static_cast<std::size_t>(model.link_count()), -1);
  for (int link : links) {
    int& index = wanted_of_link_[static_cast<std::size_t>(link)];
    if (index >= 0) continue;
    index = static_cast<int>(wanted_.size());
    const Builder::Place& place = builder.place(link);
    const int begin = static_cast<int>(path_.size());
    for (int n = place.node; n >= 0; n = nodes_[static_cast<std::size_t>(n)].parent) {
      const Node& node = nodes_[static_cast<std::size_t>(n)];
      const int first = ops_[static_cast<std::size_t>(node.op_begin)].motion;
      const int last = node.op_end < static_cast<int>(ops_.size()) ? ops_[static_cast<std::size_t>(node.op_end)].motion
                                                                   : static_cast<int>(velocities_.size());
      for (int m = last - 1; m >= first; --m) path_.push_back(m);
    }
    std::reverse(path_.begin() + begin, path_.end());
    wanted_.push_back({link, place.node, place.offset, begin, static_cast<int>(path_.size())});
  }
  motions_.resize(velocities_.size());
  X_WN_.resize(nodes_.size());
  angle_.resize(ops_.size());
  sine_.resize(ops_.size());
  cosine_.resize(ops_.size());
  for (int i = 0; i < static_cast<int>(ops_.size()); ++i) {
    const OpKind kind = ops_[static_cast<std::size_t>(i)].kind;
    if (kind == OpKind::turn || kind == OpKind::screw) angle_op_.push_back(i);
  }
}

std::span<const int> Branches::motions_of(int link) const {
  const Wanted& w = wanted_[static_cast<std::size_t>(wanted_of_link_[static_cast<std::size_t>(link)])];
  return {path_.data() + w.motion_begin, static_cast<std::size_t>(w.motion_end - w.motion_begin)};
}

void Branches::forward(const double* q, State& state) {
  for (int i : angle_op_) {
    const auto n = static_cast<std::size_t>(i);
    const double angle = ops_[n].multiplier * q[ops_[n].q] + ops_[n].offset;
    angle_[n] = angle;
    sine_[n] = std::sin(angle);
    cosine_[n] = std::cos(angle);
  }
  bool centred = false;  // motions are measured near the figure, so that they keep their digits far from the origin
  centre_.setZero();
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    Transform X = node.parent < 0 ? node.placement : X_WN_[static_cast<std::size_t>(node.parent)] * node.placement;
    Mat3& R = X.rotation;
    Vec3& p = X.translation;
    for (int i = node.op_begin; i < node.op_end; ++i) {
      const auto o = static_cast<std::size_t>(i);
      const Op& op = ops_[o];
      Motion* motion = motions_.data() + op.motion;
      const int k = op.axis;
      if (!centred && op.kind != OpKind::slide) {
        centre_ = p;
        centred = true;
      }
      switch (op.kind) {
        case OpKind::turn:
        case OpKind::screw: {
          motion->angular = op.multiplier * R.col(k);
          if (op.kind == OpKind::screw) {
            motion->linear = (op.multiplier * op.advance) * R.col(k);
            p += (op.advance * angle_[o]) * R.col(k);
          } else {
            motion->linear.setZero();
          }
          motion->linear -= motion->angular.cross(p - centre_);
          const int a = k == 2 ? 0 : k + 1;
          const int b = 3 - k - a;
          const Vec3 u = R.col(a);
          R.col(a) = cosine_[o] * u + sine_[o] * R.col(b);
          R.col(b) = cosine_[o] * R.col(b) - sine_[o] * u;
          break;
        }
        case OpKind::slide:
          motion->angular.setZero();
          motion->linear = op.multiplier * R.col(k);
          p += (op.multiplier * q[op.q] + op.offset) * R.col(k);
          break;
        case OpKind::ball:
          R = R * joint_detail::quaternion(q + op.q).toRotationMatrix();
          for (int j = 0; j < 3; ++j) {
            motion[j].angular = R.col(j);
            motion[j].linear = R.col(j).cross(centre_ - p);
          }
          break;
        case OpKind::other: {
          const JointType& type = model_->joint(op.joint).type;
          double value[kMaxJointCoordinates];
          const int count = coordinate_count(type);
          for (int j = 0; j < count; ++j) value[j] = q[op.q + j];
          if (count == 1) value[0] = op.multiplier * value[0] + op.offset;
          Vec6 twists[kMaxJointVelocities];
          joint_twists(type, value, twists);
          X = X * joint_transform(type, value);
          for (int j = 0; j < velocity_count(type); ++j) {
            motion[j].angular = op.multiplier * (R * twists[j].tail<3>());
            motion[j].linear = op.multiplier * (R * twists[j].head<3>()) - motion[j].angular.cross(p - centre_);
          }
          break;
        }
      }
    }
    X_WN_[n] = X;
  }
  for (const Wanted& w : wanted_) {
    state.X_WL[static_cast<std::size_t>(w.link)] =
        w.node < 0 ? w.offset : X_WN_[static_cast<std::size_t>(w.node)] * w.offset;
  }
}

}  // namespace armature
