#include "ingest/io/kit/socket_stream.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <netinet/in.h>

#include "ingest/io/kit/uv_error.h"

namespace wafd::kit {
namespace {

constexpr std::int64_t kLingerMs = 2000;
constexpr std::size_t kDefaultMaxQueued = 4u << 20;

}  // namespace

struct SocketState final : LoopHandle {
  struct WriteRequest {
    uv_write_t request{};
    SocketState* state = nullptr;
    std::string bytes;
    std::function<void(bool)> done;
  };

  union {
    uv_tcp_t tcp;
    uv_pipe_t pipe;
    uv_stream_t stream;
    uv_handle_t handle;
  } u{};
  uv_timer_t timer{};  // idle time, later linger time
  uv_shutdown_t shutdown{};
  Loop* loop = nullptr;
  StreamHandler* handler = nullptr;
  bool attached = true;  // a SocketStream owns this
  bool reading = false;
  bool ended = false;        // on_end was called
  bool write_ended = false;  // end_writing() was called
  bool finishing = false;    // close() was called
  bool closing = false;      // uv_close() was called
  int open_handles = 2;
  std::size_t max_queued = kDefaultMaxQueued;
  std::uint64_t wire_bytes = 0;
  std::int64_t idle_timeout_ms = 0;
  std::int64_t active_ms = 0;

  SocketState(Loop& l, SocketKind kind) : loop(&l) {
    if (kind == SocketKind::kTcp) {
      uv_tcp_init(l.uv(), &u.tcp);
    } else {
      uv_pipe_init(l.uv(), &u.pipe, 0);
    }
    uv_timer_init(l.uv(), &timer);
    u.handle.data = static_cast<LoopHandle*>(this);
    timer.data = nullptr;
    active_ms = l.turn_start_ms();
  }

  static SocketState* of(const void* data) noexcept {
    return static_cast<SocketState*>(static_cast<LoopHandle*>(const_cast<void*>(data)));
  }

  void loop_closing() noexcept override { close_now(); }

  void close_now() noexcept {
    if (closing) return;
    closing = true;
    handler = nullptr;
    timer.data = static_cast<LoopHandle*>(this);
    const auto closed = [](uv_handle_t* h) noexcept {
      auto* state = of(h->data);
      if (--state->open_handles == 0 && !state->attached) delete state;
    };
    uv_close(&u.handle, closed);
    uv_close(reinterpret_cast<uv_handle_t*>(&timer), closed);
  }

  void detach() noexcept {
    attached = false;
    handler = nullptr;
    if (open_handles == 0) {
      delete this;
    } else if (!finishing) {
      close_now();
    }
  }

  void start_reading() noexcept {
    if (reading || ended || closing) return;
    reading = true;
    uv_read_start(
        &u.stream,
        [](uv_handle_t* h, std::size_t, uv_buf_t* buffer) noexcept {
          const auto room = of(h->data)->loop->read_buffer();
          *buffer = uv_buf_init(room.data(), static_cast<unsigned>(room.size()));
        },
        [](uv_stream_t* s, ssize_t n, const uv_buf_t* buffer) noexcept {
          of(s->data)->on_read(n, buffer->base);
        });
  }

  void stop_reading() noexcept {
    reading = false;
    if (!closing) uv_read_stop(&u.stream);
  }

  void on_read(ssize_t n, const char* bytes) noexcept {
    if (n == 0) return;
    active_ms = loop->turn_start_ms();
    if (finishing) {
      if (n < 0) close_now();
      return;
    }
    if (n > 0) {
      if (handler != nullptr) handler->on_data({bytes, static_cast<std::size_t>(n)});
      return;
    }
    stop_reading();
    if (n == UV_EOF) {
      end({StreamEndKind::kEof, {}});
    } else {
      end({StreamEndKind::kError, uv_error(static_cast<int>(n), "read")});
    }
  }

  void end(const StreamEnd& why) noexcept {
    if (ended || handler == nullptr) return;
    ended = true;
    handler->on_end(why);
  }

  void arm_idle_timer() noexcept {
    if (closing || finishing) return;
    if (idle_timeout_ms == 0) {
      uv_timer_stop(&timer);
      return;
    }
    timer.data = static_cast<LoopHandle*>(this);
    const auto left = active_ms + idle_timeout_ms - loop->turn_start_ms();
    uv_timer_start(
        &timer,
        [](uv_timer_t* t) noexcept {
          auto* state = of(t->data);
          if (state->active_ms + state->idle_timeout_ms > state->loop->turn_start_ms()) {
            state->arm_idle_timer();
          } else {
            state->end({StreamEndKind::kIdle, Error{ErrorCode::kIo, 0, "idle for too long"}});
          }
        },
        static_cast<std::uint64_t>(left > 0 ? left : 1), 0);
  }

