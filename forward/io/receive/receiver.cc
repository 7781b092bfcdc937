#include "forward/io/receive/receiver.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "ingest/io/kit/socket_stream.h"
#include "ingest/io/kit/uv_error.h"

namespace wafd::forward {
namespace {

constexpr std::size_t kMaxMessageBytes = 2 << 20;
constexpr std::size_t kMaxConnections = 256;

}  // namespace

struct UdpReceiver::State final : kit::LoopHandle {
  State(kit::Loop& l, OnMessage f) : loop(l), on_message(std::move(f)) {
    uv_udp_init(l.uv(), &udp);
    udp.data = static_cast<LoopHandle*>(this);
  }
  static State* of(const void* data) noexcept {
    return static_cast<State*>(static_cast<LoopHandle*>(const_cast<void*>(data)));
  }
  void loop_closing() noexcept override {
    on_message = nullptr;
    if (uv_is_closing(reinterpret_cast<uv_handle_t*>(&udp))) return;
    uv_close(reinterpret_cast<uv_handle_t*>(&udp), [](uv_handle_t* h) noexcept { delete of(h->data); });
  }
  kit::Loop& loop;
  OnMessage on_message;
  uv_udp_t udp{};
};

Result<std::unique_ptr<UdpReceiver>> UdpReceiver::open(kit::Loop& loop, const Endpoint& at,
                                                       OnMessage on_message) {
  std::unique_ptr<UdpReceiver> out(new UdpReceiver(new State(loop, std::move(on_message))));
  uv_udp_t& udp = out->state_->udp;
  sockaddr_storage address{};
  kit::to_sockaddr(at, address);
  int rc = uv_udp_bind(&udp, reinterpret_cast<const sockaddr*>(&address), 0);
  if (rc == 0)
    rc = uv_udp_recv_start(
        &udp,
        [](uv_handle_t* h, std::size_t, uv_buf_t* buffer) noexcept {
          const auto room = State::of(h->data)->loop.read_buffer();
          *buffer = uv_buf_init(room.data(), static_cast<unsigned>(room.size()));
        },
        [](uv_udp_t* socket, ssize_t n, const uv_buf_t* buffer, const sockaddr*, unsigned) noexcept {
          const State* state = State::of(socket->data);
          if (n > 0 && state->on_message) state->on_message({buffer->base, static_cast<std::size_t>(n)});
        });
  if (rc != 0) return tl::unexpected(kit::uv_error(rc, fmt::format("listen on udp {}", at.text())));
  return out;
}

UdpReceiver::~UdpReceiver() { state_->loop_closing(); }

Endpoint UdpReceiver::local() const {
  sockaddr_storage address{};
  int size = sizeof address;
  uv_udp_getsockname(&state_->udp, reinterpret_cast<sockaddr*>(&address), &size);
  return kit::endpoint_of(address).value_or(Endpoint{});
}

class TcpReceiver::Connection final : public kit::StreamHandler {
 public:
  Connection(TcpReceiver& owner, std::unique_ptr<kit::Stream> stream)
      : owner_(owner), stream_(std::move(stream)), reader_(kMaxMessageBytes) {
    stream_->start(*this);
  }

  void on_data(std::string_view bytes) noexcept override {
    reader_.feed(bytes);
    for (std::string_view message; reader_.next(message);)
      if (!message.empty()) owner_.on_message_(message);
    if (!reader_.error().empty()) end(fmt::format("{}; the connection is closed", reader_.error()));
  }
  void on_end(const kit::StreamEnd& why) noexcept override {
    const std::size_t left = reader_.rest().size();
    if (owner_.tls_ && left == 0 && why.kind == kit::StreamEndKind::kError) return end(why.error.what);
    end(left == 0 ? ""
                  : fmt::format("the connection ended inside a frame, {} bytes of it are left out", left));
  }

 private:
  void end(const std::string& complaint) {
    if (!complaint.empty() && owner_.on_complaint_) {
      const auto peer = stream_->peer();
      owner_.on_complaint_(fmt::format("tcp peer {}: {}", peer ? peer->text() : "?", complaint));
    }
    stream_->close();
    owner_.forget(this);  // destroys this
  }

  TcpReceiver& owner_;
  std::unique_ptr<kit::Stream> stream_;
  FrameReader reader_;
};

Result<std::unique_ptr<TcpReceiver>> TcpReceiver::open(kit::Loop& loop, const Endpoint& at,
                                                       OnMessage on_message, OnComplaint on_complaint,
                                                       std::shared_ptr<const kit::TlsContext> tls) {
  auto sockets = kit::ListenSockets::tcp(at, 1);
  if (!sockets) return tl::unexpected(sockets.error());
  std::unique_ptr<TcpReceiver> out(new TcpReceiver());
  TcpReceiver* self = out.get();
  self->loop_ = &loop;
  self->on_message_ = std::move(on_message);
  self->on_complaint_ = std::move(on_complaint);
  self->tls_ = std::move(tls);
  self->sockets_ = std::move(*sockets);
  self->listener_ = std::make_unique<kit::Listener>(
      loop, self->sockets_.take(0), false, [self](std::unique_ptr<kit::Stream> stream) {
        if (self->connections_.size() >= kMaxConnections) return;
        if (self->tls_) stream = kit::make_tls_server(std::move(stream), self->tls_);
        self->connections_.push_back(std::make_unique<Connection>(*self, std::move(stream)));
      });
  return out;
}

TcpReceiver::~TcpReceiver() = default;

void TcpReceiver::forget(Connection* connection) {
  std::erase_if(connections_, [connection](const auto& c) { return c.get() == connection; });
}

std::string one_line(std::string_view message) {
  std::string out;
  out.reserve(message.size());
  for (std::size_t at = 0; at < message.size();) {
    std::uint32_t c = 0;
    const std::size_t n = utf8_sequence(message, at, c);
    const bool control = n == 0 || c < 0x20 || (c >= 0x7f && c < 0xa0);
    if (!control) {
      out.append(message.substr(at, n));
    } else if (c == '\n' && n == 1) {
      out += "\\n";
    } else if (c == '\r' && n == 1) {
      out += "\\r";
    } else if (c == '\t' && n == 1) {
      out += "\\t";
    } else {
      for (std::size_t i = 0; i < std::max<std::size_t>(n, 1); ++i)
        out += fmt::format("\\x{:02x}", byte(message[at + i]));
    }
    at += std::max<std::size_t>(n, 1);
  }
  return out;
}

}  // namespace wafd::forward
