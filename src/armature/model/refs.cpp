#include "armature/model/refs.hpp"

namespace armature::inline v0_2 {
namespace {

Error no_such(const char* what, int index, int count) {
  return Error{"There is no " + std::string(what) + " " + std::to_string(index) + "; the model's are 0 to " +
               std::to_string(count - 1) + "."};
}

}  // namespace

Result<int> resolve(const Model& model, const LinkRef& link) {
  if (link.named()) return model.find_link(link.name());
  if (link.empty()) return Error{"No link is named."};
  if (link.index() < 0 || link.index() >= model.link_count()) return no_such("link", link.index(), model.link_count());
  return link.index();
}

Result<int> resolve_frame(const Model& model, const LinkRef& frame) {
  if (frame.empty() || (!frame.named() && frame.index() == kWorld)) return kWorld;
  if (frame.name() == "world" && !model.has_link("world")) return kWorld;
  return resolve(model, frame);
}

Result<int> resolve(const Model& model, const JointRef& joint) {
  if (joint.named()) return model.find_joint(joint.name());
  if (joint.empty()) return Error{"No joint is named."};
  if (joint.index() < 0 || joint.index() >= model.link_count()) {
    return no_such("joint", joint.index(), model.link_count());
  }
  return joint.index();
}

}  // namespace armature::inline v0_2
