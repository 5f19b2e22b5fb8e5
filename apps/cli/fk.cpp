// `armature fk MODEL`: frames of links for one pose, or for a stream of poses, one line each.
#include <fmt/format.h>

#include <memory>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/pose.hpp"
#include "commands.hpp"
#include "common.hpp"
#include "line_input.hpp"

namespace armature::cli {
namespace {

struct FkOptions {
  std::string model;
  std::string pose;
  std::string pose_file;
  std::string frames;
  std::string base;
  ReadOptions read;
  bool json = false;
};

class Printer {
 public:
  Printer(const Model& model, const FkOptions& options) : model_(model), json_(options.json) {
    if (!options.base.empty() && options.base != "world") base_ = link_of(model, options.base);
    if (options.frames.empty()) {
      for (int link = 0; link < model.link_count(); ++link) links_.push_back(link);
    } else {
      for (const std::string& name : split_list(options.frames)) links_.push_back(link_of(model, name));
    }
    for (const int link : links_) quoted_.push_back(Json(model.link_name(link)).dump());
    resize(model, state_);
  }
  ~Printer() { flush(); }

  void print(const VecX& q) {
    forward(model_, q, state_);
    for (const int link : links_) {
      const Transform X = frame(link);
      if (X.rotation.allFinite() && X.translation.allFinite()) continue;
      flush();
      throw BadInput{
          fmt::format("The pose puts {} further away than numbers reach.", in_quotes(model_.link_name(link)))};
    }
    if (json_) {
      append_json();
      if (out_.size() > (std::size_t{1} << 16)) flush();
    } else {
      append_text();
      flush();
    }
  }

  /// So that lines before a mistake are seen before the mistake is.
  void flush() {
    std::fwrite(out_.data(), 1, out_.size(), stdout);
    out_.clear();
  }

 private:
  Transform frame(int link) const { return relative(state_, base_, link); }

  // {"frames": {"link": [16 numbers, row-major]}}; fmt writes the shortest text that reads back exactly.
  void append_json() {
    auto out = fmt::appender(out_);
    fmt::format_to(out, "{{\"frames\": {{");
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const Transform X = frame(links_[i]);
      fmt::format_to(out, "{}{}: [", i == 0 ? "" : ", ", quoted_[i]);
      for (int row = 0; row < 3; ++row) {
        fmt::format_to(out, "{}, {}, {}, {}, ", X.rotation(row, 0), X.rotation(row, 1), X.rotation(row, 2),
                       X.translation[row]);
      }
      fmt::format_to(out, "0, 0, 0, 1]");
    }
    fmt::format_to(out, "}}}}\n");
  }

  void append_text() {
    Table table({"link", "x", "y", "z", "qx", "qy", "qz", "qw"});
    for (const int link : links_) {
      const Transform X = frame(link);
      Quat turn = X.quaternion();
      if (turn.w() < 0.0) turn.coeffs() *= -1.0;
      std::vector<std::string> row = {model_.link_name(link)};
      for (const double v :
           {X.translation.x(), X.translation.y(), X.translation.z(), turn.x(), turn.y(), turn.z(), turn.w()}) {
        row.push_back(pretty_number(std::abs(v) < 5e-13 ? 0.0 : v, 6));
      }
      table.add(std::move(row));
    }
    const std::string text = table.text();
    out_.append(text.data(), text.data() + text.size());
    out_.push_back('\n');
  }

  const Model& model_;
  bool json_;
  int base_ = kWorld;
  std::vector<int> links_;
  std::vector<std::string> quoted_;
  State state_;
  fmt::memory_buffer out_;
};

void stream(const Model& model, const std::string& path, const VecX& start, Printer& printer) {
  for_each_line(path, "poses", [&](const std::string& line, const std::string& where) {
    VecX q = start;
    try {
      apply_pose_line(model, line, where, q);
    } catch (const BadInput&) {
      printer.flush();
      throw;
    }
    printer.print(q);
  });
}

}  // namespace

void add_fk(CLI::App& app) {
  auto options = std::make_shared<FkOptions>();
  CLI::App* command = app.add_subcommand("fk", "Forward kinematics: where every link is for a pose");
  add_model_argument(*command, options->model);
  command->add_option("--pose", options->pose,
                      "joint=value,... with joint=[a,b,..] for joints of several numbers, 90deg for degrees, or the "
                      "name of one of the model's poses; joints not named stay neutral");
  command->add_option("--pose-file", options->pose_file,
                      "A file of poses, one JSON object a line: {\"joint\": value, \"joint\": [values]}; - for "
                      "standard input");
  command->add_option("--frames", options->frames, "Only these links: a,b,c");
  command->add_option("--base", options->base, "The link whose frame the answer is given in (default: the world)");
  add_json_flag(*command, options->json);
  add_read_options(*command, options->read);
  command->footer(
      "With --json each pose gives one line {\"frames\": {\"link\": [16 numbers]}}, a 4x4 matrix row by row.\n"
      "With --pose and --pose-file together, --pose is where every line starts from.\n\n"
      "Examples:\n"
      "  armature fk planar_arm --pose chapter\n"
      "  armature fk panda --pose panda_joint2=-45deg,panda_joint4=-2.1 --frames panda_hand --json\n"
      "  armature fk human --pose tpose --base pelvis --frames left_hand,right_hand\n"
      "  armature fk robot.urdf --pose-file poses.jsonl --json > frames.jsonl");
  command->callback([options] {
    const LoadedModel loaded = need(load_model(options->model, options->read));
    VecX q = neutral_pose(loaded.model);
    if (!options->pose.empty()) apply_pose_text(loaded.model, options->pose, q);
    Printer printer(loaded.model, *options);
    if (options->pose_file.empty()) {
      printer.print(q);
    } else {
      stream(loaded.model, options->pose_file, q, printer);
    }
  });
}

}  // namespace armature::cli
