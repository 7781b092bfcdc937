-- wafd for Apache httpd 2.4 with mod_lua: asks the engine over T1K, bodies too, with the client of the Kong plugin (rock gateway-waf).
-- wafd.lua beside it has the settings and shows its use; they are the plugin's, but for `tls*`, `log_resp` and `response_headers`.
--
-- mod_lua reads no body that is chunked, or of another method than POST and PUT, and none without taking it from the request. So a handler
-- that runs before mod_proxy has Apache read the body as a form, whatever it is, through an input filter of ours: the filter keeps what
-- passes and hands on nothing, and gives it all back to whoever reads next. It can give only one piece, which mod_proxy takes whole:
-- this is for reverse proxies, not for PHP or CGI.
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

function Gateway:body(limit)
  local bytes = self.owner.kept.bytes
  if #bytes == 0 then
    return nil
  end
  return string.sub(bytes, 1, limit), nil, #bytes > limit
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
    uuid = told["UNIQUE_ID"], -- with mod_unique_id
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

local FORM = "application/x-www-form-urlencoded"
local count = 0 -- requests, in this thread

-- Has Apache read the body through our filter. Of every request, also without one: mod_lua makes the filter's coroutine where the body is first
-- read, and leaves it on the stack there. Here that is the stack of parsebody, which ends; in mod_proxy it would grow for ever.
function M:take(r)
  count = count + 1
  self.kept = { number = tostring(count), parts = {}, size = 0, most = r.limit_req_body, whole = false }
  -- The note goes with the request: no other one can be given this body.
  r.notes["wafd-body"] = self.kept.number
  local content_type = r.headers_in["Content-Type"]
  r.headers_in["Content-Type"] = FORM
  local ok, err = pcall(r.parsebody, r)
  r.headers_in["Content-Type"] = content_type
  if not ok then
    error(err)
  end
  self.kept.bytes, self.kept.parts = table.concat(self.kept.parts), nil
  return self.kept
end

-- For LuaMapHandler.
function M:handle(r)
  if not r.is_initial_req then
    return apache2.DECLINED
  end
  current = r
  run_due()
  if r.limit_req_body > 0 and (tonumber(r.headers_in["Content-Length"]) or 0) > r.limit_req_body then
    return 413
  end
  local kept = self:take(r)
  if kept.too_large then
    return 413
  end
  if not kept.whole then
    r:notice("waf: the body did not come whole, the request is answered with 400")
    return 400
  end
  local _, _, answer = inspection.run(self.conf, nil, setmetatable({ r = r, owner = self }, Gateway))
  if not answer then
    return apache2.DECLINED
  end
  r.status = answer.status
  r.content_type = answer.content_type
  r:puts(answer.body)
  return apache2.DONE
end

-- For LuaInputFilter: keeps the body while `take` has it read, then gives it back.
function M:body(r)
  local kept = self.kept
  if not kept or kept.number ~= r.notes["wafd-body"] then
    return -- not a request of ours: the filter steps aside
  end
  kept.filter = coroutine.running() -- nothing else refers to it: it would be collected while mod_lua uses it
  coroutine.yield()
  while bucket ~= nil do
    kept.size = kept.size + #bucket
    kept.too_large = kept.most > 0 and kept.size > kept.most
    kept.parts[#kept.parts + 1] = not kept.too_large and bucket or nil
    coroutine.yield("")
  end
  kept.whole = true
  coroutine.yield("") -- the end, for those who read a form
  coroutine.yield(kept.bytes)
end

return M
