#include "armature/draw/draw.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/draw/figure.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/motion/clips.hpp"
#include "armature/motion/drive.hpp"
#include "armature/motion/figure.hpp"
#include "armature/scene/files.hpp"

namespace armature::inline v0_2 {
namespace {

using namespace drawing;

// One drawn pose.
struct Still {
  VecX q;
  State state;
  int frame = 0;
  Vec3 shift = Vec3::Zero();  // brings the figure back to the panel's middle
};

// "0.50": seconds to hundredths, whatever the locale.
std::string hundredths(double value) {
  const long long all = std::llround(100.0 * value);
  const std::string digits = std::to_string(100 + std::abs(all) % 100).substr(1);
  return (all < 0 ? "-" : "") + std::to_string(std::abs(all) / 100) + "." + digits;
}

// A title in lines that the picture has room for, broken between words.
std::vector<std::string> title_lines(const std::string& title, double width) {
  constexpr double kLetter = 8.4;  // bold, 14
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < title.size();) {
    const std::size_t end = std::min(title.find(' ', begin), title.size());
    const std::string word = title.substr(begin, end - begin);
    if (!lines.empty() && kLetter * static_cast<double>(lines.back().size() + 1 + word.size()) <= width) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
    begin = end + 1;
  }
  return lines;
}

// The part of a line that lies in the panel (Liang and Barsky 1984).
void clipped_line(Svg& svg, const View& view, const Bounds& box, const Vec2& a, const Vec2& b, const Pen& pen) {
  double from = 0.0;
  double to = 1.0;
  for (int k = 0; k < 2; ++k) {
    const double way = b[k] - a[k];
    if (std::abs(way) < 1e-12) {
      if (a[k] < box.low[k] || a[k] > box.high[k]) return;
      continue;
    }
    const double enter = ((way > 0 ? box.low[k] : box.high[k]) - a[k]) / way;
    const double leave = ((way > 0 ? box.high[k] : box.low[k]) - a[k]) / way;
    from = std::max(from, enter);
    to = std::min(to, leave);
  }
  if (from < to) svg.line(view(Vec2(a + from * (b - a))), view(Vec2(a + to * (b - a))), pen);
}

class Drawing {
 public:
  Drawing(const Model& model, const DrawOptions& options) : options_(options), model_(model) {}

  /// A pose, or the frames of a motion.
  Status prepare(const VecX* q, const Clip* clip) {
    planar_ = is_planar(model_);
    // A figure tells its up itself; of anything else its file does.
    const Figure figure = guess_figure(model_);
    const bool tells = clip != nullptr && clip->frame_count() > 0 && figure.has_legs();
    const bool stands_y = tells ? std::abs(clips::up_of(model_, *clip).y()) > 0.5 : model_.linkage().up == "y";
    if (!options_.up.empty() && options_.up != "y" && options_.up != "z") {
      return Error{unknown_name("axis", options_.up, {"y", "z"})};
    }
    const bool y_up = options_.up.empty() ? stands_y : options_.up == "y";
    if (clip != nullptr) followed_ = figure.pelvis >= 0 ? figure.pelvis : std::max(0, clips::root_of(model_, *clip));
    const std::string view = !options_.view.empty() ? options_.view : planar_ ? "top" : "oblique";
    const Result<Camera> camera = camera_named(view, y_up && !planar_);
    if (!camera) return camera.error();
    camera_ = *camera;
    if (!options_.style.empty() && options_.style != "sticks" && options_.style != "shapes") {
      return Error{unknown_name("style", options_.style, {"sticks", "shapes"})};
    }
    sticks_ = options_.style.empty() ? planar_ || !has_shapes(model_, options_.meshes) : options_.style == "sticks";
    if (clip == nullptr) {
      take(*q, 0);
      return {};
    }
    frame_time_ = clip->frame_time;
    const Result<std::vector<int>> frames = drawn_frames(options_, clip->frame_count());
    if (!frames) return frames.error();
    for (const int f : *frames) take(Eigen::Map<const VecX>(clip->frame(f), clip->q_size), f);
    if (options_.follow) follow();
    for (const LinkPoint& of : options_.trail) {
      const Result<int> link = resolve(model_, of.link);
      if (!link) return link.error();
      if (!of.point.allFinite()) return Error{"A point of a trail needs finite numbers."};
      trails_.push_back(trail(model_, *clip, *link, of.point));
    }
    return {};
  }

