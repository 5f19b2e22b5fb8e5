#include "armature/solve/method_options.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr const char* kJacobianAt[] = {"effector", "target"};
constexpr const char* kControlForm[] = {"gradient", "printed"};
constexpr const char* kElbow[] = {"nearest", "positive", "negative"};
constexpr const char* kSwivelFrom[] = {"pose", "vertical"};
constexpr const char* kRanking[] = {"gain", "limits", "recent"};
constexpr const char* kQuality[] = {"first", "nearest", "manipulable", "centered", "clear"};
constexpr const char* kRecover[] = {"never", "resting", "always"};

}  // namespace

std::span<const char* const> choice_words(JacobianAt) { return kJacobianAt; }
std::span<const char* const> choice_words(ControlForm) { return kControlForm; }
std::span<const char* const> choice_words(Elbow) { return kElbow; }
std::span<const char* const> choice_words(SwivelFrom) { return kSwivelFrom; }
std::span<const char* const> choice_words(Ranking) { return kRanking; }
std::span<const char* const> choice_words(Quality) { return kQuality; }
std::span<const char* const> choice_words(Recover) { return kRecover; }

}  // namespace armature::inline v0_2
