// The fast paths of decoders, against decoding byte by byte.
#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "detect/core/bytes.h"
#include "detect/decode/base/text_check.h"
#include "detect/decode/base64.h"
#include "detect/decode/charset/charset.h"
#include "detect/decode/hex.h"

namespace wafd::detect {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string encoded(const std::string& bytes) {
  std::string out;
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : bytes) {
    bits = bits << 8 | byte(c);
    for (have += 8; have >= 6; have -= 6) out += kDigits[bits >> (have - 6) & 63];
  }
  if (have > 0) out += kDigits[bits << (6 - have) & 63];
  return out;
}

// Of texts, formats and noise, also cut and mixed.
std::string some_bytes(std::mt19937& random) {
  static const std::string kPieces[] = {"a",
                                        "<b>",
                                        "\xc3\xa4",
                                        "\xe4\xbd\xa0",
                                        "\xf0\x9f\x98\x80",
                                        std::string(1, '\0'),
                                        "\x01",
                                        "\x7f",
                                        "\x80",
                                        "\xff\xfe",
                                        "\xac\xed\x00",
                                        "\t",
                                        "\r\n",
                                        "words and words",
                                        "\xe4\xbd"};
  static const std::string kBegins[] = {"",
                                        "",
                                        "",
                                        "\x1f\x8b\x08",
                                        std::string("\xac\xed\x00\x05", 4),
                                        "PK\x03\x04",
                                        "GIF8",
                                        std::string("<\0b\0>\0", 6),
                                        std::string("\0<\0b\0>", 6),
                                        std::string("\0\x01\0\0\0\xff\xff\xff\xff", 9)};
  std::string out = kBegins[random() % std::size(kBegins)];
  const bool text = random() % 2 == 0;
  for (std::size_t i = random() % 8; i > 0; --i)
    out += kPieces[text ? std::min<std::size_t>(random() % 5, 4) : random() % std::size(kPieces)];
  if (random() % 8 == 0) out.push_back('\0');
  return out;
}

TEST(Shortcuts, Base64ByItsFirstBytes) {
  std::mt19937 random(3);
  std::size_t taken = 0;
  for (int round = 0; round < 200000; ++round) {
    const std::string bytes = some_bytes(random);
    const std::string text = encoded(bytes);
    if (text.size() < 8) continue;
    std::string out;
    std::uint32_t flags = 0;
    const bool expected = is_nearly_text(bytes) || has_known_magic(bytes) || maybe_wide_text(bytes);
    ASSERT_EQ(base64_decode(text, out, flags), expected) << text;
    if (!expected) continue;
    EXPECT_EQ(out, bytes);
    ASSERT_TRUE(maybe_base64(text)) << text;
    ++taken;
  }
  EXPECT_GT(taken, 20000u);
}

TEST(Shortcuts, RunsOfDigitsAndMarksOfHex) {
  std::mt19937 random(4);
  const std::string pieces[] = {
      "a", "0", "x", "X", "'", " ", ".", "0x4", "x'4", "abcdefgh", "ABCDEFGHIJKLMNO", "=/"};
  std::size_t runs = 0;
  std::size_t marks = 0;
  for (int round = 0; round < 100000; ++round) {
    std::string text;
    for (std::size_t i = random() % 14; i > 0; --i) text += pieces[random() % std::size(pieces)];
    // The highest bits of the first three bytes of a run.
    const auto is_low = [](char c) { return is_upper(c) || (c >= 'a' && c <= 'f'); };
    bool printable = false;
    for (std::size_t i = 0, end = 0; i < text.size(); i = end + 1) {
      end = i;
      while (end < text.size() && (is_alnum(text[end]) || text[end] == '/')) ++end;
      printable =
          printable || (end - i >= 16 && is_low(text[i]) && is_low(text[i + 4]) && is_low(text[i + 8]));
    }
    ASSERT_EQ(maybe_base64_run(text), printable) << text;
    std::string decoded;
    std::uint32_t flags = 0;
    if (!printable) {
      ASSERT_FALSE(base64_run_decode(text, decoded, flags)) << text;
    }
    bool mark = text.size() >= 16 && text.size() % 2 == 0 &&
                std::all_of(text.begin(), text.end(), [](char c) { return hex_value(c) >= 0; });
    for (std::size_t i = 0; i + 4 < text.size(); ++i) {
      const bool begins = (text[i] == '0' && to_lower(text[i + 1]) == 'x') ||
                          (to_lower(text[i]) == 'x' && text[i + 1] == '\'');
      mark = mark || (begins && hex_value(text[i + 2]) >= 0);
    }
    ASSERT_EQ(maybe_hex(text), mark) << text;
    runs += printable;
    marks += mark;
  }
  EXPECT_GT(runs, 5000u);
  EXPECT_GT(marks, 10000u);
}

}  // namespace
}  // namespace wafd::detect
