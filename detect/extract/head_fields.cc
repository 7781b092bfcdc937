#include "detect/extract/head_fields.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/vocabulary.h"
#include "detect/decode/base64.h"
#include "detect/decode/hex.h"

namespace wafd::detect {

// How a header's value is read: one row of headers.tsv.
enum class HeaderKind : std::uint8_t {
  kOther,
  kFraming,  // says only how the message is framed, or the host
  kCookie,
  kAccept,
  kOrigin,
  kUrl,
  kList,  // of addresses and hosts, of which applications take the first or the last
  kAuthorization,
  kDisposition,
  kUpload,  // the name of a file
};
struct HeaderName {
  std::string_view text;
  HeaderKind kind;
};

}  // namespace wafd::detect

#include "detect/extract/headers.tsv.h"

namespace wafd::detect {
namespace {

constexpr ByteFinder kPlainPath("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-~");
constexpr ByteFinder kHost("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:[]");
constexpr ByteFinder kPlainOrigin("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-~:[]");
constexpr ByteFinder kAcceptWord("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789*.-+_");
constexpr std::size_t kMinCodedSegment = 11;  // bytes of base64 of which eight bytes come out
constexpr std::size_t kMaxCodedEnds = 16;

bool is_all(const ByteFinder& set, std::string_view text) noexcept {
  return set.find_other(text, 0) == text.size();
}

// A part of a path that stands for a text: letters and digits, which is what ids are too.
bool is_coded_text(std::string_view part) {
  if (part.size() < kMinCodedSegment) return false;
  std::string out;
  std::uint32_t flags = 0;
  return (maybe_base64(part) && base64_decode(part, out, flags)) ||
         (maybe_hex_digits(part) && hex_decode(part, out, flags));
}

// The path as a whole; its segments too where one holds more than letters, digits and marks, or stands for a
// text, because an application routes by segments and hands one of them on.
void read_path(std::string_view path, Field field, FieldList& out) {
  field.coding = Coding::kPercent;
  field.raw = path;
  bool taken = out.add(field);
  const bool plain = is_all(kPlainPath, path);
  std::size_t ends = 0;
  for (std::size_t begin = 0, end = 0; taken && begin < path.size(); begin = end + 1) {
    end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    field.raw = segment;
    if (segment.size() < path.size() &&
        ((!plain && !is_all(kPlainPath, segment)) || is_coded_text(segment))) {
      taken = out.add(field);
    }
    if (taken && end < path.size() && ++ends <= kMaxCodedEnds && is_coded_text(path.substr(begin))) {
      field.raw = path.substr(begin);  // base64 has slashes of its own
      taken = out.add(field);
    }
    if (taken) continue;
    field.raw = path.substr(begin);
    out.add_rest(field);
  }
}

// An absolute URL of the web: its host names where the user came from, which is nothing to judge. What stands
// before the host, path and query are. Any other text is judged whole.
void read_url(std::string_view value, Field field, FieldList& out) {
  std::string_view rest = value;
  field.coding = Coding::kPercent;
  const std::size_t scheme = istarts_with(value, "http://") ? 7 : istarts_with(value, "https://") ? 8 : 0;
  if (scheme != 0) {
    const std::size_t end = std::min(value.find_first_of("/?#", scheme), value.size());
    std::string_view host = value.substr(scheme, end - scheme);
    if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
      field.raw = host.substr(0, at);
      out.add(field);
      host.remove_prefix(at + 1);
    }
    if (is_all(kHost, host)) rest = value.substr(end);
  }
  const std::size_t mark = rest.find('?');
  if (rest.size() == value.size() && !value.starts_with('/')) {
    field.raw = value;
    out.add(field);
  } else {
    read_path(rest.substr(0, mark), field, out);
  }
  if (mark == std::string_view::npos) return;
  field.coding = Coding::kForm;
  read_pairs(rest.substr(mark + 1), field, out);
}

// A quoted cookie as Python and Java read it (RFC 2109): \ooo is a byte, \c is c.
std::string_view unquoted_cookie(std::string_view text, FieldList& out) {
  char* const begin = out.arena.reserve(text.size());
  char* to = begin;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at, char most) {
      return at < text.size() && text[at] >= '0' && text[at] <= most;
    };
    if (text[i] != '\\' || i + 1 == text.size()) {
      *to++ = text[i];
    } else if (digit(i + 1, '3') && digit(i + 2, '7') && digit(i + 3, '7')) {
      *to++ = static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + text[i + 3] - '0');
      i += 3;
    } else {
      *to++ = text[++i];
    }
  }
  return out.arena.take(static_cast<std::size_t>(to - begin));
}

