// SDF (Gazebo's models), reading: links, joints, frames, nested and included models; loops become closures. What a
// linkage has no word for is kept as text (Opaque). Choices: docs/formats/sdf.md; the writer is sdf_write.cpp. Over 400
// lines: names are gathered first, as SDF may use them before they are defined, and the second pass needs their places.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/dropped.hpp"
#include "armature/formats/registry.hpp"
#include "armature/formats/sdf_frames.hpp"
#include "armature/formats/spelling.hpp"
#include "armature/formats/xml.hpp"
#include "armature/model/cut.hpp"
#include "armature/model/inertia.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kMaxModelDepth = 20;  // of models in models
constexpr double kSdfUnlimited = 1e16;

// One file with what is needed to read it and to name its lines.
struct SdfFile {
  SdfFile(std::string own, std::string_view given, std::string name, XmlTree&& parsed)
      : bytes(std::move(own)), source{given, std::move(name)}, tree(std::move(parsed)), x(source, tree) {
    if (given.empty()) source.bytes = bytes;
  }
  std::string bytes;
  Source source;
  XmlTree tree;
  XmlFields x;
};

class SdfReader {
 public:
  explicit SdfReader(const ReadOptions& options) : options_(options) {}

  Result<Document> read(std::string_view bytes) {
    const Result<SdfFile*> file = open(bytes, {}, options_.file_name);
    if (!file) return file.error();
    const XmlRef model = choose_model(**file);
    if (!ok()) return error();
    linkage().name = model.attribute("name").value_or("model");
    gather({*file, model, "", "__model__"}, 0);
    if (ok() && links_.empty()) fail(**file, model, "The model has no <link>; it needs at least one.");
    for (const Item& item : links_) pose_in_world(item, item.name);
    read_joints();
    if (ok()) make_tree(**file, model);
    if (ok()) read_links();
    if (ok()) add_frames();
    if (ok()) finish_joints();
    if (!ok()) return error();
    add_notes();
    return std::move(document_);
  }

 private:
  // A model element, and what its names mean: "arm::" stands before them.
  struct Scope {
    SdfFile* file;
    XmlRef element;
    std::string prefix;
    std::string model_frame;
    std::string name(std::string_view own) const {
      if (own == "__model__") return model_frame;
      return own == "world" ? "world" : prefix + std::string(own);
    }
  };
  struct Item {
    Scope scope;  // that it stands in
    XmlRef element;
    std::string name;
  };
  struct Pose {
    Transform X;
    std::string relative_to;
  };

  Linkage& linkage() { return document_.linkage; }
  void note(std::string sentence) { document_.notes.push_back(std::move(sentence)); }
  static std::string in_quotes(std::string_view name) { return armature::detail::quoted(name); }

  bool ok() const {
    return std::all_of(files_.begin(), files_.end(), [](const auto& file) { return file->x.ok(); });
  }
  Error error() const {
    for (const auto& file : files_) {
      if (!file->x.ok()) return file->x.error();
    }
    return {};
  }
  static bool fail(SdfFile& file, XmlRef at, std::string_view sentence) { return file.x.fail(at, sentence); }

  Result<SdfFile*> open(std::string_view given, std::string own, const std::string& name) {
    Result<XmlTree> tree = XmlTree::parse(Source{given.empty() ? std::string_view(own) : given, name});
    if (!tree) return tree.error();
    files_.push_back(std::make_unique<SdfFile>(std::move(own), given, name, std::move(*tree)));
    SdfFile& file = *files_.back();
    const XmlRef root = file.tree.root();
    if (!root.is("sdf")) {
      return file.source.error("The outermost element is <" + std::string(root.name()) + ">; an SDF file has <sdf>.");
    }
    const std::string version(root.attribute("version").value_or("1.6"));
    double major = 1.0;
    const std::size_t point = version.find('.');
    if (!parse_number(version.substr(0, point), major) || major != 1.0) {
      return file.source.error("Version " + in_quotes(version) + " is not read; versions 1.4 to 1.11 are.");
    }
    return &file;
  }

