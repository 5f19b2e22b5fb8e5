// Reading typed fields from a JsonTree. The first mistake is kept as a whole sentence with line and JSON pointer; every
// later call returns false at once, so that readers can be written straight down.
//
//   JsonObject object(fields, ref, "a joint");
//   if (JsonRef v = object.get("axis")) fields.vector(v, axis);
//   object.finish();   // refuses keys that nobody asked for, and names the nearest one that was
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/formats/json_tree.hpp"
#include "armature/geom/types.hpp"

namespace armature::inline v0_2 {

class JsonFields {
 public:
  explicit JsonFields(const Source& source) : source_(source) {}

  bool ok() const { return error_.message.empty(); }
  const Error& error() const { return error_; }
  const Source& source() const { return source_; }

  /// Keeps "arm.json, line 3, /joints/0/axis: <sentence>", or "joints[0].axis: <sentence>" where there is no text,
  /// unless there is an error already. Returns false.
  bool fail(JsonRef at, std::string_view sentence);
  /// fail() unless `value` is of this kind.
  bool expect(JsonRef value, JsonKind kind, std::string_view wanted = {});

  bool number(JsonRef value, double& out);
  bool boolean(JsonRef value, bool& out);
  bool text(JsonRef value, std::string& out);
  bool numbers(JsonRef value, double* out, std::size_t count);  // an array of exactly `count`
  bool number_list(JsonRef value, std::vector<double>& out);    // an array of any length
  bool number_or_list(JsonRef value, std::vector<double>& out);
  bool vector(JsonRef value, Vec3& out) { return numbers(value, out.data(), 3); }

  int comments = 0;  // passed over so far

 private:
  const Source& source_;
  Error error_;
};

/// The members of one object, and which of them were asked for.
class JsonObject {
 public:
  /// `what` for messages: "a joint". Not an object: fails, and get() finds nothing.
  JsonObject(JsonFields& fields, JsonRef object, std::string_view what);

  JsonRef value() const { return object_; }
  JsonRef get(std::string_view key);
  /// As get(), but its absence is a mistake.
  JsonRef require(std::string_view key);
  /// Refuses members that were never asked for. "comment" and keys that begin with "$" are always allowed.
  bool finish();

 private:
  JsonFields& fields_;
  JsonRef object_;
  std::string what_;
  std::vector<std::string> known_;
};

}  // namespace armature::inline v0_2
