// Reads and shortens our own record JSON (record_json.h) without a JSON library: a receiver's maximum size,
// and less request text where a target wants less. Not for foreign JSON.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "detect/core/record_members.h"

namespace wafd {

// The value of each member as it stands in the JSON, strings with their quotes. Views into the scanned text.
using RecordValues = std::array<std::string_view, kRecordMembers>;

// False if `record_json` is not what append_record_json writes: names, order, types. One pass.
bool scan_record(std::string_view record_json, RecordValues& values) noexcept;

// Appends the record to `out` with at most `max` bytes. Strings are shortened in a fixed order (body,
// req_header_raw, cookie, query_string, referer, user_agent, all others, the payload last; the rule list
// before the payload), each as little as suffices, never inside a character or escape; a shortened value ends
// in "…[cut N]", N = bytes of the value (read as JSON, in UTF-8) left out, those left out earlier included.
// All 58 members stay; member 25 becomes 1 if the body was shortened. True if anything was. A record of
// ordinary values fits in 2048; below the smallest possible size the smallest possible record is appended.
// Text that scan_record() refuses is appended unchanged.
bool cut_record_json(std::string_view record_json, std::size_t max, std::string& out);

// Numbers (1..58) of the members that are shortened, the first to be shortened first: every string and the
// list. Other contents made of a record (CEF, LEEF, ECS) are cut in the same order.
std::span<const std::uint8_t> record_cut_order() noexcept;

enum class RequestText {
  kFull,
  kHeaders,  // `body` empty
  kNone,     // `body`, `req_header_raw`, `cookie`, `query_string`, `referer` and `session` empty
};

// Appends the record to `out` with the request text emptied as asked; members are never dropped. Member 25
// becomes 1 if a body was emptied.
void append_with_request_text(std::string_view record_json, RequestText keep, std::string& out);

}  // namespace wafd
