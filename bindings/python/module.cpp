// The Python module armature._core: its parts, its exception, and what pybind11 would otherwise let through.
#include <string_view>

#include "armature/base/version.hpp"
#include "python.hpp"

namespace py = pybind11;
using namespace armature::python;

namespace {

void bind_errors(py::module_& module) {
  py::exception<PyError> error(module, "ArmatureError", PyExc_ValueError);
  error.doc() = "Something is wrong with the data; the text is a whole sentence that names it.";
  static PyObject* const type = error.release().ptr();
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const PyError& caught) {
      // A sentence may quote bytes of a file or of the caller's that are not UTF-8.
      const std::string_view text = caught.what();
      PyObject* words = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
      if (words != nullptr) PyErr_SetObject(type, words);
      Py_XDECREF(words);
    } catch (const armature::ArmatureError& caught) {
      PyErr_SetString(type, caught.what());
    } catch (const py::cast_error& caught) {
      PyErr_SetString(PyExc_TypeError, caught.what());
    }
  });
}

// An object that __new__ made and no one filled: pybind11 would hand out memory that nothing was ever written to.
void refuse_unmade_objects(const py::module_& module) {
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    if (!PyType_Check(value.ptr())) continue;
    if (auto* type = py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr()))) {
      type->operator_new = [](std::size_t) -> void* { throw PyError("This object was never made; it holds nothing."); };
    }
  }
}

// What it is imported from is no matter of the user's: armature.Model, not armature._core.Model.
void name_public_module(const py::module_& module) {
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    if (PyType_Check(value.ptr())) py::setattr(value, "__module__", py::str("armature"));
  }
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  py::options options;
  options.disable_function_signatures();  // each docstring begins with its own, in the form that inspect reads
  module.doc() = "The compiled part of armature; import armature instead.";
  module.attr("__version__") = std::string(armature::version());
  bind_errors(module);
  ModelClass model(module, "Model",
                   "A compiled linkage with the file it came from. Made by load_model() and read_model(); never "
                   "changes: edits give a new one.");
  bind_model(module, model);
  bind_edit(model);
  bind_report(module);
  bind_files(module, model);
  bind_own(module);
  bind_solve(module, model);
  bind_chain(module, model);
  bind_follow(module, model);
  bind_motion(module, model);
  bind_workspace(module, model);
  bind_jobs(module, model);
  refuse_unmade_objects(module);
  name_public_module(module);
}
