// Triage of events, pinned events, saved views.
#include <algorithm>
#include <memory>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/api/api_parts.h"
#include "console/api/routing/query_reader.h"
#include "console/base/problem.h"
#include "console/base/secrets.h"
#include "console/base/target.h"
#include "console/events/search.h"
#include "console/events/triage.h"
#include "console/events/viewer_mask.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMaxAtOnce = 500;

boost::json::object mark_json(const TriageStore& book, const EventId& id) {
  const Triage none;
  const Triage* found = book.triage_of(id);
  const Triage& triage = found == nullptr ? none : *found;
  return {{"event_id", id.text()},
          {"state", triage.closed ? "closed" : "open"},
          {"label", to_string(triage.label)},
          {"note", triage.note},
          {"by", triage.by},
          {"at_ms", found == nullptr ? boost::json::value() : boost::json::value(triage.at_ms)},
          {"pinned", book.pins().contains(id)}};
}

Result<std::vector<EventId>> read_ids(const std::vector<std::string>& texts) {
  std::vector<EventId> ids;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto id = EventId::parse(texts[i]);
    if (!id)
      return fail(ErrorCode::kInvalid,
                  "events[" + std::to_string(i) + "]: expected the 32 hex digits of an event");
    ids.push_back(*id);
  }
  return ids;
}

HttpResponse marks_of(const TriageStore& book, const std::vector<EventId>& ids) {
  boost::json::array marks;
  for (const EventId& id : ids) marks.emplace_back(mark_json(book, id));
  return HttpResponse::json(200, boost::json::object{{"marks", std::move(marks)}});
}

HttpResponse read_marks(const TriageStore& book, Call& call) {
  std::vector<std::string> texts;
  std::string_view list = call.target.parameter("events").value_or("");
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    texts.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  auto ids = read_ids(texts);
  return ids ? marks_of(book, *ids) : problem(kBadRequest, ids.error().what, {{"member", "events"}});
}

HttpResponse set_marks(Services& services, Call& call) {
  std::vector<std::string> texts;
  std::string state;
  std::string label;
  std::string note;
  ObjectReader reader(call.body);
  reader.require("events").texts("events", texts, kMaxAtOnce, 32, 32);
  reader.text("state", state, 0, 16).plain("label", label, 0, 32).plain("note", note, 0, kMaxNoteBytes, true);
  const bool has_state = call.body.contains("state");
  const bool has_label = call.body.contains("label");
  if (reader.ok() && has_state && state != "open" && state != "closed")
    reader.refuse("state", "open or closed");
  const auto parsed_label = parse_label(label);
  if (reader.ok() && !parsed_label) reader.refuse("label", "true_positive, false_positive or no text");
  if (auto good = reader.finish(); !good) return problem_of(good.error());
  const auto ids = read_ids(texts);
  if (!ids) return problem_of(ids.error());
  std::vector<std::pair<EventId, Triage>> changes;
  for (const EventId& id : *ids) {
    const Triage* present = services.triage_store->triage_of(id);
    Triage next = present == nullptr ? Triage() : *present;
    if (has_state) next.closed = state == "closed";
    if (has_label) next.label = *parsed_label;
    if (call.body.contains("note")) next.note = note;
    next.by = call.identity.username;
    next.at_ms = call.now_ms;
    changes.emplace_back(id, std::move(next));
  }
  if (auto saved = services.triage_store->set_triage(changes); !saved) return problem_of(saved.error());
  boost::json::object detail = call.body;
  detail.erase("events");
  detail["count"] = ids->size();
  services.audit(call, "event.triage", ids->size() == 1 ? ids->front().text() : std::string(),
                 std::move(detail));
  return marks_of(*services.triage_store, *ids);
}

boost::json::object pin_json(const EventId& id, const Pin& pin) {
  boost::system::error_code error;
  boost::json::value event = boost::json::parse(pin.event, error);
  boost::json::object out{{"event_id", id.text()}, {"by", pin.by}, {"at_ms", pin.at_ms}};
  out["record"] = !error && event.is_object() && event.get_object().contains("record")
                      ? event.get_object()["record"]
                      : boost::json::value(boost::json::object());
  out["seq"] = !error && event.is_object() && event.get_object().contains("seq") ? event.get_object()["seq"]
                                                                                 : boost::json::value(0);
  return out;
}

HttpResponse list_pins(const TriageStore& book, bool masked) {
  std::vector<std::pair<EventId, const Pin*>> pins;
  for (const auto& [id, pin] : book.pins()) pins.emplace_back(id, &pin);
  std::sort(pins.begin(), pins.end(),
            [](const auto& a, const auto& b) { return a.second->at_ms > b.second->at_ms; });
  boost::json::array list;
  for (const auto& [id, pin] : pins) {
    Pin shown = *pin;
    if (masked) shown.event = masked_event(shown.event);
    list.emplace_back(pin_json(id, shown));
  }
  return HttpResponse::json(200, boost::json::object{{"pins", std::move(list)}});
}

void pin_event(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  const auto id = EventId::parse(call->path[0]);
  if (!id) return respond(problem(kNotFound, "The ring does not hold this event."));
  const auto text = std::make_shared<Result<std::string>>(tl::unexpected(Error{}));
  services.search_in_background(
      *call, respond, [events = services.events, id = *id, text] { *text = events->detail(id); },
      [&services, call, respond, id = *id, text] {
        if (!*text) {
          // Pinned once, it needs the ring no more.
          const auto& pins = services.triage_store->pins();
          if (const auto found = pins.find(id); found != pins.end())
            return respond(HttpResponse::json(200, pin_json(id, found->second)));
          return respond(problem(kNotFound, "The ring does not hold this event."));
        }
        if (auto saved =
                services.triage_store->pin(id, {call->identity.username, call->now_ms, std::move(**text)});
            !saved)
          return respond(problem_of(saved.error()));
        services.audit(*call, "event.pin", id.text());
        respond(HttpResponse::json(200, pin_json(id, services.triage_store->pins().at(id))));
      });
}

