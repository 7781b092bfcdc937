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
      line(std::string_view(rest_).substr(from, end - from));
      from = end + 1;
    }
    rest_.erase(0, from);
  }
}

void Arrivals::line(std::string_view text) {
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

// One connection after the other.
void ResetProxy::serve() {
  while (!stop_) {
    pollfd waiting{listener_, POLLIN, 0};
    if (::poll(&waiting, 1, 20) <= 0) continue;
    const int in = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int out = test::connected_socket(to_);
    bool open = in >= 0 && out >= 0;
    std::array<char, 65536> room;
    while (open && !stop_ && !reset_) {
      pollfd both[2] = {{in, POLLIN, 0}, {out, POLLIN, 0}};
      ::poll(both, 2, 20);
      for (const auto& [from, to] : {std::pair{0, out}, std::pair{1, in}}) {
        if (both[from].revents == 0) continue;
        const ssize_t n = ::read(both[from].fd, room.data(), room.size());
        open = open && n > 0;
        for (ssize_t at = 0; open && at < n;) {
          const ssize_t w = ::send(to, room.data() + at, static_cast<std::size_t>(n - at), MSG_NOSIGNAL);
          open = w > 0;
          at += w;
        }
      }
    }
    if (reset_.exchange(false)) {
      const linger now{1, 0};
      ::setsockopt(in, SOL_SOCKET, SO_LINGER, &now, sizeof now);
      ::setsockopt(out, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    if (in >= 0) ::close(in);
    if (out >= 0) ::close(out);
  }
}

}  // namespace wafd::bench
