#include "detect/core/record_cut.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "detect/core/bytes.h"

namespace wafd {
namespace {

constexpr std::string_view kMark = "\u2026[cut ";

// Shortened first to last; members that are not named here are numbers.
constexpr std::array<std::string_view, 45> kCutOrder{"body",
                                                     "req_header_raw",
                                                     "cookie",
                                                     "query_string",
                                                     "referer",
                                                     "user_agent",
                                                     "urlpath",
                                                     "session",
                                                     "reason",
                                                     "host",
                                                     "upstream_addr",
                                                     "resp_reason_phrase",
                                                     "site_url",
                                                     "city",
                                                     "province",
                                                     "country",
                                                     "req_proxy_name",
                                                     "proxy_name",
                                                     "method",
                                                     "socket_ip",
                                                     "dest_ip",
                                                     "scheme",
                                                     "protocol",
                                                     "req_decode_path",
                                                     "decode_path",
                                                     "req_location",
                                                     "location",
                                                     "req_rule_module",
                                                     "module",
                                                     "req_rule_id",
                                                     "rule_id",
                                                     "site_uuid",
                                                     "req_block_reason",
                                                     "timestamp_human",
                                                     "req_detector_name",
                                                     "node",
                                                     "src_ip",
                                                     "req_attack_type",
                                                     "req_risk_level",
                                                     "req_action",
                                                     "attack_type",
                                                     "risk_level",
                                                     "action",
                                                     "event_id",
                                                     "req_skynet_rule_id_list"};
constexpr std::array<std::string_view, 2> kCutLast{"req_payload", "payload"};

// Every string and the list stand in exactly one place of the order.
constexpr bool order_is_complete() {
  for (const auto& member : kMembers) {
    const bool cuttable = member.type == MemberType::kString || member.type == MemberType::kIntegerList;
    const auto times = std::count(kCutOrder.begin(), kCutOrder.end(), member.name) +
                       std::count(kCutLast.begin(), kCutLast.end(), member.name);
    if (times != (cuttable ? 1 : 0)) return false;
  }
  return true;
}
static_assert(order_is_complete());

constexpr auto kCutNumbers = [] {
  std::array<std::uint8_t, kCutOrder.size() + kCutLast.size()> numbers{};
  std::size_t at = 0;
  for (const auto name : kCutOrder) numbers[at++] = static_cast<std::uint8_t>(member_number(name));
  for (const auto name : kCutLast) numbers[at++] = static_cast<std::uint8_t>(member_number(name));
  return numbers;
}();

constexpr std::size_t kBodyTruncated = member_number("req_http_body_is_truncate");

// One character of the inside of a JSON string as written by append_json_text: its length there, and in the
// value.
struct Unit {
  std::size_t wire = 0;
  std::size_t value = 0;
};

Unit unit_at(std::string_view inside, std::size_t at) noexcept {
  const char c = inside[at];
  if (c != '\\' && byte(c) < 0x80) return {1, 1};  // nearly all of them
  if (c == '\\' && at + 1 < inside.size()) {
    if (inside[at + 1] == 'u') {
      std::uint32_t code_point = 0;
      for (std::size_t i = at + 2; i < std::min(at + 6, inside.size()); ++i) {
        code_point = code_point * 16 + static_cast<std::uint32_t>(std::max(0, hex_value(inside[i])));
      }
      return {std::min<std::size_t>(6, inside.size() - at), code_point < 0x80    ? 1u
                                                            : code_point < 0x800 ? 2u
                                                                                 : 3u};
    }
    // A byte that was no UTF-8 stands as \\xnn and stays in one piece.
    if (inside[at + 1] == '\\' && at + 5 <= inside.size() && inside[at + 2] == 'x' &&
        hex_value(inside[at + 3]) >= 0 && hex_value(inside[at + 4]) >= 0) {
      return {5, 4};
    }
    return {2, 1};
  }
  std::uint32_t code_point = 0;
  const std::size_t length = std::max<std::size_t>(1, utf8_sequence(inside, at, code_point));
  return {length, length};
}

// Takes a closing "…[cut N]" off and gives its N; 0 if there is none.
std::size_t take_mark(std::string_view& inside) noexcept {
  if (inside.size() < kMark.size() + 2 || inside.back() != ']') return 0;
  std::size_t at = inside.size() - 1;
  while (at > 0 && is_digit(inside[at - 1]) && inside.size() - at < 12) --at;
  if (at < kMark.size() || at == inside.size() - 1 || inside[at] == '0') return 0;
  if (inside.substr(at - kMark.size(), kMark.size()) != kMark) return 0;
  std::size_t count = 0;
  std::from_chars(inside.data() + at, inside.data() + inside.size() - 1, count);
  inside = inside.substr(0, at - kMark.size());
  return count;
}

std::size_t digits(std::size_t number) noexcept {
  std::size_t count = 1;
  while (number >= 10) number /= 10, ++count;
  return count;
}

// A string value shortened to `room` bytes, quotes included; empty if shortening does not make it
// smaller.
std::string shortened(std::string_view value, std::size_t room) {
  std::string_view inside = value.substr(1, value.size() - 2);
  const std::size_t earlier = take_mark(inside);
  std::size_t total = 0;
  for (std::size_t at = 0; at < inside.size();) {
    const Unit unit = unit_at(inside, at);
    at += unit.wire;
    total += unit.value;
  }
  // The mark is sized for everything left out; fewer digits than reserved only make the value shorter.
  const std::size_t frame = 2 + kMark.size() + digits(earlier + total) + 1;
  std::size_t kept_wire = 0;
  std::size_t kept_value = 0;
  while (kept_wire < inside.size()) {
    const Unit unit = unit_at(inside, kept_wire);
    if (frame + kept_wire + unit.wire > room) break;
    kept_wire += unit.wire;
    kept_value += unit.value;
  }
  std::string out = "\"";
  out.append(inside, 0, kept_wire);
  out += kMark;
  out += std::to_string(earlier + total - kept_value);
  out += "]\"";
  if (out.size() >= value.size()) out.clear();
  return out;
}

std::string shortened_list(std::string_view value, std::size_t room) {
  if (value.size() <= 2) return {};
  std::size_t keep = std::min(value.size() - 1, room > 0 ? room - 1 : 0);
  // Back to the end of a whole number: a comma stands at `keep`.
  while (keep > 1 && value[keep] != ',') --keep;
  std::string out(value.substr(0, std::max<std::size_t>(1, keep)));
  out += ']';
  if (out.size() >= value.size()) out.clear();
  return out;
}

void append_values(const RecordValues& values, std::string& out) {
  for (std::size_t i = 0; i < kRecordMembers; ++i) {
    out += i == 0 ? "{\"" : ",\"";
    out += kMembers[i].name;
    out += "\":";
    out += values[i];
  }
  out += '}';
}

// End of the string that begins at `at` (at its opening quote), or npos.
std::size_t string_end(std::string_view json, std::size_t at) noexcept {
  ++at;
#if defined(__SSE2__)
  if (json.size() - at >= 16) {  // most are short and have no escapes
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(json.data() + at));
    const auto quotes = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'))));
    const auto slashes = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
    if (quotes != 0 && slashes == 0) return at + static_cast<std::size_t>(std::countr_zero(quotes)) + 1;
  }
#endif
  while (at < json.size()) {
    const auto* quote = static_cast<const char*>(std::memchr(json.data() + at, '"', json.size() - at));
    if (quote == nullptr) return std::string_view::npos;
    const std::size_t q = static_cast<std::size_t>(quote - json.data());
    std::size_t slashes = 0;
    while (q - slashes > at && json[q - slashes - 1] == '\\') ++slashes;
    if (slashes % 2 == 0) return q + 1;
    at = q + 1;
  }
  return std::string_view::npos;
}

std::size_t value_end(std::string_view json, std::size_t at, MemberType type) noexcept {
  std::size_t end = at;
  switch (type) {
    case MemberType::kString:
      return json[at] == '"' ? string_end(json, at) : std::string_view::npos;
    case MemberType::kIntegerOrNull:
      if (json.substr(at, 4) == "null") return at + 4;
      [[fallthrough]];
    case MemberType::kInteger:
      if (json[end] == '-') ++end;
      while (end < json.size() && is_digit(json[end])) ++end;
      return end > at && is_digit(json[end - 1]) ? end : std::string_view::npos;
    case MemberType::kIntegerList:
      if (json[end] != '[') return std::string_view::npos;
      for (++end; end < json.size() && (is_digit(json[end]) || json[end] == ',');) ++end;
      return end < json.size() && json[end] == ']' ? end + 1 : std::string_view::npos;
  }
  return std::string_view::npos;
}

// `,"name":`, the first behind a brace.
template <std::size_t I>
constexpr auto kKey = [] {
  std::array<char, kMembers[I].name.size() + 4> key{I == 0 ? '{' : ',', '"'};
  std::copy(kMembers[I].name.begin(), kMembers[I].name.end(), key.begin() + 2);
  key[key.size() - 2] = '"', key[key.size() - 1] = ':';
  return key;
}();

// Whether `kSize` bytes are the same, of which fewer than 33 are compared in place.
template <std::size_t kSize>
bool same(const char* a, const char* b) noexcept {
#if defined(__SSE2__)
  if constexpr (kSize >= 16 && kSize <= 32) {
    const auto differ = [&](std::size_t at) {
      const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + at));
      const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + at));
      return _mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) ^ 0xffff;
    };
    return (differ(0) | differ(kSize - 16)) == 0;
  }
