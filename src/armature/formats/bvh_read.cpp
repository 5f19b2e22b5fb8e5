// Reads BVH: hierarchy to links and joints, then the MOTION section to one clip. The numbers are read in one pass
// straight into the clip; positions that replace their OFFSET are made relative to it afterwards.
#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/base/suggest.hpp"
#include "armature/formats/bvh.hpp"
#include "armature/formats/number_text.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/model/compile.hpp"
#include "armature/motion/clips.hpp"
#include "armature/motion/figure.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kStill = 1e-5;                   // a position that moves less (of the longest OFFSET) stands still
constexpr std::size_t kProgressBytes = 1u << 18;  // text between two calls of ReadOptions::progress

std::string bones_below(int count) {
  return std::to_string(count) + (count == 1 ? " bone" : " bones") + " below the root";
}

class BvhReader {
 public:
  BvhReader(std::string_view bytes, const ReadOptions& options)
      : source_{bytes, options.file_name}, options_(options), cursor_(bytes) {}

  Result<Document> read() {
    if (const Status status = check_options(); !status) return status.error();
    cursor_.set_position(source_.bytes.size() - without_bom(source_.bytes).size());
    Result<std::vector<BvhBone>> bones = parse_bvh_hierarchy(source_, cursor_, document_.notes);
    if (!bones) return bones.error();
    bones_ = std::move(*bones);
    make_linkage();
    if (const Status status = motion(); !status) return status.error();
    choose_position_convention();
    hold_still_positions();
    auto extra = std::make_shared<BvhExtra>();
    extra->bones = std::move(bones_);
    document_.linkage.up = extra->up = up_axis();
    document_.linkage.extra = std::move(extra);
    return std::move(document_);
  }

 private:
  struct Column {  // where the numbers of one channel go
    int q;
    double factor;
  };

  // y by custom; z where the figure stands along z at rest and in the clip (some suits and games write that).
  std::string up_axis() const {
    const Result<Model> model = compile(document_.linkage);
    if (!model || document_.clips.empty() || !guess_figure(*model).has_legs()) return "y";
    Clip rest;
    rest.q_size = model->q_size();
    rest.append(neutral_pose(*model));
    const bool along_y = std::abs(clips::up_of(*model, rest).y()) > 0.5;
    return !along_y && clips::up_of(*model, document_.clips.front()).z() > 0.5 ? "z" : "y";
  }

  Error error(std::size_t position, std::string_view sentence) const { return source_.error(position, sentence); }

  Status check_options() const {
    const std::string& positions = options_.bvh_positions;
    if (positions != "auto" && positions != "absolute" && positions != "offset") {
      return Error{"The option bvh_positions is 'auto', 'absolute' or 'offset', not " +
                   armature::detail::quoted(positions) + "."};
    }
    if (source_.bytes.size() > options_.max_bytes) {
      return source_.error("The file has " + std::to_string(source_.bytes.size()) + " bytes; at most " +
                           std::to_string(options_.max_bytes) + " are read.");
    }
    return {};
  }

  void make_linkage() {
    Linkage& linkage = document_.linkage;
    std::string stem = options_.file_name;
    stem.erase(0, stem.find_last_of("/\\") + 1);
    if (const std::size_t dot = stem.rfind('.'); dot != std::string::npos && dot > 0) stem.erase(dot);
    linkage.name = stem.empty() ? bones_.front().name : to_utf8(stem);
    const auto roots = std::count_if(bones_.begin(), bones_.end(), [](const BvhBone& b) { return b.parent < 0; });
    std::string ground;
    if (roots > 1) {
      ground = kBvhRoots;
      const auto taken = [&](const BvhBone& b) { return b.name == ground; };
      while (std::any_of(bones_.begin(), bones_.end(), taken)) ground += "_";
      linkage.links.push_back({ground, {}});
      document_.notes.push_back("The file has " + std::to_string(roots) + " ROOTs; they hang on a fixed link " +
                                armature::detail::quoted(ground) + ".");
    }
    for (BvhBone& bone : bones_) {
      Joint joint = bvh_joint(bone);
      joint.parent = bone.parent < 0 ? ground : bones_[static_cast<std::size_t>(bone.parent)].name;
      for (std::size_t i = 0; i < bone.channels.size(); ++i) {
        columns_.push_back(
            {q_size_ + bvh_coordinate(bone, i), is_rotation(bone.channels[i]) ? kRadiansPerDegree : 1.0});
      }
      q_index_.push_back(q_size_);
      q_size_ += coordinate_count(joint.type);
      linkage.links.push_back({bone.name, {}});
      linkage.joints.push_back(std::move(joint));
    }
  }

