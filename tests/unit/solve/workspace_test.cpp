// Workspaces: known areas, the same between seeds, and the same bits in any order and after any interruption.
#include "armature/solve/workspace.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "armature/base/rng.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/methods/auto.hpp"

using namespace armature;

namespace {

Model workspace_model(std::string_view name) {
  for (const BuiltinModel& builtin : builtin_models()) {
    if (builtin.name == name) return compile(read_document(builtin.json, {})->linkage).value();
  }
  FAIL("no such model");
  return {};
}

void run_to_end(Workspace& w, bool backwards = false) {
  while (w.phase() != Workspace::Phase::done) {
    const Workspace::Phase phase = w.phase();
    const int n = w.chunk_count();
    for (int i = 0; i < n && w.phase() == phase; ++i) {
      const int chunk = backwards ? n - 1 - i : i;
      if (!w.is_done(chunk)) w.merge(chunk, w.run(chunk));
    }
  }
}

WorkspaceOptions options_for(const Model& model, const char* tip, int cells, int samples) {
  WorkspaceOptions options;
  options.tip = tip;
  options.cells = cells;
  options.samples = samples;
  return options;
}

}  // namespace

TEST_CASE("the two-link arm reaches the textbook's annulus") {
  const Model arm = workspace_model("two_link");
  Workspace w = Workspace::make(arm, options_for(arm, "tip", 150, 60000)).value();
  CHECK(w.grid().flat_count() == 1);
  run_to_end(w);
  const double annulus = kPi * (1.8 * 1.8 - 0.2 * 0.2);
  MESSAGE("area " << w.volume() << ", annulus " << annulus << ", by sampling alone " << w.sampled_volume());
  CHECK(w.volume() == doctest::Approx(annulus).epsilon(0.01));
  CHECK(w.sampled_volume() == doctest::Approx(annulus).epsilon(0.05));
  // Cell by cell: the centre lies inside, or it does not.
  int wrong = 0;
  for (int cell = 0; cell < w.grid().size(); ++cell) {
    const double r = w.grid().center(cell).norm();
    wrong += w.reachable(cell) != (r <= 1.8 && r >= 0.2) ? 1 : 0;
  }
  CHECK(wrong <= 2);
}

TEST_CASE("dexterous share of a planar arm: turns in its plane") {
  // Links 15, 10, 5: the hand's joint reaches 5..25, so the tip in any direction where all of its hand's joint's circle
  // of radius 5 lies within: from 10 to 20.
  const Model arm = workspace_model("planar_arm");
  WorkspaceOptions options = options_for(arm, "tip", 24, 50000);
  options.orientations = 12;
  Workspace w = Workspace::make(arm, options).value();
  run_to_end(w);
  int inside = 0;
  for (int cell = 0; cell < w.grid().size(); ++cell) {
    const double r = w.grid().center(cell).norm();
    if (r > 10.01 && r < 19.99) {
      ++inside;
      CHECK(w.dexterity(cell) == 1.0);
    }
    if (r > 20.5 && w.reachable(cell)) CHECK(w.dexterity(cell) < 1.0);
  }
  CHECK(inside > 50);
  CHECK(w.mean_dexterity() > 0.4);
  CHECK(w.mean_dexterity() < 1.0);
}

TEST_CASE("the Panda's workspace is the same to a percent between two seeds") {
  const Model panda = workspace_model("panda");
  WorkspaceOptions options = options_for(panda, "panda_tcp", 20, 100000);
  Workspace one = Workspace::make(panda, options).value();
  options.seed = 2;
  Workspace two = Workspace::make(panda, options).value();
  run_to_end(one);
  run_to_end(two);
  MESSAGE("volumes " << one.volume() << " and " << two.volume() << " m^3");
  CHECK(one.volume() == doctest::Approx(two.volume()).epsilon(0.01));
  CHECK(one.volume() > 1.5);
  CHECK(one.volume() < 4.2);
}

