#include "console/events/report.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace wafd::console {
namespace {

namespace json = boost::json;
using forward::say;
using forward::translated;
using forward::TrendSums;

std::uint64_t count_of(const forward::ActionCounts& counts, Action action) {
  return counts[static_cast<std::size_t>(action)];
}

std::uint64_t all_of(const forward::ActionCounts& counts) { return counts[0] + counts[1] + counts[2]; }

void put(json::object& out, const forward::ActionCounts& counts) {
  for (const Action action : {Action::kDeny, Action::kMonitor, Action::kAllow})
    out[to_string(action)] = count_of(counts, action);
}

using Row = std::pair<std::string, forward::ActionCounts>;

// Those with most events first.
std::vector<Row> top(const std::map<std::string, forward::ActionCounts>& counts, std::size_t most) {
  std::vector<Row> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return all_of(a.second) > all_of(b.second); });
  if (rows.size() > most) rows.resize(most);
  return rows;
}

json::array top_json(const std::map<std::string, forward::ActionCounts>& counts,
                     const std::function<std::string(std::string_view)>& name) {
  json::array out;
  for (const Row& row : top(counts, kReportRows)) {
    json::object object{{"value", row.first}, {"name", name ? name(row.first) : row.first}};
    put(object, row.second);
    out.push_back(std::move(object));
  }
  return out;
}

json::object totals_json(const TrendSums& sums) {
  json::object out{{"requests", sums.requests}, {"unjudged", sums.unjudged}};
  put(out, sums.events);
  return out;
}

int number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

json::object report_json(const forward::TrendQuery& query, const TrendSums& sums, const TrendSums& before,
                         const ReportNames& names) {
  json::array buckets;
  for (const TrendSums::Bucket& bucket : sums.buckets) {
    json::object object{{"t", bucket.begin_ms}, {"requests", bucket.requests}};
    put(object, bucket.events);
    buckets.push_back(std::move(object));
  }
  return {{"from", query.from_ms},
          {"to", query.to_ms},
          {"begins_ms", sums.begins_ms == 0 ? json::value() : json::value(sums.begins_ms)},
          {"bucket_ms", sums.bucket_ms},
          {"buckets", std::move(buckets)},
          {"totals", totals_json(sums)},
          {"before", totals_json(before)},
          {"sites", top_json(sums.sites, names.site)},
          {"rules", top_json(sums.rules, names.rule)},
          {"types", top_json(sums.types, {})}};
}

std::vector<forward::Words> report_lines(const TrendSums& sums, const TrendSums& before,
                                         const ReportNames& names) {
  constexpr std::size_t kMostInMail = 5;
  std::vector<forward::Words> out;
  const auto line = [&](std::string_view what, std::uint64_t now, std::uint64_t then) {
    out.push_back(say("{}: {} (the week before: {})", translated(what), now, then));
  };
  line("Requests", sums.requests, before.requests);
  line("Blocked", count_of(sums.events, Action::kDeny), count_of(before.events, Action::kDeny));
  line("Would have been blocked", count_of(sums.events, Action::kMonitor),
       count_of(before.events, Action::kMonitor));
  line("Passed unjudged", sums.unjudged, before.unjudged);
  const auto list = [&](std::string_view what, const std::map<std::string, forward::ActionCounts>& counts,
                        const std::function<std::string(std::string_view)>& name) {
    for (const Row& row : top(counts, kMostInMail))
      out.push_back(
          say("{} {}: {}", translated(what), name ? name(row.first) : row.first, all_of(row.second)));
  };
  list("Attack type", sums.types, {});
  list("Site", sums.sites, names.site);
  list("Rule", sums.rules, names.rule);
  return out;
}

bool week_of_report(std::int64_t now_ms, std::string_view local, ReportWeek& out) {
  namespace chrono = std::chrono;
  constexpr int kFromHour = 8;
  constexpr std::int64_t kDayMs = 24 * forward::kHourMs;
  if (local.size() < 19) return false;
  const chrono::year_month_day day{chrono::year(number(local.substr(0, 4))),
                                   chrono::month(static_cast<unsigned>(number(local.substr(5, 2)))),
                                   chrono::day(static_cast<unsigned>(number(local.substr(8, 2))))};
  if (!day.ok()) return false;
  const chrono::days since_monday = chrono::weekday(chrono::sys_days(day)) - chrono::Monday;
  const int hour = number(local.substr(11, 2)), minute = number(local.substr(14, 2)),
            second = number(local.substr(17, 2));
  out.late = since_monday.count() > 0;
  if (hour < kFromHour && !out.late) return false;
  const std::int64_t of_day_ms = ((hour * 60 + minute) * 60 + second) * 1000ll;
  out.to_ms = (now_ms - of_day_ms) / 1000 * 1000 - since_monday.count() * kDayMs;
  out.due_ms = out.to_ms + kFromHour * forward::kHourMs;
  out.from_ms = out.to_ms - 7 * kDayMs;
  const auto text = [](chrono::sys_days of) {
    const chrono::year_month_day at(of);
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(at.year()), static_cast<unsigned>(at.month()),
                       static_cast<unsigned>(at.day()));
  };
  const chrono::sys_days today = chrono::sys_days(day) - since_monday;
  out.id = "report-" + text(today);
  out.title = forward::say("report of the week from {} to {}", text(today - chrono::days(7)),
                           text(today - chrono::days(1)));
  return true;
}

}  // namespace wafd::console
