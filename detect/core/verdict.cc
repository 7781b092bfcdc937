#include "detect/core/verdict.h"

#include <array>
#include <utility>

#include "detect/core/request.h"

namespace wafd {
namespace {

struct AttackTypeText {
  const char* text;
  const char* words;
};

// In the order of the enumeration.
constexpr std::array<AttackTypeText, kAttackTypes> kAttackTypeTexts{{
    {"sqli", "SQL injection"},
    {"xss", "Cross-site scripting"},
    {"cmd_injection", "Command injection"},
    {"code_injection", "Code injection"},
    {"path_traversal", "Path traversal"},
    {"file_inclusion", "File inclusion"},
    {"file_upload", "Malicious file upload"},
    {"backdoor", "Backdoor access"},
    {"deserialization", "Insecure deserialization"},
    {"expression_injection", "Expression language injection"},
    {"ssti", "Server-side template injection"},
    {"ssrf", "Server-side request forgery"},
    {"xxe", "XML external entity"},
    {"nosql_injection", "NoSQL injection"},
    {"ldap_injection", "LDAP injection"},
    {"xpath_injection", "XPath injection"},
    {"crlf_injection", "CRLF injection"},
    {"info_leak", "Access to sensitive files"},
    {"scanner", "Scanner"},
    {"http_violation", "HTTP protocol violation"},
    {"acl", "Access list"},
    {"rate_limit", "Rate limit"},
    {"custom", "Custom rule"},
}};

template <class Enum, std::size_t N>
std::optional<Enum> find(std::string_view text, const std::array<const char*, N>& names) noexcept {
  for (std::size_t i = 0; i < N; ++i) {
    if (text == names[i]) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

constexpr std::array<const char*, 3> kRisks{"low", "medium", "high"};
constexpr std::array<const char*, 3> kActions{"allow", "monitor", "deny"};
constexpr std::array<const char*, 3> kSensitivities{"low", "balanced", "strict"};
constexpr std::array<std::pair<const char*, const char*>, 6> kLocations{{
    {"urlpath", "urlpath_name"},
    {"query", "query_name"},
    {"header", "header_name"},
    {"cookie", "cookie_name"},
    {"body", "body_name"},
    {"file", "file_name"},
}};

}  // namespace

const char* to_string(AttackType type) noexcept {
  return kAttackTypeTexts[static_cast<std::size_t>(type)].text;
}
const char* to_words(AttackType type) noexcept {
  return kAttackTypeTexts[static_cast<std::size_t>(type)].words;
}
const char* to_string(Risk risk) noexcept { return kRisks[static_cast<std::size_t>(risk)]; }
const char* to_string(Action action) noexcept { return kActions[static_cast<std::size_t>(action)]; }
const char* to_string(Sensitivity s) noexcept { return kSensitivities[static_cast<std::size_t>(s)]; }

const char* to_string(Location location, bool in_name) noexcept {
  const auto& pair = kLocations[static_cast<std::size_t>(location)];
  return in_name ? pair.second : pair.first;
}

const char* to_string(Enforcement enforcement) noexcept {
  switch (enforcement) {
    case Enforcement::kInline:
      return "inline";
    case Enforcement::kMirror:
      return "mirror";
    case Enforcement::kPluginMonitor:
      return "plugin_monitor";
    case Enforcement::kNotEnforcing:
      return "not_enforcing";
  }
  return "inline";
}

std::optional<AttackType> parse_attack_type(std::string_view text) noexcept {
  for (std::size_t i = 0; i < kAttackTypes; ++i) {
    if (text == kAttackTypeTexts[i].text) return static_cast<AttackType>(i);
  }
  return std::nullopt;
}

std::optional<Risk> parse_risk(std::string_view text) noexcept { return find<Risk>(text, kRisks); }
std::optional<Action> parse_action(std::string_view text) noexcept { return find<Action>(text, kActions); }
std::optional<Sensitivity> parse_sensitivity(std::string_view text) noexcept {
  return find<Sensitivity>(text, kSensitivities);
}

void Verdict::clear() {
  findings.clear();
  inspected_bytes = 0;
  total_bytes = 0;
  body_truncated = false;
  cut_in = CutIn::kFields;
  body_abandoned = false;
  limit_reached = unknown_coding = interrupted = by_head = false;
}

}  // namespace wafd
