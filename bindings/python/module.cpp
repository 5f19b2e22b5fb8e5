// The Python module: its parts, its exception, and its docstring.
#include "armature/base/version.hpp"
#include "python.hpp"

namespace py = pybind11;
using namespace armature::python;

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
  py::register_exception<PyError>(module, "Error", PyExc_ValueError).doc() =
      "Something is wrong with the data; the text is a whole sentence that names it.";
  py::class_<Figure, std::shared_ptr<Figure>> model(module, "Model",
                                                    "A compiled linkage. Made by load(); never changes.");
  bind_model(module, model);
  bind_solve(module, model);
  bind_files(module, model);
}
