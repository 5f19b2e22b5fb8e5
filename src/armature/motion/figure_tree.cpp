// Who is who from the tree alone: two pairs of like limbs. Lengths of bones, which no rest pose changes, decide; names
// and the bend of the rest pose only break ties.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "armature/base/index.hpp"
#include "armature/base/math.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/kinematics/pose.hpp"
#include "armature/motion/figure_parts.hpp"

namespace armature::inline v0_2 {
namespace {

bool has_word(const std::string& lower, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return lower.find(w) != std::string::npos; });
}

constexpr double kNamedBone = 0.6;  // what a limb costs that begins at a joint's name where bones of its own follow

// The hyperbolic tangent; near zero not to its last digits.
double tanh_of(double x) { return 1.0 - 2.0 / (1.0 + math::exp(2.0 * x)); }

class TreeReader {
 public:
  explicit TreeReader(const Model& model) : model_(model), n_(model.link_count()) {
    State rest;
    forward(model, neutral_pose(model), rest);
    for (const Transform& X : rest.X_WL) place_.push_back(X.position);
    children_.resize(at(n_));
    length_.assign(at(n_), 0.0);
    down_.assign(at(n_), 0.0);
    next_.assign(at(n_), -1);
    leaves_.assign(at(n_), 0);
    names_.resize(at(n_));
    for (int i = 0; i < n_; ++i) {
      for (const char c : model.link_name(i)) names_[at(i)] += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      if (model.parent(i) < 0) continue;
      children_[at(model.parent(i))].push_back(i);
      length_[at(i)] = (place_[at(i)] - place_[at(model.parent(i))]).norm();
    }
    for (int i = n_ - 1; i >= 0; --i) {
      double first = 0.0;
      double second = 0.0;
      for (const int k : children_[at(i)]) {
        const double reach = down_[at(k)] + length_[at(k)];
        leaves_[at(i)] += leaves_[at(k)];
        if (next_[at(i)] < 0 || reach > down_[at(i)] + 1e-12) {
          down_[at(i)] = reach;
          next_[at(i)] = k;
        }
        second = std::max(second, std::min(first, reach));
        first = std::max(first, reach);
      }
      if (children_[at(i)].empty()) leaves_[at(i)] = 1;
      size_ = std::max(size_, first + second);
    }
  }

  // `bones` in line, which names do not tell apart; `end`: the foot or hand, -1 where no name says so.
  FigureLimb read_limb(const std::vector<int>& bones, int end, int joint, bool leg) const {
    std::vector<int> chain = chain_from(end >= 0 ? end : bones.back());
    for (int link = model_.parent(chain[0]); link >= bones[0]; link = model_.parent(link))
      chain.insert(chain.begin(), link);
    const auto in = [&](std::size_t k) { return std::find(bones.begin(), bones.end(), chain[k]) != bones.end(); };
    return split(chain, leg, [&](std::size_t i, std::size_t m, std::size_t e) {
      const bool ends = end >= 0 ? chain[e] == end : in(e) || chain[e] > bones.back();
      return !in(i) || !in(m) || !ends ? INFINITY : chain[i] == joint ? kNamedBone : 0.0;
    });
  }

  Figure read() const {
    Figure figure;
    if (!(size_ > 0.0) || !std::isfinite(size_)) return figure;
    const std::vector<Pair> pairs = limb_pairs();
    const Pair *legs = nullptr, *arms = nullptr;
    double best = -1e300;
    for (const Pair& p : pairs) {
      for (const Pair& q : pairs) {
        if (p.a == q.a || p.a == q.b || p.b == q.a || p.b == q.b || std::min(p.reach, q.reach) < 0.35 * pairs[0].reach)
          continue;
        const double score = score_of(p, q);
        if (score <= best) continue;
        best = score;
        legs = &p;
        arms = &q;
      }
    }
    if (legs == nullptr) return figure;
    for (const bool leg : {true, false}) {
      const Pair& pair = leg ? *legs : *arms;
      FigureLimb limbs[2] = {split(pair.a, leg), split(pair.b, leg)};
      if (!limbs[0].whole() || !limbs[1].whole()) return Figure{};
      const bool swapped =
          on_the_right(pair.a) || (!on_the_right(pair.b) && side_of(pair.a) < 0 && is_right(limbs, *legs));
      for (int side = 0; side < 2; ++side) (leg ? figure.leg : figure.arm)[side] = limbs[swapped ? 1 - side : side];
    }
    figure.pelvis = legs->trunk;
    for (int link = arms->trunk; link > legs->trunk; link = model_.parent(link))
      figure.spine.insert(figure.spine.begin(), link);
    add_neck(*legs, *arms, figure);
    return figure;
  }

