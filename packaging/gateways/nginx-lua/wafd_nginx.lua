-- wafd for nginx with Lua: asks the engine over T1K, bodies too, with the client of the Kong plugin (rock gateway-waf).
--   init_by_lua_block   { waf = require("wafd_nginx").new({ host = "127.0.0.1", port = 8700 }) }
--   access_by_lua_block { waf:access() }
-- The settings are the plugin's, but for `log_resp` and `response_headers`, which do nothing here.
local standalone = require "kong.plugins.waf.standalone"
local capture = require "kong.plugins.waf.capture"
local inspection = require "kong.plugins.waf.inspection"

local M = {}
M.__index = M

-- What inspection.lua asks a gateway.
local gateway = { name = "nginx", facts = capture.facts, head = capture.head }

function gateway.body(_, limit)
  return capture.body(limit)
end

function gateway.connection(_, conf)
  local values = capture.connection()
  values.remote_addr = standalone.client(conf, function(header)
    return ngx.var["http_" .. header]
  end, ngx.var.remote_addr)
  values.peer_addr = ngx.var.realip_remote_addr or ngx.var.remote_addr
  return values
end

-- Raises an error that names the setting and what was expected, so that nginx does not start with it.
function M.new(config)
  return setmetatable({ conf = standalone.settings(config) }, M)
end

function M:access()
  if ngx.req.is_internal() then
    return
  end
  local _, _, answer = inspection.run(self.conf, nil, gateway)
  if not answer then
    return
  end
  ngx.status = answer.status
  ngx.header["Content-Type"] = answer.content_type
  ngx.header["Content-Length"] = #answer.body
  ngx.print(answer.body)
  return ngx.exit(ngx.HTTP_OK)
end

return M
