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
#include <fmt/format.h>
#include <sched.h>
#include <spawn.h>
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
constexpr const char* kSenderCommand = "send-as-child";

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
        board.state = {};
        fmt::format_to_n(board.state.begin(), board.state.size() - 1, "{} {}", s.state, s.last_error);
      }
    });
  }
  (*delivery)->stop();
  return 0;
}

}  // namespace

int run_as_sender(int argc, char** argv) {
  if (argc != 9 || std::string_view(argv[1]) != kSenderCommand) return -1;
  SenderSetup setup;
  setup.folder = argv[3];
  for (const Transport t : {Transport::kTcp, Transport::kTls, Transport::kRelp, Transport::kKafka})
    if (argv[4] == std::string_view(forward::to_string(t))) setup.transport = t;
  setup.port = static_cast<std::uint16_t>(std::atoi(argv[5]));
  setup.ca_file = argv[6];
  setup.topic = argv[7];
  setup.small_disk = argv[8][0] != '\0';
  void* at = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, std::atoi(argv[2]), 0);
  if (at == MAP_FAILED) return 7;
  return send(setup, *static_cast<Board*>(at));
}

WafdSender::WafdSender(SenderSetup setup) : setup_(std::move(setup)) {
  const std::string path = setup_.folder + ".board";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ::ftruncate(fd, sizeof(Board)) != 0) throw std::runtime_error("no board: " + path);
  void* at = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::unlink(path.c_str());
  if (at == MAP_FAILED) throw std::runtime_error("no board");
  board_fd_ = fd;
  board_ = new (at) Board;
}

WafdSender::~WafdSender() {
  stop(SIGKILL);
  ::munmap(board_, sizeof(Board));
  ::close(board_fd_);
}

// The child is this program anew: a mere fork of a process that has threads (Kafka's mock cluster, the proxy)
// keeps the locks that they held at that moment.
void WafdSender::start() {
  board_->ready = 0;
  const std::vector<std::string> words{kSenderCommand,
                                       std::to_string(board_fd_),
                                       setup_.folder,
                                       forward::to_string(setup_.transport),
                                       std::to_string(setup_.port),
                                       setup_.ca_file,
                                       setup_.topic,
                                       setup_.small_disk ? "small" : ""};
  std::vector<char*> arguments{const_cast<char*>("/proc/self/exe")};
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  if (::posix_spawn(&pid_, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0)
    throw std::runtime_error("the sender cannot be started");
  for (int i = 0; i < 12'000; ++i) {
    if (board_->ready != 0) return;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      throw std::runtime_error("the sender ended with status " + std::to_string(WEXITSTATUS(status)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  stop(SIGKILL);
  throw std::runtime_error(std::string("the sender's connection did not come up: ") + board_->state.data());
}

void WafdSender::stop(int number) {
  if (pid_ <= 0) return;
  ::kill(pid_, number);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

}  // namespace wafd::bench
