#include "detect/decode/charset.h"

#include <algorithm>
#include <array>

#include "detect/core/octets.h"
#include "detect/decode/lazy_copy.h"
#include "detect/decode/utf8_out.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxNameBytes = 24;

// EBCDIC pages agree on letters, digits and most signs; these fourteen move from country to country.
struct Page {
  std::uint16_t number;
  std::uint16_t euro;  // the same page with a euro sign
  std::array<unsigned char, 14> variant;
};
constexpr std::string_view kVariantSigns = "!#$@[\\]^`{|}~\"";
constexpr std::array kPages = {
    Page{37, 1140, {0x5a, 0x7b, 0x5b, 0x7c, 0xba, 0xe0, 0xbb, 0xb0, 0x79, 0xc0, 0x4f, 0xd0, 0xa1, 0x7f}},
    Page{273, 1141, {0x4f, 0x7b, 0x5b, 0xb5, 0x63, 0xec, 0xfc, 0x5f, 0x79, 0x43, 0xbb, 0xdc, 0x59, 0x7f}},
    Page{277, 1142, {0x4f, 0x4a, 0x67, 0x80, 0x9e, 0xe0, 0x9f, 0x5f, 0x79, 0x9c, 0xbb, 0x47, 0xdc, 0x7f}},
    Page{278, 1143, {0x4f, 0x63, 0x67, 0xec, 0xb5, 0xe0, 0x9f, 0x5f, 0x51, 0x43, 0xbb, 0x47, 0xdc, 0x7f}},
    Page{280, 1144, {0x4f, 0xb1, 0x5b, 0xb5, 0x90, 0x48, 0x51, 0x5f, 0xdd, 0x44, 0xbb, 0x54, 0x58, 0x7f}},
    Page{284, 1145, {0xbb, 0x69, 0x5b, 0x7c, 0x4a, 0xe0, 0x5a, 0xba, 0x79, 0xc0, 0x4f, 0xd0, 0xbd, 0x7f}},
    Page{285, 1146, {0x5a, 0x7b, 0x4a, 0x7c, 0xb1, 0xe0, 0xbb, 0xba, 0x79, 0xc0, 0x4f, 0xd0, 0xbc, 0x7f}},
    Page{297, 1147, {0x4f, 0xb1, 0x5b, 0x44, 0x90, 0x48, 0xb5, 0x5f, 0xa0, 0x51, 0xbb, 0x54, 0xbd, 0x7f}},
    Page{500, 1148, {0x4f, 0x7b, 0x5b, 0x7c, 0x4a, 0xe0, 0x5a, 0x5f, 0x79, 0xc0, 0xbb, 0xd0, 0xa1, 0x7f}},
    Page{871, 1149, {0x4f, 0x7b, 0x5b, 0xac, 0xae, 0xbe, 0x9e, 0xec, 0x8c, 0x8e, 0xbb, 0x9c, 0xcc, 0x7f}},
    Page{870, 1153, {0x4f, 0x7b, 0x5b, 0x7c, 0x4a, 0xe0, 0x5a, 0x5f, 0x79, 0xc0, 0x6a, 0xd0, 0xa1, 0x7f}},
    Page{1025, 1154, {0x4f, 0x7b, 0x5b, 0x7c, 0x4a, 0xe0, 0x5a, 0x5f, 0x79, 0xc0, 0x6a, 0xd0, 0xa1, 0x7f}},
    Page{1026, 1155, {0x4f, 0xec, 0xad, 0xae, 0x68, 0xdc, 0xac, 0x5f, 0x8d, 0x48, 0xbb, 0x8c, 0xcc, 0xfc}},
    Page{1047, 924, {0x5a, 0x7b, 0x5b, 0x7c, 0xad, 0xe0, 0xbd, 0x5f, 0x79, 0xc0, 0x4f, 0xd0, 0xa1, 0x7f}},
};

using EbcdicTable = std::array<char, 256>;  // '\x7f': no ASCII character

constexpr EbcdicTable kInvariant = [] {
  EbcdicTable table{};
  for (char& c : table) c = '\x7f';
  for (unsigned i = 0; i < 9; ++i) {
    table[0x81 + i] = static_cast<char>('a' + i);
    table[0x91 + i] = static_cast<char>('j' + i);
    table[0xc1 + i] = static_cast<char>('A' + i);
    table[0xd1 + i] = static_cast<char>('J' + i);
  }
  for (unsigned i = 0; i < 8; ++i) {
    table[0xa2 + i] = static_cast<char>('s' + i);
    table[0xe2 + i] = static_cast<char>('S' + i);
  }
  for (unsigned i = 0; i < 10; ++i) table[0xf0 + i] = static_cast<char>('0' + i);
  constexpr std::string_view kSigns = " .<(+&*);-/,%_>?:'=";
  constexpr unsigned char kPlaces[] = {0x40, 0x4b, 0x4c, 0x4d, 0x4e, 0x50, 0x5c, 0x5d, 0x5e, 0x60,
                                       0x61, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x7a, 0x7d, 0x7e};
  for (std::size_t i = 0; i < kSigns.size(); ++i) table[kPlaces[i]] = kSigns[i];
  table[0x00] = '\0';
  table[0x05] = '\t';
  table[0x0d] = '\r';
  table[0x15] = '\n';  // NEL, which most readers take as a line end
  table[0x25] = '\n';
  return table;
}();

