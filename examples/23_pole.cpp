// A pole: which way the elbow points while the hand stays where it should.
#include <armature/armature.hpp>
#include <cstdio>

using namespace armature;

namespace {
// Where a link is at pose q, in the world.
Transform where(const Model& model, const VecX& q, const char* link) { return forward(model, q).transform(link); }
void show(const char* what, const Vec3& v) { std::printf("%-34s %8.4f %8.4f %8.4f\n", what, v.x(), v.y(), v.z()); }
}  // namespace

int main() {
  const Model human = load_model("human").value();
  const VecX rest = human.pose("rest");
  Solver solver;

  PositionGoal hand;
  hand.link = human.link("left_hand");
  hand.target = Vec3(0.3, 0.2, 1.2);

  // The elbow (origin of left_forearm) lies on the pole's side of the line from shoulder to hand.
  PoleGoal pole;
  pole.upper = human.link("left_upper_arm");
  pole.middle = human.link("left_forearm");
  pole.link = hand.link;
  pole.priority = 1;  // the hand comes first

  // Only the arm may move.
  Problem problem;
  problem.model = human;
  for (const std::string& joint : human.joint_names()) {
    const bool arm =
        joint == "left_shoulder" || joint == "left_elbow" || joint == "left_forearm_twist" || joint == "left_wrist";
    if (!arm) problem.locked.emplace_back(joint);
  }

  bool good = true;
  for (const Vec3& place : {Vec3(0.2, 2.0, 1.2), Vec3(0.2, 0.5, -2.0)}) {
    pole.target = place;
    problem.goals = {hand, pole};
    VecX q = rest;
    const Report& report = solver.solve(problem, q);
    q = report.q;
    show("pole at", place);
    std::printf("  %s\n", report.message().c_str());
    const Vec3 shoulder = where(human, q, "left_upper_arm").position;
    const Vec3 elbow = where(human, q, "left_forearm").position;
    const Vec3 wrist = where(human, q, "left_hand").position;
    show("  elbow", elbow);
    // Across the line from shoulder to wrist, elbow and pole lie in one direction.
    const Vec3 line = (wrist - shoulder).normalized();
    const auto across = [&](const Vec3& p) { return Vec3((p - shoulder) - line * line.dot(p - shoulder)); };
    const double cosine = across(elbow).normalized().dot(across(place).normalized());
    good = good && report.ok() && (wrist - hand.target).norm() < 1e-5 && cosine > 0.9999;
  }
  return good ? 0 : 1;
}
