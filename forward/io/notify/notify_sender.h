// Sends mails and webhooks with libcurl: names are resolved, and each address is judged before it is
// connected to. One thread, but for wake().
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "detect/core/ip_address.h"
#include "forward/notify/channel.h"
#include "forward/notify/message.h"
#include "forward/notify/notifier.h"

namespace wafd::forward {

class NotifySender {
 public:
  // No address of `own` may be connected to; `local` gives those of this machine.
  NotifySender(std::vector<Endpoint> own, std::function<std::vector<IpAddress>()> local);
  ~NotifySender();  // transfers that are going on end without an answer
  NotifySender(const NotifySender&) = delete;
  NotifySender& operator=(const NotifySender&) = delete;

  // `done` is called from run(), once, also on failure; at most kSendMs later. Redirections are not followed,
  // proxies of the environment are not asked.
  static constexpr long kSendMs = 15'000;
  void send(const ChannelSettings& channel, std::span<const Notification> notifications,
            const MessageContext& context, std::function<void(SendResult)> done);
  bool busy() const noexcept { return !transfers_.empty() || !unsent_.empty(); }

  // Moves all transfers on; waits until there is something to do, at most `wait_ms`.
  void run(int wait_ms);
  void wake();  // ends the wait; any thread

 private:
  struct Transfer;
  struct Multi;
  void finish(Transfer& transfer, int code);

  std::vector<Endpoint> own_;
  std::function<std::vector<IpAddress>()> local_;
  std::unique_ptr<Multi> multi_;
  std::list<std::unique_ptr<Transfer>> transfers_;
  std::vector<std::function<void()>> unsent_;  // answers of what was not begun: its secret cannot be read
};

}  // namespace wafd::forward
