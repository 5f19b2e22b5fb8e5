// Fuzzes workspaces: any linkage and options, and any bytes as a saved state. What is accepted runs to its end, chunks
// in any order give the same cells, and what was saved is restored to the last bit.
#include "armature/solve/workspace.hpp"

#include "armature/model/compile.hpp"
#include "support/sound_linkage.hpp"

using namespace armature;
using namespace armature::fuzz;

namespace {

void finish(Workspace& workspace, bool backwards) {
  while (workspace.phase() != Workspace::Phase::done) {
    const Workspace::Phase phase = workspace.phase();
    const int chunks = workspace.chunk_count();
    bool merged = false;
    for (int i = 0; i < chunks && workspace.phase() == phase; ++i) {
      const int chunk = backwards ? chunks - 1 - i : i;
      if (workspace.is_done(chunk)) continue;
      workspace.merge(chunk, workspace.run(chunk));
      merged = true;
    }
    demand(merged, "a phase that is not done has a chunk to do");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choose(data, size);
  const Result<Model> model = compile(sound_linkage(choose, 4));
  if (!model) return 0;
  WorkspaceOptions options;
  options.tip = choose.one_in(16) ? choose.below(30) - 10 : model->link_count() - 1;
  options.base = choose.one_in(8) ? choose.below(8) - 2 : kWorld;
  if (choose.one_in(8)) options.point = choose.vector();
  options.cells = choose.one_in(16) ? choose.below(4) - 1 : 1 + choose.below(4);
  options.samples = choose.one_in(16) ? choose.below(4) - 1 : 20 + choose.below(200);
  options.orientations = choose.one_in(4) ? choose.below(4) : 0;
  options.seed = choose.seed();
  Result<Workspace> workspace = Workspace::make(*model, options);
  if (!workspace) {
    demand(!workspace.message().empty(), "a refusal has a sentence");
    return 0;
  }
  if (choose.one_in(4)) {
    // The rest of the input as a state, as it is and with a byte of a true one changed.
    std::string bytes = workspace->save();
    if (!bytes.empty())
      bytes[static_cast<std::size_t>(choose.below(256)) % bytes.size()] ^= static_cast<char>(choose.below(256));
    if (choose.one_in(2)) bytes.resize(static_cast<std::size_t>(choose.below(256)) % (bytes.size() + 1));
    Workspace other = *workspace;
    if (other.restore(bytes).ok()) finish(other, false);
    return 0;
  }
  Workspace twin = *workspace;
  finish(*workspace, false);
  finish(twin, true);
  demand(workspace->save() == twin.save(), "the order of chunks does not matter");
  demand(workspace->reachable_cells() >= 0 && workspace->reachable_cells() <= workspace->grid().size(),
         "cells are cells");
  for (int cell = 0; cell < workspace->grid().size(); ++cell)
    demand(workspace->dexterity(cell) >= 0.0 && workspace->dexterity(cell) <= 1.0, "dexterity is a share");
  Workspace restored = std::move(Workspace::make(*model, options)).value();
  demand(restored.restore(workspace->save()).ok() && restored.save() == workspace->save(),
         "what was saved is restored");
  return 0;
}