TEST_CASE("any order, and saved and restored in the middle: the same bytes") {
  const Model arm = workspace_model("planar_arm");
  WorkspaceOptions options = options_for(arm, "tip", 16, 40000);
  options.orientations = 3;
  Workspace whole = Workspace::make(arm, options).value();
  run_to_end(whole);
  CHECK(whole.reachable_cells() > 0);

  Workspace backwards = Workspace::make(arm, options).value();
  run_to_end(backwards, true);
  CHECK(backwards.save() == whole.save());

  // Restored after every few chunks, in every phase.
  Workspace w = Workspace::make(arm, options).value();
  int since = 0;
  while (w.phase() != Workspace::Phase::done) {
    for (int chunk = 0; chunk < w.chunk_count(); ++chunk) {
      if (w.is_done(chunk)) continue;
      w.merge(chunk, w.run(chunk));
      break;
    }
    if (++since % 7 == 0) {
      Workspace again = Workspace::make(arm, options).value();
      REQUIRE(again.restore(w.save()).ok());
      CHECK(again.save() == w.save());
      w = again;
    }
  }
  CHECK(w.save() == whole.save());

  // Bytes of something else are refused.
  options.seed = 9;
  Workspace other = Workspace::make(arm, options).value();
  CHECK(!other.restore(whole.save()).ok());
  CHECK(!whole.restore("armature workspace 1\n").ok());
  CHECK(!whole.restore(whole.save().substr(0, 200)).ok());
}

TEST_CASE("workspaces that cannot be are refused") {
  const Model arm = workspace_model("two_link");
  CHECK(!Workspace::make(arm, options_for(arm, "base", 20, 1000)).ok());  // does not move
  CHECK(!Workspace::make(arm, options_for(arm, "nothing", 20, 1000)).ok());
  CHECK(!Workspace::make(arm, options_for(arm, "tip", 1, 1000)).ok());
  CHECK(!Workspace::make(arm, options_for(arm, "tip", 20, 0)).ok());
}

TEST_CASE("workspace: whether a goal can be reached is decided as by a whole search") {
  int missed = 0;
  for (const char* name : {"panda", "ur5", "puma560"}) {
    const Model model = workspace_model(name);
    const int tip = model.link_count() - 1;
    Auto quick;
    quick.only_decides = true;
    quick.settings.patience = 60;
    Reach whole;
    Rng rng(5);
    State state;
    for (int i = 0; i < 150; ++i) {
      forward(model, random_pose(model, rng), state);
      const Vec3 place = state.X_WL[static_cast<std::size_t>(tip)].position;
      forward(model, random_pose(model, rng), state);
      const Mat3 turn = state.X_WL[static_cast<std::size_t>(tip)].rotation;
      const Problem problem{.model = model, .goals = {PoseGoal{.link = tip, .target = {place, turn}}}};
      const bool reached = whole.solve(problem, middle_pose(model)).ok();
      CHECK(quick.solve(problem, middle_pose(model)).ok() == reached);
      missed += reached ? 0 : 1;
    }
  }
  CHECK(missed > 20);
}

TEST_CASE("shards joined are the whole, to the bit") {
  const Model panda = workspace_model("panda");
  WorkspaceOptions options = options_for(panda, "panda_tcp", 9, 20000);
  options.orientations = 3;
  Workspace whole = Workspace::make(panda, options).value();
  run_to_end(whole);
  Workspace joined = Workspace::make(panda, options).value();
  int most = 0;
  for (const int k : {2, 0, 1}) {  // in any order
    CHECK(joined.phase() == Workspace::Phase::sampling);
    WorkspaceOptions part = options;
    part.shard = k;
    part.shards = 3;
    Workspace shard = Workspace::make(panda, part).value();
    CHECK_FALSE(joined.join(shard).ok());  // it is not done yet
    run_to_end(shard);
    // Through bytes, as shards of other machines come.
    Workspace read = Workspace::make(panda, part).value();
    REQUIRE(read.restore(shard.save()).ok());
    REQUIRE(joined.join(read).ok());
    CHECK_FALSE(joined.join(read).ok());  // twice
    most = std::max(most, shard.reachable_cells());
    CHECK_FALSE(whole.restore(shard.save()).ok());
  }
  CHECK(joined.phase() == Workspace::Phase::done);
  CHECK(joined.save() == whole.save());
  CHECK(most < whole.reachable_cells());
  options.cells = 10;
  Workspace other = Workspace::make(panda, options).value();
  WorkspaceOptions part = options_for(panda, "panda_tcp", 9, 20000);
  part.shards = 2;
  Workspace shard = Workspace::make(panda, part).value();
  run_to_end(shard);
  CHECK_FALSE(other.join(shard).ok());
  part.shard = 2;
  CHECK_FALSE(Workspace::make(panda, part).ok());
}
