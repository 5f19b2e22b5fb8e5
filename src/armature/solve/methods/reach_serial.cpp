#include "armature/solve/methods/reach_serial.hpp"

#include <algorithm>
#include <cmath>

#include "armature/kinematics/measures.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/reach_bound.hpp"

namespace armature {
namespace {

constexpr std::size_t kRemembered = 4;         // chains
constexpr double kSerialContinuousStep = 0.3;  // radians: longer steps may change the branch
constexpr int kIterationsPerPatience = 10;     // `give_up` is meant for the general path, whose iterations cost more

/// The goal's link, base and point, if it is one of the kinds that a chain can serve.
struct Ends {
  int base = kWorld;
  int tip = -1;
  Vec3 point = Vec3::Zero();
};
bool ends_of(const Goal& goal, Ends& ends) {
  if (const auto* g = std::get_if<PoseGoal>(&goal)) {
    ends = {g->base, g->link, g->point};
  } else if (const auto* p = std::get_if<PositionGoal>(&goal)) {
    ends = {p->base, p->link, p->point};
  } else if (const auto* o = std::get_if<OrientationGoal>(&goal)) {
    ends = {o->base, o->link, Vec3::Zero()};
  } else {
    return false;
  }
  return true;
}

void set_axes(const AxisMask& mask, std::array<bool, 3>& is_free, Vec3& box, bool& in_goal_frame, bool& partial) {
  is_free = mask.free;
  box = mask.box;
  in_goal_frame = mask.in_goal_frame;
  partial |= !mask.trivial();
}

// Whether every coordinate is finite and of a size that the kernels resolve: what clamp_start() would bring back is
// not.
bool reasonable(const Model& model, const Eigen::Ref<const VecX>& q) {
  const double most = std::min(2.0 * kPi * kMostTurns, kFarthest * model.size());
  double largest = 0.0;
  bool finite = true;
  for (const double value : q) {
    finite = finite && std::isfinite(value);
    largest = std::max(largest, std::abs(value));
  }
  return finite && largest <= most;
}

ChainQuestion question_of(const Goal& goal, double tolerance, double orientation_tolerance) {
  ChainQuestion question;
  const GoalCommon& shared = common(goal);
  question.tolerance = shared.tolerance > 0.0 ? shared.tolerance : tolerance;
  question.orientation_tolerance = orientation_tolerance;
  if (const auto* g = std::get_if<PoseGoal>(&goal)) {
    question.target = g->target;
    if (g->orientation_tolerance > 0.0) question.orientation_tolerance = g->orientation_tolerance;
    set_axes(g->position_axes, question.position_free, question.position_box, question.position_in_goal_frame,
             question.partial);
    set_axes(g->orientation_axes, question.orientation_free, question.orientation_box,
             question.orientation_in_goal_frame, question.partial);
  } else if (const auto* p = std::get_if<PositionGoal>(&goal)) {
    question.orientation = false;
    question.target.translation = p->target;
    set_axes(p->axes, question.position_free, question.position_box, question.position_in_goal_frame, question.partial);
  } else if (const auto* o = std::get_if<OrientationGoal>(&goal)) {
    question.position = false;
    question.target.rotation = o->target.normalized().toRotationMatrix();
    if (shared.tolerance > 0.0) question.orientation_tolerance = shared.tolerance;
    set_axes(o->axes, question.orientation_free, question.orientation_box, question.orientation_in_goal_frame,
             question.partial);
  }
  return question;
}

}  // namespace

void ReachSerial::use(Isa isa) {
  isa_ = isa;
  for (Entry& entry : entries_) {
    if (entry.reach) entry.reach->use(isa);
  }
}

ReachSerial::Entry* ReachSerial::find(const Model& model, int base, int tip, const Vec3& point) {
  for (Entry& entry : entries_) {
    if (entry.fingerprint == model.fingerprint() && entry.base == base && entry.tip == tip && entry.point == point) {
      return &entry;
    }
  }
  Entry* entry = nullptr;
  if (entries_.size() < kRemembered) {
    entries_.reserve(kRemembered);
    entry = &entries_.emplace_back();
  } else {
    entry = &*std::min_element(entries_.begin(), entries_.end(),
                               [](const Entry& a, const Entry& b) { return a.last_use < b.last_use; });
    *entry = Entry{};
  }
  entry->fingerprint = model.fingerprint();
  entry->base = base;
  entry->tip = tip;
  entry->point = point;
  Result<ModelChain> chain = make_chain(model, base, tip, point);
  if (!chain.ok()) return entry;
  entry->chain = std::move(chain).value();
  double lower[kMaxChainJoints], upper[kMaxChainJoints];
  for (std::size_t i = 0; i < entry->chain.joints.size(); ++i) {
    lower[i] = entry->chain.joints[i].lower;
    upper[i] = entry->chain.joints[i].upper;
  }
  entry->reach = std::make_unique<ReachChain>(entry->chain.chain, lower, upper);
  entry->reach->use(isa_);
  for (int c = 0; c < model.q_size(); ++c) {
    const bool mine = std::any_of(entry->chain.coordinates.begin(), entry->chain.coordinates.end(),
                                  [c](const ChainCoordinate& i) { return i.coordinate == c; });
    if (!mine) entry->others.push_back(c);
  }
  return entry;
}

bool ReachSerial::valid(const Problem& problem) const {
  const bool special = !problem.locked.empty() || problem.mobility.size() > 0 || problem.lower.size() > 0 ||
                       problem.upper.size() > 0 || problem.gain.size() > 0 || problem.rest.size() > 0;
  return special ? check_problem(problem).ok() : check_goal(problem.goals[0], *problem.model).ok();
}

bool ReachSerial::take(const Problem& problem) {
  current_ = nullptr;
  if (problem.model == nullptr || problem.goals.size() != 1) return false;
  Ends ends;
  if (!valid(problem) || common(problem.goals[0]).weight == 0.0) return false;
  if (problem.gain.size() > 0 && !problem.gain.isZero(0.0)) return false;
  if (!ends_of(problem.goals[0], ends)) return false;
  Entry* entry = find(*problem.model, ends.base, ends.tip, ends.point);
  entry->last_use = ++clock_;
  if (!entry->reach) return false;
  current_ = entry;
  return true;
}

void ReachSerial::set_call_limits(const Problem& problem, const VecX& q, Entry& entry) {
  const bool special =
      !problem.locked.empty() || problem.lower.size() > 0 || problem.upper.size() > 0 || problem.mobility.size() > 0;
  if (!special) {
    if (!entry.own_limits) entry.reach->restore_limits();
    if (entry.has_mobility) entry.reach->set_mobility(nullptr);
    entry.own_limits = true;
    entry.has_mobility = false;
    return;
  }
  const Model& model = *problem.model;
  double lower[kMaxChainJoints], upper[kMaxChainJoints], mobility[kMaxChainJoints];
  for (std::size_t i = 0; i < entry.chain.coordinates.size(); ++i) {
    const ChainCoordinate& c = entry.chain.coordinates[i];
    const double lo = problem.lower.size() > 0 ? problem.lower[c.coordinate] : model.lower()[c.coordinate];
    const double hi = problem.upper.size() > 0 ? problem.upper[c.coordinate] : model.upper()[c.coordinate];
    const double a = c.multiplier * lo + c.offset, b = c.multiplier * hi + c.offset;
    lower[i] = std::min(a, b);
    upper[i] = std::max(a, b);
    mobility[i] = problem.mobility.size() > 0 ? problem.mobility[c.velocity] : 1.0;
    if ((!problem.locked.empty() && problem.locked[static_cast<std::size_t>(c.velocity)] != 0) || mobility[i] == 0.0) {
      const double value = c.multiplier * q[c.coordinate] + c.offset;
      lower[i] = upper[i] = std::min(std::max(value, lower[i]), upper[i]);
      mobility[i] = 1.0;
    }
  }
  entry.reach->set_limits(lower, upper);
  entry.own_limits = false;
  entry.has_mobility = problem.mobility.size() > 0;
  entry.reach->set_mobility(entry.has_mobility ? mobility : nullptr);
}

void ReachSerial::solve(const Problem& problem, const ReachOptions& options, VecX& q, Report& report, Trace* trace) {
  Entry& entry = *current_;
  const Model& model = *problem.model;
  const double* lower = problem.lower.size() > 0 ? problem.lower.data() : model.lower().data();
  const double* upper = problem.upper.size() > 0 ? problem.upper.data() : model.upper().data();
  if (!entry.others.empty() || !reasonable(model, q)) clamp_start(model, lower, upper, q.data());
  set_call_limits(problem, q, entry);

  const double tolerance = options.tolerance > 0.0 ? options.tolerance : 1e-6 * model.size();
  const ChainQuestion question = question_of(problem.goals[0], tolerance, options.orientation_tolerance);
  ChainSearch search;
  search.max_iterations = std::min(options.max_iterations, kIterationsPerPatience * options.give_up);
  search.max_time = options.max_time;
  search.quality = options.continuous ? Quality::nearest : options.quality();
  search.only_seed = options.continuous;
  search.candidates = options.candidates;
  search.seed = static_cast<std::uint64_t>(options.seed);
  search.step_size = options.step_size;
  search.max_step = options.max_step > 0.0 ? options.max_step : options.continuous ? kSerialContinuousStep : 0.0;

  double joints[kMaxChainJoints];
  const std::size_t n = entry.chain.coordinates.size();
  for (std::size_t i = 0; i < n; ++i) {
    const ChainCoordinate& c = entry.chain.coordinates[i];
    joints[i] = c.multiplier * q[c.coordinate] + c.offset;
  }
  std::vector<VecX> poses;
  if (trace != nullptr) entry.reach->record(&poses);
  ChainAnswer answer = entry.reach->solve(question, search, joints);
  const auto take_over = [&] {
    for (std::size_t i = 0; i < n; ++i) {
      const ChainCoordinate& c = entry.chain.coordinates[i];
      const double value = (joints[i] - c.offset) / c.multiplier;
      q[c.coordinate] = std::min(std::max(value, lower[c.coordinate]), upper[c.coordinate]);
    }
  };
  take_over();
  for (int again = 0; !answer.resolved && again < 2; ++again) {
    // A joint went around many times, or far out, where double precision leaves little: measured by the model's own
    // forward kinematics, and if that does not hold, once more from where the pose is now.
    stack_.prepare(problem, options);
    stack_.evaluate(q.data());
    answer.resolved = stack_.converged() == (answer.outcome == Outcome::converged);
    stack_.residual(0, answer.position_error, answer.orientation_error);
    if (answer.resolved || again > 0) break;
    clamp_start(model, lower, upper, q.data());
    for (std::size_t i = 0; i < n; ++i) {
      const ChainCoordinate& c = entry.chain.coordinates[i];
      joints[i] = c.multiplier * q[c.coordinate] + c.offset;
    }
    const int before = answer.iterations;
    answer = entry.reach->solve(question, search, joints);
    answer.iterations += before;
    take_over();
  }
  if (!answer.resolved) answer.outcome = stack_.converged() ? Outcome::converged : Outcome::stalled;
  entry.reach->record(nullptr);
  if (trace != nullptr) record(problem, q, poses, *trace);

  report.joints_at_limits.clear();
  report.blocking.clear();
  report.joints_at_limits.reserve(n);
  report.blocking.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const ChainCoordinate& c = entry.chain.coordinates[i];
    const bool locked = lower[c.coordinate] == upper[c.coordinate];
    if (!locked && (q[c.coordinate] == lower[c.coordinate] || q[c.coordinate] == upper[c.coordinate])) {
      report.joints_at_limits.push_back(c.coordinate);
    }
    const bool held = !problem.locked.empty() && problem.locked[static_cast<std::size_t>(c.velocity)] != 0;
    if ((entry.reach->blocking() >> i & 1u) != 0 && !held) report.blocking.push_back(c.coordinate);
  }
  report.outcome = answer.outcome;
  report.iterations = answer.iterations;
  report.restarts = answer.restarts;
  report.position_error = question.position ? answer.position_error : 0.0;
  report.orientation_error = question.orientation ? answer.orientation_error : 0.0;
  report.goals.resize(1);
  report.goals[0] = {report.position_error, report.orientation_error, answer.outcome == Outcome::converged};
  report.bound = answer.bound;
  report.bound_length = answer.bound_length;
  report.goal_distance = answer.goal_distance;
  if (question.partial && report.outcome == Outcome::stalled) {  // the chain's own proof takes whole goals only
    const BoundProof proof = prove_unreachable(problem, problem.goals[0], tolerance);
    if (proof.bound != ReachBound::none) {
      report.outcome = Outcome::unreachable;
      report.bound = proof.bound;
      report.bound_length = proof.bound_length;
      report.goal_distance = proof.goal_distance;
    }
  }
  report.smallest_singular_value = report.manipulability = report.condition = 0.0;
  if (options.measures || options.continuous || answer.outcome != Outcome::converged) {
    stack_.prepare(problem, options);
    stack_.evaluate(q.data());
    stack_.differentiate();
    const Dexterity measures = dexterity(stack_.J);
    report.smallest_singular_value = measures.smallest_singular_value;
    report.manipulability = measures.manipulability;
    report.condition = measures.condition;
  }
}

