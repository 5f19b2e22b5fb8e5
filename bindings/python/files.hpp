// Writing, for models and motions alike.
#pragma once

#include "armature/formats/registry.hpp"
#include "python.hpp"

namespace armature::python {

/// (bytes, notes); takes digits and dh_convention from the keywords, and nothing else may be among them.
py::tuple write_bytes(const Document& document, const Format& format, Keywords& keywords);
/// The notes.
py::object save_document(const Document& document, const py::object& path, Keywords& keywords);

}  // namespace armature::python
