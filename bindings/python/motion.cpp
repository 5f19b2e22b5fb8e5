// Motions: Clip and its tools, key poses, paths that effectors follow, retargeting. Over 400 lines: all of them take
// and give clips.
#include "motion.hpp"

#include "armature/base/suggest.hpp"
#include "armature/formats/motion_table.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/motion/keyframes.hpp"
#include "armature/motion/retarget.hpp"
#include "armature/motion/retime.hpp"
#include "armature/scene/animate.hpp"
#include "armature/scene/files.hpp"
#include "armature/scene/report_json.hpp"
#include "armature/scene/retarget_text.hpp"
#include "armature/scene/save.hpp"
#include "armature/solve/keep_clear.hpp"
#include "armature/solve/track.hpp"
#include "files.hpp"

namespace armature::python {

namespace {

// frame_time in seconds or frame_rate per second; `otherwise` when neither is given.
double to_frame_time(const py::object& time, const py::object& rate, double otherwise) {
  if (!time.is_none() && !rate.is_none()) throw PyError("Give frame_time or frame_rate, not both.");
  if (!time.is_none()) return to_positive(time, "frame_time");
  return rate.is_none() ? otherwise : 1.0 / to_positive(rate, "frame_rate");
}

py::array_t<double> poses_of(const Clip& clip) {
  py::array_t<double> poses =
      new_array({static_cast<py::ssize_t>(clip.frame_count()), static_cast<py::ssize_t>(clip.q_size)});
  std::copy(clip.values.begin(), clip.values.begin() + clip.frame_count() * clip.q_size, poses.mutable_data());
  return poses;
}

Motion make_motion(const py::object& model, const py::object& poses, const py::object& time, const py::object& rate,
                   const py::object& name) {
  const FigurePtr figure = to_figure(model, "model");
  Poses given = to_poses(figure->model, poses, -1, "poses");
  if (!given.many) throw PyError("poses must be an array with a row for each frame.");
  Motion made{figure, {}};
  made.clip.name = to_text(name, "name");
  made.clip.frame_time = to_frame_time(time, rate, 1.0 / 30.0);
  made.clip.q_size = figure->model.q_size();
  made.clip.values = std::move(given.rows.values);
  return made;
}

// A document that holds this motion and the model's own file, in glTF with the other motions of that file.
Document document_of(const Motion& motion, const Format& format) {
  Document document = motion.figure->document;
  const bool several = std::string_view(format.name) == "glb" || std::string_view(format.name) == "gltf";
  const auto gone = [&](const Clip& own) {
    return !several || own.name == motion.clip.name || own.q_size != motion.clip.q_size;
  };
  document.clips.erase(std::remove_if(document.clips.begin(), document.clips.end(), gone), document.clips.end());
  document.clips.insert(document.clips.begin(), motion.clip);
  return document;
}

const Format& motion_format(const Format& format) {
  if (!format.motion)
    throw PyError("The format " + armature::detail::quoted(format.name) +
                  " carries no motion; write bvh, glb, csv, jsonl or json.");
  return format;
}

std::vector<Motion> clips_of(const FigurePtr& figure) {
  std::vector<Motion> clips;
  for (const Clip& clip : figure->document.clips) clips.push_back({figure, clip});
  return clips;
}

Motion load_clip(const py::object& source, const py::object& clip, const py::object& model) {
  const std::string path = to_path(source, "path");
  if (!model.is_none() && path.size() > 4 && path.compare(path.size() - 4, 4, ".csv") == 0) {
    const FigurePtr figure = to_figure(model, "model");
    ReadOptions options;
    options.file_name = path;
    std::vector<std::string> notes;
    return {figure, need(read_csv_motion(need(read_file(path)), figure->model, options, notes))};
  }
  const FigurePtr figure = make_figure(need(open_model(path)), path);
  const std::string wanted = clip.is_none()                ? ""
                             : PyUnicode_Check(clip.ptr()) ? to_text(clip, "clip")
                                                           : std::to_string(to_integer(clip, "clip"));
  const Clip found = need(choose_clip(figure->document, wanted, path));
  if (model.is_none()) return {figure, found};
  const FigurePtr own = to_figure(model, "model");
  if (own->model.q_size() != figure->model.q_size() || own->model.joint_names() != figure->model.joint_names()) {
    throw PyError("The motion in " + armature::detail::quoted(path) + " is of another linkage than " +
                  armature::detail::quoted(own->model.name()) + "; retarget carries it over.");
  }
  return {own, found};
}

// What a motion must not touch; nothing unless it is asked for, or `always` (itself).
std::optional<Problem> things_of(const FigurePtr& figure, Keywords& keywords, bool always) {
  py::dict fields;
  for (const char* name : {"obstacles", "margin", "collision", "exact"}) {
    if (const py::object value = keywords.take(name); !value.is_none()) fields[name] = value;
  }
  keywords.finish();
  if (always && !fields.contains("collision")) fields["collision"] = "search";
  const Scene scene = to_scene(figure, fields);
  if (!scene.avoids_collisions() && always) throw PyError("With collision='off' there is nothing to keep clear of.");
  if (!scene.avoids_collisions()) return std::nullopt;
  return scene;
}

ClearMotion cleared(const Problem& things, const Clip& clip, const ClearOptions& options) {
  Result<ClearMotion> clear = Error{};
  {
    const py::gil_scoped_release unlocked;
    clear = keep_clear(things, clip, options);
  }
  return need(std::move(clear));
}

py::object clear_record(const ClearMotion& clear) {
  JsonText json;
  write_clear(json, clear);
  return to_python(json.text());
}

MatX trail(const Motion& motion, int link, const Vec3& point) {
  MatX places(motion.clip.frame_count(), 3);
  State state;
  for (int f = 0; f < motion.clip.frame_count(); ++f) {
    forward(motion.figure->model, motion.clip.frame(f), state);
    places.row(f) = relative(state, kWorld, link) * point;
  }
  return places;
}

void bind_clip(py::module_& module, ModelClass& model) {
  ClipClass type(module, "Clip",
                 "A motion of a model: poses at a steady frame rate.\n\n"
                 ">>> arm = armature.load_model('planar_arm')\n"
                 ">>> clip = armature.Clip(arm, [[0, 0, 0], [0.1, 0.2, 0.3]], frame_rate=10)\n"
                 ">>> clip.frames, clip.duration\n(2, 0.1)");
  type.def(
      py::init(&make_motion), py::arg("model"), py::arg("poses"), py::kw_only(), py::arg("frame_time") = py::none(),
      py::arg("frame_rate") = py::none(), py::arg("name") = "",
      with_signature("__init__(self, model, poses, *, frame_time=None, frame_rate=None, name='')",
                     "From an array with a row for each frame; 30 frames per second unless another clock is given.")
          .c_str());
  type.def_property_readonly(
      "model", [](const Motion& m) { return m.figure; }, "Whose motion it is.");
  type.def_property_readonly(
      "name", [](const Motion& m) { return m.clip.name; }, "As its file has it.");
  type.def_property_readonly(
      "frame_time", [](const Motion& m) { return m.clip.frame_time; }, "Seconds.");
  type.def_property_readonly(
      "frame_rate", [](const Motion& m) { return 1.0 / m.clip.frame_time; }, "Frames per second.");
  type.def_property_readonly(
      "frames", [](const Motion& m) { return m.clip.frame_count(); }, "Number of frames.");
  type.def_property_readonly(
      "duration", [](const Motion& m) { return m.clip.duration(); }, "Seconds from the first frame to the last.");
  type.def_property_readonly(
      "q", [](const Motion& m) { return poses_of(m.clip); }, "(frames, q_size): the poses.");
  type.def("__len__", [](const Motion& m) { return m.clip.frame_count(); });
  type.def("__repr__", [](const Motion& m) {
    return "<armature.Clip '" + m.clip.name + "' of '" + m.figure->model.name() +
           "': " + std::to_string(m.clip.frame_count()) + " frames>";
  });
  type.def(
      "trail",
      [](const Motion& m, const py::object& link, const py::object& point) {
        return from_matrix(trail(m, to_link(m.figure->model, link, "link"), to_point(point, "point")));
      },
      py::arg("link"), py::arg("point") = py::none(),
      with_signature("trail(self, link, point=None)", "(frames, 3): the path of a point of a link, in the world.")
          .c_str());
  bind_clip_tools(type);
  type.def(
      "retime",
      [](const Motion& m, const py::object& scale, const py::object& velocity, const py::object& acceleration,
         const py::object& rate) {
        RetimeOptions options;
        options.velocity_scale = to_positive(scale, "velocity_scale");
        const double none = std::numeric_limits<double>::infinity();
        const Model& model = m.figure->model;
        if (!velocity.is_none())
          options.velocity = to_velocities(model, velocity, none, "velocity").cwiseMin(model.velocity_limit());
        if (!acceleration.is_none()) options.acceleration = to_velocities(model, acceleration, none, "acceleration");
        if (!rate.is_none()) options.frame_time = 1.0 / to_positive(rate, "frame_rate");
        return Motion{m.figure, need(retime(model, m.clip, options)).clip};
      },
      py::kw_only(), py::arg("velocity_scale") = 1.0, py::arg("velocity") = py::none(),
      py::arg("acceleration") = py::none(), py::arg("frame_rate") = py::none(),
      with_signature(
          "retime(self, *, velocity_scale=1.0, velocity=None, acceleration=None, frame_rate=None)",
          "The same poses in the least time that velocity and acceleration limits allow, interpolated between "
          "them; model.track(..., retime=...) keeps the effectors on their paths, too.")
          .c_str());
  type.def(
      "check",
      [](const Motion& m, const py::kwargs& given) {
        Keywords keywords("check", given);
        const std::optional<Problem> things = things_of(m.figure, keywords, false);
        const MotionCheck check = check_motion(m.figure->model, m.clip);
        py::list faults;
        for (const MotionFault& fault : check.faults) {
          const Model& own = m.figure->model;
          const std::string joint =
              own.joint(fault.too_fast ? own.velocity_joint(fault.index) : own.coordinate_joint(fault.index)).name;
          faults.append(record(py::dict(py::arg("frame") = fault.frame, py::arg("joint") = joint,
                                        py::arg("too_fast") = fault.too_fast, py::arg("value") = fault.value,
                                        py::arg("limit") = fault.limit)));
        }
        py::dict answer(py::arg("faults") = faults, py::arg("largest_speed_ratio") = check.largest_speed_ratio,
                        py::arg("largest_step") = check.largest_step, py::arg("cleared") = py::none());
        if (things) answer["cleared"] = clear_record(cleared(*things, m.clip, {.repair = false}));
        return record(answer);
      },
      with_signature(
          "check(self, *, obstacles=None, margin=0, collision=None, exact=False)",
          "Where it is faster or goes further than the model allows: faults, largest_speed_ratio, largest_step. With "
          "obstacles, a\nmargin, collision='search' (itself) or exact also `cleared`: ok, message, touching (frames), "
          "gaps, deepest, collisions.")
          .c_str());
  type.def(
      "keep_clear",
      [](const Motion& m, const py::kwargs& given) {
        Keywords keywords("keep_clear", given);
        ClearOptions options;
        if (const py::object blend = keywords.take("blend"); !blend.is_none()) {
          options.blend = to_number(blend, "blend");
          if (!(options.blend >= 0.0) || options.blend > 1e6) throw PyError("blend must be 0 or more seconds.");
        }
        const std::optional<Problem> things = things_of(m.figure, keywords, true);
        ClearMotion clear = cleared(*things, m.clip, options);
        Clip clip = std::move(clear.clip);
        const py::object answer = clear_record(clear);
        answer["clip"] = Motion{m.figure, std::move(clip)};
        return answer;
      },
      with_signature(
          "keep_clear(self, *, obstacles=None, margin=0, collision=None, exact=False, blend=0.25)",
          "The same motion moved out of what it touches, itself or obstacles: clip, ok, message, touching (frames), "
          "left (those that\ntouch still), gaps (ways that could not be proved free), deepest, collisions, "
          "largest_change. Frames up to `blend` seconds\nbeside those that touch give way, too.")
          .c_str());
  type.def(
      "write",
      [](const Motion& m, const py::object& format, const py::kwargs& given) {
        Keywords keywords("write", given);
        const Format& as = motion_format(*need(format_named(to_text(format, "format"))));
        return write_bytes(document_of(m, as), as, keywords);
      },
      py::arg("format"),
      with_signature(
          "write(self, format, *, digits=0, up=None, unit_scale=1.0)",
          "(bytes, notes) of a format that carries motion; `up` and `unit_scale` as for a model. glTF keeps what "
          "the model's\nfile holds: meshes, skins, and its other motions.")
          .c_str());
  type.def(
      "save",
      [](const Motion& m, const py::object& path, const py::kwargs& given) {
        Keywords keywords("save", given);
        const Format& as = motion_format(*need(format_for_writing(to_path(path, "path"))));
        return save_document(document_of(m, as), path, keywords);
      },
      py::arg("path"),
      with_signature(
          "save(self, path, *, digits=0, up=None, unit_scale=1.0)",
          "Writes a file whose format its extension tells; returns the notes. glTF keeps what the model's file "
          "holds: meshes, skins,\nand its other motions.")
          .c_str());
  type.def(py::pickle(
      [](const Motion& m) { return py::make_tuple(m.figure, poses_of(m.clip), m.clip.frame_time, m.clip.name); },
      [](const py::tuple& t) {
        if (t.size() != 4) throw PyError("This is not the state of a Clip.");
        return make_motion(t[0], t[1], t[2], py::none(), t[3]);
      }));
  model.def_property_readonly("clips", &clips_of, "Motions that came with its file.");
  module.def("load_clip", &load_clip, py::arg("path"), py::kw_only(), py::arg("clip") = py::none(),
             py::arg("model") = py::none(),
             with_signature("load_clip(path, *, clip=None, model=None)",
                            "A motion from a .bvh, .glb, .gltf, .jsonl or .json file, with its model; `clip` chooses "
                            "one by name or number. A .csv file\nneeds the `model` it is of.")
                 .c_str());
}

/// How effectors followed their paths.
struct Tracked {
  Motion motion;
  py::object fields;
};

Tracked tracked(const FigurePtr& figure, const py::dict& fields, int frames, bool steps_given) {
  Scene scene = to_scene(figure, fields);
  need_goals(scene, "track");
  Result<Track> followed = Error{};
  {
    const py::gil_scoped_release unlocked;
    followed = armature::track(scene, frames, steps_given ? scene.tracking.steps_per_frame : -1);
  }
  raise_kept_exception();
  Track track = need(std::move(followed));
  track.clip.name = figure->model.name();
  py::dict answer;
  answer["ok"] = track.ok();
  answer["not_reached"] = track.not_reached;
  answer["near_singular"] = track.near_singular;
  answer["jumps"] = track.jumps;
  answer["largest_step"] = check_motion(figure->model, track.clip).largest_step;
  answer["largest_error"] = track.largest_error;
  answer["solves"] = track.solves;
  answer["fraction"] = track.fraction;
  answer["asked"] = track.asked;
  answer["slowed"] = track.slowed();
  answer["message"] = track.message();
  return {{figure, std::move(track.clip)}, answer};
}

py::dict keys_without(const py::object& keys) { return py::dict(py::arg("keys") = keys); }

void bind_track(py::module_& module, ModelClass& model) {
  py::class_<Tracked> type(module, "Track",
                           "A motion along paths, and how well it went. True when every frame was reached.");
  type.def_property_readonly(
      "clip", [](const Tracked& t) { return t.motion; }, "The motion.");
  const auto field = [&](const char* name, const char* doc) {
    type.def_property_readonly(
        name, [name](const Tracked& t) { return py::object(t.fields[name]); }, doc);
  };
  field("ok", "The paths were followed to their ends, and every frame was reached.");
  field("message", "What was reached, and which frames were not, are near singular, or jump.");
  field("not_reached", "Frames whose goals were not reached.");
  field("near_singular", "Frames near a singular pose.");
  field("jumps", "Frames at which the motion changes to another branch.");
  field("largest_step", "Of a joint from frame to frame, radians or metres.");
  field("largest_error", "Of a position, metres.");
  field("solves", "How many searches it took.");
  field("fraction", "Of the paths' length that was followed: less than 1 where `stop` ended it.");
  field("asked", "Retimed: seconds that the paths take on their own clock; else 0.");
  field("slowed", "Retimed: whether limits make it more than a tenth longer than that.");
  type.def("__bool__", [](const Tracked& t) { return t.fields["ok"].cast<bool>(); });
  type.def("__len__", [](const Tracked& t) { return t.motion.clip.frame_count(); });
  type.def("__repr__", [](const Tracked& t) {
    return "<armature.Track: " + std::to_string(t.motion.clip.frame_count()) + " frames, " +
           std::to_string(py::len(t.fields["not_reached"])) + " not reached, " +
           std::to_string(py::len(t.fields["jumps"])) + " jumps>";
  });
  type.def(py::pickle([](const Tracked& t) { return py::make_tuple(t.motion, t.fields); },
                      [](const py::tuple& t) {
                        if (t.size() != 2 || !PyDict_Check(py::object(t[1]).ptr()))
                          throw PyError("This is not the state of a Track.");
                        const py::dict fields = t[1];
                        for (const char* key : {"ok", "not_reached", "near_singular", "jumps", "largest_step",
                                                "largest_error", "solves", "fraction", "asked", "slowed", "message"}) {
                          if (!fields.contains(key)) throw PyError("This is not the state of a Track.");
                        }
                        return Tracked{t[0].cast<Motion>(), fields};
                      }));
  model.def(
      "track",
      [](const FigurePtr& figure, const py::object& goals, const py::kwargs& given) {
        Keywords keywords("track", given);
        const py::object frames = keywords.take("frames");
        const int count = frames.is_none() ? 21 : to_integer(frames, "frames");
        if (count < 2 || count > 1000000) throw PyError("frames must lie between 2 and 1000000.");
        // A list of dicts are goals; anything else is the target of one.
        const bool list = (PyList_Check(goals.ptr()) || PyTuple_Check(goals.ptr())) && py::len(goals) > 0 &&
                          PyDict_Check(py::object(goals[py::int_(0)]).ptr());
        py::dict fields = keywords.fields(list ? py::object(py::none()) : goals);
        if (list && fields.contains("goals")) throw PyError("track takes its goals once: first, or as goals=[...].");
        if (list) fields["goals"] = goals;
        return tracked(figure, fields, count, fields.contains("steps_per_frame"));
      },
      py::arg("goals") = py::none(),
      with_signature(
          "track(self, goals=None, *, link=None, point=None, base=None, start=None, locked=None, "
          "joint_weights=None, limits=None, obstacles=None, margin=0, collision=None, exact=False, method=None, "
          "frame_rate=30, frames=21, steps_per_frame=0, max_joint_step=0.2, singular_below=0.02, stop=False, "
          "retime=False, **options)",
          "Follows the paths of goals: [{'link': ..., 'path': {...}}, ...]. Goals without any path, or a "
          "single target, slide from where\ntheir links are to their targets in `frames` frames, a step of "
          "the method each.\nstop=True ends at the last point that is reached. retime=True, or {'velocity_scale': ..., "
          "'velocity': ..., 'acceleration': ...}, runs through\nthe paths as fast as these limits allow, on them.\n\n"
          ">>> arm = armature.load_model('panda')\n"
          ">>> line = {'curve': 'line', 'points': [[0, -0.1, 0], [0, 0.1, 0]], 'relative': True, 'duration': 1}\n"
          ">>> motion = arm.track([{'type': 'pose', 'link': 'panda_tcp', 'path': line}], start='ready')\n"
          ">>> motion.ok, motion.clip.frames\n(True, 31)")
          .c_str());
  module.def("_track_scene", [](const FigurePtr& figure, const py::dict& fields, const py::object& frames) {
    return tracked(figure, fields, frames.is_none() ? 21 : to_integer(frames, "frames"),
                   fields.contains("steps_per_frame"));
  });
  model.def(
      "keyframes",
      [](const FigurePtr& figure, const py::object& keys, const py::object& rate) {
        const Scene scene = to_scene(figure, keys_without(keys));
        if (!scene.keys) throw PyError("keys must be a dict with poses or joints.");
        const double frame_time = rate.is_none() ? 0.0 : 1.0 / to_positive(rate, "frame_rate");
        return Motion{figure, need(animate(scene, frame_time)).clip};
      },
      py::arg("keys"), py::kw_only(), py::arg("frame_rate") = py::none(),
      with_signature(
          "keyframes(self, keys, *, frame_rate=None)",
          "A Clip through key poses: {'interpolation': 'cubic', 'poses': [{'time': 0, 'pose': ...}, ...], "
          "'joints': {joint:\n[{'time': ..., 'value': ...}]}}. Also on top of the motion of the model's file: 'clip': "
          "['trim 0..2']. 30 frames per second\nunless there is such a motion or a frame_rate.\n\n"
          ">>> arm = armature.load_model('planar_arm')\n"
          ">>> arm.keyframes({'poses': [{'time': 0, 'pose': [0, 0, 0]}, {'time': 1, 'pose': 'chapter'}]}).frames\n31")
          .c_str());
}

// The model, or one like it whose root can travel.
FigurePtr travelling(const FigurePtr& model, bool float_root, std::vector<std::string>& notes) {
  LoadedModel freed = need(make_travelling(*model, float_root, notes));
  if (freed.model == model->model) return model;
  auto figure = std::make_shared<Figure>();
  static_cast<LoadedModel&>(*figure) = std::move(freed);
  figure->source = model->source;
  return figure;
}

py::object retargeted(const Motion& source, const py::object& model, const py::kwargs& given) {
  Keywords keywords("retarget", given);
  const py::object floats = keywords.take("float_root");
  std::vector<std::string> notes;
  const FigurePtr target =
      travelling(to_figure(model, "model"), !floats.is_none() && to_flag(floats, "float_root"), notes);
  RetargetOptions options = to_retarget_options(keywords);
  const auto pose = [&](const char* name, const Model& of, const Clip* clip, VecX& out) {
    const py::object value = keywords.take(name);
    if (value.is_none()) return;
    const bool text = PyUnicode_Check(value.ptr());
    out = text ? need(reference_pose(of, clip, to_text(value, name), notes)) : to_pose(of, value, name);
  };
  pose("source_pose", source.figure->model, &source.clip, options.source_pose);
  pose("target_pose", target->model, nullptr, options.target_pose);
  keywords.finish();
  Clip clip = source.clip;
  clip.model = source.figure->model;
  Result<Retargeted> carried = Error{};
  {
    const py::gil_scoped_release unlocked;
    carried = retarget(clip, target->model, options);
  }
  Retargeted result = need(std::move(carried));
  if (result.clip.name.empty()) result.clip.name = source.figure->model.name();
  py::list falls;
  for (const Footfall& fall : result.footfalls) {
    falls.append(record(py::dict(py::arg("link") = target->model.link_name(fall.link), py::arg("first") = fall.first,
                                 py::arg("last") = fall.last, py::arg("slide") = fall.slide)));
  }
  py::dict names;
  for (const auto& [to, from] : result.bone_map) names[py::str(to)] = from;
  py::dict fields;
  fields["clip"] = Motion{target, std::move(result.clip)};
  fields["root_scale"] = result.root_scale;
  fields["leg_length"] = result.leg_length;
  fields["footfalls"] = falls;
  fields["largest_slide"] = result.largest_slide;
  fields["hand_error"] = result.hand_error;
  JsonText report;
  write_retarget_report(report, result.report);
  fields["report"] = to_python(report.text());
  fields["bone_map"] = names;
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  fields["notes"] = result.notes;
  return record(fields);
}

}  // namespace

RetargetOptions to_retarget_options(Keywords& keywords) {
  RetargetOptions options;
  const auto flag = [&](const char* name, bool& out) {
    if (const py::object value = keywords.take(name); !value.is_none()) out = to_flag(value, name);
  };
  const auto number = [&](const char* name, double& out) {
    if (const py::object value = keywords.take(name); !value.is_none()) out = to_positive(value, name);
  };
  flag("keep_feet", options.keep_feet);
  flag("keep_hands", options.keep_hands);
  flag("within_limits", options.within_limits);
  number("root_scale", options.root_scale);
  number("still_speed", options.still_speed);
  number("blend", options.blend);
  const py::object bones = keywords.take("bone_map");
  if (bones.is_none()) return options;
  if (!PyDict_Check(bones.ptr()))
    throw PyError("bone_map must be a dict {link of the model: link of the clip}, not " + what_it_is(bones) + ".");
  BoneMap& map = options.bone_map;
  for (const auto& [to, from] : py::reinterpret_steal<py::dict>(PyDict_Copy(bones.ptr()))) {
    if (!from.is_none()) map.emplace_back(to_text(to, "A link of bone_map"), to_text(from, "A link of bone_map"));
  }
  if (map.empty()) throw PyError("bone_map names no bones; leave it out to find them by their names.");
  return options;
}

void bind_motion(py::module_& module, ModelClass& model) {
  bind_clip(module, model);
  bind_track(module, model);
  module.def(
      "retarget", &retargeted, py::arg("clip"), py::arg("model"),
      with_signature(
          "retarget(clip, model, *, bone_map=None, keep_feet=True, keep_hands=True, "
          "within_limits=True, root_scale=None, still_speed=0.45, blend=0.035, float_root=False, source_pose=None, "
          "target_pose=None)",
          "A motion of one figure carried over to another: clip, root_scale, footfalls, largest_slide, "
          "hand_error, report, bone_map, notes.\n`float_root` gives a robot that stands fixed a root that "
          "travels. The poses are ones in which the figures stand upright:\n'frame=12' of the clip, a pose's name, "
          "or as any pose.")
          .c_str());
}

}  // namespace armature::python
