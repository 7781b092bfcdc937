#include "detect/analyze/url/ssrf.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "detect/analyze/base/hint_words.h"
#include "detect/analyze/url/ssrf_settings.h"
#include "detect/analyze/url/url_reader.h"
#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

enum RuleIndex : std::uint16_t {
  kMetadata,
  kOddAddress,
  kInside,
  kProtocol,
  kConfused,
  kLookAlike,
  kConfusedPath,
  kService,
  kSocket,
  kShare,
  kPlainShare,
  kLiteral,
  kConnection
};

constexpr RuleSpec kRules[] = {
    {"metadata", "Address of a cloud's metadata service", Risk::kHigh, Sensitivity::kLow},
    {"odd-address", "IP address in an unusual spelling", Risk::kHigh, Sensitivity::kBalanced},
    {"inside", "Address inside the server's own network", Risk::kMedium, Sensitivity::kStrict},
    {"protocol", "Protocol that speaks to services other than the web", Risk::kHigh, Sensitivity::kBalanced},
    {"confused", "Address that readers take apart differently", Risk::kHigh, Sensitivity::kBalanced},
    {"look-alike", "Address spelt in look-alike characters", Risk::kHigh, Sensitivity::kBalanced},
    {"confused-path", "Host name behind an @ in the path", Risk::kLow, Sensitivity::kStrict},
    {"service", "Service inside the server's own network", Risk::kHigh, Sensitivity::kBalanced},
    {"socket", "Socket of the server's own machine", Risk::kHigh, Sensitivity::kBalanced},
    {"share", "Network share or device of Windows", Risk::kHigh, Sensitivity::kBalanced},
    {"plain-share", "Network share", Risk::kLow, Sensitivity::kStrict},
    {"literal", "Address with an IPv6 number for a host", Risk::kLow, Sensitivity::kStrict},
    {"connection", "Address of a database or a repository", Risk::kLow, Sensitivity::kStrict},
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

// Sockets that are files: of Docker, of PHP, of Windows' named pipes.
constexpr WordSet kSockets({"unix", "npipe", "http+unix", "https+unix", "abstract-unix", "unix-abstract"});

// Ports of services that trust whoever reaches them and speak no HTTP, or run what they are told (IANA's
// registry; documentation of Docker, etcd, the kubelet).
constexpr WordSet kServicePorts({"22",    "23",    "25",   "110",  "139",   "143",   "389",   "445",
                                 "465",   "587",   "636",  "873",  "1099",  "1433",  "1521",  "2049",
                                 "2375",  "2376",  "2379", "2380", "3306",  "3389",  "5432",  "5672",
                                 "6379",  "9000",  "9042", "9418", "11211", "27017", "27018", "10250",
                                 "10255", "50070", "8500", "9200", "9300",  "5984",  "15672"});

// What paths of services begin with that answer inside a network alone: metadata of clouds, Docker, etcd,
// Consul, Kubernetes, Elasticsearch, CouchDB, status pages and management of servers (their documentation).
constexpr std::string_view kServicePaths[] = {"latest/meta-data", "latest/user-data",
                                              "latest/api/token", "latest/dynamic",
                                              "computemetadata/", "metadata/instance",
                                              "metadata/v1",      "metadata/identity",
                                              "opc/v1",           "opc/v2",
                                              "openstack/latest", "v2/credentials",
                                              "v2/metadata",      "containers/json",
                                              "images/json",      "v1/kv",
                                              "v1/agent",         "v2/keys",
                                              "v1.24/",           "_cat/",
                                              "_cluster/",        "_nodes",
                                              "_search",          "_all_dbs",
                                              "_config",          "actuator",
                                              "server-status",    "server-info",
                                              "nginx_status",     "manager/html",
                                              "manager/text",     "host-manager",
                                              "jolokia",          "api/v1/namespaces",
                                              "api/v1/pods",      "runningpods",
                                              "api/tunnels",      "json/list",
                                              "json/version",     "wd/hub",
                                              "cgi-bin/",         "solr/admin",
                                              "console/css",      "jmx-console"};

// Behind \\\\.\\ and \\\\?\\ stand devices and paths that no check of a path sees (Microsoft, "Naming
// Files").
constexpr WordSet kDevices({"pipe", "unc", "globalroot", "physicaldrive0", "c:", "d:", "mailslot", "volume",
                            "harddiskvolume1"});

// Shares that Windows has of itself (Microsoft, "Administrative shares").
constexpr WordSet kAdministrative({"c$", "d$", "e$", "admin$", "ipc$", "print$", "fax$", "sysvol$"});

// Names that lead to the machine itself or to its cloud, as parts of hosts.
constexpr std::string_view kInnerNames[] = {"169.254.",     "metadata", "instance-data", "localhost",
                                            "loopback",     "internal", "kubernetes",    "lvh.me",
                                            "localtest.me", ".consul",  ".cluster.local"};

// What a URL may begin with.
constexpr const char* kSchemes = R"(^[\x00-\x20]*([a-z][a-z0-9+._-]*:)*)";
constexpr const char* kWeb = R"(^[\x00-\x20]*([a-z][a-z0-9+._-]*:)*(https?|wss?|s?ftps?|git):)";

struct Hints {
  std::vector<std::string> expressions;
  std::vector<const char*> pointers;
};

Hints make_hints() {
  Hints out;
  const auto add = [&out](const char* begin, std::string_view rest) {
    out.expressions.push_back(begin + std::string(rest));
  };
  add(kSchemes, any_of(kProtocols.words()) + R"(:[\\/])");
  add(kSchemes, any_of(kSockets.words()) + R"(:[^\x00-\x20]*/)");
  // A number for a host, an IPv6 address, with its brackets or without; behind a user's name.
  add(kWeb, R"([\\/]?[\[0-9])");
  add(kSchemes, R"([\\/]{2,}[\[0-9])");
  add(kWeb, R"([^?#]*@[\[0-9])");
  add(kWeb, R"([\\/]?[0-9a-f:.]*::)");
  add(kSchemes, R"([\\/]{2,}[0-9a-f:.]*::)");
  // A user's name, escapes and look-alike characters in the host; a host behind an @ further on.
  add(kWeb, R"([\\/]*[^\\/?#]*[@%\x00\xef\xe2])");
  add(kWeb, R"([\\/]*[^\\/?#]*\xe3\x80\x82)");
  add(kWeb, R"([^\s]*/[^\s/]*@[^\s]*\.)");
  add(kWeb, R"([\\/]*[^\\/?#]*[\\?#]@)");
  add(kSchemes, R"([\\/]*[^\\/?#]*)" + any_of(kInnerNames));
  add(kSchemes, R"([\\/]*[^\\/?#]*)" + any_of(address_names()));
  // A socket, and the port of a service behind a name of one word.
  add(kWeb, R"([\\/]*unix:)");
  add(kWeb, R"([\\/]*[a-z0-9_-]+:[0-9])");
  add("", R"(^[\x00-\x20]*\\\\[^\\\x00-\x20]+\\)");
  for (const std::string& expression : out.expressions) out.pointers.push_back(expression.c_str());
  return out;
}

class SsrfAnalyzer final : public Analyzer {
 public:
  SsrfAnalyzer() : rules_(make_rules("m_ssrf", AttackType::kSsrf, 5700, kRules)), hints_(make_hints()) {}

  std::string_view name() const noexcept override { return "ssrf"; }
  std::span<const Rule> rules() const noexcept override { return rules_; }
  std::uint32_t reads_places() const noexcept override {
    return kEveryPlace & ~(place_bit(Location::kFile, false) | place_bit(Location::kFile, true) |
                           place_bit(Location::kHeader, true));
  }
  std::span<const char* const> hints() const noexcept override { return hints_.pointers; }

  void analyze(std::string_view text, const FieldContext& context, std::vector<Hit>& hits) const override {
    if (context.location == Location::kFile || (context.location == Location::kHeader && context.in_name))
      return;
    const std::string_view value = trim(text);
    if (value.empty() || value.size() > 8192) return;
    std::array<std::optional<Hit>, std::size(kRules)> found;
    const auto begin = static_cast<std::uint32_t>(value.data() - text.data());
    const auto add = [&](std::uint16_t rule, const char* reason) {
      if (!found[rule])
        found[rule] = Hit{rule, begin, static_cast<std::uint32_t>(begin + value.size()), reason};
    };
    judge(value, names_way_back(context), context.location == Location::kBody && !context.in_name, add);
    for (std::optional<Hit>& hit : found) {
      if (hit) hits.push_back(std::move(*hit));
    }
  }

 private:
  // Where a parameter says where a browser goes next or came from, its own machine may stand: programs on a
  // desktop wait there for the answer (RFC 8252, 7.3).
  static bool names_way_back(const FieldContext& context) noexcept {
    if (context.in_name) return false;
    for (const std::string_view part : {"redirect", "return", "callback", "origin", "refer", "page"}) {
      if (ifind(context.name, part) != std::string_view::npos) return true;
    }
    return false;
  }

  template <class Add>
  static void judge(std::string_view value, bool way_back, bool in_body, const Add& add) {
    const bool spaces = value.find_first_of(" \t\r\n") != std::string_view::npos;
    if (value.starts_with("\\\\") && !spaces) read_share(value, add);
    std::optional<UrlParts> url = read_url(value);
    if (url && !spaces && kSockets.has(url->scheme) && value.find('/') != std::string_view::npos) {
      add(kSocket, "The address is that of a socket on the server's own machine.");
      return;
    }
    if (!url || url->authority.empty()) {
      url = read_relative_url(value);
      if (url) {
        if (!spaces) judge_host(*url, true, true, add);
        if (!spaces && look_alike(url->host))
          add(kLookAlike,
              "The address is spelt in look-alike characters that become ASCII when it is resolved.");
      } else {
        read_bare(value, spaces, add);
      }
      return;
    }
    const std::size_t nested = url->scheme.rfind(':');
    const std::string_view scheme = nested == std::string::npos
                                        ? std::string_view(url->scheme)
                                        : std::string_view(url->scheme).substr(nested + 1);
    const bool web =
        scheme == "http" || scheme == "https" || scheme == "ws" || scheme == "wss" || scheme == "ftp";
    const bool protocol = kProtocols.has(scheme);
    // Behind "/_" gopher sends what stands there, also with spaces.
    const bool sends = scheme.starts_with("gopher") && url->path.starts_with("/_");
    if (protocol && (!spaces || sends)) {
      const bool plain = value.find_first_of("#\\") == std::string_view::npos;
      if (plain && is_setting(*url, scheme, nested != std::string::npos, in_body)) {
        return add(kConnection, "The address is that of a database or a repository, as settings have it.");
      } else {
        add(kProtocol, "The address makes the server speak to a service that is not the web.");
      }
    }
    if (web && !spaces && url->authority == "unix:" && url->path.size() > 1) {
      add(kSocket, "The address is that of a socket on the server's own machine.");
      return;
    }
    const bool fetches = scheme == "git" || scheme == "sftp" || scheme == "ftps";
    if (!web && !protocol && !fetches) {
      // local_file://2852039166/: whatever reads the scheme, the number is a disguise.
      if (!spaces && host_kind(url->host, url->bracketed) == HostKind::kMetadata)
        add(kMetadata, "The address is that of a cloud's metadata service, which gives out credentials.");
      return;
    }
    // http:127.0.0.1, http:///127.0.0.1, http:\\127.0.0.1
    const auto behind = static_cast<std::size_t>(url->authority.data() - value.data());
    if ((scheme == "http" || scheme == "https") && !spaces && !value.substr(0, behind).ends_with("://")) {
      const HostKind kind = host_kind(url->host, url->bracketed);
      if (kind == HostKind::kLoopback || kind == HostKind::kPrivate)
        add(kConfused, "The address is spelt so that filters do not see that it leads inside.");
    }
    // In longer texts the address is a mention.
    if (value.find(' ') != std::string_view::npos && url->authority.find(' ') == std::string_view::npos)
      return;
    judge_host(*url, false, way_back, add);
    if (look_alike(url->host)) {
      add(kLookAlike, "The address is spelt in look-alike characters that become ASCII when it is resolved.");
    }
    if (web) judge_confusion(*url, value, spaces, add);
  }

  // localhost/admin, 169.254.169.254/latest: addresses without a scheme.
  template <class Add>
  static void read_bare(std::string_view value, bool spaces, const Add& add) {
    const std::string_view host = value.substr(0, value.find_first_of("/:?#"));
    if (host.empty()) return;
    if (host.size() < value.size() && host.find('\\') == host.npos &&
        host_kind(host, false) == HostKind::kLoopback && !spaces && !is_digit(host.front())) {
      add(value[host.size()] == '/' ? kService : kInside,
          "The value begins with a name of the server's own machine.");
    }
    if (value.starts_with("169.254.169.254") || istarts_with(value, "metadata.google.internal")) {
      add(kMetadata, "The value is the address of a cloud's metadata service, which gives out credentials.");
    }
  }

  // \\host\share: Windows connects to it, and sends what its user's password can be guessed from.
  template <class Add>
  static void read_share(std::string_view value, const Add& add) {
    const std::size_t end = value.find('\\', 2);
    if (end == std::string_view::npos || end + 1 >= value.size()) return;
    const std::string_view host = value.substr(2, end - 2);
    const std::string_view share = value.substr(end + 1, value.find('\\', end + 1) - end - 1);
    if (host == "." || host == "?") {
      if (kDevices.has(share))
        add(kShare, "The value is a device path of Windows, which checks of paths miss.");
      return;
    }
    const bool name = host.size() > 1 && std::all_of(host.begin(), host.end(), [](char c) {
                        return is_alnum(c) || std::string_view(".-_@").find(c) != std::string_view::npos;
                      });
    if (!name || share.empty() || !(is_alnum(share[0]) || share[0] == '_')) return;
    const std::string_view address = host.substr(0, host.find('@'));
    // Who logs in to a machine of the own network, by a name of one word, sends nothing outside.
    const bool hidden =
        share.size() > 1 && share.back() == '$' &&
        (!is_one_word(host) || kAdministrative.has(share) || host_kind(address, false) != HostKind::kName);
    const bool numbers =
        std::count(address.begin(), address.end(), '.') == 3 && host_kind(address, false) != HostKind::kName;
    if (hidden || numbers || address.size() < host.size()) {
      add(kShare, "The value is a network share, to which Windows would connect and log in.");
    } else {
      add(kPlainShare, "The value is a network share.");
    }
  }

  template <class Add>
  static void judge_host(const UrlParts& url, bool relative, bool way_back, const Add& add) {
    const HostKind kind = host_kind(url.host, url.bracketed);
    switch (kind) {
      case HostKind::kMetadata:
        add(kMetadata, "The address is that of a cloud's metadata service, which gives out credentials.");
        break;
      case HostKind::kOdd:
        // "//10" and "//10.5" may be anything.
        if (!relative || url.bracketed || std::count(url.host.begin(), url.host.end(), '.') >= 3 ||
            is_alpha(url.host.back()) || istarts_with(url.host, "0x"))
          add(kOddAddress, "The host is an IP address spelt so that filters do not see which one.");
        break;
      case HostKind::kLinkLocal:
        add(kMetadata, "The address is link-local: only services of the machine's own host answer there.");
        break;
      case HostKind::kLoopback:
      case HostKind::kPrivate:
        if ((kServicePorts.has(url.port) && !url.scheme.starts_with("ws")) || is_service_path(url.path) ||
            (!way_back && kind == HostKind::kLoopback && fetched_inside(url))) {
          add(kService, "The address leads to a service that trusts whoever is in the server's own network.");
        } else if (!url.user.empty()) {
          add(kConfused,
              "Behind what looks like a host or a name stands the server's own machine or network.");
        } else {
          add(kInside, "The address leads into the server's own machine or network.");
        }
        break;
      case HostKind::kPublic:
        if (url.bracketed) add(kLiteral, "The host of the address is an IPv6 number.");
        break;
      case HostKind::kName:
        // A name of one word is one of the server's network; settings have such names behind other schemes.
        if (url.scheme.starts_with("http") && !relative && url.user.empty() && kServicePorts.has(url.port) &&
            is_one_word(url.host)) {
          add(kService, "The address leads to a service that trusts whoever is in the server's own network.");
        }
        break;
    }
  }

  static bool is_one_word(std::string_view host) noexcept {
    return !host.empty() &&
           std::all_of(host.begin(), host.end(), [](char c) { return is_alnum(c) || c == '-' || c == '_'; });
  }

  static bool is_service_path(std::string_view path) noexcept {
    const std::size_t begin = path.find_first_not_of("/\\");
    if (begin == std::string_view::npos) return false;
    return std::any_of(std::begin(kServicePaths), std::end(kServicePaths),
                       [&](std::string_view known) { return istarts_with(path.substr(begin), known); });
  }

  // The machine itself by its number and at the web's own port, or by another name than the one that browsers
  // on it use: pages of applications in a shell of their own (Capacitor, Ionic) stand at http://localhost.
  static bool fetched_inside(const UrlParts& url) noexcept {
    const bool number = url.bracketed || is_digit(url.host.empty() ? 'a' : url.host.front());
    if (number) return url.port.empty() || url.port == "80" || url.port == "443";
    // Names with an address inside of them lead outside as well (address_names()).
    if (is_developers_machine(url)) return false;
    return !iequals(url.host, "localhost") && url.host.find_first_of("0123456789") == std::string_view::npos;
  }

  template <class Add>
  static void judge_confusion(const UrlParts& url, std::string_view value, bool spaces, const Add& add) {
    // http://good.example@evil.example/, http://good.example%2f@evil.example/, http://good.example:80
    // &@evil.example
    const std::string_view user = url.user;
    // At the very end it is one that a program in C left there.
    const std::string_view before_end = url.authority.substr(0, url.authority.find('\0'));
    if (url.authority.find_first_not_of('\0', before_end.size()) != std::string_view::npos)
      add(kConfused, "Inside of the host stands an end of a string; programs disagree about where it ends.");
    if (!user.empty() &&
        (user.find('.') != std::string_view::npos || user.find("%2f") != std::string_view::npos ||
         user.find("]:") != std::string_view::npos) &&
        user.find_first_of("@/%& \\#.") != std::string_view::npos) {
      add(kConfused,
          "Before the @ stands what looks like a host; programs disagree about where the address leads.");
    }
    // http://good.example/@evil.example/: a check that takes everything before the @ for a user name
    const std::size_t sign = url.path.find('@');
    if (sign != std::string_view::npos && url.path[0] == '/' && !spaces) {
      const std::string_view behind = url.path.substr(sign + 1, url.path.find('/', sign) - sign - 1);
      const std::size_t dot = behind.rfind('.');
      const bool first = sign == 1 || url.path.substr(1, sign - 1).find('/') == std::string_view::npos;
      if (first && dot != std::string_view::npos && dot > 0 && behind.size() - dot > 2 &&
          !is_digit(behind[dot + 1])) {
        add(kConfusedPath, "In the path stands what looks like a host behind an @; some programs go there.");
      }
    }
    // http://good.example#@evil.example/: for one reader a fragment, for another a user's name
    const auto end = static_cast<std::size_t>(url.authority.data() + url.authority.size() - value.data());
    const std::string_view rest = value.substr(end);
    if (rest.size() > 2 && rest[1] == '@' &&
        std::string_view("#?\\").find(rest[0]) != std::string_view::npos) {
      const std::string_view host = rest.substr(2, rest.find_first_of("/\\?#:", 2) - 2);
      const HostKind kind = host_kind(host, false);
      if (kind == HostKind::kMetadata || kind == HostKind::kLinkLocal) {
        add(kMetadata, "Behind the @ stands the address of a cloud's metadata service.");
      } else if (kind != HostKind::kName || host.find('.') != std::string_view::npos) {
        add(kConfused,
            "Two hosts stand around an @; programs disagree about which one the address leads to.");
      }
    }
  }

  std::vector<Rule> rules_;
  Hints hints_;
};

}  // namespace

std::unique_ptr<Analyzer> make_ssrf_analyzer() { return std::make_unique<SsrfAnalyzer>(); }

}  // namespace wafd::detect
