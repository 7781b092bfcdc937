// Stream over a connected TCP or Unix socket.
#pragma once

#include <memory>

#include "ingest/io/kit/loop.h"
#include "ingest/io/kit/stream.h"

namespace wafd::kit {

struct SocketState;  // owns the uv handle; frees itself

enum class SocketKind : std::uint8_t { kTcp, kUnix };

// Made by Listener and Connector.
class SocketStream final : public Stream {
 public:
  explicit SocketStream(SocketState* state) noexcept;  // takes it
  ~SocketStream() override;

  // A handle not yet connected: uv_tcp_t or uv_pipe_t of the state.
  static SocketState* make_state(Loop& loop, SocketKind kind);
  static uv_stream_t* handle_of(SocketState* state) noexcept;
  static void destroy_state(SocketState* state) noexcept;

  void start(StreamHandler& handler) override;
  void pause() override;
  void resume() override;
  bool write_parts(std::span<const std::string_view> parts) override;
  bool write(std::string bytes, std::function<void(bool)> done) override;
  std::size_t queued_bytes() const noexcept override;
  void set_max_queued_bytes(std::size_t bytes) noexcept override;
  std::uint64_t wire_bytes() const noexcept override;
  void set_idle_timeout_ms(std::int64_t ms) override;
  void end_writing() override;
  void close() override;
  std::optional<Endpoint> peer() const override;
  std::optional<Endpoint> local() const override;
  int descriptor() const noexcept override;

 private:
  SocketState* state_;
};

// Text-free conversion of what the kernel tells; nothing for other families.
std::optional<Endpoint> endpoint_of(const sockaddr_storage& address) noexcept;
void to_sockaddr(const Endpoint& endpoint, sockaddr_storage& out) noexcept;

}  // namespace wafd::kit
