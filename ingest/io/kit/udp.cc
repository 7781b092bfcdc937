#include "ingest/io/kit/udp.h"

#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>

#include "ingest/io/kit/socket_stream.h"
#include "ingest/io/kit/uv_error.h"

namespace wafd::kit {

struct UdpSocket::State final : LoopHandle {
  State(Loop& l, std::string d, std::function<void(const Error&)> f)
      : loop(l),
        doing(std::move(d)),
        on_error(std::make_shared<std::function<void(const Error&)>>(std::move(f))) {
    uv_udp_init(l.uv(), &udp);
    udp.data = static_cast<LoopHandle*>(this);
  }
  static State* of(const void* data) noexcept {
    return static_cast<State*>(static_cast<LoopHandle*>(const_cast<void*>(data)));
  }
  void loop_closing() noexcept override {
    uv_close(reinterpret_cast<uv_handle_t*>(&udp), [](uv_handle_t* h) noexcept { delete of(h->data); });
  }
  Loop& loop;
  std::string doing;
  std::string joined;  // a datagram's pieces
  std::shared_ptr<std::function<void(const Error&)>>
      on_error;  // shared: it may destroy the socket while it runs
  uv_udp_t udp{};
};

Result<std::unique_ptr<UdpSocket>> UdpSocket::connect(Loop& loop, const Endpoint& to,
                                                      std::optional<IpAddress> source,
                                                      std::function<void(const Error&)> on_error) {
  std::unique_ptr<UdpSocket> out(
      new UdpSocket(new State(loop, fmt::format("send to {}", to.text()), std::move(on_error))));
  auto& udp = out->state_->udp;
  sockaddr_storage address{};
  if (source) {
    to_sockaddr({*source, 0}, address);
    if (const int rc = uv_udp_bind(&udp, reinterpret_cast<const sockaddr*>(&address), 0); rc != 0)
      return tl::unexpected(uv_error(rc, fmt::format("bind to {}", source->text())));
  }
  to_sockaddr(to, address);
  if (const int rc = uv_udp_connect(&udp, reinterpret_cast<const sockaddr*>(&address)); rc != 0)
    return tl::unexpected(uv_error(rc, fmt::format("send to {}", to.text())));
  // Nothing is expected to arrive; reading is what makes the kernel tell of ICMP errors.
  uv_udp_recv_start(
      &udp,
      [](uv_handle_t* h, std::size_t, uv_buf_t* buffer) noexcept {
        const auto room = State::of(h->data)->loop.read_buffer();
        *buffer = uv_buf_init(room.data(), static_cast<unsigned>(room.size()));
      },
      [](uv_udp_t* socket, ssize_t n, const uv_buf_t*, const sockaddr*, unsigned) noexcept {
        if (n >= 0) return;
        const auto* state = State::of(socket->data);
        const auto callback = state->on_error;
        if (*callback) (*callback)(uv_error(static_cast<int>(n), state->doing));
      });
  return out;
}

UdpSocket::~UdpSocket() {
  if (uv_is_closing(reinterpret_cast<uv_handle_t*>(&state_->udp)) == 0) state_->loop_closing();
}

Result<void> UdpSocket::send(std::string_view bytes, std::string_view then) {
  // One piece and send(): gathering costs the kernel more than this copy, and libuv always gathers. Not many
  // at once (sendmmsg()): that swallows the error of an earlier datagram.
  if (!then.empty()) bytes = state_->joined.assign(bytes).append(then);
  ssize_t sent = 0;
  do sent = ::send(descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  const int rc = sent < 0 ? uv_translate_sys_error(errno) : 0;
  if (rc == UV_EAGAIN || rc == UV_ENOBUFS)
    return fail(ErrorCode::kResource, state_->doing + ": the send buffer is full");
  if (rc < 0) return tl::unexpected(uv_error(rc, state_->doing));
  return {};
}

std::optional<Endpoint> UdpSocket::local() const {
  sockaddr_storage address{};
  int size = sizeof address;
  if (uv_udp_getsockname(&state_->udp, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return std::nullopt;
  return endpoint_of(address);
}

int UdpSocket::descriptor() const noexcept {
  uv_os_fd_t fd = -1;
  return uv_fileno(reinterpret_cast<const uv_handle_t*>(&state_->udp), &fd) == 0 ? fd : -1;
}

}  // namespace wafd::kit