  // Four legs: hands that stand as low as feet.
  bool walks_on_hands(const Figure& figure) const {
    if (!figure.has_legs() || !figure.has_arms()) return false;
    const Vec3 hips = middle(figure.leg, &FigureLimb::center), feet = middle(figure.leg, &FigureLimb::end);
    const Vec3 shoulders = middle(figure.arm, &FigureLimb::center), hands = middle(figure.arm, &FigureLimb::end);
    const double leg = (hips - feet).norm();
    const Vec3 down = leg > 0.0 ? Vec3((feet - hips) / leg) : Vec3(Vec3::UnitZ());
    const bool trunk_level = std::abs(down.dot(shoulders - hips)) < 0.5 * (shoulders - hips).norm();
    return trunk_level && down.dot(feet - hands) < 0.25 * leg;
  }
  // Hips side by side across the trunk; fingers of a hand stand in a row.
  bool has_trunk(const Figure& figure) const {
    const Vec3 across = place_[at(figure.leg[0].center)] - place_[at(figure.leg[1].center)];
    const Vec3 trunk = middle(figure.arm, &FigureLimb::center) - middle(figure.leg, &FigureLimb::center);
    return std::abs(across.dot(trunk)) < 0.5 * across.norm() * trunk.norm();
  }

 private:
  Vec3 middle(const FigureLimb (&limbs)[2], int FigureLimb::*part) const {
    return 0.5 * (place_[at(limbs[0].*part)] + place_[at(limbs[1].*part)]);
  }
  struct Pair {
    double reach;
    int trunk, a, b;
  };

  std::vector<int> chain_from(int link) const {
    std::vector<int> chain{link};
    while (next_[at(chain.back())] >= 0) chain.push_back(next_[at(chain.back())]);
    return chain;
  }
  bool below(int link, int above) const { return link >= above && link < model_.subtree_end(above); }

  // The same lengths along the longest branches, counted from the first joint that is off the parent.
  bool alike(int a, int b) const {
    const double la = down_[at(a)];
    const double lb = down_[at(b)];
    if (la < 0.12 * size_ || std::abs(la - lb) > 0.08 * std::max(la, lb)) return false;
    std::vector<double> bones[2];
    for (int side = 0; side < 2; ++side) {
      const std::vector<int> chain = chain_from(side == 0 ? a : b);
      for (std::size_t k = 1; k < chain.size(); ++k) {
        if (length_[at(chain[k])] > 0.015 * size_) bones[side].push_back(length_[at(chain[k])]);
      }
    }
    const std::size_t m = std::min({bones[0].size(), bones[1].size(), std::size_t{3}});
    if (m < 2 || std::max(bones[0].size(), bones[1].size()) - std::min(bones[0].size(), bones[1].size()) > 1)
      return false;
    for (std::size_t k = 0; k < m; ++k) {
      const double x = bones[0][k];
      const double y = bones[1][k];
      if (std::abs(x - y) >= 0.12 * std::max(x, y) + 0.01 * size_) return false;
    }
    return true;
  }

  // Like branches of one link, the longest first; pairs inside a limb (fingers) are left out.
  std::vector<Pair> limb_pairs() const {
    std::vector<Pair> found;
    std::vector<char> paired(at(n_), 0);
    for (int v = 0; v < n_; ++v) {
      const std::vector<int>& kids = children_[at(v)];
      if (kids.size() > 64) continue;  // no figure
      for (std::size_t i = 0; i < kids.size(); ++i) {
        for (std::size_t k = i + 1; k < kids.size(); ++k) {
          if (!alike(kids[i], kids[k])) continue;
          found.push_back({down_[at(kids[i])] + down_[at(kids[k])], v, kids[i], kids[k]});
          paired[at(kids[i])] = paired[at(kids[k])] = 1;
        }
      }
    }
    const auto inside = [&](const Pair& pair) {
      for (int link = pair.trunk; link >= 0; link = model_.parent(link)) {
        if (paired[at(link)] != 0) return true;
      }
      return false;
    };
    found.erase(std::remove_if(found.begin(), found.end(), inside), found.end());
    std::stable_sort(found.begin(), found.end(), [](const Pair& p, const Pair& q) { return p.reach > q.reach; });
    if (found.size() > 32) found.resize(32);
    return found;
  }

