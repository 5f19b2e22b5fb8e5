#include "figure.hpp"

#include <cmath>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/registry.hpp"
#include "convert.hpp"
#include "describe_model.hpp"

namespace armature::js {
namespace {

val view_of(const double* data, std::size_t count) { return val(emscripten::typed_memory_view(count, data)); }

}  // namespace

Result<std::shared_ptr<Figure>> Figure::make(Document document, const std::string& format) {
  Result<Model> model = compile(document.linkage);
  if (!model) return model.error();
  return std::shared_ptr<Figure>(new Figure(std::move(document), std::move(model).value(), format));
}

Figure::Figure(Document document, Model model, const std::string& format)
    : document_(std::move(document)), model_(std::move(model)), format_(format) {
  planar_ = is_planar(model_);
  q_ = neutral_pose(model_);
  start_ = q_;
  frames_.resize(16 * static_cast<std::size_t>(model_.link_count()));
  jacobian_.resize(6, model_.v_size());
  problem_.model = model_;
  solver_ = solvers().front().make();
  solver_key_ = solvers().front().info.name;
  forward();
}

val Figure::description() const {
  const bool y_up = format_ == "bvh" || format_ == "gltf" || format_ == "glb" || planar_;
  return describe_model(model_, y_up ? "y" : "z", 1e-6 * model_.size());
}

val Figure::notes() const {
  std::vector<std::string> all = document_.notes;
  all.insert(all.end(), model_.notes().begin(), model_.notes().end());
  return string_array(all);
}

val Figure::pose() { return view_of(q_.data(), static_cast<std::size_t>(q_.size())); }

void Figure::forward() {
  armature::forward(model_, q_, state_);
  double* out = frames_.data();
  for (const Transform& X : state_.X_WL) {
    for (int c = 0; c < 3; ++c, out += 4) {
      out[0] = X.rotation(0, c);
      out[1] = X.rotation(1, c);
      out[2] = X.rotation(2, c);
      out[3] = 0.0;
    }
    out[0] = X.translation.x();
    out[1] = X.translation.y();
    out[2] = X.translation.z();
    out[3] = 1.0;
    out += 4;
  }
}

val Figure::frames() { return view_of(frames_.data(), frames_.size()); }

val Figure::neutral() const { return copy_of(neutral_pose(model_)); }

val Figure::random(double seed) const {
  Rng rng(seed_of(seed));
  return copy_of(random_pose(model_, rng));
}

void Figure::clamp() { armature::clamp(model_, q_); }

val Figure::interpolate(const val& a, const val& b, double t) const {
  const VecX from = pose_of(a);
  const VecX to = pose_of(b);
  if (!std::isfinite(t)) throw ArgumentError{"t must be a finite number."};
  return copy_of(armature::interpolate(model_, from, to, t));
}

void Figure::integrate(const val& velocity, double dt) {
  std::vector<double> v = numbers_of(velocity, "velocity");
  if (static_cast<int>(v.size()) != model_.v_size()) {
    throw ArgumentError{"velocity must hold " + std::to_string(model_.v_size()) + " numbers, got " +
                        std::to_string(v.size()) + "."};
  }
  for (double& x : v) x *= dt;
  for (const double x : v) {
    if (!std::isfinite(x)) throw ArgumentError{"velocity and dt must be finite."};
  }
  armature::integrate(model_, q_.data(), v.data(), q_.data());
}

val Figure::jacobian(double link, const val& point) {
  const int index = link_of(link);
  const Vec3 at = point.isUndefined() || point.isNull() ? Vec3(Vec3::Zero()) : vec3_of(point, "point");
  armature::jacobian(model_, state_, index, at, jacobian_);
  return matrix_value(jacobian_);
}

int Figure::link_of(double link) const { return integer_of(link, 0, model_.link_count() - 1, "link number"); }

VecX Figure::pose_of(const val& list) const {
  const std::vector<double> q = numbers_of(list, "A pose");
  if (static_cast<int>(q.size()) != model_.q_size()) {
    throw ArgumentError{"A pose of this model holds " + std::to_string(model_.q_size()) + " numbers, got " +
                        std::to_string(q.size()) + "."};
  }
  return Eigen::Map<const VecX>(q.data(), model_.q_size());
}

void Figure::check_pose() const {
  if (!q_.allFinite()) throw ArgumentError{"The pose holds a number that is not finite."};
}

}  // namespace armature::js