EbcdicTable table_of(std::uint16_t number) noexcept {
  EbcdicTable table = kInvariant;
  for (const Page& page : kPages) {
    if (page.number != number) continue;
    for (std::size_t i = 0; i < kVariantSigns.size(); ++i) table[page.variant[i]] = kVariantSigns[i];
  }
  return table;
}

// A name in lower case without the dashes and underscores that its spellings differ by; too long: "".
std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, name.size() > kMaxNameBytes ? 0 : name.size())) {
    if (c != '-' && c != '_' && c != ' ') out.push_back(to_lower(c));
  }
  if (out.starts_with('x')) out.erase(0, 1);
  return out;
}

// "ibm01140", "cp500", "csibm273", "ebcdiccpus": the page's number, else 0.
std::uint16_t ebcdic_page(std::string_view name) noexcept {
  struct Alias {
    std::string_view name;
    std::uint16_t page;
  };
  constexpr Alias kAliases[] = {
      {"us", 37},  {"ca", 37},  {"wt", 37},     {"nl", 37},  {"dk", 277}, {"no", 277},
      {"fi", 278}, {"se", 278}, {"it", 280},    {"es", 284}, {"gb", 285}, {"fr", 297},
      {"be", 500}, {"ch", 500}, {"roece", 870}, {"yu", 870}, {"is", 871},
  };
  if (name.starts_with("cs")) name.remove_prefix(2);
  if (name.starts_with("ebcdiccp")) {
    for (const Alias& alias : kAliases) {
      if (name.substr(8) == alias.name) return alias.page;
    }
    return 0;
  }
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits == std::string_view::npos || name.size() - digits > 5) return 0;
  const std::string_view prefix = name.substr(0, digits);
  if (!prefix.empty() && prefix != "ibm" && prefix != "cp" && prefix != "ccsid") return 0;
  unsigned number = 0;
  for (const char c : name.substr(digits)) {
    if (!is_digit(c)) return 0;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  for (const Page& page : kPages) {
    if (number == page.number || number == page.euro) return page.number;
  }
  return 0;
}

std::uint32_t unit_at(std::string_view in, std::size_t at, std::size_t width, bool big) noexcept {
  std::uint32_t unit = 0;
  for (std::size_t i = 0; i < width; ++i) unit = unit << 8 | octet(in[at + (big ? i : width - 1 - i)]);
  return unit;
}

// Whether octets of that width are mostly ASCII characters with the NULs before or behind them.
OctetOrder order_by_nuls(std::string_view in, std::size_t width, std::size_t sure) noexcept {
  constexpr std::size_t kSample = 128;
  const std::size_t units = std::min(in.size() / width, kSample);
  std::size_t big = 0;
  std::size_t little = 0;
  for (std::size_t i = 0; i < units; ++i) {
    const std::uint32_t as_big = unit_at(in, i * width, width, true);
    const std::uint32_t as_little = unit_at(in, i * width, width, false);
    big += as_big != 0 && as_big < 0x80;
    little += as_little != 0 && as_little < 0x80;
    if (i < sure && big <= i && little <= i) return OctetOrder::kUnknown;
  }
  if (units < sure || std::max(big, little) * 4 < units * 3) return OctetOrder::kUnknown;
  return big > little ? OctetOrder::kBig : OctetOrder::kLittle;
}

void decode_units(std::string_view in, std::size_t width, bool big, std::string& out) {
  for (std::size_t at = 0; at + width <= in.size(); at += width) {
    std::uint32_t cp = unit_at(in, at, width, big);
    if (width == 2 && cp >= 0xd800 && cp < 0xdc00 && at + 4 <= in.size()) {
      const std::uint32_t low = unit_at(in, at + 2, 2, big);
      if (low >= 0xdc00 && low < 0xe000) {
        cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
        at += 2;
      }
    }
    if (at != 0 || cp != 0xfeff) append_utf8(out, cp);  // without the mark
  }
}

