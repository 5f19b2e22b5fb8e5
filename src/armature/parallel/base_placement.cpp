#include "armature/parallel/base_placement.hpp"

#include <algorithm>
#include <cstring>

#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/batch.hpp"
#include "armature/solve/methods/auto.hpp"

namespace armature::inline v0_2 {

namespace {

constexpr int kPatience = 60;        // as for workspaces: see docs/decisions/reach.md
constexpr int kGoalsPerPiece = 512;  // at least, so that lanes are filled and messages are few
constexpr std::int64_t kMost = 100'000'000;

Vec3 place_of(const Goal& goal) {
  if (const auto* p = std::get_if<PositionGoal>(&goal)) return p->target;
  return std::get<PoseGoal>(goal).target.position;
}

Status check_target(const Goal& goal, std::size_t number) {
  const auto* position = std::get_if<PositionGoal>(&goal);
  const auto* pose = std::get_if<PoseGoal>(&goal);
  const std::string which = "Target " + std::to_string(number + 1);
  if (position == nullptr && pose == nullptr) {
    return Error{which + " is neither a position nor a pose, which a base can be placed for."};
  }
  const LinkRef& base = position != nullptr ? position->base : pose->base;
  const bool whole = position != nullptr ? position->axes.trivial()
                                         : pose->position_axes.trivial() && pose->orientation_axes.trivial();
  if (!base.empty() && (base.named() || base.index() != kWorld)) {
    return Error{which + " is given in a frame of the robot; a base is placed for targets in the world."};
  }
  if (!whole) return Error{which + " leaves axes free; a base is placed for whole positions and poses."};
  const Vec3 place = place_of(goal);
  if (!(place.cwiseAbs().maxCoeff() < 1e6)) return Error{which + " is too far away."};
  return {};
}

// How far the tips get from the vertical axis through the model's origin, as random poses show it, and a little more.
double horizontal_reach(const Problem& problem, const std::vector<int>& tips) {
  Rng rng(0xba5e);
  State state;
  double farthest = 0.0;
  for (int i = 0; i < 5000; ++i) {
    forward(problem.model, random_pose(problem.model, rng), state);
    for (const int tip : tips) {
      farthest = std::max(farthest, state.X_WL[static_cast<std::size_t>(tip)].position.head<2>().norm());
    }
  }
  return 1.05 * farthest;
}

}  // namespace

Result<Placements> Placements::make(const Problem& problem, std::vector<Goal> targets,
                                    const PlacementOptions& options) {
  if (targets.empty()) return Error{"A base can be placed once there are targets."};
  if (!problem.obstacles.empty()) {
    return Error{"Obstacles stand in the world while the base is moved: a base is placed without them."};
  }
  if (options.cells < 2 || options.cells > 512)
    return Error{"A base is placed in 2 to 512 cells along the longest side."};
  if (options.headings < 1 || options.headings > 360) return Error{"A base is placed in 1 to 360 headings."};
  if (!((options.region_lower - options.region_upper).array() < 0.0).all()) {
    return Error{"A region has a lower bound below its upper one along every axis."};
  }
  Placements made;
  made.problem_ = problem;
  made.problem_.goals.clear();
  made.headings_ = options.headings;
  std::vector<int> tips;
  std::vector<std::string> notes;
  for (std::size_t n = 0; n < targets.size(); ++n) {
    if (Status status = check_target(targets[n], n); !status) return status.error();
    LinkRef& link = std::holds_alternative<PositionGoal>(targets[n]) ? std::get<PositionGoal>(targets[n]).link
                                                                     : std::get<PoseGoal>(targets[n]).link;
    const LinkRef asked = !link.empty() ? link : problem.tip;
    const Result<int> tip = asked.empty() ? default_tip(problem.model, notes) : resolve(problem.model, asked);
    if (!tip) return tip.error();
    link = *tip;
    if (std::find(tips.begin(), tips.end(), *tip) == tips.end()) tips.push_back(*tip);
  }
  Vec3 low = Vec3::Constant(HUGE_VAL), high = -low;
  for (const Goal& goal : targets) {
    low = low.cwiseMin(place_of(goal));
    high = high.cwiseMax(place_of(goal));
  }
  const double reach = horizontal_reach(problem, tips);
  if (!(reach > 0.0 && reach < 1e6)) return Error{"The model's poses give positions that are not finite."};
  low = (low.array() - reach).matrix().cwiseMax(options.region_lower);
  high = (high.array() + reach).matrix().cwiseMin(options.region_upper);
  WorkspaceGrid& grid = made.grid_;
  grid.flat[2] = !(std::isfinite(options.region_lower.z()) && std::isfinite(options.region_upper.z()));
  if (grid.flat[2]) {
    low.z() = high.z() = 0.0;
  } else {
    low.z() = options.region_lower.z();
    high.z() = options.region_upper.z();
  }
  const Vec3 size = high - low;
  if (!(size.x() > 0.0 && size.y() > 0.0)) return Error{"The region lies where no target can be reached from."};
  grid.cell = size.maxCoeff() / options.cells;
  for (int k = 0; k < 3; ++k) {
    grid.count[k] = grid.flat[k] ? 1 : std::max(1, static_cast<int>(std::ceil(size[k] / grid.cell - 1e-9)));
    grid.origin[k] = grid.flat[k] ? low[k] : 0.5 * (low[k] + high[k] - grid.cell * grid.count[k]);
  }
  if (std::int64_t{grid.size()} * options.headings > kMost) return Error{"These are too many places to try."};
  made.reached_.assign(static_cast<std::size_t>(grid.size()) * static_cast<std::size_t>(options.headings), 0);
  made.targets_ = std::move(targets);
  return made;
}

Transform Placements::transform(const Place& place) const {
  return Transform::translate(grid_.center(place.cell)) * Transform::rotate(Vec3::UnitZ(), angle(place.heading));
}

Goal Placements::seen_from(const Transform& base, const Goal& target) const {
  const Transform back = base.inverse();
  Goal seen = target;
  if (auto* position = std::get_if<PositionGoal>(&seen)) {
    position->target = back * position->target;
  } else {
    auto& pose = std::get<PoseGoal>(seen);
    pose.target = back * pose.target;
  }
  return seen;
}

Placements::Place Placements::best_of(int cell) const {
  Place best{cell, 0};
  for (int heading = 1; heading < headings_; ++heading) {
    if (reached({cell, heading}) > reached(best)) best.heading = heading;
  }
  return best;
}

Placements::Place Placements::best() const {
  int most = 0;
  for (int cell = 0; cell < grid_.size(); ++cell) most = std::max(most, reached(best_of(cell)));
  // Steps from cell to cell until one that reaches less, or the end of the grid; the largest number wins, and of those
  // the cell in which most headings do.
  std::vector<int> steps(static_cast<std::size_t>(grid_.size()), -1);
  std::vector<int> now;
  const auto neighbours = [&](int cell, auto&& each) {
    const int at[3] = {cell % grid_.count[0], cell / grid_.count[0] % grid_.count[1],
                       cell / grid_.count[0] / grid_.count[1]};
    for (int k = 0; k < 3; ++k) {
      if (grid_.flat[k]) continue;
      for (const int d : {-1, 1}) {
        int to[3] = {at[0], at[1], at[2]};
        to[k] += d;
        each(to[k] < 0 || to[k] >= grid_.count[k] ? -1 : grid_.index(to[0], to[1], to[2]));
      }
    }
  };
  for (int cell = 0; cell < grid_.size(); ++cell) {
    bool border = reached(best_of(cell)) < most;
    if (!border) neighbours(cell, [&](int other) { border = border || other < 0; });
    if (!border) continue;
    steps[static_cast<std::size_t>(cell)] = reached(best_of(cell)) < most ? 0 : 1;
    now.push_back(cell);
  }
  std::stable_sort(now.begin(), now.end(), [&](int a, int b) {
    return steps[static_cast<std::size_t>(a)] < steps[static_cast<std::size_t>(b)];
  });
  for (std::size_t head = 0; head < now.size(); ++head) {
    const int cell = now[head];
    neighbours(cell, [&](int other) {
      if (other < 0 || (steps[static_cast<std::size_t>(other)] >= 0 &&
                        steps[static_cast<std::size_t>(other)] <= steps[static_cast<std::size_t>(cell)] + 1)) {
        return;
      }
      steps[static_cast<std::size_t>(other)] = steps[static_cast<std::size_t>(cell)] + 1;
      now.push_back(other);
    });
  }
  Place best{0, 0};
  int best_steps = -1, best_headings = -1;
  for (int cell = 0; cell < grid_.size(); ++cell) {
    if (reached(best_of(cell)) < most) continue;
    int good = 0;
    for (int heading = 0; heading < headings_; ++heading) good += reached({cell, heading}) == most ? 1 : 0;
    const int far = steps[static_cast<std::size_t>(cell)];
    if (far < best_steps || (far == best_steps && good <= best_headings)) continue;
    best = best_of(cell);
    best_steps = far;
    best_headings = good;
  }
  return best;
}

// Cells in order, some to a piece; bytes: the counts of their headings.
class PlacementJob : public Job {
 public:
  explicit PlacementJob(Placements& placements) : p_(placements) {
    const std::size_t each = p_.targets_.size() * static_cast<std::size_t>(p_.headings_);
    cells_ = static_cast<int>(std::clamp<std::size_t>(kGoalsPerPiece / each, 1, 64));
  }
  int count() const override { return (p_.grid_.size() + cells_ - 1) / cells_; }
  void prepare(int workers) override { workers_.resize(static_cast<std::size_t>(workers)); }

