#include "armature/kinematics/chain.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "armature/kinematics/chain_bound.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "support/allocation_counter.hpp"
#include "support/chains.hpp"
#include "support/linkages.hpp"

using namespace armature;
using namespace armature::test;

namespace {

std::vector<NamedChain> some_chains() {
  std::vector<NamedChain> all{ur5(), panda()};
  for (int n : {1, 2, 3, 4, 5, 8, 9, 13, 17, 32}) {
    all.push_back(test::random_chain(n, static_cast<std::uint64_t>(n), false));
    all.push_back(test::random_chain(n, static_cast<std::uint64_t>(100 + n), true));
  }
  return all;
}

}  // namespace

TEST_CASE("a compiled chain has the plain chain's pose") {
  Rng rng(3);
  for (const NamedChain& c : some_chains()) {
    CAPTURE(c.name);
    const Chain chain = c.chain();
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<double> q = random_joints(c, rng);
      if (repeat == 0) std::fill(q.begin(), q.end(), 0.0);
      if (repeat == 1) q[0] = c.joints[0].kind == ChainJointKind::revolute ? 1000.0 : q[0];  // many turns
      const Transform expected = plain_forward(c, q.data());
      Transform x;
      forward(chain, q.data(), x);
      const double slack = repeat == 1 ? 1e-12 : 2e-14;  // an angle of 1000 rad is itself good to 1e-13
      CHECK((x.position - expected.position).norm() < slack * (1.0 + expected.position.norm()));
      CHECK((x.rotation - expected.rotation).norm() < slack);
    }
  }
}

TEST_CASE("the chain's Jacobian equals finite differences") {
  Rng rng(4);
  for (const NamedChain& c : some_chains()) {
    CAPTURE(c.name);
    const Chain chain = c.chain();
    const int n = chain.joints;
    std::vector<double> q = random_joints(c, rng);
    Jacobian J(6, n);
    Transform x, plus, minus;
    forward(chain, q.data(), x, J);
    for (int i = 0; i < n; ++i) {
      const double h = 1e-6, kept = q[static_cast<std::size_t>(i)];
      q[static_cast<std::size_t>(i)] = kept + h;
      forward(chain, q.data(), plus);
      q[static_cast<std::size_t>(i)] = kept - h;
      forward(chain, q.data(), minus);
      q[static_cast<std::size_t>(i)] = kept;
      Vec6 numeric;
      numeric << (plus.position - minus.position) / (2 * h),
          log_rotation(Mat3(plus.rotation * minus.rotation.transpose())) / (2 * h);
      CHECK((J.col(i) - numeric).norm() < 1e-7);
    }
  }
}

TEST_CASE("every instruction set gives the same bits, without allocating") {
  Rng rng(5);
  for (const NamedChain& c : some_chains()) {
    CAPTURE(c.name);
    Chain chain = c.chain();
    const std::vector<double> q = random_joints(c, rng);
    chain.isa = Isa::baseline;
    Transform reference, x;
    Jacobian reference_J(6, chain.joints), J(6, chain.joints);
    forward(chain, q.data(), reference, reference_J);
    for (Isa isa : available_isas()) {
      CAPTURE(isa_name(isa));
      chain.isa = isa;
      const AllocationCounter counter;
      forward(chain, q.data(), x, J);
      CHECK(counter.count() == 0);
      CHECK(std::memcmp(&x, &reference, sizeof x) == 0);
      CHECK(std::memcmp(J.data(), reference_J.data(), sizeof(double) * 6 * static_cast<std::size_t>(chain.joints)) ==
            0);
    }
  }
}

