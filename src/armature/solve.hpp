// Asking: goals, problems, methods and their reports, all solutions, following, tracking, workspaces.
#pragma once

#include "armature/motion.hpp"
#include "armature/solve/batch.hpp"
#include "armature/solve/follower.hpp"
#include "armature/solve/keep_clear.hpp"
#include "armature/solve/measure.hpp"
#include "armature/solve/method_options.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/registry.hpp"
#include "armature/solve/report.hpp"
#include "armature/solve/solutions.hpp"
#include "armature/solve/solve.hpp"
#include "armature/solve/solver.hpp"
#include "armature/solve/track.hpp"
#include "armature/solve/workspace.hpp"
