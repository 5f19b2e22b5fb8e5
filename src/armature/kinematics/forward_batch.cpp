#include "armature/kinematics/forward_batch.hpp"

#include <algorithm>
#include <cstring>

#include "armature/base/isa.hpp"
#include "armature/kinematics/forward_lanes.hpp"

namespace armature::inline v0_2 {
namespace {

using Op = LinkKernel::Op;

int lane_count() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (isa_available(Isa::avx512)) return avx512::forward_lane_count();
  if (isa_available(Isa::avx2)) return avx2::forward_lane_count();
#endif
  return baseline::forward_lane_count();
}
bool run_lanes(const LanesCall& call) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (isa_available(Isa::avx512)) return avx512::forward_lanes(call);
  if (isa_available(Isa::avx2)) return avx2::forward_lanes(call);
#endif
  return baseline::forward_lanes(call);
}
void run_lanes(const JacobianCall& call) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (isa_available(Isa::avx512)) return avx512::jacobian_lanes(call);
  if (isa_available(Isa::avx2)) return avx2::jacobian_lanes(call);
#endif
  return baseline::jacobian_lanes(call);
}

// The axis that a placement turns about exactly: two products for each number instead of three.
int turned_about(const LinkKernel& k) {
  const double(*m)[4] = k.placement;
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    if (m[a][a] == 1.0 && m[a][b] == 0.0 && m[a][c] == 0.0 && m[b][a] == 0.0 && m[c][a] == 0.0 && m[b][b] == m[c][c] &&
        m[b][c] == -m[c][b]) {
      return a;
    }
  }
  return 3;
}

std::size_t size_of(int n) { return static_cast<std::size_t>(n); }

}  // namespace

ForwardBatch::Plan ForwardBatch::make_plan(const std::vector<int>& links, bool keep_all) const {
  const LinkKernels& kernels = model_.kernels();
  std::vector<int> out(size_of(model_.link_count()), -1);
  std::vector<char> needed(out.size(), 0);
  for (std::size_t n = 0; n < links.size(); ++n) {
    int& first = out[size_of(links[n])];
    if (first < 0) first = static_cast<int>(n);  // the others are copies
    for (int i = links[n]; i != kWorld && needed[size_of(i)] == 0; i = model_.parent(i)) needed[size_of(i)] = 1;
  }
  Plan plan;
  std::vector<int> step_of(out.size(), -1);
  for (int i = 0; i < model_.link_count(); ++i) {
    if (needed[size_of(i)] == 0) continue;
    Step step;
    step.link = i;
    step.out = out[size_of(i)];
    step.placed_about = turned_about(kernels.links[size_of(i)]);
    if (keep_all) step.keep = plan.kept++;
    const int parent = model_.parent(i);
    const int last = static_cast<int>(plan.steps.size()) - 1;
    if (parent == kWorld) {
      step.from = Step::kFromWorld;
    } else if (step_of[size_of(parent)] != last) {
      Step& above = plan.steps[size_of(step_of[size_of(parent)])];
      if (above.keep < 0) above.keep = plan.kept++;
      step.from = above.keep;
    }
    step_of[size_of(i)] = last + 1;
    plan.steps.push_back(step);
    for (int slot = kernels.slot_begin[size_of(i)]; slot < kernels.slot_begin[size_of(i + 1)]; ++slot) {
      plan.slots.push_back(slot);
    }
  }
  return plan;
}

ForwardBatch::ForwardBatch(const Model& model, const std::vector<int>& links) : model_(model), wanted_(links) {
  if (wanted_.empty()) {
    for (int i = 0; i < model.link_count(); ++i) wanted_.push_back(i);
  }
  for (const int link : wanted_) {
    ARMATURE_CHECK(link >= 0 && link < model.link_count(), "ForwardBatch: a link of another model");
    static_cast<void>(link);
  }
  all_ = make_plan(wanted_, false);
  resize(model, state_);
  one_.resize(6, model.v_size());
  const int lanes = lane_count(), angles = 4 * static_cast<int>(model.kernels().angles.size());
  scratch_.resize(size_of(lanes * (2 * angles + 12 * model.link_count())));
  pose_.resize(size_of(lanes * model.q_size()));
  result_.resize(size_of(lanes) * std::max(12 * wanted_.size(), 6 * size_of(model.v_size())));
}

void ForwardBatch::one(Out kind, const double* pose, double* out) {
  forward(model_, pose, state_);
  for (const int link : wanted_) {
    const Transform& X = state_.X_WL[size_of(link)];
    const int size = kind == Out::positions ? 3 : 12;
    std::memcpy(out, X.position.data(), size_of(size) * sizeof(double));
    out += size;
  }
}

