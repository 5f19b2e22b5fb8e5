// Targets of a regular file of any size (.jsonl, .csv, .npy, .npz; docs/formats/targets.md) in pieces, each of which is
// read on its own: by many threads, in any order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "armature/scene/npy.hpp"
#include "armature/scene/targets.hpp"

namespace armature::inline v0_2 {

/// The targets of one piece, as far as they can be read. Kept from piece to piece of one table, for its memory.
struct TargetPiece {
  int count = 0;
  std::vector<Goal> goals;         // the first `count`
  std::size_t alike = 0;           // goals that differ in their targets alone
  MatX starts;                     // a column each
  std::vector<std::string> ids;    // JSON, or empty
  std::vector<std::string> where;  // of the goals that are not alike: "targets.jsonl, line 3"
  std::string id_bytes;            // as in the file, where ids are an array
  Status ended;                    // why the rest cannot be read
};

class Targets {
 public:
  /// Looks the file through once: where pieces begin, and how many targets there are.
  static Result<Targets> open(const std::string& path);

  std::int64_t count() const { return count_; }
  int piece_count() const { return static_cast<int>((count_ + piece_ - 1) / piece_); }
  /// The number of the piece's first target.
  std::int64_t first(int piece) const { return piece * piece_; }
  /// The type of an array of ids; "": there is none.
  std::string id_dtype() const { return ids_ ? ids_->dtype : ""; }
  /// Of the file's size and time.
  std::uint64_t fingerprint() const;

  /// Reads a piece; `scene` says what targets are put into, and gets the notes. May run in many threads, each with a
  /// scene and a piece of its own.
  void read(int piece, Scene& scene, TargetPiece& out) const;

 private:
  struct Mark {  // a line of text at which a piece may begin
    std::uint64_t offset = 0;
    std::int64_t line = 1;
  };
  Status open_arrays();
  Status scan_lines();
  void read_rows(int piece, Scene& scene, TargetPiece& out) const;
  void read_lines(int piece, Scene& scene, TargetPiece& out) const;

  RandomFile file_;
  std::optional<NpyArray> targets_, starts_, ids_;
  bool csv_ = false;
  std::string first_line_;  // of text, where it has any: it may be a header
  bool header_ = false;
  std::vector<Mark> marks_;  // every kStride targets; the end behind them
  std::int64_t count_ = 0;
  std::int64_t piece_ = 1;  // targets per piece
};

/// Targets for solve_batch().
inline Result<Targets> load_targets(const std::string& path) { return Targets::open(path); }

}  // namespace armature::inline v0_2
