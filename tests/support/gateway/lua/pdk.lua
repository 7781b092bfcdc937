-- The functions of the plugin development kit that the plugin `waf` calls, behaving as the gateway's own.
local cjson = require "cjson.safe"

local M = {}

local function trusted(address, list)
  for _, one in ipairs(list) do
    if one == address then return true end
  end
  return false
end

-- `trusted_ips`: list of addresses whose forwarding headers are believed. `route_of()` and `service_of()` give what matched.
function M.new(trusted_ips, route_of, service_of)
  local kong = { ctx = {}, client = {}, request = {}, response = {}, router = {}, node = {} }
  kong.log = setmetatable({}, {
    __index = function(_, level)
      return function(...) ngx.log(ngx[string.upper(level)], ...) end
    end,
  })

  -- For log plugins: dots make nested members.
  rawset(kong.log, "set_serialize_value", function(key, value)
    ngx.ctx.serialized = ngx.ctx.serialized or {}
    local at, name = ngx.ctx.serialized, key
    for part, rest in string.gmatch(key, "([^.]+)%.(.+)") do
      at[part] = at[part] or {}
      at, name = at[part], rest
    end
    at[name] = value
  end)
  rawset(kong.log, "serialize", function() return ngx.ctx.serialized or {} end)

  function kong.client.get_ip() return ngx.var.realip_remote_addr or ngx.var.remote_addr end

  -- X-Forwarded-For counts only when the peer is trusted.
  function kong.client.get_forwarded_ip()
    local forwarded = ngx.var.http_x_forwarded_for
    if forwarded and trusted(ngx.var.remote_addr, trusted_ips) then
      local last = string.match(forwarded, "([^,%s]+)%s*$")
      if last then return last end
    end
    return ngx.var.remote_addr
  end

  function kong.request.get_forwarded_scheme()
    local forwarded = ngx.var.http_x_forwarded_proto
    if forwarded and trusted(ngx.var.remote_addr, trusted_ips) then return string.lower(forwarded) end
    return ngx.var.scheme
  end

  function kong.router.get_route() return route_of() end

  function kong.router.get_service() return service_of() end

  function kong.response.set_header(name, value) ngx.header[name] = value end

  function kong.node.get_hostname() return ngx.var.hostname end

  -- A table goes out as JSON, a string as text/html unless the header is set. Ends the access phase; header_filter
  -- and log still run.
  function kong.response.exit(status, body, headers)
    ngx.status = status
    local typed = false
    for name, value in pairs(headers or {}) do
      ngx.header[name] = value
      typed = typed or string.lower(name) == "content-type"
    end
    if type(body) == "table" then
      body = cjson.encode(body)
      if not typed then ngx.header["Content-Type"] = "application/json; charset=utf-8" end
    elseif body and not typed then
      ngx.header["Content-Type"] = "text/html"
    end
    ngx.ctx.source = "exit"
    ngx.header["Content-Length"] = body and #body or 0
    if body then ngx.print(body) end
    return ngx.exit(ngx.HTTP_OK)
  end

  -- "exit" if a plugin answered, "service" if the upstream did.
  function kong.response.get_source() return ngx.ctx.source or "service" end

  return kong
end

return M
