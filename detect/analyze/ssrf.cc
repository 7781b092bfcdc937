#include "detect/analyze/ssrf.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "detect/analyze/url_reader.h"
#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t {
  kMetadata,
  kOddAddress,
  kInside,
  kProtocol,
  kConfused,
  kLookAlike,
  kConfusedPath
};

constexpr RuleSpec kRules[] = {
    {"metadata", "Address of a cloud's metadata service", Risk::kHigh, Sensitivity::kLow},
    {"odd-address", "IP address in an unusual spelling", Risk::kHigh, Sensitivity::kBalanced},
    {"inside", "Address inside the server's own network", Risk::kMedium, Sensitivity::kStrict},
    {"protocol", "Protocol that speaks to services other than the web", Risk::kHigh, Sensitivity::kBalanced},
    {"confused", "Address that readers take apart differently", Risk::kHigh, Sensitivity::kBalanced},
    {"look-alike", "Address spelt in look-alike characters", Risk::kHigh, Sensitivity::kBalanced},
    {"confused-path", "Host name behind an @ in the path", Risk::kLow, Sensitivity::kStrict},
};

// gopher and dict send what the attacker writes to any port; the others reach services that trust their
// network.
constexpr WordSet kProtocols({"gopher", "gophers",   "dict",    "ldap",     "ldaps",      "ldapi",   "rmi",
                              "iiop",   "imap",      "imaps",   "pop3",     "pop3s",      "smtp",    "smtps",
                              "telnet", "tn3270",    "irc",     "ircs",     "rtsp",       "rtmp",    "redis",
                              "rediss", "memcached", "mysql",   "postgres", "postgresql", "mongodb", "ssh",
                              "scp",    "svn",       "svn+ssh", "nntp",     "snmp",       "corba",   "dns",
                              "nis",    "amqp",      "amqps",   "mqtt",     "tftp",       "netdoc",  "finger",
                              "whois",  "ntp",       "sip",     "jndi",     "fastcgi",    "unix",    "nds"});

class SsrfAnalyzer final : public Analyzer {
 public:
  SsrfAnalyzer() : rules_(make_rules("m_ssrf", AttackType::kSsrf, 5700, kRules)) {}

