// Forward kinematics and Jacobians, ours beside KDL and DART in one run, so that ratios do not depend on the machine.
//
//   bench_kinematics_peers                         everything
//   bench_kinematics_peers --benchmark_filter=arm7
//
// arm7:    frames of all links and the 6 x 7 Jacobian of the flange of a 7-DOF arm, both results together
// human:   all frames of the human figure; items a second are joints (1e9 / that: nanoseconds a joint)
// chain:   all frames of chains of 60 and of 1000 joints; the time a joint should not depend on the length
#include <benchmark/benchmark.h>

#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include "../tests/peers/dart_model.hpp"
#include "../tests/peers/kdl_model.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/forward_batch.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/edit.hpp"

using namespace armature;

namespace {

constexpr std::size_t kPoses = 64;  // different poses in turn, few enough to stay in the cache

Linkage builtin_linkage(std::string_view name) {
  for (const BuiltinModel& entry : builtin_models()) {
    if (entry.name == name) return read_document(entry.json, {})->linkage;
  }
  std::abort();
}

std::vector<VecX> random_poses(const Model& model) {
  Rng rng(1);
  std::vector<VecX> poses;
  for (std::size_t i = 0; i < kPoses; ++i) poses.push_back(random_pose(model, rng));
  return poses;
}

// The arm without its gripper: seven joints between panda_link0 and the flange.
const Model& arm7() {
  static const Model model = *compile(*extract_chain(builtin_linkage("panda"), "panda_link0", "panda_link8"));
  return model;
}

// A chain of n revolute joints, axes in turn along x, y and z.
Model chain(int n) {
  Linkage linkage;
  linkage.name = "chain";
  linkage.links.push_back({"l0", {}});
  for (int i = 0; i < n; ++i) {
    Joint joint;
    joint.name = "j" + std::to_string(i);
    joint.type = Revolute{Vec3::Unit(i % 3)};
    joint.origin = Transform::translate(Vec3(0.1, 0.02, 0.3));
    const Status added = add_link(linkage, "l" + std::to_string(i), joint, {"l" + std::to_string(i + 1), {}});
    if (!added.ok()) std::abort();
  }
  return *compile(linkage);
}

void run_frames(benchmark::State& bench, const Model& model, const std::vector<VecX>& poses) {
  State state;
  std::size_t n = 0;
  for (auto _ : bench) {
    forward(model, poses[n++ % poses.size()], state);
    benchmark::DoNotOptimize(state.X_WL.back());
  }
  bench.SetItemsProcessed(bench.iterations() * model.link_count());
}

void arm7_armature(benchmark::State& bench) {
  const Model& model = arm7();
  const std::vector<VecX> poses = random_poses(model);
  const int tip = model.link("panda_link8");
  State state;
  Jacobian J(6, model.v_size());
  std::size_t n = 0;
  for (auto _ : bench) {
    forward(model, poses[n++ % kPoses], state);
    jacobian(model, state, tip, Vec3::Zero(), J);
    benchmark::DoNotOptimize(state.X_WL.back());
    benchmark::DoNotOptimize(J.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(arm7_armature);

void arm7_armature_frames_only(benchmark::State& bench) { run_frames(bench, arm7(), random_poses(arm7())); }
BENCHMARK(arm7_armature_frames_only);

void arm7_kdl(benchmark::State& bench) {
  const Model& model = arm7();
  KDL::Chain chain;
  if (!peers::kdl_tree(model)->getChain("world", "panda_link8", chain)) std::abort();
  KDL::ChainFkSolverPos_recursive fk(chain);
  KDL::ChainJntToJacSolver jacobians(chain);
  std::vector<KDL::JntArray> poses;
  for (const VecX& q : random_poses(model)) {
    poses.emplace_back(static_cast<unsigned>(q.size()));
    poses.back().data = q;
  }
  KDL::Frame frame;
  KDL::Jacobian J(7);
  std::size_t n = 0;
  for (auto _ : bench) {
    const KDL::JntArray& q = poses[n++ % kPoses];
    fk.JntToCart(q, frame);
    jacobians.JntToJac(q, J);
    benchmark::DoNotOptimize(frame);
    benchmark::DoNotOptimize(J.data.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(arm7_kdl);

void arm7_dart(benchmark::State& bench) {
  const Model& model = arm7();
  const auto skeleton = peers::dart_skeleton(model);
  const std::vector<VecX> poses = random_poses(model);
  const auto* tip = skeleton->getBodyNode("panda_link8");
  std::size_t n = 0;
  for (auto _ : bench) {
    skeleton->setPositions(poses[n++ % kPoses]);
    benchmark::DoNotOptimize(tip->getWorldTransform().data());
    benchmark::DoNotOptimize(tip->getWorldJacobian().data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(arm7_dart);

void human_armature(benchmark::State& bench) {
  static const Model model = *compile(builtin_linkage("human"));
  run_frames(bench, model, random_poses(model));
}
BENCHMARK(human_armature);

// Rest pose and coordinates full of denormal numbers: many libraries slow down a hundredfold.
void human_armature_denormal(benchmark::State& bench) {
  Linkage linkage = builtin_linkage("human");
  for (Joint& joint : linkage.joints) {
    joint.origin.position += Vec3(1e-310, -1e-312, 3e-315);
    joint.origin.rotation(0, 1) += 1e-311;
    joint.origin.rotation(1, 2) -= 1e-313;
  }
  const Model model = *compile(linkage);
  std::vector<VecX> poses = random_poses(model);
  for (VecX& q : poses) {
    q = neutral_pose(model);
    for (int i = 0; i < model.q_size(); ++i) {
      if (q[i] == 0.0) q[i] = 1e-310 * (i % 7 + 1);
    }
  }
  run_frames(bench, model, poses);
}
BENCHMARK(human_armature_denormal);

void human_dart(benchmark::State& bench) {
  static const Model model = *compile(builtin_linkage("human"));
  const auto skeleton = peers::dart_skeleton(model);
  std::vector<VecX> poses;
  for (const VecX& q : random_poses(model)) {
    peers::set_dart_pose(model, q, *skeleton);
    poses.push_back(skeleton->getPositions());
  }
  std::size_t n = 0;
  for (auto _ : bench) {
    skeleton->setPositions(poses[n++ % kPoses]);
    for (const auto* body : skeleton->getBodyNodes()) benchmark::DoNotOptimize(body->getWorldTransform().data());
  }
  bench.SetItemsProcessed(bench.iterations() * model.link_count());
}
BENCHMARK(human_dart);

// Many poses at once: items a second are joints of poses (1e9 / that: nanoseconds a joint and pose).
MatX columns_of(const std::vector<VecX>& poses) {
  MatX all(poses.front().size(), static_cast<Eigen::Index>(poses.size()));
  for (std::size_t i = 0; i < poses.size(); ++i) all.col(static_cast<Eigen::Index>(i)) = poses[i];
  return all;
}
// Links between the root and any of `links`: what the batch has to compute.
int links_above(const Model& model, const std::vector<int>& links) {
  std::vector<char> needed(static_cast<std::size_t>(model.link_count()), links.empty() ? 1 : 0);
  for (int i : links) {
    for (; i != kWorld; i = model.parent(i)) needed[static_cast<std::size_t>(i)] = 1;
  }
  return static_cast<int>(std::count(needed.begin(), needed.end(), 1));
}
void run_batch_frames(benchmark::State& bench, const Model& model, const std::vector<int>& links, bool positions) {
  const MatX poses = columns_of(random_poses(model));
  ForwardBatch batch(model, links);
  std::vector<Transform> frames(kPoses * static_cast<std::size_t>(batch.link_count()));
  for (auto _ : bench) {
    if (positions) {
      batch.positions(poses.data(), kPoses, frames.data()->position.data());
    } else {
      batch.frames(poses.data(), kPoses, frames.data());
    }
    benchmark::DoNotOptimize(frames.data());
    benchmark::ClobberMemory();
  }
  bench.SetItemsProcessed(bench.iterations() * static_cast<std::int64_t>(kPoses) * links_above(model, links));
}
void arm7_batch_frames(benchmark::State& bench) { run_batch_frames(bench, arm7(), {}, false); }
BENCHMARK(arm7_batch_frames);
void arm7_batch_tip(benchmark::State& bench) { run_batch_frames(bench, arm7(), {arm7().link("panda_link8")}, false); }
BENCHMARK(arm7_batch_tip);
void human_batch_frames(benchmark::State& bench) {
  static const Model model = *compile(builtin_linkage("human"));
  run_batch_frames(bench, model, {}, false);
}
BENCHMARK(human_batch_frames);
void human_batch_hands_and_feet(benchmark::State& bench) {
  static const Model model = *compile(builtin_linkage("human"));
  std::vector<int> links;
  for (const char* name : {"left_hand", "right_hand", "left_foot", "right_foot"}) links.push_back(model.link(name));
  run_batch_frames(bench, model, links, true);
}
BENCHMARK(human_batch_hands_and_feet);
void arm7_batch_jacobian(benchmark::State& bench) {
  const Model& model = arm7();
  const MatX poses = columns_of(random_poses(model));
  ForwardBatch batch(model, {model.link("panda_link8")});
  std::vector<double> jacobians(kPoses * 6 * static_cast<std::size_t>(model.v_size()));
  while (bench.KeepRunningBatch(kPoses)) {  // times are of a pose
    batch.jacobians(poses.data(), kPoses, 0, Vec3::Zero(), jacobians.data());
    benchmark::DoNotOptimize(jacobians.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(arm7_batch_jacobian);

void chain_armature(benchmark::State& bench) {
  const Model model = chain(static_cast<int>(bench.range(0)));
  run_frames(bench, model, random_poses(model));
}
BENCHMARK(chain_armature)->Arg(60)->Arg(1000);

void chain_armature_jacobian(benchmark::State& bench) {
  const Model model = chain(static_cast<int>(bench.range(0)));
  const VecX q = random_poses(model).front();
  State state;
  forward(model, q, state);
  Jacobian J(6, model.v_size());
  for (auto _ : bench) {
    jacobian(model, state, model.link_count() - 1, Vec3::Zero(), J);
    benchmark::DoNotOptimize(J.data());
    benchmark::ClobberMemory();
  }
  bench.SetItemsProcessed(bench.iterations() * model.v_size());
}
BENCHMARK(chain_armature_jacobian)->Arg(60)->Arg(1000);

}  // namespace
