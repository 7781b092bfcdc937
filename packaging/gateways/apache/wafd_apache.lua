-- wafd for Apache httpd 2.4 with mod_lua: asks the engine over T1K, bodies too, with the client of the Kong plugin (rock gateway-waf).
-- wafd.lua beside it has the settings and shows its use; they are the plugin's, but for `tls*`, `log_resp` and `response_headers`.
--
-- mod_lua has no way to look at a body without taking it. So the access hook takes it, and an input filter gives it back to whoever
-- reads it next. That filter can give only one piece, which mod_proxy takes whole: this is for reverse proxies, not for PHP or CGI.
local sockets = require "wafd_sockets"

-- The request that this thread is at, and what runs at a later one: Apache has no timers for Lua.
local current
local later = {}

-- What the plugin's modules know as ngx and bit.
ngx = ngx or {
  null = {}, ERR = "err", WARN = "warn",
  now = sockets.now,
  update_time = function() end,
  socket = { tcp = sockets.tcp },
  log = function(level, ...)
    current[level](current, table.concat({ ... }))
  end,
  timer = { at = function(delay, run)
    later[#later + 1] = { at = sockets.now() + delay, run = run }
    return true
  end },
}
package.preload.bit = package.preload.bit or function()
  return { band = function(a, b) return a & b end, bor = function(a, b) return a | b end, rshift = function(a, n) return a >> n end }
end

local standalone = require "kong.plugins.waf.standalone"
local inspection = require "kong.plugins.waf.inspection"

local M = {}
M.__index = M

-- What inspection.lua asks a gateway, for the request `r`.
local Gateway = { name = "Apache" }
Gateway.__index = Gateway

function Gateway:facts()
  local r = self.r
  -- Apache joins headers of one name: two content types have a comma.
  local content_type = r.headers_in["Content-Type"]
  return { method = r.method, host = r.headers_in["Host"], target = r.unparsed_uri,
    content_type = not (content_type and string.find(content_type, ",", 1, true)) and content_type }
end

function Gateway:head()
  local lines = { self.r.the_request }
  for name, value in pairs(self.r:headers_in_table()) do
    lines[#lines + 1] = name .. ": " .. value
  end
  return table.concat(lines, "\r\n") .. "\r\n\r\n"
end

local function length_of(r)
  return tonumber(r.headers_in["Content-Length"]) or 0
end

local taken = 0 -- bodies, in this thread

function Gateway:body(limit)
  local r = self.r
  if r.headers_in["Transfer-Encoding"] then
    return nil, "it has no length: mod_lua reads none that is chunked (wafd.conf has a way round)"
  end
  if length_of(r) == 0 then
    return nil
  end
  local body = r:requestbody()
  if not body then
    self.broken = true
    return nil
  end
  taken = taken + 1
  -- The note goes with the request: no other one can be given this body.
  r.notes["wafd-body"] = tostring(taken)
  self.owner.body = { number = tostring(taken), bytes = body }
  return string.sub(body, 1, limit), nil, #body > limit
end

function Gateway:connection(conf)
  local r, told = self.r, self.r.subprocess_env
  local remote_addr = standalone.client(conf, function(header)
    return r.headers_in[string.gsub(header, "_", "-")]
  end, r.useragent_ip)
  return {
    remote_addr = remote_addr,
    peer_addr = told["WAFD_PEER"],
    remote_port = told["WAFD_PORT"],
    local_addr = told["WAFD_LOCAL"],
    server_name = r.server_name,
    scheme = r.is_https and "https" or "http",
    proxy_name = sockets.hostname(),
    begin_time_us = string.format("%.0f", sockets.now() * 1000000),
  }
end

-- Raises an error that names the setting and what was expected: Apache then answers every request with 500.
function M.new(config)
  local conf = standalone.settings(config)
  if conf.tls then
    error("wafd: config.tls: expected false, this client speaks no TLS", 2)
  end
  return setmetatable({ conf = conf }, M)
end

local function run_due()
  local due, now = later, sockets.now()
  later = {}
  for _, one in ipairs(due) do
    if one.at <= now then
      one.run(false)
    else
      later[#later + 1] = one
    end
  end
end

-- For LuaHookAccessChecker.
function M:access(r)
  if not r.is_initial_req or r.subprocess_env["WAFD_SECOND_TURN"] then
    return apache2.DECLINED
  end
  current, self.body = r, nil
  run_due()
  if r.limit_req_body > 0 and length_of(r) > r.limit_req_body then
    return 413
  end
  local gateway = setmetatable({ r = r, owner = self }, Gateway)
  local _, _, answer = inspection.run(self.conf, nil, gateway)
  if not answer and gateway.broken then
    r:notice("waf: the body did not come whole, the request is answered with 400")
    return 400
  end
  if not answer then
    return apache2.DECLINED
  end
  r.status = answer.status
  r.content_type = answer.content_type
  r:puts(answer.body)
  return apache2.DONE
end

-- For LuaInputFilter: gives back the body that `access` took.
function M:give_back(r)
  local body = self.body
  if not body or body.number ~= r.notes["wafd-body"] then
    return -- nothing was taken: the filter steps aside
  end
  self.body = nil
  coroutine.yield()
  while bucket ~= nil do
    coroutine.yield(bucket)
  end
  coroutine.yield(body.bytes)
end

return M
