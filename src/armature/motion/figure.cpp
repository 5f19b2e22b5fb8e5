#include "armature/motion/figure.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace armature::inline v0_2 {
namespace {

// A name's meaning: side and the word that is left, lower-case, without separators ("mixamorig:LeftUpLeg" -> upleg).
struct BoneWord {
  int side = -1;  // 0 left, 1 right
  std::string word;
};

BoneWord bone_word(std::string_view name) {
  std::vector<std::string> parts;
  std::string part;
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
  }
  flush();
  BoneWord result;
  for (const std::string& p : parts) {
    if (p == "left" || p == "l") {
      result.side = 0;
    } else if (p == "right" || p == "r") {
      result.side = 1;
    } else if (p != "mixamorig" && p != "bip" && p != "def" && p != "jnt" && p != "bone") {
      result.word += p;
    }
  }
  return result;
}

bool one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return word == w; });
}

bool is_below(const Model& model, int link, int above) {
  return link >= 0 && above >= 0 && link > above && link < model.subtree_end(above);
}

}  // namespace

Figure guess_figure(const Model& model) {
  const int n = model.link_count();
  std::vector<BoneWord> words;
  for (int i = 0; i < n; ++i) words.push_back(bone_word(model.link_name(i)));
  const auto first = [&](int side, std::initializer_list<const char*> list) {
    for (const char* wanted : list) {
      for (int i = 0; i < n; ++i) {
        const BoneWord& w = words[static_cast<std::size_t>(i)];
        if (w.side == side && w.word == wanted) return i;
      }
    }
    return -1;
  };
  Figure figure;
  figure.pelvis = first(-1, {"pelvis", "hips", "hip", "root"});
  for (int i = 0; i < n; ++i) {
    const BoneWord& w = words[static_cast<std::size_t>(i)];
    if (w.side == -1 && one_of(w.word, {"spine", "lowerback", "abdomen", "thorax", "chest", "upperchest", "waist",
                                        "torso", "upperspine", "lowerspine"})) {
      figure.spine.push_back(i);
    }
  }
  figure.neck = first(-1, {"neck"});
  figure.head = first(-1, {"head"});
  for (int side = 0; side < 2; ++side) {
    FigureLimb& leg = figure.leg[side];
    leg.upper = first(side, {"thigh", "upleg", "upperleg", "hip"});
    leg.lower = first(side, {"shin", "calf", "lowleg", "loleg", "lowerleg", "knee", "leg"});
    leg.end = first(side, {"foot", "ankle"});
    leg.toe = first(side, {"toes", "toebase", "toe", "ball"});
    FigureLimb& arm = figure.arm[side];
    arm.upper = first(side, {"upperarm", "uparm", "arm", "shldr"});
    arm.collar = first(side, {"clavicle", "collar"});
    // "Shoulder" is the upper arm where there is a collar or nothing else to be it, and the collar otherwise.
    const int shoulder = first(side, {"shoulder"});
    if (arm.upper < 0) {
      arm.upper = shoulder;
    } else if (arm.collar < 0) {
      arm.collar = shoulder;
    }
    arm.lower = first(side, {"forearm", "lowarm", "loarm", "lowerarm", "elbow"});
    arm.end = first(side, {"hand", "wrist"});
    for (FigureLimb* limb : {&leg, &arm}) {  // a limb hangs together, or it is none
      if (!is_below(model, limb->lower, limb->upper)) limb->lower = -1;
      if (!is_below(model, limb->end, limb->lower)) limb->end = -1;
      if (!is_below(model, limb->toe, limb->end)) limb->toe = -1;
    }
  }
  return figure;
}

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
    const std::size_t at = ((k + 1) * m + n - 1) / n;  // the last maps to the last
    pair(to.spine[k], from.spine[std::min(at, m) - 1]);
  }
  pair(to.neck, from.neck);
  pair(to.head, from.head);
  for (int side = 0; side < 2; ++side) {
    for (const auto& [t, s] : {std::pair(&to.arm[side], &from.arm[side]), std::pair(&to.leg[side], &from.leg[side])}) {
      pair(t->collar, s->collar);
      pair(t->upper, s->upper);
      pair(t->lower, s->lower);
      pair(t->end, s->end);
      pair(t->toe, s->toe);
    }
  }
  return map;
}

}  // namespace armature::inline v0_2
