#include "detect/decode/unicode_fold.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "detect/core/octets.h"
#include "detect/decode/lazy_copy.h"

namespace wafd::detect {
namespace {

struct Fold {
  std::uint32_t code_point;
  char ascii;
};

// Single characters, sorted. Runs with a rule of their own are in fold() below.
constexpr std::array kFolds = {
    Fold{0xA0, ' '},    Fold{0xAA, 'a'},   Fold{0xB2, '2'},    Fold{0xB3, '3'},    Fold{0xB4, '\''},
    Fold{0xB9, '1'},    Fold{0xBA, 'o'},   Fold{0x130, 'I'},   Fold{0x131, 'i'},   Fold{0x17F, 's'},
    Fold{0x1C0, '|'},   Fold{0x1C3, '!'},  Fold{0x2B9, '\''},  Fold{0x2BA, '"'},   Fold{0x2BC, '\''},
    Fold{0x2C8, '\''},  Fold{0x2CB, '`'},  Fold{0x37E, ';'},   Fold{0x1680, ' '},  Fold{0x2018, '\''},
    Fold{0x2019, '\''}, Fold{0x201A, ','}, Fold{0x201B, '\''}, Fold{0x2024, '.'},  Fold{0x202F, ' '},
    Fold{0x2032, '\''}, Fold{0x2033, '"'}, Fold{0x2035, '`'},  Fold{0x2036, '"'},  Fold{0x2039, '<'},
    Fold{0x203A, '>'},  Fold{0x2044, '/'}, Fold{0x205F, ' '},  Fold{0x2071, 'i'},  Fold{0x207F, 'n'},
    Fold{0x2102, 'C'},  Fold{0x210A, 'g'}, Fold{0x210B, 'H'},  Fold{0x210C, 'H'},  Fold{0x210D, 'H'},
    Fold{0x210E, 'h'},  Fold{0x2110, 'I'}, Fold{0x2111, 'I'},  Fold{0x2112, 'L'},  Fold{0x2113, 'l'},
    Fold{0x2115, 'N'},  Fold{0x2119, 'P'}, Fold{0x211A, 'Q'},  Fold{0x211B, 'R'},  Fold{0x211C, 'R'},
    Fold{0x211D, 'R'},  Fold{0x2124, 'Z'}, Fold{0x2128, 'Z'},  Fold{0x212A, 'K'},  Fold{0x212C, 'B'},
    Fold{0x212D, 'C'},  Fold{0x212F, 'e'}, Fold{0x2130, 'E'},  Fold{0x2131, 'F'},  Fold{0x2133, 'M'},
    Fold{0x2134, 'o'},  Fold{0x2139, 'i'}, Fold{0x2160, 'I'},  Fold{0x2164, 'V'},  Fold{0x2169, 'X'},
    Fold{0x216C, 'L'},  Fold{0x216D, 'C'}, Fold{0x216E, 'D'},  Fold{0x216F, 'M'},  Fold{0x2170, 'i'},
    Fold{0x2174, 'v'},  Fold{0x2179, 'x'}, Fold{0x217C, 'l'},  Fold{0x217D, 'c'},  Fold{0x217E, 'd'},
    Fold{0x217F, 'm'},  Fold{0x2212, '-'}, Fold{0x2215, '/'},  Fold{0x2216, '\\'}, Fold{0x2217, '*'},
    Fold{0x2223, '|'},  Fold{0x2236, ':'}, Fold{0x2329, '<'},  Fold{0x232A, '>'},  Fold{0x24EA, '0'},
    Fold{0x29F5, '\\'}, Fold{0x29F8, '/'}, Fold{0x29F9, '\\'}, Fold{0x3000, ' '},  Fold{0x3008, '<'},
    Fold{0x3009, '>'},  Fold{0xFE50, ','}, Fold{0xFE52, '.'},  Fold{0xFE54, ';'},  Fold{0xFE55, ':'},
    Fold{0xFE56, '?'},  Fold{0xFE57, '!'}, Fold{0xFE59, '('},  Fold{0xFE5A, ')'},  Fold{0xFE5B, '{'},
    Fold{0xFE5C, '}'},  Fold{0xFE5F, '#'}, Fold{0xFE60, '&'},  Fold{0xFE61, '*'},  Fold{0xFE62, '+'},
    Fold{0xFE63, '-'},  Fold{0xFE64, '<'}, Fold{0xFE65, '>'},  Fold{0xFE66, '='},  Fold{0xFE68, '\\'},
    Fold{0xFE69, '$'},  Fold{0xFE6A, '%'}, Fold{0xFE6B, '@'},
};
static_assert(std::is_sorted(kFolds.begin(), kFolds.end(),
                             [](const Fold& a, const Fold& b) { return a.code_point < b.code_point; }));

constexpr char kRemoved = '\0';
constexpr char kKept = '\x7F';

char offset_from(char base, std::uint32_t distance) noexcept {
  return static_cast<char>(base + static_cast<char>(distance));
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
    // Those letters have a lead octet of E3 to ED.
    if (octet(in[i]) < 0xE3 || octet(in[i]) > 0xED) continue;
    std::uint32_t cp = 0;
    if (utf8_sequence(in, i, cp) != 0 && is_east_asian_letter(cp)) return true;
  }
  return false;
}

// The ASCII character meant, kRemoved for invisible ones, or kKept. `disguise`: no keyboard makes it by
// habit.
char fold(std::uint32_t cp, bool& disguise) noexcept {
  if (cp >= 0xFF01 && cp <= 0xFF5E) return disguise = true, offset_from('!', cp - 0xFF01);
  if (cp >= 0x1D400 && cp <= 0x1D6A3) {
    const std::uint32_t letter = (cp - 0x1D400) % 52;
    disguise = true;
    return letter < 26 ? offset_from('A', letter) : offset_from('a', letter - 26);
  }
  if (cp >= 0x1D7CE && cp <= 0x1D7FF) return disguise = true, offset_from('0', (cp - 0x1D7CE) % 10);
  if (cp >= 0x24B6 && cp <= 0x24CF) return disguise = true, offset_from('A', cp - 0x24B6);
  if (cp >= 0x24D0 && cp <= 0x24E9) return disguise = true, offset_from('a', cp - 0x24D0);
  if (cp >= 0x2460 && cp <= 0x2468) return offset_from('1', cp - 0x2460);
  if (cp == 0x2070 || (cp >= 0x2074 && cp <= 0x2079)) return offset_from('0', cp - 0x2070);
  if (cp >= 0x2080 && cp <= 0x2089) return offset_from('0', cp - 0x2080);
  if (cp >= 0x2000 && cp <= 0x200A) return ' ';
  if (cp >= 0x2010 && cp <= 0x2015) return '-';
  if ((cp >= 0x200B && cp <= 0x200F) || (cp >= 0x2060 && cp <= 0x2064) || cp == 0xAD || cp == 0xFEFF ||
      cp == 0x180E || (cp >= 0xFE00 && cp <= 0xFE0F) || (cp >= 0x202A && cp <= 0x202E)) {
    return kRemoved;
  }
  const auto it = std::lower_bound(kFolds.begin(), kFolds.end(), cp,
                                   [](const Fold& a, std::uint32_t b) { return a.code_point < b; });
  return it != kFolds.end() && it->code_point == cp ? it->ascii : kKept;
}

// Position of the first octet beyond ASCII from `at` on, or the size.
std::size_t next_high(std::string_view in, std::size_t at) noexcept {
  for (; at + 8 <= in.size(); at += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, in.data() + at, 8);
    if ((eight & 0x8080808080808080u) != 0) break;
  }
  while (at < in.size() && octet(in[at]) < 0x80) ++at;
  return at;
}

