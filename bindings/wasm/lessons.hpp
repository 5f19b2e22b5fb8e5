// The exercises of the chapter as JavaScript asks for them: what they ask, and whether an answer passes.
#pragma once

#include "model_handle.hpp"

namespace armature::js {

/// [{name, section, title, task, answer, model, choices, hints, solution}].
std::string exercises_json();
/// {passed, message} of an answer {text, model, clip}: the one that the kind of the exercise asks for.
val check_exercise(const std::string& name, const val& answer);

}  // namespace armature::js
