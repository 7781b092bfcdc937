#include "console/api/api.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/api/api_parts.h"
#include "console/api/page.h"
#include "console/api/routing/auth.h"
#include "console/api/routing/openapi.h"
#include "console/api/routing/translation.h"
#include "console/api/second_factor.h"
#include "console/base/problem.h"
#include "console/base/strict_json.h"
#include "detect/core/bytes.h"

namespace wafd::console {
namespace {

// Ends or begins a session, or makes the first user: of the accounts as they are now.
bool is_about_accounts(const Route& route) noexcept {
  return !route.role && route.method != "GET" && route.pattern.starts_with("/api/");
}

bool changes_something(std::string_view method) noexcept { return method != "GET" && method != "HEAD"; }

bool is_json_type(std::string_view type) noexcept {
  return iequals(trim(type.substr(0, std::min(type.find(';'), type.size()))), "application/json");
}

// Reads the JSON object of the body into the call, or says why not.
std::optional<HttpResponse> read_body(const Route& route, Call& call) {
  const std::string& body = call.request.body;
  if (route.request.empty()) {
    if (body.empty()) return std::nullopt;
    return problem(kBadRequest, "This operation takes no body.");
  }
  if (body.size() > kMaxBodyBytes) return problem(kTooLarge, "The body is larger than 1 MiB.");
  if (!is_json_type(call.request.header("Content-Type").value_or(""))) {
    return problem(kMediaType, "Expected Content-Type: application/json.");
  }
  boost::json::stream_parser parser;
  boost::system::error_code error;
  const std::size_t read = parser.write_some(body, error);
  if (!error && read == body.size()) parser.finish(error);
  if (error || read != body.size()) {
    return problem(kBadRequest,
                   fmt::format("The body is no sound JSON text: {} at byte {}.",
                               error ? error.message() : "something follows", read),
                   {{"offset", read}});
  }
  boost::json::value value = parser.release();
  if (!value.is_object()) return problem(kBadRequest, "Expected a JSON object as body.");
  if (const auto twice = member_given_twice(body)) return problem_of(*twice);
  call.body = std::move(value.get_object());
  return std::nullopt;
}

std::optional<HttpResponse> refuse_parameters(const Route& route, const Target& target) {
  if (route.any_parameters) return std::nullopt;
  if (target.repeated) {
    return problem(kBadRequest, "The request target is refused: a query parameter given twice.",
                   {{"offset", *target.repeated}});
  }
  for (const auto& [name, value] : target.parameters) {
    const bool known =
        std::any_of(route.parameters.begin(), route.parameters.end(),
                    [&, &parameter = name](const Parameter& p) { return p.name == parameter; });
    if (known) continue;
    std::string names;
    for (const Parameter& parameter : route.parameters) names += (names.empty() ? "" : ", ") + parameter.name;
    return problem(kBadRequest, names.empty() ? "This operation takes no query parameters."
                                              : fmt::format("There is a query parameter besides {}.", names));
  }
  return std::nullopt;
}

// The handler's answer goes out once the fleet has what it changed.
void change_shared(Services& services, const Route& route, const std::shared_ptr<Call>& call,
                   const Respond& respond) {
  route.handler(call, [&services, &route, call, respond](HttpResponse response) {
    const auto answer = std::make_shared<HttpResponse>(std::move(response));
    services.settle_settings(
        [&services, &route, call, respond] { change_shared(services, route, call, respond); },
        [answer, respond](const Result<void>& stored) {
          respond(stored ? std::move(*answer) : problem_of(stored.error()));
        });
  });
}

}  // namespace

Api::Api(Services& services, std::span<const Asset> assets) : services_(services) {
  for (Route& route : page_routes(assets)) router_.add(std::move(route));
  for (const auto part :
       {health_routes,      session_routes, second_factor_routes, oidc_routes,     oidc_sign_in_routes,
        own_routes,         setup_routes,   people_routes,        event_routes,    triage_routes,
        syslog_routes,      notify_routes,  report_routes,        policy_routes,   list_routes,
        source_routes,      rule_routes,    exception_routes,     settings_routes, system_routes,
        certificate_routes, inspect_routes, status_routes,        fleet_routes}) {
    for (Route& route : part(services)) router_.add(std::move(route));
  }
  router_.add(operation("GET", "/api/v1/openapi.json", std::nullopt, "getOpenApi", "This document")
                  .answers("OpenApi")
                  .by(at_once([this](Call&) {
                    return HttpResponse::json_text(
                        200, boost::json::serialize(openapi_document(router_.routes(), WAFD_VERSION)));
                  })));
}

std::vector<std::string> Api::public_routes() const {
  std::vector<std::string> out;
  for (const Route& route : router_.routes()) {
    if (!route.role) out.push_back(route.method + " " + route.pattern);
  }
  return out;
}

// Each kind of one user's once in a while: who is refused again and again fills no disk.
void Api::note_refused(const Call& call, const HttpRequest& request, const std::string& operation,
                       boost::json::object detail) {
  const std::int64_t now_ms = services_.steady_ms();
  if (refused_.size() >= kMaxRefusedKinds) refused_.clear();
  const auto [at, fresh] = refused_.emplace(call.identity.username + '\n' + operation, now_ms);
  if (!fresh && now_ms - at->second < kRefusedEveryMs) return;
  at->second = now_ms;
  AuditEntry entry{services_.now_ms(),
                   call.identity.username,
                   call.identity.via == Identity::Via::kToken ? "token" : "session",
                   request.peer,
                   "request.refused",
                   operation,
                   std::move(detail)};
  services_.audit(entry);
}

bool Api::answers_to(const HttpRequest& request) const {
  if (services_.hosts.empty()) return true;
  const auto header = request.header("Host");
  if (!header) return false;
  std::string_view host = *header;
  if (Endpoint::parse(host) || IpAddress::parse(host)) return true;
  host = host.substr(0, host.rfind(':'));
  if (host.starts_with('[') || IpAddress::parse(host) || iequals(host, "localhost")) return true;
  return std::any_of(services_.hosts.begin(), services_.hosts.end(),
                     [&](const std::string& name) { return iequals(name, host); });
}

void Api::handle(HttpRequest request, Respond respond, const std::function<void()>& known) {
  if (wants_chinese(request.header("Accept-Language").value_or("")))
    respond = [english = std::move(respond)](HttpResponse response) {
      say_in_chinese(response);
      english(std::move(response));
    };
  // A foreign name that leads here is a page that wants to be taken for ours (DNS rebinding).
  if (!answers_to(request))
    return respond(problem({"misdirected", 421, "Misdirected request"},
                           "The console does not answer under this host name (console.hosts)."));
  auto target = Target::parse(request.target);
  if (!target) {
    return respond(problem(kBadRequest,
                           fmt::format("The request target is refused: {}.", target.error().what),
                           {{"offset", target.error().offset}}));
  }
  Router::Match match = router_.find(request.method, *target);
  const std::int64_t now_ms = services_.now_ms();
  if (match.route == nullptr && !match.allow.empty()) {
    HttpResponse response = problem(kMethod, "This resource has: " + match.allow + ".");
    response.headers.push_back({"Allow", match.allow});
    return respond(std::move(response));
  }
  if (match.route == nullptr) return respond(problem(kNotFound, "There is nothing at this path."));
  auto call = std::make_shared<Call>();
  call->request = std::move(request);
  call->target = std::move(*target);
  call->path = std::move(match.path);
  call->now_ms = now_ms;
  if (!must_look(*match.route, *call)) return admit(*match.route, std::move(call), std::move(respond), known);
  services_.accounts->look([this, &route = *match.route, call = std::move(call), respond = std::move(respond),
                            known] { admit(route, call, respond, known); });
}

// Accounts that other consoles share: whether what is known of them may be too old for this request.
bool Api::must_look(const Route& route, const Call& call) {
  if (services_.accounts == nullptr) return false;
  if (!services_.accounts->settled() || is_about_accounts(route)) return true;
  const HttpRequest& request = call.request;
  const bool shown = request.header_count("Authorization") > 0 || !session_cookie(request).empty();
  return route.role && shown && identify(request, services_.credentials, call.now_ms).refused;
}

std::optional<HttpResponse> Api::refuse_while_away(const Call& call) const {
  if (services_.accounts == nullptr || call.identity.of_files) return std::nullopt;
  const std::string why = services_.credentials.why_away();
  if (why.empty() || !changes_something(call.request.method)) return std::nullopt;
  return problem(kUnavailable, why);
}

std::optional<HttpResponse> Api::identify_caller(const Route& route, Call& call,
                                                 const std::function<void()>& known) {
  Identified identified = identify(call.request, services_.credentials, call.now_ms);
  if (identified.refused) {
    const std::string why = services_.credentials.why_away_for_all();
    return why.empty() ? std::move(*identified.refused) : problem(kUnauthenticated, why);
  }
  call.identity = std::move(identified.identity);
  call.identity.must_enrol = must_enrol(services_, call.identity);
  if (known) known();
  if (call.identity.must_enrol && !route.enrolling)
    return problem(kSecondFactorRequired, "Your role needs a second factor: set one up first.");
  if (call.identity.role < *route.role) {
    note_refused(call, call.request, route.operation,
                 {{"needs", to_string(*route.role)}, {"role", to_string(call.identity.role)}});
    return problem(kForbidden, fmt::format("This needs the role {}; you are {}.", to_string(*route.role),
                                           to_string(call.identity.role)));
  }
  return refuse_while_away(call);
}

void Api::admit(const Route& route, std::shared_ptr<Call> call, Respond respond,
                const std::function<void()>& known) {
  const HttpRequest& request = call->request;
  if (route.role)
    if (auto refused = identify_caller(route, *call, known)) return respond(std::move(*refused));
  if (changes_something(request.method) && call->identity.via != Identity::Via::kToken) {
    if (auto refused = refuse_foreign(request, call->identity.via == Identity::Via::kSession)) {
      if (call->identity.via == Identity::Via::kSession)
        note_refused(*call, request, route.operation, {{"why", "from a foreign page"}});
      return respond(std::move(*refused));
    }
  }
  if (auto refused = refuse_parameters(route, call->target)) return respond(std::move(*refused));
  if (auto refused = read_body(route, *call)) return respond(std::move(*refused));
  if (services_.shared_settings != nullptr && changes_something(call->request.method))
    return change_shared(services_, route, call, respond);
  route.handler(std::move(call), std::move(respond));
}

}  // namespace wafd::console
