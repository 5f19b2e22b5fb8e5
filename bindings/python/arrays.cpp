#include "arrays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/base/suggest.hpp"

namespace armature::python {
namespace {

// A view may claim any size without having it (numpy.broadcast_to); 1 GB is more than a call can sensibly be given.
constexpr py::ssize_t kMostNumbers = py::ssize_t{1} << 27;
constexpr std::size_t kMostItems = std::size_t{1} << 20;

[[noreturn]] void refuse(const std::string& name, const std::string& must, const std::string& is) {
  throw PyError(name + " must be " + must + ", not " + is + ".");
}

std::string shape_text(const py::ssize_t* shape, py::ssize_t count) {
  std::string text = "(";
  for (py::ssize_t k = 0; k < count; ++k) text += (k > 0 ? ", " : "") + std::to_string(shape[k]);
  return text + (count == 1 ? ",)" : ")");
}

bool is_real(char kind) { return kind == 'f' || kind == 'i' || kind == 'u'; }

std::string kind_text(char kind) {
  switch (kind) {
    case 'b':
      return "booleans";
    case 'c':
      return "complex numbers";
    case 'S':
    case 'U':
      return "text";
    case 'O':
      return "objects";
    case 'M':
    case 'm':
      return "dates or durations";
    case 'V':
      return "records";
    default:
      return "numbers";
  }
}

std::string array_text(const py::array& array) {
  if (is_real(array.dtype().kind())) {
    if (array.ndim() == 0) return "a single number";
    if (array.ndim() == 1) return array.shape(0) == 1 ? "1 number" : std::to_string(array.shape(0)) + " numbers";
  }
  return "an array of " + kind_text(array.dtype().kind()) + " of shape " + shape_text(array.shape(), array.ndim());
}

/// Of numbers, and no larger than it may be; not yet converted, so that a wrong shape costs nothing.
py::array real_array(const py::handle& value, const std::string& name, const std::string& must) {
  if (value.is_none() || PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr()) || PyBool_Check(value.ptr()) ||
      PyDict_Check(value.ptr())) {
    refuse(name, must, what_it_is(value));
  }
  py::array array;
  try {
    array = py::array(py::reinterpret_borrow<py::object>(value));  // may run an __array__ of the caller's
  } catch (py::error_already_set& error) {
    // numpy's own complaint, such as rows of different lengths; anything else is the caller's and goes through.
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError)) throw;
    refuse(name, must, what_it_is(value) + " that is not a regular array");
  }
  if (!is_real(array.dtype().kind())) refuse(name, must, array_text(array));
  if (Py_TYPE(array.ptr()) != py::detail::npy_api::get().PyArray_Type_ &&
      py::module_::import("numpy.ma").attr("is_masked")(array).cast<bool>()) {
    refuse(name, must, "an array with masked numbers");
  }
  // Each dimension, too: an array without numbers may still have a dimension that no int holds.
  bool small = array.size() <= kMostNumbers;
  for (py::ssize_t k = 0; k < array.ndim(); ++k) small = small && array.shape(k) <= kMostNumbers;
  if (!small) {
    throw PyError(name + " has the shape " + shape_text(array.shape(), array.ndim()) + "; a call takes at most " +
                  std::to_string(kMostNumbers) + " numbers.");
  }
  return array;
}

Numbers converted(const py::array& array, const std::string& name, const std::string& must) {
  const auto plain = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!plain) refuse(name, must, array_text(array));
  Numbers numbers;
  numbers.values.assign(plain.data(), plain.data() + plain.size());
  numbers.dimensions.assign(plain.shape(), plain.shape() + plain.ndim());
  for (std::size_t k = 0; k < numbers.values.size(); ++k) {
    const double v = numbers.values[k];
    if (std::isfinite(v)) continue;
    std::string at;  // the indices as Python would write them
    auto left = static_cast<py::ssize_t>(k);
    for (py::ssize_t axis = numbers.ndim() - 1; axis >= 0; --axis) {
      at = std::to_string(left % numbers.shape(axis)) + (at.empty() ? "" : ", ") + at;
      left /= numbers.shape(axis);
    }
    throw PyError(name + " must be " + must + "; " + (at.empty() ? name : name + "[" + at + "]") + " is " +
                  (std::isnan(v) ? "nan"
                   : v > 0       ? "inf"
                                 : "-inf") +
                  ", which is not finite.");
  }
  return numbers;
}

}  // namespace

