// The sending process of the loss harness.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/forward/loss_parts.h"
#include "forward/format/sample_event.h"
#include "forward/io/delivery_loop.h"
#include "ingest/io/kit/system.h"

namespace wafd::bench {
namespace {

using namespace forward;

constexpr std::uint64_t kRingBytes = 256ull << 20;
constexpr const char* kTarget = "the-receiver";

std::atomic<bool> terminated{false};

EventId id_of(std::uint64_t number) {
  EventId id{};
  for (std::size_t i = 0; i < 8; ++i) id.bytes[i] = static_cast<std::uint8_t>(number >> (56 - 8 * i));
  return id;
}

// A file system of its own with room for the ring and little more, which is then filled up.
bool fill_disk(const std::string& folder) {
  if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  return ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=300m") == 0;
}

void fill_rest(const std::string& folder, Board& board) {
  const int fd = ::open((folder + "/filler").c_str(), O_WRONLY | O_CREAT, 0600);
  const std::string block(1 << 16, 'x');
  while (::write(fd, block.data(), block.size()) > 0) {
  }
  board.disk_full = ::write(fd, block.data(), block.size()) < 0 && errno == ENOSPC ? 1 : 0;
  ::close(fd);
}

TargetSettings target_of(const SenderSetup& setup) {
  TargetSettings t;
  t.id = t.name = kTarget;
  t.transport = setup.transport;
  t.host = "127.0.0.1";
  t.port = setup.port;
  t.max_message_bytes = 65507;
  if (setup.transport == Transport::kTls) t.tls.ca = "file:" + setup.ca_file;
  if (setup.transport == Transport::kKafka) t.kafka = {{"topic", setup.topic}, {"compression", "zstd"}};
  return t;
}

// Goes on behind the newest record: one that was appended but not yet counted is not appended again.
std::uint64_t next_number(const Ring& ring, std::uint64_t counted) {
  RingReader reader(ring);
  const auto newest = reader.read_before(ring.end(), 1, 1 << 20);
  if (newest.empty()) return counted;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number = number << 8 | newest[0].id.bytes[i];
  return std::max(counted, number + 1);
}

int send(const SenderSetup& setup, Board& board) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGTERM, [](int) { terminated = true; });
  if (setup.small_disk && !fill_disk(setup.folder)) return 3;
  kit::SystemClock clock;
  kit::SystemRandom random;
  auto cursors = CursorStore::open(setup.folder + "/cursors");
  if (!cursors) return 4;
  RingOptions options;
  options.path = setup.folder + "/ring";
  options.size_bytes = kRingBytes;
  options.min_next_seq = (*cursors)->max_seq();
  auto ring = Ring::open(options);
  if (!ring) return 5;
  if ((*ring)->recovery().dropped_bytes > 0 && !(*ring)->recovery().text.empty()) board.salvaged = 1;
  if (setup.small_disk) fill_rest(setup.folder, board);
  board.appended = next_number(**ring, board.appended);

  DeliveryParts parts{clock, random, **ring, **cursors, "node-1"};
  auto delivery = DeliveryLoop::create(std::move(parts));
  if (!delivery) return 6;
  (*delivery)->start();
  (*delivery)->apply({target_of(setup)});

  ZoneTime utc;
  auto last = std::chrono::steady_clock::now();
  auto looked = last;
  double due = 0;
  while (!terminated) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto now = std::chrono::steady_clock::now();
    due += static_cast<double>(board.rate) * std::chrono::duration<double>(now - last).count();
    last = now;
    due = std::min(due, 1000.0);  // after a pause of this process nothing is made up for
    for (; due >= 1 && board.appended < board.limit; due -= 1) {
      const EventRecord r = sample_event(id_of(board.appended), "node-1", clock.unix_us(), utc);
      if ((*ring)->append(r))
        ++board.appended;
      else
        ++board.errors;
    }
    if (board.appended >= board.limit) due = 0;
    if (now - looked < std::chrono::milliseconds(20)) continue;
    looked = now;
    (*delivery)->status([&board](const std::vector<TargetStatus>& list) {
      for (const auto& s : list) {
        board.sent = s.sent, board.resent = s.resent, board.acknowledged = s.acknowledged;
        board.lost = s.lost, board.lag = s.lag_events, board.reconnects = s.reconnects;
        board.ready = s.state == "up" ? 1 : 0;
      }
    });
  }
  (*delivery)->stop();
  return 0;
}

}  // namespace

WafdSender::WafdSender(SenderSetup setup) : setup_(std::move(setup)) {
  const std::string path = setup_.folder + ".board";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ::ftruncate(fd, sizeof(Board)) != 0) throw std::runtime_error("no board: " + path);
  void* at = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  ::unlink(path.c_str());
  if (at == MAP_FAILED) throw std::runtime_error("no board");
  board_ = new (at) Board;
}

WafdSender::~WafdSender() {
  stop(SIGKILL);
  ::munmap(board_, sizeof(Board));
}

// Forked while the harness may have threads (Kafka's mock cluster): the child uses none of their state, but a
// lock that one of them held at that moment stays locked in it. A child that does not come up is forked
// again.
void WafdSender::start() {
  for (int tries = 0; tries < 3; ++tries) {
    board_->ready = 0;
    std::fflush(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) std::_Exit(send(setup_, *board_));
    for (int i = 0; i < 6'000; ++i) {
      if (board_->ready != 0) return;
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        throw std::runtime_error("the sender ended with status " + std::to_string(WEXITSTATUS(status)));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    stop(SIGKILL);
  }
  throw std::runtime_error("the sender's connection did not come up");
}

void WafdSender::stop(int number) {
  if (pid_ <= 0) return;
  ::kill(pid_, number);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

}  // namespace wafd::bench
