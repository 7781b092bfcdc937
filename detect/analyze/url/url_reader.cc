#include "detect/analyze/url/url_reader.h"

#include <algorithm>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"

namespace wafd::detect::url {
namespace {

constexpr std::size_t kMaxSchemeBytes = 24;
constexpr int kMaxNested = 4;
constexpr ByteFinder kSchemeBytes("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-_");
constexpr ByteFinder kAuthorityEnds("/\\?# \t\r\n");
constexpr ByteFinder kUrlEnds(" \t\r\n\"<>");
constexpr ByteFinder kPathEnds("?#");

bool is_slash(char c) noexcept { return c == '/' || c == '\\'; }
bool is_line_or_tab(char c) noexcept { return c == '\t' || c == '\n' || c == '\r'; }
bool ends_authority(char c) noexcept {
  return is_slash(c) || c == '?' || c == '#' || c == '"' || c == '<' || c == '>';
}

// RFC 3986 3.1, and what PHP and Java take besides. 0: there is none.
std::size_t scheme_bytes(std::string_view text) noexcept {
  const std::size_t end = kSchemeBytes.find_other(text.substr(0, kMaxSchemeBytes), 0);
  return end != 0 && end < text.size() && text[end] == ':' && is_alpha(text[0]) ? end : 0;
}

// Where the authority ends. A space does not end it if what follows can only be more of it: "a &@b", nor does
// a tab or a line end inside of a name, which browsers leave out.
std::size_t authority_end(std::string_view text) noexcept {
  const std::size_t stop = kAuthorityEnds.find(text, 0);
  const std::size_t sign = text.substr(0, stop).rfind('@');
  std::size_t at = sign == std::string_view::npos ? 0 : sign;
  for (; at < text.size() && !ends_authority(text[at]); ++at) {
    if (!is_space(text[at])) continue;
    std::size_t next = at;
    while (next < text.size() && (is_space(text[next]) || (!is_alnum(text[next]) &&
                                                           !ends_authority(text[next]) && text[next] != '@')))
      ++next;
    const bool more = next < text.size() && text[next] == '@';
    const bool left_out = text[at] != ' ' && next == at + 1 && next < text.size() && is_alnum(text[next]) &&
                          text.find(' ', next) == text.npos && text.find('\n', next) == text.npos;
    if (!more && !left_out) break;
    at = next;
  }
  return at;
}

}  // namespace

void read_authority(std::string_view authority, Url& out) noexcept {
  out.authority = authority;
  std::string_view host = authority;
  const std::size_t sign = host.rfind('@');
  if (sign != std::string_view::npos) {
    out.user = host.substr(0, sign);
    host.remove_prefix(sign + 1);
  }
  if (host.starts_with('[')) {
    const std::size_t close = std::min(host.find(']'), host.size());
    out.bracketed = true;
    out.host = host.substr(1, close - 1);
    if (close < host.size() && host.substr(close + 1).starts_with(':')) out.port = host.substr(close + 2);
    return;
  }
  const std::size_t colon = host.find(':');
  const bool one = colon != std::string_view::npos && colon == host.rfind(':');
  out.host = one ? host.substr(0, colon) : host;
  if (one) out.port = host.substr(colon + 1);
  // An IPv6 address without its brackets, which lenient clients take.
  out.bracketed = host.find("::") != std::string_view::npos &&
                  host.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
}

std::optional<Url> read_url(std::string_view text) noexcept {
  text = text.substr(0, kMaxUrlBytes);
  Url out;
  while (out.begin < text.size() && (byte(text[out.begin]) <= ' ' || text[out.begin] == '"' ||
                                     text[out.begin] == '\'' || text[out.begin] == '<'))
    ++out.begin;
  std::size_t at = out.begin;
  for (int nested = 0; nested < kMaxNested; ++nested) {
    const std::size_t bytes = scheme_bytes(text.substr(at));
    if (bytes == 0) break;
    out.scheme = text.substr(at, bytes);
    if (nested == 0) out.first = out.scheme;
    at += bytes + 1;
  }
  const bool web = iequals(out.scheme, "http") || iequals(out.scheme, "https");
  // Browsers leave out tabs and line ends wherever they stand.
  for (; at < text.size() && (is_slash(text[at]) || (out.slashes != 0 && is_line_or_tab(text[at]))); ++at) {
    if (!web && out.slashes == 2) break;
    if (text[at] != '/') out.backslash = true;
    if (is_slash(text[at])) ++out.slashes;
  }
  if (out.first.empty() && out.slashes < 2) return std::nullopt;
  if (web || out.slashes == 2) {
    const std::size_t bytes = authority_end(text.substr(at));
    read_authority(text.substr(at, bytes), out);
    at += bytes;
  } else {
    at -= out.slashes;  // of a path
  }
  const std::size_t end = kUrlEnds.find(text, at);
  const std::string_view rest = text.substr(at, end - at);
  const std::size_t mark = kPathEnds.find(rest, 0);
  out.path = rest.substr(0, mark);
  out.has_query = mark < rest.size() && rest[mark] == '?';
  const std::size_t hash = std::min(rest.find('#'), rest.size());
  if (out.has_query) out.query = rest.substr(mark + 1, hash - mark - 1);
  out.fragment = rest.substr(hash);
  out.end = end;
  out.alone = std::all_of(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), [](char c) {
    return is_space(c) || c == '"' || c == '\'' || c == '>' || c == '\0';
  });
  return out;
}

std::size_t address_in_path(std::string_view path) noexcept {
  const std::size_t colon = path.find("://");
  if (colon == std::string_view::npos) return path.size();
  std::size_t begin = colon;
  while (begin > 0 && path[begin - 1] != '/') --begin;
  return begin;
}

}  // namespace wafd::detect::url