  // The one that is asked for by name, or the first; models may also stand in a world.
  XmlRef choose_model(SdfFile& file) {
    std::vector<XmlRef> models;
    const XmlRef root = file.tree.root();
    for (const XmlRef part : root) {
      if (part.is("model")) models.push_back(part);
      if (!part.is("world")) continue;
      for (const XmlRef inner : part) {
        if (inner.is("model")) models.push_back(inner);
        if (inner.is("include")) dropped_.add("<include> of a world");
      }
    }
    if (models.empty()) {
      fail(file, root, "There is no <model> in it.");
      return root;
    }
    if (options_.part.empty() && models.size() == 1) return models[0];
    std::vector<std::string> names;
    for (const XmlRef model : models) {
      names.emplace_back(model.attribute("name").value_or(""));
      if (!options_.part.empty() && names.back() == options_.part) return model;
    }
    if (!options_.part.empty()) fail(file, root, unknown_name("model", options_.part, names));
    note("The file holds " + std::to_string(models.size()) +
         " models; the first is read. All: " + armature::detail::join(names, 30) + ".");
    return models[0];
  }

  static bool is_true(XmlRef at) { return at && (at.content() == "1" || at.content() == "true"); }

  // <pose relative_to="..." degrees="true" rotation_format="quat_xyzw"> of an element; `otherwise` where it says not
  // relative to what.
  Pose pose_of(const Scope& scope, XmlRef element, const std::string& otherwise) {
    Pose pose{{}, otherwise};
    const XmlRef at = element.child("pose");
    if (!at) return pose;
    for (const char* attribute : {"relative_to", "frame"}) {  // the second up to version 1.6
      const auto named = at.attribute(attribute);
      if (named && !named->empty()) pose.relative_to = scope.name(*named);
    }
    if (at.content().empty()) return pose;
    XmlFields& x = scope.file->x;
    double n[7];
    if (at.attribute("rotation_format") == std::string_view("quat_xyzw")) {
      if (!x.content(at, n, 7)) return pose;
      const Quat q(n[6], n[3], n[4], n[5]);
      if (!(q.norm() > 1e-6)) fail(*scope.file, at, "The quaternion has no length.");
      pose.X = Transform::from(q, Vec3(n[0], n[1], n[2]));
      return pose;
    }
    if (!x.content(at, n, 6)) return pose;
    const double unit = at.attribute("degrees") == std::string_view("true") ? kPi / 180.0 : 1.0;
    pose.X.position = Vec3(n[0], n[1], n[2]);
    const Vec3 rpy = unit * Vec3(n[3], n[4], n[5]);
    if (!rpy.isZero(0.0)) pose.X.rotation = rpy_to_matrix(rpy);
    return pose;
  }

  void add_frame(const Scope& scope, XmlRef element, const std::string& name, SdfFrame frame) {
    if (!frames_.add(name, std::move(frame))) {
      fail(*scope.file, element,
           "The name " + in_quotes(name) + " is taken; links, joints, frames and models need names of their own.");
    }
  }

  // First pass: every name, where it is, and what it belongs to.
  void gather(const Scope& scope, int depth) {
    SdfFile& file = *scope.file;
    if (depth > kMaxModelDepth) {
      fail(file, scope.element, "Models are nested more than 20 levels deep.");
      return;
    }
    if (depth == 0) {
      const Pose pose = pose_of(scope, scope.element, "");
      add_frame(scope, scope.element, scope.model_frame, {"", pose.X, canonical(scope), placement(scope)});
    }
    for (const XmlRef part : scope.element) {
      if (!ok()) return;
      std::string own;
      const bool named = part.is("link") || part.is("joint") || part.is("frame") || part.is("model");
      if (named && !file.x.text(part, "name", own)) return;
      const std::string name = scope.prefix + own;
      if (named && (own == "world" || own == "__model__")) {
        fail(file, part, "The name " + in_quotes(own) + " is reserved.");
        return;
      }
      if (part.is("link")) {
        const Pose pose = pose_of(scope, part, scope.model_frame);
        add_frame(scope, part, name, {pose.relative_to, pose.X, "", ""});
        links_.push_back({scope, part, name});
      } else if (part.is("joint")) {
        const XmlRef child = part.child("child");
        const std::string carrier = scope.name(child ? child.content() : "");
        const Pose pose = pose_of(scope, part, carrier);
        add_frame(scope, part, name, {pose.relative_to, pose.X, carrier, ""});
        joints_.push_back({scope, part, name});
      } else if (part.is("frame")) {
        const auto attached = part.attribute("attached_to");
        const std::string carrier = attached && !attached->empty() ? scope.name(*attached) : scope.model_frame;
        const Pose pose = pose_of(scope, part, carrier);
        add_frame(scope, part, name, {pose.relative_to, pose.X, carrier, ""});
        named_frames_.push_back({scope, part, name});
      } else if (part.is("model")) {
        gather_nested({&file, part, name + "::", name + "::__model__"}, scope, part, name, depth);
      } else if (part.is("include")) {
        include(scope, part, depth);
      } else if (!part.is("pose")) {
        keep(scope, part, linkage().opaque);
      }
    }
  }

