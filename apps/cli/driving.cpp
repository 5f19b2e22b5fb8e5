#include "driving.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/base/number.hpp"
#include "armature/kinematics/assembly_modes.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::cli {

void add_drive_flags(CLI::App& command, DriveFlags& flags) {
  command.add_option(
      "--drive", flags.drives,
      "Drive a joint and let the loops follow: joint=from..to or joint=to (crank=0..360deg); more than one "
      "by commas, moved in step");
  command.add_option("--frames", flags.frames, "With --drive: number of poses, first and last included")
      ->transform(within(2, 10000000));
  command.add_option("--pose", flags.pose, "With --drive: the pose to start from");
  command.add_option("--assembly", flags.assembly, "With --drive: which assembly, from 1 (see `mechanism --modes`)")
      ->transform(within(1, 1000000));
  command.add_option("--branch", flags.branch, "With --drive: which branch to follow where the start has two")
      ->transform(within(1, 2));
}

TrailPoint parse_trail(const Model& model, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  TrailPoint trail{text, 0, Vec3::Zero()};
  if (colon == std::string::npos || model.has_link(text)) {
    trail.link = link_of(model, text);
    return trail;
  }
  trail.link = link_of(model, text.substr(0, colon));
  trail.point = need(parse_place(text.substr(colon + 1), "The point of --trail LINK:x,y,z", true));
  return trail;
}

DriveMove parse_drive(const Model& model, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw BadInput{
        fmt::format("--drive takes joint=value or joint=from..to (crank=0..360deg), not {}.", in_quotes(text))};
  }
  DriveMove move;
  move.joint = text.substr(0, equals);
  const ModelJoint& joint = model.joint(need(model.find_joint(move.joint)));
  if (joint.q_count != 1)
    throw BadInput{fmt::format("--drive: joint {} has {} coordinates, and a drive has one.", in_quotes(move.joint),
                               joint.q_count)};
  std::string from, to = text.substr(equals + 1);
  std::vector<std::string> notes;
  if (split_range(text.substr(equals + 1), from, to)) {
    move.from = need(parse_coordinate(model, joint.q_index, from, "--drive", notes));
  }
  move.to = need(parse_coordinate(model, joint.q_index, to, "--drive", notes));
  add_notes(notes);
  return move;
}

DriveOptions drive_options(const Model& model, const DriveFlags& flags, double frame_rate) {
  DriveOptions options;
  std::vector<std::string> names;
  std::vector<DriveMove> moves;
  for (const std::string& list : flags.drives) {
    for (const std::string& text : split_list(list)) {
      moves.push_back(parse_drive(model, text));
      names.push_back(moves.back().joint);
    }
  }
  options.joint = moves.front().joint;
  options.to = moves.front().to;
  options.from = moves.front().from;
  options.also.assign(moves.begin() + 1, moves.end());
  options.frames = flags.frames;
  options.branch = flags.branch;
  if (frame_rate > 0.0) options.frame_time = 1.0 / frame_rate;
  if (!flags.pose.empty()) options.start = pose_of(model, flags.pose, start_pose(model));
  if (flags.assembly > 0) {
    const VecX start = options.start.size() != 0 ? options.start : start_pose(model);
    std::vector<std::string> values;
    for (const DriveMove& move : moves)
      values.push_back(
          fmt::format("{}={}", move.joint, format_number(move.from.value_or(start[model.joint(move.joint).q_index]))));
    options.start = driven_pose(model, values, flags.assembly, start);
  }
  return options;
}

VecX driven_pose(const Model& model, const std::vector<std::string>& drives, int assembly, const VecX& q) {
  if (model.closures().empty()) {
    VecX pose = q;
    for (const std::string& list : drives) {
      for (const std::string& text : split_list(list)) {
        const DriveMove move = parse_drive(model, text);
        need(set_joint(model, move.joint, {move.to}, pose));
      }
    }
    return pose;
  }
  DriveFlags flags;
  flags.drives = drives;
  flags.frames = 2;
  DriveOptions options = drive_options(model, flags, 0.0);
  options.start = q;
  if (options.from) throw BadInput{"A pose has one value for each drive; `animate` takes ranges."};
  // Driven there from where the pose is, so that the assembly stays the same.
  options.from = options.to;
  for (DriveMove& move : options.also) move.from = move.to;
  const DriveReport report = need(drive(model, options));
  VecX pose = Eigen::Map<const VecX>(report.clip.frame(0), model.q_size());
  if (assembly <= 0) return pose;
  std::vector<std::string> names{options.joint};
  for (const DriveMove& move : options.also) names.push_back(move.joint);
  const MechanismReport mechanism = analyze_mechanism(model, pose, names);
  const AssemblyModes modes = assembly_modes(model, pose, need(held_velocities(model, mechanism.drives)));
  if (assembly > static_cast<int>(modes.q.size())) {
    throw BadInput{fmt::format("There are {} assemblies of {} with its drives here, so --assembly goes from 1 to {}.",
                               modes.q.size(), in_quotes(model.name()), modes.q.size())};
  }
  return modes.q[static_cast<std::size_t>(assembly - 1)];
}

Json drive_json(const Model& model, const DriveReport& report, const std::vector<TrailPoint>& trails) {
  Json json = {{"outcome", outcome_name(report.outcome)}, {"message", report.message()}, {"value", report.value}};
  json["dead_points"] = Json::array();
  if (report.outcome == DriveOutcome::dead_point && report.stopped_at)
    json["dead_points"].push_back(*report.stopped_at);
  if (report.stopped_at) json["stopped_at"] = *report.stopped_at;
  if (!report.limit_joint.empty()) json["limit_joint"] = report.limit_joint;
  json["transmission"] = numbers_to_json(report.transmission.data(), report.transmission.size());
  json["values"] = numbers_to_json(report.values.data(), report.values.size());
  json["closure_error"] = report.largest_closure_error;
  json["trail"] = Json::object();
  for (const TrailPoint& t : trails) {
    Json points = Json::array();
    for (const Vec3& p : trail(model, report.clip, t.link, t.point)) points.push_back(numbers_to_json(p.data(), 3));
    json["trail"][t.name] = std::move(points);
  }
  return json;
}

}  // namespace armature::cli
