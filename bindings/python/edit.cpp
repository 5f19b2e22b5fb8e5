// Edits: each gives a new Model and leaves the old one as it is.
#include "armature/model/edit.hpp"

#include "armature/base/suggest.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/expand.hpp"
#include "python.hpp"

namespace armature::python {
namespace {

// The edited linkage with the notes of its file; motions of the old one do not fit any more.
FigurePtr edited(const Figure& figure, Linkage linkage) {
  Document document;
  document.linkage = std::move(linkage);
  document.linkage.extra.reset();
  document.notes = figure.document.notes;
  Model model = need(compile(document.linkage));
  LoadedModel loaded{std::move(document), std::move(model), figure.beside, figure.carried};  // its meshes are the same
  return make_figure(std::move(loaded));
}

std::vector<double> values_of(const py::handle& value, const std::string& name) {
  const Numbers numbers = to_array(value, name, "a number or a list of numbers");
  if (numbers.ndim() > 1) throw PyError(name + " must be a number or a list of numbers.");
  return numbers.values;
}

py::dict to_members(const py::object& value, const std::string& name, const std::string& must) {
  if (!PyDict_Check(value.ptr())) throw PyError(name + " must be " + must + ", not " + what_it_is(value) + ".");
  return py::reinterpret_steal<py::dict>(PyDict_Copy(value.ptr()));
}

FigurePtr locked(const Figure& figure, const py::object& values) {
  Linkage linkage = figure.document.linkage;
  for (const auto& [key, value] : to_members(values, "values", "a dict {joint: value or values}")) {
    const std::string joint = to_text(key, "A joint of values");
    need(lock_joint(linkage, joint, values_of(value, "values." + joint)));
  }
  return edited(figure, std::move(linkage));
}

FigurePtr renamed(const Figure& figure, const py::object& names) {
  Linkage linkage = figure.document.linkage;
  for (const auto& [key, value] : to_members(names, "names", "a dict {old: new} of links and joints")) {
    const std::string from = to_text(key, "A name of names");
    const std::string to = to_text(value, "names." + from);
    const bool link = linkage.find_link(from) != nullptr;
    const bool joint = linkage.find_joint(from) != nullptr;
    if (!link && !joint) {
      std::vector<std::string> known = figure.model.links();
      for (const std::string& name : figure.model.joint_names()) known.push_back(name);
      throw PyError("names: " + unknown_name("link or joint", from, known));
    }
    if (link) need(rename_link(linkage, from, to));
    if (joint) need(rename_joint(linkage, from, to));
  }
  return edited(figure, std::move(linkage));
}

}  // namespace

void bind_edit(ModelClass& type) {
  const auto edit = [&](const char* name, auto change, const char* doc) {
    type.def(
        name,
        [change](const Figure& f, const py::object& link) {
          Linkage linkage = f.document.linkage;
          need(change(linkage, to_text(link, "link")));
          return edited(f, std::move(linkage));
        },
        py::arg("link"), with_signature(std::string(name) + "(self, link)", doc).c_str());
  };
  edit(
      "remove", [](Linkage& l, const std::string& v) { return remove_link(l, v); },
      "A model without the link and all below it.");
  edit(
      "reroot", [](Linkage& l, const std::string& v) { return reroot(l, v); },
      "A model with this link as root, at the origin; at neutral all links are as before, seen from it.");
  type.def(
      "extract",
      [](const Figure& f, const py::object& base, const py::object& tip) {
        return edited(f, need(extract_chain(f.document.linkage, to_text(base, "base"), to_text(tip, "tip"))));
      },
      py::arg("base"), py::arg("tip"),
      with_signature("extract(self, base, tip)", "A model of only the links between base and tip, with base as root.")
          .c_str());
  type.def(
      "float_root",
      [](const Figure& f) {
        Linkage linkage = f.document.linkage;
        need(float_root(linkage));
        return edited(f, std::move(linkage));
      },
      with_signature("float_root(self)",
                     "A model with a free joint above its root, so that a figure that stood fixed can travel.")
          .c_str());
  type.def(
      "add_tip",
      [](const Figure& f, const py::object& name, const py::object& link, const py::object& origin) {
        Linkage linkage = f.document.linkage;
        need(add_tip(linkage, to_text(name, "name"), to_text(link, "link"), to_transform(origin, "origin")));
        return edited(f, std::move(linkage));
      },
      py::arg("name"), py::arg("link"), py::kw_only(), py::arg("origin") = py::none(),
      with_signature("add_tip(self, name, link, *, origin=None)",
                     "A model with a link without shape at `origin` of a link, such as a tool's point; it becomes the "
                     "first effector.\n\n"
                     ">>> armature.load_model('ur5').add_tip('pen', 'tool0', origin=[0, 0, 0.1]).effectors[0]\n'pen'")
          .c_str());
  type.def("lock", &locked, py::arg("values"),
           with_signature("lock(self, values)",
                          "A model whose joints {joint: value or values} are fixed there.\n\n"
                          ">>> armature.load_model('planar_arm').lock({'joint2': 0.5}).v_size\n2")
               .c_str());
  type.def("rename", &renamed, py::arg("names"),
           with_signature("rename(self, names)", "A model with links and joints renamed: {old: new}.").c_str());
  type.def(
      "mirror",
      [](const Figure& f, const py::object& axis, const py::object& swap_sides) {
        const std::string word = to_text(axis, "axis");
        const std::size_t index = word.size() == 1 ? std::string("xyz").find(word) : std::string::npos;
        if (index == std::string::npos) throw PyError("axis: " + unknown_name("axis", word, {"x", "y", "z"}));
        Linkage linkage = f.document.linkage;
        need(mirror(linkage, static_cast<int>(index), to_flag(swap_sides, "swap_sides")));
        return edited(f, std::move(linkage));
      },
      py::arg("axis"), py::kw_only(), py::arg("swap_sides") = false,
      with_signature("mirror(self, axis, *, swap_sides=False)",
                     "A model reflected along 'x', 'y' or 'z'; with swap_sides 'left' and 'right' change places in all "
                     "names.")
          .c_str());
  type.def(
      "scale",
      [](const Figure& f, const py::object& factor) {
        Linkage linkage = f.document.linkage;
        need(scale(linkage, to_number(factor, "factor")));
        return edited(f, std::move(linkage));
      },
      py::arg("factor"), with_signature("scale(self, factor)", "A model with all lengths multiplied.").c_str());
  type.def(
      "graft",
      [](const Figure& f, const Figure& branch, const py::object& link, const py::object& prefix,
         const py::object& origin) {
        Linkage linkage = f.document.linkage;
        const std::string word =
            prefix.is_none() ? free_prefix(linkage, branch.document.linkage) : to_text(prefix, "prefix");
        need(graft(linkage, link.is_none() ? "" : to_text(link, "link"), branch.document.linkage, word,
                   to_transform(origin, "origin")));
        return edited(f, std::move(linkage));
      },
      py::arg("branch"), py::arg("link") = py::none(), py::kw_only(), py::arg("prefix") = py::none(),
      py::arg("origin") = py::none(),
      with_signature("graft(self, branch, link=None, *, prefix=None, origin=None)",
                     "A model with another one below a link, its root placed at `origin` of the link; without a link "
                     "beside this model, `origin` being in the world. Names that are taken get a prefix.")
          .c_str());
  type.def(
      "expand",
      [](const Figure& f, const py::object& joint) {
        Linkage linkage = f.document.linkage;
        need(joint.is_none() ? expand_joints(linkage) : expand_joint(linkage, to_text(joint, "joint")));
        return edited(f, std::move(linkage));
      },
      py::arg("joint") = py::none(),
      with_signature("expand(self, joint=None)",
                     "A model whose joint (every one when it is left out) of several coordinates is a chain of joints "
                     "with one each.")
          .c_str());
}

}  // namespace armature::python
