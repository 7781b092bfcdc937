#include "console/io/fleet/fleet_source.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "console/events/event_answers.h"
#include "console/events/message_text.h"
#include "console/events/tally.h"
#include "console/io/fleet/fleet_answers.h"
#include "console/io/fleet/fleet_streams.h"
#include "forward/io/postgres/fleet_groups.h"
#include "forward/io/postgres/fleet_triage.h"
#include "forward/ring/record_reader.h"

namespace wafd::console {
namespace {

using forward::FleetEvents;
using forward::PgConnection;
using forward::PgResult;

// Below it `after` is a sequence of a ring, not a time in microseconds.
constexpr std::uint64_t kLeastTimeUs = 1'000'000'000'000'000;  // 2001

// The fleet's answer, or this node's where the database does not answer. A node alone knows no triage and no
// pins, so a filter that asks for them gets the error.
template <class Fleet, class Own>
Result<std::string> either(const EventFilter& filter, const Fleet& fleet, const Own& own) {
  Result<std::string> answer = fleet();
  if (answer) return with_member(std::move(*answer), "fleet", fleet_answered());
  if (answer.error().code != ErrorCode::kIo || !filter.mark_terms.empty()) return answer;
  const std::string said = fleet_did_not_answer(answer.error().what);
  answer = own();
  if (answer) return with_member(std::move(*answer), "fleet", said);
  return answer;
}

// Why a list of this node's events goes on as that.
std::string why_of_own_page(const forward::FleetState& state) {
  return state.error.empty()
             ? "this list began while the database of the fleet did not answer: read it anew for all nodes"
             : "the database of the fleet: " + state.error;
}

boost::json::object top_json(std::string_view field, std::uint64_t total, const forward::FleetTop& top) {
  boost::json::array values;
  for (const forward::FleetValue& value : top.values) {
    Count count;
    count.actions = {value.deny, value.monitor, value.allow};
    count.last_ms = value.last_ms;
    values.emplace_back(top_row(value.value, count));
  }
  return top_answer(field, total, top.distinct, std::move(values));
}

forward::FleetGroupBy group_by(GroupBy by) noexcept {
  switch (by) {
    case GroupBy::kSources:
      return forward::FleetGroupBy::kSources;
    case GroupBy::kAttackers:
      return forward::FleetGroupBy::kAttackers;
    case GroupBy::kTuning:
      break;
  }
  return forward::FleetGroupBy::kTuning;
}

GroupsAnswer groups_of(forward::FleetGroups found) {
  GroupsAnswer out{found.total, found.distinct, 0, {}};
  for (forward::FleetGroup& group : found.groups) {
    GroupRow row{
        std::move(group.rule), std::move(group.host),    std::move(group.path), std::move(group.name),
        std::move(group.src),  std::move(group.country), std::move(group.type), group.id};
    row.risk = std::move(group.risk);
    row.actions = {group.deny, group.monitor, group.allow};
    row.first_ms = group.first_ms;
    row.last_ms = group.last_ms;
    row.sources = group.sources;
    row.attacks = group.attacks;
    row.days = group.days;
    row.other_rules = group.other_rules;
    out.rows.push_back(std::move(row));
  }
  return out;
}

void add_buckets(const std::vector<forward::FleetBucket>& buckets, TimeCounts& times) {
  for (const forward::FleetBucket& bucket : buckets)
    times.add(bucket.from_ms, ActionCounts{bucket.deny, bucket.monitor, bucket.allow});
}

}  // namespace

Result<std::string> FleetSource::list_all(const EventFilter& filter, std::size_t limit,
                                          const std::optional<forward::FleetPlace>& before) {
  struct Page {
    std::int64_t end_us = 0;
    std::vector<forward::FleetEvent> events;
  };
  const auto page = ask_fleet(database_, filter.stop, [&](PgConnection& connection) -> PgResult<Page> {
    FleetEvents events(connection);
    // Before the list is read, so that the tail misses nothing.
    const auto now = events.now_us();
    if (!now) return tl::unexpected(now.error());
    auto list = events.list(fleet_filter(filter), limit + 1, before);
    if (!list) return tl::unexpected(std::move(list.error()));
    return Page{*now, std::move(*list)};
  });
  if (!page) return tl::unexpected(page.error());
  const std::size_t shown = std::min(limit, page->events.size());
  std::string out = R"({"events":[)";
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += ',';
    append_fleet_event(page->events[i], filter.masked, out);
  }
  const bool more = page->events.size() > limit;
  out +=
      more ? fmt::format(R"(],"before":"{}")", page->events[shown - 1].place.text()) : R"(],"before":null)";
  return out + fmt::format(R"(,"end":{}}})", page->end_us);
}

