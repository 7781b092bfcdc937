#include "ingest/judge.h"

#include <algorithm>
#include <utility>

#include "detect/core/rule_id.h"

namespace wafd::ingest {
namespace {

constexpr std::int64_t kLastMs = 253'402'300'799'999;  // the end of the year 9999

}  // namespace

const Rule& framing_rule() {
  static const Rule rule = [] {
    Rule r;
    r.number = 6290;
    r.module = "m_http_violation";
    r.id = detect::rule_id(r.module, "framing");
    r.name = "HTTP framing refused";
    r.attack_type = AttackType::kHttpViolation;
    r.risk = Risk::kMedium;
    r.denies_from = Sensitivity::kBalanced;
    return r;
  }();
  return rule;
}

RequestJudge::RequestJudge(Parts parts, EngineSnapshot engine, std::shared_ptr<const detect::Policy> policy)
    : parts_(std::move(parts)), engine_(std::move(engine)), policy_(std::move(policy)) {}

void RequestJudge::inspect(const Request& request, const TimeLimit& limit) {
  detect::Engine::Effort effort;
  effort.head_only = limit.late;
  if (limit.deadline_us != 0)
    effort.enough = [this, at = limit.deadline_us] { return parts_.clock.monotonic_us() >= at; };
  engine_.engine->inspect(request, effort, *engine_.scratch, verdict_);
}

Answer RequestJudge::judge(const Request& request, Enforcement enforcement, const TimeLimit& limit) {
  const auto begin_us = parts_.clock.monotonic_us();
  inspect(request, limit);
  return decide(request, enforcement, limit, begin_us);
}

Answer RequestJudge::violation(const Request& request, Enforcement enforcement, std::string why,
                               const TimeLimit& limit) {
  const auto begin_us = parts_.clock.monotonic_us();
  ++counters_.violations;
  inspect(request, limit);
  Finding finding;
  finding.rule = &framing_rule();
  finding.denies_from = framing_rule().denies_from;
  finding.location = Location::kHeader;
  finding.reason = std::move(why);
  finding.raw_end = static_cast<std::uint32_t>(request.head.size());
  verdict_.findings.push_back(std::move(finding));
  return decide(request, enforcement, limit, begin_us);
}

Answer RequestJudge::decide(const Request& request, Enforcement enforcement, const TimeLimit& limit,
                            std::int64_t begin_us) {
  const auto& head = engine_.scratch->head();
  const auto now_us = parts_.clock.unix_us();
  const std::string_view said_id = std::exchange(request_id_, {});
  auto decision = policy_->decide(request, head, verdict_, enforcement, now_us / 1'000'000);

  if (verdict_.by_head) overloaded(limit, enforcement, decision);
  Answer answer;
  answer.action = decision.action;
  answer.recorded = decision.record;
  answer.detect_us = parts_.clock.monotonic_us() - begin_us;
  ++counters_.requests;
  counters_.total_bytes += verdict_.total_bytes;
  counters_.inspected_bytes += verdict_.inspected_bytes;
  const auto detect_us = static_cast<std::uint64_t>(std::max<std::int64_t>(0, answer.detect_us));
  counters_.detect_us += detect_us;
  counters_.detect_times.add(detect_us);
  if (verdict_.body_truncated) ++counters_.bodies_truncated;
  if (verdict_.body_abandoned) ++counters_.bodies_abandoned;
  if (verdict_.limit_reached) ++counters_.limits_reached;
  if (verdict_.interrupted) ++counters_.interrupted;
  hits_.count(request, verdict_, decision, now_us / 1'000'000);
  if (decision.action == Action::kDeny) {
    ++counters_.denied;
    answer.block_status = decision.site->block_status;
    answer.block_body = decision.site->block_body;
  }
  if (!decision.record) {
    // Blocked without an event: only because there was no time.
    if (decision.action == Action::kDeny) answer.event_id = EventId::make_unjudged(parts_.random);
    return answer;
  }

  if (decision.action == Action::kMonitor) ++counters_.monitored;
  if (decision.action == Action::kAllow) ++counters_.allowed_recorded;
  answer.event_id = EventId::make(parts_.random);
  detect::EventContext context;
  context.id = answer.event_id;
  context.node = parts_.node;
  context.now_us = now_us;
  context.detect_us = answer.detect_us;
  if (parts_.time_text) context.timestamp_human = parts_.time_text(now_us / 1'000'000);
  if (parts_.place_of) context.place = parts_.place_of(request.connection.src_ip);
  context.enforcement = enforcement;
  auto record = detect::make_event_record(request, head, verdict_, decision, context);
  record.report_expected =
      decision.action == Action::kDeny ? request.report_if_blocked : request.report_if_passed;
  if (!parts_.sink.append(record)) ++counters_.ring_refused;
  if (parts_.told) parts_.told(record, said_id);
  return answer;
}

void RequestJudge::overloaded(const TimeLimit& limit, Enforcement enforcement, detect::Decision& decision) {
  ++counters_.judged_by_head;
  if (decision.action == Action::kDeny) return;
  const bool blocked = limit.block_late && enforcement == Enforcement::kInline &&
                       decision.site->mode == detect::Mode::kBlock && decision.list_entry == nullptr;
  ++(blocked ? counters_.overload_blocked : counters_.overload_passed);
  if (!blocked) return;
  decision.action = Action::kDeny;
  if (decision.record) decision.reason += "; it was denied because there was no time for its body";
}

void RequestJudge::report(ResponseReport report) {
  ++counters_.reports;
  report.time_ms = parts_.clock.unix_us() / 1000;
  const auto is_time = [](const std::optional<std::int64_t>& ms) { return ms && *ms > 0 && *ms <= kLastMs; };
  if (!is_time(report.rsp_start_time_ms)) report.rsp_start_time_ms.reset();
  // A gateway that does not say when the response ended reports once it has: then it is over by now.
  if (!is_time(report.rsp_end_time_ms)) report.rsp_end_time_ms = report.time_ms;
  if (!parts_.sink.amend(report)) ++counters_.reports_late;
}

EngineSnapshot RequestJudge::swap(EngineSnapshot engine) {
  verdict_.clear();  // its findings point at rules of the old engine
  return std::exchange(engine_, std::move(engine));
}

std::shared_ptr<const detect::Policy> RequestJudge::swap(std::shared_ptr<const detect::Policy> policy) {
  return std::exchange(policy_, std::move(policy));
}

BlockPage block_page(const Answer& answer) {
  if (answer.block_body.empty())
    return {"application/json", block_json(answer.event_id, answer.block_status)};
  BlockPage page;
  switch (answer.block_body.front()) {
    case '<':
      page.type = "text/html; charset=utf-8";
      break;
    case '{':
    case '[':
      page.type = "application/json";
      break;
    default:
      page.type = "text/plain; charset=utf-8";
  }
  constexpr std::string_view kPlace = "{event_id}";
  const std::string id = answer.event_id.text();
  std::string_view rest = answer.block_body;
  for (;;) {
    const std::size_t at = rest.find(kPlace);
    page.body += rest.substr(0, at);
    if (at == std::string_view::npos) return page;
    page.body += id;
    rest.remove_prefix(at + kPlace.size());
  }
}

std::string block_json(const EventId& id, std::int64_t status) {
  return R"({"code":)" + std::to_string(status) +
         R"(,"success":false,"message":"blocked by web application firewall","event_id":")" + id.text() +
         "\"}";
}

}  // namespace wafd::ingest
