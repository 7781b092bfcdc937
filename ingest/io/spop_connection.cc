#include <utility>

#include <fmt/format.h>

#include "ingest/io/worker.h"

namespace wafd::ingest {
namespace {

class SpopConnection final : public Connection {
 public:
  SpopConnection(Worker& worker, std::unique_ptr<kit::Stream> stream)
      : worker_(worker),
        session_({worker.judge(), worker.clock(), worker.queue(), worker.spop_counters(),
                  worker.shared().spop_limits}),
        stream_(std::move(stream)) {
    session_.on_progress = [this] {
      std::string out;
      const auto read = session_.take_output(out);
      settle(std::move(out), read);
    };
    stream_->set_idle_timeout_ms(worker.shared().options.spop_idle_timeout_ms);
    stream_->start(*this);
  }

  bool busy() const noexcept override { return session_.in_message(); }

  void farewell() noexcept override {
    stream_->close();
    worker_.remove(*this, IngestListener::kSpop);
  }

 private:
  void on_data(std::string_view bytes) noexcept override {
    std::string out;
    const std::uint64_t before = worker_.spop_counters().requests;
    const auto read = session_.on_bytes(bytes, worker_.loop().turn_start_us(), out);
    // Health checks are no sign of a gateway that still asks.
    if (worker_.spop_counters().requests != before)
      worker_.listener(IngestListener::kSpop).last_request_ms = worker_.clock().unix_us() / 1000;
    settle(std::move(out), read);
  }

  void on_end(const kit::StreamEnd&) noexcept override { farewell(); }

  // May destroy this.
  void settle(std::string out, const tl::expected<void, spop::Malformed>& read) noexcept {
    const bool answered = !out.empty();
    if (answered && !stream_->write(std::move(out), {})) {
      worker_.remove(*this, IngestListener::kSpop);  // a peer that asks and does not read its answers
      return;
    }
    if (!read) {
      const auto peer = stream_->peer();
      worker_.log(fmt::format("spop: closed a connection of {}: {}", peer ? peer->address.text() : "nowhere",
                              spop::to_string(read.error())));
    }
    if (!read || session_.ended() || (worker_.stopping() && !busy())) {
      farewell();
      return;
    }
    worker_.moved(*this, IngestListener::kSpop, session_.phase(), session_.messages(), answered);
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
  spop::Session session_;
  std::unique_ptr<kit::Stream> stream_;
  bool paused_ = false;
};

}  // namespace

std::unique_ptr<Connection> make_spop_connection(Worker& worker, std::unique_ptr<kit::Stream> stream) {
  return std::make_unique<SpopConnection>(worker, std::move(stream));
}

}  // namespace wafd::ingest
