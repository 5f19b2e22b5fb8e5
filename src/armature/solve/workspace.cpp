// Over 400 lines: one job in numbered chunks; what a chunk counts, how it is taken and what is asked of the grid
// afterwards.
#include "armature/solve/workspace.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "armature/base/math.hpp"
#include "armature/base/rng.hpp"
#include "armature/geom/shortest_turn.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/loop_projection.hpp"
#include "armature/kinematics/mechanism.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/methods/auto.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kSamplesPerChunk = 8192;
constexpr int kCellsPerChunk = 16;
constexpr int kWorkspacePatience = 60;  // see docs/decisions/reach.md
constexpr int kProbes = 20000;          // random poses that size the grid

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {  // FNV-1a over whole words
  return (hash ^ value) * 0x100000001b3ull;
}
std::uint64_t bits(double v) {
  std::uint64_t b = 0;
  std::memcpy(&b, &v, sizeof b);
  return b;
}

// Evenly spread rotations: the super-Fibonacci spiral (Alexa 2022).
Quat spread_rotation(int i, int n) {
  const double phi = std::sqrt(2.0);
  const double psi = 1.533751168755204288118041;
  const double s = i + 0.5;
  const double t = s / n;
  const double r = std::sqrt(t);
  const double R = std::sqrt(1.0 - t);
  const double a = 2.0 * kPi * s / phi;
  const double b = 2.0 * kPi * s / psi;
  return Quat(R * math::cos(b), r * math::sin(a), r * math::cos(a), R * math::sin(b));
}

// The closure whose loop ties the link to the base, or null.
const ModelClosure* closure_above(const Model& model, int tip) {
  if (model.closures().empty()) return nullptr;
  const std::vector<int> loops = loop_of_velocities(model);
  for (int i = tip; i >= 0; i = model.parent(i)) {
    const ModelJoint& joint = model.joint(i);
    for (int k = 0; k < joint.v_count; ++k) {
      const int closure = loops[static_cast<std::size_t>(joint.v_index + k)];
      if (closure >= 0) return &model.closures()[static_cast<std::size_t>(closure)];
    }
  }
  return nullptr;
}

std::shared_ptr<LoopProjection> loops_of(const Model& model) {
  std::vector<int> all(static_cast<std::size_t>(model.v_size()));
  std::iota(all.begin(), all.end(), 0);
  auto loops = std::make_shared<LoopProjection>();
  loops->prepare(model, all);
  return loops;
}

// Where the point is in a random pose; false where loops do not close from it. `loops` is null without any.
bool sample(const Model& model, int tip, int base, const Vec3& point, Rng& rng, LoopProjection* loops, State& state,
            Vec3& place) {
  VecX q = random_pose(model, rng);
  if (loops != nullptr && !loops->close(q.data(), model.lower().data(), model.upper().data())) return false;
  forward(model, q, state);
  place = convert_point(state, tip, base, point);
  return true;
}

}  // namespace

Vec3 WorkspaceGrid::center(int index) const {
  const int x = index % count[0];
  const int y = index / count[0] % count[1];
  const int z = index / count[0] / count[1];
  Vec3 c = origin + cell * Vec3(x + 0.5, y + 0.5, z + 0.5);
  for (int k = 0; k < 3; ++k) {
    if (flat[k]) c[k] = origin[k];
  }
  return c;
}

double WorkspaceGrid::measure() const { return math::power(cell, 3 - flat_count()); }

int WorkspaceGrid::cell_of(const Vec3& p) const {
  int at[3];
  for (int k = 0; k < 3; ++k) {
    const double f = flat[k] ? 0.0 : std::floor((p[k] - origin[k]) / cell);
    if (!(f >= 0.0 && f < count[k])) return -1;
    at[k] = static_cast<int>(f);
  }
  return index(at[0], at[1], at[2]);
}

