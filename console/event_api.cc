// Events: list, one event, histogram, top values, export, live tail.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "console/api_parts.h"
#include "console/auth.h"
#include "console/base/problem.h"
#include "console/events/groups.h"
#include "console/events/message_text.h"
#include "console/events/search.h"
#include "console/events/streams.h"
#include "console/query_reader.h"

namespace wafd::console {
namespace {

constexpr std::int64_t kDayMs = 24ll * 3600 * 1000;

// Runs a search over the ring on another thread and answers with what it gives.
void search(Services& services, const Respond& respond, std::function<HttpResponse()> work) {
  auto response = std::make_shared<HttpResponse>();
  const bool taken = services.background.run([response, work = std::move(work)] { *response = work(); },
                                             [response, respond] { respond(std::move(*response)); });
  if (!taken) respond(problem_retry(kUnavailable, "Too many searches at once: try again.", 1));
}

HttpResponse not_found(const forward::Ring& ring, const std::optional<EventId>& id) {
  if (id && id->is_unjudged())
    return problem(kNotFound,
                   "There is no event of this id: the request came too late to be judged and was blocked "
                   "(ingest.on_overload).");
  boost::json::object extra;
  extra["oldest_seq"] = ring.oldest();
  extra["oldest_ms"] =
      ring.oldest() == ring.end() ? boost::json::value() : boost::json::value(ring.oldest_time_ms());
  return problem(kNotFound,
                 "The ring does not hold this event: it never did, or newer ones have taken its place.",
                 std::move(extra));
}

void list(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  QueryReader reader(call->target, services.notebook->marks());
  EventFilter filter = reader.filter();
  const std::uint64_t limit = reader.number("limit", 100, 1, 1000);
  const auto before = reader.sequence("before");
  if (reader.refused()) return respond(std::move(*reader.refused()));
  search(services, respond, [&ring = services.ring, filter = std::move(filter), limit, before] {
    return HttpResponse::json_text(200, list_events(ring, filter, limit, before));
  });
}

void detail(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  const auto id = EventId::parse(call->path[0]);
  if (!id) return respond(not_found(services.ring, id));
  const auto& pins = services.notebook->pins();
  const auto pin = pins.find(*id);
  search(services, respond,
         [&ring = services.ring, id = *id, kept = pin == pins.end() ? std::string() : pin->second.event] {
           auto text = event_detail(ring, id);
           if (text) return HttpResponse::json_text(200, std::move(*text));
           return kept.empty() ? not_found(ring, id) : HttpResponse::json_text(200, kept);
         });
}

void count_by_time(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  QueryReader reader(call->target, services.notebook->marks());
  EventFilter filter = reader.filter();
  if (filter.to_ms == INT64_MAX) filter.to_ms = call->now_ms + 1;
  if (call->target.parameter("from").value_or("").empty())
    filter.from_ms = std::max<std::int64_t>(0, filter.to_ms - kDayMs);
  const std::uint64_t buckets = reader.number("buckets", 60, 1, 500);
  if (reader.refused()) return respond(std::move(*reader.refused()));
  search(services, respond, [&ring = services.ring, filter = std::move(filter), buckets] {
    return HttpResponse::json_text(200, histogram(ring, filter, buckets));
  });
}

void count_by_value(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  QueryReader reader(call->target, services.notebook->marks());
  EventFilter filter = reader.filter();
  const std::uint64_t limit = reader.number("limit", 10, 1, 100);
  if (reader.refused()) return respond(std::move(*reader.refused()));
  std::string field(call->target.parameter("field").value_or(""));
  search(services, respond,
         [&ring = services.ring, filter = std::move(filter), limit, field = std::move(field)] {
           auto text = top_values(ring, filter, field, limit);
           if (text) return HttpResponse::json_text(200, std::move(*text));
           return problem(kBadRequest, text.error().what, {{"member", "field"}});
         });
}

HttpResponse fields() {
  boost::json::array list;
  for (const forward::QueryField& field : forward::query_fields()) {
    boost::json::array values;
    for (const std::string_view value : field.values) values.emplace_back(value);
    list.push_back({{"name", field.name}, {"help", field.help}, {"values", std::move(values)}});
  }
  boost::json::array words;
  for (const std::string_view word : mark_words()) words.emplace_back(word);
  list.push_back({{"name", "is"}, {"help", "what people said of it"}, {"values", std::move(words)}});
  boost::json::object answer;
  answer["fields"] = std::move(list);
  return HttpResponse::json(200, answer);
}

// The message of one event as a target gets it, or as one with default settings would.
void syslog_line(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  const auto id = EventId::parse(call->path[0]);
  if (!id) return respond(not_found(services.ring, id));
  forward::TargetSettings target;
  target.max_message_bytes = 65536;
  const std::string_view wanted = call->target.parameter("target").value_or("");
  if (!wanted.empty()) {
    const auto& targets = services.settings.current().targets;
    const auto found =
        std::find_if(targets.begin(), targets.end(), [&](const auto& one) { return one.id == wanted; });
    if (found == targets.end())
      return respond(problem(kNotFound, "There is no target of that id.", {{"member", "target"}}));
    target = *found;
  }
  search(services, respond,
         [&ring = services.ring, target = std::move(target), node = services.node, zone = services.zone,
          id = *id] {
           auto answer = event_message(ring, id, target, node, zone);
           return answer ? HttpResponse::json(200, *answer) : not_found(ring, id);
         });
}

void group(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  QueryReader reader(call->target, services.notebook->marks());
  EventFilter filter = reader.filter();
  const std::uint64_t limit = reader.number("limit", 100, 1, 500);
  if (reader.refused()) return respond(std::move(*reader.refused()));
  const auto by = parse_group_by(call->target.parameter("by").value_or(""));
  if (!by) return respond(problem(kBadRequest, "by: expected attackers or tuning", {{"member", "by"}}));
  search(services, respond, [&ring = services.ring, filter = std::move(filter), by = *by, limit] {
    return HttpResponse::json_text(200, group_events(ring, filter, by, limit));
  });
}

HttpResponse export_all(Services& services, Call& call) {
  QueryReader reader(call.target, services.notebook->marks());
  EventFilter filter = reader.filter();
  if (reader.refused()) return std::move(*reader.refused());
  const std::string_view format = call.target.parameter("format").value_or("ndjson");
  if (format != "ndjson" && format != "csv") {
    return problem(kBadRequest, "format: expected ndjson or csv", {{"member", "format"}});
  }
  const bool csv = format == "csv";
  HttpResponse response;
  // Never shown by a browser: the octets are the attackers'.
  response.headers.push_back(
      {"Content-Type", csv ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson"});
  response.headers.push_back({"Content-Disposition", csv ? "attachment; filename=\"wafd-events.csv\""
                                                         : "attachment; filename=\"wafd-events.ndjson\""});
  response.headers.push_back({"Content-Security-Policy", "sandbox; default-src 'none'"});
  response.stream =
      export_events(services.ring, std::move(filter), csv ? ExportFormat::kCsv : ExportFormat::kNdjson);
  return response;
}

// How many live tails are open: each keeps a connection, and who is inside is never made to leave.
class TailPlaces : public std::enable_shared_from_this<TailPlaces> {
 public:
  static constexpr std::size_t kOfOneUser = 32;
  static constexpr std::size_t kInAll = 256;

  // Kept as long as the tail; null: no place.
  std::shared_ptr<void> take(const std::string& username) {
    std::size_t& of_user = taken_[username];
    if (in_all_ >= kInAll || of_user >= kOfOneUser) return nullptr;
    ++of_user;
    ++in_all_;
    return {this, [self = shared_from_this(), username](void*) { self->give_back(username); }};
  }

 private:
  void give_back(const std::string& username) {
    --in_all_;
    if (--taken_[username] == 0) taken_.erase(username);
  }

  std::map<std::string, std::size_t> taken_;
  std::size_t in_all_ = 0;
};

HttpResponse tail(Services& services, TailPlaces& places, Call& call) {
  QueryReader reader(call.target, services.notebook->marks());
  TailOptions options;
  options.filter = reader.filter();
  options.after = reader.sequence("after");
  if (reader.refused()) return std::move(*reader.refused());
  if (const auto last = call.request.header("Last-Event-ID")) {
    std::uint64_t seq = 0;
    bool digits = !last->empty() && last->size() <= 18;
    for (const char c : *last) {
      digits = digits && c >= '0' && c <= '9';
      if (digits) seq = seq * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (digits) options.after = seq;
  }
  auto place = places.take(call.identity.username);
  if (!place) {
    return problem_retry(kTooMany, "At most 32 live tails of one user, and 256 in all.", 10);
  }
  options.ended = [&services, identity = call.identity, place = std::move(place)](std::int64_t now_ms) {
    return std::string(still_good(identity, services.credentials, now_ms) ? "" : "session");
  };
  HttpResponse response;
  response.headers.push_back({"Content-Type", "text/event-stream"});
  response.stream = tail_events(services.ring, std::move(options));
  return response;
}

}  // namespace

std::vector<Route> event_routes(Services& services) {
  const std::string json = "application/json";
  const auto places = std::make_shared<TailPlaces>();
  const Parameter q{"q", R"({"type":"string"})", "Event query"};
  const Parameter from{"from", R"({"type":"string"})", "Earliest time: Unix milliseconds or RFC 3339"};
  const Parameter to{"to", R"({"type":"string"})",
                     "First time not wanted any more: Unix milliseconds or RFC 3339"};
  const auto limit = [](const char* schema) { return Parameter{"limit", schema, "How many at most"}; };
  return {
      {"GET",
       "/api/v1/events",
       Role::kViewer,
       "listEvents",
       "Events, newest first",
       {q,
        from,
        to,
        limit(R"({"type":"integer","minimum":1,"maximum":1000,"default":100})"),
        {"before", R"({"type":"integer"})",
         "Only events with a sequence below: the `before` of the page before"}},
       "",
       200,
       "Events",
       json,
       [&services](const std::shared_ptr<Call>& call, const Respond& respond) {
         list(services, call, respond);
       }},
      {"GET",
       "/api/v1/events/stream",
       Role::kViewer,
       "tailEvents",
       "Live tail as server-sent events",
       {q,
        from,
        to,
        {"after", R"({"type":"integer"})",
         "Resume behind this sequence; the header Last-Event-ID does the same"}},
       "",
       200,
       "",
       "text/event-stream",
       at_once([&services, places](Call& call) { return tail(services, *places, call); })},
      {"GET",
       "/api/v1/events/export",
       Role::kViewer,
       "exportEvents",
       "Every match as a file",
       {q, from, to, {"format", R"({"type":"string","enum":["ndjson","csv"],"default":"ndjson"})", "Format"}},
       "",
       200,
       "",
       "application/x-ndjson",
       at_once([&services](Call& call) { return export_all(services, call); })},
      {"GET",
       "/api/v1/events/histogram",
       Role::kViewer,
       "countEventsByTime",
       "Events over time",
       {q,
        from,
        to,
        {"buckets", R"({"type":"integer","minimum":1,"maximum":500,"default":60})", "How many bars"}},
       "",
       200,
       "Histogram",
       json,
       [&services](const std::shared_ptr<Call>& call, const Respond& respond) {
         count_by_time(services, call, respond);
       }},
      {"GET",
       "/api/v1/events/top",
       Role::kViewer,
       "countEventsByValue",
       "The commonest values of a field",
       {q,
        from,
        to,
        limit(R"({"type":"integer","minimum":1,"maximum":100,"default":10})"),
        {"field", R"({"type":"string"})", "Field of the event query"}},
       "",
       200,
       "Top",
       json,
       [&services](const std::shared_ptr<Call>& call, const Respond& respond) {
         count_by_value(services, call, respond);
       }},
      {"GET",
       "/api/v1/events/groups",
       Role::kViewer,
       "groupEvents",
       "Events in groups: by attacker (source, rule, host), or for tuning (rule, host, path, parameter)",
       {q,
        from,
        to,
        limit(R"({"type":"integer","minimum":1,"maximum":500,"default":100})"),
        {"by", R"({"type":"string","enum":["attackers","tuning"]})", "Which groups"}},
       "",
       200,
       "Groups",
       json,
       [&services](const std::shared_ptr<Call>& call, const Respond& respond) {
         group(services, call, respond);
       }},
      {"GET",
       "/api/v1/events/fields",
       Role::kViewer,
       "listQueryFields",
       "Fields of the event query, with their values where the set is known",
       {},
       "",
       200,
       "QueryFields",
       json,
       at_once([](Call&) { return fields(); })},
      {"GET",
       "/api/v1/events/{event_id}/syslog",
       Role::kViewer,
       "getEventMessage",
       "One event as the syslog message that a target gets",
       {{"target", R"({"type":"string"})", "Id of the target; absent: default settings"}},
       "",
       200,
       "EventMessage",
       json,
       [&services](const std::shared_ptr<Call>& call, const Respond& respond) {
         syslog_line(services, call, respond);
       }},
      {"GET",
       "/api/v1/events/{event_id}",
       Role::kViewer,
       "getEvent",
       "One event with its detail",
       {},
       "",
       200,
       "EventDetail",
       json,
       [&services](const std::shared_ptr<Call>& call, const Respond& respond) {
         detail(services, call, respond);
       }},
  };
}

}  // namespace wafd::console
