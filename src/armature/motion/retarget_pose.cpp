// Over 400 lines: a figure posed from the plan part by part, each hanging on what was posed before it.
#include "armature/motion/retarget_pose.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/math.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/frame_series.hpp"
#include "armature/motion/limb_fit.hpp"
#include "armature/motion/posed_figure.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kLimbSmoothness = 0.004;  // of a coordinate's curvature over 20 ms
constexpr double kFirmGround = 2.5;        // how much more a ball's height counts than its place on the ground
constexpr double kEases = 0.035;           // seconds before and after a foot stands in which its ball is led there
constexpr double kSameWaist = 0.4;         // of the trunk: hinges this near to each other are one waist
constexpr double kCalm = 1.45;             // times the source's largest acceleration
constexpr double kLowHand = 0.25, kHighHand = 0.4;  // leg lengths over the ground: a hand no lower than the source's

// Turns a joint as a ball does, without limits that could be met.
bool turns_freely(const Model& model, int link, bool limits) {
  const ModelJoint& joint = model.joint(link);
  if (joint.mimic || joint.v_count < 3) return false;
  const bool rotates = std::holds_alternative<Spherical>(joint.type) || std::holds_alternative<Euler>(joint.type) ||
                       std::holds_alternative<Free>(joint.type) || std::holds_alternative<FreeEuler>(joint.type);
  if (!rotates || !limits) return rotates;
  if (joint.cone) return false;
  for (int k = 0; k < joint.q_count; ++k) {
    if (std::isfinite(model.lower()[joint.q_index + k]) || std::isfinite(model.upper()[joint.q_index + k]))
      return false;
  }
  return true;
}

class RetargetPoser {
 public:
  explicit RetargetPoser(const PoseInput& in)
      : tracks_(in.source),
        target_(in.target),
        figure_(in.figure),
        target_rest_(in.target_rest),
        to_(in.anatomy),
        plan_(in.plan),
        options_(in.options),
        z_up_(in.z_up),
        rest_(in.rest),
        root_(in.root),
        dt_(in.source.frame_time),
        body_(in.target, in.options.within_limits),
        posed_(at(in.target.link_count()), 0) {}

  PosedClip run() {
    out_.frame_time = dt_;
    out_.q_size = target_.q_size();
    VecX q = rest_;
    if (options_.within_limits) clamp(target_, q);  // joints that no bone turns may rest outside
    for (int f = 0; f < frames(); ++f) out_.append(q);
    place_root();
    for (std::size_t k = 0; k < target_rest_.spine.size(); ++k) {
      if (!is_with_next(k)) turn_link(target_rest_.spine[k].link, link_rotations(plan_.spine[k], to_.spine[k]));
    }
    turn_link(figure_.neck, wanted(kNeck));
    turn_link(figure_.head, wanted(kHead));
    pose_legs();
    for (int side = 0; side < 2; ++side) pose_arm(side);
    for (std::size_t k = 0; k < target_rest_.others.size(); ++k) {
      turn_link(target_rest_.others[k].link, link_rotations(plan_.others[k], to_.others[k]));
    }
    // Lengths that overflow leave nothing to carry over.
    for (int f = 0; f < frames(); ++f) {
      const bool finite = Eigen::Map<const VecX>(out_.frame(f), out_.q_size).allFinite();
      if (!finite) std::copy_n(q.data(), out_.q_size, out_.frame(f));
    }
    PosedClip posed{std::move(out_), hands_, hand_error_};
    for (int side = 0; side < 2; ++side) posed.support[side] = std::move(support_[side]);
    return posed;
  }

 private:
  int frames() const { return tracks_.frames; }
  Mat3 world(const Mat3& R) const { return z_up_.transpose() * R; }
  Vec3 world(const Vec3& p) const { return z_up_.transpose() * p; }

  // Hinges of a waist lie on top of each other: together they turn the link of the last.
  bool is_with_next(std::size_t k) const {
    const std::vector<BoneTrack>& spine = target_rest_.spine;
    if (k + 1 >= spine.size() || target_.joint(spine[k].link).v_count >= 3) return false;
    const double trunk = (target_rest_.shoulders(0) - target_rest_.hips(0)).norm();
    return (spine[k + 1].place[0] - spine[k].place[0]).norm() < kSameWaist * trunk;
  }

