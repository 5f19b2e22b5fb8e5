// Numbers to text and back, exactly and independent of the locale. Shared by all readers and writers.
#pragma once

#include <limits>
#include <string>
#include <string_view>

namespace armature::inline v0_2 {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Reads one number at `text[pos]` (no leading space) and moves `pos` behind it. False, with `pos` unchanged, when
/// there is none. Accepts sign, digits, point and exponent; not hex, inf or nan. Correctly rounded.
bool read_number(std::string_view text, std::size_t& pos, double& value);

/// The whole text as one finite number; false otherwise.
bool parse_number(std::string_view text, double& value);

/// The shortest text that reads back to the same bits ("0.1", "1e-07", "-0"). NaN and infinities give "nan", "inf".
std::string format_number(double value);

/// Rounded for people: at most `digits` significant digits, no trailing zeros.
std::string pretty_number(double value, int digits = 6);

}  // namespace armature::inline v0_2
