-- The admin calls: /services/{service}/plugins.
local cjson = require "cjson.safe"
local host = require "host"
local validate = require "validate"

local M = {}

local store = ngx.shared.gateway

local function answer(status, body)
  ngx.status = status
  ngx.header["Content-Type"] = "application/json; charset=utf-8"
  ngx.print(body and cjson.encode(body) or "")
  return ngx.exit(ngx.HTTP_OK)
end

local function violation(errors)
  local parts = {}
  for name, text in pairs(errors) do parts[#parts + 1] = "config." .. name .. ": " .. text end
  table.sort(parts)
  return answer(400, { code = 2, name = "schema violation", fields = { config = errors },
    message = "schema violation (" .. table.concat(parts, "; ") .. ")" })
end

local function create(service)
  ngx.req.read_body()
  local form = ngx.req.get_post_args(100)
  if form.name ~= "waf" then
    return answer(400, { code = 2, name = "schema violation", fields = { name = "plugin not enabled" },
      message = "schema violation (name: plugin '" .. tostring(form.name) .. "' not enabled; add it to the 'plugins' configuration property)" })
  end
  local config, errors = validate.config(require "kong.plugins.waf.schema", form)
  if not config then return violation(errors) end
  local key = "plugin:" .. service.name
  if store:get(key) then
    return answer(409, { code = 5, name = "unique constraint violation", message = "UNIQUE violation detected on the plugin" })
  end
  local plugin = { id = service.name .. "-waf", name = "waf", enabled = true, config = config }
  store:set(key, cjson.encode(plugin))
  return answer(201, plugin)
end

function M.handle()
  local name = string.match(ngx.var.uri, "^/services/([%w_-]+)/plugins/?$")
  local service = name and host.service_named(name)
  if not service then return answer(404, { message = "Not found" }) end
  local method = ngx.req.get_method()
  if method == "POST" then return create(service) end
  if method == "GET" then
    local text = store:get("plugin:" .. name)
    return answer(200, { data = { text and cjson.decode(text) } })
  end
  if method == "DELETE" then
    store:delete("plugin:" .. name)
    return answer(204)
  end
  return answer(405, { message = "Method not allowed" })
end

return M
