// The limit: the same messages given to the system by the barest loops there are.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/forward/bench_kit.h"
#include "ingest/io/kit/tls.h"

namespace wafd::bench {

// Every message of the ring as it goes over the wire, one behind the other in memory: datagrams bare, streams
// with their byte count.
struct Frames {
  Frames(const forward::Ring& ring, forward::Transport transport);
  std::string bytes;
  std::vector<std::string_view> each;
};

// Takes datagrams, bytes or TLS on loopback and drops them, on a thread of its own.
class Drain {
 public:
  Drain(forward::Transport transport, const kit::SelfSigned& certificate);
  ~Drain();
  Drain(const Drain&) = delete;
  Drain& operator=(const Drain&) = delete;

  Endpoint at;
  std::atomic<std::uint64_t> bytes{0};  // taken so far; of TLS, of plaintext

  int connected() const;  // a socket connected to it

 private:
  void gulp(std::vector<char>& room);
  void serve_tls(int descriptor);
  forward::Transport transport_;
  const kit::SelfSigned& certificate_;
  int fd_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// CPU seconds of the calling thread for all frames: send() each; writev() of 64; SSL_write() of 16 KiB, which
// makes full records, straight to the socket.
double bare_send(const Frames& frames, const Drain& drain);
double bare_writev(const Frames& frames, const Drain& drain);
double bare_tls(const Frames& frames, const Drain& drain);

}  // namespace wafd::bench
