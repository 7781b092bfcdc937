// Parts of the loss harness: numbered events, the sender as a program of its own, what arrived, a connection
// that is reset in the middle.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "detect/core/ip_address.h"
#include "forward/target/target_settings.h"

namespace wafd::bench {

// Event ids of the harness are numbers, so that what is missing, twice or out of order is seen without a
// list.
std::string id_text(std::uint64_t number);  // 32 hex digits
// The number in a message's member event_id; UINT64_MAX: it is none of ours.
std::uint64_t number_of(std::string_view message);

// Shared between the harness and the sender's process: a mapped file, so that it outlives both.
struct Board {
  std::atomic<std::uint64_t> rate{0};      // events a second to append, 0: none
  std::atomic<std::uint64_t> limit{0};     // not beyond that many in all
  std::atomic<std::uint64_t> appended{0};  // numbers 0 .. appended-1 were taken by the ring
  std::atomic<std::uint64_t> ready{0};     // 1: the target's connection is up
  std::atomic<std::uint64_t> sent{0}, resent{0}, acknowledged{0}, lost{0}, lag{0}, reconnects{0};
  std::atomic<std::uint64_t> errors{0};  // events that the ring did not take
  std::atomic<std::uint64_t> disk_full{0};
  std::atomic<std::uint64_t> salvaged{0};  // 1: opening the ring found damage and said so
  std::array<char, 256> state{};           // the target's, with its last error; ends with NUL
};

struct SenderSetup {
  std::string folder;  // of ring, cursors, board
  forward::Transport transport = forward::Transport::kTcp;
  std::uint16_t port = 0;
  std::string ca_file;      // of TLS
  std::string topic;        // of Kafka
  bool small_disk = false;  // the folder is a small file system of its own, and full
};

// wafd's delivery over a ring that is filled at a rate, in a process of its own.
class WafdSender {
 public:
  explicit WafdSender(SenderSetup setup);
  ~WafdSender();
  WafdSender(const WafdSender&) = delete;
  WafdSender& operator=(const WafdSender&) = delete;

  void start();           // waits until the connection is up
  void stop(int number);  // SIGKILL, or SIGTERM: a clean stop
  Board& board() noexcept { return *board_; }
  const SenderSetup& setup() const noexcept { return setup_; }

 private:
  SenderSetup setup_;
  Board* board_ = nullptr;
  int board_fd_ = -1;  // the child inherits it
  pid_t pid_ = -1;
};

// For main() before anything else: WafdSender's process is the same program, started with arguments of its
// own. Its exit status, or -1: these are no such arguments.
int run_as_sender(int argc, char** argv);

// A receiver's output file, read as it grows.
class Arrivals {
 public:
  explicit Arrivals(std::string path) : path_(std::move(path)) {}
  void read();
  void message(std::string_view text);  // one that came another way
  std::uint64_t distinct() const noexcept { return distinct_; }
  std::uint64_t duplicates() const noexcept { return duplicates_; }
  std::uint64_t gaps() const noexcept { return gaps_; }  // events that waf_gap messages tell of
  std::uint64_t disorder() const noexcept { return disorder_; }
  std::uint64_t missing(std::uint64_t expected) const;  // of the numbers below

 private:
  std::string path_, rest_;
  std::uint64_t offset_ = 0, distinct_ = 0, duplicates_ = 0, gaps_ = 0, disorder_ = 0, highest_ = 0;
  bool any_ = false;
  std::vector<bool> seen_;
};

// Passes connections on to a port, until all of them are reset at both ends.
class ResetProxy {
 public:
  explicit ResetProxy(std::uint16_t to);
  ~ResetProxy();
  ResetProxy(const ResetProxy&) = delete;
  ResetProxy& operator=(const ResetProxy&) = delete;
  std::uint16_t port = 0;
  void reset() { reset_ = true; }

 private:
  void serve();
  std::uint16_t to_;
  int listener_ = -1;
  std::atomic<bool> reset_{false}, stop_{false};
  std::thread thread_;
};

}  // namespace wafd::bench