namespace {

/// Goals of one chain for ReachChain::solve_together, answers into poses and reports.
// Never deleted through its base. NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor)
class SerialBatch final : public ChainBatch {
 public:
  SerialBatch(const Model& model, const PoseGoal& pattern, const ModelChain& chain, bool others, const double* lower,
              const double* upper, std::span<const Goal> goals, std::span<char> asked, MatX& poses,
              std::span<Report> reports)
      : model_(model),
        pattern_(pattern),
        chain_(chain),
        others_(others),
        lower_(lower),
        upper_(upper),
        goals_(goals),
        asked_(asked),
        poses_(poses),
        reports_(reports) {}

  bool next(int& id, Transform& target, double* q) override {
    for (; next_ < goals_.size(); ++next_) {
      const auto* goal = std::get_if<PoseGoal>(&goals_[next_]);
      if (asked_[next_] != 0 || goal == nullptr || !alike(*goal)) continue;
      asked_[next_] = 1;
      id = static_cast<int>(next_++);
      target = goal->target;
      auto seed = poses_.col(id);
      if (others_ || !reasonable(model_, seed)) clamp_start(model_, lower_, upper_, seed.data());
      reports_[static_cast<std::size_t>(id)].joints_at_limits.reserve(chain_.coordinates.size());
      reports_[static_cast<std::size_t>(id)].goals.reserve(1);
      for (std::size_t i = 0; i < chain_.coordinates.size(); ++i) {
        const ChainCoordinate& c = chain_.coordinates[i];
        q[i] = c.multiplier * seed[c.coordinate] + c.offset;
      }
      return true;
    }
    return false;
  }

