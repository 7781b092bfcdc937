// Parts of answers about events that are the same wherever the events come from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "console/events/search.h"

namespace wafd::console {

// A list that has just begun is shown as a minute, not as an instant.
inline constexpr std::int64_t kLeastSpanMs = 60'000;

// The histogram begins at the oldest record where that is later than what was asked for.
inline std::int64_t histogram_begin(const EventFilter& filter, std::int64_t oldest_ms) {
  return filter.from_ms > 0 ? std::max(filter.from_ms, std::min(oldest_ms, filter.to_ms - kLeastSpanMs))
                            : std::min(oldest_ms, filter.to_ms - 1);
}

// `object`, a JSON object's text, with one more member at its end.
inline std::string with_member(std::string object, std::string_view name, std::string_view value) {
  object.pop_back();
  object += fmt::format("{}\"{}\":{}}}", object.size() > 1 ? "," : "", name, value);
  return object;
}

// The member `fleet` of an answer: whether its database was asked.
inline std::string fleet_answered() { return R"({"answered":true,"why":""})"; }
inline std::string fleet_did_not_answer(std::string_view why) {
  return boost::json::serialize(boost::json::object{{"answered", false}, {"why", why}});
}

}  // namespace wafd::console
