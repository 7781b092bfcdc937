#include "ingest/envoy/check_message.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "detect/core/bytes.h"
#include "ingest/declared_body.h"
#include "ingest/envoy/protobuf.h"
#include "ingest/request_id.h"

namespace wafd::ingest::envoy {
namespace {

constexpr std::uint64_t kStatusPermissionDenied = 7;  // of gRPC
constexpr std::uint64_t kOverwriteOrAdd = 2;          // HeaderValueOption.HeaderAppendAction

struct Address {
  std::string ip;
  std::uint16_t port = 0;
};

// The message's parts: views of it.
struct Attributes {
  Address source, destination;
  std::string_view method, path, host, scheme, protocol, body, raw_body, proxy_name, sni;
  std::vector<std::pair<std::string_view, std::string_view>> headers;
  std::int64_t size = -1;
  std::int64_t time_us = 0;
  bool has_http = false;
  bool body_cut = false;  // the message ends in it
};

// Calls `take` for each field; false: it is broken.
template <class Take>
bool each(const Field& in, const Take& take) {
  FieldReader reader(in.bytes, in.cut);
  while (const auto field = reader.next()) {
    if (!take(*field)) return false;
  }
  return !reader.broken();
}

// Peer.address.socket_address
bool read_peer(const Field& peer, Address& out) {
  return each(peer, [&](const Field& address) {
    return !address.is_bytes(1) || each(address, [&](const Field& socket) {
      return !socket.is_bytes(1) || each(socket, [&](const Field& part) {
        std::string room;
        if (part.is_bytes(2)) out.ip = clean_address(part.bytes, room);
        if (part.is_varint(3) && part.value <= 0xffff) out.port = static_cast<std::uint16_t>(part.value);
        return true;
      });
    });
  });
}

// HeaderValue, and an entry of a map, which has no raw value.
bool read_pair(const Field& entry, std::pair<std::string_view, std::string_view>& out) {
  return each(entry, [&](const Field& part) {
    if (part.is_bytes(1)) out.first = part.bytes;
    if (part.is_bytes(2) || part.is_bytes(3)) out.second = part.bytes;
    return true;
  });
}

bool read_header(const Field& entry, Attributes& out) { return read_pair(entry, out.headers.emplace_back()); }

bool read_http(const Field& http, Attributes& out) {
  out.has_http = true;
  return each(http, [&](const Field& part) {
    if (part.is_bytes(2)) out.method = part.bytes;
    if (part.is_bytes(3)) return read_header(part, out);
    if (part.is_bytes(4)) out.path = part.bytes;
    if (part.is_bytes(5)) out.host = part.bytes;
    if (part.is_bytes(6)) out.scheme = part.bytes;
    if (part.is_varint(9)) out.size = static_cast<std::int64_t>(part.value);
    if (part.is_bytes(10)) out.protocol = part.bytes;
    if (part.is_bytes(11)) out.body = part.bytes;
    if (part.is_bytes(12)) out.raw_body = part.bytes;
    if (part.is_bytes(11) || part.is_bytes(12)) out.body_cut |= part.cut;
    if (part.is_bytes(13))
      return each(part, [&](const Field& header) { return !header.is_bytes(1) || read_header(header, out); });
    return true;
  });
}

bool read_time(const Field& time, Attributes& out) {
  constexpr std::uint64_t kYear10000 = 253'402'300'800;
  return each(time, [&](const Field& part) {
    if (part.is_varint(1) && part.value < kYear10000)
      out.time_us += static_cast<std::int64_t>(part.value) * 1'000'000;
    if (part.is_varint(2) && part.value < 1'000'000'000)
      out.time_us += static_cast<std::int64_t>(part.value) / 1000;
    return true;
  });
}

bool read_attributes(const Field& attributes, Attributes& out) {
  return each(attributes, [&](const Field& part) {
    if (part.is_bytes(1)) return read_peer(part, out.source);
    if (part.is_bytes(2)) return read_peer(part, out.destination);
    if (part.is_bytes(4)) {
      return each(part, [&](const Field& of_request) {
        if (of_request.is_bytes(1)) return read_time(of_request, out);
        return !of_request.is_bytes(2) || read_http(of_request, out);
      });
    }
    if (part.is_bytes(10)) {
      std::pair<std::string_view, std::string_view> extension;
      if (!read_pair(part, extension)) return false;
      if (extension.first == "proxy_name") out.proxy_name = extension.second;
    }
    if (part.is_bytes(12)) {
      return each(part, [&](const Field& tls) {
        if (tls.is_bytes(1)) out.sni = tls.bytes;
        return true;
      });
    }
    return true;
  });
}

// Within a line: what would end it is a space (RFC 9110 section 5.5), so that no value hides what follows.
void append_in_line(std::string_view text, std::string& out) {
  const std::size_t begin = out.size();
  out += text;
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
      [](char c) { return c == '\r' || c == '\n'; }, ' ');
}

std::string head_of(const Attributes& asked) {
  std::string head;
  append_in_line(asked.method.empty() ? "GET" : asked.method, head);
  head += ' ';
  append_in_line(asked.path.empty() ? "/" : asked.path, head);
  head += ' ';
  append_in_line(asked.protocol.empty() ? "HTTP/1.1" : asked.protocol, head);
  head += "\r\n";
  const bool has_host = std::any_of(asked.headers.begin(), asked.headers.end(),
                                    [](const auto& header) { return iequals(header.first, "host"); });
  if (const std::string_view host = asked.host.empty() ? asked.sni : asked.host; !has_host && !host.empty()) {
    head += "Host: ";
    append_in_line(host, head);
    head += "\r\n";
  }
  for (const auto& [name, value] : asked.headers) {
    if (name.starts_with(':')) continue;  // of HTTP/2: said in the first line
    append_in_line(name, head);
    head += ": ";
    append_in_line(value, head);
    head += "\r\n";
  }
  return head += "\r\n";
}

bool says_partial(const Attributes& asked) {
  return std::any_of(asked.headers.begin(), asked.headers.end(), [](const auto& header) {
    return iequals(header.first, "x-envoy-auth-partial-body") && iequals(trim(header.second), "true");
  });
}

void append_header(std::uint64_t number, std::string_view name, std::string_view value, std::string& out) {
  std::string header, option;
  append_bytes_field(1, name, header);
  append_bytes_field(2, value, header);
  append_bytes_field(1, header, option);
  append_number_field(3, kOverwriteOrAdd, option);
  append_bytes_field(number, option, out);
}

}  // namespace

std::optional<Checked> read_check(std::string_view message, bool cut, const IngestLimits& limits) {
  Attributes asked;
  const Field whole{0, WireType::kBytes, 0, message, cut};
  const bool read =
      each(whole, [&](const Field& part) { return !part.is_bytes(1) || read_attributes(part, asked); });
  if (!read || !asked.has_http) return std::nullopt;

  Checked out;
  OwnedRequest& request = out.request;
  request.head = head_of(asked);
  const DeclaredBody declared = declared_body(request.head);
  out.head_cut = request.head.size() > limits.max_head_bytes || (cut && !asked.body_cut);
  if (request.head.size() > limits.max_head_bytes) request.head.resize(limits.max_head_bytes);
  const std::string_view body = asked.raw_body.empty() ? asked.body : asked.raw_body;
  out.body_cut = asked.body_cut || body.size() > limits.max_body_bytes;
  request.body = body.substr(0, limits.max_body_bytes);
  const bool announced = (declared.length && *declared.length > body.size()) ||
                         (asked.size > 0 && static_cast<std::uint64_t>(asked.size) > body.size()) ||
                         (declared.transfer_encoding && body.empty());
  const bool missing = announced || says_partial(asked);
  request.body_abandoned = missing && body.empty();
  request.body_truncated = (missing && !body.empty()) || out.body_cut || out.head_cut;
  if (iequals(asked.scheme, "https") || iequals(asked.scheme, "http"))
    request.scheme = to_lower(asked.scheme);
  request.src_ip = std::move(asked.source.ip);
  request.src_port = asked.source.port;
  request.dest_ip = std::move(asked.destination.ip);
  request.dest_port = asked.destination.port;
  request.proxy_name = asked.proxy_name;
  request.request_id = gateway_request_id(asked.headers);
  request.start_time_us = asked.time_us;
  return out;
}

std::string check_response(const Answer& answer) {
  const bool deny = answer.action == Action::kDeny;
  std::string status, response, out;
  if (deny) {
    append_number_field(1, kStatusPermissionDenied, status);
    std::string http_status;
    append_number_field(1, static_cast<std::uint64_t>(answer.block_status), http_status);
    append_bytes_field(1, http_status, response);
  }
  append_header(2, "x-waf-action", to_string(answer.action), response);
  const bool has_id = deny || answer.recorded;
  if (has_id) append_header(2, "x-waf-event-id", answer.event_id.text(), response);
  if (deny) {
    const BlockPage page = block_page(answer);
    append_header(2, "content-type", page.type, response);
    append_bytes_field(3, page.body, response);
  } else {
    append_header(2, "x-waf-time-us", std::to_string(answer.detect_us), response);
    if (!has_id) append_bytes_field(5, "x-waf-event-id", response);
  }
  append_bytes_field(1, status, out);
  append_bytes_field(deny ? 2 : 3, response, out);
  return out;
}

}  // namespace wafd::ingest::envoy
