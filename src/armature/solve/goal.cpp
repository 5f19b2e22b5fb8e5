#include "armature/solve/goal.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/geom/rotation.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/limb.hpp"
#include "armature/solve/mass_goals.hpp"

namespace armature::inline v0_2 {
namespace {

template <class F, std::size_t... I>
void for_each_type(F&& f, std::index_sequence<I...>) {
  (f(std::variant_alternative_t<I, Goal>{}), ...);
}
template <class F>
void for_each_type(F&& f) {
  for_each_type(f, std::make_index_sequence<std::variant_size_v<Goal>>{});
}

// Says what is wrong with a goal, field by field: a visitor of goal_types.hpp.
class FieldChecker {
 public:
  FieldChecker(const Model& model, const char* type) : model_(model), type_(type) {}

  void link(const char*, LinkRef&, const char*) {}  // resolve_links() looks at those
  void frame(const char*, LinkRef&, const char*) {}
  void flag(const char*, bool&, const char*) {}
  void text(const char*, std::string&, const char*) {}
  void contacts(const char*, std::vector<Contact>&, const char*) {}
  void point(const char* name, Vec3& value, const char*) { finite(name, value.allFinite()); }
  void direction(const char* name, Vec3& value, const char*) {
    finite(name, value.allFinite());
    if (!(value.stableNorm() > 1e-100)) fail(name, "must not be zero: it is a direction");
    if (!(value.stableNorm() < 1e100)) fail(name, "is too long for a direction; a unit vector will do");
  }
  void rotation(const char* name, Quat& value, const char*) {
    finite(name, value.coeffs().allFinite());
    if (!(value.norm() > 1e-100)) fail(name, "must not be zero: it is a quaternion");
  }
  void place(const char* name, Transform& value, const char*) {
    finite(name, value.is_finite());
    const Mat3 defect = value.rotation * value.rotation.transpose() - Mat3::Identity();
    if (!(defect.cwiseAbs().maxCoeff() < 1e-6) || !(value.rotation.determinant() > 0.0)) {
      fail(name, "must hold a rotation: a right-handed matrix of unit columns");
    }
  }
  void axes(const char* name, Axes& value, const char*) {
    if (!(value.box.minCoeff() >= 0.0) || value.box.hasNaN()) fail(name, "must have a tolerance box of at least 0");
  }
  void number(const char* name, double& value, const char*) {
    if (!(value >= 0.0) || !std::isfinite(value)) fail(name, "must be finite and at least 0");
  }
  void whole(const char* name, int& value, const char*) {
    if (value < 0) fail(name, "must be at least 0");
  }
  void pose(const char* name, VecX& value, const char*) {
    finite(name, value.allFinite());
    if (value.size() != 0 && value.size() != model_.q_size()) {
      fail(name, "must have the model's " + std::to_string(model_.q_size()) + " coordinates");
    }
  }
  void gains(const char* name, VecX& value, const char*) {
    finite(name, value.allFinite());
    if (value.size() > 1 && value.size() != model_.v_size()) {
      fail(name,
           "must be empty, one number, or one number per velocity, " + std::to_string(model_.v_size()) + " in all");
    } else if (value.size() != 0 && value.minCoeff() < 0.0) {
      fail(name, "must not be negative");
    }
  }

  Status status;

 private:
  void finite(const char* name, bool yes) {
    if (!yes) fail(name, "must be finite");
  }
  void fail(const char* name, const std::string& rule) {
    if (status.ok()) status = Error{"Field '" + std::string(name) + "' of the " + type_ + " goal " + rule + "."};
  }

