// The Python module: its parts, its exception, and its docstring.
#include <string_view>

#include "armature/base/version.hpp"
#include "python.hpp"

namespace py = pybind11;
using namespace armature::python;

namespace {

void bind_errors(py::module_& module) {
  py::exception<PyError> error(module, "Error", PyExc_ValueError);
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

}  // namespace

PYBIND11_MODULE(armature, module) {
  module.doc() =
      "Kinematic linkages: describe anything jointed, pose it, and make it reach.\n\n"
      "    import armature\n"
      "    arm = armature.load('panda')                      # a built-in model, a file, bytes or a dict\n"
      "    frames = arm.forward({'panda_joint4': -1.5})      # (links, 4, 4)\n"
      "    answer = arm.solve('panda_tcp', [0.4, 0.1, 0.5])  # a Report\n"
      "    if answer.ok: print(answer.pose)\n\n"
      "Metres and radians; quaternions are x, y, z, w; a twist is linear, then angular. Whatever is wrong with the "
      "data\n"
      "raises armature.Error, a ValueError with a whole sentence. How a search ended is the Report's outcome.";
  module.attr("__version__") = std::string(armature::version());
  bind_errors(module);
  py::class_<Figure, std::shared_ptr<Figure>> model(module, "Model",
                                                    "A compiled linkage. Made by load(); never changes.");
  bind_model(module, model);
  bind_solve(module, model);
  bind_files(module, model);
  refuse_unmade_objects(module);
}
