// `armature fk MODEL`: frames of links for one pose, or for a stream of poses, one line each.
#include <fmt/format.h>

#include <memory>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/kinematics/closure_rows.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/kinematics/velocity.hpp"
#include "armature/scene/json_input.hpp"
#include "commands.hpp"
#include "common.hpp"
#include "driving.hpp"
#include "motion_input.hpp"

namespace armature::cli {
namespace {

struct FkOptions {
  std::string model, pose, poses, motion, clip, links, base, velocity, acceleration, out;
  std::vector<std::string> drives;
  int assembly = 0;
  ReadOptions read;
  bool json = false;
};

std::string csv_field(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return "," + name;
  std::string text = ",\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

class Printer {
 public:
  Printer(const Model& model, const FkOptions& options) : model_(model), json_(options.json) {
    base_ = base_of(model, options.base);
    if (options.links.empty()) {
      for (int link = 0; link < model.link_count(); ++link) links_.push_back(link);
    } else {
      for (const std::string& name : split_list(options.links)) links_.push_back(link_of(model, name));
    }
    for (const int link : links_) quoted_.push_back(Json(model.link_name(link)).dump());
    resize(model, state_);
    moves_ = !options.velocity.empty() || !options.acceleration.empty();
    if (moves_) {
      v_ = need(parse_velocities(model, options.velocity, "--velocity", 0.0, JointUnits::own));
      a_ = need(parse_velocities(model, options.acceleration, "--acceleration", 0.0, JointUnits::own));
    }
  }
  ~Printer() { flush(); }

  void print(const VecX& q, bool single = false) {
    forward(model_, q, state_);
    for (const int link : links_) {
      const Transform X = frame(link);
      if (X.rotation.allFinite() && X.position.allFinite()) continue;
      flush();
      throw BadInput{fmt::format("The pose puts {} so far away that its place overflows double precision.",
                                 in_quotes(model_.link_name(link)))};
    }
    if (moves_) {
      link_velocities(model_, state_, v_.data(), velocities_);
      link_accelerations(model_, state_, v_.data(), a_.data(), velocities_, accelerations_);
    }
    if (json_) {
      append_json();
      if (single) {
        print_answer(Json::parse(out_.begin(), out_.end()));
        out_.clear();
      }
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

  // {"transforms": {"link": {"position": [3], "quaternion": [4]}}}; fmt writes the shortest text that reads back.
  void append_json() {
    auto out = fmt::appender(out_);
    fmt::format_to(out, "{{\"transforms\": {{");
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const Transform X = frame(links_[i]);
      const Vec3& p = X.position;
      const Quat r = turn_of(X);
      fmt::format_to(out, "{}{}: {{\"position\": [{}, {}, {}], \"quaternion\": [{}, {}, {}, {}]}}", i == 0 ? "" : ", ",
                     quoted_[i], p.x(), p.y(), p.z(), r.x(), r.y(), r.z(), r.w());
    }
    fmt::format_to(out, "}}");
    if (moves_) {
      append_motion("velocities", [&](int link) { return relative_velocity(state_, velocities_, base_, link); });
      append_motion("accelerations",
                    [&](int link) { return relative_acceleration(state_, velocities_, accelerations_, base_, link); });
    }
    fmt::format_to(out, "}}\n");
  }
  template <class Of>
  void append_motion(const char* name, const Of& of) {
    auto out = fmt::appender(out_);
    fmt::format_to(out, ", \"{}\": {{", name);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const Twist t = of(links_[i]);
      fmt::format_to(out, "{}{}: {{\"linear\": [{}, {}, {}], \"angular\": [{}, {}, {}]}}", i == 0 ? "" : ", ",
                     quoted_[i], t.linear.x(), t.linear.y(), t.linear.z(), t.angular.x(), t.angular.y(), t.angular.z());
    }
    fmt::format_to(out, "}}");
  }
  static Quat turn_of(const Transform& X) {
    Quat turn = X.quaternion();
    if (turn.w() < 0.0) turn.coeffs() *= -1.0;
    return turn;
  }

  void append_text() {
    std::vector<std::string> head = {"link", "x", "y", "z", "qx", "qy", "qz", "qw"};
    if (moves_) head.insert(head.end(), {"vx", "vy", "vz", "wx", "wy", "wz"});
    Table table(head);
    for (const int link : links_) {
      const Transform X = frame(link);
      const Quat turn = turn_of(X);
      std::vector<std::string> row = {model_.link_name(link)};
      const auto add = [&](std::initializer_list<double> values) {
        for (const double v : values) row.push_back(pretty_number(std::abs(v) < 5e-13 ? 0.0 : v, 6));
      };
      add({X.position.x(), X.position.y(), X.position.z(), turn.x(), turn.y(), turn.z(), turn.w()});
      if (moves_) {
        const Twist t = relative_velocity(state_, velocities_, base_, link);
        add({t.linear.x(), t.linear.y(), t.linear.z(), t.angular.x(), t.angular.y(), t.angular.z()});
      }
      table.add(row);
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
  bool moves_ = false;  // velocities were asked for
  VecX v_, a_;
  std::vector<Twist> velocities_, accelerations_;
  fmt::memory_buffer out_;
};

// A row for each frame, three columns for each link.
void print_motion(const FkOptions& options) {
  const bool own = options.motion == "-" || options.motion == options.model;
  const LoadedMotion motion = load_motion(options.model, own ? "" : options.motion, options.clip, options.read);
  need_frames(motion, own ? options.model : options.motion);
  const int base = base_of(motion.model, options.base);
  std::vector<int> links;
  for (const std::string& name : split_list(options.links)) links.push_back(link_of(motion.model, name));
  if (links.empty()) {
    for (int link = 0; link < motion.model.link_count(); ++link) links.push_back(link);
  }
  std::string csv = "time";
  for (const int link : links) {
    for (const char axis : {'x', 'y', 'z'}) csv += csv_field(motion.model.link_name(link) + "." + axis);
  }
  csv += "\n";
  State state;
  for (int f = 0; f < motion.clip.frame_count(); ++f) {
    forward(motion.model, motion.clip.frame(f), state);
    csv += fmt::format("{}", f * motion.clip.frame_time);
    for (const int link : links) {
      const Vec3 p = relative(state, base, link).position;
      csv += fmt::format(",{},{},{}", p.x(), p.y(), p.z());
    }
    csv += "\n";
  }
  add_notes(motion.document.notes);
  write_output(options.out.empty() ? "-" : options.out, csv);
}

// A line each; lines before a mistake are seen before the mistake is.
void stream(const Model& model, const std::string& path, const VecX& start, Printer& printer) {
  const std::string name = path == "-" ? "Standard input" : path;
  LineReader lines(path);
  need(lines.open());
  Progress progress("poses");
  std::vector<std::string> notes;
  std::string line;
  for (int number = 1; need(lines.next(line)); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    VecX q = start;
    const Result<JsonInput> input = JsonInput::parse(line, name, number);
    if (!input) printer.flush();
    need(input.status());
    JsonFields fields(input->source());
    if (!read_pose(fields, input->root(), model, q, notes)) {
      printer.flush();
      throw BadInput{fields.error().message};
    }
    printer.print(q);
    if (lines.fraction() > 0.0) {
      progress.at(lines.fraction());
    } else {
      printer.flush();  // whoever writes into a pipe may wait for each answer
    }
  }
  add_notes(notes);
}

}  // namespace

void add_fk(CLI::App& app) {
  auto options = std::make_shared<FkOptions>();
  CLI::App* command = app.add_subcommand("fk", "Forward kinematics: where every link is for a pose");
  add_model_argument(*command, options->model);
  command->add_option(
      "--pose", options->pose,
      "A pose's name, joint=value,... with joint=[a,b,..] for joints of several numbers, or all numbers "
      "in order; 90deg for degrees; joints not named stay neutral (of a model with loops: as it starts)");
  command->add_option("--poses", options->poses,
                      "A file of poses, one a line, as JSON: {\"joint\": value, \"joint\": [values]}, a list of all "
                      "numbers, or a name; - for standard input");
  command->add_option(
      "--motion", options->motion,
      "A motion of MODEL: where its links are in every frame, as CSV (time, link.x, link.y, link.z); a MODEL "
      "that is a motion file itself is named again here, or -");
  command->add_option("--clip", options->clip, "With --motion: which of several, by name or number");
  command->add_option("-o,--out", options->out, "With --motion: the CSV file to write (default: standard output)");
  command->add_option("--drive", options->drives,
                      "joint=value,...: the loops of a mechanism closed with these joints there, from --pose");
  command->add_option("--assembly", options->assembly, "With --drive: which assembly, from 1 (see `mechanism --modes`)")
      ->transform(within(1, 1000000));
  command->add_option("--links", options->links, "Only these links: a,b,c");
  command->add_option("--velocity", options->velocity,
                      "Also how the links move while the joints do: joint=value,... per second, radians or the model's "
                      "length unit; joints not named rest");
  command->add_option("--acceleration", options->acceleration, "Of the joints, per second squared, for --velocity");
  command->add_option("--base", options->base, "The link whose frame the answer is given in (default: the world)");
  add_json_flag(*command, options->json);
  add_read_options(*command, options->read);
  command->footer(
      "With --json each pose gives {\"transforms\": {\"link\": {\"position\": [x,y,z], \"quaternion\": "
      "[x,y,z,w]}}}.\n"
      "With --velocity also \"velocities\" and \"accelerations\": {\"link\": {\"linear\": [x,y,z], \"angular\": "
      "[x,y,z]}}, of the\nlink's origin, in the axes of --base.\n"
      "With --pose and --poses together, --pose is where every line starts from.\n\n"
      "Examples:\n"
      "  armature fk planar_arm --pose chapter\n"
      "  armature fk panda --pose panda_joint2=-45deg,panda_joint4=-2.1 --links panda_hand --json\n"
      "  armature fk panda --pose 0,-45deg,0,-2.1,0,90deg,45deg,0.04\n"
      "  armature fk human --pose tpose --base pelvis --links left_hand,right_hand\n"
      "  armature fk panda --pose ready --velocity panda_joint1=1,panda_joint4=-20deg --links panda_tcp\n"
      "  armature fk four_bar --drive crank=60deg --assembly 2\n"
      "  armature fk walk.bvh --motion - --links LeftFoot,RightFoot -o feet.csv\n"
      "  armature fk robot.urdf --poses poses.jsonl --json > transforms.jsonl");
  command->callback([options] {
    if (options->model == "-" && options->poses == "-") {
      throw BadInput{
          "Standard input can be read only once; MODEL and --poses both name it. Give one of them as a file."};
    }
    if (!options->motion.empty()) {
      if (options->json || !options->pose.empty() || !options->poses.empty() || !options->drives.empty()) {
        throw BadInput{"--motion writes CSV and goes with --clip, --links, --base and --out only."};
      }
      print_motion(*options);
      return;
    }
    const LoadedModel loaded = need(open_model(options->model, options->read));
    const bool loops = !loaded.model.closures().empty();
    VecX q = pose_of(loaded.model, options->pose, default_pose(loaded.model));
    if (!options->drives.empty()) {
      q = driven_pose(loaded.model, options->drives, options->assembly, q);
    } else if (options->assembly > 0) {
      throw BadInput{"--assembly goes with --drive."};
    }
    if (const double gap = loops && options->poses.empty() ? closure_error(loaded.model, q) : 0.0;
        gap > 1e-6 * loaded.model.size()) {
      add_notes(
          {fmt::format("The loops of {} are open by {} at this pose: every joint stands where --pose puts it. "
                       "--drive closes them: see `armature mechanism {}` for the drives.",
                       in_quotes(loaded.model.name()), pretty_number(gap, 3), options->model)});
    }
    Printer printer(loaded.model, *options);
    if (options->poses.empty()) {
      printer.print(q, true);
    } else {
      stream(loaded.model, options->poses, q, printer);
    }
  });
}

}  // namespace armature::cli
