#include "detect/decode/unicode_fold.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "detect/core/bytes.h"
#include "detect/decode/base/lazy_copy.h"

namespace wafd::detect {
namespace {

constexpr char kRemoved = '\0';
constexpr char kKept = '\x7F';

struct Fold {
  std::uint32_t code_point;
  char ascii;
};

// Single characters, sorted.
constexpr std::array kFolds = {
    Fold{0xA0, ' '},    Fold{0xAA, 'a'},    Fold{0xB2, '2'},    Fold{0xB3, '3'},    Fold{0xB4, '\''},
    Fold{0xB9, '1'},    Fold{0xBA, 'o'},    Fold{0x130, 'I'},   Fold{0x131, 'i'},   Fold{0x17F, 's'},
    Fold{0x1C0, '|'},   Fold{0x1C3, '!'},   Fold{0x2B0, 'h'},   Fold{0x2B2, 'j'},   Fold{0x2B3, 'r'},
    Fold{0x2B7, 'w'},   Fold{0x2B8, 'y'},   Fold{0x2B9, '\''},  Fold{0x2BA, '"'},   Fold{0x2BC, '\''},
    Fold{0x2C8, '\''},  Fold{0x2CB, '`'},   Fold{0x2E1, 'l'},   Fold{0x2E2, 's'},   Fold{0x2E3, 'x'},
    Fold{0x37E, ';'},   Fold{0x1680, ' '},  Fold{0x1D2C, 'A'},  Fold{0x1D2E, 'B'},  Fold{0x1D30, 'D'},
    Fold{0x1D31, 'E'},  Fold{0x1D33, 'G'},  Fold{0x1D34, 'H'},  Fold{0x1D35, 'I'},  Fold{0x1D36, 'J'},
    Fold{0x1D37, 'K'},  Fold{0x1D38, 'L'},  Fold{0x1D39, 'M'},  Fold{0x1D3A, 'N'},  Fold{0x1D3C, 'O'},
    Fold{0x1D3E, 'P'},  Fold{0x1D3F, 'R'},  Fold{0x1D40, 'T'},  Fold{0x1D41, 'U'},  Fold{0x1D42, 'W'},
    Fold{0x1D43, 'a'},  Fold{0x1D47, 'b'},  Fold{0x1D48, 'd'},  Fold{0x1D49, 'e'},  Fold{0x1D4D, 'g'},
    Fold{0x1D4F, 'k'},  Fold{0x1D50, 'm'},  Fold{0x1D52, 'o'},  Fold{0x1D56, 'p'},  Fold{0x1D57, 't'},
    Fold{0x1D58, 'u'},  Fold{0x1D5B, 'v'},  Fold{0x1D62, 'i'},  Fold{0x1D63, 'r'},  Fold{0x1D64, 'u'},
    Fold{0x1D65, 'v'},  Fold{0x1D9C, 'c'},  Fold{0x1DA0, 'f'},  Fold{0x1DBB, 'z'},  Fold{0x2018, '\''},
    Fold{0x2019, '\''}, Fold{0x201A, ','},  Fold{0x201B, '\''}, Fold{0x2024, '.'},  Fold{0x202F, ' '},
    Fold{0x2032, '\''}, Fold{0x2033, '"'},  Fold{0x2035, '`'},  Fold{0x2036, '"'},  Fold{0x2039, '<'},
    Fold{0x203A, '>'},  Fold{0x2044, '/'},  Fold{0x205F, ' '},  Fold{0x2071, 'i'},  Fold{0x207F, 'n'},
    Fold{0x2090, 'a'},  Fold{0x2091, 'e'},  Fold{0x2092, 'o'},  Fold{0x2093, 'x'},  Fold{0x2095, 'h'},
    Fold{0x2096, 'k'},  Fold{0x2097, 'l'},  Fold{0x2098, 'm'},  Fold{0x2099, 'n'},  Fold{0x209A, 'p'},
    Fold{0x209B, 's'},  Fold{0x209C, 't'},  Fold{0x2102, 'C'},  Fold{0x210A, 'g'},  Fold{0x210B, 'H'},
    Fold{0x210C, 'H'},  Fold{0x210D, 'H'},  Fold{0x210E, 'h'},  Fold{0x2110, 'I'},  Fold{0x2111, 'I'},
    Fold{0x2112, 'L'},  Fold{0x2113, 'l'},  Fold{0x2115, 'N'},  Fold{0x2119, 'P'},  Fold{0x211A, 'Q'},
    Fold{0x211B, 'R'},  Fold{0x211C, 'R'},  Fold{0x211D, 'R'},  Fold{0x2124, 'Z'},  Fold{0x2128, 'Z'},
    Fold{0x212A, 'K'},  Fold{0x212C, 'B'},  Fold{0x212D, 'C'},  Fold{0x212F, 'e'},  Fold{0x2130, 'E'},
    Fold{0x2131, 'F'},  Fold{0x2133, 'M'},  Fold{0x2134, 'o'},  Fold{0x2139, 'i'},  Fold{0x2145, 'D'},
    Fold{0x2146, 'd'},  Fold{0x2147, 'e'},  Fold{0x2148, 'i'},  Fold{0x2149, 'j'},  Fold{0x2160, 'I'},
    Fold{0x2164, 'V'},  Fold{0x2169, 'X'},  Fold{0x216C, 'L'},  Fold{0x216D, 'C'},  Fold{0x216E, 'D'},
    Fold{0x216F, 'M'},  Fold{0x2170, 'i'},  Fold{0x2174, 'v'},  Fold{0x2179, 'x'},  Fold{0x217C, 'l'},
    Fold{0x217D, 'c'},  Fold{0x217E, 'd'},  Fold{0x217F, 'm'},  Fold{0x2212, '-'},  Fold{0x2215, '/'},
    Fold{0x2216, '\\'}, Fold{0x2217, '*'},  Fold{0x2223, '|'},  Fold{0x2236, ':'},  Fold{0x2329, '<'},
    Fold{0x232A, '>'},  Fold{0x24EA, '0'},  Fold{0x29F5, '\\'}, Fold{0x29F8, '/'},  Fold{0x29F9, '\\'},
    Fold{0x2C7C, 'j'},  Fold{0x2C7D, 'V'},  Fold{0x3000, ' '},  Fold{0x3008, '<'},  Fold{0x3009, '>'},
    Fold{0xA7F2, 'C'},  Fold{0xA7F3, 'F'},  Fold{0xA7F4, 'Q'},  Fold{0xFE50, ','},  Fold{0xFE52, '.'},
    Fold{0xFE54, ';'},  Fold{0xFE55, ':'},  Fold{0xFE56, '?'},  Fold{0xFE57, '!'},  Fold{0xFE59, '('},
    Fold{0xFE5A, ')'},  Fold{0xFE5B, '{'},  Fold{0xFE5C, '}'},  Fold{0xFE5F, '#'},  Fold{0xFE60, '&'},
    Fold{0xFE61, '*'},  Fold{0xFE62, '+'},  Fold{0xFE63, '-'},  Fold{0xFE64, '<'},  Fold{0xFE65, '>'},
    Fold{0xFE66, '='},  Fold{0xFE68, '\\'}, Fold{0xFE69, '$'},  Fold{0xFE6A, '%'},  Fold{0xFE6B, '@'},
    Fold{0x107A5, 'q'}, Fold{0x1F12B, 'C'}, Fold{0x1F12C, 'R'}, Fold{0x1F130, 'A'}, Fold{0x1F131, 'B'},
    Fold{0x1F132, 'C'}, Fold{0x1F133, 'D'}, Fold{0x1F134, 'E'}, Fold{0x1F135, 'F'}, Fold{0x1F136, 'G'},
    Fold{0x1F137, 'H'}, Fold{0x1F138, 'I'}, Fold{0x1F139, 'J'}, Fold{0x1F13A, 'K'}, Fold{0x1F13B, 'L'},
    Fold{0x1F13C, 'M'}, Fold{0x1F13D, 'N'}, Fold{0x1F13E, 'O'}, Fold{0x1F13F, 'P'}, Fold{0x1F140, 'Q'},
    Fold{0x1F141, 'R'}, Fold{0x1F142, 'S'}, Fold{0x1F143, 'T'}, Fold{0x1F144, 'U'}, Fold{0x1F145, 'V'},
    Fold{0x1F146, 'W'}, Fold{0x1F147, 'X'}, Fold{0x1F148, 'Y'}, Fold{0x1F149, 'Z'},
};
static_assert(std::is_sorted(kFolds.begin(), kFolds.end(),
                             [](const Fold& a, const Fold& b) { return a.code_point < b.code_point; }));

// Characters in a row, of which each means the next ASCII character, and after `period` the first again.
struct Range {
  std::uint32_t first;
  std::uint32_t last;
  char ascii;  // of the first
  std::uint32_t period;
  bool disguise = false;  // no keyboard makes it by habit
};

constexpr std::uint32_t kLetters = 52;  // A to Z, then a to z
constexpr Range kRanges[] = {
    {0xAD, 0xAD, kRemoved, 1},
    {0x180E, 0x180E, kRemoved, 1},
    {0x2000, 0x200A, ' ', 1},
    {0x200B, 0x200F, kRemoved, 1},
    {0x2010, 0x2015, '-', 1},
    {0x202A, 0x202E, kRemoved, 1},
    {0x2060, 0x2064, kRemoved, 1},
    {0x2070, 0x2070, '0', 1},
    {0x2074, 0x2079, '4', 6},
    {0x2080, 0x2089, '0', 10},
    {0x2460, 0x2468, '1', 9},
    {0x24B6, 0x24CF, 'A', 26, true},
    {0x24D0, 0x24E9, 'a', 26, true},
    {0xFE00, 0xFE0F, kRemoved, 1},
    {0xFEFF, 0xFEFF, kRemoved, 1},
    {0xFF01, 0xFF5E, '!', 94, true},
    {0x1D400, 0x1D6A3, 'A', kLetters, true},  // mathematical alphabets
    {0x1D7CE, 0x1D7FF, '0', 10, true},
};
static_assert(std::is_sorted(std::begin(kRanges), std::end(kRanges),
                             [](const Range& a, const Range& b) { return a.last < b.first; }));

// The ASCII character meant, kRemoved for invisible ones, or kKept.
char fold(std::uint32_t cp, bool& disguise) noexcept {
  const auto one = std::lower_bound(kFolds.begin(), kFolds.end(), cp,
                                    [](const Fold& a, std::uint32_t b) { return a.code_point < b; });
  if (one != kFolds.end() && one->code_point == cp) return one->ascii;
  const auto* const range = std::lower_bound(std::begin(kRanges), std::end(kRanges), cp,
                                             [](const Range& a, std::uint32_t b) { return a.last < b; });
  if (range == std::end(kRanges) || cp < range->first) return kKept;
  disguise |= range->disguise;
  std::uint32_t at = (cp - range->first) % range->period;
  if (range->period == kLetters && at >= kLetters / 2) at += 'a' - 'Z' - 1;
  return static_cast<char>(range->ascii + static_cast<char>(at));
}

// Whether two bytes can begin a character that is folded, or ASCII in overlong UTF-8: some bit is in both
// tables. Lead bytes with the same seconds share a bit; most text beyond ASCII has none of them.
struct Begins {
  std::array<unsigned char, 256> lead{};
  std::array<unsigned char, 256> second{};