Result<Workspace> Workspace::make(const Model& model, const WorkspaceOptions& o) {
  std::vector<std::string> notes;
  const Result<int> tip = o.tip.empty() ? default_tip(model, notes) : resolve(model, o.tip);
  if (!tip) return tip.error();
  const Result<int> base = resolve_frame(model, o.base);
  if (!base) return base.error();
  if (!o.point.allFinite()) return Error{"The workspace's point is not finite."};
  if (o.cells < 2 || o.cells > 512) return Error{"A workspace takes 2 to 512 cells along its longest side."};
  if (o.samples < 1 || o.samples > 1'000'000'000) return Error{"A workspace takes 1 to 1,000,000,000 samples."};
  if (o.orientations < 0 || o.orientations > 100000)
    return Error{"A workspace takes 0 to 100,000 orientations per cell."};
  if (!(o.cone >= 0.0 && o.cone <= kPi) || !(o.cone_axis.norm() > 1e-9) || !o.cone_axis.allFinite())
    return Error{"A cone of orientations has an angle from 0 to pi and an axis that is not zero."};
  if (!((o.region_lower - o.region_upper).array() < 0.0).all())
    return Error{"A region has a lower bound below its upper one along every axis."};
  if (o.shards < 1 || o.shards > 100000 || o.shard < 0 || o.shard >= o.shards)
    return Error{"A workspace has 1 to 100,000 shards, counted from 0."};
  Workspace w;
  w.model_ = model;
  w.options_ = o;
  w.options_.cone_axis.normalize();
  w.tip_ = *tip;
  w.base_ = *base;
  const ModelClosure* closure = closure_above(model, *tip);
  w.tied_ = closure != nullptr;
  const std::shared_ptr<LoopProjection> loops = w.tied_ ? loops_of(model) : nullptr;
  Rng rng(o.seed ^ 0x5eedb0c5ull);
  State state;
  Vec3 low = Vec3::Constant(INFINITY);
  Vec3 high = -low;
  for (int i = 0; i < kProbes; ++i) {
    Vec3 p;
    if (!sample(model, *tip, *base, o.point, rng, loops.get(), state, p)) continue;
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  if (w.tied_ && !(low[0] <= high[0])) {
    return Error{"The loop of closure " + detail::quoted(closure->name) + " closes from no pose that was tried."};
  }
  if (!(low.cwiseAbs().maxCoeff() < 1e100 && high.cwiseAbs().maxCoeff() < 1e100)) {
    return Error{"The linkage's poses give positions that are not finite, or too far away to be measured."};
  }
  const Vec3 extent = high - low;
  const double longest = extent.maxCoeff();
  if (!(longest > 1e-9 * model.size())) {
    return Error{"The point of link '" + model.link_name(*tip) + "' does not move, so it has no workspace."};
  }
  // Random poses seldom reach the very border: leave room for it.
  const double margin = 0.12 * longest;
  Vec3 size = extent.array() + 2.0 * margin;
  Vec3 middle = 0.5 * (low + high);
  for (int k = 0; k < 3; ++k) {
    w.grid_.flat[k] = extent[k] < 1e-9 * longest;
    if (w.grid_.flat[k]) size[k] = 0.0;
    const double from = std::max(middle[k] - 0.5 * size[k], o.region_lower[k]);
    const double to = std::min(middle[k] + 0.5 * size[k], o.region_upper[k]);
    if (!(from <= to)) return Error{"The region lies outside of everything that the link can reach."};
    if (to - from < size[k]) {
      size[k] = to - from;
      middle[k] = 0.5 * (from + to);
    }
  }
  const int mobility = w.tied_ ? analyze_mechanism(model).mobility : 3;
  if (mobility < 3 - w.grid_.flat_count()) {
    return Error{"Closure " + detail::quoted(closure->name) + " leaves link " + detail::quoted(model.link_name(*tip)) +
                 (mobility <= 1 ? " a curve" : " a surface") +
                 " to move on, which has no workspace; the command 'mechanism' draws what it can do."};
  }
  w.grid_.cell = size.maxCoeff() / o.cells;
  if (!(w.grid_.cell > 0.0)) return Error{"The region has no extent where the link moves."};
  for (int k = 0; k < 3; ++k) {
    const bool flat = w.grid_.flat[k];
    w.grid_.count[k] = flat ? 1 : std::max(1, static_cast<int>(std::ceil(size[k] / w.grid_.cell)));
    w.grid_.origin[k] = flat ? low[k] : middle[k] - 0.5 * w.grid_.cell * w.grid_.count[k];
  }
  forward(model, middle_pose(model), state);
  w.turned_from_ = relative(state, *base, *tip).rotation;
  const auto cells = static_cast<std::size_t>(w.grid_.size());
  w.hits_.assign(cells, 0);
  w.reached_.assign(cells, 0);
  w.turned_.assign(cells, 0);
  w.start_phase(Phase::sampling);
  return w;
}

double Workspace::progress() const {
  if (done_.empty()) return 1.0;
  return static_cast<double>(std::count(done_.begin(), done_.end(), 1)) / static_cast<double>(done_.size());
}

// All neighbours (and the cell itself) were hit: its centre lies well inside.
bool Workspace::decided_by_samples(int cell) const {
  const int x = cell % grid_.count[0];
  const int y = cell / grid_.count[0] % grid_.count[1];
  const int z = cell / grid_.count[0] / grid_.count[1];
  for (int dz = -1; dz <= 1; ++dz) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const int at[3] = {x + dx, y + dy, z + dz};
        bool inside = true;
        for (int k = 0; k < 3; ++k) {
          if (grid_.flat[k] && at[k] != 0) inside = false;
          if (!grid_.flat[k] && (at[k] < 0 || at[k] >= grid_.count[k])) return false;
        }
        if (inside && hits(grid_.index(at[0], at[1], at[2])) == 0) return false;
      }
    }
  }
  return true;
}

