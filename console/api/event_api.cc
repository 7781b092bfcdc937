// Events: list, one event, histogram, top values, export, live tail.
#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/api/api_parts.h"
#include "console/api/routing/auth.h"
#include "console/api/routing/query_reader.h"
#include "console/base/problem.h"
#include "console/events/event_source.h"
#include "console/events/viewer_mask.h"

namespace wafd::console {
namespace {

constexpr std::int64_t kDayMs = 24ll * 3600 * 1000;

// One search under way: ends when nobody waits for it any more, or when it has taken too long.
class SearchLimit {
 public:
  static constexpr std::int64_t kMaxSearchUs = 15'000'000;

  // `superseded`: set when a newer search takes this one's place; null: none does.
  SearchLimit(const Clock& clock, Gone gone, std::shared_ptr<const std::atomic<bool>> superseded)
      : clock_(clock), gone_(std::move(gone)), superseded_(std::move(superseded)) {}
  void begin() noexcept { begun_us_ = clock_.monotonic_us(); }
  bool over() noexcept {
    if ((gone_ && gone_->load()) || superseded()) return true;
    late_ = late_ || clock_.monotonic_us() - begun_us_ > kMaxSearchUs;
    return late_;
  }
  bool late() const noexcept { return late_; }
  bool superseded() const noexcept { return superseded_ && superseded_->load(std::memory_order_relaxed); }

 private:
  const Clock& clock_;
  Gone gone_;
  std::shared_ptr<const std::atomic<bool>> superseded_;
  std::int64_t begun_us_ = 0;
  bool late_ = false;
};

// Runs a search over the events on another thread and answers with what it gives. A filter asks `limit`
// whether to go on.
void search(Services& services, const Call& call, const Respond& respond, std::function<HttpResponse()> work,
            const std::shared_ptr<SearchLimit>& limit = nullptr) {
  auto response = std::make_shared<HttpResponse>();
  services.search_in_background(
      call, respond,
      [response, work = std::move(work), limit] {
        if (limit) limit->begin();
        *response = work();
        if (limit && limit->superseded())
          *response = problem(kConflict, "A newer search of the same tab took its place.");
        else if (limit && limit->late())
          *response =
              problem(kUnavailable,
                      "The search took longer than 15 s: give it a shorter time, or fields instead of text.");
      },
      [response, respond] { respond(std::move(*response)); });
}

// The limit of this call's search, which `filter` asks from now on.
std::shared_ptr<SearchLimit> limit_of(const Services& services, const Call& call, EventFilter& filter,
                                      std::shared_ptr<const std::atomic<bool>> superseded = nullptr) {
  auto limit = std::make_shared<SearchLimit>(services.clock, call.request.gone, std::move(superseded));
  filter.stop = [limit] { return limit->over(); };
  return limit;
}

// A search that somebody types goes from letter to letter: the next one of the same `tab` of the same user
// ends the one before, which nobody waits for any more. On the console loop.
class Superseding {
 public:
  using Flag = std::shared_ptr<std::atomic<bool>>;

  // Sets what was given for them before. Empty `tab`: nothing is superseded.
  Flag next(const std::string& username, std::string_view kind, std::string_view tab) {
    if (tab.empty()) return nullptr;
    auto fresh = std::make_shared<std::atomic<bool>>(false);
    std::weak_ptr<std::atomic<bool>>& kept = running_[fmt::format("{}\n{}\n{}", username, kind, tab)];
    if (const Flag old = kept.lock()) old->store(true, std::memory_order_relaxed);
    kept = fresh;
    if (running_.size() > kSwept)
      std::erase_if(running_, [](const auto& one) { return one.second.expired(); });
    return fresh;
  }

