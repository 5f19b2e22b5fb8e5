// Laws of the clip tools, run over figures of every kind of joint and over real motions.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "armature/base/index.hpp"
#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/motion/clips.hpp"
#include "support/data.hpp"
#include "support/linkages.hpp"

using namespace armature;

namespace {

struct ClipCase {
  std::string name;
  Model model;
  Clip clip;
};

Clip wandering_clip(const Model& model, int frames, unsigned seed) {
  Rng rng(seed);
  Keyframes keys(model);
  for (int k = 0; k < 5; ++k) {
    VecX q = random_pose(model, rng);
    q = interpolate(model, neutral_pose(model), q, 0.4);
    REQUIRE(keys.set_pose(0.25 * k, q, Interpolation::cubic).ok());
  }
  Clip clip = *keys.to_clip(1.0 / (frames - 1));
  clip.name = "wandering";
  return clip;
}

std::vector<ClipCase> clip_cases() {
  std::vector<ClipCase> all;
  const Model every = test::compiled(test::everything_tree());
  all.push_back({"everything", every, wandering_clip(every, 61, 3)});
  for (const BuiltinModel& builtin : builtin_models()) {
    if (builtin.name != "human") continue;
    ReadOptions options;
    options.file_name = "human.json";
    const Model human = *compile(read_document(builtin.json, options)->linkage);
    all.push_back({"human", human, wandering_clip(human, 61, 4)});
  }
  for (const char* file : {"bvh/cmu_02_01.bvh", "bvh/makehuman_zombieWalk1.bvh"}) {
    const auto path = test::shared_data(file);
    if (!path) continue;
    ReadOptions options;
    options.file_name = file;
    const Result<Document> document = read_document(test::read_file(*path), options);
    REQUIRE(document.ok());
    all.push_back({file, *compile(document->linkage), document->clips[0]});
  }
  return all;
}

// Largest distance of any link's origin between two clips of the same length.
double clips_apart(const Model& model, const Clip& a, const Clip& b) {
  REQUIRE(a.frame_count() == b.frame_count());
  State x, y;
  double most = 0.0;
  for (int f = 0; f < a.frame_count(); ++f) {
    forward(model, a.frame(f), x);
    forward(model, b.frame(f), y);
    for (std::size_t i = 0; i < x.X_WL.size(); ++i) {
      most = std::max(most, (x.X_WL[i].matrix() - y.X_WL[i].matrix()).cwiseAbs().maxCoeff());
    }
  }
  return most;
}

}  // namespace

TEST_CASE("clip law: a motion cut in two and joined again is the motion") {
  for (const ClipCase& m : clip_cases()) {
    INFO(m.name);
    const double middle = m.clip.frame_time * (m.clip.frame_count() / 3);
    const Clip first = *clips::trim(m.model, m.clip, 0.0, middle);
    const Clip second = *clips::trim(m.model, m.clip, middle, m.clip.duration());
    CHECK(clips::concat(m.model, first, second)->values == m.clip.values);
    CHECK(first.duration() + second.duration() == doctest::Approx(m.clip.duration()));
  }
}

TEST_CASE("clip law: twice backwards, and there and back in speed and rate") {
  for (const ClipCase& m : clip_cases()) {
    INFO(m.name);
    CHECK(clips::reverse(clips::reverse(m.clip)).values == m.clip.values);
    const Clip finer = *clips::resample(m.model, m.clip, m.clip.frame_time / 4);
    CHECK(finer.frame_count() == 4 * (m.clip.frame_count() - 1) + 1);
    CHECK(clips::resample(m.model, finer, m.clip.frame_time)->values == m.clip.values);
    const Clip slower = *clips::speed(m.model, m.clip, 0.5);
    CHECK(slower.frame_count() == 2 * m.clip.frame_count() - 1);
    CHECK(clips::speed(m.model, slower, 2.0)->values == m.clip.values);
  }
}

TEST_CASE("clip law: frame times that a file rounded lose no frame") {
  for (const ClipCase& motion : clip_cases()) {
    Clip clip = motion.clip;
    clip.frame_time = 0.0083333;  // 120 a second
    const Result<Clip> same = clips::resample(motion.model, clip, 1.0 / 120.0);
    REQUIRE_MESSAGE(same.ok(), same.message());
    CHECK(same->values == clip.values);
    const Result<Clip> finer = clips::resample(motion.model, clip, 1.0 / 240.0);
    CHECK(finer->frame_count() == 2 * clip.frame_count() - 1);
    CHECK(clips::resample(motion.model, *finer, 1.0 / 120.0)->values == clip.values);
    const double middle = (clip.frame_count() / 2) / 120.0;
    const Clip first = *clips::trim(motion.model, clip, 0.0, middle),
               rest = *clips::trim(motion.model, clip, middle, 99.0);
    CHECK(clips::concat(motion.model, first, rest)->values == clip.values);
  }
}