  int depth(int link) const {
    int d = 0;
    for (; link >= 0; link = model_.parent(link)) ++d;
    return d;
  }
  // Names under a branch: arm counts up, leg down.
  double vote(int branch) const {
    double votes = 0.0;
    for (int i = branch; i < model_.subtree_end(branch); ++i) {
      const std::string& name = names_[at(i)];
      votes += has_word(name, {"arm", "hand", "wrist", "elbow", "shoulder", "clavicle", "finger", "shldr"}) ? 1.0 : 0.0;
      votes -= has_word(name, {"leg", "foot", "ankle", "knee", "hip", "thigh", "calf", "shin", "toe"}) ? 1.0 : 0.0;
    }
    return votes;
  }
  double score_of(const Pair& legs, const Pair& arms) const {
    double score = (legs.reach + arms.reach) / size_;
    score += 0.03 * (depth(arms.trunk) - depth(legs.trunk));  // the root is nearer to the legs
    score += leaves_[at(arms.a)] > leaves_[at(legs.a)] ? 0.25 : leaves_[at(arms.a)] < leaves_[at(legs.a)] ? -0.25 : 0.0;
    for (const int k : children_[at(arms.trunk)]) {  // a neck beside the arms
      const double reach = down_[at(k)] + length_[at(k)];
      if (k != arms.a && k != arms.b && reach > 0.02 * size_ && reach < 0.35 * size_) {
        score += 0.2;
        break;
      }
    }
    score += 0.15 * tanh_of(down_[at(legs.a)] / down_[at(arms.a)] - 1.0);
    score += 0.4 * tanh_of(0.25 * (vote(arms.a) + vote(arms.b) - vote(legs.a) - vote(legs.b)));
    return arms.trunk == legs.trunk ? score - 0.1 : score;
  }

  // Upper, lower, end and toe along the longest branch: two long parts of like length.
  FigureLimb split(int first, bool leg) const {
    return split(chain_from(first), leg, [](std::size_t, std::size_t, std::size_t) { return 0.0; });
  }
  // `price` of the bones that begin, bend and end a limb; infinite where they cannot.
  template <class Price>
  FigureLimb split(const std::vector<int>& c, bool leg, Price&& price) const {
    if (c.size() > 64) return {};
    std::vector<double> x{0.0};
    for (std::size_t k = 1; k < c.size(); ++k) x.push_back(x.back() + length_[at(c[k])]);
    const double total = x.back();
    double best = 1e300;
    std::size_t begin = 0;
    FigureLimb limb;
    for (std::size_t i = 0; i < c.size(); ++i) {
      for (std::size_t m = i + 1; m < c.size(); ++m) {
        for (std::size_t e = m + 1; e < c.size(); ++e) {
          const double upper = x[m] - x[i];
          const double lower = x[e] - x[m];
          if (upper < 0.12 * total || lower < 0.12 * total) continue;
          const double cost = price(i, m, e) + split_cost(c, i, m, e, upper, lower, (total - x[e]) / (upper + lower),
                                                          x[i] / (upper + lower), leg);
          if (cost >= best) continue;
          best = cost;
          begin = i;
          limb.upper = c[m - 1];  // of hinges in a row, the last turns the bone
          limb.lower = c[m];
          limb.end = c[e];
          limb.toe = leg && e + 1 < c.size() ? c[e + 1] : -1;
        }
      }
    }
    if (limb.upper < 0) return limb;
    limb.center = c[begin];
    if (!leg && begin > 0 && model_.joint(c[begin - 1]).v_count >= 3) limb.collar = c[begin - 1];
    if (model_.joint(limb.upper).q_count == 1) return limb;
    // Helper bones without length come before the bone that they help.
    while (c[begin + 1] < limb.lower && model_.joint(c[begin + 1]).v_count >= 3 &&
           x[begin + 1] - x[begin] < 1e-3 * total)
      ++begin;
    limb.upper = limb.center = c[begin];
    return limb;
  }
  double split_cost(const std::vector<int>& c, std::size_t i, std::size_t m, std::size_t e, double upper, double lower,
                    double rest, double start, bool leg) const {
    const double ratio = math::log(upper / lower);
    double cost =
        2.0 * ratio * ratio + 1.5 * math::power(rest - (leg ? 0.2 : 0.25), 2) + (leg ? 4.0 : 1.0) * start * start;
    const Vec3 u = place_[at(c[m])] - place_[at(c[i])];
    const Vec3 v = place_[at(c[e])] - place_[at(c[m])];
    if (u.norm() > 1e-9 && v.norm() > 1e-9)
      cost -= 0.25 * std::min(1.0, math::atan2(u.cross(v).norm(), u.dot(v)) / 0.35);
    // Bones are straight: a part that runs round a corner at rest (from the pelvis over the hip, on over the ankle) is
    // two.
    cost += 2.0 * (2.0 - u.norm() / upper - v.norm() / lower);
    const bool words[3] = {
        leg ? has_word(names_[at(c[i])], {"thigh", "upleg", "upper", "hip"})
            : has_word(names_[at(c[i])], {"arm", "upper", "shldr", "shoulder"}),
        leg ? has_word(names_[at(c[m])], {"knee", "shin", "calf", "lower", "loleg"})
            : has_word(names_[at(c[m])], {"elbow", "fore", "lower", "loarm"}),
        leg ? has_word(names_[at(c[e])], {"foot", "ankle"}) : has_word(names_[at(c[e])], {"hand", "wrist"})};
    for (const bool word : words) cost -= word ? 0.2 : 0.0;
    const bool end_site = children_[at(c[e])].empty() && (e > m + 1 || has_word(names_[at(c[e])], {"_end"}));
    if (end_site) cost += 0.8;
    if (!leg && children_[at(c[e])].size() >= 2) cost -= 0.5;  // fingers fork at the hand
    for (std::size_t k = m + 1; !leg && k < e; ++k) {          // and not above it
      if (children_[at(c[k])].size() >= 3) {
        cost += 0.8;
        break;
      }
    }
    return cost;
  }

