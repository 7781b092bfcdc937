// Takes syslog over UDP and TCP and hands on each message: the receiving end, for `wafd receive` and the
// tests.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <uv.h>

#include "forward/protocol/framing.h"
#include "ingest/io/kit/listen.h"
#include "ingest/io/kit/loop.h"
#include "ingest/io/kit/stream.h"
#include "ingest/io/kit/tls.h"

namespace wafd::forward {

// One message, without framing; the view is sound until the call returns.
using OnMessage = std::function<void(std::string_view message)>;
// One line for people about a peer that broke the framing.
using OnComplaint = std::function<void(const std::string& text)>;

class UdpReceiver {
 public:
  // An empty datagram is no message and is left out. Port 0 picks a free one.
  static Result<std::unique_ptr<UdpReceiver>> open(kit::Loop& loop, const Endpoint& at, OnMessage on_message);
  ~UdpReceiver();
  UdpReceiver(const UdpReceiver&) = delete;
  UdpReceiver& operator=(const UdpReceiver&) = delete;

  Endpoint local() const;

 private:
  struct State;
  explicit UdpReceiver(State* state) : state_(state) {}
  State* state_;
};

// With `tls`, its server side. Byte counting or LF, told apart frame by frame (framing.h). Up to 256
// connections; more are closed at once.
class TcpReceiver {
 public:
  static Result<std::unique_ptr<TcpReceiver>> open(kit::Loop& loop, const Endpoint& at, OnMessage on_message,
                                                   OnComplaint on_complaint,
                                                   std::shared_ptr<const kit::TlsContext> tls = nullptr);
  ~TcpReceiver();
  TcpReceiver(const TcpReceiver&) = delete;
  TcpReceiver& operator=(const TcpReceiver&) = delete;

  const Endpoint& local() const noexcept { return sockets_.local(); }

 private:
  class Connection;
  TcpReceiver() = default;
  void forget(Connection* connection);

  kit::Loop* loop_ = nullptr;
  OnMessage on_message_;
  OnComplaint on_complaint_;
  std::shared_ptr<const kit::TlsContext> tls_;
  kit::ListenSockets sockets_;
  std::unique_ptr<kit::Listener> listener_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

// One line for a terminal: control bytes (C0, DEL, C1) and what is not UTF-8 become `\n`, `\t`, `\r` or
// `\xnn`; everything else, backslashes too, stays, so that the JSON in a message can be read from the line.
std::string one_line(std::string_view message);

}  // namespace wafd::forward
