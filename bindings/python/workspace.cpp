// Where a link can get to: Workspace.
#include "armature/solve/workspace.hpp"

#include <filesystem>

#include "armature/base/suggest.hpp"
#include "armature/kinematics/defaults.hpp"
#include "armature/parallel/base_placement.hpp"
#include "armature/parallel/workspace_job.hpp"
#include "armature/scene/files.hpp"
#include "jobs.hpp"

namespace armature::python {
namespace {

struct Region {
  FigurePtr figure;
  std::unique_ptr<Workspace> workspace;
};

WorkspaceOptions options_of(const Figure& figure, Keywords& keywords) {
  const Model& model = figure.model;
  WorkspaceOptions options;
  options.tip = to_tip(model, keywords.take("tip"));
  options.base = to_frame(model, keywords.take("base"), "base");
  options.point = to_point(keywords.take("point"), "point");
  const auto integer = [&](const char* name, int& out) {
    if (const py::object value = keywords.take(name); !value.is_none()) out = to_integer(value, name);
  };
  integer("cells", options.cells);
  integer("samples", options.samples);
  integer("orientations", options.orientations);
  if (const py::object region = keywords.take("region"); !region.is_none()) {
    const std::vector<py::object> bounds = to_items(region, "region", "(lower, upper)");
    if (bounds.size() != 2) throw PyError("region must be (lower, upper), two points of the base's frame.");
    options.region_lower = to_vector(bounds[0], "region[0]");
    options.region_upper = to_vector(bounds[1], "region[1]");
  }
  if (const py::object cone = keywords.take("cone"); !cone.is_none()) options.cone = to_number(cone, "cone");
  if (const py::object axis = keywords.take("cone_axis"); !axis.is_none())
    options.cone_axis = to_vector(axis, "cone_axis");
  int seed = 1;
  integer("seed", seed);
  options.seed = static_cast<std::uint64_t>(seed);
  return options;
}

// What is done so far is kept there, now and then and at the end of an interrupted run.
void restore(Workspace& workspace, const std::string& checkpoint) {
  std::error_code failed;
  if (checkpoint.empty() || !std::filesystem::exists(checkpoint, failed)) return;
  if (const Status status = workspace.restore(need(read_file(checkpoint))); !status) {
    throw PyError(armature::detail::quoted(checkpoint) + " is the checkpoint of another run (other model or options).");
  }
}

Region computed(const FigurePtr& figure, const py::kwargs& given) {
  Keywords keywords("workspace", given);
  const WorkspaceOptions options = options_of(*figure, keywords);
  LongCall call(keywords, 0, true);
  keywords.finish();
  auto workspace = std::make_unique<Workspace>(need(Workspace::make(figure->model, options)));
  restore(*workspace, call.checkpoint());
  JobOptions job;
  call.set(job);
  Result<bool> done = true;
  {
    const py::gil_scoped_release unlocked;
    done = compute_workspace(*workspace, job);
  }
  if (!need(std::move(done)) && !call.checkpoint().empty()) {
    need(write_file_atomically(call.checkpoint(), workspace->save()));
  }
  call.finish();
  return {figure, std::move(workspace)};
}

// Where to put the robot for targets (N, 3), (N, 7) or (N, 4, 4).
py::object placements(const FigurePtr& figure, const py::object& given_targets, const py::kwargs& given) {
  const Model& model = figure->model;
  Keywords keywords("placements", given);
  PlacementOptions options;
  Problem problem;
  problem.model = model;
  problem.tip = to_tip(model, keywords.take("tip"));
  const auto integer = [&](const char* name, int& out) {
    if (const py::object value = keywords.take(name); !value.is_none()) out = to_integer(value, name);
  };
  integer("cells", options.cells);
  integer("headings", options.headings);
  if (const py::object region = keywords.take("region"); !region.is_none()) {
    const std::vector<py::object> bounds = to_items(region, "region", "(lower, upper)");
    if (bounds.size() != 2) throw PyError("region must be (lower, upper), two points of the targets' frame.");
    options.region_lower = to_vector(bounds[0], "region[0]");
    options.region_upper = to_vector(bounds[1], "region[1]");
  }
  LongCall call(keywords, 0, true);
  keywords.finish();
  const std::string must = "an array of shape (N, 3), (N, 7) or (N, 4, 4)";
  std::vector<Goal> targets;
  const Numbers rows = to_array(given_targets, "targets", must);
  const bool matrices = rows.ndim() == 3 && rows.shape(1) == 4 && rows.shape(2) == 4;
  const bool flat = rows.ndim() == 2 && (rows.shape(1) == 3 || rows.shape(1) == 7);
  if (!matrices && !flat) throw PyError("targets must be " + must + ".");
  for (py::ssize_t n = 0; n < rows.shape(0); ++n) {
    const double* const row = rows.data() + n * (matrices ? 16 : rows.shape(1));
    if (flat && rows.shape(1) == 3) {
      targets.emplace_back(PositionGoal{.target = Vec3(row[0], row[1], row[2])});
      continue;
    }
    const py::object values = py::array_t<double>(matrices ? 16 : 7, row);
    const std::string name = "targets[" + std::to_string(n) + "]";
    targets.emplace_back(PoseGoal{.target = to_transform(values, name)});
  }
  Placements found = need(Placements::make(problem, std::move(targets), options));
  JobOptions job;
  call.set(job);
  job.checkpoint = call.checkpoint();
  Result<bool> done = true;
  {
    const py::gil_scoped_release unlocked;
    done = find_placements(found, job);
  }
  need(std::move(done));
  call.finish();
  const WorkspaceGrid& grid = found.grid();
  py::array_t<int> reached({static_cast<py::ssize_t>(grid.count[2]), static_cast<py::ssize_t>(grid.count[1]),
                            static_cast<py::ssize_t>(grid.count[0]), static_cast<py::ssize_t>(found.headings())});
  int* to = reached.mutable_data();
  for (int cell = 0; cell < grid.size(); ++cell) {
    for (int heading = 0; heading < found.headings(); ++heading) *to++ = found.reached({cell, heading});
  }
  const Placements::Place best = found.best();
  const py::object where =
      record(py::dict(py::arg("origin") = from_vector(grid.origin), py::arg("cell") = grid.cell,
                      py::arg("shape") = py::make_tuple(grid.count[2], grid.count[1], grid.count[0]),
                      py::arg("headings") = found.headings()));
  return record(py::dict(py::arg("best") = to_matrix(found.transform(best)),
                         py::arg("heading") = found.angle(best.heading), py::arg("most") = found.reached(best),
                         py::arg("reached") = reached, py::arg("grid") = where));
}

template <class T, class Get>
py::array_t<T> over_grid(const Workspace& w, Get get) {
  const WorkspaceGrid& grid = w.grid();
  py::array_t<T> out({static_cast<py::ssize_t>(grid.count[2]), static_cast<py::ssize_t>(grid.count[1]),
                      static_cast<py::ssize_t>(grid.count[0])});
  T* to = out.mutable_data();
  for (int i = 0; i < grid.size(); ++i) to[i] = static_cast<T>(get(i));
  return out;
}

}  // namespace

void bind_workspace(py::module_& module, ModelClass& model) {
  py::class_<Region> type(module, "Workspace",
                          "Where a link can get to, and from how many sides: arrays over a grid, [z, y, x].");
  type.def_property_readonly(
      "model", [](const Region& r) { return r.figure; }, "Whose it is.");
  type.def_property_readonly(
      "tip", [](const Region& r) { return r.figure->model.link_name(r.workspace->tip()); }, "The link.");
  type.def_property_readonly(
      "volume", [](const Region& r) { return r.workspace->volume(); },
      "Cubic metres (square metres of a flat workspace) whose cells' centres can be reached.");
  type.def_property_readonly(
      "sampled_volume", [](const Region& r) { return r.workspace->sampled_volume(); },
      "The same by random poses alone.");
  type.def_property_readonly(
      "mean_dexterity", [](const Region& r) { return r.workspace->mean_dexterity(); },
      "Share of the orientations that are attained, mean over reachable cells.");
  type.def_property_readonly(
      "reachable_cells", [](const Region& r) { return r.workspace->reachable_cells(); }, "How many.");
  type.def_property_readonly(
      "reachable",
      [](const Region& r) { return over_grid<bool>(*r.workspace, [&](int i) { return r.workspace->reachable(i); }); },
      "Whether a cell's centre can be reached.");
  type.def_property_readonly(
      "dexterity",
      [](const Region& r) { return over_grid<double>(*r.workspace, [&](int i) { return r.workspace->dexterity(i); }); },
      "Share of the orientations that are attained in each cell.");
  type.def_property_readonly(
      "hits", [](const Region& r) { return over_grid<int>(*r.workspace, [&](int i) { return r.workspace->hits(i); }); },
      "Random poses in each cell.");
  type.def_property_readonly(
      "grid",
      [](const Region& r) {
        const WorkspaceGrid& grid = r.workspace->grid();
        return record(py::dict(py::arg("origin") = from_vector(grid.origin), py::arg("cell") = grid.cell,
                               py::arg("shape") = py::make_tuple(grid.count[2], grid.count[1], grid.count[0])));
      },
      "origin (corner of the first cell), cell (its side), shape.");
  type.def(
      "query",
      [](const Region& r, const py::object& points) {
        const Numbers rows = to_array(points, "points", "an array of shape (N, 3)");
        if (rows.ndim() != 2 || rows.shape(1) != 3) throw PyError("points must be an array of shape (N, 3).");
        py::array_t<double> out(rows.shape(0));
        for (py::ssize_t n = 0; n < rows.shape(0); ++n) {
          const int cell = r.workspace->query(Eigen::Map<const Vec3>(rows.row(n)));
          const bool turned = r.workspace->options().orientations > 0;
          out.mutable_data()[n] = cell < 0 ? 0.0 : turned ? r.workspace->dexterity(cell) : 1.0;
        }
        return out;
      },
      py::arg("points"),
      with_signature("query(self, points)",
                     "For each of N points of the base's frame: 0 where its cell cannot be reached, else the share of "
                     "orientations (1 when none\nwere asked for).")
          .c_str());
  type.def("__repr__", [](const Region& r) {
    return "<armature.Workspace of '" + r.figure->model.link_name(r.workspace->tip()) +
           "': " + std::to_string(r.workspace->reachable_cells()) + " cells within reach>";
  });
  type.def(py::pickle(
      [](const Region& r) {
        const WorkspaceOptions& o = r.workspace->options();
        return py::make_tuple(r.figure, r.workspace->tip(), r.workspace->base(), from_vector(o.point), o.cells,
                              o.samples, o.orientations, o.seed, py::bytes(r.workspace->save()),
                              from_vector(o.region_lower), from_vector(o.region_upper), o.cone,
                              from_vector(o.cone_axis));
      },
      [](const py::tuple& t) {
        if (t.size() != 13) throw PyError("This is not the state of a Workspace.");
        Region region{to_figure(t[0], "model"), nullptr};
        WorkspaceOptions options;
        const int tip = t[1].cast<int>(), base = t[2].cast<int>(), links = region.figure->model.link_count();
        options.tip = tip;
        options.base = base;
        if (tip < 0 || tip >= links || base < kWorld || base >= links) {
          throw PyError("This is not the state of a Workspace.");
        }
        options.point = to_vector(t[3], "point");
        options.cells = t[4].cast<int>();
        options.samples = t[5].cast<int>();
        options.orientations = t[6].cast<int>();
        options.seed = t[7].cast<std::uint64_t>();
        for (int k = 0; k < 3; ++k) {
          options.region_lower[k] = py::object(t[9][py::int_(k)]).cast<double>();  // may be infinite
          options.region_upper[k] = py::object(t[10][py::int_(k)]).cast<double>();
        }
        options.cone = t[11].cast<double>();
        options.cone_axis = to_vector(t[12], "cone_axis");
        region.workspace = std::make_unique<Workspace>(need(Workspace::make(region.figure->model, options)));
        need(region.workspace->restore(t[8].cast<std::string>()));
        return region;
      }));
  model.def(
      "placements", &placements, py::arg("targets"),
      with_signature(
          "placements(self, targets, *, tip=None, cells=30, headings=8, region=None, threads=0, checkpoint=None, "
          "progress=None)",
          "Where to put the robot so that its tip reaches `targets`: (N, 3) places, (N, 7) or (N, 4, 4) poses in the\n"
          "world. Every cell of the floor around them is tried in `headings` turns about z (heights, too, where "
          "`region` "
          "(lower,\nupper) bounds z). Gives best (the 4x4 transform of the robot's origin), heading, most (targets "
          "reached from there),\nreached (an array [z, y, x, heading]) and grid (origin, cell, shape, headings).\n\n"
          ">>> arm = armature.load_model('two_link')\n"
          ">>> arm.placements([[2, 0, 0], [2, 1, 0]], tip='tip', cells=10, headings=1).most\n2")
          .c_str());
  model.def(
      "workspace", &computed,
      with_signature(
          "workspace(self, *, tip=None, base=None, point=None, cells=40, samples=400000, "
          "orientations=0, region=None, cone=None, cone_axis=None, seed=1, threads=0, checkpoint=None, progress=None)",
          "Where a point of a link can get to, within `region` (lower, upper); orientations within the angle "
          "`cone` of `cone_axis` (tool\ndown when it is left out). The answer does not depend on the number of "
          "threads; an "
          "interrupted run goes on from its\n`checkpoint`. `progress` is True, or a function of a "
          "fraction.\n\n"
          ">>> arm = armature.load_model('two_link')\n"
          ">>> arm.workspace(tip='tip', cells=20, samples=2000).reachable.ndim\n3")
          .c_str());
}

}  // namespace armature::python
