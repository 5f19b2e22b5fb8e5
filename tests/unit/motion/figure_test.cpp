// Who is who in a figure: hinges in a row, helper bones, and what walks in place.
#include "armature/motion/figure.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "armature/formats/registry.hpp"
#include "armature/model/compile.hpp"
#include "armature/motion/contacts.hpp"
#include "armature/motion/frame_series.hpp"
#include "support/data.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

struct HingeLink {
  const char* name;
  Vec3 axis, offset;
};

// A pelvis with two legs of hinges.
Model hinged(const std::vector<HingeLink>& leg) {
  Linkage l;
  l.name = "robot";
  l.links.push_back({"pelvis", {}});
  for (const char* side : {"left_", "right_"}) {
    std::string parent = "pelvis";
    for (const HingeLink& each : leg) {
      Vec3 offset = each.offset;
      if (parent == "pelvis") offset.y() += side[0] == 'l' ? 0.1 : -0.1;
      const std::string name = side + std::string(each.name);
      l.links.push_back({name, {}});
      l.joints.push_back(
          test::joint(name + "_joint", Revolute{.axis = each.axis}, parent, name, Transform::translate(offset)));
      parent = name;
    }
  }
  return test::compiled(l);
}

const Vec3 kX = Vec3::UnitX(), kY = Vec3::UnitY(), kZ = Vec3::UnitZ(), kHere = Vec3::Zero(), kDown(0, 0, -0.4);

}  // namespace

TEST_CASE("a knee bends: a hinge that twists the shin is none") {
  // The twist lies beside the knee, as in simple_humanoid, or half-way down the shin, as in Robonaut.
  const Model beside =
      hinged({{"hip", kX, kHere}, {"thigh", kY, kHere}, {"shin", kZ, kDown}, {"bend", kY, kHere}, {"foot", kY, kDown}});
  const FigureLimb leg = guess_figure(beside).leg[0];
  CHECK(leg.lower == beside.link("left_bend"));
  CHECK(leg.upper == beside.link("left_shin"));  // the last hinge before it turns the thigh
  CHECK(leg.center == beside.link("left_hip"));
  CHECK(leg.end == beside.link("left_foot"));

  const Model below = hinged({{"hip", kX, kHere},
                              {"thigh", kY, kHere},
                              {"bend", kY, kDown},
                              {"shin", kZ, Vec3(0, 0, -0.2)},
                              {"ankle_hinge", kY, Vec3(0, 0, -0.2)},
                              {"foot", kZ, Vec3(0, 0, -0.2)}});
  const FigureLimb other = guess_figure(below).leg[1];
  CHECK(other.lower == below.link("right_bend"));
  CHECK(other.end == below.link("right_ankle_hinge"));  // the foot below it only twists
}

TEST_CASE("a hip's centre is where the thigh turns, however high its first hinge lies") {
  const Model model = hinged({{"hip_yaw", kZ, Vec3(0, 0, 0.14)},
                              {"hip_roll", kX, Vec3(0, 0, -0.14)},
                              {"thigh", kY, kHere},
                              {"shin", kY, Vec3(0, 0, -0.33)},
                              {"foot", kY, Vec3(0, 0, -0.33)}});
  CHECK(guess_figure(model).leg[0].center == model.link("left_hip_roll"));
}

TEST_CASE("helper bones with the name of the bone behind them are passed over") {
  Linkage l;
  l.name = "made";
  l.links.push_back({"Hips", {}});
  for (const char* side : {"_L", "_R"}) {
    std::string parent = "Hips";
    for (const char* name : {"__UpLeg", "UpLeg", "LoLeg", "Foot"}) {
      const std::string link = std::string(name) + side;
      const bool first = std::string(name) == "UpLeg";
      const Vec3 offset = parent == "Hips" ? Vec3::Zero()
                          : first          ? Vec3(side[1] == 'L' ? 1 : -1, 0, 0)
                                           : Vec3(0, -4, 0);
      l.links.push_back({link, {}});
      l.joints.push_back(test::joint(link + "_joint", Spherical{}, parent, link, Transform::translate(offset)));
      parent = link;
    }
  }
  const Model model = test::compiled(l);
  CHECK(guess_figure(model).leg[0].upper == model.link("UpLeg_L"));
  CHECK(guess_figure(model).leg[1].upper == model.link("UpLeg_R"));
}

TEST_CASE("a flat foot that turns pivots: only what it turns about stands") {
  // Both feet stand; after a second the left one turns by 100 degrees in half a second about a point of its sole, a
  // share of the way from heel to ball. The right one turns as far in four seconds, as feet drift.
  const auto states = [](double pivot) {
    FootPaths paths;
    paths.leg = 1.0;
    paths.frame_time = 0.01;
    for (int f = 0; f < 600; ++f) {
      for (int side = 0; side < 2; ++side) {
        const double share = std::clamp((f - 100) / (side == 0 ? 50.0 : 400.0), 0.0, 1.0);
        const double angle = 100.0 * kDegree * smooth_step(share);
        const Vec3 forward(std::cos(angle), std::sin(angle), 0.0);
        const Vec3 about(0.0, side == 0 ? 0.1 : -0.1, 0.0);
        const double own = side == 0 ? pivot : 0.5;
        paths.ankle[side].push_back(about - 0.15 * own * forward + Vec3(0, 0, 0.08));
        paths.toe[side].push_back(about + 0.15 * (1.0 - own) * forward + Vec3(0, 0, 0.02));
        paths.hip[side].emplace_back(0.0, about.y(), 1.0);
      }
    }
    return find_contacts(paths);
  };
  for (const double pivot : {0.0, 0.5, 1.0}) {  // heel, sole, ball
    const Contacts found = states(pivot);
    INFO("pivot ", pivot);
    for (const int f : {50, 200}) CHECK(found.flat(0, f));
    CHECK((found.heel[0][125] != 0) == (pivot == 0.0));
    CHECK((found.toe[0][125] != 0) == (pivot == 1.0));
    for (int f = 0; f < 600; ++f) CHECK(found.flat(1, f));
  }
}

TEST_CASE("who walks in place stands on the ground; pedals are no treadmill") {
  const auto feet = [](double above) {
    FootPaths paths;
    paths.leg = 1.0;
    paths.frame_time = 0.01;
    for (int f = 0; f < 600; ++f) {
      for (int side = 0; side < 2; ++side) {
        const double angle = 2.0 * kPi * f / 100.0 + (side == 0 ? 0.0 : kPi);
        // On the ground a foot goes straight back; on a pedal it stays on the circle.
        const double lift = 0.25 * std::sin(angle);
        const bool stands = f < 100 || above == 0.0;
        paths.toe[side].emplace_back(0.25 * std::cos(angle), side == 0 ? 0.1 : -0.1,
                                     stands ? std::max(0.0, lift) : above + lift);
        paths.ankle[side].push_back(paths.toe[side].back() + Vec3(-0.15, 0, 0.08));
        paths.hip[side].emplace_back(0.0, side == 0 ? 0.1 : -0.1, 0.95);
      }
    }
    return paths;
  };
  REQUIRE(find_belt(feet(0.0)));
  CHECK(std::abs(find_belt(feet(0.0))->x()) > 0.5);
  CHECK_FALSE(find_belt(feet(0.6)));
}
