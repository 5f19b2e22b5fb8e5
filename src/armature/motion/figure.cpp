// Over 400 lines: who is who by names; hinges in a row, numbered limbs and helper bones share the words and lengths.
#include "armature/motion/figure.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <string_view>

#include "armature/base/index.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/figure_parts.hpp"

namespace armature::inline v0_2 {
namespace {

// What exporters put in front of every bone.
constexpr std::string_view kBonePrefixes[] = {"mixamorig", "character", "actor", "bip",  "def", "org",
                                              "jnt",       "bone",      "cc",    "base", "j",   "b",
                                              "m",         "valve",     "rig",   "skel", "c",   "joint"};
bool is_prefix(const std::string& word) {
  return std::find(std::begin(kBonePrefixes), std::end(kBonePrefixes), word) != std::end(kBonePrefixes);
}

struct BoneRow {
  std::string_view part, words;
};
constexpr BoneRow kBoneNames[] = {
#define BONE(part, words) {#part, words},
#include "armature/motion/bone_names.inl"
#undef BONE
};

// The place of a word in a part's list, best first; -1: it does not mean that part.
int rank_of(std::string_view part, const std::string& word) {
  for (const BoneRow& row : kBoneNames) {
    if (row.part != part) continue;
    int rank = 0;
    for (std::size_t begin = 0; begin < row.words.size(); ++rank) {
      const std::size_t end = std::min(row.words.find(' ', begin), row.words.size());
      if (row.words.substr(begin, end - begin) == word) return rank;
      begin = end + 1;
    }
  }
  return -1;
}

// A word of the table; `limbs`: of parts that there are on either side.
bool is_known(const std::string& word, bool limbs) {
  return std::any_of(std::begin(kBoneNames), std::end(kBoneNames), [&](const BoneRow& row) {
    const bool middle = row.part == "pelvis" || row.part == "spine" || row.part == "neck" || row.part == "head";
    return !(limbs && middle) && rank_of(row.part, word) >= 0;
  });
}
bool is_finger(const std::string& word) {
  const std::string_view finger = finger_in(word);
  return !finger.empty() && word.find(finger) == 0;
}

// "lfemur", "leftupleg", "kneeleft": a side that nothing sets apart, where what is left is a word and the whole is
// none.
void take_glued_side(BoneWord& bone) {
  if (bone.side >= 0 || is_known(bone.word, false) || is_finger(bone.word)) return;
  const std::string& word = bone.word;
  for (const std::string_view side : {"left", "right", "l", "r"}) {
    const std::size_t n = side.size();
    if (word.size() <= n) continue;
    const bool before = word.compare(0, n, side) == 0;
    if (!before && (n == 1 || word.compare(word.size() - n, n, side) != 0)) continue;
    const std::string rest = before ? word.substr(n) : word.substr(0, word.size() - n);
    if (!is_known(rest, true) && finger_in(rest).empty()) continue;
    bone.side = side[0] == 'l' ? 0 : 1;
    bone.word = rest;
    return;
  }
}

// Without name spaces and paths of scenes ("hero:rig:LeftArm"), and what follows in brackets ("NPC L Thigh [LThg]").
std::string_view bare_name(std::string_view name) {
  const std::size_t space = name.find_last_of(":|");
  const std::string_view last = space == std::string_view::npos ? name : name.substr(space + 1);
  if (std::any_of(last.begin(), last.end(), [](unsigned char c) { return std::isalpha(c) != 0; })) name = last;
  const std::size_t bracket = name.find('[');
  return bracket == std::string_view::npos || bracket == 0 ? name : name.substr(0, bracket);
}

}  // namespace

std::string_view finger_in(std::string_view word) {
  for (const std::string_view finger : {"thumb", "index", "middle", "ring", "pinky", "little"}) {
    if (word.find(finger) != std::string_view::npos) return finger;
  }
  return "";
}

BoneWord bone_word(std::string_view name) {
  name = bare_name(name);
  // Vertebrae, as motion suits call them.
  for (const char* vertebra : {"L5", "L3", "T12", "T8"}) {
    const std::string_view v = vertebra;
    if (name.size() >= v.size() && name.substr(name.size() - v.size()) == v &&
        (name.size() == v.size() || !std::isalnum(static_cast<unsigned char>(name[name.size() - v.size() - 1])))) {
      return {-1, "spine", ""};
    }
  }
  std::vector<std::string> parts;
  std::string part;
  BoneWord result;
  const auto flush = [&] {
    if (!part.empty()) parts.push_back(part);
    part.clear();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool letter = std::isalpha(c) != 0;
    const bool upper = std::isupper(c) != 0;
    const bool after_lower = i > 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0;
    const bool before_lower = i + 1 < name.size() && std::islower(static_cast<unsigned char>(name[i + 1])) != 0;
    const bool after_upper = i > 0 && std::isupper(static_cast<unsigned char>(name[i - 1])) != 0;
    if (!letter || (upper && (after_lower || (after_upper && before_lower)))) flush();
    if (letter) part += static_cast<char>(std::tolower(c));
    // "Character1_LeftThumb": the number of a prefix tells nothing of the bone.
    if (std::isdigit(c) != 0 && !(parts.size() == 1 && is_prefix(parts[0]))) result.number += static_cast<char>(c);
  }
  flush();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& p = parts[i];
    const bool prefix = is_prefix(p);
    if (p == "left" || p == "l") {
      result.side = 0;
    } else if (p == "right" || p == "r") {
      result.side = 1;
    } else if (!prefix || (i + 1 == parts.size() && result.word.empty())) {
      result.word += p;
    }
  }
  take_glued_side(result);
  return result;
}

