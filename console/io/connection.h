// One HTTPS connection: bytes to requests, answers to bytes, one request at a time, bodies made while they
// are sent.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "console/api/routing/route.h"
#include "console/base/http.h"
#include "detect/core/clock.h"
#include "ingest/http/request_reader.h"
#include "ingest/http/response_writer.h"
#include "ingest/io/kit/loop.h"
#include "ingest/io/kit/stream.h"

namespace wafd::console {

struct ConnectionLimits {
  std::int64_t handshake_ms = 5'000;
  std::int64_t request_ms = 20'000;        // from its first byte to its last
  std::int64_t stranger_idle_ms = 15'000;  // without bytes, before anyone logged in on it
  std::int64_t idle_ms = 75'000;
  std::size_t max_head_bytes = 32u << 10;
  std::size_t max_body_bytes = 1u << 20;
  std::size_t stream_room_bytes = 256u << 10;  // waiting for a slow client, of a streamed body
};

// Lives on the console loop. `closed` is called once, when the connection has nothing to do any more; it
// destroys it.
class Connection final : public kit::StreamHandler {
 public:
  struct Parts {
    kit::Loop& loop;
    const Clock& clock;
    ConnectionLimits limits;
    std::string peer;
    // Hands a request over; `known` may be called before the answer: whoever sends has shown a good
    // credential.
    std::function<void(HttpRequest, Respond, std::function<void()> known)> handle;
    std::function<void(const char* reason)> refused;  // counted
    std::function<void()> closed;
    bool strict_transport = false;  // says that browsers shall come over HTTPS alone (RFC 6797)
  };
  Connection(Parts parts, std::unique_ptr<kit::Stream> stream);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();
  bool known() const noexcept { return known_; }
  bool streaming() const noexcept { return body_ != nullptr; }
  std::int64_t opened_ms() const noexcept { return opened_ms_; }
  void end_stream();  // the program stops: ends a live tail

 private:
  void on_open() noexcept override;
  void on_data(std::string_view bytes) noexcept override;
  void on_end(const kit::StreamEnd& end) noexcept override;
  void on_writable() noexcept override;

  void read_on();
  void answer(HttpResponse response);
  void finish_answer();
  void pump();
  void schedule_pump();
  void on_timer();
  void close_gently();
  void drop();
  http::WriteOptions write_options() const;

  Parts parts_;
  std::unique_ptr<kit::Stream> stream_;
  http::RequestReader reader_;
  kit::Timer timer_;  // handshake, then the request that is being read
  kit::Timer tick_;   // of a streamed body that waits
  std::string rest_;  // bytes behind the request that is being answered
  std::unique_ptr<BodySource> body_;
  std::optional<http::ChunkedWriter> chunks_;
  std::shared_ptr<Connection*> self_;  // emptied on destruction, for callbacks that come later
  std::int64_t opened_ms_ = 0;
  Gone gone_ = std::make_shared<std::atomic<bool>>(false);  // of the request at hand
  bool open_ = false;
  bool busy_ = false;  // a request is being answered
  bool known_ = false;
  bool ended_ = false;  // close_gently() or drop() was called
  bool keep_alive_ = true;
  bool head_request_ = false;
  bool pump_waits_ = false;
  bool reading_ = false;  // inside read_on()
  unsigned version_ = 11;
};

}  // namespace wafd::console
