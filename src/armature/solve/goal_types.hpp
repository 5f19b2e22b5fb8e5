// The goal types; see goal.hpp for what a goal is and how to add one. Over 400 lines: one list of types of one form.
//
// Flat aggregates, for designated initializers: PoseGoal{.link = "panda_tcp", .target = X}. Each has kName, the fields
// of its own, those that every goal has (weight to name, last), describe(v) and functions that only look at link
// frames:
//   row_count()                   how many rows it has
//   length_rows()                 how many of them, the first ones, are lengths; the rest are angles
//   linearize(state, links, rows) errors and their derivative as wrenches on links (GoalRows); `links`: its LinkRefs as
//                                 indices
// A goal that is a frame of a link at a place also has frame_target(links): kernels for chains and limbs then take it.
// describe(v) names each field once for files, command line, Python and studio. The visitor has
//   link(name, LinkRef&)   a link            frame(name, LinkRef&)   a link or the world
//   point(name, Vec3&)     metres            direction(name, Vec3&)  of any length but 0
//   rotation(name, Quat&)                    place(name, Transform&)
//   number(name, double&)  whole(name, int&) axes(name, Axes&)
//   pose(name, VecX&)      a pose vector     gains(name, VecX&)      one number per velocity, or one for all
//   flag(name, bool&)      text(name, std::string&)  contacts(name, std::vector<Contact>&)
// each with a sentence for people as the last argument.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/jacobian.hpp"
#include "armature/kinematics/state.hpp"
#include "armature/model/refs.hpp"
#include "armature/motion/path.hpp"

namespace armature::inline v0_2 {

inline constexpr int kMaxGoalRows = 6;   // of every goal but posture, which has one row per velocity
inline constexpr int kMaxGoalLinks = 4;  // links whose motion one goal's rows depend on

/// A goal at one pose, to first order. Row r changes as links move:
///   d error[r] = - sum_k wrench[k].row(r) * (velocity of the point at[k] of link[k], angular velocity of link[k])
/// with everything in world axes. This is all that a solver needs: the columns of any joint follow by ancestry.
struct GoalRows {
  int rows = 0;
  int links = 0;
  std::array<double, kMaxGoalRows> error;
  std::array<int, kMaxGoalLinks> link;  // never the world
  std::array<Vec3, kMaxGoalLinks> at;   // world
  using Wrench = Mat<kMaxGoalRows, 6, Eigen::RowMajor>;
  std::array<Wrench, kMaxGoalLinks> wrench;  // first `rows` rows

  /// For goals of one's own: one more link whose motion the rows depend on, at the world point `at`. Returns its wrench
  /// (six columns: force, moment), all zero, to be filled row by row with the derivative of what the goal measures.
  Wrench& add(const State& state, const LinkRef& link, const Vec3& point);
};

/// What every goal describes last.
template <class V, class G>
void describe_common(V& v, G& goal) {
  v.number("weight", goal.weight, "Relative importance among goals of one priority; 0 switches the goal off");
  v.number("tolerance", goal.tolerance,
           "Error that counts as reached, metres (angle goals: radians); 0: the method's default");
  v.whole("priority", goal.priority, "0 first; a goal of higher number never disturbs one of lower number");
  v.flag("preference", goal.preference, "It decides where other goals leave freedom, and is never required");
  v.text("name", goal.name, "For reports and messages; left out: type and link");
}

/// The links of a goal as indices; kWorld where it has none.
struct GoalLinks {
  int link = kWorld;
  int base = kWorld;
  int middle = kWorld;  // of a pole
  int upper = kWorld;
  bool operator==(const GoalLinks&) const = default;
};

enum class AxesFrame { base, target };

/// Which of three axes count, and by how much the error along each may differ from zero before it counts.
/// A free axis has no row. A tolerance box [-box, +box] counts only what lies outside it.
struct Axes {
  std::array<bool, 3> free{false, false, false};
  Vec3 box = Vec3::Zero();
  AxesFrame frame = AxesFrame::base;  // whose axes: the base's (the world's), or the target's own

  int rows() const { return 3 - int{free[0]} - int{free[1]} - int{free[2]}; }
  bool trivial() const { return rows() == 3 && box.isZero(0.0); }
  bool of_target() const { return frame == AxesFrame::target; }
  /// What of an error along an axis lies outside its box.
  double outside(int axis, double error) const;
};

/// What position, orientation and pose goals have in common, and what kernels for chains and limbs work on: where a
/// point of a link, and the link's rotation, should be in the frame of a base.
struct FrameTarget {
  int link = 0;
  int base = kWorld;
  Vec3 point = Vec3::Zero();  // in the link's frame
  Transform target;           // in the base's frame
  bool position = true;       // whether the point's place counts
  bool orientation = true;    // whether the rotation counts
  Axes position_axes;
  Axes orientation_axes;

