#include "armature/solve/free_answers.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace armature::inline v0_2 {
namespace {

constexpr std::size_t kTouchesReserved = 16;

struct ThingsHash {
  std::uint64_t value = 14695981039346656037ull;
  void bits(std::uint64_t x) { value = (value ^ x) * 1099511628211ull, value ^= value >> 29; }
  void number(double x) {
    std::uint64_t word = 0;
    std::memcpy(&word, &x, sizeof word);
    bits(word);
  }
  void vector(const Vec3& x) {
    for (int i = 0; i < 3; ++i) number(x[i]);
  }
  void text(const std::string& x) {
    for (const char c : x) bits(static_cast<unsigned char>(c));
    bits(x.size());
  }

  void operator()(const Box& s) { vector(s.size); }
  void operator()(const Sphere& s) { number(s.radius); }
  void operator()(const Cylinder& s) { number(s.radius), number(s.length); }
  void operator()(const Capsule& s) { number(s.radius), number(s.length); }
  void operator()(const Plane& s) { vector(s.normal); }
  void operator()(const HeightField& s) {
    number(s.size[0]), number(s.size[1]), bits(static_cast<std::uint64_t>(s.columns));
    for (const double h : s.heights) number(h);
  }
  // Meshes and clouds are never changed once they are shared: where they lie is their name.
  void operator()(const std::shared_ptr<const TriangleMesh>& s) { bits(reinterpret_cast<std::uintptr_t>(s.get())); }
  void operator()(const std::shared_ptr<const PointCloud>& s) { bits(reinterpret_cast<std::uintptr_t>(s.get())); }
};

std::uint64_t hash_of(const Problem& problem, const Bodies& bodies) {
  ThingsHash hash;
  hash.bits(bodies.stamp);
  for (const Obstacle& obstacle : problem.obstacles) {
    hash.bits(obstacle.shape.index());
    std::visit([&](const auto& shape) { hash(shape); }, obstacle.shape);
    hash.vector(obstacle.origin.position);
    for (int i = 0; i < 3; ++i) hash.vector(obstacle.origin.rotation.col(i));
    hash.text(obstacle.link);
    hash.text(obstacle.name);
  }
  return hash.value;
}

struct SameShape {
  const ObstacleShape& other;
  bool operator()(const Box& s) const { return s.size == std::get<Box>(other).size; }
  bool operator()(const Sphere& s) const { return s.radius == std::get<Sphere>(other).radius; }
  bool operator()(const Cylinder& s) const {
    return s.radius == std::get<Cylinder>(other).radius && s.length == std::get<Cylinder>(other).length;
  }
  bool operator()(const Capsule& s) const {
    return s.radius == std::get<Capsule>(other).radius && s.length == std::get<Capsule>(other).length;
  }
  bool operator()(const Plane& s) const { return s.normal == std::get<Plane>(other).normal; }
  bool operator()(const HeightField& s) const {
    const auto& o = std::get<HeightField>(other);
    return s.columns == o.columns && s.rows == o.rows && s.size == o.size && s.heights == o.heights;
  }
  bool operator()(const std::shared_ptr<const TriangleMesh>& s) const {
    return s == std::get<std::shared_ptr<const TriangleMesh>>(other);
  }
  bool operator()(const std::shared_ptr<const PointCloud>& s) const {
    return s == std::get<std::shared_ptr<const PointCloud>>(other);
  }
};

// What is asked before every solve: comparing is several times as quick as the hash, which is for tables of starts.
bool same_things(const std::vector<Obstacle>& a, const std::vector<Obstacle>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Obstacle& x, const Obstacle& y) {
    return x.shape.index() == y.shape.index() && x.origin.position == y.origin.position &&
           x.origin.rotation == y.origin.rotation && std::visit(SameShape{y.shape}, x.shape) && x.link == y.link &&
           x.name == y.name;
  });
}

