#include "forward/notify/outbox.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace wafd::forward {
namespace {

constexpr std::size_t kMaxInMessage = 50;

}  // namespace

void Outbox::apply(std::vector<ChannelSettings> channels) {
  channels_ = std::move(channels);
  std::erase_if(queues_, [&](const auto& item) { return channel(item.first) == nullptr; });
  // Settings that were wrong are perhaps right now.
  for (auto& [id, queue] : queues_) {
    queue.failures = 0;
    queue.not_before_ms = 0;
  }
}

const ChannelSettings* Outbox::channel(std::string_view id) const {
  const auto found =
      std::find_if(channels_.begin(), channels_.end(), [&](const auto& one) { return one.id == id; });
  return found == channels_.end() ? nullptr : &*found;
}

void Outbox::put(Queue& queue, Notification notification, std::int64_t now_ms) {
  if (queue.waiting.size() >= kMaxWaiting) {
    const auto oldest = queue.waiting.begin() + static_cast<std::ptrdiff_t>(queue.sending);
    if (oldest == queue.waiting.end()) return;
    queue.waiting.erase(oldest);
    ++queue.dropped;
  }
  queue.waiting.push_back({std::move(notification), now_ms});
}

void Outbox::add(const Notification& notification, std::int64_t now_ms) {
  for (const ChannelSettings& channel : channels_) {
    if (!channel.enabled) continue;
    const auto& named = notification.channels;
    if (!named.empty() && std::find(named.begin(), named.end(), channel.id) == named.end()) continue;
    if (notification.state == NotificationState::kEnded && !channel.tell_end) continue;
    put(queues_[channel.id], notification.in(channel.language), now_ms);
  }
}

void Outbox::drop_old(Queue& queue, std::int64_t now_ms) {
  while (queue.sending == 0 && !queue.waiting.empty() &&
         now_ms - queue.waiting.front().since_ms >= kGiveUpMs) {
    queue.waiting.pop_front();
    ++queue.dropped;
  }
}

std::vector<Batch> Outbox::due(std::int64_t now_ms, int minute) {
  std::vector<Batch> out;
  for (auto& [id, queue] : queues_) {
    drop_old(queue, now_ms);
    const ChannelSettings* to = channel(id);
    if (to == nullptr || queue.sending > 0 || queue.waiting.empty() || !to->enabled || quiet_at(*to, minute))
      continue;
    if (now_ms < queue.not_before_ms) continue;
    if (now_ms - queue.waiting.front().since_ms < to->group_s * 1000) continue;
    Batch batch;
    batch.channel = id;
    batch.attempt = queue.failures + 1;
    queue.sending = std::min(queue.waiting.size(), kMaxInMessage);
    for (std::size_t i = 0; i < queue.sending; ++i)
      batch.notifications.push_back(queue.waiting[i].notification);
    out.push_back(std::move(batch));
  }
  return out;
}

void Outbox::done(std::string_view channel, bool sent, std::int64_t now_ms) {
  const auto found = queues_.find(channel);
  if (found == queues_.end()) return;
  Queue& queue = found->second;
  if (sent) {
    queue.waiting.erase(queue.waiting.begin(),
                        queue.waiting.begin() + static_cast<std::ptrdiff_t>(queue.sending));
    queue.failures = 0;
    queue.not_before_ms = 0;
  } else {
    const int doublings = std::min(queue.failures, 10);
    queue.not_before_ms = now_ms + std::min(kFirstRetryMs << doublings, kMaxRetryMs);
    ++queue.failures;
  }
  queue.sending = 0;
}

std::vector<ChannelState> Outbox::states() const {
  std::vector<ChannelState> out;
  for (const ChannelSettings& channel : channels_) {
    ChannelState state;
    state.id = channel.id;
    if (const auto found = queues_.find(channel.id); found != queues_.end()) {
      const Queue& queue = found->second;
      state.waiting = queue.waiting.size();
      state.dropped = queue.dropped;
      if (!queue.waiting.empty())
        state.next_ms =
            std::max(queue.not_before_ms, queue.waiting.front().since_ms + channel.group_s * 1000);
    }
    out.push_back(std::move(state));
  }
  return out;
}

boost::json::object Outbox::state() const {
  boost::json::object out;
  for (const auto& [id, queue] : queues_) {
    if (queue.waiting.empty()) continue;
    boost::json::array list;
    for (const Waiting& one : queue.waiting)
      list.push_back({{"since_ms", one.since_ms}, {"notification", to_json(one.notification)}});
    out[id] = std::move(list);
  }
  return out;
}

void Outbox::restore(const boost::json::object& state, std::int64_t now_ms) {
  for (const auto& item : state) {
    if (!item.value().is_array()) continue;
    Queue queue;
    for (const auto& one : item.value().get_array()) {
      const auto* object = one.if_object();
      const auto* inner = object == nullptr ? nullptr : object->if_contains("notification");
      const auto* since = object == nullptr ? nullptr : object->if_contains("since_ms");
      if (inner == nullptr || !inner->is_object() || since == nullptr || !since->is_int64()) continue;
      if (auto notification = parse_notification(inner->get_object()))
        put(queue, std::move(*notification), std::min(since->get_int64(), now_ms));
    }
    if (!queue.waiting.empty()) queues_[std::string(item.key())] = std::move(queue);
  }
}

}  // namespace wafd::forward
