// A stream connection as everything above it sees it: plain TCP, a Unix socket, or TLS over either.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "detect/core/ip_address.h"

namespace wafd::kit {

struct TlsInfo;

enum class StreamEndKind : std::uint8_t {
  kEof,    // the peer sends no more; writing may still work
  kIdle,   // nothing was read or written for the idle timeout
  kError,  // reset, TLS failure, ...
};

struct StreamEnd {
  StreamEndKind kind = StreamEndKind::kError;
  Error error;  // for kIdle and kError
};

// Called on the loop's thread. Any of these may destroy the stream.
class StreamHandler {
 public:
  virtual void on_open() noexcept {}  // TLS: the handshake is done; plain: never called
  virtual void on_data(std::string_view bytes) noexcept = 0;  // until the call returns
  virtual void on_end(const StreamEnd& end) noexcept = 0;     // at most once; no on_data after it
  virtual void on_writable() noexcept {}                      // the queue has become empty

 protected:
  ~StreamHandler() = default;
};

// Lives on one loop, used on its thread. The destructor closes at once and drops what is queued (unless
// close() was called: then that goes on by itself); no callback, also of write(), comes after it.
class Stream {
 public:
  virtual ~Stream() = default;
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Begins to read. The handler must outlive the stream. Call once, before anything else but the getters.
  virtual void start(StreamHandler& handler) = 0;
  virtual void pause() = 0;  // stops reading, so that TCP holds the peer back; idle time still runs
  virtual void resume() = 0;

  // Writes at once what the kernel takes and queues the rest. False: bytes wait already and these would make
  // them more than `max_queued_bytes`, or the stream is closed; nothing was taken. `done` tells when all of
  // it was given to the kernel (true) or will never be (false); never before write() has returned.
  virtual bool write(std::string bytes, std::function<void(bool written)> done = {}) = 0;
  // The same of several pieces, which are taken or copied before the call returns.
  virtual bool write_parts(std::span<const std::string_view> parts) {
    std::string all;
    for (const std::string_view part : parts) all += part;
    return write(std::move(all));
  }
  virtual std::size_t queued_bytes() const noexcept = 0;
  virtual void set_max_queued_bytes(std::size_t bytes) noexcept = 0;  // default 4 MiB
  // Bytes that went or wait to go into the socket since it exists; of TLS the ciphertext with its handshake.
  virtual std::uint64_t wire_bytes() const noexcept = 0;

  virtual void set_idle_timeout_ms(std::int64_t ms) = 0;  // 0: none, the default

  // Writes what is queued, says so to the peer (FIN, close_notify) and reads on: on_end() with kEof tells
  // that the peer's TCP has closed too, with kError that it has not done so in order. Nothing may be written
  // after it.
  virtual void end_writing() = 0;

  // Writes what is queued, says so to the peer (FIN, close_notify), reads and drops up to 2 s until the peer
  // has closed too (so that no reset overtakes the last answer), and closes. No callback but those of write()
  // after it.
  virtual void close() = 0;

  virtual std::optional<Endpoint> peer() const = 0;  // none for Unix sockets
  virtual std::optional<Endpoint> local() const = 0;
  virtual int descriptor() const noexcept = 0;  // of the socket, -1 once closed; for options alone
  // After on_open; in on_end also of a peer whose certificate was not believed.
  virtual const TlsInfo* tls() const noexcept { return nullptr; }
};

}  // namespace wafd::kit