  bool write(std::string bytes, std::function<void(bool)> done) {
    if (closing || finishing || write_ended) return false;
    const auto waiting = uv_stream_get_write_queue_size(&u.stream);
    if (waiting != 0 && waiting + bytes.size() > max_queued) return false;
    active_ms = loop->turn_start_ms();
    std::size_t written = 0;
    if (waiting == 0 && !bytes.empty() && !done) {
      auto buffer = uv_buf_init(bytes.data(), static_cast<unsigned>(bytes.size()));
      const int n = uv_try_write(&u.stream, &buffer, 1);
      if (n > 0) written = static_cast<std::size_t>(n);
      wire_bytes += written;
      if (written == bytes.size()) return true;
      bytes.erase(0, written);  // an error other than "would block" comes back from uv_write
    }
    return queue(std::move(bytes), std::move(done));
  }

  bool queue(std::string bytes, std::function<void(bool)> done) {
    active_ms = loop->turn_start_ms();
    auto* w = new WriteRequest{{}, this, std::move(bytes), std::move(done)};
    w->request.data = w;
    auto buffer = uv_buf_init(w->bytes.data(), static_cast<unsigned>(w->bytes.size()));
    const int rc = uv_write(&w->request, &u.stream, &buffer, 1,
                            [](uv_write_t* r, int status) noexcept { written_callback(r, status); });
    if (rc != 0) {
      delete w;
      return false;
    }
    wire_bytes += w->bytes.size();
    return true;
  }

  bool write_parts(std::span<const std::string_view> parts) {
    std::size_t size = 0;
    for (const std::string_view part : parts) size += part.size();
    if (closing || finishing || write_ended) return false;
    const auto waiting = uv_stream_get_write_queue_size(&u.stream);
    if (waiting != 0 && waiting + size > max_queued) return false;
    std::size_t written = 0;
    constexpr std::size_t kMost = 1024;  // IOV_MAX
    while (waiting == 0 && !parts.empty()) {
      std::array<uv_buf_t, kMost> buffers;
      const std::size_t count = std::min(parts.size(), kMost);
      std::size_t offered = 0;
      for (std::size_t i = 0; i < count; ++i) {  // libuv does not change what it writes
        buffers[i] = uv_buf_init(const_cast<char*>(parts[i].data()), static_cast<unsigned>(parts[i].size()));
        offered += parts[i].size();
      }
      const int n = uv_try_write(&u.stream, buffers.data(), static_cast<unsigned>(count));
      if (n > 0) written = static_cast<std::size_t>(n);
      if (written != offered) break;
      wire_bytes += written;
      active_ms = loop->turn_start_ms();
      parts = parts.subspan(count);
      size -= written;
      written = 0;
    }
    if (parts.empty()) return true;
    wire_bytes += written;
    std::string rest;
    rest.reserve(size - written);
    for (const std::string_view part : parts) {
      const std::size_t done = std::min(written, part.size());
      rest += part.substr(done);
      written -= done;
    }
    return queue(std::move(rest), {});
  }

  static void written_callback(uv_write_t* request, int status) noexcept {
    const std::unique_ptr<WriteRequest> w(static_cast<WriteRequest*>(request->data));
    auto* state = w->state;
    state->active_ms = state->loop->turn_start_ms();
    if (!state->attached && !state->finishing) return;  // the owner has gone
    if (w->done && state->attached) w->done(status == 0);
    if (state->closing || state->handler == nullptr || state->finishing) return;
    if (status < 0) {
      state->stop_reading();
      state->end({StreamEndKind::kError, uv_error(status, "write")});
    } else if (uv_stream_get_write_queue_size(&state->u.stream) == 0) {
      state->handler->on_writable();
    }
  }

  void end_writing() noexcept {
    if (write_ended || finishing || closing) return;
    write_ended = true;
    shutdown.data = this;
    const int rc = uv_shutdown(&shutdown, &u.stream, [](uv_shutdown_t* request, int status) noexcept {
      auto* state = static_cast<SocketState*>(request->data);
      if (status < 0 && !state->closing) state->end({StreamEndKind::kError, uv_error(status, "shutdown")});
    });
    if (rc != 0) write_ended = false;  // not connected any more: reading tells why
  }

