#include "forward/io/notify/notify_loop.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <sys/resource.h>

#include "detect/core/bytes.h"
#include "files/small_file.h"
#include "forward/io/notify/notify_sender.h"
#include "forward/io/notify/trend_store.h"
#include "forward/notify/alert_engine.h"
#include "forward/query/event_search.h"

namespace wafd::forward {
namespace {

constexpr int kIdleMs = 250;
constexpr int kNice = 10;
constexpr std::size_t kMaxRecords = 512;
constexpr std::size_t kMaxBytes = 4u << 20;
constexpr std::size_t kMaxHeads = 50'000;
constexpr std::size_t kMaxStateBytes = 64u << 20;
constexpr std::int64_t kLookEveryMs = 1'000;
constexpr std::int64_t kSaveEveryMs = 10'000;

namespace json = boost::json;

class Loop final : public NotifyLoop {
 public:
  explicit Loop(NotifyParts parts)
      : parts_(std::move(parts)),
        sender_(parts_.own_listeners, parts_.local_addresses),
        reader_(parts_.ring),
        past_(parts_.ring),
        trends_(parts_.ring, parts_.trend_file, parts_.log),
        engine_(parts_.rule_names) {
    restore();
  }
  ~Loop() override { stop(); }

  void apply(std::vector<ChannelSettings> channels, std::vector<AlertSettings> alerts) override {
    post([this, channels = std::move(channels), alerts = std::move(alerts)]() mutable {
      outbox_.apply(std::move(channels));
      const std::int64_t now = now_ms();
      ids_.clear();
      for (const AlertSettings& alert : alerts) ids_.push_back(alert.id);
      const std::uint64_t before = applied_ ? reader_.next_seq() : start_seq_;
      if (!applied_) reader_.seek(before);
      applied_ = true;
      for (std::string& id : engine_.apply(std::move(alerts), now))
        learning_.push_back({std::move(id), before, {}});
    });
  }
  void observe(NodeState state) override {
    post([this, state = std::move(state)] {
      trends_.requests(now_ms(), state.requests, state.unjudged);
      if (applied_) engine_.node(state, now_ms());
    });
  }
  void tell(Notification notification) override {
    post([this, notification = std::move(notification)] {
      if (!notification.alert_id.empty() && notification.alert_id == told_) return;
      told_ = notification.alert_id;
      outbox_.add(notification, now_ms());
    });
  }
  void trends(std::vector<TrendQuery> queries, std::function<void(std::vector<TrendSums>)> done) override {
    post([this, queries = std::move(queries), done = std::move(done)] {
      std::vector<TrendSums> out;
      for (const TrendQuery& query : queries) out.push_back(trends_.counts().sums(query));
      done(std::move(out));
    });
  }
  void test(ChannelSettings channel, std::function<void(SendResult)> done) override {
    post([this, channel = std::move(channel), done = std::move(done)] { begin_test(channel, done); });
  }
  void status(std::function<void(NotifierStatus)> done) override {
    post([this, done = std::move(done)] { done(status_now()); });
  }
  void set_sent(std::function<void(SendRecord)> sent) override { sent_ = std::move(sent); }
  void set_time_zone(ZoneTime zone) override {
    post([this, zone] { parts_.zone = zone; });
  }

  void start() override {
    thread_ = std::thread([this] { run(); });
  }
  void stop() override {
    if (!thread_.joinable()) return;
    stopping_ = true;
    sender_.wake();
    thread_.join();
    save();
    trends_.save();
  }

 private:
  // A rule that must see what was before it: from the ring's begin, or newest first from `before` on.
  struct Learning {
    std::string id;
    std::uint64_t before;
    std::optional<std::uint64_t> from;  // of heads: where to go on
  };

  std::int64_t now_ms() const { return parts_.clock.unix_us() / 1000; }

  void post(std::function<void()> function) {
    {
      const std::lock_guard lock(mutex_);
      posted_.push_back(std::move(function));
    }
    sender_.wake();
  }

  void run_posted() {
    std::deque<std::function<void()>> now;
    {
      const std::lock_guard lock(mutex_);
      now.swap(posted_);
    }
    for (const auto& function : now) function();
  }