  // `inner` is placed by the <pose> of `placer`, which stands in `outer`.
  void gather_nested(const Scope& inner, const Scope& outer, XmlRef placer, const std::string& name, int depth) {
    const XmlRef by = placer.child("pose") ? placer : inner.element;
    const Pose pose = pose_of(by.position() == placer.position() ? outer : inner, by, outer.model_frame);
    std::string placed = placement(inner);
    if (const XmlRef frame = placer.child("placement_frame")) placed = inner.name(frame.content());
    add_frame(
        outer, placer, inner.model_frame,
        {by.position() == placer.position() ? pose.relative_to : outer.model_frame, pose.X, canonical(inner), placed});
    if (!name.empty()) add_frame(outer, placer, name, {inner.model_frame, {}, inner.model_frame, ""});
    gather(inner, depth + 1);
  }

  std::string canonical(const Scope& scope) {
    if (const auto given = scope.element.attribute("canonical_link"); given && !given->empty()) {
      return scope.name(*given);
    }
    for (const XmlRef part : scope.element) {
      if (part.is("link")) return scope.prefix + std::string(part.attribute("name").value_or(""));
    }
    for (const XmlRef part : scope.element) {
      if (part.is("model")) return scope.prefix + std::string(part.attribute("name").value_or("")) + "::__model__";
    }
    return "world";
  }
  std::string placement(const Scope& scope) {
    const auto given = scope.element.attribute("placement_frame");
    return given && !given->empty() ? scope.name(*given) : "";
  }

  // A model in another file, below this one's folder: "gripper.sdf", "model://gripper" (its model.sdf).
  void include(const Scope& scope, XmlRef element, int depth) {
    SdfFile& file = *scope.file;
    const XmlRef at = element.child("uri");
    if (!at || at.content().empty()) {
      fail(file, element, "An <include> needs a <uri>.");
      return;
    }
    std::string uri(at.content());
    const bool is_file = uri.size() > 4 && uri.compare(uri.size() - 4, 4, ".sdf") == 0;
    if (!is_file) uri += (uri.back() == '/' ? "" : "/") + std::string("model.sdf");
    if (files_.size() > 200 || depth >= kMaxModelDepth) {
      fail(file, element, "Files include each other too deeply.");
      return;
    }
    if (options_.load == nullptr) {
      fail(file, at, "It includes " + in_quotes(uri) + ", which cannot be opened from here.");
      return;
    }
    Result<std::string> bytes = options_.load(uri, options_.load_context);
    if (!bytes) {
      fail(file, at, bytes.message());
      return;
    }
    const Result<SdfFile*> opened = open({}, std::move(*bytes), uri);
    if (!opened) {
      fail(file, at, opened.message());
      return;
    }
    SdfFile& inner = **opened;
    const XmlRef model = inner.tree.root().child("model");
    if (!model) {
      fail(file, at, in_quotes(uri) + " holds no <model>.");
      return;
    }
    std::string own(model.attribute("name").value_or("model"));
    if (const XmlRef renamed = element.child("name")) own = renamed.content();
    const std::string name = scope.prefix + own;
    const bool merge = element.attribute("merge") == std::string_view("true");
    const Scope content = merge ? Scope{&inner, model, scope.prefix, scope.prefix + "_merged__" + own + "__model__"}
                                : Scope{&inner, model, name + "::", name + "::__model__"};
    gather_nested(content, scope, element, merge ? "" : name, depth);
  }

