#include "ingest/io/kit/connect.h"

#include <utility>

#include <fmt/format.h>

#include "ingest/io/kit/socket_stream.h"
#include "ingest/io/kit/uv_error.h"

namespace wafd::kit {

// Shared by the Connector, the pending connect request and the timer's callback.
struct Connector::State {
  struct Request {
    uv_connect_t request{};
    std::shared_ptr<State> state;
  };

  State(Loop& l, ConnectOptions o, std::function<void(Result<std::unique_ptr<Stream>>)> f)
      : loop(l), options(std::move(o)), done(std::move(f)) {}

  std::string doing() const {
    return fmt::format("connect to {}",
                       options.unix_path.empty() ? options.to.text() : "unix:" + options.unix_path);
  }

  void finish(Result<std::unique_ptr<Stream>> result) {
    timer.reset();
    if (!done) return;
    const auto call = std::exchange(done, nullptr);
    call(std::move(result));
  }

  // The error of a call that failed at once is told in a later turn, as `done` promises.
  void fail_later(const std::shared_ptr<State>& self, Error error) {
    drop();
    failed = std::move(error);
    timer = std::make_unique<Timer>(loop, [self] { self->finish(tl::unexpected(self->failed)); });
    timer->start(0);
  }

  void drop() noexcept {
    if (connection != nullptr) SocketStream::destroy_state(std::exchange(connection, nullptr));
  }

  void begin(const std::shared_ptr<State>& self) {
    const bool tcp = options.unix_path.empty();
    connection = SocketStream::make_state(loop, tcp ? SocketKind::kTcp : SocketKind::kUnix);
    auto* handle = SocketStream::handle_of(connection);
    timer = std::make_unique<Timer>(loop, [self] {
      self->drop();
      self->finish(fail(ErrorCode::kIo,
                        fmt::format("{}: timed out after {} ms", self->doing(), self->options.timeout_ms)));
    });
    timer->start(options.timeout_ms);
    auto* request = new Request{{}, self};
    request->request.data = request;
    if (!tcp) {
      uv_pipe_connect(&request->request, reinterpret_cast<uv_pipe_t*>(handle), options.unix_path.c_str(),
                      &connected);
      return;
    }
    auto* socket = reinterpret_cast<uv_tcp_t*>(handle);
    sockaddr_storage address{};
    int rc = 0;
    if (options.source) {
      to_sockaddr({*options.source, 0}, address);
      rc = uv_tcp_bind(socket, reinterpret_cast<const sockaddr*>(&address), 0);
    }
    to_sockaddr(options.to, address);
    if (rc == 0)
      rc = uv_tcp_connect(&request->request, socket, reinterpret_cast<const sockaddr*>(&address), &connected);
    if (rc != 0) {
      delete request;
      fail_later(self, uv_error(rc, doing()));
    }
  }

  static void connected(uv_connect_t* raw, int status) noexcept {
    const std::unique_ptr<Request> request(static_cast<Request*>(raw->data));
    const auto state = request->state;
    if (state->connection == nullptr) return;  // given up or timed out
    if (status != 0) {
      state->drop();
      state->finish(tl::unexpected(uv_error(status, state->doing())));
      return;
    }
    auto* connection = std::exchange(state->connection, nullptr);
    if (state->options.unix_path.empty()) {
      auto* tcp = reinterpret_cast<uv_tcp_t*>(SocketStream::handle_of(connection));
      uv_tcp_nodelay(tcp, 1);
      if (state->options.keepalive_s != 0) uv_tcp_keepalive(tcp, 1, state->options.keepalive_s);
    }
    state->finish(std::make_unique<SocketStream>(connection));
  }

  Loop& loop;
  ConnectOptions options;
  std::function<void(Result<std::unique_ptr<Stream>>)> done;
  SocketState* connection = nullptr;
  std::unique_ptr<Timer> timer;
  Error failed;
};

Connector::Connector(Loop& loop, ConnectOptions options,
                     std::function<void(Result<std::unique_ptr<Stream>>)> done)
    : state_(std::make_shared<State>(loop, std::move(options), std::move(done))) {
  state_->begin(state_);
}

Connector::~Connector() {
  state_->done = nullptr;
  state_->timer.reset();  // ends the cycle state -> timer -> state
  state_->drop();
}

}  // namespace wafd::kit