// Within two cells of one that was hit.
bool Workspace::near_samples(int cell) const {
  const int at[3] = {cell % grid_.count[0], cell / grid_.count[0] % grid_.count[1],
                     cell / grid_.count[0] / grid_.count[1]};
  int low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    low[k] = std::max(0, at[k] - 2);
    high[k] = std::min(grid_.count[k] - 1, at[k] + 2);
  }
  for (int z = low[2]; z <= high[2]; ++z) {
    for (int y = low[1]; y <= high[1]; ++y) {
      for (int x = low[0]; x <= high[0]; ++x) {
        if (hits(grid_.index(x, y, z)) > 0) return true;
      }
    }
  }
  return false;
}

// Cells side by side cost alike, so that shards take turns by small groups.
bool Workspace::owns(int cell) const { return cell / kCellsPerChunk % options_.shards == options_.shard; }

void Workspace::start_phase(Phase phase) {
  phase_ = phase;
  open_cells_.clear();
  if (phase == Phase::sampling) {
    done_.assign(static_cast<std::size_t>((options_.samples + kSamplesPerChunk - 1) / kSamplesPerChunk), 0);
    return;
  }
  if (phase == Phase::deciding) {
    for (int cell = 0; cell < grid_.size(); ++cell) {
      if (decided_by_samples(cell)) {
        reached_[static_cast<std::size_t>(cell)] = 1;
      } else if (owns(cell) && (options_.has_region() || near_samples(cell))) {  // few samples fall into a small region
        open_cells_.push_back(cell);
      }
    }
  }
  if (phase == Phase::turning && options_.orientations > 0) {
    for (int cell = 0; cell < grid_.size(); ++cell) {
      if (reachable(cell) && owns(cell)) open_cells_.push_back(cell);
    }
  }
  done_.assign((open_cells_.size() + kCellsPerChunk - 1) / kCellsPerChunk, 0);
  if (done_.empty() && phase != Phase::done) {
    start_phase(static_cast<Phase>(static_cast<int>(phase) + 1));
  }
}

// In a cone: see WorkspaceOptions. In space: spread over all rotations. In a plane: turns about its normal.
Mat3 Workspace::orientation(int i) const {
  if (options_.cone > 0.0) {
    // Directions on a golden spiral over the cap, each with a turn of its own about them.
    const double s = (i + 0.5) / options_.orientations;
    const double angle = math::acos(1.0 - (1.0 - math::cos(options_.cone)) * s);
    const double around = kPi * (3.0 - std::sqrt(5.0)) * i;
    const double spin = 2.0 * kPi * std::fmod(0.7548776662466927 * i, 1.0);  // the plastic number's sequence
    const Vec3 across(math::cos(around), math::sin(around), 0.0);
    return quaternion_between(Vec3::UnitZ(), options_.cone_axis).toRotationMatrix() *
           Transform::rotate(across, angle).rotation * Transform::rotate(Vec3::UnitZ(), spin).rotation;
  }
  if (grid_.flat_count() != 1) return spread_rotation(i, options_.orientations).normalized().toRotationMatrix();
  const int normal = grid_.flat[0] ? 0 : grid_.flat[1] ? 1 : 2;
  return Transform::rotate(Vec3::Unit(normal), 2.0 * kPi * i / options_.orientations).rotation * turned_from_;
}