std::vector<BoneWord> bone_words(const Model& model) {
  std::vector<std::string_view> names;
  for (int i = 0; i < model.link_count(); ++i) names.push_back(bare_name(model.link_name(i)));
  // "Hero_LeftArm", "Hero_Hips": what most names begin with tells nothing of a bone, unless it is a side.
  for (int round = 0; round < 3; ++round) {
    std::map<std::string_view, int> leads;
    for (const std::string_view name : names) {
      const std::size_t end = name.find_first_of("_-. ");
      if (end != std::string_view::npos && end > 0 && end + 1 < name.size()) ++leads[name.substr(0, end + 1)];
    }
    const auto most =
        std::max_element(leads.begin(), leads.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == leads.end() || most->second < 5 || 2 * most->second <= model.link_count()) break;
    const std::string lead(most->first);
    const BoneWord own = bone_word(lead);
    if (own.side >= 0 || is_known(own.word, false)) break;
    for (std::string_view& name : names) {
      if (name.size() > lead.size() && name.substr(0, lead.size()) == lead) name.remove_prefix(lead.size());
    }
  }
  std::vector<BoneWord> words;
  for (const std::string_view name : names) words.push_back(bone_word(name));
  return words;
}

namespace {

bool is_below(const Model& model, int link, int above) {
  return link >= 0 && above >= 0 && link > above && link < model.subtree_end(above);
}

class ByName {
 public:
  explicit ByName(const Model& model) : model_(model), words_(bone_words(model)) {}
  int first(int side, std::string_view part) const {
    int best = -1;
    int best_rank = 0;
    for (const int i : all(side, part)) {
      // Helper bones carry the name of the bone behind them: MakeHuman's "__UpLeg_L" lies in the middle of the hips.
      const bool helper = model_.link_name(i)[0] == '_';
      const int rank = 2 * rank_of(part, words_[at(i)].word) + (helper ? 1 : 0);
      if (best < 0 || rank < best_rank) {
        best = i;
        best_rank = rank;
      }
    }
    return best;
  }
  bool says(int link, std::string_view word) const { return link >= 0 && words_[at(link)].word == word; }
  std::vector<int> all(int side, std::string_view part) const {
    std::vector<int> found;
    for (int i = 0; i < model_.link_count(); ++i) {
      const BoneWord& w = words_[at(i)];
      if (w.side == side && rank_of(part, w.word) >= 0) found.push_back(i);
    }
    return found;
  }

