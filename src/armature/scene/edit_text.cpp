#include "armature/scene/edit_text.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "armature/base/suggest.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/edit.hpp"
#include "armature/model/expand.hpp"
#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {
namespace {

struct Edit {
  Linkage& linkage;
  std::string argument;
  const LinkageLoader& load;
  std::vector<std::string>& notes;
};

/// "a=b" or "a..b" or "a@b" into its two sides.
Result<std::pair<std::string, std::string>> two_sides(const Edit& e, std::string_view mark, const char* example) {
  const std::size_t at = e.argument.find(mark);
  if (at == std::string::npos || at == 0 || at + mark.size() == e.argument.size()) {
    return Error{detail::quoted(e.argument) + " should look like " + example + "."};
  }
  return std::make_pair(e.argument.substr(0, at), e.argument.substr(at + mark.size()));
}

Status rename(Edit& e) {
  const auto sides = two_sides(e, "=", "OLD=NEW");
  if (!sides) return sides.error();
  const bool link = e.linkage.find_link(sides->first) != nullptr;
  const bool joint = e.linkage.find_joint(sides->first) != nullptr;
  if (link && joint) {
    e.notes.push_back("A link and a joint are both called " + detail::quoted(sides->first) + "; both are renamed.");
    Linkage tried = e.linkage;
    if (const Status s = rename_joint(tried, sides->first, sides->second); !s) return s;
    if (const Status s = rename_link(tried, sides->first, sides->second); !s) return s;
    e.linkage = std::move(tried);
    return {};
  }
  return joint ? rename_joint(e.linkage, sides->first, sides->second)
               : rename_link(e.linkage, sides->first, sides->second);
}

Status lock(Edit& e) {
  // The value is read as --pose reads it; a joint without one is locked where the start pose has it.
  const Result<Model> model = compile(e.linkage);
  if (!model) return model.error();
  const std::string name = e.argument.substr(0, e.argument.find('='));
  const Result<int> joint = model->find_joint(name);
  if (!joint) return joint.error();
  VecX q = start_pose(*model);
  if (name != e.argument) {
    const Result<VecX> given = parse_pose(*model, e.argument, q, e.notes);
    if (!given) return given.error();
    q = *given;
  }
  const ModelJoint& entry = model->joint(*joint);
  std::vector<double> values(static_cast<std::size_t>(entry.q_count));
  for (int k = 0; k < entry.q_count; ++k) values[static_cast<std::size_t>(k)] = q[entry.q_index + k];
  return lock_joint(e.linkage, name, values);
}

Status extract(Edit& e) {
  const auto sides = two_sides(e, "..", "BASE..TIP");
  if (!sides) return sides.error();
  Result<Linkage> chain = extract_chain(e.linkage, sides->first, sides->second);
  if (!chain) return chain.error();
  e.linkage = std::move(chain).value();
  return {};
}

Status mirror_it(Edit& e) {
  const bool swap = e.argument.size() > 1 && e.argument.substr(1) == ",swap";
  const std::size_t axis = std::string_view("xyz").find(e.argument.empty() ? '?' : e.argument[0]);
  if (axis == std::string_view::npos || (e.argument.size() > 1 && !swap)) {
    return Error{
        "mirror takes x, y or z: the axis across the plane of reflection; y,swap also exchanges left and right "
        "in names. Not " +
        detail::quoted(e.argument) + "."};
  }
  return mirror(e.linkage, static_cast<int>(axis), swap);
}

Status scale_it(Edit& e) {
  const Result<double> factor = parse_quantity(e.argument, "", "The factor");
  if (!factor) return factor.error();
  return scale(e.linkage, *factor);
}

/// "LINK" or "LINK:x,y,z": a place on a link.
Result<std::pair<std::string, Vec3>> place_on_link(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::make_pair(std::string(text), Vec3(Vec3::Zero()));
  const Result<Vec3> place = parse_place(text.substr(colon + 1), "The place of LINK:x,y,z");
  if (!place) return place.error();
  return std::make_pair(std::string(text.substr(0, colon)), *place);
}

Status graft_it(Edit& e) {
  // Without a link, "FILE@" or "FILE@:x,y,z", it stands beside the model.
  const std::size_t at = e.argument.rfind('@');
  if (at == std::string::npos || at == 0) {
    return Error{detail::quoted(e.argument) + " should look like FILE@LINK, FILE@LINK:x,y,z or FILE@:x,y,z."};
  }
  const std::string file = e.argument.substr(0, at);
  if (!e.load) return Error{"graft needs a file, and none can be opened here."};
  const Result<Linkage> branch = e.load(file);
  if (!branch) return branch.error();
  const auto place = place_on_link(std::string_view(e.argument).substr(at + 1));
  if (!place) return place.error();
  // Names are kept where they can be.
  const std::string prefix = free_prefix(e.linkage, *branch);
  if (!prefix.empty()) {
    e.notes.push_back("Names of " + detail::quoted(file) + " that are taken already: all of its names begin with " +
                      detail::quoted(prefix) + ".");
  }
  return graft(e.linkage, place->first, *branch, prefix, Transform::translate(place->second));
}

Status expand(Edit& e) { return e.argument == "all" ? expand_joints(e.linkage) : expand_joint(e.linkage, e.argument); }

Status add_tip_text(Edit& e) {
  const auto sides = two_sides(e, "=", "NAME=LINK:x,y,z");
  if (!sides) return sides.error();
  const auto place = place_on_link(sides->second);
  if (!place) return place.error();
  return add_tip(e.linkage, sides->first, place->first, Transform::translate(place->second));
}

struct Entry {
  EditVerb verb;
  Status (*make)(Edit& edit);
};

constexpr Entry kEntries[] = {
    {{"reroot", "LINK",
      "Make the link the root, at the origin; at neutral coordinates all links are as before, seen from it"},
     [](Edit& e) { return reroot(e.linkage, e.argument); }},
    {{"lock", "JOINT[=VALUE]", "Fix a joint at a value (default: where the start pose has it)"}, lock},
    {{"rename", "OLD=NEW", "Rename a link or a joint, with every reference to it"}, rename},
    {{"remove", "LINK", "Remove the link and everything below it"},
     [](Edit& e) { return remove_link(e.linkage, e.argument); }},
    {{"extract", "BASE..TIP", "Keep only the chain between two links"}, extract},
    {{"mirror", "x|y|z[,swap]", "Reflect across the axis; swap also exchanges left and right in names"}, mirror_it},
    {{"scale", "FACTOR", "Multiply all lengths"}, scale_it},
    {{"graft", "FILE@[LINK][:x,y,z]", "Hang another model below a link; without one it stands beside the model"},
     graft_it},
    {{"expand", "JOINT|all", "A complex joint as joints of one freedom with links of length zero (fig 5.4)"}, expand},
    {{"float_root", "", "Give a figure that stands fixed a free root joint"},
     [](Edit& e) { return float_root(e.linkage); }},
    {{"add_tip", "NAME=LINK[:x,y,z]",
      "Add a link without shape, such as a tool's point; it becomes the first effector"},
     add_tip_text},
};

}  // namespace

std::span<const EditVerb> edit_verbs() {
  static constexpr auto kVerbs = [] {
    std::array<EditVerb, std::size(kEntries)> verbs{};
    for (std::size_t i = 0; i < verbs.size(); ++i) verbs[i] = kEntries[i].verb;
    return verbs;
  }();
  return kVerbs;
}

Status apply_edit(Linkage& linkage, std::string_view verb, std::string_view argument, const LinkageLoader& load,
                  std::vector<std::string>& notes) {
  std::string name(verb);
  std::replace(name.begin(), name.end(), '-', '_');
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) {
    names.emplace_back(entry.verb.name);
    if (name != entry.verb.name) continue;
    const bool wants = *entry.verb.argument != '\0';
    if (wants != !argument.empty()) {
      return Error{wants
                       ? "The edit " + detail::quoted(name) + " needs " + entry.verb.argument + "."
                       : "The edit " + detail::quoted(name) + " takes nothing, not " + detail::quoted(argument) + "."};
    }
    Edit edit{linkage, std::string(argument), load, notes};
    const Status made = entry.make(edit);
    return made.ok() ? made : Status(Error{name + ": " + made.message()});
  }
  return Error{unknown_name("edit", name, names)};
}

}  // namespace armature::inline v0_2