#endif
  if constexpr (kSize >= 8 && kSize < 16) {
    const auto differ = [&](std::size_t at) {
      std::uint64_t x = 0, y = 0;
      std::memcpy(&x, a + at, 8), std::memcpy(&y, b + at, 8);
      return x ^ y;
    };
    return (differ(0) | differ(kSize - 8)) == 0;
  }
  return std::memcmp(a, b, kSize) == 0;
}

template <std::size_t I>
bool scan_member(std::string_view json, std::size_t& at, RecordValues& values) noexcept {
  constexpr std::size_t kSize = kKey<I>.size();
  if (json.size() - at <= kSize || !same<kSize>(json.data() + at, kKey<I>.data())) return false;
  const std::size_t end = value_end(json, at + kSize, kMembers[I].type);
  if (end == std::string_view::npos) return false;
  values[I] = json.substr(at + kSize, end - at - kSize);
  at = end;
  return true;
}

}  // namespace

bool scan_record(std::string_view json, RecordValues& values) noexcept {
  std::size_t at = 0;
  const bool all = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (scan_member<I>(json, at, values) && ...);
  }
  (std::make_index_sequence<kRecordMembers>());
  return all && at + 1 == json.size() && json[at] == '}';
}

std::span<const std::uint8_t> record_cut_order() noexcept { return kCutNumbers; }