  void finish() noexcept {
    if (finishing || closing) return;
    finishing = true;
    handler = nullptr;
    if (write_ended) {  // the request is in use, and says nothing that matters now
      if (ended) return close_now();
    } else {
      shutdown.data = this;
      const int rc = uv_shutdown(&shutdown, &u.stream, [](uv_shutdown_t* request, int status) noexcept {
        auto* state = static_cast<SocketState*>(request->data);
        if (status < 0 || state->ended) state->close_now();
      });
      if (rc != 0) return close_now();
    }
    if (!ended) start_reading();
    // A peer that takes nothing must not hold this for ever: the whole farewell has one deadline.
    timer.data = static_cast<LoopHandle*>(this);
    uv_timer_start(
        &timer, [](uv_timer_t* t) noexcept { of(t->data)->close_now(); }, kLingerMs, 0);
  }
};

SocketStream::SocketStream(SocketState* state) noexcept : state_(state) {}
SocketStream::~SocketStream() { state_->detach(); }

SocketState* SocketStream::make_state(Loop& loop, SocketKind kind) { return new SocketState(loop, kind); }
uv_stream_t* SocketStream::handle_of(SocketState* state) noexcept { return &state->u.stream; }
void SocketStream::destroy_state(SocketState* state) noexcept { state->detach(); }

void SocketStream::start(StreamHandler& handler) {
  state_->handler = &handler;
  state_->start_reading();
}

void SocketStream::pause() { state_->stop_reading(); }
void SocketStream::resume() { state_->start_reading(); }

bool SocketStream::write(std::string bytes, std::function<void(bool)> done) {
  return state_->write(std::move(bytes), std::move(done));
}

bool SocketStream::write_parts(std::span<const std::string_view> parts) { return state_->write_parts(parts); }

std::size_t SocketStream::queued_bytes() const noexcept {
  return state_->closing ? 0 : uv_stream_get_write_queue_size(&state_->u.stream);
}

void SocketStream::set_max_queued_bytes(std::size_t bytes) noexcept { state_->max_queued = bytes; }
std::uint64_t SocketStream::wire_bytes() const noexcept { return state_->wire_bytes; }

void SocketStream::set_idle_timeout_ms(std::int64_t ms) {
  state_->idle_timeout_ms = ms;
  state_->active_ms = state_->loop->turn_start_ms();
  state_->arm_idle_timer();
}

void SocketStream::end_writing() { state_->end_writing(); }
void SocketStream::close() { state_->finish(); }

std::optional<Endpoint> SocketStream::peer() const {
  sockaddr_storage address{};
  int size = sizeof address;
  if (state_->closing || state_->u.handle.type != UV_TCP ||
      uv_tcp_getpeername(&state_->u.tcp, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return std::nullopt;
  return endpoint_of(address);
}

std::optional<Endpoint> SocketStream::local() const {
  sockaddr_storage address{};
  int size = sizeof address;
  if (state_->closing || state_->u.handle.type != UV_TCP ||
      uv_tcp_getsockname(&state_->u.tcp, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return std::nullopt;
  return endpoint_of(address);
}

int SocketStream::descriptor() const noexcept {
  uv_os_fd_t fd = -1;
  if (state_->closing || uv_fileno(&state_->u.handle, &fd) != 0) return -1;
  return fd;
}

std::optional<Endpoint> endpoint_of(const sockaddr_storage& address) noexcept {
  Endpoint out;
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &v4.sin_addr, 4);
    out.address = IpAddress::from_v4(bytes);
    out.port = ntohs(v4.sin_port);
    return out;
  }
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    std::memcpy(out.address.bytes.data(), &v6.sin6_addr, 16);
    out.port = ntohs(v6.sin6_port);
    return out;
  }
  return std::nullopt;
}

void to_sockaddr(const Endpoint& endpoint, sockaddr_storage& out) noexcept {
  out = {};
  if (endpoint.address.is_v4()) {
    auto& v4 = reinterpret_cast<sockaddr_in&>(out);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(endpoint.port);
    std::memcpy(&v4.sin_addr, endpoint.address.bytes.data() + 12, 4);
  } else {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(out);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(endpoint.port);
    std::memcpy(&v6.sin6_addr, endpoint.address.bytes.data(), 16);
  }
}

}  // namespace wafd::kit