  bool finite() const {
    return std::all_of(stills_.begin(), stills_.end(), [](const Still& still) {
      return std::all_of(still.state.X_WL.begin(), still.state.X_WL.end(),
                         [](const Transform& X) { return X.is_finite() && X.position.norm() < 1e100; });
    });
  }

  Svg draw() const {
    const bool strip = options_.onion == 0 && stills_.size() > 1;
    Bounds bounds;
    for (const Still& still : stills_) {
      add_figure(bounds, model_, still.state, still.q, camera_, still.shift, style_of(0.0));
      for (const auto& trail : trails_) add_trail(bounds, trail, still, strip);
      for (const Vec3& goal : options_.goals) bounds.add(camera_.flat(goal + still.shift));
    }
    const Vec2 span = (bounds.high - bounds.low).cwiseMax(0.05 * model_.size());
    bounds.grow((sticks_ ? 0.07 : 0.04) * span.maxCoeff());
    if (!((bounds.high - bounds.low).maxCoeff() > 0.0)) {  // a single point, or too far away to tell points apart
      bounds.grow(std::max(0.5, 1e-3 * bounds.high.cwiseAbs().maxCoeff()));
    }
    if (options_.follow) {  // a narrow figure keeps some of the floor on either side
      const Vec2 beside(std::max(0.0, 0.5 * (0.45 * (bounds.high - bounds.low).y() - (bounds.high - bounds.low).x())),
                        0.0);
      bounds.low -= beside;
      bounds.high += beside;
    }
    const Vec2 room = bounds.high - bounds.low;

    const std::size_t panels = strip ? stills_.size() : 1;
    const std::size_t columns = std::min(panels, static_cast<std::size_t>(options_.columns > 0 ? options_.columns : 8));
    const std::size_t rows = (panels + columns - 1) / columns;
    const double longest = options_.size > 0.0 ? options_.size : strip ? 190.0 : 460.0;
    const Vec2 panel = room * (longest / room.maxCoeff());
    const double label = strip ? 20.0 : 0.0;
    constexpr double kMargin = 12.0;
    constexpr double kGap = 8.0, kLine = 18.0;
    const double width = static_cast<double>(columns) * (panel.x() + kGap) - kGap;
    const std::vector<std::string> heading = title_lines(options_.title, width);
    const double title = heading.empty() ? 0.0 : 8.0 + kLine * static_cast<double>(heading.size());
    Svg svg(2 * kMargin + width, 2 * kMargin + title + static_cast<double>(rows) * (panel.y() + label + kGap) - kGap,
            options_.title.empty() ? model_.name() : options_.title);
    for (std::size_t i = 0; i < heading.size(); ++i) {
      svg.text(Vec2(kMargin, kMargin + 14 + kLine * static_cast<double>(i)), heading[i],
               {14, ink::kText, "start", true, false, 0});
    }
    constexpr double kLetter = 6.7;  // widest fonts
    int words = 2;                   // as much as every panel has room for
    for (const Still& still : stills_) {
      while (words > 0 && kLetter * static_cast<double>(caption_of(still, words).size()) >= panel.x()) --words;
    }
    for (std::size_t i = 0; i < panels; ++i) {
      const std::size_t row = i / columns;
      const Vec2 corner(kMargin + static_cast<double>(i % columns) * (panel.x() + kGap),
                        kMargin + title + label + static_cast<double>(row) * (panel.y() + label + kGap));
      const View view(bounds.low, bounds.high, corner, panel);
      if (strip) {
        svg.rectangle(corner, panel, {ink::kFaint, 0.8, "#fcfcfb", "", 1.0}, 3.0);
        const std::string caption = caption_of(stills_[i], words);
        svg.text(corner + Vec2(0.5 * panel.x(), -6), caption, {11, ink::kSoft, "middle", false, false, 0});
        draw_floor(svg, view, bounds, stills_[i].shift);
        draw_trails(svg, view, stills_[i], true);
        draw_still(svg, view, stills_[i], 0.0);
        for (const Vec3& goal : options_.goals) draw_goal(svg, view(camera_.flat(goal + stills_[i].shift)), 4.5);
        continue;
      }
      draw_floor(svg, view, bounds, stills_.back().shift);
      draw_trails(svg, view, stills_.back(), false);
      for (std::size_t k = 0; k < stills_.size(); ++k) {  // older ones are paler
        const double age = stills_.size() > 1 ? static_cast<double>(k) / static_cast<double>(stills_.size() - 1) : 1.0;
        draw_still(svg, view, stills_[k], k + 1 == stills_.size() ? 0.0 : 0.8 - 0.3 * age);
      }
      for (const Vec3& goal : options_.goals) draw_goal(svg, view(camera_.flat(goal)), 6.0);
    }
    return svg;
  }

