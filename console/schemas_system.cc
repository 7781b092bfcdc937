#include "console/schemas_text.h"

namespace wafd::console {

std::string_view system_schemas() noexcept {
  return R"json({
"Counts": {"type": "object", "additionalProperties": {"type": "integer"}},
"Status": {"type": "object",
  "properties": {"node": {"type": "string"}, "version": {"type": "string"}, "now_ms": {"type": "integer"}, "started_ms": {"type": "integer"},
    "ready": {"type": "boolean"}, "notes": {"type": "array", "items": {"type": "string"}},
    "engine": {"type": "object",
      "properties": {"rules": {"type": "integer"}, "requests": {"type": "integer"}, "denied": {"type": "integer"}, "monitored": {"type": "integer"},
        "allowed_recorded": {"type": "integer"}, "ring_refused": {"type": "integer"}, "total_octets": {"type": "integer"},
        "inspected_octets": {"type": "integer"}, "bodies_truncated": {"type": "integer"}, "bodies_abandoned": {"type": "integer"},
        "limits_reached": {"type": "integer"}, "detect_us": {"type": "integer", "description": "Sum."},
        "detect_us_p50": {"type": "integer", "description": "Of one request, since the start; at most an eighth too high."}, "detect_us_p99": {"type": "integer"},
        "detect_us_p999": {"type": "integer"},
        "reports": {"type": "integer", "description": "Response reports of gateways."},
        "reports_unmatched": {"type": "integer", "description": "Of them, those that belong to no event in the ring."}},
      "required": ["rules", "requests", "denied", "monitored", "allowed_recorded", "ring_refused", "total_octets", "inspected_octets", "bodies_truncated",
        "bodies_abandoned", "limits_reached", "detect_us", "detect_us_p50", "detect_us_p99", "detect_us_p999", "reports", "reports_unmatched"]},
    "sites": {"type": "array", "description": "What was counted of each today (UTC).", "items": {"type": "object",
      "properties": {"uuid": {"type": "string"}, "name": {"type": "string"}, "today": {"anyOf": ["@SiteDay", {"type": "null"}]}},
      "required": ["uuid", "name", "today"]}},
    "unknown_hosts": {"type": "integer"},
    "listeners": {"type": "array", "items": {"type": "object",
      "properties": {"name": {"type": "string"}, "address": {"type": "string"}, "enforcing": {"type": "boolean"},
        "connections": {"type": "integer"}, "requests": {"type": "integer"}, "last_request_ms": {"type": ["integer", "null"]}, "refused": "@Counts"},
      "required": ["name", "address", "enforcing", "connections", "requests", "last_request_ms", "refused"]}},
    "targets": {"type": "array", "items": {"type": "object", "additionalProperties": true,
      "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "transport": {"type": "string"}, "host": {"type": "string"},
        "port": {"type": "integer"}, "state": {"type": "string"}},
      "required": ["id", "name", "transport", "host", "port"]}},
    "ring": {"type": "object",
      "properties": {"size_octets": {"type": "integer"}, "used_octets": {"type": "integer"}, "oldest_seq": {"type": "integer"}, "end_seq": {"type": "integer"},
        "oldest_ms": {"type": ["integer", "null"]}, "reach_ms": {"type": ["integer", "null"]}, "refused": {"type": "integer"}, "recovery": {"type": "string"}},
      "required": ["size_octets", "used_octets", "oldest_seq", "end_seq", "oldest_ms", "reach_ms", "refused", "recovery"]},
    "settings": {"type": "object",
      "properties": {"version": {"type": "integer"}, "saved_ms": {"type": "integer"}, "notice": {"type": "string"}, "file": {"type": "string"}},
      "required": ["version", "saved_ms", "notice", "file"]},
    "console": {"type": "object",
      "properties": {"address": {"type": "string"}, "connections": {"type": "integer"}, "streams": {"type": "integer"}, "sessions": {"type": "integer"},
        "fingerprint_sha256": {"type": "string"}, "refused": "@Counts"},
      "required": ["address", "connections", "streams", "sessions", "fingerprint_sha256", "refused"]}},
  "required": ["node", "version", "now_ms", "started_ms", "ready", "notes", "engine", "sites", "unknown_hosts", "listeners", "targets", "ring", "settings", "console"]},
"Audit": {"type": "object",
  "properties": {"entries": {"type": "array", "items": {"type": "object",
      "properties": {"seq": {"type": "integer"}, "time_ms": {"type": "integer"}, "user": {"type": "string"}, "via": {"type": "string"},
        "address": {"type": "string"}, "action": {"type": "string"}, "object": {"type": "string"}, "detail": {"type": "object"}},
      "required": ["seq", "time_ms", "user", "via", "address", "action", "object", "detail"]}},
    "before": {"type": ["integer", "null"]}},
  "required": ["entries", "before"]},
"Health": {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]},
"OpenApi": {"type": "object", "additionalProperties": true,
  "properties": {"openapi": {"type": "string"}, "paths": {"type": "object"}}, "required": ["openapi", "paths"]}
})json";
}

}  // namespace wafd::console
