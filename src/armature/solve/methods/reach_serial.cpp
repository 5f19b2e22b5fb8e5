// Over 400 lines: one translation of a problem to a chain and back, for single goals and for batches.
#include "armature/solve/methods/reach_serial.hpp"

#include <algorithm>
#include <cmath>

#include "armature/kinematics/measures.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/reach_bound.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr std::size_t kRemembered = 4;      // chains
constexpr double kSerialLocalStep = 0.3;    // radians: longer steps may change the branch
constexpr int kIterationsPerPatience = 10;  // `give_up` is meant for the general path, whose iterations cost more

// Whether every coordinate is finite and of a size that the kernels resolve: what clamp_start() would bring back is
// not.
double largest_reasonable(const Model& model) { return std::min(2.0 * kPi * kMostTurns, kFarthest * model.size()); }
bool reasonable(const Model& model, const Eigen::Ref<const VecX>& q) {
  const double most = largest_reasonable(model);
  double largest = 0.0;
  bool finite = true;
  for (const double value : q) {
    finite = finite && std::isfinite(value);
    largest = std::max(largest, std::abs(value));
  }
  return finite && largest <= most;
}

ChainQuestion question_of(const CompiledGoal& goal) {
  const FrameTarget& frame = goal.frame;
  ChainQuestion question;
  question.target = frame.target;
  question.position = frame.position;
  question.orientation = frame.orientation;
  question.partial = !frame.whole();
  question.position_free = frame.position_axes.free;
  question.position_box = frame.position_axes.box;
  question.position_in_goal_frame = frame.position_axes.of_target() && frame.orientation;
  question.orientation_free = frame.orientation_axes.free;
  question.orientation_box = frame.orientation_axes.box;
  question.orientation_in_goal_frame = frame.orientation_axes.of_target();
  question.tolerance = goal.tolerance;
  question.orientation_tolerance = goal.orientation_tolerance;
  return question;
}

// Joints of the chain put into a whole pose. Never deleted through its base.
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor)
class PoseFilter final : public ChainFilter {
 public:
  PoseFilter(FreeAnswers* free, const ModelChain& chain, VecX& pose, VecX& start)
      : free_(free), chain_(chain), pose_(pose), start_(start) {}
  bool is_free(const double* joints) override { return free_->is_free(whole(joints, pose_)); }
  bool start_is_free(const double* joints) override { return free_->is_free(whole(joints, start_)); }
  double clearance(const double* joints) override { return free_->clearance(whole(joints, pose_)); }

 private:
  const double* whole(const double* joints, VecX& pose) {
    for (std::size_t i = 0; i < chain_.coordinates.size(); ++i) {
      const ChainCoordinate& c = chain_.coordinates[i];
      pose[c.coordinate] = (joints[i] - c.offset) / c.multiplier;
    }
    return pose.data();
  }
  FreeAnswers* free_;
  const ModelChain& chain_;
  VecX& pose_;   // other joints as the question has them
  VecX& start_;  // and in their middle
};

}  // namespace

void ReachSerial::use(Isa isa) {
  isa_ = isa;
  for (Entry& entry : entries_) {
    if (entry.reach) entry.reach->use(isa);
  }
}

ReachSerial::Entry* ReachSerial::find(const Model& model, const FrameTarget& frame) {
  const int base = frame.base;
  const int tip = frame.link;
  const Vec3& point = frame.point;
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
  entry->chain = *std::move(chain);
  double lower[kMaxChainJoints], upper[kMaxChainJoints];
  for (std::size_t i = 0; i < entry->chain.joints.size(); ++i) {
    lower[i] = entry->chain.joints[i].lower;
    upper[i] = entry->chain.joints[i].upper;
  }
  entry->reach = std::make_unique<ReachChain>(entry->chain.chain, lower, upper);
  entry->reach->use(isa_);
  entry->start = middle_pose(model);
  for (int c = 0; c < model.q_size(); ++c) {
    const bool mine = std::any_of(entry->chain.coordinates.begin(), entry->chain.coordinates.end(),
                                  [c](const ChainCoordinate& i) { return i.coordinate == c; });
    if (!mine) entry->others.push_back(c);
  }
  return entry;
}

bool ReachSerial::matches(const CompiledProblem& problem) {
  current_ = nullptr;
  if (problem.goals().size() != 1 || !problem.preferences().empty()) return false;
  const CompiledGoal& goal = problem.goals()[0];
  if (!goal.required || !goal.framed) return false;
  Entry* entry = find(problem.model(), goal.frame);
  entry->last_use = ++clock_;
  if (!entry->reach) return false;
  current_ = entry;
  return true;
}

