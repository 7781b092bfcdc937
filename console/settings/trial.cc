#include "console/settings/trial.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <time.h>

#include "console/settings/policy_json.h"
#include "detect/core/record_json.h"
#include "detect/offline.h"
#include "detect/signatures/signatures.h"

namespace wafd::console {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

// Bytes of any kind as a JSON value, as records spell them.
boost::json::string valid_text(std::string_view bytes) {
  std::string raw = "\"";
  append_json_text(bytes, raw);
  raw += '"';
  boost::system::error_code error;
  const value parsed = boost::json::parse(raw, error);
  return error ? boost::json::string() : parsed.get_string();
}

value sensitivity_json(const std::optional<Sensitivity>& sensitivity) {
  return sensitivity ? value(wafd::to_string(*sensitivity)) : value();
}

double thread_us() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

object finding_json(const Finding& finding, const detect::ExceptionSettings* excepted_by) {
  const Rule& rule = *finding.rule;
  return {
      {"rule_id", rule.id},
      {"rule_number", rule.number},
      {"rule_name", rule.name},
      {"cve", rule.cve},
      {"module", rule.module},
      {"attack_type", wafd::to_string(rule.attack_type)},
      {"risk", wafd::to_string(rule.risk)},
      {"location", wafd::to_string(finding.location, finding.in_name)},
      {"name", valid_text(finding.name)},
      {"payload", valid_text(finding.payload)},
      {"excerpt", valid_text(finding.excerpt)},
      {"decode_path", finding.decode_path},
      {"reason", valid_text(finding.reason)},
      {"span",
       {{"part", finding.in_body ? "body" : "head"}, {"begin", finding.raw_begin}, {"end", finding.raw_end}}},
      {"deny_from", sensitivity_json(rule.denies_from)},
      {"excepted", excepted_by != nullptr},
      {"excepted_by", excepted_by == nullptr ? value() : value(excepted_by->id)}};
}

object verdict_json(const Verdict& verdict, const detect::Decision& decision) {
  array findings;
  std::size_t next = 0;  // of the excepted ones, which are in the same order
  for (std::size_t i = 0; i < verdict.findings.size(); ++i) {
    const detect::ExceptionSettings* by = nullptr;
    if (next < decision.excepted.size() && decision.excepted[next].finding == i)
      by = decision.excepted[next++].by;
    findings.emplace_back(finding_json(verdict.findings[i], by));
  }
  const Finding* weightiest =
      decision.weightiest >= 0 ? &verdict.findings[static_cast<std::size_t>(decision.weightiest)] : nullptr;
  value list;
  if (decision.list_entry != nullptr) {
    list = {{"id", decision.list_entry->id},
            {"kind", to_string(decision.list_entry->kind)},
            {"cidr", decision.list_entry->cidr}};
  }
  object would;
  for (std::size_t i = 0; i < decision.would_deny.size(); ++i)
    would[wafd::to_string(static_cast<Sensitivity>(i))] = decision.would_deny[i];
  return {
      {"action", wafd::to_string(decision.action)},
      {"attack_type", decision.record ? value(wafd::to_string(decision.attack_type)) : value()},
      {"risk", decision.record ? value(wafd::to_string(decision.risk)) : value()},
      {"rule_id", decision.rule_id},
      {"location", weightiest == nullptr ? "" : wafd::to_string(weightiest->location, weightiest->in_name)},
      {"weightiest", weightiest == nullptr ? value() : value(decision.weightiest)},
      {"reason", valid_text(decision.reason)},
      {"site", decision.site->uuid},
      {"list", std::move(list)},
      {"would_deny", std::move(would)},
      {"body_truncated", verdict.body_truncated},
      {"limit_reached", verdict.limit_reached},
      {"unknown_coding", verdict.unknown_coding},
      {"inspected_octets", verdict.inspected_bytes},
      {"total_octets", verdict.total_bytes},
      {"findings", std::move(findings)}};
}

Error blamed_on(std::string_view member, const Error& error) {
  Error out = error;
  out.code = ErrorCode::kInvalid;
  // A mistake inside the member is named below it: "draft.exception.path: ...".
  const bool nested = member != "draft.rule" && error.what.find(": ") != std::string::npos;
  out.what = fmt::format("{}{}{}", member, nested ? "." : ": ", error.what);
  return out;
}

// An engine with the draft's rule alone: what it finds comes on top of what the rules in use find.
Result<std::unique_ptr<detect::Engine>> compile(const CompileRules& elsewhere, const std::string& rule) {
  const std::string file = "{\"rules\":[" + rule + "\n]}";
  std::vector<detect::Signature> signatures;
  if (auto loaded = detect::load_signatures("rule", file, signatures); !loaded)
    return tl::unexpected<Error>(loaded.error());
  if (signatures.size() != 1)
    return fail(ErrorCode::kInvalid, fmt::format("expected one rule, got {}", signatures.size()));
  return compile_alone(elsewhere, "rule", file);
}

Result<void> apply(const Draft& draft, std::string_view host, detect::PolicySettings& settings) {
  if (draft.exception) {
    settings.exceptions.insert(settings.exceptions.begin(), *draft.exception);
    settings.exceptions.front().id = "draft";
  }
  if (draft.site.empty() && !draft.sensitivity) return {};
  auto policy = detect::Policy::build(settings);
  if (!policy) return tl::unexpected<Error>(policy.error());
  detect::SiteSettings site = policy->site_of(host);
  auto parsed = parse_site(draft.site, site);
  if (!parsed) return tl::unexpected<Error>(blamed_on("draft.site", parsed.error()));
  parsed->hosts = site.hosts;  // which site it is, is no part of the draft
  if (draft.sensitivity) {
    parsed->sensitivity = *draft.sensitivity;
    std::erase_if(parsed->sensitivity_by_type,
                  [](const auto& of_type) { return of_type.second.has_value(); });
  }
  const auto own = std::find_if(settings.sites.begin(), settings.sites.end(),
                                [&](const detect::SiteSettings& one) { return one.uuid == site.uuid; });
  if (own == settings.sites.end()) {
    settings.sites.push_back(std::move(*parsed));
  } else {
    *own = std::move(*parsed);
  }
  return {};
}

}  // namespace

