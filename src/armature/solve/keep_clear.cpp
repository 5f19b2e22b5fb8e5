#include "armature/solve/keep_clear.hpp"

#include <algorithm>
#include <cmath>

#include "armature/base/index.hpp"
#include "armature/base/math.hpp"
#include "armature/base/number.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/solve/free_answers.hpp"
#include "armature/solve/one_sided.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kMostRows = 24;
constexpr int kPushes = 60;          // of a frame, at most
constexpr double kForgotten = 1e-4;  // radians: a change that fades below this is none
constexpr double kLongest = 0.1;     // radians: of a push
constexpr double kKept = 1e-3;       // of the model's size: what a push leaves beyond the margin
constexpr double kSeen = 0.05;       // of the model's size: how near is near
constexpr double kRoot = 0.1;        // how readily a root that travels moves, against its limbs

class Pusher {
 public:
  Pusher(const CompiledProblem& compiled, FreeAnswers& free) : model_(compiled.model()), free_(free) {
    const auto n = static_cast<std::size_t>(model_.v_size());
    weight_.resize(model_.v_size());
    unit_.resize(model_.v_size());
    for (int v = 0; v < model_.v_size(); ++v) {
      const int link = model_.velocity_joint(v);
      const ModelJoint& joint = model_.joint(link);
      const bool slides = coordinates(joint.type)[at(v - joint.v_index)] == Coordinate::length;
      const bool root = model_.parent(link) < 0 && joint.v_count == 6;
      unit_[v] = slides ? model_.size() : 1.0;
      weight_[v] = compiled.joint_weight(v) * (root ? kRoot : 1.0) * unit_[v] * unit_[v];
    }
    G_.resize(kMostRows * n);
    S_.resize(at(kMostRows * kMostRows));
    step_.resize(model_.v_size());
  }

  double unit(int velocity) const { return unit_[velocity]; }

  // Until q is free; false where it does not become so.
  bool push(VecX& q) {
    const double kept = kKept * model_.size();
    for (int i = 0; i < kPushes; ++i) {
      if (free_.is_free(q.data())) return true;
      find_rows(q, kept);
      const int m = static_cast<int>(gap_.size());
      if (m == 0) return false;
      const auto n = static_cast<std::size_t>(model_.v_size());
      for (int a = 0; a < m; ++a) {
        for (int b = 0; b < m; ++b) {
          double sum = 0.0;
          for (std::size_t v = 0; v < n; ++v)
            sum += G_[at(a) * n + v] * weight_[static_cast<int>(v)] * G_[at(b) * n + v];
          S_[at(a * m + b)] = sum;
        }
      }
      force_.resize(gap_.size());
      one_sided_forces(S_.data(), gap_.data(), m, 1e-3 * kept, force_.data());
      step_.setZero();
      for (int a = 0; a < m; ++a) {
        for (std::size_t v = 0; v < n; ++v) {
          const int k = static_cast<int>(v);
          step_[k] += weight_[k] * G_[at(a) * n + v] * force_[at(a)];
        }
      }
      const double most = step_.cwiseQuotient(unit_).cwiseAbs().maxCoeff();
      if (!(most > 0.0) || !std::isfinite(most)) return false;
      if (most > kLongest) step_ *= kLongest / most;
      integrate(model_, q.data(), step_.data(), q.data());
      clamp(model_, q);
    }
    return free_.is_free(q.data());
  }

 private:
  void find_rows(const VecX& q, double kept) {
    gap_.clear();
    const auto n = static_cast<std::size_t>(model_.v_size());
    for (const NearPair& pair : free_.near(q.data(), free_.margin() + kept + kSeen * model_.size())) {
      if (gap_.size() == kMostRows) return;
      free_.slope(pair, slope_);
      if (slope_.cwiseProduct(weight_).isZero(0.0)) continue;
      std::copy(slope_.data(), slope_.data() + n, G_.begin() + static_cast<std::ptrdiff_t>(gap_.size() * n));
      gap_.push_back(pair.nearest.distance - free_.margin_of(pair) - kept);
    }
  }

