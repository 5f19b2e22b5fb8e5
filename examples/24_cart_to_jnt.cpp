// For programs that call KDL or TRAC-IK: a solver with their call, CartToJnt(q_init, frame, q_out), for the joints
// between two links. With KDL's types only the signature changes: a Transform is {position, rotation}, a Frame's p and
// M.
#include <armature/armature.hpp>
#include <cstdio>

using namespace armature;

class ChainIk {
 public:
  // As TRAC_IK(base_link, tip_link, ..., timeout, eps): seconds (0: until it is known that there is no answer), metres
  // and radians.
  ChainIk(const std::string& robot, const std::string& base, const std::string& tip, double timeout = 0.0,
          double eps = 1e-5)
      : problem_{.model = compile(extract_chain(load_document(robot).value().linkage, base, tip).value()).value(),
                 .goals = {PoseGoal{.link = tip, .base = base}}} {
    solver_->common_options().max_time = timeout;
    solver_->common_options().tolerance = eps;
    solver_->common_options().orientation_tolerance = eps;
  }

  const Model& model() const { return problem_.model; }
  const Report& report() const { return *report_; }  // what the return value cannot say; after the first call

  // 0 or more: reached, inside limits. Less: as KDL, with the nearest pose in q_out. `bounds`: how far from the frame
  // the tip may be along and about each axis of the frame, as in TRAC-IK.
  int CartToJnt(const VecX& q_init, const Transform& frame, VecX& q_out, const Vec6& bounds = Vec6::Zero()) {
    constexpr int kSizeMismatch = -4, kNoConverge = -1;
    if (q_init.size() != model().q_size()) return kSizeMismatch;
    PoseGoal& goal = std::get<PoseGoal>(problem_.goals[0]);
    goal.target = frame;
    goal.position_axes = {.box = bounds.head<3>().cwiseAbs(), .frame = AxesFrame::target};
    goal.orientation_axes = {.box = bounds.tail<3>().cwiseAbs(), .frame = AxesFrame::target};
    report_ = &solver_.solve(problem_, q_init);
    q_out = report_->q;
    return report_->ok() ? 0 : kNoConverge;
  }

 private:
  Problem problem_;
  Solver solver_;
  const Report* report_ = nullptr;
};

int main() {
  ChainIk ik("panda", "panda_link0", "panda_tcp");
  const Model& chain = ik.model();
  const VecX q_init = middle_pose(chain);
  Rng rng(1);
  VecX q_out;
  int reached = 0, held = 0, within = 0;
  const int frames = 200;
  for (int i = 0; i < frames; ++i) {
    const Transform frame = forward(chain, random_pose(chain, rng)).transform("panda_tcp", "panda_link0");
    reached += ik.CartToJnt(q_init, frame, q_out) >= 0;
    const Transform found = forward(chain, q_out).transform("panda_tcp", "panda_link0");
    held += (found.position - frame.position).norm() < 2e-5 && inside_limits(chain, q_out);

    Vec6 bounds = Vec6::Zero();
    bounds[5] = kPi;  // any turn about the tool's own axis will do
    if (ik.CartToJnt(q_init, frame, q_out, bounds) < 0) continue;
    const Transform turned = forward(chain, q_out).transform("panda_tcp", "panda_link0");
    within += turned.rotation.col(2).dot(frame.rotation.col(2)) > 1 - 1e-6;
  }
  std::printf("%d joints; %d of %d frames reached, %d checked, %d with a free turn of the tool\n", chain.q_size(),
              reached, frames, held, within);

  const int refused = ik.CartToJnt(q_init, Transform::translate({2, 0, 0.5}), q_out);
  std::printf("%d: %s\n", refused, ik.report().message().c_str());
  const bool finite = q_out.allFinite() && inside_limits(chain, q_out);
  return reached == frames && held == frames && within == frames && refused < 0 && finite ? 0 : 1;
}