  Transform frame_of(int link, int f) const {
    Transform X;
    std::vector<int> path;
    for (; link >= 0; link = target_.parent(link)) path.push_back(link);
    for (std::size_t k = path.size(); k-- > 0;) {
      const ModelJoint& joint = target_.joint(path[k]);
      const double* q = out_.frame(f) + joint.q_index;
      double mimicked = 0.0;
      if (joint.mimic) {
        mimicked = joint.multiplier * q[0] + joint.offset;
        q = &mimicked;
      }
      X = X * joint.origin * joint_transform(joint.type, q);
    }
    return X;
  }
  std::vector<Transform> frames_of(int link) const {
    std::vector<Transform> frames(at(this->frames()));
    if (link >= 0) {
      for (int f = 0; f < this->frames(); ++f) frames[at(f)] = frame_of(link, f);
    }
    return frames;
  }
  int posed_above(int link) const {
    for (link = target_.parent(link); link >= 0; link = target_.parent(link)) {
      if (posed_[at(link)] != 0) return link;
    }
    return -1;
  }
  void mark(int link) {
    for (; link >= 0 && posed_[at(link)] == 0; link = target_.parent(link)) posed_[at(link)] = 1;
  }

  // Coordinates of a joint that bring its link nearest to what is wanted in each frame.
  void fit_directly(int link, const std::vector<Transform>& wanted) {
    const int parent = target_.parent(link);
    const ModelJoint& joint = target_.joint(link);
    for (int f = 0; f < frames(); ++f) {
      if (parent >= 0) body_.X[at(parent)] = frame_of(parent, f);
      VecX q = Eigen::Map<const VecX>(out_.frame(f), out_.q_size);
      if (f > 0) std::copy_n(out_.frame(f - 1) + joint.q_index, joint.q_count, q.data() + joint.q_index);
      body_.fit(link, wanted[at(f)], q);
      std::copy_n(q.data() + joint.q_index, joint.q_count, out_.frame(f) + joint.q_index);
    }
    mark(link);
  }

  // Further bones that the map names inside a chain: before what hangs on them.
  void turn_others_above(int link) {
    for (std::size_t k = 0; k < target_rest_.others.size(); ++k) {
      const int other = target_rest_.others[k].link;
      if (other < link && link < target_.subtree_end(other)) {
        turn_link(other, link_rotations(plan_.others[k], to_.others[k]));
      }
    }
  }

  // Turns a link (rotations with z up) by its own joint, or by all joints since the last link that was posed.
  void turn_link(int link, const std::vector<Mat3>& rotations) {
    if (link < 0 || rotations.empty() || posed_[at(link)] != 0) return;
    turn_others_above(link);
    const ModelJoint& joint = target_.joint(link);
    const bool ball = !joint.mimic && joint.v_count >= 3;
    if (ball) {
      std::vector<Transform> wanted(at(frames()));
      for (int f = 0; f < frames(); ++f) {
        wanted[at(f)] = target_.parent(link) >= 0 ? frame_of(target_.parent(link), f) * joint.origin : joint.origin;
        wanted[at(f)].rotation = world(rotations[at(f)]);
      }
      if (joint.v_count >= 6) {  // its translation stays as it is at rest
        for (int f = 0; f < frames(); ++f) wanted[at(f)].position = frame_of(link, f).position;
      }
      fit_directly(link, wanted);
      return;
    }
    const int base = posed_above(link);
    LimbFit fit(target_, base, {link}, options_.within_limits);
    mark(link);
    if (fit.empty()) return;
    const std::vector<Transform> hung = frames_of(base);
    fit.start(out_.values.data(), out_.q_size, &hung, frames());
    fit_together(fit, {turn_goal(link, rotations, constant(1.0))}, 8, 0.2);
  }