  std::string run(int piece, int worker) override {
    Worker& own = workers_[static_cast<std::size_t>(worker)];
    if (own.solver == nullptr) {
      own.solver = std::make_unique<Auto>();
      own.solver->only_decides = true;
      own.solver->settings.patience = kPatience;
    }
    own.goals.clear();
    const int begin = piece * cells_, end = std::min(begin + cells_, p_.grid_.size());
    for (int cell = begin; cell < end; ++cell) {
      for (int heading = 0; heading < p_.headings_; ++heading) {
        const Transform base = p_.transform({cell, heading});
        for (const Goal& target : p_.targets_) own.goals.push_back(p_.seen_from(base, target));
      }
    }
    // Never from the last answer: a piece must not depend on its order.
    own.poses = middle_pose(p_.problem_.model).replicate(1, static_cast<Eigen::Index>(own.goals.size()));
    own.batch.solve(*own.solver, p_.problem_, own.goals, own.poses, own.reports);
    std::string bytes;
    for (std::size_t first = 0; first < own.goals.size(); first += p_.targets_.size()) {
      std::uint32_t reached = 0;
      for (std::size_t k = 0; k < p_.targets_.size(); ++k) reached += own.reports[first + k].ok() ? 1 : 0;
      bytes.append(reinterpret_cast<const char*>(&reached), sizeof reached);
    }
    return bytes;
  }

