// Figures 5.5, 5.6, 5.8, 5.10, 5.12 and 5.13: trees of nodes and arcs, read off the models themselves.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/frames.hpp"
#include "armature/kinematics/pose.hpp"
#include "common.hpp"
#include "drawing.hpp"
#include "figures.hpp"

namespace armature::cli {
namespace {

const char* const kTreeFills[] = {"#eceff1", "#dbe6f3", "#f3e4d3", "#e4efe2"};

// A node with the arc above it. Parents come before children.
struct Node {
  std::string name;  // in the node
  std::string arc;   // beside the arc that leads to it
  int parent = -1;
  int fill = 0;
  Vec2 at = Vec2::Zero();
};

/// Leaves side by side, parents above the middle of their children; the root arc begins above the root.
void arrange(std::vector<Node>& nodes, const Vec2& corner, const Vec2& size) {
  std::vector<int> depth(nodes.size(), 0), children(nodes.size(), 0);
  int deepest = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].parent < 0) continue;
    const auto parent = static_cast<std::size_t>(nodes[i].parent);
    depth[i] = depth[parent] + 1;
    ++children[parent];
    deepest = std::max(deepest, depth[i]);
  }
  const auto leaves = static_cast<double>(std::count(children.begin(), children.end(), 0));
  double next = 0.5;
  std::function<double(int)> place = [&](int node) {
    double low = 1e300;
    double high = -1e300;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].parent != node) continue;
      const double x = place(static_cast<int>(i));
      low = std::min(low, x);
      high = std::max(high, x);
    }
    const double x = low <= high ? 0.5 * (low + high) : next++;
    const auto n = static_cast<std::size_t>(node);
    nodes[n].at = corner + Vec2(size.x() * x / leaves, size.y() * (depth[n] + 0.75) / (deepest + 1.2));
    return x;
  };
  place(0);
}

struct TreeStyle {
  double width = 84.0;  // of a node
  double letters = 13.0;
  bool italic = true;
};

Vec2 arc_start(const std::vector<Node>& nodes, const Node& node) {
  return node.parent < 0 ? Vec2(node.at - Vec2(0, 52))
                         : Vec2(nodes[static_cast<std::size_t>(node.parent)].at + Vec2(0, 15));
}

void draw_tree(Svg& svg, const std::vector<Node>& nodes, const TreeStyle& style = {}) {
  for (const Node& node : nodes) {
    const Vec2 from = arc_start(nodes, node);
    const Vec2 to = node.at - Vec2(0, 15);
    svg.arrow(from, to, Pen::line(ink::kPath, 1.3), 7.0);
    const bool left = from.x() > to.x() + 1.0;
    svg.text(0.5 * (from + to) + Vec2(left ? -10 : 10, 5), node.arc,
             {style.letters, ink::kPath, left ? "end" : "start", false, style.italic, 0.0});
  }
  for (const Node& node : nodes) {
    svg.rectangle(node.at - Vec2(0.5 * style.width, 15), Vec2(style.width, 30),
                  {ink::kEdge, 1.2, kTreeFills[node.fill], "", 1.0}, 15.0);
    svg.text(node.at + Vec2(0, 5), node.name, {style.letters, ink::kText, "middle", false, style.italic, 0.0});
  }
}

/// The tree of `two_arms`, numbered as the chapter does: 0, 1, 1.1, 2, 2.1. `arms`: how many branches are shown.
std::vector<Node> arm_tree(const Model& model, int arms, bool with_joints) {
  std::vector<Node> nodes;
  std::vector<std::string> labels;
  std::vector<int> node_of(static_cast<std::size_t>(model.link_count()), -1);
  std::vector<int> count(static_cast<std::size_t>(model.link_count()), 0);
  for (int link = 0; link < model.link_count(); ++link) {
    const ModelJoint& joint = model.joint(link);
    if (link > 0 && joint.q_count == 0) continue;  // fixed tips are no nodes of their own
    std::string label = "0";
    if (link > 0) {
      const auto parent = static_cast<std::size_t>(joint.parent);
      if (node_of[parent] < 0) continue;
      const int number = ++count[parent];
      if (parent == 0 && number > arms) continue;
      label = (parent == 0 ? "" : labels[static_cast<std::size_t>(node_of[parent])] + ".") + std::to_string(number);
    }
    Node node;
    node.name = "Link_{" + label + "}";
    node.arc = "T_{" + label + "}";
    if (with_joints && link > 0) node.arc += " R_{" + label + "}(θ_{" + label + "})";
    node.parent = link > 0 ? node_of[static_cast<std::size_t>(joint.parent)] : -1;
    node.fill = static_cast<int>(std::count(label.begin(), label.end(), '.')) + (link > 0 ? 1 : 0);
    node_of[static_cast<std::size_t>(link)] = static_cast<int>(nodes.size());
    nodes.push_back(node);
    labels.push_back(label);
  }
  return nodes;
}

