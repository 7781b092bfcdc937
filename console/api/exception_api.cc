// The preview of an exception: what it would change, before it is made.
#include <memory>
#include <utility>

#include <boost/json/value.hpp>

#include "console/api/api_parts.h"
#include "console/base/problem.h"
#include "console/events/exception_preview.h"
#include "console/settings/policy_json.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

void answer_preview(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  boost::json::object object = call->body;
  std::optional<EventId> event;
  if (const boost::json::value* id = object.if_contains("event_id"); id != nullptr && !id->is_null()) {
    if (id->is_string()) event = EventId::parse(std::string_view(id->get_string()));
    if (!event)
      return respond(
          problem_of({ErrorCode::kInvalid, 0, "event_id: expected the 32 hex digits of an event"}));
  }
  object.erase("event_id");
  auto exception = parse_exception(object, {});
  if (!exception) return respond(problem_of(exception.error()));
  detect::PolicySettings alone;
  alone.exceptions.push_back(*exception);
  alone.exceptions.back().enabled = true;
  if (auto built = detect::Policy::build(alone); !built) {
    Error error = built.error();
    if (error.what.starts_with("exceptions[].")) error.what.erase(0, 13);
    return respond(problem_of(error));
  }
  auto response = std::make_shared<HttpResponse>();
  services.read_in_background(
      *call, respond,
      [&ring = services.ring, exception = std::move(*exception), event,
       sites = services.settings.current().policy.sites, response] {
        *response =
            HttpResponse::json(200, preview_exception(ring, exception, sites, event ? &*event : nullptr));
      },
      [response, respond] { respond(std::move(*response)); });
}

}  // namespace

std::vector<Route> exception_routes(Services& services) {
  return {operation("POST", "/api/v1/exceptions/preview", Role::kOperator, "previewException",
                    "What an exception would change, told from the stored events; nothing is changed")
              .takes("ExceptionPreviewRequest")
              .answers("ExceptionPreview")
              .by(services, answer_preview)};
}

}  // namespace wafd::console
