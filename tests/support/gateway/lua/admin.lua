-- The admin calls: /services/{service}/plugins, and /services/{service}/plugins/{id} for one plugin.
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
  return answer(400, { code = 2, name = "schema violation", fields = errors, message = validate.message(errors) })
end

-- What was sent, as JSON or as a form: the plugin's name, values of its configuration, errors of other members.
local function sent(schema)
  ngx.req.read_body()
  if string.find(ngx.var.http_content_type or "", "application/json", 1, true) then
    local object = cjson.decode(ngx.req.get_body_data() or "") or {}
    return object.name, object.config or {}, {}
  end
  local form = ngx.req.get_post_args(100)
  local values, others = validate.from_form(schema, form)
  return form.name, values, others
end

local function merged(old, new)
  for name, value in pairs(new) do
    if type(value) == "table" and #value == 0 and type(old[name]) == "table" then
      merged(old[name], value)
    else
      old[name] = value
    end
  end
  return old
end

local function save(service, values, others, status)
  local errors = validate.config(require "kong.plugins.waf.schema", values)
  if errors then others.config = errors end
  if next(others) then return violation(others) end
  local plugin = { id = service.name .. "-waf", name = "waf", enabled = true, config = values }
  store:set("plugin:" .. service.name, cjson.encode(plugin))
  return answer(status, plugin)
end

local function create(service)
  local name, values, others = sent(require "kong.plugins.waf.schema")
  if name ~= "waf" then
    return answer(400, { code = 2, name = "schema violation", fields = { name = "plugin not enabled" },
      message = "schema violation (name: plugin '" .. tostring(name) .. "' not enabled; add it to the 'plugins' configuration property)" })
  end
  if store:get("plugin:" .. service.name) then
    return answer(409, { code = 5, name = "unique constraint violation", message = "UNIQUE violation detected on the plugin" })
  end
  return save(service, values, others, 201)
end

local function change(service)
  local text = store:get("plugin:" .. service.name)
  if not text then return answer(404, { message = "Not found" }) end
  local _, values, others = sent(require "kong.plugins.waf.schema")
  return save(service, merged(cjson.decode(text).config, values), others, 200)
end

-- Functions are left out.
local function plain(value)
  if type(value) ~= "table" then return value end
  local out = {}
  for key, one in pairs(value) do
    if type(one) ~= "function" then out[key] = plain(one) end
  end
  return out
end

function M.handle()
  if ngx.var.uri == "/schemas/plugins/waf" then
    return answer(200, { fields = plain((require "kong.plugins.waf.schema").fields) })
  end
  local name, id = string.match(ngx.var.uri, "^/services/([%w_-]+)/plugins/?([%w_-]*)$")
  local service = name and host.service_named(name)
  if not service or id ~= "" and id ~= service.name .. "-waf" then return answer(404, { message = "Not found" }) end
  local method = ngx.req.get_method()
  if method == "POST" then return create(service) end
  if method == "PATCH" then return change(service) end
  -- Not in the gateway: stores a configuration as an older version may have left it, unjudged.
  if method == "PUT" and ngx.var.arg_unjudged then
    local _, values = sent(require "kong.plugins.waf.schema")
    store:set("plugin:" .. name, cjson.encode({ id = name .. "-waf", name = "waf", config = values }))
    return answer(200)
  end
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
