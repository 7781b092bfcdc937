#include "detect/analyze/url/ssrf_settings.h"

#include <algorithm>
#include <string>

#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

// Services that settings name by an address, of mail, of messages and directories, with the ports of their
// own (IANA's registry; 3268 and 3269 are Active Directory's).
constexpr FixedWordMap<std::string_view, 11> kServices({{{"smtp", " 25 465 587 "},
                                                         {"smtps", " 25 465 587 "},
                                                         {"imap", " 143 993 "},
                                                         {"imaps", " 143 993 "},
                                                         {"pop3", " 110 995 "},
                                                         {"pop3s", " 110 995 "},
                                                         {"amqp", " 5671 5672 "},
                                                         {"amqps", " 5671 5672 "},
                                                         {"mqtt", " 1883 8883 "},
                                                         {"ldap", " 389 636 3268 3269 "},
                                                         {"ldaps", " 389 636 3268 3269 "}}});

// Parameters by which drivers are told no class, file, address or program (MySQL Connector/J, pgjdbc,
// MongoDB's connection strings). What drivers know besides these nobody can list.
constexpr WordSet kHarmlessParameters({"usessl", "servertimezone", "characterencoding", "useunicode",
                                       "sslmode", "currentschema", "applicationname", "connecttimeout",
                                       "sockettimeout", "retrywrites", "w", "authsource", "replicaset",
                                       "encrypt"});

// Letters, digits and `others`.
bool consists_of(std::string_view text, std::string_view others) noexcept {
  return std::all_of(text.begin(), text.end(),
                     [others](char c) { return is_alnum(c) || others.find(c) != std::string_view::npos; });
}

// Of a host, in any script (RFC 5890).
bool is_name(std::string_view host, std::string_view others) noexcept {
  return !look_alike(host) && std::all_of(host.begin(), host.end(), [others](char c) {
    return is_alnum(c) || octet(c) >= 0x80 || others.find(c) != std::string_view::npos;
  });
}

// The path "/ou=people,dc=example", the name of an entry (RFC 4514) below a domain.
bool is_entry(std::string_view path) noexcept {
  std::size_t parts = 0;
  while (path.size() > 1) {
    path.remove_prefix(1);
    const std::string_view part = path.substr(0, path.find(','));
    const std::size_t equals = part.find('=');
    if (equals == 0 || equals >= part.size() - 1 || !consists_of(part.substr(0, equals), "-") ||
        !consists_of(part.substr(equals + 1), "_-")) {
      return false;
    }
    path.remove_prefix(part.size());
    ++parts;
    if (path.empty()) return parts >= 2 && istarts_with(part, "dc=");
  }
  return false;
}

// smtp://mail.example:587, amqp://user:secret@rabbit/name: nothing in it that a service would be told.
// ldap://dc.example/ou=people,dc=example: a search begins at an entry of a directory, whereas what JNDI
// loads has any name and port.
bool is_service_setting(const UrlParts& url, std::string_view ports, bool directory, bool in_body) {
  if (!is_name(url.host, "._-")) return false;
  if (!url.port.empty() && ports.find(" " + std::string(url.port) + " ") == std::string_view::npos)
    return false;
  if (directory) return in_body && url.user.empty() && is_entry(url.path);
  return url.user.find_first_of("%@") == std::string_view::npos &&
         (url.path.empty() || consists_of(url.path.substr(1), ""));
}

bool harmless_parameters(std::string_view query) noexcept {
  for (std::size_t at = 0; at <= query.size();) {
    const std::string_view one = query.substr(at, query.find('&', at) - at);
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string_view value = one.substr(std::min(equals + 1, one.size()));
    if (!kHarmlessParameters.has(one.substr(0, equals)) || value.empty() || value[0] == '/' ||
        !consists_of(value, "_.-/")) {
      return false;
    }
    at += one.size() + 1;
  }
  return true;
}

}  // namespace

bool is_setting(const UrlParts& url, std::string_view scheme, bool nested, bool in_body) {
  static constexpr WordSet kDatabases({"mysql", "postgres", "postgresql", "mongodb", "mariadb"});
  if (url.has_query && !harmless_parameters(url.query)) return false;
  // redis://cache:6379/0: with the number of a database.
  if (scheme == "redis" || scheme == "rediss")
    return url.path.size() >= 2 && url.path.size() <= 3 && is_digit(url.path[1]) && is_digit(url.path.back());
  // Connector/J reads parameters from a host in parentheses.
  if (host_kind(url.host, url.bracketed) != HostKind::kName || !is_name(url.host, "._-,:")) return false;
  if (const std::string_view* ports = kServices.find(scheme))
    return !nested && !url.has_query && is_service_setting(url, *ports, scheme.starts_with("ldap"), in_body);
  if (scheme == "ssh" || scheme == "svn+ssh") return url.user == "git" || url.path.ends_with(".git");
  if (!kDatabases.has(scheme) || url.path.find_first_of(";%") != std::string_view::npos) return false;
  return nested ? url.scheme.starts_with("jdbc:") : !url.user.empty();
}

bool is_developers_machine(const UrlParts& url) noexcept {
  const std::string_view port = url.port;
  const bool own = port.empty() || (port.size() <= 5 && port[0] != '0' && port != "6443" &&
                                    (port.size() == 5 || (port.size() == 4 && port >= "1024")));
  const std::size_t begin = url.path.find_first_not_of("/\\");
  return own && iequals(url.host, "host.docker.internal") &&
         (begin == std::string_view::npos || !istarts_with(url.path.substr(begin), "admin"));
}

}  // namespace wafd::detect
