// The default: analysis where the chain has a closed form that is quicker than a search, `two_link` where the limb is
// one, `reach` for everything else and where those find no pose inside limits. The report says which answered (method)
// and why.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "armature/solve/methods/analytic.hpp"
#include "armature/solve/methods/reach.hpp"
#include "armature/solve/methods/two_link.hpp"

namespace armature::inline v0_2 {

inline constexpr MethodInfo kAutoInfo{"auto", "Automatic", "Global",
                                      "Analysis where the arm has a closed form, reach otherwise; says which and why"};

class Auto : public MethodWith<ReachOptions, ReachSettings> {
 public:
  const MethodInfo& info() const override { return kAutoInfo; }
  Status check(const Problem& problem) const override { return check_problem(problem); }
  const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) override;
  void solve_together(const Problem& problem, std::span<const Goal> goals, std::span<char> asked, MatX& poses,
                      std::span<Report> reports) override;

  bool only_decides = false;  // see Reach

 private:
  /// Whether nothing is asked that only a search weighs up: preferences, weights, loops, collisions, qualities.
  bool plain_question() const;
  /// Whether the chain has a closed form that is quicker than reach. Locked joints do not: their places would be
  /// analyzed anew with every start.
  bool equations_apply();
  /// Whether two_link takes it and is the quicker one: limbs with a pole, two links in a plane, limbs with balls. An
  /// arm of single axes is quicker by reach, except where its lengths prove it too short: stretched is stretched. What
  /// two_link takes is remembered for problems of one kind, because asking composes a sentence.
  bool limb_applies();

  /// What two_link's answer depends on.
  struct Kind {
    std::uint64_t model = 0;
    int link = -1;
    int base = -1;
    Vec3 point = Vec3::Zero();
    bool orientation = false;
    std::array<bool, 3> free_position{}, free_orientation{};
    bool whole = true;
    bool pole = false;
    std::vector<char> locked;
    bool operator==(const Kind& o) const = default;
  };
  Kind kind_, asked_;
  bool takes_ = false, takes_far_ = false;

  CompiledProblem compiled_;
  Analytic analytic_;
  TwoLink two_link_;
  Reach reach_;
  Report report_;
};

}  // namespace armature::inline v0_2
