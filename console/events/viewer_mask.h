// An event for those who may not see attack data: what it was, where and from whom, without the
// bytes. Pure.
#pragma once

#include <string>
#include <string_view>

namespace wafd::console {

// The record with the matched text, query string, request head, body, cookies, session, referer and reason
// (which quotes what matched) as "***" where they are not empty. Host, path and user agent stay: events are
// told apart by them.
std::string masked_record(std::string_view record);

// {"seq":…,"record":{…},"detail":{…}} likewise; of the detail: its reason, and of findings matched text,
// excerpt, reason, and a name in which something was found.
std::string masked_event(std::string_view event);

// Whether events can be counted by the values of that member.
bool is_masked_member(std::string_view member) noexcept;

}  // namespace wafd::console
