// Points and directions from any frame to any other: what the right hand sees of the left foot.
#include <cstdio>

#include "armature/formats/builtin_models.hpp"
#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"

using namespace armature;

namespace {
void show(const char* what, const Vec3& v) { std::printf("%-46s %7.3f %7.3f %7.3f\n", what, v.x(), v.y(), v.z()); }
}  // namespace

int main() {
  // Any file's text can be read; here it is the text of a built-in model.
  std::string_view text;
  for (const BuiltinModel& builtin : builtin_models()) {
    if (builtin.name == "human") text = builtin.json;
  }
  const Result<Document> document = read_document(text, {});
  if (!document.ok()) return std::printf("%s\n", document.message().c_str()), 1;
  const Result<Model> model = compile(document->linkage);
  if (!model.ok()) return std::printf("%s\n", model.message().c_str()), 1;

  const Result<VecX> wave = model->find_pose("wave");
  if (!wave.ok()) return std::printf("%s\n", wave.message().c_str()), 1;
  State state;
  forward(*model, *wave, state);

  const int hand = model->link("right_hand");
  const int foot = model->link("left_foot");
  const int head = model->link("head");

  // Up the tree, down the tree, across the tree: one call. kWorld is a frame like any other.
  show("the hand's origin in the world", convert_point(state, hand, kWorld, Vec3::Zero()));
  show("the foot's origin seen from the hand", convert_point(state, foot, hand, Vec3::Zero()));
  show("the world's up, in the head's axes", convert_direction(state, kWorld, head, Vec3::UnitZ()));

  // X_HF, the pose of the foot F in the hand's frame H; monogram notation keeps the order of factors readable.
  const Transform X_HF = relative(state, hand, foot);
  const Transform X_WF = relative(state, kWorld, hand) * X_HF;
  show("the same foot, by way of the hand", X_WF.position);

  // Going there and back again changes nothing.
  const Vec3 point(0.01, 0.02, -0.03);
  const Vec3 back = convert_point(state, hand, foot, convert_point(state, foot, hand, point));
  const bool same_place = (X_WF.position - relative(state, kWorld, foot).position).norm() < 1e-12;
  return same_place && (back - point).norm() < 1e-12 ? 0 : 1;
}