// Behind the quoted string that begins a cookie's value, semicolons included, or 0.
std::size_t quoted_cookie_end(std::string_view value) noexcept {
  if (!value.starts_with('"')) return 0;
  std::size_t at = 1;
  while (at < value.size() && value[at] != '"') at += value[at] == '\\' ? 2 : 1;
  return at < value.size() ? at + 1 : 0;
}

void read_cookies(std::string_view value, FieldList& out) {
  Field field;
  field.location = Location::kCookie;
  field.coding = Coding::kPercent;
  std::size_t read_quoted = 0;  // up to here
  for (std::size_t begin = 0; begin < value.size();) {
    const std::size_t end = std::min(value.find(';', begin), value.size());
    const std::string_view pair = trim(value.substr(begin, end - begin));
    const std::size_t equals = pair.find('=');
    const std::string_view name = trim(pair.substr(0, equals));
    field.name = name.find('%') == std::string_view::npos ? name : decoded_name(name, Coding::kPercent, out);
    field.in_name = true;
    field.raw = name;
    field.outer = {};
    bool taken = out.add(field);
    if (equals != std::string_view::npos) {
      field.in_name = false;
      field.raw = trim(pair.substr(equals + 1));
      const auto at = static_cast<std::size_t>(field.raw.data() - value.data());
      const std::size_t quoted = at < read_quoted ? 0 : quoted_cookie_end(value.substr(at));
      if (quoted == field.raw.size() && quoted != 0) {
        field.raw = field.raw.substr(1, quoted - 2);  // RFC 6265 section 4.1.1
      }
      taken = taken && out.add(field);
      const std::string_view inside = quoted == 0 ? std::string_view() : value.substr(at + 1, quoted - 2);
      if (inside.find_first_of(";\\") != std::string_view::npos) {
        read_quoted = at + quoted;
        field.outer = inside;
        field.raw = unquoted_cookie(inside, out);
        field.decode_path = "cookie";
        taken = taken && out.add(field);
        field.decode_path = {};
      }
    }
    if (!taken) {
      field.raw = field.outer = value.substr(begin);
      out.add_rest(field);
      return;
    }
    begin = end + 1;
  }
}

