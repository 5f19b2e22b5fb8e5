// A method of one's own, compared with the built-in ones. The base class brings limits, stopping, trace and report.
#include <armature/armature.hpp>
#include <iostream>

using namespace armature;

struct SteepestOptions {
  double gain = 0.5;
  template <class V>
  void describe(V& v) {
    v.field("gain", gain, {.doc = "Fraction of the gradient step", .min = 0, .max = 10});
  }
};

struct Steepest : IterativeMethod<SteepestOptions> {
  Move step(const Rows& rows, VecX& change) override {
    change = 2 * options.gain / rows.J().squaredNorm() * rows.J().transpose() * rows.error();
    return Move::stepped;
  }
};

int main() {
  register_method<Steepest>({.name = "steepest", .label = "Steepest descent", .group = "Jacobian"}).value();
  const Scene scene = read_scene(R"({"model": "planar_arm", "start": "chapter", "goals": [{"target": [-20, 5]}],
                                     "options": {"max_iterations": 5000, "tolerance": 1e-3}})",
                                 "arm.json", {})
                          .value();  // or load_scene("arm.json").value()
  bool good = true;
  for (const Comparison& row : compare(scene, {"steepest", "dls", "ccd", "reach"}).value()) {
    std::cout << row.method << ' ' << row.report.message() << '\n';
    good = good && row.report.ok();
  }
  return good ? 0 : 1;
}
