// A request that outlives the bytes it came in.
#pragma once

#include <cstdint>
#include <string>

#include "detect/core/request.h"

namespace wafd::ingest {

struct OwnedRequest {
  std::string head, body;
  std::string request_id;  // the gateway's own; empty where what is said may be the client's
  std::string scheme, src_ip, socket_ip, dest_ip, upstream_addr, proxy_name, host;
  std::uint16_t src_port = 0, dest_port = 0;
  bool body_truncated = false, body_abandoned = false;
  std::int64_t start_time_us = 0, end_time_us = 0;

  Request view() const noexcept;
  std::size_t bytes() const noexcept { return head.size() + body.size() + 256; }
};

}  // namespace wafd::ingest
