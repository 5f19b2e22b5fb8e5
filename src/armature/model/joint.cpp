#include "armature/model/joint.hpp"

#include <utility>

#include "armature/base/suggest.hpp"

namespace armature::inline v0_2 {
namespace {

template <class F, std::size_t... I>
void for_each_type(F&& f, std::index_sequence<I...>) {
  (f(std::variant_alternative_t<I, JointType>{}), ...);
}
template <class F>
void for_each_type(F&& f) {
  for_each_type(f, std::make_index_sequence<std::variant_size_v<JointType>>{});
}

}  // namespace

const char* type_name(const JointType& type) {
  return std::visit([](const auto& t) { return std::decay_t<decltype(t)>::kName; }, type);
}

std::span<const Coordinate> coordinates(const JointType& type) {
  return std::visit([](const auto& t) { return std::span<const Coordinate>(std::decay_t<decltype(t)>::kCoordinates); },
                    type);
}

int velocity_count(const JointType& type) {
  return std::visit([](const auto& t) { return std::decay_t<decltype(t)>::kVelocities; }, type);
}

std::vector<std::string> joint_type_names() {
  std::vector<std::string> names;
  for_each_type([&](const auto& t) { names.emplace_back(std::decay_t<decltype(t)>::kName); });
  return names;
}

Result<JointType> joint_type_from_name(std::string_view name) {
  Result<JointType> found = Error{unknown_name("joint type", name, joint_type_names())};
  for_each_type([&](const auto& t) {
    if (name == std::decay_t<decltype(t)>::kName) found = JointType(t);
  });
  return found;
}

std::string coordinate_name(const JointType& type, int k) {
  return std::visit([k](const auto& t) { return std::string(t.coordinate_name(k)); }, type);
}
double travel(const JointType& type, int k) {
  return std::visit([k](const auto& t) { return t.travel(k); }, type);
}
bool turn_repeats(const JointType& type, int k) {
  return coordinates(type)[static_cast<std::size_t>(k)] == Coordinate::angle &&
         std::visit([](const auto& t) { return std::decay_t<decltype(t)>::kTurnsRepeat; }, type);
}
bool goes_short_way(const JointType& type) {
  return std::visit([](const auto& t) { return std::decay_t<decltype(t)>::kShortWay; }, type);
}
void scale_parameters(JointType& type, double factor) {
  std::visit([factor](auto& t) { t.scale(factor); }, type);
}

Transform joint_transform(const JointType& type, const double* q) {
  return std::visit([q](const auto& t) { return t.transform(q); }, type);
}

void joint_twists(const JointType& type, const double* q, Vec6* columns) {
  std::visit([&](const auto& t) { t.twists(q, columns); }, type);
}

void neutral_coordinates(const JointType& type, double* q) {
  const std::span<const Coordinate> kinds = coordinates(type);
  for (std::size_t i = 0; i < kinds.size(); ++i) q[i] = 0.0;
  if (!kinds.empty() && kinds.back() == Coordinate::quaternion) q[kinds.size() - 1] = 1.0;
}

void integrate_coordinates(const JointType& type, const double* q, const double* v, double* q_out) {
  const std::span<const Coordinate> kinds = coordinates(type);
  std::size_t i = 0;
  for (; i < kinds.size() && kinds[i] != Coordinate::quaternion; ++i) q_out[i] = q[i] + v[i];
  if (i == kinds.size()) return;
  const Quat turned = (joint_detail::quaternion(q + i) * exp_rotation(Vec3(v[i], v[i + 1], v[i + 2]))).normalized();
  for (int k = 0; k < 4; ++k) q_out[i + static_cast<std::size_t>(k)] = turned.coeffs()[k];
}

void difference_coordinates(const JointType& type, const double* from, const double* to, double* v) {
  const std::span<const Coordinate> kinds = coordinates(type);
  const bool short_way = goes_short_way(type);
  std::size_t i = 0;
  for (; i < kinds.size() && kinds[i] != Coordinate::quaternion; ++i) {
    v[i] = to[i] - from[i];
    if (short_way) v[i] = wrap_angle(v[i]);
  }
  if (i == kinds.size()) return;
  const Vec3 w = log_rotation(joint_detail::quaternion(from + i).conjugate() * joint_detail::quaternion(to + i));
  for (int k = 0; k < 3; ++k) v[i + static_cast<std::size_t>(k)] = w[k];
}

}  // namespace armature::inline v0_2
