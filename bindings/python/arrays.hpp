// Numbers, names and lists from Python: the one place where they are checked, before anything of ours sees them.
//
// In: any layout and any kind of real number; text, objects, complex numbers, booleans, NaN and infinity, wrong shapes
// and sizes raise ArmatureError, with a sentence that says which argument it was, what it must be, and what it is.
// What is read is copied: nothing that Python does later (another thread, an __array__ of the caller's own) reaches it.
// Out: float64 in C order, always a copy.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "armature/geom/types.hpp"

namespace armature::python {

namespace py = pybind11;

/// Becomes armature.ArmatureError, a ValueError whose text is the library's sentence.
struct PyError : std::runtime_error {
  explicit PyError(const std::string& text, int line = 0, int column = 0)
      : std::runtime_error(text), line(line), column(column) {}
  int line, column;  // of a file; 0: of none
};

/// An array that was read: finite numbers in C order.
struct Numbers {
  std::vector<double> values;
  std::vector<py::ssize_t> dimensions;  // none: a single number

  py::ssize_t ndim() const { return static_cast<py::ssize_t>(dimensions.size()); }
  py::ssize_t shape(py::ssize_t axis) const { return dimensions[static_cast<std::size_t>(axis)]; }
  py::ssize_t size() const { return static_cast<py::ssize_t>(values.size()); }
  const double* data() const { return values.data(); }
  const double* row(py::ssize_t n) const { return data() + n * shape(1); }
};

/// Arguments are read as `name`; `must` says what they must be: "position must be 3 numbers, not ...".
/// A number, a list of numbers, or rows of them.
Numbers to_array(const py::handle& value, const std::string& name, const std::string& must);
/// `count` numbers.
std::vector<double> to_numbers(const py::handle& value, py::ssize_t count, const std::string& name,
                               const std::string& must);
/// Rows of `columns` numbers, `rows` of them unless that is negative.
Numbers to_rows(const py::handle& value, py::ssize_t columns, py::ssize_t rows, const std::string& name,
                const std::string& must);
/// "3 numbers", "an array of shape (2, 3)".
std::string shape_of(const Numbers& numbers);

double to_number(const py::handle& value, const std::string& name);
/// Finite and above 0.
double to_positive(const py::handle& value, const std::string& name);
int to_integer(const py::handle& value, const std::string& name);
bool to_flag(const py::handle& value, const std::string& name);
Vec3 to_vector(const py::handle& value, const std::string& name);

/// What begins a message; made only when there is one.
using Name = std::function<std::string()>;
/// True or False, of Python or of numpy.
bool is_flag(const py::handle& value);
/// A Python int or float without detour, checked to be finite; false where it is neither.
bool plain_number(const py::handle& value, const Name& name, double& number);
/// An array of text.
bool is_text_array(const py::handle& value);

std::string to_text(const py::handle& value, const Name& name);
inline std::string to_text(const py::handle& value, const std::string& name) {
  return to_text(value, [&] { return name; });
}
/// Text, or the path of a pathlib.Path and the like.
std::string to_path(const py::handle& value, const std::string& name);
/// The items of a list, a tuple or anything else that can be iterated, but for text and dicts.
std::vector<py::object> to_items(const py::handle& value, const std::string& name, const std::string& must);

/// What a value is, in words; runs none of the caller's code.
std::string what_it_is(const py::handle& value);

/// A new array; refuses more numbers than one call may return.
py::array_t<double> new_array(const std::vector<py::ssize_t>& shape);
/// The array that a caller wants filled, or a new one where it is None: float64, C order, writable, of this shape.
py::array_t<double> out_array(const py::object& out, const std::vector<py::ssize_t>& shape);
py::array_t<double> from_vector(const VecX& values);
py::array_t<double> from_matrix(const MatX& values);

}  // namespace armature::python
