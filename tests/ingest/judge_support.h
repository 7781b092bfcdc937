// Shared by the tests of ingest: an engine that knows one attack, a sink that remembers, a clock that is
// set.
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ingest/fair_queue.h"
#include "ingest/judge.h"

namespace wafd::ingest {

// Finds the word "ATTACK" (or `' OR '`) in head or body. The real engine has its own tests; these are about
// what surrounds it.
class WordEngine final : public detect::Engine {
 public:
  class WordScratch final : public detect::Scratch {
   public:
    const RequestHead& head() const noexcept override { return head_; }
    std::uint64_t work_units() const noexcept override { return units_; }
    std::uint64_t work_limit() const noexcept override { return units_; }
    mutable RequestHead head_;
    std::uint64_t units_ = 0;
  };

  WordEngine() {
    rule_.number = 1;
    rule_.id = "m_test/00000000000000000000000000000001";
    rule_.module = "m_test";
    rule_.name = "the word";
    rule_.attack_type = AttackType::kSqli;
    rule_.risk = Risk::kHigh;
    list_[0] = &rule_;
  }
  std::unique_ptr<detect::Scratch> make_scratch() const override { return std::make_unique<WordScratch>(); }
  using Engine::inspect;
  void inspect(const Request& request, const Effort& effort, detect::Scratch& scratch,
               Verdict& out) const override {
    out.clear();
    out.by_head = effort.head_only && !request.body.empty();
    out.interrupted = out.limit_reached = effort.enough && effort.enough();
    static_cast<WordScratch&>(scratch).head_.parse(request.head);
    // Where it says EXPENSIVE, judging costs a thousand times as much.
    const std::uint64_t bytes = request.head.size() + (out.by_head ? 0 : request.body.size());
    const bool dear = request.head.find("EXPENSIVE") != std::string_view::npos;
    static_cast<WordScratch&>(scratch).units_ = bytes * (dear ? 10'000 : 10);
    out.total_bytes = out.inspected_bytes = request.head.size() + request.body.size();
    out.body_truncated = request.body_truncated;
    out.body_abandoned = request.body_abandoned;
    const auto found = [](std::string_view text) {
      return text.find("ATTACK") != std::string_view::npos || text.find("' OR '") != std::string_view::npos;
    };
    const bool in_body = !out.by_head && found(request.body);
    if (!in_body && !found(request.head)) return;
    Finding finding;
    finding.rule = &rule_;
    finding.denies_from = rule_.denies_from;
    finding.location = in_body ? Location::kBody : Location::kQuery;
    finding.payload = "ATTACK";
    out.findings.push_back(finding);
  }
  std::span<const Rule* const> rules() const noexcept override { return list_; }
  std::size_t database_bytes() const noexcept override { return 0; }

 private:
  Rule rule_;
  const Rule* list_[1];
};

class MemorySink final : public EventSink {
 public:
  Result<std::uint64_t> append(const EventRecord& record) noexcept override {
    const std::lock_guard lock(mutex_);
    if (full) return fail(ErrorCode::kResource, "full");
    records.push_back(record);
    return records.size();
  }
  bool amend(const ResponseReport& report) noexcept override {
    const std::lock_guard lock(mutex_);
    reports.push_back(report);
    for (const auto& record : records) {
      if (record.id == report.id) return true;
    }
    return false;
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return records.size();
  }
  std::vector<EventRecord> records;
  std::vector<ResponseReport> reports;
  bool full = false;

 private:
  mutable std::mutex mutex_;
};

class SetClock final : public Clock {
 public:
  std::int64_t unix_us() const noexcept override { return unix_time; }
  std::int64_t monotonic_us() const noexcept override { return monotonic; }
  std::atomic<std::int64_t> unix_time{1'766'000'000'000'000};
  std::atomic<std::int64_t> monotonic{1'000'000};
};

// Ids are ...01, ...02, and so on, so that answers can be compared whole.
class CountingRandom final : public Random {
 public:
  void fill(std::span<std::byte> out) noexcept override {
    for (auto& o : out) o = std::byte{0xb3};
    if (!out.empty()) out.back() = static_cast<std::byte>(++calls_);
  }

 private:
  std::atomic<unsigned char> calls_{0};
};

inline EngineSnapshot word_engine() {
  auto engine = std::make_shared<WordEngine>();
  auto scratch = engine->make_scratch();
  return {engine, std::move(scratch)};
}

inline std::shared_ptr<const detect::Policy> policy_of(const detect::PolicySettings& settings = {}) {
  return std::make_shared<const detect::Policy>(detect::Policy::build(settings).value());
}

// The next request in the queue is judged and answered. False: none waits.
inline bool run_next(FairQueue& queue, RequestJudge& judge, Turn turn = Turn::kTime) {
  const auto taken = queue.take_next();
  if (!taken) return false;
  queue.finish(*taken, taken->work->judge(judge, turn));
  taken->work->answer();
  return true;
}

struct JudgeBench {
  JudgeBench() : judge({clock, random, sink, "node-1", {}, {}}, word_engine(), policy_of()) {}
  SetClock clock;
  CountingRandom random;
  MemorySink sink;
  RequestJudge judge;
};

}  // namespace wafd::ingest