bool cut_record_json(std::string_view record_json, std::size_t max, std::string& out) {
  RecordValues values;
  if (record_json.size() <= max || !scan_record(record_json, values)) {
    out += record_json;
    return false;
  }
  std::size_t size = record_json.size();
  std::array<std::string, kRecordMembers> shorter;
  const auto cut = [&](std::string_view name) {
    if (size <= max) return;
    const std::size_t i = member_number(name) - 1;
    const std::size_t over = size - max;
    const std::size_t room = values[i].size() > over ? values[i].size() - over : 0;
    shorter[i] = kMembers[i].type == MemberType::kIntegerList ? shortened_list(values[i], room)
                                                              : shortened(values[i], room);
    if (shorter[i].empty()) return;
    size -= values[i].size() - shorter[i].size();
    values[i] = shorter[i];
    if (name == "body") values[kBodyTruncated - 1] = "1";
  };
  for (const auto name : kCutOrder) cut(name);
  for (const auto name : kCutLast) cut(name);
  append_values(values, out);
  return true;
}

void append_with_request_text(std::string_view record_json, RequestText keep, std::string& out) {
  RecordValues values;
  if (keep == RequestText::kFull || !scan_record(record_json, values)) {
    out += record_json;
    return;
  }
  const auto empty = [&values](std::string_view name) { values[member_number(name) - 1] = "\"\""; };
  if (values[member_number("body") - 1] != "\"\"") values[kBodyTruncated - 1] = "1";
  empty("body");
  if (keep == RequestText::kNone) {
    for (const auto name : {"req_header_raw", "cookie", "query_string", "referer", "session"}) empty(name);
  }
  append_values(values, out);
}

}  // namespace wafd
