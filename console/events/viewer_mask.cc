#include "console/events/viewer_mask.h"

#include <algorithm>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "console/events/flat_json.h"

namespace wafd::console {
namespace {

constexpr std::string_view kMembers[] = {"payload", "req_payload", "query_string", "req_header_raw", "body",
                                         "cookie",  "session",     "referer",      "reason"};
constexpr std::string_view kOfFinding[] = {"payload", "excerpt", "reason"};
constexpr std::string_view kMask = R"("***")";

// A text that says something becomes the mask.
void cover(boost::json::value* value) {
  if (value != nullptr && value->is_string() && !value->as_string().empty()) *value = "***";
}

void mask_finding(boost::json::object& finding) {
  for (const std::string_view name : kOfFinding) cover(finding.if_contains(name));
  // Found in the name of a parameter: then that is what was sent.
  const auto* location = finding.if_contains("location");
  if (location != nullptr && location->is_string() &&
      std::string_view(location->as_string()).ends_with("_name"))
    cover(finding.if_contains("name"));
}

bool is_text(std::string_view raw) noexcept { return raw.size() > 2 && raw.front() == '"'; }

}  // namespace

bool is_masked_member(std::string_view member) noexcept {
  return std::find(std::begin(kMembers), std::end(kMembers), member) != std::end(kMembers);
}

std::string masked_record(std::string_view record) {
  std::string out = "{";
  FlatJson members(record);
  std::string_view name;
  std::string_view value;
  while (members.next(name, value)) {
    if (out.size() > 1) out += ',';
    out += '"';
    out += name;
    out += "\":";
    out += is_masked_member(name) && is_text(value) ? kMask : value;
  }
  out += '}';
  // A record that cannot be read is not shown either.
  return members.sound() ? out : "{}";
}

std::string masked_event(std::string_view event) {
  boost::system::error_code error;
  boost::json::value document = boost::json::parse({event.data(), event.size()}, error);
  if (error || !document.is_object()) return "{}";
  boost::json::object& root = document.as_object();
  if (auto* record = root.if_contains("record"); record != nullptr && record->is_object()) {
    for (auto& member : record->as_object())
      if (is_masked_member(member.key())) cover(&member.value());
  }
  auto* detail = root.if_contains("detail");
  if (detail == nullptr || !detail->is_object()) return boost::json::serialize(document);
  cover(detail->as_object().if_contains("reason"));
  auto* findings = detail->as_object().if_contains("findings");
  if (findings == nullptr || !findings->is_array()) return boost::json::serialize(document);
  for (auto& finding : findings->as_array())
    if (finding.is_object()) mask_finding(finding.as_object());
  return boost::json::serialize(document);
}

}  // namespace wafd::console
