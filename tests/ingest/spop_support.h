// HAProxy's side of SPOP, written for the tests after doc/SPOE.txt: shares nothing with what it tests but
// the numbers of that document.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wafd::ingest::spop::test {

inline std::string number(std::uint64_t n) {
  if (n < 240) return std::string(1, static_cast<char>(n));
  std::string out(1, static_cast<char>((n & 15) | 240));
  n = (n - 240) / 16;
  while (n >= 128) {
    out += static_cast<char>((n & 127) | 128);
    n = (n - 128) / 128;
  }
  return out + static_cast<char>(n);
}
inline std::string text(std::string_view t) { return number(t.size()).append(t); }
inline std::string typed(std::string_view t) { return "\x08" + text(t); }
inline std::string uint32(std::uint32_t n) { return "\x03" + number(n); }
inline std::string int32(std::uint32_t n) { return "\x02" + number(n); }
inline std::string ipv4(std::string_view bytes) { return "\x06" + std::string(bytes); }
inline std::string boolean(bool b) { return b ? "\x11" : "\x01"; }
const std::string kNull(1, '\0');

inline std::string raw_frame(std::string_view data) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(data.size() >> shift & 0xff);
  return out.append(data);
}
// `flags`: 1 FIN, 2 ABORT.
inline std::string frame(unsigned type, unsigned flags, std::uint64_t stream, std::uint64_t id,
                         std::string_view payload) {
  std::string data(1, static_cast<char>(type));
  data.append(3, '\0');
  data += static_cast<char>(flags);
  return raw_frame((data + number(stream) + number(id)).append(payload));
}
inline std::string hello(std::uint32_t frame_bytes = 16380, std::string_view more = {},
                         std::string_view versions = "2.0") {
  return frame(1, 1, 0, 0,
               text("supported-versions") + typed(versions) + text("max-frame-size") + uint32(frame_bytes) +
                   text("capabilities") + typed("pipelining,async") + std::string(more));
}
using Pairs = std::vector<std::pair<std::string, std::string>>;
inline std::string message(std::string_view name, const Pairs& arguments) {
  std::string out = text(name) + static_cast<char>(arguments.size());
  for (const auto& [key, value] : arguments) out += text(key) + value;
  return out;
}
// As coraza-spoa's configuration has HAProxy send it.
inline std::string request(std::string_view query, std::string_view headers = "host: a\r\n\r\n",
                           std::string_view body = {}, std::string_view method = "GET") {
  using namespace std::literals;
  return message("coraza-req", {{"app", typed("shop")},
                                {"id", typed("7F000001:1")},
                                {"src-ip", ipv4("\xcb\x00\x71\x07"sv)},
                                {"src-port", int32(51000)},
                                {"dst-ip", ipv4("\x0a\x00\x00\x05"sv)},
                                {"dst-port", int32(443)},
                                {"method", typed(method)},
                                {"path", typed("/a")},
                                {"query", query.empty() ? kNull : typed(query)},
                                {"version", typed("1.1")},
                                {"headers", typed(headers)},
                                {"body", "\x09" + text(body)}});
}
inline std::string notify(std::uint64_t stream, std::string_view payload, std::uint64_t id = 1) {
  return frame(3, 1, stream, id, payload);
}

// The agent's frames: one line a frame, such as
// "ack 5/1 action=deny status=403", "hello version=2.0 ...", "disconnect status-code=4 ...", or "broken".
inline std::vector<std::string> dump(std::string_view stream) {
  std::vector<std::string> out;
  std::size_t at = 0, end = stream.size();
  bool sound = true;
  const auto byte = [&]() -> unsigned {
    if (at < end) return static_cast<unsigned char>(stream[at++]);
    sound = false;
    return 0;
  };
  const auto num = [&]() -> std::uint64_t {
    std::uint64_t n = byte();
    if (n < 240) return n;
    unsigned shift = 4;
    for (std::uint64_t next = 128; next >= 128 && shift < 64; shift += 7) n += (next = byte()) << shift;
    return n;
  };
  const auto str = [&] {
    const auto size = static_cast<std::size_t>(num());
    if (size > end - at) {
      sound = false;
      return std::string();
    }
    at += size;
    return std::string(stream.substr(at - size, size));
  };
  const auto value = [&] {
    switch (const unsigned type = byte(); type & 15) {
      case 3:
      case 4:
        return std::to_string(num());
      case 8:
        return str();
      default:
        sound = false;
        return std::string();
    }
  };
  while (at < stream.size()) {
    end = stream.size();
    std::size_t size = 0;
    for (int i = 0; i < 4; ++i) size = size << 8 | byte();
    if (!sound || size > stream.size() - at) return out.emplace_back("broken"), out;
    end = at + size;
    const unsigned type = byte();
    for (int i = 0; i < 3; ++i) sound = sound && byte() == 0;
    sound = sound && byte() == 1;
    const auto id = num(), frame = num();
    std::string line = type == 101   ? "hello"
                       : type == 102 ? "disconnect"
                                     : "ack " + std::to_string(id) + "/" + std::to_string(frame);
    sound = sound && type >= 101 && type <= 103;
    while (sound && at < end) {
      // Of an ACK: set a variable (1) with three arguments, of the transaction (2).
      if (type == 103)
        for (const unsigned expected : {1u, 3u, 2u}) sound = sound && byte() == expected;
      line += " " + str() + "=";
      line += value();
    }
    out.push_back(sound ? line : "broken");
    if (!sound) return out;
  }
  return out;
}

}  // namespace wafd::ingest::spop::test
