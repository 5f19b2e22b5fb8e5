// Motions: clips, keyframes, paths, the clock of least time, mechanisms that are driven, retargeting.
#pragma once

#include "armature/model.hpp"
#include "armature/motion/clip.hpp"
#include "armature/motion/clips.hpp"
#include "armature/motion/drive.hpp"
#include "armature/motion/keyframes.hpp"
#include "armature/motion/path.hpp"
#include "armature/motion/retarget.hpp"
#include "armature/motion/retime.hpp"
