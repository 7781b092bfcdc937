#include "bench/forward/peer_feed.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <mutex>

#include "detect/core/record_json.h"
#include "forward/format/sample_event.h"

namespace wafd::bench {
namespace {

class WafdUnderTest final : public Sender {
 public:
  explicit WafdUnderTest(const SenderSetup& setup) : sender_(setup) { sender_.board().limit = 1ull << 31; }
  void start() override { sender_.start(); }
  void stop(int number) override { sender_.stop(number); }
  void load(std::uint64_t rate, std::uint64_t limit) override {
    sender_.board().limit = limit;
    sender_.board().rate = rate;
  }
  std::uint64_t appended() const override { return sender_.board().appended; }
  Board& board() override { return sender_.board(); }
  void spoil_unsent_page() override {
    // The end word of the live page (forward/ring/README.md) tells where the newest record ends; what is a
    // few pages before it still waits, since the receiver stood still.
    std::fstream file(sender_.setup().folder + "/ring", std::ios::in | std::ios::out | std::ios::binary);
    std::uint64_t end = 0;
    file.seekg(4096 + 64);
    file.read(reinterpret_cast<char*>(&end), sizeof end);
    const std::string garbage(4096, '\x5a');
    file.seekp(static_cast<std::streamoff>(8192 + (end / 4096 - 16) * 4096));
    file.write(garbage.data(), static_cast<std::streamsize>(garbage.size()));
  }

 private:
  mutable WafdSender sender_;
};

class PeerUnderTest final : public Sender {
 public:
  PeerUnderTest(PeerKind kind, const SenderSetup& setup) : sender_(kind, setup.folder, options_of(setup)) {}
  ~PeerUnderTest() override {
    ending_ = true;
    if (feeder_.joinable()) feeder_.join();
  }
  void start() override {
    sender_.start();
    paused_ = false;
    if (!feeder_.joinable()) feeder_ = std::thread([this] { feed(); });
  }
  void stop(int number) override {
    paused_ = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    sender_.stop(number);
  }
  void load(std::uint64_t rate, std::uint64_t limit) override {
    limit_ = limit;
    rate_ = rate;
  }
  std::uint64_t appended() const override { return appended_; }
  Board& board() override { return board_; }

 private:
  static SenderOptions options_of(const SenderSetup& setup) {
    std::ifstream ca(setup.ca_file);
    return {setup.transport, setup.port, std::string(std::istreambuf_iterator<char>(ca), {}), true};
  }
  void feed() {
    forward::ZoneTime utc;
    forward::MessageMaker maker(target(forward::Transport::kTcp, {}), "node-1", {});
    kit::SystemClock clock;
    int fd = -1;
    double due = 0;
    auto last = std::chrono::steady_clock::now();
    for (std::string frame; !ending_;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const auto now = std::chrono::steady_clock::now();
      due = std::min(due + static_cast<double>(rate_) * std::chrono::duration<double>(now - last).count(),
                     1000.0);
      last = now;
      if (paused_) {
        if (fd >= 0) ::close(fd);
        fd = -1;
        due = 0;
        continue;
      }
      if (fd < 0) fd = test::connected_socket(sender_.in);
      for (; fd >= 0 && due >= 1 && appended_ < limit_; due -= 1) {
        EventId id{};
        for (std::size_t i = 0; i < 8; ++i)
          id.bytes[i] = static_cast<std::uint8_t>(appended_ >> (56 - 8 * i));
        const EventRecord r = forward::sample_event(id, "node-1", clock.unix_us(), utc);
        forward::RecordView view;
        view.time_ms = r.time_ms;
        view.risk = r.risk;
        view.json = r.json;
        const forward::Message m = maker.event(view, 0);
        frame.clear();
        forward::append_frame(forward::Framing::kOctetCounting, m.header, m.content, frame);
        for (std::size_t at = 0; at < frame.size();) {
          const ssize_t n = ::send(fd, frame.data() + at, frame.size() - at, MSG_NOSIGNAL);
          if (n <= 0) {
            ::close(fd);
            fd = -1;
            break;
          }
          at += static_cast<std::size_t>(n);
        }
        if (fd >= 0) ++appended_;
      }
    }
    if (fd >= 0) ::close(fd);
  }

  RealSender sender_;
  Board board_;
  std::atomic<std::uint64_t> rate_{0}, limit_{1ull << 31}, appended_{0};
  std::atomic<bool> paused_{true}, ending_{false};
  std::thread feeder_;
};

}  // namespace

std::unique_ptr<Sender> make_sender(const std::string& name, const SenderSetup& setup) {
  if (name == "wafd") return std::make_unique<WafdUnderTest>(setup);
  if (name == "rsyslog") return std::make_unique<PeerUnderTest>(PeerKind::kRsyslog, setup);
  if (name == "syslog-ng") return std::make_unique<PeerUnderTest>(PeerKind::kSyslogNg, setup);
  throw std::runtime_error("--senders: expected wafd, rsyslog or syslog-ng, got " + name);
}

}  // namespace wafd::bench
