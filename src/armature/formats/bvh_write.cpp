// Writes BVH. Joints that BVH spells by itself (hinges about x, y, z; Euler angles; positions) go out channel by
// channel, in the order of the file they came from; any other joint is written as Euler angles of its rotation. Bones
// that came from no BVH file get three rotation channels or none, and three positions or none: Blender and others read
// nothing else. BVH knows no resting rotations: where a linkage has some, its bones are turned to stand parallel to the
// world at rest.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "armature/base/suggest.hpp"
#include "armature/formats/bvh.hpp"
#include "armature/formats/number_text.hpp"
#include "armature/formats/pieces.hpp"
#include "armature/model/compile.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr double kParallel = 1e-12;  // sine of the angle below which a turned axis counts as x, y or z
constexpr int kNothing = -1;

// One bone as it is written.
struct BoneOut {
  std::string name;
  bool end_site = false;
  Vec3 offset = Vec3::Zero();
  std::vector<BvhChannel> channels;
  bool absolute = false;
  bool direct = true;           // each channel is one coordinate; else the rotation is taken apart
  std::vector<int> coordinate;  // of the joint, for each channel (direct); kNothing: always 0
  double sign = 1.0;            // of the only channel of a hinge or slider
  Vec3 angles = Vec3::Zero();   // of the frame before (not direct)
};

class BvhWriter {
 public:
  BvhWriter(const Document& document, const WriteOptions& options, Model model)
      : document_(document), options_(options), model_(std::move(model)) {
    extra_ = dynamic_cast<const BvhExtra*>(document.linkage.extra.get());
    if (extra_ == nullptr) return;
    for (const BvhBone& bone : extra_->bones) {
      if (!bone.end_site) former_.emplace(bone.name, &bone);
    }
  }

  Result<std::string> write() {
    plan_rest();
    for (int i = first_link_; i < model_.link_count(); ++i) plan_bone(i);
    note_losses();
    hierarchy();
    if (const Status status = motion(); !status) return status.error();
    return std::move(out_);
  }

 private:
  void note(std::string sentence) {
    if (options_.notes != nullptr) options_.notes->push_back(std::move(sentence));
  }
  BoneOut& bone(int link) { return bones_[static_cast<std::size_t>(link)]; }
  const Mat3& rest(int link) const { return rest_[static_cast<std::size_t>(link)]; }

  // World rotation of each link when all coordinates are 0.
  void plan_rest() {
    bones_.resize(static_cast<std::size_t>(model_.link_count()));
    for (int i = 0; i < model_.link_count(); ++i) {
      const ModelJoint& joint = model_.joint(i);
      rest_.push_back(joint.parent < 0 ? joint.origin.rotation : Mat3(rest(joint.parent) * joint.origin.rotation));
      turned_ = turned_ || (rest_.back() - Mat3::Identity()).cwiseAbs().maxCoeff() > kParallel;
    }
    if (!turned_) std::fill(rest_.begin(), rest_.end(), Mat3(Mat3::Identity()));
    // The fixed link that the reader puts above several ROOTs is left out again.
    const bool roots = extra_ != nullptr && model_.link_name(0).rfind(kBvhRoots, 0) == 0 &&
                       model_.joint(0).q_count == 0 &&
                       std::none_of(extra_->bones.begin(), extra_->bones.end(),
                                    [&](const BvhBone& b) { return b.name == model_.link_name(0); });
    first_link_ = roots && model_.link_count() > 1 ? 1 : 0;
  }

  const BvhBone* former(const std::string& name) const {
    const auto found = former_.find(name);
    return found != former_.end() ? found->second : nullptr;
  }

