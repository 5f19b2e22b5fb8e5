// What each method can be told, as flat aggregates: Solver{DlsOptions{.damping = 0.1}}. The options that all methods
// share stand beside them (SolveOptions). Numbers that no user should have to turn are constants of the methods.
#pragma once

#include <memory>
#include <span>

#include "armature/geom/types.hpp"
#include "armature/solve/solver.hpp"

namespace armature::inline v0_2 {

/// Where levers of position goals end: at the effector, or at the target (the alternative Jacobian).
enum class JacobianAt { effector, target };
/// Form of the control term: the gradient a (q - c), or the square as eq 5.27 prints it.
enum class ControlForm { gradient, printed };
/// Which of two bends: the one nearest to the start, or the sign of the elbow's angle.
enum class Elbow { nearest, positive, negative };
/// What a swivel angle is measured from: the limb's plane as it is, or hanging down (-z).
enum class SwivelFrom { pose, vertical };
/// What makes a joint useful in ranked coordinate descent.
enum class Ranking { gain, limits, recent };
/// Which of several answers.
enum class Quality { first, nearest, manipulable, centered, clear };
/// When a gesture that is caught on one branch may move over to another one.
enum class Recover { never, resting, always };

std::span<const char* const> choice_words(JacobianAt);
std::span<const char* const> choice_words(ControlForm);
std::span<const char* const> choice_words(Elbow);
std::span<const char* const> choice_words(SwivelFrom);
std::span<const char* const> choice_words(Ranking);
std::span<const char* const> choice_words(Quality);
std::span<const char* const> choice_words(Recover);

namespace detail {
template <class V>
void describe_jacobian_at(V& v, JacobianAt& jacobian_at) {
  v.field("jacobian_at", jacobian_at,
          {"Where levers of position goals end: at the effector, or at the target (the alternative Jacobian)"});
}
template <class V>
void describe_control(V& v, ControlForm& control) {
  v.field("control", control,
          {"Form of the control term where gains are given: gradient a (q - c), or the square as printed in eq 5.27"});
}
}  // namespace detail

struct InverseOptions {
  JacobianAt jacobian_at = JacobianAt::effector;
  ControlForm control = ControlForm::gradient;

  template <class V>
  void describe(V& v) {
    detail::describe_jacobian_at(v, jacobian_at);
    detail::describe_control(v, control);
  }
};

struct PseudoinverseOptions {
  JacobianAt jacobian_at = JacobianAt::effector;
  ControlForm control = ControlForm::gradient;

  template <class V>
  void describe(V& v) {
    detail::describe_jacobian_at(v, jacobian_at);
    detail::describe_control(v, control);
  }
};

struct DlsOptions {
  double damping = 0.0;  // lambda of eq 5.24, metres (the model's unit); 0: it follows the error
  JacobianAt jacobian_at = JacobianAt::effector;
  ControlForm control = ControlForm::gradient;

  template <class V>
  void describe(V& v) {
    detail::describe_jacobian_at(v, jacobian_at);
    detail::describe_control(v, control);
    v.field("damping", damping,
            {"Damping lambda of eq 5.24, in the model's length unit; 0 lets it follow the error", 0, 1e9, Scale::log,
             "length", true});
  }
};

struct SdlsOptions {
  double gamma = kPi / 4.0;
  double max_error = 0.4;
  JacobianAt jacobian_at = JacobianAt::effector;

  template <class V>
  void describe(V& v) {
    detail::describe_jacobian_at(v, jacobian_at);
    v.field("gamma", gamma,
            {"Largest change of a joint in one iteration, radians (gamma_max of the paper)", 1e-3, 4, Scale::linear,
             "angle"});
    v.field("max_error", max_error,
            {"Longest wanted move of an effector in one iteration, as a share of the linkage's size", 1e-3, 10,
             Scale::log});
  }
};

struct TransposeOptions {
  static constexpr int kMaxIterations = 5000;
  double alpha = 0.0;  // fixed factor of J' V; 0: chosen by line search
  JacobianAt jacobian_at = JacobianAt::effector;

  template <class V>
  void describe(V& v) {
    detail::describe_jacobian_at(v, jacobian_at);
    v.field("alpha", alpha,
            {"Fixed factor alpha of J' V, in 1 / length^2; 0 chooses it by line search", 0, 1e9, Scale::log, "", true});
  }
};

struct CcdOptions {
  static constexpr int kMaxIterations = 1000;
  template <class V>
  void describe(V&) {}
};

struct CcdRankedOptions {
  static constexpr int kMaxIterations = 3000;
  Ranking ranking = Ranking::gain;

  template <class V>
  void describe(V& v) {
    v.field(
        "ranking", ranking,
        {"What makes a joint useful: how much nearer it brings the goal (gain), that and how far from its limits it "
         "stays (limits), or that and how long it has been left alone (recent)"});
  }
};

struct FabrikOptions {
  static constexpr int kMaxIterations = 1000;
  template <class V>
  void describe(V&) {}
};

struct TwoLinkOptions {
  Elbow elbow = Elbow::nearest;
  SwivelFrom swivel_from = SwivelFrom::pose;
  double swivel = 0.0;  // radians

