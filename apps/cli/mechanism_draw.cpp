// Mechanisms as textbooks draw them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "drawing.hpp"
#include "driving.hpp"

namespace armature::cli {
namespace {

struct Body {
  std::vector<Vec3> points;  // pins and tracked points, in the world
  bool ground = false;
};

class MechanismDrawing {
 public:
  MechanismDrawing(const Model& model, const std::vector<TrailPoint>& trails) : model_(model), trails_(trails) {
    camera_ = camera_named(flat() ? "top" : "oblique", false).value();
    // Links that are fixed to each other are one body.
    for (int i = 0; i < model.link_count(); ++i) {
      const ModelJoint& joint = model.joint(i);
      if (joint.v_count == 0 && joint.parent >= 0) {
        body_.push_back(body_[static_cast<std::size_t>(joint.parent)]);
      } else if (joint.v_count == 0) {
        body_.push_back(-1);  // the ground
      } else {
        body_.push_back(i);
      }
    }
  }

  // In the plane z = 0, where the loops are closed.
  bool flat() const {
    for (const ModelJoint& joint : model_.joints()) {
      if (std::abs(joint.origin.position.z()) > 1e-9 * model_.size()) return false;
      const Revolute* hinge = std::get_if<Revolute>(&joint.type);
      if (const auto* endless = std::get_if<Continuous>(&joint.type)) hinge = endless;
      const Prismatic* slide = std::get_if<Prismatic>(&joint.type);
      if (hinge != nullptr && std::abs(hinge->axis.z()) < 1.0 - 1e-9) return false;
      if (slide != nullptr && std::abs((joint.origin.rotation * slide->axis).z()) > 1e-9) return false;
      if (joint.v_count > 0 && hinge == nullptr && slide == nullptr) return false;
    }
    return true;
  }

  std::vector<Body> bodies(const State& state) const {
    std::vector<Body> all(static_cast<std::size_t>(model_.link_count()) + 1);
    all[0].ground = true;
    const auto add = [&](int link, const Vec3& p) {
      const int body = link < 0 ? -1 : body_[static_cast<std::size_t>(link)];
      std::vector<Vec3>& points = all[static_cast<std::size_t>(body + 1)].points;
      const bool known = std::any_of(points.begin(), points.end(),
                                     [&](const Vec3& o) { return (o - p).norm() < 1e-6 * model_.size(); });
      if (!known) points.push_back(p);
    };
    for (int i = 0; i < model_.link_count(); ++i) {
      const ModelJoint& joint = model_.joint(i);
      if (joint.v_count == 0) continue;
      const Vec3 own = state.X_WL[static_cast<std::size_t>(i)].position;
      const bool slides = coordinates(joint.type)[0] == Coordinate::length;
      add(i, own);
      if (!slides) add(joint.parent, own);
    }
    for (const ModelClosure& closure : model_.closures()) {
      if (std::holds_alternative<Coupling>(closure.type)) continue;
      add(closure.a, frame(state, closure.a) * closure.X_A.position);
      add(closure.b, frame(state, closure.b) * closure.X_B.position);
    }
    for (const TrailPoint& t : trails_) add(t.link, frame(state, t.link) * t.point);
    return all;
  }

  void cover(Bounds& bounds, const State& state) const {
    for (const Body& body : bodies(state)) {
      for (const Vec3& p : body.points) bounds.add(camera_.flat(p));
    }
  }

  void draw(Svg& svg, const View& view, const State& state, double pale) const {
    const std::vector<Body> all = bodies(state);
    const auto tone = [&](const char* color) { return pale > 0.0 ? std::string(ink::kFaint) : std::string(color); };
    if (pale == 0.0) {
      for (const Vec3& p : all[0].points) draw_ground(svg, view(camera_.flat(p)), 11.0);
    }
    // Farther bodies first.
    std::vector<const Body*> order;
    for (const Body& body : all) {
      if (!body.ground && body.points.size() > 1) order.push_back(&body);
    }
    const auto depth = [&](const Body& body) {
      double sum = 0.0;
      for (const Vec3& p : body.points) sum += camera_.nearness(p);
      return sum / static_cast<double>(body.points.size());
    };
    std::stable_sort(order.begin(), order.end(), [&](const Body* a, const Body* b) { return depth(*a) < depth(*b); });
    for (const Body* body : order) {
      std::vector<Vec2> page;
      for (const Vec3& p : body->points) page.push_back(view(camera_.flat(p)));
      const bool plate = page.size() > 2;
      if (plate) page = hull(page);
      // A wide stroke with round ends below a narrower one: a bar with an edge.
      const double width = pale > 0.0 ? 1.4 : 9.0;
      svg.polyline(page, {tone(ink::kEdge), width, plate && pale == 0.0 ? ink::kEdge : "none", "", 1.0}, plate);
      if (pale == 0.0) svg.polyline(page, {ink::kBar, width - 2.4, plate ? ink::kBar : "none", "", 1.0}, plate);
    }
    for (const ModelClosure& closure : model_.closures()) {
      if (!std::holds_alternative<Rod>(closure.type)) continue;
      const Vec2 a = view(camera_.flat(frame(state, closure.a) * closure.X_A.position));
      const Vec2 b = view(camera_.flat(frame(state, closure.b) * closure.X_B.position));
      svg.line(a, b, Pen::line(tone(ink::kEdge), pale > 0.0 ? 1.0 : 3.0));
    }
    if (pale > 0.0) return;
    for (int i = 0; i < model_.link_count(); ++i) {  // sliders: blocks along their way
      const ModelJoint& joint = model_.joint(i);
      const Prismatic* slide = std::get_if<Prismatic>(&joint.type);
      if (slide == nullptr) continue;
      const Transform& X = state.X_WL[static_cast<std::size_t>(i)];
      const Vec2 at = view(camera_.flat(X.position));
      const Vec2 along2 = view(camera_.flat(X * slide->axis)) - view(camera_.flat(X.position));
      if (along2.norm() < 1e-6) continue;
      const Vec2 along = along2.normalized(), across(-along.y(), along.x());
      svg.line(at - 34 * along, at + 34 * along, Pen::line(ink::kSoft, 0.8, "5 3"));
      svg.polyline({at - 11 * along - 7 * across, at + 11 * along - 7 * across, at + 11 * along + 7 * across,
                    at - 11 * along + 7 * across},
                   {ink::kEdge, 1.1, ink::kBar, "", 1.0}, true);
    }
    for (const Body& body : all) {
      for (const Vec3& p : body.points) {
        svg.circle(view(camera_.flat(p)), 3.0, {ink::kEdge, 1.2, "#ffffff", "", 1.0});
      }
    }
  }