  void run() {
    ::setpriority(PRIO_PROCESS, 0, kNice);  // of this thread alone: judging goes first
    while (!stopping_) {
      run_posted();
      const bool counted = trends_.turn();
      const bool more = (applied_ && (learning_.empty() ? read() : learn())) || counted;
      if (applied_ && learning_.empty()) tell_and_send();
      save_sometimes();
      trends_.save_sometimes(parts_.clock.monotonic_us() / 1000);
      sender_.run(more ? 0 : kIdleMs);
    }
    run_posted();  // who asks for the state now is still answered
  }

  // A step of what the first rule that learns wants. True: there is more to do.
  bool learn() {
    Learning& task = learning_.front();
    const EventQuery* query = engine_.query_of(task.id);
    const bool done =
        query == nullptr || (query->head_only() ? learn_heads(task, *query) : learn_records(task, *query));
    if (done) learning_.pop_front();
    return true;
  }

  bool learn_heads(Learning& task, const EventQuery& query) {
    const std::int64_t since = engine_.wants_since(task.id, now_ms());
    if (!task.from) task.from = std::max(parts_.ring.oldest(), past_.first_at(since));
    const std::uint64_t to = std::min(*task.from + kMaxHeads, task.before);
    past_.visit_heads(*task.from, to, [&](const RecordHead& head) {
      if (head.time_ms >= since && query.judge(head) == HeadMatch::kYes) engine_.learn(task.id, head);
      return true;
    });
    task.from = std::max(to, *task.from);
    return *task.from >= task.before;
  }

  bool learn_records(Learning& task, const EventQuery& query) {
    SearchRange range;
    range.from_ms = engine_.wants_since(task.id, now_ms());
    range.before = task.before;
    range.limit = kMaxRecords;
    range.max_heads = kMaxHeads;
    range.max_bytes = kMaxBytes;
    const SearchEnd end = search_newest_first(past_, query, range, [&](const RecordView& record) {
      engine_.learn(task.id, record);
      return true;
    });
    task.before = end.before;
    return end.before == 0;
  }

  bool read() {
    if (!engine_.looks_at_events()) {
      reader_.seek(parts_.ring.end());
      return false;
    }
    std::uint64_t overtaken = 0;
    const auto records = reader_.read(kMaxRecords, kMaxBytes, overtaken);
    overtaken_ += overtaken;
    for (const RecordView& record : records) engine_.event(record);
    return !records.empty();
  }

  std::string time_text() {
    std::string text;
    parts_.zone.append_rfc3339(parts_.clock.unix_us(), 3, text);
    return text;
  }

  void tell_and_send() {
    const std::int64_t now = now_ms();
    for (const Notification& notification : engine_.tick(now)) outbox_.add(notification, now);
    const int minute = minute_of_day(std::string_view(time_text()).substr(11, 5)).value_or(0);
    for (Batch& batch : outbox_.due(now, minute)) send(std::move(batch));
  }