Result<object> run_trial(const detect::Engine& engine, detect::PolicySettings settings, const Trial& trial,
                         const CompileRules& elsewhere) {
  if (trial.sensitivity) {
    for (detect::SiteSettings& site : settings.sites) site.sensitivity = *trial.sensitivity;
  }
  auto policy = detect::Policy::build(settings);
  if (!policy) return fail(ErrorCode::kIo, policy.error().what);

  Request request = detect::split_request(trial.bytes);
  request.connection.src_ip = trial.src_ip;
  const auto scratch = engine.make_scratch();
  Verdict verdict;
  const double begin = thread_us();
  engine.inspect(request, *scratch, verdict);
  const double microseconds = thread_us() - begin;
  const auto decide = [&](const detect::Policy& by) {
    return by.decide(request, scratch->head(), verdict, Enforcement::kInline, trial.now_s);
  };
  object answer = verdict_json(verdict, decide(*policy));
  answer["microseconds"] = microseconds;
  answer["draft"] = nullptr;
  if (!trial.draft) return answer;

  const Draft& draft = *trial.draft;
  std::unique_ptr<detect::Engine> drafted;  // its rules are what findings point at
  if (!draft.rule.empty()) {
    auto compiled = compile(elsewhere, draft.rule);
    if (!compiled) return tl::unexpected<Error>(blamed_on("draft.rule", compiled.error()));
    drafted = std::move(*compiled);
    const std::string& id = drafted->rules().front()->id;
    std::erase_if(verdict.findings, [&](const Finding& finding) { return finding.rule->id == id; });
    const auto own = drafted->make_scratch();
    Verdict more;
    drafted->inspect(request, *own, more);
    for (Finding& finding : more.findings) verdict.findings.push_back(std::move(finding));
  }
  const std::string host(scratch->head().host());
  if (auto applied = apply(draft, host, settings); !applied) return tl::unexpected<Error>(applied.error());
  auto changed = detect::Policy::build(settings);
  if (!changed) return tl::unexpected<Error>(blamed_on("draft", changed.error()));
  answer["draft"] = verdict_json(verdict, decide(*changed));
  return answer;
}

}  // namespace wafd::console
