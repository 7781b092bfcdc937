#include "console/api/schemas/schemas_text.h"

namespace wafd::console {

std::string_view notify_schemas() noexcept {
  return R"json({
"Channel": {"type": "object", "settings": "Channel"},
"Channels": {"type": "object", "properties": {"channels": {"type": "array", "items": "@Channel"}}, "required": ["channels"]},
"Alert": {"type": "object", "settings": "Alert"},
"Alerts": {"type": "object", "properties": {"alerts": {"type": "array", "items": "@Alert"}}, "required": ["alerts"]},
"ChannelTestResult": {"type": "object",
  "properties": {"verdict": {"type": "string", "enum": ["accepted", "failed"]}, "text": {"type": "string"},
    "stages": {"type": "array", "items": {"type": "object",
      "properties": {"name": {"type": "string", "enum": ["resolve", "connect", "tls", "write", "answer"]}, "ok": {"type": "boolean"},
        "ms": {"type": "number"}, "detail": {"type": "object"}, "error": {"type": ["string", "null"]}},
      "required": ["name", "ok", "ms", "detail", "error"]}}},
  "required": ["verdict", "text", "stages"]},
"ReportCounts": {"type": "object",
  "properties": {"requests": {"type": "integer"}, "unjudged": {"type": "integer"}, "deny": {"type": "integer"}, "monitor": {"type": "integer"}, "allow": {"type": "integer"}},
  "required": ["requests", "unjudged", "deny", "monitor", "allow"]},
"ReportRow": {"type": "object",
  "properties": {"value": {"type": "string", "description": "Empty: beyond what is counted apart."}, "name": {"type": "string"},
    "deny": {"type": "integer"}, "monitor": {"type": "integer"}, "allow": {"type": "integer"}},
  "required": ["value", "name", "deny", "monitor", "allow"]},
"Report": {"type": "object",
  "properties": {"node": {"type": "string"}, "from": {"type": "integer"}, "to": {"type": "integer"},
    "begins_ms": {"type": ["integer", "null"], "description": "Where counting began, or the year ends; null: nothing was counted yet."},
    "bucket_ms": {"type": "integer", "description": "An hour, or a day beyond eight days."},
    "buckets": {"type": "array", "items": {"type": "object",
      "properties": {"t": {"type": "integer"}, "requests": {"type": "integer", "description": "Whatever was asked for by site, rule, type or action."},
        "deny": {"type": "integer"}, "monitor": {"type": "integer"}, "allow": {"type": "integer"}},
      "required": ["t", "requests", "deny", "monitor", "allow"]}},
    "totals": "@ReportCounts", "before": "@ReportCounts",
    "sites": {"type": "array", "items": "@ReportRow"}, "rules": {"type": "array", "items": "@ReportRow"}, "types": {"type": "array", "items": "@ReportRow"}},
  "required": ["node", "from", "to", "begins_ms", "bucket_ms", "buckets", "totals", "before", "sites", "rules", "types"]},
"NotifyStatus": {"type": "object",
  "properties": {
    "channels": {"type": "array", "items": {"type": "object",
      "properties": {"id": {"type": "string"}, "waiting": {"type": "integer", "description": "Notifications that were not sent yet."},
        "next_ms": {"type": ["integer", "null"], "description": "When the next attempt is, quiet times apart."},
        "dropped": {"type": "integer", "description": "Not sent for a day, or too many waited."}},
      "required": ["id", "waiting", "next_ms", "dropped"]}},
    "active": {"type": "array", "items": {"type": "string"}, "description": "Ids of alerts whose condition holds now."},
    "history": {"type": "array", "description": "The newest 100 attempts since the start, newest first; the audit log has them all.", "items": {"type": "object",
      "properties": {"time_ms": {"type": "integer"}, "channel": {"type": "string"}, "name": {"type": "string"}, "subject": {"type": "string"},
        "notifications": {"type": "integer"}, "attempt": {"type": "integer"}, "sent": {"type": "boolean"}, "text": {"type": "string"}},
      "required": ["time_ms", "channel", "name", "subject", "notifications", "attempt", "sent", "text"]}},
    "overtaken": {"type": "integer", "description": "Events that the ring lost before alerts looked at them."},
    "notice": {"type": "string", "description": "Of a damaged state file; empty if all is well."}},
  "required": ["channels", "active", "history", "overtaken", "notice"]}
})json";
}

}  // namespace wafd::console