  // Second pass. Every joint holds a frame of its parent and one of its child together.
  void read_joints() {
    for (const Item& item : joints_) {
      if (!ok()) return;
      read_joint(item);
    }
  }

  Transform pose_between(const Item& item, const std::string& a, const std::string& b) {
    const Result<Transform> X = frames_.relative(a, b);
    if (!X) fail(*item.scope.file, item.element, X.message());
    return X ? *X : Transform();
  }
  Transform pose_in_world(const Item& item, const std::string& frame) {
    const Result<Transform> X = frames_.pose(frame);
    if (!X) fail(*item.scope.file, item.element, X.message());
    return X ? *X : Transform();
  }

  void read_joint(const Item& item) {
    SdfFile& file = *item.scope.file;
    Closure closure;
    closure.name = item.name;
    for (const char* tag : {"parent", "child"}) {
      const XmlRef end = item.element.child(tag);
      if (!end || end.content().empty()) {
        fail(file, item.element, "Joint " + in_quotes(item.name) + " lacks a <" + std::string(tag) + ">.");
        return;
      }
      const Result<std::string> link = frames_.link(item.scope.name(end.content()));
      if (!link) {
        fail(file, end, link.message());
        return;
      }
      ClosureFrame& frame = tag == std::string_view("parent") ? closure.a : closure.b;
      frame.link = *link;
      frame.origin = pose_between(item, *link, item.name);
      uses_world_ = uses_world_ || *link == "world";
    }
    if (closure.a.link == closure.b.link) {
      fail(file, item.element, "Joint " + in_quotes(item.name) + " joins " + in_quotes(closure.a.link) + " to itself.");
      return;
    }
    if (read_type(item, closure) && ok()) linkage().closures.push_back(std::move(closure));
  }

  bool read_type(const Item& item, Closure& closure) {
    SdfFile& file = *item.scope.file;
    std::string type;
    if (!file.x.text(item.element, "type", type)) return false;
    const XmlRef first = item.element.child("axis"), second = item.element.child("axis2");
    const Vec3 axis = read_axis(item, first);
    Limits& limits = closure.limits;
    bool limited = true;
    if (type == "revolute") {
      closure.type = JointType(Revolute{axis});
    } else if (type == "continuous") {
      Continuous continuous;
      continuous.axis = axis;
      closure.type = JointType(continuous);
      limited = false;
    } else if (type == "prismatic") {
      closure.type = JointType(Prismatic{axis});
    } else if (type == "screw") {
      closure.type = JointType(Helical{axis, read_pitch(item)});
    } else if (type == "universal" || type == "revolute2") {
      closure.type = JointType(Universal{axis, read_axis(item, second)});
      read_limits(item, first, true, limits);
      Limits other;
      read_limits(item, second, true, other);
      join_limits(limits, other);
      return true;
    } else if (type == "ball") {
      closure.type = JointType(Spherical{});
      return true;
    } else if (type == "fixed") {
      closure.type = JointType(Fixed{});
      return true;
    } else if (type == "gearbox") {
      dropped_.add("gearbox joint");
      return false;
    } else {
      fail(file, item.element,
           unknown_name("joint type", type,
                        {"revolute", "continuous", "prismatic", "ball", "universal", "screw", "fixed", "revolute2"}));
      return false;
    }
    read_limits(item, first, limited, limits);
    return true;
  }

  // In the joint's frame; given there, or in another one (`expressed_in`; up to version 1.6 in the model's on request,
  // up to 1.4 always).
  Vec3 read_axis(const Item& item, XmlRef element) {
    Vec3 axis = Vec3::UnitZ();
    SdfFile& file = *item.scope.file;
    const XmlRef xyz = element ? element.child("xyz") : XmlRef();
    if (!xyz || !file.x.content(xyz, axis.data(), 3)) return axis;
    if (!(axis.cwiseAbs().maxCoeff() > 1e-12)) {
      fail(file, xyz, "The axis has no direction; write one such as 0 0 1.");
      return Vec3::UnitZ();
    }
    std::string frame;
    const std::string_view version = file.tree.root().attribute("version").value_or("1.6");
    const bool old = version == "1.4" || version == "1.3" || version == "1.2";
    const XmlRef by_model = element.child("use_parent_model_frame");
    if (is_true(by_model) || (old && !by_model)) frame = item.scope.model_frame;
    if (const auto given = xyz.attribute("expressed_in"); given && !given->empty()) frame = item.scope.name(*given);
    if (!frame.empty()) axis = pose_between(item, item.name, frame).rotation * axis;
    if (std::abs(axis.squaredNorm() - 1.0) > 1e-15) axis = (axis / axis.cwiseAbs().maxCoeff()).normalized();
    return axis;
  }

