#include "bench/forward/loss_parts.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/real_receiver.h"

namespace wafd::bench {

std::string id_text(std::uint64_t number) { return fmt::format("{:016x}{:016x}", number, 0); }

std::uint64_t number_of(std::string_view message) {
  constexpr std::string_view kMember = "\"event_id\":\"";
  const std::size_t at = message.find(kMember);
  std::uint64_t number = UINT64_MAX;
  if (at == std::string_view::npos || message.size() < at + kMember.size() + 32) return number;
  const char* from = message.data() + at + kMember.size();
  const auto parsed = std::from_chars(from, from + 16, number, 16);
  return parsed.ptr == from + 16 ? number : UINT64_MAX;
}

void Arrivals::read() {
  std::ifstream file(path_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset_));
  std::string block(1 << 20, '\0');
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto n = static_cast<std::size_t>(file.gcount());
    offset_ += n;
    rest_.append(block, 0, n);
    std::size_t from = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', from)) {
      message(std::string_view(rest_).substr(from, end - from));
      from = end + 1;
    }
    rest_.erase(0, from);
  }
}

void Arrivals::message(std::string_view text) {
  const std::uint64_t number = number_of(text);
  if (number == UINT64_MAX) {
    constexpr std::string_view kCount = "\"count\":";
    const std::size_t at =
        text.find(" waf_gap ") == std::string_view::npos ? std::string_view::npos : text.find(kCount);
    std::uint64_t count = 0;
    if (at != std::string_view::npos)
      std::from_chars(text.data() + at + kCount.size(), text.data() + text.size(), count);
    gaps_ += count;
    return;
  }
  if (number >= 1ull << 32) return;  // not ours
  if (number >= seen_.size()) seen_.resize(number + 1);
  if (seen_[number]) {
    ++duplicates_;
    return;
  }
  seen_[number] = true;
  ++distinct_;
  if (any_ && number < highest_) ++disorder_;
  highest_ = std::max(highest_, number);
  any_ = true;
}

std::uint64_t Arrivals::missing(std::uint64_t expected) const {
  std::uint64_t missing = 0;
  for (std::uint64_t i = 0; i < expected; ++i) missing += i >= seen_.size() || !seen_[i] ? 1 : 0;
  return missing;
}

ResetProxy::ResetProxy(std::uint16_t to)
    : to_(to), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 8) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no port for the proxy");
  port = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

ResetProxy::~ResetProxy() {
  stop_ = true;
  thread_.join();
  ::close(listener_);
}

namespace {

// One connection through the proxy. The end of one direction is passed on and leaves the other open.
struct Passage {
  int side[2];                  // the sender's, the receiver's
  bool open[2] = {true, true};  // read from it on

  // Moves what `from` has. False: broken.
  bool move(int from) {
    std::array<char, 65536> room;
    const int to = side[1 - from];
    const ssize_t n = ::read(side[from], room.data(), room.size());
    if (n < 0) return false;
    if (n == 0) {
      open[from] = false;
      return ::shutdown(to, SHUT_WR) == 0;
    }
    for (ssize_t at = 0; at < n;) {
      const ssize_t w = ::send(to, room.data() + at, static_cast<std::size_t>(n - at), MSG_NOSIGNAL);
      if (w <= 0) return false;
      at += w;
    }
    return true;
  }
  void end(bool reset) {
    for (const int fd : side) {
      const linger now{1, 0};
      if (reset) ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
      if (fd >= 0) ::close(fd);
    }
  }
};

}  // namespace

// A broken side breaks the other: what one end of a connection learns, the other learns too.
void ResetProxy::serve() {
  std::vector<Passage> passages;
  while (!stop_) {
    std::vector<pollfd> waiting{{listener_, POLLIN, 0}};
    for (const Passage& p : passages)
      for (const int i : {0, 1}) waiting.push_back({p.open[i] ? p.side[i] : -1, POLLIN, 0});
    ::poll(waiting.data(), waiting.size(), 20);
    if (reset_.exchange(false)) {
      for (Passage& p : passages) p.end(true);
      passages.clear();
      continue;
    }
    for (std::size_t at = passages.size(); at-- > 0;) {
      Passage& p = passages[at];
      bool sound = true;
      for (const int i : {0, 1})
        sound = sound && (waiting[1 + 2 * at + static_cast<std::size_t>(i)].revents == 0 || p.move(i));
      if (sound && (p.open[0] || p.open[1])) continue;
      p.end(!sound);
      passages.erase(passages.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (waiting[0].revents == 0) continue;
    Passage p{{::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), test::connected_socket(to_)}};
    if (p.side[0] >= 0 && p.side[1] >= 0)
      passages.push_back(p);
    else
      p.end(true);
  }
  for (Passage& p : passages) p.end(false);
}

}  // namespace wafd::bench
