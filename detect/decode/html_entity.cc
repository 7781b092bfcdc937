#include "detect/decode/html_entity.h"

#include <algorithm>
#include <array>

#include "detect/core/bytes.h"
#include "detect/decode/base/lazy_copy.h"
#include "detect/decode/base/text_check.h"
#include "detect/decode/base/utf8_out.h"

namespace wafd::detect {
namespace {

struct Named {
  std::string_view name;
  std::uint16_t code_point;
  bool bare;  // read without a semicolon too
};

// Sorted by name (byte order), for binary search.
constexpr std::array kNamed = {
    Named{"AMP", '&', true},
    Named{"DiacriticalGrave", '`', false},
    Named{"GT", '>', true},
    Named{"Hat", '^', false},
    Named{"InvisibleComma", 0x2063, false},
    Named{"InvisibleTimes", 0x2062, false},
    Named{"LT", '<', true},
    Named{"NewLine", '\n', false},
    Named{"NonBreakingSpace", 0xA0, false},
    Named{"QUOT", '"', true},
    Named{"Tab", '\t', false},
    Named{"UnderBar", '_', false},
    Named{"VerticalLine", '|', false},
    Named{"ZeroWidthSpace", 0x200B, false},
    Named{"aacute", 0xE1, true},
    Named{"acute", 0xB4, true},
    Named{"agrave", 0xE0, true},
    Named{"amp", '&', true},
    Named{"apos", '\'', false},
    Named{"ast", '*', false},
    Named{"auml", 0xE4, true},
    Named{"bsol", '\\', false},
    Named{"bull", 0x2022, false},
    Named{"ccedil", 0xE7, true},
    Named{"colon", ':', false},
    Named{"comma", ',', false},
    Named{"commat", '@', false},
    Named{"copy", 0xA9, true},
    Named{"dollar", '$', false},
    Named{"eacute", 0xE9, true},
    Named{"egrave", 0xE8, true},
    Named{"emsp", 0x2003, false},
    Named{"ensp", 0x2002, false},
    Named{"equals", '=', false},
    Named{"euro", 0x20AC, false},
    Named{"excl", '!', false},
    Named{"grave", '`', false},
    Named{"gt", '>', true},
    Named{"hellip", 0x2026, false},
    Named{"hyphen", 0x2010, false},
    Named{"iexcl", 0xA1, true},
    Named{"laquo", 0xAB, true},
    Named{"lbrace", '{', false},
    Named{"lbrack", '[', false},
    Named{"lcub", '{', false},
    Named{"ldquo", 0x201C, false},
    Named{"lowbar", '_', false},
    Named{"lpar", '(', false},
    Named{"lrm", 0x200E, false},
    Named{"lsqb", '[', false},
    Named{"lsquo", 0x2018, false},
    Named{"lt", '<', true},
    Named{"mdash", 0x2014, false},
    Named{"midast", '*', false},
    Named{"middot", 0xB7, true},
    Named{"nbsp", 0xA0, true},
    Named{"ndash", 0x2013, false},
    Named{"ntilde", 0xF1, true},
    Named{"num", '#', false},
    Named{"ouml", 0xF6, true},
    Named{"percnt", '%', false},
    Named{"period", '.', false},
    Named{"plus", '+', false},
    Named{"quest", '?', false},
    Named{"quot", '"', true},
    Named{"raquo", 0xBB, true},
    Named{"rbrace", '}', false},
    Named{"rbrack", ']', false},
    Named{"rcub", '}', false},
    Named{"rdquo", 0x201D, false},
    Named{"reg", 0xAE, true},
    Named{"rlm", 0x200F, false},
    Named{"rpar", ')', false},
    Named{"rsqb", ']', false},
    Named{"rsquo", 0x2019, false},
    Named{"semi", ';', false},
    Named{"shy", 0xAD, true},
    Named{"sol", '/', false},
    Named{"szlig", 0xDF, true},
    Named{"thinsp", 0x2009, false},
    Named{"trade", 0x2122, false},
    Named{"uuml", 0xFC, true},
    Named{"verbar", '|', false},
    Named{"vert", '|', false},
    Named{"zwj", 0x200D, false},
    Named{"zwnj", 0x200C, false},
};
static_assert(std::is_sorted(kNamed.begin(), kNamed.end(),
                             [](const Named& a, const Named& b) { return a.name < b.name; }));
constexpr std::size_t kLongestName = 16;

// Numbers 0x80..0x9F mean windows-1252 characters.
constexpr std::array<std::uint16_t, 32> kC1 = {0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                               0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0x8D,   0x17D,  0x8F,
                                               0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                               0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};

struct Reference {
  std::uint32_t code_point = 0;
  std::size_t length = 0;  // bytes, from '&'; 0: not a reference
};

Reference numeric(std::string_view in, std::size_t at) noexcept {
  std::size_t i = at + 2;
  const bool hex = i < in.size() && (in[i] == 'x' || in[i] == 'X');
  if (hex) ++i;
  const std::size_t first = i;
  std::uint32_t value = 0;
  for (; i < in.size(); ++i) {
    const int digit = hex ? hex_value(in[i]) : (is_digit(in[i]) ? in[i] - '0' : -1);
    if (digit < 0) break;
    if (value <= 0x10FFFF) value = value * (hex ? 16u : 10u) + static_cast<std::uint32_t>(digit);
  }
  if (i == first) return {};
  if (i < in.size() && in[i] == ';') ++i;
  if (value >= 0x80 && value < 0xA0) value = kC1[value - 0x80];
  return {value == 0 ? 0xFFFDu : value, i - at};
}

// By the first letter of a name: the second letters, without case. Most of what stands behind an ampersand is
// the name of a parameter, and ends here.
constexpr std::array<std::uint32_t, 128> kSecondLetters = [] {
  std::array<std::uint32_t, 128> letters{};
  for (const Named& known : kNamed) letters[byte(known.name[0])] |= 1u << (byte(known.name[1]) & 31);
  return letters;
}();
bool may_begin_name(char first, char second) noexcept {
  return byte(first) < 0x80 && (kSecondLetters[byte(first)] >> (byte(second) & 31) & 1) != 0;
}

const Named* lookup(std::string_view name) noexcept {
  const auto it = std::lower_bound(kNamed.begin(), kNamed.end(), name,
                                   [](const Named& a, std::string_view b) { return a.name < b; });
  return it != kNamed.end() && it->name == name ? &*it : nullptr;
}

Reference named(std::string_view in, std::size_t at) noexcept {
  if (!may_begin_name(in[at + 1], in[at + 2])) return {};
  std::size_t i = at + 1;
  while (i < in.size() && i <= at + kLongestName && is_alnum(in[i])) ++i;
  const std::string_view name = in.substr(at + 1, i - at - 1);
  if (name.empty()) return {};
  if (i < in.size() && in[i] == ';') {
    const Named* found = lookup(name);
    if (found != nullptr) return {found->code_point, i + 1 - at};
  }
  // Without semicolon the longest name wins, whatever letters follow.
  for (std::size_t length = std::min<std::size_t>(name.size(), 6); length >= 2; --length) {
    const Named* found = lookup(name.substr(0, length));
    if (found != nullptr && found->bare) return {found->code_point, length + 1};
  }
  return {};
}

}  // namespace

bool maybe_html_entity(std::string_view in) noexcept {
  const std::size_t at = in.find('&');
  return at != std::string_view::npos && at + 2 < in.size();
}

namespace {

bool has_tag(std::string_view in) noexcept {
  for (std::size_t i = in.find('<'); i != std::string_view::npos; i = in.find('<', i + 1)) {
    if (i + 1 < in.size() && (is_alpha(in[i + 1]) || in[i + 1] == '/' || in[i + 1] == '!')) return true;
  }
  return false;
}

}  // namespace

bool html_entity_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  LazyCopy copy(in, out);
  for (std::size_t i = in.find('&'); i != std::string_view::npos; i = in.find('&', i)) {
    if (i + 2 >= in.size()) break;
    const Reference found = in[i + 1] == '#' ? numeric(in, i) : named(in, i);
    if (found.length == 0) {
      ++i;
      continue;
    }
    if (found.code_point < 0x80) flags |= flags_of_decoded(static_cast<unsigned char>(found.code_point));
    append_utf8(copy.replace(i, i + found.length), found.code_point);
    i += found.length;
    if (found.code_point == '&' && i < in.size() && (in[i] == '#' || in.substr(i, 4) == "amp;"))
      flags |= kDoubleEncoding;
  }
  if (!copy.finish()) return false;
  if (has_tag(in)) flags |= kBesideMarkup;
  return true;
}

}  // namespace wafd::detect