  // Metres per turn. <thread_pitch> counts radians per metre of a left-handed thread.
  double read_pitch(const Item& item) {
    XmlFields& x = item.scope.file->x;
    double pitch = 0.0, thread = 1.0;
    if (const XmlRef at = item.element.child("screw_thread_pitch")) {
      x.content(at, &pitch, 1);
      return pitch;
    }
    if (const XmlRef at = item.element.child("thread_pitch"); at && x.content(at, &thread, 1) && thread == 0.0) {
      x.fail(at, "thread_pitch must not be 0.");
    }
    return -2.0 * kPi / thread;
  }

  // A number, or a word for none.
  bool limit_of(const Item& item, XmlRef element, const char* tag, double& value) {
    const XmlRef at = element ? element.child(tag) : XmlRef();
    if (!at) return false;
    for (const std::string_view word : {"inf", "+inf", "-inf", "infinity", "-infinity"}) {
      if (at.content() == word) {
        value = word[0] == '-' ? -kInfinity : kInfinity;
        return true;
      }
    }
    return item.scope.file->x.content(at, &value, 1);
  }

  void read_limits(const Item& item, XmlRef axis, bool bounded, Limits& limits) {
    const XmlRef element = axis ? axis.child("limit") : XmlRef();
    double lower = -kInfinity, upper = kInfinity, effort = -1.0, velocity = -1.0;
    limit_of(item, element, "lower", lower);
    limit_of(item, element, "upper", upper);
    if (limit_of(item, element, "effort", effort) && effort >= 0.0 && effort < kSdfUnlimited) limits.effort = {effort};
    if (limit_of(item, element, "velocity", velocity) && velocity > 0.0 && velocity < kSdfUnlimited) {
      limits.velocity = {velocity};
    }
    if (!bounded) return;
    if (lower > upper) {
      fail(*item.scope.file, element,
           "The limits of joint " + in_quotes(item.name) + " are reversed: lower " + pretty_number(lower) +
               " is above upper " + pretty_number(upper) + ".");
      return;
    }
    if (lower <= -kSdfUnlimited) lower = -kInfinity;
    if (upper >= kSdfUnlimited) upper = kInfinity;
    if (std::isinf(lower) && std::isinf(upper)) return;
    limits.lower = {lower};
    limits.upper = {upper};
  }

  // Of two axes: both lists, with what stands for "none" where one has no entry.
  static void join_limits(Limits& first, const Limits& second) {
    const auto join = [](std::vector<double>& a, const std::vector<double>& b, double none) {
      if (a.empty() && b.empty()) return;
      a = {a.empty() ? none : a[0], b.empty() ? none : b[0]};
    };
    join(first.lower, second.lower, -kInfinity);
    join(first.upper, second.upper, kInfinity);
    join(first.velocity, second.velocity, kInfinity);
    join(first.effort, second.effort, kInfinity);
  }

