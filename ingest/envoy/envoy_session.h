// One connection of Envoy's ext_authz by gRPC without its socket: bytes in, answers out, by way of the judge.
// HTTP/2 by nghttp2 (RFC 9113), gRPC as "gRPC over HTTP2" of its documentation, one message a call.
// ingest/envoy/ENVOY.md has the calls.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ingest/body_counters.h"
#include "ingest/envoy/check_message.h"
#include "ingest/fair_queue.h"
#include "ingest/judge.h"
#include "ingest/limits.h"
#include "ingest/phase.h"
#include "ingest/waiting_request.h"

struct nghttp2_session;

namespace wafd::ingest::envoy {

enum class Malformed : std::uint8_t {
  kHttp2,        // the connection is no HTTP/2, or breaks its rules
  kNotGrpc,      // a call of another content type
  kUnknownCall,  // a path that is none of ours
  kCompressed,   // a message in a coding; we announce none
  kMessage,      // no message of that call
};
inline constexpr std::size_t kMalformedReasons = 5;
const char* to_string(Malformed reason) noexcept;

// Of one worker; read by others after a post to its loop.
struct Counters {
  std::uint64_t requests = 0;
  BodyCounters bodies;  // of them
  std::uint64_t health_checks = 0;
  std::uint64_t cancelled = 0;   // calls that Envoy gave up while they waited for their turns
  std::uint64_t heads_cut = 0;   // beyond max_head_bytes
  std::uint64_t bodies_cut = 0;  // beyond max_body_bytes
  std::array<std::uint64_t, kMalformedReasons> malformed{};
};

// Calls of one connection at a time; a client that has more to ask opens another.
inline constexpr std::size_t kMaxCalls = 64;

class Session {
 public:
  // Of the worker; all must outlive the session.
  struct Shared {
    RequestJudge& judge;
    const Clock& clock;
    FairQueue& queue;
    Counters& counters;
    const IngestLimits& limits;
  };
  explicit Session(const Shared& shared);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Appends to `out` what is to be said. `turn_start_us` is the monotonic time at which the turn began that
  // read the bytes. An error is counted: write `out`, then close.
  tl::expected<void, Malformed> on_bytes(std::string_view bytes, std::int64_t turn_start_us,
                                         std::string& out);
  // The answer after on_progress was called: a call that waited is answered.
  tl::expected<void, Malformed> take_output(std::string& out);
  std::function<void()> on_progress;  // may destroy the session. Set before use; may be empty

  bool wants_pause() const noexcept { return false; }  // kMaxCalls bounds what waits
  bool ended() const noexcept;                         // one side took its leave: write `out`, then close
  bool in_message() const noexcept { return !calls_.empty() || (begun_ && !greeted_); }
  std::uint64_t messages() const noexcept { return messages_; }  // whole ones so far
  Phase phase() const noexcept;

 private:
  struct Pending;
  using Waiting = WaitingRequest<Session, Pending>;
  friend Waiting;
  class Http2;  // what nghttp2 calls back
  struct Call;

  void end_of_call(std::int32_t stream);
  void close_call(std::int32_t stream);
  tl::expected<std::string, Malformed> message_of(const Call& call) const;
  void take_check(std::int32_t stream, Call& call);
  void answer(std::int32_t stream, std::string_view message);
  void refuse(std::int32_t stream, Malformed reason);
  void answer_waiting(const Waiting& waiting);
  std::size_t most_bytes() const noexcept;

  Shared shared_;
  struct Delete {
    void operator()(nghttp2_session* session) const noexcept;
  };
  std::map<std::int32_t, Call> calls_;  // by stream
  std::unique_ptr<nghttp2_session, Delete> http2_;
  std::int64_t turn_start_us_ = 0;
  bool begun_ = false;    // bytes have come
  bool greeted_ = false;  // the preface of HTTP/2 is whole
  std::uint64_t messages_ = 0;
  std::size_t receiving_ = 0;  // of `calls_`: not whole yet
};

}  // namespace wafd::ingest::envoy