TEST_CASE("chains of a model: down, up and across the tree, of every joint that turns or slides") {
  // base -universal- a -fixed- b -cylindrical- c -prismatic- hand, and from a: -planar- d -euler- foot
  Linkage l;
  l.name = "tree";
  Rng rng(7);
  const auto add = [&](const char* name, const JointType& type, const char* parent, const char* child) {
    if (l.links.empty()) l.links.push_back({parent, {}});
    l.links.push_back({child, {}});
    l.joints.push_back(test::joint(name, unusual(type), parent, child, random_transform(rng)));
  };
  add("j1", Universal{}, "base", "a");
  add("j2", Fixed{}, "a", "b");
  add("j3", Cylindrical{}, "b", "c");
  add("j4", Prismatic{}, "c", "hand");
  add("j5", Planar{}, "a", "d");
  add("j6", Euler{}, "d", "foot");
  add("j7", Continuous{}, "foot", "toe");
  l.joints[3].limits.lower = {-0.3};
  l.joints[3].limits.upper = {0.4};
  Result<Model> compiled = compile(l);
  REQUIRE_MESSAGE(compiled.ok(), compiled.message());
  const Model& model = *compiled;
  State state;
  const Vec3 point(0.1, -0.2, 0.3);
  const auto link = [&](const char* name) { return *model.find_link(name); };
  const std::pair<int, int> ends[] = {{kWorld, link("hand")},       {kWorld, link("toe")},
                                      {link("base"), link("foot")}, {link("toe"), link("base")},
                                      {link("hand"), link("toe")},  {link("toe"), link("hand")},
                                      {link("c"), kWorld}};
  for (const auto& between : ends) {  // clang 14 does not capture structured bindings
    const int base = between.first, tip = between.second;
    CAPTURE(base);
    CAPTURE(tip);
    const Result<ModelChain> chain = make_chain(model, base, tip, point);
    REQUIRE_MESSAGE(chain.ok(), chain.message());
    for (int repeat = 0; repeat < 5; ++repeat) {
      const VecX q = random_pose(model, rng);
      forward(model, q, state);
      const Transform expected = relative(state, base, tip) * Transform::translate(point);
      std::vector<double> values;
      for (const ChainCoordinate& c : chain->coordinates) values.push_back(c.multiplier * q[c.coordinate] + c.offset);
      Transform x;
      forward(chain->chain, values.data(), x);
      CHECK((x.position - expected.position).norm() < 1e-13);
      CHECK((x.rotation - expected.rotation).norm() < 1e-13);
      for (std::size_t i = 0; i < values.size(); ++i) {
        CHECK(values[i] >= chain->joints[i].lower);
        CHECK(values[i] <= chain->joints[i].upper);
      }
    }
  }
}

TEST_CASE("a mimic joint is a joint of the chain unless its source is one too") {
  Linkage l;
  l.name = "mimic";
  Rng rng(8);
  l.links = {{"base", {}}, {"a", {}}, {"b", {}}, {"side", {}}};
  l.joints.push_back(test::joint("source", Revolute{}, "base", "side", random_transform(rng)));
  l.joints.push_back(test::joint("first", Revolute{Vec3::UnitX()}, "base", "a", random_transform(rng)));
  l.joints.push_back(test::joint("follower", Revolute{Vec3::UnitY()}, "a", "b", random_transform(rng)));
  l.joints[0].limits.lower = {-1.0};
  l.joints[0].limits.upper = {0.5};
  l.joints[2].mimic = Mimic{"source", -2.0, 0.25};
  Result<Model> compiled = compile(l);
  REQUIRE_MESSAGE(compiled.ok(), compiled.message());
  Result<ModelChain> chain = make_chain(*compiled, kWorld, *compiled->find_link("b"));
  REQUIRE_MESSAGE(chain.ok(), chain.message());
  CHECK(chain->joints[1].lower == doctest::Approx(-0.75));
  CHECK(chain->joints[1].upper == doctest::Approx(2.25));
  State state;
  const VecX q = random_pose(*compiled, rng);
  forward(*compiled, q, state);
  double values[2];
  for (int i = 0; i < 2; ++i) {
    const ChainCoordinate& c = chain->coordinates[static_cast<std::size_t>(i)];
    values[i] = c.multiplier * q[c.coordinate] + c.offset;
  }
  Transform x;
  forward(chain->chain, values, x);
  CHECK((x.position - relative(state, kWorld, *compiled->find_link("b")).position).norm() < 1e-14);

  chain = make_chain(*compiled, *compiled->find_link("side"), *compiled->find_link("b"));
  CHECK_FALSE(chain.ok());
  CHECK(chain.message().find("follower") != std::string::npos);
}

