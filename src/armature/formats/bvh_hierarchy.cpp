// The HIERARCHY section of a BVH file, read without recursion, and the joints that stand for its bones.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "armature/base/suggest.hpp"
#include "armature/formats/bvh.hpp"
#include "armature/formats/number_text.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr const char* kChannelNames[] = {"Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"};
constexpr const char* kLowerNames[] = {"xposition", "yposition", "zposition", "xrotation", "yrotation", "zrotation"};

class HierarchyParser {
 public:
  HierarchyParser(const Source& source, TextCursor& cursor, std::vector<std::string>& notes)
      : source_(source), cursor_(cursor), notes_(notes) {}

  Status parse() {
    if (!same_word(cursor_.word(), "hierarchy")) {
      return source_.error(0, "A BVH file begins with the word HIERARCHY; this one does not.");
    }
    while (true) {
      const std::string_view keyword = cursor_.peek_word();
      if (!open_.empty()) {
        if (const Status status = inside_bone(keyword); !status) return status;
        continue;
      }
      if (same_word(keyword, "root")) {
        if (const Status status = begin_bone(-1, false); !status) return status;
      } else if (bones.empty()) {
        return error("After HIERARCHY a ROOT is expected, not " + shown(keyword) + ".");
      } else if (keyword.empty() || same_word(keyword, "motion")) {
        break;
      } else {
        return error("After the hierarchy MOTION (or another ROOT) is expected, not " + shown(keyword) + ".");
      }
    }
    make_names_unique();
    return {};
  }

  std::vector<BvhBone> bones;

 private:
  Error error(std::string_view sentence) { return source_.error(cursor_.position(), sentence); }
  static std::string shown(std::string_view word) {
    return word.empty() ? "the end of the file" : armature::detail::quoted(to_utf8(word.substr(0, 200)));
  }
  std::string label(const BvhBone& bone) const {
    return (bone.end_site
                ? "The End Site of " + armature::detail::quoted(bones[static_cast<std::size_t>(bone.parent)].name)
                : (bone.parent < 0 ? "ROOT " : "JOINT ") + armature::detail::quoted(bone.name));
  }

  // At ROOT, JOINT or End: takes keyword, name and opening brace.
  Status begin_bone(int parent, bool end_site) {
    BvhBone bone;
    bone.parent = parent;
    bone.end_site = end_site;
    cursor_.skip_space();
    bone.position = cursor_.position();
    cursor_.word();
    std::string_view name = cursor_.rest_of_line('{');
    if (end_site && name.size() >= 4 && same_word(name.substr(0, 4), "site")) {
      TextCursor rest(name.substr(4));
      if (rest.text().empty() || TextCursor::is_space(rest.text().front())) name = rest.rest_of_line();
    }
    bone.name = to_utf8(name);
    if (bone.name.size() > kMaxBvhName) {
      return error("The name of a bone has " + std::to_string(bone.name.size()) + " bytes; at most " +
                   std::to_string(kMaxBvhName) + " are read.");
    }
    if (bones.size() >= kMaxBvhBones) {
      return error("The hierarchy has more than " + std::to_string(kMaxBvhBones) + " bones, the most that are read.");
    }
    if (cursor_.peek_word() != "{") {
      return error("After the name of a bone '{' is expected, not " + shown(cursor_.peek_word()) + ".");
    }
    cursor_.word();
    open_.push_back(static_cast<int>(bones.size()));
    has_offset_.push_back(false);
    bones.push_back(std::move(bone));
    return {};
  }

  Status inside_bone(std::string_view keyword) {
    const int index = open_.back();
    const BvhBone& bone = bones[static_cast<std::size_t>(index)];
    if (keyword == "}") {
      if (!has_offset_.back()) return error(label(bone) + " has no OFFSET; it needs three numbers.");
      cursor_.word();
      open_.pop_back();
      has_offset_.pop_back();
      return {};
    }
    if (same_word(keyword, "offset")) return offset();
    if (!bone.end_site) {
      if (same_word(keyword, "channels")) return channels();
      if (same_word(keyword, "joint")) return begin_bone(index, false);
      if (same_word(keyword, "end")) return begin_bone(index, true);
    }
    const std::string expected = bone.end_site ? "OFFSET or '}'" : "OFFSET, CHANNELS, JOINT, End Site or '}'";
    if (keyword.empty() || same_word(keyword, "motion")) {
      return error(label(bone) + ", opened in line " + std::to_string(source_.line(bone.position)) +
                   ", is not closed: a '}' is missing before " + shown(keyword) + ".");
    }
    return error("In " + label(bone) + " " + expected + " is expected, not " + shown(keyword) + ".");
  }