TEST_CASE("clip law: sides are told by names that an exporter has numbered") {
  Linkage l;
  l.links = {{"hull"}, {"b_LeftFin01_015"}, {"b_RightFin01_019"}};
  for (const double side : {1.0, -1.0}) {
    Joint joint;
    joint.name = side > 0.0 ? "a" : "b";
    joint.parent = "hull";
    joint.child = side > 0.0 ? "b_LeftFin01_015" : "b_RightFin01_019";
    joint.origin = Transform::translate(Vec3(0, side, 0));
    joint.type = Revolute{Vec3::UnitX()};
    l.joints.push_back(joint);
  }
  const Model model = test::compiled(l);
  Clip clip;
  clip.q_size = 2;
  clip.frame_time = 0.1;
  clip.values = {0.1, 0.2, 0.3, -0.4};
  const Clip mirrored = *clips::mirror(model, clip);
  const double wanted[] = {-0.2, -0.1, 0.4, -0.3};
  for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs(mirrored.values[i] - wanted[i]) < 1e-9);
}

TEST_CASE("clip law: mirrored twice is the motion, mirrored once puts the left where the right was") {
  for (const ClipCase& m : clip_cases()) {
    if (m.name == "everything") continue;  // a tree without sides
    INFO(m.name);
    const Clip once = *clips::mirror(m.model, m.clip);
    CHECK(clips_apart(m.model, *clips::mirror(m.model, once), m.clip) < 1e-6 * m.model.size());
    CHECK(clips_apart(m.model, once, m.clip) > 1e-2 * m.model.size());
    // Heights are kept, with left and right exchanged.
    const Vec3 up = clips::up_of(m.model, m.clip);
    const bool human = m.name == "human";
    const int left = m.model.link(human                                     ? "left_foot"
                                  : m.name.find("cmu") != std::string::npos ? "LeftFoot"
                                                                            : "Foot_L");
    const int right = m.model.link(human                                     ? "right_foot"
                                   : m.name.find("cmu") != std::string::npos ? "RightFoot"
                                                                             : "Foot_R");
    State a, b;
    double worst = 0.0, way = 0.0;
    Vec3 first_left, first_right;
    for (int f = 0; f < m.clip.frame_count(); ++f) {
      forward(m.model, m.clip.frame(f), a);
      forward(m.model, once.frame(f), b);
      const Vec3 &was = a.X_WL[at(left)].position, &is = b.X_WL[at(right)].position;
      if (f == 0) first_left = was, first_right = is;
      worst = std::max(worst, std::abs(up.dot(was - is)));
      way = std::max(way, std::abs((was - first_left).norm() - (is - first_right).norm()));
    }
    CHECK(worst < 0.03 * m.model.size());  // captured figures are not quite the same on both sides
    CHECK(way < 0.03 * m.model.size());    // a foot goes as far as the other one did
  }
}

TEST_CASE("clip law: a loop has no jump in place and none in speed") {
  for (const ClipCase& m : clip_cases()) {
    INFO(m.name);
    const Clip cycle = *clips::loop(m.model, m.clip);
    const Clip twice = *clips::concat(m.model, cycle, cycle);
    CHECK(twice.frame_count() == 2 * cycle.frame_count() - 1);
    const int seam = cycle.frame_count() - 1;
    // The frame at the seam is that of the cycle's end, and steps before and after it are alike.
    VecX at_end = Eigen::Map<const VecX>(cycle.frame(seam), cycle.q_size);
    VecX at_seam = Eigen::Map<const VecX>(twice.frame(seam), twice.q_size);
    State a, b;
    forward(m.model, at_end, a);
    forward(m.model, at_seam, b);
    double gap = 0.0;
    for (std::size_t i = 0; i < a.X_WL.size(); ++i)
      gap = std::max(gap, (a.X_WL[i].position - b.X_WL[i].position).norm());
    CHECK(gap < 1e-9 * m.model.size());
    const std::vector<double> p = clips::positions(m.model, twice, {m.model.link_count() - 1});
    const auto place = [&](int f) { return Vec3(p[at(3 * f)], p[at(3 * f + 1)], p[at(3 * f + 2)]); };
    double most = 0.0;
    for (int f = 1; f + 1 < twice.frame_count(); ++f) {
      if (f != seam) most = std::max(most, (place(f + 1) - 2.0 * place(f) + place(f - 1)).norm());
    }
    CHECK((place(seam + 1) - 2.0 * place(seam) + place(seam - 1)).norm() <= 1.5 * most + 1e-9);
  }
}

