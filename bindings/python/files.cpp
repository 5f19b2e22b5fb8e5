// Files: load from a name, a path, bytes or a dict; formats, conversion and motions.
#include "armature/scene/files.hpp"

#include "armature/base/suggest.hpp"
#include "armature/formats/registry.hpp"
#include "armature/scene/load.hpp"
#include "python.hpp"

namespace armature::python {
namespace {

Document document_of(const py::object& source, const std::string& name) {
  ReadOptions options;
  options.file_name = name;
  if (py::isinstance<py::dict>(source)) {
    const auto text = py::module_::import("json").attr("dumps")(source).cast<std::string>();
    if (name.empty()) options.file_name = "dict.json";
    return need(read_document(text, options));
  }
  if (py::isinstance<py::bytes>(source) || py::isinstance<py::bytearray>(source)) {
    const py::bytes bytes = py::module_::import("builtins").attr("bytes")(source);
    return need(read_document(bytes.cast<std::string>(), options));
  }
  const auto word = py::str(py::module_::import("os").attr("fspath")(source)).cast<std::string>();
  return need(load_document(word, options));
}

py::tuple write(const Document& document, const Format& format) {
  std::vector<std::string> notes;
  WriteOptions options;
  options.notes = &notes;
  const std::string bytes = need(write_document(document, format, options));
  return py::make_tuple(py::bytes(bytes), notes);
}

// The document with other motions, whose rows must fit the model.
Document with_clips(const Figure& figure, const py::object& clips) {
  Document document = figure.document;
  if (clips.is_none()) return document;
  document.clips.clear();
  for (const py::handle& item : clips) {
    document.clips.push_back(item.cast<Clip>());
    if (document.clips.back().q_size != figure.model.q_size()) {
      throw PyError("A motion of " + armature::quoted(figure.model.name()) + " has " +
                    std::to_string(figure.model.q_size()) + " numbers a frame, not " +
                    std::to_string(document.clips.back().q_size) + ".");
    }
  }
  return document;
}

void bind_clip(py::module_& module) {
  py::class_<Clip> clip(module, "Clip", "A motion: poses at a steady frame rate.");
  clip.def(py::init([](const Array& poses, double frame_time, const std::string& name) {
             if (poses.ndim() != 2) throw PyError("The poses of a Clip are an array with a row a frame.");
             if (!(frame_time > 0.0)) throw PyError("The frame_time of a Clip is a positive number of seconds.");
             Clip made;
             made.name = name;
             made.frame_time = frame_time;
             made.q_size = static_cast<int>(poses.shape(1));
             made.values.assign(poses.data(), poses.data() + poses.size());
             return made;
           }),
           py::arg("poses"), py::arg("frame_time") = 1.0 / 30.0, py::arg("name") = "");
  clip.def_readonly("name", &Clip::name);
  clip.def_readonly("frame_time", &Clip::frame_time, "Seconds.");
  clip.def_property_readonly("duration", &Clip::duration);
  clip.def_property_readonly(
      "poses",
      [](const Clip& c) {
        py::array_t<double> poses({static_cast<py::ssize_t>(c.frame_count()), static_cast<py::ssize_t>(c.q_size)});
        std::copy(c.values.begin(), c.values.begin() + c.frame_count() * c.q_size, poses.mutable_data());
        return poses;
      },
      "An array with a row a frame.");
  clip.def("__len__", &Clip::frame_count);
}

}  // namespace

void bind_files(py::module_& module, py::class_<Figure, std::shared_ptr<Figure>>& type) {
  bind_clip(module);
  module.def("models", &builtin_names, "Names of the built-in models.");
  module.def(
      "formats",
      [] {
        py::list list;
        for (const Format& format : formats()) {
          list.append(py::dict(py::arg("name") = format.name, py::arg("label") = format.label,
                               py::arg("extensions") = format.extensions, py::arg("reads") = format.read != nullptr,
                               py::arg("writes") = format.write != nullptr, py::arg("motion") = format.motion,
                               py::arg("binary") = format.binary));
        }
        return list;
      },
      "Every file format: name, label, extensions, whether it can be read and written, carries motion, is binary.");
  module.def(
      "load",
      [](const py::object& source, const std::string& name) {
        return std::const_pointer_cast<Figure>(make_figure(document_of(source, name)));
      },
      py::arg("source"), py::arg("name") = "",
      "A Model from the name of a built-in one, a path, the bytes of a file (`name` then helps to tell its kind), or "
      "a\n"
      "dict in Armature's own format.");
  module.def(
      "convert",
      [](const py::object& source, const std::string& to, const std::string& name) {
        return write(document_of(source, name), *need(format_named(to)));
      },
      py::arg("source"), py::arg("to"), py::arg("name") = "",
      "The same in another format: (bytes, notes), notes saying what it cannot carry.");
  type.def_property_readonly(
      "clips", [](const Figure& f) { return f.document.clips; }, "Motions that came with it.");
  type.def(
      "write",
      [](const Figure& f, const std::string& format, const py::object& clips) {
        return write(with_clips(f, clips), *need(format_named(format)));
      },
      py::arg("format"), py::arg("clips") = py::none(),
      "The model, with its own motions or with `clips`, as (bytes, notes) of a format.");
  type.def(
      "save",
      [](const Figure& f, const py::object& path, const py::object& clips) {
        const auto name = py::str(py::module_::import("os").attr("fspath")(path)).cast<std::string>();
        const py::tuple written = write(with_clips(f, clips), *need(format_for_writing(name)));
        const auto bytes = written[0].cast<std::string>();
        const Status saved = write_file_atomically(name, bytes);
        if (!saved) throw PyError(saved.message());
        return py::object(written[1]);
      },
      py::arg("path"), py::arg("clips") = py::none(),
      "Writes a file whose format its extension tells; returns the notes on what it cannot carry.");
}

}  // namespace armature::python
