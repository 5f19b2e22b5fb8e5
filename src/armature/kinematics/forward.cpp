#include "armature/kinematics/forward.hpp"

#include "armature/base/isa.hpp"
#include "armature/kinematics/forward_pass.hpp"

namespace armature::inline v0_2 {
namespace {

// The joint's coordinates, a mimic's computed from its source's into `value`.
const double* own_coordinates(const ModelJoint& joint, const double* q, double* value) {
  const double* own = q + joint.q_index;
  if (!joint.mimic) return own;
  value[0] = joint.multiplier * own[0] + joint.offset;
  return value;
}

void pass(const Model& model, const double* q, int begin, int end, State& state) {
  double* const sines = state.scratch.data();
  double* const cosines = sines + state.scratch.size() / 2;
#if defined(__x86_64__) && defined(__GNUC__)
  if (isa_available(Isa::avx2)) return avx2::forward_pass(model, q, begin, end, sines, cosines, state.X_WL.data());
#endif
  baseline::forward_pass(model, q, begin, end, sines, cosines, state.X_WL.data());
}

}  // namespace

void resize(const Model& model, State& state) {
  state.X_WL.resize(static_cast<std::size_t>(model.link_count()));
  state.q.resize(static_cast<std::size_t>(model.q_size()));
  state.scratch.resize(8 * model.kernels().angles.size());  // sines, then cosines
  state.model = model;
}

namespace {
void start(const Model& model, const double* q, State& state) {
  const bool fits = state.model == model && static_cast<int>(state.X_WL.size()) == model.link_count() &&
                    static_cast<int>(state.q.size()) == model.q_size() &&
                    state.scratch.size() >= 8 * model.kernels().angles.size();
  if (!fits) resize(model, state);
  std::copy(q, q + model.q_size(), state.q.begin());
}
}  // namespace

void forward(const Model& model, const double* q, State& state) {
  start(model, q, state);
  pass(model, q, 0, model.link_count(), state);
}

void forward_from(const Model& model, const double* q, int link, State& state) {
  ARMATURE_CHECK(state.model == model, "forward_from: run forward() on this state first");
  std::copy(q, q + model.q_size(), state.q.begin());
  pass(model, q, link, model.subtree_end(link), state);
}

void forward_links(const Model& model, const double* q, const std::vector<int>& links, State& state) {
  start(model, q, state);
  for (std::size_t i = 0; i < links.size();) {  // runs of neighbours in one pass each
    std::size_t next = i + 1;
    while (next < links.size() && links[next] == links[next - 1] + 1) ++next;
    pass(model, q, links[i], links[next - 1] + 1, state);
    i = next;
  }
}

void traverse(const Model& model, const VecX& q, const DrawCallback& draw) {
  ARMATURE_CHECK(q.size() == model.q_size(), "traverse: the pose has another size than the model's");
  struct Entry {
    int link;
    Mat4 X_WL;
  };
  std::vector<Entry> stack;  // the path from the root to the link at hand
  double value[1];
  for (int i = 0; i < model.link_count(); ++i) {
    const ModelJoint& joint = model.joint(i);
    while (!stack.empty() && stack.back().link != joint.parent) stack.pop_back();
    const Mat4 above = stack.empty() ? Mat4(Mat4::Identity()) : stack.back().X_WL;
    const Mat4 X_WL =
        above * joint.origin.matrix() * joint_transform(joint.type, own_coordinates(joint, q.data(), value)).matrix();
    stack.push_back({i, X_WL});
    // The readying matrix stays with this link's geometry: it is not on the stack.
    for (const Visual& visual : model.visuals(i)) draw(i, visual, X_WL * visual.X_LG);
  }
}

}  // namespace armature::inline v0_2
