#include "ingest/io/kit/listen.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "ingest/io/kit/socket_stream.h"
#include "ingest/io/kit/uv_error.h"

namespace wafd::kit {
namespace {

constexpr int kBacklog = 1024;
constexpr std::int64_t kRestMs = 100;  // after a failed accept()

struct Descriptor {
  int fd = -1;
  explicit Descriptor(int f) noexcept : fd(f) {}
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int release() noexcept { return std::exchange(fd, -1); }
};

socklen_t size_of(const sockaddr_storage& address) noexcept {
  return address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

Result<int> bind_tcp(const Endpoint& at, bool reuse_port) {
  const auto failed = [&] {
    return tl::unexpected(uv_error(-errno, fmt::format("listen on {}", at.text())));
  };
  sockaddr_storage address{};
  to_sockaddr(at, address);
  Descriptor fd(::socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd.fd < 0) return failed();
  const int on = 1;
  ::setsockopt(fd.fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.ss_family == AF_INET6) ::setsockopt(fd.fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (reuse_port && ::setsockopt(fd.fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) return failed();
  if (::bind(fd.fd, reinterpret_cast<const sockaddr*>(&address), size_of(address)) != 0) return failed();
  // Without SO_REUSEPORT this also finds a listener that has it: the probe listens for a moment.
  if (::listen(fd.fd, kBacklog) != 0) return failed();
  return fd.release();
}

Result<Endpoint> local_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return tl::unexpected(uv_error(-errno, "getsockname"));
  const auto local = endpoint_of(address);
  if (!local) return fail(ErrorCode::kInternal, "getsockname: no IP address");
  return *local;
}

}  // namespace

Result<ListenSockets> ListenSockets::tcp(const Endpoint& at, std::size_t loops) {
  ListenSockets out;
  out.local_ = at;
  {
    const auto probe = bind_tcp(at, false);
    if (!probe) return tl::unexpected(probe.error());
    const Descriptor closed(*probe);
    if (loops == 0) return out;
  }
  for (std::size_t i = 0; i < loops; ++i) {
    const auto fd = bind_tcp(out.local_, true);
    if (!fd) return tl::unexpected(fd.error());
    out.descriptors_.push_back(*fd);
    if (i != 0) continue;
    const auto local = local_of(*fd);
    if (!local) return tl::unexpected(local.error());
    out.local_ = *local;
  }
  return out;
}

Result<ListenSockets> ListenSockets::unix_stream(const std::string& path, unsigned mode, std::size_t loops) {
  const auto failed = [&](int error) {
    return tl::unexpected(uv_error(-error, fmt::format("listen on unix:{}", path)));
  };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return fail(ErrorCode::kTooLarge, fmt::format("listen on unix:{}: expected a path of 1..{} bytes", path,
                                                  sizeof address.sun_path - 1));
  std::memcpy(address.sun_path, path.data(), path.size());
  const auto* where = reinterpret_cast<const sockaddr*>(&address);

  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0) {
    if (!S_ISSOCK(found.st_mode))
      return fail(ErrorCode::kConflict,
                  fmt::format("listen on unix:{}: a file is there that is no socket", path));
    const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (probe.fd < 0) return failed(errno);
    if (::connect(probe.fd, where, sizeof address) == 0 || errno == EAGAIN) return failed(EADDRINUSE);
    if (errno != ECONNREFUSED) return failed(errno);
    ::unlink(path.c_str());
  }
  Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd.fd < 0 || ::bind(fd.fd, where, sizeof address) != 0) return failed(errno);
  ListenSockets out;
  out.path_ = path;
  // The mode is set before anybody can be accepted, so there is no moment with the umask's.
  if (::chmod(path.c_str(), mode) != 0 || ::listen(fd.fd, kBacklog) != 0) return failed(errno);
  for (std::size_t i = 1; i < loops; ++i) {
    const int copy = ::fcntl(fd.fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return failed(errno);
    out.descriptors_.push_back(copy);
  }
  if (loops > 0) out.descriptors_.push_back(fd.release());
  return out;
}

ListenSockets::ListenSockets(ListenSockets&& other) noexcept { *this = std::move(other); }

ListenSockets& ListenSockets::operator=(ListenSockets&& other) noexcept {
  if (this == &other) return *this;
  clear();
  descriptors_ = std::exchange(other.descriptors_, {});
  path_ = std::exchange(other.path_, {});
  local_ = other.local_;
  return *this;
}

ListenSockets::~ListenSockets() { clear(); }

void ListenSockets::clear() noexcept {
  for (const int fd : descriptors_) {
    if (fd >= 0) ::close(fd);
  }
  descriptors_.clear();
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
}

int ListenSockets::take(std::size_t loop) noexcept { return std::exchange(descriptors_[loop], -1); }

std::string ListenSockets::text() const { return is_unix() ? "unix:" + path_ : local_.text(); }

// Accepts from one copy of the listening descriptor until a callback of libuv says that accepting failed.
struct Listener::Accepting final : LoopHandle {
  Accepting(Listener& l, int descriptor) : listener(l) {
    if (l.unix_) {
      uv_pipe_init(l.loop_.uv(), &u.pipe, 0);
      uv_pipe_open(&u.pipe, descriptor);
    } else {
      uv_tcp_init(l.loop_.uv(), &u.tcp);
      uv_tcp_open(&u.tcp, descriptor);
    }
    u.handle.data = static_cast<LoopHandle*>(this);
    uv_listen(&u.stream, kBacklog, [](uv_stream_t* stream, int status) noexcept {
      Accepting& at = *of(stream->data);
      if (status == 0)
        at.accept();
      else
        at.listener.rest();
    });
  }

