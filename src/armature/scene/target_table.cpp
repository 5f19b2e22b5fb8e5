#include "armature/scene/target_table.hpp"

#include <algorithm>
#include <cstring>

#include "armature/base/suggest.hpp"
#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr std::int64_t kStride = 16;                     // targets between two lines that a piece may begin at
constexpr std::int64_t kSmallest = 64, kLargest = 4096;  // targets per piece
constexpr std::int64_t kPieces = 256;                    // that a file has if these allow: enough for many workers
constexpr std::size_t kLongestLine = std::size_t{1} << 28;

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

Result<Targets> Targets::open(const std::string& path) {
  Targets table;
  Result<RandomFile> file = RandomFile::open(path);
  if (!file) return file.error();
  table.file_ = std::move(*file);
  table.csv_ = path.ends_with(".csv");
  const bool arrays = path.ends_with(".npy") || path.ends_with(".npz");
  if (Status status = arrays ? table.open_arrays() : table.scan_lines(); !status) return status.error();
  table.piece_ = std::clamp((table.count_ / kPieces + kStride - 1) / kStride * kStride, kSmallest, kLargest);
  return table;
}

std::uint64_t Targets::fingerprint() const {
  return file_.size() * 0x9e3779b97f4a7c15ull ^ static_cast<std::uint64_t>(file_.written());
}

Status Targets::open_arrays() {
  Result<std::vector<NpyArray>> arrays = read_npy_heads(file_);
  if (!arrays) return arrays.error();
  for (NpyArray& array : *arrays) {
    if (array.name.empty() || array.name == "targets")
      targets_ = std::move(array);
    else if (array.name == "start")
      starts_ = std::move(array);
    else if (array.name == "id")
      ids_ = std::move(array);
  }
  const std::string where = "The file " + armature::detail::quoted(file_.path());
  if (!targets_) return Error{where + " has no array 'targets'; it may also have 'start' and 'id'."};
  const auto& shape = targets_->shape;
  const std::int64_t width = shape.size() < 2 ? 0 : targets_->width();
  const bool square = shape.size() == 3 && shape[1] == 4 && shape[2] == 4;
  if (!square && (shape.size() != 2 || (width != 2 && width != 3 && width != 4 && width != 7 && width != 16))) {
    return Error{where + " has targets of another shape than (N, 3), (N, 4), (N, 7), (N, 16) or (N, 4, 4)."};
  }
  count_ = shape[0];
  for (const std::optional<NpyArray>* array : {&targets_, &starts_, &ids_}) {
    if (*array && (*array)->item_size() == 0) {
      return Error{where + " holds numbers of type " + armature::detail::quoted((*array)->dtype) +
                   "; convert them with .astype('<f8')."};
    }
  }
  if (ids_ && (ids_->shape.size() != 1 || ids_->shape[0] != count_)) {
    return Error{where + " needs one id per target."};
  }
  if (starts_ && (starts_->shape.empty() || starts_->shape.size() > 2 ||
                  (starts_->shape.size() == 2 && starts_->shape[0] != count_))) {
    return Error{where + " needs one start for all targets, or one per target."};
  }
  return {};
}

// Lines are found, not read: blank ones count for their numbers only.
Status Targets::scan_lines() {
  std::string block(std::size_t{1} << 20, '\0');
  std::string line;  // begun in an earlier block
  std::uint64_t begin = 0;
  std::int64_t number = 0;
  const auto end_line = [&](std::string_view text) {
    ++number;
    if (is_blank(text)) return;
    if (first_line_.empty()) {
      first_line_ = text;
      header_ = csv_ && is_table_header(text);
      if (header_) return;
    }
    if (count_++ % kStride == 0) marks_.push_back({begin, number});
  };
  for (std::uint64_t at = 0; at < file_.size();) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), file_.size() - at));
    if (Status status = file_.read(at, block.data(), size); !status) return status;
    std::size_t from = 0;
    while (const void* found = std::memchr(block.data() + from, '\n', size - from)) {
      const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - block.data());
      const std::string_view text(block.data() + from, end - from);
      if (line.empty()) {
        end_line(text);
      } else {
        end_line(line.append(text));
      }
      line.clear();
      from = end + 1;
      begin = at + from;
    }
    line.append(block.data() + from, size - from);
    if (line.size() > kLongestLine) {
      return Error{"A line of " + armature::detail::quoted(file_.path()) + " has more than " +
                   std::to_string(kLongestLine) + " bytes, the most that are read."};
    }
    at += size;
  }
  if (!line.empty()) end_line(line);
  marks_.push_back({file_.size(), number + 1});
  return {};
}

