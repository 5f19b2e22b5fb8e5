// The serial chain between two links of a model: make_chain(model, base, tip) of chain.hpp.
#include <algorithm>
#include <cmath>

#include "armature/kinematics/chain.hpp"

namespace armature::inline v0_2 {
namespace {

/// One elementary motion of a joint, in the order in which they apply.
struct ChainMotion {
  ChainJointKind kind;
  Vec3 axis;
};

/// A joint as revolute and prismatic motions, one per coordinate; false for joints that are none.
bool elementary(const JointType& type, std::vector<ChainMotion>& out) {
  out.clear();
  const auto turn = [&](const Vec3& axis) { out.push_back({ChainJointKind::revolute, axis}); };
  const auto slide = [&](const Vec3& axis) { out.push_back({ChainJointKind::prismatic, axis}); };
  if (std::holds_alternative<Fixed>(type)) return true;
  if (const auto* j = std::get_if<Revolute>(&type)) return turn(j->axis), true;
  if (const auto* j = std::get_if<Continuous>(&type)) return turn(j->axis), true;
  if (const auto* j = std::get_if<Prismatic>(&type)) return slide(j->axis), true;
  if (const auto* j = std::get_if<Cylindrical>(&type)) return turn(j->axis), slide(j->axis), true;
  if (const auto* j = std::get_if<Universal>(&type)) return turn(j->axis), turn(j->axis2), true;
  if (const auto* j = std::get_if<Planar>(&type)) {
    slide(j->x_axis);
    slide(j->normal.cross(j->x_axis));
    turn(j->normal);
    return true;
  }
  if (const auto* j = std::get_if<Euler>(&type)) {
    for (int axis : j->order.axis) turn(Vec3::Unit(axis));
    return true;
  }
  return false;
}

class Builder {
 public:
  explicit Builder(const Model& model) : model_(model) {}

  Status add(int link, bool reversed) {
    const ModelJoint& joint = model_.joint(link);
    if (!elementary(joint.type, motions_)) {
      return Error{"Joint '" + joint.name + "' is " + type_name(joint.type) +
                   "; a serial chain is made of joints that turn about or slide along axes."};
    }
    const int count = static_cast<int>(motions_.size());
    if (out_.joints.size() + motions_.size() > kMaxChainJoints) {
      return Error{"The chain has more than " + std::to_string(kMaxChainJoints) +
                   " joints, the most that a serial chain may have."};
    }
    if (!reversed) gap_ = gap_ * joint.origin;
    for (int k = 0; k < count; ++k) {
      const int c = reversed ? count - 1 - k : k;
      const ChainMotion& motion = motions_[static_cast<std::size_t>(c)];
      ChainCoordinate source{joint.q_index + c, joint.v_index + c, joint.multiplier, joint.offset};
      if (!joint.mimic) source.multiplier = 1.0, source.offset = 0.0;
      for (const ChainCoordinate& other : out_.coordinates) {
        if (other.coordinate == source.coordinate) {
          return Error{"Joint '" + joint.name +
                       "' moves in step with another joint of the chain; a serial chain needs independent joints."};
        }
      }
      if (source.multiplier == 0.0) return Error{"Joint '" + joint.name + "' follows another with multiplier 0."};
      const double a = source.multiplier * model_.lower()[source.coordinate] + source.offset;
      const double b = source.multiplier * model_.upper()[source.coordinate] + source.offset;
      out_.joints.push_back(
          {motion.kind, gap_, reversed ? Vec3(-motion.axis) : motion.axis, std::min(a, b), std::max(a, b)});
      out_.coordinates.push_back(source);
      gap_ = Transform::identity();
    }
    if (reversed) gap_ = gap_ * joint.origin.inverse();
    return {};
  }

  Result<ModelChain> finish(int base, int tip, const Vec3& point) {
    if (out_.joints.empty()) return Error{"No joint moves between the two links, so there is no chain."};
    out_.chain = armature::make_chain(out_.joints, gap_ * Transform::translate(point));
    out_.base = base;
    out_.tip = tip;
    return std::move(out_);
  }

 private:
  const Model& model_;
  ModelChain out_;
  Transform gap_;  // placement collected since the last moving joint
  std::vector<ChainMotion> motions_;
};

}  // namespace

Result<ModelChain> make_chain(const Model& model, int base, int tip, const Vec3& point) {
  const auto exists = [&](int link) { return link >= kWorld && link < model.link_count(); };
  ARMATURE_CHECK(exists(base) && exists(tip), "make_chain: no such link");
  if (!(point.cwiseAbs().maxCoeff() < 1e100))
    return Error{"The goal's point lies too far from its link: squares of its distance are no numbers."};
  // Climb from the base to the common ancestor, then descend to the tip.
  std::vector<int> down;
  for (int link = tip; link != kWorld; link = model.parent(link)) down.push_back(link);
  Builder builder(model);
  int link = base;
  while (link != kWorld && std::find(down.begin(), down.end(), link) == down.end()) {
    if (Status added = builder.add(link, true); !added) return added.error();
    link = model.parent(link);
  }
  while (!down.empty() && link != kWorld && down.back() != link) down.pop_back();  // what lies above the ancestor
  if (link != kWorld) down.pop_back();                                             // the ancestor itself
  for (auto l = down.rbegin(); l != down.rend(); ++l) {
    if (Status added = builder.add(*l, false); !added) return added.error();
  }
  return builder.finish(base, tip, point);
}

Result<ModelChain> lock_joints(const ModelChain& chain, const char* locked, const double* values) {
  ModelChain out;
  out.base = chain.base;
  out.tip = chain.tip;
  Transform gap, whole;  // gap: collected since the last joint that moves
  for (std::size_t i = 0; i < chain.joints.size(); ++i) {
    const ChainJoint& joint = chain.joints[i];
    whole = whole * joint.origin;
    gap = gap * joint.origin;
    if (locked[i] != 0) {
      gap = gap * (joint.kind == ChainJointKind::prismatic ? Transform::translate(joint.axis * values[i])
                                                           : Transform::rotate(joint.axis, values[i]));
      continue;
    }
    out.joints.push_back(joint);
    out.joints.back().origin = gap;
    out.coordinates.push_back(chain.coordinates[i]);
    gap = Transform::identity();
  }
  if (out.joints.empty()) return Error{"Every joint between the two links is locked, so there is no chain."};
  Transform X_BT;
  const std::vector<double> zero(chain.joints.size(), 0.0);
  forward(chain.chain, zero.data(), X_BT);
  out.chain = make_chain(out.joints, gap * (whole.inverse() * X_BT));
  return out;
}

}  // namespace armature::inline v0_2