 private:
  const Model& model_;
  std::vector<BoneWord> words_;
};

bool in_line(const Model& model, const std::vector<int>& links) {
  for (std::size_t k = 1; k < links.size(); ++k) {
    if (!is_below(model, links[k], links[k - 1])) return false;
  }
  return true;
}

// Bones of a limb that only numbers tell apart ("LeftLeg01", "LeftLeg02"), or that all have names of the shin ("Leg",
// "Knee"): in the order of the chain, by their lengths. A hip above them may be the thigh or a bone of its own.
void read_numbered_leg(const Model& model, const ByName& names, int side, FigureLimb& leg) {
  std::vector<int> bones = names.all(side, "lower_leg");
  int hip = -1;
  for (const int link : names.all(side, "upper_leg")) {
    if (!names.says(link, "hip")) {
      if (leg.lower >= 0) return;  // thigh and shin have names of their own
      bones.push_back(link);
    } else if (hip < 0) {
      hip = link;
    } else {
      bones.push_back(link);  // "LeftHipJoint", "LeftHip"
    }
  }
  std::sort(bones.begin(), bones.end());
  if (bones.size() < 2) return;
  if (hip >= 0 && hip < bones[0]) bones.insert(bones.begin(), hip);
  const int end = is_below(model, leg.end, bones[1]) ? leg.end : -1;
  if (!in_line(model, bones)) return;
  const FigureLimb read = split_limb(model, bones, end, hip, true);
  if (!read.whole()) return;
  leg.upper = read.upper;
  leg.lower = read.lower;
  leg.end = read.end;
  for (const int link : bones) {
    if (leg.toe < 0 && is_below(model, link, leg.end)) leg.toe = link;
  }
}
void read_numbered_arm(const Model& model, const ByName& names, int side, FigureLimb& arm) {
  const std::vector<int> bones = names.all(side, "upper_arm");
  if (arm.lower >= 0 || bones.size() < 2 || !in_line(model, bones)) return;
  const FigureLimb read = split_limb(model, bones, is_below(model, arm.end, bones[1]) ? arm.end : -1, -1, false);
  if (!read.whole()) return;
  arm.upper = read.upper;
  arm.lower = read.lower;
  arm.end = read.end;
  for (const int link : bones) {
    if (arm.collar < 0 && link < arm.upper) arm.collar = link;
  }
}

// The link whose origin is the joint at the upper end of a limb. Hinges in a row: the first from whose origin the next
// joint of the limb keeps its distance, whatever the hinges behind it do.
int joint_center(const Model& model, int upper, int lower, const std::vector<int>& taken) {
  std::vector<int> row{upper};
  for (int link = model.parent(upper); link > 0; link = model.parent(link)) {
    const ModelJoint& joint = model.joint(link);
    const bool other_child = model.subtree_end(link) != model.subtree_end(row.back());
    if (joint.q_count != 1 || other_child || std::find(taken.begin(), taken.end(), link) != taken.end()) break;
    row.push_back(link);
  }
  if (row.size() == 1 || model.joint(upper).q_count != 1) return upper;
  State rest, moved;
  const VecX q = neutral_pose(model);
  forward(model, q, rest);
  for (std::size_t k = row.size(); k-- > 1;) {
    const double length = (rest.X_WL[at(lower)].position - rest.X_WL[at(row[k])].position).norm();
    double most = 0.0;
    for (std::size_t behind = 0; behind < k; ++behind) {
      for (const double angle : {-0.8, 0.8}) {
        VecX turned = q;
        turned[model.joint(row[behind]).q_index] += angle;
        forward(model, turned, moved);
        const double now = (moved.X_WL[at(lower)].position - moved.X_WL[at(row[k])].position).norm();
        most = std::max(most, std::abs(now - length));
      }
    }
    if (most < 0.04 * length) return row[k];
  }
  return upper;
}

// How far joints are apart at rest, and which hinges bend a limb.
class RestDistances {
 public:
  explicit RestDistances(const Model& model) : model_(model) { forward(model, neutral_pose(model), rest_); }
  double operator()(int a, int b) const { return (place(a) - place(b)).norm(); }
  /// A hinge whose axis runs along the way from `a` to `b` turns a bone about itself.
  bool twists(int link, int a, int b) const {
    const Vec3 way = place(b) - place(a);
    return std::abs(hinge_axis(link).dot(way)) > 0.7 * way.norm();
  }
  bool bends(int link, int a, int b) const { return !hinge_axis(link).isZero(0.0) && !twists(link, a, b); }

