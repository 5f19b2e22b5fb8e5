// A workspace on every core and on every machine.
#pragma once

#include "armature/parallel/job.hpp"
#include "armature/solve/workspace.hpp"

namespace armature {

/// The rest of the work, from wherever `workspace` stands. True: done. False: `options.progress` stopped it, and
/// `workspace` holds what was done by then. Every rank calls it with the same options; those other than the first one
/// end with the same workspace. `options.checkpoint` is not looked at: save() and restore() are the workspace's own.
Result<bool> compute_workspace(Workspace& workspace, const JobOptions& options);

}  // namespace armature
