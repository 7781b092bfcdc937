// One operation of the console's HTTP interface: what the router matches, who may call it, what the OpenAPI
// document says of it, and the function behind it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "console/base/http.h"
#include "console/base/target.h"
#include "console/credentials/role.h"

namespace wafd::console {

// Who calls.
struct Identity {
  enum class Via : std::uint8_t { kNone, kSession, kToken };
  Via via = Via::kNone;
  std::string username;  // of a token: "token:NAME"
  Role role = Role::kViewer;
  std::string session_hash;
  std::string token_id;
  std::string token_name;
  std::int64_t expires_ms = 0;  // 0: never
  bool masked = false;          // sees events without what attackers sent (events/viewer_mask.h)
  bool of_files = false;        // a session of this node's own files, while the fleet's accounts are away
  bool must_enrol = false;      // its role needs a second factor, and the user has none yet
};

// One request on its way; lives until it is answered.
struct Call {
  HttpRequest request;
  Target target;
  std::vector<std::string> path;  // what stood for the {…} of the pattern
  boost::json::object body;       // of routes with a request schema
  Identity identity;
  std::int64_t now_ms = 0;  // Unix time at which it came
};

// Called exactly once, on the console loop, at once or later.
using Respond = std::function<void(HttpResponse)>;
using Handler = std::function<void(std::shared_ptr<Call>, Respond)>;

struct Parameter {
  std::string name;
  std::string schema;  // JSON text, for the document; the handler checks the value
  std::string summary;
};

struct Services;

// For handlers that answer at once.
Handler at_once(std::function<HttpResponse(Call&)> handler);

template <class What>
Handler handler_of(Services& services, What what) {
  if constexpr (std::is_invocable_v<What, Services&>) {
    return at_once([&services, what](Call&) { return what(services); });
  } else if constexpr (std::is_invocable_v<What, Services&, Call&>) {
    return at_once([&services, what](Call& call) { return what(services, call); });
  } else if constexpr (std::is_invocable_v<What, Services&, const Respond&>) {
    return
        [&services, what](const std::shared_ptr<Call>&, const Respond& respond) { what(services, respond); };
  } else {
    return [&services, what](const std::shared_ptr<Call>& call, const Respond& respond) {
      what(services, call, respond);
    };
  }
}

struct Route {
  std::string method;        // "GET" answers HEAD too
  std::string pattern;       // "/api/v1/syslog/targets/{id}"
  std::optional<Role> role;  // least role; none: public
  std::string operation;     // operationId
  std::string summary;
  std::vector<Parameter> parameters{};  // of the query string; others are refused
  std::string request{};                // name of the schema of the JSON body; empty: no body
  int success = 200;
  std::string answer{};  // name of the schema of the answer; empty: no JSON (see answer_type)
  std::string answer_type = "application/json";
  Handler handler{};
  bool any_parameters = false;  // whatever the query string says is fine
  bool if_match = false;        // its handler looks at If-Match
  bool enrolling = false;       // also for who has to set up a second factor first

  // Said behind operation(), so that each argument stands by its name.
  Route asks(std::vector<Parameter> of_query) &&;
  Route takes(std::string schema) &&;
  Route answers(std::string schema, int status = 200) &&;
  Route answers_text(std::string type) &&;
  Route answers_nothing() &&;  // 204
  Route by(Handler what) &&;
  // A function that answers at once, (services) or (services, call), or later, (services, [call,] respond).
  template <class What>
  Route by(Services& services, What what) && {
    return std::move(*this).by(handler_of(services, what));
  }
};

Route operation(std::string method, std::string pattern, std::optional<Role> role, std::string id,
                std::string summary);

// Of objects with an etag: every PUT and DELETE looks at If-Match.
std::vector<Route> with_if_match(std::vector<Route> routes);

// The same routes, open to somebody who has to set up a second factor first.
std::vector<Route> with_enrolling(std::vector<Route> routes);

}  // namespace wafd::console
