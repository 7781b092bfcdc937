#include "ingest/spop/spop_request.h"

#include <utility>

#include "detect/core/bytes.h"
#include "ingest/declared_body.h"

namespace wafd::ingest::spop {
namespace {

// The arguments' values: views of the payload.
struct Arguments {
  std::string_view app, id, method, path, query, version, headers, body;
  std::string src_ip, socket_ip, dst_ip;
  std::uint16_t src_port = 0, dst_port = 0;
  bool has_path = false, has_query = false, has_body = false;
  std::string_view scheme;  // empty: not told
};

std::string_view text_of(const Value& value) noexcept {
  const auto* text = std::get_if<std::string_view>(&value);
  return text == nullptr ? std::string_view() : *text;
}

std::string address_of(const Value& value) {
  if (const auto* address = std::get_if<IpAddress>(&value)) return address->text();
  std::string room;
  return std::string(clean_address(text_of(value), room));
}

std::uint16_t port_of(const Value& value) noexcept {
  std::uint64_t port = 0;
  if (const auto* number = std::get_if<std::uint64_t>(&value)) port = *number;
  if (const auto* number = std::get_if<std::int64_t>(&value); number != nullptr && *number > 0)
    port = static_cast<std::uint64_t>(*number);
  return port > 0xffff ? std::uint16_t{0} : static_cast<std::uint16_t>(port);
}

bool has(const Value& value) noexcept { return !std::holds_alternative<Null>(value); }

void take(std::string_view name, const Value& value, Arguments& out) {
  if (name == "app") out.app = text_of(value);
  if (name == "id") out.id = text_of(value);
  if (name == "method") out.method = text_of(value);
  if (name == "path") {
    out.path = text_of(value);
    out.has_path = true;
  }
  if (name == "query") {
    out.query = text_of(value);
    out.has_query = has(value);
  }
  if (name == "version") out.version = text_of(value);
  if (name == "headers") out.headers = text_of(value);
  if (name == "body") {
    out.body = text_of(value);
    out.has_body = true;
  }
  if (name == "src-ip") out.src_ip = address_of(value);
  if (name == "src-port") out.src_port = port_of(value);
  if (name == "dst-ip") out.dst_ip = address_of(value);
  if (name == "dst-port") out.dst_port = port_of(value);
  if (name == "socket-ip") out.socket_ip = address_of(value);
  if (name == "ssl") {
    if (const auto* flag = std::get_if<bool>(&value)) out.scheme = *flag ? "https" : "http";
  }
}

std::string head_of(const Arguments& asked) {
  std::string head;
  head.reserve(asked.method.size() + asked.path.size() + asked.query.size() + asked.headers.size() + 32);
  head.append(asked.method.empty() ? "GET" : asked.method).append(" ");
  head.append(asked.path.empty() ? "/" : asked.path);
  if (asked.has_query) head.append("?").append(asked.query);
  head.append(" HTTP/").append(asked.version.empty() ? "1.1" : asked.version).append("\r\n");
  head.append(asked.headers);
  if (!asked.headers.empty() && !asked.headers.ends_with('\n')) head.append("\r\n");
  if (!asked.headers.ends_with("\r\n\r\n")) head.append("\r\n");
  return head;
}

void fill(const Arguments& asked, bool cut, bool filled, const IngestLimits& limits, Notified& out) {
  OwnedRequest& request = out.request;
  request.head = head_of(asked);
  const DeclaredBody declared = declared_body(request.head);
  out.head_cut = request.head.size() > limits.max_head_bytes;
  if (out.head_cut) request.head.resize(limits.max_head_bytes);
  out.body_cut = cut || asked.body.size() > limits.max_body_bytes;
  request.body = asked.body.substr(0, limits.max_body_bytes);
  const bool missing = declared.length ? *declared.length > asked.body.size()
                                       : declared.transfer_encoding && asked.body.empty() && !asked.has_body;
  const bool unknown_end = !declared.length && !asked.body.empty() && filled;
  request.body_abandoned = missing && asked.body.empty();
  request.body_truncated = (missing && !asked.body.empty()) || unknown_end || out.body_cut || out.head_cut;
  request.scheme = asked.scheme;
  request.src_ip = asked.src_ip;
  request.src_port = asked.src_port;
  request.socket_ip = asked.socket_ip;
  request.dest_ip = asked.dst_ip;
  request.dest_port = asked.dst_port;
  request.proxy_name = asked.app;
  out.id = asked.id;
}

}  // namespace

tl::expected<Notified, Malformed> read_notify(std::string_view payload, bool cut,
                                              std::uint64_t peer_frame_bytes, const IngestLimits& limits) {
  Notified out;
  Arguments request;
  PayloadReader in(payload);
  // Where a payload that was cut ends within a name or a number, it ends before it.
  bool ended = false;
  const auto broken = [&] { return tl::unexpected(Malformed::kInvalidFrame); };
  while (!in.empty() && !ended) {
    const auto name = in.text(cut);
    const auto count = in.byte();
    if (!name || !count) {
      if (!cut) return broken();
      break;
    }
    Arguments asked;
    for (unsigned i = 0; i < *count; ++i) {
      const auto key = in.text(cut);
      const auto value = key ? in.value(cut) : std::nullopt;
      if (!value) {
        if (!cut) return broken();
        ended = true;
        break;
      }
      take(*key, *value, asked);
    }
    if (asked.has_path && !out.has_request) {
      out.has_request = true;
      request = std::move(asked);
    } else {
      ++out.others;
    }
  }
  const bool filled = payload.size() >= peer_frame_bytes / 4 * 3;
  if (out.has_request) fill(request, cut, filled, limits, out);
  return out;
}

}  // namespace wafd::ingest::spop
