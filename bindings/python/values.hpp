// Python's values as trees: dicts, lists, arrays, numbers, text and None become what the readers of scene/ read, so
// that a dict means exactly what the same JSON in a file means. Messages name a value by its path: "goals[0].target".
#pragma once

#include <string>
#include <vector>

#include "armature/scene/json_input.hpp"
#include "arrays.hpp"

namespace armature::python {

/// Fills a tree from Python's values, each under a key of the outermost object.
class TreeWriter {
 public:
  TreeWriter();
  /// A member of the innermost object that is open. Functions (goals of one's own) become their number in `functions`.
  void member(const std::string& key, const py::handle& value);
  void begin_object(const std::string& key);
  void begin_array(const std::string& key);
  void begin_item();  // an object in the innermost array
  void end();
  JsonInput finish();

  std::vector<py::object> functions;

 private:
  struct Place;
  void put(const py::handle& value, const Place& place);
  void put_array(const py::handle& value, const Place& place);
  void put_numbers(const Numbers& numbers, py::ssize_t axis, std::size_t& at);
  void check(bool ok, const Place& place);

  JsonTree tree_;
  JsonTreeBuilder builder_{tree_};
};

/// One argument as a tree of its own: for readers that take a single value.
class Argument {
 public:
  Argument(const std::string& name, const py::handle& value);
  JsonFields& fields() { return fields_; }
  Value value() const { return input_.root().get(name_); }
  /// Raises what a reader found wrong.
  void need(bool ok) const;

 private:
  std::string name_;
  JsonInput input_;
  JsonFields fields_;
};

/// A value of a tree, or JSON text, as Python's dicts (with members as attributes), lists, numbers and text.
py::object to_python(const std::string& json);

}  // namespace armature::python
