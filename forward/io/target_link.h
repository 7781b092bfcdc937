// One connection to a receiver, from its name to an open stream or datagram socket: resolve, connect, TLS,
// RELP.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "forward/io/dial.h"
#include "forward/io/tcp_facts.h"
#include "forward/protocol/relp_session.h"
#include "ingest/io/kit/tls.h"

namespace wafd::forward {

// Lives on the delivery loop. The destructor closes at once and calls nobody. Callbacks never come from
// within the constructor; `failed` comes at most once and is the last, and any but `resolved` may destroy the
// link.
class TargetLink final : private kit::StreamHandler {
 public:
  struct Callbacks {
    std::function<void()> resolved;
    std::function<void()> up;                     // may be written to; TLS: verified; RELP: opened
    std::function<void(std::string why)> failed;  // could not be made, was lost, or a datagram refused
    std::function<void()> writable;               // the stream's queue has become empty
    std::function<void()> answered;               // RELP: the session's window has changed
    // After end_writing(): the receiver has closed too, so its process has read everything. The last, like
    // failed.
    std::function<void()> left;
  };

  // With `tls` the handshake follows the connect; `tls_name` is verified.
  TargetLink(kit::Loop& loop, DialOptions options, std::shared_ptr<const kit::TlsContext> tls,
             std::string tls_name, Callbacks callbacks);
  ~TargetLink();
  TargetLink(const TargetLink&) = delete;
  TargetLink& operator=(const TargetLink&) = delete;

  void set_callbacks(Callbacks callbacks) { callbacks_ = std::move(callbacks); }  // not from within one

  bool is_up() const noexcept { return up_; }
  const Endpoint& peer() const noexcept { return link_.peer; }
  kit::Stream* stream() const noexcept { return link_.stream.get(); }  // none for datagrams
  kit::UdpSocket* datagrams() const noexcept { return link_.datagrams.get(); }
  const kit::TlsContext* tls() const noexcept { return tls_.get(); }
  RelpSession* relp() const noexcept { return relp_.get(); }  // RELP alone, once it is connected
  void end_writing();  // of a stream: FIN after everything; `left` or `failed` tells of the receiver's
  bool ending() const noexcept { return ending_; }
  void close_in_order();  // of a stream: FIN after everything; RELP: its close before

  // Of the stream: the bytes acknowledged since it is up, TLS: of ciphertext. None: not connected.
  std::optional<TcpFacts> facts() const noexcept;
  // TLS: bytes of ciphertext made since the last call, or since it is up.
  std::uint64_t take_wire_bytes() noexcept;

 private:
  void on_link(Link link);
  void open() noexcept;
  void tell_up() noexcept;
  void look_at_relp(bool sound) noexcept;
  void fail_with(std::string why) noexcept;
  void on_open() noexcept override { open(); }
  void on_data(std::string_view bytes) noexcept override;
  void on_end(const kit::StreamEnd& end) noexcept override;
  void on_writable() noexcept override;

  kit::Loop& loop_;
  const bool relp_wanted_;
  std::shared_ptr<const kit::TlsContext> tls_;
  std::string tls_name_;
  Callbacks callbacks_;
  Link link_;
  bool up_ = false, ending_ = false;
  std::uint64_t acked_base_ = 0;  // what tcp_info counts beside our messages
  std::uint64_t wire_seen_ = 0;
  std::unique_ptr<RelpSession> relp_;
  kit::Timer relp_timer_;       // for its limits of time
  kit::Timer handshake_timer_;  // of TLS
  std::unique_ptr<Dial> dial_;
};

}  // namespace wafd::forward