  LimbGoal turn_goal(int link, const std::vector<Mat3>& rotations, const std::vector<double>& weight,
                     double yaw = 1.0) const {
    LimbGoal goal;
    goal.kind = LimbGoal::turn;
    goal.link = link;
    for (int f = 0; f < frames(); ++f) {
      goal.rotation.push_back(world(rotations[at(f)]));
      goal.weight.push_back((z_up_.transpose() * Vec3(weight[at(f)], weight[at(f)], yaw * weight[at(f)])).cwiseAbs());
    }
    return goal;
  }
  LimbGoal point_goal(LimbGoal::Kind kind, int link, int from, const Vec3& local, const std::vector<Vec3>& targets,
                      const std::vector<double>& weight) const {
    LimbGoal goal;
    goal.kind = kind;
    goal.link = link;
    goal.from = from;
    goal.local = local;
    for (int f = 0; f < frames(); ++f) {
      goal.target.push_back(world(targets[at(f)]));
      goal.weight.push_back(Vec3::Constant(weight[at(f)]));
    }
    return goal;
  }
  static std::vector<Vec3> columns(const std::vector<Mat3>& frames, int k) {
    std::vector<Vec3> out;
    for (const Mat3& frame : frames) out.emplace_back(frame.col(k));
    return out;
  }
  std::vector<double> constant(double value) const { return std::vector<double>(at(frames()), value); }

  std::vector<Mat3> link_rotations(const std::vector<Mat3>& anatomical, const Mat3& A) const {
    std::vector<Mat3> out;
    for (const Mat3& frame : anatomical) out.push_back(frame * A.transpose());
    return out;
  }
  std::vector<Mat3> wanted(int part) const { return link_rotations(plan_.frame[part], to_.part[part]); }

  bool all_balls(int base, int end) const {
    for (int link = end; link > base && link >= 0; link = target_.parent(link)) {
      const ModelJoint& joint = target_.joint(link);
      if (joint.mimic || (joint.q_count > 0 && !turns_freely(target_, link, options_.within_limits))) return false;
    }
    return true;
  }

  void place_root() {
    const int pelvis = figure_.pelvis;
    if (pelvis < 0) return;
    const std::vector<Mat3> turns = wanted(kPelvis);
    if (turns.empty()) return;
    if (root_ < 0) {
      turn_link(pelvis, turns);
      return;
    }
    State rest;
    forward(target_, rest_, rest);
    const Transform& at_rest = rest.X_WL[at(pelvis)];
    const Vec3 middle = at_rest.rotation.transpose() * (world(target_rest_.hips(0)) - at_rest.position);
    const Transform to_root = at_rest.inverse() * rest.X_WL[at(root_)];
    std::vector<Transform> frames(at(this->frames()));
    for (int f = 0; f < this->frames(); ++f) {
      Transform X;
      X.rotation = world(turns[at(f)]);
      X.position = world(plan_.hips[at(f)]) - X.rotation * middle;
      frames[at(f)] = X * to_root;
    }
    fit_directly(root_, frames);
    mark(pelvis);
  }

  // Bones between hips and thigh rest: the plan hung the leg on the pelvis. Hinges there are the hip's own.
  void rest_balls_above(int link) {
    for (link = target_.parent(link); link >= 0 && posed_[at(link)] == 0; link = target_.parent(link)) {
      if (target_.joint(link).v_count >= 3) return mark(link);
    }
  }

  // Legs that share a joint (NAO's hips) are fitted together, or one would decide for both.
  void pose_legs() {
    const bool whole = plan_.legs && figure_.has_legs();
    for (int side = 0; side < 2; ++side) {
      if (whole) rest_balls_above(figure_.leg[side].center);
    }
    if (whole && (follows(0) || follows(1))) {
      fit_legs({0, 1});
    } else {
      for (int side = 0; side < 2; ++side) {
        if (plan_.legs && figure_.leg[side].whole()) fit_legs({side});
      }
    }
    for (int side = 0; side < 2; ++side) {
      const FigureLimb& leg = figure_.leg[side];
      if (!plan_.legs || !leg.whole()) {
        for (const int k : {kUpper, kLower, kEnd})
          turn_link(target_rest_.limb(side, true, k).link, wanted(part_of(side, true, k)));
      }
      turn_link(leg.toe, toe_rotations(side));
    }
  }
  // A joint of this leg is coupled to one of the other, and both hang on the same link.
  bool follows(int side) const {
    const FigureLimb &leg = figure_.leg[side], &other = figure_.leg[1 - side];
    const int base = posed_above(leg.center);
    if (posed_above(other.center) != base) return false;
    for (int link = leg.end; link > base; link = target_.parent(link)) {
      const int source = target_.joint(link).source;
      if (source > base && source <= other.end && other.end < target_.subtree_end(source)) return true;
    }
    return false;
  }