Workspace::ChunkResult Workspace::run(int chunk, Worker& worker) const {
  ChunkResult result;
  if (phase_ == Phase::sampling) {
    Rng rng(mix(options_.seed, static_cast<std::uint64_t>(chunk) + 1));
    const int count = std::min(kSamplesPerChunk, options_.samples - chunk * kSamplesPerChunk);
    std::vector<int> cells;
    if (tied_ && !worker.loops) worker.loops = loops_of(model_);
    for (int i = 0; i < count; ++i) {
      Vec3 place;
      if (!sample(model_, tip_, base_, options_.point, rng, worker.loops.get(), worker.state, place)) continue;
      const int cell = grid_.cell_of(place);
      if (cell >= 0) cells.push_back(cell);
    }
    std::sort(cells.begin(), cells.end());
    for (std::size_t i = 0; i < cells.size();) {
      std::size_t next = i;
      while (next < cells.size() && cells[next] == cells[i]) ++next;
      result.push_back({cells[i], static_cast<std::uint32_t>(next - i)});
      i = next;
    }
    return result;
  }
  if (worker.solver == nullptr) {
    auto solver = std::make_unique<Auto>();
    solver->only_decides = true;
    bool single_axes = true;  // balls are searched otherwise, by fewer and longer iterations
    for (int i = tip_; i != kWorld; i = model_.parent(i)) single_axes = single_axes && model_.joint(i).v_count <= 1;
    if (single_axes) solver->settings.patience = kWorkspacePatience;
    worker.solver = std::move(solver);
    worker.solver->common_options().tolerance = 1e-4 * grid_.cell;
    worker.solver->common_options().orientation_tolerance = 1e-3;
    worker.problem.model = model_;
  }
  const std::size_t begin = static_cast<std::size_t>(chunk) * kCellsPerChunk;
  const std::size_t end = std::min(begin + kCellsPerChunk, open_cells_.size());
  const int tries = phase_ == Phase::deciding ? 1 : options_.orientations;
  worker.goals.clear();
  for (std::size_t i = begin; i < end; ++i) {
    const Vec3 center = grid_.center(open_cells_[i]);
    for (int t = 0; t < tries; ++t) {
      if (phase_ == Phase::deciding) {
        worker.goals.emplace_back(PositionGoal{.link = tip_, .point = options_.point, .target = center, .base = base_});
      } else {
        worker.goals.emplace_back(
            PoseGoal{.link = tip_, .point = options_.point, .target = {center, orientation(t)}, .base = base_});
      }
    }
  }
  // Never from the last answer: a chunk must not depend on its order.
  worker.poses = middle_pose(model_).replicate(1, static_cast<Eigen::Index>(worker.goals.size()));
  worker.batch.solve(*worker.solver, worker.problem, worker.goals, worker.poses, worker.reports);
  for (std::size_t i = begin; i < end; ++i) {
    std::uint32_t reached = 0;
    for (int t = 0; t < tries; ++t) {
      reached +=
          worker.reports[(i - begin) * static_cast<std::size_t>(tries) + static_cast<std::size_t>(t)].ok() ? 1 : 0;
    }
    if (reached > 0) result.push_back({open_cells_[i], reached});
  }
  return result;
}

void Workspace::merge(int chunk, const ChunkResult& result) {
  if (phase_ == Phase::done || is_done(chunk)) return;
  for (const auto& [cell, count] : result) {
    const auto c = static_cast<std::size_t>(cell);
    if (phase_ == Phase::sampling) hits_[c] += count;
    if (phase_ == Phase::deciding) reached_[c] = 1;
    if (phase_ == Phase::turning) turned_[c] = count;
  }
  done_[static_cast<std::size_t>(chunk)] = 1;
  if (std::find(done_.begin(), done_.end(), 0) == done_.end()) {
    start_phase(static_cast<Phase>(static_cast<int>(phase_) + 1));
  }
}

std::uint64_t Workspace::fingerprint() const {
  std::uint64_t h = 0xcbf29ce484222325ull;
  for (const std::uint64_t v :
       {static_cast<std::uint64_t>(tip_), static_cast<std::uint64_t>(base_), static_cast<std::uint64_t>(options_.cells),
        static_cast<std::uint64_t>(options_.samples), static_cast<std::uint64_t>(options_.orientations), options_.seed,
        bits(grid_.cell), static_cast<std::uint64_t>(grid_.size()), model_.fingerprint()}) {
    h = mix(h, v);
  }
  for (int k = 0; k < 3; ++k) h = mix(mix(h, bits(options_.point[k])), bits(grid_.origin[k]));
  for (int k = 0; k < 3; ++k) h = mix(h, static_cast<std::uint64_t>(grid_.count[k]));
  if (options_.cone > 0.0) {
    h = mix(h, bits(options_.cone));
    for (int k = 0; k < 3; ++k) h = mix(h, bits(options_.cone_axis[k]));
  }
  if (options_.shards > 1) {
    h = mix(mix(h, static_cast<std::uint64_t>(options_.shards)), static_cast<std::uint64_t>(options_.shard) + 1);
  }
  return h;
}