  void answer(int id, const ChainAnswer& answer, const double* q) override {
    Report& report = reports_[static_cast<std::size_t>(id)];
    auto pose = poses_.col(id);
    report.joints_at_limits.clear();
    report.blocking.clear();
    for (std::size_t i = 0; i < chain_.coordinates.size(); ++i) {
      const ChainCoordinate& c = chain_.coordinates[i];
      const double lo = lower_[c.coordinate], hi = upper_[c.coordinate];
      const double value = std::min(std::max((q[i] - c.offset) / c.multiplier, lo), hi);
      pose[c.coordinate] = value;
      if (lo != hi && (value == lo || value == hi)) report.joints_at_limits.push_back(c.coordinate);
    }
    report.outcome = answer.outcome;
    report.iterations = answer.iterations;
    report.restarts = answer.restarts;
    report.position_error = answer.position_error;
    report.orientation_error = answer.orientation_error;
    report.goals.resize(1);
    report.goals[0] = {answer.position_error, answer.orientation_error, true};
    report.bound = ReachBound::none;
    report.bound_length = report.goal_distance = 0.0;
    report.smallest_singular_value = report.manipulability = report.condition = 0.0;
    report.method = "reach";
    report.why = "one of a batch of goals on a serial chain";
  }

 private:
  /// A rotation as check_goal() wants it: what it refuses is left to the single solver.
  static bool sound(const Mat3& r) {
    const Mat3 defect = r * r.transpose() - Mat3::Identity();
    return defect.cwiseAbs().maxCoeff() < 1e-6 && r.determinant() > 0.0;
  }
  bool alike(const PoseGoal& g) const {
    return g.link == pattern_.link && g.base == pattern_.base && g.point == pattern_.point &&
           g.tolerance == pattern_.tolerance && g.orientation_tolerance == pattern_.orientation_tolerance &&
           g.weight > 0.0 && g.weight < 1e300 && g.position_axes.trivial() && g.orientation_axes.trivial() &&
           g.target.is_finite() && sound(g.target.rotation);
  }