  int length_rows() const { return position ? position_axes.rows() : 0; }
  int rows() const { return length_rows() + (orientation ? orientation_axes.rows() : 0); }
  /// No free axes and no boxes in what counts.
  bool whole() const { return (!position || position_axes.trivial()) && (!orientation || orientation_axes.trivial()); }
};
void linearize(const FrameTarget& frame, const State& state, GoalRows& out);

/// A point of a link at a place.
struct PositionGoal {
  static constexpr const char* kName = "position";
  LinkRef link{};              // empty: the problem's tip
  Vec3 point = Vec3::Zero();   // in the link's frame
  Vec3 target = Vec3::Zero();  // in the base's frame
  LinkRef base{};              // empty: the world
  Axes axes{};                 // always along the base's axes: a position target has no orientation
  double weight = 1.0;         // relative importance among goals of one priority; 0 switches the goal off
  double tolerance = 0.0;      // of the error's norm, metres; 0: the method's default
  int priority = 0;            // 0 first; a higher number never disturbs a lower one by more than its tolerance
  bool preference = false;     // it decides where other goals leave freedom, and is never required
  Path path{};                 // for track(): the target moves along it; a single solve keeps to `target`
  std::string name{};          // for reports and messages; "": type and link

  template <class V>
  void describe(V& v) {
    v.link("link", link, "Link that should arrive; left out: the tip");
    v.point("point", point, "Point of the link, in its frame");
    v.point("target", target, "Where, in the base's frame");
    v.frame("base", base, "Frame of the target: a link, or the world");
    v.axes("axes", axes, "Which axes count, and how exactly");
    describe_common(v, *this);
  }
  FrameTarget frame_target(const GoalLinks& links) const {
    return {links.link, links.base, point, Transform::translate(target), true, false, axes, {}};
  }
  int row_count() const { return axes.rows(); }
  int length_rows() const { return axes.rows(); }
};

/// A link turned a certain way. The error is the rotation vector from the actual to the target rotation, in base axes
/// (or in the target's). With exactly one free axis it is that of the swing which is left when the turn about the free
/// axis is taken out, so that the free turn may be of any size.
struct OrientationGoal {
  static constexpr const char* kName = "orientation";
  LinkRef link{};
  Quat target = Quat::Identity();  // of the link in the base's frame
  LinkRef base{};
  Axes axes{};
  double weight = 1.0;      // relative importance among goals of one priority; 0 switches the goal off
  double tolerance = 0.0;   // radians; 0: the method's default
  int priority = 0;         // 0 first; a higher number never disturbs a lower one by more than its tolerance
  bool preference = false;  // it decides where other goals leave freedom, and is never required
  Path path{};              // for track(): the target moves along it; a single solve keeps to `target`
  std::string name{};       // for reports and messages; "": type and link

  template <class V>
  void describe(V& v) {
    v.link("link", link, "Link that should turn; left out: the tip");
    v.rotation("target", target, "How it should be turned, in the base's frame");
    v.frame("base", base, "Frame of the target: a link, or the world");
    v.axes("axes", axes, "Which axes count, and how exactly");
    describe_common(v, *this);
  }
  FrameTarget frame_target(const GoalLinks& links) const {
    return {links.link, links.base, Vec3::Zero(), Transform::from(target.normalized(), Vec3::Zero()),
            false,      true,       {},           axes};
  }
  int row_count() const { return axes.rows(); }
  int length_rows() const { return 0; }
};

/// Both: rows of the position, then of the orientation. With a link as base this is the relative pose of two links.
struct PoseGoal {
  static constexpr const char* kName = "pose";
  LinkRef link{};
  Vec3 point = Vec3::Zero();
  Transform target{};  // of the link's frame moved to `point`, in the base's frame
  LinkRef base{};
  Axes position_axes{};
  Axes orientation_axes{};
  double orientation_tolerance = 0.0;  // radians; 0: the method's default
  double weight = 1.0;                 // relative importance among goals of one priority; 0 switches the goal off
  double tolerance = 0.0;              // of the position, metres; 0: the method's default
  int priority = 0;                    // 0 first; a higher number never disturbs a lower one by more than its tolerance
  bool preference = false;             // it decides where other goals leave freedom, and is never required
  Path path{};                         // for track(): the target moves along it; a single solve keeps to `target`
  std::string name{};                  // for reports and messages; "": type and link

