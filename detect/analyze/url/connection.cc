#include "detect/analyze/url/connection.h"

#include <algorithm>
#include <string>

#include "detect/analyze/url/driver_words.tsv.h"
#include "detect/core/bytes.h"

namespace wafd::detect::url {
namespace {

constexpr std::size_t kMinDriverWord = 3;

// Letters, digits, other scripts and `others`.
bool consists_of(std::string_view text, std::string_view others) noexcept {
  return std::all_of(text.begin(), text.end(), [others](char c) {
    return is_alnum(c) || byte(c) >= 0x80 || others.find(c) != std::string_view::npos;
  });
}

// name=value&…: none names what the driver loads, none holds a path.
bool are_harmless(std::string_view parameters) noexcept {
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find_first_of("&;"), parameters.size());
    const std::string_view name = parameters.substr(0, std::min(parameters.find('='), end));
    const std::string_view value =
        parameters.substr(std::min(name.size() + 1, end), end - std::min(name.size() + 1, end));
    if (name.size() > kMaxVocabularyWordBytes || !consists_of(name, "_.-") ||
        !consists_of(value, "_.:,/+-") || value.starts_with('/') ||
        value.find("_/") != std::string_view::npos)
      return false;
    for (std::size_t at = 0; at + kMinDriverWord <= name.size(); ++at) {
      if (kDriverWords.has(name.substr(at))) return false;
    }
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  return true;
}

// "/ou=people,dc=example", an entry (RFC 4514) below a domain: what JNDI loads has any other name.
bool is_entry(std::string_view path) noexcept {
  const std::size_t last =
      path.rfind(",dc=") == std::string_view::npos ? path.rfind(",DC=") : path.rfind(",dc=");
  return last != std::string_view::npos && last + 4 < path.size() && path.find('=') > 1 &&
         path.find('=') < last && path.find(",,") == std::string_view::npos &&
         consists_of(path.substr(1), "=,_-") && consists_of(path.substr(last + 4), "-");
}

// A password in an address has its signs as %40, or as they are once that is undone; none of them ends a line
// of a protocol.
bool is_user(std::string_view user, const FieldContext& context) noexcept {
  for (std::size_t at = user.find('%'); at != user.npos; at = user.find('%', at + 1)) {
    if (at + 2 >= user.size() || hex_value(user[at + 1]) < 2 || hex_value(user[at + 2]) < 0) return false;
  }
  return consists_of(user, context.decode_path.ends_with("percent") ? "._:-%@" : "._:-%");
}

bool has_own_port(const Url& url, const Scheme& scheme) {
  return url.port.empty() ||
         scheme.ports.find(" " + std::string(url.port.substr(0, 6)) + " ") != std::string_view::npos;
}

}  // namespace

bool is_connection(const Url& url, const Scheme& scheme, HostKind kind, const FieldContext& context) {
  const bool named = kind == HostKind::kName && consists_of(url.host, "._-,:");
  const bool nested = url.first.data() != url.scheme.data();
  if (url.slashes != 2 || url.backslash || !url.fragment.empty() || !are_harmless(url.query) ||
      !consists_of(url.path, "/=,._-;:+~@"))
    return false;
  switch (scheme.use) {
    case SchemeUse::kRepository:
      return (url.user == "git" && kind != HostKind::kPrivate) ||
             (url.user.empty() && url.path.ends_with(".git"));
    case SchemeUse::kService:
      return named && !nested && !url.has_query && has_own_port(url, scheme) && is_user(url.user, context) &&
             (url.path.empty() || consists_of(url.path.substr(1), "._-"));
    case SchemeUse::kDirectory:
      return named && context.location == Location::kBody && !url.has_query && url.user.empty() &&
             has_own_port(url, scheme) && (url.path.size() < 2 || is_entry(url.path));
    case SchemeUse::kDatabase: {
      if (istarts_with(scheme.text, "redis"))  // with the number of a database
        return url.path.size() == 2 && is_digit(url.path[1]);
      const std::size_t parameters = std::min(url.path.find(';'), url.path.size());
      // Of a body: who sets an application up names the machine's own database, with who logs in there.
      const bool own = context.location == Location::kBody && !nested &&
                       url.user.find(':') != url.user.npos &&
                       (kind == HostKind::kLoopback || kind == HostKind::kPrivate);
      return (named || (own && has_own_port(url, scheme))) &&
             are_harmless(url.path.substr(std::min(parameters + 1, url.path.size()))) &&
             (nested ? iequals(url.first, "jdbc") : !url.user.empty());
    }
    case SchemeUse::kStream:
      return context.location == Location::kBody && !nested && kind != HostKind::kMetadata &&
             kind != HostKind::kOdd && kind != HostKind::kLoopback && has_own_port(url, scheme) &&
             is_user(url.user, context);
    default:
      return false;
  }
}

}  // namespace wafd::detect::url
