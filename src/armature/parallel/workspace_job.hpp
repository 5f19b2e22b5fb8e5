// A workspace on every core and on every machine.
#pragma once

#include "armature/parallel/job.hpp"
#include "armature/solve/workspace.hpp"

namespace armature::inline v0_2 {

/// The rest of the work, from wherever `workspace` stands. True: done. False: `options.progress` stopped it, and
/// `workspace` holds what was done by then. Every rank calls it with the same options; those other than the first one
/// end with the same workspace. `options.checkpoint` is not looked at: save() and restore() are the workspace's own.
Result<bool> compute_workspace(Workspace& workspace, const JobOptions& options);
/// All of it at once, for short programs. The error says what is wrong with the options, or that `progress` stopped it.
Result<Workspace> compute_workspace(const Model& model, const WorkspaceOptions& options,
                                    const ParallelOptions& parallel = {});

}  // namespace armature::inline v0_2