  template <class V>
  void describe(V& v) {
    v.field("elbow", elbow,
            {"Which of the two solutions: the one nearest to the start, or the sign of the elbow's angle"});
    v.field("swivel_from", swivel_from,
            {"What the swivel angle is measured from: the limb's plane as it is, or hanging down (-z)"});
    v.field("swivel", swivel,
            {"Turn of the elbow about the line from shoulder to goal, radians; a pole goal overrides it", -kPi, kPi,
             Scale::linear, "angle"});
  }
};

struct AnalyticOptions {
  bool thorough = false;

  template <class V>
  void describe(V& v) {
    v.field("thorough", thorough,
            {"Both eliminants of classes K and G for every goal: twice the time, and what a proof needs"});
  }
};

/// Of `reach`, and of `auto`.
struct ReachOptions {
  static constexpr int kMaxIterations = 20000;
  Quality quality = Quality::first;
  bool keep_branch = false;  // continue from the start: no search, no jump (the follow method answers)
  int patience = 1000;       // iterations without an answer after which a goal counts as probably unreachable
  int candidates = 64;       // answers that the qualities other than first choose from, at most; nearest: starts
  int seed = 1;              // of the random starts
  bool measures = false;     // singular values in the report: they take longer than a solve on a serial chain

  template <class V>
  void describe(V& v) {
    v.field("quality", quality,
            {"Which of several answers: the first found, the nearest to the start, the most manipulable, the most "
             "centered between limits, or the one that stays clearest of obstacles"});
    v.field(
        "keep_branch", keep_branch,
        {"Stay on the start's branch: the answer that continues it, as method follow gives it; no search, no jumps"});
    v.field("patience", patience,
            {"Iterations without an answer after which the goal counts as probably unreachable", 1, 1e6, Scale::log});
    v.field(
        "candidates", candidates,
        {"Most answers that the quality chooses from; for nearest, starts around the given one", 1, 1000, Scale::log});
    v.field("measures", measures, {"Report singular values too; on a serial chain they take longer than the solve"});
    v.field("seed", seed, {"Seed of the random starts: the same seed gives the same answer", 0, 2147483647});
  }
};

/// docs/decisions/follow.md says how the defaults were found.
struct FollowOptions {
  static constexpr int kMaxIterations = 400;
  Recover recover = Recover::resting;  // no search inside a gesture
  double turn_rate = 12.0;             // most radians that a joint turns while the goals move by the model's size
  double settle = 0.01;                // radians per solve on top of that
  double rest = 0.05;                  // radians per solve while the goals rest
  double home = 1.0;                   // stiffness of the pull home
  double straight = 0.1;               // radians: how far inside its bounds a joint that begins at one is drawn
  double softness = 0.05;              // of a quarter of the model's size: error beyond which a goal pulls no harder
  bool bounded = true;                 // false: no speed box, a joint may turn as far as the goals ask

  template <class V>
  void describe(V& v) {
    v.field("recover", recover,
            {"When a gesture caught on one branch may glide to another one that reaches the goal: never, once the "
             "goals rest, or always"});
    v.field("turn_rate", turn_rate,
            {"Most radians that a joint turns while the goals move by the model's size", 0.1, 1000, Scale::log});
    v.field("settle", settle, {"Radians per solve that a joint may turn on top of that", 0, 10});
    v.field("rest", rest, {"Radians per solve that a joint may turn while the goals rest", 0, 10});
    v.field("home", home, {"Stiffness of the pull back to the pose where the gesture began", 0, 1000, Scale::log});
    v.field("straight", straight,
            {"Radians inside its bounds that a joint which begins at one is drawn: straight knees can bend", 0, 1});
    v.field("softness", softness,
            {"Error, in quarters of the model's size, beyond which a goal of the last priority pulls no harder", 1e-6,
             10, Scale::log});
    v.field("bounded", bounded, {"Keep to the speed of the goals; false: a joint may turn as far as they ask"});
  }
};

/// The method that has these options.
std::unique_ptr<Method> make_method(const InverseOptions& options);
std::unique_ptr<Method> make_method(const PseudoinverseOptions& options);
std::unique_ptr<Method> make_method(const DlsOptions& options);
std::unique_ptr<Method> make_method(const SdlsOptions& options);
std::unique_ptr<Method> make_method(const TransposeOptions& options);
std::unique_ptr<Method> make_method(const CcdOptions& options);
std::unique_ptr<Method> make_method(const CcdRankedOptions& options);
std::unique_ptr<Method> make_method(const FabrikOptions& options);
std::unique_ptr<Method> make_method(const TwoLinkOptions& options);
std::unique_ptr<Method> make_method(const AnalyticOptions& options);
std::unique_ptr<Method> make_method(const ReachOptions& options);
std::unique_ptr<Method> make_method(const FollowOptions& options);

}  // namespace armature::inline v0_2
