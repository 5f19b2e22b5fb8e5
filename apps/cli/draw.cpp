// `armature draw MODEL`: a pose, a film strip, onion skins, with trails, goals and the ranges of joints.
#include "draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "armature/base/number.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/clips.hpp"
#include "armature/motion/figure.hpp"
#include "commands.hpp"
#include "motion_input.hpp"
#include "picture.hpp"
#include "scene.hpp"
#include "solving.hpp"

namespace armature::cli {
namespace {

struct DrawFlags {
  std::string model, motion, clip, pose, out, frames, view, up, style, title;
  std::vector<std::string> trails, goals;
  int strip = 0;
  int onion = 0;
  int columns = 0;
  double size = 0.0;
  double scale = 2.0;
  std::vector<std::string> show;
  bool follow = false;
  bool json = false;
};

// One drawn pose.
struct Still {
  VecX q;
  State state;
  int frame = 0;
  Vec3 shift = Vec3::Zero();  // brings the figure back to the panel's middle
};

Vec3 drawn_goal(const std::string& text) {
  const std::vector<double> p = need(parse_numbers(text, "--goal"));
  if (p.size() != 2 && p.size() != 3) throw BadInput{"--goal takes x,y or x,y,z."};
  return {p[0], p[1], p.size() == 3 ? p[2] : 0.0};
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

std::vector<int> chosen_frames(const DrawFlags& flags, int count) {
  std::vector<int> frames;
  if (!flags.frames.empty()) {
    for (const double f : need(parse_numbers(flags.frames, "--at"))) {
      if (f != std::floor(f) || f < 0 || f >= count) {
        throw BadInput{fmt::format("--at takes whole numbers from 0 to {}, not {}.", count - 1, pretty_number(f))};
      }
      frames.push_back(static_cast<int>(f));
    }
    return frames;
  }
  const int wanted = std::max({flags.strip, flags.onion, 1});
  for (int i = 0; i < wanted; ++i) {
    frames.push_back(wanted == 1 ? 0
                                 : static_cast<int>(std::lround(static_cast<double>(i) * (count - 1) / (wanted - 1))));
  }
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  return frames;
}

class Drawing {
 public:
  Drawing(const DrawFlags& flags, LoadedMotion motion) : flags_(flags), motion_(std::move(motion)) {
    const Model& model = motion_.model;
    planar_ = is_planar(model);
    // A figure tells its up itself; of anything else the file's kind does.
    const Figure figure = guess_figure(model);
    const bool figure_up = figure.has_legs() && motion_.clip.frame_count() > 0;
    const bool stands_y = figure_up ? std::abs(clips::up_of(model, motion_.clip).y()) > 0.5 : motion_.y_up;
    const bool y_up = flags.up.empty() ? stands_y : flags.up == "y";
    followed_ = figure.pelvis >= 0 ? figure.pelvis : std::max(0, clips::root_of(model, motion_.clip));
    camera_ = camera_named(!flags.view.empty() ? flags.view : planar_ ? "top" : "oblique", y_up && !planar_);
    std::vector<std::string> notes;
    if (flags.style != "sticks") meshes_ = load_mesh_points(model, motion_.beside, notes);
    bool shapes = false;
    for (int i = 0; i < model.link_count(); ++i) {
      for (const Visual& visual : model.visuals(i)) {
        const Geometry* geometry = model.linkage().find_geometry(visual.geometry);
        const MeshFile* mesh = geometry != nullptr ? std::get_if<MeshFile>(&geometry->shape) : nullptr;
        shapes =
            shapes || (geometry != nullptr && !visual.collision && (mesh == nullptr || !meshes_[mesh->uri].empty()));
      }
    }
    if (flags.style.empty() && !shapes && !notes.empty()) add_notes(notes);
    if (flags.style == "shapes") add_notes(notes);
    sticks_ = flags.style.empty() ? planar_ || !shapes : flags.style == "sticks";
    for (const std::string& goal : flags.goals) goals_.push_back(drawn_goal(goal));
    take_stills();
    for (const std::string& list : flags.trails) {
      for (const std::string& name : split_list(list)) trails_.push_back(trail_of(link_of(model, name)));
    }
  }

  Svg draw() const {
    const bool strip = flags_.onion == 0 && stills_.size() > 1;
    Bounds bounds;
    for (const Still& still : stills_) {
      add_figure(bounds, motion_.model, still.state, still.q, camera_, still.shift, style_of(0.0));
      for (const auto& trail : trails_) add_trail(bounds, trail, still, strip);
      for (const Vec3& goal : goals_) bounds.add(camera_.flat(goal + still.shift));
    }
    const Vec2 span = (bounds.high - bounds.low).cwiseMax(0.05 * motion_.model.size());
    bounds.grow((sticks_ ? 0.07 : 0.04) * span.maxCoeff());
    const Vec2 room = bounds.high - bounds.low;

    const std::size_t panels = strip ? stills_.size() : 1;
    const std::size_t columns =
        flags_.columns > 0 ? static_cast<std::size_t>(flags_.columns) : std::min<std::size_t>(panels, 8);
    const std::size_t rows = (panels + columns - 1) / columns;
    const double longest = flags_.size > 0.0 ? flags_.size : strip ? 190.0 : 460.0;
    const Vec2 panel = room * (longest / room.maxCoeff());
    const double title = flags_.title.empty() ? 0.0 : 26.0;
    const double label = strip ? 20.0 : 0.0;
    constexpr double kMargin = 12.0;
    constexpr double kGap = 8.0;
    Svg svg(2 * kMargin + static_cast<double>(columns) * (panel.x() + kGap) - kGap,
            2 * kMargin + title + static_cast<double>(rows) * (panel.y() + label + kGap) - kGap,
            flags_.title.empty() ? motion_.model.name() : flags_.title);
    if (title > 0.0) svg.text(Vec2(kMargin, kMargin + 14), flags_.title, {14, ink::kText, "start", true, false, 0});
    for (std::size_t i = 0; i < panels; ++i) {
      const std::size_t row = i / columns;
      const Vec2 corner(kMargin + static_cast<double>(i % columns) * (panel.x() + kGap),
                        kMargin + title + label + static_cast<double>(row) * (panel.y() + label + kGap));
      const View view(bounds.low, bounds.high, corner, panel);
      if (strip) {
        const double time = stills_[i].frame * motion_.clip.frame_time;
        svg.rectangle(corner, panel, {ink::kFaint, 0.8, "#fcfcfb", "", 1.0}, 3.0);
        // A narrow panel has room for the number only.
        const std::string caption = panel.x() < 92.0 ? fmt::format("frame {}", stills_[i].frame)
                                                     : fmt::format("frame {}, {:.2f} s", stills_[i].frame, time);
        svg.text(corner + Vec2(0.5 * panel.x(), -6), caption, {11, ink::kSoft, "middle", false, false, 0});
        draw_floor(svg, view, bounds, stills_[i].shift);
        draw_trails(svg, view, stills_[i], true);
        draw_still(svg, view, stills_[i], 0.0);
        for (const Vec3& goal : goals_) draw_goal(svg, view(camera_.flat(goal + stills_[i].shift)), 4.5);
        continue;
      }
      draw_floor(svg, view, bounds, stills_.back().shift);
      draw_trails(svg, view, stills_.back(), false);
      for (std::size_t k = 0; k < stills_.size(); ++k) {  // older ones are paler
        const double age = stills_.size() > 1 ? static_cast<double>(k) / static_cast<double>(stills_.size() - 1) : 1.0;
        draw_still(svg, view, stills_[k], k + 1 == stills_.size() ? 0.0 : 0.8 - 0.3 * age);
      }
      for (const Vec3& goal : goals_) draw_goal(svg, view(camera_.flat(goal)), 6.0);
    }
    return svg;
  }

  std::size_t stills() const { return stills_.size(); }
  const Model& model() const { return motion_.model; }

 private:
  using Trail = std::vector<Vec3>;  // one place a frame

  void take_stills() {
    const Model& model = motion_.model;
    const auto add = [&](const VecX& q, int frame) {
      Still still;
      still.q = q;
      still.frame = frame;
      forward(model, q, still.state);
      stills_.push_back(std::move(still));
    };
    const bool moving = motion_.clip.frame_count() > 0 && flags_.pose.empty();
    if (!moving && (flags_.strip > 0 || flags_.onion > 0 || !flags_.frames.empty())) need_frames(motion_, flags_.model);
    if (!moving) {
      add(pose_of(model, flags_.pose, start_pose(model)), 0);
      return;
    }
    for (const int f : chosen_frames(flags_, motion_.clip.frame_count())) add(pose_at(motion_.clip, f), f);
    if (!flags_.follow) return;
    for (Still& still : stills_) {  // only along the floor
      const auto place = [&](const Still& each) {
        return each.state.X_WL[static_cast<std::size_t>(followed_)].position;
      };
      const Vec3 way = place(stills_.front()) - place(still);
      still.shift = way - camera_.floor_normal * camera_.floor_normal.dot(way);
    }
  }

  Trail trail_of(int link) const {
    Trail trail;
    State state;
    for (int f = 0; f < motion_.clip.frame_count(); ++f) {
      forward(motion_.model, motion_.clip.frame(f), state);
      trail.push_back(state.X_WL[static_cast<std::size_t>(link)].position);
    }
    return trail;
  }

  void add_trail(Bounds& bounds, const Trail& trail, const Still& still, bool until_now) const {
    if (flags_.follow) return;  // it leaves the panel
    for (std::size_t f = 0; f < trail.size() && (!until_now || static_cast<int>(f) <= still.frame); ++f) {
      bounds.add(camera_.flat(trail[f] + still.shift));
    }
  }

  void draw_trails(Svg& svg, const View& view, const Still& still, bool until_now) const {
    for (std::size_t t = 0; t < trails_.size(); ++t) {
      std::vector<Vec2> line;
      for (std::size_t f = 0; f < trails_[t].size(); ++f) {
        const int age = still.frame - static_cast<int>(f);
        if (until_now && (age < 0 || (flags_.follow && age > 15))) continue;
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
    height =
        height > -0.02 * motion_.model.size() && height < 0.12 * motion_.model.size() ? std::min(height, 0.0) : height;
    if (!camera_.looks_down) {
      const Vec3 at = camera_.floor_normal * height;
      const double y = camera_.up.dot(at);
      svg.line(view(Vec2(bounds.low.x(), y)), view(Vec2(bounds.high.x(), y)), Pen::line(ink::kSoft, 0.9));
      return;
    }
    const Vec3 u = camera_.floor_normal.cross(camera_.floor_normal.unitOrthogonal()).normalized();
    const Vec3 v = camera_.floor_normal.cross(u);
    const double decade = std::pow(10.0, std::floor(std::log10(motion_.model.size())));
    const double tile =
        motion_.model.size() > 2.5 * decade ? 0.5 * decade : 0.2 * decade;  // they lie still in the world
    const double reach = 2.0 * tile;
    double low_u = 1e300, high_u = -1e300, low_v = 1e300, high_v = -1e300;
    for (const Still& still : stills_) {
      const Vec3 p = still.state.X_WL[static_cast<std::size_t>(followed_)].position +
                     (flags_.follow ? still.shift : Vec3(Vec3::Zero()));
      low_u = std::min(low_u, u.dot(p) - reach), high_u = std::max(high_u, u.dot(p) + reach);
      low_v = std::min(low_v, v.dot(p) - reach), high_v = std::max(high_v, v.dot(p) + reach);
    }
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

  bool shows(std::string_view what) const {
    return std::find(flags_.show.begin(), flags_.show.end(), what) != flags_.show.end();
  }
  FigureStyle style_of(double pale) const {
    FigureStyle style;
    style.sticks = sticks_;
    style.width = planar_ ? (flags_.onion > 0 || stills_.size() == 1 ? 11.0 : 7.5) : 5.0;
    style.pale = pale;
    style.ground = planar_ && motion_.model.joint(0).q_count == 0;
    style.limits = shows("limits") && pale == 0.0;
    style.labels = shows("labels") && pale == 0.0;
    style.meshes = &meshes_;
    return style;
  }
  void draw_still(Svg& svg, const View& view, const Still& still, double pale) const {
    draw_figure(svg, motion_.model, still.state, still.q, camera_, view, still.shift, style_of(pale));
  }

  const DrawFlags& flags_;
  LoadedMotion motion_;
  bool planar_ = false;
  bool sticks_ = true;
  int followed_ = 0;  // the link that --follow keeps in the middle
  MeshPoints meshes_;
  Camera camera_;
  std::vector<Still> stills_;
  std::vector<Trail> trails_;
  std::vector<Vec3> goals_;
};

}  // namespace

Svg draw_strip(LoadedMotion motion, int panels, const std::string& trails, bool follow) {
  DrawFlags flags;
  flags.strip = panels;
  if (!trails.empty()) flags.trails = {trails};
  flags.follow = follow;
  return Drawing(flags, std::move(motion)).draw();
}

void add_draw(CLI::App& app) {
  auto flags = std::make_shared<DrawFlags>();
  CLI::App* command = app.add_subcommand("draw", "A picture of a pose or a motion: strips, onion skins, trails");
  command->add_option("MODEL", flags->model, "A built-in model, a model file or a motion file")->required();
  command->add_option("-o,--out", flags->out, "Output file: .svg, .png or .pdf; - prints SVG")->required();
  command->add_option("--pose", flags->pose, "joint=value,... or the name of a pose");
  command->add_option("--motion", flags->motion, "A motion of MODEL in another file (.csv, .jsonl, .bvh, .glb)");
  command->add_option("--clip", flags->clip, "Which of several motions: its name or number");
  command->add_option("--at", flags->frames, "Frames to draw: 0,5,10");
  command->add_option("--strip", flags->strip, "Number of frames side by side, evenly spaced")
      ->check(CLI::Range(1, 1000));
  command->add_option("--onion", flags->onion, "Number of frames on top of each other, older ones paler")
      ->check(CLI::Range(1, 1000));
  command->add_option("--trail", flags->trails, "LINK,...: where these links have been");
  command->add_option("--goal", flags->goals, "x,y or x,y,z: a marker; may be given several times");
  command->add_option("--show", flags->show, "limits (ranges of hinges as sectors), labels (names of joints)")
      ->delimiter(',')
      ->check(CLI::IsMember({"limits", "labels"}));
  command->add_flag("--follow", flags->follow, "Keep a travelling figure in the middle of its panel");
  command->add_option(
      "--view", flags->view,
      "top, front, side, oblique, or azimuth,elevation in degrees (default: top for planar models, else "
      "oblique)");
  command->add_option("--up", flags->up, "y or z (default: y for .bvh, .glb and .gltf, else z)")
      ->check(CLI::IsMember({"y", "z"}));
  command->add_option("--style", flags->style, "sticks or shapes (default: shapes where the model has some)")
      ->check(CLI::IsMember({"sticks", "shapes"}));
  command->add_option("--title", flags->title, "A line above the picture");
  command->add_option("--columns", flags->columns, "Panels in a row")->check(CLI::Range(1, 100));
  command->add_option("--size", flags->size, "Longer side of a panel, SVG units")->check(CLI::Range(20.0, 10000.0));
  command->add_option("--pixel-ratio", flags->scale, "Pixels of a PNG per SVG unit")->check(CLI::Range(0.1, 20.0));
  add_json_flag(*command, flags->json);
  command->footer(
      "Examples:\n"
      "  armature draw planar_arm --pose chapter --goal -20,5 -o arm.svg\n"
      "  armature draw panda --pose ready --show limits -o panda.png\n"
      "  armature draw walk.bvh --strip 8 --view side --follow -o walk.svg\n"
      "  armature draw human --motion reach.csv --onion 6 --trail right_hand -o reach.png");
  command->callback([flags] {
    if (flags->out != "-" && !is_picture(flags->out)) {
      throw BadInput{fmt::format("A picture is written as .svg, .png or .pdf, not {}.", in_quotes(flags->out))};
    }
    if (flags->strip > 0 && flags->onion > 0) throw BadInput{"Either --strip or --onion, not both."};
    const Drawing drawing(*flags, load_motion(flags->model, flags->motion, flags->clip));
    const Svg svg = drawing.draw();
    write_picture(flags->out, svg, flags->scale);
    if (flags->out == "-") return;
    if (flags->json) {
      print_answer(
          {{"out", flags->out}, {"panels", drawing.stills()}, {"width", svg.width()}, {"height", svg.height()}});
    } else {
      fmt::print("{}: {} pose{} of {}\n", flags->out, drawing.stills(), drawing.stills() == 1 ? "" : "s",
                 printable(drawing.model().name()));
    }
  });
}

}  // namespace armature::cli