  constexpr void add(unsigned lead_byte, unsigned from, unsigned to, unsigned char bit) {
    lead[lead_byte] |= bit;
    for (unsigned i = from; i <= to; ++i) second[i] |= bit;
  }
  // Characters from U+0080 on that lie between the two.
  constexpr void add_characters(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t cp = first; cp <= last; ++cp) {
      const unsigned shift = cp < 0x800 ? 0 : cp < 0x10000 ? 6 : 12;  // to the bits of the second byte
      const unsigned mark = cp < 0x800 ? 0xC0 : cp < 0x10000 ? 0xE0 : 0xF0;
      const unsigned bytes = cp >> shift;
      const unsigned second_byte = 0x80 | (bytes & 0x3F);
      add(mark | bytes >> 6, second_byte, second_byte, bit_of(mark | bytes >> 6));
    }
  }
  static constexpr unsigned char kOverlong = 0x80;
  static constexpr unsigned char bit_of(unsigned lead_byte) {
    switch (lead_byte) {
      case 0xC2:
        return 1;
      case 0xE1:
        return 2;
      case 0xE2:
        return 4;
      case 0xE3:
        return 8;
      case 0xEF:
        return 16;
      case 0xF0:
        return 32;
      default:
        return 64;
    }
  }
};

constexpr Begins kBegins = [] {
  Begins begins;
  for (const Fold& fold : kFolds) begins.add_characters(fold.code_point, fold.code_point);
  for (const Range& range : kRanges) begins.add_characters(range.first, range.last);
  for (const unsigned lead : {0xC0u, 0xC1u, 0xE0u, 0xF0u, 0xF8u, 0xFCu})
    begins.add(lead, 0x80, lead < 0xE0 ? 0xBF : 0x81, Begins::kOverlong);
  return begins;
}();

// Position from `at` on of two bytes that may begin what is folded, or the size.
std::size_t next_begin(std::string_view in, std::size_t at) noexcept {
  const auto begins = [&](std::size_t i) {
    return kBegins.lead[byte(in[i])] & kBegins.second[byte(in[i + 1])];
  };
  for (; at + 9 <= in.size(); at += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, in.data() + at, 8);
    if ((eight & 0x8080808080808080u) == 0) continue;
    int any = 0;
    for (std::size_t i = at; i < at + 8; ++i) any |= begins(i);
    if (any != 0) break;
  }
  for (; at + 1 < in.size(); ++at) {
    if (begins(at) != 0) return at;
  }
  return in.size();
}