  std::vector<Mat3> leg_rotations(int side, int k) const {
    if (k == kEnd) return plan_.foot[side];
    return link_rotations(k == kUpper ? plan_.thigh[side] : plan_.shin[side], to_.part[part_of(side, true, k)]);
  }
  void fit_legs(const std::vector<int>& sides) {
    const int base = posed_above(figure_.leg[sides[0]].center);
    std::vector<int> ends;
    bool balls = true;
    for (const int side : sides) {
      ends.push_back(figure_.leg[side].end);
      balls = balls && all_balls(base, ends.back());
    }
    LimbFit fit(target_, base, ends, options_.within_limits);
    if (balls || fit.empty()) {
      for (const int side : sides) {
        for (const int k : {kUpper, kLower, kEnd})
          turn_link(target_rest_.limb(side, true, k).link, leg_rotations(side, k));
      }
      return;
    }
    std::vector<LimbGoal> near, goals;
    std::vector<LimbFit::Bound> bounds;
    for (const int side : sides) {
      const FigureLimb& leg = figure_.leg[side];
      near.push_back(turn_goal(leg.upper, leg_rotations(side, kUpper), constant(1.0)));
      near.push_back(turn_goal(leg.lower, leg_rotations(side, kLower), constant(1.0)));
      near.push_back(turn_goal(leg.end, leg_rotations(side, kEnd), constant(0.1)));
      add_leg_goals(side, goals);
      bounds.push_back({leg.lower, calm(kLower)});
      bounds.push_back({leg.end, calm(kEnd)});
      keep_knee_forward(side, fit);
    }
    const std::vector<Transform> hung = frames_of(base);
    fit.start(out_.values.data(), out_.q_size, &hung, frames());
    fit.search(near, 25);
    fit.repair(near);
    fit.search(goals, 25);
    fit.repair(goals);
    const std::size_t each = goals.size() / sides.size();
    for (std::size_t k = 0; k < sides.size(); ++k) hold_ball(sides[k], fit, k * each, goals);
    fit_together(fit, goals, 15, 1.0, bounds);
    for (const int end : ends) mark(end);
  }

