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

// `triage`: null where nobody said anything.
boost::json::object mark_json(const EventId& id, const Triage* said, bool pinned) {
  const Triage none;
  const Triage& triage = said == nullptr ? none : *said;
  return {{"event_id", id.text()},
          {"state", triage.closed ? "closed" : "open"},
          {"label", to_string(triage.label)},
          {"note", triage.note},
          {"by", triage.by},
          {"at_ms", said == nullptr ? boost::json::value() : boost::json::value(triage.at_ms)},
          {"pinned", pinned}};
}

HttpResponse marks_answer(boost::json::array marks) {
  return HttpResponse::json(200, boost::json::object{{"marks", std::move(marks)}});
}

HttpResponse shared_marks(const Result<std::vector<MarkedEvent>>& marked) {
  if (!marked) return problem_of(marked.error());
  boost::json::array marks;
  for (const MarkedEvent& one : *marked)
    marks.emplace_back(mark_json(one.id, one.triage.at_ms == 0 ? nullptr : &one.triage, one.pinned));
  return marks_answer(std::move(marks));
}

// On a thread that may wait.
void ask_shared(Services& services, const Call& call, const Respond& respond,
                std::function<HttpResponse(SharedTriage&)> question) {
  services.answer_in_background(
      call, respond,
      [shared = services.shared_triage, question = std::move(question)] { return question(*shared); });
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
  for (const EventId& id : ids)
    marks.emplace_back(mark_json(id, book.triage_of(id), book.pins().contains(id)));
  return marks_answer(std::move(marks));
}

void read_marks(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  std::vector<std::string> texts;
  std::string_view list = call->target.parameter("events").value_or("");
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    texts.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  auto ids = read_ids(texts);
  if (!ids) return respond(problem(kBadRequest, ids.error().what, {{"member", "events"}}));
  if (!services.shared_triage) return respond(marks_of(*services.triage_store, *ids));
  ask_shared(services, *call, respond,
             [ids = std::move(*ids)](SharedTriage& shared) { return shared_marks(shared.read(ids)); });
}

// The parsed body of a change of marks.
struct MarksRequest {
  std::vector<EventId> ids;
  TriageChange change;
};

Result<MarksRequest> read_marks_request(const Call& call) {
  std::vector<std::string> texts;
  std::string state;
  std::string label;
  std::string note;
  ObjectReader reader(call.body);
  reader.require("events").texts("events", texts, kMaxAtOnce, 32, 32);
  reader.text("state", state, 0, 16).plain("label", label, 0, 32).plain("note", note, 0, kMaxNoteBytes, true);
  if (reader.ok() && call.body.contains("state") && state != "open" && state != "closed")
    reader.refuse("state", "open or closed");
  const auto parsed_label = parse_label(label);
  if (reader.ok() && !parsed_label) reader.refuse("label", "true_positive, false_positive or no text");
  if (auto good = reader.finish(); !good) return tl::unexpected(good.error());
  auto ids = read_ids(texts);
  if (!ids) return tl::unexpected(ids.error());
  MarksRequest request{std::move(*ids), {}};
  if (call.body.contains("state")) request.change.closed = state == "closed";
  if (call.body.contains("label")) request.change.label = *parsed_label;
  if (call.body.contains("note")) request.change.note = note;
  request.change.by = call.identity.username;
  request.change.at_ms = call.now_ms;
  return request;
}

void audit_marks(Services& services, const Call& call, const std::vector<EventId>& ids) {
  boost::json::object detail = call.body;
  detail.erase("events");
  detail["count"] = ids.size();
  services.audit(call, "event.triage", ids.size() == 1 ? ids.front().text() : std::string(),
                 std::move(detail));
}

Result<void> change_own(TriageStore& store, const MarksRequest& request) {
  std::vector<std::pair<EventId, Triage>> changes;
  for (const EventId& id : request.ids) {
    const Triage* present = store.triage_of(id);
    Triage next = present == nullptr ? Triage() : *present;
    if (request.change.closed) next.closed = *request.change.closed;
    if (request.change.label) next.label = *request.change.label;
    if (request.change.note) next.note = *request.change.note;
    next.by = request.change.by;
    next.at_ms = request.change.at_ms;
    changes.emplace_back(id, std::move(next));
  }
  return store.set_triage(changes);
}

