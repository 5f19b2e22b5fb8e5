#include "callbacks.hpp"

#include <cmath>
#include <limits>

#include "armature/scene/methods.hpp"
#include "model_handle.hpp"

namespace armature::js {
namespace {

// JavaScript finds the wrenches by differences: it knows which frames the function looked at, and turns and moves each.
class JsGoal : public GoalFunction {
 public:
  explicit JsGoal(val measure) : measure_(std::move(measure)) {
    const val rows = measure_["rows"], lengths = measure_["length_rows"];
    rows_ = integer_of(rows.isNumber() ? rows.as<double>() : 0.0, 1, kMaxGoalRows, "The number of errors of a goal");
    length_rows_ = integer_of(lengths.isNumber() ? lengths.as<double>() : 0.0, 0, rows_, "length_rows");
  }
  int row_count() const override { return rows_; }
  int length_rows() const override { return length_rows_; }
  void linearize(const State& state, GoalRows& out) const override {
    write_transforms(state, transforms_);
    const val answer = measure_(view_of(transforms_.data(), transforms_.size()));
    out.rows = rows_;
    out.error.fill(std::numeric_limits<double>::quiet_NaN());
    if (answer.isNull()) {  // the same links as before: what was prepared for them goes on until the search ends
      for (const int link : links_) out.add(state, link, state.X_WL[static_cast<std::size_t>(link)].position);
      return;
    }
    links_.clear();
    const std::vector<double> error = numbers_of(answer["error"], "error");
    const std::vector<double> links = numbers_of(answer["links"], "links");
    const std::vector<double> wrenches = numbers_of(answer["wrenches"], "wrenches");
    for (int r = 0; r < rows_ && r < static_cast<int>(error.size()); ++r) {
      out.error[static_cast<std::size_t>(r)] = error[static_cast<std::size_t>(r)];
    }
    for (std::size_t k = 0; k < links.size() && k < kMaxGoalLinks; ++k) {
      const int link = static_cast<int>(links[k]);
      links_.push_back(link);
      auto& wrench = out.add(state, link, state.X_WL[static_cast<std::size_t>(link)].position);
      for (int r = 0; r < rows_; ++r) {
        for (int c = 0; c < 6; ++c) {
          wrench(r, c) = wrenches[(k * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(r)) * 6 +
                                  static_cast<std::size_t>(c)];
        }
      }
    }
  }

 private:
  val measure_;
  int rows_ = 0, length_rows_ = 0;
  mutable std::vector<double> transforms_;
  mutable std::vector<int> links_;
};

struct JsOptions {
  std::vector<std::string> names;
  std::vector<double> values;
  template <class V>
  void describe(V& v) {
    for (std::size_t i = 0; i < names.size(); ++i) v.field(names[i].c_str(), values[i], {"An option of one's own"});
  }
};

class JsMethod : public IterativeMethod<JsOptions> {
 public:
  JsMethod(val step, JsOptions options) : step_(std::move(step)) {
    static_cast<JsOptions&>(settings) = std::move(options);
  }
  Move step(const Rows& rows, VecX& change) override {
    val given = val::object();
    given.set("J", matrix_value(rows.J()));
    given.set("error", copy_of(rows.error()));
    given.set("length", rows.length());
    val values = val::object();
    for (std::size_t i = 0; i < options.names.size(); ++i) values.set(options.names[i], options.values[i]);
    const val answer = step_(given, values);
    if (answer.isNull()) return Move::singular;
    const std::vector<double> numbers = numbers_of(answer, "A step");
    if (static_cast<Eigen::Index>(numbers.size()) != rows.J().cols()) return Move::singular;
    change = Eigen::Map<const VecX>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
    return Move::stepped;
  }

 private:
  val step_;
};

}  // namespace

std::shared_ptr<const GoalFunction> custom_function(const val& measure) { return std::make_shared<JsGoal>(measure); }

void register_js_method(const val& description, const val& step) {
  const auto text = [&](const char* key) {
    const val value = description[key];
    return value.isUndefined() ? std::string() : text_of(value, key);
  };
  JsOptions options;
  if (const val given = description["options"]; !given.isUndefined()) {
    options.names = keys_of(given, "options");
    for (const std::string& name : options.names) {
      const val value = given[name];
      if (!value.isNumber()) throw ArgumentError{"An option of a method of one's own is a number: '" + name + "'."};
      options.values.push_back(value.as<double>());
    }
  }
  MethodEntry entry{text("name"), text("label"), text("group"), text("doc"), {}};
  if (entry.label.empty()) entry.label = label_of(entry.name);
  if (entry.group.empty()) entry.group = "Yours";
  const auto texts = std::make_shared<const MethodEntry>(entry);
  entry.make = [texts, step, options]() -> std::unique_ptr<Method> {
    auto method = std::make_unique<JsMethod>(step, options);
    method->method_info = {texts->name.c_str(), texts->label.c_str(), texts->group.c_str(), texts->doc.c_str()};
    return method;
  };
  need(register_method(std::move(entry)));
}

}  // namespace armature::js
