#include "values.hpp"

#include "armature/base/suggest.hpp"

namespace armature::python {

// Where a value stands, for messages; made of pieces on the stack, put together only when something is wrong.
struct TreeWriter::Place {
  const Place* above;
  const std::string* key;  // null: an item of a list
  py::ssize_t index;

  std::string text() const {
    const std::string before = above != nullptr ? above->text() : "";
    if (key == nullptr) return before + "[" + std::to_string(index) + "]";
    return before + (before.empty() ? "" : ".") + printable_key(*key);
  }
  int depth() const { return above != nullptr ? above->depth() + 1 : 1; }
  static std::string printable_key(const std::string& key) {
    const std::string text = armature::detail::quoted(key);
    return text.substr(1, text.size() - 2);
  }
};

TreeWriter::TreeWriter() { builder_.begin_object(); }

void TreeWriter::check(bool ok, const Place& place) {
  if (!ok) throw PyError(place.text() + ": " + builder_.mistake);
}

void TreeWriter::member(const std::string& key, const py::handle& value) {
  const Place place{nullptr, &key, 0};
  builder_.key(key);
  put(value, place);
}

void TreeWriter::begin_object(const std::string& key) {
  builder_.key(key);
  builder_.begin_object();
}

void TreeWriter::begin_array(const std::string& key) {
  builder_.key(key);
  builder_.begin_array();
}

void TreeWriter::begin_item() { builder_.begin_object(); }

void TreeWriter::end() {
  if (!builder_.end()) throw PyError(builder_.mistake);
}

JsonInput TreeWriter::finish() {
  end();
  return JsonInput::from_tree(std::move(tree_));
}

void TreeWriter::put_numbers(const Numbers& numbers, py::ssize_t axis, std::size_t& at) {
  if (axis == numbers.ndim()) {
    builder_.number(numbers.values[at++]);
    return;
  }
  builder_.begin_array();
  for (py::ssize_t i = 0; i < numbers.shape(axis) && builder_.mistake.empty(); ++i) put_numbers(numbers, axis + 1, at);
  if (builder_.mistake.empty()) builder_.end();
}

void TreeWriter::put_array(const py::handle& value, const Place& place) {
  const Numbers numbers =
      to_array(value, place.text(), "made of numbers, text, True, False, None, lists and dicts of these");
  if (static_cast<std::size_t>(numbers.size()) > kMaxJsonValues) {
    throw PyError(place.text() + " has " + std::to_string(numbers.size()) + " numbers; that is too many here.");
  }
  std::size_t at = 0;
  put_numbers(numbers, 0, at);
  check(builder_.mistake.empty(), place);
}

void TreeWriter::put(const py::handle& value, const Place& place) {
  PyObject* const object = value.ptr();
  double number = 0.0;
  if (value.is_none()) {
    check(builder_.null(), place);
  } else if (is_flag(value)) {
    check(builder_.boolean(PyObject_IsTrue(object) == 1), place);
  } else if (plain_number(
                 value, [&] { return place.text(); }, number)) {
    check(builder_.number(number), place);
  } else if (PyUnicode_Check(object)) {
    check(builder_.string(to_text(value, [&] { return place.text(); })), place);
  } else if (PyDict_Check(object)) {
    if (place.depth() > kMaxJsonDepth) throw PyError(place.text().substr(0, 60) + "... is nested too deeply.");
    check(builder_.begin_object(), place);
    for (const auto& [key, item] : py::reinterpret_steal<py::dict>(PyDict_Copy(object))) {
      const std::string name = to_text(key, [&] { return "A key of " + place.text(); });
      const Place inner{&place, &name, 0};
      builder_.key(name);
      put(item, inner);
    }
    check(builder_.end(), place);
  } else if (PyList_Check(object) || PyTuple_Check(object)) {
    if (place.depth() > kMaxJsonDepth) throw PyError(place.text().substr(0, 60) + "... is nested too deeply.");
    check(builder_.begin_array(), place);
    py::ssize_t index = 0;
    for (const auto& item : py::reinterpret_steal<py::tuple>(PySequence_Tuple(object))) {
      put(item, Place{&place, nullptr, index++});
    }
    check(builder_.end(), place);
  } else if (is_text_array(value)) {
    put(value.attr("tolist")(), place);
  } else if (py::isinstance<py::array>(value) || py::hasattr(value, "__array__") || PyObject_CheckBuffer(object) != 0) {
    put_array(value, place);
  } else if (py::hasattr(value, "__fspath__")) {
    put(py::module_::import("os").attr("fspath")(value), place);
  } else if (place.key != nullptr && *place.key == "function" && PyCallable_Check(object) != 0) {
    check(builder_.number(static_cast<double>(functions.size())), place);
    functions.push_back(py::reinterpret_borrow<py::object>(value));
  } else if (py::hasattr(value, "__next__") || PyObject_TypeCheck(object, &PyRange_Type) != 0 ||
             PyObject_TypeCheck(object, &PyDictKeys_Type) != 0 || PyObject_TypeCheck(object, &PyDictValues_Type) != 0) {
    if (place.depth() > kMaxJsonDepth) throw PyError(place.text().substr(0, 60) + "... is nested too deeply.");
    const py::list items = py::cast(to_items(value, place.text(), "a list"));
    put(items, place);
  } else {
    throw PyError(place.text() + " must be made of numbers, text, True, False, None, lists and dicts of these, not " +
                  what_it_is(value) + ".");
  }
}

Argument::Argument(const std::string& name, const py::handle& value)
    : name_(name),
      input_([&] {
        TreeWriter writer;
        writer.member(name, value);
        return writer.finish();
      }()),
      fields_(input_.source()) {}

void Argument::need(bool ok) const {
  if (!ok || !fields_.ok()) throw PyError(fields_.error().message);
}

py::object to_python(const std::string& json) {
  const py::object record = py::module_::import("armature._records").attr("Record");
  return py::module_::import("json").attr("loads")(py::str(json), py::arg("object_hook") = record);
}

}  // namespace armature::python
