#include "armature/scene/answers.hpp"

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/scene/json_text.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kOutcomes = static_cast<int>(Outcome::refused) + 1;
constexpr std::size_t kOutcomeLetters = 16;  // of a name in the array 'outcomes'

// A cell of a table: in quotes where it would not be read back as one.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

// An id that is JSON as a cell: a text without its quotes.
std::string id_cell(const std::string& json) {
  if (json.size() < 2 || json.front() != '"') return cell(json);
  std::string text;
  for (std::size_t i = 1; i + 1 < json.size(); ++i) {
    if (json[i] == '\\' && i + 2 < json.size()) ++i;
    text += json[i];
  }
  return cell(text);
}

// The arrays of an archive, one block of the piece after the other.
std::string encode_arrays(const TargetPiece& piece, const MatX& poses, std::span<const Report> reports) {
  const auto rows = static_cast<std::size_t>(piece.count);
  std::string bytes;
  bytes.append(reinterpret_cast<const char*>(poses.data()),
               sizeof(double) * static_cast<std::size_t>(poses.rows()) * rows);
  for (std::size_t k = 0; k < rows; ++k)
    detail::append_number(bytes, static_cast<std::uint8_t>(reports[k].ok() ? 1 : 0));
  for (std::size_t k = 0; k < rows; ++k) detail::append_number(bytes, static_cast<std::uint8_t>(reports[k].outcome));
  for (std::size_t k = 0; k < rows; ++k) detail::append_number(bytes, reports[k].position_error);
  for (std::size_t k = 0; k < rows; ++k) detail::append_number(bytes, reports[k].orientation_error);
  for (std::size_t k = 0; k < rows; ++k) detail::append_number(bytes, static_cast<std::int32_t>(reports[k].iterations));
  if (!piece.id_bytes.empty()) bytes.append(piece.id_bytes, 0, piece.id_bytes.size() / piece.ids.size() * rows);
  return bytes;
}

}  // namespace

Result<AnswerFormat> answer_format(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const std::string extension = dot == std::string::npos ? "" : path.substr(dot + 1);
  if (extension == "npz") return AnswerFormat::npz;
  if (extension == "npy") return AnswerFormat::npy;
  if (extension == "csv") return AnswerFormat::csv;
  if (extension == "jsonl" || path == "-") return AnswerFormat::jsonl;
  return Error{"Answers are written as .npz, .npy, .csv or .jsonl, not " + armature::detail::quoted(path) + "."};
}

std::string encode_answers(AnswerFormat format, Problem& problem, const TargetPiece& piece, const MatX& poses,
                           std::span<const Report> reports, const ReportText& text) {
  if (format == AnswerFormat::npz) return encode_arrays(piece, poses, reports);
  std::string out;
  if (format == AnswerFormat::npy) {
    out.append(reinterpret_cast<const char*>(poses.data()),
               sizeof(double) * static_cast<std::size_t>(poses.rows()) * static_cast<std::size_t>(piece.count));
    return out;
  }
  JsonText json;
  VecX q;
  for (int k = 0; k < piece.count; ++k) {
    const Report& report = reports[static_cast<std::size_t>(k)];
    const std::string& id = piece.ids[static_cast<std::size_t>(k)];
    if (format == AnswerFormat::jsonl) {
      problem.goals.assign(1, piece.goals[static_cast<std::size_t>(k)]);
      q = poses.col(k);
      json.clear();
      json.begin_object();
      if (!id.empty()) json.key("id").raw(id);
      write_report(json, problem, report, q, text);
      out += json.end().text();
      out += '\n';
      continue;
    }
    out += id_cell(id) + (report.ok() ? ",1," : ",0,") + outcome_name(report.outcome) + ',' +
           format_number(report.position_error) + ',' + format_number(report.orientation_error) + ',' +
           std::to_string(report.iterations);
    for (Eigen::Index i = 0; i < poses.rows(); ++i) out += ',' + format_number(poses(i, k));
    out += '\n';
  }
  return out;
}

AnswerWriter::AnswerWriter(std::string path, AnswerFormat format, const Model& model, std::int64_t count,
                           std::string id_dtype)
    : path_(path), format_(format), model_(model), count_(count), file_(std::move(path)) {
  if (format != AnswerFormat::npz) return;
  const auto q_size = static_cast<std::uint64_t>(model.q_size());
  std::vector<NpzWriter::Array> arrays = {
      {"q", "<f8", {count, model.q_size()}, 8}, {"ok", "|b1", {count}, 1},
      {"outcome", "|u1", {count}, 1},           {"position_error", "<f8", {count}, 8},
      {"orientation_error", "<f8", {count}, 8}, {"iterations", "<i4", {count}, 4}};
  items_ = {8 * q_size, 1, 1, 8, 8, 4};
  if (!id_dtype.empty()) {
    const auto item = static_cast<std::uint64_t>(id_dtype.back() - '0');  // "<i8"
    items_.push_back(id_dtype == "|b1" ? 1 : item);
    arrays.push_back({"id", std::move(id_dtype), {count}, items_.back()});
  }
  arrays.push_back({"outcomes", "<U" + std::to_string(kOutcomeLetters), {kOutcomes}, 4 * kOutcomeLetters});
  npz_.emplace(arrays);
}

Status AnswerWriter::open() {
  if (Status status = file_.open(); !status) return status;
  if (format_ == AnswerFormat::npz && file_.is_direct()) {
    return Error{"An .npz needs a regular file, not " + armature::detail::quoted(path_) + "."};
  }
  if (format_ == AnswerFormat::npy) return file_.write(npy_head("<f8", {count_, model_.q_size()}));
  if (format_ != AnswerFormat::csv) return {};
  std::string header = "id,ok,outcome,position_error,orientation_error,iterations";
  for (int i = 0; i < model_.q_size(); ++i) header += ',' + cell(model_.coordinate_name(i));
  return file_.write(header + '\n');
}

Status AnswerWriter::write(std::string_view piece, std::int64_t rows) {
  if (!npz_) return file_.write(piece);
  for (std::size_t array = 0; array < items_.size(); ++array) {
    const std::size_t size = static_cast<std::size_t>(items_[array]) * static_cast<std::size_t>(rows);
    if (size > piece.size()) return Error{"A piece of the answers is shorter than its rows."};
    if (Status status = npz_->write(file_, array, piece.substr(0, size)); !status) return status;
    piece.remove_prefix(size);
  }
  return {};
}

Status AnswerWriter::finish() {
  if (npz_) {
    std::string names;
    for (int i = 0; i < kOutcomes; ++i) {
      const std::string name = outcome_name(static_cast<Outcome>(i));
      for (std::size_t k = 0; k < kOutcomeLetters; ++k) {
        detail::append_number(names,
                              static_cast<std::uint32_t>(k < name.size() ? static_cast<unsigned char>(name[k]) : 0));
      }
    }
    if (Status status = npz_->write(file_, items_.size(), names); !status) return status;
    if (Status status = npz_->finish(file_); !status) return status;
  }
  return file_.commit();
}

}  // namespace armature::inline v0_2
