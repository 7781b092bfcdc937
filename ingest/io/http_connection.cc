#include <utility>

#include "ingest/io/session_connection.h"

namespace wafd::ingest {
namespace {

std::optional<IpAddress> address_of(const kit::Stream& stream) {
  const auto peer = stream.peer();
  if (!peer) return std::nullopt;
  return peer->address;
}

class HttpConnection final : public Connection {
 public:
  HttpConnection(Worker& worker, std::unique_ptr<kit::Stream> stream)
      : worker_(worker),
        session_({worker.judge(), worker.clock(), worker.queue(), worker.mirrored(), worker.http_counters(),
                  worker.http_settings(), worker.shared().http_limits, worker.shared().ready},
                 address_of(*stream)),
        stream_(std::move(stream)) {
    session_.on_progress = [this] { settle(); };
    stream_->set_idle_timeout_ms(worker.shared().options.http_idle_timeout_ms);
    stream_->start(*this);
  }

  bool busy() const noexcept override { return !session_.idle() || stream_->queued_bytes() != 0; }

  void farewell() noexcept override {
    stream_->close();
    worker_.remove(*this, IngestListener::kHttp);
  }

  void give_up() noexcept override {
    if (session_.phase() != Phase::kIdle)
      (void)stream_->write(std::string(HttpSession::too_slow_answer()), {});
    farewell();
  }

 private:
  void on_data(std::string_view bytes) noexcept override {
    if (worker_.stopping()) session_.close_after_answer();
    const std::uint64_t before = worker_.http_counters().requests();
    session_.on_bytes(bytes, worker_.loop().turn_start_us());
    // Probes of health, and what is refused, are no sign of a gateway that still calls.
    if (worker_.http_counters().requests() != before)
      worker_.listener(IngestListener::kHttp).last_request_ms = worker_.clock().unix_us() / 1000;
    settle();
  }

  void on_end(const kit::StreamEnd& end) noexcept override {
    // A client may have closed its side behind its last request and still wait for the answer.
    if (end.kind == kit::StreamEndKind::kEof && session_.wants_pause()) {
      session_.close_after_answer();
      return;
    }
    farewell();
  }

  // May destroy this.
  void settle() noexcept {
    auto out = session_.take_output();
    if (!out.empty() && !stream_->write(std::move(out), {})) {
      worker_.remove(*this, IngestListener::kHttp);
      return;
    }
    if (session_.wants_close() || (worker_.stopping() && !busy())) {
      farewell();
      return;
    }
    worker_.moved(*this, IngestListener::kHttp, session_.phase(), session_.lines(),
                  std::exchange(answers_, session_.answers()) != session_.answers());
    pause_or_resume(*stream_, session_.wants_pause(), paused_);
  }

  Worker& worker_;
  HttpSession session_;
  std::unique_ptr<kit::Stream> stream_;
  bool paused_ = false;
  std::uint64_t answers_ = 0;  // as last told
};

}  // namespace

std::unique_ptr<Connection> make_http_connection(Worker& worker, std::unique_ptr<kit::Stream> stream) {
  return std::make_unique<HttpConnection>(worker, std::move(stream));
}

}  // namespace wafd::ingest