  template <class V>
  void describe(V& v) {
    v.link("link", link, "Link that should arrive; left out: the tip");
    v.point("point", point, "Point of the link, in its frame");
    v.place("target", target, "Position and rotation of that point, in the base's frame");
    v.frame("base", base, "Frame of the target: a link, or the world");
    v.axes("position_axes", position_axes, "Which axes of the position count, and how exactly");
    v.axes("orientation_axes", orientation_axes, "Which axes of the rotation count, and how exactly");
    v.number("orientation_tolerance", orientation_tolerance,
             "Rotation that counts as reached, radians; 0: the method's default");
    describe_common(v, *this);
  }
  FrameTarget frame_target(const GoalLinks& links) const {
    return {links.link, links.base, point, target, true, true, position_axes, orientation_axes};
  }
  int row_count() const { return position_axes.rows() + orientation_axes.rows(); }
  int length_rows() const { return position_axes.rows(); }
};

/// A direction of a link points at a place: look-at. Two angle rows, perpendicular to the direction; zero at the eye
/// itself.
struct AimGoal {
  static constexpr const char* kName = "aim";
  LinkRef link{};
  Vec3 point = Vec3::Zero();       // eye, in the link's frame
  Vec3 direction = Vec3::UnitX();  // in the link's frame
  Vec3 target = Vec3::Zero();      // in the base's frame
  LinkRef base{};
  double weight = 1.0;      // relative importance among goals of one priority; 0 switches the goal off
  double tolerance = 0.0;   // radians; 0: the method's default
  int priority = 0;         // 0 first; a higher number never disturbs a lower one by more than its tolerance
  bool preference = false;  // it decides where other goals leave freedom, and is never required
  Path path{};              // for track(): the target moves along it; a single solve keeps to `target`
  std::string name{};       // for reports and messages; "": type and link

  template <class V>
  void describe(V& v) {
    v.link("link", link, "Link that should look; left out: the tip");
    v.point("point", point, "The eye, in the link's frame");
    v.direction("direction", direction, "Where it looks, in the link's frame");
    v.point("target", target, "What to look at, in the base's frame");
    v.frame("base", base, "Frame of the target: a link, or the world");
    describe_common(v, *this);
  }
  int row_count() const { return 2; }
  int length_rows() const { return 0; }
  void linearize(const State& state, const GoalLinks& links, GoalRows& out) const;
};

/// A point of a link on a line (of the base's frame).
struct PointOnLineGoal {
  static constexpr const char* kName = "point_on_line";
  LinkRef link{};
  Vec3 point = Vec3::Zero();
  Vec3 target = Vec3::Zero();  // a point of the line
  Vec3 direction = Vec3::UnitX();
  LinkRef base{};
  double weight = 1.0;      // relative importance among goals of one priority; 0 switches the goal off
  double tolerance = 0.0;   // of the error's norm, metres; 0: the method's default
  int priority = 0;         // 0 first; a higher number never disturbs a lower one by more than its tolerance
  bool preference = false;  // it decides where other goals leave freedom, and is never required
  std::string name{};       // for reports and messages; "": type and link

  template <class V>
  void describe(V& v) {
    v.link("link", link, "Link that should arrive; left out: the tip");
    v.point("point", point, "Point of the link, in its frame");
    v.point("target", target, "A point of the line, in the base's frame");
    v.direction("direction", direction, "Direction of the line, in the base's frame");
    v.frame("base", base, "Frame of the line: a link, or the world");
    describe_common(v, *this);
  }
  int row_count() const { return 2; }
  int length_rows() const { return 2; }
  void linearize(const State& state, const GoalLinks& links, GoalRows& out) const;
};

/// A point of a link on a plane (of the base's frame).
struct PointOnPlaneGoal {
  static constexpr const char* kName = "point_on_plane";
  LinkRef link{};
  Vec3 point = Vec3::Zero();
  Vec3 target = Vec3::Zero();  // a point of the plane
  Vec3 normal = Vec3::UnitZ();
  LinkRef base{};
  double weight = 1.0;      // relative importance among goals of one priority; 0 switches the goal off
  double tolerance = 0.0;   // of the error's norm, metres; 0: the method's default
  int priority = 0;         // 0 first; a higher number never disturbs a lower one by more than its tolerance
  bool preference = false;  // it decides where other goals leave freedom, and is never required
  std::string name{};       // for reports and messages; "": type and link

