// What the readers of figures share: the words of a name, and limbs that hang together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/motion/figure.hpp"

namespace armature::inline v0_2 {

/// A name's meaning: side and the word that is left, lower-case, without separators ("mixamorig:LeftUpLeg" -> upleg).
struct BoneWord {
  int side = -1;  // 0 left, 1 right
  std::string word;
  std::string number;  // digits at its end
};
BoneWord bone_word(std::string_view name);
/// Of all links, without what most of their names begin with ("Hero_").
std::vector<BoneWord> bone_words(const Model& model);

/// The finger that a word names ("handthumb" -> thumb); empty: none.
std::string_view finger_in(std::string_view word);

/// The parts of a limb among `bones`, links in line whose names do not tell them apart ("Leg01", "Leg02"): by their
/// lengths. `end`: the foot or hand, -1 where no name says so; `joint`: a bone whose name is the first joint's ("hip").
FigureLimb split_limb(const Model& model, const std::vector<int>& bones, int end, int joint, bool leg);

/// At rest it stands on four legs: what are arms in other figures, and in its names perhaps, reach as low as its feet.
bool has_four_legs(const Model& model);

/// The lowest link above both legs, where no name says pelvis.
void find_pelvis(const Model& model, Figure& figure);
/// Drops parts that do not hang together, tells toes from tips of feet, and finds where limbs begin.
void finish_limbs(const Model& model, Figure& figure);

}  // namespace armature::inline v0_2
