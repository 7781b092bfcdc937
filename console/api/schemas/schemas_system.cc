#include "console/api/schemas/schemas_text.h"

namespace wafd::console {

std::string_view system_schemas() noexcept {
  return R"json({
"Counts": {"type": "object", "additionalProperties": {"type": "integer"}},
"Status": {"type": "object",
  "properties": {"node": {"type": "string"}, "version": {"type": "string"}, "now_ms": {"type": "integer"}, "started_ms": {"type": "integer"},
    "ready": {"type": "boolean"}, "notes": {"type": "array", "items": {"type": "string"}},
    "engine": {"type": "object", "table": "engine"},
    "sites": {"type": "array", "description": "What was counted of each today (UTC).", "items": {"type": "object",
      "properties": {"uuid": {"type": "string"}, "name": {"type": "string"}, "today": {"anyOf": ["@SiteDay", {"type": "null"}]}},
      "required": ["uuid", "name", "today"]}},
    "unknown_hosts": {"type": "integer"},
    "listeners": {"type": "array", "items": {"type": "object", "table": "listener"}},
    "targets": {"type": "array", "items": {"type": "object", "additionalProperties": true,
      "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "transport": {"type": "string"}, "host": {"type": "string"},
        "port": {"type": "integer"}, "state": {"type": "string"}},
      "required": ["id", "name", "transport", "host", "port"]}},
    "ring": {"type": "object", "table": "ring"},
    "geoip": {"type": "object", "properties": {"database": {"type": "string"}, "type": {"type": "string"}, "built_s": {"type": "integer"}, "error": {"type": "string"}},
      "required": ["database", "type", "built_s", "error"]},
    "settings": {"type": "object",
      "properties": {"version": {"type": "integer"}, "saved_ms": {"type": "integer"}, "notice": {"type": "string"}, "file": {"type": "string"}},
      "required": ["version", "saved_ms", "notice", "file"]},
    "console": {"type": "object", "table": "console", "properties": {"sessions": {"type": "integer"}}, "required": ["sessions"]}},
  "required": ["node", "version", "now_ms", "started_ms", "ready", "notes", "engine", "sites", "unknown_hosts", "listeners", "targets", "ring", "geoip", "settings", "console"]},
"Configuration": {"type": "object",
  "properties": {"keys": {"type": "array", "items": {"type": "object",
    "properties": {"key": {"type": "string"}, "value": {"type": "string", "description": "As `--set` takes it; secrets are ***."},
      "default": {"type": "string"}, "help": {"type": "string"}},
    "required": ["key", "value", "default", "help"]}}},
  "required": ["keys"]},
"Certificate": {"type": "object",
  "properties": {"source": {"type": "string", "enum": ["self_signed", "uploaded", "file"]}, "file": {"type": "string"},
    "subject": {"type": "string"}, "issuer": {"type": "string"}, "names": {"type": "array", "items": {"type": "string"}},
    "not_before_s": {"type": "integer"}, "not_after_s": {"type": "integer"}, "fingerprint_sha256": {"type": "string"}, "etag": {"type": "string"}},
  "required": ["source", "file", "subject", "issuer", "names", "not_before_s", "not_after_s", "fingerprint_sha256", "etag"]},
"CertificateUpload": {"type": "object", "description": "PEM, the leaf first, then its chain; the key is unencrypted and never shown again.",
  "properties": {"certificate": {"type": "string"}, "key": {"type": "string", "writeOnly": true}}, "required": ["certificate", "key"]},
"Audit": {"type": "object",
  "properties": {"entries": {"type": "array", "items": {"type": "object",
      "properties": {"seq": {"type": "integer"}, "time_ms": {"type": "integer"}, "user": {"type": "string"}, "via": {"type": "string"},
        "address": {"type": "string"}, "action": {"type": "string"}, "object": {"type": "string"}, "chain": {"type": "string", "description": "SHA-256 of the chain of the entry before, a line end, and the entry without it; absent in entries of versions without."}, "detail": {"type": "object"}},
      "required": ["seq", "time_ms", "user", "via", "address", "action", "object", "detail"]}},
    "before": {"type": ["integer", "null"]}},
  "required": ["entries", "before"]},
"Health": {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]},
"OpenApi": {"type": "object", "additionalProperties": true,
  "properties": {"openapi": {"type": "string"}, "paths": {"type": "object"}}, "required": ["openapi", "paths"]}
})json";
}

}  // namespace wafd::console
