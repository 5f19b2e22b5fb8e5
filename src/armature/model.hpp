// Linkages and models: describing, editing, compiling, posing; where links are, Jacobians, analysis.
#pragma once

#include "armature/kinematics/analysis.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/measures.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/kinematics/velocity.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/dh.hpp"
#include "armature/model/edit.hpp"
#include "armature/model/expand.hpp"
#include "armature/model/refs.hpp"
#include "armature/types.hpp"
