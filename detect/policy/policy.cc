#include "detect/policy/policy.h"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "detect/core/ip_address.h"
#include "detect/core/rule_id.h"
#include "detect/decode/percent.h"
#include "detect/policy/address_table.h"
#include "detect/policy/glob.h"

namespace wafd::detect {
namespace {

struct CompiledEntry {
  ListEntry settings;
  std::string rule_id;
  std::string text;  // for the reason
};

// Looked up by view, so that a request's host is not copied for it.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};
using HostMap = std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>>;

bool in_force(std::int64_t expires_s, std::int64_t now_s) noexcept {
  return expires_s == 0 || now_s < expires_s;
}

Result<void> check_host_pattern(const std::string& pattern, const std::string& where) {
  if (is_host_pattern(pattern)) return {};
  return fail(ErrorCode::kInvalid, where + ": expected a host such as shop.example or *.example");
}

// How much a finding weighs when several deny: risk first, then how sure it is.
int weight(const Finding& finding) noexcept {
  const int certainty = finding.denies_from ? 2 - static_cast<int>(*finding.denies_from) : -1;
  return static_cast<int>(finding.rule->risk) * 4 + certainty;
}

// The parts that were not looked at and the site's setting for them; the graver of two.
struct Unseen {
  OnLimit then = OnLimit::kPass;
  std::string_view rule;  // key
  std::string_view what;

