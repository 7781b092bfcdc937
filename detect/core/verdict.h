// The engine's verdict on a request: findings and their vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wafd {

// The value set of `attack_type`; the texts are part of the record (to_string).
enum class AttackType : std::uint8_t {
  kSqli,
  kXss,
  kCmdInjection,
  kCodeInjection,
  kPathTraversal,
  kFileInclusion,
  kFileUpload,
  kBackdoor,
  kDeserialization,
  kExpressionInjection,
  kSsti,
  kSsrf,
  kXxe,
  kNosqlInjection,
  kLdapInjection,
  kXpathInjection,
  kCrlfInjection,
  kInfoLeak,
  kScanner,
  kHttpViolation,
  kAcl,
  kRateLimit,
  kCustom,
};
inline constexpr std::size_t kAttackTypes = 23;

enum class Risk : std::uint8_t { kLow, kMedium, kHigh };

// Deny (the gateway was told to block), monitor (would have been denied, but nobody enforces), allow
// (recorded below the threshold, or nothing at all).
enum class Action : std::uint8_t { kAllow, kMonitor, kDeny };

// kStrict denies a superset of kBalanced, which denies a superset of kLow.
enum class Sensitivity : std::uint8_t { kLow, kBalanced, kStrict };

enum class Location : std::uint8_t { kUrlPath, kQuery, kHeader, kCookie, kBody, kFile };

const char* to_string(AttackType) noexcept;   // "sqli", "xss", ... as in the record
const char* to_words(AttackType) noexcept;    // "SQL injection", ... for people
const char* to_string(Risk) noexcept;         // "low" | "medium" | "high"
const char* to_string(Action) noexcept;       // "allow" | "monitor" | "deny"
const char* to_string(Sensitivity) noexcept;  // "low" | "balanced" | "strict"
// "urlpath", "query", ...; with `in_name` the `..._name` form.
const char* to_string(Location, bool in_name) noexcept;
std::optional<AttackType> parse_attack_type(std::string_view) noexcept;
std::optional<Risk> parse_risk(std::string_view) noexcept;
std::optional<Action> parse_action(std::string_view) noexcept;
std::optional<Sensitivity> parse_sensitivity(std::string_view) noexcept;

// One rule: an analyser's built-in one or a signature. Lives as long as the rules snapshot.
struct Rule {
  std::uint32_t number = 0;  // `req_skynet_rule_id_list`
  std::string id;            // "<module>/<32 hex>"
  std::string module;        // "m_sqli", "m_rule", ...
  std::string name;          // for people
  std::string cve;           // "CVE-2021-44228" or empty
  AttackType attack_type = AttackType::kCustom;
  Risk risk = Risk::kMedium;
  // Lowest that denies, where the rule matches at its gravest; none: only recorded.
  std::optional<Sensitivity> denies_from = Sensitivity::kBalanced;
};

// One match. Owns its text, so that it can outlive the request's bytes.
struct Finding {
  const Rule* rule = nullptr;
  // Lowest that denies here: evidence may weigh less than its rule does elsewhere. None: it is only recorded.
  std::optional<Sensitivity> denies_from;
  Location location = Location::kQuery;
  bool in_name = false;     // the name of the parameter carried it, not its value
  std::string name;         // parameter, header, cookie or file field name; JSON path for JSON bodies
  std::string payload;      // the matched part, decoded; at most kMaxPayloadBytes
  std::string decode_path;  // transformations, outermost first, joined with '|'
  std::string reason;       // one sentence for people
  std::string excerpt;      // at most 256 bytes around the match, decoded
  bool in_body = false;     // raw_begin/raw_end count in the body, else in the head
  std::uint32_t raw_begin =
      0;  // span in the raw request that carried it (the raw field where decoding blurs it)
  std::uint32_t raw_end = 0;
};
inline constexpr std::size_t kMaxPayloadBytes = 1024;

// Whether a finding is enough to deny at that sensitivity, policy aside.
inline bool denies(const Finding& finding, Sensitivity sensitivity) noexcept {
  return finding.denies_from && *finding.denies_from <= sensitivity;
}

// The part that the missing bytes of a cut body belong to, as far as the bytes that came show it.
enum class CutIn : std::uint8_t {
  kFields,    // fields, or nobody knows
  kFormFile,  // a file in a form: fields may follow behind it
  kFile,      // a file that is the whole body: there is no field in it
};

// Everything said about one request. Reusable: clear() keeps capacity.
struct Verdict {
  std::vector<Finding> findings;      // in order of match
  std::uint64_t inspected_bytes = 0;  // of head and body together
  std::uint64_t total_bytes = 0;
  bool body_truncated = false;    // a limit left a part of the body unjudged
  CutIn cut_in = CutIn::kFields;  // if `body_truncated`
  bool body_abandoned = false;    // the body was not looked at
  bool limit_reached = false;     // a limit (fields, depth, further decodings) left something unjudged
  bool unknown_coding = false;    // the body is in a coding or a character set that is not known
  bool interrupted = false;       // its time was over before it was judged in every way; a limit_reached
  bool by_head = false;           // there was no time for the body: only the head was looked at

  void clear();
};

}  // namespace wafd