 private:
  const Vec3& place(int link) const { return rest_.X_WL[at(link)].position; }
  Vec3 hinge_axis(int link) const {
    const ModelJoint& joint = model_.joint(link);
    const Revolute* hinge = std::get_if<Revolute>(&joint.type);
    if (const Continuous* endless = std::get_if<Continuous>(&joint.type)) hinge = endless;
    return hinge != nullptr && !joint.mimic ? Vec3(rest_.X_WL[at(link)].rotation * hinge->axis) : Vec3(Vec3::Zero());
  }
  const Model& model_;
  State rest_;
};
constexpr double kSameJoint = 0.1;  // of a bone: hinges this near to each other make one joint

bool hinges_in_a_row(const Model& model, int a, int b) {
  return model.joint(a).q_count == 1 && model.joint(b).q_count == 1;
}

// Knees and elbows of robots bend about one hinge. Where the link that was taken for the lower bone only twists, that
// hinge lies beside it, or is the next one towards the body. The last hinge before it turns the upper bone.
void finish_middle(const Model& model, const RestDistances& apart, FigureLimb& limb) {
  if (!apart.twists(limb.lower, limb.lower, limb.end)) return;
  const double near = kSameJoint * apart(limb.lower, limb.end);
  int found = -1;
  for (int link = limb.end; found < 0 && link > limb.upper; link = model.parent(link)) {
    if (apart(link, limb.lower) < near && apart.bends(link, limb.upper, limb.end)) found = link;
  }
  for (int link = limb.lower; found < 0 && link > limb.upper; link = model.parent(link)) {
    if (apart.bends(link, limb.lower, limb.end)) found = link;
  }
  if (found < 0) return;
  limb.lower = found;
  for (int link = model.parent(found); link > limb.upper; link = model.parent(link)) {
    if (!hinges_in_a_row(model, link, limb.upper)) continue;
    limb.upper = link;
    break;
  }
}

// Ankles and wrists of robots are hinges in a row, of which the last turns the foot or hand. A foot that only twists
// hangs on an ankle that bends.
void finish_end(const Model& model, const RestDistances& apart, bool leg, FigureLimb& limb) {
  const double near = kSameJoint * apart(limb.lower, limb.end);
  for (int next = limb.end + 1; next < model.subtree_end(limb.end); ++next) {
    if (model.parent(next) == limb.end && hinges_in_a_row(model, limb.end, next) && apart(limb.end, next) < near) {
      limb.end = next;
    }
  }
  if (!leg || !apart.twists(limb.end, limb.lower, limb.end)) return;
  for (int link = model.parent(limb.end); link > limb.lower; link = model.parent(link)) {
    if (!apart.bends(link, limb.lower, limb.end)) continue;
    if (apart(link, limb.end) > near) limb.end = link;
    return;
  }
}

// Toes turn and lie in front: what is fixed to the foot is its tip, or marks its sole.
bool is_toe(const Model& model, const RestDistances& apart, const FigureLimb& leg) {
  return leg.toe >= 0 && model.joint(leg.toe).q_count > 0 && is_below(model, leg.toe, leg.end) &&
         apart(leg.end, leg.toe) >= kSameJoint * apart(leg.lower, leg.end);
}

}  // namespace

