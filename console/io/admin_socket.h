// The daemon's end of `admin.sock` (mode 0600): a line in, a line out, then it closes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "ingest/io/kit/listen.h"
#include "ingest/io/kit/loop.h"

namespace wafd::console {

// Lives on the console loop. `run` is given a line and answers it, once, at once or later on that loop.
class AdminSocket {
 public:
  static constexpr std::size_t kMaxConnections = 16;
  static constexpr std::int64_t kIdleMs = 10'000;

  using Run = std::function<void(std::string_view line, std::function<void(std::string)> answer)>;

  AdminSocket(kit::Loop& loop, kit::ListenSockets sockets, Run run);
  ~AdminSocket();
  AdminSocket(const AdminSocket&) = delete;
  AdminSocket& operator=(const AdminSocket&) = delete;

 private:
  class Client;
  void remove(Client* client);

  kit::Loop& loop_;
  Run run_;
  kit::ListenSockets sockets_;
  std::unordered_map<Client*, std::unique_ptr<Client>> clients_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::unique_ptr<kit::Listener> listener_;
};

}  // namespace wafd::console
