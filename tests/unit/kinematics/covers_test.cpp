#include "armature/kinematics/covers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "armature/geom/rotation.hpp"
#include "armature/kinematics/body_pairs.hpp"
#include "armature/kinematics/clearance.hpp"
#include "armature/kinematics/forward.hpp"
#include "support/follow_scenario.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

Solid random_solid(Rng& rng, bool box) {
  const Transform place = test::random_transform(rng);
  const Vec3 size{rng.uniform(0.05, 0.5), rng.uniform(0.05, 0.5), rng.uniform(0.05, 0.5)};
  return box ? make_solid(Box{size}, place, 0)
             : make_solid(Capsule{0.3 * size[0], size[1] < 0.2 ? 0.0 : 2.0 * size[2]}, place, 0);
}

// A random point of the solid, its corners and ends among them.
Vec3 point_of(const Solid& solid, Rng& rng) {
  Vec3 unit;
  for (int k = 0; k < 3; ++k) unit[k] = std::clamp(rng.uniform(-2.0, 2.0), -1.0, 1.0);
  if (solid.box) return solid.origin * Vec3(unit.cwiseProduct(solid.half));
  const double along = unit[2];
  const Vec3 out = unit.norm() > 0.0 ? Vec3(unit.normalized()) : Vec3(Vec3::UnitX());
  return solid.origin * Vec3(solid.radius * out + Vec3(0, 0, 0.5 * along * solid.length));
}

// The smallest distance of all that is asked about, by going through it.
double by_hand(const Model& model, const Bodies& bodies, const std::vector<Obstacle>& world, const VecX& q,
               double within) {
  State state;
  forward(model, q, state);
  const std::vector<char> moves = moving_links(model);
  double best = within;
  for (const SolidPair& pair : bodies.pairs) {
    const Solid &a = bodies.solids[static_cast<std::size_t>(pair.a)],
                &b = bodies.solids[static_cast<std::size_t>(pair.b)];
    best = std::min(best, distance_between(a, state.X_WL[static_cast<std::size_t>(a.link)], b,
                                           state.X_WL[static_cast<std::size_t>(b.link)])
                              .distance);
  }
  for (const Obstacle& thing : world) {
    const Solid other = std::holds_alternative<Box>(thing.shape)
                            ? make_solid(std::get<Box>(thing.shape), thing.origin, -1)
                            : make_solid(std::get<Capsule>(thing.shape), thing.origin, -1);
    for (const Solid& solid : bodies.solids) {
      if (moves[static_cast<std::size_t>(solid.link)] == 0) continue;
      best =
          std::min(best, distance_between(solid, state.X_WL[static_cast<std::size_t>(solid.link)], other, {}).distance);
    }
  }
  return best;
}

}  // namespace

TEST_CASE("covers: a cover holds its solids, and one of a single capsule is that capsule") {
  Rng rng(1);
  for (int n = 0; n < 200; ++n) {
    std::vector<Solid> solids;
    for (int k = 0; k <= n % 3; ++k) solids.push_back(random_solid(rng, rng.below(2) == 0));
    const Cover cover = cover_of(solids);
    const Segment axis{cover.a, cover.d};
    for (const Solid& solid : solids) {
      for (int k = 0; k < 50; ++k) {
        const Vec3 x = point_of(solid, rng);
        CHECK(std::sqrt(nearest_on_segments(axis, {x, Vec3::Zero()}).squared) <= cover.radius);
      }
    }
    if (solids.size() == 1 && !solids[0].box) {
      CHECK(cover.radius < 1.001 * solids[0].radius + 1e-4 * solids[0].length);
      CHECK(cover.d.norm() == doctest::Approx(solids[0].length));
    }
  }
}

