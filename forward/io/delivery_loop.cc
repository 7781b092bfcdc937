#include "forward/io/delivery_loop.h"

#include <algorithm>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "forward/io/producers/producer_reaper.h"
#include "forward/io/tls_check.h"

namespace wafd::forward {
namespace {

constexpr std::int64_t kLookEveryMs = 200;
constexpr std::int64_t kEditFlushMs =
    2000;  // an edited target's old connection gets that long to be acknowledged
constexpr std::int64_t kLogEveryUs = 10'000'000;
constexpr std::size_t kMaxTests = 16;

// The store keeps the sequenceId that comes next.
Position position_of(const Cursor& cursor) {
  return {cursor.next_seq, cursor.sequence_id == 0 ? 0 : cursor.sequence_id - 1};
}

}  // namespace

Result<std::unique_ptr<DeliveryLoop>> DeliveryLoop::create(DeliveryParts parts) {
  auto zone = ZoneTime::of(parts.time_zone);
  if (!zone) return tl::unexpected(zone.error());
  return std::unique_ptr<DeliveryLoop>(new DeliveryLoop(std::move(parts), std::move(*zone)));
}

DeliveryLoop::DeliveryLoop(DeliveryParts parts, ZoneTime zone)
    : parts_(std::move(parts)),
      zone_(std::move(zone)),
      cursors_lost_(parts_.cursors_lost),
      producer_reaper_(std::make_shared<ProducerReaper>()) {
  parts_.ring.set_wakeup([this] {
    if (!woken_.exchange(true)) loop_.post([this] { wake_all(); });
  });
}

DeliveryLoop::~DeliveryLoop() {
  stop();
  parts_.ring.set_wakeup({});
}

void DeliveryLoop::start() {
  if (running_.exchange(true)) return;
  started_us_ = parts_.clock.monotonic_us();
  save_timer_ = std::make_unique<kit::Timer>(loop_, [this] {
    save_cursors();
    log_states();
  });
  save_timer_->start(kLookEveryMs, kLookEveryMs);
  health_timer_ = std::make_unique<kit::Timer>(loop_, [this] {
    for (auto& [id, entry] : entries_)
      entry.runner->health((parts_.clock.monotonic_us() - started_us_) / 1'000'000);
  });
  health_timer_->start(parts_.health_interval_ms, parts_.health_interval_ms);
  thread_ = std::thread([this] { loop_.run(); });
}

void DeliveryLoop::stop() {
  if (!running_.exchange(false)) return;
  loop_.post([this] { begin_stop(); });
  thread_.join();
  save_cursors();
  tester_.reset();
  tests_.clear();
  entries_.clear();
  save_timer_.reset();
  health_timer_.reset();
  stop_timer_.reset();
  producers_ended_ = producer_reaper_->wait(ProducerReaper::kWaitMs);
  if (!producers_ended_ && parts_.log)
    parts_.log(
        fmt::format("syslog targets: a producer has not ended within {} s: the program ends without it",
                    ProducerReaper::kWaitMs / 1000));
}

void DeliveryLoop::begin_stop() {
  stopping_ = true;
  const std::int64_t deadline_us = parts_.clock.monotonic_us() + parts_.stop_timeout_ms * 1000;
  for (auto& [id, entry] : entries_) {
    entry.replacement.reset();
    entry.runner->finish(true, deadline_us, [this] { stop_if_finished(); });
  }
  // Runners keep the deadline by themselves; this is for one that has nothing left to wake it.
  stop_timer_ = std::make_unique<kit::Timer>(loop_, [this] { loop_.stop(); });
  stop_timer_->start(parts_.stop_timeout_ms + 500);
  stop_if_finished();
}

void DeliveryLoop::stop_if_finished() {
  const bool all = std::all_of(entries_.begin(), entries_.end(),
                               [](const auto& e) { return e.second.runner->finished(); });
  if (all) loop_.stop();
}

void DeliveryLoop::wake_all() {
  woken_ = false;  // before reading: an append after this posts again
  for (auto& [id, entry] : entries_) entry.runner->wake();
}

void DeliveryLoop::apply(std::vector<TargetSettings> targets) {
  // The present end is that of the call, and is durable before it returns: what is appended after the caller
  // said that the target exists belongs to it, also if the program dies before the loop turns.
  const Position end{parts_.ring.end(), 0};
  // Unless its cursor was lost: then it begins at the oldest event, or tells what it leaves out.
  const bool lost = cursors_lost_.exchange(false) && parts_.ring.oldest() < end.seq;
  const bool gap = parts_.on_lost_cursor == OnLostCursor::kGap;
  std::set<std::string> gaps;
  for (const TargetSettings& t : targets) {
    if (parts_.cursors.get(t.id)) continue;
    (void)parts_.cursors.set(t.id, cursor_of(lost ? Position{parts_.ring.oldest(), 0} : end, 0));
    if (!lost) continue;
    if (gap) gaps.insert(t.id);
    if (parts_.log)
      parts_.log(fmt::format("syslog target \"{}\": its cursor is lost: {}", t.name,
                             gap ? "it goes on at the newest event, behind a waf_gap message"
                                 : "it begins at the oldest event, so some may arrive twice"));
  }
  loop_.post([this, end, gaps, targets = std::move(targets)]() mutable {
    apply_now(std::move(targets), end, gaps);
  });
}

void DeliveryLoop::apply_now(std::vector<TargetSettings> targets, Position end,
                             const std::set<std::string>& gaps) {
  if (stopping_) return;
  order_.clear();
  for (TargetSettings& t : targets) {
    order_.push_back(t.id);
    const auto found = entries_.find(t.id);
    if (found == entries_.end()) {
      const std::string id = t.id;
      const auto cursor = parts_.cursors.get(id);
      // Nothing beyond the ring's end can have been sent.
      const std::uint64_t sent =
          cursor ? std::min(cursor->next_seq + cursor->sent_ahead, parts_.ring.end()) - 1 : 0;
      begin(std::move(t), cursor ? position_of(*cursor) : end, sent, nullptr,
            gaps.contains(id) ? end.seq : 0);
      continue;
    }
    Entry& entry = found->second;
    if (boost::json::serialize(to_json(t, true)) == entry.settings && !entry.replacement) continue;
    const std::string id = t.id;
    edit(id, entry, std::move(t));
  }
  std::erase_if(entries_, [this](const auto& e) {
    const bool gone = std::find(order_.begin(), order_.end(), e.first) == order_.end();
    if (gone) parts_.cursors.remove(e.first);
    return gone;
  });
  save_cursors();
}

// Puts `target` in the place of the runner's own once that has finished in order.
void DeliveryLoop::edit(const std::string& id, Entry& entry, TargetSettings target) {
  const bool waiting = entry.replacement != nullptr;
  entry.replacement = std::make_unique<TargetSettings>(std::move(target));
  if (waiting) return;
  entry.runner->finish(false, parts_.clock.monotonic_us() + kEditFlushMs * 1000,
                       [this, id] { loop_.post([this, id] { replace(id); }); });
}

void DeliveryLoop::set_time_zone(ZoneTime zone) {
  loop_.post([this, zone = std::move(zone)] {
    zone_ = zone;
    if (stopping_) return;
    for (auto& [id, entry] : entries_)
      if (!entry.replacement) edit(id, entry, entry.runner->target());
  });
}

void DeliveryLoop::begin(TargetSettings target, Position start, std::uint64_t sent,
                         const TargetRunner* before, std::uint64_t gap_to) {
  const std::string id = target.id;
  auto filter = EventQuery::parse(target.filter);
  if (!filter) {  // it was checked when it was saved; a settings file edited by hand may still hold anything
    if (parts_.log)
      parts_.log(fmt::format("syslog target \"{}\" is off: filter: {}", target.name, filter.error().what));
    target.enabled = false;
    filter = EventQuery::parse("");
  }
  Entry entry;
  entry.settings = boost::json::serialize(to_json(target, true));
  RunnerParts parts{.loop = loop_,
                    .clock = parts_.clock,
                    .random = parts_.random,
                    .ring = parts_.ring,
                    .node = parts_.node,
                    .zone = zone_,
                    .own_listeners = parts_.own_listeners,
                    .resolve = parts_.resolve,
                    .machine = parts_.machine,
                    .beat = parts_.beat,
                    .silent_ms = parts_.silent_ms,
                    .file_look_ms = parts_.file_look_ms};
  parts.producer_reaper = producer_reaper_;
  parts.on_progress = [this, id](const TargetRunner&) {
    if (const auto found = entries_.find(id); found != entries_.end()) save_cursor(id, found->second);
  };
  entry.runner = std::make_unique<TargetRunner>(parts, std::move(target), std::move(*filter), start);
  entry.runner->remember_sent(sent);
  entry.runner->tell_gap_to(gap_to);
  if (before) entry.runner->adopt_counters(*before);
  TargetRunner& runner = *entry.runner;
  entries_[id] = std::move(entry);
  runner.start();
}

void DeliveryLoop::replace(const std::string& id) {
  const auto found = entries_.find(id);
  if (stopping_ || found == entries_.end() || !found->second.replacement) return;
  const auto old = std::move(found->second.runner);
  begin(std::move(*found->second.replacement), old->settled(), 0, old.get(), old->gap_to());
}

void DeliveryLoop::status(std::function<void(std::vector<TargetStatus>)> done) {
  loop_.post([this, done = std::move(done)] {
    std::vector<TargetStatus> list;
    for (const std::string& id : order_)
      if (const auto found = entries_.find(id); found != entries_.end() && found->second.runner)
        list.push_back(found->second.runner->status());
    done(std::move(list));
  });
}

void DeliveryLoop::audit(std::string json) {
  loop_.post([this, json = std::move(json)] {
    for (auto& [id, entry] : entries_) {
      entry.runner->audit(json);
      entry.runner->wake();
    }
  });
}

Result<void> DeliveryLoop::check(const TargetSettings& target) const {
  return check_tls(target, parts_.clock.unix_us() / 1'000'000);
}

void DeliveryLoop::test(TargetSettings target, TestKind kind, std::function<void(TestResult)> done) {
  loop_.post([this, test = Test{std::move(target), kind, std::move(done)}]() mutable {
    if (tests_.size() >= kMaxTests || stopping_) {
      TestResult busy;
      busy.verdict = "failed";
      busy.text = stopping_ ? "wafd is stopping." : "Too many tests are waiting.";
      return test.done(std::move(busy));
    }
    tests_.push_back(std::move(test));
    next_test();
  });
}

void DeliveryLoop::next_test() {
  if (tester_ || tests_.empty()) return;
  Test test = std::move(tests_.front());
  tests_.pop_front();
  tester_ = std::make_unique<Tester>(loop_,
                                     TesterParts{parts_.clock, parts_.random, parts_.node, zone_,
                                                 parts_.own_listeners, parts_.resolve, producer_reaper_},
                                     std::move(test.target), test.kind,
                                     [this, done = std::move(test.done)](TestResult result) {
                                       done(std::move(result));
                                       loop_.post([this] {
                                         tester_.reset();
                                         next_test();
                                       });
                                     });
}

Cursor DeliveryLoop::cursor_of(Position at, std::uint64_t highest_sent) const {
  const std::uint64_t ahead = highest_sent >= at.seq ? highest_sent - at.seq + 1 : 0;
  return {parts_.ring.generation(), at.seq, next_sequence_id(at.sequence_id),
          static_cast<std::uint32_t>(std::min<std::uint64_t>(ahead, UINT32_MAX))};
}

void DeliveryLoop::save_cursors() {
  for (auto& [id, entry] : entries_) save_cursor(id, entry);
}

void DeliveryLoop::save_cursor(const std::string& id, Entry& entry) {
  const Position at = entry.runner->settled();
  const std::uint64_t sent = entry.runner->highest_sent();
  if (at == entry.saved && sent == entry.saved_sent) return;
  if (parts_.cursors.set(id, cursor_of(at, sent))) entry.saved = at, entry.saved_sent = sent;
}

void DeliveryLoop::log_states() {
  if (!parts_.log) return;
  const std::int64_t now_us = parts_.clock.monotonic_us();
  for (auto& [id, entry] : entries_) {
    const TargetRunner& runner = *entry.runner;
    const std::string state = runner.summary();
    if (state == entry.logged_state ||
        (entry.logged_at_us != INT64_MIN && now_us - entry.logged_at_us < kLogEveryUs))
      continue;
    entry.logged_state = state;
    entry.logged_at_us = now_us;
    const auto& say = runner.trouble() || !parts_.inform ? parts_.log : parts_.inform;
    say(fmt::format("syslog target \"{}\": {}", runner.target().name, state));
  }
}

}  // namespace wafd::forward
