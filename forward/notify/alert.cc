#include "forward/notify/alert.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "forward/notify/channel.h"
#include "forward/query/event_query.h"

namespace wafd::forward {
namespace {

using Alert = AlertSettings;

constexpr std::int64_t kMaxMinutes = 24 * 60;
constexpr std::int64_t kMaxHours = 365 * 24;
constexpr std::int64_t kMaxCount = 100'000'000;

constexpr Choice<AlertWhen> kWhen[] = {
    {"matches", AlertWhen::kMatches},        {"first_seen", AlertWhen::kFirstSeen},
    {"target_dead", AlertWhen::kTargetDead}, {"gateway_silent", AlertWhen::kGatewaySilent},
    {"overload", AlertWhen::kOverload},      {"ring_reach", AlertWhen::kRingReach},
    {"node_silent", AlertWhen::kNodeSilent}};
constexpr Choice<FirstSeenOf> kOf[] = {
    {"rule", FirstSeenOf::kRule}, {"source", FirstSeenOf::kSource}, {"site", FirstSeenOf::kSite}};

void check_query(ObjectReader& in, Alert& alert) {
  if (auto query = EventQuery::parse(alert.query); !query)
    in.fail_with(fmt::format("query: at character {}: {}", query.error().offset + 1, query.error().what));
}

constexpr ObjectRow<Alert> kAlert[] = {
    rows::text<&Alert::id>("id", 1, 64, {"Made by wafd."}).made_by(MadeBy::kCaller),
    rows::plain<&Alert::name>("name", 1, 128, false, {"What people call it; stands in every message."}),
    rows::boolean<&Alert::enabled>("enabled", {"Whether it is looked at."}),
    rows::word<&Alert::when, kWhen>(
        "when", "",
        published(
            "matches: more than count events match query in minutes. first_seen: an event matches query "
            "whose `of` no event before had. target_dead: a syslog target is not up for minutes. "
            "gateway_silent: a listener that had requests has none for minutes. overload: more than "
            "count requests in minutes were not judged whole. ring_reach: the ring reaches back less "
            "than hours. node_silent: a node of the fleet has told its database nothing for minutes.")),
    rows::text<&Alert::query>("query", 0, static_cast<std::int64_t>(EventQuery::kMaxBytes),
                              {"matches, first_seen: an event query; empty: every event."})
        .checked(check_query),
    rows::integer<&Alert::count>("count", 0, kMaxCount, {"matches, overload: more than so many."})
        .range_published(),
    rows::integer<&Alert::minutes>("minutes", 1, kMaxMinutes, {"Of what is looked at together."})
        .range_published(),
    rows::word<&Alert::of, kOf>("of", "", {"first_seen: what is new."}),
    rows::integer<&Alert::hours>("hours", 1, kMaxHours, {"ring_reach: less than so many."}).range_published(),
    rows::texts<&Alert::channels>("channels", kMaxChannels, 1, 64,
                                  {"Ids of the channels that are told; empty: all."}),
    rows::answered<Alert>("etag", R"({"type": "string", "readOnly": true})",
                          {"Of the answer; sent back as If-Match."}),
};

}  // namespace

std::string_view to_string(AlertWhen when) noexcept { return rows::name_of<AlertWhen>(kWhen, when); }
std::string_view to_string(FirstSeenOf of) noexcept { return rows::name_of<FirstSeenOf>(kOf, of); }

Result<Alert> parse_alert(const boost::json::object& object) {
  Alert alert;
  ObjectReader in(object);
  if (const auto* id = object.if_contains("id"); id != nullptr && id->is_string())
    alert.id.assign(id->get_string().data(), id->get_string().size());
  in.require("name").require("when");
  read_rows(in, kAlert, alert);
  if (auto good = in.finish(); !good) return tl::unexpected(good.error());
  return alert;
}

boost::json::object to_json(const Alert& alert) { return write_rows(kAlert, alert); }

ObjectDescription describe_alert() { return describe_rows(kAlert, true); }

}  // namespace wafd::forward
