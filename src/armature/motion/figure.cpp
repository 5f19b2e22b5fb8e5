#include "armature/motion/figure.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>

#include "armature/base/index.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"

namespace armature::inline v0_2 {
namespace {

// What exporters put in front of every bone.
constexpr std::string_view kBonePrefixes[] = {"mixamorig", "character", "actor", "bip",  "def",  "org",
                                              "jnt",       "bone",      "cc",    "base", "j",    "b",
                                              "valve",     "rig",       "skel",  "c",    "joint"};
constexpr std::string_view kFingers[] = {"thumb", "index", "middle", "ring", "pinky", "little"};

// A name's meaning: side and the word that is left, lower-case, without separators ("mixamorig:LeftUpLeg" -> upleg).
struct BoneWord {
  int side = -1;  // 0 left, 1 right
  std::string word;
  std::string number;  // digits at its end
};

BoneWord bone_word(std::string_view name) {
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
    if (std::isdigit(c) != 0) result.number += static_cast<char>(c);
  }
  flush();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& p = parts[i];
    const bool prefix = std::find(std::begin(kBonePrefixes), std::end(kBonePrefixes), p) != std::end(kBonePrefixes);
    if (p == "left" || p == "l") {
      result.side = 0;
    } else if (p == "right" || p == "r") {
      result.side = 1;
    } else if (!prefix || (i + 1 == parts.size() && result.word.empty())) {
      result.word += p;
    }
  }
  return result;
}

