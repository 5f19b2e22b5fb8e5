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