  const Model& model_;
  FreeAnswers& free_;
  VecX weight_, unit_, slope_, step_;
  std::vector<double> G_, S_, gap_, force_;
};

// The larger of each two.
void take_larger(const VecX& other, double share, VecX& change) {
  for (Eigen::Index v = 0; v < change.size(); ++v) {
    if (std::abs(share * other[v]) > std::abs(change[v])) change[v] = share * other[v];
  }
}

// One way of moving the motion: every frame begins with what changed the one before, fading, so that it stays on the
// same side of a thing, and is pushed on from there. `wished`: a change to begin with, per frame.
struct Way {
  Clip clip;
  MatX change;
  std::vector<int> left, gaps;
  std::size_t faults() const { return left.size() + gaps.size(); }
};

class ClipMover {
 public:
  ClipMover(const Model& model, FreeAnswers& free, Pusher& pusher, const Clip& clip, double fade)
      : model_(model), free_(free), pusher_(pusher), clip_(clip), fade_(fade) {}

  Way go(const MatX& wished) {
    Way way;
    way.clip = clip_;
    way.change = MatX::Zero(model_.v_size(), clip_.frame_count());
    VecX q(model_.q_size()), v(model_.v_size()), last = VecX::Zero(model_.v_size());
    for (int f = 0; f < clip_.frame_count(); ++f) {
      const auto as_it_came = Eigen::Map<const VecX>(clip_.frame(f), model_.q_size());
      v = wished.col(f);
      take_larger(last, fade_, v);
      double most = 0.0;
      for (int k = 0; k < v.size(); ++k) most = std::max(most, std::abs(v[k]) / pusher_.unit(k));
      q = as_it_came;
      if (most > kForgotten) {
        integrate(model_, clip_.frame(f), v.data(), q.data());
        clamp(model_, q);
      }
      if (!pusher_.push(q)) {
        q = as_it_came;
        if (!pusher_.push(q)) {
          way.left.push_back(f);
          q = as_it_came;  // half a repair would only hide it
        }
      }
      difference(model_, clip_.frame(f), q.data(), last.data());
      way.change.col(f) = last;
      std::copy(q.data(), q.data() + q.size(), way.clip.frame(f));
    }
    return way;
  }

  void find_gaps(Way& way) {
    VecX before(model_.q_size()), q(model_.q_size());
    for (int f = 1; f < way.clip.frame_count(); ++f) {
      before = Eigen::Map<const VecX>(way.clip.frame(f - 1), model_.q_size());
      q = Eigen::Map<const VecX>(way.clip.frame(f), model_.q_size());
      const bool both = !std::binary_search(way.left.begin(), way.left.end(), f) &&
                        !std::binary_search(way.left.begin(), way.left.end(), f - 1);
      if (both && !free_.prove_free(before, q)) way.gaps.push_back(f);
    }
  }

  // Changes that begin as long before as they fade.
  MatX foreseen(const MatX& change) const {
    MatX out = change;
    VecX own(change.rows());
    for (Eigen::Index f = change.cols() - 2; f >= 0; --f) {
      own = out.col(f);
      take_larger(out.col(f + 1), fade_, own);
      out.col(f) = own;
    }
    return out;
  }

 private:
  const Model& model_;
  FreeAnswers& free_;
  Pusher& pusher_;
  const Clip& clip_;
  double fade_;
};

std::string some(const std::vector<int>& frames) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(frames.size(), 5); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(frames[i]);
  return frames.size() > 5 ? text + ", ..." : text;
}

std::string frames_text(std::size_t count) { return std::to_string(count) + (count == 1 ? " frame" : " frames"); }

}  // namespace

