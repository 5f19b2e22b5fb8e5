#include "figure.hpp"

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
  problem_.model = &model_;
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
  Rng rng(static_cast<std::uint64_t>(seed));
  return copy_of(random_pose(model_, rng));
}

void Figure::clamp() { armature::clamp(model_, q_); }

val Figure::interpolate(const val& a, const val& b, double t) const {
  const std::vector<double> from = numbers_of(a);
  const std::vector<double> to = numbers_of(b);
  if (static_cast<int>(from.size()) != model_.q_size() || from.size() != to.size()) return copy_of(q_);
  return copy_of(armature::interpolate(model_, Eigen::Map<const VecX>(from.data(), q_.size()),
                                       Eigen::Map<const VecX>(to.data(), q_.size()), t));
}

void Figure::integrate(const val& velocity, double dt) {
  std::vector<double> v = numbers_of(velocity);
  if (static_cast<int>(v.size()) != model_.v_size()) return;
  for (double& x : v) x *= dt;
  armature::integrate(model_, q_.data(), v.data(), q_.data());
}

val Figure::jacobian(int link, const val& point) {
  Vec3 at = Vec3::Zero();
  if (!point.isUndefined() && !point.isNull())
    at = Vec3(point[0].as<double>(), point[1].as<double>(), point[2].as<double>());
  if (link >= 0 && link < model_.link_count()) {
    armature::jacobian(model_, state_, link, at, jacobian_);
  } else {
    jacobian_.setZero();
  }
  return matrix_value(jacobian_);
}

}  // namespace armature::js
