// What there is: built-in models, formats, solvers with their described options. Plain objects made from the core's
// own registries; nothing is listed twice.
#pragma once

#include <emscripten/val.h>

namespace armature::js {

emscripten::val model_list();
emscripten::val format_list();
emscripten::val solver_list();

}  // namespace armature::js
