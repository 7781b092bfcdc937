// Shared by the kit's tests: run a loop until something is so, and a handler that remembers.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "ingest/io/kit/connect.h"
#include "ingest/io/kit/listen.h"
#include "ingest/io/kit/loop.h"

namespace wafd::kit {

// Runs the loop on this thread until `so` holds; false after 10 s.
inline bool run_until(Loop& loop, const std::function<bool()>& so) {
  bool late = false;
  Timer deadline(loop, [&] {
    late = true;
    loop.stop();
  });
  deadline.start(10000);
  Timer look(loop, [&] {
    if (so()) loop.stop();
  });
  look.start(0, 1);
  if (!so()) loop.run();
  return !late;
}

struct Recorder final : StreamHandler {
  void on_open() noexcept override { open = true; }
  void on_data(std::string_view bytes) noexcept override {
    received += bytes;
    if (then) then(bytes);
  }
  void on_end(const StreamEnd& e) noexcept override {
    ended = true;
    end = e;
    if (at_end) at_end();
  }
  void on_writable() noexcept override { ++writable; }

  std::string received;
  bool open = false;
  bool ended = false;
  int writable = 0;
  StreamEnd end;
  std::function<void(std::string_view)> then;
  std::function<void()> at_end;
};

// A connected pair over loopback.
struct Pair {
  explicit Pair(Loop& loop, std::string unix_path = {}) {
    sockets = (unix_path.empty() ? ListenSockets::tcp(*Endpoint::parse("127.0.0.1:0"), 1)
                                 : ListenSockets::unix_stream(unix_path, 0600, 1))
                  .value();
    listener = std::make_unique<Listener>(loop, sockets.take(0), sockets.is_unix(),
                                          [this](std::unique_ptr<Stream> s) { server = std::move(s); });
    ConnectOptions options;
    options.to = sockets.local();
    options.unix_path = std::move(unix_path);
    connector = std::make_unique<Connector>(loop, options, [this](Result<std::unique_ptr<Stream>> r) {
      if (r) client = std::move(*r);
    });
    connected = run_until(loop, [this] { return server != nullptr && client != nullptr; });
  }
  Recorder at_server, at_client;  // outlive the streams
  ListenSockets sockets;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Connector> connector;
  std::unique_ptr<Stream> server, client;
  bool connected = false;
};

}  // namespace wafd::kit