  // 0 left, 1 right, -1 not said, by the first name along the branch that says so.
  int side_of(int branch) const {
    for (const int link : chain_from(branch)) {
      const std::string& name = model_.link_name(link);
      if (names_[at(link)].find("left") != std::string::npos) return 0;
      if (names_[at(link)].find("right") != std::string::npos) return 1;
      for (std::size_t k = 0; k < name.size(); ++k) {
        const bool alone = (k == 0 || !letter(name[k - 1])) && (k + 1 == name.size() || !letter(name[k + 1]));
        const bool prefix = k == 0 && name.size() > 1 && name[1] >= 'A' && name[1] <= 'Z';
        if (!alone && !prefix) continue;
        if (name[k] == 'l' || name[k] == 'L') return 0;
        if (name[k] == 'r' || name[k] == 'R') return 1;
      }
    }
    return -1;
  }
  static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  bool on_the_right(int branch) const { return side_of(branch) == 1; }
  // Without names: left is up x forward, forward from ankle to toe.
  bool is_right(const FigureLimb (&limbs)[2], const Pair& legs) const {
    const FigureLimb leg = split(legs.a, true);
    if (leg.toe < 0) return false;
    const Vec3 forward = place_[at(leg.toe)] - place_[at(leg.end)];
    Vec3 up = place_[at(legs.a)] - place_[at(leg.end)];
    int k = 2;
    up.cwiseAbs().maxCoeff(&k);
    const Vec3 left = ((up[k] < 0.0 ? -1.0 : 1.0) * Vec3::Unit(k)).cross(forward);
    return left.dot(place_[at(limbs[0].center)] - place_[at(limbs[1].center)]) < 0.0;
  }

  void add_neck(const Pair& legs, const Pair& arms, Figure& figure) const {
    double best = 0.0;
    for (const int k : children_[at(arms.trunk)]) {
      const double reach = down_[at(k)] + length_[at(k)];
      if (k == arms.a || k == arms.b || below(legs.trunk, k) || k == legs.a || k == legs.b || reach <= best) continue;
      best = reach;
      figure.neck = k;
    }
    const bool named = figure.neck >= 0 && has_word(names_[at(figure.neck)], {"neck", "head"});
    if (!named && best < 0.03 * size_) figure.neck = -1;  // a sensor
    if (figure.neck >= 0 && next_[at(figure.neck)] >= 0) figure.head = next_[at(figure.neck)];
  }

  const Model& model_;
  int n_;
  std::vector<Vec3> place_;
  std::vector<std::vector<int>> children_;
  std::vector<double> length_, down_;  // of the bone above a link; of the longest path below it
  std::vector<int> next_, leaves_;
  std::vector<std::string> names_;  // in lower case
  double size_ = 0.0;
};

}  // namespace

Figure figure_from_tree(const Model& model) {
  const TreeReader reader(model);
  Figure figure = reader.read();
  return reader.walks_on_hands(figure) ? Figure{} : figure;
}
bool has_four_legs(const Model& model) {
  const TreeReader reader(model);
  const Figure named = figure_from_names(model);
  const Figure figure = named.has_legs() && named.has_arms() ? named : reader.read();
  return reader.walks_on_hands(figure) && reader.has_trunk(figure);  // a hand's fingers are no legs
}
FigureLimb split_limb(const Model& model, const std::vector<int>& bones, int end, int joint, bool leg) {
  return TreeReader(model).read_limb(bones, end, joint, leg);
}

}  // namespace armature::inline v0_2
