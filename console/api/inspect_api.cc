// Judge a pasted request with the rules and settings in use, and with a draft of a change, without recording
// anything.
#include <memory>
#include <utility>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/api/api_parts.h"
#include "console/base/problem.h"
#include "console/base/secrets.h"
#include "console/settings/policy_json.h"
#include "console/settings/trial.h"
#include "detect/core/ip_address.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMaxRequestBytes = 512u << 10;
// Drafts of rules that are being compiled or wait for it: a compilation may take a second of a work thread.
constexpr std::size_t kMaxDraftRules = 2;

void read_sensitivity(ObjectReader& reader, const boost::json::object& object,
                      std::optional<Sensitivity>& out) {
  if (!object.contains("sensitivity")) return;
  out = Sensitivity::kBalanced;
  reader.choice("sensitivity", *out, parse_sensitivity, "low, balanced or strict");
}

// As an object, or as its text, so that errors tell the line.
void read_rule(ObjectReader& reader, const boost::json::object& object, std::string& out) {
  const boost::json::value* rule = object.if_contains("rule");
  if (rule == nullptr) return;
  if (rule->is_object()) {
    reader.ignore("rule");
    out = boost::json::serialize(*rule);
    if (out.size() > kMaxDraftRuleBytes)
      reader.refuse("rule", fmt::format("at most {} bytes", kMaxDraftRuleBytes));
    return;
  }
  reader.text("rule", out, 1, kMaxDraftRuleBytes);
}

Result<Draft> read_draft(const boost::json::object& object) {
  Draft draft;
  ObjectReader reader(object, "draft.");
  read_sensitivity(reader, object, draft.sensitivity);
  read_rule(reader, object, draft.rule);
  if (const boost::json::object* site = reader.object("site")) draft.site = *site;
  if (const boost::json::object* exception = reader.object("exception")) {
    auto parsed = parse_exception(*exception, {});
    if (parsed) {
      draft.exception = std::move(*parsed);
      draft.exception->enabled = true;
    } else {
      Error error = parsed.error();
      error.what = "draft.exception." + error.what;
      reader.fail_with(std::move(error));
    }
  }
  if (auto good = reader.finish(); !good) return tl::unexpected<Error>(good.error());
  return draft;
}

Result<Trial> read_trial(const boost::json::object& body, std::int64_t now_ms) {
  Trial trial;
  trial.now_s = now_ms / 1000;
  std::string encoding = "text";
  ObjectReader reader(body);
  reader.require("request")
      .text("request", trial.bytes, 1, kMaxRequestBytes)
      .text("encoding", encoding, 0, 16);
  read_sensitivity(reader, body, trial.sensitivity);
  reader.text("src_ip", trial.src_ip, 0, 64);
  if (reader.ok() && !trial.src_ip.empty() && !IpAddress::parse(trial.src_ip))
    reader.refuse("src_ip", "an IPv4 or IPv6 address");
  if (reader.ok() && encoding != "text" && encoding != "base64") reader.refuse("encoding", "text or base64");
  if (reader.ok() && encoding == "base64") {
    if (std::string decoded; decode_base64(trial.bytes, decoded)) {
      trial.bytes = std::move(decoded);
    } else {
      reader.refuse("request", "base64 text with padding");
    }
  }
  if (const boost::json::object* object = reader.object("draft")) {
    auto draft = read_draft(*object);
    if (!draft) {
      reader.fail_with(draft.error());
    } else {
      trial.draft = std::move(*draft);
    }
  }
  if (auto good = reader.finish(); !good) return tl::unexpected<Error>(good.error());
  return trial;
}

void inspect(Services& services, const std::shared_ptr<std::size_t>& compiling,
             const std::shared_ptr<Call>& call, const Respond& respond) {
  auto trial = read_trial(call->body, call->now_ms);
  if (!trial) return respond(problem_of(trial.error()));
  auto engine = services.engine ? services.engine() : nullptr;
  if (!engine) return respond(problem(kUnavailable, "The rules are not ready yet."));
  const bool compiles = trial->draft && !trial->draft->rule.empty();
  if (compiles && *compiling == kMaxDraftRules)
    return respond(problem_retry(kTooMany, "Other drafts of rules are being compiled: try again.", 1));

  const auto response = std::make_shared<HttpResponse>();
  if (compiles) ++*compiling;
  const bool taken = services.background.run(
      [engine = std::move(engine), compile = services.compile_rules,
       settings = services.settings.current().policy, trial = std::move(*trial), response] {
        auto answer = run_trial(*engine, settings, trial, compile);
        *response = answer ? HttpResponse::json(200, *answer) : problem_of(answer.error());
      },
      [response, respond, compiling, compiles] {
        if (compiles) --*compiling;
        respond(std::move(*response));
      });
  if (taken) return;
  if (compiles) --*compiling;
  respond(problem_retry(kUnavailable, "Too many requests are being judged: try again.", 1));
}

}  // namespace

std::vector<Route> inspect_routes(Services& services) {
  const auto compiling = std::make_shared<std::size_t>(0);
  return {operation("POST", "/api/v1/inspect", Role::kOperator, "inspect",
                    "Judge a pasted request, and again with a draft of a change; nothing is recorded")
              .takes("InspectRequest")
              .answers("Inspection")
              .by([&services, compiling](const std::shared_ptr<Call>& call, const Respond& respond) {
                inspect(services, compiling, call, respond);
              })};
}

}  // namespace wafd::console
