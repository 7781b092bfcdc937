// Which notifications go where and when: grouped, held during quiet times, tried again. Without IO and
// clocks.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "forward/notify/channel.h"
#include "forward/notify/notification.h"

namespace wafd::forward {

// One message on its way.
struct Batch {
  std::string channel;  // id
  std::vector<Notification> notifications;
  int attempt = 1;
};

// The state of a channel, for the page.
struct ChannelState {
  std::string id;
  std::size_t waiting = 0;
  std::int64_t next_ms = 0;  // when the next attempt is; 0: none waits
  std::uint64_t dropped = 0;
};

// Of each channel one message at a time is on its way. A failed one is tried again after kFirstRetryMs, then
// twice that and so on up to kMaxRetryMs, together with what came meanwhile; a notification that could not be
// sent for kGiveUpMs is dropped. Beyond kMaxWaiting of a channel the oldest go. All that is dropped is
// counted. One thread.
class Outbox {
 public:
  static constexpr std::int64_t kFirstRetryMs = 15'000;
  static constexpr std::int64_t kMaxRetryMs = 15 * 60'000;
  static constexpr std::int64_t kGiveUpMs = 24 * 3600'000;
  static constexpr std::size_t kMaxWaiting = 1000;

  void apply(std::vector<ChannelSettings> channels);
  // To the channels it names, to all that are enabled if it names none.
  void add(const Notification& notification, std::int64_t now_ms);
  // The messages that are to be sent now. `minute` of the day, in the node's zone.
  std::vector<Batch> due(std::int64_t now_ms, int minute);
  // How it went with the one of that channel that was on its way.
  void done(std::string_view channel, bool sent, std::int64_t now_ms);

  const ChannelSettings* channel(std::string_view id) const;
  const std::vector<ChannelSettings>& channels() const noexcept { return channels_; }
  std::vector<ChannelState> states() const;
  // Notifications that were not sent yet, for the next start.
  boost::json::object state() const;
  void restore(const boost::json::object& state, std::int64_t now_ms);

 private:
  struct Waiting {
    Notification notification;
    std::int64_t since_ms;
  };
  struct Queue {
    std::deque<Waiting> waiting;
    std::size_t sending = 0;  // so many of the first ones are on their way
    int failures = 0;
    std::int64_t not_before_ms = 0;
    std::uint64_t dropped = 0;
  };
  void put(Queue& queue, Notification notification, std::int64_t now_ms);
  void drop_old(Queue& queue, std::int64_t now_ms);

  std::vector<ChannelSettings> channels_;
  std::map<std::string, Queue, std::less<>> queues_;
};

}  // namespace wafd::forward
