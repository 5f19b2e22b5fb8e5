// The answer that a quality takes, against the list of all answers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/measure.hpp"
#include "armature/solve/method_options.hpp"
#include "armature/solve/solutions.hpp"
#include "armature/solve/solver.hpp"

using namespace armature;

namespace {

Model quality_model(std::string_view name) {
  for (const BuiltinModel& builtin : builtin_models()) {
    if (builtin.name == name) return compile(read_document(builtin.json, {})->linkage).value();
  }
  FAIL("no such model");
  return {};
}

double off_center(const Model& model, const VecX& q) {
  const VecX half = 0.5 * (model.upper() - model.lower()), middle = 0.5 * (model.upper() + model.lower());
  return (q - middle).cwiseQuotient(half).squaredNorm();
}

}  // namespace

TEST_CASE("centered and manipulable take the best of all answers, whatever the start") {
  const Model ur5 = quality_model("ur5");
  const int tip = ur5.link_count() - 1;
  State state;
  for (int i = 0; i < 12; ++i) {
    CAPTURE(i);
    Rng rng(static_cast<std::uint64_t>(i));
    const VecX pose = random_pose(ur5, rng);
    forward(ur5, pose, state);
    const Goal goal = PoseGoal{.link = tip, .target = state.X_WL[static_cast<std::size_t>(tip)]};
    const VecX start = random_pose(ur5, rng);
    SolutionsOptions all;
    all.start = 0.5 * (ur5.lower() + ur5.upper());
    const Solutions list = solutions(ur5, goal, all).value();
    REQUIRE(list.count() > 1);
    const Problem problem{.model = ur5, .goals = {goal}, .start = start};
    double least = HUGE_VAL, most = 0.0;
    for (int k = 0; k < list.count(); ++k) {
      least = std::min(least, off_center(ur5, list.q.col(k)));
      most = std::max(most, measures(problem, list.q.col(k)).manipulability);
    }
    Solver centered{ReachOptions{.quality = Quality::centered}, {.tolerance = 1e-8}};
    const Report& middle = centered->solve(problem, start);
    CHECK(middle.ok());
    CHECK(off_center(ur5, middle.q) <= least + 1e-4);
    CHECK(middle.answers == list.answer_count());
    Solver quick{ReachOptions{.quality = Quality::manipulable}, {.tolerance = 1e-8}};
    const Report& agile = quick->solve(problem, start);
    CHECK(agile.ok());
    CHECK(measures(problem, agile.q).manipulability >= most * (1.0 - 1e-6));
  }
}
