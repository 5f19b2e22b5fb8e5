#include "armature/scene/chain_notes.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr std::size_t kMostChains = 8;

std::string class_of(const Result<ChainAnalysis>& analysis) {
  if (!analysis) return "without a closed form";
  return std::string("of class ") + class_name(analysis->kind) + (analysis->exact() ? "" : ", snapped");
}

}  // namespace

std::vector<ChainNote> chain_notes(const Model& model, bool closed_only) {
  std::vector<ChainNote> notes;
  for (const int tip : model.effectors()) {
    if (notes.size() == kMostChains) break;
    bool moves = false;  // a frame of the base has no equations
    for (int link = tip; link != kWorld; link = model.parent(link)) moves = moves || model.joint(link).v_count > 0;
    if (!moves) continue;
    Result<ModelChain> chain = make_chain(model, kWorld, tip);
    notes.push_back({tip, chain ? analyze_chain(std::move(*chain), {}, closed_only) : chain.error()});
  }
  return notes;
}

std::vector<std::string> exact_angles_notes(const Model& model, const std::string& name, const ReadOptions& read) {
  const bool urdf = name.size() > 5 && name.compare(name.size() - 5, 5, ".urdf") == 0;
  if (!urdf || read.exact_angles) return {};
  ReadOptions exactly = read;
  exactly.exact_angles = true;
  const Result<LoadedModel> again = open_model(name, exactly);
  if (!again || again->model.fingerprint() == model.fingerprint()) return {};
  const std::vector<ChainNote> before = chain_notes(model, true), after = chain_notes(again->model, true);
  for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) {
    const std::string is = class_of(before[i].analysis), would = class_of(after[i].analysis);
    if (is == would) continue;
    return {"The chain to '" + model.link_name(before[i].tip) + "' is " + is +
            "; read with --exact-angles, which takes 1.5708 as pi/2, it is " + would + "."};
  }
  return {};
}

}  // namespace armature::inline v0_2