  Status take(int piece, std::string_view bytes) override {
    const std::size_t first = static_cast<std::size_t>(piece) * static_cast<std::size_t>(cells_ * p_.headings_);
    const std::size_t size = std::min(static_cast<std::size_t>(cells_ * p_.headings_), p_.reached_.size() - first);
    if (bytes.size() != size * sizeof p_.reached_[0]) return Error{"A piece of the placements is damaged."};
    std::memcpy(&p_.reached_[first], bytes.data(), bytes.size());
    for (std::size_t k = first; k < first + size; ++k) {
      if (p_.reached_[k] > p_.targets_.size()) return Error{"A piece of the placements is damaged."};
    }
    return {};
  }

  /// Of everything that the result depends on.
  std::uint64_t fingerprint() const {
    std::uint64_t hash = 0xcbf29ce484222325ull;
    const auto mix = [&](const void* data, std::size_t size) {
      for (std::size_t i = 0; i < size; ++i)
        hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3ull;
    };
    const std::uint64_t model = p_.problem_.model.fingerprint();
    mix(&model, sizeof model);
    mix(p_.grid_.origin.data(), 3 * sizeof(double));
    mix(&p_.grid_.cell, sizeof p_.grid_.cell);
    mix(p_.grid_.count, sizeof p_.grid_.count);
    mix(&p_.headings_, sizeof p_.headings_);
    VecX lower, upper, weights;
    if (limits_of(p_.problem_, lower, upper) && joint_weights_of(p_.problem_, weights)) {
      for (const VecX* v : {&lower, &upper, &weights})
        mix(v->data(), static_cast<std::size_t>(v->size()) * sizeof(double));
    }
    for (const Goal& goal : p_.targets_) {
      if (const auto* position = std::get_if<PositionGoal>(&goal)) {
        const int link = position->link.index();
        mix(&link, sizeof link);
        mix(position->target.data(), 3 * sizeof(double));
        mix(position->point.data(), 3 * sizeof(double));
      } else {
        const auto& pose = std::get<PoseGoal>(goal);
        const int link = pose.link.index();
        mix(&link, sizeof link);
        mix(pose.target.position.data(), 3 * sizeof(double));
        mix(pose.target.rotation.data(), 9 * sizeof(double));
        mix(pose.point.data(), 3 * sizeof(double));
      }
    }
    return hash;
  }

 private:
  struct Worker {
    std::unique_ptr<Auto> solver;
    Batch batch;
    std::vector<Goal> goals;
    MatX poses;
    std::vector<Report> reports;
  };
  Placements& p_;
  int cells_ = 1;
  std::vector<Worker> workers_;
};

Result<bool> find_placements(Placements& placements, const JobOptions& options) {
  PlacementJob job(placements);
  JobOptions own = options;
  own.fingerprint = job.fingerprint();
  return run_job(job, own);
}

}  // namespace armature::inline v0_2
