// Bytes -> HTTP/1.1 requests (RFC 9112), one connection's worth: keep-alive, pipelining, chunked bodies,
// limits. Strict, because a request that two parties frame differently can be smuggled: what it refuses ends
// the connection.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "detect/core/error.h"
#include "ingest/http/message.h"

namespace wafd::http {

struct ReaderLimits {
  std::size_t max_head_bytes = 64 * 1024;       // 431
  std::size_t max_body_bytes = 1024 * 1024;     // 413; of collected bodies
  std::size_t max_chunk_head_bytes = 4 * 1024;  // 400; size line with extensions, and trailers
};

// Why a request is not accepted. Answer `status`, then close: the rest of the connection cannot be framed.
struct Refusal {
  unsigned status = 400;  // 400, 413, 431, 501, 505
  Error error;            // offset counts from the first byte of this request
};

enum class Step {
  kNeedMore,  // all bytes given are used up
  kHead,      // request() has all but the body
  kBody,      // chunk() has bytes of a streamed body
  kMessage,   // request() is complete; take it, or move it away, before the next call
};

class RequestReader {
 public:
  explicit RequestReader(ReaderLimits limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // One step further; removes from `bytes` what it used. Call until kNeedMore; keep what is left of `bytes`
  // (a pipelined request) as long as the answer of this one is not decided. After a refusal only destroy it.
  tl::expected<Step, Refusal> next(std::string_view& bytes);

  Request& request() noexcept;

  // Between kHead and the following call of next():
  void stream_body() noexcept;  // kBody steps instead of collecting; max_body_bytes is off
  void limit_body(std::size_t max_bytes) noexcept;  // another limit for this message
  bool expects_continue() const noexcept;  // the client waits for "100 Continue" before it sends the body

  std::string_view chunk() const noexcept;  // valid until the next call
  // Bytes of the head that were read so far, also of a refused one.
  std::string_view raw_head() const noexcept;
  // Something of a request was read and it is not complete: its slowness may be timed out with 408.
  bool in_message() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wafd::http