// Punctuation that East Asian text is written with: full-width comma, full stop, colon, parentheses and the
// like. There it is no disguise.
bool is_east_asian_punctuation(std::uint32_t cp) noexcept {
  switch (cp) {
    case 0xFF01:
    case 0xFF08:
    case 0xFF09:
    case 0xFF0C:
    case 0xFF0E:
    case 0xFF1A:
    case 0xFF1B:
    case 0xFF1F:
    case 0x2018:
    case 0x2019:
    case 0x3008:
    case 0x3009:
      return true;
    default:
      return false;
  }
}

bool is_east_asian_letter(std::uint32_t cp) noexcept {
  return (cp >= 0x3041 && cp <= 0x30FF) || (cp >= 0x3400 && cp <= 0x9FFF) || (cp >= 0xAC00 && cp <= 0xD7A3);
}

bool has_east_asian_letter(std::string_view in) noexcept {
  for (std::size_t i = 0; i + 2 < in.size(); ++i) {
    // Those letters have a lead byte of E3 to ED.
    if (byte(in[i]) < 0xE3 || byte(in[i]) > 0xED) continue;
    std::uint32_t cp = 0;
    if (utf8_sequence(in, i, cp) != 0 && is_east_asian_letter(cp)) return true;
  }
  return false;
}

