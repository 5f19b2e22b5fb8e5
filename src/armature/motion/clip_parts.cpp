#include "armature/motion/clip_parts.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/joint_fit.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/frame_series.hpp"

namespace armature::inline v0_2::clips {

Error other_model() { return Error{"The motion belongs to another model: its frames have another size."}; }

Status check_clip(const Model& model, const Clip& clip) {
  if (clip.q_size != model.q_size()) return other_model();
  if (clip.frame_count() == 0) return Error{"The motion has no frames."};
  if (!(std::isfinite(clip.frame_time) && clip.frame_time > 0.0)) return Error{"The motion's frames last no time."};
  for (const double value : clip.values) {
    if (!std::isfinite(value)) return Error{"The motion holds a value that is not a finite number."};
  }
  return {};
}

Clip empty_like(const Clip& clip) {
  Clip out;
  out.name = clip.name;
  out.frame_time = clip.frame_time;
  out.q_size = clip.q_size;
  return out;
}

VecX pose_of_frame(const Clip& clip, int frame) { return Eigen::Map<const VecX>(clip.frame(frame), clip.q_size); }

namespace {

// Where the rotation of an Euler joint begins among its coordinates; -1: it is none.
int euler_start(const ModelJoint& joint) {
  if (joint.mimic) return -1;
  return std::holds_alternative<Euler>(joint.type) ? 0 : std::holds_alternative<FreeEuler>(joint.type) ? 3 : -1;
}

}  // namespace

void pose_change(const Model& model, const double* from, const double* to, double* v) {
  difference(model, from, to, v);
  for (const ModelJoint& joint : model.joints()) {
    const int start = euler_start(joint);
    if (start < 0) continue;
    const Mat3 a = joint_transform(joint.type, from + joint.q_index).rotation;
    const Mat3 b = joint_transform(joint.type, to + joint.q_index).rotation;
    Eigen::Map<Vec3>(v + joint.v_index + start) = log_rotation(Mat3(a.transpose() * b));
  }
}

void moved_pose(const Model& model, const double* from, const double* v, const double* near, double* q) {
  std::vector<double> out(at(model.q_size()));
  integrate(model, from, v, out.data());
  for (const ModelJoint& joint : model.joints()) {
    if (joint.mimic || joint.q_count == 0) continue;
    const double* own = from + joint.q_index;
    const bool still =
        std::all_of(v + joint.v_index, v + joint.v_index + joint.v_count, [](double x) { return x == 0.0; });
    if (still) {  // keeps its bits
      std::copy(own, own + joint.q_count, out.data() + joint.q_index);
      continue;
    }
    const int start = euler_start(joint);
    if (start < 0) continue;
    Transform wanted = joint_transform(joint.type, own);
    const Eigen::Map<const Vec3> turn(v + joint.v_index + start);
    wanted.rotation = wanted.rotation * exp_rotation(turn).toRotationMatrix();
    double fitted[kMaxJointCoordinates];
    fit_coordinates(joint.type, wanted, near + joint.q_index, fitted);
    std::copy(fitted + start, fitted + start + 3, out.data() + joint.q_index + start);
  }
  std::copy(out.begin(), out.end(), q);
}

void append_blend(const Model& model, const double* from, const double* to, double share, Clip& clip) {
  VecX v(model.v_size()), q(model.q_size());
  pose_change(model, from, to, v.data());
  v *= share;
  moved_pose(model, from, v.data(), clip.frame_count() > 0 ? clip.frame(clip.frame_count() - 1) : from, q.data());
  clip.append(q);
}

double heading_between(const Mat3& from, const Mat3& to, const Vec3& up) {
  return wrap_angle(swing_twist(Quat(Mat3(to * from.transpose())).normalized(), up).twist);
}

GroundTurn ground_turn(const Transform& from, const Transform& to, const Vec3& up) {
  GroundTurn turn;
  turn.up = up;
  turn.heading = heading_between(from.rotation, to.rotation, up);
  const Vec3 shift = to.position - Transform::rotate(up, turn.heading).rotation * from.position;
  turn.shift = shift - up * up.dot(shift);
  return turn;
}

std::vector<Transform> root_frames(const Model& model, const Clip& clip, int root) {
  std::vector<Transform> frames;
  State state;
  for (int f = 0; f < clip.frame_count(); ++f) {
    forward(model, clip.frame(f), state);
    frames.push_back(state.X_WL[at(root)]);
  }
  return frames;
}

void move_root(const Model& model, int root, const std::vector<Transform>& moves, Clip& clip) {
  State state;
  const ModelJoint& joint = model.joint(root);
  for (int f = 0; f < clip.frame_count(); ++f) {
    if (moves[at(f)].matrix().isIdentity(1e-14)) continue;  // keeps its bits
    forward(model, clip.frame(f), state);
    const Transform joint_frame = joint.parent >= 0 ? state.X_WL[at(joint.parent)] * joint.origin : joint.origin;
    const Transform wanted = joint_frame.inverse() * moves[at(f)] * state.X_WL[at(root)];
    double* q = clip.frame(f) + joint.q_index;
    fit_coordinates(joint.type, wanted, f > 0 ? clip.frame(f - 1) + joint.q_index : q, q);
  }
}

int root_of(const Model& model, const Clip& clip) {
  int first = -1;
  for (int link = 0; link < model.link_count(); ++link) {
    const ModelJoint& joint = model.joint(link);
    if (joint.mimic || joint.v_count < 6) continue;
    if (first < 0) first = link;
    for (int f = 1; f < clip.frame_count(); ++f) {
      const double* a = clip.frame(0) + joint.q_index;  // its place comes first
      const double* b = clip.frame(f) + joint.q_index;
      if (a[0] != b[0] || a[1] != b[1] || a[2] != b[2]) return link;
    }
  }
  return first;
}

Vec3 up_of(const Model& model, const Clip& clip) {
  const Figure figure = guess_figure(model);
  const int low = figure.leg[0].end >= 0 ? figure.leg[0].end : figure.leg[1].end;
  const int high = figure.head >= 0       ? figure.head
                   : figure.neck >= 0     ? figure.neck
                   : figure.spine.empty() ? -1
                                          : figure.spine.back();
  if (low < 0 || high < 0 || clip.q_size != model.q_size()) return Vec3::UnitZ();
  Vec3 sum = Vec3::Zero();
  State state;
  const int step = std::max(1, clip.frame_count() / 200);
  for (int f = 0; f < clip.frame_count(); f += step) {
    forward(model, clip.frame(f), state);
    const Vec3 way = state.X_WL[at(high)].position - state.X_WL[at(low)].position;
    if (way.allFinite()) sum += way;
  }
  int axis = 2;
  if (sum.norm() > 0.0) sum.cwiseAbs().maxCoeff(&axis);
  return (sum[axis] < 0.0 ? -1.0 : 1.0) * Vec3::Unit(axis);
}

namespace {

// Arms straight out to either side, legs straight and across to them.
bool is_t_pose(const Figure& figure, const State& state) {
  if (!figure.has_legs() || !figure.has_arms()) return false;
  const auto place = [&](int link) { return state.X_WL[at(link)].position; };
  const Vec3 left = (place(figure.arm[0].upper) - place(figure.arm[1].upper)).normalized();
  const auto stretches = [&](const FigureLimb& limb, double least, double most) {
    const Vec3 way = place(limb.end) - place(limb.upper);
    const double bones = (place(limb.lower) - place(limb.upper)).norm() + (place(limb.end) - place(limb.lower)).norm();
    const double across = left.dot(way);
    return way.norm() > 0.98 * bones && across > least * bones && across < most * bones;
  };
  return stretches(figure.arm[0], 0.95, 1.1) && stretches(figure.arm[1], -1.1, -0.95) &&
         stretches(figure.leg[0], -0.3, 0.3) && stretches(figure.leg[1], -0.3, 0.3);
}

}  // namespace

bool first_frame_stands_apart(const Model& model, const Clip& clip) {
  constexpr int kLeast = 10;
  constexpr double kApart = 10.0;  // times the usual step
  constexpr double kApartT = 3.0;  // of a T-pose; at low frame rates usual steps are large
  const int n = clip.frame_count();
  if (n < kLeast) return false;
  std::vector<double> steps;
  State state;
  std::vector<Vec3> before, now(at(model.link_count()));
  const int step = std::max(1, n / 200);
  const auto take = [&](int f) {
    forward(model, clip.frame(f), state);
    for (int i = 0; i < model.link_count(); ++i) {
      now[at(i)] = state.X_WL[at(i)].position - state.X_WL[0].position;  // a figure may be put elsewhere, too
    }
  };
  const auto distance = [&](int a, int b) {
    take(a);
    before = now;
    take(b);
    double most = 0.0;
    for (std::size_t i = 0; i < now.size(); ++i) most = std::max(most, (now[i] - before[i]).norm());
    return most;
  };
  for (int f = 1; f + 1 < n; f += step) steps.push_back(distance(f, f + 1));
  const double first = distance(0, 1);
  forward(model, clip.frame(0), state);
  const double apart = is_t_pose(guess_figure(model), state) ? kApartT : kApart;
  return first > 0.1 * model.size() && first > apart * percentile(steps, 90.0);
}

std::vector<double> positions(const Model& model, const Clip& clip, const std::vector<int>& links) {
  std::vector<double> rows;
  if (clip.q_size != model.q_size()) return rows;
  rows.reserve(3 * links.size() * at(clip.frame_count()));
  State state;
  for (int f = 0; f < clip.frame_count(); ++f) {
    forward(model, clip.frame(f), state);
    for (const int link : links) {
      const Vec3& p = state.X_WL[at(link)].position;
      rows.insert(rows.end(), {p.x(), p.y(), p.z()});
    }
  }
  return rows;
}

}  // namespace armature::inline v0_2::clips
