#include "ingest/t1k/t1k_extra.h"

#include <algorithm>

#include "detect/core/bytes.h"

namespace wafd::ingest::t1k {
namespace {

std::uint64_t number(std::string_view text, std::uint64_t max) noexcept {
  if (text.empty() || text.size() > 19) return 0;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return 0;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value <= max ? value : 0;
}

std::uint16_t port(std::string_view text) noexcept { return static_cast<std::uint16_t>(number(text, 65535)); }

std::int64_t time_us(std::string_view text) noexcept {
  return static_cast<std::int64_t>(number(text, 1ull << 62));
}

bool may_report(std::string_view text) noexcept { return text == "y" || text == "u"; }

// Keys of every client.
void set_common(Extra& out, unsigned char key, std::string_view value) noexcept {
  switch (key) {
    case 0x11:
      out.remote_port = port(value);
      break;
    case 0x12:
      out.local_port = port(value);
      break;
    case 0x13:
      out.remote_addr = value;
      break;
    case 0x14:
      out.local_addr = value;
      break;
    case 0x15:
      out.server_name = value;
      break;
    case 0x16:
      out.scheme = value;
      break;
    case 0x17:
      out.proxy_name = value;
      break;
    case 0x18:
      out.uuid = value;
      break;
    case 0x19:
      out.report_if_passed = may_report(value);
      break;
    case 0x1a:
      out.report_if_blocked = may_report(value);
      break;
    case 0x1b:
      out.req_begin_us = time_us(value);
      break;
    case 0x1d:
      out.rsp_begin_us = time_us(value);
      break;
    default:
      break;
  }
}

// Keys of our own plugin, from 0x40 on.
void set_own(Extra& out, unsigned char key, std::string_view value) noexcept {
  switch (key) {
    case 0x40:
      out.monitor = value == "monitor";
      break;
    case 0x41:
      out.skipped = number(value, 1ull << 40);
      break;
    case 0x42:
      out.rsp_end_us = time_us(value);
      break;
    case 0x43:
      // A value that is no number is ignored; 0 is a size.
      if (value == "0")
        out.rsp_bytes = 0;
      else if (const auto bytes = number(value, 1ull << 53); bytes != 0)
        out.rsp_bytes = bytes;
      break;
    case 0x44:
      out.unjudged = number(value, 1ull << 40);
      break;
    case 0x45:
      out.peer_addr = value;
      break;
    case 0x46:
      out.body_cut = value == "y";
      break;
    default:
      break;
  }
}

void set_binary(Extra& out, unsigned char key, std::string_view value) noexcept {
  if (key < 0x40) return set_common(out, key, value);
  set_own(out, key, value);
}

void set_named(Extra& out, std::string_view key, std::string_view value) noexcept {
  if (key == "RemoteAddr")
    out.remote_addr = value;
  else if (key == "RemotePort")
    out.remote_port = port(value);
  else if (key == "LocalAddr")
    out.local_addr = value;
  else if (key == "LocalPort")
    out.local_port = port(value);
  else if (key == "Scheme")
    out.scheme = value;
  else if (key == "ServerName")
    out.server_name = value;
  else if (key == "ProxyName")
    out.proxy_name = value;
  else if (key == "UUID")
    out.uuid = value;
  else if (key == "HasRspIfOK")
    out.report_if_passed = may_report(value);
  else if (key == "HasRspIfBlock")
    out.report_if_blocked = may_report(value);
  else if (key == "ReqBeginTime")
    out.req_begin_us = time_us(value);
  else if (key == "RspBeginTime")
    out.rsp_begin_us = time_us(value);
}

}  // namespace

Extra parse_extra(std::string_view data) {
  Extra out;
  const bool binary = !data.empty() && data.front() == '\x01';
  while (!data.empty()) {
    const auto end = std::min(data.find('\n'), data.size());
    const auto line = data.substr(0, end);
    data.remove_prefix(std::min(end + 1, data.size()));
    if (line.empty()) continue;
    if (binary) {
      set_binary(out, byte(line[0]), line.substr(1));
    } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
      set_named(out, line.substr(0, colon), line.substr(colon + 1));
    }
  }
  return out;
}

}  // namespace wafd::ingest::t1k
