#include "ingest/t1k/t1k_session.h"

#include <utility>

#include "detect/core/bytes.h"
#include "ingest/declared_body.h"

namespace wafd::ingest::t1k {
namespace {

// Of a body without a length nobody says that it was cut: one that is exactly as long as clients send at most
// by default (req_body_size of 1024 and 1000 KiB) was.
bool is_as_long_as_sent(std::uint64_t bytes) noexcept { return bytes == 1024 * 1024 || bytes == 1000 * 1024; }

}  // namespace

// A request with the message that it is a view of.
struct Session::Pending {
  Pending(Message of, const Clock& clock) : message(std::move(of)) { read(message, clock, asked); }
  Answer judge(RequestJudge& judge, const IngestLimits& limits, const TimeLimit& limit) const {
    return Session::judge(asked, limits, limit, judge);
  }

  Message message;
  GatewayRequest asked;
};

Session::Session(const Shared& shared)
    : shared_(shared),
      reader_(Limits{shared.limits.max_head_bytes, shared.limits.max_body_bytes, Limits{}.max_meta_bytes}) {}

Session::~Session() {
  if (waiting_ == nullptr) return;
  waiting_->forget();
  shared_.queue.cancel(ticket_);
}

tl::expected<void, Malformed> Session::on_bytes(std::string_view bytes, std::int64_t turn_start_us,
                                                std::string& out) {
  if (wants_pause()) {
    backlog_.add(bytes, turn_start_us);
    return {};
  }
  while (true) {
    const auto complete = reader_.next(bytes);
    if (!complete) {
      ++shared_.counters.malformed[static_cast<std::size_t>(complete.error())];
      return tl::unexpected(complete.error());
    }
    if (!*complete) return {};
    const auto& message = reader_.message();
    switch (message.kind()) {
      case MessageKind::kRequest:
        take_request(turn_start_us, out);
        if (wants_pause()) {
          backlog_.add(bytes, turn_start_us);
          return {};
        }
        break;
      case MessageKind::kReport:
        take_report(message);
        out += pass_answer();
        break;
      case MessageKind::kHeartbeat:
        ++shared_.counters.heartbeats;
        out += heartbeat_answer();
        break;
      case MessageKind::kOther:
        ++shared_.counters.other;
        out += pass_answer();
        break;
    }
  }
}

void Session::take_request(std::int64_t turn_start_us, std::string& out) {
  const Message& message = reader_.message();
  auto& counters = shared_.counters;
  ++counters.requests;
  counters.heads_cut += message.head.cut() ? 1 : 0;
  counters.bodies_cut += message.body.cut() ? 1 : 0;
  read(message, shared_.clock, asked_);
  counters.plugin_skipped += asked_.extra.skipped;
  counters.plugin_unjudged += asked_.extra.unjudged;

  counters.bodies.count(asked_.request);
  const Arrival arrival =
      arrival_of(asked_.request, this, turn_start_us, shared_.queue, shared_.clock, shared_.limits);
  if (at_once(shared_.queue, arrival)) {
    const TimeLimit limit =
        time_limit(shared_.limits, arrival.turn, turn_start_us, shared_.clock.monotonic_us());
    const Answer answer = judge(asked_, shared_.limits, limit, shared_.judge);
    shared_.queue.charge(arrival.source, shared_.judge.work_units());
    append_answer(asked_, answer, out);
    return;
  }
  waiting_ = std::make_shared<Waiting>(*this, shared_.limits, shared_.clock, turn_start_us,
                                       reader_.take_message(), shared_.clock);
  ticket_ = push(shared_.queue, arrival, waiting_);
}

void Session::read(const Message& message, const Clock& clock, GatewayRequest& out) {
  out.extra = parse_extra(message.extra.data);
  const Extra& extra = out.extra;
  Request request;
  request.head = message.head.data;
  request.body = message.body.data;
  const auto declared = declared_body(request.head);
  const bool missing = declared.length ? *declared.length > request.body.size()
                                       : declared.transfer_encoding && !message.body.present;
  const bool unknown_end = !declared.length && is_as_long_as_sent(message.body.length);
  const bool cut = missing || unknown_end || extra.body_cut || message.body.cut();
  // Of nothing at all the gateway's settings are the cause, or ours: a limit of 0.
  request.body_abandoned = cut && request.body.empty();
  request.body_truncated = (cut && !request.body.empty()) || message.head.cut();
  request.connection.scheme = extra.scheme;
  request.connection.src_ip = clean_address(extra.remote_addr, out.addresses[0]);
  request.connection.src_port = extra.remote_port;
  request.connection.socket_ip = clean_address(extra.peer_addr, out.addresses[2]);
  request.connection.dest_ip = clean_address(extra.local_addr, out.addresses[1]);
  request.connection.dest_port = extra.local_port;
  request.connection.server_name = extra.server_name;
  request.connection.proxy_name = extra.proxy_name;
  request.start_time_us = extra.req_begin_us;
  request.end_time_us = clock.unix_us();
  request.report_if_passed = extra.report_if_passed;
  request.report_if_blocked = extra.report_if_blocked;
  out.request = request;
}

Answer Session::judge(const GatewayRequest& asked, const IngestLimits& limits, const TimeLimit& limit,
                      RequestJudge& judge) {
  const auto enforcement = !limits.enforcing     ? Enforcement::kNotEnforcing
                           : asked.extra.monitor ? Enforcement::kPluginMonitor
                                                 : Enforcement::kInline;
  judge.named(asked.extra.uuid);
  return judge.judge(asked.request, enforcement, limit);
}

void Session::append_answer(const GatewayRequest& asked, const Answer& answer, std::string& out) {
  const Extra& extra = asked.extra;
  const bool blocked = answer.action == Action::kDeny;
  const bool report = answer.recorded && (blocked ? extra.report_if_blocked : extra.report_if_passed);
  if (report) shared_.index.put(extra.uuid, answer.event_id);
  const auto context = report ? answer.event_id.text() : std::string();
  out += blocked ? block_answer(answer.event_id, context, answer.block_status) : pass_answer(context);
}

void Session::answer_waiting(const Waiting& waiting) {
  append_answer(waiting.pending().asked, waiting.result(), output_);
  waiting_.reset();
  if (!backlog_.empty()) {
    const std::string backlog = backlog_.take();
    const auto read = on_bytes(backlog, backlog_.turn_start_us(), output_);
    if (!read) broken_ = read.error();
  }
  if (on_progress) on_progress();
}

tl::expected<void, Malformed> Session::take_output(std::string& out) {
  out += std::exchange(output_, {});
  if (broken_) return tl::unexpected(*broken_);
  return {};
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
  if (extra.rsp_bytes) report.size = *extra.rsp_bytes;
  shared_.judge.report(std::move(report));
}

void read_response(std::string_view rsp_head, std::uint64_t body_bytes, ResponseReport& out) {
  const auto declared = declared_body(rsp_head);
  out.size = declared.length ? *declared.length : body_bytes;
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
