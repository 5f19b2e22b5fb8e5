// Motions as CSV: a line of names (time, then coordinates), a line of numbers for each frame. The first line, a
// comment, holds the linkage, so that the file can be opened alone; readers that skip '#' lines see a plain table.
#include <algorithm>
#include <cmath>

#include "armature/base/suggest.hpp"
#include "armature/formats/motion_table.hpp"
#include "armature/formats/number_text.hpp"
#include "armature/formats/pieces.hpp"
#include "armature/formats/text_cursor.hpp"
#include "armature/model/compile.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr std::string_view kLinkageMark = "# armature ";
constexpr std::size_t kMaxColumns = 100'000;

class MotionCsvReader {
 public:
  MotionCsvReader(std::string_view bytes, const ReadOptions& options)
      : source_{bytes, options.file_name}, options_(options), at_(bytes.size() - without_bom(bytes).size()) {}

  Status read() {
    if (source_.bytes.size() > options_.max_bytes) {
      return source_.error("The file has " + std::to_string(source_.bytes.size()) + " bytes; at most " +
                           std::to_string(options_.max_bytes) + " are read.");
    }
    std::string_view line;
    std::size_t begin = 0;
    while (next_line(line, begin)) {
      if (line.substr(0, kLinkageMark.size()) == kLinkageMark) linkage = line.substr(kLinkageMark.size());
      if (!line.empty() && line.front() != '#') break;
    }
    if (line.empty() || line.front() == '#') return source_.error("The table has no line of column names.");
    if (const Status status = header(line, begin); !status) return status;
    while (next_line(line, begin)) {
      if (line.empty() || line.front() == '#') continue;
      if (const Status status = row(line, begin); !status) return status;
    }
    table.frame_time = clock_.frame_time();
    return {};
  }

  MotionTable table;
  std::string_view linkage;  // our own JSON, "" when the file has none
  const Source& source() const { return source_; }

 private:
  bool next_line(std::string_view& line, std::size_t& begin) {
    const std::string_view text = source_.bytes;
    if (at_ >= text.size()) {
      line = {};
      return false;
    }
    begin = at_;
    std::size_t end = text.find_first_of("\r\n", at_);
    if (end == std::string_view::npos) end = text.size();
    at_ = end + 1;
    line = text.substr(begin, end - begin);
    while (!line.empty() && TextCursor::is_space(line.back())) line.remove_suffix(1);
    if (begin >= next_report_) {
      next_report_ = begin + (1u << 18);
      const double done = static_cast<double>(begin) / static_cast<double>(text.size());
      stopped_ = options_.progress != nullptr && !options_.progress(done, options_.progress_context);
    }
    return true;
  }

  // Names, quoted as RFC 4180 has it where they need it.
  Status header(std::string_view line, std::size_t begin) {
    bool inside = false;
    for (const char c : line) {
      inside = inside != (c == '"');
      separator_ = c;
      if (!inside && (c == ',' || c == ';' || c == '\t')) break;
      separator_ = ',';
    }
    std::vector<std::string> names(1);
    bool quoting = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (c == '"' && quoting && i + 1 < line.size() && line[i + 1] == '"') {
        names.back() += line[++i];
      } else if (c == '"') {
        quoting = !quoting;
      } else if (c == separator_ && !quoting) {
        names.emplace_back();
      } else {
        names.back() += c;
      }
    }
    if (quoting) return source_.error(begin, "A name has an opening quote without a closing one.");
    if (names.size() > kMaxColumns) return source_.error(begin, "The table has more than 100000 columns.");
    for (std::string& name : names) {
      TextCursor cursor(name);
      name = to_utf8(std::string(cursor.rest_of_line()));
    }
    if (names.front() != "time") {
      return source_.error(begin,
                           "A motion table begins with the column 'time', then coordinates such as 'elbow' or "
                           "'shoulder.x'; the first column here is " +
                               armature::detail::quoted(names.front()) + ".");
    }
    table.columns.assign(names.begin() + 1, names.end());
    return {};
  }

  Status row(std::string_view line, std::size_t begin) {
    if (stopped_) return source_.error("The reading was stopped.");
    std::size_t at = 0;
    std::size_t count = 0;
    double time = 0.0;
    while (true) {
      while (at < line.size() && (line[at] == ' ' || (line[at] == '\t' && separator_ != '\t'))) ++at;
      double number = 0.0;
      const std::size_t start = at;
      const bool sound = scan_number(line, at, number) && std::isfinite(number);
      while (at < line.size() && (line[at] == ' ' || (line[at] == '\t' && separator_ != '\t'))) ++at;
      if (!sound || (at < line.size() && line[at] != separator_)) {
        const std::size_t end = std::min(line.find(separator_, start), line.size());
        return source_.error(
            begin, "Column " + std::to_string(count + 1) + " is " +
                       armature::detail::quoted(to_utf8(line.substr(start, std::min<std::size_t>(end - start, 200)))) +
                       "; a finite number with a decimal point is expected.");
      }
      if (count == 0) {
        time = number;
      } else if (count <= table.columns.size()) {
        table.values.push_back(number);
      }
      ++count;
      if (at == line.size()) break;
      ++at;
    }
    if (count != table.columns.size() + 1) {
      return source_.error(begin, "The row has " + std::to_string(count) + " numbers where " +
                                      std::to_string(table.columns.size() + 1) + " are needed, one for each column.");
    }
    if (!clock_.take(time)) {
      return source_.error(begin, "The row is at " + pretty_number(time) + " s where " +
                                      pretty_number(clock_.expected()) +
                                      " s is expected: frames are evenly spaced in time.");
    }
    return {};
  }

  Source source_;
  const ReadOptions& options_;
  std::size_t at_;
  std::size_t next_report_ = 1u << 18;
  bool stopped_ = false;
  char separator_ = ',';
  FrameClock clock_;
};

