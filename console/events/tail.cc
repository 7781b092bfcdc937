#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "console/events/streams.h"

namespace wafd::console {
namespace {

constexpr std::size_t kBatchRecords = 256;
constexpr std::size_t kBatchOctets = 1u << 20;
constexpr std::size_t kMaxRoundsPerPull = 4;
constexpr std::size_t kMaxAwaited = 64;
constexpr std::int64_t kAwaitReportMs = 60'000;

class Tail final : public BodySource {
 public:
  Tail(const forward::Ring& ring, TailOptions options)
      : ring_(ring), reader_(ring), options_(std::move(options)) {
    const std::uint64_t end = ring.end();
    std::uint64_t begin = end;
    if (options_.after) {
      begin = std::min(end, *options_.after + 1);
      const std::uint64_t first = end > kMaxReplayRecords ? end - kMaxReplayRecords : 0;
      if (begin < first) {
        skipped_ += first - begin;
        begin = first;
      }
    }
    reader_.seek(begin);
  }

  Next pull(std::string& out, std::size_t room, std::int64_t now_ms) override {
    if (last_ms_ == 0) {
      out += fmt::format("retry: 2000\nevent: hello\ndata: {{\"end\":{}}}\n\n", ring_.end());
      last_ms_ = now_ms;
    }
    if (options_.ended) {
      if (const std::string reason = options_.ended(now_ms); !reason.empty()) {
        out += fmt::format("event: end\ndata: {{\"reason\":\"{}\"}}\n\n", reason);
        return Next::kEnd;
      }
    }
    const std::uint64_t end = ring_.end();
    if (end - std::min(end, reader_.next_seq()) > kMaxLagRecords) {
      skipped_ += end - kMaxReplayRecords - reader_.next_seq();
      reader_.seek(end - kMaxReplayRecords);
    }
    const std::size_t before = out.size();
    bool more = false;
    for (std::size_t round = 0; round < kMaxRoundsPerPull; ++round) {
      std::uint64_t overtaken = 0;
      const auto batch = reader_.read(kBatchRecords, kBatchOctets, overtaken);
      skipped_ += overtaken;
      tell_skipped(out);
      for (const forward::RecordView& record : batch) {
        if (record.report_expected && !record.reported) await_report(record.seq, now_ms);
        if (!options_.filter.matches(record)) continue;
        out += fmt::format("id: {}\nevent: event\ndata: ", record.seq);
        append_event_json(reader_, record, out);
        out += "\n\n";
      }
      more = !batch.empty();
      if (!more || out.size() - before >= room) break;
    }
    tell_reported(out, now_ms);
    if (out.size() > before) {
      last_ms_ = now_ms;
    } else if (now_ms - last_ms_ >= kCommentMs) {
      out += ": still here\n\n";
      last_ms_ = now_ms;
    }
    return more ? Next::kMore : Next::kWait;
  }

 private:
  void tell_skipped(std::string& out) {
    if (skipped_ == 0) return;
    out += fmt::format("event: skipped\ndata: {{\"count\":{}}}\n\n", skipped_);
    skipped_ = 0;
  }

  void await_report(std::uint64_t seq, std::int64_t now_ms) {
    if (awaited_.size() == kMaxAwaited) awaited_.pop_front();
    awaited_.push_back({seq, now_ms + kAwaitReportMs});
  }

  // Events that were given and have their response report now. No id: a client that comes back goes on behind
  // the newest event.
  void tell_reported(std::string& out, std::int64_t now_ms) {
    std::erase_if(awaited_, [&](const Awaited& one) {
      std::uint64_t overtaken = 0;
      awaited_reader_.seek(one.seq);
      const auto records = awaited_reader_.read(1, kBatchOctets, overtaken);
      if (records.empty() || records[0].seq != one.seq) return true;
      if (!records[0].reported) return now_ms >= one.until_ms;
      if (options_.filter.matches(records[0])) {
        out += "event: amended\ndata: ";
        append_event_json(awaited_reader_, records[0], out);
        out += "\n\n";
      }
      return true;
    });
  }

  struct Awaited {
    std::uint64_t seq;
    std::int64_t until_ms;
  };

  const forward::Ring& ring_;
  forward::RingReader reader_;
  forward::RingReader awaited_reader_{ring_};
  std::deque<Awaited> awaited_;
  TailOptions options_;
  std::uint64_t skipped_ = 0;
  std::int64_t last_ms_ = 0;
};

}  // namespace

std::unique_ptr<BodySource> tail_events(const forward::Ring& ring, TailOptions options) {
  return std::make_unique<Tail>(ring, std::move(options));
}

}  // namespace wafd::console
