// Long calls, and files of targets and motions.
#include "jobs.hpp"

#include "armature/parallel/retarget_files.hpp"
#include "armature/parallel/solve_targets.hpp"
#include "motion.hpp"

namespace armature::python {

LongCall::LongCall(Keywords& keywords, int default_threads, bool resumable) : threads_(default_threads) {
  const py::object threads = keywords.take("threads");
  if (!threads.is_none()) threads_ = to_integer(threads, "threads");
  if (threads_ < 0 || threads_ > 1024) throw PyError("threads must lie between 0 (every core) and 1024.");
  if (resumable) {
    const py::object checkpoint = keywords.take("checkpoint");
    if (!checkpoint.is_none()) checkpoint_ = to_path(checkpoint, "checkpoint");
  }
  progress_ = keywords.take("progress");
  if (PyBool_Check(progress_.ptr())) {
    progress_ = progress_.ptr() == Py_True ? py::object(py::module_::import("armature._records").attr("show_progress"))
                                           : py::object(py::none());
  }
  if (!progress_.is_none() && PyCallable_Check(progress_.ptr()) == 0) {
    throw PyError("progress must be True or a function of a fraction, not " + what_it_is(progress_) + ".");
  }
}

// On the thread that has just done a piece, one at a time: exceptions of goals and methods of one's own are its.
bool LongCall::goes_on(double fraction) {
  const py::gil_scoped_acquire locked;
  try {
    raise_kept_exception();
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!progress_.is_none()) progress_(fraction);
    return true;
  } catch (...) {
    if (!thrown_) thrown_ = std::current_exception();
    return false;
  }
}

void LongCall::set(ParallelOptions& options) {
  options.threads = threads_;
  options.progress = [this](double fraction) { return goes_on(fraction); };
}

void LongCall::set(JobOptions& options) {
  set(static_cast<ParallelOptions&>(options));
  options.checkpoint = checkpoint_;
}

void LongCall::finish() {
  const std::exception_ptr own =
      take_kept_exception();  // of this thread, which works along; never left to a later call
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (own) std::rethrow_exception(own);
}

namespace {

py::dict counts(const std::map<std::string, std::int64_t>& of) {
  py::dict out;
  for (const auto& [name, count] : of) out[py::str(name)] = count;
  return out;
}

py::object solve_file(const FigurePtr& figure, const py::object& targets, const py::object& out,
                      const py::kwargs& given) {
  Keywords keywords("solve_targets", given);
  LongCall call(keywords, 0, true);
  const std::string from = to_path(targets, "targets");
  SolveTargetsOptions options;
  options.out = to_path(out, "out");
  call.set(options);
  const py::dict fields = keywords.fields(py::none());
  const Scene scene = to_scene(figure, fields);
  if (scene.goals.size() > 1) {
    throw PyError("solve_targets takes targets of one goal; goals has " + std::to_string(scene.goals.size()) + ".");
  }
  Result<TargetsSummary> done = Error{};
  {
    const py::gil_scoped_release unlocked;
    done = solve_targets(scene, from, options);
  }
  call.finish();
  const TargetsSummary summary = need(std::move(done));
  return record(py::dict(py::arg("goals") = summary.goals, py::arg("reached") = summary.reached,
                         py::arg("outcomes") = counts(summary.outcomes), py::arg("causes") = counts(summary.causes),
                         py::arg("mean_microseconds") = summary.mean_microseconds, py::arg("notes") = summary.notes));
}

py::list retarget_all(const py::object& motions, const py::object& model, const py::object& out,
                      const py::kwargs& given) {
  const FigurePtr target = to_figure(model, "model");
  Keywords keywords("retarget_files", given);
  LongCall call(keywords, 0, true);
  RetargetFilesOptions options;
  options.out = to_path(out, "out");
  options.clips = target->document.clips;
  call.set(options);
  if (const py::object to = keywords.take("to"); !to.is_none()) options.extension = to_text(to, "to");
  if (const py::object clip = keywords.take("clip"); !clip.is_none()) options.clip = to_text(clip, "clip");
  options.retarget = to_retarget_options(keywords);
  keywords.finish();
  std::vector<std::string> files;
  if (PyUnicode_Check(motions.ptr()) || py::hasattr(motions, "__fspath__")) {
    files = need(motions_in(to_path(motions, "motions")));
  } else {
    for (const py::object& file : to_items(motions, "motions", "a folder or a list of files")) {
      files.push_back(to_path(file, "A motion"));
    }
  }
  Result<RetargetFilesReport> done = Error{};
  {
    const py::gil_scoped_release unlocked;
    done = retarget_files(files, target->model, options);
  }
  call.finish();
  py::list rows;
  for (const RetargetedFile& row : need(std::move(done)).files) {
    rows.append(record(py::dict(py::arg("file") = row.file, py::arg("out") = row.out, py::arg("error") = row.error,
                                py::arg("frames") = row.frames, py::arg("bones") = row.bones,
                                py::arg("largest_slide") = row.largest_slide, py::arg("hand_error") = row.hand_error)));
  }
  return rows;
}

}  // namespace

void bind_jobs(py::module_& module, ModelClass& model) {
  model.def(
      "solve_targets", &solve_file, py::arg("targets"), py::arg("out"),
      with_signature(
          "solve_targets(self, targets, out, *, link=None, point=None, base=None, goals=None, start=None, locked=None, "
          "joint_weights=None, limits=None, obstacles=None, margin=0, collision=None, exact=False, "
          "method='auto', threads=0, checkpoint=None, progress=None, **options)",
          "Solves a file of targets (.npz, .npy, .csv, .jsonl) of any size into a file of answers, in bounded memory "
          "on "
          "every core; the\nfile does not depend on `threads`. An interrupted call goes on from its checkpoint, "
          "`out` with '.part', when it is made again.\nA record: goals, reached, outcomes, causes, mean_microseconds, "
          "notes. Files: docs/formats/targets.md.")
          .c_str());
  module.def(
      "retarget_files", &retarget_all, py::arg("motions"), py::arg("model"), py::arg("out"),
      with_signature("retarget_files(motions, model, out, *, to='bvh', clip=None, bone_map=None, keep_feet=True, "
                     "keep_hands=True, within_limits=True, root_scale=None, still_speed=0.45, blend=0.035, threads=0, "
                     "checkpoint=None, progress=None)",
                     "retarget() of every motion in a folder, or in a list of files, into the folder `out`, on every "
                     "core. A record for each: file, out,\nerror (why nothing was written), frames, bones, "
                     "largest_slide, hand_error.")
          .c_str());
}

}  // namespace armature::python