bool is_below(const Model& model, int link, int above) {
  return link >= 0 && above >= 0 && link > above && link < model.subtree_end(above);
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

class ByName {
 public:
  explicit ByName(const Model& model) : model_(model) {
    for (int i = 0; i < model.link_count(); ++i) words_.push_back(bone_word(model.link_name(i)));
  }
  int first(int side, std::string_view part) const {
    int best = -1;
    int best_rank = 0;
    for (const int i : all(side, part)) {
      const int rank = rank_of(part, words_[at(i)].word);
      if (best < 0 || rank < best_rank) {
        best = i;
        best_rank = rank;
      }
    }
    return best;
  }
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
      for (const double angle : {-0.5, 0.5}) {
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

void finish_limbs(const Model& model, Figure& figure) {
  const std::vector<int> taken{figure.pelvis, figure.arm[0].collar, figure.arm[1].collar};
  for (int side = 0; side < 2; ++side) {
    for (FigureLimb* limb : {&figure.leg[side], &figure.arm[side]}) {  // a limb hangs together, or it is none
      if (!is_below(model, limb->lower, limb->upper)) limb->lower = -1;
      if (!is_below(model, limb->end, limb->lower)) limb->end = -1;
      if (!is_below(model, limb->toe, limb->end)) limb->toe = -1;
      limb->center = limb->whole() ? joint_center(model, limb->upper, limb->lower, taken) : limb->upper;
    }
  }
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
  }
  finish_limbs(model, figure);
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
  if (figure.neck >= 0 && figure.head >= 0 && !is_below(model, figure.head, figure.neck)) figure.neck = -1;
  return figure;
}

Figure guess_figure(const Model& model) {
  Figure named = figure_from_names(model);
  if (named.has_legs() && named.has_arms()) return named;
  Figure found = figure_from_tree(model);
  if (!found.has_legs()) return named;
  // Names stay where the tree does not speak against them.
  if (named.has_legs() && (named.leg[0].upper != found.leg[0].upper || named.leg[1].upper != found.leg[1].upper))
    return named;
  if (found.head < 0) found.head = named.head;
  for (int side = 0; side < 2; ++side) {
    if (found.arm[side].collar < 0 && is_below(model, found.arm[side].upper, named.arm[side].collar)) {
      found.arm[side].collar = named.arm[side].collar;
    }
  }
  finish_limbs(model, found);
  return found;
}

namespace {

// Every part of a figure by a number, so that two figures can be walked together.
template <class Visit>
void each_part(Figure& figure, Visit&& visit) {
  visit(figure.pelvis);
  visit(figure.neck);
  visit(figure.head);
  for (int side = 0; side < 2; ++side) {
    for (FigureLimb* limb : {&figure.arm[side], &figure.leg[side]}) {
      for (int* part : {&limb->collar, &limb->upper, &limb->lower, &limb->end, &limb->toe}) visit(*part);
    }
  }
}
std::vector<int> parts_of(const Figure& figure) {
  std::vector<int> parts;
  each_part(const_cast<Figure&>(figure), [&](int& link) { parts.push_back(link); });
  return parts;
}

// "left thumb 2" -> 0, "thumb", 2.
std::string finger_of(const Model& model, int link) {
  const BoneWord w = bone_word(model.link_name(link));
  for (const std::string_view finger : kFingers) {
    if (w.side < 0 || w.word.find(finger) == std::string::npos) continue;
    const std::string name = finger == "little" ? "pinky" : std::string(finger);
    return std::to_string(w.side) + name + (w.number.empty() ? "" : w.number.substr(w.number.size() - 1));
  }
  return "";
}

}  // namespace

BoneMap guess_bone_map(const Model& source, const Model& target) {
  const Figure from = guess_figure(source);
  const Figure to = guess_figure(target);
  BoneMap map;
  const auto pair = [&](int t, int s) {
    if (t >= 0 && s >= 0) map.emplace_back(target.link_name(t), source.link_name(s));
  };
  pair(to.pelvis, from.pelvis);
  const std::size_t n = to.spine.size();
  const std::size_t m = from.spine.size();
  for (std::size_t k = 0; k < n && m > 0; ++k) {
    const std::size_t there = ((k + 1) * m + n - 1) / n;  // the last maps to the last
    pair(to.spine[k], from.spine[std::min(there, m) - 1]);
  }
  const std::vector<int> there = parts_of(from);
  const std::vector<int> here = parts_of(to);
  for (std::size_t k = 1; k < here.size(); ++k) pair(here[k], there[k]);
  for (int t = 0; t < target.link_count(); ++t) {
    const std::string finger = finger_of(target, t);
    if (finger.empty()) continue;
    for (int s = 0; s < source.link_count(); ++s) {
      if (finger_of(source, s) == finger) {
        pair(t, s);
        break;
      }
    }
  }
  return map;
}

Result<MappedFigures> map_figures(const Model& source, const Model& target, const BoneMap& map) {
  std::vector<std::pair<int, int>> pairs;
  for (const auto& [to, from] : map) {
    const Result<int> t = target.find_link(to);
    if (!t.ok()) return Error{"The map names a link of the target: " + t.message()};
    const Result<int> s = source.find_link(from);
    if (!s.ok()) return Error{"The map names a link of the source: " + s.message()};
    pairs.emplace_back(*t, *s);
  }
  const Figure from = guess_figure(source);
  const Figure to = guess_figure(target);
  MappedFigures out;
  const std::vector<int> from_parts = parts_of(from);
  const std::vector<int> to_parts = parts_of(to);
  std::vector<int> kept_source, kept_target;
  each_part(out.source, [&](int& link) { kept_source.push_back(link = -1); });
  kept_target = kept_source;
  const auto in_spine = [](const Figure& figure, int link) {
    return std::find(figure.spine.begin(), figure.spine.end(), link) != figure.spine.end();
  };
  for (const auto& [t, s] : pairs) {
    // The source's word first: motion files are named more alike than models.
    std::size_t part = from_parts.size();
    for (std::size_t k = 0; k < from_parts.size(); ++k) {
      if (from_parts[k] == s) part = std::min(part, k);
    }
    const bool spine = in_spine(from, s) || (part == from_parts.size() && in_spine(to, t));
    if (part == from_parts.size() && !spine) {
      for (std::size_t k = 0; k < to_parts.size(); ++k) {
        if (to_parts[k] == t) part = std::min(part, k);
      }
    }
    if (part < from_parts.size() && kept_target[part] < 0) {
      kept_source[part] = s;
      kept_target[part] = t;
    } else if (spine) {
      if (!in_spine(out.source, s)) out.source.spine.push_back(s);
      if (!in_spine(out.target, t)) out.target.spine.push_back(t);
    } else {
      out.others.emplace_back(t, s);
    }
  }
  std::size_t k = 0;
  each_part(out.source, [&](int& link) { link = kept_source[k++]; });
  k = 0;
  each_part(out.target, [&](int& link) { link = kept_target[k++]; });
  std::sort(out.source.spine.begin(), out.source.spine.end());
  std::sort(out.target.spine.begin(), out.target.spine.end());
  finish_limbs(source, out.source);
  finish_limbs(target, out.target);
  return out;
}

}  // namespace armature::inline v0_2
