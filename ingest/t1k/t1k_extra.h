// The EXTRA and RSP_EXTRA sections: what a T1K client says about the connection, in either of its two
// encodings.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wafd::ingest::t1k {

// Views into the section. Untrusted text; numbers that are none are 0. Of repeated keys the last counts.
struct Extra {
  std::string_view uuid;
  std::string_view remote_addr;
  std::uint16_t remote_port = 0;
  std::string_view local_addr;
  std::uint16_t local_port = 0;
  std::string_view scheme;
  std::string_view server_name;
  std::string_view proxy_name;
  std::int64_t req_begin_us = 0;           // Unix time
  std::int64_t rsp_begin_us = 0;           // Unix time, RSP_EXTRA alone
  std::int64_t rsp_end_us = 0;             // likewise
  std::optional<std::uint64_t> rsp_bytes;  // of the response body as sent; likewise
  bool report_if_passed = false;           // a response report may follow (`y` or `u`)
  bool report_if_blocked = false;
  bool monitor = false;        // the plugin only watches
  std::uint64_t skipped = 0;   // requests the plugin passed without asking since its last exchange
  std::uint64_t unjudged = 0;  // requests it passed since then because asking failed
  bool body_cut = false;       // the plugin left a part of the body out
  std::string_view peer_addr;  // peer of the gateway's connection, where remote_addr comes from a header
};

// Named lines `Key:Value\n`, or, if the first byte is 0x01, entries of key byte, value, `\n`. Our own
// plugin's keys exist in binary alone: 0x40 its mode, `block` or `monitor`; 0x41 the decimal count of
// requests that its circuit breaker let pass uninspected since the last exchange; 0x42 (RSP_EXTRA) the time
// in microseconds at which the response was over, 0x43 (RSP_EXTRA) the bytes of its body; 0x44 the decimal
// count of requests that it passed since the last exchange because asking failed; 0x45 the address of the
// peer of the gateway's connection; 0x46 `y` if it left a part of the body out. Unknown keys and broken lines
// are ignored.
Extra parse_extra(std::string_view data);

}  // namespace wafd::ingest::t1k
