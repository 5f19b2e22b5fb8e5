// What there is, as JSON: a model, the built-in models, the file formats, the methods and their options. The answers of
// `armature info`, `models`, `formats` and `methods`, and what TypeScript and the studio show.
#pragma once

#include "armature/scene/json_text.hpp"
#include "armature/scene/load.hpp"

namespace armature::inline v0_2 {

/// The members of a model, into an open object: name, sizes, links, joints, effectors, poses, clips. Limits that do not
/// exist are null.
void write_model(JsonText& json, const Document& document, const Model& model);

/// Lists of objects.
std::string models_json();
std::string formats_json();
std::string methods_json();

}  // namespace armature::inline v0_2
