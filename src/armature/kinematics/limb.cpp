#include "armature/kinematics/limb.hpp"

#include "armature/base/suggest.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

// The nearest link inwards whose origin is another point than this link's; kWorld when there is none.
int next_inwards(const Model& model, const State& state, int link) {
  const auto origin = [&](int l) -> const Vec3& { return state.X_WL[static_cast<std::size_t>(l)].position; };
  int inner = model.parent(link);
  while (inner != kWorld && (origin(inner) - origin(link)).norm() < 1e-9 * model.size()) inner = model.parent(inner);
  return inner;
}

}  // namespace

Status find_limb_links(const Model& model, int end, int& middle, int& upper) {
  State state;
  forward(model, neutral_pose(model), state);
  if (middle == kWorld) middle = next_inwards(model, state, end);
  bool inside = false;
  for (int link = model.parent(end); link != kWorld; link = model.parent(link)) inside = inside || link == middle;
  if (inside && upper == kWorld) upper = next_inwards(model, state, middle);
  if (inside && upper != kWorld) return {};
  return Error{"The middle of a limb (here " +
               (middle == kWorld ? std::string("none is found") : detail::quoted(model.link_name(middle))) +
               ") lies between its upper link and its end " + detail::quoted(model.link_name(end)) +
               ", and the three have different origins."};
}

}  // namespace armature::inline v0_2