std::string ClearMotion::message() const {
  std::string text;
  if (touching.empty()) {
    text = "No frame touches anything.";
  } else {
    text = frames_text(touching.size()) + " of " + std::to_string(frames) +
           (touching.size() == 1 ? " touches" : " touch") + " something (" + some(touching) + ")";
    if (!collisions.empty()) {
      const Touch& worst = collisions.front();
      text += "; at frame " + std::to_string(deepest) + " " + worst.a +
              (worst.depth > 0.0 ? " is " + pretty_number(1e3 * worst.depth, 3) + " mm inside "
                                 : " is only " + pretty_number(-1e3 * worst.depth, 3) + " mm from ") +
              worst.b;
    }
    text += ".";
    if (left.size() < touching.size()) {
      text += " " + std::to_string(touching.size() - left.size()) + " of them were moved out, joints by at most " +
              pretty_number(largest_change * 180.0 / kPi, 3) + " degrees.";
    }
    if (!left.empty() && left.size() < touching.size())
      text += " " + frames_text(left.size()) + " could not be: " + some(left) + ".";
  }
  if (!gaps.empty()) {
    text += " The way to " + frames_text(gaps.size()) + " could not be proved free (" + some(gaps) + ").";
  }
  return text;
}

Result<ClearMotion> keep_clear(const Problem& given, const Clip& clip, const ClearOptions& options) {
  const Model& model = given.model;
  if (model.empty()) return Error{"There is no model that the motion is of."};
  if (clip.q_size != model.q_size()) {
    return Error{"The motion has " + std::to_string(clip.q_size) + " numbers per frame; poses of the model have " +
                 std::to_string(model.q_size()) + "."};
  }
  Problem problem = given;
  problem.goals.clear();
  problem.collision = Collision::search;
  CompiledProblem compiled;
  compiled.closes_loops = true;  // nothing is solved
  if (const Status status = compiled.interpret(problem, SolveOptions{}); !status) return status.error();
  // Also what locked joints hold may touch.
  Problem watched = problem;
  watched.locked.clear();
  watched.joint_weights.clear();
  CompiledProblem all;
  all.closes_loops = true;
  if (const Status status = all.interpret(watched, SolveOptions{}); !status) return status.error();
  FreeAnswers free;
  if (!free.prepare(all)) return Error{"The obstacles cannot be used."};

  ClearMotion out;
  const int frames = out.frames = clip.frame_count();
  VecX q(model.q_size());
  double deepest = 1e300;
  Report report;
  for (int f = 0; f < frames; ++f) {
    q = Eigen::Map<const VecX>(clip.frame(f), model.q_size());
    if (!q.allFinite())
      return Error{"Frame " + std::to_string(f) + " of the motion holds a number that is not finite."};
    if (free.is_free(q.data())) continue;
    out.touching.push_back(f);
    free.describe(q.data(), report);
    if (report.clearance >= deepest) continue;
    deepest = report.clearance;
    out.deepest = f;
    out.collisions = report.collisions;
  }
  Pusher pusher(compiled, free);
  // A change fades to a twentieth within the blend.
  const double fade = options.blend > 0.0 ? math::exp(-3.0 * clip.frame_time / options.blend) : 0.0;
  ClipMover mover(model, free, pusher, clip, fade);
  Way way;
  way.clip = clip;
  way.left = out.touching;
  if (options.repair && !out.touching.empty() && model.closures().empty()) {
    way = mover.go(MatX::Zero(model.v_size(), frames));
    mover.find_gaps(way);
    Way smooth = mover.go(mover.foreseen(way.change));
    mover.find_gaps(smooth);
    if (smooth.faults() <= way.faults()) way = std::move(smooth);
    for (int f = 0; f < frames; ++f) {
      for (int k = 0; k < model.v_size(); ++k)
        out.largest_change = std::max(out.largest_change, std::abs(way.change(k, f)) / pusher.unit(k));
    }
  } else {
    mover.find_gaps(way);
  }
  out.clip = std::move(way.clip);
  out.left = std::move(way.left);
  out.gaps = std::move(way.gaps);
  return out;
}

}  // namespace armature::inline v0_2
