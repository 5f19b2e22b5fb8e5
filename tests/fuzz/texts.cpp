// Fuzzes the small readers: SRDF, meshes (STL, OBJ, DAE), edits as words and as JSON, answers to exercises, poses,
// goals, limits and obstacles as text. The first byte chooses which, the rest is its text. Each ends in a value that
// holds together, or in a sentence.
#include "armature/formats/mesh.hpp"
#include "armature/formats/registry.hpp"
#include "armature/formats/srdf.hpp"
#include "armature/kinematics/fit_bodies.hpp"
#include "armature/model/compile.hpp"
#include "armature/scene/edit_json.hpp"
#include "armature/scene/edit_text.hpp"
#include "armature/scene/exercise.hpp"
#include "armature/scene/obstacles_json.hpp"
#include "armature/scene/pose_text.hpp"
#include "armature/scene/scene.hpp"
#include "support/choices.hpp"

using namespace armature;
using namespace armature::fuzz;

namespace {

template <class T>
bool is_value(const T& result) {
  if (result.ok()) return true;
  demand(!result.message().empty(), "a refusal has a sentence");
  return false;
}

const Scene& panda() {
  static const Scene scene = read_scene(R"({"model": "panda"})", "panda", {}).value();
  return scene;
}

void read_meshes(const std::string& text, const char* name) {
  const Result<std::vector<Triangle>> triangles = read_mesh(text, name);
  if (!is_value(triangles)) return;
  double size = 0.0;
  for (const Triangle& t : *triangles) {
    demand(t.a.allFinite() && t.b.allFinite() && t.c.allFinite(), "corners are finite");
    size = std::max({size, t.a.cwiseAbs().maxCoeff(), t.b.cwiseAbs().maxCoeff(), t.c.cwiseAbs().maxCoeff()});
  }
  if (triangles->size() > 2000 || size > 1e100) return;
  const std::vector<FittedBody> bodies = fit_bodies(*triangles, 3);
  constexpr int kSteps = 4;  // a triangle may be shared among bodies: each of its points lies in one
  for (const Triangle& t : *triangles) {
    for (int i = 0; i <= kSteps; ++i) {
      for (int j = 0; i + j <= kSteps; ++j) {
        const Vec3 p = t.a + (t.b - t.a) * (double(i) / kSteps) + (t.c - t.a) * (double(j) / kSteps);
        bool covered = false;
        for (const FittedBody& body : bodies) covered = covered || covers(body, {p, p, p}, 1e-6 * size);
        demand(covered, "a point of a mesh lies in one of the bodies around it");
      }
    }
  }
}

void edit_by_words(const std::string& text) {
  Linkage linkage = panda().loaded->document.linkage;
  std::size_t at = 0;
  for (int lines = 0; lines < 6 && at < text.size(); ++lines) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    const std::size_t blank = std::min(line.find(' '), line.size());
    std::vector<std::string> notes;
    const auto load = [](const std::string& name) -> Result<Linkage> {
      if (name == "panda") return panda().loaded->document.linkage;
      return Error{"There is no " + name + "."};
    };
    if (is_value(
            apply_edit(linkage, line.substr(0, blank), line.substr(std::min(blank + 1, line.size())), load, notes)))
      (void)is_value(compile(linkage));
  }
}

void edit_by_json(const std::string& text) {
  const Result<JsonInput> input = JsonInput::parse(text, "edits");
  if (!is_value(input)) return;
  JsonFields fields(input->source());
  Linkage linkage = panda().loaded->document.linkage;
  if (apply_edits(fields, input->root(), linkage)) (void)is_value(compile(linkage));
}

void answer_exercises(const std::string& text) {
  static const std::vector<Exercise> all = exercises().value();
  for (const Exercise& exercise : all) {
    if (exercise.kind == AnswerKind::model || exercise.kind == AnswerKind::motion) continue;
    const Result<Verdict> verdict = check_answer(exercise, {text, {}, {}});
    if (is_value(verdict)) demand(!verdict->message.empty(), "a verdict has a sentence");
  }
  ReadOptions options;
  options.file_name = "answer.json";
  const Result<Document> document = read_document(text, options);
  if (!is_value(document)) return;
  for (const Exercise& exercise : all) {
    if (exercise.kind != AnswerKind::model) continue;
    (void)is_value(check_answer(exercise, {"", document->linkage, {}}));
  }
}

void read_words(const std::string& text) {
  Scene scene = panda();
  std::vector<std::string> notes;
  const Result<VecX> pose = parse_pose(scene.model, text, scene.start, notes);
  if (is_value(pose)) demand(pose->size() == scene.model.q_size() && pose->allFinite(), "a pose is finite");
  const Result<Goal> goal = parse_goal(text, scene.context());
  if (is_value(goal)) demand(check_goal(*goal, scene.model).ok(), "a goal fits the model");
  (void)is_value(parse_pole(text, 4, scene.context()));
  (void)is_value(parse_velocities(scene.model, text, "velocities", 1.0, JointUnits::own));
  (void)is_value(parse_velocities(scene.model, text, "weights", 1.0, JointUnits::none));
  const std::size_t before = scene.limits.size();
  if (is_value(parse_limits(text, scene))) demand(scene.limits.size() >= before, "limits are added");
}

void read_obstacle_list(const std::string& text) {
  const Result<JsonInput> input = JsonInput::parse(text, "obstacles");
  if (!is_value(input)) return;
  JsonFields fields(input->source());
  std::vector<Obstacle> obstacles;
  if (!read_obstacles(fields, input->root(), panda().model, {}, obstacles)) return;
  for (const Obstacle& obstacle : obstacles)
    demand(check_obstacle(obstacle).ok(), "an obstacle that was read is sound");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  context().clear();
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 's': {
      Linkage linkage = panda().loaded->document.linkage;
      std::vector<std::string> notes;
      if (is_value(read_srdf(text, "fuzz.srdf", linkage, notes)))
        demand(compile(linkage).ok(), "SRDF leaves a model sound");
      break;
    }
    case 't':
      read_meshes(text, "mesh.stl");
      break;
    case 'o':
      read_meshes(text, "mesh.obj");
      break;
    case 'd':
      read_meshes(text, "mesh.dae");
      break;
    case 'e':
      edit_by_words(text);
      break;
    case 'j':
      edit_by_json(text);
      break;
    case 'x':
      answer_exercises(text);
      break;
    case 'b':
      read_obstacle_list(text);
      break;
    default:
      read_words(text);
  }
  return 0;
}
