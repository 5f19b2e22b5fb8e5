// Many goals, large files, workspaces: on every core, and with ranks on every machine. Link armature::parallel.
#pragma once

#include "armature/parallel/base_placement.hpp"
#include "armature/parallel/compare_targets.hpp"
#include "armature/parallel/for_all.hpp"
#include "armature/parallel/job.hpp"
#include "armature/parallel/retarget_files.hpp"
#include "armature/parallel/solve_batch.hpp"
#include "armature/parallel/solve_targets.hpp"
#include "armature/parallel/workspace_job.hpp"
#include "armature/scene.hpp"
