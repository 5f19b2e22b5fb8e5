// Exercises to the chapter with automatic checks. One JSON file each in exercises/ (docs/teaching.md says what it
// holds); what is right is computed by the library when an answer is checked; only of a
// choice the right one is named in the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/model/linkage.hpp"
#include "armature/motion/clip.hpp"

namespace armature::inline v0_2 {

enum class AnswerKind { numbers, pose, choice, model, motion };

struct Exercise {
  std::string name;     // "two_elbows"
  std::string section;  // of the chapter: "5.3.1"
  std::string title;
  std::string task;
  std::vector<std::string> hints;    // each says a little more than the one before
  std::vector<std::string> choices;  // of a choice
  AnswerKind kind = AnswerKind::numbers;
  std::string model;               // of a pose or a motion: built-in name
  std::string solution;            // an answer that passes, for the tests; "": it is a file, which the tests make
  std::vector<std::string> wrong;  // answers that must not pass
  std::string checks;              // JSON, see exercise.cpp
};

/// In the order of the chapter.
Result<std::vector<Exercise>> exercises();
Result<Exercise> find_exercise(std::string_view name);

/// What someone hands in: text ("0.3,1.2", "elbow=90deg", "b"), or what a file held.
struct Answer {
  std::string text;
  std::optional<Linkage> model;
  std::optional<Clip> motion;
};

struct Verdict {
  bool passed = false;
  std::string message;  // what is right, or which condition does not hold and by how much
};

/// The error is an answer that cannot be read.
Result<Verdict> check_answer(const Exercise& exercise, const Answer& answer);

}  // namespace armature::inline v0_2