  const Model& model_;
  const PoseGoal& pattern_;
  const ModelChain& chain_;
  const bool others_;  // the model has coordinates that are not the chain's
  const double* lower_;
  const double* upper_;
  std::span<const Goal> goals_;
  std::span<char> asked_;
  MatX& poses_;
  std::span<Report> reports_;
  std::size_t next_ = 0;
};

}  // namespace

void ReachSerial::solve_together(const Problem& problem, const ReachOptions& options, std::span<const Goal> goals,
                                 std::span<char> asked, MatX& poses, std::span<Report> reports) {
  const auto* pattern = std::get_if<PoseGoal>(&problem.goals[0]);
  // Whatever a single solve does differently is left to it.
  const bool plain = problem.locked.empty() && problem.mobility.size() == 0 && !options.continuous &&
                     !options.measures && options.quality() == Quality::first && options.step_size == 1.0 &&
                     options.max_step <= 0.0 && options.max_iterations >= 600 && options.give_up >= 60;
  if (!plain) std::fill(asked.begin(), asked.end(), 1);
  if (pattern == nullptr || !plain) return;
  Entry& entry = *current_;
  const Model& model = *problem.model;
  const double* lower = problem.lower.size() > 0 ? problem.lower.data() : model.lower().data();
  const double* upper = problem.upper.size() > 0 ? problem.upper.data() : model.upper().data();
  const VecX unused;
  set_call_limits(problem, unused, entry);
  const ChainQuestion question =
      question_of(problem.goals[0], options.tolerance > 0.0 ? options.tolerance : 1e-6 * model.size(),
                  options.orientation_tolerance);
  SerialBatch batch(model, *pattern, entry.chain, !entry.others.empty(), lower, upper, goals, asked, poses, reports);
  entry.reach->solve_together(question, batch);
}

void ReachSerial::record(const Problem& problem, const VecX& q, const std::vector<VecX>& poses, Trace& trace) {
  stack_.prepare(problem, CommonOptions{});
  const std::vector<ChainCoordinate>& coordinates = current_->chain.coordinates;
  VecX pose = q;
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const VecX& next = k + 1 < poses.size() ? poses[k + 1] : poses[k];
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const ChainCoordinate& c = coordinates[i];
      pose[c.coordinate] = (poses[k][static_cast<Eigen::Index>(i)] - c.offset) / c.multiplier;
    }
    stack_.evaluate(pose.data());
    stack_.differentiate();
    stack_.step.setZero(stack_.columns());
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const auto at = std::find(stack_.active.begin(), stack_.active.end(), coordinates[i].velocity);
      if (at == stack_.active.end()) continue;
      const auto n = static_cast<Eigen::Index>(i);
      stack_.step[at - stack_.active.begin()] = (next[n] - poses[k][n]) / coordinates[i].multiplier;
    }
    stack_.record(trace, pose.data(), 0.0, true);
  }
}

}  // namespace armature
