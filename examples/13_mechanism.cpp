// A four-bar through a full turn, with its coupler curve; then a rocker driven into its dead point.
#include <cstdio>

#include "armature/motion/drive.hpp"
#include "builtin.hpp"

using namespace armature;

int main() {
  const Model bar = load_builtin("four_bar");
  const MechanismReport mechanism = analyze_mechanism(bar);
  std::printf("mobility %d (Kutzbach %d), driven by %s\n", mechanism.mobility, mechanism.kutzbach,
              mechanism.drives.front().c_str());

  DriveOptions turn;
  turn.joint = "crank";
  turn.from = 0.0;
  turn.to = 2.0 * kPi;
  turn.frames = 361;
  const Result<DriveReport> report = drive(bar, turn);
  if (!report) {
    std::printf("%s\n", report.message().c_str());
    return 1;
  }
  std::printf("%s\n", report->message().c_str());
  const std::vector<Vec3> curve = trail(bar, report->clip, bar.link("coupler"), Vec3(1.4, 1.2, 0));
  std::printf("coupler curve from (%.4f, %.4f), back after %zu points at (%.4f, %.4f)\n", curve.front().x(),
              curve.front().y(), curve.size(), curve.back().x(), curve.back().y());
  if ((curve.front() - curve.back()).norm() > 1e-9) return 1;

  DriveOptions rock;
  rock.joint = "rocker_pin";
  rock.to = 4.0;
  const Result<DriveReport> stop = drive(bar, rock);
  std::printf("%s\n", stop.ok() ? stop->message().c_str() : stop.message().c_str());
  return stop.ok() && stop->outcome == DriveOutcome::dead_point && report->ok() ? 0 : 1;
}
