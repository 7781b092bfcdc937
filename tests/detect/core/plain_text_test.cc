// Texts from elsewhere, as they are shown to people.
#include "detect/core/plain_text.h"

#include <gtest/gtest.h>

namespace wafd {
namespace {

TEST(PlainText, NothingInItActsOnATerminalOrTurnsText) {
  struct Row {
    std::string_view text;
    bool plain, plain_with_lines;
    std::string_view without;
  };
  constexpr Row kRows[] = {
      {"", true, true, ""},
      {"caf\xC3\xA9 \xE4\xB8\xAD", true, true, "caf\xC3\xA9 \xE4\xB8\xAD"},
      {"a\nb\tc", false, true, "abc"},
      {"a\rb", false, false, "ab"},
      {"a\x1B[31mb", false, false, "a[31mb"},
      {"a\x7F", false, false, "a"},
      {"a\xC2\x9B"
       "b",
       false, false, "ab"},  // CSI of C1
      {"a\xE2\x80\xAE"
       "b",
       false, false, "ab"},  // U+202E, right to left
      {"a\xE2\x80\xA8"
       "b",
       false, false, "ab"},  // U+2028, line separator
      {"a\xE2\x81\xA6"
       "b",
       false, false, "ab"},  // U+2066, isolate
      {"a\xC0\xAF"
       "b",
       false, false, "ab"},  // no UTF-8
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(is_plain_text(row.text), row.plain) << row.text;
    EXPECT_EQ(is_plain_text(row.text, true), row.plain_with_lines) << row.text;
    EXPECT_EQ(plain_text_of(row.text), row.without);
  }
}

TEST(PlainText, PrintableAsciiIsOneForAll) {
  EXPECT_EQ(printable_ascii("a ~b"), "a ~b");
  EXPECT_EQ(printable_ascii("a\n\t\x1B\x7F\xC3\xA9"), "a??????");
  EXPECT_EQ(printable_ascii("abcdef", 3), "abc");
  EXPECT_EQ(printable_line("ERROR:  x\r\nDETAIL:\ty\n\n", 300), "ERROR:  x  DETAIL: y");
  EXPECT_EQ(printable_line("a\xE9\x1B", 300), "a??");
  EXPECT_EQ(printable_line("abcdef\n", 3), "abc");
  EXPECT_EQ(printable_line("\n", 3), "");
}

}  // namespace
}  // namespace wafd
