// The golden mechanisms of the shared data: linkages with loops, and where their points are, by closed forms.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "armature/formats/registry.hpp"
#include "armature/kinematics/forward.hpp"
#include "armature/model/compile.hpp"
#include "support/data.hpp"

namespace armature::test {

struct GoldenPoint {
  int link;
  Vec3 point;
};
struct GoldenRow {
  std::vector<double> drive;
  VecX q;
  std::vector<Vec3> points;
};
struct Mechanism {
  std::string name;
  Model model;
  std::vector<std::string> driven;
  std::vector<GoldenPoint> points;
  std::vector<std::pair<std::string, std::vector<GoldenRow>>> assemblies;
  int mobility, kutzbach;
  std::optional<int> kutzbach_planar;
  nlohmann::json facts;
};

/// Distance of the farthest point from where it should be.
inline double farthest(const Mechanism& mechanism, const VecX& q, const GoldenRow& row) {
  State state;
  forward(mechanism.model, q, state);
  double largest = 0.0;
  for (std::size_t i = 0; i < mechanism.points.size(); ++i) {
    const GoldenPoint& p = mechanism.points[i];
    const Vec3 at = state.X_WL[static_cast<std::size_t>(p.link)] * p.point;
    largest = std::max(largest, (at - row.points[i]).norm());
  }
  return largest;
}

/// Empty, after saying so, without the shared data.
inline std::vector<Mechanism> golden_mechanisms() {
  std::vector<Mechanism> all;
  const auto file = shared_data("mechanisms.json");
  if (!file) return all;
  const nlohmann::json json = nlohmann::json::parse(read_file(*file));
  for (const nlohmann::json& item : json["mechanisms"]) {
    nlohmann::json linkage;
    for (const char* key : {"name", "description", "links", "joints", "closures"}) linkage[key] = item[key];
    linkage["drives"] = item["driven"];
    ReadOptions options;
    options.file_name = "mechanism.json";
    Result<Document> document = read_document(linkage.dump(), options);
    ARMATURE_CHECK(document.ok(), document.message().c_str());
    Result<Model> model = compile(document->linkage);
    ARMATURE_CHECK(model.ok(), model.message().c_str());
    Mechanism m{item["name"], *model,       item["driven"], {}, {}, item["mobility"], item["kutzbach_spatial"],
                {},           item["facts"]};
    if (item.contains("kutzbach_planar") && !item["kutzbach_planar"].is_null())
      m.kutzbach_planar = item["kutzbach_planar"].get<int>();
    const auto vec3 = [](const nlohmann::json& v) { return Vec3(v[0], v[1], v[2]); };
    for (const nlohmann::json& p : item["points"])
      m.points.push_back({m.model.link(p["link"].get<std::string>()), vec3(p["xyz"])});
    for (const nlohmann::json& a : item["assemblies"]) {
      auto& [name, rows] = m.assemblies.emplace_back();
      name = a["name"];
      for (const nlohmann::json& r : a["sweep"]) {
        GoldenRow row;
        row.drive = r["drive"].get<std::vector<double>>();
        const auto q = r["q"].get<std::vector<double>>();
        // Listed in the order of the joints in the file; the model's order is its own.
        row.q.resize(m.model.q_size());
        std::size_t k = 0;
        for (const Joint& joint : m.model.linkage().joints) {
          const ModelJoint& own = m.model.joint(joint.name);
          for (int i = 0; i < own.q_count; ++i) row.q[own.q_index + i] = q[k++];
        }
        for (const nlohmann::json& p : r["points"]) row.points.push_back(vec3(p));
        rows.push_back(std::move(row));
      }
    }
    all.push_back(std::move(m));
  }
  return all;
}

}  // namespace armature::test
