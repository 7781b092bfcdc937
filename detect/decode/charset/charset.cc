#include "detect/decode/charset/charset.h"

#include <algorithm>
#include <array>

#include "detect/core/bytes.h"
#include "detect/core/vocabulary.h"
#include "detect/decode/base/lazy_copy.h"
#include "detect/decode/base/utf8_out.h"
#include "detect/decode/charset/utf7.h"

namespace wafd::detect {

// The rows of charsets.tsv and ebcdic.tsv.
struct CharsetName {
  std::string_view text;
  CharsetKind kind;
  ByteOrder order;
  std::uint16_t page;
};
struct EbcdicPage {
  std::uint16_t number;
  std::string_view signs;
};

}  // namespace wafd::detect

#include "detect/decode/charset/charsets.tsv.h"
#include "detect/decode/charset/ebcdic.tsv.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxNameBytes = 48;
constexpr std::string_view kVariantSigns = "!#$@[\\]^`{|}~\"";

using EbcdicTable = std::array<char, 256>;  // '\x7f': no ASCII character

constexpr EbcdicTable kInvariant = []() {
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
  for (const EbcdicPage& page : kEbcdicPages) {
    if (page.number != number) continue;
    for (std::size_t i = 0; i < kVariantSigns.size(); ++i) table[byte(page.signs[i])] = kVariantSigns[i];
  }
  return table;
}

// As charsets.tsv spells it. Too long: "".
std::string plain_name(std::string_view name) {
  std::string out;
  name = name.substr(0, name.find(':'));  // a year
  for (const char c : name.substr(0, name.size() > kMaxNameBytes ? 0 : name.size())) {
    if (c != '-' && c != '_' && c != ' ') out.push_back(to_lower(c));
  }
  for (const std::string_view prefix : {"x", "cs"}) {
    if (out.starts_with(prefix)) out.erase(0, prefix.size());
  }
  std::size_t digits = 0;
  for (const std::string_view prefix : {"ibm", "ccsid", "cp"}) {
    if (out.starts_with(prefix)) digits = prefix.size();
  }
  const bool number = out.size() > digits + 1 &&
                      std::all_of(out.begin() + static_cast<std::ptrdiff_t>(digits), out.end(), is_digit);
  return number ? "cp" + out.substr(std::min(out.find_first_not_of('0', digits), out.size())) : out;
}

std::uint32_t unit_at(std::string_view in, std::size_t at, std::size_t width, bool big) noexcept {
  std::uint32_t unit = 0;
  for (std::size_t i = 0; i < width; ++i) unit = unit << 8 | byte(in[at + (big ? i : width - 1 - i)]);
  return unit;
}

// Whether bytes of that width are mostly ASCII characters with the NULs before or behind them.
ByteOrder order_by_nuls(std::string_view in, std::size_t width, std::size_t sure) noexcept {
  constexpr std::size_t kSample = 128;
  const std::size_t units = std::min(in.size() / width, kSample);
  std::size_t big = 0;
  std::size_t little = 0;
  for (std::size_t i = 0; i < units; ++i) {
    const std::uint32_t as_big = unit_at(in, i * width, width, true);
    const std::uint32_t as_little = unit_at(in, i * width, width, false);
    big += as_big != 0 && as_big < 0x80;
    little += as_little != 0 && as_little < 0x80;
    if (i < sure && big <= i && little <= i) return ByteOrder::kUnknown;
  }
  if (units < sure || std::max(big, little) * 4 < units * 3) return ByteOrder::kUnknown;
  return big > little ? ByteOrder::kBig : ByteOrder::kLittle;
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

// Escape sequences that change the character set (ISO/IEC 2022): ESC, intermediate bytes, a final one; and
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

}  // namespace

Charset charset_named(std::string_view text) noexcept {
  const std::string name = plain_name(trim(text));
  if (name.empty()) return {};
  const CharsetName* known = kCharsets.find(name);
  if (known == nullptr) return {CharsetKind::kUnknown};
  return {known->kind, known->order, known->page};
}

