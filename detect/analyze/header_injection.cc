#include "detect/analyze/header_injection.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t { kResponseHeader, kSplit, kMail, kRequest };

constexpr RuleSpec kRules[] = {
    {"response-header", "Header field behind a line end", Risk::kHigh, Sensitivity::kBalanced},
    {"split", "Second response or request behind a line end", Risk::kHigh, Sensitivity::kLow},
    {"mail", "Mail header behind a line end", Risk::kHigh, Sensitivity::kBalanced},
    {"request", "Request line behind a line end", Risk::kHigh, Sensitivity::kBalanced},
};

constexpr WordSet kResponseHeaders({"set-cookie",
                                    "location",
                                    "content-type",
                                    "content-length",
                                    "refresh",
                                    "x-xss-protection",
                                    "status",
                                    "link",
                                    "access-control-allow-origin",
                                    "content-security-policy",
                                    "content-disposition",
                                    "content-encoding",
                                    "transfer-encoding",
                                    "x-forwarded-for",
                                    "x-forwarded-host",
                                    "host",
                                    "connection",
                                    "cookie",
                                    "authorization",
                                    "cache-control",
                                    "content-location",
                                    "www-authenticate",
                                    "x-frame-options",
                                    "referer",
                                    "user-agent",
                                    "pragma",
                                    "set-cookie2",
                                    "access-control-allow-credentials",
                                    "access-control-allow-methods",
                                    "access-control-allow-headers",
                                    "strict-transport-security",
                                    "x-content-type-options",
                                    "x-accel-redirect",
                                    "x-sendfile",
                                    "clear-site-data",
                                    "proxy-authenticate",
                                    "last-modified",
                                    "content-language"});
constexpr WordSet kMailHeaders({"bcc", "cc", "to", "from", "reply-to", "mime-version",
                                "content-transfer-encoding", "x-mailer", "return-path", "sender", "errors-to",
                                "return-receipt-to", "disposition-notification-to", "x-priority"});
constexpr WordSet kMethods({"get", "post", "put", "head", "delete", "options", "patch", "trace", "connect"});

// U+560A and U+560D in UTF-8: a server that writes the low octet of each character writes LF and CR.
constexpr std::size_t kWideLineEndBytes = 3;
bool is_wide_line_end(std::string_view text, std::size_t at) noexcept {
  return text.substr(at).starts_with("\xe5\x98") && at + 2 < text.size() &&
         (octet(text[at + 2]) == 0x8a || octet(text[at + 2]) == 0x8d);
}

std::size_t next_line_end(std::string_view text, std::size_t at) noexcept {
  while (true) {
    at = text.find_first_of("\r\n\xe5", at);
    if (at == std::string_view::npos || text[at] != '\xe5' || is_wide_line_end(text, at)) return at;
    ++at;
  }
}

class HeaderInjectionAnalyzer final : public Analyzer {
 public:
  HeaderInjectionAnalyzer() : rules_(make_rules("m_crlf", AttackType::kCrlfInjection, 6000, kRules)) {}

  std::string_view name() const noexcept override { return "crlf"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::span<const char* const> hints() const noexcept override {
    // A name of the lists below with its colon, or a version of HTTP.
    static constexpr std::array<const char*, 3> kHints = {
        "[\\r\\n\\x8a\\x8d]\\s*(set-cookie2?|(content-|proxy-)?location|content-(type|length|security-policy|"
        "disposition|encoding|transfer-encoding|language)|refresh|x-(xss-protection|forwarded-for|forwarded-"
        "host|"
        "frame-options|content-type-options|accel-redirect|sendfile|mailer|priority)|status|link|"
        "access-control-allow-(origin|credentials|methods|headers)|transfer-encoding|host|connection|cookie|"
        "authorization|cache-control|(www|proxy)-authenticate|referer|user-agent|pragma|strict-transport-"
        "security|"
        "clear-site-data|last-modified|b?cc|(reply-|errors-|return-receipt-|disposition-notification-)?to|"
        "from|"
        "mime-version|return-path|sender):",
        " http/", "[\\r\\n\\x8a\\x8d]\\s*http/[12]"};
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    // Bodies hold lines of text by right: mails, logs, documentation of protocols.
    if (context.location == Location::kFile && !context.in_name) return;
    const bool body = context.location == Location::kBody && !context.in_name;
    if (body && text.size() > 1024) return;
    std::array<std::optional<Hit>, std::size(kRules)> found;
    const auto add = [&](std::uint16_t rule, std::size_t begin, std::size_t end, const char* reason) {
      if (!found[rule])
        found[rule] = Hit{rule, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), reason};
    };
    for (std::size_t at = next_line_end(text, 0); at != std::string_view::npos;
         at = next_line_end(text, at + 1)) {
      std::size_t begin = at;
      while (begin < text.size() && (is_space(text[begin]) || is_wide_line_end(text, begin)))
        begin += is_space(text[begin]) ? 1 : kWideLineEndBytes;
      std::size_t end = begin;
      while (end < text.size() && end - begin < 40 && (is_alnum(text[end]) || text[end] == '-')) ++end;
      const std::string_view name = text.substr(begin, end - begin);
      if (name.empty()) continue;
      const std::string_view line = text.substr(begin, 256);
      if (istarts_with(line, "http/1.") || istarts_with(line, "http/2")) {
        add(kSplit, at, end, "Behind a line end begins a second response.");
      } else if (kMethods.has(name) && line.find(" HTTP/") != std::string_view::npos && !body) {
        add(kRequest, at, end, "Behind a line end begins a second request.");
      }
      if (end >= text.size() || text[end] != ':') {
        at = end - 1;
        continue;
      }
      // The line before is a value, not a line of the same kind: a list of "name: value" is data.
      const std::string_view first = text.substr(0, next_line_end(text, 0));
      const bool list = first.find(": ") != std::string_view::npos;
      if (kResponseHeaders.has(name) && !(body && list)) {
        add(kResponseHeader, at, end + 1,
            "Behind a line end stands a header field that would join the response or request.");
      } else if (kMailHeaders.has(name) && first.find('@') != std::string_view::npos && !list) {
        add(kMail, at, end + 1, "Behind an address and a line end stands a mail header.");
      }
      at = end;
    }
    for (std::optional<Hit>& hit : found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_header_injection_analyzer() {
  return std::make_unique<HeaderInjectionAnalyzer>();
}

}  // namespace wafd::detect
