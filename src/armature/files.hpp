// Files of every format as bytes.
#pragma once

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/document.hpp"
#include "armature/formats/registry.hpp"
