#include "armature/solve/registry.hpp"

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

template <class M>
std::unique_ptr<Method> make() {
  return std::make_unique<M>();
}

template <class M>
std::unique_ptr<Method> make_with(const typename M::Options& options) {
  auto method = std::make_unique<M>();
  static_cast<typename M::Options&>(method->settings) = options;
  return method;
}

// The list. Surfaces show methods in this order.
// clang-format off
constexpr BuiltinMethod kMethods[] = {
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

std::span<const BuiltinMethod> builtin_methods() { return kMethods; }

std::unique_ptr<Method> make_method(const InverseOptions& options) { return make_with<Inverse>(options); }
std::unique_ptr<Method> make_method(const PseudoinverseOptions& options) { return make_with<Pseudoinverse>(options); }
std::unique_ptr<Method> make_method(const DlsOptions& options) { return make_with<Dls>(options); }
std::unique_ptr<Method> make_method(const SdlsOptions& options) { return make_with<Sdls>(options); }
std::unique_ptr<Method> make_method(const TransposeOptions& options) { return make_with<Transpose>(options); }
std::unique_ptr<Method> make_method(const CcdOptions& options) { return make_with<Ccd>(options); }
std::unique_ptr<Method> make_method(const CcdRankedOptions& options) { return make_with<CcdRanked>(options); }
std::unique_ptr<Method> make_method(const FabrikOptions& options) { return make_with<Fabrik>(options); }
std::unique_ptr<Method> make_method(const TwoLinkOptions& options) { return make_with<TwoLink>(options); }
std::unique_ptr<Method> make_method(const AnalyticOptions& options) { return make_with<Analytic>(options); }
std::unique_ptr<Method> make_method(const ReachOptions& options) { return make_with<Reach>(options); }
std::unique_ptr<Method> make_method(const FollowOptions& options) { return make_with<Follow>(options); }

}  // namespace armature::inline v0_2
