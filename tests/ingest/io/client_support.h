// A blocking client over a real socket, and a running ingest to talk to.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <future>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ingest/io/ingest.h"
#include "ingest/io/kit/system.h"
#include "tests/ingest/judge_support.h"

namespace wafd::ingest {

inline std::string section(unsigned first_byte, std::string_view data) {
  std::string out(1, static_cast<char>(first_byte));
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(data.size() >> shift & 0xff);
  return out.append(data);
}

// Every wait has a deadline of 10 s, after which the test fails.
class Client {
 public:
  explicit Client(const std::string& where, const std::string& from = {}) {
    if (where.starts_with("unix:")) {
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      std::memcpy(address.sun_path, where.data() + 5, where.size() - 5);
      fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      connected = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
      return;
    }
    const auto endpoint = Endpoint::parse(where).value();
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    if (!from.empty()) {
      ::inet_pton(AF_INET, from.c_str(), &address.sin_addr);
      ::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    }
    ::inet_pton(AF_INET, endpoint.address.text().c_str(), &address.sin_addr);
    address.sin_port = htons(endpoint.port);
    connected = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { ::close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  void shut() const { ::shutdown(fd_, SHUT_WR); }
  // Exactly `size` bytes, or what came before the end of the stream.
  std::string receive(std::size_t size) {
    while (received_.size() < size && read_some()) {
    }
    auto out = received_.substr(0, size);
    received_.erase(0, size);
    return out;
  }
  // One HTTP response with its body (Content-Length).
  std::string response() {
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos && read_some()) {
    }
    if (end == std::string::npos) return receive(received_.size());
    end += 4;
    const auto length = received_.find("Content-Length: ");
    if (length < end) end += std::stoul(received_.substr(length + 16));
    return receive(end);
  }
  bool closed() {
    while (read_some()) {
    }
    return end_;
  }
  bool connected = false;

 private:
  bool read_some() {
    pollfd wait{fd_, POLLIN, 0};
    if (end_) return false;
    if (::poll(&wait, 1, 10000) != 1) {
      ADD_FAILURE() << "nothing came within 10 s";
      return false;
    }
    char room[65536];
    const auto n = ::recv(fd_, room, sizeof room, 0);
    if (n <= 0) {
      end_ = true;
      return false;
    }
    received_.append(room, static_cast<std::size_t>(n));
    return true;
  }
  int fd_ = -1;
  bool end_ = false;
  std::string received_;
};

struct Running {
  explicit Running(IngestOptions o = {},
                   std::shared_ptr<const detect::Engine> engine = std::make_shared<WordEngine>())
      : options(std::move(o)) {
    if (options.workers == 0) options.workers = 2;
    if (options.t1k_listen && options.t1k_listen->port == 8700) options.t1k_listen->port = 0;
    if (options.http_listen && options.http_listen->port == 8701) options.http_listen->port = 0;
    auto opened =
        Ingest::open(options, {clock, random, sink, "node-1", {}, {}, [this] { return ready.load(); }, log},
                     std::move(engine), policy_of());
    EXPECT_TRUE(opened) << opened.error().what;
    ingest = std::move(*opened);
    ingest->start();
  }
  std::string t1k() const { return ingest->address(IngestListener::kT1k); }
  std::string http() const { return ingest->address(IngestListener::kHttp); }
  IngestCounters counters() const {
    std::promise<IngestCounters> promise;
    auto future = promise.get_future();
    ingest->counters([&](const IngestCounters& c) { promise.set_value(c); });
    return future.get();
  }
  // Looks until `so` holds; false after 10 s.
  template <class So>
  bool until(So so) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!so(counters())) {
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  }
  IngestOptions options;
  kit::SystemClock clock;
  kit::SystemRandom random;
  MemorySink sink;
  std::atomic<bool> ready{true};
  std::mutex log_mutex;
  std::vector<std::string> lines;
  std::function<void(const std::string&)> log = [this](const std::string& line) {
    const std::lock_guard lock(log_mutex);
    lines.push_back(line);
  };
  std::unique_ptr<Ingest> ingest;
};

}  // namespace wafd::ingest