 private:
  using Trail = std::vector<Vec3>;  // one place a frame

  void take(const VecX& q, int frame) {
    Still still;
    still.q = q;
    still.frame = frame;
    forward(model_, q, still.state);
    stills_.push_back(std::move(still));
  }

  // "frame 12, 0.50 s", "frame 12", or "12".
  std::string caption_of(const Still& still, int words) const {
    const std::string number = std::to_string(still.frame);
    if (words == 0) return number;
    return "frame " + number + (words > 1 ? ", " + hundredths(still.frame * frame_time_) + " s" : "");
  }
  Vec3 place_of(const Still& still) const { return still.state.X_WL[static_cast<std::size_t>(followed_)].position; }

  void follow() {
    for (Still& still : stills_) {  // only along the floor
      const Vec3 way = place_of(stills_.front()) - place_of(still);
      still.shift = way - camera_.floor_normal * camera_.floor_normal.dot(way);
    }
  }

  void add_trail(Bounds& bounds, const Trail& trail, const Still& still, bool until_now) const {
    if (options_.follow) return;  // it leaves the panel
    for (std::size_t f = 0; f < trail.size() && (!until_now || static_cast<int>(f) <= still.frame); ++f) {
      bounds.add(camera_.flat(trail[f] + still.shift));
    }
  }

  void draw_trails(Svg& svg, const View& view, const Still& still, bool until_now) const {
    for (std::size_t t = 0; t < trails_.size(); ++t) {
      std::vector<Vec2> line;
      for (std::size_t f = 0; f < trails_[t].size(); ++f) {
        const int age = still.frame - static_cast<int>(f);
        if (until_now && (age < 0 || (options_.follow && age > 15))) continue;
        line.push_back(view(camera_.flat(trails_[t][f] + still.shift)));
      }
      svg.polyline(line, Pen::line(t == 0 ? ink::kPath : ink::kColumns[(t - 1) % 3], 1.3));
      if (line.size() <= 60) {
        for (const Vec2& p : line) svg.circle(p, 1.4, Pen::filled(t == 0 ? ink::kPath : ink::kColumns[(t - 1) % 3]));
      }
    }
  }

