#include "console/schemas_text.h"

namespace wafd::console {

std::string_view event_schemas() noexcept {
  return R"json({
"Event": {"type": "object",
  "properties": {"seq": {"type": "integer"}, "record": "@Record"}, "required": ["seq", "record"]},
"Events": {"type": "object",
  "properties": {"events": {"type": "array", "items": "@Event"}, "before": {"type": ["integer", "null"]}},
  "required": ["events", "before"]},
"EventDetail": {"type": "object",
  "properties": {"seq": {"type": "integer"}, "record": "@Record",
    "detail": {"type": "object", "description": "What the console alone shows: every finding, and why the action was what it was."}},
  "required": ["seq", "record", "detail"]},
"Histogram": {"type": "object",
  "properties": {"from": {"type": "integer"}, "to": {"type": "integer"}, "bucket_ms": {"type": "integer", "minimum": 1},
    "buckets": {"type": "array", "items": {"type": "object",
      "properties": {"t": {"type": "integer"}, "deny": {"type": "integer"}, "monitor": {"type": "integer"}, "allow": {"type": "integer"}},
      "required": ["t", "deny", "monitor", "allow"]}},
    "total": {"type": "integer"}},
  "required": ["from", "to", "bucket_ms", "buckets", "total"]},
"Top": {"type": "object",
  "properties": {"field": {"type": "string"}, "total": {"type": "integer"}, "distinct": {"type": "integer"},
    "values": {"type": "array", "items": {"type": "object",
      "properties": {"value": {"type": "string"}, "count": {"type": "integer"}, "last_ms": {"type": "integer"},
        "deny": {"type": "integer"}, "monitor": {"type": "integer"}, "allow": {"type": "integer"}},
      "required": ["value", "count", "last_ms", "deny", "monitor", "allow"]}}},
  "required": ["field", "total", "distinct", "values"]},
"InspectRequest": {"type": "object",
  "properties": {"request": {"type": "string"}, "encoding": {"type": "string", "enum": ["text", "base64"]},
    "sensitivity": {"type": "string", "enum": ["low", "balanced", "strict"]}},
  "required": ["request"]},
"Inspection": {"type": "object",
  "properties": {"action": {"type": "string", "enum": ["deny", "monitor", "allow"]},
    "attack_type": {"anyOf": ["@AttackType", {"type": "null"}]},
    "risk": {"type": ["string", "null"], "enum": ["low", "medium", "high", null]},
    "rule_id": {"type": "string"}, "location": {"type": "string"}, "reason": {"type": "string"}, "site": {"type": "string"},
    "microseconds": {"type": "number"}, "inspected_octets": {"type": "integer"}, "total_octets": {"type": "integer"},
    "findings": {"type": "array", "items": {"type": "object",
      "properties": {"rule_id": {"type": "string"}, "rule_name": {"type": "string"}, "module": {"type": "string"},
        "attack_type": "@AttackType", "risk": {"type": "string"}, "location": {"type": "string"}, "name": {"type": "string"},
        "payload": {"type": "string"}, "decode_path": {"type": "string"}, "deny_from": {"type": ["string", "null"]},
        "excepted": {"type": "boolean"}},
      "required": ["rule_id", "rule_name", "module", "attack_type", "risk", "location", "name", "payload", "decode_path",
        "deny_from", "excepted"]}}},
  "required": ["action", "attack_type", "risk", "rule_id", "location", "reason", "site", "microseconds", "inspected_octets",
    "total_octets", "findings"]}
})json";
}

}  // namespace wafd::console
