// Where an arm can get to, on every core.
#include <armature/armature.hpp>
#include <iostream>

using namespace armature;

int main() {
  const Model panda = load_model("panda").value();
  const Workspace space =
      compute_workspace(panda, {.tip = "panda_tcp", .cells = 12, .samples = 20000, .orientations = 4}, {.threads = 0})
          .value();
  std::cout << space.volume() << " cubic metres, " << space.mean_dexterity() << " of the orientations\n";
  return space.volume() > 1 && space.volume() < 4 ? 0 : 1;
}
