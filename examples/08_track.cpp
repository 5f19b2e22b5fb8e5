// A straight line with the tool upright, written as CSV.
#include <armature/armature.hpp>
#include <iostream>

using namespace armature;

int main() {
  const Model panda = load_model("panda").value();
  const Path line =
      Path::line({{0, -0.25, 0}, {0, 0.25, 0}}, {.relative = true, .profile = Profile::ease, .duration = 2});
  const Track motion =
      track({.model = panda, .goals = {PoseGoal{.link = "panda_tcp", .path = line}}, .start = panda.pose("ready")},
            {.frame_rate = 60})
          .value();
  std::cout << motion.message() << '\n';  // frames not reached, near singular, jumps
  save("line.csv", motion.clip).value();
  return motion.ok() && motion.jumps.empty() && motion.clip.frame_count() == 121 ? 0 : 1;
}