  Status offset() {
    BvhBone& bone = bones[static_cast<std::size_t>(open_.back())];
    if (has_offset_.back()) return error(label(bone) + " has two OFFSETs; it needs one.");
    cursor_.word();
    for (int i = 0; i < 3; ++i) {
      cursor_.skip_space();
      const std::size_t begin = cursor_.position();
      const std::string_view word = cursor_.word();
      if (!parse_number(word, bone.offset[i])) {
        cursor_.set_position(begin);
        return error("OFFSET of " + label(bone) + " needs three numbers; number " + std::to_string(i + 1) + " is " +
                     shown(word) + ".");
      }
    }
    has_offset_.back() = true;
    return {};
  }

  Status channels() {
    BvhBone& bone = bones[static_cast<std::size_t>(open_.back())];
    if (!bone.channels.empty()) return error(label(bone) + " has two lines of CHANNELS; it needs one.");
    cursor_.word();
    const std::string_view count_word = cursor_.peek_word();
    double count = 0.0;
    if (!parse_number(count_word, count) || !(count >= 0.0 && count <= 6.0) || count != std::floor(count)) {
      return error("CHANNELS of " + label(bone) + " needs a count from 0 to 6, not " + shown(count_word) + ".");
    }
    cursor_.word();
    while (true) {
      const std::string_view word = cursor_.peek_word();
      const auto found = std::find_if(std::begin(kLowerNames), std::end(kLowerNames),
                                      [&](const char* name) { return same_word(word, name); });
      if (found == std::end(kLowerNames)) {
        if (bone.channels.size() == static_cast<std::size_t>(count)) break;
        return error("CHANNELS of " + label(bone) + " says " + std::string(count_word) + ", but name number " +
                     std::to_string(bone.channels.size() + 1) + " is " + shown(word) +
                     "; channels are Xposition, Yposition, Zposition, Xrotation, Yrotation and Zrotation.");
      }
      if (bone.channels.size() == static_cast<std::size_t>(count)) {
        return error("CHANNELS of " + label(bone) + " says " + std::string(count_word) + ", but more names follow.");
      }
      cursor_.word();
      bone.channels.push_back(static_cast<BvhChannel>(found - std::begin(kLowerNames)));
    }
    return check_channels(bone);
  }

  // Each position once; rotations in one of the orders that Euler angles have.
  Status check_channels(const BvhBone& bone) {
    int positions[3] = {0, 0, 0};
    int last = -1;
    int rotations = 0;
    for (const BvhChannel channel : bone.channels) {
      if (!is_rotation(channel)) {
        if (++positions[channel] > 1) {
          return error(label(bone) + " has the channel " + kChannelNames[channel] + " twice.");
        }
        continue;
      }
      if (axis_of(channel) == last) {
        return error(label(bone) + " has the channel " + kChannelNames[channel] +
                     " twice running; two turns about one axis are one.");
      }
      last = axis_of(channel);
      if (++rotations > 3)
        return error(label(bone) + " has more than three rotation channels; three reach every pose.");
    }
    return {};
  }

  void make_names_unique() {
    std::unordered_set<std::string> taken;
    std::vector<int> ends(bones.size(), 0);
    for (std::size_t i = 0; i < bones.size(); ++i) {
      BvhBone& bone = bones[i];
      const bool given = !bone.name.empty();
      if (!given && bone.end_site) {
        const auto parent = static_cast<std::size_t>(bone.parent);
        bone.name = bvh_end_name(bones[parent].name, ++ends[parent]);
      } else if (!given) {
        bone.name = "bone_" + std::to_string(i + 1);
        notes_.push_back(source_.where(bone.position) + ": a bone has no name; it is called " +
                         armature::detail::quoted(bone.name) + ".");
      }
      if (taken.insert(bone.name).second) continue;
      const std::string wanted = bone.name;
      int& number = repeats_[wanted];
      do {
        const std::string suffix = "_" + std::to_string(++number + 1);
        bone.name = first_bytes(wanted, kMaxBvhName - suffix.size()) + suffix;
      } while (!taken.insert(bone.name).second);
      if (given) {
        notes_.push_back(source_.where(bone.position) + ": the name " + armature::detail::quoted(wanted) +
                         " was used before; this bone is called " + armature::detail::quoted(bone.name) + ".");
      }
    }
  }

