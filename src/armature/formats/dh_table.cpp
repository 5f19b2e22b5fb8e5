#include "armature/formats/dh_table.hpp"

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/formats/dropped.hpp"
#include "armature/model/compile.hpp"

namespace armature::inline v0_2 {

bool parse_dh_entry(std::string_view text, DhEntry& entry) {
  std::string compact;
  for (const char c : text) {
    if (c != ' ' && c != '\t') compact += c;
  }
  const std::size_t q = compact.find('q');
  if (q == std::string::npos) return parse_number(compact, entry.constant);
  const std::string before = compact.substr(0, q);
  const std::string after = compact.substr(q + 1);
  entry.variable = true;
  entry.flip = before == "-";
  if (!before.empty() && before != "-" && before != "+") return false;
  if (after.empty()) return true;
  return (after[0] == '+' || after[0] == '-') && parse_number(after, entry.constant);
}

std::string finish_dh_row(const std::string& type, const DhEntry& theta, const DhEntry& d, DhRow& row) {
  if (type != "revolute" && type != "prismatic") {
    return unknown_name("joint type", type, {"revolute", "prismatic"}) + " A Denavit-Hartenberg row has one of these.";
  }
  row.prismatic = type == "prismatic";
  if (row.prismatic ? theta.variable : d.variable) {
    return std::string("The coordinate q of a ") + type + " row belongs into " + (row.prismatic ? "d." : "theta.");
  }
  row.theta += theta.constant;
  row.d += d.constant;
  row.flip = row.flip != (theta.flip || d.flip);
  return "";
}

Result<Document> dh_document(const DhTable& table, const Source& source) {
  Result<Linkage> linkage = dh_to_linkage(table);
  if (!linkage) return source.error(linkage.message());
  const std::vector<std::string> mistakes = find_mistakes(*linkage);
  if (!mistakes.empty()) return source.error(mistakes.front());
  Document document;
  document.linkage = std::move(linkage).value();
  return document;
}

Result<DhTable> dh_table_of(const Document& document, const WriteOptions& options) {
  const Linkage& linkage = document.linkage;
  const Result<Model> model = compile(linkage);
  if (!model) return model.error();
  const std::vector<int>& ends = model->effectors();
  const std::string root_link = model->link_name(0);
  const std::string base = options.base.empty() ? root_link : options.base;
  const std::string tip = !options.tip.empty()
                              ? options.tip
                              : std::string(model->link_name(ends.empty() ? model->link_count() - 1 : ends.front()));
  for (const std::string& link : {base, tip}) {
    if (const Result<int> known = model->find_link(link); !known) return known.error();
  }
  const DhConvention convention = options.dh_convention == "modified" ? DhConvention::modified : DhConvention::standard;
  Result<DhTable> table = linkage_to_dh(linkage, base, tip, convention);
  if (!table) return table;
  const ModelJoint& root = model->joint(0);
  if (root.q_count == 0 && base == root_link) table->base = root.origin * table->base;
  if (options.notes == nullptr) return table;
  Dropped dropped;
  int links = 1;  // the way from the tip and the way from the base, as far as they differ
  for (int a = *model->find_link(base), b = *model->find_link(tip); a != b; ++links)
    (a > b ? a : b) = model->parent(std::max(a, b));
  if (links < model->link_count()) {
    options.notes->push_back("A table holds one chain: that from " + armature::detail::quoted(base) + " to " +
                             armature::detail::quoted(tip) + " was written, " +
                             std::to_string(model->link_count() - links) + " of the model's " +
                             std::to_string(model->link_count()) + " links were left out.");
  }
  if (root.q_count > 0 && base == root_link) dropped.add("moving root joint");
  std::size_t visuals = 0;
  for (const Link& link : linkage.links) visuals += link.visuals.size();
  dropped.add("visual", visuals);
  dropped.add("named pose", linkage.poses.size());
  dropped.add("motion", document.clips.size());
  dropped.add("name of a link", static_cast<std::size_t>(links));
  if (!linkage.description.empty()) dropped.add("description");
  options.notes->push_back(dropped.sentence("Dropped (a table cannot represent it):"));
  return table;
}

}  // namespace armature::inline v0_2
