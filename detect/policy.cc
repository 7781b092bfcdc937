#include "detect/policy.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "detect/analyze/analyzer.h"
#include "detect/core/ip_address.h"
#include "detect/core/octets.h"
#include "detect/decode/percent.h"
#include "detect/glob.h"

namespace wafd::detect {
namespace {

constexpr const char* kDefaultSite = "0";

struct CompiledEntry {
  Cidr cidr;
  ListKind kind;
  std::int64_t expires_s;
  std::string rule_id;
  std::string text;  // for the reason
};

bool in_force(std::int64_t expires_s, std::int64_t now_s) noexcept {
  return expires_s == 0 || now_s < expires_s;
}

Result<void> check_host_pattern(const std::string& pattern, const std::string& where) {
  const std::string_view name = pattern.starts_with("*.") ? std::string_view(pattern).substr(2) : pattern;
  const bool sound = !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), [](char c) {
    return is_alnum(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '[' || c == ']';
  });
  if (sound) return {};
  return fail(ErrorCode::kInvalid, where + ": expected a host such as shop.example or *.example");
}

// How much a rule's word weighs when several deny: risk first, then how sure it is.
int weight(const Rule& rule) noexcept {
  const int certainty = rule.denies_from ? 2 - static_cast<int>(*rule.denies_from) : -1;
  return static_cast<int>(rule.risk) * 4 + certainty;
}

}  // namespace

const char* to_string(Mode mode) noexcept {
  switch (mode) {
    case Mode::kBlock:
      return "block";
    case Mode::kMonitor:
      return "monitor";
    case Mode::kOff:
      return "off";
  }
  return "block";
}

const char* to_string(OnOversize policy) noexcept {
  switch (policy) {
    case OnOversize::kPass:
      return "pass";
    case OnOversize::kMonitor:
      return "monitor";
    case OnOversize::kBlock:
      return "block";
  }
  return "pass";
}

struct Policy::Impl {
  struct Site {
    SiteSettings settings;
    // By attack type; none: the type is switched off.
    std::array<std::optional<Sensitivity>, kAttackTypes> sensitivity;
  };

  std::vector<Site> sites;  // the default site is the last
  std::unordered_map<std::string, std::size_t> by_host;
  std::vector<std::pair<std::string, std::size_t>> by_suffix;  // patterns, longest first
  std::vector<ExceptionSettings> exceptions;
  std::vector<CompiledEntry> lists;

  const Site& site_of(std::string_view host) const {
    const std::string key = to_lower(host);
    if (const auto found = by_host.find(key); found != by_host.end()) return sites[found->second];
    for (const auto& [pattern, index] : by_suffix) {
      if (host_match(pattern, key)) return sites[index];
    }
    return sites.back();
  }

  bool excepts(const ExceptionSettings& exception, std::string_view host, std::string_view path,
               const Finding& finding) const {
    if (exception.attack_type && *exception.attack_type != finding.rule->attack_type) return false;
    if (!exception.rule_id.empty() && exception.rule_id != finding.rule->id) return false;
    if (!exception.location.empty() && exception.location != to_string(finding.location, finding.in_name))
      return false;
    if (!exception.name.empty() && !glob_match(exception.name, finding.name, '.')) return false;
    if (!exception.host.empty() && !host_match(exception.host, host)) return false;
    return exception.path.empty() || glob_match(exception.path, path, '/');
  }
};

