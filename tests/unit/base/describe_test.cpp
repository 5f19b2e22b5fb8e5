#include "armature/base/describe.hpp"

#include <doctest/doctest.h>

using namespace armature;

namespace {
enum class At { effector, goal };
constexpr const char* kWords[] = {"effector", "goal"};
std::span<const char* const> choice_words(At) { return kWords; }
struct Sample {
  double damping = 0.5;
  int rounds = 3;
  bool loud = false;
  At at = At::effector;
  template <class V>
  void describe(V& v) {
    v.field("damping", damping, {"How much", 0, 10, Scale::log, "length", true});
    v.field("rounds", rounds, {"How often", 1, 100});
    v.field("loud", loud, {"Whether"});
    v.field("at", at, {"Where"});
  }
};
}  // namespace

TEST_CASE("options are listed with their defaults") {
  const std::vector<OptionInfo> options = list_options(Sample{});
  REQUIRE(options.size() == 4);
  CHECK(options[0].name == "damping");
  CHECK(options[0].default_value == 0.5);
  CHECK(options[0].scale == Scale::log);
  CHECK(options[0].unit == "length");
  CHECK(options[0].automatic);
  CHECK(options[0].label == "Damping");
  CHECK(!options[1].automatic);
  CHECK(options[1].unit.empty());
  CHECK(label_of("max_iterations") == "Max iterations");
  CHECK(options[3].choices == std::vector<std::string>{"effector", "goal"});
}

TEST_CASE("options are set by name and refuse what does not fit") {
  Sample s;
  CHECK(set_option(s, "damping", "2.5").ok());
  CHECK(s.damping == 2.5);
  CHECK(set_option(s, "at", "goal").ok());
  CHECK(s.at == At::goal);
  CHECK(set_option(s, "loud", "true").ok());
  CHECK(s.loud);
  CHECK(set_option(s, "rounds", "2.5").message().find("whole number") != std::string::npos);
  CHECK(set_option(s, "damping", "11").message().find("from 0 to 10") != std::string::npos);
  CHECK(set_option(s, "at", "gaol").message().find("effector, goal") != std::string::npos);
  CHECK(set_option(s, "dumping", "1").message().find("did you mean 'damping'") != std::string::npos);
  CHECK(s.damping == 2.5);
}
