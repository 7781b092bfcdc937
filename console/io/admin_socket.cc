#include "console/io/admin_socket.h"

#include <utility>

#include "console/api/admin.h"

namespace wafd::console {

class AdminSocket::Client final : public kit::StreamHandler {
 public:
  Client(AdminSocket& owner, std::unique_ptr<kit::Stream> stream)
      : owner_(owner), stream_(std::move(stream)) {
    stream_->set_max_queued_bytes(kMaxAdminLineBytes);
    stream_->set_idle_timeout_ms(kIdleMs);
    stream_->start(*this);
  }

 private:
  void on_data(std::string_view bytes) noexcept override {
    if (done_) return;
    line_.append(bytes);
    const std::size_t end = line_.find('\n');
    if (end == std::string::npos && line_.size() <= kMaxAdminLineBytes) return;
    done_ = true;
    if (end == std::string::npos) return leave();
    owner_.run_(std::string_view(line_).substr(0, end),
                [this, here = std::weak_ptr<bool>(here_)](const std::string& answer) {
                  if (here.expired()) return;  // whoever asked has gone
                  stream_->write(answer + "\n");
                  leave();
                });
  }
  void on_end(const kit::StreamEnd&) noexcept override { owner_.remove(this); }

  void leave() {
    stream_->close();
    owner_.remove(this);
  }

  AdminSocket& owner_;
  std::unique_ptr<kit::Stream> stream_;
  std::string line_;
  bool done_ = false;
  std::shared_ptr<bool> here_ = std::make_shared<bool>(true);
};

AdminSocket::AdminSocket(kit::Loop& loop, kit::ListenSockets sockets, Run run)
    : loop_(loop), run_(std::move(run)), sockets_(std::move(sockets)) {
  listener_ = std::make_unique<kit::Listener>(
      loop_, sockets_.take(0), true, [this](std::unique_ptr<kit::Stream> stream) {
        if (clients_.size() >= kMaxConnections) return;
        auto client = std::make_unique<Client>(*this, std::move(stream));
        Client* key = client.get();
        clients_.emplace(key, std::move(client));
      });
}

AdminSocket::~AdminSocket() { *alive_ = false; }

void AdminSocket::remove(Client* client) {
  // Later: the client's own function is on the stack.
  loop_.post([this, client, alive = alive_] {
    if (*alive) clients_.erase(client);
  });
}

}  // namespace wafd::console
