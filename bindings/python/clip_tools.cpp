// Clip tools as methods of Clip: each is one function of motion/clips.hpp.
#include "armature/motion/clips.hpp"
#include "armature/scene/clip_text.hpp"
#include "motion.hpp"

namespace armature::python {
namespace {

Motion like(const Motion& m, Result<Clip> made) { return {m.figure, need(std::move(made))}; }

// The other motion must be of the same model, as far as poses tell.
const Clip& same_model(const Motion& m, const Motion& other) {
  if (m.figure->model.fingerprint() != other.figure->model.fingerprint()) {
    throw PyError("The other clip is of another model; retarget carries it over.");
  }
  return other.clip;
}

std::vector<int> to_links(const Motion& m, const py::object& links) {
  std::vector<int> found;
  for (const py::object& link : to_items(links, "links", "a list of links")) {
    found.push_back(to_link(m.figure->model, link, "links"));
  }
  return found;
}

py::object in_place(const Motion& m, const clips::RootOptions& options) {
  clips::RootMotion moved = need(clips::in_place(m.figure->model, m.clip, options));
  MatX travel(static_cast<Eigen::Index>(moved.travel.size()), 3);
  for (Eigen::Index f = 0; f < travel.rows(); ++f) {
    const clips::GroundMove& move = moved.travel[static_cast<std::size_t>(f)];
    travel.row(f) << move.x, move.y, move.heading;
  }
  return record(
      py::dict(py::arg("clip") = Motion{m.figure, std::move(moved.clip)}, py::arg("travel") = from_matrix(travel)));
}

Motion add_travel(const Motion& m, const py::object& rows, const py::object& up) {
  const Numbers given =
      to_rows(rows, 3, m.clip.frame_count(), "travel", "rows of x, y and heading, one for each frame");
  std::vector<clips::GroundMove> travel;
  for (py::ssize_t f = 0; f < given.shape(0); ++f)
    travel.push_back({given.row(f)[0], given.row(f)[1], given.row(f)[2]});
  return like(m, clips::add_travel(m.figure->model, m.clip, travel, to_point(up, "up")));
}

py::object reduced(const Motion& m, double tolerance) {
  clips::Reduced found = need(clips::reduce(m.figure->model, m.clip, tolerance));
  JsonText keys;
  write_keys(keys, m.figure->model, found.keys);
  return record(py::dict(py::arg("clip") = Motion{m.figure, std::move(found.clip)},
                         py::arg("keys") = to_python(keys.text()), py::arg("key_count") = found.key_count,
                         py::arg("frame_keys") = found.frame_keys, py::arg("error") = found.error));
}

py::object optimized(const Motion& m, const py::object& pins, const py::object& smooth, const py::object& keep,
                     const py::object& limits) {
  clips::OptimizeOptions options;
  options.smooth = to_number(smooth, "smooth");
  options.keep = to_positive(keep, "keep");
  options.limits = options.velocity_limits = to_flag(limits, "within_limits");
  for (const py::object& item : to_items(pins, "pins", "a list of dicts")) {
    if (!PyDict_Check(item.ptr())) throw PyError("pins: a pin is a dict, not " + what_it_is(item) + ".");
    Keywords fields("pins", item);
    clips::Pin pin;
    pin.link = to_link(m.figure->model, fields.take("link"), "pins: link");
    const py::object point = fields.take("point");
    pin.point = to_point(point, "pins: point");
    const py::object frames = fields.take("frames");
    const std::vector<double> ends = to_numbers(frames, 2, "pins: frames", "the first and the last frame");
    for (const double end : ends) {
      if (!(end >= 0.0 && end < m.clip.frame_count()))
        throw PyError("pins: frames must be numbers of frames of the clip.");
    }
    pin.first = static_cast<int>(ends[0]);
    pin.last = static_cast<int>(ends[1]);
    const py::object target = fields.take("target");
    pin.here = target.is_none();
    pin.target = to_point(target, "pins: target");
    fields.finish();
    options.pins.push_back(pin);
  }
  Result<clips::Optimized> made = Error{};
  {
    const py::gil_scoped_release unlocked;
    made = clips::optimize(m.figure->model, m.clip, options);
  }
  clips::Optimized done = need(std::move(made));
  return record(
      py::dict(py::arg("clip") = Motion{m.figure, std::move(done.clip)}, py::arg("pin_error") = done.pin_error,
               py::arg("roughness") = done.roughness, py::arg("roughness_before") = done.roughness_before,
               py::arg("largest_speed_ratio") = done.largest_speed_ratio, py::arg("iterations") = done.iterations));
}

py::array_t<double> positions_of(const Motion& m, const py::object& links) {
  std::vector<int> wanted;
  if (links.is_none()) {
    for (int link = 0; link < m.figure->model.link_count(); ++link) wanted.push_back(link);
  } else {
    wanted = to_links(m, links);
  }
  const std::vector<double> rows = clips::positions(m.figure->model, m.clip, wanted);
  py::array_t<double> out = new_array({m.clip.frame_count(), static_cast<py::ssize_t>(wanted.size()), 3});
  std::copy(rows.begin(), rows.end(), out.mutable_data());
  return out;
}

}  // namespace

void bind_clip_tools(ClipClass& type) {
  const py::object none = py::none();
  type.def("positions", &positions_of, py::arg("links") = none,
           with_signature("positions(self, links=None)", "(frames, links, 3): where links are in the world.").c_str());
  type.def(
      "trim",
      [](const Motion& m, const py::object& start, const py::object& end) {
        return like(m, clips::trim(m.figure->model, m.clip, to_number(start, "start"),
                                   end.is_none() ? m.clip.duration() : to_number(end, "end")));
      },
      py::arg("start") = 0.0, py::arg("end") = none,
      with_signature("trim(self, start=0.0, end=None)", "The part between two times in seconds, both included.")
          .c_str());
  type.def(
      "resample",
      [](const Motion& m, const py::object& rate) {
        return like(m, clips::resample(m.figure->model, m.clip, 1.0 / to_positive(rate, "frame_rate")));
      },
      py::arg("frame_rate"),
      with_signature("resample(self, frame_rate)", "The same at another frame rate; frames in between the short way.")
          .c_str());
  type.def(
      "reverse", [](const Motion& m) { return like(m, clips::reverse(m.clip)); },
      with_signature("reverse(self)", "Backwards.").c_str());
  type.def(
      "speed",
      [](const Motion& m, const py::object& factor) {
        return like(m, clips::speed(m.figure->model, m.clip, to_positive(factor, "factor")));
      },
      py::arg("factor"),
      with_signature("speed(self, factor)", "So many times as fast, at the same frame rate.").c_str());
  type.def(
      "smooth",
      [](const Motion& m, const py::object& seconds) {
        return like(m, clips::smooth(m.figure->model, m.clip, to_number(seconds, "seconds")));
      },
      py::arg("seconds"),
      with_signature("smooth(self, seconds)",
                     "Every joint through a Gaussian window of this standard deviation, rotations as rotations.")
          .c_str());
  type.def(
      "concat",
      [](const Motion& m, const Motion& next, const py::object& blend, const py::object& align, const py::object& up) {
        const clips::JoinOptions options{to_number(blend, "blend"), to_flag(align, "align"), to_point(up, "up")};
        return like(m, clips::concat(m.figure->model, m.clip, same_model(m, next), options));
      },
      py::arg("clip"), py::kw_only(), py::arg("blend") = 0.0, py::arg("align") = true, py::arg("up") = none,
      with_signature("concat(self, clip, *, blend=0.0, align=True, up=None)",
                     "This motion, then the other from where it ends (place and heading), blended over so many "
                     "seconds. Durations add up,\nless the blend.\n\n"
                     ">>> arm = armature.load_model('planar_arm')\n"
                     ">>> clip = armature.Clip(arm, [[0, 0, 0], [0.1, 0.2, 0.3], [0.2, 0.4, 0.6]], frame_rate=10)\n"
                     ">>> clip.trim(0, 0.1).concat(clip.trim(0.1)).frames\n3")
          .c_str());
  type.def(
      "loop",
      [](const Motion& m, const py::object& blend, const py::object& align, const py::object& up) {
        const clips::JoinOptions options{to_number(blend, "blend"), to_flag(align, "align"), to_point(up, "up")};
        return like(m, clips::loop(m.figure->model, m.clip, options));
      },
      py::arg("blend") = 0.0, py::kw_only(), py::arg("align") = true, py::arg("up") = none,
      with_signature("loop(self, blend=0.0, *, align=True, up=None)",
                     "The ends changed, over so many seconds, so that the last frame is the first again, travel aside.")
          .c_str());
  type.def(
      "layer",
      [](const Motion& m, const Motion& over, const py::object& links, const py::object& weight,
         const py::object& additive, const py::object& start, const py::object& fade) {
        const clips::LayerOptions options{to_links(m, links), to_number(weight, "weight"),
                                          to_flag(additive, "additive"), to_number(start, "start"),
                                          to_number(fade, "fade")};
        return like(m, clips::layer(m.figure->model, m.clip, same_model(m, over), options));
      },
      py::arg("clip"), py::kw_only(), py::arg("links") = py::tuple(), py::arg("weight") = 1.0,
      py::arg("additive") = false, py::arg("start") = 0.0, py::arg("fade") = 0.0,
      with_signature("layer(self, clip, *, links=(), weight=1.0, additive=False, start=0.0, fade=0.0)",
                     "Another motion on top, for these links and all below them; additive: its change from its first "
                     "frame is added.")
          .c_str());
  type.def(
      "mirror", [](const Motion& m) { return like(m, clips::mirror(m.figure->model, m.clip)); },
      with_signature("mirror(self)", "Left and right exchanged, by the links' names.").c_str());
  type.def(
      "in_place",
      [](const Motion& m, const py::object& turn, const py::object& smooth, const py::object& up) {
        return in_place(m, {to_flag(turn, "turn"), to_number(smooth, "smooth"), to_point(up, "up")});
      },
      py::kw_only(), py::arg("turn") = false, py::arg("smooth") = 0.0, py::arg("up") = none,
      with_signature("in_place(self, *, turn=False, smooth=0.0, up=None)",
                     "The motion without its travel over the ground (and its heading): clip, and travel with a row x, "
                     "y, heading for each\nframe.")
          .c_str());
  type.def("add_travel", &add_travel, py::arg("travel"), py::kw_only(), py::arg("up") = none,
           with_signature("add_travel(self, travel, *, up=None)", "The way back from in_place.").c_str());
  type.def(
      "feet", [](const Motion& m) { return like(m, clips::feet(m.figure->model, m.clip)); },
      with_signature("feet(self)", "Feet held still while they stand, and kept out of the ground.").c_str());
  type.def(
      "optimize", &optimized, py::arg("pins") = py::tuple(), py::kw_only(), py::arg("smooth") = 0.03,
      py::arg("keep") = 0.05, py::arg("within_limits") = true,
      with_signature(
          "optimize(self, pins=(), *, smooth=0.03, keep=0.05, within_limits=True)",
          "The whole clip at once: smooth, near to what it was, inside limits of joints and velocities, with pins "
          "[{'link': ..., 'point':\n..., 'frames': (first, last), 'target': ...}] held (without a target: where the "
          "point is in the first frame). clip, pin_error,\nroughness, roughness_before, largest_speed_ratio, "
          "iterations.")
          .c_str());
  type.def(
      "reduce",
      [](const Motion& m, const py::object& tolerance) { return reduced(m, to_number(tolerance, "tolerance")); },
      py::arg("tolerance"),
      with_signature("reduce(self, tolerance)",
                     "Few keys instead of a pose per frame, no link further than `tolerance` from its way: clip, keys "
                     "(as model.keyframes takes\nthem), key_count, frame_keys, error.")
          .c_str());
  type.def(
      "stats",
      [](const Motion& m) {
        JsonText json;
        write_stats(json, m.figure->model, clips::stats(m.figure->model, m.clip));
        return to_python(json.text());
      },
      with_signature(
          "stats(self)",
          "Speeds and limits of every joint, travel of the root, stances of the feet and how far they slide.")
          .c_str());
}

}  // namespace armature::python