Status Workspace::join(const Workspace& shard) {
  const WorkspaceOptions& o = shard.options_;
  Workspace same = shard;
  same.options_.shard = 0;
  same.options_.shards = 1;
  if (same.fingerprint() != fingerprint() || options_.shards != 1 || o.shards < 2) {
    return Error{"The shard belongs to another model or other options than the workspace it should be joined to."};
  }
  const std::string which = "Shard " + std::to_string(o.shard + 1) + " of " + std::to_string(o.shards);
  if (shard.phase_ != Phase::done) return Error{which + " is not done yet."};
  if (joined_.empty()) joined_.assign(static_cast<std::size_t>(o.shards), 0);
  if (joined_.size() != static_cast<std::size_t>(o.shards)) {
    return Error{which + " cannot be joined to one of " + std::to_string(joined_.size()) + "."};
  }
  std::uint8_t& mark = joined_[static_cast<std::size_t>(o.shard)];
  if (mark != 0) return Error{which + " was joined already."};
  mark = 1;
  hits_ = shard.hits_;  // every shard has them all
  for (std::size_t cell = 0; cell < reached_.size(); ++cell) {
    reached_[cell] = static_cast<std::uint8_t>(reached_[cell] | shard.reached_[cell]);
    turned_[cell] += shard.turned_[cell];
  }
  if (std::find(joined_.begin(), joined_.end(), 0) == joined_.end()) start_phase(Phase::done);
  return {};
}

std::string Workspace::save() const {
  std::string out = "armature workspace 1\n";
  const auto put = [&](const void* data, std::size_t size) { out.append(static_cast<const char*>(data), size); };
  const std::uint64_t print = fingerprint();
  put(&print, sizeof print);
  put(&phase_, sizeof phase_);
  const std::uint64_t chunks = done_.size();
  put(&chunks, sizeof chunks);
  put(done_.data(), done_.size());
  put(hits_.data(), hits_.size() * sizeof hits_[0]);
  put(reached_.data(), reached_.size());
  put(turned_.data(), turned_.size() * sizeof turned_[0]);
  return out;
}

Status Workspace::restore(std::string_view bytes) {
  static constexpr std::string_view kMagic = "armature workspace 1\n";
  const Error other{"The saved workspace belongs to another model, other options or another version; start afresh."};
  std::size_t at = kMagic.size();
  if (bytes.substr(0, at) != kMagic) return other;
  const auto take = [&](void* data, std::size_t size) {
    if (bytes.size() - at < size) return false;
    if (size > 0) std::memcpy(data, bytes.data() + at, size);
    at += size;
    return true;
  };
  std::uint64_t print = 0;
  Phase phase{};
  std::uint64_t chunks = 0;
  if (!take(&print, sizeof print) || print != fingerprint() || !take(&phase, sizeof phase) || phase > Phase::done ||
      !take(&chunks, sizeof chunks) || chunks > bytes.size()) {
    return other;
  }
  Workspace w = *this;
  std::vector<std::uint8_t> done(static_cast<std::size_t>(chunks));
  if (!take(done.data(), done.size()) || !take(w.hits_.data(), w.hits_.size() * sizeof w.hits_[0]) ||
      !take(w.reached_.data(), w.reached_.size()) || !take(w.turned_.data(), w.turned_.size() * sizeof w.turned_[0])) {
    return other;
  }
  w.start_phase(phase);  // finds the phase's open cells again from the counts
  if (w.phase_ != phase || w.done_.size() != done.size()) return other;
  // A phase whose chunks are all done is over: a state that says otherwise would wait for ever.
  if (phase != Phase::done && std::find(done.begin(), done.end(), 0) == done.end()) return other;
  w.done_ = std::move(done);
  *this = std::move(w);
  return {};
}

double Workspace::dexterity(int cell) const {
  if (options_.orientations == 0) return 0.0;
  return static_cast<double>(turned_[static_cast<std::size_t>(cell)]) / options_.orientations;
}

int Workspace::reachable_cells() const { return static_cast<int>(std::count(reached_.begin(), reached_.end(), 1)); }

double Workspace::sampled_volume() const {
  return static_cast<double>(hits_.size() - static_cast<std::size_t>(std::count(hits_.begin(), hits_.end(), 0u))) *
         grid_.measure();
}

double Workspace::mean_dexterity() const {
  double sum = 0.0;
  for (int cell = 0; cell < grid_.size(); ++cell) sum += reachable(cell) ? dexterity(cell) : 0.0;
  const int cells = reachable_cells();
  return cells > 0 ? sum / cells : 0.0;
}

}  // namespace armature::inline v0_2
