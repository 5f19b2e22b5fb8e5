#include "armature/kinematics/bodies.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "armature/base/index.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/body_pairs.hpp"
#include "armature/kinematics/body_sources.hpp"
#include "armature/kinematics/covers.hpp"
#include "armature/kinematics/obstacles.hpp"

namespace armature::inline v0_2 {

const char* reason_name(PairReason reason) {
  switch (reason) {
    case PairReason::checked:
      return "checked";
    case PairReason::adjacent:
      return "adjacent";
    case PairReason::ignored:
      return "ignored";
    case PairReason::always:
      return "always";
    case PairReason::never:
      return "never";
  }
  return "?";
}

Solid make_solid(const Shape& shape, const Transform& origin, int link) {
  Solid solid;
  solid.link = link;
  solid.origin = origin;
  if (const auto* rod = std::get_if<Cylinder>(&shape)) return make_solid(cover_of_cylinder(*rod), origin, link);
  if (const auto* box = std::get_if<Box>(&shape)) {
    solid.box = true;
    solid.half = 0.5 * box->size;
    solid.bound = solid.half.norm();
    return solid;
  }
  if (const auto* ball = std::get_if<Sphere>(&shape)) solid.radius = ball->radius;
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    solid.radius = capsule->radius;
    solid.length = capsule->length;
  }
  solid.bound = solid.radius + 0.5 * solid.length;
  return solid;
}

std::vector<int> rigid_groups(const Model& model) {
  std::vector<int> group(at(model.link_count()));
  for (int i = 0; i < model.link_count(); ++i) {
    const bool rigid = model.parent(i) >= 0 && model.joint(i).v_count == 0;
    group[at(i)] = rigid ? group[at(model.parent(i))] : i;
  }
  return group;
}

std::vector<char> moving_links(const Model& model) {
  std::vector<char> moves(at(model.link_count()), 0);
  for (int i = 0; i < model.link_count(); ++i) {
    const bool carried = model.parent(i) >= 0 && moves[at(model.parent(i))] != 0;
    moves[at(i)] = static_cast<char>(carried || model.joint(i).v_count > 0);
  }
  return moves;
}

namespace {

std::uint64_t stamp_of(const Bodies& bodies) {
  std::uint64_t value = 14695981039346656037ull;
  const auto bits = [&](std::uint64_t x) { value = (value ^ x) * 1099511628211ull, value ^= value >> 29; };
  const auto number = [&](double x) {
    std::uint64_t word = 0;
    std::memcpy(&word, &x, sizeof word);
    bits(word);
  };
  for (const Solid& s : bodies.solids) {
    bits(static_cast<std::uint64_t>(2 * s.link + int{s.box}));
    for (const double x : {s.radius, s.length, s.half[0], s.half[1], s.half[2]}) number(x);
    for (int i = 0; i < 3; ++i) number(s.origin.position[i]);
    for (int i = 0; i < 9; ++i) number(s.origin.rotation.data()[i]);
  }
  for (const SolidPair& pair : bodies.pairs) {
    bits(static_cast<std::uint64_t>(pair.a) << 20 | static_cast<std::uint64_t>(pair.b));
    number(pair.margin);
  }
  return value;
}

}  // namespace

Result<Bodies> compile_bodies(const Model& model, const BodyOptions& options) {
  Bodies bodies;
  Result<std::vector<Body>> list = gather_bodies(model, options, bodies.notes);
  if (!list) return list.error();
  for (const Body& body : *list) {
    if (const Result<int> link = model.find_link(body.link); !link) {
      return Error{"A body names a link that does not exist. " + link.message()};
    }
  }
  std::stable_sort(list->begin(), list->end(),
                   [&](const Body& a, const Body& b) { return *model.find_link(a.link) < *model.find_link(b.link); });
  bodies.list = std::move(*list);
  for (const Body& body : bodies.list) {
    const Solid solid = make_solid(body.shape, body.origin, *model.find_link(body.link));
    if (!(solid.bound + solid.origin.position.norm() < kLargestLength)) {
      return Error{"A body of link " + detail::quoted(body.link) +
                   " is so large that distances overflow double precision."};
    }
    bodies.solids.push_back(solid);
  }
  bodies.fingerprint = model.fingerprint();
  choose_pairs(model, options, bodies);
  bodies.stamp = stamp_of(bodies) ^ bodies.fingerprint;
  return bodies;
}

}  // namespace armature::inline v0_2