Result<std::string> FleetSource::list(const EventFilter& filter, std::size_t limit,
                                      const EventPlace& before) {
  if (before.seq) {  // a page of this node's list goes on as one
    if (!filter.mark_terms.empty()) return fail(ErrorCode::kIo, why_of_own_page(database_.state()));
    auto page = own_.list(filter, limit, before);
    if (!page) return page;
    return with_member(std::move(*page), "fleet", fleet_did_not_answer(why_of_own_page(database_.state())));
  }
  std::optional<forward::FleetPlace> place;
  if (!before.text.empty()) {
    place = forward::FleetPlace::parse(before.text);
    if (!place) return fail(ErrorCode::kInvalid, "before: expected the `before` of a page");
    auto page = list_all(filter, limit, place);
    if (!page) return page;
    return with_member(std::move(*page), "fleet", fleet_answered());
  }
  return either(
      filter, [&] { return list_all(filter, limit, place); },
      [&] { return own_.list(filter, limit, before); });
}

struct FleetSource::Found {
  std::optional<forward::FleetEvent> event;
  std::string pinned;  // as the API answers it
};

Result<FleetSource::Found> FleetSource::find(const EventId& id) {
  auto found = ask_fleet(database_, {}, [&](PgConnection& connection) -> PgResult<Found> {
    auto event = FleetEvents(connection).find(id);
    if (!event) return tl::unexpected(std::move(event.error()));
    if (*event) return Found{std::move(*event), {}};
    auto pin = forward::find_fleet_pin(connection, id);
    if (!pin) return tl::unexpected(std::move(pin.error()));
    return Found{{}, *pin ? std::move((*pin)->event) : std::string()};
  });
  if (found && !found->event && found->pinned.empty())
    return fail(ErrorCode::kUnknown, "neither the fleet's database nor the ring holds this event");
  return found;
}

Result<std::string> FleetSource::detail(const EventId& id) {
  auto own = own_.detail(id);
  if (own || own.error().code != ErrorCode::kUnknown) return own;
  auto found = find(id);
  if (!found) return tl::unexpected(found.error());
  return found->event ? fleet_detail(*found->event) : std::move(found->pinned);
}

Result<boost::json::object> FleetSource::message(const EventId& id, const MessageOptions& options) {
  auto own = own_.message(id, options);
  if (own || own.error().code != ErrorCode::kUnknown) return own;
  const auto found = find(id);
  if (!found) return tl::unexpected(found.error());
  const auto& event = found->event;
  if (!event) return fail(ErrorCode::kUnknown, "the fleet's database holds a copy of this event alone");
  const forward::RecordReader members(event->record);
  forward::RecordView record;
  record.seq = event->seq;
  record.time_ms = event->place.time_ms;
  record.id = event->place.id;
  record.risk = parse_risk(members.text("risk_level")).value_or(Risk::kLow);
  record.json = event->record;
  record.detail = event->detail;
  record.reported = event->response_size.has_value();
  record.response_status = static_cast<std::uint16_t>(event->status.value_or(0));
  record.response_size = event->response_size.value_or(0);
  return record_message(record, options.target, event->node, options.zone);
}