  static Accepting* of(const void* data) noexcept {
    return static_cast<Accepting*>(static_cast<LoopHandle*>(const_cast<void*>(data)));
  }
  void loop_closing() noexcept override {
    uv_close(&u.handle, [](uv_handle_t* h) noexcept { delete of(h->data); });
  }
  void accept() noexcept {
    const auto kind = listener.unix_ ? SocketKind::kUnix : SocketKind::kTcp;
    auto* connection = SocketStream::make_state(listener.loop_, kind);
    if (uv_accept(&u.stream, SocketStream::handle_of(connection)) != 0) {
      SocketStream::destroy_state(connection);
      return;
    }
    if (kind == SocketKind::kTcp) {
      auto* tcp = reinterpret_cast<uv_tcp_t*>(SocketStream::handle_of(connection));
      uv_tcp_nodelay(tcp, 1);
      uv_tcp_keepalive(tcp, 1, 60);
    }
    listener.on_accept_(std::make_unique<SocketStream>(connection));
  }

  union {
    uv_tcp_t tcp;
    uv_pipe_t pipe;
    uv_stream_t stream;
    uv_handle_t handle;
  } u{};
  Listener& listener;
};

Listener::Listener(Loop& loop, int descriptor, bool is_unix,
                   std::function<void(std::unique_ptr<Stream>)> on_accept)
    : loop_(loop),
      descriptor_(descriptor),
      unix_(is_unix),
      on_accept_(std::move(on_accept)),
      again_(loop, [this] { listen(); }) {
  listen();
}

Listener::~Listener() {
  stop_accepting();
  ::close(descriptor_);
}

void Listener::listen() noexcept {
  const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    again_.start(kRestMs);
  else
    accepting_ = new Accepting(*this, copy);
}

// libuv calls back again and again without returning to its loop while accept() fails and connections wait
// (uv__server_io), so the loop would never get to close anything. Closing the handle ends that; the kernel
// keeps what waits, because `descriptor_` still listens.
void Listener::rest() noexcept {
  stop_accepting();
  again_.start(kRestMs);
}

void Listener::stop_accepting() noexcept {
  if (accepting_ != nullptr && uv_is_closing(&accepting_->u.handle) == 0) accepting_->loop_closing();
  accepting_ = nullptr;
}

}  // namespace wafd::kit
