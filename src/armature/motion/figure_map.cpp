// Which bone of one figure takes its turning from which bone of another.
#include <algorithm>
#include <string_view>

#include "armature/motion/figure_parts.hpp"

namespace armature::inline v0_2 {
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
std::string finger_of(const BoneWord& w) {
  const std::string_view finger = finger_in(w.word);
  if (w.side < 0 || finger.empty()) return "";
  const std::string name = finger == "little" ? "pinky" : std::string(finger);
  return std::to_string(w.side) + name + (w.number.empty() ? "" : w.number.substr(w.number.size() - 1));
}

// From above down, both ends left out.
std::vector<int> links_between(const Model& model, int above, int below) {
  std::vector<int> links;
  if (above < 0 || below < 0) return links;
  for (int link = model.parent(below); link > above; link = model.parent(link)) links.insert(links.begin(), link);
  return links;
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
  // Further bones of the neck.
  const std::vector<int> necks = links_between(source, from.neck, from.head);
  const std::vector<int> own_necks = links_between(target, to.neck, to.head);
  for (std::size_t i = 0; i < own_necks.size(); ++i) {
    pair(own_necks[i], necks.empty() ? from.neck : necks[i * necks.size() / own_necks.size()]);
  }
  const std::vector<BoneWord> words = bone_words(target), source_words = bone_words(source);
  for (int t = 0; t < target.link_count(); ++t) {
    const std::string finger = finger_of(words[static_cast<std::size_t>(t)]);
    if (finger.empty()) continue;
    for (int s = 0; s < source.link_count(); ++s) {
      if (finger_of(source_words[static_cast<std::size_t>(s)]) == finger) {
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
  // A toe that only one of them has tells how its foot stands.
  for (int side = 0; side < 2; ++side) {
    FigureLimb& there = out.source.leg[side];
    FigureLimb& here = out.target.leg[side];
    if (there.toe >= 0 || there.end < 0) continue;
    if (there.end == from.leg[side].end) there.toe = from.leg[side].toe;
    if (there.toe < 0 && here.end == to.leg[side].end) here.toe = to.leg[side].toe;
  }
  std::sort(out.source.spine.begin(), out.source.spine.end());
  std::sort(out.target.spine.begin(), out.target.spine.end());
  finish_limbs(source, out.source);
  finish_limbs(target, out.target);
  return out;
}

}  // namespace armature::inline v0_2
