// HTTP requests: bytes in any fragmentation give the same requests, bodies and refusal, and limits hold.
#include <cstdlib>
#include <string>

#include "ingest/check_request.h"
#include "ingest/http/request_reader.h"

namespace {

using namespace wafd::http;

void require(bool so) {
  if (!so) std::abort();
}

template <class NextPiece>
std::string dump(std::string_view input, bool stream, NextPiece next_piece) {
  const ReaderLimits limits{256, 64, 40};
  RequestReader reader(limits);
  std::string out, streamed;
  while (!input.empty()) {
    auto part = input.substr(0, next_piece());
    input.remove_prefix(part.size());
    while (true) {
      const auto step = reader.next(part);
      if (!step) {
        require(step.error().status >= 400 && step.error().status < 600);
        return out + streamed + "refused" + std::to_string(step.error().status);
      }
      if (*step == Step::kNeedMore) break;
      const auto& request = reader.request();
      require(request.raw_head.size() <= limits.max_head_bytes && request.raw_head.ends_with("\r\n\r\n"));
      if (*step == Step::kHead && stream) reader.stream_body();
      if (*step == Step::kBody) streamed += reader.chunk();
      if (*step != Step::kMessage) continue;
      require(request.body.size() <= limits.max_body_bytes);
      out += request.raw_head + request.method + request.target;
      for (const auto& [name, value] : request.fields) out += name + value;
      out += request.body + streamed + (request.keep_alive ? "|" : "!");
      streamed.clear();
      // The request behind a prefix is the rest of the head, byte by byte.
      const auto routed = wafd::ingest::route_of(request.target);
      if (routed.prefix_bytes != 0) {
        const auto behind = wafd::ingest::request_behind_prefix(request, routed.prefix_bytes, {});
        require(behind.head.size() + routed.prefix_bytes == request.raw_head.size());
      }
    }
    require(part.empty());
  }
  return out + streamed + (reader.in_message() ? "..." : "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t pieces[] = {1u + data[0] % 7u, 1u + data[1] % 31u};
  const bool stream = (data[0] & 0x80) != 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto whole = dump(input, stream, [&] { return input.size(); });
  std::size_t turn = 0;
  require(dump(input, stream, [&] { return pieces[turn++ % 2]; }) == whole);
  return 0;
}