bool is_flag(const py::handle& value) {
  return PyBool_Check(value.ptr()) || std::string_view(Py_TYPE(value.ptr())->tp_name) == "numpy.bool_";
}

bool plain_number(const py::handle& value, const Name& name, double& number) {
  if (PyFloat_Check(value.ptr())) {
    number = PyFloat_AS_DOUBLE(value.ptr());
  } else if (PyLong_Check(value.ptr()) && !PyBool_Check(value.ptr())) {
    number = PyLong_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw PyError(name() + " overflows double precision.");
    }
  } else {
    return false;
  }
  if (!std::isfinite(number)) {
    const char* const is = std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
    throw PyError(name() + " is " + is + ", which is not finite.");
  }
  return true;
}

bool is_text_array(const py::handle& value) {
  if (!py::isinstance<py::array>(value)) return false;
  const auto array = py::reinterpret_borrow<py::array>(value);
  return array.dtype().kind() == 'U' && array.size() <= static_cast<py::ssize_t>(kMostItems);
}

std::string what_it_is(const py::handle& value) {
  if (value.is_none()) return "None";
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True ? "True" : "False";
  if (PyUnicode_Check(value.ptr())) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (text == nullptr || size > 60) {
      PyErr_Clear();
      return "a str";
    }
    return "the text " + armature::detail::quoted({text, static_cast<std::size_t>(size)});
  }
  if (py::isinstance<py::array>(value)) return array_text(py::reinterpret_borrow<py::array>(value));
  return "a value of type " + std::string(Py_TYPE(value.ptr())->tp_name);
}

Numbers to_array(const py::handle& value, const std::string& name, const std::string& must) {
  return converted(real_array(value, name, must), name, must);
}

std::vector<double> to_numbers(const py::handle& value, py::ssize_t count, const std::string& name,
                               const std::string& must) {
  double number = 0.0;
  if (count == 1 && plain_number(
                        value, [&] { return name; }, number))
    return {number};
  const py::array array = real_array(value, name, must);
  if (array.ndim() > 1 || array.size() != count || (array.ndim() == 0 && count != 1)) {
    refuse(name, must, array_text(array));
  }
  return converted(array, name, must).values;
}

Numbers to_rows(const py::handle& value, py::ssize_t columns, py::ssize_t rows, const std::string& name,
                const std::string& must) {
  const py::array array = real_array(value, name, must);
  if (array.ndim() != 2 || array.shape(1) != columns || (rows >= 0 && array.shape(0) != rows)) {
    refuse(name, must, array_text(array));
  }
  return converted(array, name, must);
}

std::string shape_of(const Numbers& numbers) {
  if (numbers.ndim() == 1) return std::to_string(numbers.size()) + (numbers.size() == 1 ? " number" : " numbers");
  return "an array of shape " + shape_text(numbers.dimensions.data(), numbers.ndim());
}

double to_number(const py::handle& value, const std::string& name) { return to_numbers(value, 1, name, "a number")[0]; }

double to_positive(const py::handle& value, const std::string& name) {
  const double number = to_number(value, name);
  if (!(number > 0.0) || number > 1e9) throw PyError(name + " must be above 0.");
  return number;
}