  // The floor below everything drawn: a line seen from the side, tiles seen from above.
  void draw_floor(Svg& svg, const View& view, const Bounds& bounds, const Vec3& shift) const {
    if (planar_ || std::abs(camera_.floor_normal.dot(camera_.towards)) > 0.999) return;
    double height = 1e300;
    for (const Still& still : stills_) {
      for (const Transform& X : still.state.X_WL) height = std::min(height, camera_.floor_normal.dot(X.position));
    }
    height = height > -0.02 * model_.size() && height < 0.12 * model_.size() ? std::min(height, 0.0) : height;
    if (!camera_.looks_down) {
      const Vec3 at = camera_.floor_normal * height;
      const double y = camera_.up.dot(at);
      svg.line(view(Vec2(bounds.low.x(), y)), view(Vec2(bounds.high.x(), y)), Pen::line(ink::kSoft, 0.9));
      return;
    }
    const Vec3 u = camera_.floor_normal.cross(camera_.floor_normal.unitOrthogonal()).normalized();
    const Vec3 v = camera_.floor_normal.cross(u);
    const double decade = std::pow(10.0, std::floor(std::log10(model_.size())));
    const double tile = model_.size() > 2.5 * decade ? 0.5 * decade : 0.2 * decade;  // they lie still in the world
    // Tiles may be small beside the figure; followed, it has its feet on them.
    const double reach = std::max(2.0, options_.follow ? std::ceil(0.4 * model_.size() / tile) : 0.0) * tile;
    double low_u = 1e300, high_u = -1e300, low_v = 1e300, high_v = -1e300;
    for (const Still& still : stills_) {
      const Vec3 p = place_of(still) + (options_.follow ? still.shift : Vec3(Vec3::Zero()));
      low_u = std::min(low_u, u.dot(p) - reach), high_u = std::max(high_u, u.dot(p) + reach);
      low_v = std::min(low_v, v.dot(p) - reach), high_v = std::max(high_v, v.dot(p) + reach);
    }
    // Tiles that are too many, or too far away to be told apart, are not drawn.
    const double farthest = std::max({std::abs(low_u), std::abs(high_u), std::abs(low_v), std::abs(high_v)});
    if (!(tile > 0.0) || !(farthest < 1e9 * tile) || !(high_u - low_u + high_v - low_v < 1e3 * tile)) return;
    const Vec3 base = camera_.floor_normal * height;
    const Pen pen = Pen::line(ink::kFaint, 0.8);
    const double su = u.dot(shift);
    const double sv = v.dot(shift);
    for (double x = std::ceil((low_u - su) / tile) * tile + su; x <= high_u + 1e-9; x += tile) {
      clipped_line(svg, view, bounds, camera_.flat(base + x * u + low_v * v), camera_.flat(base + x * u + high_v * v),
                   pen);
    }
    for (double y = std::ceil((low_v - sv) / tile) * tile + sv; y <= high_v + 1e-9; y += tile) {
      clipped_line(svg, view, bounds, camera_.flat(base + low_u * u + y * v), camera_.flat(base + high_u * u + y * v),
                   pen);
    }
  }

  FigureStyle style_of(double pale) const {
    FigureStyle style;
    style.sticks = sticks_;
    style.width = planar_ ? (options_.onion > 0 || stills_.size() == 1 ? 11.0 : 7.5) : 5.0;
    style.pale = pale;
    style.ground = planar_ && model_.joint(0).q_count == 0;
    style.limits = options_.limits && pale == 0.0;
    style.labels = options_.labels && pale == 0.0;
    style.meshes = &options_.meshes;
    style.bones_only = options_.follow;
    return style;
  }
  void draw_still(Svg& svg, const View& view, const Still& still, double pale) const {
    draw_figure(svg, model_, still.state, still.q, camera_, view, still.shift, style_of(pale));
  }

