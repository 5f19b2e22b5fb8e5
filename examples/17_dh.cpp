// A Denavit-Hartenberg table becomes a linkage, is posed, and is read back from the linkage.
#include <cstdio>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/model/dh.hpp"

using namespace armature;

int main() {
  // The Stanford arm in the standard convention: A_i = Rz(theta) Tz(d) Tx(a) Rx(alpha). Its third joint slides.
  DhTable table;
  table.name = "stanford_arm";
  table.convention = DhConvention::standard;
  const double half = kPi / 2;
  table.rows = {
      {"waist", false, 0, -half, 0.412, 0, false, {}}, {"shoulder", false, 0, half, 0.154, 0, false, {}},
      {"boom", true, 0.0203, 0, 0, -half, false, {}},  {"wrist_roll", false, 0, -half, 0, 0, false, {}},
      {"wrist_bend", false, 0, half, 0, 0, false, {}}, {"wrist_swivel", false, 0, 0, 0, 0, false, {}},
  };

  const Result<Linkage> linkage = dh_to_linkage(table);
  if (!linkage.ok()) return std::printf("%s\n", linkage.message().c_str()), 1;
  const Result<Model> model = compile(*linkage);
  if (!model.ok()) return std::printf("%s\n", model.message().c_str()), 1;

  VecX q = neutral_pose(*model);
  q << 0.3, -1.2, 0.6, 0.1, 0.8, -0.4;
  State state;
  forward(*model, q, state);
  const Transform tip = relative(state, model->link("base"), model->link("tip"));
  const Transform product = dh_forward(table, q.data());
  std::printf("tip by the linkage   %.6f %.6f %.6f\n", tip.position.x(), tip.position.y(), tip.position.z());
  std::printf("tip by the matrices  %.6f %.6f %.6f\n", product.position.x(), product.position.y(),
              product.position.z());

  // Back again, in the other convention; the table is proved against the linkage before it is returned.
  const Result<DhTable> back = linkage_to_dh(*linkage, "base", "tip", DhConvention::modified);
  if (!back.ok()) return std::printf("%s\n", back.message().c_str()), 1;
  std::printf("\n%-13s %9s %9s %9s %9s   (%s)\n", "joint", "a", "alpha", "d", "theta",
              dh_convention_name(back->convention));
  for (const DhRow& row : back->rows) {
    std::printf("%-13s %9.4f %9.4f %9.4f %9.4f%s\n", row.joint.c_str(), row.a, row.alpha, row.d, row.theta,
                row.prismatic ? "   slides" : "");
  }
  const Transform again = dh_forward(*back, q.data());
  return (again.position - tip.position).norm() < 1e-9 && (product.position - tip.position).norm() < 1e-12 ? 0 : 1;
}