  template <class V>
  void describe(V& v) {
    v.link("link", link, "Link that should arrive; left out: the tip");
    v.point("point", point, "Point of the link, in its frame");
    v.point("target", target, "A point of the plane, in the base's frame");
    v.direction("normal", normal, "Normal of the plane, in the base's frame");
    v.frame("base", base, "Frame of the plane: a link, or the world");
    describe_common(v, *this);
  }
  int row_count() const { return 1; }
  int length_rows() const { return 1; }
  void linearize(const State& state, const GoalLinks& links, GoalRows& out) const;
};

/// A point of a link at a given distance from another point: of the world, or of another link, its base.
struct DistanceGoal {
  static constexpr const char* kName = "distance";
  LinkRef link{};
  Vec3 point = Vec3::Zero();
  Vec3 target = Vec3::Zero();  // the other point, in the base's frame
  LinkRef base{};
  double distance = 0.0;    // >= 0
  double weight = 1.0;      // relative importance among goals of one priority; 0 switches the goal off
  double tolerance = 0.0;   // of the error's norm, metres; 0: the method's default
  int priority = 0;         // 0 first; a higher number never disturbs a lower one by more than its tolerance
  bool preference = false;  // it decides where other goals leave freedom, and is never required
  std::string name{};       // for reports and messages; "": type and link

  template <class V>
  void describe(V& v) {
    v.link("link", link, "Link whose point is measured from; left out: the tip");
    v.point("point", point, "Point of the link, in its frame");
    v.point("target", target, "Point that is measured to, in the base's frame");
    v.frame("base", base, "Frame of the target: a link, or the world");
    v.number("distance", distance, "How far apart, metres");
    describe_common(v, *this);
  }
  int row_count() const { return 1; }
  int length_rows() const { return 1; }
  void linearize(const State& state, const GoalLinks& links, GoalRows& out) const;
};

/// A desired pose with a gain per velocity; gain 0 leaves a joint alone. Rows: velocities, angle or length each, times
/// the root of the gain. A preference unless it says otherwise, or has a tolerance.
struct PostureGoal {
  static constexpr const char* kName = "posture";
  VecX target{};           // a pose vector; empty: the pose that the search starts from
  VecX gain{};             // >= 0, per velocity, or one number for all; empty: 1
  double weight = 1.0;     // relative importance among goals of one priority; 0 switches the goal off
  double tolerance = 0.0;  // of the error's norm, metres; 0: the method's default
  int priority = 0;        // 0 first; a higher number never disturbs a lower one by more than its tolerance
  bool preference = true;  // it decides where other goals leave freedom, and is never required
  std::string name{};      // for reports and messages; "": type and link

  template <class V>
  void describe(V& v) {
    v.pose("target", target, "The pose to be near to; left out: the start");
    v.gains("gain", gain, "How strongly each joint is drawn, one number per velocity or one for all; left out: 1");
    describe_common(v, *this);
  }
};

/// The plane of a limb: `middle` (elbow) lies on the target's side of the line from `upper` (shoulder) to `link`
/// (wrist). The error is the arc that the middle's origin must move about that line, metres: it fades out as the limb
/// straightens, where the side has no meaning.
struct PoleGoal {
  static constexpr const char* kName = "pole";
  LinkRef link{};              // end of the limb
  LinkRef middle{};            // empty: the nearest link inwards that has another origin
  LinkRef upper{};             // empty: the next one
  Vec3 target = Vec3::Zero();  // in the base's frame
  LinkRef base{};
  double weight = 1.0;      // relative importance among goals of one priority; 0 switches the goal off
  double tolerance = 0.0;   // of the error's norm, metres; 0: the method's default
  int priority = 0;         // 0 first; a higher number never disturbs a lower one by more than its tolerance
  bool preference = false;  // it decides where other goals leave freedom, and is never required
  std::string name{};       // for reports and messages; "": type and link

  template <class V>
  void describe(V& v) {
    v.link("link", link, "End of the limb (wrist); left out: the tip");
    v.link("middle", middle, "Middle link (elbow); left out: found");
    v.link("upper", upper, "Upper link of the limb (shoulder); left out: found");
    v.point("target", target, "Where the middle turns to, in the base's frame");
    v.frame("base", base, "Frame of the target: a link, or the world");
    describe_common(v, *this);
  }
  int row_count() const { return 1; }
  int length_rows() const { return 1; }
  void linearize(const State& state, const GoalLinks& links, GoalRows& out) const;
};

/// The center of all masses at a place. Links without masses get them from their shapes or from bones
/// (mass_metric.hpp).
struct CenterOfMassGoal {
  static constexpr const char* kName = "center_of_mass";
  Vec3 target = Vec3::Zero();  // in the base's frame
  LinkRef base{};              // empty: the world
  Axes axes{};                 // always along the base's axes
  double weight = 1.0;         // relative importance among goals of one priority; 0 switches the goal off
  double tolerance = 0.0;      // of the error's norm, metres; 0: the method's default
  int priority = 0;            // 0 first; a higher number never disturbs a lower one by more than its tolerance
  bool preference = false;     // it decides where other goals leave freedom, and is never required
  std::string name{};          // for reports and messages; "": the type

