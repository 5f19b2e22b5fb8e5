// Long texts leave a writer in pieces: with a sink in the options a motion is never held in memory as text.
#pragma once

#include <cstddef>
#include <string>

#include "armature/formats/document.hpp"

namespace armature::inline v0_2 {

inline constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

/// To be called after every frame: once `text` has grown by a piece, tells the progress (`fraction` of the work) and,
/// when there is a sink, hands the text on and empties it. An error when sink or progress stop the writing.
class PieceWriter {
 public:
  explicit PieceWriter(const WriteOptions& options) : options_(options) {}
  Status after_frame(std::string& text, double fraction) {
    return text.size() < next_ ? Status() : hand_on(text, fraction);
  }

 private:
  Status hand_on(std::string& text, double fraction);

  const WriteOptions& options_;
  std::size_t next_ = kPieceBytes;
};

}  // namespace armature::inline v0_2
