// What the parts of the Python module share: the Model as Python holds it, errors, and how arguments become ours.
// One source per part (model, solve, files), each with a bind_ function called by module.cpp; arguments.cpp and
// goals.cpp read what Python hands over, by way of arrays.cpp, which checks all of it.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

#include "armature/formats/document.hpp"
#include "armature/model/model.hpp"
#include "armature/solve/goal.hpp"
#include "arrays.hpp"

namespace armature::python {

template <class T>
T need(Result<T> result) {
  if (!result.ok()) throw PyError(result.message());
  return std::move(result).value();
}
inline void need(const Status& status) {
  if (!status.ok()) throw PyError(status.message());
}

/// Python's Model: what was read and what it compiled to. Shared, never changed.
struct Figure {
  Document document;
  Model model;
};
using FigurePtr = std::shared_ptr<const Figure>;

FigurePtr make_figure(Document document);

using Array = Numbers;

/// A pose from None (neutral), a named pose, {"joint": value or values}, or q_size numbers. Quaternions are normalized.
VecX to_pose(const Model& model, const py::handle& value, const std::string& name);
/// One pose, or N of them from a table with a row each.
struct Poses {
  bool many = false;
  Numbers rows;
};
Poses to_poses(const Model& model, const py::handle& value, py::ssize_t count, const std::string& name);
/// A link from its name (or index); None is the world where that is allowed.
int to_link(const Model& model, const py::handle& value, const std::string& name);
int to_frame(const Model& model, const py::handle& value, const std::string& name);
/// The joint of this name.
const ModelJoint& to_joint(const Model& model, const py::handle& value, const std::string& name);
/// One number per velocity, from {"joint": number or numbers} or an array.
VecX to_velocities(const Model& model, const py::handle& value, const std::string& name);

/// A goal from {"type": ..., fields}; a field that its type does not have is a mistake.
Goal to_goal(const Model& model, const py::handle& value);
/// A position, orientation or pose goal, by what is given.
Goal simple_goal(const Model& model, const py::object& link, const py::object& position, const py::object& quaternion,
                 const py::object& base, const py::object& point);

py::dict pose_to_dict(const Model& model, const VecX& q);
py::array_t<double> to_matrix(const Transform& X);

void bind_model(py::module_& module, py::class_<Figure, std::shared_ptr<Figure>>& model);
void bind_solve(py::module_& module, py::class_<Figure, std::shared_ptr<Figure>>& model);
void bind_files(py::module_& module, py::class_<Figure, std::shared_ptr<Figure>>& model);

}  // namespace armature::python