  const Model& model_;
  const char* type_;
};

}  // namespace

const char* goal_name(const Goal& goal) {
  return std::visit([](const auto& g) { return std::decay_t<decltype(g)>::kName; }, goal);
}

std::vector<std::string> goal_names() {
  std::vector<std::string> names;
  for_each_type([&](const auto& g) {
    using G = std::decay_t<decltype(g)>;
    if (!std::is_same_v<G, CustomGoal>) names.emplace_back(G::kName);
  });
  return names;
}

Result<Goal> goal_from_name(std::string_view name) {
  Goal goal;
  bool found = false;
  for_each_type([&](const auto& g) {
    if (name != std::decay_t<decltype(g)>::kName || std::is_same_v<std::decay_t<decltype(g)>, CustomGoal>) return;
    goal = g;
    found = true;
  });
  if (!found) return Error{unknown_name("goal type", name, goal_names())};
  return goal;
}

GoalFields goal_fields(Goal& goal) {
  return std::visit([](auto& g) { return GoalFields{g.weight, g.tolerance, g.priority, g.preference, g.name}; }, goal);
}
ConstGoalFields goal_fields(const Goal& goal) {
  return std::visit(
      [](const auto& g) {
        return ConstGoalFields{g.weight, g.tolerance, g.priority, g.preference, g.name};
      },
      goal);
}

int row_count(const Goal& goal, const Model& model) {
  return std::visit(
      [&](const auto& g) {
        if constexpr (std::is_same_v<std::decay_t<decltype(g)>, PostureGoal>) {
          return model.v_size();
        } else {
          return g.row_count();
        }
      },
      goal);
}

bool is_angle_row(const Goal& goal, const Model& model, int row) {
  return std::visit(
      [&](const auto& g) {
        if constexpr (requires { g.length_rows(); }) {
          return row >= g.length_rows();
        } else {  // a posture: a quaternion's velocities take the place of its first three numbers
          const ModelJoint& joint = model.joint(model.velocity_joint(row));
          return coordinates(joint.type)[static_cast<std::size_t>(row - joint.v_index)] != Coordinate::length;
        }
      },
      goal);
}

Result<GoalLinks> resolve_links(const Goal& goal, const Model& model, const LinkRef& tip) {
  return std::visit(
      [&](const auto& g) -> Result<GoalLinks> {
        GoalLinks links;
        const auto wrong = [&](const char* field, const std::string& why) {
          return Error{"Field '" + std::string(field) + "' of the " + g.kName + " goal: " + why};
        };
        if constexpr (requires { g.link; }) {
          const Result<int> link = !g.link.empty() ? resolve(model, g.link)
                                   : !tip.empty()  ? resolve(model, tip)
                                                   : default_tip(model);
          if (!link) return wrong("link", link.message());
          links.link = *link;
        }
        if constexpr (requires { g.base; }) {
          const Result<int> base = resolve_frame(model, g.base);
          if (!base) return wrong("base", base.message());
          links.base = *base;
        }
        if constexpr (requires { g.middle; }) {
          for (const auto& [field, ref, out] :
               {std::tuple{"middle", &g.middle, &links.middle}, std::tuple{"upper", &g.upper, &links.upper}}) {
            if (ref->empty()) continue;
            const Result<int> found = resolve(model, *ref);
            if (!found) return wrong(field, found.message());
            *out = *found;
          }
          if (links.middle == kWorld || links.upper == kWorld) {
            if (Status status = find_limb_links(model, links.link, links.middle, links.upper); !status) {
              return status.error();
            }
          }
        }
        if constexpr (requires { g.contacts; }) {
          const Result<std::vector<Contact>> contacts = resolve_contacts(g, model);
          if (!contacts) return contacts.error();
        }
        return links;
      },
      goal);
}

int effector(const Goal& goal, const GoalLinks& links) {
  return std::holds_alternative<PoleGoal>(goal) ? links.middle : links.link;
}

int effector(const Goal& goal, const Model& model, const LinkRef& tip) {
  const Result<GoalLinks> links = resolve_links(goal, model, tip);
  return links ? effector(goal, *links) : kWorld;
}

std::string goal_label(const Goal& goal, const Model& model, const GoalLinks& links) {
  if (const std::string& name = goal_fields(goal).name; !name.empty()) return name;
  const int link = effector(goal, links);
  return link == kWorld ? goal_name(goal) : goal_name(goal) + (" " + model.link_name(link));
}

bool is_preferred_posture(const Goal& goal) {
  const auto* posture = std::get_if<PostureGoal>(&goal);
  return posture != nullptr && posture->preference && posture->tolerance <= 0.0;
}

bool is_preference(const Goal& goal) {
  return std::holds_alternative<PostureGoal>(goal) ? is_preferred_posture(goal) : goal_fields(goal).preference;
}

bool has_rows(const Goal& goal) { return goal_fields(goal).weight > 0.0 && !is_preferred_posture(goal); }

Status check_fields(const Goal& goal, const Model& model) {
  return std::visit(
      [&](auto& g) {
        FieldChecker checker(model, g.kName);
        g.describe(checker);
        if constexpr (std::is_same_v<std::decay_t<decltype(g)>, CustomGoal>) {
          const int rows = g.row_count();
          if (rows < 1 || rows > kMaxGoalRows || g.length_rows() < 0 || g.length_rows() > rows) {
            return Status{Error{"A custom goal needs a function with 1 to " + std::to_string(kMaxGoalRows) + " rows."}};
          }
        }
        return checker.status;
      },
      const_cast<Goal&>(goal));  // the checker only reads; a copy would allocate inside solves
}

Status check_goal(const Goal& goal, const Model& model, const LinkRef& tip) {
  if (Status status = check_fields(goal, model); !status) return status;
  return resolve_links(goal, model, tip).status();
}

// Errors of a posture and their slope: blocks on the diagonal, one per joint.
void evaluate_posture(const Model& model, const State& state, const double* target, const double* gain,
                      double gain_for_all, double* error, MatX* J, int first_row) {
  if (J != nullptr) J->middleRows(first_row, model.v_size()).setZero();
  for (int link = 0; link < model.link_count(); ++link) {
    const ModelJoint& joint = model.joint(link);
    if (joint.mimic || joint.v_count == 0) continue;
    const int v = joint.v_index;
    difference_coordinates(joint.type, state.q.data() + joint.q_index, target + joint.q_index, error + v);
    const bool quaternion = joint.q_count != joint.v_count;
    const int turn = quaternion ? joint.v_count - 3 : joint.v_count;  // where the quaternion's three velocities begin
    if (J != nullptr) {
      for (int i = 0; i < turn; ++i) (*J)(first_row + v + i, v + i) = 1.0;
      if (quaternion) {
        const Vec3 e(error[v + turn], error[v + turn + 1], error[v + turn + 2]);
        J->block<3, 3>(first_row + v + turn, v + turn) =
            right_jacobian_inverse(e).transpose();  // log(exp(-w) exp(e)) = e - Jl^-1(e) w
      }
    }
    if (gain == nullptr && gain_for_all == 1.0) continue;
    for (int i = 0; i < joint.v_count; ++i) {
      const double root = std::sqrt(gain_for_all * (gain != nullptr ? gain[v + i] : 1.0));
      error[v + i] *= root;
      if (J != nullptr) J->row(first_row + v + i).segment(v, joint.v_count) *= root;
    }
  }
}

void linearize(const Goal& goal, const State& state, const GoalLinks& links, GoalRows& out) {
  std::visit(
      [&](const auto& g) {
        if constexpr (std::is_same_v<std::decay_t<decltype(g)>, PostureGoal>) {
          out.rows = 0;
          out.links = 0;
        } else if constexpr (requires { g.frame_target(links); }) {
          linearize(g.frame_target(links), state, out);
        } else if constexpr (requires { g.linearize(state, links, out); }) {
          g.linearize(state, links, out);
        } else {
          MassGoal mass;
          ARMATURE_CHECK(mass.bind(goal, state.model, links).ok(), "linearize: the goal's contacts do not exist");
          mass.linearize(state, out);
        }
      },
      goal);
}

void linearize(const Goal& goal, const State& state, GoalRows& out) {
  const Result<GoalLinks> links = resolve_links(goal, state.model);
  ARMATURE_CHECK(links.ok(), "linearize: the goal's links do not exist");
  linearize(goal, state, *links, out);
}

void evaluate(const Goal& goal, const Model& model, const State& state, double* error, MatX* J, int first_row,
              Jacobian& scratch) {
  if (const auto* posture = std::get_if<PostureGoal>(&goal)) {
    const bool one = posture->gain.size() == 1;
    ARMATURE_CHECK(posture->target.size() == model.q_size(), "evaluate: the posture has no target of its own");
    evaluate_posture(model, state, posture->target.data(),
                     one || posture->gain.size() == 0 ? nullptr : posture->gain.data(), one ? posture->gain[0] : 1.0,
                     error, J, first_row);
    return;
  }
  GoalRows rows;
  linearize(goal, state, rows);
  std::copy_n(rows.error.begin(), rows.rows, error);
  if (J == nullptr) return;
  J->middleRows(first_row, rows.rows).setZero();
  if (const auto* custom = std::get_if<CustomGoal>(&goal); custom != nullptr && custom->of_whole_pose()) {
    MatX slopes(rows.rows, model.v_size());
    custom->function->slopes(state, slopes);
    J->middleRows(first_row, rows.rows) = slopes;
  }
  if (MassGoal::takes(goal)) {
    MassGoal mass;
    MatX slopes(rows.rows, model.v_size());
    if (mass.bind(goal, model, resolve_links(goal, model).value())) mass.slopes(state, slopes);
    J->middleRows(first_row, rows.rows) = slopes;
  }
  for (int k = 0; k < rows.links; ++k) {
    const auto n = static_cast<std::size_t>(k);
    const Transform& X_WL = state.X_WL[static_cast<std::size_t>(rows.link[n])];
    const Vec3 point = X_WL.rotation.transpose() * (rows.at[n] - X_WL.position);
    jacobian(model, state, rows.link[n], point, scratch);
    J->middleRows(first_row, rows.rows) += rows.wrench[n].topRows(rows.rows).lazyProduct(scratch);
  }
}

}  // namespace armature::inline v0_2
