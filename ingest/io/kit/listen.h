// Listening sockets: bound once for N loops, then accepted from on each.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ingest/io/kit/loop.h"
#include "ingest/io/kit/stream.h"

namespace wafd::kit {

// Descriptors that listen at one place, one for each loop. A resource, movable until its descriptors are
// taken.
class ListenSockets {
 public:
  // Binds without SO_REUSEPORT first, so that a taken port is an error that names it; then one socket a loop
  // with SO_REUSEPORT, among which the kernel spreads connections. Port 0 picks a free one.
  static Result<ListenSockets> tcp(const Endpoint& at, std::size_t loops);
  // One descriptor, duplicated. A socket file that nobody listens on is replaced; it is removed on
  // destruction.
  static Result<ListenSockets> unix_stream(const std::string& path, unsigned mode, std::size_t loops);

  ListenSockets() = default;
  ListenSockets(ListenSockets&& other) noexcept;
  ListenSockets& operator=(ListenSockets&& other) noexcept;
  ~ListenSockets();  // closes what was not taken

  std::size_t size() const noexcept { return descriptors_.size(); }
  int take(std::size_t loop) noexcept;  // the caller owns it
  bool is_unix() const noexcept { return !path_.empty(); }
  const Endpoint& local() const noexcept { return local_; }  // TCP: with the real port
  std::string text() const;                                  // "127.0.0.1:8700" or "unix:/path"

 private:
  void clear() noexcept;

  std::vector<int> descriptors_;
  Endpoint local_;
  std::string path_;
};

// Accepts on one loop until destroyed. TCP connections get TCP_NODELAY and keepalive (60 s). When accepting
// fails, as without a free file descriptor, it rests for 100 ms; connections wait in the kernel's queue
// meanwhile.
class Listener {
 public:
  // Takes the descriptor. `on_accept` must not destroy the listener.
  Listener(Loop& loop, int descriptor, bool is_unix, std::function<void(std::unique_ptr<Stream>)> on_accept);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  struct Accepting;

  void listen() noexcept;
  void rest() noexcept;
  void stop_accepting() noexcept;

  Loop& loop_;
  int descriptor_;  // listens as long as this lives; libuv's handle owns a copy
  bool unix_;
  std::function<void(std::unique_ptr<Stream>)> on_accept_;
  Timer again_;
  Accepting* accepting_ = nullptr;  // null while it rests; freed by its close callback
};

}  // namespace wafd::kit