// Velocities of the joints above the goals' links that are not locked; all of them without goals, and for goals of the
// whole pose: a posture, a center of mass, one of one's own.
void moved_by(const CompiledProblem& compiled, std::vector<char>& out) {
  const Model& model = compiled.model();
  bool all = compiled.goals().empty() || !compiled.preferences().empty();
  for (const CompiledGoal& goal : compiled.goals()) {
    all = all || goal.posture || goal.whole_pose || std::holds_alternative<CustomGoal>(*goal.goal);
  }
  out.assign(static_cast<std::size_t>(model.v_size()), all ? 1 : 0);
  for (const CompiledGoal& goal : compiled.goals()) {
    for (const int link : {goal.links.link, goal.links.base, goal.links.middle, goal.links.upper}) {
      for (int i = link; i >= 0; i = model.parent(i)) {
        const ModelJoint& joint = model.joint(i);
        for (int k = 0; k < joint.v_count; ++k) out[static_cast<std::size_t>(joint.v_index + k)] = 1;
      }
    }
  }
  for (int v = 0; v < model.v_size(); ++v) {
    if (compiled.tied_by() != nullptr && compiled.in_loop(v)) out[static_cast<std::size_t>(v)] = 1;  // it follows
    if (compiled.joint_weight(v) == 0.0) out[static_cast<std::size_t>(v)] = 0;
  }
}

}  // namespace

bool FreeAnswers::prepare(const CompiledProblem& compiled) {
  const Problem& problem = compiled.problem();
  stamp_ = 0;
  if (!problem.avoids_collisions()) return false;
  const Model& model = compiled.model();
  const Bodies* bodies = problem.bodies.get();
  if (bodies == nullptr) {
    if (own_ == nullptr || own_->fingerprint != model.fingerprint()) {
      Result<Bodies> made = compile_bodies(model);
      own_ = std::make_shared<const Bodies>(made ? std::move(*made) : Bodies{});
    }
    bodies = own_.get();
  }
  const bool known = clearance_.ready() && bodies->stamp == bodies_ && same_things(kept_, problem.obstacles);
  const std::uint64_t things = known ? things_ : hash_of(problem, *bodies);
  if (!known || !(clearance_.model() == model)) {
    std::vector<Obstacle> others;
    std::copy_if(problem.obstacles.begin(), problem.obstacles.end(), std::back_inserter(others),
                 [](const Obstacle& obstacle) { return !is_link_shape(obstacle); });
    if (!clearance_.prepare(model, *bodies, others)) return false;  // check_problem has said why
    exact_.prepare(model, *bodies, problem.obstacles);
    things_ = things;
    bodies_ = bodies->stamp;
    kept_ = problem.obstacles;
    moved_before_.clear();
  }
  moved_by(compiled, moved_);
  if (moved_ != moved_before_) {
    clearance_.watch(moved_);
    exact_.watch(moved_);
    moved_before_ = moved_;
    unmoved_index_.clear();
    for (int i = 0; i < model.link_count(); ++i) {
      const ModelJoint& joint = model.joint(i);
      const auto moves = [&](int k) { return moved_[static_cast<std::size_t>(joint.v_index + k)] != 0; };
      bool moved = joint.mimic;
      for (int k = 0; k < joint.v_count && !moved; ++k) moved = moves(k);
      for (int k = 0; k < joint.q_count && !moved; ++k) unmoved_index_.push_back(joint.q_index + k);
    }
    unmoved_q_.assign(unmoved_index_.size(), 0.0);
    unmoved_clearance_ = -1e300;
  }
  if (margin_ != problem.margin) unmoved_clearance_ = -1e300;  // the list ends at the margin that was asked
  margin_ = problem.margin;
  seen_ = kClearanceSeen * model.size();
  std::uint64_t word = 0;
  std::memcpy(&word, &margin_, sizeof word);
  for (const char moved : moved_) word = word * 31u + static_cast<unsigned char>(moved);
  stamp_ = (things ^ (word * 1099511628211ull)) | 1u;
  return true;
}

