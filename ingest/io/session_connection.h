// A stream and a session that may have several requests waiting: SPOP and Envoy's gRPC.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ingest/io/worker.h"

namespace wafd::ingest {

// `Protocol` has the type Session, the listener kListener, and counters(), limits() and idle_timeout_ms() of
// a worker.
template <class Protocol>
class SessionConnection final : public Connection {
 public:
  SessionConnection(Worker& worker, std::unique_ptr<kit::Stream> stream)
      : worker_(worker),
        session_({worker.judge(), worker.clock(), worker.queue(), Protocol::counters(worker),
                  Protocol::limits(worker.shared())}),
        stream_(std::move(stream)) {
    session_.on_progress = [this] {
      std::string out;
      const auto read = session_.take_output(out);
      settle(std::move(out), read);
    };
    stream_->set_idle_timeout_ms(Protocol::idle_timeout_ms(worker.shared().options));
    stream_->start(*this);
  }

  bool busy() const noexcept override { return session_.in_message(); }

  void farewell() noexcept override {
    stream_->close();
    worker_.remove(*this, Protocol::kListener);
  }

 private:
  // Of TLS: the handshake is done.
  void on_open() noexcept override {
    worker_.moved(*this, Protocol::kListener, session_.phase(), session_.messages(), false);
  }

  void on_data(std::string_view bytes) noexcept override {
    std::string out;
    const std::uint64_t before = Protocol::counters(worker_).requests;
    const auto read = session_.on_bytes(bytes, worker_.loop().turn_start_us(), out);
    // Health checks are no sign of a gateway that still asks.
    if (Protocol::counters(worker_).requests != before)
      worker_.listener(Protocol::kListener).last_request_ms = worker_.clock().unix_us() / 1000;
    settle(std::move(out), read);
  }

  void on_end(const kit::StreamEnd&) noexcept override { farewell(); }

  // May destroy this.
  template <class Read>
  void settle(std::string out, const Read& read) noexcept {
    const bool answered = !out.empty();
    if (answered && !stream_->write(std::move(out), {})) {
      worker_.remove(*this, Protocol::kListener);  // a peer that asks and does not read its answers
      return;
    }
    if (!read) {
      const auto peer = stream_->peer();
      worker_.log(fmt::format("{}: closed a connection of {}: {}", to_string(Protocol::kListener),
                              peer ? peer->address.text() : "nowhere", to_string(read.error())));
    }
    if (!read || session_.ended() || (worker_.stopping() && !busy())) {
      farewell();
      return;
    }
    worker_.moved(*this, Protocol::kListener, session_.phase(), session_.messages(), answered);
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
  typename Protocol::Session session_;
  std::unique_ptr<kit::Stream> stream_;
  bool paused_ = false;
};

}  // namespace wafd::ingest
