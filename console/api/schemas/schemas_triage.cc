#include "console/api/schemas/schemas_text.h"

namespace wafd::console {

std::string_view triage_schemas() noexcept {
  return R"json({
"Mark": {"type": "object", "description": "What was said of an event. One that nobody touched is open.",
  "properties": {"event_id": {"type": "string"}, "state": {"type": "string", "enum": ["open", "closed"]},
    "label": {"type": "string", "enum": ["", "true_positive", "false_positive"]}, "note": {"type": "string"}, "by": {"type": "string"},
    "at_ms": {"type": ["integer", "null"]}, "pinned": {"type": "boolean"}},
  "required": ["event_id", "state", "label", "note", "by", "at_ms", "pinned"]},
"Marks": {"type": "object", "properties": {"marks": {"type": "array", "items": "@Mark"}}, "required": ["marks"]},
"MarksRequest": {"type": "object",
  "properties": {"events": {"type": "array", "items": {"type": "string"}}, "state": {"type": "string", "enum": ["open", "closed"]},
    "label": {"type": "string", "enum": ["", "true_positive", "false_positive"]}, "note": {"type": "string"}},
  "required": ["events"]},
"Pin": {"type": "object", "description": "A copy of the event that outlives the ring.",
  "properties": {"event_id": {"type": "string"}, "by": {"type": "string"}, "at_ms": {"type": "integer"}, "seq": {"type": "integer"}, "record": "@Record"},
  "required": ["event_id", "by", "at_ms", "seq", "record"]},
"Pins": {"type": "object", "properties": {"pins": {"type": "array", "items": "@Pin"}}, "required": ["pins"]},
"View": {"type": "object",
  "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "query": {"type": "string", "description": "Query string of the page's address."},
    "shared": {"type": "boolean"}, "owner": {"type": "string"}, "mine": {"type": "boolean"}},
  "required": ["id", "name", "query", "shared", "owner", "mine"]},
"Views": {"type": "object", "properties": {"views": {"type": "array", "items": "@View"}}, "required": ["views"]},
"ViewRequest": {"type": "object",
  "properties": {"name": {"type": "string"}, "query": {"type": "string"}, "shared": {"type": "boolean"}},
  "required": ["name"]},
"Groups": {"type": "object",
  "properties": {"by": {"type": "string", "enum": ["sources", "attackers", "tuning"]}, "total": {"type": "integer"}, "distinct": {"type": "integer"},
    "unread": {"type": "integer", "description": "Matches that are not counted yet, the oldest ones: ask again, and more are. Records are read in steps, once."},
    "groups": {"type": "array", "items": {"type": "object",
      "properties": {"rule": {"type": "string"}, "host": {"type": "string"}, "src": {"type": "string"}, "country": {"type": "string"}, "path": {"type": "string"},
        "name": {"type": "string", "description": "Of the parameter in which the deciding finding stood."},
        "type": "@AttackType", "risk": {"type": "string"}, "count": {"type": "integer"}, "deny": {"type": "integer"}, "monitor": {"type": "integer"},
        "allow": {"type": "integer"}, "first_ms": {"type": "integer"}, "last_ms": {"type": "integer"}, "sources": {"type": "integer"},
        "attacks": {"type": "integer", "description": "Pairs of rule and host: how many groups of attackers these events are in."},
        "days": {"type": "integer", "description": "Days (UTC) on which it was seen."},
        "other_rules": {"type": "integer", "description": "Other rules that these events have findings of."},
        "event_id": {"type": "string", "description": "The newest event."}},
      "required": ["rule", "host", "type", "risk", "count", "deny", "monitor", "allow", "first_ms", "last_ms", "sources", "attacks", "days", "other_rules", "event_id"]}}, "fleet": "@Fleet"},
  "required": ["by", "total", "distinct", "unread", "groups"]}
})json";
}

}  // namespace wafd::console
