// Writes the attack log record: one flat JSON object, 58 members in a fixed order (docs: detect/core/README.md).
#pragma once

#include <string>
#include <string_view>

#include "detect/core/attack_event.h"
#include "detect/core/event_record.h"

namespace wafd {

inline constexpr std::size_t kRecordMembers = 58;

// Appends `text` as the inside of a JSON string: well-formed UTF-8 goes through; any other octet becomes the four
// characters \xnn (so `\\xnn` on the wire); C0, DEL, C1, U+2028 and U+2029 become \u escapes; `"` and `\` are escaped.
// Never splits a character.
void append_json_text(std::string_view text, std::string& out);

// Appends the record of `event`; string members are capped (`header_raw` 8 KiB, `body` 4 KiB, others 1 to 2 KiB of
// input octets, never inside a character; a cut value ends in "…[cut N]", N = octets left out). Sets
// `req_http_body_is_truncate` when the body was cut here. Returns the offsets of the amendable members.
AmendableOffsets append_record_json(const AttackEvent& event, std::string& out);

}  // namespace wafd