/// Where a vertex of each node's link goes: the arcs above it, multiplied from the root down (eqs 5.1 to 5.5).
void write_products(Svg& svg, const std::vector<Node>& nodes, const Vec2& corner, double line) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::string product;
    for (int at = static_cast<int>(i); at >= 0; at = nodes[static_cast<std::size_t>(at)].parent) {
      product = nodes[static_cast<std::size_t>(at)].arc + " " + product;
    }
    const std::string index = nodes[i].name.substr(nodes[i].name.find('{'));
    svg.text(corner + Vec2(0, line * static_cast<double>(i)), "V′_" + index + " = " + product + "V_" + index,
             {14.0, ink::kText, "start", false, true, 0.0});
  }
}

Svg arm_tree_figure(const char* title, int arms, bool with_joints, const char* caption) {
  const Model model = builtin_model("two_arms");
  std::vector<Node> nodes = arm_tree(model, arms, with_joints);
  const double tree = arms == 1 ? 250.0 : 350.0;
  Svg svg(720, 340, title);
  arrange(nodes, Vec2(20, 14), Vec2(tree, 290));
  draw_tree(svg, nodes);
  write_products(svg, nodes, Vec2(tree + 40, arms == 1 ? 110 : 80), 38);
  svg.text(Vec2(360, 325), caption, kCaption);
  return svg;
}

}  // namespace

Svg figure_5_5() {
  const Model model = builtin_model("human");
  const char* chosen[] = {"pelvis",    "chest",           "head",          "left_upper_arm", "left_forearm",
                          "left_hand", "right_upper_arm", "right_forearm", "right_hand",     "left_thigh",
                          "left_shin", "left_foot",       "right_thigh",   "right_shin",     "right_foot"};
  std::vector<Node> nodes;
  std::vector<int> node_of(static_cast<std::size_t>(model.link_count()), -1);
  for (int link = 0; link < model.link_count(); ++link) {
    if (std::find(std::begin(chosen), std::end(chosen), model.link_name(link)) == std::end(chosen)) continue;
    Node node;
    node.name = model.link_name(link);
    for (const char* side : {"left_", "right_"}) {  // the side is told by the place
      if (node.name.rfind(side, 0) == 0) node.name = node.name.substr(std::string_view(side).size());
    }
    std::replace(node.name.begin(), node.name.end(), '_', ' ');
    int above = model.parent(link);
    while (above >= 0 && node_of[static_cast<std::size_t>(above)] < 0) above = model.parent(above);
    node.parent = above < 0 ? -1 : node_of[static_cast<std::size_t>(above)];
    node.fill = node.parent < 0 ? 0 : 1;
    node_of[static_cast<std::size_t>(link)] = static_cast<int>(nodes.size());
    nodes.push_back(node);
  }
  nodes[0].arc = "root arc: places the whole figure";
  Svg svg(860, 420, "Figure 5.5: a figure and its tree");
  // The figure from the front, with the joints above the chosen links.
  State state;
  const VecX q = model.pose("rest");
  forward(model, q, state);
  const Camera camera = camera_named("front", false).value();
  FigureStyle style;
  style.sticks = false;
  style.pale = 0.35;
  Bounds bounds;
  add_figure(bounds, model, state, q, camera, Vec3::Zero(), style);
  const View view(bounds.low, bounds.high, Vec2(16, 20), Vec2(230, 360));
  draw_figure(svg, model, state, q, camera, view, Vec3::Zero(), style);
  for (int link = 0; link < model.link_count(); ++link) {
    const int node = node_of[static_cast<std::size_t>(link)];
    if (node < 0) continue;
    svg.circle(view(camera.flat(relative(state, kWorld, link).position)), node == 0 ? 5.0 : 3.6,
               {ink::kEdge, 1.2, node == 0 ? ink::kPath : "#ffffff", "", 1.0});
  }
  arrange(nodes, Vec2(262, 30), Vec2(590, 350));
  draw_tree(svg, nodes, {88.0, 12.0, false});
  svg.text(Vec2(430, 408),
           "nodes are the parts, arcs the joints; moving the root arc moves everything, moving an arc all below it",
           kCaption);
  return svg;
}

Svg figure_5_6() {
  Svg svg(720, 330, "Figure 5.6: what an arc and a node hold");
  const Vec2 parent(150, 60);
  const Vec2 node(150, 250);
  const auto draw_node = [&](const Vec2& at, const char* name, const char* fill) {
    svg.rectangle(at - Vec2(60, 20), Vec2(120, 40), {ink::kEdge, 1.2, fill, "", 1.0}, 20.0);
    svg.text(at + Vec2(0, 5), name, {14.0, ink::kText, "middle", false, true, 0.0});
  };
  svg.arrow(parent + Vec2(0, 20), node - Vec2(0, 20), Pen::line(ink::kPath, 1.6), 9.0);
  draw_node(parent, "Node_{parent}", kTreeFills[0]);
  draw_node(node, "Node_{i}", kTreeFills[1]);
  svg.text(Vec2(138, 160), "Arc_{i}", {14.0, ink::kPath, "end", false, true, 0.0});
  const Lettering heading{13.5, ink::kText, "start", true, false, 0.0};
  const Lettering line{13.0, ink::kSoft, "start", false, false, 0.0};
  const auto lines = [&](const Vec2& at, const char* title, const std::vector<std::string>& texts) {
    svg.text(at, title, heading);
    for (std::size_t k = 0; k < texts.size(); ++k) {
      svg.text(at + Vec2(0, 21.0 * static_cast<double>(k + 1)), texts[k], line);
    }
  };
  lines(Vec2(250, 110), "Arc i is a joint",
        {"a constant transformation L_{i}: where the part is attached to its parent",
         "a variable transformation A_{i}: the articulation, changed to animate",
         "in Armature: Joint, with its origin (L) and its type and coordinates (A)"});
  lines(Vec2(250, 232), "Node i is a part",
        {"its geometry, which other nodes may share",
         "the matrix that moves the geometry so that it is ready to be turned",
         "in Armature: Link, with visuals, each with its own matrix"});
  svg.line(Vec2(168, 150), Vec2(240, 130), Pen::line(ink::kFaint, 1.0));
  svg.line(Vec2(212, 250), Vec2(240, 250), Pen::line(ink::kFaint, 1.0));
  return svg;
}

