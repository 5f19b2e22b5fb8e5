// Fuzzes bodies and obstacles: any shapes on any linkage. The smallest distance, the list of near pairs and the yes or
// no agree with each other, a way that is proved free is free, and a solve that claims to keep clear does.
#include "armature/kinematics/clearance.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/registry.hpp"
#include "support/any_goal.hpp"
#include "support/law.hpp"
#include "support/sound_linkage.hpp"

using namespace armature;
using namespace armature::fuzz;

namespace {

double length(Choices& choose, double unit) {
  return choose.one_in(32) ? choose.number() : unit * (0.02 + 0.1 * std::abs(choose.plain()));
}
Transform origin(Choices& choose, double unit) {
  return Transform::from(exp_rotation(choose.plain_vector()), unit * choose.plain_vector());
}

Shape any_shape(Choices& choose, double unit) {
  const double a = length(choose, unit), b = length(choose, unit);
  switch (choose.below(4)) {
    case 0:
      return Box{Vec3(a, b, length(choose, unit))};
    case 1:
      return Sphere{a};
    case 2:
      return Cylinder{a, b};
    default:
      return Capsule{a, b};
  }
}

Triangle any_triangle(Choices& choose, double unit) {
  const Vec3 a = unit * choose.plain_vector(), b = unit * choose.plain_vector();
  return {a, b, choose.one_in(8) ? a : Vec3(unit * choose.plain_vector())};
}

Obstacle any_obstacle(Choices& choose, const Model& model, int index) {
  const double unit = model.size();
  Obstacle obstacle;
  obstacle.name = "obstacle" + std::to_string(index);
  obstacle.origin = origin(choose, unit);
  if (choose.one_in(4)) obstacle.link = model.link_name(choose.below(model.link_count()));
  switch (choose.below(6)) {
    case 0:
      obstacle.shape = Plane{choose.one_in(16) ? choose.vector() : choose.direction()};
      break;
    case 1: {
      HeightField field;
      field.columns = 2 + choose.below(3);
      field.rows = 2 + choose.below(3);
      field.size = Vec2(length(choose, unit), length(choose, unit));
      field.heights.resize(static_cast<std::size_t>(field.columns * field.rows - (choose.one_in(16) ? 1 : 0)));
      for (double& height : field.heights) height = choose.one_in(64) ? choose.number() : 0.2 * unit * choose.plain();
      obstacle.shape = field;
      break;
    }
    case 2: {
      auto mesh = std::make_shared<TriangleMesh>();
      for (int n = choose.below(12); n > 0; --n) mesh->triangles.push_back(any_triangle(choose, 0.5 * unit));
      obstacle.shape = std::shared_ptr<const TriangleMesh>(mesh);
      break;
    }
    case 3: {
      auto cloud = std::make_shared<PointCloud>();
      for (int n = choose.below(12); n > 0; --n) cloud->points.push_back(unit * choose.plain_vector());
      cloud->radius = length(choose, unit);
      obstacle.shape = std::shared_ptr<const PointCloud>(cloud);
      break;
    }
    default:
      std::visit(
          [&](const auto& shape) {
            using S = std::decay_t<decltype(shape)>;
            if constexpr (!std::is_same_v<S, Polyline> && !std::is_same_v<S, MeshFile>) obstacle.shape = shape;
          },
          any_shape(choose, unit));
  }
  return obstacle;
}

void check_pose(Clearance& clearance, const Model& model, const VecX& q, double margin) {
  const double within = model.size();
  State state;
  forward(model, q, state);
  const double slack = 1e-9 * magnitude(model, state, q);
  if (!(slack < 1e3 && slack > 1e-19)) return;  // lengths below an atom's count as none
  std::vector<NearPair> pairs;
  const double listed = clearance.nearest(q.data(), within, pairs);
  const double smallest = clearance.smallest(q.data(), within);
  context() = "; listed " + pretty_number(listed) + ", smallest " + pretty_number(smallest) + ", size " +
              pretty_number(model.size());
  for (const NearPair& pair : pairs)
    context() += "; " + std::to_string(pair.link_a) + " " + std::to_string(pair.link_b) + " " +
                 std::to_string(pair.carried) + " " + std::to_string(pair.obstacle) + " " +
                 pretty_number(pair.nearest.distance);
  demand(std::isfinite(listed) && std::abs(listed - smallest) <= slack, "the smallest distance is that of the list");
  bool free = true, close = false;
  double before = -HUGE_VAL;
  for (const NearPair& pair : pairs) {
    const Nearest& n = pair.nearest;
    demand(n.distance >= before && n.distance <= within, "the list begins with the nearest");
    before = n.distance;
    context() = "; normal " + pretty_number(n.normal.norm()) + ", " + pretty_number(n.on_a.norm()) + ", " +
                pretty_number(n.on_b.norm());
    demand(n.on_a.allFinite() && n.on_b.allFinite() && std::abs(n.normal.norm() - 1.0) < 1e-6,
           "near points are finite");
    if (n.distance > slack) {
      context() = "; distance " + pretty_number(n.distance) + ", points " + pretty_number((n.on_a - n.on_b).norm());
      demand(std::abs((n.on_a - n.on_b).norm() - n.distance) <= 100.0 * slack, "near points are that far apart");
    }
    const double asked = std::min(margin, pair.margin);
    free = free && n.distance >= asked;
    close = close || std::abs(n.distance - asked) <= 100.0 * slack;
  }
  if (!close && margin >= 0.0 && margin < within)
    demand(clearance.is_free(q.data(), margin) == free, "a yes or no agrees with the list");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choose(data, size);
  context().clear();
  Linkage linkage = sound_linkage(choose, 6);
  const Result<Model> bare = compile(linkage);
  if (!bare) return 0;
  for (const Link& link : linkage.links) {
    if (choose.one_in(3)) continue;
    linkage.bodies.push_back({link.name, any_shape(choose, bare->size()), origin(choose, 0.2 * bare->size()), "file"});
  }
  if (choose.one_in(4) && linkage.links.size() > 1)
    linkage.ignored_pairs.push_back({linkage.links.front().name, linkage.links.back().name, "never"});
  const Result<Model> model = compile(linkage);
  if (!model) {
    demand(!model.message().empty(), "a refusal has a sentence");
    return 0;
  }
  BodyOptions options;
  options.samples = choose.below(20);
  options.prove = choose.one_in(4);
  options.cells = 50;
  const Result<Bodies> bodies = compile_bodies(*model, options);
  if (!bodies) {
    demand(!bodies.message().empty(), "a refusal has a sentence");
    return 0;
  }
  Problem problem;
  problem.model = *model;
  for (int n = choose.below(4); n > 0; --n) problem.obstacles.push_back(any_obstacle(choose, *model, n));
  problem.margin = choose.one_in(16) ? choose.number() : 0.02 * model->size() * std::abs(choose.plain());
  problem.bodies = std::make_shared<const Bodies>(*bodies);
  Clearance clearance;
  const Status status = clearance.prepare(*model, *bodies, problem.obstacles);
  if (!status.ok()) {
    demand(!status.message().empty(), "a refusal has a sentence");
    return 0;
  }
  Rng rng(choose.seed());
  const VecX there_q = random_pose(*model, rng), start = random_pose(*model, rng);
  check_pose(clearance, *model, there_q, problem.margin);
  check_pose(clearance, *model, start, problem.margin);
  context().clear();
  if (choose.below(2) == 0) {
    if (problem.margin >= 0.0 && clearance.prove_free(start, there_q, problem.margin, 60)) {
      for (int i = 0; i <= 16; ++i) {
        const VecX q = interpolate(*model, start, there_q, i / 16.0);
        demand(clearance.is_free(q.data(), problem.margin - 1e-9 * model->size()), "a way that is proved free is free");
      }
    }
    return 0;
  }
  State there;
  forward(*model, there_q, there);
  problem.goals.push_back(any_goal(choose, *model, there, there_q));
  const BuiltinMethod& entry =
      builtin_methods()[static_cast<std::size_t>(choose.below(255)) % builtin_methods().size()];
  const std::unique_ptr<Method> solver = entry.make();
  solver->common_options().max_iterations = 30;
  const Report report = solver->solve(problem, start);
  context() = "; " + std::string(entry.info.name) + " " + outcome_name(report.outcome);
  demand(!report.message().empty(), "every outcome has its sentence");
  check_law(problem, solver->common_options(), report.q, report);
  // Turns that a double does not resolve are taken off the start.
  if (!report.ok() || !problem.avoids_collisions() || !(start.array().abs() < 1e9).all()) return 0;
  // What the goals do not move, seen from each other, may touch: that is told, and no fault of the answer.
  State before, after;
  forward(*model, start, before);
  forward(*model, report.q, after);
  const auto frame = [&](const State& state, const std::string& name) {
    std::string on = name;
    for (const Obstacle& obstacle : problem.obstacles) {
      if (obstacle.name == name) on = obstacle.link;
    }
    return on.empty() ? Transform() : state.X_WL[static_cast<std::size_t>(*model->lookup_link(on))];
  };
  for (const Touch& touch : report.collisions) {
    const Transform was = frame(before, touch.a).inverse() * frame(before, touch.b);
    const Transform is = frame(after, touch.a).inverse() * frame(after, touch.b);
    demand((was.matrix() - is.matrix()).norm() <= 1e-9 * std::max(1.0, magnitude(*model, after, report.q)),
           "converged means that nothing touches that was moved");
  }
  return 0;
}