  double pins() const { return root_ >= 0 ? 10.0 / target_rest_.leg_length() : 0.0; }
  // The ankle's place first.
  void add_leg_goals(int side, std::vector<LimbGoal>& goals) const {
    const FigureLimb& leg = figure_.leg[side];
    std::vector<char> flat(at(frames()));
    for (int f = 0; f < frames(); ++f) flat[at(f)] = plan_.contacts.flat(side, f) ? 1 : 0;
    std::vector<double> foot_weight = smoothed(contact_weights(flat, dt_, 0.05), 0.02 / dt_);
    for (double& w : foot_weight) w = 0.35 + 0.5 * w;
    const Vec3 hinge = to_.part[part_of(side, true, kUpper)].col(0);
    const auto add = [&](LimbGoal goal) { goals.push_back(std::move(goal)); };
    const Vec3 none = Vec3::Zero();
    add(point_goal(LimbGoal::place, leg.end, -1, none, plan_.ankle[side], constant(pins())));
    add(turn_goal(leg.end, plan_.foot[side], foot_weight, 0.25));
    add(point_goal(LimbGoal::direction, leg.lower, leg.center, none, columns(plan_.thigh[side], 2), constant(0.6)));
    add(point_goal(LimbGoal::direction, leg.end, leg.lower, none, columns(plan_.shin[side], 2), constant(0.6)));
    add(point_goal(LimbGoal::axis, leg.upper, -1, hinge, columns(plan_.thigh[side], 0), constant(0.5)));
  }
  // The foot may not reach its heading: its ball stands where the leg puts it, and stays there; nowhere does it sink.
  void hold_ball(int side, const LimbFit& fit, std::size_t ankle, std::vector<LimbGoal>& goals) const {
    const int foot = figure_.leg[side].end;
    std::vector<double> wt = constant(0.0);
    if (!plan_.contacts.toe[side].empty()) wt = contact_weights(plan_.contacts.toe[side], dt_);
    const double ground = plan_.floor + plan_.ball_height[side];
    std::vector<Vec3> ball;
    std::vector<double> sunk;
    for (int f = 0; f < frames(); ++f) {
      ball.push_back(z_up_ * fit.place(f, foot, plan_.ball[side]));
      sunk.push_back(smooth_step((ground - ball.back().z()) / (0.01 * target_rest_.leg_length())));
    }
    sunk = smoothed(running_max(sunk, 1), 0.02 / dt_);
    ball = held(ball, wt, ground);
    // The way to that place eases: the ball is led along it from before it stands to after.
    std::vector<double> led = constant(0.0);
    if (!plan_.contacts.toe[side].empty()) {
      const std::vector<double> stands(plan_.contacts.toe[side].begin(), plan_.contacts.toe[side].end());
      const std::vector<double> around = running_max(stands, static_cast<int>(std::lround(kEases / dt_)));
      led = contact_weights(std::vector<char>(around.begin(), around.end()), dt_, kEases);
    }
    for (Vec3& each : ball) each.z() = std::max(each.z(), ground);
    goals.push_back(point_goal(LimbGoal::place, foot, -1, plan_.ball[side], ball, led));
    for (int f = 0; f < frames(); ++f) {
      const double w = led[at(f)], along = 1.0 - 0.7 * w, up = kFirmGround * std::max(sunk[at(f)], w);
      goals[ankle].weight[at(f)] = pins() * (z_up_.transpose() * Vec3(along, along, 1.0)).cwiseAbs();
      goals.back().weight[at(f)] = pins() * (z_up_.transpose() * Vec3(w, w, up)).cwiseAbs();
    }
  }

  // A knee that is a hinge stays on its side of straight, also where its limits would let it go further.
  void keep_knee_forward(int side, LimbFit& fit) const {
    const int knee = figure_.leg[side].lower;
    const ModelJoint& joint = target_.joint(knee);
    const Revolute* hinge = std::get_if<Revolute>(&joint.type);
    if (const Continuous* endless = std::get_if<Continuous>(&joint.type)) hinge = endless;
    if (hinge == nullptr) return;
    const Vec3 x = target_rest_.limb(side, true, kLower).turn[0] * to_.part[part_of(side, true, kLower)].col(0);
    const auto bone = [&](int k) {
      const Vec3 way = target_rest_.limb(side, true, k + 1).place[0] - target_rest_.limb(side, true, k).place[0];
      return Vec3(way - x * x.dot(way));
    };
    const Vec3 thigh = bone(kUpper), shin = bone(kLower);
    const double bend = math::atan2(thigh.cross(shin).dot(x), thigh.dot(shin));
    const double now = rest_[joint.q_index];
    const bool grows = to_.part[part_of(side, true, kLower)].col(0).dot(hinge->axis) > 0.0;
    fit.narrow(knee, grows ? now - bend : -INFINITY, grows ? INFINITY : now + bend);
  }

  // How much a knee or foot may be accelerated from frame to frame: as the source's, and somewhat more.
  double calm(int part) const {
    double most = 0.0;
    for (int side = 0; side < 2; ++side) {
      const std::vector<Vec3>& way = tracks_.limb(side, true, part).place;
      for (std::size_t f = 1; f + 1 < way.size(); ++f) {
        most = std::max(most, (way[f + 1] - 2.0 * way[f] + way[f - 1]).norm());
      }
    }
    return kCalm * most * target_rest_.leg_length() / tracks_.leg_length();
  }

  // Frame by frame, then all of them.
  void fit_together(LimbFit& fit, const std::vector<LimbGoal>& goals, int together, double smoothness,
                    const std::vector<LimbFit::Bound>& bounds = {}) {
    fit.search(goals, 25);
    fit.repair(goals);
    fit.solve(goals, together, smoothness * kLimbSmoothness * math::power(0.02 / dt_, 4));
    fit.calm(bounds);
    fit.finish(out_.values.data(), out_.q_size);
  }