void finish_limbs(const Model& model, Figure& figure) {
  const RestDistances apart(model);
  for (FigureLimb* limb : {&figure.arm[0], &figure.arm[1], &figure.leg[0], &figure.leg[1]}) {
    // A limb hangs together, or it is none.
    if (!is_below(model, limb->lower, limb->upper)) limb->lower = -1;
    if (!is_below(model, limb->end, limb->lower)) limb->end = -1;
    if (!is_below(model, limb->toe, limb->end)) limb->toe = -1;
    if (!limb->whole()) continue;
    finish_middle(model, apart, *limb);
    const bool leg = limb == &figure.leg[0] || limb == &figure.leg[1];
    finish_end(model, apart, leg, *limb);
    if (leg) {
      if (!is_toe(model, apart, *limb)) limb->toe = -1;
    } else if (limb->collar >= 0 && hinges_in_a_row(model, limb->collar, limb->upper) &&
               apart(limb->collar, limb->upper) < kSameJoint * apart(limb->upper, limb->lower)) {
      limb->collar = -1;  // the first hinge of the shoulder
    }
  }
  const std::vector<int> taken{figure.pelvis, figure.arm[0].collar, figure.arm[1].collar};
  for (FigureLimb* limb : {&figure.arm[0], &figure.arm[1], &figure.leg[0], &figure.leg[1]}) {
    limb->center = limb->whole() ? joint_center(model, limb->upper, limb->lower, taken) : limb->upper;
  }
}

void find_pelvis(const Model& model, Figure& figure) {
  if (figure.pelvis >= 0 || figure.leg[0].upper < 0 || figure.leg[1].upper < 0) return;
  int link = figure.leg[0].center >= 0 ? figure.leg[0].center : figure.leg[0].upper;
  while (link >= 0 && !is_below(model, figure.leg[1].upper, link)) link = model.parent(link);
  figure.pelvis = link;
}

namespace {
// A bone in words of its own above a shin or forearm that is known, and about as long, is the thigh or upper arm.
void read_upper(const Model& model, const RestDistances& apart, FigureLimb& limb) {
  if (limb.upper >= 0 || !is_below(model, limb.end, limb.lower) || model.parent(limb.lower) < 0) return;
  const int above = model.parent(limb.lower);
  const double ratio = apart(above, limb.lower) / apart(limb.lower, limb.end);
  if (model.joint(above).v_count == 3 && ratio > 0.6 && ratio < 1.7) limb.upper = above;
}
}  // namespace

