// A ring in a temporary folder, a delivery loop over it, and receivers on a loop of their own.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "detect/core/record_json.h"
#include "forward/format/sample_event.h"
#include "forward/io/delivery_loop.h"
#include "forward/io/receive/receiver.h"
#include "ingest/io/kit/system.h"
#include "tests/support/temp_folder.h"

namespace wafd::test {

inline const Endpoint kAnyPort = *Endpoint::parse("127.0.0.1:0");

// Waits for `done`, looking every 5 ms, at most `deadline_ms`.
inline bool wait_until(const std::function<bool()>& done, std::int64_t deadline_ms = 20'000) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(deadline_ms);
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// The id of a message's record; empty if it holds none.
inline std::string event_id(std::string_view message) {
  constexpr std::string_view kMember = "\"event_id\":\"";
  const std::size_t at = message.find(kMember);
  return at == std::string_view::npos ? "" : std::string(message.substr(at + kMember.size(), 32));
}

// The messages that receivers on a thread of their own got.
class ReceiverThread {
 public:
  ~ReceiverThread() {
    loop_.stop();
    thread_.join();
  }
  std::size_t count() const {
    const std::scoped_lock lock(mutex_);
    return messages_.size();
  }
  std::vector<std::string> messages() const {
    const std::scoped_lock lock(mutex_);
    return messages_;
  }
  // Of each message, in order.
  std::vector<std::string> ids() const {
    std::vector<std::string> ids;
    for (const std::string& message : messages()) ids.push_back(event_id(message));
    return ids;
  }

 protected:
  Endpoint listen_udp(const Endpoint& at) {
    udp_ = forward::UdpReceiver::open(loop_, at, [this](std::string_view m) { add(m); }).value();
    return udp_->local();
  }
  // TLS with `certificate`.
  Endpoint listen_tcp(const Endpoint& at, const kit::SelfSigned* certificate = nullptr) {
    std::shared_ptr<const kit::TlsContext> tls;
    if (certificate)
      tls = kit::TlsContext::server({certificate->certificate_pem, certificate->key_pem}).value();
    tcp_ = forward::TcpReceiver::open(
               loop_, at, [this](std::string_view m) { add(m); }, {}, tls)
               .value();
    return tcp_->local();
  }
  void start() {
    thread_ = std::thread([this] { loop_.run(); });
  }

 private:
  void add(std::string_view m) {
    const std::scoped_lock lock(mutex_);
    messages_.emplace_back(m);
  }
  kit::Loop loop_;
  std::unique_ptr<forward::UdpReceiver> udp_;
  std::unique_ptr<forward::TcpReceiver> tcp_;
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
  std::thread thread_;
};

// Datagrams and streams, each at any port.
class Receivers : public ReceiverThread {
 public:
  Receivers() : udp(listen_udp(kAnyPort)), tcp(listen_tcp(kAnyPort)) { start(); }
  const Endpoint udp, tcp;
};

// Over one transport at a given place; TLS with `certificate`.
class ReceiverAt : public ReceiverThread {
 public:
  ReceiverAt(forward::Transport transport, const Endpoint& at, const kit::SelfSigned* certificate = nullptr)
      : local(transport == forward::Transport::kUdp ? listen_udp(at) : listen_tcp(at, certificate)) {
    start();
  }
  const Endpoint local;
};

class DeliveryRig {
 public:
  explicit DeliveryRig(std::uint64_t ring_bytes = 64 << 20) : ring_bytes_(ring_bytes) { open(); }
  ~DeliveryRig() { close(); }

  void open() {
    forward::RingOptions options;
    options.path = folder.path + "/ring";
    options.size_bytes = ring_bytes_;
    ring = std::move(forward::Ring::open(options).value());
    cursors = std::move(forward::CursorStore::open(folder.path + "/cursors").value());
    forward::DeliveryParts parts{clock, random, *ring, *cursors, "node-1"};
    parts.stop_timeout_ms = stop_timeout_ms;
    parts.health_interval_ms = health_interval_ms;
    if (adjust) adjust(parts);
    delivery = std::move(forward::DeliveryLoop::create(std::move(parts)).value());
    delivery->start();
  }
  void close() {
    delivery.reset();  // flushes
    cursors.reset();
    ring.reset();
  }
  static forward::TargetSettings target(std::string id, forward::Transport transport, const Endpoint& to) {
    forward::TargetSettings t;
    t.id = t.name = std::move(id);
    t.transport = transport;
    t.host = to.address.text();
    t.port = to.port;
    t.max_message_bytes = 65507;
    return t;
  }
  std::string append() {
    forward::ZoneTime utc;
    const EventId id = EventId::make(random);
    const EventRecord record = forward::sample_event(id, "node-1", clock.unix_us(), utc);
    if (!ring->append(record)) return "";
    return id.text();
  }
  // Appends `n` events, few at a time: the next only when `count` messages more have come than before. A
  // datagram is dropped when a receiver's buffer is full, however well it is paced.
  std::vector<std::string> append_gently(int n, const std::function<std::size_t()>& count) {
    std::vector<std::string> ids;
    const std::size_t before = count();
    for (int i = 0; i < n; ++i) {
      ids.push_back(append());
      if (ids.size() % 20 == 0 && !wait_until([&] { return count() >= before + ids.size(); })) break;
    }
    wait_until([&] { return count() >= before + ids.size(); });
    return ids;
  }
  forward::TargetStatus status(const std::string& id) {
    for (auto& s : statuses())
      if (s.id == id) return s;
    return {};
  }
  std::vector<forward::TargetStatus> statuses() {
    std::promise<std::vector<forward::TargetStatus>> promise;
    delivery->status([&](std::vector<forward::TargetStatus> list) { promise.set_value(std::move(list)); });
    return promise.get_future().get();
  }
  bool up(const std::string& id) {
    return wait_until([&] { return status(id).state == "up"; });
  }

  TempFolder folder;
  kit::SystemClock clock;
  kit::SystemRandom random;
  std::unique_ptr<forward::Ring> ring;
  std::unique_ptr<forward::CursorStore> cursors;
  std::unique_ptr<forward::DeliveryLoop> delivery;
  std::int64_t stop_timeout_ms = 5000;
  std::int64_t health_interval_ms = 300'000;
  std::function<void(forward::DeliveryParts&)> adjust;  // for the next open()

 private:
  std::uint64_t ring_bytes_;
};

}  // namespace wafd::test
