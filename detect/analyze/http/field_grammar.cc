#include "detect/analyze/http/field_grammar.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

// RFC 9110 section 14.2 advises to ignore or refuse many small ranges; CVE-2011-3192 needed hundreds. A
// viewer of documents asks for a handful.
constexpr std::size_t kMaxRanges = 64;
constexpr std::size_t kMaxOverlaps = 2;
constexpr std::uint64_t kOpenEnd = ~std::uint64_t{0};

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = kOpenEnd;
  bool suffix = false;  // the last n bytes
};

// Calls `take` with each element of a comma-separated list until it says false.
template <typename Take>
void for_each_element(std::string_view list, const Take& take) {
  while (true) {
    const std::size_t comma = list.find(',');
    if (!take(trim(list.substr(0, comma))) || comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

bool read_position(std::string_view text, std::uint64_t& out) noexcept {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  return !text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size();
}

bool read_range(std::string_view text, ByteRange& out) noexcept {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return false;
  const std::string_view first = text.substr(0, dash);
  const std::string_view last = text.substr(dash + 1);
  if (first.empty()) {
    out.suffix = true;
    return read_position(last, out.first);
  }
  if (!read_position(first, out.first)) return false;
  return last.empty() || (read_position(last, out.last) && out.first <= out.last);
}

// Whether text is empty or a port with its colon.
bool is_port(std::string_view text) noexcept {
  return text.empty() ||
         (text[0] == ':' && text.size() <= 6 && std::all_of(text.begin() + 1, text.end(), is_digit));
}

bool is_host(std::string_view value) noexcept {
  if (!value.starts_with('[')) {
    // More than a name and a port: probes leave out the brackets, gateways add a second port, meshes write
    // the name of a cluster.
    return std::all_of(value.begin(), value.end(), [](char c) {
      return is_alnum(c) || std::string_view(".-_~:|").find(c) != std::string_view::npos || byte(c) >= 0x80;
    });
  }
  const std::size_t end = value.find(']');
  if (end == std::string_view::npos || !is_port(value.substr(end + 1))) return false;
  const std::string_view inside = value.substr(1, end - 1);
  const std::size_t percent = inside.find('%');
  const std::string_view address = inside.substr(0, percent);
  const std::string_view zone = percent == std::string_view::npos ? "" : inside.substr(percent + 1);
  return address.find(':') != std::string_view::npos &&
         std::all_of(address.begin(), address.end(),
                     [](char c) { return hex_value(c) >= 0 || c == ':' || c == '.'; }) &&
         std::all_of(zone.begin(), zone.end(),
                     [](char c) { return is_alnum(c) || c == '.' || c == '-' || c == '_'; });
}

// The value of a parameter behind a media type, without its quotes; empty: it has none of that name.
std::string_view parameter_of(std::string_view media_type, std::string_view name) noexcept {
  std::size_t semicolon = media_type.find(';');
  while (semicolon != std::string_view::npos) {
    media_type.remove_prefix(semicolon + 1);
    semicolon = media_type.find(';');
    const std::string_view parameter = media_type.substr(0, semicolon);
    const std::size_t equals = parameter.find('=');
    if (equals == std::string_view::npos || !iequals(trim(parameter.substr(0, equals)), name)) continue;
    std::string_view value = trim(parameter.substr(equals + 1));
    if (value.starts_with('"')) value.remove_prefix(1);
    return value.substr(0, value.find('"'));
  }
  return {};
}

}  // namespace

bool is_host_field(std::string_view value) noexcept {
  bool good = true;
  for_each_element(value, [&](std::string_view host) { return good = is_host(host); });
  return good;
}

RangeForm range_form(std::string_view value) noexcept {
  const std::size_t equals = value.find('=');
  const std::string_view unit = trim(value.substr(0, equals));
  if (!iequals(unit, "bytes")) return RangeForm::kOrdinary;
  if (equals == std::string_view::npos) return RangeForm::kOdd;
  std::array<ByteRange, kMaxRanges> ranges;
  std::size_t count = 0;
  std::size_t overlaps = 0;
  RangeForm form = RangeForm::kOrdinary;
  for_each_element(value.substr(equals + 1), [&](std::string_view element) {
    if (element.empty()) return true;  // RFC 9110 section 5.6.1
    if (count == kMaxRanges - 1) {
      form = RangeForm::kMany;
      return false;
    }
    ByteRange& range = ranges[count];
    if (!read_range(element, range)) {
      form = RangeForm::kOdd;
      return true;
    }
    overlaps += static_cast<std::size_t>(std::any_of(
        ranges.begin(), ranges.begin() + static_cast<std::ptrdiff_t>(count), [&](const ByteRange& other) {
          return range.suffix == other.suffix && range.first <= other.last && other.first <= range.last;
        }));
    ++count;
    return true;
  });
  if (form == RangeForm::kOrdinary && (overlaps > kMaxOverlaps || count == 0)) form = RangeForm::kOdd;
  return form;
}

std::string_view dropped_field(std::string_view connection) noexcept {
  static constexpr WordSet kEndToEnd({"authorization", "cookie", "host", "origin", "referer", "user-agent",
                                      "forwarded", "via", "true-client-ip", "cf-connecting-ip",
                                      "content-type", "content-length", "content-encoding",
                                      "transfer-encoding", "accept", "accept-encoding"});
  std::string_view found;
  for_each_element(connection, [&](std::string_view option) {
    // Fields of an application and of the proxies before it have names of their own with this prefix.
    if (kEndToEnd.has(option) || istarts_with(option, "x-")) found = option;
    return found.empty();
  });
  return found;
}

std::string_view broken_escape(std::string_view path) noexcept {
  for (std::size_t at = path.find('%'); at != std::string_view::npos; at = path.find('%', at + 1)) {
    if (hex_number(path, at + 1, 2) < 0) return path.substr(at, 3);
  }
  return {};
}

bool hides_ascii(std::string_view media_type) noexcept {
  std::string_view name = parameter_of(media_type, "charset");
  for (const std::string_view prefix : {"x-", "cs", "unicode-1-1-"}) {
    if (istarts_with(name, prefix)) name.remove_prefix(prefix.size());
  }
  if (istarts_with(name, "ebcdic")) return true;
  const bool page = istarts_with(name, "ibm") || istarts_with(name, "cp");
  if (!page && !istarts_with(name, "utf")) return false;
  while (!name.empty() && !is_digit(name[0])) name.remove_prefix(1);
  if (!page) return name.starts_with('7') || name.starts_with("32");
  while (name.starts_with('0')) name.remove_prefix(1);
  // IBM's numbers of EBCDIC pages. WHATWG's encodings have ibm866 alone.
  static constexpr WordSet kEbcdic({"37",   "273",  "277",  "278",  "280",  "284",  "285",  "290",  "297",
                                    "420",  "423",  "424",  "500",  "870",  "871",  "875",  "880",  "905",
                                    "918",  "924",  "1025", "1026", "1047", "1140", "1141", "1142", "1143",
                                    "1144", "1145", "1146", "1147", "1148", "1149"});
  return kEbcdic.has(name);
}

}  // namespace wafd::detect