  // Parts of the model that no joint connects are fixed in the world.
  void make_tree(SdfFile& file, XmlRef model) {
    std::unordered_map<std::string, std::size_t> index;
    if (uses_world_) linkage().links.push_back({"world", {}});
    for (const Item& item : links_) linkage().links.push_back({item.name, {}});
    for (std::size_t i = 0; i < linkage().links.size(); ++i) index.emplace(linkage().links[i].name, i);
    std::vector<std::size_t> group(index.size());
    std::iota(group.begin(), group.end(), std::size_t{0});
    const auto find = [&](std::size_t i) {
      while (group[i] != i) i = group[i] = group[group[i]];
      return i;
    };
    std::vector<bool> is_child(index.size(), false);
    for (const Closure& closure : linkage().closures) {
      group[find(index.at(closure.b.link))] = find(index.at(closure.a.link));
      is_child[index.at(closure.b.link)] = true;
    }
    std::unordered_map<std::size_t, std::size_t> root_of;  // of each connected part: nobody's child, or its first link
    for (const bool childless : {true, false}) {
      for (std::size_t i = 0; i < group.size(); ++i) {
        if (!childless || !is_child[i]) root_of.emplace(find(i), i);
      }
    }
    std::string root = linkage().links[root_of.at(find(0))].name;
    if (uses_world_) root = "world";
    if (root_of.size() > 1) {
      if (!uses_world_) linkage().links.insert(linkage().links.begin(), {"world", {}});
      root = "world";
      std::vector<std::size_t> roots;
      for (const auto& [part, link] : root_of) roots.push_back(link + (uses_world_ ? 0 : 1));
      std::sort(roots.begin(), roots.end());
      for (const std::size_t i : roots) {
        const std::string& name = linkage().links[i].name;
        if (name == "world") continue;
        Closure closure;
        closure.name = fresh_joint(name + "_frame");
        closure.type = JointType(Fixed{});
        closure.a = {"world", *frames_.pose(name)};
        closure.b.link = name;
        held_.add(name);
        linkage().closures.push_back(std::move(closure));
      }
    }
    std::vector<std::string> keep;
    for (const Item& item : joints_) {
      const XmlRef axis = item.element.child("axis");
      const XmlRef mimic = axis ? axis.child("mimic") : XmlRef();
      if (!mimic) continue;
      keep.push_back(item.name);
      keep.push_back(item.scope.name(mimic.attribute("joint").value_or("")));
    }
    const Status status = cut(linkage(), root, keep);
    if (!status) fail(file, model, status.message());
    for (const Joint& joint : linkage().joints) joint_names_.insert(joint.name);
    if (!status || root == "world") return;
    held_.add(root);
    const Transform X_WR = *frames_.pose(root);
    if (X_WR.is_identity()) return;
    Joint joint;
    joint.name = fresh_joint(root + "_frame");
    joint.type = Fixed{};
    joint.child = root;
    joint.origin = X_WR;
    linkage().joints.insert(linkage().joints.begin(), std::move(joint));
  }

  std::string fresh_joint(std::string name) {
    while (frames_.has(name) || !joint_names_.insert(name).second) name += "_";
    return name;
  }

