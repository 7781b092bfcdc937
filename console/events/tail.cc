#include <algorithm>
#include <deque>
#include <optional>

#include <fmt/format.h>

#include "console/events/scan.h"
#include "console/events/streams.h"

namespace wafd::console {
namespace {

constexpr std::size_t kBatchRecords = 256;
constexpr std::size_t kBatchBytes = 1u << 20;
constexpr std::size_t kMaxRoundsPerPull = 4;
// A turn of looking backwards runs on the console's loop: a millisecond or two.
constexpr ScanTurn kBehindTurn{128, 512u << 10, 50'000};
constexpr std::size_t kMaxAwaited = 64;
constexpr std::int64_t kAwaitReportMs = 60'000;

class Tail final : public BodySource {
 public:
  Tail(const forward::Ring& ring, TailOptions options)
      : ring_(ring), reader_(ring), options_(std::move(options)) {
    const std::uint64_t end = ring.end();
    std::uint64_t begin = end;
    if (options_.after) begin = std::min(end, *options_.after + 1);
    reader_.seek(begin);
    if (end - begin > kMaxReplayRecords) catch_up(begin, end);
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
    if (!behind_ && end - std::min(end, reader_.next_seq()) > kMaxLagRecords) {
      catch_up(reader_.next_seq(), end);
    }
    const std::size_t before = out.size();
    if (behind_ && !caught_up(out, before + room)) return Next::kMore;
    bool more = false;
    for (std::size_t round = 0; round < kMaxRoundsPerPull; ++round) {
      std::uint64_t overtaken = 0;
      const auto batch = reader_.read(kBatchRecords, kBatchBytes, overtaken);
      lose(overtaken);
      tell_skipped(out);
      for (const forward::RecordView& record : batch) {
        if (record.report_expected && !record.reported) await_report(record.seq, now_ms);
        if (!options_.filter.matches(record)) continue;
        append_event(reader_, record, out);
      }
      more = !batch.empty();
      if (!more || out.size() - before >= room) break;
    }
    tell_reported(out, now_ms);
    if (out.size() > before) {
      last_ms_ = now_ms;
    } else if (now_ms - last_ms_ >= kCommentMs) {
      // Also who gets no event learns how far the search for it has come, and resumes there.
      const std::uint64_t next = reader_.next_seq();
      out += next == 0 ? std::string(": still here\n\n")
                       : fmt::format("id: {0}\nevent: position\ndata: {{\"after\":{0}}}\n\n", next - 1);
      last_ms_ = now_ms;
    }
    return more ? Next::kMore : Next::kWait;
  }

 private:
  // A reader far behind the end of the ring: of the records in between the newest matches are delivered, the
  // other matches counted. Records that its filter excludes are neither read nor counted.
  struct Behind {
    BackScan scan;
    bool scanned = false;
    std::deque<std::uint64_t> matches;  // sequences, oldest first
  };

  void catch_up(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t oldest = ring_.oldest();
    if (begin < oldest) lose(oldest - begin);
    behind_.emplace(Behind{BackScan(behind_reader_, options_.filter, end, begin), false, {}});
    reader_.seek(end);
  }

  // One turn of it. True: it is done.
  bool caught_up(std::string& out, std::size_t most) {
    if (!behind_->scanned) {
      behind_->scanned = !behind_->scan.turn(kBehindTurn, [this](const forward::RecordView& record) {
        if (behind_->matches.size() < kMaxReplayRecords)
          behind_->matches.push_front(record.seq);
        else
          ++skipped_;
        return true;
      });
      return false;
    }
    tell_skipped(out);
    for (; !behind_->matches.empty() && out.size() < most; behind_->matches.pop_front()) {
      const std::uint64_t seq = behind_->matches.front();
      std::uint64_t overtaken = 0;
      behind_reader_.seek(seq);
      const auto records = behind_reader_.read(1, kBatchBytes, overtaken);
      if (records.empty() || records[0].seq != seq)
        ++skipped_;
      else
        append_event(behind_reader_, records[0], out);
    }
    if (!behind_->matches.empty()) return false;
    behind_.reset();
    return true;
  }

  // Records that the ring let go before they were looked at. Whether they matched, only a filter that
  // everything matches can tell.
  void lose(std::uint64_t records) { (options_.filter.takes_all() ? skipped_ : unknown_) += records; }

  void append_event(const forward::RingReader& reader, const forward::RecordView& record, std::string& out) {
    out += fmt::format("id: {}\nevent: event\ndata: ", record.seq);
    append_event_json(reader, record, options_.filter.masked, out);
    out += "\n\n";
  }

  void tell_skipped(std::string& out) {
    if (skipped_ == 0 && unknown_ == 0) return;
    out += fmt::format("event: skipped\ndata: {{\"count\":{},\"unknown\":{}}}\n\n", skipped_, unknown_);
    skipped_ = 0;
    unknown_ = 0;
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
      const auto records = awaited_reader_.read(1, kBatchBytes, overtaken);
      if (records.empty() || records[0].seq != one.seq) return true;
      if (!records[0].reported) return now_ms >= one.until_ms;
      if (options_.filter.matches(records[0])) {
        out += "event: amended\ndata: ";
        append_event_json(awaited_reader_, records[0], options_.filter.masked, out);
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
  forward::RingReader behind_reader_{ring_};
  std::optional<Behind> behind_;
  std::uint64_t skipped_ = 0;  // matches
  std::uint64_t unknown_ = 0;  // records
  std::int64_t last_ms_ = 0;
};

}  // namespace

std::unique_ptr<BodySource> tail_events(const forward::Ring& ring, TailOptions options) {
  return std::make_unique<Tail>(ring, std::move(options));
}

}  // namespace wafd::console