void ReachSerial::set_call_limits(const CompiledProblem& problem, const VecX& q, Entry& entry) {
  if (problem.plain_joints() && problem.plain_limits()) {
    if (!entry.own_limits) entry.reach->restore_limits();
    if (entry.has_mobility) entry.reach->set_mobility(nullptr);
    entry.own_limits = true;
    entry.has_mobility = false;
    return;
  }
  double lower[kMaxChainJoints], upper[kMaxChainJoints], mobility[kMaxChainJoints];
  for (std::size_t i = 0; i < entry.chain.coordinates.size(); ++i) {
    const ChainCoordinate& c = entry.chain.coordinates[i];
    const double a = c.multiplier * problem.lower()[c.coordinate] + c.offset;
    const double b = c.multiplier * problem.upper()[c.coordinate] + c.offset;
    lower[i] = std::min(a, b);
    upper[i] = std::max(a, b);
    mobility[i] = problem.joint_weight(c.velocity);
    if (mobility[i] == 0.0) {
      const double value = c.multiplier * q[c.coordinate] + c.offset;
      lower[i] = upper[i] = std::min(std::max(value, lower[i]), upper[i]);
      mobility[i] = 1.0;
    }
  }
  entry.reach->set_limits(lower, upper);
  entry.own_limits = false;
  entry.has_mobility = !problem.plain_joints();
  entry.reach->set_mobility(entry.has_mobility ? mobility : nullptr);
}