  const Camera& camera() const { return camera_; }
  Transform frame(const State& state, int link) const {
    return link < 0 ? Transform() : state.X_WL[static_cast<std::size_t>(link)];
  }

 private:
  static std::vector<Vec2> hull(std::vector<Vec2> points) {
    const auto turn = [](const Vec2& o, const Vec2& a, const Vec2& b) {
      return (a.x() - o.x()) * (b.y() - o.y()) - (a.y() - o.y()) * (b.x() - o.x());
    };
    std::sort(points.begin(), points.end(),
              [](const Vec2& a, const Vec2& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
    std::vector<Vec2> out;
    for (int pass = 0; pass < 2; ++pass) {
      const std::size_t base = out.size();
      for (const Vec2& p : points) {
        while (out.size() >= base + 2 && turn(out[out.size() - 2], out.back(), p) <= 1e-9) out.pop_back();
        out.push_back(p);
      }
      out.pop_back();
      std::reverse(points.begin(), points.end());
    }
    return out;
  }

  const Model& model_;
  const std::vector<TrailPoint>& trails_;
  Camera camera_;
  std::vector<int> body_;
};

}  // namespace

Svg draw_mechanism(const Model& model, const VecX& q, const Clip& clip, const std::vector<TrailPoint>& trails,
                   const std::string& title) {
  const MechanismDrawing drawing(model, trails);
  State state;
  Bounds bounds;
  forward(model, q, state);
  drawing.cover(bounds, state);
  std::vector<std::vector<Vec3>> paths;
  for (const TrailPoint& t : trails) paths.push_back(trail(model, clip, t.link, t.point));
  for (const std::vector<Vec3>& path : paths) {
    for (const Vec3& p : path) bounds.add(drawing.camera().flat(p));
  }
  constexpr int kGhosts = 7;
  const int frames = clip.frame_count();
  for (int g = 0; g < kGhosts && frames > 1; ++g) {
    forward(model, clip.frame(g * (frames - 1) / (kGhosts - 1)), state);
    drawing.cover(bounds, state);
  }
  const Vec2 span = (bounds.high - bounds.low).cwiseMax(0.05 * model.size());
  bounds.grow(0.09 * span.maxCoeff());
  const Vec2 room = bounds.high - bounds.low;
  const Vec2 panel = room * (560.0 / room.maxCoeff());
  Svg svg(panel.x() + 24.0, panel.y() + 24.0 + (title.empty() ? 0.0 : 24.0), title.empty() ? model.name() : title);
  const Vec2 corner(12.0, 12.0 + (title.empty() ? 0.0 : 24.0));
  if (!title.empty()) svg.text(Vec2(12, 26), title, {14, ink::kText, "start", true, false, 0});
  const View view(bounds.low, bounds.high, corner, panel);
  for (int g = 0; g < kGhosts && frames > 1; ++g) {
    forward(model, clip.frame(g * (frames - 1) / (kGhosts - 1)), state);
    drawing.draw(svg, view, state, 0.7);
  }
  forward(model, q, state);
  drawing.draw(svg, view, state, 0.0);
  for (std::size_t t = 0; t < paths.size(); ++t) {
    std::vector<Vec2> line;
    for (const Vec3& p : paths[t]) line.push_back(view(drawing.camera().flat(p)));
    svg.polyline(line, Pen::line(t == 0 ? ink::kPath : ink::kColumns[(t - 1) % 3], 1.8));
  }
  for (std::size_t t = 0; t < trails.size(); ++t) {
    const Vec3 p = drawing.frame(state, trails[t].link) * trails[t].point;
    svg.circle(view(drawing.camera().flat(p)), 4.0, Pen::filled(t == 0 ? ink::kPath : ink::kColumns[(t - 1) % 3]));
  }
  return svg;
}

}  // namespace armature::cli
