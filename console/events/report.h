// The report of a span, made of the counts by hour: for the API, and as lines of a mail.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "forward/notify/words.h"
#include "forward/trend/trend_counts.h"

namespace wafd::console {

inline constexpr std::size_t kReportRows = 20;  // of sites, rules and types, those with most events

// The name that people gave a site or a rule; its id if they gave none.
struct ReportNames {
  std::function<std::string(std::string_view uuid)> site;
  std::function<std::string(std::string_view id)> rule;
};

// Schema Report; `before` is the span of the same length before it.
boost::json::object report_json(const forward::TrendQuery& query, const forward::TrendSums& sums,
                                const forward::TrendSums& before, const ReportNames& names);
std::vector<forward::Words> report_lines(const forward::TrendSums& sums, const forward::TrendSums& before,
                                         const ReportNames& names);

// The last whole week, Monday to Sunday. It is told on Mondays from 08:00 on; who was down then may tell it
// later.
struct ReportWeek {
  std::string id;        // the same the whole week
  forward::Words title;  // "report of the week from 2026-01-26 to 2026-02-01"
  std::int64_t from_ms = 0, to_ms = 0;
  std::int64_t due_ms = 0;  // that Monday, 08:00
  bool late = false;        // it is no longer Monday
};
// `local`: now, RFC 3339 in the node's zone. False: it is Monday and before 08:00, or no time. Where clocks
// were changed since Monday a late one is an hour off.
bool week_of_report(std::int64_t now_ms, std::string_view local, ReportWeek& out);

}  // namespace wafd::console
