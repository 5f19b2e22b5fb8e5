// Edits of a linkage as words: `reroot hand`, `lock elbow=90deg`, `graft gripper.urdf@tool0`. The same words on every
// surface; each is one function of model/edit.hpp or model/expand.hpp.
//
// To add one: a line in kVerbs of edit_text.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

struct EditVerb {
  const char* name;
  const char* argument;  // "LINK", "JOINT=VALUE"; "": takes none
  const char* doc;
};

/// The verbs there are, in the order in which help shows them.
std::span<const EditVerb> edit_verbs();

/// How `graft` gets the linkage it adds, by name or path.
using LinkageLoader = std::function<Result<Linkage>(const std::string& name)>;

/// Makes one edit, or leaves the linkage as it was and says why. Dashes and underscores of the verb are the same. What
/// was assumed is told in `notes`.
Status apply_edit(Linkage& linkage, std::string_view verb, std::string_view argument, const LinkageLoader& load,
                  std::vector<std::string>& notes);

}  // namespace armature::inline v0_2
