#include "armature/solve/registry.hpp"

#include "armature/base/suggest.hpp"
#include "armature/solve/methods/analytic.hpp"
#include "armature/solve/methods/auto.hpp"
#include "armature/solve/methods/ccd.hpp"
#include "armature/solve/methods/ccd_ranked.hpp"
#include "armature/solve/methods/dls.hpp"
#include "armature/solve/methods/fabrik.hpp"
#include "armature/solve/methods/follow.hpp"
#include "armature/solve/methods/inverse.hpp"
#include "armature/solve/methods/pseudoinverse.hpp"
#include "armature/solve/methods/reach.hpp"
#include "armature/solve/methods/sdls.hpp"
#include "armature/solve/methods/transpose.hpp"
#include "armature/solve/methods/two_link.hpp"

namespace armature::inline v0_2 {
namespace {

template <class Method>
std::unique_ptr<Solver> make() {
  return std::make_unique<Method>();
}

// The list. Surfaces show methods in this order.
// clang-format off
constexpr BuiltinMethod kSolvers[] = {
    {kAutoInfo, make<Auto>},
    {kAnalyticInfo, make<Analytic>},
    {kTwoLinkInfo, make<TwoLink>},
    {kInverseInfo, make<Inverse>},
    {kPseudoinverseInfo, make<Pseudoinverse>},
    {kDlsInfo, make<Dls>},
    {kSdlsInfo, make<Sdls>},
    {kTransposeInfo, make<Transpose>},
    {kCcdInfo, make<Ccd>},
    {kCcdRankedInfo, make<CcdRanked>},
    {kFabrikInfo, make<Fabrik>},
    {kReachInfo, make<Reach>},
    {kFollowInfo, make<Follow>},
};
// clang-format on

}  // namespace

std::span<const BuiltinMethod> solvers() { return kSolvers; }

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const BuiltinMethod& entry : kSolvers) names.emplace_back(entry.info.name);
  return names;
}

Result<std::unique_ptr<Solver>> make_solver(std::string_view name) {
  for (const BuiltinMethod& entry : kSolvers) {
    if (name == entry.info.name) return entry.make();
  }
  return Error{unknown_name("method", name, solver_names())};
}

}  // namespace armature::inline v0_2
