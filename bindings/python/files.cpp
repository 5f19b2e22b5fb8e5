// Files: models from a name, a path, bytes or a dict; formats, writing and saving.
#include "armature/scene/files.hpp"

#include "armature/base/suggest.hpp"
#include "armature/formats/registry.hpp"
#include "files.hpp"

namespace armature::python {
namespace {

ReadOptions to_read_options(Keywords& keywords) {
  ReadOptions options;
  const auto text = [&](const char* name, std::string& out) {
    if (const py::object value = keywords.take(name); !value.is_none()) out = to_path(value, name);
  };
  text("part", options.part);
  text("mesh_root", options.mesh_root);
  text("bvh_positions", options.bvh_positions);
  if (const py::object value = keywords.take("safety_limits"); !value.is_none()) {
    options.safety_limits = to_flag(value, "safety_limits");
  }
  if (const py::object value = keywords.take("exact_angles"); !value.is_none()) {
    options.exact_angles = to_flag(value, "exact_angles");
  }
  if (const py::object value = keywords.take("float_root"); !value.is_none()) {
    options.float_root = to_flag(value, "float_root");
  }
  if (const py::object value = keywords.take("unit_scale"); !value.is_none()) {
    options.unit_scale = to_positive(value, "unit_scale");
  }
  if (const py::object value = keywords.take("up"); !value.is_none()) options.up = to_text(value, "up");
  text("srdf", options.srdf);
  return options;
}

const char* const kReadKeywords =
    "Reading options: part (which of several linkages in the file), mesh_root (where package:// leads), safety_limits "
    "(URDF's soft\nlimits), exact_angles (URDF's 1.5708 as pi/2), srdf (a file beside a URDF), bvh_positions ('auto', "
    "'absolute', 'offset').";

FigurePtr load(const py::object& model, Keywords& keywords) {
  const ReadOptions options = to_read_options(keywords);
  keywords.finish();
  if (py::isinstance<Figure>(model)) return model.cast<FigurePtr>();
  if (PyDict_Check(model.ptr())) {
    const auto text = py::module_::import("json").attr("dumps")(model).cast<std::string>();
    ReadOptions own = options;
    own.file_name = "model.json";
    return make_figure(need(read_document(std::string_view(text), own)));
  }
  const std::string name = to_path(model, "model");
  Result<LoadedModel> loaded = Error{};
  {
    const py::gil_scoped_release unlocked;
    loaded = open_model(name, options);
  }
  return make_figure(need(std::move(loaded)), name);
}

std::string to_bytes(const py::handle& value, const std::string& name) {
  if (PyBytes_Check(value.ptr())) return py::reinterpret_borrow<py::bytes>(value).cast<std::string>();
  if (PyByteArray_Check(value.ptr())) {
    return {PyByteArray_AsString(value.ptr()), static_cast<std::size_t>(PyByteArray_Size(value.ptr()))};
  }
  if (PyUnicode_Check(value.ptr())) return to_text(value, name);
  throw PyError(name + " must be bytes or text, not " + what_it_is(value) + ".");
}

// {name: bytes}; null for none.
std::shared_ptr<std::map<std::string, std::string>> carried_files(const py::object& files) {
  if (files.is_none()) return nullptr;
  if (!PyDict_Check(files.ptr())) throw PyError("files must be a dict {name: bytes}, not " + what_it_is(files) + ".");
  auto carried = std::make_shared<std::map<std::string, std::string>>();
  for (const auto& [name, bytes] : py::reinterpret_steal<py::dict>(PyDict_Copy(files.ptr()))) {
    (*carried)[to_text(name, "A name of files")] = to_bytes(bytes, "files");
  }
  return carried;
}

FigurePtr read(const py::object& data, const py::object& file_name, const py::object& files, const py::kwargs& given) {
  Keywords keywords("read_model", given);
  ReadOptions options = to_read_options(keywords);
  keywords.finish();
  options.file_name = to_text(file_name, "file_name");
  const auto carried = carried_files(files);
  if (carried != nullptr) {
    options.load = load_carried;
    options.load_context = carried.get();
  }
  const std::string bytes = to_bytes(data, "data");
  Result<Document> document = Error{};
  {
    const py::gil_scoped_release unlocked;
    document = read_document(std::string_view(bytes), options);
  }
  const FigurePtr figure = make_figure(need(std::move(document)));
  figure->carried = carried;
  return figure;
}

}  // namespace

py::tuple write_bytes(const Document& document, const Format& format, Keywords& keywords) {
  WriteOptions options;
  std::vector<std::string> notes;
  options.notes = &notes;
  if (const py::object digits = keywords.take("digits"); !digits.is_none()) {
    options.digits = to_integer(digits, "digits");
    if (options.digits < 0 || options.digits > 17) throw PyError("digits must lie between 0 (exact) and 17.");
  }
  if (const py::object convention = keywords.take("dh_convention"); !convention.is_none()) {
    options.dh_convention = to_text(convention, "dh_convention");
    if (options.dh_convention != "standard" && options.dh_convention != "modified") {
      throw PyError("dh_convention: " + unknown_name("convention", options.dh_convention, {"standard", "modified"}));
    }
  }
  if (const py::object up = keywords.take("up"); !up.is_none()) options.up = to_text(up, "up");
  if (const py::object factor = keywords.take("unit_scale"); !factor.is_none()) {
    options.unit_scale = to_positive(factor, "unit_scale");
  }
  for (const auto& [name, link] : {std::pair{"base", &options.base}, std::pair{"tip", &options.tip}}) {
    if (const py::object given = keywords.take(name); !given.is_none()) *link = to_text(given, name);
  }
  keywords.finish();
  Result<std::string> bytes = Error{};
  {
    const py::gil_scoped_release unlocked;
    bytes = write_document(document, format, options);
  }
  return py::make_tuple(py::bytes(need(std::move(bytes))), notes);
}

py::object save_document(const Document& document, const py::object& path, Keywords& keywords) {
  const std::string name = to_path(path, "path");
  const py::tuple written = write_bytes(document, *need(format_for_writing(name)), keywords);
  need(write_file_atomically(name, written[0].cast<std::string>()));
  return written[1];
}

void bind_files(py::module_& module, ModelClass& type) {
  module.def(
      "models", &builtin_names,
      with_signature("models()", "Names of the built-in models.\n\n>>> 'ur5' in armature.models()\nTrue").c_str());
  module.def(
      "formats",
      [] {
        py::list list;
        for (const Format& format : formats()) {
          list.append(record(py::dict(
              py::arg("name") = format.name, py::arg("label") = format.label, py::arg("extensions") = format.extensions,
              py::arg("reads") = format.read != nullptr, py::arg("writes") = format.write != nullptr,
              py::arg("motion") = format.motion, py::arg("binary") = format.binary)));
        }
        return list;
      },
      with_signature("formats()",
                     "Every file format: name, label, extensions, whether it can be read and written, carries motion, "
                     "is binary.")
          .c_str());
  module.def(
      "load_model",
      [](const py::object& model, const py::kwargs& given) {
        Keywords keywords("load_model", given);
        return load(model, keywords);
      },
      py::arg("model"),
      with_signature(
          "load_model(model, *, part=None, mesh_root=None, safety_limits=False, exact_angles=False, srdf=None, "
          "bvh_positions='auto', float_root=False, up=None, unit_scale=1.0)",
          "A Model from the name of a built-in one, a path, or a dict in Armature's own format.\n\n" +
              std::string(kReadKeywords) +
              "\n\n>>> armature.load_model('ur5')\n<armature.Model 'ur5': 9 links, 6 degrees of freedom>")
          .c_str());
  module.def("read_model", &read, py::arg("data"), py::arg("file_name") = "", py::arg("files") = py::none(),
             with_signature("read_model(data, file_name='', files=None, *, part=None, mesh_root=None, "
                            "safety_limits=False, exact_angles=False, srdf=None, "
                            "bvh_positions='auto', float_root=False, up=None, unit_scale=1.0)",
                            "A Model from the bytes or the text of a file; `file_name` helps to tell its kind, `files` "
                            "{name: bytes} holds\nwhat it refers to (buffers of glTF, meshes).\n\n" +
                                std::string(kReadKeywords))
                 .c_str());
  type.def(
      "write",
      [](const Figure& f, const py::object& format, const py::kwargs& given) {
        Keywords keywords("write", given);
        return write_bytes(f.document, *need(format_named(to_text(format, "format"))), keywords);
      },
      py::arg("format"),
      with_signature(
          "write(self, format, *, digits=0, dh_convention='standard', base=None, tip=None, up=None, unit_scale=1.0)",
          "The model with its motions as (bytes, notes) of a format; the notes say what it cannot carry. `up` ('y' or "
          "'z')\n"
          "turns the whole so that this axis points up, `unit_scale` multiplies all lengths.\n\n"
          ">>> data, notes = armature.load_model('two_link').write('json')\n"
          ">>> armature.read_model(data).name\n'two_link'")
          .c_str());
  type.def(
      "save",
      [](const Figure& f, const py::object& path, const py::kwargs& given) {
        Keywords keywords("save", given);
        return save_document(f.document, path, keywords);
      },
      py::arg("path"),
      with_signature(
          "save(self, path, *, digits=0, dh_convention='standard', base=None, tip=None, up=None, unit_scale=1.0)",
          "Writes a file whose format its extension tells, whole or not at all; returns the notes on what it "
          "cannot carry.")
          .c_str());
  type.def_property_readonly(
      "linkage",
      [](const Figure& f) {
        Document document;
        document.linkage = f.document.linkage;
        return to_python(need(write_document(document, *need(format_named("json")), {})));
      },
      "The description as a dict in Armature's own format, which load_model() takes.");
  // The linkage and its motions as JSON; meshes and skins, which only glTF keeps, beside it.
  type.def(py::pickle(
      [](const Figure& f) {
        const std::string json = need(write_document(f.document, *need(format_named("json")), {}));
        py::object glb = py::none();
        if (f.document.linkage.extra != nullptr) {
          Result<std::string> bytes = write_document(f.document, *need(format_named("glb")), {});
          if (bytes) glb = py::bytes(*bytes);
        }
        py::dict files;
        if (f.carried != nullptr) {
          for (const auto& [name, bytes] : *f.carried) files[py::str(name)] = py::bytes(bytes);
        }
        return py::make_tuple(py::bytes(json), glb, f.document.notes, f.source, f.beside.folder, f.beside.mesh_root,
                              files);
      },
      [](const py::tuple& state) {
        if (state.size() != 7) throw PyError("This is not the state of a Model.");
        ReadOptions options;
        options.file_name = "model.json";
        Document document = need(read_document(std::string_view(to_bytes(state[0], "state")), options));
        if (!py::object(state[1]).is_none()) {
          options.file_name = "model.glb";
          document.linkage.extra =
              need(read_document(std::string_view(to_bytes(state[1], "state")), options)).linkage.extra;
        }
        document.notes = state[2].cast<std::vector<std::string>>();
        const FigurePtr figure = make_figure(std::move(document), state[3].cast<std::string>());
        figure->beside.folder = state[4].cast<std::string>();
        figure->beside.mesh_root = state[5].cast<std::string>();
        figure->carried = carried_files(state[6]);
        return figure;
      }));
}

}  // namespace armature::python