TEST_CASE("clip law: a joint that must turn far goes over the seam as it came") {
  Linkage linkage;
  linkage.links = {{"arm", {}}, {"hand", {}}};
  linkage.joints = {test::joint("shoulder", Spherical{}, "", "arm", {}),
                    test::joint("wrist", Fixed{}, "arm", "hand", Transform::translate(Vec3(1, 0, 0)))};
  const Model arm = test::compiled(linkage);
  Clip clip;
  clip.q_size = arm.q_size();
  clip.frame_time = 0.01;
  VecX q = neutral_pose(arm);
  for (int f = 0; f < 101; ++f) {  // far about z, then faster and faster about x
    clip.append(q);
    const VecX step = f < 60 ? VecX(Vec3(0, 0, 0.03)) : VecX(Vec3(0.0004 * (f - 60), 0, 0));
    q = integrate(arm, q, step);
  }
  const Clip cycle = *clips::loop(arm, clip, {.blend = 0.3});
  const std::vector<double> p = clips::positions(arm, cycle, {1});
  const auto place = [&](int f) { return Vec3(p[at(3 * f)], p[at(3 * f + 1)], p[at(3 * f + 2)]); };
  const Vec3 in = place(100) - place(99);
  const Vec3 out = place(1) - place(0);
  CHECK((place(100) - place(0)).norm() < 1e-9);
  MESSAGE("steps " << in.transpose() << " and " << out.transpose());
  CHECK((out - in).norm() < 0.1 * in.norm());
}

TEST_CASE("clip law: a cross-fade begins as the first and ends as the second") {
  for (const ClipCase& m : clip_cases()) {
    INFO(m.name);
    clips::JoinOptions options;
    options.blend = 8 * m.clip.frame_time;
    const Clip both = *clips::concat(m.model, m.clip, m.clip, options);
    CHECK(both.frame_count() == 2 * m.clip.frame_count() - 1 - 8);
    for (int k = 0; k < m.clip.q_size; ++k) CHECK(both.frame(0)[k] == m.clip.frame(0)[k]);
    options.align = false;
    const Clip plain = *clips::concat(m.model, m.clip, m.clip, options);
    CHECK(clips_apart(m.model, *clips::trim(m.model, plain, plain.duration() - 0.0, plain.duration()),
                      *clips::trim(m.model, m.clip, m.clip.duration(), m.clip.duration())) < 1e-12);
  }
}

TEST_CASE("clip law: in place and back is the motion; in place goes nowhere") {
  for (const ClipCase& m : clip_cases()) {
    if (clips::root_of(m.model, m.clip) < 0) continue;
    INFO(m.name);
    for (const bool turn : {false, true}) {
      clips::RootOptions options;
      options.turn = turn;
      const clips::RootMotion moved = *clips::in_place(m.model, m.clip, options);
      CHECK(clips_apart(m.model, *clips::add_travel(m.model, moved.clip, moved.travel), m.clip) <
            1e-8 * m.model.size());
      CHECK(clips::stats(m.model, moved.clip).travel < 1e-9 * m.model.size());
    }
  }
}

TEST_CASE("clip law: layers at weight 0, at weight 1, masked, added") {
  for (const ClipCase& m : clip_cases()) {
    INFO(m.name);
    const Clip over = clips::reverse(m.clip);
    clips::LayerOptions options;
    options.weight = 0.0;
    CHECK(clips::layer(m.model, m.clip, over, options)->values == m.clip.values);
    options.weight = 1.0;
    CHECK(clips_apart(m.model, *clips::layer(m.model, m.clip, over, options), over) < 1e-7 * m.model.size());
    // Only below the mask does anything change.
    const int link = m.model.link_count() - 1;
    options.links = {link};
    const Clip masked = *clips::layer(m.model, m.clip, over, options);
    for (int i = 0; i < link; ++i) {
      const ModelJoint& joint = m.model.joint(i);
      if (joint.mimic || joint.source != i) continue;
      for (int k = joint.q_index; k < joint.q_index + joint.q_count; ++k)
        CHECK(masked.frame(5)[k] == m.clip.frame(5)[k]);
    }
    // What stands still adds nothing; added to its own first pose, a motion is itself.
    options = {};
    options.additive = true;
    Clip still = *clips::trim(m.model, m.clip, 0.0, 0.0);
    CHECK(clips::layer(m.model, m.clip, still, options)->values == m.clip.values);
    Clip held = m.clip;
    for (int f = 1; f < held.frame_count(); ++f) std::copy(held.frame(0), held.frame(0) + held.q_size, held.frame(f));
    CHECK(clips_apart(m.model, *clips::layer(m.model, held, m.clip, options), m.clip) < 1e-7 * m.model.size());
  }
}