Result<Policy> Policy::build(const PolicySettings& settings) {
  auto impl = std::make_shared<Impl>();

  const SiteSettings* fallback = nullptr;
  std::vector<const SiteSettings*> ordered;
  for (const SiteSettings& site : settings.sites) {
    const std::string where = fmt::format("sites[{}]", site.uuid.empty() ? site.name : site.uuid);
    if (site.uuid.empty() || !std::all_of(site.uuid.begin(), site.uuid.end(), is_digit)) {
      return fail(ErrorCode::kInvalid, where + ".uuid: expected a string of digits");
    }
    for (const SiteSettings* other : ordered) {
      if (other->uuid == site.uuid) return fail(ErrorCode::kConflict, where + ".uuid: given twice");
    }
    ordered.push_back(&site);
    if (site.uuid == kDefaultSite) fallback = &site;
  }
  std::erase(ordered, fallback);
  SiteSettings made;
  if (fallback == nullptr) {
    made.uuid = kDefaultSite;
    made.name = "default";
    fallback = &made;
  }
  ordered.push_back(fallback);

  for (const SiteSettings* site : ordered) {
    Impl::Site compiled{*site, {}};
    compiled.sensitivity.fill(site->sensitivity);
    for (const auto& [type, sensitivity] : site->sensitivity_by_type) {
      compiled.sensitivity[static_cast<std::size_t>(type)] = sensitivity;
    }
    const std::size_t index = impl->sites.size();
    for (const std::string& host : site->hosts) {
      if (auto ok = check_host_pattern(host, fmt::format("sites[{}].hosts", site->uuid)); !ok) {
        return tl::unexpected<Error>(ok.error());
      }
      const std::string key = to_lower(host);
      const bool wildcard = key.starts_with("*.");
      const bool taken = wildcard ? std::any_of(impl->by_suffix.begin(), impl->by_suffix.end(),
                                                [&](const auto& pair) { return pair.first == key; })
                                  : !impl->by_host.emplace(key, index).second;
      if (taken) {
        return fail(ErrorCode::kConflict,
                    fmt::format("sites[{}].hosts: {} belongs to another site", site->uuid, key));
      }
      if (wildcard) impl->by_suffix.emplace_back(key, index);
    }
    impl->sites.push_back(std::move(compiled));
  }
  std::stable_sort(impl->by_suffix.begin(), impl->by_suffix.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });

  for (const ExceptionSettings& exception : settings.exceptions) {
    if (!exception.enabled) continue;
    const std::string where = fmt::format("exceptions[{}]", exception.id);
    if (exception.host.empty() && exception.path.empty() && exception.location.empty() &&
        exception.name.empty() && exception.rule_id.empty() && !exception.attack_type) {
      return fail(ErrorCode::kInvalid,
                  where + ": expected at least one condition, else it would accept everything");
    }
    if (!exception.host.empty()) {
      if (auto ok = check_host_pattern(exception.host, where + ".host"); !ok)
        return tl::unexpected<Error>(ok.error());
    }
    impl->exceptions.push_back(exception);
  }

  for (const ListEntry& entry : settings.lists) {
    const auto cidr = Cidr::parse(entry.cidr);
    if (!cidr) {
      return fail(
          ErrorCode::kInvalid,
          fmt::format("lists[{}].cidr: expected an address or CIDR such as 203.0.113.0/24, got \"{}\"",
                      entry.id, entry.cidr));
    }
    impl->lists.push_back({*cidr, entry.kind, entry.expires_s, rule_id("m_acl", entry.id), cidr->text()});
  }

  Policy policy;
  policy.impl_ = std::move(impl);
  return policy;
}

const SiteSettings& Policy::site_of(std::string_view host) const noexcept {
  return impl_->site_of(host).settings;
}

namespace {

// What becomes of a request that ought to be denied: it is, unless nobody waits or the site only watches.
Action enforced(Mode mode, Enforcement enforcement, std::string& reason) {
  if (enforcement == Enforcement::kInline && mode == Mode::kBlock) return Action::kDeny;
  if (mode == Mode::kMonitor) {
    reason += "; the site is in monitor mode";
  } else if (enforcement == Enforcement::kMirror) {
    reason += "; the traffic is mirrored";
  } else if (enforcement == Enforcement::kPluginMonitor) {
    reason += "; the gateway only watches";
  } else {
    reason += "; the listener does not enforce";
  }
  return Action::kMonitor;
}

}  // namespace