TEST_CASE("covers: exactly what is nearer than its limit is reported, four at a time or not") {
  Rng rng(2);
  for (const int count : {1, 3, 4, 7, 13}) {
    std::vector<Cover> covers;
    std::vector<Transform> frames;
    for (int k = 0; k < count; ++k) {
      Cover cover = cover_of(std::vector<Solid>{random_solid(rng, false)});
      if (k % 3 == 2) cover.d = covers.back().d;  // parallel in one frame
      cover.link = k / 2;
      covers.push_back(cover);
      frames.push_back(test::random_transform(rng));
    }
    std::vector<CoverBox> boxes;
    std::vector<OrientedBox> same;
    for (int k = 0; k < 3; ++k) {
      const Transform X = test::random_transform(rng);
      CoverBox& box = boxes.emplace_back();
      same.push_back({X.position, X.rotation, Vec3(0.1, 0.3, 0.2)});
      std::copy_n(X.position.data(), 3, box.center);
      std::copy_n(X.rotation.data(), 9, box.axes);
      std::copy_n(same.back().half.data(), 3, box.half);
    }
    CoverTable table;
    table.set(covers, count, boxes);
    std::vector<std::pair<int, int>> pairs;
    for (int a = 0; a < count; ++a) {
      for (int b = a + 1; b < count; ++b) {
        if ((a + b) % 3 != 0) pairs.emplace_back(a, b);
      }
    }
    std::vector<char> with_boxes(static_cast<std::size_t>(count), 1);
    with_boxes.back() = 0;
    table.set_pairs(pairs, with_boxes);
    table.place(frames.data());
    const auto axis = [&](int k) {
      const Cover& c = covers[static_cast<std::size_t>(k)];
      const Transform& X = frames[static_cast<std::size_t>(c.link)];
      return Segment{X * c.a, X.rotation * c.d};
    };
    for (const double limit : {0.2, 0.5, 1.0}) {
      for (std::size_t p = 0; p < pairs.size(); ++p) table.limit_pair(static_cast<int>(p), limit);
      for (int k = 0; k < count; ++k) table.limit_boxes(k, limit);
      std::set<int> found;
      for (const NearCover& near : table.near_pairs()) found.insert(near.pair);
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        const double far = std::sqrt(nearest_on_segments(axis(pairs[p].first), axis(pairs[p].second)).squared);
        if (far < limit - 1e-6) CHECK(found.count(static_cast<int>(p)) == 1);
        if (far > limit + 1e-6) CHECK(found.count(static_cast<int>(p)) == 0);
      }
      found.clear();
      for (const NearCover& near : table.near_boxes()) found.insert(near.pair);
      for (int k = 0; k < count; ++k) {
        for (int b = 0; b < 3; ++b) {
          const double far = std::sqrt(squared_distance(axis(k), same[static_cast<std::size_t>(b)]));
          const bool asked = with_boxes[static_cast<std::size_t>(k)] != 0;
          const auto reported = found.count(b * table.padded() + k);
          if (asked && far < limit - 1e-6) CHECK(reported == 1);
          if (!asked || far > limit + 1e-6) CHECK(reported == 0);
        }
      }
    }
  }
}

TEST_CASE("clearance: covers lose nothing that going through all bodies finds") {
  for (const char* name : {"panda", "ur5", "human"}) {
    const Model model = test::builtin_model(name);
    const Bodies bodies = *compile_bodies(model);
    const double size = model.size();
    const auto at = [&](double x, double y, double z) { return Transform::translate(size * Vec3(x, y, z)); };
    const std::vector<Obstacle> world = {{"block", Box{size * Vec3(0.4, 0.4, 0.4)}, at(0.3, 0.1, 0.3), ""},
                                         {"board", Box{size * Vec3(0.3, 0.8, 0.02)}, at(0.4, 0, 0.5), ""},
                                         {"table", Box{size * Vec3(2, 2, 0.1)}, at(0, 0, -0.3), ""},
                                         {"pole", Capsule{0.03 * size, size}, at(-0.3, 0.2, 0.3), ""}};
    Clearance clearance;
    REQUIRE(clearance.prepare(model, bodies, world).ok());
    Rng rng(4);
    for (int i = 0; i < 200; ++i) {
      const VecX q = random_pose(model, rng);
      const double within = 0.1 * size, truth = by_hand(model, bodies, world, q, within);
      CHECK(clearance.smallest(q.data(), within) == doctest::Approx(truth).epsilon(1e-9));
      // Margins of pairs that are always near are less than any that is asked for: without one they all count.
      if (std::abs(truth) > 1e-9) CHECK(clearance.is_free(q.data(), 0.0) == (truth > 0.0));
    }
  }
}