  Status motion() {
    if (cursor_.at_end()) {
      document_.notes.push_back("The file has no MOTION section: the figure has no frames.");
      return {};
    }
    cursor_.word();  // MOTION, as parse_bvh_hierarchy saw
    double frames = 0.0;
    double frame_time = 0.0;
    std::size_t at = cursor_.position();
    if (!header("frames", "", frames, at) || frames < 0.0 || frames != std::floor(frames)) {
      return error(at, "After MOTION a line such as 'Frames: 120' is expected, with a whole number.");
    }
    if (!header("frame", "time", frame_time, at) || frame_time < 0.0) {
      return error(at, "A line such as 'Frame Time: 0.033333' is expected, with the seconds of one frame.");
    }
    Clip clip;
    clip.name = document_.linkage.name;
    clip.q_size = q_size_;
    if (frame_time == 0.0) {
      document_.notes.push_back("The frame time is 0; 1/30 of a second is used instead.");
    } else {
      clip.frame_time = frame_time;
    }
    if (const Status status = rows(frames, clip); !status) return status;
    if (clip.frame_count() > 0) {
      document_.clips.push_back(std::move(clip));
    } else {
      document_.notes.push_back("The MOTION section has no frames.");
    }
    return {};
  }

  // "Frames: 12", "Frame Time: 0.1"; spaces around the colon do not matter.
  bool header(std::string_view word, std::string_view word2, double& value, std::size_t& at) {
    cursor_.skip_space();
    at = cursor_.position();
    std::string_view line = cursor_.rest_of_line();
    const auto take = [&](std::string_view expected) {
      if (line.size() < expected.size() || !same_word(line.substr(0, expected.size()), expected)) return false;
      line.remove_prefix(expected.size());
      while (!line.empty() && TextCursor::is_space(line.front())) line.remove_prefix(1);
      return true;
    };
    if (!take(word) || !take(word2)) return false;
    take(":");
    return parse_number(line, value);
  }

  // A frame begins on a fresh line, may go on over several, and ends with its line.
  Status rows(double frames, Clip& clip) {
    const std::string_view text = source_.bytes;
    const std::size_t width = columns_.size();
    if (width == 0) {
      if (!cursor_.at_end()) return error(cursor_.position(), "No bone has CHANNELS, so no numbers can follow.");
      return {};
    }
    // A number needs two bytes, so the text bounds what the header claims.
    const double claimed = frames * static_cast<double>(q_size_);
    const double possible =
        (static_cast<double>(text.size() - cursor_.position()) / 2.0 / static_cast<double>(width) + 1.0) * q_size_;
    clip.values.reserve(static_cast<std::size_t>(std::min(claimed, possible)));

    std::size_t at = cursor_.position();
    std::size_t next_report = at + kProgressBytes;
    double count = 0.0;
    for (; count < frames; count += 1.0) {
      skip_space(text, at);
      if (at == text.size()) {
        return error(at, "The header says " + pretty_number(frames, 15) + " frames, but the file ends after " +
                             pretty_number(count, 15) + ".");
      }
      const std::size_t row = at;
      clip.values.resize(clip.values.size() + static_cast<std::size_t>(q_size_), 0.0);
      double* const q = clip.values.data() + clip.values.size() - q_size_;
      for (std::size_t i = 0; i < width; ++i) {
        skip_space(text, at);
        double number = 0.0;
        if (!scan_number(text, at, number) || (at < text.size() && !TextCursor::is_space(text[at])) ||
            !std::isfinite(number)) {
          return bad_number(row, at, i);
        }
        q[columns_[i].q] = number * columns_[i].factor;
      }
      while (at < text.size() && TextCursor::is_space(text[at]) && !TextCursor::is_line_end(text[at])) ++at;
      if (at < text.size() && !TextCursor::is_line_end(text[at])) return bad_row(row);
      if (at >= next_report) {
        next_report = at + kProgressBytes;
        if (options_.progress != nullptr &&
            !options_.progress(static_cast<double>(at) / static_cast<double>(text.size()), options_.progress_context)) {
          return source_.error("The reading was stopped.");
        }
      }
    }
    skip_space(text, at);
    if (at < text.size()) {
      document_.notes.push_back(source_.where(at) + ": more follows after the " + pretty_number(frames, 15) +
                                " frames that the header says; it is left out.");
    }
    return {};
  }

  static void skip_space(std::string_view text, std::size_t& at) {
    while (at < text.size() && TextCursor::is_space(text[at])) ++at;
  }

  Error bad_number(std::size_t row, std::size_t at, std::size_t index) const {
    const std::string_view text = source_.bytes;
    if (at == text.size() || (index > 0 && source_.line(row) != source_.line(at))) return bad_row(row);
    while (at > row && !TextCursor::is_space(text[at - 1])) --at;  // scan_number may stop inside "1,5"
    TextCursor cursor(text);
    cursor.set_position(at);
    const std::string word(cursor.rest_of_line().substr(0, 200));
    const std::string shown = word.substr(0, std::min(word.find_first_of(" \t"), word.size()));
    return error(at, "Number " + std::to_string(index + 1) + " of the frame is " +
                         armature::detail::quoted(to_utf8(shown)) +
                         "; a finite number with a decimal point is expected.");
  }