  std::string_view name() const noexcept override { return "ssrf"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::uint32_t reads_places() const noexcept override {
    return kEveryPlace & ~(place_bit(Location::kFile, false) | place_bit(Location::kFile, true) |
                           place_bit(Location::kHeader, false) | place_bit(Location::kHeader, true));
  }
  std::span<const char* const> hints() const noexcept override {
    static constexpr std::array<const char*, 6> kHints = {
        R"(^[\x00-\x20]*([a-z][a-z0-9+.-]*:)*(gophers?|dict|ldap[si]?|rmi|iiop|imaps?|pop3s?|smtps?|telnet|tn3270|ircs?|rtsp|rtmp|rediss?|memcached|mysql|postgres|postgresql|mongodb|ssh|scp|svn|svn\+ssh|nntp|snmp|corba|dns|nis|amqps?|mqtt|tftp|netdoc|finger|whois|ntp|sip|jndi|fastcgi|unix|nds):[\\/])",
        R"(^[\x00-\x20]*([a-z][a-z0-9+.-]*:)*(https?|wss?|ftp):[\\/]*([^\\/?#]*@)?[\[0-9])",
        R"(^[\x00-\x20]*([a-z][a-z0-9+.-]*:)*(https?|wss?|ftp):[\\/]*[^\\/?#]*([@%\xef\xe2]|:[^\\/?#]*:))",
        R"(^[\x00-\x20]*([a-z][a-z0-9+.-]*:)*[\\/]*[^\\/?#]*(169\.254\.|metadata|instance-data|localhost|loopback|internal|kubernetes|lvh\.me|localtest\.me))",
        R"(^[\x00-\x20]*([a-z][a-z0-9+.-]*:)+[\\/]*[^\\/?#]*\.(nip\.io|xip\.io|sslip\.io|vcap\.me|1u\.ms|rbndr\.us|localho\.st|lacolhost\.com|traefik\.me|backname\.io|rebind\.network))",
        R"(^[\x00-\x20]*([a-z][a-z0-9+.-]*:)*(https?|wss?|ftp):[^\s]*/[^\s/]*@[^\s]*\.)"};
    return kHints;
  }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (context.location == Location::kFile || context.location == Location::kHeader) return;
    const std::string_view value = trim(text);
    if (value.empty() || value.size() > 8192) return;
    std::array<std::optional<Hit>, std::size(kRules)> found;
    const auto begin = static_cast<std::uint32_t>(value.data() - text.data());
    const auto add = [&](std::uint16_t rule, const char* reason) {
      if (!found[rule])
        found[rule] = Hit{rule, begin, static_cast<std::uint32_t>(begin + value.size()), reason};
    };
    judge(value, add);
    for (std::optional<Hit>& hit : found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  template <class Add>
  static void judge(std::string_view value, const Add& add) {
    const std::optional<UrlParts> url = read_url(value);
    if (!url || url->authority.empty()) {
      const std::string_view host = value.substr(0, value.find_first_of("/:?#"));
      if (host.empty()) return;
      if (host.size() < value.size() && host_kind(host, false) == HostKind::kLoopback &&
          value.find(' ') == std::string_view::npos && !is_digit(host.front())) {
        add(kInside, "The value begins with a name of the server's own machine.");
      }
      if (value.starts_with("169.254.169.254") || istarts_with(value, "metadata.google.internal")) {
        add(kMetadata,
            "The value is the address of a cloud's metadata service, which gives out credentials.");
      }
      return;
    }
    const std::size_t nested = url->scheme.rfind(':');
    const std::string_view scheme = nested == std::string::npos
                                        ? std::string_view(url->scheme)
                                        : std::string_view(url->scheme).substr(nested + 1);
    const bool web =
        scheme == "http" || scheme == "https" || scheme == "ws" || scheme == "wss" || scheme == "ftp";
    if (kProtocols.has(scheme) && value.find_first_of(" \t\r\n") == std::string_view::npos) {
      add(kProtocol, "The address makes the server speak to a service that is not the web.");
    }
    if (!web && !kProtocols.has(scheme)) return;
    // In longer texts the address is a mention.
    if (value.find(' ') != std::string_view::npos && url->authority.find(' ') == std::string_view::npos)
      return;
    switch (host_kind(url->host, url->bracketed)) {
      case HostKind::kMetadata:
        add(kMetadata, "The address is that of a cloud's metadata service, which gives out credentials.");
        break;
      case HostKind::kOdd:
        add(kOddAddress, "The host is an IP address spelt so that filters do not see which one.");
        break;
      case HostKind::kLinkLocal:
        add(kMetadata, "The address is link-local: only services of the machine's own host answer there.");
        break;
      case HostKind::kLoopback:
      case HostKind::kPrivate:
        add(kInside, "The address leads into the server's own machine or network.");
        break;
      case HostKind::kName:
      case HostKind::kPublic:
        break;
    }
    // http://good.example@evil.example/, http://good.example%2f@evil.example/, http://good.example:80
    // &@evil.example
    const std::string_view user = url->user;
    if (!user.empty() &&
        (user.find('.') != std::string_view::npos || user.find("%2f") != std::string_view::npos) &&
        user.find_first_of("@/%& \\#.") != std::string_view::npos && web) {
      add(kConfused,
          "Before the @ stands what looks like a host; programs disagree about where the address leads.");
    }
    // http://good.example/@evil.example/: a check that takes everything before the @ for a user name
    const std::size_t sign = url->path.find('@');
    if (web && sign != std::string_view::npos && url->path[0] == '/' &&
        std::none_of(value.begin(), value.end(), is_space)) {
      const std::string_view behind = url->path.substr(sign + 1, url->path.find('/', sign) - sign - 1);
      const std::size_t dot = behind.rfind('.');
      const bool first = sign == 1 || url->path.substr(1, sign - 1).find('/') == std::string_view::npos;
      if (first && dot != std::string_view::npos && dot > 0 && behind.size() - dot > 2 &&
          !is_digit(behind[dot + 1])) {
        add(kConfusedPath, "In the path stands what looks like a host behind an @; some programs go there.");
      }
    }
    if (look_alike(url->host)) {
      add(kLookAlike, "The address is spelt in look-alike characters that become ASCII when it is resolved.");
    }
  }

  // Full-width and enclosed letters and digits (U+FF01.., U+2460..) in a host: they resolve as the ASCII
  // ones.
  static bool look_alike(std::string_view host) noexcept {
    for (std::size_t i = 0; i + 1 < host.size(); ++i) {
      const unsigned char a = octet(host[i]);
      const unsigned char b = octet(host[i + 1]);
      if ((a == 0xef && (b == 0xbc || b == 0xbd)) || (a == 0xe2 && b >= 0x91 && b <= 0x93)) return true;
    }
    return false;
  }

  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<Analyzer> make_ssrf_analyzer() { return std::make_unique<SsrfAnalyzer>(); }

}  // namespace wafd::detect
