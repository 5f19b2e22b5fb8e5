// Motions as JSON lines: a header with the linkage, the frame time and the column names, then {"time": 0.1, "q": [...]}
// a frame. A further header (without a linkage) begins a further motion.
#include <cmath>
#include <nlohmann/json.hpp>

#include "armature/base/suggest.hpp"
#include "armature/formats/json_print.hpp"
#include "armature/formats/motion_table.hpp"
#include "armature/formats/number_text.hpp"
#include "armature/formats/pieces.hpp"
#include "armature/formats/text_cursor.hpp"
#include "armature/model/compile.hpp"

namespace armature::inline v0_2 {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "armature-motion";

class JsonlReader {
 public:
  JsonlReader(std::string_view bytes, const ReadOptions& options)
      : source_{bytes, options.file_name}, options_(options) {}

  Result<Document> read() {
    const std::string_view text = source_.bytes;
    if (text.size() > options_.max_bytes) {
      return source_.error("The file has " + std::to_string(text.size()) + " bytes; at most " +
                           std::to_string(options_.max_bytes) + " are read.");
    }
    std::size_t next_report = 1u << 18;
    for (std::size_t at = text.size() - without_bom(text).size(); at < text.size();) {
      std::size_t end = text.find('\n', at);
      if (end == std::string_view::npos) end = text.size();
      const std::string_view line = text.substr(at, end - at);
      if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
        if (const Status status = take(line, at); !status) return status.error();
      }
      at = end + 1;
      if (at >= next_report) {
        next_report = at + (1u << 18);
        if (options_.progress != nullptr &&
            !options_.progress(static_cast<double>(at) / static_cast<double>(text.size()), options_.progress_context)) {
          return source_.error("The reading was stopped.");
        }
      }
    }
    if (!model_) return source_.error("The file has no header with a linkage.");
    if (const Status status = finish_clip(); !status) return status.error();
    return std::move(document_);
  }

 private:
  Status take(std::string_view line, std::size_t at) {
    const Json json = Json::parse(line.begin(), line.end(), nullptr, false);
    if (!json.is_object()) return source_.error(at, "The line is not a JSON object; each line of JSON lines is one.");
    return json.contains("format") ? header(json, at) : frame(json, at);
  }

  Status header(const Json& json, std::size_t at) {
    if (json["format"] != kFormat) {
      return source_.error(at,
                           "The format is " + json["format"].dump().substr(0, 60) + "; 'armature-motion' is expected.");
    }
    if (model_) {
      if (const Status status = finish_clip(); !status) return status;
    } else {
      if (!json.contains("linkage")) return source_.error(at, "The first line needs a 'linkage'.");
      Result<Linkage> linkage = linkage_of_line(json["linkage"].dump());
      if (!linkage) return source_.error(at, linkage.message());
      document_.linkage = std::move(*linkage);
      Result<Model> model = compile(document_.linkage);
      if (!model) return source_.error(at, model.message());
      model_.emplace(std::move(*model));
    }
    table_ = {};
    clock_ = {};
    open_ = false;
    if (json.contains("name") && json["name"].is_string()) table_.name = json["name"];
    if (json.contains("frame_time")) {
      const Json& given = json["frame_time"];
      if (!given.is_number() || !(given.get<double>() > 0.0) || !std::isfinite(given.get<double>())) {
        return source_.error(at, "'frame_time' must be a number of seconds above 0.");
      }
      table_.frame_time = given;
      open_ = true;
    }
    if (json.contains("columns")) {
      if (!json["columns"].is_array()) return source_.error(at, "'columns' must be a list of names.");
      for (const Json& name : json["columns"]) {
        if (!name.is_string()) return source_.error(at, "'columns' must be a list of names.");
        table_.columns.push_back(name);
      }
    } else {
      for (int q = 0; q < model_->q_size(); ++q) table_.columns.push_back(model_->coordinate_name(q));
    }
    return {};
  }