// The next piece of `text` up to `separator`, which is taken off it.
std::string_view take_piece(std::string_view& text, char separator) noexcept {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view piece = trim(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return piece;
}

// Exactly what the grammar of Accept and its like allows (RFC 9110 section 12.5): lists of ranges, each with
// parameters of plain tokens. They hold nothing that an attack could be made of.
bool is_plain_accept(std::string_view value) noexcept {
  while (!value.empty()) {
    std::string_view range = take_piece(value, ',');
    for (char sign = '/'; sign == '/' || !range.empty(); sign = '=') {
      std::string_view piece = take_piece(range, ';');
      const std::string_view first = take_piece(piece, sign);
      if (!is_all(kAcceptWord, first) || !is_all(kAcceptWord, piece)) return false;
      if (sign == '=' && (first.empty() || piece.empty())) return false;
    }
  }
  return true;
}

// Applications take one of the list, so each that is more than an address or a host is one.
void read_list(std::string_view value, Field field, FieldList& out) {
  field.raw = value;
  out.add(field);
  std::string_view rest = value;
  while (!rest.empty()) {
    std::string_view element = take_piece(rest, ',');
    const bool whole = element.size() == value.size();
    while (!element.empty()) {
      std::string_view part = take_piece(element, ';');
      const bool pair = !whole && part.find('=') != std::string_view::npos;
      if (pair) take_piece(part, '=');
      field.raw = part;
      if (part.size() < value.size() && !is_all(kHost, part)) out.add(field);
    }
  }
}

// Basic (RFC 7617) gives a user and a password, other schemes what stands behind the scheme.
void read_authorization(std::string_view value, Field field, FieldList& out) {
  const std::size_t blank = value.find(' ');
  const std::string_view scheme = value.substr(0, blank);
  const std::string_view rest =
      blank == std::string_view::npos ? std::string_view() : trim(value.substr(blank));
  field.raw = value;  // what signatures name
  out.add(field);
  std::string text;
  if (iequals(scheme, "Basic") && base64_lenient(rest, text)) {
    const std::string_view kept = out.arena.copy(text);
    const std::size_t colon = kept.find(':');
    field.outer = rest;
    field.decode_path = "base64";
    field.name = "Authorization.user";
    field.raw = kept.substr(0, colon);
    out.add(field);
    if (colon == std::string_view::npos) return;
    field.name = "Authorization.password";
    field.raw = kept.substr(colon + 1);
    out.add(field);
    return;
  }
  if (!iequals(scheme, "Bearer")) return;
  field.raw = rest;
  out.add(field);
}

constexpr ByteFinder kNameSigns("_.");

// Programs behind CGI know no other signs in names than the underscore, which each of these becomes.
const HeaderName* find_header(std::string_view name) {
  if (kNameSigns.find(name, 0) == name.size()) return kHeaders.find(name);
  std::string plain(name.substr(0, kMaxVocabularyWordBytes + 1));
  for (char& c : plain) c = c == '_' || c == '.' ? '-' : c;
  const HeaderName* known = kHeaders.find(plain);
  return known == nullptr || known->kind == HeaderKind::kFraming ? nullptr : known;
}

}  // namespace

void HeadReader::read_header(const RequestHead& head, const HeaderField& header, FieldList& out) {
  const HeaderName* known = find_header(header.name);
  const HeaderKind kind = known == nullptr ? HeaderKind::kOther : known->kind;
  if (kind == HeaderKind::kFraming) return;
  if (kind == HeaderKind::kCookie) return read_cookies(header.value, out);
  if (kind == HeaderKind::kAccept && is_plain_accept(header.value)) return;
  // scheme://host:port and nothing that an attack needs.
  if (kind == HeaderKind::kOrigin && is_all(kPlainOrigin, header.value)) return;
  Field field;
  field.location = Location::kHeader;
  field.name = header.name;
  if ((head.flags & kHeadBadFieldName) != 0) {
    field.in_name = true;
    field.raw = header.name;
    out.add(field);
    field.in_name = false;
  }
  if (kind == HeaderKind::kUrl) return read_url(header.value, field, out);
  if (kind == HeaderKind::kList) return read_list(header.value, field, out);
  if (kind == HeaderKind::kAuthorization) return read_authorization(header.value, field, out);
  Field file = field;
  file.location = Location::kFile;
  file.in_name = true;
  file.raw = kind == HeaderKind::kUpload ? header.value : std::string_view();
  if (kind == HeaderKind::kDisposition) {
    parameters_.clear();
    parameters_.read(header.value, out.arena);
    if (const Parameter* name = parameters_.find("filename")) {
      file.raw = name->value;
      file.outer = header.value;
    }
  }
  out.add(file);
  field.raw = header.value;
  if (!out.add(field)) out.add_rest(field);
}

void HeadReader::read(const RequestHead& head, FieldList& out) {
  Field path;
  path.location = Location::kUrlPath;
  read_path(head.path, path, out);

  Field query;
  query.location = Location::kQuery;
  query.coding = Coding::kForm;
  read_pairs(head.query, query, out);

  for (const HeaderField& header : head.fields) read_header(head, header, out);
}

}  // namespace wafd::detect
