#include "ingest/http_session.h"

#include <algorithm>
#include <utility>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "ingest/record.h"

namespace wafd::ingest {

struct HttpSession::Pending {
  Pending(OwnedRequest what, std::string why) : request(std::move(what)), violation(std::move(why)) {}
  Answer judge(RequestJudge& judge, const IngestLimits& limits, const TimeLimit& limit) const {
    const auto enforcement = limits.enforcing ? Enforcement::kInline : Enforcement::kNotEnforcing;
    judge.named(request.request_id);
    return violation.empty() ? judge.judge(request.view(), enforcement, limit)
                             : judge.violation(request.view(), enforcement, violation, limit);
  }

  OwnedRequest request;
  std::string violation;  // of its framing; empty: there is none
};

HttpSession::HttpSession(const Shared& shared, std::optional<IpAddress> peer)
    : shared_(shared),
      peer_(peer),
      reader_(http::ReaderLimits{shared.limits.max_head_bytes, shared.limits.max_body_bytes, 4096}),
      self_(std::make_shared<HttpSession*>(this)) {}

HttpSession::~HttpSession() {
  *self_ = nullptr;
  if (check_ == nullptr) return;
  check_->forget();
  shared_.queue.cancel(ticket_);
}

Phase HttpSession::phase() const noexcept {
  if (wants_pause()) return Phase::kWaiting;
  if (idle()) return Phase::kIdle;
  return in_body_ ? Phase::kBody : Phase::kHead;
}

std::string_view HttpSession::too_slow_answer() noexcept {
  return "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
}

bool HttpSession::idle() const noexcept { return !waiting_ && !reader_.in_message() && backlog_.empty(); }

void HttpSession::on_bytes(std::string_view bytes, std::int64_t turn_start_us) {
  if (close_) return;
  if (waiting_) {
    backlog_.add(bytes, turn_start_us);
    return;
  }
  run(bytes, turn_start_us);
}

void HttpSession::run(std::string_view bytes, std::int64_t turn_start_us) {
  while (!close_) {
    const auto step = reader_.next(bytes);
    if (!step) {
      refused(step.error());
      return;
    }
    switch (*step) {
      case http::Step::kNeedMore:
        return;
      case http::Step::kHead:
        begin_body();
        break;
      case http::Step::kBody:
        take_body(reader_.chunk());
        break;
      case http::Step::kMessage:
        in_body_ = false;
        end_message(turn_start_us);
        if (waiting_) {
          backlog_.add(bytes, turn_start_us);
          return;
        }
        break;
    }
  }
}

void HttpSession::begin_body() {
  in_body_ = true;
  routed_ = route_of(reader_.request().target);
  body_.clear();
  body_bytes_ = 0;
  reader_.stream_body();
  body_use_ = BodyUse::kDrop;
  if (routed_.route == Route::kCheckDialect || routed_.route == Route::kCheckTarget ||
      routed_.route == Route::kMirror) {
    body_use_ = BodyUse::kKeep;
  } else if (routed_.route == Route::kRecords && reader_.request().method == "POST") {
    body_use_ = BodyUse::kRecords;
    lines_ = std::make_unique<RecordLines>(shared_.settings.max_record_line_bytes);
    accepted_ = refused_ = 0;
    errors_.clear();
  }
  if (reader_.expects_continue()) output_ += http::kContinue;
}

void HttpSession::take_body(std::string_view bytes) {
  body_bytes_ += bytes.size();
  if (body_use_ == BodyUse::kKeep) {
    body_.append(bytes.substr(0, shared_.limits.max_body_bytes - body_.size()));
  } else if (body_use_ == BodyUse::kRecords) {
    lines_->feed(bytes, [this](auto number, auto line, auto too_long) { take_line(number, line, too_long); });
  } else if (body_bytes_ > shared_.limits.max_body_bytes) {
    // Nobody wants this body; do not read it for ever.
    respond_text(413, "the body is not expected here");
    close_ = true;
  }
}

void HttpSession::take_line(std::uint64_t number, std::string_view line, bool too_long) {
  const auto refuse = [&](std::string why) {
    ++refused_;
    ++shared_.counters.records_refused;
    if (errors_.size() < kMaxNamedErrors) errors_.emplace_back(number, std::move(why));
  };
  if (too_long) {
    refuse(fmt::format("the line is longer than {} bytes", shared_.settings.max_record_line_bytes));
    return;
  }
  auto record = parse_record(line);
  if (!record) {
    refuse(record.error().what);
    return;
  }
  ++accepted_;
  ++shared_.counters.records_accepted;
  record->end_time_us = shared_.clock.unix_us();
  const auto bytes = record->bytes();
  ++pending_;
  pending_bytes_ += bytes;
  WorkItem item{std::move(*record), {}, [self = self_, bytes] {
                  auto* session = *self;
                  if (session == nullptr) return;
                  --session->pending_;
                  session->pending_bytes_ -= bytes;
                  if (session->waiting_ && session->pending_ == 0) session->answer_records_when_judged();
                  if (session->on_progress) session->on_progress();
                }};
  shared_.mirrored.push_anyway(std::move(item));  // its sender is held back by pausing
}

void HttpSession::end_message(std::int64_t turn_start_us) {
  const auto& request = reader_.request();
  const bool get = request.method == "GET" || request.method == "HEAD";
  if (body_bytes_ > body_.size() && body_use_ == BodyUse::kKeep) ++shared_.counters.bodies_cut;
  switch (routed_.route) {
    case Route::kCheckDialect:
      answer_check_dialect(turn_start_us);
      return;
    case Route::kCheckTarget:
      take_check(request_behind_prefix(request, routed_.prefix_bytes, trust()), {}, turn_start_us);
      return;
    case Route::kMirror:
      mirror(request_behind_prefix(request, routed_.prefix_bytes, trust()), {});
      respond({204, {}, {}});
      return;
    case Route::kRecords:
      if (body_use_ != BodyUse::kRecords) break;
      lines_->finish([this](auto number, auto line, auto too_long) { take_line(number, line, too_long); });
      waiting_ = true;
      if (pending_ == 0) answer_records_when_judged();
      return;
    case Route::kHealth:
      if (get) return respond_text(200, "ok");
      break;
    case Route::kReady:
      if (get)
        return !shared_.ready || shared_.ready() ? respond_text(200, "ready")
                                                 : respond_text(503, "not ready");
      break;
    case Route::kStat:
      if (get) return respond({200, {{"Content-Type", "application/json"}}, R"({"status":"ok"})"});
      break;
    case Route::kNone:
      ++shared_.counters.not_found;
      return respond_text(404, "expected /check, /mirror, /v1/records, /healthz, /readyz or /stat");
  }
  ++shared_.counters.not_found;
  respond_text(405, "this method is not for this path");
}

void HttpSession::refused(const http::Refusal& refusal) {
  const auto raw_head = reader_.raw_head();
  const auto routed = route_of(target_of_refused(raw_head));
  if (routed.route == Route::kCheckDialect || routed.route == Route::kCheckTarget ||
      routed.route == Route::kMirror) {
    ++shared_.counters.violations;
    auto request = request_of_refused(raw_head, routed.prefix_bytes, trust());
    request.body = body_;
    last_ = true;
    auto why = fmt::format("The HTTP framing was refused: {}", refusal.error.what);
    if (routed.route == Route::kMirror) {
      mirror(std::move(request), std::move(why));
      respond({204, {}, {}});
    } else {
      take_check(std::move(request), std::move(why), shared_.clock.monotonic_us());
    }
    return;
  }
  ++shared_.counters.refused;
  last_ = true;
  respond_text(refusal.status, refusal.error.what);
}

void HttpSession::mirror(OwnedRequest request, std::string violation) {
  if (request.scheme.empty()) request.scheme = shared_.settings.mirror_scheme;
  request.body = std::move(body_);
  request.body_truncated = request.body_truncated || body_bytes_ > request.body.size();
  request.end_time_us = shared_.clock.unix_us();
  ++shared_.counters.mirrored;
  shared_.counters.bodies.count(request.view());
  if (!shared_.mirrored.push({std::move(request), std::move(violation), {}}))
    ++shared_.counters.mirror_dropped;
}

void HttpSession::take_check(OwnedRequest request, std::string violation, std::int64_t turn_start_us) {
  ++shared_.counters.checks;
  request.body = std::move(body_);
  request.body_truncated = request.body_truncated || body_bytes_ > request.body.size();
  request.body_abandoned = request.body_abandoned && request.body.empty();
  request.end_time_us = shared_.clock.unix_us();
  shared_.counters.bodies.count(request.view());
  const Arrival arrival =
      arrival_of(request.view(), this, turn_start_us, shared_.queue, shared_.clock, shared_.limits);
  auto check = std::make_shared<Waiting>(*this, shared_.limits, shared_.clock, turn_start_us,
                                         std::move(request), std::move(violation));
  if (at_once(shared_.queue, arrival)) {
    shared_.queue.charge(arrival.source, check->judge(shared_.judge, arrival.turn));
    answer_check(check->result());
    return;
  }
  waiting_ = true;
  check_ = check;
  ticket_ = push(shared_.queue, arrival, std::move(check));
}

void HttpSession::answer_waiting(const Waiting& waiting) {
  answer_check(waiting.result());
  waiting_ = false;
  check_.reset();
  go_on();
  if (on_progress) on_progress();
}

void HttpSession::go_on() {
  const std::string backlog = backlog_.take();
  if (!backlog.empty() && !close_) run(backlog, backlog_.turn_start_us());
}

void HttpSession::answer_check(const Answer& answer) {
  const bool deny = answer.action == Action::kDeny;
  http::Response response;
  response.status = deny ? static_cast<unsigned>(answer.block_status) : 200U;
  response.fields.emplace_back("X-WAF-Action", to_string(answer.action));
  if (answer.recorded || deny) response.fields.emplace_back("X-WAF-Event-Id", answer.event_id.text());
  response.fields.emplace_back("X-WAF-Time-Us", std::to_string(answer.detect_us));
  if (routed_.route == Route::kCheckDialect && shared_.settings.dialect == CheckDialect::kCrowdsec) {
    response.body = deny ? fmt::format(R"({{"action":"ban","http_status":{}}})", answer.block_status)
                         : R"({"action":"allow","http_status":200})";
    response.fields.emplace_back("Content-Type", "application/json");
  } else if (deny) {
    BlockPage page = block_page(answer);
    response.body = std::move(page.body);
    response.fields.emplace_back("Content-Type", std::move(page.type));
  }
  respond(response);
}

void HttpSession::answer_check_dialect(std::int64_t turn_start_us) {
  auto request = request_of_dialect(reader_.request(), shared_.settings.dialect,
                                    shared_.settings.crowdsec_api_keys, trust());
  if (!request) {
    ++(request.error().status == 401 ? shared_.counters.bad_key : shared_.counters.bad_check);
    respond_text(request.error().status, request.error().what);
    return;
  }
  take_check(std::move(*request), {}, turn_start_us);
}

void HttpSession::answer_records_when_judged() {
  namespace json = boost::json;
  json::object answer;
  answer["accepted"] = accepted_;
  answer["refused"] = refused_;
  json::array errors;
  for (auto& [line, why] : errors_) errors.push_back(json::object{{"line", line}, {"error", why}});
  answer["errors"] = std::move(errors);
  respond({200, {{"Content-Type", "application/json"}}, json::serialize(answer)});
  waiting_ = false;
  lines_.reset();
  go_on();
}

void HttpSession::respond(const http::Response& response, bool may_keep_alive) {
  ++answers_;
  const auto& request = reader_.request();
  http::WriteOptions options;
  options.keep_alive = may_keep_alive && request.keep_alive && !last_;
  options.head_request = request.method == "HEAD";
  options.version = request.version;
  options.date_s = shared_.clock.unix_us() / 1'000'000;
  output_ += http::write(response, options);
  if (!options.keep_alive) close_ = true;
}

void HttpSession::respond_text(unsigned status, std::string_view text) {
  respond({status, {{"Content-Type", "text/plain; charset=utf-8"}}, std::string(text) + "\n"},
          status < 500 || status == 503);
}

}  // namespace wafd::ingest
