#include <utility>

#include <fmt/format.h>

#include "ingest/io/worker.h"

namespace wafd::ingest {
namespace {

class T1kConnection final : public Connection {
 public:
  T1kConnection(Worker& worker, IngestListener listener, std::unique_ptr<kit::Stream> stream)
      : worker_(worker),
        listener_(listener),
        session_({worker.judge(), worker.clock(), worker.queue(), worker.shared().reports,
                  worker.t1k_counters(), worker.shared().t1k_limits}),
        stream_(std::move(stream)) {
    session_.on_progress = [this] {
      std::string out;
      const auto read = session_.take_output(out);
      settle(std::move(out), read);
    };
    stream_->set_idle_timeout_ms(worker.shared().options.t1k_idle_timeout_ms);
    stream_->start(*this);
  }

  bool busy() const noexcept override { return session_.in_message(); }

  void farewell() noexcept override {
    stream_->close();
    worker_.remove(*this, listener_);
  }

 private:
  // Of TLS: the handshake is done.
  void on_open() noexcept override { worker_.moved(*this, listener_, session_.phase(), 0, false); }

  void on_data(std::string_view bytes) noexcept override {
    std::string out;
    const std::uint64_t before = worker_.t1k_counters().requests;
    const auto read = session_.on_bytes(bytes, worker_.loop().turn_start_us(), out);
    // Heartbeats keep a connection; they are no sign of a gateway that still asks.
    if (worker_.t1k_counters().requests != before)
      worker_.listener(listener_).last_request_ms = worker_.clock().unix_us() / 1000;
    settle(std::move(out), read);
  }

  void on_end(const kit::StreamEnd&) noexcept override { farewell(); }

  // May destroy this.
  void settle(std::string out, const tl::expected<void, t1k::Malformed>& read) noexcept {
    const bool answered = !out.empty();
    if (answered) {
      if (!stream_->write(std::move(out), {})) {
        worker_.remove(*this, listener_);  // a peer that asks and does not read its answers
        return;
      }
    }
    if (!read) {
      const auto peer = stream_->peer();
      worker_.log(fmt::format("t1k: closed a connection of {}: {}",
                              peer ? peer->address.text() : "the Unix socket", t1k::to_string(read.error())));
      farewell();
      return;
    }
    if (worker_.stopping() && !busy()) {
      farewell();
      return;
    }
    worker_.moved(*this, listener_, session_.phase(), 0, answered);
    const bool pause = session_.wants_pause();
    if (pause == paused_) return;
    paused_ = pause;
    if (pause) {
      stream_->pause();
    } else {
      stream_->resume();
    }
  }

  Worker& worker_;
  IngestListener listener_;
  t1k::Session session_;
  std::unique_ptr<kit::Stream> stream_;
  bool paused_ = false;
};

}  // namespace

std::unique_ptr<Connection> make_t1k_connection(Worker& worker, IngestListener listener,
                                                std::unique_ptr<kit::Stream> stream) {
  return std::make_unique<T1kConnection>(worker, listener, std::move(stream));
}

}  // namespace wafd::ingest
