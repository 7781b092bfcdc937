// Judge a pasted request with the rules and settings in use, without recording anything.
#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <time.h>

#include "console/api_parts.h"
#include "console/base/object_reader.h"
#include "console/base/problem.h"
#include "console/base/secrets.h"
#include "detect/core/record_json.h"
#include "detect/engine.h"
#include "detect/policy.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMaxRequestBytes = 512u << 10;

// Octets of any kind as a JSON value, as records spell them.
boost::json::string text_of(std::string_view octets) {
  std::string raw = "\"";
  append_json_text(octets, raw);
  raw += '"';
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(raw, error);
  return error ? boost::json::string() : value.get_string();
}

boost::json::value sensitivity_json(const std::optional<Sensitivity>& sensitivity) {
  return sensitivity ? boost::json::value(to_string(*sensitivity)) : boost::json::value();
}

double thread_us() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

HttpResponse judge(const detect::Engine& engine, const detect::PolicySettings& settings,
                   std::string_view octets, std::int64_t now_ms) {
  auto policy = detect::Policy::build(settings);
  if (!policy) return problem(kInternal, policy.error().what);
  Request request;
  const std::size_t crlf = octets.find("\r\n\r\n");
  const std::size_t lf = octets.find("\n\n");
  const std::size_t head = crlf < lf ? crlf + 4 : lf < crlf ? lf + 2 : octets.size();
  request.head = octets.substr(0, head);
  request.body = octets.substr(head);
  const auto scratch = engine.make_scratch();
  Verdict verdict;
  const double begin = thread_us();
  engine.inspect(request, *scratch, verdict);
  const double microseconds = thread_us() - begin;
  const detect::Decision decision =
      policy->decide(request, scratch->head(), verdict, Enforcement::kInline, now_ms / 1000);

  const Finding* weightiest =
      decision.weightiest >= 0 ? &verdict.findings[static_cast<std::size_t>(decision.weightiest)] : nullptr;
  boost::json::array findings;
  for (std::size_t i = 0; i < verdict.findings.size(); ++i) {
    const Finding& finding = verdict.findings[i];
    const bool excepted =
        std::find(decision.excepted.begin(), decision.excepted.end(), i) != decision.excepted.end();
    findings.push_back({{"rule_id", finding.rule->id},
                        {"rule_name", finding.rule->name},
                        {"module", finding.rule->module},
                        {"attack_type", to_string(finding.rule->attack_type)},
                        {"risk", to_string(finding.rule->risk)},
                        {"location", to_string(finding.location, finding.in_name)},
                        {"name", text_of(finding.name)},
                        {"payload", text_of(finding.payload)},
                        {"decode_path", finding.decode_path},
                        {"deny_from", sensitivity_json(finding.rule->denies_from)},
                        {"excepted", excepted}});
  }
  boost::json::object answer;
  answer["action"] = to_string(decision.action);
  answer["attack_type"] =
      decision.record ? boost::json::value(to_string(decision.attack_type)) : boost::json::value();
  answer["risk"] = decision.record ? boost::json::value(to_string(decision.risk)) : boost::json::value();
  answer["rule_id"] = decision.rule_id;
  answer["location"] = weightiest == nullptr ? "" : to_string(weightiest->location, weightiest->in_name);
  answer["reason"] = text_of(decision.reason);
  answer["site"] = decision.site->uuid;
  answer["microseconds"] = microseconds;
  answer["inspected_octets"] = verdict.inspected_octets;
  answer["total_octets"] = verdict.total_octets;
  answer["findings"] = std::move(findings);
  return HttpResponse::json(200, answer);
}

void inspect(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  std::string octets;
  std::string encoding = "text";
  std::optional<Sensitivity> sensitivity;
  ObjectReader reader(call->body);
  reader.require("request").text("request", octets, 1, kMaxRequestBytes).text("encoding", encoding, 0, 16);
  if (call->body.contains("sensitivity")) {
    sensitivity = Sensitivity::kBalanced;
    reader.choice("sensitivity", *sensitivity, parse_sensitivity, "low, balanced or strict");
  }
  if (reader.ok() && encoding != "text" && encoding != "base64") reader.refuse("encoding", "text or base64");
  if (reader.ok() && encoding == "base64") {
    if (std::string decoded; decode_base64(octets, decoded)) {
      octets = std::move(decoded);
    } else {
      reader.refuse("request", "base64 text with padding");
    }
  }
  if (auto good = reader.finish(); !good) return respond(problem_of(good.error()));
  auto engine = services.engine ? services.engine() : nullptr;
  if (!engine) return respond(problem(kUnavailable, "The rules are not ready yet."));
  detect::PolicySettings settings = services.settings.current().policy;
  if (sensitivity) {
    for (detect::SiteSettings& site : settings.sites) site.sensitivity = *sensitivity;
  }
  auto response = std::make_shared<HttpResponse>();
  const bool taken = services.background.run(
      [engine = std::move(engine), settings = std::move(settings), octets = std::move(octets), response,
       now_ms = call->now_ms] { *response = judge(*engine, settings, octets, now_ms); },
      [response, respond] { respond(std::move(*response)); });
  if (!taken) respond(problem_retry(kUnavailable, "Too many requests are being judged: try again.", 1));
}

}  // namespace

std::vector<Route> inspect_routes(Services& services) {
  return {{"POST",
           "/api/v1/inspect",
           Role::kOperator,
           "inspect",
           "Judge a pasted request; nothing is recorded",
           {},
           "InspectRequest",
           200,
           "Inspection",
           "application/json",
           [&services](const std::shared_ptr<Call>& call, const Respond& respond) {
             inspect(services, call, respond);
           }}};
}

}  // namespace wafd::console
