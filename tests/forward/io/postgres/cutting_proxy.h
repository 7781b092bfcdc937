// Between a client and PostgreSQL: passes bytes on until it is told where to cut the connection, and may say
// that the server is of another version.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/real_receiver.h"

namespace wafd::test {

class CuttingProxy {
 public:
  enum class Cut {
    kNone,
    kInCopy,        // behind some bytes of COPY's rows
    kBeforeCommit,  // the statement that commits never arrives
    kBeforeAnswer,  // it arrives, and nobody hears what became of it
    kForGood,       // the same, and nobody comes through any more
  };

  explicit CuttingProxy(std::uint16_t to)
      : to_(to), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    listen(listener_, 16);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~CuttingProxy() {
    ending_ = true;
    thread_.join();
    for (Pair& pair : pairs_) pair.close();
    close(listener_);
  }
  std::uint16_t port() const { return port_; }
  void arm(Cut cut) { cut_ = cut; }  // one time
  int cuts() const { return cuts_; }
  // Of two digits, which the server's own stand for.
  void pretend_version(std::string major) { version_ = std::move(major); }  // before the first connection

 private:
  struct Pair {
    int client, server;
    bool committing = false;
    void close() {
      ::close(client);
      ::close(server);
      client = server = -1;
    }
  };

  void run() {
    while (!ending_) {
      std::vector<pollfd> all{{listener_, POLLIN, 0}};
      for (const Pair& pair : pairs_) {
        all.push_back({pair.client, POLLIN, 0});
        all.push_back({pair.server, POLLIN, 0});
      }
      if (::poll(all.data(), all.size(), 20) <= 0) continue;
      for (std::size_t i = 0; i < pairs_.size(); ++i) {
        if (all[1 + 2 * i].revents != 0) from_client(pairs_[i]);
        if (pairs_[i].client >= 0 && all[2 + 2 * i].revents != 0) from_server(pairs_[i]);
      }
      std::erase_if(pairs_, [](const Pair& pair) { return pair.client < 0; });
      if (all[0].revents != 0) take();
    }
  }
  void take() {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int server = gone_ ? -1 : connected_socket(to_);
    if (server < 0) {
      ::close(client);
      return;
    }
    pairs_.push_back({client, server});
  }
  void cut(Pair& pair) {
    cut_ = Cut::kNone;
    ++cuts_;  // before anybody can see it
    pair.close();
  }
  static bool pass(int to, const char* bytes, std::size_t size) {
    for (std::size_t at = 0; at < size;) {
      const ssize_t sent = send(to, bytes + at, size - at, MSG_NOSIGNAL);
      if (sent <= 0) return false;
      at += static_cast<std::size_t>(sent);
    }
    return true;
  }
  void from_client(Pair& pair) {
    char bytes[16384];
    const ssize_t got = recv(pair.client, bytes, sizeof bytes, 0);
    if (got <= 0) return pair.close();
    const std::string_view text(bytes, static_cast<std::size_t>(got));
    constexpr std::string_view kAlone("COMMIT\0", 7);  // behind five bytes that begin a message
    const bool commits = (text.find("; COMMIT") != text.npos && text.find("INSERT INTO") != text.npos) ||
                         (text.size() == kAlone.size() + 5 && text.ends_with(kAlone));
    const Cut cut_here = cut_;
    if (cut_here == Cut::kInCopy && text.find("event\t") != text.npos) {
      pass(pair.server, bytes, text.size() / 2);
      return cut(pair);
    }
    if (cut_here == Cut::kBeforeCommit && commits) return cut(pair);
    if ((cut_here == Cut::kBeforeAnswer || cut_here == Cut::kForGood) && commits) pair.committing = true;
    if (!pass(pair.server, bytes, text.size())) pair.close();
  }
  void from_server(Pair& pair) {
    char bytes[16384];
    const ssize_t got = recv(pair.server, bytes, sizeof bytes, 0);
    if (got <= 0) return pair.close();
    if (pair.committing) {
      if (cut_ == Cut::kForGood) gone_ = true;
      return cut(pair);
    }
    constexpr std::string_view kVersion("server_version\0", 15);
    const std::size_t at = std::string_view(bytes, static_cast<std::size_t>(got)).find(kVersion);
    if (!version_.empty() && at != std::string_view::npos) version_.copy(bytes + at + kVersion.size(), 2);
    if (!pass(pair.client, bytes, static_cast<std::size_t>(got))) pair.close();
  }

  const std::uint16_t to_;
  const int listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> ending_ = false;
  std::atomic<Cut> cut_ = Cut::kNone;
  bool gone_ = false;  // of the thread
  std::atomic<int> cuts_ = 0;
  std::string version_;
  std::vector<Pair> pairs_;
  std::thread thread_;
};

}  // namespace wafd::test
