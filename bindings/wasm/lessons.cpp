#include "lessons.hpp"

#include "armature/scene/exercise.hpp"
#include "armature/scene/json_text.hpp"

namespace armature::js {
namespace {

const char* kind_name(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::numbers:
      return "numbers";
    case AnswerKind::pose:
      return "pose";
    case AnswerKind::choice:
      return "choice";
    case AnswerKind::model:
      return "model";
    case AnswerKind::motion:
      return "motion";
  }
  return "";
}

}  // namespace

std::string exercises_json() {
  JsonText json;
  json.begin_array();
  for (const Exercise& e : need(exercises())) {
    json.begin_object().member("name", e.name).member("section", e.section).member("title", e.title);
    json.member("task", e.task).member("answer", kind_name(e.kind)).member("model", e.model);
    json.key("choices").strings(e.choices).key("hints").strings(e.hints).member("solution", e.solution).end();
  }
  return json.end().text();
}

val check_exercise(const std::string& name, const val& given) {
  const Exercise exercise = need(find_exercise(name));
  Answer answer;
  if (!given["text"].isUndefined()) answer.text = text_of(given["text"], "text");
  const val model = given["model"];
  if (!model.isUndefined()) {
    const auto handle = model.as<std::shared_ptr<ModelHandle>>();
    answer.model = handle->loaded()->document.linkage;
    if (!given["clip"].isUndefined()) answer.motion = clip_of(given["clip"], handle->model());
  }
  const Verdict verdict = need(check_answer(exercise, answer));
  val out = val::object();
  out.set("passed", verdict.passed);
  out.set("message", verdict.message);
  return out;
}

}  // namespace armature::js
