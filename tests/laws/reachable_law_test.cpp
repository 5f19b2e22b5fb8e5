// Reach reaches what can be reached: goals are made from poses inside the limits, so that each miss is a mistake of the
// search. No proof, only counts: docs/methods/reach.md says how many goals were tried beyond those of this test, and
// bench/reach_stalls.cpp tries more.
#include <doctest/doctest.h>

#include <cstdlib>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/scene/methods.hpp"
#include "support/allocation_counter.hpp"
#include "support/data.hpp"
#include "support/reachable.hpp"

using namespace armature;
using namespace armature::test;

namespace {

int reachable_count(int few, int many) { return std::getenv("ARMATURE_FULL") != nullptr ? many : few; }

Model reachable_model(std::string_view text, const std::string& name) {
  ReadOptions options;
  options.file_name = name;
  const Result<Document> document = read_document(text, options);
  REQUIRE_MESSAGE(document.ok(), document.message());
  Result<Model> model = compile(document->linkage);
  REQUIRE_MESSAGE(model.ok(), model.message());
  return std::move(model).value();
}

/// Goals that the search gives up on without the last part of the method (reach_last.hpp).
struct HardGoal {
  const char* link;
  int number;
};

void reach_hard_goals(const std::string& file, const std::vector<HardGoal>& goals) {
  const auto path = shared_data(file);
  if (!path) return;
  const Model model = reachable_model(read_file(*path), file);
  Solver solver = make_solver("reach").value();
  Problem problem;
  problem.model = model;
  for (const HardGoal& each : goals) {
    CAPTURE(each.link);
    CAPTURE(each.number);
    const int link = model.link(each.link);
    REQUIRE(link >= 0);
    Reachable r = reachable_goal(model, link, 7919 + static_cast<std::uint64_t>(link), each.number);
    problem.goals.assign(1, r.goal);
    const Report report = solver->solve(problem, r.start);
    r.start = report.q;
    CHECK(report.outcome == Outcome::converged);
    CHECK(inside_limits(model, r.start));
  }
}

}  // namespace

TEST_CASE("law: reach misses no reachable goal of the built-in models") {
  Solver solver = make_solver("reach").value();
  for (const BuiltinModel& each : builtin_models()) {
    const std::string name(each.name);
    CAPTURE(name);
    const Model model = reachable_model(each.json, name + ".json");
    if (!model.closures().empty()) continue;  // random poses are not assembled: tests/laws/loop_law_test.cpp
    for (const int link : moving_leaves(model)) {
      CAPTURE(link);
      CHECK(count_missed(*solver, model, link, 5, reachable_count(60, 6000)) == 0);
    }
  }
}

TEST_CASE("law: reach misses no reachable goal of random chains with short ranges and mixed joints") {
  Solver solver = make_solver("reach").value();
  for (int joints = 2; joints <= 12; ++joints) {
    for (int k = 0; k < reachable_count(6, 200); ++k) {
      for (const bool mixed : {false, true}) {
        const auto seed = static_cast<std::uint64_t>(2000 + k);
        const Result<Model> model = compile(short_range_chain(joints, seed, mixed));
        REQUIRE_MESSAGE(model.ok(), model.message());
        CAPTURE(model->name());
        CHECK(count_missed(*solver, *model, model->link_count() - 1, seed, reachable_count(24, 120)) == 0);
      }
    }
  }
}

TEST_CASE("law: goals that the search alone gives up on are reached: random chains") {
  struct Case {
    int joints, seed, number;
  };
  Solver solver = make_solver("reach").value();
  for (const Case& each : {Case{4, 1094, 10}, {6, 1078, 119}, {10, 1071, 104}, {11, 1034, 77}, {12, 1129, 9}}) {
    CAPTURE(each.joints);
    const auto seed = static_cast<std::uint64_t>(each.seed);
    const Result<Model> model = compile(short_range_chain(each.joints, seed, true));
    REQUIRE_MESSAGE(model.ok(), model.message());
    Problem problem;
    problem.model = *model;
    const Reachable r = reachable_goal(*model, model->link_count() - 1, seed, each.number);
    problem.goals.assign(1, r.goal);
    VecX q = r.start;
    const Report report = solver->solve(problem, q);
    q = report.q;
    CHECK(report.outcome == Outcome::converged);
    CHECK(inside_limits(*model, q));
    VecX again = r.start;
    const AllocationCounter counter;
    again = solver->solve(problem, again).q;
    CHECK(counter.count() == 0);
    CHECK(again == q);
  }
}

TEST_CASE("law: goals that the search alone gives up on are reached: fingers and a crank of real robots") {
  reach_hard_goals("urdf/nao_v50.urdf", {{"LFinger23_link", 2261},
                                         {"LFinger23_link", 6797},
                                         {"LFinger23_link", 9425},
                                         {"LFinger23_link", 11223},
                                         {"LFinger13_link", 3269},
                                         {"LFinger13_link", 3323},
                                         {"LFinger13_link", 10865},
                                         {"RFinger23_link", 7967},
                                         {"RFinger13_link", 9143}});
  reach_hard_goals("urdf/shadow_hand_right.urdf", {{"fftip", 5405}, {"mftip", 9335}, {"lftip", 7649}});
  reach_hard_goals("urdf/fanuc_m900ib700.urdf", {{"plink_2", 934}});
}