bool FreeAnswers::is_free(const double* q) {
  const bool apart = clearance_.is_free(q, margin_);
  if (!exact_.ready()) return apart;
  exact_.place(q);
  if (!apart) {
    clearance_.nearest(q, margin_, near_);
    for (const NearPair& pair : near_) {
      const double margin = std::min(margin_, pair.margin);
      if (pair.nearest.distance < margin && exact_.nearest(pair, margin, true).distance < margin) return false;
    }
  }
  return !exact_.others_touch();
}

// Everything that is nearer than `within` into near_, by shapes where the bodies do not keep the margin.
double FreeAnswers::look(const double* q, double within) {
  const double by_bodies = clearance_.nearest(q, within, near_);
  if (!exact_.ready()) return by_bodies;
  exact_.place(q);
  double least = within;
  for (NearPair& pair : near_) {
    if (pair.nearest.distance < margin_) pair.nearest = exact_.nearest(pair, within, false);
    least = std::min(least, pair.nearest.distance);
  }
  exact_.nearest_others(0.0, near_);
  for (const NearPair& pair : near_) least = std::min(least, pair.nearest.distance);
  return least;
}

double FreeAnswers::clearance(const double* q) {
  return exact_.ready() ? look(q, seen_) : clearance_.smallest(q, seen_);
}

// Once for all answers that leave these joints as they are.
double FreeAnswers::look_unmoved(const double* q, double within) {
  if (clearance_.watches_all()) return within;
  bool same = unmoved_clearance_ > -1e300;
  for (std::size_t i = 0; i < unmoved_index_.size(); ++i) {
    const double value = q[unmoved_index_[i]];
    same = same && value == unmoved_q_[i];
    unmoved_q_[i] = value;
  }
  if (same) return unmoved_clearance_;
  unmoved_clearance_ = clearance_.nearest_unwatched(q, within, unmoved_);
  if (!exact_.ready()) return unmoved_clearance_;
  exact_.place(q);
  unmoved_clearance_ = within;
  for (NearPair& pair : unmoved_) {
    if (pair.nearest.distance < margin_) pair.nearest = exact_.nearest(pair, within, false);
    unmoved_clearance_ = std::min(unmoved_clearance_, pair.nearest.distance);
  }
  return unmoved_clearance_;
}

void FreeAnswers::add_touches(const std::vector<NearPair>& pairs, Report& report) const {
  report.collisions.reserve(kTouchesReserved);
  for (const NearPair& pair : pairs) {
    const double margin = std::min(margin_, pair.margin);
    if (pair.nearest.distance >= margin) continue;
    Touch& touch = report.collisions.emplace_back();
    const Model& model = clearance_.model();
    touch.a = pair.carried >= 0 ? clearance_.obstacle_name(pair.carried) : model.link_name(pair.link_a);
    touch.b = pair.obstacle >= 0 ? clearance_.obstacle_name(pair.obstacle) : model.link_name(pair.link_b);
    touch.depth = -pair.nearest.distance;
    touch.point_a = pair.nearest.on_a;
    touch.point_b = pair.nearest.on_b;
  }
}

int FreeAnswers::describe(const double* q, Report& report) {
  const double within = std::max(seen_, margin_);
  report.collisions.clear();
  report.clearance = exact_.ready() ? look(q, within) : clearance_.smallest(q, within);
  if (report.clearance < margin_) {
    if (!exact_.ready()) clearance_.nearest(q, margin_, near_);
    add_touches(near_, report);
  }
  const int moved = static_cast<int>(report.collisions.size());
  const double unmoved = look_unmoved(q, within);
  report.clearance = std::min(report.clearance, unmoved);
  if (unmoved < margin_) add_touches(unmoved_, report);
  return moved;
}

}  // namespace armature::inline v0_2