  // A way that is held still along the ground, at this height, while its point stands.
  std::vector<Vec3> held(std::vector<Vec3> way, const std::vector<double>& stands, double height) const {
    ClipPass ground(frames(), dt_, 1.0, 0.04);
    ClipPass lift(frames(), dt_, 1.0, 0.04);
    for (int f = 0; f < frames(); ++f) {
      lift.place(f, 1e4 * stands[at(f)], Vec3(0.0, 0.0, height - way[at(f)].z()));
      if (f + 1 == frames()) continue;
      const Vec3 slide = way[at(f)] - way[at(f + 1)];
      ground.step(f, 1e6 / math::power(120.0 * dt_, 2) * std::min(stands[at(f)], stands[at(f + 1)]),
                  Vec3(slide.x(), slide.y(), 0.0));
    }
    const std::vector<Vec3> along = ground.solve();
    const std::vector<Vec3> up = lift.solve();
    for (int f = 0; f < frames(); ++f) way[at(f)] += Vec3(along[at(f)].x(), along[at(f)].y(), up[at(f)].z());
    return way;
  }

  // The source's toes, flat while they stand.
  std::vector<Mat3> toe_rotations(int side) const {
    std::vector<Mat3> turns = plan_.frame[part_of(side, true, kToe)];
    if (turns.empty()) return turns;
    if (options_.keep_feet && plan_.legs && !plan_.contacts.toe[side].empty()) {
      const std::vector<double> w = contact_weights(plan_.contacts.toe[side], dt_, 0.05);
      for (int f = 0; f < frames(); ++f) {
        const Vec3 up = turns[at(f)].col(2);
        const Vec3 axis = up.cross(Vec3::UnitZ());
        const double tilt = math::atan2(axis.norm(), up.z());
        const double share = w[at(f)] * (1.0 - smooth_step((tilt - 0.6) / 0.5));
        if (axis.norm() > 1e-12)
          turns[at(f)] = Transform::rotate(axis.normalized(), share * tilt).rotation * turns[at(f)];
      }
    }
    return link_rotations(turns, to_.part[part_of(side, true, kToe)]);
  }

  void pose_arm(int side) {
    const FigureLimb& arm = figure_.arm[side];
    turn_link(arm.collar, wanted(part_of(side, false, kCollar)));
    if (!arm.whole() || !tracks_.whole(side, false)) {
      for (const int k : {kUpper, kLower, kEnd})
        turn_link(target_rest_.limb(side, false, k).link, wanted(part_of(side, false, k)));
      return;
    }
    std::vector<Mat3> upper = plan_.frame[part_of(side, false, kUpper)];
    std::vector<Mat3> lower = plan_.frame[part_of(side, false, kLower)];
    const int base = posed_above(arm.center);
    // Where the shoulder is, for hands on the ground.
    std::vector<Vec3> shoulder;
    for (int f = 0; f < frames(); ++f) {
      shoulder.push_back(z_up_ * frame_of(arm.center, f).position);
    }
    LimbFit fit(target_, base, {arm.end}, options_.within_limits);
    const bool turns_anywhere = all_balls(base, arm.lower) || fit.empty();
    if (options_.keep_hands) pin_hand(side, turns_anywhere, shoulder, upper, lower);
    const std::vector<Mat3> hand = wanted(part_of(side, false, kEnd));
    if (turns_anywhere) {
      turn_link(arm.upper, link_rotations(upper, to_.part[part_of(side, false, kUpper)]));
      turn_link(arm.lower, link_rotations(lower, to_.part[part_of(side, false, kLower)]));
      turn_link(arm.end, hand);
    } else {
      const Vec3 hinge = to_.part[part_of(side, false, kUpper)].col(0);
      std::vector<LimbGoal> goals = {
          point_goal(LimbGoal::direction, arm.lower, arm.center, Vec3::Zero(), columns(upper, 2), constant(1.0)),
          point_goal(LimbGoal::direction, arm.end, arm.lower, Vec3::Zero(), columns(lower, 2), constant(1.0)),
          point_goal(LimbGoal::axis, arm.upper, -1, hinge, columns(upper, 0), constant(0.15))};
      if (!hand.empty()) goals.push_back(turn_goal(arm.end, hand, constant(0.15)));
      const std::vector<Transform> hung = frames_of(base);
      fit.start(out_.values.data(), out_.q_size, &hung, frames());
      fit_together(fit, goals, 8, 0.2);
      mark(arm.end);
    }
    measure_hand(side, shoulder);
  }