  const DrawOptions& options_;
  const Model& model_;
  double frame_time_ = 0.0;
  int followed_ = 0;  // the link that stays in the middle
  bool planar_ = false;
  bool sticks_ = true;
  Camera camera_;
  std::vector<Still> stills_;
  std::vector<Trail> trails_;
};

Result<Svg> drawn(const Model& model, const VecX* q, const Clip* clip, const DrawOptions& options) {
  for (const Vec3& goal : options.goals) {
    if (!goal.allFinite()) return Error{"A marker needs finite numbers."};
  }
  if (options.strip > 0 && options.onion > 0) return Error{"Either strip or onion, not both."};
  if (!(options.size >= 0.0 && options.size <= 1e5)) return Error{"The size of a panel lies between 0 and 100000."};
  Drawing drawing(model, options);
  if (const Status status = drawing.prepare(q, clip); !status) return status.error();
  if (!drawing.finite()) return Error{"The pose lies too far away to be drawn."};
  return drawing.draw();
}

// Where a goal points to: its target, as far as it is a place.
struct TargetPlace {
  template <class G>
  std::optional<std::pair<LinkRef, Vec3>> operator()(const G& goal) const {
    if constexpr (requires {
                    goal.base;
                    goal.target;
                  }) {
      if constexpr (std::is_same_v<std::decay_t<decltype(goal.target)>, Vec3>) return {{goal.base, goal.target}};
      if constexpr (std::is_same_v<std::decay_t<decltype(goal.target)>, Transform>) {
        return {{goal.base, goal.target * Vec3(Vec3::Zero())}};
      }
    }
    return {};
  }
};

}  // namespace

Result<std::vector<int>> drawn_frames(const DrawOptions& options, int frame_count) {
  if (frame_count < 1) return Error{"There is no motion to draw: it has no frames."};
  for (const int f : options.at) {
    if (f < 0 || f >= frame_count) {
      return Error{"There is no frame " + std::to_string(f) + "; the frames are 0 to " +
                   std::to_string(frame_count - 1) + "."};
    }
  }
  if (!options.at.empty()) return options.at;
  std::vector<int> frames;
  const int wanted = std::min(frame_count, std::max({options.strip, options.onion, 1}));
  for (int i = 0; i < wanted; ++i) {
    const double place = static_cast<double>(i) * (frame_count - 1) / std::max(1, wanted - 1);
    frames.push_back(static_cast<int>(std::lround(place)));
  }
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  return frames;
}

Result<Svg> draw(const Model& model, const VecX& q, const DrawOptions& options) {
  if (q.size() != model.q_size() || !q.allFinite()) {
    return Error{"A pose of this model is " + std::to_string(model.q_size()) + " finite numbers."};
  }
  return drawn(model, &q, nullptr, options);
}

Result<Svg> draw(const Model& model, const Clip& clip, const DrawOptions& options) {
  if (clip.q_size != model.q_size()) return Error{"The motion is of another model."};
  return drawn(model, nullptr, &clip, options);
}

Result<Svg> draw(const Clip& clip, const DrawOptions& options) {
  if (clip.model.empty()) return Error{"This motion does not know its model; set clip.model."};
  return draw(clip.model, clip, options);
}

Result<std::vector<std::string>> save(const std::string& path, const Svg& picture) {
  if (path.size() < 4 || path.compare(path.size() - 4, 4, ".svg") != 0) {
    return Error{"A picture is written as .svg, not " + detail::quoted(path) +
                 "; `armature draw` writes .png and .pdf."};
  }
  if (const Status status = write_file_atomically(path, picture.str()); !status) return status.error();
  return std::vector<std::string>{};
}

Result<Svg> draw(const Problem& problem, const VecX& q, DrawOptions options) {
  if (q.size() != problem.model.q_size()) return draw(problem.model, q, options);
  const State state = forward(problem.model, q);
  for (const Goal& goal : problem.goals) {
    const auto place = std::visit(TargetPlace{}, goal);
    if (!place || !place->second.allFinite()) continue;
    const Result<int> base = resolve_frame(problem.model, place->first);
    if (!base) continue;  // the search has refused it
    const bool world = *base == kWorld;
    options.goals.push_back(world ? place->second : state.X_WL[static_cast<std::size_t>(*base)] * place->second);
  }
  return draw(problem.model, q, options);
}

}  // namespace armature::inline v0_2