void ForwardBatch::run(const Plan& plan, Out kind, const double* poses, std::int64_t count, double* out) {
  const int lanes = lane_count(), q_size = model_.q_size();
  const std::int64_t size = kind == Out::positions ? 3 : 12;
  const std::int64_t stride = size * link_count();
  LanesCall call{model_};
  call.steps = plan.steps.data();
  call.step_count = static_cast<int>(plan.steps.size());
  call.slots = plan.slots.data();
  call.slot_count = static_cast<int>(plan.slots.size());
  call.sines = scratch_.data();
  call.kept = scratch_.data() + std::size_t{8} * model_.kernels().angles.size() * size_of(lanes);
  call.positions = kind == Out::positions;
  call.out_stride = stride;
  for (std::int64_t n = 0; n < count; n += lanes) {
    const int here = static_cast<int>(std::min<std::int64_t>(lanes, count - n));
    call.poses = poses + n * q_size;
    call.out = out + n * stride;
    if (here < lanes) {  // the last pose fills the lanes that are left
      for (int lane = 0; lane < lanes; ++lane) {
        std::copy_n(call.poses + std::min(lane, here - 1) * q_size, q_size, pose_.data() + lane * q_size);
      }
      call.poses = pose_.data();
      call.out = result_.data();
    }
    if (!run_lanes(call)) {
      for (int lane = 0; lane < here; ++lane) one(kind, call.poses + lane * q_size, call.out + lane * stride);
    }
    if (here < lanes) std::copy_n(result_.data(), here * stride, out + n * stride);
  }
  // Links that were asked for again.
  for (std::size_t k = 0; k < wanted_.size(); ++k) {
    const auto first =
        static_cast<std::size_t>(std::find(wanted_.begin(), wanted_.end(), wanted_[k]) - wanted_.begin());
    if (first == k) continue;
    for (std::int64_t n = 0; n < count; ++n) {
      std::copy_n(out + n * stride + static_cast<std::int64_t>(first) * size, size,
                  out + n * stride + static_cast<std::int64_t>(k) * size);
    }
  }
}

void ForwardBatch::frames(const double* poses, std::int64_t count, Transform* out) {
  if (count > 0) run(all_, Out::frames, poses, count, out->position.data());
}

void ForwardBatch::positions(const double* poses, std::int64_t count, double* out) {
  if (count > 0) run(all_, Out::positions, poses, count, out);
}

// What moves the link, joint by joint; false where a joint has several velocities, which the lanes do not take.
bool ForwardBatch::prepare_columns(int link) {
  if (chain_of_ == link) return chain_in_lanes_;
  chain_of_ = link;
  chain_ = make_plan({link}, true);
  columns_.clear();
  for (const Step& step : chain_.steps) {
    const ModelJoint& joint = model_.joint(step.link);
    const LinkKernel& kernel = model_.kernels().links[size_of(step.link)];
    if (joint.v_count == 0) continue;
    const bool turns = kernel.op >= Op::turn_x && kernel.op <= Op::turn_any;
    if (!turns && kernel.op != Op::slide) return chain_in_lanes_ = false;
    Vec6 twist[kMaxJointVelocities];
    const double zero[kMaxJointCoordinates] = {};
    joint_twists(joint.type, zero, twist);  // the same at every value
    Column column;
    column.keep = step.keep;
    column.velocity = joint.v_index;
    column.slides = !turns;
    for (const Column& other : columns_) column.first = column.first && other.velocity != column.velocity;
    for (int r = 0; r < 3; ++r) column.axis[r] = joint.multiplier * twist[0][column.slides ? r : 3 + r];
    columns_.push_back(column);
  }
  return chain_in_lanes_ = true;
}

void ForwardBatch::jacobians(const double* poses, std::int64_t count, int link, const Vec3& point, double* out) {
  ARMATURE_CHECK(link >= 0 && link < link_count(), "ForwardBatch: there is no such link in its list");
  const int tip = wanted_[size_of(link)], lanes = lane_count(), q_size = model_.q_size();
  const std::int64_t stride = std::int64_t{6} * model_.v_size();
  const bool in_lanes = prepare_columns(tip);
  LanesCall call{model_};
  call.steps = chain_.steps.data();
  call.step_count = static_cast<int>(chain_.steps.size());
  call.slots = chain_.slots.data();
  call.slot_count = static_cast<int>(chain_.slots.size());
  call.sines = scratch_.data();
  call.kept = scratch_.data() + std::size_t{8} * model_.kernels().angles.size() * size_of(lanes);
  JacobianCall wanted;
  wanted.columns = columns_.data();
  wanted.column_count = static_cast<int>(columns_.size());
  wanted.kept = call.kept;
  wanted.tip = chain_.steps.back().keep;
  wanted.point = point.data();
  wanted.out_stride = stride;
  for (std::int64_t n = 0; n < count; n += lanes) {
    const int here = static_cast<int>(std::min<std::int64_t>(lanes, count - n));
    call.poses = poses + n * q_size;
    if (here < lanes) {
      for (int lane = 0; lane < lanes; ++lane) {
        std::copy_n(call.poses + std::min(lane, here - 1) * q_size, q_size, pose_.data() + lane * q_size);
      }
      call.poses = pose_.data();
    }
    if (in_lanes && run_lanes(call)) {
      wanted.out = here < lanes ? result_.data() : out + n * stride;
      std::fill_n(wanted.out, lanes * stride, 0.0);
      run_lanes(wanted);
      if (here < lanes) std::copy_n(result_.data(), here * stride, out + n * stride);
      continue;
    }
    for (int lane = 0; lane < here; ++lane) {
      forward(model_, call.poses + lane * q_size, state_);
      jacobian(model_, state_, tip, point, one_);
      std::copy_n(one_.data(), stride, out + (n + lane) * stride);
    }
  }
}

}  // namespace armature::inline v0_2
