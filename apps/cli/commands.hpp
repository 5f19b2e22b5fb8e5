// The list of subcommands: one function per file, called in this order by main.cpp.
// To add one: write apps/cli/NAME.cpp with `void add_NAME(CLI::App& app)`, declare it here, and add it to kCommands.
// common.hpp has what commands share: models, poses, JSON, exit codes, tables, progress.
#pragma once

#include <CLI/CLI.hpp>

namespace armature::cli {

void add_models(CLI::App& app);
void add_formats(CLI::App& app);
void add_info(CLI::App& app);
void add_fk(CLI::App& app);
void add_jacobian(CLI::App& app);
void add_convert(CLI::App& app);
void add_edit(CLI::App& app);
void add_check(CLI::App& app);
void add_bodies(CLI::App& app);
void add_studio(CLI::App& app);
void add_demo(CLI::App& app);
void add_methods(CLI::App& app);
void add_ik(CLI::App& app);
void add_track(CLI::App& app);
void add_follow(CLI::App& app);
void add_animate(CLI::App& app);
void add_mechanism(CLI::App& app);
void add_compare(CLI::App& app);
void add_step(CLI::App& app);
void add_figures(CLI::App& app);
void add_exercise(CLI::App& app);
void add_workspace(CLI::App& app);
void add_draw(CLI::App& app);
void add_plot(CLI::App& app);
void add_clip(CLI::App& app);
void add_retarget(CLI::App& app);
void add_bench(CLI::App& app);
void add_python(CLI::App& app);
void add_completion(CLI::App& app);

/// What `./run` without arguments does: figures, comparison, and where to go next (figures.cpp).
void main_job();

inline constexpr void (*kCommands[])(CLI::App&) = {
    add_models,    add_formats, add_info,     add_fk,      add_jacobian, add_convert,    add_edit,
    add_check,     add_bodies,  add_methods,  add_ik,      add_track,    add_follow,     add_animate,
    add_mechanism, add_compare, add_step,     add_figures, add_exercise, add_workspace,  add_draw,
    add_plot,      add_clip,    add_retarget, add_bench,   add_python,   add_completion,
};

}  // namespace armature::cli
