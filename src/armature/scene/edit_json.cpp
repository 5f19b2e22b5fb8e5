#include "armature/scene/edit_json.hpp"

#include "armature/base/suggest.hpp"
#include "armature/model/edit.hpp"

namespace armature::inline v0_2 {
namespace {

bool apply_edit(JsonFields& fields, Value value, Linkage& linkage) {
  JsonObject object(fields, value, "an edit");
  std::string kind;
  const Value word = object.require("edit");
  if (!word || !fields.text(word, kind)) return false;
  const auto text = [&](const char* key) {
    std::string out;
    if (const Value v = object.require(key)) fields.text(v, out);
    return out;
  };
  Status status;
  if (kind == "rename") {
    std::string link, joint;
    if (const Value v = object.get("link")) fields.text(v, link);
    if (const Value v = object.get("joint")) fields.text(v, joint);
    const std::string to = text("to");
    if (link.empty() == joint.empty()) return fields.fail(value, "Give the \"link\" or the \"joint\" to rename.");
    if (fields.ok()) status = link.empty() ? rename_joint(linkage, joint, to) : rename_link(linkage, link, to);
  } else if (kind == "remove") {
    const std::string link = text("link");
    if (fields.ok()) status = remove_link(linkage, link);
  } else if (kind == "reroot") {
    const std::string link = text("link");
    if (fields.ok()) status = reroot(linkage, link);
  } else if (kind == "lock") {
    const std::string joint = text("joint");
    std::vector<double> values;
    if (const Value v = object.get("value")) fields.number_or_list(v, values);
    if (fields.ok()) status = lock_joint(linkage, joint, values);
  } else if (kind == "limits") {
    const std::string name = text("joint");
    if (!fields.ok()) return false;
    Joint* joint = linkage.find_joint(name);
    if (joint == nullptr) {
      std::vector<std::string> names;
      for (const Joint& other : linkage.joints) names.push_back(other.name);
      return fields.fail(value, unknown_name("joint", name, names));
    }
    std::vector<double> lower, upper;
    if (const Value v = object.get("lower")) fields.number_or_list(v, lower);
    if (const Value v = object.get("upper")) fields.number_or_list(v, upper);
    if (!fields.ok()) return false;
    joint->limits.lower = lower;
    joint->limits.upper = upper;
  } else if (kind == "scale") {
    double factor = 1.0;
    if (const Value v = object.require("factor")) fields.number(v, factor);
    if (fields.ok()) status = scale(linkage, factor);
  } else if (kind == "mirror") {
    std::string axis = "y";
    if (const Value v = object.get("axis")) fields.text(v, axis);
    if (axis != "x" && axis != "y" && axis != "z") return fields.fail(value, "A mirror's axis is x, y or z.");
    if (fields.ok()) status = mirror(linkage, axis[0] - 'x', true);
  } else if (kind == "extract") {
    const std::string base = text("base"), tip = text("tip");
    if (!fields.ok()) return false;
    Result<Linkage> chain = extract_chain(linkage, base, tip);
    status = chain.status();
    if (chain) linkage = std::move(*chain);
  } else {
    return fields.fail(
        word,
        unknown_name("edit", kind, {"rename", "remove", "reroot", "lock", "limits", "scale", "mirror", "extract"}));
  }
  if (!status) return fields.fail(value, status.message());
  return object.finish();
}

}  // namespace

bool apply_edits(JsonFields& fields, Value value, Linkage& linkage) {
  if (!value.is(JsonKind::array)) return apply_edit(fields, value, linkage);
  for (const Value edit : value) {
    if (!apply_edit(fields, edit, linkage)) return false;
  }
  return true;
}

}  // namespace armature::inline v0_2
