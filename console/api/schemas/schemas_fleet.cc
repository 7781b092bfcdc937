#include "console/api/schemas/schemas_text.h"

namespace wafd::console {

std::string_view fleet_schemas() noexcept {
  return R"json({
"FleetNode": {"type": "object", "description": "A node as it last told the fleet's database, every 5 s.",
  "properties": {"node": {"type": "string"}, "instance": {"type": "string", "description": "Of its ring: tells nodes of one name apart."},
    "seen_ms": {"type": "integer", "description": "When it last told, by the clock of the database."},
    "silent_ms": {"type": "integer", "description": "Since it last told."}, "silent": {"type": "boolean", "description": "That was silent_after_ms ago or more."},
    "clock_ms": {"type": "integer", "description": "By how much its clock is ahead of the database's, with the way there."},
    "version": {"type": "string"}, "started_ms": {"type": "integer"}, "requests": {"type": "integer", "description": "Since its start."},
    "denied": {"type": "integer"}, "requests_per_s": {"type": "number"}, "waiting": {"type": "integer", "description": "Requests that wait for their turn."},
    "last_request_ms": {"type": ["integer", "null"], "description": "From any gateway."},
    "settings_version": {"type": "integer", "description": "Of the settings in use: the fleet's, or its own."},
    "settings_error": {"type": "string", "description": "Why it does not use the newest of the fleet, or cannot know, or what of it is not in force; empty: all is well."},
    "targets": {"type": "array", "items": {"type": "object",
      "properties": {"name": {"type": "string"}, "state": {"type": "string"}, "lag_events": {"type": "integer"}, "lag_ms": {"type": "integer"}},
      "required": ["name", "state", "lag_events", "lag_ms"]}}},
  "required": ["node", "instance", "seen_ms", "silent_ms", "silent", "clock_ms", "version", "started_ms", "requests", "denied", "requests_per_s", "waiting",
    "last_request_ms", "settings_version", "settings_error", "targets"]},
"FleetNodes": {"type": "object",
  "properties": {"place": {"type": "string", "description": "Host, port and name of the database."}, "answered": {"type": "boolean"},
    "why": {"type": "string", "description": "What keeps the database from answering; the nodes are then those of the last answer."},
    "since_ms": {"type": "integer", "description": "Since when it answers, or does not."}, "now_ms": {"type": "integer"},
    "silent_after_ms": {"type": "integer"}, "nodes": {"type": "array", "items": "@FleetNode"}},
  "required": ["place", "answered", "why", "since_ms", "now_ms", "silent_after_ms", "nodes"]},
"FleetSummary": {"type": "object", "description": "Of the fleet that this console shows.",
  "properties": {"answered": {"type": "boolean"}, "why": {"type": "string"}, "nodes": {"type": "integer"},
    "silent": {"type": "array", "description": "Names of nodes that should tell and do not, at most 100.", "items": {"type": "string"}}},
  "required": ["answered", "why", "nodes", "silent"]}
})json";
}

}  // namespace wafd::console