  std::string new_id() {
    std::array<std::byte, 16> bytes{};
    parts_.random.fill(bytes);
    return to_hex(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }

  void send(Batch batch) {
    const ChannelSettings channel = *outbox_.channel(batch.channel);
    const std::string time = time_text(), id = new_id();
    SendRecord record;
    record.channel = channel.id;
    record.name = channel.name;
    record.subject = subject_of(batch.notifications, parts_.node, channel.language);
    record.notifications = batch.notifications.size();
    record.attempt = batch.attempt;
    sender_.send(channel, batch.notifications, {parts_.node, time, now_ms(), id, channel.language},
                 [this, record = std::move(record)](const SendResult& result) mutable {
                   outbox_.done(record.channel, result.sent, now_ms());
                   note(std::move(record), result);
                 });
  }

  void note(SendRecord record, const SendResult& result) {
    record.time_ms = now_ms();
    record.sent = result.sent;
    record.text = result.text;
    history_.push_front(record);
    if (history_.size() > kMaxHistory) history_.pop_back();
    if (sent_) sent_(std::move(record));
  }

  void begin_test(const ChannelSettings& channel, const std::function<void(SendResult)>& done) {
    Notification test;
    test.when = "test";
    test.state = NotificationState::kTest;
    test.time_ms = now_ms();
    test.entitle(say("test of the channel {}", channel.name));
    test.add_line(say("Somebody asked for this message on the console. Nothing has happened."));
    const std::string time = time_text(), id = new_id();
    const Notification list[] = {test.in(channel.language)};
    sender_.send(channel, list, {parts_.node, time, now_ms(), id, channel.language}, done);
  }

  NotifierStatus status_now() const {
    NotifierStatus out;
    out.channels = outbox_.states();
    for (const std::string& id : ids_)
      if (engine_.active(id)) out.active.push_back(id);
    out.history.assign(history_.begin(), history_.end());
    out.overtaken = overtaken_;
    out.notice = notice_.empty() ? trends_.notice() : notice_;
    return out;
  }

  // --- state over restarts --------------------------------------------------------------------------------

  void restore() {
    start_seq_ = parts_.ring.end();
    auto text = read_file(parts_.state_file, kMaxStateBytes);
    if (!text && text.error().code == ErrorCode::kMissing) return;
    json::error_code error;
    const json::value value = text ? json::parse(*text, error) : json::value();
    const json::object* state = text && !error ? value.if_object() : nullptr;
    if (state == nullptr) return keep_damaged_file();
    saved_ = *text;
    if (const auto* engine = state->if_contains("engine"); engine != nullptr && engine->is_object())
      engine_.restore(engine->get_object());
    if (const auto* outbox = state->if_contains("outbox"); outbox != nullptr && outbox->is_object())
      outbox_.restore(outbox->get_object(), now_ms());
    if (const auto* told = state->if_contains("told"); told != nullptr && told->is_string())
      told_ = std::string(told->get_string());
    const auto* generation = state->if_contains("generation");
    const auto* next = state->if_contains("next");
    if (generation == nullptr || next == nullptr || !generation->is_string() || !next->is_int64()) return;
    if (generation->get_string() != parts_.ring.generation()) return;
    start_seq_ =
        std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(next->get_int64(), 0)), start_seq_);
  }

  void keep_damaged_file() {
    const std::string aside = parts_.state_file + ".damaged";
    std::rename(parts_.state_file.c_str(), aside.c_str());
    notice_ = "the state of notifications could not be read, was put aside as " + aside + " and begun anew";
    if (parts_.log) parts_.log(notice_);
  }

  // Sent and waiting messages are saved within a second, the reading position every ten seconds: after a
  // crash an alert that is newer may be sent twice.
  void save_sometimes() {
    const std::int64_t now = parts_.clock.monotonic_us() / 1000;
    if (!applied_ || now - looked_ms_ < kLookEveryMs) return;
    looked_ms_ = now;
    if (now - saved_ms_ < kSaveEveryMs && state_text() == saved_state_) return;
    saved_ms_ = now;
    save();
  }

  std::string state_text() const {
    return json::serialize(
        json::value{{"engine", engine_.state()}, {"outbox", outbox_.state()}, {"told", told_}});
  }

  void save() {
    if (!applied_ || !learning_.empty()) return;
    std::string text = json::serialize(json::value{{"format", 1},
                                                   {"generation", parts_.ring.generation()},
                                                   {"next", reader_.next_seq()},
                                                   {"engine", engine_.state()},
                                                   {"outbox", outbox_.state()},
                                                   {"told", told_}});
    if (text == saved_) return;
    auto written = write_file(parts_.state_file, text);
    if (written) {
      saved_ = std::move(text);
      saved_state_ = state_text();
      return;
    }
    if (notice_ != written.error().what && parts_.log) parts_.log("notifications: " + written.error().what);
    notice_ = written.error().what;
  }

  NotifyParts parts_;
  NotifySender sender_;
  RingReader reader_;
  RingReader past_;
  TrendStore trends_;
  AlertEngine engine_;
  Outbox outbox_;
  std::deque<Learning> learning_;
  std::vector<std::string> ids_;
  std::deque<SendRecord> history_;
  std::function<void(SendRecord)> sent_;
  std::uint64_t start_seq_ = 0;
  std::uint64_t overtaken_ = 0;
  bool applied_ = false;
  std::string notice_;
  std::string told_;  // the id of the last notification that no rule made
  std::string saved_;
  std::string saved_state_;
  std::int64_t saved_ms_ = 0;
  std::int64_t looked_ms_ = 0;

  std::mutex mutex_;
  std::deque<std::function<void()>> posted_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace

std::unique_ptr<NotifyLoop> NotifyLoop::create(NotifyParts parts) {
  return std::make_unique<Loop>(std::move(parts));
}

}  // namespace wafd::forward