void Targets::read(int piece, Scene& scene, TargetPiece& out) const {
  out.count = 0;
  out.ended = {};
  const std::int64_t most = std::min(piece_, count_ - first(piece));
  if (out.goals.size() < static_cast<std::size_t>(most)) out.goals.resize(static_cast<std::size_t>(most));
  out.ids.assign(static_cast<std::size_t>(most), "");
  out.id_bytes.clear();
  out.where.clear();
  out.starts.resize(scene.model.q_size(), most);
  targets_ ? read_rows(piece, scene, out) : read_lines(piece, scene, out);
}

void Targets::read_rows(int piece, Scene& scene, TargetPiece& out) const {
  const std::int64_t begin = first(piece), rows = out.starts.cols(), width = targets_->width();
  const Eigen::Index q_size = out.starts.rows();
  const auto give_up = [&](Status status) { out.ended = std::move(status); };
  std::vector<double> numbers(static_cast<std::size_t>(rows * width));
  if (Status status = targets_->read(file_, begin, rows, numbers.data()); !status) return give_up(status);
  MatX& starts = out.starts;
  if (starts_) {
    const bool many = starts_->shape.size() == 2;
    if ((many ? starts_->width() : starts_->rows()) != q_size) {
      return give_up(Error{"The file " + armature::detail::quoted(file_.path()) + " needs " + std::to_string(q_size) +
                           " numbers per start of this model."});
    }
    const Status status =
        many ? starts_->read(file_, begin, rows, starts.data()) : starts_->read(file_, 0, q_size, starts.data());
    if (!status) return give_up(status);
    for (Eigen::Index k = many ? rows : 1; k < rows; ++k) starts.col(k) = starts.col(0);
  } else {
    starts.colwise() = scene.start;
  }
  if (ids_) {
    if (Status status = ids_->read_bytes(file_, begin, rows, out.id_bytes); !status) return give_up(status);
    for (std::int64_t k = 0; k < rows; ++k) {
      out.ids[static_cast<std::size_t>(k)] =
          npy_number_text(ids_->dtype, &out.id_bytes[ids_->item_size() * static_cast<std::size_t>(k)]);
    }
  }
  out.where.push_back(file_.path() + ", row " + std::to_string(begin));
  TargetParser parser(file_.path(), true, scene);
  Target target;
  target.start = scene.start;
  for (std::int64_t k = 0; k < rows; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const auto where = [&] { return file_.path() + ", row " + std::to_string(begin + k); };
    const std::span<const double> row(&numbers[at * static_cast<std::size_t>(width)], static_cast<std::size_t>(width));
    Goal& goal = out.goals[at];
    // Most rows change the target of a goal that is there already, from an earlier piece.
    if (at >= out.alike || !set_target(goal, row)) {
      target.where = where();
      if (Status status = parser.read_numbers(row, target); !status) return give_up(status);
      goal = target.goal;
      out.alike = std::max(out.alike, at + 1);
    }
    if (starts_) {
      if (!starts.col(k).allFinite()) return give_up(Error{where() + ": A start has finite numbers only."});
      if (Status status = normalize_quaternions(scene.model, starts.col(k).data()); !status) {
        return give_up(Error{where() + ": " + status.message()});
      }
    }
    ++out.count;
  }
}

void Targets::read_lines(int piece, Scene& scene, TargetPiece& out) const {
  const std::int64_t stride = piece_ / kStride;
  const Mark& begin = marks_[static_cast<std::size_t>(piece * stride)];
  const Mark& end = marks_[std::min(marks_.size() - 1, static_cast<std::size_t>((piece + 1) * stride))];
  std::string text(static_cast<std::size_t>(end.offset - begin.offset), '\0');
  out.ended = file_.read(begin.offset, text.data(), text.size());
  if (!out.ended) return;
  TargetParser parser(file_.path(), csv_, scene);
  if (header_) {
    const Result<bool> header = parser.read_header(first_line_);
    if (!header) {
      out.ended = header.error();
      return;
    }
  }
  Target target;
  std::int64_t number = begin.line;
  for (std::size_t at = 0; at < text.size() && out.count < out.starts.cols(); ++number) {
    const std::size_t stop = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, stop - at);
    at = stop + 1;
    if (is_blank(line)) continue;
    out.ended = parser.read_line(line, number, target);
    if (!out.ended) return;
    const auto k = static_cast<std::size_t>(out.count++);
    out.goals[k] = target.goal;
    out.starts.col(static_cast<Eigen::Index>(k)) = target.start;
    out.ids[k] = target.id;
    out.where.push_back(target.where);
  }
}

}  // namespace armature::inline v0_2