  static std::string clean_name(std::string_view name) {
    std::string text(name);
    for (char& c : text) c = TextCursor::is_brace(c) ? '_' : (static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
    while (!text.empty() && text.back() == ' ') text.pop_back();
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    return text;
  }

  void plan_bone(int link) {
    const ModelJoint& joint = model_.joint(link);
    BoneOut& out = bone(link);
    out.end_site = joint.parent >= first_link_ && model_.is_leaf(link) && joint.q_count == 0 && !joint.mimic;
    out.name = clean_name(model_.link_name(link));
    if (!out.end_site) out.name = first_bytes(out.name, kMaxBvhName);  // an End Site mostly goes without its name
    if (out.name != model_.link_name(link)) ++renamed_;
    const Mat3 above = joint.parent < 0 ? Mat3(Mat3::Identity()) : rest(joint.parent);
    out.offset = above * joint.origin.position;
    plan_channels(joint, link, out);
    // Fresh files are written as Blender reads them; bones that came from a file keep its convention.
    const BvhBone* from = former(out.name);
    out.absolute = from == nullptr || from->absolute;
    if (from != nullptr && out.direct) keep_order(from->channels, out);
    if (from == nullptr && out.direct) fill_up(joint, out);
    if (joint.mimic) ++mimics_;
  }

  // The axis x, y or z that `axis` is in the turned bone, and its sign; -1 when it is none of them.
  static int main_axis(const Mat3& turn, const Vec3& axis, double& sign) {
    const Vec3 turned = turn * axis;
    for (int k = 0; k < 3; ++k) {
      if ((turned.cross(Vec3::Unit(k))).cwiseAbs().maxCoeff() > kParallel) continue;
      sign = turned[k] < 0.0 ? -1.0 : 1.0;
      return k;
    }
    return -1;
  }

  void plan_channels(const ModelJoint& joint, int link, BoneOut& out) {
    const auto add = [&](int channel, int coordinate) {
      out.channels.push_back(static_cast<BvhChannel>(channel));
      out.coordinate.push_back(coordinate);
    };
    const Mat3& turn = rest(link);
    const bool straight = turn == Mat3::Identity();
    if (std::holds_alternative<Fixed>(joint.type)) return;
    const Revolute* hinge = std::get_if<Revolute>(&joint.type);
    if (const auto* continuous = std::get_if<Continuous>(&joint.type)) hinge = continuous;
    if (hinge != nullptr) {
      if (const int axis = main_axis(turn, hinge->axis, out.sign); axis >= 0) return add(3 + axis, 0);
    }
    if (const auto* slider = std::get_if<Prismatic>(&joint.type)) {
      if (const int axis = main_axis(turn, slider->axis, out.sign); axis >= 0) return add(axis, 0);
    }
    if (const auto* universal = std::get_if<Universal>(&joint.type)) {
      double sign = 1.0;
      const int a = main_axis(turn, universal->axis, sign);
      const int b = sign > 0.0 ? main_axis(turn, universal->axis2, sign) : -1;
      if (a >= 0 && b >= 0 && a != b && sign > 0.0) {
        add(3 + a, 0);
        return add(3 + b, 1);
      }
    }
    if (const auto* euler = std::get_if<Euler>(&joint.type); euler != nullptr && straight) {
      for (int k = 0; k < 3; ++k) add(3 + euler->order.axis[k], k);
      return;
    }
    if (const auto* free = std::get_if<FreeEuler>(&joint.type); free != nullptr && straight) {
      // What limits hold at 0 needs no channel, unless the file had one.
      const BvhBone* from = former(out.name);
      const auto add_moving = [&](int channel, int k) {
        const bool had =
            from != nullptr && std::find(from->channels.begin(), from->channels.end(), channel) != from->channels.end();
        const bool locked = model_.lower()[joint.q_index + k] == 0.0 && model_.upper()[joint.q_index + k] == 0.0;
        if (had || !locked) add(channel, k);
      };
      for (int k = 0; k < 3; ++k) add_moving(k, k);
      for (int k = 0; k < 3; ++k) add_moving(3 + free->order.axis[k], 3 + k);
      return;
    }
    respell(joint, out);
  }

  // Any joint: positions where it slides, and Euler angles in the commonest order.
  void respell(const ModelJoint& joint, BoneOut& out) {
    const std::span<const Coordinate> kinds = coordinates(joint.type);
    const bool slides = std::find(kinds.begin(), kinds.end(), Coordinate::length) != kinds.end() ||
                        std::holds_alternative<Helical>(joint.type);
    out.direct = false;
    out.channels.clear();
    if (slides) out.channels = {0, 1, 2};
    if (!std::holds_alternative<Prismatic>(joint.type)) out.channels.insert(out.channels.end(), {5, 3, 4});
    ++respelled_;
  }

  // Three positions or none, three rotations about different axes or none; what was missing stays 0.
  void fill_up(const ModelJoint& joint, BoneOut& out) {
    const std::vector<BvhChannel> own = std::move(out.channels);
    const std::vector<int> from = std::move(out.coordinate);
    out.channels.clear();
    out.coordinate.clear();
    const auto add = [&](int channel) {
      const auto found = std::find(own.begin(), own.end(), channel);
      out.channels.push_back(static_cast<BvhChannel>(channel));
      out.coordinate.push_back(found != own.end() ? from[static_cast<std::size_t>(found - own.begin())] : kNothing);
    };
    const auto turns = static_cast<std::size_t>(std::count_if(own.begin(), own.end(), is_rotation));
    const std::size_t slides = own.size() - turns;
    filled_ = filled_ || turns % 3 != 0 || slides % 3 != 0;
    if (slides > 0) {
      for (const int channel : {0, 1, 2}) add(channel);
    }
    for (std::size_t c = 0; c < own.size(); ++c) {
      if (!is_rotation(own[c])) continue;
      out.channels.push_back(own[c]);
      out.coordinate.push_back(from[c]);
    }
    if (turns == 1 || turns == 2) {
      for (const int channel : {5, 3, 4}) {
        if (std::find(own.begin(), own.end(), channel) == own.end()) add(channel);
      }
    }
    const std::size_t n = out.channels.size();
    if (n < 3 || !is_rotation(out.channels[n - 1]) || out.channels[n - 1] != out.channels[n - 3]) return;
    respell(joint, out);  // an order such as zxz
  }

  // Brings direct channels into the order of `wanted`, when these are the same and turn in the same order.
  static void keep_order(const std::vector<BvhChannel>& wanted, BoneOut& out) {
    if (wanted == out.channels || wanted.size() != out.channels.size()) return;
    std::vector<int> coordinate;
    std::vector<char> used(out.channels.size(), 0);
    for (const BvhChannel channel : wanted) {
      std::size_t i = 0;
      // Rotations are matched in their order, so that "zxz" keeps its two z apart and "zxy" never becomes "yxz".
      while (i < used.size() &&
             (used[i] != 0 || (is_rotation(channel) ? !is_rotation(out.channels[i]) : out.channels[i] != channel))) {
        ++i;
      }
      if (i == used.size() || out.channels[i] != channel) return;
      used[i] = 1;
      coordinate.push_back(out.coordinate[i]);
    }
    out.channels = wanted;
    out.coordinate = std::move(coordinate);
  }

  void note_losses() {
    if (turned_) {
      note(
          "BVH has no resting rotations: the bones are turned to stand parallel to the world when all joints are 0; "
          "their places are the same.");
    }
    if (respelled_ > 0) {
      note("Joints of types that BVH does not have, written as Euler angles: " + std::to_string(respelled_) + ".");
    }
    if (filled_) {
      note(
          "Joints of one or two coordinates are written with three channels, the others always 0: many programs read "
          "no other bones.");
    }
    if (mimics_ > 0) note("Mimic joints, written with channels of their own: " + std::to_string(mimics_) + ".");
    if (renamed_ > 0)
      note("Names that BVH cannot carry (braces, control characters, over " + std::to_string(kMaxBvhName) +
           " bytes) are changed: " + std::to_string(renamed_) + ".");
    int limits = 0;
    int joint_names = 0;
    for (int i = 0; i < model_.link_count(); ++i) {
      const ModelJoint& joint = model_.joint(i);
      if (!joint.name.empty() && joint.name != model_.link_name(i)) ++joint_names;
      if (joint.mimic || std::holds_alternative<Fixed>(joint.type)) continue;
      bool limited = joint.cone.has_value();
      for (int k = 0; k < joint.q_count; ++k) {
        const double lower = model_.lower()[joint.q_index + k];
        const double upper = model_.upper()[joint.q_index + k];
        limited = limited || ((std::isfinite(lower) || std::isfinite(upper)) && !(lower == 0.0 && upper == 0.0));
      }
      limits += limited ? 1 : 0;
    }
    if (limits > 0)
      note("Joints whose limits are dropped (BVH cannot represent them): " + std::to_string(limits) + ".");
    if (joint_names > 0) {
      note("BVH has one name for a link and its joint: " + std::to_string(joint_names) + " joints take their links'.");
    }
    if (!document_.linkage.geometries.empty()) {
      note("Shapes that are dropped (BVH cannot represent them): " +
           std::to_string(document_.linkage.geometries.size()) + ".");
    }
    if (!document_.linkage.poses.empty()) {
      note("Named poses that are dropped (BVH cannot represent them): " +
           std::to_string(document_.linkage.poses.size()) + ".");
    }
    if (document_.clips.size() > 1) {
      note("BVH holds one motion: the first of " + std::to_string(document_.clips.size()) + " is written.");
    }
  }

  void indent(int depth) { out_.append(static_cast<std::size_t>(std::min(depth, 64)), '\t'); }
  void line(int depth, std::string_view text) {
    indent(depth);
    out_ += text;
    out_ += '\n';
  }

  void hierarchy() {
    out_ += "HIERARCHY\n";
    std::vector<int> open;  // links whose '}' is still to come
    std::vector<int> ends(bones_.size(), 0);
    for (int i = first_link_; i < model_.link_count(); ++i) {
      const int parent = model_.parent(i);
      while (!open.empty() && open.back() != parent) close(open);
      const int depth = static_cast<int>(open.size());
      const BoneOut& out = bone(i);
      if (out.end_site) {
        const std::string implied = bvh_end_name(model_.link_name(parent), ++ends[static_cast<std::size_t>(parent)]);
        line(depth, implied == out.name ? "End Site" : "End Site " + first_bytes(out.name, kMaxBvhName));
      } else {
        line(depth, (open.empty() ? "ROOT " : "JOINT ") + out.name);
      }
      line(depth, "{");
      indent(depth + 1);
      out_ += "OFFSET";
      for (int k = 0; k < 3; ++k) {
        out_ += ' ';
        append_number(out_, out.offset[k], options_.digits);
      }
      out_ += '\n';
      if (!out.end_site) {
        indent(depth + 1);
        out_ += "CHANNELS " + std::to_string(out.channels.size());
        for (const BvhChannel channel : out.channels) out_ += std::string(" ") + bvh_channel_name(channel);
        out_ += '\n';
      }
      open.push_back(i);
    }
    while (!open.empty()) close(open);
  }

  void close(std::vector<int>& open) {
    open.pop_back();
    line(static_cast<int>(open.size()), "}");
  }

  Status motion() {
    const Clip* const clip = document_.clips.empty() ? nullptr : &document_.clips.front();
    if (clip != nullptr && clip->q_size != model_.q_size()) {
      return Error{"The motion " + armature::detail::quoted(clip->name) + " has " + std::to_string(clip->q_size) +
                   " numbers a frame, but the linkage has " + std::to_string(model_.q_size()) + " coordinates."};
    }
    const int frames = clip != nullptr ? clip->frame_count() : 0;
    out_ += "MOTION\nFrames: " + std::to_string(frames) + "\nFrame Time: ";
    append_number(out_, clip != nullptr ? clip->frame_time : Clip{}.frame_time, options_.digits);
    out_ += '\n';
    PieceWriter pieces(options_);
    for (int f = 0; f < frames; ++f) {
      if (const Status status = pieces.after_frame(out_, static_cast<double>(f) / frames); !status) return status;
      bool first = true;
      for (int i = first_link_; i < model_.link_count(); ++i) {
        if (!bone(i).channels.empty()) write_bone(model_.joint(i), rest(i), clip->frame(f), bone(i), first);
      }
      out_ += '\n';
    }
    return {};
  }

  void write_bone(const ModelJoint& joint, const Mat3& turn, const double* frame, BoneOut& out, bool& first) {
    double mimicked[1];
    const double* q = frame + joint.q_index;
    if (joint.mimic) {
      mimicked[0] = joint.multiplier * q[0] + joint.offset;
      q = mimicked;
    }
    Vec3 position = Vec3::Zero();
    if (!out.direct) {
      const Transform moved = joint_transform(joint.type, q);
      position = turn * moved.position;
      out.angles = matrix_to_euler(EulerOrder{{2, 0, 1}}, turn * moved.rotation * turn.transpose(), out.angles);
    }
    int turns = 0;
    for (std::size_t c = 0; c < out.channels.size(); ++c) {
      const BvhChannel channel = out.channels[c];
      double value = out.direct && out.coordinate[c] != kNothing ? out.sign * q[out.coordinate[c]] : 0.0;
      if (!out.direct) value = is_rotation(channel) ? out.angles[turns++] : position[axis_of(channel)];
      if (!first) out_ += ' ';
      first = false;
      // Read as: coordinate = number * factor - shift.
      const Decoding decoding = is_rotation(channel) ? Decoding{kRadiansPerDegree, 0.0}
                                                     : Decoding{1.0, out.absolute ? out.offset[channel] : 0.0};
      append_number(out_, value, decoding, options_.digits);
    }
  }

  const Document& document_;
  const WriteOptions& options_;
  Model model_;
  const BvhExtra* extra_ = nullptr;
  int first_link_ = 0;
  bool turned_ = false;
  bool filled_ = false;
  int respelled_ = 0, mimics_ = 0, renamed_ = 0;
  std::unordered_map<std::string, const BvhBone*> former_;  // bones of the file that was read
  std::vector<Mat3> rest_;
  std::vector<BoneOut> bones_;
  std::string out_;
};

}  // namespace

Result<std::string> write_bvh(const Document& document, const WriteOptions& options) {
  Result<Model> model = compile(document.linkage);
  if (!model) return model.error();
  return BvhWriter(document, options, std::move(*model)).write();
}

}  // namespace armature::inline v0_2