Figure figure_from_names(const Model& model) {
  const ByName names(model);
  Figure figure;
  figure.pelvis = names.first(-1, "pelvis");
  figure.spine = names.all(-1, "spine");
  figure.neck = names.first(-1, "neck");
  figure.head = names.first(-1, "head");
  for (int side = 0; side < 2; ++side) {
    FigureLimb& leg = figure.leg[side];
    leg.upper = names.first(side, "upper_leg");
    leg.lower = names.first(side, "lower_leg");
    leg.toe = names.first(side, "toe");
    const int ankle = names.first(side, "ankle");
    const int foot = names.first(side, "foot");
    leg.end = foot >= 0 ? foot : ankle;
    if (is_below(model, foot, ankle)) {  // "foot" is what others call the toes
      leg.end = ankle;
      if (leg.toe < 0) leg.toe = foot;
    }
    read_numbered_leg(model, names, side, leg);
    for (const int link : names.all(side, "foot")) {  // "Foot01", "Foot02"
      if (leg.toe < 0 && is_below(model, link, leg.end)) leg.toe = link;
    }
    FigureLimb& arm = figure.arm[side];
    arm.upper = names.first(side, "upper_arm");
    arm.collar = names.first(side, "collar");
    // "Shoulder" is the upper arm where there is a collar or nothing else to be it, and the collar otherwise.
    const int shoulder = names.first(side, "shoulder");
    if (arm.upper < 0) {
      arm.upper = shoulder;
    } else if (arm.collar < 0 && is_below(model, arm.upper, shoulder)) {
      arm.collar = shoulder;
    }
    arm.lower = names.first(side, "lower_arm");
    const int wrist = names.first(side, "wrist");
    const int hand = names.first(side, "hand");
    arm.end = hand >= 0 && !is_below(model, hand, wrist) ? hand : wrist;
    read_numbered_arm(model, names, side, arm);
  }
  const RestDistances apart(model);
  for (FigureLimb* limb : {&figure.arm[0], &figure.arm[1], &figure.leg[0], &figure.leg[1]}) {
    read_upper(model, apart, *limb);
  }
  finish_limbs(model, figure);
  // A root may be the hips or lie on the ground below them; Rigify's hips are its first spine bone. The legs tell.
  if (figure.has_legs() && names.says(figure.pelvis, "root")) figure.pelvis = -1;
  find_pelvis(model, figure);
  // What is called spine beyond the arms is the neck.
  if (figure.has_arms()) {
    const int arm = figure.arm[0].upper;
    std::vector<int> beyond;
    const auto above_arms = [&](int link) {
      return !is_below(model, arm, link) && is_below(model, link, figure.pelvis);
    };
    for (const int link : figure.spine) {
      if (above_arms(link)) beyond.push_back(link);
    }
    const auto gone = [&](int link) {
      return above_arms(link) || link == figure.pelvis || !is_below(model, arm, link);
    };
    figure.spine.erase(std::remove_if(figure.spine.begin(), figure.spine.end(), gone), figure.spine.end());
    if (figure.neck < 0 && !beyond.empty()) figure.neck = beyond.front();
    if (figure.head < 0 && beyond.size() > 1) figure.head = beyond.back();
  }
  // A trunk in words of its own lies between hips and arms.
  if (figure.spine.empty() && figure.pelvis >= 0 && figure.has_arms()) {
    int link = model.parent(figure.arm[0].upper);
    while (link > figure.pelvis && !is_below(model, figure.arm[1].upper, link)) link = model.parent(link);
    for (; is_below(model, link, figure.pelvis); link = model.parent(link)) {
      if (model.joint(link).v_count > 0) figure.spine.insert(figure.spine.begin(), link);
    }
  }
  // Necks that only numbers tell apart end in the head.
  const std::vector<int> necks = names.all(-1, "neck");
  if (figure.head < 0 && necks.size() > 1 && in_line(model, necks)) figure.head = necks.back();
  if (figure.neck >= 0 && figure.head >= 0 && !is_below(model, figure.head, figure.neck)) figure.neck = -1;
  return figure;
}

Figure guess_figure(const Model& model) {
  Figure named = figure_from_names(model);
  if (named.has_legs() && named.has_arms()) return named;
  Figure found = figure_from_tree(model);
  if (!found.has_legs()) return named;
  // Names of legs stay; where the tree sees these legs, too, it tells the rest.
  if (named.has_legs() && (named.leg[0].upper != found.leg[0].upper || named.leg[1].upper != found.leg[1].upper))
    return named;
  if (found.head < 0 || is_below(model, named.head, found.neck)) found.head = named.head;
  for (int side = 0; side < 2; ++side) {
    if (found.arm[side].collar < 0 && is_below(model, found.arm[side].upper, named.arm[side].collar)) {
      found.arm[side].collar = named.arm[side].collar;
    }
  }
  finish_limbs(model, found);
  return found;
}

}  // namespace armature::inline v0_2
