-- Runs the plugin in the gateway's phases and finds the service of a request.
local cjson = require "cjson.safe"
local pdk = require "pdk"

local M = {}

local store = ngx.shared.gateway
local handler

-- `services`: "NAME=http://ADDR:PORT[/PREFIX] ..."
function M.init(services, trusted_ips)
  local list = {}
  for name, url, prefix in string.gmatch(services, "([%w_-]+)=(https?://[^/%s]+)(%S*)") do
    list[#list + 1] = { name = name, url = url, prefix = prefix == "" and "/" or prefix }
  end
  table.sort(list, function(a, b) return #a.prefix > #b.prefix end)
  M.services = list
  local trusted = {}
  for address in string.gmatch(trusted_ips, "[^,%s]+") do trusted[#trusted + 1] = address end
  _G.kong = pdk.new(trusted, function() return ngx.ctx.route end, function() return ngx.ctx.service end)
  handler = require "kong.plugins.waf.handler"
  require("validate").schema(require "kong.plugins.waf.schema")
  -- The gateway loads no plugin without these two.
  assert(type(handler.PRIORITY) == "number" and handler.PRIORITY == math.floor(handler.PRIORITY), "PRIORITY")
  assert(string.match(handler.VERSION, "^%d+%.%d+%.%d+$"), "VERSION")
end

function M.service_named(name)
  for _, service in ipairs(M.services) do
    if service.name == name then return service end
  end
end

-- Members that are null are absent for the plugin.
local function without_nulls(values)
  for name, value in pairs(values) do
    if type(value) == "table" then without_nulls(value) end
    if value == cjson.null then values[name] = nil end
  end
  return values
end

-- The same table as long as the configuration is the same, as in the gateway.
local last = {}

local function config_of(service)
  local text = store:get("plugin:" .. service.name)
  if last.text ~= text then
    last = { text = text, config = text and without_nulls(cjson.decode(text).config) }
  end
  return last.config
end

local function run(phase, config)
  -- As in the gateway: no pcall, so an error of the plugin is a 500 for the client.
  if config and handler[phase] then handler[phase](handler, config) end
end

function M.access(route)
  local path = ngx.var.request_uri
  for _, service in ipairs(M.services) do
    if string.sub(path, 1, #service.prefix) == service.prefix then
      ngx.var.upstream = service.url
      ngx.ctx.route = route or { request_buffering = true, response_buffering = true, protocols = { "http", "https" } }
      ngx.ctx.service = { name = service.name, protocol = string.match(service.url, "^%a+") }
      ngx.ctx.config = config_of(service)
      return run("access", ngx.ctx.config)
    end
  end
  return kong.response.exit(404, { message = "no Route matched with those values" })
end

function M.header_filter() run("header_filter", ngx.ctx.config) end

function M.body_filter() run("body_filter", ngx.ctx.config) end

function M.log()
  run("log", ngx.ctx.config)
  -- What a log plugin of the gateway would write.
  local values = kong.log.serialize()
  if next(values) then ngx.log(ngx.WARN, "serialized ", cjson.encode(values)) end
end

return M
