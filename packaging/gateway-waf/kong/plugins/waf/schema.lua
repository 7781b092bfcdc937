-- Settings of the plugin `waf`.
local typedefs = require "kong.db.schema.typedefs"

local function timeout(default)
  return { type = "integer", default = default, between = { 1, 2147483646 } }
end

return {
  name = "waf",
  fields = {
    { consumer = typedefs.no_consumer },
    { protocols = typedefs.protocols_http },
    {
      config = {
        type = "record",
        fields = {
          -- Name or address of the engine, or unix:/PATH.
          { host = { type = "string", required = true, len_min = 1 } },
          { port = typedefs.port({ default = 8700 }) },
          { mode = { type = "string", default = "block", one_of = { "block", "monitor", "off" } } },
          -- What happens to a request when the engine cannot be asked.
          { on_error = { type = "string", default = "pass", one_of = { "pass", "block" } } },
          { on_error_status = { type = "integer", default = 503, between = { 400, 599 } } },
          -- All the time that one request may spend on the engine, in ms.
          { budget = timeout(300) },
          { connect_timeout = timeout(1000) },
          { send_timeout = timeout(1000) },
          { read_timeout = timeout(1000) },
          -- KiB of the body that are judged; fractions are allowed.
          { req_body_size = { type = "number", default = 1024, between = { 0, 1048576 } } },
          { keepalive_size = { type = "integer", default = 256, between = { 1, 65536 } } },
          { keepalive_timeout = timeout(60000) },
          -- Tell the engine what became of requests that it recorded and passed: status, size and times of the response.
          { log_resp = { type = "boolean", default = true } },
          -- Where the client's address stands, e.g. "http_x_forwarded_for: 1"; else what the gateway's trusted_ips say.
          { remote_addr = { type = "string", match = "^http_[%w_]+: *%-?%d+$" } },
        },
      },
    },
  },
}
