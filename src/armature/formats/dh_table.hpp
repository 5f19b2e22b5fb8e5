// Shared by the JSON and the CSV spelling of Denavit-Hartenberg tables (dh.cpp, dh_csv.cpp).
#pragma once

#include <string>
#include <string_view>

#include "armature/formats/document.hpp"
#include "armature/formats/source.hpp"
#include "armature/model/dh.hpp"

namespace armature::inline v0_2 {

inline constexpr std::size_t kMaxDhRows = 100'000;

/// "0.5", "q", "-q", "q + 0.5", "-q - 1e-3": a constant, and whether and which way the coordinate takes part.
struct DhEntry {
  double constant = 0.0;
  bool variable = false;
  bool flip = false;
};
bool parse_dh_entry(std::string_view text, DhEntry& entry);

/// Puts what a row says of theta and d into `row`; the sentence says what is wrong, "" when nothing is.
std::string finish_dh_row(const std::string& type, const DhEntry& theta, const DhEntry& d, DhRow& row);

/// The table's linkage, checked.
Result<Document> dh_document(const DhTable& table, const Source& source);

/// The table of a document's linkage: the chain of the options, else from its root to its first effector. Notes what it
/// leaves out.
Result<DhTable> dh_table_of(const Document& document, const WriteOptions& options);

}  // namespace armature::inline v0_2