  // Hands that stand on the ground (cartwheels, crawling): held there as feet are.
  void pin_hand(int side, bool turns_anywhere, const std::vector<Vec3>& shoulder, std::vector<Mat3>& upper,
                std::vector<Mat3>& lower) {
    const double Ls = tracks_.leg_length();
    if (!plan_.legs || !(Ls > 0.0) || root_ < 0 || frames() < 2) return;
    const double dt = dt_;
    const std::vector<Vec3> hand = smoothed(tracks_.limb(side, false, kEnd).place, 0.012 / dt);
    const std::vector<Vec3> v = velocities(hand, dt);
    std::vector<char> low(at(frames()), 0), stays(at(frames()), 0), stands(at(frames()), 0);
    std::vector<double> heights;
    for (int f = 0; f < frames(); ++f) {
      const double speed = v[at(f)].norm() / Ls;
      const double height = (hand[at(f)].z() - plan_.contacts.floor[at(f)]) / Ls;
      low[at(f)] = speed < 0.6 && height < 0.16 ? 1 : 0;
      stays[at(f)] = speed < 1.2 && height < 0.22 ? 1 : 0;
    }
    for_each_run(stays, 1, [&](int first, int end) {
      const bool begins = std::any_of(low.begin() + first, low.begin() + end, [](char c) { return c != 0; });
      if (begins && (end - first) * dt >= 0.05) std::fill(stands.begin() + first, stands.begin() + end, 1);
    });
    for (int f = 0; f < frames(); ++f) {
      if (stands[at(f)] != 0) heights.push_back(hand[at(f)].z() - plan_.contacts.floor[at(f)]);
    }
    const auto place = [&](int k) { return target_rest_.limb(side, false, k).place[0]; };
    const double a = (place(kLower) - place(kUpper)).norm();
    const double b = (place(kEnd) - place(kLower)).norm();
    std::vector<Vec3> way;
    for (int f = 0; f < frames(); ++f)
      way.push_back(shoulder[at(f)] + a * upper[at(f)].col(2) + b * lower[at(f)].col(2));
    std::vector<Vec3> pinned = way;
    std::vector<double> still(at(frames()), 0.0);
    double highest = INFINITY;
    if (!heights.empty()) {
      highest = percentile(heights, 50.0);
      still = contact_weights(stands, dt, 0.04);
      pinned = held(way, still, plan_.floor + plan_.scale * highest);
    }
    const std::vector<double> lift = lift_hand(side, hand, highest, way, pinned);
    for (int f = 0; f < frames(); ++f) {
      if (!(lift[at(f)] > 0.0)) continue;
      // As far from the shoulder as before, where it does not stand still and limits are in no way: further out rather
      // than by the elbow alone.
      const Vec3 arm = pinned[at(f)] - shoulder[at(f)];
      const double out = arm.head<2>().norm(), height = arm.z() + lift[at(f)];
      const double further = std::sqrt(std::max(0.0, arm.squaredNorm() - height * height)) - out;
      const double share = (1.0 - still[at(f)]) * smooth_step(out / (0.25 * arm.norm()));
      pinned[at(f)].z() += lift[at(f)];
      if (turns_anywhere && further > 0.0 && share > 0.0)
        pinned[at(f)].head<2>() += share * further / out * arm.head<2>();
    }
    for (int f = 0; f < frames(); ++f) {
      if ((pinned[at(f)] - way[at(f)]).norm() < 1e-4 * target_rest_.leg_length()) continue;
      bend_towards(pinned[at(f)] - shoulder[at(f)], a, b, upper[at(f)], lower[at(f)]);
    }
  }

