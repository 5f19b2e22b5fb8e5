// What finds a pose: a Solver, which holds one method. Methods are listed in registry.hpp, their options in
// method_options.hpp.
//
//   Solver solver;                                             // auto: the right method for each problem
//   Solver careful{DlsOptions{.damping = 0.1}, {.max_time = 0.01}};
//   const Report& report = solver.solve(problem);
//
// To add a method: a file pair in methods/ with a class derived from MethodWith<Options>, its options in
// method_options.hpp, and one line in registry.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armature/base/describe.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"

namespace armature::inline v0_2 {

/// Options that every method has.
struct SolveOptions {
  int max_iterations = -1;              // negative: the method's own default
  double max_time = 0.0;                // seconds; 0: no limit
  double tolerance = 0.0;               // metres (the model's unit); 0: 1e-6 of the model's size
  double orientation_tolerance = 1e-6;  // radians
  double step_size = 1.0;               // fraction of each computed step that is taken
  double max_step = -1.0;               // largest change of a joint in one iteration, radians or the equivalent; 0: no
                                        // limit; negative: the method's own default
  bool keep_best = true;                // return the best pose seen; false: the last one, as plain Euler steps do

  template <class V>
  void describe(V& v) {
    v.field("max_iterations", max_iterations, {"Most iterations before giving up", 0, 1e6, Scale::log});
    v.field("max_time", max_time, {"Most seconds before giving up; 0 for no limit", 0, 3600, Scale::log, "time", true});
    v.field("tolerance", tolerance,
            {"Position error that counts as reached, in the model's length unit; 0 takes 1e-6 of its size", 0, 1e9,
             Scale::log, "length", true});
    v.field("orientation_tolerance", orientation_tolerance,
            {"Orientation error that counts as reached, radians", 0, 4, Scale::log, "angle"});
    v.field("step_size", step_size, {"Fraction of each computed step that is taken", 1e-6, 2});
    v.field("max_step", max_step,
            {"Largest change of a joint in one iteration, radians; 0 for no limit, -1 for the method's default", -1,
             1e6, Scale::linear, "angle", true});
    v.field("keep_best", keep_best, {"Return the best pose seen rather than the last one"});
  }
};

/// Options by name, as text: {{"damping", "0.1"}, {"max_time", "20ms"}}.
using OptionValues = std::vector<std::pair<std::string, std::string>>;

struct MethodInfo {
  const char* name;   // "dls", on every surface
  const char* label;  // "Damped least squares"
  const char* group;  // "Analytic", "Jacobian", "Heuristic", "Global"
  const char* doc;    // one sentence
  // How every picture shows it.
  const char* color = "#5b5f66";  // on white
  const char* dash = "3 2";       // lengths of strokes and gaps, as in SVG; "": a full line
  char marker = 'o';  // o disc, s S square, p pentagon, ^ v triangles, d D diamond, x cross, * star; capitals: open
};

/// An algorithm with its options and its memory. Callers hold it in a Solver.
class Method {
 public:
  virtual ~Method() = default;

  virtual const MethodInfo& info() const = 0;
  virtual std::vector<OptionInfo> option_list() const = 0;
  virtual Status set_option(std::string_view name, std::string_view text) = 0;
  virtual const SolveOptions& common_options() const = 0;
  virtual SolveOptions& common_options() = 0;

  /// Whether this method can take the problem; the sentence says why not.
  virtual Status check(const Problem& problem) const = 0;

  /// From problem.start, or from another pose. The answer is report.q. A problem that check() refuses gives
  /// Outcome::refused with the start, clamped. The report is valid until the next solve. Allocates only when the
  /// problem has another shape than the last one (or when `trace` is given).
  const Report& solve(const Problem& problem, Trace* trace = nullptr);
  const Report& solve(const Problem& problem, ConstVecRef start, Trace* trace = nullptr) {
    return run(problem, start, trace);
  }

  /// For Batch (batch.hpp): answers those goals that are of one kind with the problem's own goal and that this method
  /// can answer faster together, and leaves the rest with a report whose `method` is empty. Marks in `asked` which
  /// goals it looked at; those that are marked already are not of this kind.
  virtual void solve_together(const Problem& /*problem*/, std::span<const Goal> /*goals*/, std::span<char> /*asked*/,
                              MatX& /*poses*/, std::span<Report> /*reports*/) {}

 protected:
  /// What a method does for solve().
  virtual const Report& run(const Problem& problem, ConstVecRef start, Trace* trace) = 0;

 private:
  Model start_of_;  // whose default start this is
  VecX start_;
};

/// The options of every method and those of one, as one described struct. `Own` may say its kMaxIterations.
template <class Own>
struct MethodSettings : SolveOptions, Own {
  MethodSettings() {
    if constexpr (requires { Own::kMaxIterations; }) {
      max_iterations = Own::kMaxIterations;
    } else {
      max_iterations = 200;
    }
  }
  template <class V>
  void describe(V& v) {
    SolveOptions::describe(v);
    Own::describe(v);
  }
};

/// The option plumbing, written once.
template <class Own, class Settings = MethodSettings<Own>>
class MethodWith : public Method {
 public:
  using Options = Own;
  Settings settings;

  std::vector<OptionInfo> option_list() const override { return list_options(settings); }
  Status set_option(std::string_view name, std::string_view text) override {
    return armature::set_option(settings, name, text);
  }
  const SolveOptions& common_options() const override { return settings; }
  SolveOptions& common_options() override { return settings; }
};

/// Options of a method, its own or the library's: make_method(options) makes it.
template <class Options>
concept MethodOptions = requires(const Options& options) {
  { make_method(options) } -> std::same_as<std::unique_ptr<Method>>;
};

/// A method that is ready to solve. Moves, does not copy; owns its memory. Keep one per thread; any number of models
/// may go through it.
class Solver {
 public:
  Solver();  // auto
  template <MethodOptions Options>
  explicit Solver(const Options& options, const SolveOptions& common = {}) : Solver(make_method(options), common) {}
  /// One's own, or any.
  explicit Solver(std::unique_ptr<Method> method) : method_(std::move(method)) {}
  Solver(std::unique_ptr<Method> method, const SolveOptions& common);

  /// Whether the method can take the problem; the sentence says why not.
  Status check(const Problem& problem) const { return method_->check(problem); }
  /// From problem.start, or from another pose; see Method::solve. Valid until the next solve.
  const Report& solve(const Problem& problem, Trace* trace = nullptr) { return method_->solve(problem, trace); }
  const Report& solve(const Problem& problem, ConstVecRef start, Trace* trace = nullptr) {
    return method_->solve(problem, start, trace);
  }

  /// Its method: what it is called, its options by name, and what takes a Method.
  Method& operator*() const { return *method_; }
  Method* operator->() const { return method_.get(); }

 private:
  std::unique_ptr<Method> method_;
};

}  // namespace armature::inline v0_2
