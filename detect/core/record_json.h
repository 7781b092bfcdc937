// Writes the attack log record: one flat JSON object, 58 members in a fixed order (docs:
// detect/core/RECORD.md).
#pragma once

#include <string>
#include <string_view>

#include "detect/core/attack_event.h"
#include "detect/core/event_record.h"
#include "detect/core/record_members.h"

namespace wafd {

// Appends `text` as the inside of a JSON string: well-formed UTF-8 goes through; any other byte becomes the
// four characters \xnn (so `\\xnn` on the wire); C0, DEL, C1, U+2028 and U+2029 become \u escapes; `"` and
// `\` are escaped. Never splits a character.
void append_json_text(std::string_view text, std::string& out);

// The same, with at most `cap` bytes of `text`, never inside a character; what is left out is told by a
// closing "…[cut N]", N = bytes left out. True if something was.
bool append_json_text_capped(std::string_view text, std::size_t cap, std::string& out);

// Appends the record of `event`; string members are capped (kMembers: `req_header_raw` 8 KiB, `body` 4 KiB,
// others 1 to 2 KiB of input bytes), the rule list to 128 numbers. Sets `req_http_body_is_truncate` when the
// body was cut here. Returns the offsets, counted from where it began to append, of the amendable members'
// values (of the opening quote for the reason phrase).
AmendableOffsets append_record_json(const AttackEvent& event, std::string& out);

}  // namespace wafd
