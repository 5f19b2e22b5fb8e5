// Fuzzes the edit verbs: a few of them in a row on any linkage. Each succeeds whole, and what compiled compiles still
// and stands where the verb's promise says; or it leaves every byte as it was and says why.
#include "armature/model/edit.hpp"

#include <algorithm>
#include <map>

#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "support/sound_linkage.hpp"

using namespace armature;
using namespace armature::fuzz;

namespace {

std::string text_of(const Linkage& linkage) {
  Document document;
  document.linkage = linkage;
  const Result<std::string> text = (*format_named("json"))->write(document, {});
  return text.ok() ? *text : text.message();
}

using Frames = std::map<std::string, Transform>;

struct Posed {
  Frames frames;
  double size = 1.0;
  VecX lower, upper;
};

/// Frames by name at rest; with `values`, one joint is there instead.
bool pose(const Linkage& linkage, Posed& out, std::string_view joint = "", const std::vector<double>& values = {}) {
  const Result<Model> model = compile(linkage);
  if (!model) return false;
  VecX q = neutral_pose(*model);
  if (!joint.empty() && !set_joint(*model, joint, values, q).ok()) return false;
  State state;
  forward(*model, q, state);
  out.size = model->size();
  for (int i = 0; i < model->link_count(); ++i) {
    const Transform& frame = state.X_WL[static_cast<std::size_t>(i)];
    out.frames[model->link_name(i)] = frame;
    if (frame.is_finite()) out.size = std::max(out.size, frame.position.cwiseAbs().maxCoeff());
  }
  return true;
}

bool near(const Transform& a, const Transform& b, double size) {
  if (size > 1e100) return true;
  return (a.position - b.position).norm() <= 1e-9 * size && (a.rotation - b.rotation).norm() <= 1e-7;
}

/// Links of both stand where they stood, seen from the first of them: which link is the world's may change.
void check_in_place(const Posed& before, const Posed& after, const char* law) {
  Transform moved;
  bool first = true;
  for (const auto& [name, frame] : after.frames) {
    const auto was = before.frames.find(name);
    if (was == before.frames.end()) continue;
    if (first) moved = was->second * frame.inverse();
    first = false;
    demand(near(was->second, moved * frame, std::max(before.size, after.size)), law);
  }
}

std::string link_named(Choices& choose, const Linkage& linkage) {
  if (choose.one_in(16) || linkage.links.empty()) return choose.name();
  return linkage.links[static_cast<std::size_t>(choose.below(static_cast<int>(linkage.links.size())))].name;
}
std::string joint_named(Choices& choose, const Linkage& linkage) {
  if (choose.one_in(16) || linkage.joints.empty()) return choose.name();
  return linkage.joints[static_cast<std::size_t>(choose.below(static_cast<int>(linkage.joints.size())))].name;
}

// One verb. `law` is what must hold between the poses before and after.
Status edit(Choices& choose, Linkage& linkage, const Posed& before, bool sound) {
  // A follower whose leader is cut off moves on its own from then on, and no longer rests where its leader put it.
  const auto followers = [&] {
    return std::count_if(linkage.joints.begin(), linkage.joints.end(),
                         [](const Joint& j) { return j.mimic.has_value(); });
  };
  const auto led = followers();
  const auto in_place = [&](const Status& status, const char* law) {
    Posed after;
    if (status.ok() && sound) {
      demand(pose(linkage, after), "what compiled compiles still");
      if (led == 0 || followers() >= led) check_in_place(before, after, law);
    }
    return status;
  };
  switch (choose.below(10)) {
    case 0: {
      Joint joint;
      joint.name = choose.name();
      SoundParameters parameters{choose, 1.0};
      joint.type = *joint_type_from_name(joint_type_names()[static_cast<std::size_t>(choose.below(12))]);
      describe_joint(joint.type, parameters);
      const std::string parent = choose.one_in(16) ? "" : link_named(choose, linkage);
      const Status status = add_link(linkage, parent, joint, Link{choose.name(), {}});
      // Whether the new names and the new joint are sound is compile's to say.
      return status;
    }
    case 1:
      return in_place(remove_link(linkage, link_named(choose, linkage)), "remove_link leaves the rest in place");
    case 2: {
      const std::string from = link_named(choose, linkage), to = choose.name();
      return rename_link(linkage, from, to);
    }
    case 3: {
      const std::string from = joint_named(choose, linkage), to = choose.name();
      return rename_joint(linkage, from, to);
    }
    case 4: {
      const std::string name = joint_named(choose, linkage);
      const Joint* joint = linkage.find_joint(name);
      std::vector<double> values(joint == nullptr ? 1 : static_cast<std::size_t>(coordinate_count(joint->type)));
      for (double& value : values) value = choose.plain();
      if (choose.one_in(16)) values.push_back(choose.number());
      Posed there;
      const bool posed = sound && joint != nullptr && !joint->mimic && pose(linkage, there, name, values);
      const Status status = lock_joint(linkage, name, values);
      Posed after;
      if (status.ok() && sound) {
        demand(pose(linkage, after), "what compiled compiles still, locked");
        if (posed) check_in_place(there, after, "lock_joint leaves the pose that it locks");
      }
      return status;
    }
    case 5:
      return in_place(reroot(linkage, link_named(choose, linkage)), "reroot leaves everything in place");
    case 6: {
      const std::string base = link_named(choose, linkage), tip = link_named(choose, linkage);
      Result<Linkage> chain = extract_chain(linkage, base, tip);
      if (!chain) return Error{chain.message()};
      linkage = *chain;
      return in_place({}, "extract_chain leaves the chain in place");
    }
    case 7: {
      const int axis = choose.below(4);
      const Status status = mirror(linkage, axis, choose.below(2) == 1);
      Posed after;
      if (status.ok() && sound) demand(pose(linkage, after), "what compiled compiles still, mirrored");
      return status;
    }
    case 8: {
      const double factor = choose.one_in(4) ? choose.number() : std::abs(choose.plain());
      const Status status = scale(linkage, factor);
      Posed after;
      if (status.ok() && sound && factor > 1e-6 && factor < 1e6) {
        demand(pose(linkage, after), "what compiled compiles still, scaled");
        for (const auto& [name, frame] : after.frames) {
          Transform expected = before.frames.at(name);
          expected.position *= factor;
          demand(near(expected, frame, before.size * factor), "scale multiplies every length");
        }
      }
      return status;
    }
    default: {
      const Linkage branch = sound_linkage(choose, 3);
      const std::string prefix = choose.below(2) == 0 ? "b_" : choose.name();
      const Status status =
          graft(linkage, link_named(choose, linkage), branch, prefix, Transform::translate(choose.plain_vector()));
      return compile(branch).ok() ? in_place(status, "graft leaves what stood in place") : status;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choose(data, size);
  Linkage linkage = sound_linkage(choose, 8);
  for (int verbs = 0; verbs < 6 && choose.left(); ++verbs) {
    Posed before;
    const bool sound = pose(linkage, before);
    const std::string text = text_of(linkage);
    const Status status = edit(choose, linkage, before, sound);
    if (status.ok()) continue;
    demand(!status.message().empty(), "a refusal has a sentence");
    demand(text_of(linkage) == text, "a refusal leaves everything as it was");
  }
  return 0;
}
