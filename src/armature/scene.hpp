// Models, scenes, goals and targets by name or path; methods by name; poses judged.
#pragma once

#include "armature/files.hpp"
#include "armature/scene/compare.hpp"
#include "armature/scene/exact.hpp"
#include "armature/scene/files.hpp"
#include "armature/scene/load.hpp"
#include "armature/scene/methods.hpp"
#include "armature/scene/obstacles_json.hpp"
#include "armature/scene/report_json.hpp"
#include "armature/scene/save.hpp"
#include "armature/scene/scene.hpp"
#include "armature/scene/target_table.hpp"
#include "armature/scene/targets.hpp"
#include "armature/solve.hpp"