 private:
  static constexpr std::size_t kSwept = 64;
  std::map<std::string, std::weak_ptr<std::atomic<bool>>> running_;
};

constexpr std::size_t kMaxTabBytes = 64;

// The HTTP answer for the result of an event source; `member`: the parameter that an error is about.
HttpResponse event_answer(Result<std::string> text, std::string_view member = {}) {
  if (text) return HttpResponse::json_text(200, std::move(*text));
  if (text.error().code != ErrorCode::kInvalid) return problem_of(text.error());
  return problem(kBadRequest, text.error().what, {{"member", member}});
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

// The part of `tab` that counts.
std::string_view tab_of(const Call& call) {
  return call.target.parameter("tab").value_or("").substr(0, kMaxTabBytes);
}

// The query, restricted to what the caller may see.
EventFilter filter_of(QueryReader& reader, const Call& call) {
  EventFilter filter = reader.filter();
  filter.masked = call.identity.masked;
  return filter;
}

void list_events(Services& services, Superseding& superseding, const std::shared_ptr<Call>& call,
                 const Respond& respond) {
  QueryReader reader(call->target, services.triage_store->marks());
  EventFilter filter = filter_of(reader, *call);
  const std::uint64_t limit = reader.number("limit", 100, 1, 1000);
  EventPlace before;
  if (services.fleet && call->target.parameter("before").value_or("").find('-') != std::string_view::npos)
    before.text = *call->target.parameter("before");
  else
    before.seq = reader.sequence("before");
  if (reader.refused()) return respond(std::move(*reader.refused()));
  const auto stop =
      limit_of(services, *call, filter, superseding.next(call->identity.username, "list", tab_of(*call)));
  search(
      services, *call, respond,
      [events = services.events, filter = std::move(filter), limit, before] {
        return event_answer(events->list(filter, limit, before), "before");
      },
      stop);
}

// Comma-separated names.
std::vector<std::string> names_of(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    names.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

void count(Services& services, Superseding& superseding, const std::shared_ptr<Call>& call,
           const Respond& respond) {
  QueryReader reader(call->target, services.triage_store->marks());
  EventFilter filter = filter_of(reader, *call);
  if (filter.to_ms == INT64_MAX) filter.to_ms = call->now_ms + 1;
  CountOptions options;
  options.buckets = reader.number("buckets", 60, 1, 500);
  options.values = reader.number("values", 10, 1, 100);
  if (reader.refused()) return respond(std::move(*reader.refused()));
  options.fields = names_of(call->target.parameter("top").value_or(""));
  if (options.fields.size() > top_fields().size())
    return respond(problem(kBadRequest, "top: expected each field at most once", {{"member", "top"}}));
  const auto stop =
      limit_of(services, *call, filter, superseding.next(call->identity.username, "counts", tab_of(*call)));
  search(
      services, *call, respond,
      [events = services.events, filter = std::move(filter), options = std::move(options)] {
        return event_answer(events->count(filter, options), "top");
      },
      stop);
}

void detail(Services& services, const std::shared_ptr<Call>& call, const Respond& respond, bool masked) {
  const auto id = EventId::parse(call->path[0]);
  if (!id) return respond(not_found(services.ring, id));
  const auto& pins = services.triage_store->pins();
  const auto pin = pins.find(*id);
  search(services, *call, respond,
         [&ring = services.ring, events = services.events, id = *id, masked,
          kept = pin == pins.end() ? std::string() : pin->second.event] {
           const auto text = events->detail(id);
           if (!text && kept.empty())
             return text.error().code == ErrorCode::kUnknown ? not_found(ring, id) : problem_of(text.error());
           const std::string& event = text ? *text : kept;
           return HttpResponse::json_text(200, masked ? masked_event(event) : event);
         });
}

// A viewer's look behind the mask, one event at a time, each of them written down.
void unmask(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  const User* user = services.credentials.user(call->identity.username);
  if (call->identity.masked && (user == nullptr || !user->may_unmask))
    return respond(
        problem(kForbidden, "You may not look at what is masked: an admin can give you the right."));
  services.audit(*call, "event.unmask", call->path[0]);
  detail(services, call, respond, false);
}

void count_by_time(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  QueryReader reader(call->target, services.triage_store->marks());
  EventFilter filter = filter_of(reader, *call);
  if (filter.to_ms == INT64_MAX) filter.to_ms = call->now_ms + 1;
  if (call->target.parameter("from").value_or("").empty())
    filter.from_ms = std::max<std::int64_t>(0, filter.to_ms - kDayMs);
  const std::uint64_t buckets = reader.number("buckets", 60, 1, 500);
  if (reader.refused()) return respond(std::move(*reader.refused()));
  const auto stop = limit_of(services, *call, filter);
  search(
      services, *call, respond,
      [events = services.events, filter = std::move(filter), buckets] {
        return event_answer(events->histogram(filter, buckets));
      },
      stop);
}

void count_by_value(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  QueryReader reader(call->target, services.triage_store->marks());
  EventFilter filter = filter_of(reader, *call);
  const std::uint64_t limit = reader.number("limit", 10, 1, 100);
  if (reader.refused()) return respond(std::move(*reader.refused()));
  const auto stop = limit_of(services, *call, filter);
  std::string field(call->target.parameter("field").value_or(""));
  search(
      services, *call, respond,
      [events = services.events, filter = std::move(filter), limit, field = std::move(field)] {
        return event_answer(events->top(filter, field, limit), "field");
      },
      stop);
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
  if (call->identity.masked)
    return respond(
        problem(kForbidden, "A message holds what is masked for viewers: this needs the role operator."));
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
  search(services, *call, respond,
         [&ring = services.ring, events = services.events,
          options = MessageOptions{std::move(target), services.node, services.zone}, id = *id] {
           const auto answer = events->message(id, options);
           if (answer) return HttpResponse::json(200, *answer);
           return answer.error().code == ErrorCode::kUnknown ? not_found(ring, id)
                                                             : problem_of(answer.error());
         });
}

void group(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  QueryReader reader(call->target, services.triage_store->marks());
  EventFilter filter = filter_of(reader, *call);
  const std::uint64_t limit = reader.number("limit", 100, 1, 500);
  if (reader.refused()) return respond(std::move(*reader.refused()));
  const auto by = parse_group_by(call->target.parameter("by").value_or(""));
  if (!by)
    return respond(problem(kBadRequest, "by: expected sources, attackers or tuning", {{"member", "by"}}));
  const auto stop = limit_of(services, *call, filter);
  search(
      services, *call, respond,
      [events = services.events, filter = std::move(filter), by = *by, limit] {
        return event_answer(events->groups(filter, by, limit));
      },
      stop);
}

HttpResponse export_all(Services& services, Call& call) {
  QueryReader reader(call.target, services.triage_store->marks());
  EventFilter filter = filter_of(reader, call);
  if (reader.refused()) return std::move(*reader.refused());
  const std::string_view format = call.target.parameter("format").value_or("ndjson");
  if (format != "ndjson" && format != "csv") {
    return problem(kBadRequest, "format: expected ndjson or csv", {{"member", "format"}});
  }
  const bool csv = format == "csv";
  if (const std::string why = services.events->away(); !why.empty()) return problem(kUnavailable, why);
  if (call.request.method == "GET")
    services.audit(call, "events.export", csv ? "csv" : "ndjson",
                   {{"q", call.target.parameter("q").value_or("")},
                    {"from", call.target.parameter("from").value_or("")},
                    {"to", call.target.parameter("to").value_or("")}});
  HttpResponse response;
  // Never shown by a browser: the bytes are the attackers'.
  response.headers.push_back(
      {"Content-Type", csv ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson"});
  response.headers.push_back({"Content-Disposition", csv ? "attachment; filename=\"wafd-events.csv\""
                                                         : "attachment; filename=\"wafd-events.ndjson\""});
  response.headers.push_back({"Content-Security-Policy", "sandbox; default-src 'none'"});
  response.stream =
      services.events->export_events(std::move(filter), csv ? ExportFormat::kCsv : ExportFormat::kNdjson);
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
  QueryReader reader(call.target, services.triage_store->marks());
  TailOptions options;
  options.filter = filter_of(reader, call);
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
  response.stream = services.events->tail_events(std::move(options));
  return response;
}

Parameter event_query() { return {"q", R"({"type":"string"})", "Event query"}; }
Parameter earliest() {
  return {"from", R"({"type":"string"})", "Earliest time: Unix milliseconds or RFC 3339"};
}
Parameter first_beyond() {
  return {"to", R"({"type":"string"})", "First time not wanted any more: Unix milliseconds or RFC 3339"};
}
Parameter limit_parameter(const char* schema) { return {"limit", schema, "How many at most"}; }
Parameter tab_parameter() {
  return {"tab", R"({"type":"string","maxLength":64})",
          "Any text: a newer search of the same user and `tab` ends this one (409)"};
}

std::vector<Route> search_routes(Services& services, const std::shared_ptr<Superseding>& superseding) {
  return {
      operation("GET", "/api/v1/events", Role::kViewer, "listEvents", "Events, newest first")
          .asks({event_query(),
                 earliest(),
                 first_beyond(),
                 limit_parameter(R"({"type":"integer","minimum":1,"maximum":1000,"default":100})"),
                 {"before", R"({"type":["integer","string"]})",
                  "Only events with a sequence below: the `before` of the page before"},
                 tab_parameter()})
          .answers("Events")
          .by([&services, superseding](const std::shared_ptr<Call>& call, const Respond& respond) {
            list_events(services, *superseding, call, respond);
          }),
      operation("GET", "/api/v1/events/counts", Role::kViewer, "countEvents",
                "Events over time and the commonest values of several fields, counted together")
          .asks({event_query(),
                 earliest(),
                 first_beyond(),
                 {"buckets", R"({"type":"integer","minimum":1,"maximum":500,"default":60})", "How many bars"},
                 {"top", R"({"type":"string"})", "Fields of the event query, with commas between them"},
                 {"values", R"({"type":"integer","minimum":1,"maximum":100,"default":10})",
                  "How many values of each field at most"},
                 tab_parameter()})
          .answers("EventCounts")
          .by([&services, superseding](const std::shared_ptr<Call>& call, const Respond& respond) {
            count(services, *superseding, call, respond);
          }),
  };
}

std::vector<Route> whole_routes(Services& services, const std::shared_ptr<TailPlaces>& places) {
  return {
      operation("GET", "/api/v1/events/stream", Role::kViewer, "tailEvents",
                "Live tail as server-sent events")
          .asks({event_query(),
                 earliest(),
                 first_beyond(),
                 {"after", R"({"type":"integer"})",
                  "Resume behind this sequence, in a fleet this time in microseconds; the header "
                  "Last-Event-ID does the same"}})
          .answers_text("text/event-stream")
          .by(at_once([&services, places](Call& call) { return tail(services, *places, call); })),
      operation("GET", "/api/v1/events/export", Role::kViewer, "exportEvents", "Every match as a file")
          .asks({event_query(),
                 earliest(),
                 first_beyond(),
                 {"format", R"({"type":"string","enum":["ndjson","csv"],"default":"ndjson"})", "Format"}})
          .answers_text("application/x-ndjson")
          .by(services, export_all),
  };
}

std::vector<Route> count_routes(Services& services) {
  return {
      operation("GET", "/api/v1/events/histogram", Role::kViewer, "countEventsByTime", "Events over time")
          .asks(
              {event_query(),
               earliest(),
               first_beyond(),
               {"buckets", R"({"type":"integer","minimum":1,"maximum":500,"default":60})", "How many bars"}})
          .answers("Histogram")
          .by(services, count_by_time),
      operation("GET", "/api/v1/events/top", Role::kViewer, "countEventsByValue",
                "The commonest values of a field")
          .asks({event_query(),
                 earliest(),
                 first_beyond(),
                 limit_parameter(R"({"type":"integer","minimum":1,"maximum":100,"default":10})"),
                 {"field", R"({"type":"string"})", "Field of the event query"}})
          .answers("Top")
          .by(services, count_by_value),
      operation(
          "GET", "/api/v1/events/groups", Role::kViewer, "groupEvents",
          "Events in groups: by source, by attacker (source, rule, host), or for tuning (rule, host, path, "
          "parameter)")
          .asks({event_query(),
                 earliest(),
                 first_beyond(),
                 limit_parameter(R"({"type":"integer","minimum":1,"maximum":500,"default":100})"),
                 {"by", R"({"type":"string","enum":["sources","attackers","tuning"]})", "Which groups"}})
          .answers("Groups")
          .by(services, group),
  };
}

std::vector<Route> one_event_routes(Services& services) {
  return {
      operation("GET", "/api/v1/events/fields", Role::kViewer, "listQueryFields",
                "Fields of the event query, with their values where the set is known")
          .answers("QueryFields")
          .by(at_once([](Call&) { return fields(); })),
      operation("GET", "/api/v1/events/{event_id}/syslog", Role::kViewer, "getEventMessage",
                "One event as the syslog message that a target gets")
          .asks({{"target", R"({"type":"string"})", "Id of the target; absent: default settings"}})
          .answers("EventMessage")
          .by(services, syslog_line),
      operation("GET", "/api/v1/events/{event_id}", Role::kViewer, "getEvent", "One event with its detail")
          .answers("EventDetail")
          .by([&services](const std::shared_ptr<Call>& call, const Respond& respond) {
            detail(services, call, respond, call->identity.masked);
          }),
      operation("POST", "/api/v1/events/{event_id}/unmask", Role::kViewer, "unmaskEvent",
                "One event with its detail as it was recorded; the look is written to the audit log")
          .answers("EventDetail")
          .by(services, unmask),
  };
}

}  // namespace

std::vector<Route> event_routes(Services& services) {
  std::vector<Route> out = search_routes(services, std::make_shared<Superseding>());
  for (auto& routes : {whole_routes(services, std::make_shared<TailPlaces>()), count_routes(services),
                       one_event_routes(services)})
    out.insert(out.end(), routes.begin(), routes.end());
  return out;
}

}  // namespace wafd::console