std::string csv_field(const std::string& name) {
  if (name.find_first_of(",;\"\t\r\n") == std::string::npos && !name.empty() && name.front() != '#') return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
  return text + "\"";
}

}  // namespace

Result<Clip> read_csv_motion(std::string_view bytes, const Model& model, const ReadOptions& options,
                             std::vector<std::string>& notes) {
  MotionCsvReader reader(bytes, options);
  if (const Status status = reader.read(); !status) return status.error();
  Result<Clip> clip = clip_of_table(reader.table, model, notes);
  if (!clip) return reader.source().error(clip.message());
  return clip;
}

bool detect_csv(std::string_view bytes) {
  const std::string_view text = without_bom(bytes);
  if (text.substr(0, kLinkageMark.size()) == kLinkageMark) return true;
  const std::string_view start = text.substr(0, 5);
  return start == "time," || start == "time;" || start == "time\t";
}

Result<Document> read_csv(std::string_view bytes, const ReadOptions& options) {
  MotionCsvReader reader(bytes, options);
  if (const Status status = reader.read(); !status) return status.error();
  if (reader.linkage.empty()) {
    return reader.source().error(
        "The table does not say which linkage it moves: its first line should be '# armature' and the linkage as JSON "
        "on "
        "the same line, as `armature convert` writes it.");
  }
  Document document;
  Result<Linkage> linkage = linkage_of_line(reader.linkage);
  if (!linkage) return reader.source().error(0, linkage.message());
  document.linkage = std::move(*linkage);
  const Result<Model> model = compile(document.linkage);
  if (!model) return reader.source().error(0, model.message());
  reader.table.name = document.linkage.name;
  Result<Clip> clip = clip_of_table(reader.table, *model, document.notes);
  if (!clip) return reader.source().error(clip.message());
  document.clips.push_back(std::move(*clip));
  return document;
}

Result<std::string> write_csv(const Document& document, const WriteOptions& options) {
  const Result<Model> model = compile(document.linkage);
  if (!model) return model.error();
  const Result<std::string> line = linkage_line(document.linkage);
  if (!line) return line.error();
  if (document.clips.empty() && options.notes != nullptr) {
    options.notes->push_back("There is no motion: the table has no frames.");
  }
  if (document.clips.size() > 1 && options.notes != nullptr) {
    options.notes->push_back("CSV holds one motion: the first of " + std::to_string(document.clips.size()) +
                             " is written.");
  }
  std::string out = std::string(kLinkageMark) + *line + "\ntime";
  for (int q = 0; q < model->q_size(); ++q) out += "," + csv_field(model->coordinate_name(q));
  out += "\n";
  if (document.clips.empty()) return out;
  const Clip& clip = document.clips.front();
  if (clip.q_size != model->q_size()) {
    return Error{"The motion " + armature::detail::quoted(clip.name) + " has " + std::to_string(clip.q_size) +
                 " numbers a frame, but the linkage has " + std::to_string(model->q_size()) + " coordinates."};
  }
  PieceWriter pieces(options);
  for (int f = 0; f < clip.frame_count(); ++f) {
    if (const Status status = pieces.after_frame(out, static_cast<double>(f) / clip.frame_count()); !status) {
      return status.error();
    }
    append_number(out, f * clip.frame_time, options.digits);
    for (int q = 0; q < clip.q_size; ++q) {
      out += ',';
      append_number(out, clip.frame(f)[q], options.digits);
    }
    out += '\n';
  }
  return out;
}

}  // namespace armature::inline v0_2
