#include "armature/base/printable.hpp"

#include <doctest/doctest.h>

#include "armature/base/suggest.hpp"

namespace armature {

TEST_CASE("What a terminal would obey becomes a question mark") {
  CHECK(printable("left arm") == "left arm");
  CHECK(printable("Fuß 足 🦶") == "Fuß 足 🦶");
  CHECK(printable("a\x1b[31mb") == "a?[31mb");
  CHECK(printable("a\tb\nc\r\x7f") == "a?b?c??");
  CHECK(printable("a\nb", true) == "a\nb");
  CHECK(printable(std::string_view("a\0b", 3)) == "a?b");
}

TEST_CASE("Also the second form of escape sequences, reversed writing, and bytes that are not UTF-8") {
  CHECK(printable("a\xc2\x9b"
                  "31m") == "a?31m");
  CHECK(printable("a\x9b"
                  "31m") == "a?31m");
  CHECK(printable("a\xe2\x80\xaelru") == "a?lru");
  CHECK(printable("a\xe2\x81\xa6z") == "a?z");
  CHECK(printable("\xc0\x9b") == "??");            // overlong
  CHECK(printable("\xed\xa0\x80") == "???");       // half of a pair of UTF-16
  CHECK(printable("x\xf0\x9f\xa6") == "x???");     // cut off
  CHECK(printable("\xf4\x90\x80\x80") == "????");  // beyond Unicode
  CHECK(detail::quoted("\xc2\x9b") == "'?'");
}

}  // namespace armature