int to_integer(const py::handle& value, const std::string& name) {
  const double number = to_number(value, name);
  if (number != std::floor(number) || std::abs(number) > std::numeric_limits<int>::max()) {
    throw PyError(name + " must be a whole number of at most " + std::to_string(std::numeric_limits<int>::max()) + ".");
  }
  return static_cast<int>(number);
}

bool to_flag(const py::handle& value, const std::string& name) {
  if (!PyBool_Check(value.ptr())) refuse(name, "True or False", what_it_is(value));
  return value.ptr() == Py_True;
}

Vec3 to_vector(const py::handle& value, const std::string& name) {
  const std::vector<double> v = to_numbers(value, 3, name, "3 numbers");
  return {v[0], v[1], v[2]};
}

std::string to_text(const py::handle& value, const Name& name) {
  if (!PyUnicode_Check(value.ptr())) refuse(name(), "text", what_it_is(value));
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();
    throw PyError(name() + " must be text; it has characters that UTF-8 cannot represent.");
  }
  return {text, static_cast<std::size_t>(size)};
}

std::string to_path(const py::handle& value, const std::string& name) {
  if (PyUnicode_Check(value.ptr()) || !py::hasattr(value, "__fspath__")) return to_text(value, name);
  return to_text(py::module_::import("os").attr("fspath")(value), name);
}

std::vector<py::object> to_items(const py::handle& value, const std::string& name, const std::string& must) {
  if (value.is_none() || PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr()) || PyDict_Check(value.ptr())) {
    refuse(name, must, what_it_is(value));
  }
  const auto iterator = py::reinterpret_steal<py::object>(PyObject_GetIter(value.ptr()));
  if (!iterator) {
    const py::error_already_set error;
    if (!error.matches(PyExc_TypeError)) throw error;
    refuse(name, must, what_it_is(value));
  }
  std::vector<py::object> items;
  while (PyObject* item = PyIter_Next(iterator.ptr())) {
    items.push_back(py::reinterpret_steal<py::object>(item));
    if (items.size() > kMostItems) throw PyError(name + " has more than " + std::to_string(kMostItems) + " items.");
  }
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  return items;
}

py::array_t<double> new_array(const std::vector<py::ssize_t>& shape) {
  py::ssize_t left = 4 * kMostNumbers;
  for (const py::ssize_t length : shape) left /= std::max(length, py::ssize_t{1});
  if (left == 0) {
    throw PyError("The answer would be an array of shape " +
                  shape_text(shape.data(), static_cast<py::ssize_t>(shape.size())) + ", more than " +
                  std::to_string(4 * kMostNumbers) + " numbers; ask for it in parts.");
  }
  return py::array_t<double>(shape);
}

py::array_t<double> out_array(const py::object& out, const std::vector<py::ssize_t>& shape) {
  if (out.is_none()) return new_array(shape);
  const std::string must = "a writable float64 array in C order of shape " +
                           shape_text(shape.data(), static_cast<py::ssize_t>(shape.size()));
  if (!py::isinstance<py::array>(out)) refuse("out", must, what_it_is(out));
  const auto array = py::reinterpret_borrow<py::array>(out);
  const bool aligned = (array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
  const bool fits = py::isinstance<py::array_t<double, py::array::c_style>>(out) && array.writeable() && aligned &&
                    array.ndim() == static_cast<py::ssize_t>(shape.size()) &&
                    std::equal(shape.begin(), shape.end(), array.shape());
  if (!fits) {
    refuse("out", must, array_text(array) + (array.writeable() ? "" : ", read-only") + (aligned ? "" : ", unaligned"));
  }
  return py::reinterpret_borrow<py::array_t<double>>(out);
}

py::array_t<double> from_vector(const VecX& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::array_t<double> from_matrix(const MatX& values) {
  py::array_t<double> array({static_cast<py::ssize_t>(values.rows()), static_cast<py::ssize_t>(values.cols())});
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      array.mutable_data(), values.rows(), values.cols()) = values;
  return array;
}

}  // namespace armature::python