  const Source& source_;
  TextCursor& cursor_;
  std::vector<std::string>& notes_;
  std::vector<int> open_;  // bones whose '}' is still to come
  std::vector<char> has_offset_;
  std::unordered_map<std::string, int> repeats_;
};

}  // namespace

const char* bvh_channel_name(BvhChannel channel) { return kChannelNames[channel]; }

std::string bvh_end_name(const std::string& parent, int count) {
  return parent + "_end" + (count > 1 ? std::to_string(count) : "");
}

Result<std::vector<BvhBone>> parse_bvh_hierarchy(const Source& source, TextCursor& cursor,
                                                 std::vector<std::string>& notes) {
  HierarchyParser parser(source, cursor, notes);
  if (const Status status = parser.parse(); !status) return status.error();
  return std::move(parser.bones);
}

Joint bvh_joint(const BvhBone& bone) {
  Joint joint;
  joint.name = bone.name;
  joint.child = bone.name;
  joint.origin.position = bone.offset;
  std::vector<int> turns;
  std::vector<int> slides;
  for (const BvhChannel channel : bone.channels) (is_rotation(channel) ? turns : slides).push_back(axis_of(channel));

  if (slides.empty() && turns.empty()) {
    joint.type = Fixed{};
  } else if (slides.empty() && turns.size() == 1) {
    Continuous hinge;
    hinge.axis = Vec3::Unit(turns[0]);
    joint.type = hinge;
  } else if (slides.empty() && turns.size() == 2) {
    joint.type = Universal{Vec3::Unit(turns[0]), Vec3::Unit(turns[1])};
  } else if (slides.empty()) {
    joint.type = Euler{EulerOrder{{turns[0], turns[1], turns[2]}}};
  } else if (slides.size() == 1 && turns.empty()) {
    joint.type = Prismatic{Vec3::Unit(slides[0])};
  } else {
    // Missing rotations come last and are locked, like missing positions.
    const std::size_t turning = turns.size();
    for (int axis = 0; turns.size() < 3; ++axis) {
      if (std::find(turns.begin(), turns.end(), axis) == turns.end()) turns.push_back(axis);
    }
    joint.type = FreeEuler{EulerOrder{{turns[0], turns[1], turns[2]}}};
    if (slides.size() < 3 || turning < 3) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      joint.limits.lower.assign(6, 0.0);
      joint.limits.upper.assign(6, 0.0);
      const auto release = [&](std::size_t k) {
        joint.limits.lower[k] = -kInfinity;
        joint.limits.upper[k] = kInfinity;
      };
      for (const int axis : slides) release(static_cast<std::size_t>(axis));
      for (std::size_t k = 0; k < turning; ++k) release(3 + k);
    }
  }
  return joint;
}

int bvh_coordinate(const BvhBone& bone, std::size_t index) {
  const BvhChannel channel = bone.channels[index];
  const auto positions =
      std::count_if(bone.channels.begin(), bone.channels.end(), [](BvhChannel c) { return !is_rotation(c); });
  const bool slides = positions > 1 || (positions == 1 && bone.channels.size() > 1);
  if (!is_rotation(channel)) return slides ? axis_of(channel) : 0;
  const auto before = std::count_if(bone.channels.begin(), bone.channels.begin() + static_cast<std::ptrdiff_t>(index),
                                    [](BvhChannel c) { return is_rotation(c); });
  return static_cast<int>(before) + (slides ? 3 : 0);
}

std::string first_bytes(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

std::string BvhExtra::format_only() const {
  // The order of the turns is part of the joint; positions elsewhere are X, Y, Z, before the turns.
  const auto usual = [](const BvhBone& bone) {
    return std::is_sorted(bone.channels.begin(), bone.channels.end(),
                          [](BvhChannel a, BvhChannel b) { return a < b && !is_rotation(a); });
  };
  return std::all_of(bones.begin(), bones.end(), usual) ? "" : "the order of the channels";
}

}  // namespace armature::inline v0_2