// XML 1.0 section 4.3.1: encoding="..." in the first line of a document.
std::string_view xml_encoding(std::string_view text) noexcept {
  if (!text.starts_with("<?xml")) return {};
  const std::string_view line = text.substr(0, std::min<std::size_t>(text.find("?>"), 512));
  std::size_t at = line.find("encoding");
  if (at == std::string_view::npos) return {};
  at = skip_space(line, at + 8);
  if (line.substr(at, 1) != "=") return {};
  // Whatever the quotes are: in EBCDIC they move from page to page.
  while (++at < line.size() && !is_alnum(line[at])) {
  }
  std::size_t end = at;
  while (end < line.size() &&
         (is_alnum(line[end]) || line[end] == '-' || line[end] == '_' || line[end] == '.'))
    ++end;
  return line.substr(std::min(at, line.size()), end - at);
}

namespace {

// The name of the page is written in what all pages have in common.
Charset ebcdic_by_declaration(std::string_view bytes) {
  std::string head;
  charset_decode(bytes.substr(0, 512), {CharsetKind::kEbcdic, ByteOrder::kUnknown, 37}, head);
  const Charset named = charset_named(xml_encoding(head));
  return named.kind == CharsetKind::kEbcdic ? named : Charset{CharsetKind::kEbcdic, ByteOrder::kUnknown, 37};
}

}  // namespace

Charset sniff_charset(std::string_view bytes) noexcept {
  using namespace std::string_view_literals;
  if (bytes.size() < 4) return {};
  const unsigned char first = byte(bytes[0]);
  const unsigned char second = byte(bytes[1]);
  if (first == 0xff && second == 0xfe) {
    if (bytes.substr(2, 2) == "\0\0"sv) return {CharsetKind::kUtf32, ByteOrder::kLittle};
    return {CharsetKind::kUtf16, ByteOrder::kLittle};
  }
  if (first == 0xfe && second == 0xff) return {CharsetKind::kUtf16, ByteOrder::kBig};
  if (bytes.starts_with("\0\0\xfe\xff"sv)) return {CharsetKind::kUtf32, ByteOrder::kBig};
  if (bytes.starts_with("\x4c\x6f\xa7\x94\x93")) return ebcdic_by_declaration(bytes);  // "<?xml"
  if (first != 0 && second != 0) return {};
  if (const ByteOrder order = order_by_nuls(bytes, 4, 2); order != ByteOrder::kUnknown)
    return {CharsetKind::kUtf32, order};
  if (const ByteOrder order = order_by_nuls(bytes, 2, 3); order != ByteOrder::kUnknown)
    return {CharsetKind::kUtf16, order};
  return {};
}

bool charset_decode(std::string_view in, Charset charset, std::string& out) {
  out.clear();
  switch (charset.kind) {
    case CharsetKind::kAsIs:
    case CharsetKind::kUnknown:
      return false;
    case CharsetKind::kUtf7: {
      std::uint32_t flags = 0;
      return utf7_decode(in, out, flags);
    }
    case CharsetKind::kIso2022:
      return strip_shifts(in, out);
    case CharsetKind::kEbcdic: {
      const EbcdicTable table = table_of(charset.page);
      out.reserve(in.size());
      for (const char c : in) {
        const char ascii = table[byte(c)];
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
  ByteOrder order = charset.order;
  if (order == ByteOrder::kUnknown) {
    const Charset seen = sniff_charset(in);
    order = seen.kind == charset.kind ? seen.order : order_by_nuls(in, width, 0);
  }
  out.reserve(in.size());
  decode_units(in, width, order == ByteOrder::kBig, out);
  return true;
}

std::string_view to_string(CharsetKind kind) noexcept {
  constexpr std::string_view kNames[] = {"", "utf16", "utf32", "ebcdic", "iso2022", "utf7", ""};
  return kNames[static_cast<std::size_t>(kind)];
}

bool maybe_wide_text(std::string_view in) noexcept { return sniff_charset(in).kind != CharsetKind::kAsIs; }

bool wide_text_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  const Charset charset = sniff_charset(in);
  if (charset.kind == CharsetKind::kAsIs || !charset_decode(in, charset, out)) return false;
  flags |= kNulByte;
  return true;
}

}  // namespace wafd::detect
