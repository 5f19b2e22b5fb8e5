// Everything that a program needs: #include <armature/armature.hpp>, using namespace armature. Link armature::parallel.
#pragma once

#include "armature/files.hpp"
#include "armature/method.hpp"
#include "armature/model.hpp"
#include "armature/motion.hpp"
#include "armature/parallel.hpp"
#include "armature/scene.hpp"
#include "armature/solve.hpp"
#include "armature/types.hpp"
#include "armature/version.hpp"