TEST_CASE("clip law: smoothing leaves what is smooth, and calms what is not") {
  for (const ClipCase& m : clip_cases()) {
    INFO(m.name);
    CHECK(clips::smooth(m.model, m.clip, 0.0)->values == m.clip.values);
    const Clip calm = *clips::smooth(m.model, m.clip, 2.0 * m.clip.frame_time);
    const auto roughness = [&](const Clip& clip) {
      double sum = 0.0;
      for (int f = 1; f + 1 < clip.frame_count(); ++f) {
        const VecX in = difference(m.model, Eigen::Map<const VecX>(clip.frame(f - 1), clip.q_size),
                                   Eigen::Map<const VecX>(clip.frame(f), clip.q_size));
        const VecX out = difference(m.model, Eigen::Map<const VecX>(clip.frame(f), clip.q_size),
                                    Eigen::Map<const VecX>(clip.frame(f + 1), clip.q_size));
        sum += (out - in).squaredNorm();
      }
      return sum;
    };
    CHECK(roughness(calm) < roughness(m.clip));
  }
  const Model arm = test::compiled(test::planar_arm({1, 1, 1}));
  Clip line;
  line.q_size = 3;
  for (int f = 0; f < 20; ++f) line.append(VecX(f * Vec3(0.1, -0.05, 0.02)));
  const Clip same = *clips::smooth(arm, line, 0.1);
  for (std::size_t k = 0; k < line.values.size(); ++k)
    CHECK(same.values[k] == doctest::Approx(line.values[k]).epsilon(1e-12));
}

TEST_CASE("clip law: reduced keys keep every link within the tolerance, and are fewer") {
  for (const ClipCase& m : clip_cases()) {
    INFO(m.name);
    for (const double share : {0.002, 0.02}) {
      const double tolerance = share * m.model.size();
      const clips::Reduced reduced = *clips::reduce(m.model, m.clip, tolerance);
      State a, b;
      double worst = 0.0;
      VecX q;
      for (int f = 0; f < m.clip.frame_count(); ++f) {
        reduced.keys.sample(f * m.clip.frame_time, q);
        forward(m.model, m.clip.frame(f), a);
        forward(m.model, q, b);
        for (std::size_t i = 0; i < a.X_WL.size(); ++i) {
          worst = std::max(worst, (a.X_WL[i].position - b.X_WL[i].position).norm());
        }
      }
      CHECK(worst <= tolerance);
      CHECK(reduced.error <= tolerance);
      CHECK(reduced.key_count < (share > 0.01 ? 0.7 : 1.0) * reduced.frame_keys);
    }
  }
}

TEST_CASE("clip law: glTF holds the keys of a reduced clip, and they keep every link within the tolerance") {
  for (const ClipCase& m : clip_cases()) {
    INFO(m.name);
    const double tolerance = 0.005 * m.model.size();
    const clips::Reduced reduced = *clips::reduce(m.model, m.clip, tolerance);
    Document document;
    document.linkage = m.model.linkage();
    document.clips = {reduced.clip};
    ReadOptions options;
    options.file_name = "reduced.gltf";
    const std::string text = *write_document(document, **format_for_writing(options.file_name), {});
    const Clip read = read_document(text, options)->clips[0];
    REQUIRE(read.frame_count() == m.clip.frame_count());
    State a, b;
    double worst = 0.0;
    for (int f = 0; f < m.clip.frame_count(); ++f) {
      forward(m.model, m.clip.frame(f), a);
      forward(m.model, read.frame(f), b);
      for (std::size_t i = 0; i < a.X_WL.size(); ++i)
        worst = std::max(worst, (a.X_WL[i].position - b.X_WL[i].position).norm());
    }
    CHECK(worst <= tolerance * 1.001);  // and single precision
    const nlohmann::json json = nlohmann::json::parse(text);
    int turns = 0, joints = 0;
    for (const auto& channel : json["animations"][0]["channels"]) {
      if (channel["target"]["path"] != "rotation") continue;
      const auto& sampler = json["animations"][0]["samplers"][channel["sampler"].get<std::size_t>()];
      turns += json["accessors"][sampler["output"].get<std::size_t>()]["count"].get<int>();
      ++joints;
    }
    MESSAGE(m.name << ": " << turns << " keys of " << joints << " joints, " << reduced.key_count << " of "
                   << reduced.frame_keys << " kept, error " << worst / tolerance);
    // Joints that go straight in other coordinates than a rotation's, and followers of others, need more.
    if (m.name.find("bvh") != std::string::npos) CHECK(turns <= 1.02 * reduced.key_count);
    CHECK(turns < joints * m.clip.frame_count());
  }
}

