// Shared by the console's tests: a clock to set, a ring with events, a delivery that notes what it
// is asked (the console knows it as an interface; the real one has tests of its own).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "detect/core/attack_event.h"
#include "detect/core/clock.h"
#include "detect/core/event_record.h"
#include "detect/core/record_json.h"
#include "forward/notify/notifier.h"
#include "forward/ring/ring.h"
#include "forward/target/delivery.h"

namespace wafd::test {

// The bytes behind a base32 text (RFC 4648, 6).
inline std::string decoded_base32(const std::string& text) {
  std::string out;
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    bits = bits << 5 | static_cast<unsigned>(c <= '7' && c >= '2' ? c - '2' + 26 : c - 'A');
    held += 5;
    if (held < 8) continue;
    held -= 8;
    out += static_cast<char>(bits >> held & 0xff);
  }
  return out;
}

class SetClock final : public Clock {
 public:
  std::int64_t unix_us() const noexcept override { return now_us.load() + jump_us; }
  std::int64_t monotonic_us() const noexcept override { return now_us.fetch_add(each_look_us); }
  void advance_ms(std::int64_t ms) { now_us += ms * 1000; }
  mutable std::atomic<std::int64_t> now_us{1'700'000'000'000'000};
  std::int64_t jump_us = 0;       // by which the system's clock was set, and the monotonic one was not
  std::int64_t each_look_us = 0;  // how far the monotonic clock goes with each look at it
};

// Not random at all, but never the same twice.
class CountingRandom final : public Random {
 public:
  void fill(std::span<std::byte> out) noexcept override {
    for (std::byte& byte : out) {
      state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
      byte = static_cast<std::byte>(state_ >> 56);
    }
  }

 private:
  std::uint64_t state_ = 42;
};

class NotingDelivery final : public forward::Delivery {
 public:
  void apply(std::vector<forward::TargetSettings> targets) override {
    const std::lock_guard lock(mutex);
    applied = std::move(targets);
  }
  void status(std::function<void(std::vector<forward::TargetStatus>)> done) override {
    std::vector<forward::TargetStatus> statuses;
    {
      const std::lock_guard lock(mutex);
      for (const auto& target : applied) {
        forward::TargetStatus status;
        status.id = target.id;
        status.state = "up";
        statuses.push_back(status);
      }
    }
    done(std::move(statuses));
  }
  void test(forward::TargetSettings target, forward::TestKind kind,
            std::function<void(forward::TestResult)> done) override {
    forward::TestResult result;
    result.verdict = "sent";
    result.text = "Sent; UDP cannot confirm delivery.";
    result.message = "<30>1 - - wafd 1 waf_event - Connectivity test requested.";
    if (kind == forward::TestKind::kSample) result.event_id = "0123456789abcdef0123456789abcdef";
    result.stages.push_back({"resolve", true, 0.1, {{"addresses", {"127.0.0.1"}}}, ""});
    result.stages.push_back({"write", false, 0.2, {}, "refused"});
    {
      const std::lock_guard lock(mutex);
      tested.push_back(target);
    }
    if (hold_tests) {
      held = std::move(done);
      return;
    }
    done(std::move(result));
  }
  void audit(std::string json) override {
    const std::lock_guard lock(mutex);
    audited.push_back(std::move(json));
  }

  Result<void> check(const forward::TargetSettings& target) const override {
    if (target.tls.ca == "file:/refused") return fail(ErrorCode::kInvalid, "tls.ca: refused");
    return {};
  }

  std::mutex mutex;
  std::vector<forward::TargetSettings> applied;
  std::vector<forward::TargetSettings> tested;
  std::vector<std::string> audited;
  bool hold_tests = false;
  std::function<void(forward::TestResult)> held;
};

// A notifier that notes what it is asked; the real one has tests of its own.
class NotingNotifier final : public forward::Notifier {
 public:
  void apply(std::vector<forward::ChannelSettings> channels,
             std::vector<forward::AlertSettings> alerts) override {
    applied_channels = std::move(channels);
    applied_alerts = std::move(alerts);
  }
  void observe(forward::NodeState state) override { observed.push_back(std::move(state)); }
  void tell(forward::Notification notification) override { told.push_back(std::move(notification)); }
  void test(forward::ChannelSettings channel, std::function<void(forward::SendResult)> done) override {
    tested.push_back(std::move(channel));
    forward::SendResult result;
    result.text = "Failed at connect: nobody accepts connections there.";
    result.stages.push_back({"resolve", true, 0.1, {}, ""});
    result.stages.push_back(
        {"connect", false, 0.2, {{"address", "127.0.0.1:1"}}, "nobody accepts connections there"});
    if (hold_tests)
      held = std::move(done);
    else
      done(std::move(result));
  }
  void status(std::function<void(forward::NotifierStatus)> done) override { done(shown); }
  void trends(std::vector<forward::TrendQuery> queries,
              std::function<void(std::vector<forward::TrendSums>)> done) override {
    std::vector<forward::TrendSums> sums;
    sums.reserve(queries.size());
    for (const auto& query : queries) sums.push_back(counts.sums(query));
    done(std::move(sums));
  }
  void set_sent(std::function<void(forward::SendRecord)> sent) override { on_sent = std::move(sent); }

  std::vector<forward::ChannelSettings> applied_channels, tested;
  std::vector<forward::AlertSettings> applied_alerts;
  std::vector<forward::NodeState> observed;
  std::vector<forward::Notification> told;
  forward::NotifierStatus shown;
  forward::TrendCounts counts;
  bool hold_tests = false;
  std::function<void(forward::SendResult)> held;
  std::function<void(forward::SendRecord)> on_sent;
};

// An event as the engine would make it; `number` tells them apart.
inline EventRecord make_event(std::uint64_t number, std::int64_t time_ms,
                              const std::string& src = "192.0.2.1", AttackType type = AttackType::kSqli,
                              Action action = Action::kDeny, const std::string& path = "/login") {
  EventRecord record;
  record.time_ms = time_ms;
  for (std::size_t i = 0; i < 8; ++i) record.id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  record.attack_type = type;
  record.risk = Risk::kHigh;
  record.action = action;
  record.src_ip = src;
  record.site_uuid = "0";
  record.rule_id = "m_sqli/0123456789abcdef0123456789abcdef";
  AttackEvent event;
  event.event_id = record.id;
  event.scheme = "http";
  event.src_ip = src;
  event.host = "shop.example";
  event.method = "GET";
  event.urlpath = path;
  event.query_string = "id=1";
  event.site_uuid = "0";
  event.rule_id = record.rule_id;
  event.rule_module = "m_sqli";
  event.attack_type = type;
  event.risk = record.risk;
  event.action = action;
  event.location = "query";
  event.payload = "=cmd|' /C calc'!A0";
  event.user_agent = "test, \"quoted\"";
  event.timestamp_s = time_ms / 1000;
  event.req_start_time_ms = time_ms;
  event.req_end_time_ms = time_ms;
  event.node = "node-1";
  event.header_raw = "GET " + path + "?id=1 HTTP/1.1\r\nHost: shop.example\r\n\r\n";
  record.offsets = append_record_json(event, record.json);
  record.detail = R"({"findings":[],"why":"test"})";
  return record;
}

}  // namespace wafd::test
