// Site policy: what a verdict means for a request. An immutable snapshot built from settings, milliseconds.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/core/error.h"
#include "detect/core/request.h"
#include "detect/core/request_head.h"
#include "detect/core/verdict.h"

namespace wafd::detect {

enum class Mode : std::uint8_t { kBlock, kMonitor, kOff };
// The action for a request of which some part was not looked at.
enum class OnLimit : std::uint8_t { kPass, kMonitor, kBlock };
// The same of a body that did not come whole. kBlockUnlessFile passes those that were cut within an uploaded
// file, also one in a form, though fields may follow behind it.
enum class OnOversize : std::uint8_t { kPass, kMonitor, kBlockUnlessFile, kBlock };

const char* to_string(Mode) noexcept;        // "block" | "monitor" | "off"
const char* to_string(OnLimit) noexcept;     // "pass" | "monitor" | "block"
const char* to_string(OnOversize) noexcept;  // "pass" | "monitor" | "block_unless_file" | "block"

// Of a site that says nothing of it: what hides behind a limit is blocked, except where little is.
constexpr OnLimit default_on_limit(Sensitivity sensitivity) noexcept {
  return sensitivity == Sensitivity::kLow ? OnLimit::kPass : OnLimit::kBlock;
}
constexpr OnOversize default_on_oversize(Sensitivity sensitivity) noexcept {
  return sensitivity == Sensitivity::kLow ? OnOversize::kPass : OnOversize::kBlock;
}

// --- settings: values as the console stores them
// ---------------------------------------------------------------

struct MaskSettings {
  std::vector<std::string> headers;  // beyond Authorization and Proxy-Authorization
  std::vector<std::string> cookies;
  std::vector<std::string> parameters;  // beyond the password-like ones; form, query and JSON keys, no case
  bool card_numbers = false;            // digits that satisfy Luhn
};

// Uuid of the site that takes every host no other site has.
inline constexpr std::string_view kDefaultSite = "0";

struct SiteSettings {
  std::string uuid;  // a string of digits; the default site is "0"
  std::string name;
  std::string url;                 // `site_url`
  std::vector<std::string> hosts;  // "shop.example", "*.example"; empty for the default site
  Mode mode = Mode::kBlock;
  Sensitivity sensitivity = Sensitivity::kBalanced;
  std::vector<std::pair<AttackType, std::optional<Sensitivity>>>
      sensitivity_by_type;  // none: type switched off
  // Bytes of a body that never came here. Not of a file that is the whole body, in which no field is
  // (CutIn::kFile), and not of a body of which the gateway hands over nothing: what it never does says
  // nothing of the request.
  OnOversize on_oversize = OnOversize::kBlock;
  OnLimit on_limit = OnLimit::kBlock;        // what a limit of judging left out, or nobody can read
  std::vector<std::string> document_fields;  // patterns of names, as in exceptions
  std::string session_cookie;                // name; empty: none
  std::int64_t block_status = 403;           // of the answer to a blocked client, 400 to 599
  std::string block_body;                    // of it; empty: the usual JSON. {event_id} stands for the id
  MaskSettings mask;
};

// Paths longer than this are accepted by no exception that names a path: matching costs pattern x path.
inline constexpr std::size_t kMaxExceptionPathBytes = 8192;
// Steps that all patterns of all exceptions may take on one request; a few for an ordinary one. Beyond it no
// pattern matches, so nothing is accepted that should not be.
inline constexpr std::size_t kMaxGlobSteps = 2'000'000;

// Accepts what would match. Every condition that is set must hold; an unset one always holds.
struct ExceptionSettings {
  std::string id;
  std::string comment;
  std::string author;
  std::string host;      // pattern as in SiteSettings::hosts
  std::string path;      // `*` is any run of bytes without '/', `**` any run
  std::string location;  // a `location` of the record
  std::string name;      // parameter name; `[*]` and `*` as in path
  std::string rule_id;
  std::optional<AttackType> attack_type;
  std::int64_t expires_s = 0;  // Unix time; 0: never
  bool enabled = true;
};

enum class ListKind : std::uint8_t { kAllow, kDeny };

struct ListEntry {
  std::string id;
  ListKind kind = ListKind::kDeny;
  std::string cidr;  // IPv4 or IPv6 prefix or address
  std::string comment;
  std::int64_t expires_s = 0;  // Unix time; 0: never
};

struct PolicySettings {
  std::vector<SiteSettings> sites;  // the default site is added if "0" is missing
  std::vector<ExceptionSettings> exceptions;
  std::vector<ListEntry> lists;
};

// --- the snapshot
// ------------------------------------------------------------------------------------------------

// A finding that an exception accepted.
struct Excepted {
  std::uint32_t finding = 0;              // index in Verdict::findings
  const ExceptionSettings* by = nullptr;  // the first that did; lives as long as the Policy
};

// Views live as long as the Policy and the request.
struct Decision {
  Action action = Action::kAllow;
  bool record = false;                 // an event is to be written
  int weightiest = -1;                 // index in Verdict::findings of the one that decided; -1: none (acl)
  const SiteSettings* site = nullptr;  // never null; lives as long as the Policy
  AttackType attack_type = AttackType::kCustom;
  Risk risk = Risk::kLow;
  std::string rule_id;  // "m_acl/…" for lists
  std::string rule_module;
  std::string block_reason;        // "web" | "acl" | "rate"; set whenever `record` is
  std::string reason;              // one sentence for people: what was found and why the action is what it is
  std::vector<Excepted> excepted;  // in order of the findings
  // Findings in fields that hold documents: only recorded.
  std::vector<std::uint32_t> documents;
  // For the counters (usage_counters.h):
  std::string_view host;                  // that chose the site, as received
  const ListEntry* list_entry = nullptr;  // the allow or deny entry that decided
  std::array<bool, 3> would_deny{};       // by Sensitivity: what the findings alone would do there
  bool uninspected = false;               // something was not looked at
};

class Policy {
 public:
  // An error names the entry and what was expected.
  static Result<Policy> build(const PolicySettings& settings);

  const SiteSettings& site_of(std::string_view host) const noexcept;

  // `now_s` is Unix time, for expiries.
  Decision decide(const Request& request, const RequestHead& head, const Verdict& verdict,
                  Enforcement enforcement, std::int64_t now_s) const;

 private:
  struct Impl;
  struct Deciding;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace wafd::detect