  Status frame(const Json& json, std::size_t at) {
    if (!model_) return source_.error(at, "The first line must be a header with 'format', 'linkage' and 'columns'.");
    const auto q = json.find("q");
    if (q == json.end() || !q->is_array() || q->size() != table_.columns.size()) {
      return source_.error(at, "A frame needs 'q', a list of " + std::to_string(table_.columns.size()) +
                                   " numbers, one for each column.");
    }
    for (const Json& number : *q) {
      if (!number.is_number() || !std::isfinite(number.get<double>())) {
        return source_.error(at, "'q' holds " + number.dump().substr(0, 60) + "; finite numbers are expected.");
      }
      table_.values.push_back(number.get<double>());
    }
    open_ = true;
    if (const auto time = json.find("time"); time != json.end()) {
      if (!time->is_number() || !clock_.take(time->get<double>())) {
        return source_.error(at, "The frame is at " + time->dump().substr(0, 60) + " s where " +
                                     pretty_number(clock_.expected()) +
                                     " s is expected: frames are evenly spaced in time.");
      }
    }
    return {};
  }

  Status finish_clip() {
    if (!open_) return {};
    if (table_.frame_time == 0.0) table_.frame_time = clock_.frame_time();
    Result<Clip> clip = clip_of_table(table_, *model_, document_.notes);
    if (!clip) return source_.error(clip.message());
    document_.clips.push_back(std::move(*clip));
    return {};
  }

  Source source_;
  const ReadOptions& options_;
  Document document_;
  std::optional<Model> model_;
  MotionTable table_;
  FrameClock clock_;
  bool open_ = false;  // a motion has begun
};

}  // namespace

bool detect_jsonl(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, std::min(bytes.find('\n'), bytes.size()));
  return line.substr(0, 400).find("\"armature-motion\"") != std::string_view::npos;
}

Result<Document> read_jsonl(std::string_view bytes, const ReadOptions& options) {
  return JsonlReader(bytes, options).read();
}

Result<std::string> write_jsonl(const Document& document, const WriteOptions& options) {
  const Result<Model> model = compile(document.linkage);
  if (!model) return model.error();
  const Result<std::string> linkage = linkage_line(document.linkage);
  if (!linkage) return linkage.error();
  std::string columns;
  for (int q = 0; q < model->q_size(); ++q) columns += (q > 0 ? "," : "") + json_quoted(model->coordinate_name(q));
  const std::string start = std::string("{\"format\":\"") + kFormat + "\",\"version\":1";
  const std::string tail = ",\"columns\":[" + columns + "]}\n";
  if (document.clips.empty()) {
    if (options.notes != nullptr) options.notes->push_back("There is no motion: the table has no frames.");
    return start + ",\"linkage\":" + *linkage + tail;
  }
  std::string out;
  PieceWriter pieces(options);
  for (const Clip& clip : document.clips) {
    if (clip.q_size != model->q_size()) {
      return Error{"The motion " + armature::detail::quoted(clip.name) + " has " + std::to_string(clip.q_size) +
                   " numbers a frame, but the linkage has " + std::to_string(model->q_size()) + " coordinates."};
    }
    out += start + ",\"name\":" + json_quoted(clip.name) + ",\"frame_time\":";
    append_number(out, clip.frame_time, options.digits);
    if (&clip == &document.clips.front()) out += ",\"linkage\":" + *linkage;
    out += tail;
    for (int f = 0; f < clip.frame_count(); ++f) {
      const double done =
          (static_cast<double>(f) / clip.frame_count() + static_cast<double>(&clip - document.clips.data())) /
          static_cast<double>(document.clips.size());
      if (const Status status = pieces.after_frame(out, done); !status) return status.error();
      out += "{\"time\":";
      append_number(out, f * clip.frame_time, options.digits);
      out += ",\"q\":[";
      for (int q = 0; q < clip.q_size; ++q) {
        if (q > 0) out += ',';
        append_number(out, clip.frame(f)[q], options.digits);
      }
      out += "]}\n";
    }
  }
  return out;
}

}  // namespace armature::inline v0_2