Svg figure_5_8() {
  return arm_tree_figure("Figure 5.8: the tree of figure 5.7", 1, false,
                         "constant transformations on the arcs: each applies to all below it (eqs 5.1 to 5.3)");
}

Svg figure_5_10() {
  return arm_tree_figure("Figure 5.10: the tree with joint rotations", 1, true,
                         "each joint's rotation acts before the arc's constant transformation (eqs 5.4, 5.5)");
}

Svg figure_5_12() {
  return arm_tree_figure("Figure 5.12: the tree of two appendages", 2, true,
                         "two arcs leave the root; a product runs down one branch only");
}

Svg figure_5_13() {
  // The traversal of figure 5.13 on the tree of figure 5.12, step by step: arcs down and up, and the matrix stack.
  const Model model = builtin_model("two_arms");
  std::vector<Node> nodes = arm_tree(model, 2, false);
  Svg svg(860, 400, "Figure 5.13: depth-first traversal with a matrix stack");
  arrange(nodes, Vec2(16, 14), Vec2(330, 330));
  for (Node& node : nodes) node.arc.clear();
  draw_tree(svg, nodes);
  struct Step {
    std::string what;
    std::vector<int> stack;  // nodes whose matrices are kept, the present one last
  };
  std::vector<Step> steps;
  std::vector<int> stack;
  const auto beside = [&](int node, double side, double along) {
    const Vec2 from = arc_start(nodes, nodes[static_cast<std::size_t>(node)]);
    const Vec2 to = nodes[static_cast<std::size_t>(node)].at - Vec2(0, 15);
    const Vec2 way = (to - from).normalized();
    svg.text(from + along * (to - from) + side * Vec2(-way.y(), way.x()) + Vec2(0, 4), std::to_string(steps.size()),
             {11.0, side < 0 ? ink::kPath : ink::kGoal, "middle", true, false, 0.0});
  };
  std::function<void(int)> visit = [&](int node) {
    stack.push_back(node);
    steps.push_back({"down to " + nodes[static_cast<std::size_t>(node)].name + ": push, multiply, draw", stack});
    beside(node, -12.0, 0.5);
    for (std::size_t child = 0; child < nodes.size(); ++child) {
      if (nodes[child].parent == node) visit(static_cast<int>(child));
    }
    stack.pop_back();
    steps.push_back({"back up from " + nodes[static_cast<std::size_t>(node)].name + ": pop", stack});
    beside(node, 12.0, 0.5);
  };
  visit(0);
  const double top = 34.0;
  const double line = 32.0;
  svg.text(Vec2(372, 20), "step", {11.5, ink::kSoft, "start", true, false, 0.0});
  svg.text(Vec2(640, 20), "stack, current matrix last", {11.5, ink::kSoft, "start", true, false, 0.0});
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const double y = top + line * static_cast<double>(k) + 10.0;
    const bool down = steps[k].what.rfind("down", 0) == 0;
    svg.text(Vec2(372, y), fmt::format("{}", k + 1), {12.0, down ? ink::kPath : ink::kGoal, "start", true, false, 0.0});
    svg.text(Vec2(396, y), steps[k].what, {12.5, ink::kText, "start", false, false, 0.0});
    for (std::size_t s = 0; s < steps[k].stack.size(); ++s) {
      const Node& node = nodes[static_cast<std::size_t>(steps[k].stack[s])];
      const std::string index = node.name.substr(node.name.find('{'));
      const Vec2 corner(640 + 52.0 * static_cast<double>(s), y - 15.0);
      svg.rectangle(corner, Vec2(48, 22), {ink::kEdge, 1.0, kTreeFills[node.fill], "", 1.0}, 3.0);
      svg.text(corner + Vec2(24, 15), "M_" + index, {12.0, ink::kText, "middle", false, true, 0.0});
    }
  }
  svg.text(Vec2(430, 386),
           "the node's own matrix readies its geometry and is never on the stack: children must not see it", kCaption);
  return svg;
}

}  // namespace armature::cli