// Bytes of an ASCII character that is written with two to six of them, or 0.
std::size_t overlong_ascii(std::string_view in, std::size_t at, std::uint32_t& cp) noexcept {
  const unsigned char lead = byte(in[at]);
  const std::size_t count = (lead & 0xFEu) == 0xC0 ? 2
                            : lead == 0xE0         ? 3
                            : lead == 0xF0         ? 4
                            : lead == 0xF8         ? 5
                            : lead == 0xFC         ? 6
                                                   : 0;
  if (count == 0 || at + count > in.size()) return 0;
  cp = count == 2 ? lead & 1u : 0;
  for (std::size_t i = 1; i < count; ++i) {
    const unsigned char next = byte(in[at + i]);
    if ((next & 0xC0u) != 0x80) return 0;
    cp = cp << 6 | (next & 0x3Fu);
  }
  return cp < 0x80 ? count : 0;
}

}  // namespace

bool maybe_unicode_fold(std::string_view in) noexcept { return next_begin(in, 0) < in.size(); }

bool unicode_fold_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  LazyCopy copy(in, out);
  bool disguise = false;
  bool asked = false;  // whether there are letters of East Asia
  bool east_asian = false;
  for (std::size_t i = next_begin(in, 0); i < in.size(); i = next_begin(in, i)) {
    std::uint32_t cp = 0;
    const std::size_t length = utf8_sequence(in, i, cp);
    if (length == 0) {
      const std::size_t overlong = overlong_ascii(in, i, cp);
      if (overlong != 0) {
        copy.replace(i, i + overlong).push_back(static_cast<char>(cp));
        flags |= kOverlongUtf8;
      }
      i += std::max<std::size_t>(overlong, 1);
      continue;
    }
    const bool punctuation = is_east_asian_punctuation(cp);
    if (punctuation && !asked) {
      east_asian = has_east_asian_letter(in);
      asked = true;
    }
    const char ascii = punctuation && east_asian ? kKept : fold(cp, disguise);
    if (ascii != kKept) {
      std::string& to = copy.replace(i, i + length);
      if (ascii != kRemoved) to.push_back(ascii);
    }
    i += length;
  }
  if (disguise) flags |= kFullWidth;
  return copy.finish();
}

}  // namespace wafd::detect
