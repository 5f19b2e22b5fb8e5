// Many targets from a file, on every core, and the answers into a file.
#include <armature/armature.hpp>
#include <fstream>
#include <iostream>

using namespace armature;

int main() {
  const Model panda = load_model("panda").value();
  std::ofstream file("grasps.csv");  // or .npz, .npy, .jsonl, as NumPy and others write them
  file << "x,y,z,qx,qy,qz,qw\n";
  Rng rng(1);
  for (int k = 0; k < 1000; ++k) {
    const Transform X = forward(panda, random_pose(panda, rng)).transform("panda_tcp");
    const Quat q = X.quaternion();
    for (const double number : {X.position.x(), X.position.y(), X.position.z(), q.x(), q.y(), q.z()})
      file << number << ',';
    file << q.w() << '\n';
  }
  file.close();

  const Targets targets = load_targets("grasps.csv").value();
  const BatchReport report = solve_batch({.model = panda, .goals = {PoseGoal{}}}, targets, {.threads = 0}).value();
  save("answers.npz", report).value();
  int reached = 0;
  for (const Report& one : report.reports) reached += one.ok() ? 1 : 0;
  std::cout << reached << " of " << report.count() << " reached\n";
  return reached == 1000 ? 0 : 1;
}
