#include "armature/scene/clip_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/scene/pose_text.hpp"

namespace armature::inline v0_2 {
namespace {

struct ToolUse {
  ClipWork& work;
  std::string argument;
  const ClipLoader& load;
};

Result<double> number_in(std::string_view text, const char* kind, const char* what) {
  const Result<double> number = parse_quantity(text, kind, what);
  return number ? number : Error{std::string(what) + ", not " + detail::quoted(text) + "."};
}

// "FILE,key=value,word": the first part, then settings.
struct Settings {
  std::string file;
  std::vector<std::pair<std::string, std::string>> values;
};
Settings settings_of(const std::string& argument) {
  Settings out;
  for (const std::string& part : split_list(argument)) {
    const std::size_t equals = part.find('=');
    if (out.file.empty() && equals == std::string::npos) {
      out.file = part;
    } else {
      out.values.emplace_back(part.substr(0, equals), equals == std::string::npos ? "" : part.substr(equals + 1));
    }
  }
  return out;
}

Status replace(ToolUse& use, Result<Clip> made) {
  if (!made) return made.error();
  use.work.clip = std::move(*made);
  return {};
}

Status trim_it(ToolUse& use) {
  std::string texts[2];
  if (!split_range(use.argument, texts[0], texts[1])) {
    return Error{detail::quoted(use.argument) + " should look like 1..2.5 (seconds)."};
  }
  double ends[2] = {0.0, use.work.clip.duration()};
  for (int k = 0; k < 2; ++k) {
    if (texts[k].empty()) continue;  // from the start, to the end
    const Result<double> given = number_in(texts[k], "time", "");
    if (!given) return Error{"A part is FROM..TO in seconds, not " + detail::quoted(use.argument) + "."};
    ends[k] = *given;
  }
  return replace(use, clips::trim(use.work.model, use.work.clip, ends[0], ends[1]));
}

Status resample_it(ToolUse& use) {
  const Result<double> rate = number_in(use.argument, "", "resample takes frames per second");
  if (!rate) return rate.error();
  return replace(use, clips::resample(use.work.model, use.work.clip, 1.0 / *rate));
}

Status speed_it(ToolUse& use) {
  const Result<double> factor = number_in(use.argument, "", "speed takes a factor such as 1.5");
  if (!factor) return factor.error();
  return replace(use, clips::speed(use.work.model, use.work.clip, *factor));
}

Status loop_it(ToolUse& use) {
  clips::JoinOptions options;
  options.up = use.work.up;
  if (!use.argument.empty()) {
    const Result<double> blend = number_in(use.argument, "time", "loop takes seconds");
    if (!blend) return blend.error();
    options.blend = *blend;
  }
  return replace(use, clips::loop(use.work.model, use.work.clip, options));
}

Result<Clip> other_clip(ToolUse& use, const std::string& file) {
  if (!use.load) return Error{"this needs a file, and none can be opened here."};
  return use.load(file);
}

Status concat_it(ToolUse& use) {
  const Settings settings = settings_of(use.argument);
  clips::JoinOptions options;
  options.up = use.work.up;
  for (const auto& [key, text] : settings.values) {
    if (key == "blend") {
      const Result<double> blend = number_in(text, "time", "blend takes seconds");
      if (!blend) return blend.error();
      options.blend = *blend;
    } else if (key == "no_align" && text.empty()) {
      options.align = false;
    } else {
      return Error{unknown_name("setting", key, {"blend", "no_align"})};
    }
  }
  const Result<Clip> next = other_clip(use, settings.file);
  if (!next) return next.error();
  return replace(use, clips::concat(use.work.model, use.work.clip, *next, options));
}

Status layer_it(ToolUse& use) {
  const Settings settings = settings_of(use.argument);
  clips::LayerOptions options;
  for (const auto& [key, text] : settings.values) {
    double* number = key == "weight"  ? &options.weight
                     : key == "start" ? &options.start
                     : key == "fade"  ? &options.fade
                                      : nullptr;
    if (number != nullptr) {
      const Result<double> given = number_in(text, key == "weight" ? "" : "time", "A layer's setting takes a number");
      if (!given) return given.error();
      *number = *given;
    } else if (key == "additive" && text.empty()) {
      options.additive = true;
    } else if (key == "link") {
      const Result<int> link = use.work.model.find_link(text);
      if (!link) return link.error();
      options.links.push_back(*link);
    } else {
      return Error{unknown_name("setting", key, {"link", "weight", "start", "fade", "additive"})};
    }
  }
  const Result<Clip> over = other_clip(use, settings.file);
  if (!over) return over.error();
  return replace(use, clips::layer(use.work.model, use.work.clip, *over, options));
}

Status in_place_it(ToolUse& use) {
  clips::RootOptions options;
  options.up = use.work.up;
  for (const std::string& part : split_list(use.argument)) {
    if (part == "turn") {
      options.turn = true;
    } else {
      const Result<double> seconds = number_in(part, "time", "in-place takes `turn`, or seconds of smoothing");
      if (!seconds) return seconds.error();
      options.smooth = *seconds;
    }
  }
  Result<clips::RootMotion> moved = clips::in_place(use.work.model, use.work.clip, options);
  if (!moved) return moved.error();
  use.work.clip = std::move(moved->clip);
  use.work.travel = std::move(moved->travel);
  return {};
}

Status smooth_it(ToolUse& use) {
  const Result<double> seconds = number_in(use.argument, "time", "smooth takes seconds");
  if (!seconds) return seconds.error();
  return replace(use, clips::smooth(use.work.model, use.work.clip, *seconds));
}

Status reduce_it(ToolUse& use) {
  const Result<double> tolerance = number_in(use.argument, "length", "reduce takes a length such as 2mm");
  if (!tolerance) return tolerance.error();
  Result<clips::Reduced> reduced = clips::reduce(use.work.model, use.work.clip, *tolerance);
  if (!reduced) return reduced.error();
  use.work.notes.push_back(
      "Reduced to " + std::to_string(reduced->key_count) + " of " + std::to_string(reduced->frame_keys) +
      " keys; no link is more than " + pretty_number(reduced->error, 3) +
      " (the file's unit of length) off its way. glTF files hold these keys, other motion files all "
      "frames; --keys writes them as the keys of a scene.");
  use.work.clip = std::move(reduced->clip);
  use.work.keys = std::move(reduced->keys);
  return {};
}

Status optimize_it(ToolUse& use) {
  clips::OptimizeOptions options;
  for (const std::string& part : split_list(use.argument)) {
    const std::size_t equals = part.find('=');
    const std::string key = part.substr(0, equals);
    const std::string text = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (key == "smooth") {
      const Result<double> seconds = number_in(text, "time", "smooth takes seconds");
      if (!seconds) return seconds.error();
      options.smooth = *seconds;
    } else if (key == "pin") {  // LINK@FROM..TO
      const std::size_t mark = text.rfind('@');
      std::string texts[2];
      if (mark == std::string::npos || !split_range(std::string_view(text).substr(mark + 1), texts[0], texts[1])) {
        return Error{"A pin is pin=LINK@FROM..TO (seconds)."};
      }
      const Result<int> link = use.work.model.find_link(text.substr(0, mark));
      const Result<double> from = number_in(texts[0], "time", "A pin is pin=LINK@FROM..TO (seconds)");
      const Result<double> to = number_in(texts[1], "time", "A pin is pin=LINK@FROM..TO (seconds)");
      if (!link) return link.error();
      if (!from) return from.error();
      if (!to) return to.error();
      const double last = use.work.clip.frame_count() - 1;
      if (!(*from <= *to && *to >= 0.0 && *from <= use.work.clip.duration())) {
        return Error{"A pin from " + pretty_number(*from) + " to " + pretty_number(*to) +
                     " s does not lie in a motion of " + pretty_number(use.work.clip.duration()) + " s."};
      }
      clips::Pin pin;
      pin.link = *link;
      pin.first = static_cast<int>(std::clamp(std::round(*from / use.work.clip.frame_time), 0.0, last));
      pin.last = static_cast<int>(std::clamp(std::round(*to / use.work.clip.frame_time), 0.0, last));
      options.pins.push_back(pin);
    } else {
      return Error{unknown_name("setting", key, {"smooth", "pin"})};
    }
  }
  Result<clips::Optimized> done = clips::optimize(use.work.model, use.work.clip, options);
  if (!done) return done.error();
  use.work.notes.push_back("Optimized in " + std::to_string(done->iterations) + " iterations: changes of velocity " +
                           pretty_number(done->roughness, 3) + " per frame, before " +
                           pretty_number(done->roughness_before, 3) +
                           (options.pins.empty() ? "" : "; pins within " + pretty_number(done->pin_error, 3)) + ".");
  use.work.clip = std::move(done->clip);
  return {};
}

struct ToolEntry {
  ClipTool tool;
  Status (*apply)(ToolUse& use);
};

constexpr ToolEntry kTools[] = {
    {{"trim", "FROM..TO", "The part between two times in seconds; either may be left out"}, trim_it},
    {{"resample", "RATE", "Another number of frames per second"}, resample_it},
    {{"reverse", "", "Backwards"}, [](ToolUse& use) { return replace(use, clips::reverse(use.work.clip)); }},
    {{"speed", "FACTOR", "So many times as fast, at the same frame rate"}, speed_it},
    {{"loop", "[SECONDS]", "Change the ends, over so many seconds, so that the end leads into the start"}, loop_it},
    {{"concat", "FILE[,blend=SECONDS][,no_align]", "Another motion after it, from where this one ends"}, concat_it},
    {{"mirror", "", "Exchange left and right"},
     [](ToolUse& use) { return replace(use, clips::mirror(use.work.model, use.work.clip)); }},
    {{"in_place", "[turn][,SECONDS]", "Take out the travel over the ground (and the heading); SECONDS keeps the sway"},
     in_place_it},
    {{"layer", "FILE[,link=LINK][,weight=W][,start=S][,fade=S][,additive]",
      "Another motion on top, for a link and all below it"},
     layer_it},
    {{"smooth", "SECONDS", "Every joint through a Gaussian window"}, smooth_it},
    {{"feet", "", "Hold feet still while they stand, and keep them out of the ground"},
     [](ToolUse& use) { return replace(use, clips::feet(use.work.model, use.work.clip)); }},
    {{"optimize", "[smooth=SECONDS][,pin=LINK@FROM..TO]",
      "The whole motion at once: smooth, inside limits, links pinned"},
     optimize_it},
    {{"reduce", "LENGTH", "Few keys, with no link further than this from its way"}, reduce_it},
};

}  // namespace

std::span<const ClipTool> clip_tools() {
  static constexpr auto kNames = [] {
    std::array<ClipTool, std::size(kTools)> tools{};
    for (std::size_t i = 0; i < tools.size(); ++i) tools[i] = kTools[i].tool;
    return tools;
  }();
  return kNames;
}

Status apply_clip_tool(ClipWork& work, std::string_view tool, std::string_view argument, const ClipLoader& load) {
  std::string name(tool);
  std::replace(name.begin(), name.end(), '-', '_');
  std::vector<std::string> names;
  for (const ToolEntry& entry : kTools) {
    names.emplace_back(entry.tool.name);
    if (name != entry.tool.name) continue;
    const std::string_view wants = entry.tool.argument;
    if (wants.empty() ? !argument.empty() : wants[0] != '[' && argument.empty()) {
      return Error{wants.empty()
                       ? "The tool " + detail::quoted(name) + " takes nothing, not " + detail::quoted(argument) + "."
                       : "The tool " + detail::quoted(name) + " needs " + std::string(wants) + "."};
    }
    work.keys.reset();
    ToolUse use{work, std::string(argument), load};
    const Status done = entry.apply(use);
    return done.ok() ? done : Status(Error{name + ": " + done.message()});
  }
  return Error{unknown_name("clip tool", name, names)};
}

void write_stats(JsonText& json, const Model& model, const clips::ClipStats& stats) {
  json.begin_object().member("frames", stats.frames).member("duration", stats.duration);
  json.member("travel", stats.travel).member("distance", stats.distance).member("top_speed", stats.top_speed);
  json.member("largest_step", stats.check.largest_step).member("largest_speed_ratio", stats.check.largest_speed_ratio);
  json.key("joints").begin_object();
  for (const clips::JointStats& joint : stats.joints) {
    json.key(model.joint(joint.link).name).begin_object().member("largest_speed", joint.largest_speed);
    if (model.joint(joint.link).q_count == 1) {
      json.member("lowest", joint.lowest).member("highest", joint.highest);
    }
    json.member("outside_limits", joint.outside_limits).end();
  }
  json.end().key("stances").begin_array();
  for (const clips::Stance& stance : stats.stances) {
    json.begin_object().member("link", model.link_name(stance.link)).member("part", stance.toe ? "toe" : "heel");
    json.member("first", stance.first).member("last", stance.last).member("slide", stance.slide).end();
  }
  json.end().member("largest_slide", stats.largest_slide).end();
}

void write_keys(JsonText& json, const Model& model, const Keyframes& keys) {
  json.begin_object().member("interpolation", "linear");
  if (keys.periodic()) json.member("periodic", true);
  json.key("joints").begin_object();
  for (int i = 0; i < model.link_count(); ++i) {
    const std::vector<Key>& track = keys.tracks()[static_cast<std::size_t>(i)];
    if (track.empty()) continue;
    json.key(model.joint(i).name).begin_array();
    for (const Key& key : track) {
      json.begin_object().member("time", key.time).key("value");
      if (key.values.size() == 1) {
        json.value(key.values[0]);
      } else {
        json.numbers(key.values.data(), static_cast<Eigen::Index>(key.values.size()));
      }
      if (key.interpolation != Interpolation::linear) {
        json.member("interpolation", interpolation_name(key.interpolation));
      }
      json.end();
    }
    json.end();
  }
  json.end().end();
}

}  // namespace armature::inline v0_2