void set_marks(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  auto request = read_marks_request(*call);
  if (!request) return respond(problem_of(request.error()));
  if (!services.shared_triage) {
    if (auto saved = change_own(*services.triage_store, *request); !saved)
      return respond(problem_of(saved.error()));
    audit_marks(services, *call, request->ids);
    return respond(marks_of(*services.triage_store, request->ids));
  }
  const Respond written = [&services, call, ids = request->ids, respond](HttpResponse answer) {
    if (answer.status == 200) audit_marks(services, *call, ids);
    respond(std::move(answer));
  };
  ask_shared(services, *call, written, [request = std::move(*request)](SharedTriage& shared) {
    return shared_marks(shared.change(request.ids, request.change));
  });
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

HttpResponse pins_answer(const std::vector<std::pair<EventId, Pin>>& pins, bool masked) {
  boost::json::array list;
  for (const auto& [id, pin] : pins) {
    Pin shown = pin;
    if (masked) shown.event = masked_event(shown.event);
    list.emplace_back(pin_json(id, shown));
  }
  return HttpResponse::json(200, boost::json::object{{"pins", std::move(list)}});
}

void list_pins(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  if (services.shared_triage)
    return ask_shared(services, *call, respond, [masked = call->identity.masked](SharedTriage& shared) {
      const auto pins = shared.pins();
      return pins ? pins_answer(*pins, masked) : problem_of(pins.error());
    });
  const auto& own = services.triage_store->pins();
  std::vector<std::pair<EventId, Pin>> pins(own.begin(), own.end());
  std::sort(pins.begin(), pins.end(),
            [](const auto& a, const auto& b) { return a.second.at_ms > b.second.at_ms; });
  respond(pins_answer(pins, call->identity.masked));
}

// A copy of the event goes to where consoles share it.
void pin_shared(Services& services, const std::shared_ptr<Call>& call, const EventId& id,
                const Respond& respond) {
  const Respond written = [&services, call, id, respond](HttpResponse answer) {
    if (answer.status == 200) services.audit(*call, "event.pin", id.text());
    respond(std::move(answer));
  };
  ask_shared(services, *call, written,
             [id, by = call->identity.username, now_ms = call->now_ms](SharedTriage& shared) {
               const auto pin = shared.pin(id, {by, now_ms, {}});
               return pin ? HttpResponse::json(200, pin_json(id, *pin)) : problem_of(pin.error());
             });
}

void pin_event(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  const auto id = EventId::parse(call->path[0]);
  if (!id) return respond(problem(kNotFound, "The ring does not hold this event."));
  if (services.shared_triage) return pin_shared(services, call, *id, respond);
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

HttpResponse unpinned(const Result<bool>& done) {
  if (!done) return problem_of(done.error());
  return *done ? HttpResponse::empty(204) : problem(kNotFound, "This event is not pinned.");
}

void unpin_event(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  const auto id = EventId::parse(call->path[0]);
  const Respond written = [&services, call, respond](HttpResponse answer) {
    if (answer.status == 204) services.audit(*call, "event.unpin", call->path[0]);
    respond(std::move(answer));
  };
  if (!id) return respond(unpinned(false));
  if (!services.shared_triage) return written(unpinned(services.triage_store->unpin(*id)));
  ask_shared(services, *call, written,
             [id = *id](SharedTriage& shared) { return unpinned(shared.unpin(id)); });
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
          .by(services, read_marks),
      operation("POST", "/api/v1/triage", Role::kOperator, "setTriage",
                "Say something of up to 500 events; absent members stay")
          .takes("MarksRequest")
          .answers("Marks")
          .by(services, set_marks),
      operation("GET", "/api/v1/pins", Role::kViewer, "listPins", "Pinned events, the last pinned first")
          .answers("Pins")
          .by(services, list_pins),
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
