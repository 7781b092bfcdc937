// A syslog stream of any bytes: fragments of any size give the same messages, and what the writer frames is
// read back.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "forward/protocol/framing.h"

namespace {

std::string read(std::string_view stream, std::size_t fragment) {
  wafd::forward::FrameReader reader(64);
  std::string out;
  for (std::size_t at = 0; at < stream.size(); at += fragment) {
    reader.feed(stream.substr(at, fragment));
    for (std::string_view m; reader.next(m);) out.append(m).append("|");
  }
  return out + std::string(reader.error()) + (reader.error().empty() ? std::string(reader.rest()) : "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using wafd::forward::Framing;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string whole = read(bytes, size + 1);
  for (const std::size_t fragment : {1u, 2u, 3u, 7u})
    if (read(bytes, fragment) != whole) std::abort();

  const std::string_view content = bytes.substr(0, 60);
  std::string stream;
  wafd::forward::append_frame(Framing::kOctetCounting, "<1>", content, stream);
  if (read(stream, 5) != "<1>" + std::string(content) + "|") std::abort();
  stream.clear();
  wafd::forward::append_frame(Framing::kLf, "<1>", content, stream);
  if (stream.find('\n') != stream.size() - 1) std::abort();
  return 0;
}
