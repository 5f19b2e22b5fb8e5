#include "armature/formats/pieces.hpp"

namespace armature::inline v0_2 {

Status PieceWriter::hand_on(std::string& text, double fraction) {
  const bool go_on = (options_.progress == nullptr || options_.progress(fraction, options_.progress_context)) &&
                     (options_.sink == nullptr || options_.sink(text, options_.sink_context));
  if (!go_on) return Error{"The writing was stopped."};
  if (options_.sink != nullptr) text.clear();
  next_ = text.size() + kPieceBytes;
  return {};
}

}  // namespace armature::inline v0_2
