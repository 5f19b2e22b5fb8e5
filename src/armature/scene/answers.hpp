// Answers to many targets as files: .npz and .npy (arrays of NumPy), .csv, .jsonl (docs/formats/targets.md). Pieces are
// encoded by whoever solved them and written in their order. No times in them: the same targets give the same bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "armature/scene/npy.hpp"
#include "armature/scene/report_json.hpp"
#include "armature/scene/target_table.hpp"
#include "armature/solve/problem.hpp"
#include "armature/solve/report.hpp"

namespace armature::inline v0_2 {

enum class AnswerFormat { npz, npy, csv, jsonl };
/// By the extension; the error lists those that there are.
Result<AnswerFormat> answer_format(const std::string& path);

/// The answers of a piece: column k of `poses` and reports[k] for the piece's target k. `problem` is a place for each
/// goal in turn; `text` is for lines of JSON.
std::string encode_answers(AnswerFormat format, Problem& problem, const TargetPiece& piece, const MatX& poses,
                           std::span<const Report> reports, const ReportText& text);

class AnswerWriter {
 public:
  /// `count` answers for `model`; `id_dtype` as of Targets.
  AnswerWriter(std::string path, AnswerFormat format, const Model& model, std::int64_t count, std::string id_dtype);
  Status open();
  /// What encode_answers gave, one piece after the other; `rows` of them.
  Status write(std::string_view piece, std::int64_t rows);
  Status finish();

 private:
  std::string path_;
  AnswerFormat format_;
  Model model_;
  std::int64_t count_;
  OutputFile file_;
  std::optional<NpzWriter> npz_;
  std::vector<std::uint64_t> items_;  // bytes per row of each array
};

}  // namespace armature::inline v0_2