Decision Policy::decide(const Request& request, const RequestHead& head, const Verdict& verdict,
                        Enforcement enforcement, std::int64_t now_s) const {
  const std::string_view host = request.connection.host.empty() ? head.host() : request.connection.host;
  const Impl::Site& site = impl_->site_of(host);

  Decision decision;
  decision.site = &site.settings;
  if (site.settings.mode == Mode::kOff) return decision;

  // Lists speak first: an allow entry ends the matter, a deny entry needs no finding.
  if (!impl_->lists.empty()) {
    const auto source = IpAddress::parse(request.connection.src_ip);
    const CompiledEntry* denied = nullptr;
    for (const CompiledEntry& entry : impl_->lists) {
      if (!source || !in_force(entry.expires_s, now_s) || !entry.cidr.contains(*source)) continue;
      if (entry.kind == ListKind::kAllow) return decision;
      denied = &entry;
    }
    if (denied != nullptr) {
      decision.record = true;
      decision.attack_type = AttackType::kAcl;
      decision.risk = Risk::kMedium;
      decision.rule_id = denied->rule_id;
      decision.rule_module = "m_acl";
      decision.block_reason = "acl";
      decision.reason = fmt::format("The source is on the deny list ({})", denied->text);
      decision.action = enforced(site.settings.mode, enforcement, decision.reason);
      return decision;
    }
  }

  std::string path;
  if (!impl_->exceptions.empty() && !verdict.findings.empty()) {
    std::uint32_t flags = 0;
    if (!percent_decode(head.path, path, flags)) path = head.path;
  }
  int deciding = -1;
  bool denying = false;
  for (std::size_t i = 0; i < verdict.findings.size(); ++i) {
    const Finding& finding = verdict.findings[i];
    const auto sensitivity = site.sensitivity[static_cast<std::size_t>(finding.rule->attack_type)];
    if (!sensitivity) continue;
    const bool excepted = std::any_of(
        impl_->exceptions.begin(), impl_->exceptions.end(), [&](const ExceptionSettings& exception) {
          return in_force(exception.expires_s, now_s) && impl_->excepts(exception, host, path, finding);
        });
    if (excepted) {
      decision.excepted.push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    const bool denies_here = denies(finding, *sensitivity);
    const bool heavier =
        deciding < 0 || (denies_here && !denying) ||
        (denies_here == denying &&
         weight(*finding.rule) > weight(*verdict.findings[static_cast<std::size_t>(deciding)].rule));
    if (heavier && (denies_here || !denying)) deciding = static_cast<int>(i);
    denying = denying || denies_here;
  }

  const bool oversized = verdict.body_truncated || verdict.body_abandoned;
  if (!denying && oversized && site.settings.on_oversize != OnOversize::kPass) {
    decision.record = true;
    decision.attack_type = AttackType::kHttpViolation;
    decision.risk = Risk::kLow;
    decision.rule_module = "m_http_violation";
    decision.rule_id = rule_id(decision.rule_module, "oversize");
    decision.block_reason = "web";
    decision.reason = verdict.body_abandoned
                          ? "The body could not be looked at"
                          : "A part of the body lies beyond the limits and was not looked at";
    if (site.settings.on_oversize == OnOversize::kBlock) {
      decision.action = enforced(site.settings.mode, enforcement, decision.reason);
    } else {
      decision.action = Action::kMonitor;
    }
    return decision;
  }
  if (deciding < 0) return decision;

  const Finding& finding = verdict.findings[static_cast<std::size_t>(deciding)];
  decision.record = true;
  decision.weightiest = deciding;
  decision.attack_type = finding.rule->attack_type;
  decision.risk = finding.rule->risk;
  decision.rule_id = finding.rule->id;
  decision.rule_module = finding.rule->module;
  decision.block_reason = "web";
  decision.reason = finding.reason.empty() ? finding.rule->name : finding.reason;
  if (denying) {
    decision.action = enforced(site.settings.mode, enforcement, decision.reason);
  } else {
    decision.reason +=
        fmt::format("; not sure enough for sensitivity {}",
                    to_string(*site.sensitivity[static_cast<std::size_t>(finding.rule->attack_type)]));
  }
  return decision;
}

}  // namespace wafd::detect
