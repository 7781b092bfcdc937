#include "ingest/owned_request.h"

namespace wafd::ingest {

Request OwnedRequest::view() const noexcept {
  Request out;
  out.head = head;
  out.body = body;
  out.body_truncated = body_truncated;
  out.body_abandoned = body_abandoned;
  out.connection.scheme = scheme;
  out.connection.src_ip = src_ip;
  out.connection.src_port = src_port;
  out.connection.socket_ip = socket_ip;
  out.connection.dest_ip = dest_ip;
  out.connection.dest_port = dest_port;
  out.connection.upstream_addr = upstream_addr;
  out.connection.proxy_name = proxy_name;
  out.connection.host = host;
  out.start_time_us = start_time_us;
  out.end_time_us = end_time_us;
  return out;
}

}  // namespace wafd::ingest