TEST_CASE("clip law: cleaned feet slide less") {
  for (const ClipCase& m : clip_cases()) {
    if (m.name.find("cmu") == std::string::npos) continue;
    const Clip clean = *clips::feet(m.model, *clips::trim(m.model, m.clip, m.clip.frame_time, 9.0));
    const double before = clips::stats(m.model, m.clip).largest_slide;
    const double after = clips::stats(m.model, clean).largest_slide;
    MESSAGE("largest slide " << before << ", after cleaning " << after);
    CHECK(after < 0.8 * before);
    CHECK(clean.frame_count() == m.clip.frame_count() - 1);
  }
  const Model arm = test::compiled(test::planar_arm({1, 1, 1}));
  CHECK_FALSE(clips::feet(arm, wandering_clip(arm, 21, 1)).ok());
}

TEST_CASE("clip law: an optimized clip holds its pins, is smoother, and stays inside limits") {
  for (const ClipCase& m : clip_cases()) {
    if (m.name != "human") continue;
    clips::OptimizeOptions options;
    clips::Pin pin;
    pin.link = m.model.link("left_hand");
    pin.first = 20;
    pin.last = 40;
    options.pins = {pin};
    const clips::Optimized done = *clips::optimize(m.model, m.clip, options);
    MESSAGE("pins within " << done.pin_error << ", roughness " << done.roughness_before << " to " << done.roughness
                           << ", " << done.iterations << " iterations");
    State a, b;
    forward(m.model, m.clip.frame(20), a);
    for (int f = 20; f <= 40; ++f) {
      forward(m.model, done.clip.frame(f), b);
      CHECK((b.X_WL[at(pin.link)].position - a.X_WL[at(pin.link)].position).norm() <= done.pin_error + 1e-12);
      CHECK(inside_limits(m.model, Eigen::Map<const VecX>(done.clip.frame(f), m.clip.q_size), 1e-9));
    }
    CHECK(done.pin_error < 0.02);
    // Without pins only corners go.
    options.pins.clear();
    options.limits = options.velocity_limits = false;
    CHECK(clips::optimize(m.model, m.clip, options)->roughness < done.roughness_before);
    options.smooth = 0.0;
    CHECK(clips_apart(m.model, clips::optimize(m.model, m.clip, options)->clip, m.clip) < 1e-9);
  }
}

TEST_CASE("clip law: broken motions and numbers end in a sentence") {
  const Model arm = test::compiled(test::planar_arm({1, 1, 1}));
  Clip clip;
  clip.q_size = 3;
  CHECK_FALSE(clips::trim(arm, clip, 0, 1).ok());
  clip.append(VecX(Vec3(0, 0, 0)));
  CHECK_FALSE(clips::loop(arm, clip).ok());
  CHECK_FALSE(clips::speed(arm, clip, 0.0).ok());
  CHECK_FALSE(clips::speed(arm, clip, NAN).ok());
  CHECK_FALSE(clips::trim(arm, clip, NAN, 1).ok());
  CHECK_FALSE(clips::trim(arm, clip, 2, 3).ok());
  CHECK_FALSE(clips::smooth(arm, clip, -1).ok());
  CHECK_FALSE(clips::reduce(arm, clip, 0.0).ok());
  CHECK_FALSE(clips::in_place(arm, clip).ok());
  CHECK(clips::concat(arm, clip, clip)->frame_count() == 1);
  clip.frame_time = 0.0;
  CHECK_FALSE(clips::concat(arm, clip, clip).ok());
  clip.frame_time = 0.1;
  clip.append(VecX(Vec3(0, NAN, 0)));
  CHECK_FALSE(clips::mirror(arm, clip).ok());
  clip.q_size = 2;
  CHECK_FALSE(clips::smooth(arm, clip, 0.1).ok());
}
