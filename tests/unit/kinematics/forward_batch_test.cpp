#include "armature/kinematics/forward_batch.hpp"

#include <doctest/doctest.h>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "support/allocation_counter.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

MatX random_poses(const Model& model, int count) {
  Rng rng(5);
  MatX poses(model.q_size(), count);
  for (int n = 0; n < count; ++n) poses.col(n) = random_pose(model, rng);
  return poses;
}

// Every frame, position and Jacobian of a batch against the single ones.
void compare(const Model& model, const MatX& poses, const std::vector<int>& links) {
  ForwardBatch batch(model, links);
  std::vector<int> wanted = links;
  if (wanted.empty()) {
    for (int i = 0; i < model.link_count(); ++i) wanted.push_back(i);
  }
  const std::size_t each = wanted.size();
  REQUIRE(batch.link_count() == static_cast<int>(each));
  const auto count = static_cast<std::size_t>(poses.cols());
  std::vector<Transform> frames(count * each);
  std::vector<double> positions(3 * count * each);
  batch.frames(poses.data(), poses.cols(), frames.data());
  batch.positions(poses.data(), poses.cols(), positions.data());
  State state;
  bool same = true, same_positions = true;
  for (std::size_t n = 0; n < count; ++n) {
    forward(model, poses.col(static_cast<Eigen::Index>(n)), state);
    for (std::size_t k = 0; k < each; ++k) {
      const Transform& X = state.X_WL[static_cast<std::size_t>(wanted[k])];
      const Transform& Y = frames[n * each + k];
      same = same && X.position == Y.position && X.rotation == Y.rotation;
      same_positions = same_positions && X.position == Eigen::Map<const Vec3>(&positions[3 * (n * each + k)]);
    }
  }
  CHECK(same);
  CHECK(same_positions);
  const Vec3 point(0.1, -0.2, 0.3);
  const std::size_t size = 6 * static_cast<std::size_t>(model.v_size());
  std::vector<double> jacobians(count * size + 1, 7.0);
  Jacobian J(6, model.v_size());
  double worst = 0.0;
  for (std::size_t k = 0; k < each; k += std::max<std::size_t>(1, each / 3)) {
    batch.jacobians(poses.data(), poses.cols(), static_cast<int>(k), point, jacobians.data());
    for (std::size_t n = 0; n < count; ++n) {
      forward(model, poses.col(static_cast<Eigen::Index>(n)), state);
      jacobian(model, state, wanted[k], point, J);
      const Jacobian got = Eigen::Map<const Jacobian>(jacobians.data() + n * size, 6, model.v_size());
      if (size > 0) worst = std::max(worst, (got - J).cwiseAbs().maxCoeff());
    }
  }
  CHECK(worst < 1e-14 * std::max(1.0, model.size()));
  CHECK(jacobians.back() == 7.0);  // nothing was written behind the end
}

}  // namespace

TEST_CASE("a batch gives the frames of single poses, whatever the model and the number of poses") {
  for (const BuiltinModel& entry : builtin_models()) {
    CAPTURE(entry.name);
    const Model model = *compile(read_document(entry.json, {})->linkage);
    compare(model, random_poses(model, 11), {});
    compare(model, random_poses(model, 1), {model.link_count() - 1});
  }
  const Model all_types = test::compiled(test::everything_tree());
  for (int count : {0, 1, 2, 3, 4, 7, 8, 9, 40}) compare(all_types, random_poses(all_types, count), {});
}

TEST_CASE("chosen links, in any order and more than once") {
  const Model model = test::compiled(test::everything_tree());
  const int last = model.link_count() - 1;
  compare(model, random_poses(model, 13), {last, 0, last / 2, last});
}

TEST_CASE("large angles, denormal numbers and zero quaternions are treated as single poses treat them") {
  const Model model = test::compiled(test::everything_tree());
  MatX poses = random_poses(model, 20);
  for (Eigen::Index i = 0; i < poses.rows(); ++i) {
    poses(i, 2) = 1e-310;
    poses(i, 5) = 0.0;
    poses(i, 9) *= 1e7;
    poses(i, 17) = -3e5;
  }
  compare(model, poses, {});
}

TEST_CASE("a batch does not allocate") {
  const Model model = test::compiled(test::everything_tree());
  const MatX poses = random_poses(model, 21);
  ForwardBatch batch(model);
  std::vector<Transform> frames(21 * static_cast<std::size_t>(model.link_count()));
  std::vector<double> jacobians(21 * 6 * static_cast<std::size_t>(model.v_size()));
  const int link = model.link_count() - 1;
  batch.jacobians(poses.data(), 21, link, Vec3::Zero(), jacobians.data());  // another link's chain is made once
  const test::AllocationCounter counter;
  batch.frames(poses.data(), 21, frames.data());
  batch.jacobians(poses.data(), 21, link, Vec3::Zero(), jacobians.data());
  CHECK(counter.count() == 0);
}