TEST_CASE("what is no serial chain is refused with a sentence") {
  const Model model = test::compiled(test::everything_tree());
  int refused = 0;
  for (int tip = 0; tip < model.link_count(); ++tip) {
    const Result<ModelChain> chain = make_chain(model, kWorld, tip);
    if (chain.ok()) continue;
    ++refused;
    CHECK(chain.message().size() > 20);
  }
  CHECK(refused > 0);
  CHECK_FALSE(make_chain(model, 0, 0).ok());
}

TEST_CASE("no pose leaves the reach bound or enters the hole") {
  Rng rng(9);
  for (const NamedChain& c : some_chains()) {
    CAPTURE(c.name);
    const Chain chain = c.chain();
    const ChainRange range = make_range(chain, c.lower().data(), c.upper().data());
    const ChainBound tip = chain_bound(chain, range, chain.joints);
    const ChainBound wrist = chain_bound(chain, range, chain.joints - 1);
    const Vec3 centre = Eigen::Map<const Vec3>(chain.base_translation);
    const Vec3 last = Vec3(chain.tx[chain.joints - 1], chain.ty[chain.joints - 1], chain.tz[chain.joints - 1]);
    const Mat3 tip_rotation = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(chain.tip_rotation);
    const bool slides_last = chain.prismatic[chain.joints - 1] > 0.0;
    for (int repeat = 0; repeat < 200; ++repeat) {
      const std::vector<double> q = random_joints(c, rng, repeat % 4 == 0);
      const Transform x = plain_forward(c, q.data());
      const double distance = (x.position - centre).norm() / chain.length;
      CHECK(distance <= tip.outer + 1e-12);
      CHECK(distance >= tip.inner - 1e-12);
      if (slides_last) continue;
      const Vec3 joint = x.position - chain.length * (x.rotation * tip_rotation.transpose() * last);
      CHECK((joint - centre).norm() / chain.length <= wrist.outer + 1e-12);
      CHECK((joint - centre).norm() / chain.length >= wrist.inner - 1e-12);
    }
  }
}

TEST_CASE("the bound is measured from the shoulder to the wrist, and knows the elbow's limits") {
  // Panda: the shoulder is a point. From there over the elbow (0.327 + 0.393 m) and the wrist (0.088 m) to joint 7.
  const NamedChain c = panda();
  const Chain chain = c.chain();
  const ChainRange range = make_range(chain, c.lower().data(), c.upper().data());
  const ChainBound wrist = chain_bound(chain, range, 6);
  CHECK(chain.base_translation[2] == doctest::Approx(0.333));
  CHECK(wrist.outer * chain.length == doctest::Approx(std::hypot(0.316, 0.0825) + std::hypot(0.384, 0.0825) + 0.088));
  CHECK(wrist.inner * chain.length > 0.02);  // the elbow cannot fold flat

  // Two links of 0.5 and 0.3: reach 0.8, hole 0.2, and a larger hole when the elbow opens to 90 degrees at least.
  NamedChain two;
  two.joints = {{ChainJointKind::revolute, {}, Vec3::UnitZ(), -kPi, kPi},
                {ChainJointKind::revolute, Transform::translate(Vec3(0.5, 0, 0)), Vec3::UnitZ(), -kPi, kPi}};
  two.tip = Transform::translate(Vec3(0.3, 0, 0));
  const Chain flat = two.chain();
  ChainBound b = chain_bound(flat, make_range(flat, two.lower().data(), two.upper().data()), 2);
  CHECK(b.outer * flat.length == doctest::Approx(0.8));
  CHECK(b.inner * flat.length == doctest::Approx(0.2));
  two.joints[1].lower = 0.0;
  two.joints[1].upper = kPi / 2;
  b = chain_bound(flat, make_range(flat, two.lower().data(), two.upper().data()), 2);
  CHECK(b.outer * flat.length == doctest::Approx(0.8));
  CHECK(b.inner * flat.length == doctest::Approx(std::hypot(0.5, 0.3)));
}
