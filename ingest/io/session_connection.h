// A stream and a session whose requests may wait for their turns: T1K, SPOP and Envoy's gRPC.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ingest/io/worker.h"

namespace wafd::ingest {

// Reads no more while `pause`. `paused`: as last told.
inline void pause_or_resume(kit::Stream& stream, bool pause, bool& paused) noexcept {
  if (pause == paused) return;
  paused = pause;
  if (pause) {
    stream.pause();
  } else {
    stream.resume();
  }
}

// `Protocol` has the type Session, its name for log lines, and shared(), counters() and idle_timeout_ms() of
// a worker.
template <class Protocol>
class SessionConnection final : public Connection {
 public:
  SessionConnection(Worker& worker, IngestListener listener, std::unique_ptr<kit::Stream> stream)
      : worker_(worker), listener_(listener), session_(Protocol::shared(worker)), stream_(std::move(stream)) {
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
    worker_.remove(*this, listener_);
  }

 private:
  // Of TLS: the handshake is done.
  void on_open() noexcept override { worker_.moved(*this, listener_, session_.phase(), messages(), false); }

  void on_data(std::string_view bytes) noexcept override {
    std::string out;
    const std::uint64_t before = Protocol::counters(worker_).requests;
    const auto read = session_.on_bytes(bytes, worker_.loop().turn_start_us(), out);
    // Health checks and heartbeats are no sign of a gateway that still asks.
    if (Protocol::counters(worker_).requests != before)
      worker_.listener(listener_).last_request_ms = worker_.clock().unix_us() / 1000;
    settle(std::move(out), read);
  }

  void on_end(const kit::StreamEnd&) noexcept override { farewell(); }

  // May destroy this.
  template <class Read>
  void settle(std::string out, const Read& read) noexcept {
    const bool answered = !out.empty();
    if (answered && !stream_->write(std::move(out), {})) {
      worker_.remove(*this, listener_);  // a peer that asks and does not read its answers
      return;
    }
    if (!read) {
      const auto peer = stream_->peer();
      worker_.log(fmt::format("{}: closed a connection of {}: {}", Protocol::kName,
                              peer ? peer->address.text() : "the Unix socket", to_string(read.error())));
    }
    if (!read || ended() || (worker_.stopping() && !busy())) {
      farewell();
      return;
    }
    worker_.moved(*this, listener_, session_.phase(), messages(), answered);
    pause_or_resume(*stream_, session_.wants_pause(), paused_);
  }

  // Of protocols that count their messages, and whose sessions end by themselves.
  std::uint64_t messages() const noexcept {
    if constexpr (requires { session_.messages(); }) return session_.messages();
    return 0;
  }
  bool ended() const noexcept {
    if constexpr (requires { session_.ended(); }) return session_.ended();
    return false;
  }

  Worker& worker_;
  IngestListener listener_;
  typename Protocol::Session session_;
  std::unique_ptr<kit::Stream> stream_;
  bool paused_ = false;
};

}  // namespace wafd::ingest