Result<std::string> FleetSource::count_all(const EventFilter& filter, const CountOptions& options) {
  struct Counted {
    std::optional<std::int64_t> oldest_ms;
    std::int64_t begin_ms = 0;
    forward::FleetCounts counts;
  };
  const auto counted = ask_fleet(database_, filter.stop, [&](PgConnection& connection) -> PgResult<Counted> {
    FleetEvents events(connection);
    const auto oldest = events.oldest_ms();
    if (!oldest) return tl::unexpected(oldest.error());
    Counted out{*oldest, histogram_begin(filter, oldest->value_or(filter.to_ms - 1)), {}};
    forward::FleetFilter wanted = fleet_filter(filter);
    wanted.from_ms = out.begin_ms;
    auto counts = events.count(wanted, TimeCounts(out.begin_ms, filter.to_ms, options.buckets).bucket_ms(),
                               options.fields, options.values);
    if (!counts) return tl::unexpected(std::move(counts.error()));
    out.counts = std::move(*counts);
    return out;
  });
  if (!counted) return tl::unexpected(counted.error());
  TimeCounts times(counted->begin_ms, filter.to_ms, options.buckets);
  add_buckets(counted->counts.buckets, times);
  boost::json::array tops;
  for (std::size_t i = 0; i < options.fields.size(); ++i)
    tops.emplace_back(top_json(options.fields[i], counted->counts.total, counted->counts.tops[i]));
  return fmt::format(R"({{"histogram":{},"top":{},"oldest_ms":{}}})", times.json(),
                     boost::json::serialize(tops),
                     counted->oldest_ms ? fmt::format("{}", *counted->oldest_ms) : "null");
}

Result<std::string> FleetSource::count(const EventFilter& filter, const CountOptions& options) {
  for (const std::string& field : options.fields)
    if (find_field(field) == nullptr) return own_.count(filter, options);  // which says what is expected
  return either(
      filter, [&] { return count_all(filter, options); }, [&] { return own_.count(filter, options); });
}

Result<std::string> FleetSource::histogram(const EventFilter& filter, std::size_t buckets) {
  TimeCounts times(filter.from_ms, filter.to_ms, buckets);
  const auto all = [&]() -> Result<std::string> {
    forward::FleetFilter wanted = fleet_filter(filter);
    wanted.from_ms = filter.from_ms;
    const auto counts = ask_fleet(database_, filter.stop, [&](PgConnection& connection) {
      return FleetEvents(connection).count(wanted, times.bucket_ms(), {}, 0);
    });
    if (!counts) return tl::unexpected(counts.error());
    add_buckets(counts->buckets, times);
    return times.json();
  };
  return either(filter, all, [&] { return own_.histogram(filter, buckets); });
}

Result<std::string> FleetSource::top(const EventFilter& filter, std::string_view field, std::size_t limit) {
  if (find_field(field) == nullptr) return own_.top(filter, field, limit);
  const auto all = [&]() -> Result<std::string> {
    const auto counts = ask_fleet(database_, filter.stop, [&](PgConnection& connection) {
      return FleetEvents(connection).count(fleet_filter(filter), INT64_MAX, {std::string(field)}, limit);
    });
    if (!counts) return tl::unexpected(counts.error());
    return boost::json::serialize(top_json(field, counts->total, counts->tops.front()));
  };
  return either(filter, all, [&] { return own_.top(filter, field, limit); });
}

Result<std::string> FleetSource::groups(const EventFilter& filter, GroupBy by, std::size_t limit) {
  const auto all = [&]() -> Result<std::string> {
    auto groups = ask_fleet(database_, filter.stop, [&](PgConnection& connection) {
      return forward::fleet_groups(connection, fleet_filter(filter), group_by(by), limit);
    });
    if (!groups) return tl::unexpected(groups.error());
    return groups_json(groups_of(std::move(*groups)), by);
  };
  return either(filter, all, [&] { return own_.groups(filter, by, limit); });
}

std::string FleetSource::away() const {
  const std::string why = database_.down();
  return why.empty() ? why : "the database of the fleet: " + why;
}

std::unique_ptr<BodySource> FleetSource::export_events(EventFilter filter, ExportFormat format) {
  return export_fleet(database_, exports_, filter, format);
}

// A list of this node's events goes on as one: their sequences are no times.
std::unique_ptr<BodySource> FleetSource::tail_events(TailOptions options) {
  if (options.after && *options.after < kLeastTimeUs) {
    if (options.filter.mark_terms.empty()) return own_.tail_events(std::move(options));
    options.after.reset();
  }
  return tail_fleet(tails_, std::move(options));
}

}  // namespace wafd::console
