#include "ingest/check_request.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "ingest/limits.h"
#include "ingest/request_id.h"

namespace wafd::ingest {
namespace {

using http::Fields;

void set_peer(OwnedRequest& out, const Fields& fields, const PeerTrust& trust) {
  out.src_ip = client_address(fields, trust);
  if (trust.peer) out.proxy_name = trust.peer->text();
  if (!trust.believed()) return;
  out.request_id = gateway_request_id(fields);
  const auto proto = http::value_of(fields, "x-forwarded-proto");
  if (iequals(proto, "https") || iequals(proto, "http")) out.scheme = to_lower(proto);
}

// No early end: the time taken must not tell how much of a key was right.
bool same_key(std::string_view a, std::string_view b) noexcept {
  unsigned differs = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) differs |= byte(a[i]) ^ byte(b[b.empty() ? 0 : i % b.size()]);
  return differs == 0 && !a.empty();
}

bool has_body_by_nature(std::string_view method) noexcept {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

// One dialect: which headers say what. Empty: it has none for it.
struct Names {
  std::string_view method, uri, host, proto, address, user_agent, version, key;
};

Names names_of(CheckDialect dialect) noexcept {
  switch (dialect) {
    case CheckDialect::kForwarded:
      return {
          "X-Forwarded-Method", "X-Forwarded-Uri", "X-Forwarded-Host", "X-Forwarded-Proto", {}, {}, {}, {}};
    case CheckDialect::kOriginal:
      return {"X-Original-Method", "X-Original-URI", {}, {}, {}, {}, {}, {}};
    case CheckDialect::kCrowdsec:
      return {"X-Crowdsec-Appsec-Verb",         "X-Crowdsec-Appsec-Uri",
              "X-Crowdsec-Appsec-Host",         {},
              "X-Crowdsec-Appsec-Ip",           "X-Crowdsec-Appsec-User-Agent",
              "X-Crowdsec-Appsec-Http-Version", "X-Crowdsec-Appsec-Api-Key"};
  }
  return {};
}

bool is_framing(std::string_view name) noexcept {
  for (const std::string_view framing :
       {"connection", "content-length", "transfer-encoding", "expect", "keep-alive"}) {
    if (iequals(name, framing)) return true;
  }
  return false;
}

}  // namespace

bool PeerTrust::believed() const noexcept {
  if (!peer) return true;
  return trusted_proxies.empty() ? peer->is_loopback() : contains(trusted_proxies, *peer);
}

std::string client_address(const Fields& fields, const PeerTrust& trust) {
  auto peer = trust.peer ? trust.peer->text() : std::string();
  if (!trust.believed()) return peer;
  std::string all;
  for (const auto& [name, value] : fields) {
    if (!iequals(name, "x-forwarded-for")) continue;
    if (!all.empty()) all += ',';
    all += value;
  }
  std::string_view rest = all;
  std::string room, last;
  while (!rest.empty()) {
    const auto comma = rest.rfind(',');
    const auto from = comma == std::string_view::npos ? 0 : comma + 1;
    const auto clean = clean_address(trim(rest.substr(from)), room);
    if (clean.empty()) break;  // nothing to the left of what is no address can be believed
    last = clean;
    const auto hop = PeerTrust{IpAddress::parse(clean), trust.trusted_proxies};
    if (!hop.believed()) return last;
    rest = rest.substr(0, from == 0 ? 0 : comma);
  }
  if (!last.empty()) return last;
  const auto real = clean_address(trim(http::value_of(fields, "x-real-ip")), room);
  return real.empty() ? peer : std::string(real);
}

OwnedRequest request_behind_prefix(const http::Request& request, std::size_t prefix_bytes,
                                   const PeerTrust& trust) {
  OwnedRequest out;
  set_peer(out, request.fields, trust);
  out.head.reserve(request.raw_head.size());
  out.head.append(request.method).append(" ");
  const auto target = std::string_view(request.target).substr(prefix_bytes);
  out.head.append(target);
  // Behind the target the head goes on as received, the version included.
  const auto rest = request.method.size() + 1 + request.target.size();
  out.head.append(std::string_view(request.raw_head).substr(std::min(rest, request.raw_head.size())));
  out.body_truncated = iequals(request.value("x-envoy-auth-partial-body"), "true");
  return out;
}

OwnedRequest request_of_refused(std::string_view raw_head, std::size_t prefix_bytes, const PeerTrust& trust) {
  OwnedRequest out;
  set_peer(out, {}, trust);
  const auto target = target_of_refused(raw_head);
  const auto at =
      target.empty() ? raw_head.size() : static_cast<std::size_t>(target.data() - raw_head.data());
  out.head.append(raw_head.substr(0, at))
      .append(raw_head.substr(std::min(at + prefix_bytes, raw_head.size())));
  return out;
}

tl::expected<OwnedRequest, DialectError> request_of_dialect(const http::Request& request,
                                                            CheckDialect dialect,
                                                            std::span<const std::string> api_keys,
                                                            const PeerTrust& trust) {
  const auto wrong = [](std::string_view name, std::string_view what) {
    return tl::unexpected(DialectError{400, fmt::format("{}: {}", name, what)});
  };
  const auto names = names_of(dialect);
  if (!names.key.empty()) {
    const auto key = request.value(names.key);
    const bool known =
        std::count_if(api_keys.begin(), api_keys.end(), [&](const auto& k) { return same_key(key, k); }) > 0;
    if (!known || request.count(names.key) != 1)
      return tl::unexpected(DialectError{401, fmt::format("{}: expected a configured key", names.key)});
  }
  const std::array own{names.method,  names.uri,        names.host,    names.proto,
                       names.address, names.user_agent, names.version, names.key};
  for (const auto name : own) {
    if (!name.empty() && request.count(name) > 1) return wrong(name, "expected one, it is doubled");
  }
  const bool crowdsec = dialect == CheckDialect::kCrowdsec;
  for (const auto name :
       {names.method, names.uri, crowdsec ? names.host : names.uri, crowdsec ? names.address : names.uri}) {
    if (request.value(name).empty()) return wrong(name, "expected one, it is missing");
  }

  OwnedRequest out;
  set_peer(out, request.fields, trust);
  if (!names.address.empty()) {
    std::string room;
    const auto clean = clean_address(request.value(names.address), room);
    if (clean.empty()) return wrong(names.address, "expected an IP address");
    out.src_ip = clean;
  }
  if (crowdsec) out.request_id.clear();  // a bouncer hands over the client's headers as they are
  const auto host = names.host.empty() ? std::string_view() : request.value(names.host);
  const auto agent = names.user_agent.empty() ? std::string_view() : request.value(names.user_agent);
  const auto method = request.value(names.method);
  out.head = fmt::format("{} {} HTTP/1.1\r\n", method, request.value(names.uri));
  if (!host.empty()) out.head += fmt::format("Host: {}\r\n", host);
  if (!agent.empty()) out.head += fmt::format("User-Agent: {}\r\n", agent);
  for (const auto& [name, value] : request.fields) {
    const bool steering = std::any_of(own.begin(), own.end(), [&, n = std::string_view(name)](auto o) {
      return !o.empty() && iequals(n, o);
    });
    if (steering || is_framing(name)) continue;
    if ((!host.empty() && iequals(name, "host")) || (!agent.empty() && iequals(name, "user-agent"))) continue;
    out.head.append(name).append(": ").append(value).append("\r\n");
  }
  out.head += "\r\n";
  out.body_abandoned = request.body.empty() && has_body_by_nature(method) &&
                       request.value("content-length").empty() && request.value("transfer-encoding").empty();
  return out;
}

Routed route_of(std::string_view target) noexcept {
  const auto path = target.substr(0, target.find('?'));
  if (path == "/check") return {Route::kCheckDialect, 0};
  if (target.starts_with("/check/")) return {Route::kCheckTarget, 6};
  if (target.starts_with("/mirror/") || target.starts_with("/mirror*") ||
      target.starts_with("/mirrorhttp://") || target.starts_with("/mirrorhttps://"))
    return {Route::kMirror, 7};
  if (path == "/v1/records") return {Route::kRecords, 0};
  if (path == "/healthz") return {Route::kHealth, 0};
  if (path == "/readyz") return {Route::kReady, 0};
  if (path == "/stat") return {Route::kStat, 0};
  return {};
}

std::string_view target_of_refused(std::string_view raw_head) noexcept {
  const auto line = raw_head.substr(0, raw_head.find('\n'));
  const auto space = line.find(' ');
  if (space == std::string_view::npos) return {};
  const auto rest = line.substr(space + 1);
  return rest.substr(0, rest.find_first_of(" \r"));
}

}  // namespace wafd::ingest
