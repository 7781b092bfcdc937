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

bool is_port(std::string_view text) noexcept {
  return text.size() <= 5 && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace

bool is_host_field(std::string_view value) noexcept {
  if (value.starts_with('[')) {
    const std::size_t end = value.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view address = value.substr(1, end - 1);
    const std::string_view port = value.substr(end + 1);
    // A zone identifier holds letters (RFC 6874).
    return std::all_of(address.begin(), address.end(),
                       [](char c) { return is_alnum(c) || c == ':' || c == '.' || c == '%' || c == '-'; }) &&
           (port.empty() || (port.starts_with(':') && is_port(port.substr(1))));
  }
  const std::size_t colon = value.find(':');
  if (colon != std::string_view::npos && !is_port(value.substr(colon + 1))) return false;
  const std::string_view name = value.substr(0, colon);
  return std::all_of(name.begin(), name.end(), [](char c) {
    return is_alnum(c) || c == '.' || c == '-' || c == '_' || c == '~' || c == '%' || byte(c) >= 0x80;
  });
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
  static constexpr WordSet kEndToEnd({"authorization",
                                      "cookie",
                                      "host",
                                      "origin",
                                      "referer",
                                      "user-agent",
                                      "forwarded",
                                      "via",
                                      "x-forwarded-for",
                                      "x-forwarded-host",
                                      "x-forwarded-proto",
                                      "x-forwarded-port",
                                      "x-real-ip",
                                      "true-client-ip",
                                      "x-client-ip",
                                      "content-type",
                                      "content-length",
                                      "content-encoding",
                                      "accept",
                                      "accept-encoding",
                                      "x-request-id",
                                      "x-csrf-token",
                                      "x-xsrf-token",
                                      "x-api-key"});
  std::string_view found;
  for_each_element(connection, [&](std::string_view option) {
    if (kEndToEnd.has(option)) found = option;
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
  constexpr std::string_view kParameter = "charset=";
  const std::size_t at = ifind(media_type, kParameter);
  if (at == std::string_view::npos) return false;
  std::string_view charset = media_type.substr(at + kParameter.size());
  charset = trim(charset.substr(0, charset.find(';')));
  if (charset.starts_with('"')) charset.remove_prefix(1);
  // IBM's numbers of EBCDIC have the prefix ibm or cp and a leading zero or 5; IANA also lists ebcdic-*.
  static constexpr WordSet kEbcdic({"ibm037", "ibm273", "ibm277", "ibm278", "ibm280",  "ibm284",  "ibm285",
                                    "ibm290", "ibm297", "ibm420", "ibm423", "ibm424",  "ibm500",  "ibm870",
                                    "ibm871", "ibm880", "ibm905", "ibm918", "ibm1026", "ibm1047", "cp037",
                                    "cp500",  "cp1026", "cp1047", "cp1140"});
  const std::string_view name = charset.substr(0, charset.find('"'));
  return istarts_with(name, "utf-7") || istarts_with(name, "utf7") || istarts_with(name, "utf-32") ||
         istarts_with(name, "utf32") || istarts_with(name, "ebcdic") || kEbcdic.has(name);
}

}  // namespace wafd::detect
