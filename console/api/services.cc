#include "console/api/services.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "console/base/problem.h"

namespace wafd::console {

namespace {

void take_or_refuse(Background& pool, const Call& call, const Respond& respond, std::function<void()> work,
                    std::function<void()> done) {
  switch (pool.take({std::move(work), std::move(done), call.identity.username, call.request.gone})) {
    case Background::Taken::kYes:
      return;
    case Background::Taken::kFull:
      return respond(problem_retry(kUnavailable, "Too much at once: try again.", 1));
    case Background::Taken::kFullOfUser:
      return respond(problem_retry(kTooMany, "Too many searches of one user at once: try again.", 1));
  }
}

}  // namespace

void Services::read_in_background(const Call& call, const Respond& respond, std::function<void()> work,
                                  std::function<void()> done) {
  take_or_refuse(background, call, respond, std::move(work), std::move(done));
}

void Services::search_in_background(const Call& call, const Respond& respond, std::function<void()> work,
                                    std::function<void()> done) {
  take_or_refuse(database == nullptr ? background : *database, call, respond, std::move(work),
                 std::move(done));
}

void Services::answer_in_background(const Call& call, const Respond& respond,
                                    std::function<HttpResponse()> work) {
  // Where nobody waits any more nothing is asked, and nothing was changed.
  const auto answer = std::make_shared<HttpResponse>(HttpResponse::empty(503));
  search_in_background(
      call, respond, [answer, work = std::move(work)] { *answer = work(); },
      [answer, respond] { respond(std::move(*answer)); });
}

void Services::gather_hits(std::function<void()> then) {
  take_hits([this, then = std::move(then)](std::vector<detect::UsageCounters> parts) {
    // std::function wants to copy what it holds.
    const auto held = std::make_shared<std::vector<detect::UsageCounters>>(std::move(parts));
    post([this, held, then] {
      hits.add(*held);
      then();
    });
  });
}

void Services::gather_traffic(std::function<void()> then) {
  collect([this, then = std::move(then)](const StatusReport& report) {
    post([this, engine = report.engine, then] {
      traffic.add(now_ms(), {engine.requests, engine.denied, engine.monitored,
                             engine.overload_passed + engine.plugin_skipped + engine.plugin_unjudged});
      then();
    });
  });
}

void Services::audit(const Call& call, std::string_view action, std::string_view object,
                     boost::json::object detail) {
  AuditEntry entry;
  entry.time_ms = call.now_ms;
  entry.user = call.identity.username;
  entry.via = call.identity.via == Identity::Via::kToken ? "token" : "session";
  entry.address = call.request.peer;
  entry.action = action;
  entry.object = object;
  entry.detail = std::move(detail);
  audit(entry);
}

void Services::settle_settings(std::function<void()> again, std::function<void(Result<void>)> then) {
  if (settings.was_busy()) return waiting_changes.push_back(std::move(again));
  auto next = settings.take_proposal();
  if (!next) return then({});
  const auto audits = std::make_shared<std::vector<AuditEntry>>(std::exchange(held_audits, {}));
  const std::uint64_t version = next->version;
  std::string comment;
  if (!audits->empty()) comment = audits->front().action + " " + audits->front().object;
  settings.set_busy(true);
  shared_settings->publish(
      std::move(*next), std::move(comment),
      [this, audits, version, then = std::move(then)](const Result<std::string>& stored) {
        settings.set_busy(false);
        if (stored)
          for (const AuditEntry& entry : *audits) audit(entry);
        if (!stored) {
          then(tl::unexpected(stored.error()));
        } else if (!stored->empty()) {
          then(fail(ErrorCode::kConflict,
                    fmt::format("Stored as version {}, not in use here: {}", version, *stored)));
        } else {
          then({});
        }
        for (const auto& waiting : std::exchange(waiting_changes, {})) waiting();
      });
}

void Services::audit(const AuditEntry& entry) {
  if (settings.has_proposal()) return held_audits.push_back(entry);
  auto line = audit_log.append(entry);
  if (!line) {
    audit_error = fmt::format("{} ({} entries are missing)", line.error().what, ++audit_missing);
    return;
  }
  // The error about missing entries stays: a later success does not bring them back.
  if (audit_missing == 0) audit_error = audit_log.trouble();
  delivery.audit(std::move(*line));
}

}  // namespace wafd::console