  // Says which line of the frame that begins at `row` has another count of numbers than there are channels.
  Error bad_row(std::size_t row) const {
    TextCursor cursor(source_.bytes);
    cursor.set_position(row);
    std::size_t numbers = 0;
    for (double number = 0.0; !cursor.at_line_end() && parse_number(cursor.word(), number);) ++numbers;
    return error(row, "The line has " + std::to_string(numbers) + " numbers where " + std::to_string(columns_.size()) +
                          " are needed, one for each channel.");
  }

  // Both conventions are in use for bones below the root: absolute positions lie near the OFFSET, added ones near 0.
  // Roots are absolute, as Blender and most others read them.
  void choose_position_convention() {
    Clip* const clip = document_.clips.empty() ? nullptr : &document_.clips.front();
    double from_offset = 0.0;
    double from_zero = 0.0;
    int undecided = 0;
    for (std::size_t b = 0; b < bones_.size(); ++b) {
      if (bones_[b].parent < 0 || bones_[b].offset.isZero(0.0) || clip == nullptr) continue;
      bool slides = false;
      const int step = std::max(1, clip->frame_count() / 64);
      for_each_position(b, [&](int q, int axis) {
        slides = true;
        for (int f = 0; f < clip->frame_count(); f += step) {
          from_offset += std::abs(clip->frame(f)[q] - bones_[b].offset[axis]);
          from_zero += std::abs(clip->frame(f)[q]);
        }
      });
      undecided += slides ? 1 : 0;
    }
    const bool automatic = options_.bvh_positions == "auto";
    const bool absolute = automatic ? from_offset < from_zero : options_.bvh_positions == "absolute";
    if (undecided > 0 && automatic) {
      document_.notes.push_back("Positions of " + bones_below(undecided) + " are taken as " +
                                (absolute ? "absolute: they lie near the OFFSETs." : "added to the OFFSETs.") +
                                " The option bvh_positions decides otherwise.");
    }
    for (std::size_t b = 0; b < bones_.size(); ++b) {
      bones_[b].absolute = bones_[b].parent < 0 || absolute;
      if (!bones_[b].absolute || clip == nullptr) continue;
      for_each_position(b, [&](int q, int axis) {
        const double shift = bones_[b].offset[axis];
        if (shift == 0.0) return;
        for (int f = 0; f < clip->frame_count(); ++f) clip->frame(f)[q] -= shift;
      });
    }
  }

  // Many programs write positions for every bone. Where they never leave the OFFSET the bone shall not come apart when
  // it is posed: limits hold it.
  void hold_still_positions() {
    if (document_.clips.empty()) return;
    const Clip& clip = document_.clips.front();
    double longest = 0.0;
    for (const BvhBone& bone : bones_) longest = std::max(longest, bone.offset.norm());
    const std::size_t first = document_.linkage.joints.size() - bones_.size();
    int held = 0;
    for (std::size_t b = 0; b < bones_.size(); ++b) {
      Joint& joint = document_.linkage.joints[first + b];
      if (bones_[b].parent < 0 || !std::holds_alternative<FreeEuler>(joint.type)) continue;
      double lower[3] = {0.0, 0.0, 0.0};
      double upper[3] = {0.0, 0.0, 0.0};
      bool still = true;
      for_each_position(b, [&](int q, int axis) {
        for (int f = 0; f < clip.frame_count() && still; ++f) {
          lower[axis] = std::min(lower[axis], clip.frame(f)[q]);
          upper[axis] = std::max(upper[axis], clip.frame(f)[q]);
          still = upper[axis] - lower[axis] <= kStill * longest;
        }
      });
      if (!still) continue;
      ++held;
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      joint.limits.lower.resize(6, -kInfinity);
      joint.limits.upper.resize(6, kInfinity);
      std::copy(lower, lower + 3, joint.limits.lower.begin());
      std::copy(upper, upper + 3, joint.limits.upper.begin());
    }
    if (held > 0) {
      document_.notes.push_back("Positions of " + bones_below(held) +
                                " never change; limits hold them in their places.");
    }
  }

  template <class F>
  void for_each_position(std::size_t b, const F& f) const {
    const BvhBone& bone = bones_[b];
    for (std::size_t i = 0; i < bone.channels.size(); ++i) {
      if (!is_rotation(bone.channels[i])) f(q_index_[b] + bvh_coordinate(bone, i), axis_of(bone.channels[i]));
    }
  }

  Source source_;
  const ReadOptions& options_;
  TextCursor cursor_;
  Document document_;
  std::vector<BvhBone> bones_;
  std::vector<Column> columns_;
  std::vector<int> q_index_;  // of each bone
  int q_size_ = 0;
};

}  // namespace

bool detect_bvh(std::string_view bytes) {
  TextCursor cursor(without_bom(bytes.substr(0, 4096)));
  return same_word(cursor.word(), "hierarchy");
}

Result<Document> read_bvh(std::string_view bytes, const ReadOptions& options) {
  return BvhReader(bytes, options).read();
}

}  // namespace armature::inline v0_2