  void add(bool is_so, OnLimit on, std::string_view key, std::string_view words) noexcept {
    if (!is_so || (!what.empty() && on <= then)) return;
    then = on, rule = key, what = words;
  }
};

// A file in which no field can be is nobody's decision.
OnLimit then_of_cut(OnOversize on, CutIn cut) noexcept {
  if (on == OnOversize::kPass || cut == CutIn::kFile) return OnLimit::kPass;
  if (on == OnOversize::kMonitor) return OnLimit::kMonitor;
  return on == OnOversize::kBlockUnlessFile && cut == CutIn::kFormFile ? OnLimit::kPass : OnLimit::kBlock;
}

Unseen unseen_of(const RequestHead& head, const Verdict& verdict, const SiteSettings& site) noexcept {
  Unseen unseen;
  // A gateway that hands over no bodies says so of every request: counted, and for its configuration to
  // change.
  unseen.add(verdict.body_abandoned, OnLimit::kPass, "oversize", "The body could not be looked at");
  unseen.add(verdict.body_truncated, then_of_cut(site.on_oversize, verdict.cut_in), "oversize",
             verdict.cut_in == CutIn::kFormFile
                 ? "A file in a form lies beyond the limits, and what comes behind it was not looked at "
                   "(the site's on_oversize says what becomes of large uploads)"
                 : "A part of the body lies beyond the limits and was not looked at");
  unseen.add((head.flags & kHeadTooManyFields) != 0, site.on_limit, "limit",
             "Header lines beyond the limit were not looked at");
  unseen.add(verdict.unknown_coding, site.on_limit, "limit",
             "The body is in a coding or a character set that is not known, and was not read");
  unseen.add(verdict.interrupted, site.on_limit, "limit",
             "Judging took longer than it may (ingest.budget_ms) and was broken off");
  unseen.add(verdict.limit_reached, site.on_limit, "limit",
             "A limit was reached before the request was judged in every way");
  // ingest.on_overload decides what becomes of it.
  unseen.add(verdict.by_head, OnLimit::kPass, "limit",
             "There was no time for the body, and only the head was looked at");
  return unseen;
}

// Signatures of products name what acts wherever it stands.
bool is_of_document(const SiteSettings& site, const Finding& finding) noexcept {
  if (finding.location != Location::kBody || finding.in_name || finding.rule->module == "m_rule")
    return false;
  return std::any_of(site.document_fields.begin(), site.document_fields.end(),
                     [&](const std::string& pattern) { return glob_match(pattern, finding.name, '.'); });
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

const char* to_string(OnLimit policy) noexcept {
  switch (policy) {
    case OnLimit::kPass:
      return "pass";
    case OnLimit::kMonitor:
      return "monitor";
    case OnLimit::kBlock:
      return "block";
  }
  return "pass";
}

const char* to_string(OnOversize policy) noexcept {
  switch (policy) {
    case OnOversize::kPass:
      return "pass";
    case OnOversize::kMonitor:
      return "monitor";
    case OnOversize::kBlockUnlessFile:
      return "block_unless_file";
    case OnOversize::kBlock:
      return "block";
  }
  return "block";
}

struct Policy::Impl {
  struct Site {
    SiteSettings settings;
    // By attack type; none: the type is switched off.
    std::array<std::optional<Sensitivity>, kAttackTypes> sensitivity;
  };

  std::vector<Site> sites;  // the default site is the last
  HostMap by_host;
  HostMap by_suffix;  // of "*.example" what is behind the dot
  std::vector<ExceptionSettings> exceptions;
  std::vector<CompiledEntry> lists;
  AddressTable addresses;  // indexes of `lists`

  // In the order of the settings, the default site last; `addresses` are sorted after them.
  Result<void> add(const SiteSettings& site);
  Result<void> add(const ExceptionSettings& exception);
  Result<void> add(const ListEntry& entry);
  Result<void> add_host(const std::string& host, std::string_view uuid, std::size_t index);

  // `host` is the text of a HostKey. The longest pattern wins.
  const Site& site_of(std::string_view host) const {
    if (const auto found = by_host.find(host); found != by_host.end()) return sites[found->second];
    for (std::size_t dot = by_suffix.empty() ? std::string_view::npos : host.find('.', 1);
         dot != std::string_view::npos; dot = host.find('.', dot + 1)) {
      if (const auto found = by_suffix.find(host.substr(dot + 1)); found != by_suffix.end())
        return sites[found->second];
    }
    return sites.back();
  }

  // One request's host and path while its findings are compared with the exceptions.
  struct Matching {
    std::string_view host;
    std::string path;  // decoded once
    std::size_t steps = kMaxGlobSteps;
    enum class Path : std::uint8_t { kUnknown, kNo, kYes };
    std::vector<Path> paths;  // by exception: every finding asks the same
  };

  bool path_matches(std::size_t index, Matching& matching) const {
    Matching::Path& known = matching.paths[index];
    if (known == Matching::Path::kUnknown) {
      const std::string& pattern = exceptions[index].path;
      const bool matches = pattern.empty() || (matching.path.size() <= kMaxExceptionPathBytes &&
                                               glob_match(pattern, matching.path, '/', matching.steps));
      known = matches ? Matching::Path::kYes : Matching::Path::kNo;
    }
    return known == Matching::Path::kYes;
  }

  bool excepts(std::size_t index, const Finding& finding, Matching& matching) const {
    const ExceptionSettings& exception = exceptions[index];
    if (exception.attack_type && *exception.attack_type != finding.rule->attack_type) return false;
    if (!exception.rule_id.empty() && exception.rule_id != finding.rule->id) return false;
    if (!exception.location.empty() && exception.location != to_string(finding.location, finding.in_name))
      return false;
    if (!exception.name.empty() && !glob_match(exception.name, finding.name, '.', matching.steps))
      return false;
    if (!exception.host.empty() && !host_match(exception.host, matching.host)) return false;
    return path_matches(index, matching);
  }

  // The first exception that takes the finding; their number: none does.
  std::size_t exception_of(const Finding& finding, std::int64_t now_s, Matching& matching) const {
    std::size_t index = 0;
    while (index < exceptions.size() &&
           !(in_force(exceptions[index].expires_s, now_s) && excepts(index, finding, matching)))
      ++index;
    return index;
  }
};

Result<void> Policy::Impl::add_host(const std::string& host, std::string_view uuid, std::size_t index) {
  if (auto ok = check_host_pattern(host, fmt::format("sites[{}].hosts", uuid)); !ok) return ok;
  const bool wild = host.starts_with("*.");
  const std::string key = wild ? to_lower(host) : std::string(HostKey(host).text());
  const auto placed = wild ? by_suffix.emplace(key.substr(2), index) : by_host.emplace(key, index);
  if (placed.second) return {};
  return fail(ErrorCode::kConflict,
              fmt::format("sites[{}].hosts: the host {} {}", uuid, key,
                          placed.first->second == index ? "is named twice" : "belongs to another site"));
}

Result<void> Policy::Impl::add(const SiteSettings& site) {
  Site compiled{site, {}};
  compiled.sensitivity.fill(site.sensitivity);
  for (const auto& [type, sensitivity] : site.sensitivity_by_type) {
    compiled.sensitivity[static_cast<std::size_t>(type)] = sensitivity;
  }
  for (const std::string& host : site.hosts) {
    if (auto added = add_host(host, site.uuid, sites.size()); !added) return added;
  }
  sites.push_back(std::move(compiled));
  return {};
}

Result<void> Policy::Impl::add(const ExceptionSettings& exception) {
  if (!exception.enabled) return {};
  const std::string where = fmt::format("exceptions[{}]", exception.id);
  if (exception.host.empty() && exception.path.empty() && exception.location.empty() &&
      exception.name.empty() && exception.rule_id.empty() && !exception.attack_type) {
    return fail(ErrorCode::kInvalid,
                where + ": expected at least one condition, else it would accept everything");
  }
  if (!exception.host.empty()) {
    if (auto ok = check_host_pattern(exception.host, where + ".host"); !ok) return ok;
  }
  exceptions.push_back(exception);
  return {};
}

Result<void> Policy::Impl::add(const ListEntry& entry) {
  const auto cidr = Cidr::parse(entry.cidr);
  if (!cidr) {
    return fail(ErrorCode::kInvalid,
                fmt::format("lists[{}].cidr: expected an address or CIDR such as 203.0.113.0/24, got \"{}\"",
                            entry.id, entry.cidr));
  }
  addresses.add(*cidr, static_cast<std::uint32_t>(lists.size()));
  lists.push_back({entry, rule_id("m_acl", entry.id), cidr->text()});
  return {};
}

namespace {

// In their order, the default site last, which is made if there is none.
Result<std::vector<SiteSettings>> ordered_sites(const std::vector<SiteSettings>& sites) {
  std::vector<SiteSettings> ordered;
  SiteSettings fallback;
  fallback.uuid = std::string(kDefaultSite);
  fallback.name = "default";
  std::unordered_set<std::string_view> seen;
  for (const SiteSettings& site : sites) {
    const std::string where = fmt::format("sites[{}]", site.uuid.empty() ? site.name : site.uuid);
    if (site.uuid.empty() || !std::all_of(site.uuid.begin(), site.uuid.end(), is_digit))
      return fail(ErrorCode::kInvalid, where + ".uuid: expected a string of digits");
    if (!seen.insert(site.uuid).second) return fail(ErrorCode::kConflict, where + ".uuid: given twice");
    if (site.uuid == kDefaultSite) {
      fallback = site;
    } else {
      ordered.push_back(site);
    }
  }
  ordered.push_back(std::move(fallback));
  return ordered;
}

}  // namespace

Result<Policy> Policy::build(const PolicySettings& settings) {
  auto impl = std::make_shared<Impl>();
  const auto sites = ordered_sites(settings.sites);
  if (!sites) return tl::unexpected(sites.error());
  for (const SiteSettings& site : *sites)
    if (auto added = impl->add(site); !added) return tl::unexpected(added.error());
  for (const ExceptionSettings& exception : settings.exceptions)
    if (auto added = impl->add(exception); !added) return tl::unexpected(added.error());
  for (const ListEntry& entry : settings.lists)
    if (auto added = impl->add(entry); !added) return tl::unexpected(added.error());
  impl->addresses.sort();

  Policy policy;
  policy.impl_ = std::move(impl);
  return policy;
}

const SiteSettings& Policy::site_of(std::string_view host) const noexcept {
  return impl_->site_of(HostKey(host).text()).settings;
}

namespace {

// The action for a request that ought to be denied: deny, unless nobody waits for an answer or the site only
// watches.
Action enforced(Mode mode, Enforcement enforcement, std::string& reason) {
  if (enforcement == Enforcement::kInline && mode == Mode::kBlock) return Action::kDeny;
  if (reason.ends_with('.')) reason.pop_back();  // a rule's description is a sentence
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

// One request's decision while it is made.
struct Policy::Deciding {
  const Impl& policy;
  const Impl::Site& site;
  const Verdict& verdict;
  Enforcement enforcement;
  std::int64_t now_s;
  Decision& out;
  int heaviest = -1;  // index of the finding that decides
  bool denying = false;

  bool by_lists(std::string_view source);
  void by_findings(const RequestHead& head, std::string_view host);
  void by_finding(std::size_t i, Impl::Matching& matching);
  void because_unseen(const Unseen& unseen);
  void because_found();
};

// Lists speak first: an allow entry ends the matter, a deny entry needs no finding. True: one of them has.
bool Policy::Deciding::by_lists(std::string_view source) {
  if (policy.addresses.empty()) return false;
  const CompiledEntry* allowed = nullptr;
  const CompiledEntry* denied = nullptr;
  if (const auto address = IpAddress::parse(source)) {
    policy.addresses.find(*address, [&](std::uint32_t index) {
      const CompiledEntry& entry = policy.lists[index];
      if (!in_force(entry.settings.expires_s, now_s)) return;
      const CompiledEntry*& of_kind = entry.settings.kind == ListKind::kAllow ? allowed : denied;
      if (of_kind == nullptr) of_kind = &entry;
    });
  }
  if (allowed != nullptr) {
    out.list_entry = &allowed->settings;
    return true;
  }
  if (denied == nullptr) return false;
  out.list_entry = &denied->settings;
  out.record = true;
  out.attack_type = AttackType::kAcl;
  out.risk = Risk::kMedium;
  out.rule_id = denied->rule_id;
  out.rule_module = "m_acl";
  out.block_reason = "acl";
  out.reason = fmt::format("The source is on the deny list ({})", denied->text);
  out.action = enforced(site.settings.mode, enforcement, out.reason);
  return true;
}

void Policy::Deciding::by_finding(std::size_t i, Impl::Matching& matching) {
  const Finding& finding = verdict.findings[i];
  const auto sensitivity = site.sensitivity[static_cast<std::size_t>(finding.rule->attack_type)];
  if (!sensitivity) return;
  const std::size_t exception = policy.exception_of(finding, now_s, matching);
  if (exception < policy.exceptions.size()) {
    out.excepted.push_back({static_cast<std::uint32_t>(i), &policy.exceptions[exception]});
    return;
  }
  const bool document = is_of_document(site.settings, finding);
  if (document) out.documents.push_back(static_cast<std::uint32_t>(i));
  for (std::size_t s = 0; s < out.would_deny.size(); ++s) {
    if (!document && denies(finding, static_cast<Sensitivity>(s))) out.would_deny[s] = true;
  }
  const bool denies_here = !document && denies(finding, *sensitivity);
  const bool heavier = heaviest < 0 || (denies_here && !denying) ||
                       (denies_here == denying &&
                        weight(finding) > weight(verdict.findings[static_cast<std::size_t>(heaviest)]));
  if (heavier && (denies_here || !denying)) heaviest = static_cast<int>(i);
  denying = denying || denies_here;
}

void Policy::Deciding::by_findings(const RequestHead& head, std::string_view host) {
  Impl::Matching matching{host, {}, kMaxGlobSteps, {}};
  if (!policy.exceptions.empty() && !verdict.findings.empty()) {
    std::uint32_t flags = 0;
    if (!percent_decode(head.path, matching.path, flags)) matching.path = head.path;
    matching.paths.resize(policy.exceptions.size());
  }
  for (std::size_t i = 0; i < verdict.findings.size(); ++i) by_finding(i, matching);
}

void Policy::Deciding::because_unseen(const Unseen& unseen) {
  out.record = true;
  out.attack_type = AttackType::kHttpViolation;
  out.risk = Risk::kLow;
  out.rule_module = "m_http_violation";
  out.rule_id = rule_id(out.rule_module, unseen.rule);
  out.block_reason = "web";
  out.reason = unseen.what;
  if (unseen.then == OnLimit::kBlock) {
    out.action = enforced(site.settings.mode, enforcement, out.reason);
  } else {
    out.action = Action::kMonitor;
    out.reason += "; the site watches for that";
  }
}

void Policy::Deciding::because_found() {
  const Finding& finding = verdict.findings[static_cast<std::size_t>(heaviest)];
  out.record = true;
  out.weightiest = heaviest;
  out.attack_type = finding.rule->attack_type;
  out.risk = finding.rule->risk;
  out.rule_id = finding.rule->id;
  out.rule_module = finding.rule->module;
  out.block_reason = "web";
  out.reason = finding.reason.empty() ? finding.rule->name : finding.reason;
  if (denying) {
    out.action = enforced(site.settings.mode, enforcement, out.reason);
  } else if (std::find(out.documents.begin(), out.documents.end(), static_cast<std::uint32_t>(heaviest)) !=
             out.documents.end()) {
    out.reason += "; the field holds documents";
  } else {
    out.reason += fmt::format("; not sure enough for sensitivity {}",
                              to_string(*site.sensitivity[static_cast<std::size_t>(out.attack_type)]));
  }
}

Decision Policy::decide(const Request& request, const RequestHead& head, const Verdict& verdict,
                        Enforcement enforcement, std::int64_t now_s) const {
  Decision decision;
  decision.host = request.connection.host.empty() ? head.host() : request.connection.host;
  const HostKey key(decision.host);
  const Impl::Site& site = impl_->site_of(key.text());
  decision.site = &site.settings;
  const Unseen unseen = unseen_of(head, verdict, site.settings);
  decision.uninspected = !unseen.what.empty();
  if (site.settings.mode == Mode::kOff) return decision;

  Deciding deciding{*impl_, site, verdict, enforcement, now_s, decision};
  if (deciding.by_lists(request.connection.src_ip)) return decision;
  deciding.by_findings(head, key.text());
  if (!deciding.denying && unseen.then != OnLimit::kPass) {
    deciding.because_unseen(unseen);
  } else if (deciding.heaviest >= 0) {
    deciding.because_found();
  }
  return decision;
}

}  // namespace wafd::detect
