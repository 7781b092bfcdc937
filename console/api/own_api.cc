// A user's own settings: language and time zone of the page, and the end of all their sessions.
#include <utility>

#include <boost/json/value.hpp>

#include "console/api/api_parts.h"
#include "console/api/routing/auth.h"
#include "console/base/problem.h"
#include "forward/format/zone_time.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

HttpResponse set_preferences(Services& services, Call& call) {
  if (call.identity.via != Identity::Via::kSession)
    return problem(kForbidden, "A token has no preferences: log in as the user.");
  Preferences wanted;
  ObjectReader reader(call.body);
  reader.text("language", wanted.language, 0, 16).text("time_zone", wanted.time_zone, 0, 64);
  if (reader.ok() && !wanted.language.empty() && wanted.language != "en" && wanted.language != "zh-CN")
    reader.refuse("language", "en, zh-CN, or nothing");
  if (reader.ok() && !wanted.time_zone.empty() && !forward::ZoneTime::of(wanted.time_zone))
    reader.refuse("time_zone", "the name of a time zone, such as Europe/Lisbon, or nothing");
  if (auto good = reader.finish(); !good) return problem_of(good.error());
  const std::string& username = call.identity.username;
  auto saved = services.credentials.update_user(username, [&](User& user) { user.preferences = wanted; });
  if (!saved) return problem_of(saved.error());
  services.audit(call, "user.preferences", username,
                 {{"language", wanted.language}, {"time_zone", wanted.time_zone}});
  return HttpResponse::empty(204);
}

HttpResponse end_all(Services& services, Call& call, const std::string& username) {
  if (services.credentials.user(username) == nullptr) return problem(kNotFound, "There is no such user.");
  if (auto closed = services.credentials.close_sessions_of(username, ""); !closed)
    return problem_of(closed.error());
  services.audit(call, "session.revoke_all", username);
  HttpResponse response = HttpResponse::empty(204);
  if (username == call.identity.username) response.headers.push_back({"Set-Cookie", set_cookie("")});
  return response;
}

HttpResponse end_own(Services& services, Call& call) {
  if (call.identity.via != Identity::Via::kSession)
    return problem(kForbidden, "A token has no sessions: log in as the user.");
  return end_all(services, call, call.identity.username);
}

}  // namespace

std::vector<Route> own_routes(Services& services) {
  return with_enrolling({
      operation("PUT", "/api/v1/me/preferences", Role::kViewer, "setPreferences",
                "Language and time zone of the page")
          .takes("Preferences")
          .answers_nothing()
          .by(services, set_preferences),
      operation("DELETE", "/api/v1/sessions", Role::kViewer, "logOutEverywhere",
                "End all sessions of one's own, this one too")
          .answers_nothing()
          .by(services, end_own),
      operation("DELETE", "/api/v1/users/{username}/sessions", Role::kAdmin, "endSessionsOf",
                "End all sessions of a user")
          .answers_nothing()
          .by(at_once([&services](Call& call) { return end_all(services, call, call.path[0]); })),
  });
}

}  // namespace wafd::console
