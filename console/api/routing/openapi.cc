#include "console/api/routing/openapi.h"

#include <string>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "console/api/schemas/schemas.h"
#include "detect/core/bytes.h"

namespace wafd::console {
namespace {

// Text that holds for all operations: a script is to be written from this document alone.
constexpr std::string_view kAbout = R"(The interface of wafd's console, which the page uses too.

**Who calls.** Scripts send `Authorization: Bearer TOKEN`; tokens are made on the page, by `POST /api/v1/tokens` or by
`wafd token create`. The page logs in with `POST /api/v1/session` and sends its cookie; a change by a session needs the
header `X-Wafd-Csrf: 1` and comes from the console's own origin.

**Errors** are problem documents (RFC 9457): `detail` says what was wrong and what was expected, `member` names the member
or query parameter, `offset` the place in it. 400: the request or query cannot be read. 401: no good credential. 403: the
role does not suffice. 404: there is no such object. 409: it contradicts what is there, or a file holds the settings. 412:
see below. 422: a value is refused. 429 and 503: later, see `Retry-After`.

**Changes.** Objects carry an `etag`, answers about one of them the header `ETag` too. `PUT` replaces the whole object: what
is absent gets its default. What was read can be put back; members that are read only are passed over. With `If-Match:
"ETAG"` a change is refused (412) if someone else made one since; without it the last one wins.

**Pages.** Lists of events are newest first; `before` of an answer is the next page's `before`, null at the end. It is a
place in the ring, so new events move nothing. `seq` rises with every event of this node.

**Event query** (`q`, and the filter of targets): terms as `field:value`, all of which must hold. `a,b` in a value: one of
them; `-` in front: not; `or` and parentheses; `*` in a value: any text; text with spaces in quotes; a term without a field
is looked for in payload, path, query, host, user agent, referer and body. Example: `type:sqli,xss -src:10.0.0.0/8
host:*.example path:/login* "union select"`. `GET /api/v1/events/fields` lists fields and values. In searches also
`is:open`, `is:closed`, `is:true_positive`, `is:false_positive`, `is:pinned`.

**Live tail** (server-sent events): `hello` with `end`, the next sequence; `event` with the sequence as its id and
`{"seq", "record"}`; `amended` with the same, where a response report came later; `skipped` with `count`, matches that were
left out because the client was too slow, and `unknown`, records that the ring let go before they were compared; `position`
with `after`, up to where nothing else matched; `end` with `reason`. In a fleet ids and `after` are times of its database
in microseconds, an event has its `place`, what was stored a moment before `after` may come once more, and `fleet` tells
when the database does not answer (`answered`, `why`), and when it does again.

**Times** ending in `_ms` are Unix milliseconds, in `_s` seconds; 0 for an expiry means never.)";

boost::json::object reference(std::string_view schema) {
  return {{"$ref", "#/components/schemas/" + std::string(schema)}};
}

boost::json::object content(std::string_view type, boost::json::object schema) {
  boost::json::object media;
  media[type] = {{"schema", std::move(schema)}};
  return media;
}

boost::json::array parameters_of(const Route& route) {
  boost::json::array list;
  for (std::size_t at = 0; (at = route.pattern.find('{', at)) != std::string::npos; ++at) {
    const std::string name = route.pattern.substr(at + 1, route.pattern.find('}', at) - at - 1);
    list.push_back({{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  }
  for (const Parameter& parameter : route.parameters) {
    list.push_back({{"name", parameter.name},
                    {"in", "query"},
                    {"description", parameter.summary},
                    {"schema", boost::json::parse(parameter.schema)}});
  }
  if (route.if_match) {
    list.push_back(
        {{"name", "If-Match"},
         {"in", "header"},
         {"description", "The etag that the change is based on, in quotes; 412 if it is another by now"},
         {"schema", {{"type", "string"}}}});
  }
  return list;
}

bool has_etag(const std::string& schema) {
  const auto* properties =
      schema.empty() ? nullptr : schemas().at(schema).as_object().if_contains("properties");
  return properties != nullptr && properties->as_object().contains("etag");
}

boost::json::object operation_of(const Route& route) {
  boost::json::object operation;
  operation["operationId"] = route.operation;
  operation["summary"] = route.summary;
  if (boost::json::array parameters = parameters_of(route); !parameters.empty()) {
    operation["parameters"] = std::move(parameters);
  }
  if (!route.request.empty()) {
    operation["requestBody"] = {{"required", true},
                                {"content", content("application/json", reference(route.request))}};
  }
  boost::json::object success;
  success["description"] = route.summary;
  if (!route.answer.empty()) {
    success["content"] = content(route.answer_type, reference(route.answer));
  } else if (route.success != 204) {
    success["content"] = content(route.answer_type, {{"type", "string"}});
  }
  if (has_etag(route.answer)) {
    success["headers"] = {
        {"ETag", {{"description", "The object's etag, in quotes"}, {"schema", {{"type", "string"}}}}}};
  }
  boost::json::object answers;
  answers[std::to_string(route.success)] = std::move(success);
  if (route.if_match) {
    answers["412"] = {{"description", "Changed meanwhile: read it again"},
                      {"content", content("application/problem+json", reference("Problem"))}};
  }
  answers["4XX"] = {{"description", "What is wrong with the request"},
                    {"content", content("application/problem+json", reference("Problem"))}};
  answers["default"] = {{"description", "What went wrong"},
                        {"content", content("application/problem+json", reference("Problem"))}};
  operation["responses"] = std::move(answers);
  if (route.role) {
    operation["description"] = std::string("Needs the role ") + to_string(*route.role) +
                               ", or a token of scope " + scope_of(*route.role) + ".";
  } else {
    operation["security"] = boost::json::array();
  }
  return operation;
}

}  // namespace

boost::json::object openapi_document(std::span<const Route> routes, std::string_view version) {
  boost::json::object paths;
  for (const Route& route : routes) {
    if (!route.pattern.starts_with("/api/") && route.answer.empty() &&
        route.answer_type != "text/plain; version=0.0.4")
      continue;
    boost::json::value& path = paths[route.pattern];
    if (!path.is_object()) path.emplace_object();
    path.get_object()[to_lower(route.method)] = operation_of(route);
  }
  boost::json::object schemes;
  schemes["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  schemes["session"] = {{"type", "apiKey"}, {"in", "cookie"}, {"name", "__Host-wafd"}};
  boost::json::object components;
  components["schemas"] = schemas();
  components["securitySchemes"] = std::move(schemes);
  boost::json::object document;
  document["openapi"] = "3.1.0";
  document["info"] = {{"title", "wafd console"},
                      {"version", version},
                      {"description", kAbout},
                      {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}};
  document["servers"] = boost::json::array{{{"url", "/"}}};
  document["security"] =
      boost::json::array{{{"token", boost::json::array()}}, {{"session", boost::json::array()}}};
  document["paths"] = std::move(paths);
  document["components"] = std::move(components);
  return document;
}

}  // namespace wafd::console