HttpResponse unpin_event(Services& services, Call& call) {
  const auto id = EventId::parse(call.path[0]);
  const auto done = id ? services.triage_store->unpin(*id) : Result<bool>(false);
  if (!done) return problem_of(done.error());
  if (!*done) return problem(kNotFound, "This event is not pinned.");
  services.audit(call, "event.unpin", id->text());
  return HttpResponse::empty(204);
}

boost::json::object view_json(const SavedView& view, const Call& call) {
  return {{"id", view.id},         {"name", view.name},   {"query", view.query},
          {"shared", view.shared}, {"owner", view.owner}, {"mine", view.owner == call.identity.username}};
}

HttpResponse list_views(const Services& services, const Call& call) {
  boost::json::array list;
  for (const SavedView& view : services.triage_store->views()) {
    if (view.shared || view.owner == call.identity.username) list.emplace_back(view_json(view, call));
  }
  return HttpResponse::json(200, boost::json::object{{"views", std::move(list)}});
}

// A view is an address of the page; one whose search cannot be done is of no use to anybody.
std::optional<HttpResponse> refuse_view(const SavedView& view) {
  const auto address = Target::parse("/?" + view.query);
  if (!address)
    return problem_of(
        {ErrorCode::kInvalid, 0,
         fmt::format("query: expected the query string of an address of the page, at character {}: {}",
                     std::max<std::size_t>(address.error().offset, 2) - 1, address.error().what)});
  if (view.query.starts_with('?') || address->repeated)
    return problem_of(
        {ErrorCode::kInvalid, 0,
         "query: expected the query string of an address of the page, without the question mark "
         "before it and with each parameter once"});
  const auto good = check_query(address->parameter("q").value_or(""));
  if (good) return std::nullopt;
  return problem(kValidation,
                 fmt::format("query: q: at character {}: {}", good.error().offset + 1, good.error().what),
                 {{"member", "query"}, {"offset", good.error().offset}, {"expected", good.error().what}});
}

HttpResponse add_view(Services& services, Call& call) {
  SavedView view;
  ObjectReader reader(call.body);
  reader.require("name").plain("name", view.name, 1, 128).text("query", view.query, 0, kMaxViewBytes);
  reader.boolean("shared", view.shared);
  if (auto good = reader.finish(); !good) return problem_of(good.error());
  if (auto refused = refuse_view(view)) return std::move(*refused);
  if (view.shared && call.identity.role < Role::kOperator)
    return problem(kForbidden, "Sharing a view needs the role operator.");
  view.id = make_id(services.random, 8);
  view.owner = call.identity.username;
  if (auto saved = services.triage_store->add_view(view); !saved) return problem_of(saved.error());
  if (view.shared) services.audit(call, "view.share", view.id, {{"name", view.name}});
  return HttpResponse::json(201, view_json(view, call));
}

HttpResponse remove_view(Services& services, Call& call) {
  for (const SavedView& view : services.triage_store->views()) {
    if (view.id != call.path[0]) continue;
    const bool mine = view.owner == call.identity.username;
    if (!mine && !view.shared) break;
    if (!mine && call.identity.role < Role::kAdmin)
      return problem(kForbidden, "Only its owner or an administrator removes a view.");
    const bool shared = view.shared;
    if (auto done = services.triage_store->remove_view(call.path[0]); !done) return problem_of(done.error());
    if (shared) services.audit(call, "view.remove", call.path[0]);
    return HttpResponse::empty(204);
  }
  return problem(kNotFound, "There is no view of that id.");
}

}  // namespace

std::vector<Route> triage_routes(Services& services) {
  return {
      operation("GET", "/api/v1/triage", Role::kViewer, "getTriage", "What was said of events")
          .asks({{"events", R"({"type":"string"})",
                  "Event ids, separated by commas; at most 200 fit an address"}})
          .answers("Marks")
          .by(at_once([&services](Call& call) { return read_marks(*services.triage_store, call); })),
      operation("POST", "/api/v1/triage", Role::kOperator, "setTriage",
                "Say something of up to 500 events; absent members stay")
          .takes("MarksRequest")
          .answers("Marks")
          .by(services, set_marks),
      operation("GET", "/api/v1/pins", Role::kViewer, "listPins", "Pinned events, the last pinned first")
          .answers("Pins")
          .by(at_once(
              [&services](Call& call) { return list_pins(*services.triage_store, call.identity.masked); })),
      operation("PUT", "/api/v1/pins/{event_id}", Role::kOperator, "pinEvent",
                "Copy an event to where it outlives the ring")
          .answers("Pin")
          .by(services, pin_event),
      operation("DELETE", "/api/v1/pins/{event_id}", Role::kOperator, "unpinEvent", "Let a pinned event go")
          .answers_nothing()
          .by(services, unpin_event),
      operation("GET", "/api/v1/views", Role::kViewer, "listViews",
                "Saved views: one's own and the shared ones")
          .answers("Views")
          .by(services, list_views),
      operation("POST", "/api/v1/views", Role::kViewer, "addView",
                "Save a view; sharing it needs the role operator")
          .takes("ViewRequest")
          .answers("View", 201)
          .by(services, add_view),
      operation("DELETE", "/api/v1/views/{id}", Role::kViewer, "removeView",
                "Remove a view: one's own, or as admin a shared one")
          .answers_nothing()
          .by(services, remove_view),
  };
}

}  // namespace wafd::console
