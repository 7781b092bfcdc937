#include "forward/format/message.h"

#include <fmt/format.h>

#include "detect/core/record_cut.h"
#include "detect/core/record_json.h"
#include "forward/format/text_cut.h"

namespace wafd::forward {
namespace {

constexpr int kGapSeverity = 4, kAuditSeverity = 5, kHealthSeverity = 6, kConnectivitySeverity = 6;

int severity_of(Risk risk) {
  switch (risk) {
    case Risk::kHigh:
      return 2;
    case Risk::kMedium:
      return 4;
    case Risk::kLow:
      return 5;
  }
  return 4;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  append_json_text(text, out);
  out += '"';
  return out;
}

}  // namespace

MessageMaker::MessageMaker(const TargetSettings& target, std::string_view node, ZoneTime zone)
    : writer_(target, node, zone),
      zone_(std::move(zone)),
      node_(node),
      severity_(target.severity),
      format_(make_content_format(target.content, zone_, target.time_precision)),
      json_(target.content == Content::kJson),
      detail_(target.request_detail),
      max_(target.max_message_bytes) {}

std::string_view MessageMaker::header(int severity, std::int64_t time_us, std::string_view msgid,
                                      std::uint32_t sequence_id) {
  // Attacks come in bursts: within a millisecond, and of one risk, headers are the same.
  const HeaderOf of{severity, time_us, sequence_id, msgid};
  if (of == header_of_) return header_;
  header_of_ = of;
  header_.clear();
  writer_.append(severity, time_us, msgid, sequence_id, header_);
  return header_;
}

Message MessageMaker::event(const RecordView& record, std::uint32_t sequence_id) {
  Message m;
  m.header =
      header(severity_.value_or(severity_of(record.risk)), record.time_ms * 1000, "waf_event", sequence_id);
  m.content = record.json;
  if (detail_ != RequestDetail::kFull) {
    reduced_.clear();
    append_with_request_text(
        m.content, detail_ == RequestDetail::kHeaders ? RequestText::kHeaders : RequestText::kNone, reduced_);
    m.content = reduced_;
  }
  if (!json_ || m.size() > max_) {
    content_.clear();
    const std::size_t room = max_ > m.header.size() ? max_ - m.header.size() : 0;
    m.truncated = format_->append(record.time_ms, m.content, record.response_status, room, content_);
    m.content = content_;
  }
  return m;
}

Message MessageMaker::gap(const Gap& gap, std::uint32_t sequence_id) {
  const auto time = [this](std::optional<std::int64_t> ms) -> std::string {
    if (!ms) return "null";
    std::string text = "\"";
    zone_.append_rfc3339(*ms * 1000, 3, text);
    return text + '"';
  };
  return line(
      header(kGapSeverity, gap.to_ms * 1000, "waf_gap", sequence_id),
      fmt::format(
          R"({{"type":"gap","stream":"{}","first_seq":{},"last_seq":{},"count":{},"upper_bound":{},"from":{},"to":{},"node":{}}})",
          gap.stream, gap.first_seq, gap.last_seq, gap.count, gap.upper_bound, time(gap.from_ms),
          time(gap.to_ms), json_text(node_)));
}

std::string MessageMaker::health_json(const Health& h) const {
  return fmt::format(
      R"({{"type":"alive","node":{},"version":"{}","uptime_s":{},"ring_oldest":{},"ring_end":{},"lag_events":{},"sent":{},"lost":{}}})",
      json_text(node_), WAFD_VERSION, h.uptime_s, h.ring_oldest, h.ring_end, h.lag_events, h.sent, h.lost);
}

Message MessageMaker::alive(std::string_view json, std::int64_t time_us, std::uint32_t sequence_id) {
  return line(header(kHealthSeverity, time_us, "waf_alive", sequence_id), json);
}

Message MessageMaker::audit(std::string_view json, std::int64_t time_us, std::uint32_t sequence_id) {
  return line(header(kAuditSeverity, time_us, "waf_audit", sequence_id), json);
}

Message MessageMaker::line(std::string_view header, std::string_view json) {
  Message m;
  m.header = header;
  content_.clear();
  m.truncated = cut_json_object(json, max_ > header.size() ? max_ - header.size() : 0, content_);
  m.content = content_;
  return m;
}

Message MessageMaker::connectivity(std::int64_t now_us) {
  Message m;
  m.header = header(kConnectivitySeverity, now_us, "waf_event", 0);
  m.content = "Connectivity test requested.";
  return m;
}

}  // namespace wafd::forward