// Behind the letters that stand from `at` on and have a lead octet of E4 to E9: U+4000 to U+9FFF, most of
// what Chinese and Japanese are written with.
std::size_t skip_ideographs(std::string_view in, std::size_t at) noexcept {
  const auto follows = [&](std::size_t i) { return (octet(in[i]) & 0xC0u) == 0x80; };
  while (at + 2 < in.size() && octet(in[at]) >= 0xE4 && octet(in[at]) <= 0xE9 && follows(at + 1) &&
         follows(at + 2))
    at += 3;
  return at;
}

// Octets of an ASCII character that is written with two to six of them, or 0.
std::size_t overlong_ascii(std::string_view in, std::size_t at, std::uint32_t& cp) noexcept {
  const unsigned char lead = octet(in[at]);
  const std::size_t count = (lead & 0xFEu) == 0xC0 ? 2
                            : lead == 0xE0         ? 3
                            : lead == 0xF0         ? 4
                            : lead == 0xF8         ? 5
                            : lead == 0xFC         ? 6
                                                   : 0;
  if (count == 0 || at + count > in.size()) return 0;
  cp = count == 2 ? lead & 1u : 0;
  for (std::size_t i = 1; i < count; ++i) {
    const unsigned char next = octet(in[at + i]);
    if ((next & 0xC0u) != 0x80) return 0;
    cp = cp << 6 | (next & 0x3Fu);
  }
  return cp < 0x80 ? count : 0;
}

}  // namespace

bool maybe_unicode_fold(std::string_view in) noexcept { return next_high(in, 0) < in.size(); }

bool unicode_fold_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  LazyCopy copy(in, out);
  bool disguise = false;
  const bool east_asian = has_east_asian_letter(in);
  for (std::size_t i = 0; i < in.size();) {
    if (octet(in[i]) < 0x80) {
      i = next_high(in, i + 1);
      continue;
    }
    if (const std::size_t end = skip_ideographs(in, i); end != i) {
      i = end;
      continue;
    }
    std::uint32_t cp = 0;
    const std::size_t length = utf8_sequence(in, i, cp);
    if (length == 0) {
      if (const std::size_t overlong = overlong_ascii(in, i, cp); overlong != 0) {
        copy.replace(i, i + overlong).push_back(static_cast<char>(cp));
        flags |= kOverlongUtf8;
        i += overlong;
      } else {
        ++i;
      }
      continue;
    }
    // Most letters of most languages.
    const bool letter =
        (cp >= 0xBB && cp < 0x130) || (cp >= 0x380 && cp < 0x1680) || is_east_asian_letter(cp);
    const char ascii = letter || (east_asian && is_east_asian_punctuation(cp)) ? kKept : fold(cp, disguise);
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
