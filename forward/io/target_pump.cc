// The sending half of TargetRunner: ring -> messages -> socket, one batch a turn.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include <boost/json.hpp>

#include "forward/io/target_runner.h"
#include "forward/protocol/framing.h"
#include "forward/ring/report_wait.h"

namespace wafd::forward {
namespace {

constexpr std::size_t kBatchRecords = 64;
constexpr std::size_t kReadBytes = 128 * 1024;  // with what is fetched ahead, half a second-level cache
constexpr std::size_t kRecordHead = 512;        // of a record in the ring, about: what is not its JSON
constexpr std::string_view kLineEnd = "\n";
constexpr std::int64_t kFactsEveryUs = 1000;  // acknowledgements are looked at that often while busy
constexpr std::size_t kDatagramLines = 64;    // more than two bursts, which is what a refusal takes back

}  // namespace

bool TargetRunner::pump() {
  if (machine_.state() != TargetState::kUp && machine_.state() != TargetState::kStopping) return false;
  const std::int64_t now_us = parts_.clock.monotonic_us();
  if (link_ && link_->stream() && now_us - facts_at_us_ >= kFactsEveryUs) poll_facts(now_us);
  bool more = false;
  hold_until_us_ = INT64_MAX;
  if (!wants_events_) pass_events();
  if (producer_) {
    more = pump_producer(now_us);
  } else if (link_ && link_->stream()) {
    more = pump_stream(now_us);
  } else if (link_ && link_->datagrams()) {
    more = pump_datagrams(now_us);
  }
  if (parts_.on_progress) parts_.on_progress(*this);
  if (finishing_) after_finish(now_us);
  if (finished()) return false;
  arm(now_us);
  return more;
}

// A target without events stays at the ring's end, so that it starts there if it gets them later.
void TargetRunner::pass_events() {
  Position at = machine_.next();
  if (parts_.ring.end() <= at.seq) return;
  at.seq = parts_.ring.end();
  machine_.on_passed(at);
}

// The record as this target sends it: with its response report if it waits for reports and this one came in
// time, else as if there were none. Null: not yet.
const RecordView* TargetRunner::with_report(const RecordView& record, std::int64_t now_ms) {
  const ReportDecision d = decide_report(record, finishing_ ? 0 : target_.wait_for_report_ms, now_ms);
  if (d.step == ReportStep::kHold && (filter_.reads_report() || filter_.matches(record))) {
    hold_until_us_ = parts_.clock.monotonic_us() + d.hold_ms * 1000;
    return nullptr;
  }
  if (!record.reported) return &record;
  reported_ = record;
  // Rows of a database are no stream: an event may come with whatever is known of it by now.
  if (d.step == ReportStep::kMerged || target_.transport == Transport::kPostgresql) {
    reported_json_ = reader_.merged_json(record);
    reported_.json = reported_json_;
  } else {
    reported_.reported = false;
    reported_.response_status = 0;
  }
  return &reported_;
}

// The messages to send now, as the target sees them; `step` is called for each in order and says whether to
// go on. Returns whether there may be more.
bool TargetRunner::each_message(std::uint64_t budget, const Step& step) {
  Position at = machine_.next();
  const bool events = wants_events_ && !(finishing_ && at.seq >= drain_to_);
  if (!each_line(budget, at, !events, step)) return false;
  if (budget == 0 || !events) return budget == 0;

  // Behind an event that waits nothing is read in vain: after it batches grow from one again.
  batch_records_ = std::min(batch_records_, kBatchRecords);
  const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(budget, batch_records_));
  batch_records_ *= 2;
  const std::int64_t now_ms = parts_.clock.unix_us() / 1000;
  std::uint64_t overtaken = 0;
  if (at.seq < gap_to_ && reader_.next_seq() < gap_to_) reader_.seek(gap_to_);
  const auto records = reader_.read(most, kReadBytes, overtaken);
  // Sequences follow each other; a hole, wherever it is, is told before what comes behind it.
  const auto tell_gap = [&](std::uint64_t next_seq, std::int64_t next_ms) {
    Gap gap;
    gap.first_seq = at.seq;
    gap.last_seq = next_seq - 1;
    gap.count = next_seq - at.seq;
    // The filter might have kept some of it back, and what was sent before may be there, though not settled.
    gap.upper_bound = !target_.filter.empty() || at.seq <= machine_.highest_sent() || at.seq < gap_to_;
    gap.from_ms = last_event_ms_;
    gap.to_ms = next_ms;
    at = {next_seq, next_id(at.sequence_id)};
    return step(StepKind::kGap, maker_.gap(gap, at.sequence_id), at, false);
  };
  if (records.empty()) {
    if (overtaken > 0 || at.seq < gap_to_) tell_gap(reader_.next_seq(), now_ms);
    each_line(budget, at, true, step);
    return false;
  }
  for (const RecordView& record : records) {
    reader_.hint_next(record.json.size() + kRecordHead);  // memory works while the message is made
    if (!each_line(budget, at, false, step)) return false;
    if (record.seq > at.seq && !tell_gap(record.seq, record.time_ms)) return false;
    const RecordView* view = with_report(record, now_ms);
    if (view == nullptr) {
      batch_records_ = 1;
      reader_.seek(record.seq);
      return false;
    }
    if (!filter_.matches(*view)) {
      at.seq = record.seq + 1;
      if (!step(StepKind::kSkipped, {}, at, false)) return false;
      continue;
    }
    const Position behind{record.seq + 1, next_id(at.sequence_id)};
    const Message m = maker_.event(*view, behind.sequence_id);
    record_ = &record;
    if (!step(StepKind::kEvent, m, behind, m.content.data() == record.json.data())) return false;
    last_event_ms_ = record.time_ms;
    at = behind;
  }
  return true;
}