void ReachSerial::solve(CompiledProblem& problem, const ReachSettings& options, VecX& q, Report& report, Trace* trace) {
  Entry& entry = *current_;
  const Model& model = problem.model();
  const double* lower = problem.lower();
  const double* upper = problem.upper();
  if (!entry.others.empty() || !reasonable(model, q)) clamp_start(model, lower, upper, q.data());
  set_call_limits(problem, q, entry);

  const ChainQuestion question = question_of(problem.goals()[0]);
  ChainSearch search;
  search.max_iterations = std::min(options.max_iterations, kIterationsPerPatience * options.patience);
  search.max_time = options.max_time;
  search.quality = options.local ? Quality::nearest : options.quality;
  search.only_seed = options.local;
  search.candidates = options.candidates;
  search.seed = static_cast<std::uint64_t>(options.seed);
  search.step_size = options.step_size;
  search.max_step = options.max_step > 0.0 ? options.max_step : options.local ? kSerialLocalStep : 0.0;

  double joints[kMaxChainJoints];
  const std::size_t n = entry.chain.coordinates.size();
  for (std::size_t i = 0; i < n; ++i) {
    const ChainCoordinate& c = entry.chain.coordinates[i];
    joints[i] = c.multiplier * q[c.coordinate] + c.offset;
  }
  pose_ = q;
  PoseFilter filter(free_, entry.chain, pose_, entry.start);
  entry.reach->set_filter(free_ != nullptr ? &filter : nullptr, free_ != nullptr ? free_->stamp() : 0);
  std::vector<VecX> poses;
  if (trace != nullptr) entry.reach->record(&poses);
  ChainAnswer answer = entry.reach->solve(question, search, joints);
  const auto take_over = [&] {
    for (std::size_t i = 0; i < n; ++i) {
      const ChainCoordinate& c = entry.chain.coordinates[i];
      const double value = (joints[i] - c.offset) / c.multiplier;
      if (!std::isfinite(value)) {  // the joint stays where it is, and the pose is measured as it stands
        answer.resolved = false;
        continue;
      }
      q[c.coordinate] = std::min(std::max(value, lower[c.coordinate]), upper[c.coordinate]);
    }
  };
  take_over();
  for (int again = 0; !answer.resolved && again < 2; ++again) {
    // A joint went around many times, or far out, where double precision leaves little: measured by the model's own
    // forward kinematics, and if that does not hold, once more from where the pose is now.
    stack_.prepare(problem);
    stack_.evaluate(q.data());
    const GoalResidual truth = problem.measure(problem.goals()[0], stack_.state);
    answer.resolved = stack_.converged() == (answer.outcome == Outcome::converged);
    answer.position_error = truth.position_error;
    answer.orientation_error = truth.orientation_error;
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
  entry.reach->set_filter(nullptr, free_ != nullptr ? free_->stamp() : 0);  // the filter ends here, the table stays
  if (!answer.resolved) answer.outcome = stack_.converged() ? Outcome::converged : Outcome::stalled;
  entry.reach->record(nullptr);
  if (trace != nullptr) record(problem, q, poses, *trace);

  report.outcome = answer.outcome;
  report.iterations = answer.iterations;
  report.restarts = answer.restarts;
  report.proof = answer.proof;
  if (question.partial && report.outcome == Outcome::stalled) {  // the chain's own proof takes whole goals only
    report.proof = prove_unreachable(problem, q.data());
    if (report.proof) report.outcome = Outcome::unreachable;
  }
  report.goals.resize(1);
  static_cast<GoalResidual&>(report.goals[0]) = {
      question.position ? answer.position_error : 0.0, question.orientation ? answer.orientation_error : 0.0,
      answer.outcome == Outcome::converged || answer.outcome == Outcome::blocked};
  report.times_reached = answer.refused;
  const double* push = nullptr;
  if (report.outcome != Outcome::converged) {
    push_.setZero(model.v_size());
    for (std::size_t i = 0; i < n; ++i) {
      const ChainCoordinate& c = entry.chain.coordinates[i];
      push_[c.velocity] = std::copysign(1.0, c.multiplier) * entry.reach->gradient()[i];
    }
    push = push_.data();
  }
  fill_report(problem, q.data(), push, entry.reach->gradient_floor(), report);
  report.measures.clear();
  if (options.measures || answer.outcome != Outcome::converged) {
    stack_.prepare(problem);
    stack_.evaluate(q.data());
    stack_.differentiate();
    measures(stack_.J, report.measures);
  }
}

namespace {

/// Goals of one chain for ReachChain::solve_together, answers into poses and reports.
// Never deleted through its base. NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor)
class SerialBatch final : public ChainBatch {
 public:
  SerialBatch(const CompiledProblem& problem, const ModelChain& chain, bool others, std::span<const Goal> goals,
              std::span<char> asked, MatX& poses, std::span<Report> reports, FreeAnswers* free, VecX& whole)
      : problem_(problem),
        pattern_(std::get<PoseGoal>(*problem.goals()[0].goal)),
        chain_(chain),
        others_(others),
        most_(largest_reasonable(problem.model())),
        goals_(goals),
        asked_(asked),
        poses_(poses),
        reports_(reports),
        free_(free),
        whole_(whole) {
    for (const Coordinate kind : problem.model().coordinate_kinds()) balls_ |= kind == Coordinate::quaternion;
  }

  bool next(int& id, Transform& target, double* q) override {
    for (; next_ < goals_.size(); ++next_) {
      const auto* goal = std::get_if<PoseGoal>(&goals_[next_]);
      if (asked_[next_] != 0 || goal == nullptr || !alike(*goal)) continue;
      asked_[next_] = 1;
      id = static_cast<int>(next_++);
      target = goal->target;
      auto seed = poses_.col(id);
      if (!inside(seed.data()) && (others_ || !reasonable(problem_.model(), seed))) {
        clamp_start(problem_.model(), problem_.lower(), problem_.upper(), seed.data());
      }
      Report& report = reports_[static_cast<std::size_t>(id)];
      report.joints_at_limits.reserve(chain_.coordinates.size());
      report.goals.reserve(1);
      // The answer is written there soon: fetched by then.
      __builtin_prefetch(report.goals.data());
      __builtin_prefetch(report.q.data());
      for (std::size_t i = 0; i < chain_.coordinates.size(); ++i) {
        const ChainCoordinate& c = chain_.coordinates[i];
        q[i] = c.multiplier * seed[c.coordinate] + c.offset;
      }
      return true;
    }
    return false;
  }

  bool accepts(int id, const double* q) override {
    if (free_ == nullptr) return true;
    whole_ = poses_.col(id);
    set_joints(q, whole_);
    return free_->is_free(whole_.data());
  }

  void answer(int id, const ChainAnswer& answer, const double* q) override {
    Report& report = reports_[static_cast<std::size_t>(id)];
    auto pose = poses_.col(id);
    set_joints(q, pose);
    report.times_reached = answer.refused;
    report.outcome = answer.outcome;
    report.iterations = answer.iterations;
    report.restarts = answer.restarts;
    report.goals.resize(1);
    static_cast<GoalResidual&>(report.goals[0]) = {answer.position_error, answer.orientation_error, true};
    report.q = pose;
    fill_report(problem_, pose.data(), nullptr, 0.0, report);
    report.proof.reset();
    report.measures.clear();
    report.method = "reach";
    report.reason = "one of a batch of goals on a serial chain";
    if (free_ != nullptr) free_->describe(pose.data(), report);
  }

 private:
  bool alike(const PoseGoal& g) const {
    return g.link == pattern_.link && g.base == pattern_.base && g.point == pattern_.point &&
           g.tolerance == pattern_.tolerance && g.orientation_tolerance == pattern_.orientation_tolerance &&
           g.weight > 0.0 && g.weight < 1e300 && g.position_axes.trivial() && g.orientation_axes.trivial() &&
           g.preference == pattern_.preference &&
           ((g.priority >= 0 && clearly_rigid(g.target)) || check_fields(goals_[next_], problem_.model()).ok());
  }

  // What check_fields() looks at in a goal that is like the pattern; where this says no, it decides.
  static bool clearly_rigid(const Transform& X) {
    constexpr double kDefect = 1e-7;
    const auto x = X.rotation.col(0), y = X.rotation.col(1), z = X.rotation.col(2);
    const auto small = [](double defect) { return std::abs(defect) < kDefect; };
    return small(x.dot(x) - 1.0) && small(y.dot(y) - 1.0) && small(z.dot(z) - 1.0) && small(x.dot(y)) &&
           small(y.dot(z)) && small(z.dot(x)) && x.cross(y).dot(z) > 0.0 && X.position.allFinite();
  }

  // Whether clamp_start() would leave the seed as it is.
  bool inside(const double* q) const {
    const double *lower = problem_.lower(), *upper = problem_.upper();
    long outside = balls_ ? 1 : 0;
    for (Eigen::Index i = 0; i < poses_.rows(); ++i) {
      outside += !(q[i] >= lower[i] && q[i] <= upper[i] && std::abs(q[i]) <= most_) ? 1 : 0;
    }
    return outside == 0;
  }

  template <class Pose>
  void set_joints(const double* q, Pose& pose) const {
    for (std::size_t i = 0; i < chain_.coordinates.size(); ++i) {
      const ChainCoordinate& c = chain_.coordinates[i];
      const double value = (q[i] - c.offset) / c.multiplier;
      pose[c.coordinate] = std::min(std::max(value, problem_.lower()[c.coordinate]), problem_.upper()[c.coordinate]);
    }
  }

  const CompiledProblem& problem_;
  const PoseGoal& pattern_;
  const ModelChain& chain_;
  const bool others_;  // the model has coordinates that are not the chain's
  bool balls_ = false;
  const double most_;  // of a coordinate that clamp_start() leaves
  std::span<const Goal> goals_;
  std::span<char> asked_;
  MatX& poses_;
  std::span<Report> reports_;
  FreeAnswers* free_;  // null: any answer counts
  VecX& whole_;        // scratch
  std::size_t next_ = 0;
};

}  // namespace

void ReachSerial::solve_together(const CompiledProblem& problem, const ReachSettings& options,
                                 std::span<const Goal> goals, std::span<char> asked, MatX& poses,
                                 std::span<Report> reports) {
  // Whatever a single solve does differently is left to it.
  const bool plain = problem.plain_joints() && !options.keep_branch && !options.local && !options.measures &&
                     options.quality == Quality::first && options.step_size == 1.0 && options.max_step <= 0.0 &&
                     options.max_iterations >= 600 && options.patience >= 60;
  // Goals that no lane takes are asked about once, not each by itself.
  for (std::size_t k = 0; k < goals.size(); ++k) {
    const auto* pose = std::get_if<PoseGoal>(&goals[k]);
    if (!plain || pose == nullptr || !pose->position_axes.trivial() || !pose->orientation_axes.trivial()) asked[k] = 1;
  }
  if (!plain || !std::holds_alternative<PoseGoal>(*problem.goals()[0].goal)) return;
  Entry& entry = *current_;
  const VecX unused;
  set_call_limits(problem, unused, entry);
  PoseFilter filter(free_, entry.chain, pose_, entry.start);  // of the starts; answers have poses of their own
  entry.reach->set_filter(free_ != nullptr ? &filter : nullptr, free_ != nullptr ? free_->stamp() : 0);
  SerialBatch batch(problem, entry.chain, !entry.others.empty(), goals, asked, poses, reports, free_, whole_);
  entry.reach->solve_together(question_of(problem.goals()[0]), batch);
  entry.reach->set_filter(nullptr, free_ != nullptr ? free_->stamp() : 0);
}

void ReachSerial::record(CompiledProblem& problem, const VecX& q, const std::vector<VecX>& poses, Trace& trace) {
  stack_.prepare(problem);
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

}  // namespace armature::inline v0_2
