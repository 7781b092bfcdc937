#include "ingest/t1k_session.h"

#include <utility>

#include "detect/core/octets.h"
#include "ingest/declared_body.h"
#include "ingest/t1k_extra.h"

namespace wafd::ingest::t1k {

Session::Session(const Shared& shared)
    : shared_(shared),
      reader_(Limits{shared.limits.max_head_bytes, shared.limits.max_body_bytes, Limits{}.max_meta_bytes}) {}

tl::expected<void, Malformed> Session::on_octets(std::string_view octets, std::int64_t turn_start_us,
                                                 std::string& out) {
  while (true) {
    const auto complete = reader_.next(octets);
    if (!complete) {
      ++shared_.counters.malformed[static_cast<std::size_t>(complete.error())];
      return tl::unexpected(complete.error());
    }
    if (!*complete) return {};
    const auto& message = reader_.message();
    switch (message.kind()) {
      case Kind::kRequest:
        answer_request(message, turn_start_us, out);
        break;
      case Kind::kReport:
        take_report(message);
        out += pass_answer();
        break;
      case Kind::kHeartbeat:
        ++shared_.counters.heartbeats;
        out += heartbeat_answer();
        break;
      case Kind::kOther:
        ++shared_.counters.other;
        out += pass_answer();
        break;
    }
  }
}

void Session::answer_request(const Message& message, std::int64_t turn_start_us, std::string& out) {
  auto& counters = shared_.counters;
  ++counters.requests;
  counters.heads_cut += message.head.cut() ? 1 : 0;
  counters.bodies_cut += message.body.cut() ? 1 : 0;
  const auto extra = parse_extra(message.extra.data);
  counters.plugin_skipped += extra.skipped;

  if (shared_.clock.monotonic_us() - turn_start_us > shared_.limits.budget_us) {
    const auto late = shared_.judge.overloaded(shared_.limits.on_overload == OnOverload::kBlock &&
                                               shared_.limits.enforcing);
    out += late.action == Action::kDeny ? block_answer(late.event_id) : pass_answer();
    return;
  }

  Request request;
  request.head = message.head.data;
  request.body = message.body.data;
  const auto declared = declared_body(request.head);
  const bool missing = declared.length ? *declared.length > request.body.size()
                                       : declared.transfer_encoding && !message.body.present;
  request.body_abandoned = missing && request.body.empty();
  request.body_truncated = (missing && !request.body.empty()) || message.body.cut() || message.head.cut();
  request.connection.scheme = extra.scheme;
  request.connection.src_ip = clean_address(extra.remote_addr, addresses_[0]);
  request.connection.src_port = extra.remote_port;
  request.connection.dest_ip = clean_address(extra.local_addr, addresses_[1]);
  request.connection.dest_port = extra.local_port;
  request.connection.server_name = extra.server_name;
  request.connection.proxy_name = extra.proxy_name;
  request.start_time_us = extra.req_begin_us;
  request.end_time_us = shared_.clock.unix_us();
  request.report_if_passed = extra.report_if_passed;
  request.report_if_blocked = extra.report_if_blocked;

  const auto enforcement = !shared_.limits.enforcing ? Enforcement::kNotEnforcing
                           : extra.monitor           ? Enforcement::kPluginMonitor
                                                     : Enforcement::kInline;
  const auto answer = shared_.judge.judge(request, enforcement);
  const bool blocked = answer.action == Action::kDeny;
  const bool report = answer.recorded && (blocked ? extra.report_if_blocked : extra.report_if_passed);
  if (report) shared_.index.put(extra.uuid, answer.event_id);
  const auto context = report ? answer.event_id.text() : std::string();
  out += blocked ? block_answer(answer.event_id, context, answer.block_status) : pass_answer(context);
}

void Session::take_report(const Message& message) {
  ++shared_.counters.reports;
  const auto extra = parse_extra(message.rsp_extra.data);
  auto event = EventId::parse(message.context.data);
  const auto by_uuid = shared_.index.take(extra.uuid);
  if (!event) event = by_uuid;
  if (!event) {
    ++shared_.counters.reports_unmatched;
    return;
  }
  ResponseReport report;
  report.id = *event;
  if (extra.rsp_begin_us != 0) report.rsp_start_time_ms = extra.rsp_begin_us / 1000;
  if (extra.rsp_end_us != 0) report.rsp_end_time_ms = extra.rsp_end_us / 1000;
  read_response(message.rsp_head.data, message.rsp_body.length, report);
  if (extra.rsp_octets) report.size = *extra.rsp_octets;
  shared_.judge.report(std::move(report));
}

void read_response(std::string_view rsp_head, std::uint64_t body_octets, ResponseReport& out) {
  const auto declared = declared_body(rsp_head);
  out.size = declared.length ? *declared.length : body_octets;
  auto line = rsp_head.substr(0, rsp_head.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto space = line.find(' ');
  if (space == std::string_view::npos) return;
  line.remove_prefix(space + 1);
  if (line.size() < 3 || !is_digit(line[0]) || !is_digit(line[1]) || !is_digit(line[2])) return;
  out.status = static_cast<std::uint16_t>((line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0'));
  out.reason_phrase = trim(line.substr(3));
}

}  // namespace wafd::ingest::t1k