void TargetRunner::note(StepKind kind, const Position& behind, std::uint64_t bytes, bool truncated,
                        std::int64_t now_us) {
  if (kind == StepKind::kSkipped) return machine_.on_skipped(behind);
  if (kind == StepKind::kGap) machine_.on_lost(machine_.next().seq, behind.seq - 1, behind);
  if (truncated) machine_.on_truncated();
  machine_.on_written(bytes, behind, now_us);
  last_sent_ms_ = wall_ms_;
}

// The head of a frame is made here; a content that lasts is written from where the reader has it.
void TargetRunner::add_frame(const Message& m, bool lasting) {
  const std::size_t before = batch_.size();
  RelpSession* const relp = link_->relp();
  const std::int64_t now_us = parts_.loop.turn_start_us();
  const bool line_end = relp || target_.framing == Framing::kLf;
  if (line_end && !relp && lasting)  // an LF inside would end the frame
    lasting = std::memchr(m.content.data(), '\n', m.content.size()) == nullptr;
  if (!lasting) {
    if (relp)
      relp->append(m.header, m.content, now_us, batch_);
    else
      append_frame(target_.framing, m.header, m.content, batch_);
    pieces_.push_back({nullptr, before, batch_.size() - before});
    batch_bytes_ += batch_.size() - before;
    return;
  }
  if (relp)
    relp->begin(m.size(), now_us, batch_);
  else
    append_frame_begin(target_.framing, m.size(), batch_);
  batch_ += m.header;
  pieces_.push_back({nullptr, before, batch_.size() - before});
  pieces_.push_back({m.content.data(), 0, m.content.size()});
  batch_bytes_ += batch_.size() - before + m.content.size();
  if (line_end) {
    pieces_.push_back({kLineEnd.data(), 0, 1});
    ++batch_bytes_;
  }
}

