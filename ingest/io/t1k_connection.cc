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
        session_({worker.judge(), worker.clock(), worker.shared().reports, worker.t1k_counters(),
                  worker.shared().t1k_limits}),
        stream_(std::move(stream)) {
    stream_->set_idle_timeout_ms(worker.shared().options.t1k_idle_timeout_ms);
    stream_->start(*this);
  }

  bool busy() const noexcept override { return session_.in_message(); }

  void farewell() noexcept override {
    stream_->close();
    worker_.remove(*this, listener_);
  }

 private:
  void on_data(std::string_view octets) noexcept override {
    std::string out;
    const std::uint64_t before = worker_.t1k_counters().requests;
    const auto read = session_.on_octets(octets, worker_.loop().turn_start_us(), out);
    // Heartbeats keep a connection; they are no sign of a gateway that still asks.
    if (worker_.t1k_counters().requests != before)
      worker_.listener(listener_).last_request_ms = worker_.clock().unix_us() / 1000;
    if (!out.empty()) {
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
    if (worker_.stopping() && !busy()) farewell();
  }

  void on_end(const kit::StreamEnd&) noexcept override { farewell(); }

  Worker& worker_;
  IngestListener listener_;
  t1k::Session session_;
  std::unique_ptr<kit::Stream> stream_;
};

}  // namespace

std::unique_ptr<Connection> make_t1k_connection(Worker& worker, IngestListener listener,
                                                std::unique_ptr<kit::Stream> stream) {
  return std::make_unique<T1kConnection>(worker, listener, std::move(stream));
}

}  // namespace wafd::ingest
