// What the parts of the Python module share. The module only marshals: arguments become trees (values.hpp) or checked
// arrays (arrays.hpp), the readers of scene/ make of them what they mean, and answers go back under the same names.
//
//   model    Model, State: description, poses, frames, Jacobians      edit       edits that give a new Model
//   files    reading and writing                                       question   keywords of a call -> Scene
//   report   Report, Trace                                             solve      solve, Solver, batches, Scene's
//   questions chain    all solutions, kinds of chains                            own        goals and methods written
//   in Python follow   control loops       motion   Clip, track, keyframes, retarget       workspace
//   jobs     long calls: threads, progress, files of targets and motions
//   mechanism  loops, bodies, center of mass
//   draw     pictures
// Each has a bind_ function, called by module.cpp.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

#include "armature/scene/load.hpp"
#include "armature/scene/scene.hpp"
#include "armature/scene/solver_pool.hpp"
#include "arrays.hpp"
#include "values.hpp"

namespace armature::python {

template <class T>
T need(Result<T> result) {
  if (!result.ok()) throw PyError(result.message(), result.error().line, result.error().column);
  return std::move(result).value();
}
inline void need(const Status& status) {
  if (!status.ok()) throw PyError(status.message(), status.error().line, status.error().column);
}

/// Python's Model: what was read, what it compiled to, and the name or path it was loaded by. Shared, never changed.
struct Figure : LoadedModel {
  std::string source;
  mutable SolverPool solvers;  // with their tables, from call to call
};
using FigurePtr = std::shared_ptr<Figure>;
using ModelClass = py::class_<Figure, FigurePtr>;

FigurePtr make_figure(Document document, std::string source = "");
FigurePtr make_figure(LoadedModel loaded, std::string source = "");

/// A Model; anything else is refused.
FigurePtr to_figure(const py::handle& value, const std::string& name);

/// The signature, in the form that Python's inspect and help read, and the text below it.
std::string with_signature(const std::string& signature, const std::string& text);

/// A pose from None (neutral), a named pose ("ready,elbow=0.5": with changes), {"joint": value or values}, or q_size
/// numbers. Quaternions are brought to unit length.
VecX to_pose(const Model& model, const py::handle& value, const std::string& name);
/// One pose, or N of them from a table with a row each.
struct Poses {
  bool many = false;
  Numbers rows;
};
Poses to_poses(const Model& model, const py::handle& value, py::ssize_t count, const std::string& name);
/// A link from its name or number; None or "world" is the world where that is allowed.
int to_link(const Model& model, const py::handle& value, const std::string& name);
int to_frame(const Model& model, const py::handle& value, const std::string& name);
/// One number per velocity, from {"joint": number or numbers}, one number for all, or an array.
VecX to_velocities(const Model& model, const py::handle& value, double otherwise, const std::string& name);
/// A point in a link's frame; None is its origin.
Vec3 to_point(const py::handle& value, const std::string& name);
/// 7 or 16 numbers, a 4x4 array or a dict; None is the identity.
Transform to_transform(const py::handle& value, const std::string& name);

/// {"joint": value or [values]}
py::dict joint_values(const Model& model, const VecX& q);
py::array_t<double> to_matrix(const Transform& X);
/// A dict whose members are attributes, too.
py::object record(const py::dict& fields);
py::object measures_record(const Measures& measures);

/// The keywords of a call. Those of the function itself are taken out first; what is left belongs to the scene: goals,
/// start, locked, ... and the options of its method.
class Keywords {
 public:
  Keywords(std::string function, const py::handle& given);
  py::object take(const char* name);  // None when it is not given
  /// What is left as the fields of a scene; `target` with link, point and base becomes its only goal. Unknown names are
  /// named with the nearest valid one.
  py::dict fields(const py::object& target);
  /// Nothing may be left.
  void finish() const;

 private:
  std::string function_;
  py::dict given_;
  std::vector<std::string> own_;
};
/// The scene that the fields describe.
/// What was assumed, and what looks like a slip (degrees for radians), as warnings of Python.
void warn(const std::vector<std::string>& notes);
/// A link, or the model's end effector for None.
int to_tip(const Model& model, const py::handle& value);
Scene to_scene(const FigurePtr& model, const py::dict& fields);
/// Raises unless there is something to reach.
void need_goals(const Scene& scene, const char* function);

/// Goals of one's own (own.cpp). An exception of Python's inside a search is kept by the thread that met it, and the
/// search comes to an end; afterwards it is raised.
std::shared_ptr<const GoalFunction> python_goal(const FigurePtr& model, const py::object& function);
void keep_exception();
void raise_kept_exception();
std::exception_ptr take_kept_exception();

void bind_model(py::module_& module, ModelClass& model);
void bind_edit(ModelClass& model);
void bind_files(py::module_& module, ModelClass& model);
void bind_report(py::module_& module);
void bind_solve(py::module_& module, ModelClass& model);
void bind_chain(py::module_& module, ModelClass& model);
void bind_own(py::module_& module);
void bind_follow(py::module_& module, ModelClass& model);
void bind_motion(py::module_& module, ModelClass& model);
void bind_mechanism(ModelClass& model);
void bind_workspace(py::module_& module, ModelClass& model);
void bind_jobs(py::module_& module, ModelClass& model);
void bind_draw(py::module_& module);  // after all classes

}  // namespace armature::python