  template <class V>
  void describe(V& v) {
    v.point("target", target, "Where the center of mass should be, in the base's frame");
    v.frame("base", base, "Frame of the target: a link, or the world");
    v.axes("axes", axes, "Which axes count, and how exactly");
    describe_common(v, *this);
  }
  int row_count() const { return axes.rows(); }
  int length_rows() const { return axes.rows(); }
};

/// Points of a link that stand on the ground.
struct Contact {
  LinkRef link{};
  std::vector<Vec3>
      points{};  // in the link's frame; empty: the corners of its shapes, or its own and its children's origins
  bool operator==(const Contact&) const = default;
};
inline constexpr int kMaxContactPoints = 64;  // of one goal

/// The figure stands: seen along `up`, the center of mass is inside the hull of the contact points, `margin` from its
/// edges. The error is the way into it, metres; inside it is zero.
struct BalanceGoal {
  static constexpr const char* kName = "balance";
  std::vector<Contact> contacts{};  // empty: the feet of a figure
  double margin = 0.0;              // metres from the hull's edges, or as far as the hull allows
  Vec3 up = Vec3::UnitZ();          // against gravity, in the world
  double weight = 1.0;              // relative importance among goals of one priority; 0 switches the goal off
  double tolerance = 0.0;           // of the error's norm, metres; 0: the method's default
  int priority = 0;                 // 0 first; a higher number never disturbs a lower one by more than its tolerance
  bool preference = false;          // it decides where other goals leave freedom, and is never required
  std::string name{};               // for reports and messages; "": the type

  template <class V>
  void describe(V& v) {
    v.contacts("contacts", contacts, "What stands on the ground; left out: the figure's feet");
    v.number("margin", margin, "How far inside the support polygon, metres");
    v.direction("up", up, "Against gravity, in the world; left out: z");
    describe_common(v, *this);
  }
  int row_count() const { return 2; }
  int length_rows() const { return 2; }
};

/// What a goal of one's own measures; see CustomGoal. May be called from several threads. Its derivative is given by
/// wrenches on links, the same ones in the same order at every pose, or, where that does not suit, over the whole pose.
class GoalFunction {
 public:
  virtual ~GoalFunction() = default;
  virtual int row_count() const = 0;  // 1 to kMaxGoalRows
  /// How many of the rows, the first ones, are lengths; the rest are angles.
  virtual int length_rows() const { return row_count(); }
  /// Errors (target minus actual) and the derivative of what is actual, as wrenches on links.
  virtual void linearize(const State& state, GoalRows& rows) const = 0;
  /// True: linearize() gives errors alone, and slopes() their derivative over all velocities. Only state.q is there
  /// then, whatever the links.
  virtual bool of_whole_pose() const { return false; }
  /// Derivative of what is actual: row_count() x v_size.
  virtual void slopes(const State& /*state*/, MatX& J) const { J.setZero(); }
};

/// A goal of one's own: works with every method that takes general goals, and is reported by its name.
struct CustomGoal {
  static constexpr const char* kName = "custom";
  std::string name{};  // for reports and messages; "": its type
  std::shared_ptr<const GoalFunction> function{};
  double weight = 1.0;      // relative importance among goals of one priority; 0 switches the goal off
  double tolerance = 0.0;   // of the error's norm, metres; 0: the method's default
  int priority = 0;         // 0 first; a higher number never disturbs a lower one by more than its tolerance
  bool preference = false;  // it decides where other goals leave freedom, and is never required

  template <class V>
  void describe(V& v) {
    describe_common(v, *this);
  }
  int row_count() const { return function ? function->row_count() : 0; }
  int length_rows() const { return function ? function->length_rows() : 0; }
  bool of_whole_pose() const { return function && function->of_whole_pose(); }
  void linearize(const State& state, const GoalLinks& links, GoalRows& out) const;
};

}  // namespace armature::inline v0_2
