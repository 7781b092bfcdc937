#include "forward/io/postgres/fleet_tail.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "forward/io/postgres/array_literal.h"

namespace wafd::forward {
namespace {

constexpr std::int64_t kOverlapUs = FleetTail::kOverlapMs * 1000;

// Those who watch the same from the same time on, as one part of the statement.
struct TailPart {
  const FleetFilter* filter = nullptr;
  std::string key;            // of the filter
  std::int64_t since_us = 0;  // looked at from kOverlapUs before it

  std::int64_t looked_us() const noexcept { return since_us - kOverlapUs; }
};

struct TailPlan {
  std::vector<TailPart> parts;
  std::vector<std::size_t> part_of;    // each who watches
  std::vector<std::int64_t> begin_us;  // where each goes on, which may be before what is looked at
};

struct TailRow {
  std::string day;
  EventId id;
  std::int64_t stored_us = 0;
};

struct TailRows {
  std::vector<TailRow> rows;  // the newest first
  std::uint64_t matches = 0;  // behind `since`, with those that are not in `rows`
  std::string failed;         // why nothing could be asked for it
};

struct TailAnswer {
  std::vector<TailRows> parts;
  std::int64_t oldest_us = 0;  // of the rows that were compared
  bool cut = false;            // there were older ones
};

std::string filter_key(const FleetFilter& filter) {
  const FleetWhere where(filter);
  std::string key = where.text();
  for (const std::string& parameter : where.parameters()) key.append(1, '\0').append(parameter);
  return key;
}

std::string at_us(std::int64_t us) {
  return fmt::format("'epoch'::timestamptz + {}::bigint * interval '1 microsecond'", us);
}

constexpr std::string_view kStoredUs = "(extract(epoch FROM stored) * 1000000)::bigint";

// The rows that came are read once, whatever is asked of them.
PgResult<void> ask_parts(PgConnection& connection, const std::vector<TailPart>& parts,
                         const std::vector<std::size_t>& which, TailAnswer& out) {
  std::int64_t since_us = INT64_MAX;
  for (const std::size_t i : which) since_us = std::min(since_us, parts[i].looked_us());
  std::string sql = fmt::format(
      "WITH recent AS MATERIALIZED (SELECT * FROM wafd_events WHERE stored > {} ORDER BY stored DESC LIMIT "
      "{}) SELECT -1 AS part, '', '', coalesce(min({}), 0), count(*) FROM recent",
      at_us(since_us), FleetTail::kMaxRows, kStoredUs);
  std::vector<std::string> parameters;
  for (const std::size_t i : which) {
    const FleetWhere where(*parts[i].filter, std::move(parameters));
    sql += fmt::format(
        " UNION ALL (SELECT {}, day::text, replace(event_id::text, '-', ''), {}, "
        "count(*) FILTER (WHERE stored > {}) OVER () FROM {} WHERE stored > {} AND {} "
        "ORDER BY stored DESC, time DESC, event_id LIMIT {})",
        i, kStoredUs, at_us(parts[i].since_us), where.from({}, "recent"), at_us(parts[i].looked_us()),
        where.text(), FleetTail::kMaxMatches);
    parameters = where.parameters();
  }
  const auto answer = connection.run(sql, parameters);
  if (!answer) return tl::unexpected(answer.error());
  for (int row = 0; row < PQntuples(answer->get()); ++row) {
    const auto number = [&](int column) {
      return std::strtoll(PQgetvalue(answer->get(), row, column), nullptr, 10);
    };
    if (number(0) < 0) {
      out.oldest_us = std::max<std::int64_t>(out.oldest_us, number(3));
      out.cut |= number(4) >= static_cast<std::int64_t>(FleetTail::kMaxRows);
      continue;
    }
    TailRows& part = out.parts[static_cast<std::size_t>(number(0))];
    part.matches = static_cast<std::uint64_t>(number(4));
    part.rows.push_back({PQgetvalue(answer->get(), row, 1),
                         EventId::parse(PQgetvalue(answer->get(), row, 2)).value_or(EventId()), number(3)});
  }
  return {};
}

// Of the statement, not of the connection or the server.
bool is_refused(const PgError& error) noexcept { return !is_lost(error) && !goes_away(error); }

// One whose filter the database refuses keeps nobody else from being told. Answers what was refused last.
PgResult<std::optional<PgError>> ask_apart(PgConnection& connection, const std::vector<TailPart>& parts,
                                           const std::vector<std::size_t>& which, TailAnswer& out) {
  std::optional<PgError> refused;
  auto asked = ask_parts(connection, parts, which, out);
  if (asked) return refused;
  if (!is_refused(asked.error())) return tl::unexpected(std::move(asked.error()));
  for (const std::size_t one : which) {
    if (which.size() > 1) asked = ask_parts(connection, parts, {one}, out);
    if (asked) continue;
    if (!is_refused(asked.error())) return tl::unexpected(std::move(asked.error()));
    out.parts[one].failed = asked.error().what;
    refused = std::move(asked.error());
  }
  return refused;
}

// All of them; an error if none is answered.
PgResult<void> ask_all(PgConnection& connection, const std::vector<TailPart>& parts,
                       const std::vector<std::size_t>& which, TailAnswer& out) {
  std::optional<PgError> refused;
  for (std::size_t at = 0; at < which.size(); at += FleetTail::kMaxFilters) {
    const std::size_t end = std::min(which.size(), at + FleetTail::kMaxFilters);
    auto asked = ask_apart(connection, parts, {which.data() + at, which.data() + end}, out);
    if (!asked) return tl::unexpected(std::move(asked.error()));
    if (*asked) refused = std::move(*asked);
  }
  const auto answered = [&](std::size_t one) { return out.parts[one].failed.empty(); };
  if (refused && std::none_of(which.begin(), which.end(), answered))
    return tl::unexpected(std::move(*refused));
  return {};
}

// How many rows there are behind each `from` and before `to`, the newest kMaxRows of them counted.
PgResult<std::map<std::int64_t, std::uint64_t>> rows_before(PgConnection& connection,
                                                            const std::set<std::int64_t>& from_us,
                                                            std::int64_t to_us) {
  std::map<std::int64_t, std::uint64_t> out;
  if (from_us.empty()) return out;
  std::string counts;
  for (const std::int64_t from : from_us)
    counts += fmt::format("{}count(*) FILTER (WHERE stored > {})", counts.empty() ? "" : ", ", at_us(from));
  const auto answer = connection.run(
      fmt::format("SELECT {} FROM (SELECT stored FROM wafd_events WHERE stored > {} AND stored < {} "
                  "ORDER BY stored DESC LIMIT {}) AS before",
                  counts, at_us(*from_us.begin()), at_us(to_us), FleetTail::kMaxRows));
  if (!answer) return tl::unexpected(answer.error());
  int column = 0;
  for (const std::int64_t from : from_us)
    out[from] = std::strtoull(PQgetvalue(answer->get(), 0, column++), nullptr, 10);
  return out;
}

PgResult<std::vector<FleetEvent>> events_of(PgConnection& connection, const std::vector<TailRow>& rows) {
  const std::string parameters[] = {array_literal(rows, [](const TailRow& row) { return row.day; }),
                                    array_literal(rows, [](const TailRow& row) { return row.id.text(); })};
  const auto answer = connection.run(
      fmt::format("SELECT {} FROM wafd_events JOIN unnest($1::date[], $2::uuid[]) AS wanted(on_day, id) ON "
                  "day = on_day AND event_id = id ORDER BY stored, time, event_id",
                  fleet_event_columns()),
      parameters);
  if (!answer) return tl::unexpected(answer.error());
  std::vector<FleetEvent> events;
  events.reserve(static_cast<std::size_t>(PQntuples(answer->get())));
  for (int row = 0; row < PQntuples(answer->get()); ++row) events.push_back(fleet_event_at(*answer, row));
  return events;
}

TailPlan plan_of(const std::vector<FleetTail::Watch>& watches, std::int64_t upto_us, std::int64_t now_us) {
  TailPlan plan;
  std::map<std::pair<std::int64_t, std::string>, std::size_t> known;
  for (const FleetTail::Watch& watch : watches) {
    std::int64_t begin_us = upto_us, since_us = upto_us;
    if (watch.first) {  // the place is what a browser says
      begin_us = std::clamp<std::int64_t>(watch.after_us.value_or(now_us), 0, now_us);
      since_us = std::max(begin_us, now_us - FleetTail::kMaxBackMs * 1000);
    }
    std::string key = filter_key(*watch.filter);
    const auto [at, fresh] = known.emplace(std::pair(since_us, key), plan.parts.size());
    if (fresh) plan.parts.push_back({watch.filter.get(), std::move(key), since_us});
    plan.part_of.push_back(at->second);
    plan.begin_us.push_back(begin_us);
  }
  return plan;
}

// Matches behind `since` that are not among the rows.
std::uint64_t left_out(const TailRows& part, std::int64_t since_us) {
  const auto there = std::count_if(part.rows.begin(), part.rows.end(),
                                   [&](const TailRow& row) { return row.stored_us > since_us; });
  return part.matches - std::min(part.matches, static_cast<std::uint64_t>(there));
}

// The rows that each live tail gets in this look.
struct TailChoice {
  std::vector<std::vector<const TailRow*>> given;
  std::map<EventId, const TailRow*> wanted;  // of all together
};

// `seen`: what those who took part in the last look were given.
TailChoice choose(const std::vector<FleetTail::Watch>& watches, const TailPlan& plan,
                  const TailAnswer& answer, const std::map<EventId, std::int64_t>& seen,
                  FleetTail::Look& out) {
  TailChoice choice;
  choice.given.resize(watches.size());
  for (std::size_t i = 0; i < watches.size(); ++i) {
    const FleetTail::Watch& watch = watches[i];
    const TailRows& part = answer.parts[plan.part_of[i]];
    out.found[i].failed = part.failed;
    if (watch.first && !watch.after_us) continue;
    out.found[i].skipped = left_out(part, plan.parts[plan.part_of[i]].since_us);
    for (const TailRow& row : part.rows) {
      if (!watch.first && seen.contains(row.id)) continue;
      if (choice.given[i].size() >= FleetTail::kMaxEvents) {
        ++out.found[i].skipped;
        continue;
      }
      choice.given[i].push_back(&row);
      choice.wanted.emplace(row.id, &row);
    }
  }
  return choice;
}

void keep_newest(TailChoice& choice, std::size_t most) {
  std::vector<std::pair<std::int64_t, EventId>> order;
  order.reserve(choice.wanted.size());
  for (const auto& [id, row] : choice.wanted) order.emplace_back(row->stored_us, id);
  std::sort(order.rbegin(), order.rend());
  for (; order.size() > most; order.pop_back()) choice.wanted.erase(order.back().second);
}

// Reads what is wanted, and says of each who is given what.
PgResult<void> read_given(PgConnection& connection, const TailChoice& choice, FleetTail::Look& out) {
  if (!choice.wanted.empty()) {
    std::vector<TailRow> rows;
    rows.reserve(choice.wanted.size());
    for (const auto& [id, row] : choice.wanted) rows.push_back(*row);
    auto events = events_of(connection, rows);
    if (!events) return tl::unexpected(std::move(events.error()));
    out.events = std::move(*events);
  }
  std::map<EventId, std::size_t> place;
  for (std::size_t i = 0; i < out.events.size(); ++i) place[out.events[i].place.id] = i;
  for (std::size_t i = 0; i < choice.given.size(); ++i) {
    FleetTail::Found& found = out.found[i];
    for (const TailRow* row : choice.given[i]) {
      const auto at = place.find(row->id);
      if (at == place.end())
        ++found.skipped;
      else
        found.events.push_back(at->second);
    }
    std::sort(found.events.begin(), found.events.end());
  }
  return {};
}

// Rows that who watches was to be told of and that were compared with no filter: too many, or too old.
PgResult<void> count_unknown(PgConnection& connection, const TailPlan& plan, const TailAnswer& answer,
                             std::int64_t now_us, FleetTail::Look& out) {
  std::int64_t to_us = now_us - FleetTail::kMaxBackMs * 1000;
  if (answer.cut) to_us = std::max(to_us, answer.oldest_us);
  const auto lost = [&](std::size_t i) {
    const std::size_t part = plan.part_of[i];
    if (!answer.cut && plan.begin_us[i] == plan.parts[part].since_us) return false;  // it was looked at whole
    return plan.begin_us[i] < to_us && answer.parts[part].failed.empty();
  };
  std::set<std::int64_t> from_us;
  for (std::size_t i = 0; i < plan.begin_us.size(); ++i)
    if (lost(i)) from_us.insert(plan.begin_us[i]);
  auto counts = rows_before(connection, from_us, to_us);
  if (!counts) return tl::unexpected(std::move(counts.error()));
  for (std::size_t i = 0; i < plan.begin_us.size(); ++i)
    if (lost(i)) out.found[i].unknown = (*counts)[plan.begin_us[i]];
  return {};
}

}  // namespace

PgResult<FleetTail::Look> FleetTail::look(PgConnection& connection, const std::vector<Watch>& watches) {
  const auto now = FleetEvents(connection).now_us();
  if (!now) return tl::unexpected(now.error());
  const TailPlan plan = plan_of(watches, upto_us_, *now);
  std::erase_if(failed_, [&](const auto& one) { return one.second.until_us <= *now; });
  TailAnswer answer;
  answer.parts.resize(plan.parts.size());
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    if (const auto failed = failed_.find(plan.parts[i].key); failed != failed_.end())
      answer.parts[i].failed = failed->second.why;
    else
      which.push_back(i);
  }
  if (auto asked = ask_all(connection, plan.parts, which, answer); !asked)
    return tl::unexpected(std::move(asked.error()));
  for (const std::size_t i : which)
    if (!answer.parts[i].failed.empty())
      failed_[plan.parts[i].key] = {answer.parts[i].failed, *now + kFailedMs * 1000};
  Look out;
  out.upto_us = *now;
  out.found.resize(watches.size());
  TailChoice choice = choose(watches, plan, answer, seen_, out);
  if (auto counted = count_unknown(connection, plan, answer, *now, out); !counted)
    return tl::unexpected(std::move(counted.error()));
  keep_newest(choice, kMaxEventsOfAll);
  if (auto read = read_given(connection, choice, out); !read) return tl::unexpected(std::move(read.error()));
  // Only now: who asks again after an error gets them.
  std::erase_if(seen_, [&](const auto& one) { return one.second <= *now - kOverlapUs; });
  for (const TailRows& part : answer.parts)
    for (const TailRow& row : part.rows)
      if (row.stored_us > *now - kOverlapUs) seen_.emplace(row.id, row.stored_us);
  upto_us_ = *now;
  return out;
}

}  // namespace wafd::forward