// Escape sequences that change the character set (ISO/IEC 2022): ESC, intermediate octets, a final one; and
// the locking shifts.
bool strip_shifts(std::string_view in, std::string& out) {
  LazyCopy copy(in, out);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t begin = i;
    if (in[i] == '\x1b') {
      std::size_t end = i + 1;
      while (end < in.size() && in[end] >= ' ' && in[end] <= '/') ++end;
      if (end == i + 1 || end == in.size()) continue;
      i = end;
    } else if (in[i] != '\x0e' && in[i] != '\x0f') {
      continue;
    }
    copy.replace(begin, i + 1);
  }
  return copy.finish();
}

Charset with_order(CharsetKind kind, std::string_view rest) noexcept {
  if (rest.empty()) return {kind};
  if (rest == "le") return {kind, OctetOrder::kLittle};
  if (rest == "be") return {kind, OctetOrder::kBig};
  return {};
}

}  // namespace

Charset charset_named(std::string_view text) noexcept {
  const std::string name = plain_name(trim(text));
  struct Wide {
    std::string_view prefix;
    CharsetKind kind;
  };
  constexpr Wide kWide[] = {{"utf16", CharsetKind::kUtf16},        {"ucs2", CharsetKind::kUtf16},
                            {"iso10646ucs2", CharsetKind::kUtf16}, {"utf32", CharsetKind::kUtf32},
                            {"ucs4", CharsetKind::kUtf32},         {"iso10646ucs4", CharsetKind::kUtf32}};
  for (const Wide& wide : kWide) {
    if (name.starts_with(wide.prefix))
      return with_order(wide.kind, std::string_view(name).substr(wide.prefix.size(), 2));
  }
  if (name == "unicode") return {CharsetKind::kUtf16};
  if (name == "unicodefffe" || name == "unicodebig") return {CharsetKind::kUtf16, OctetOrder::kBig};
  if (name.starts_with("iso2022") || name.starts_with("csiso2022")) return {CharsetKind::kIso2022};
  if (const std::uint16_t page = ebcdic_page(name); page != 0)
    return {CharsetKind::kEbcdic, OctetOrder::kUnknown, page};
  return {};
}

Charset sniff_charset(std::string_view octets) noexcept {
  using namespace std::string_view_literals;
  if (octets.size() < 4) return {};
  const unsigned char first = octet(octets[0]);
  const unsigned char second = octet(octets[1]);
  if (first == 0xff && second == 0xfe) {
    if (octets.substr(2, 2) == "\0\0"sv) return {CharsetKind::kUtf32, OctetOrder::kLittle};
    return {CharsetKind::kUtf16, OctetOrder::kLittle};
  }
  if (first == 0xfe && second == 0xff) return {CharsetKind::kUtf16, OctetOrder::kBig};
  if (octets.starts_with("\0\0\xfe\xff"sv)) return {CharsetKind::kUtf32, OctetOrder::kBig};
  if (first != 0 && second != 0) return {};
  if (const OctetOrder order = order_by_nuls(octets, 4, 2); order != OctetOrder::kUnknown)
    return {CharsetKind::kUtf32, order};
  if (const OctetOrder order = order_by_nuls(octets, 2, 3); order != OctetOrder::kUnknown)
    return {CharsetKind::kUtf16, order};
  return {};
}

bool charset_decode(std::string_view in, Charset charset, std::string& out) {
  out.clear();
  switch (charset.kind) {
    case CharsetKind::kAsIs:
      return false;
    case CharsetKind::kIso2022:
      return strip_shifts(in, out);
    case CharsetKind::kEbcdic: {
      const EbcdicTable table = table_of(charset.page);
      out.reserve(in.size());
      for (const char c : in) {
        const char ascii = table[octet(c)];
        if (ascii == '\x7f') {
          append_utf8(out, 0xfffd);
        } else {
          out.push_back(ascii);
        }
      }
      return !in.empty();
    }
    case CharsetKind::kUtf16:
    case CharsetKind::kUtf32:
      break;
  }
  const std::size_t width = charset.kind == CharsetKind::kUtf16 ? 2 : 4;
  if (in.size() < width) return false;
  OctetOrder order = charset.order;
  if (order == OctetOrder::kUnknown) {
    const Charset seen = sniff_charset(in);
    order = seen.kind == charset.kind ? seen.order : order_by_nuls(in, width, 0);
  }
  out.reserve(in.size());
  decode_units(in, width, order == OctetOrder::kBig, out);
  return true;
}

std::string_view to_string(CharsetKind kind) noexcept {
  constexpr std::string_view kNames[] = {"", "utf16", "utf32", "ebcdic", "iso2022"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool maybe_wide_text(std::string_view in) noexcept { return sniff_charset(in).kind != CharsetKind::kAsIs; }

bool wide_text_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  const Charset charset = sniff_charset(in);
  if (charset.kind == CharsetKind::kAsIs || !charset_decode(in, charset, out)) return false;
  flags |= kNulOctet;
  return true;
}

}  // namespace wafd::detect
