// All answers by analysis, and what kind of chain it is.
#include "armature/kinematics/analysis.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/solve/solutions.hpp"
#include "python.hpp"

namespace armature::python {
namespace {

py::object solutions_of(const FigurePtr& figure, const py::object& target, const py::kwargs& given) {
  Keywords keywords("solutions", given);
  SolutionsOptions options;
  const auto flag = [&](const char* name, bool& out) {
    if (const py::object value = keywords.take(name); !value.is_none()) out = to_flag(value, name);
  };
  const auto integer = [&](const char* name, int& out) {
    if (const py::object value = keywords.take(name); !value.is_none()) out = to_integer(value, name);
    if (out < 0 || out > 100000) throw PyError(std::string(name) + " must lie between 0 and 100000.");
  };
  flag("within_limits", options.within_limits);
  flag("thorough", options.thorough);
  integer("samples", options.samples);
  integer("max_count", options.max_count);
  const Scene scene = to_scene(figure, keywords.fields(target));
  need_goals(scene, "solutions");
  options.start = scene.start;
  const Problem problem = make_problem(scene);
  Result<Solutions> found = Error{};
  {
    const py::gil_scoped_release unlocked;
    found = solutions(problem, options);
  }
  const Solutions all = need(std::move(found));
  std::vector<std::string> free;
  for (const int q : all.singular_joints) free.push_back(figure->model.coordinate_name(q));
  py::dict fields;
  fields["q"] = from_matrix(all.q.transpose());
  fields["residuals"] = from_vector(all.residuals);
  fields["complete"] = all.complete;
  fields["singular_joints"] = free;
  fields["answers"] = all.answers;
  fields["curves"] = all.curves;
  fields["message"] = all.message;
  fields["kind"] = all.chain_class;
  return py::module_::import("armature._records").attr("Solutions")(fields);
}

py::object analyze(const FigurePtr& figure, const py::object& tip, const py::object& base, const py::object& point) {
  const Model& model = figure->model;
  const int end = to_tip(model, tip);
  const ChainAnalysis found = need(analyze_chain(model, to_frame(model, base, "base"), end, to_point(point, "point")));
  py::dict fields;
  fields["kind"] = class_name(found.kind);
  fields["sentence"] = found.sentence;
  fields["exact"] = found.exact();
  fields["defect"] = found.defect;
  fields["joint_count"] = found.joint_count();
  fields["mirrored"] = found.mirrored;
  return record(fields);
}

}  // namespace

void bind_chain(py::module_&, ModelClass& model) {
  model.def(
      "solutions", &solutions_of, py::arg("target") = py::none(),
      with_signature("solutions(self, target=None, *, link=None, point=None, base=None, goals=None, start=None, "
                     "limits=None, within_limits=True, thorough=False, samples=0, max_count=256)",
                     "Every pose that reaches the goal, by analysis, the nearest to `start` first: q (N, q_size), "
                     "residuals,\ncomplete (whether these are all), singular_joints (free at some answer), answers "
                     "(poses of one\nnumber differ by full turns only), curves (of seven joints), message,\nkind of "
                     "the chain. Where it has no closed form a search finds "
                     "some of them, and kind is ''.\n\n"
                     ">>> ur5 = armature.load_model('ur5')\n"
                     ">>> found = ur5.solutions([0.3, 0.2, 0.4, 0, 1, 0, 0])\n"
                     ">>> found.complete\nTrue")
          .c_str());
  model.def("analyze_chain", &analyze, py::arg("tip") = py::none(), py::arg("base") = py::none(),
            py::arg("point") = py::none(),
            with_signature("analyze_chain(self, tip=None, base=None, point=None)",
                           "What kind of equations the chain from base to tip has: kind, sentence, exact, defect.")
                .c_str());
}

}  // namespace armature::python