  // Longer arms, or a shorter trunk, would take a hand that is near the ground below it: by bending the arm, and where
  // the hands carry the figure by higher hips in the next plan. `highest`: over the ground, where the source's stands.
  // How much higher, over the frames.
  std::vector<double> lift_hand(int side, const std::vector<Vec3>& hand, double highest, const std::vector<Vec3>& way,
                                const std::vector<Vec3>& pinned) {
    const double Ls = tracks_.leg_length(), Lt = target_rest_.leg_length();
    std::vector<double> sunk(at(frames())), feet(at(frames()), 0.0);
    for (int foot = 0; foot < 2; ++foot) {
      for (const std::vector<char>* states : {&plan_.contacts.heel[foot], &plan_.contacts.toe[foot]}) {
        if (states->empty()) continue;
        const std::vector<double> w = smoothed(contact_weights(*states, dt_, 0.1), 0.03 / dt_);
        for (int f = 0; f < frames(); ++f) feet[at(f)] = std::max(feet[at(f)], w[at(f)]);
      }
    }
    HandSupport& support = support_[side];
    double most = 0.0;
    for (int f = 0; f < frames(); ++f) {
      const double height = hand[at(f)].z() - plan_.contacts.floor[at(f)];
      const double low = 1.0 - smooth_step((height / Ls - kLowHand) / (kHighHand - kLowHand));
      const double wanted = plan_.floor + plan_.scale * std::min(height, highest);
      sunk[at(f)] = low * std::max(0.0, wanted - pinned[at(f)].z());
      const double hips_up = (tracks_.hips(f).z() - tracks_.shoulders(f).z()) / Ls;
      const double carries = low * smooth_step(hips_up / 0.15) * (1.0 - 0.5 * feet[at(f)]);
      const double gap = wanted - way[at(f)].z();
      support.hips.push_back(plan_.hips[at(f)].z() + std::clamp(gap, -0.6 * Lt, 0.6 * Lt));
      support.weight.push_back(carries);
      most = std::max(most, carries * std::abs(gap));
    }
    if (most < 0.01 * Lt || !options_.keep_feet) support = {};
    const int reach = std::max(1, static_cast<int>(std::lround(0.03 / dt_)));
    std::vector<double> rise(at(frames()), 0.0);
    for (int round = 0; round < 3; ++round) {  // a smooth upper envelope, as feet have
      if (*std::max_element(sunk.begin(), sunk.end()) < 0.002 * Lt) break;
      const std::vector<double> lift = smoothed(running_max(sunk, reach), 0.5 * reach);
      for (int f = 0; f < frames(); ++f) {
        rise[at(f)] += lift[at(f)];
        sunk[at(f)] = std::max(0.0, sunk[at(f)] - lift[at(f)]);
      }
    }
    return rise;
  }

  void measure_hand(int side, const std::vector<Vec3>& shoulder) {
    ++hands_;
    const double own = target_rest_.limb_length(side, false);
    const double other = tracks_.limb_length(side, false);
    if (!(own > 0.0 && other > 0.0)) return;
    for (int f = 0; f < frames(); ++f) {
      const Vec3 there = tracks_.limb(side, false, kEnd).place[at(f)] - tracks_.limb(side, false, kUpper).place[at(f)];
      const Vec3 here = z_up_ * frame_of(figure_.arm[side].end, f).position - shoulder[at(f)];
      hand_error_ = std::max(hand_error_, (here - own / other * (plan_.heading * there)).norm());
    }
  }

  const FigureTracks& tracks_;
  const Model& target_;
  const Figure& figure_;
  const FigureTracks& target_rest_;
  const Anatomy& to_;
  const RetargetPlan& plan_;
  const RetargetOptions& options_;
  const Mat3& z_up_;
  const VecX& rest_;
  int root_;
  double dt_;
  Clip out_;
  PosedFigure body_;
  std::vector<char> posed_;  // links whose joints were set, or will not be
  int hands_ = 0;
  double hand_error_ = 0.0;
  HandSupport support_[2];
};

}  // namespace

PosedClip pose_figure(const PoseInput& input) { return RetargetPoser(input).run(); }

}  // namespace armature::inline v0_2