  void read_links() {
    const std::size_t first = linkage().links[0].name == "world" ? 1 : 0;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (!ok()) return;
      const Item& item = links_[i];
      Link& link = linkage().links[first + i];
      for (const XmlRef part : item.element) {
        if (part.is("visual") || part.is("collision")) {
          read_visual(item, part, link);
        } else if (part.is("inertial")) {
          read_inertial(item, part, link);
        } else if (!part.is("pose")) {
          keep(item.scope, part, link.opaque);
        }
      }
    }
  }
  void keep(const Scope& scope, XmlRef part, std::vector<Opaque>& list) {
    std::string text = scope.file->tree.whole_text(scope.file->source, part);
    if (text.empty()) {
      dropped_.add("<" + std::string(part.name()) + ">");
    } else {
      list.push_back({"sdf", std::move(text)});
    }
  }

  // Pose of a part of a link, in the link.
  Transform pose_in_link(const Item& item, XmlRef part) {
    const Pose pose = pose_of(item.scope, part, item.name);
    if (pose.relative_to == item.name) return pose.X;
    return pose_between(item, item.name, pose.relative_to) * pose.X;
  }

  void read_inertial(const Item& item, XmlRef element, Link& link) {
    XmlFields& x = item.scope.file->x;
    Inertia body;
    body.mass = 1.0;  // SDF's default
    x.content(element.child("mass"), &body.mass, 1);
    static constexpr struct {
      const char* name;
      int row, column;
    } kEntries[] = {{"ixx", 0, 0}, {"ixy", 0, 1}, {"ixz", 0, 2}, {"iyy", 1, 1}, {"iyz", 1, 2}, {"izz", 2, 2}};
    const XmlRef inertia = element.child("inertia");
    for (const auto& entry : kEntries) {
      double value = entry.row == entry.column ? 1.0 : 0.0;
      if (inertia) x.content(inertia.child(entry.name), &value, 1);
      body.about_center(entry.row, entry.column) = body.about_center(entry.column, entry.row) = value;
    }
    const Transform place = pose_in_link(item, element);
    if (!ok()) return;
    if (!check_inertia(body, "").ok()) {
      impossible_.add(link.name);
      return;
    }
    const Inertia turned = place.rotation == Mat3::Identity() ? body : body.in({Vec3::Zero(), place.rotation});
    link.mass = body.mass;
    link.center = place.position;
    link.inertia = 0.5 * (turned.about_center + turned.about_center.transpose());
  }

  void read_visual(const Item& item, XmlRef element, Link& link) {
    XmlFields& x = item.scope.file->x;
    const Transform origin = pose_in_link(item, element);
    const XmlRef geometry = element.child("geometry");
    const XmlRef what = geometry ? geometry.first() : XmlRef();
    if (!what || what.is("empty")) {
      dropped_.add("<" + std::string(element.name()) + "> without a shape");
      return;
    }
    Visual visual;
    visual.collision = element.is("collision");
    Shape shape;
    Vec3 scale = Vec3::Ones();
    const auto size = [&](const char* tag, double* out, int count) {
      const XmlRef at = what.child(tag);
      if (!at || !x.content(at, out, count)) {
        if (x.ok()) x.fail(what, "The element <" + std::string(tag) + "> is missing.");
        return;
      }
      for (int i = 0; i < count; ++i) {
        if (out[i] < 0.0) x.fail(at, std::string(tag) + " must not be negative.");
      }
    };
    if (what.is("box")) {
      Box box;
      size("size", box.size.data(), 3);
      shape = box;
    } else if (what.is("sphere")) {
      Sphere ball;
      size("radius", &ball.radius, 1);
      shape = ball;
    } else if (what.is("cylinder")) {
      Cylinder rod;
      size("radius", &rod.radius, 1);
      size("length", &rod.length, 1);
      shape = rod;
    } else if (what.is("capsule")) {
      Capsule capsule;
      size("radius", &capsule.radius, 1);
      size("length", &capsule.length, 1);
      shape = capsule;
    } else if (what.is("ellipsoid")) {
      size("radii", scale.data(), 3);
      shape = Sphere{1.0};
    } else if (what.is("mesh")) {
      const XmlRef uri = what.child("uri");
      if (!uri || uri.content().empty()) x.fail(what, "A mesh needs a <uri>.");
      if (!x.ok()) return;
      if (const XmlRef at = what.child("scale")) x.content(at, scale.data(), 3);
      if (what.child("submesh")) dropped_.add("<submesh> (the whole mesh is read)");
      shape = MeshFile{resolved_uri(std::string(uri.content()), options_.mesh_root)};
    } else {
      dropped_.add("<" + std::string(what.name()) + ">");
      return;
    }
    if (!x.ok()) return;
    read_color(x, element.child("material"), visual);
    visual.geometry = inline_geometry_name(link.name, link.visuals.size());
    visual.X_LG = origin.matrix();
    if (scale != Vec3::Ones()) visual.X_LG.topLeftCorner<3, 3>() = origin.rotation * scale.asDiagonal();
    linkage().geometries.push_back({visual.geometry, std::move(shape)});
    link.visuals.push_back(std::move(visual));
  }

  static void read_color(XmlFields& x, XmlRef material, Visual& visual) {
    if (!material || visual.collision) return;
    for (const char* tag : {"diffuse", "ambient"}) {
      const XmlRef at = material.child(tag);
      if (!at) continue;
      std::array<double, 4> color{0, 0, 0, 1};
      if (split_numbers(at.content(), color.data(), 4) != 3 && !x.content(at, color.data(), 4)) return;
      visual.color = color;
      return;
    }
  }

  // A named place: a link of its own, fixed to the one that carries it.
  void add_frames() {
    std::unordered_set<std::string> link_names;
    for (const Link& link : linkage().links) link_names.insert(link.name);
    for (const Item& item : named_frames_) {
      const Result<std::string> carrier = frames_.link(item.name);
      if (!carrier) fail(*item.scope.file, item.element, carrier.message());
      if (!ok()) return;
      if (*carrier == "world" && link_names.count("world") == 0) {
        dropped_.add("<frame> of the world");
        continue;
      }
      Joint joint;
      joint.name = fresh_joint(item.name + "_frame");
      joint.type = Fixed{};
      joint.parent = *carrier;
      joint.child = item.name;
      joint.origin = pose_between(item, *carrier, item.name);
      while (!link_names.insert(joint.child).second) joint.child += "_";
      linkage().links.push_back({joint.child, {}});
      linkage().joints.push_back(std::move(joint));
    }
  }

  // What the joints of the tree say besides: followers, and parts that are kept as text.
  void finish_joints() {
    std::unordered_map<std::string, Joint*> by_name;
    for (Joint& joint : linkage().joints) by_name.emplace(joint.name, &joint);
    for (const Item& item : joints_) {
      const auto found = by_name.find(item.name);
      Joint* joint = found != by_name.end() ? found->second : nullptr;
      for (const XmlRef part : item.element) {
        bool known = false;
        for (const char* tag : {"parent", "child", "pose", "axis", "axis2", "thread_pitch", "screw_thread_pitch"}) {
          known = known || part.is(tag);
        }
        if (!known && joint != nullptr) keep(item.scope, part, joint->opaque);
      }
      const XmlRef axis = item.element.child("axis");
      if (!axis || joint == nullptr) continue;
      if (const XmlRef dynamics = axis.child("dynamics")) keep(item.scope, dynamics, joint->opaque);
      if (const XmlRef mimic = axis.child("mimic")) read_mimic(item, mimic, by_name, *joint);
    }
  }

  void read_mimic(const Item& item, XmlRef element, const std::unordered_map<std::string, Joint*>& by_name,
                  Joint& joint) {
    const std::string leader = item.scope.name(element.attribute("joint").value_or(""));
    const auto found = by_name.find(leader);
    const Joint* other = found != by_name.end() ? found->second : nullptr;
    XmlFields& x = item.scope.file->x;
    double multiplier = 1.0, offset = 0.0, reference = 0.0;
    x.content(element.child("multiplier"), &multiplier, 1);
    x.content(element.child("offset"), &offset, 1);
    x.content(element.child("reference"), &reference, 1);
    if (other == nullptr || other == &joint || coordinate_count(other->type) != 1 ||
        coordinate_count(joint.type) != 1) {
      dropped_.add("<mimic> of joints that have not one coordinate");
      return;
    }
    joint.mimic = Mimic{leader, multiplier, offset - multiplier * reference};
  }

  void add_notes() {
    const auto say = [&](const NameList& list, const char* before, const char* after) {
      if (!list.empty()) note(before + list.text() + after);
    };
    say(held_, "Not joined to the world, so held there (float_root frees it): ", ".");
    if (!impossible_.empty()) {
      document_.mistakes.push_back(
          "With an <inertial> that no body can have, which was left out: " + impossible_.text() + ".");
    }
    if (!linkage().closures.empty()) {
      note("Joints that close loops, read as closures: " + std::to_string(linkage().closures.size()) + ".");
    }
    if (!named_frames_.empty()) note("Frames, read as links: " + std::to_string(named_frames_.size()) + ".");
    if (!dropped_.empty()) note(dropped_.sentence("Dropped (a linkage cannot represent it):"));
  }

  const ReadOptions& options_;
  Document document_;
  std::vector<std::unique_ptr<SdfFile>> files_;
  SdfFrames frames_;
  std::vector<Item> links_, joints_, named_frames_;
  std::unordered_set<std::string> joint_names_;
  bool uses_world_ = false;
  Dropped dropped_;
  NameList held_, impossible_;
};

}  // namespace

bool detect_sdf(std::string_view bytes) { return xml_root_name(bytes) == "sdf"; }

Result<Document> read_sdf(std::string_view bytes, const ReadOptions& options) { return SdfReader(options).read(bytes); }

}  // namespace armature::inline v0_2