bool TargetRunner::write_batch() {
  parts_out_.clear();
  for (const Piece& piece : pieces_)
    parts_out_.emplace_back(piece.elsewhere ? piece.elsewhere : batch_.data() + piece.offset, piece.size);
  return link_->stream()->write_parts(parts_out_);
}

bool TargetRunner::pump_stream(std::int64_t now_us) {
  if (link_->stream()->queued_bytes() != 0 || link_->ending()) return false;  // on_writable calls again
  std::uint64_t budget = machine_.budget(now_us);
  if (link_->relp()) budget = std::min<std::uint64_t>(budget, link_->relp()->room());
  if (budget == 0) return false;
  if (!link_->relp()) settle_extras(machine_.settled_bytes());
  const std::size_t new_lines = extras_sent_.size();
  marks_.clear();
  pieces_.clear();
  batch_.clear();
  const bool more =
      each_message(budget, [&](StepKind kind, const Message& m, const Position& behind, bool lasting) {
        const std::size_t before = batch_bytes_;
        if (kind != StepKind::kSkipped) add_frame(m, lasting);
        if (kind == StepKind::kExtra) {
          // Until the batch is written nothing settles it: not what it had on an earlier connection either.
          extras_.front().end = link_->relp() ? link_->relp()->window().sent_bytes() : UINT64_MAX;
          extras_sent_.push_back(std::move(extras_.front()));
          extras_.pop_front();
        }
        marks_.push_back({kind, m.truncated, static_cast<std::uint32_t>(batch_bytes_ - before), behind});
        return true;
      });
  if (!pieces_.empty() && !write_batch()) {
    failed("the connection takes no more");
    return false;
  }
  if (target_.transport == Transport::kTls) mark_ciphertext();
  wall_ms_ = parts_.clock.unix_us() / 1000;
  std::size_t line = new_lines;
  for (const Mark& mark : marks_) {
    note(mark.kind, mark.behind, mark.bytes, mark.truncated, now_us);
    if (mark.kind == StepKind::kExtra && !link_->relp()) extras_sent_[line++].end = machine_.written_bytes();
  }
  return more && link_ && link_->stream()->queued_bytes() == 0;
}

// Records of TLS do not end where messages end: every message of a batch is acknowledged with the last byte
// of it.
void TargetRunner::mark_ciphertext() {
  std::uint64_t bytes = link_->take_wire_bytes();
  for (Mark& mark : marks_)
    if (mark.kind != StepKind::kSkipped) mark.bytes = static_cast<std::uint32_t>(std::exchange(bytes, 0));
}

bool TargetRunner::pump_datagrams(std::int64_t now_us) {
  const std::uint64_t budget = machine_.budget(now_us);
  if (budget == 0) return false;
  wall_ms_ = parts_.clock.unix_us() / 1000;
  std::string why;
  const bool more = each_message(budget, [&](StepKind kind, const Message& m, const Position& behind, bool) {
    if (kind == StepKind::kSkipped) return note(kind, behind, 0, false, now_us), true;
    const auto sent = link_->datagrams()->send(m.header, m.content);
    if (!sent && sent.error().code == ErrorCode::kResource)
      return false;  // the buffer is full: a little later
    if (!sent && sent.error().code != ErrorCode::kTooLarge) return why = sent.error().what, false;
    if (kind == StepKind::kExtra) {
      if (target_.sequence_id) extras_sent_.push_back(std::move(extras_.front()));
      if (extras_sent_.size() > kDatagramLines) extras_sent_.pop_front();
      extras_.pop_front();
    }
    if (sent)
      note(kind, behind, m.size(), m.truncated, now_us);
    else
      machine_.on_rejected(behind);
    return true;
  });
  if (!why.empty()) {
    failed(std::move(why));
    return false;
  }
  if (wants_events_ && reader_.next_seq() != machine_.next().seq) {
    reader_.seek(machine_.next().seq);
    retry_soon_ = true;
  }
  return more && machine_.budget(now_us) > 0;
}

}  // namespace wafd::forward
