-- wafd for nginx with Lua: asks the engine over T1K, bodies too, with the client of the Kong plugin (rock gateway-waf).
--   init_by_lua_block   { waf = require("wafd_nginx").new({ host = "127.0.0.1", port = 8700 }) }
--   access_by_lua_block { waf:access() }
-- The settings are the plugin's, but for `log_resp` and `response_headers`, which do nothing here.
local M = {}
M.__index = M

-- What the plugin's schema takes from Kong.
package.preload["kong.db.schema.typedefs"] = package.preload["kong.db.schema.typedefs"] or function()
  local function typedef(base)
    return setmetatable(base, { __call = function(_, more)
      local out = {}
      for _, part in ipairs({ base, more }) do
        for name, value in pairs(part) do
          out[name] = value
        end
      end
      return out
    end })
  end
  return { port = typedef({ type = "integer", between = { 0, 65535 } }), sni = typedef({ type = "string", match = "^[%w_.-]+$" }),
    no_consumer = {}, protocols_http = {} }
end

local address = require "kong.plugins.waf.address"
local capture = require "kong.plugins.waf.capture"
local engine = require "kong.plugins.waf.engine"
local match = require "kong.plugins.waf.match"
local pool = require "kong.plugins.waf.pool"
local say = require "kong.plugins.waf.say"
local settings = require "kong.plugins.waf.settings"
local t1k = require "kong.plugins.waf.t1k"
local template = require "kong.plugins.waf.template"

local BLOCK_BODY = '{"code":{status},"success":false,"message":"blocked by web application firewall","event_id":"{event_id}"}'
local ERROR_BODY = '{"code":{status},"success":false,"message":"the web application firewall cannot be reached"}'

-- Raises an error that names the setting and what was expected, so that nginx does not start with it.
function M.new(config)
  local conf, wrong = settings.of(config)
  if wrong then
    error("wafd: " .. wrong, 2)
  end
  return setmetatable({ conf = conf }, M)
end

local function message_of(conf, body)
  local head = capture.head()
  local source = conf.remote_addr and address.from_header(conf.remote_addr, function(header)
    return ngx.var["http_" .. header]
  end)
  local values = {
    remote_addr = source or ngx.var.remote_addr,
    peer_addr = ngx.var.realip_remote_addr or ngx.var.remote_addr,
    remote_port = ngx.var.remote_port,
    local_addr = ngx.var.server_addr,
    local_port = ngx.var.server_port,
    server_name = ngx.var.server_name,
    scheme = ngx.var.scheme,
    proxy_name = ngx.var.hostname,
    uuid = ngx.var.request_id,
    has_rsp_if_ok = "n",
    has_rsp_if_block = "n",
    begin_time_us = string.format("%.0f", ngx.req.start_time() * 1000000),
    mode = conf.mode,
  }
  return function(told)
    values.skipped = told.skipped > 0 and told.skipped or nil
    values.unjudged = told.unjudged > 0 and told.unjudged or nil
    return t1k.request(head, body, t1k.extra(values))
  end
end

-- Returns "pass" | "block", status, id; or nil and a list of problems.
local function judge(conf)
  local part = conf.judges_all and "all" or match.decide(conf.match, { method = ngx.req.get_method(), host = ngx.var.http_host, target = ngx.var.request_uri,
    content_type = capture.content_type() })
  if part == "skip" then
    return "pass"
  end
  local body, body_error
  if part == "all" then
    body, body_error = capture.body(math.floor(conf.req_body_size * 1024))
  end
  local sections, problems = engine.ask(conf, message_of(conf, body))
  if not sections then
    return nil, problems
  end
  for _, one in ipairs(problems) do
    say.error(one.name .. one.kind, one.name .. ": " .. one.text .. "; the request was judged")
  end
  local verdict, status, id = t1k.verdict(sections)
  if not verdict then
    return nil, { { name = "the engine", kind = "verdict", text = status } }
  end
  if verdict == "pass" and body_error then
    return nil, { { name = "nginx", kind = "body", text = "the body could not be read: " .. body_error } }
  end
  return verdict, status, id
end

local function answer(status, body, content_type)
  ngx.status = status
  ngx.header["Content-Type"] = content_type
  ngx.header["Content-Length"] = #body
  ngx.print(body)
  return ngx.exit(ngx.HTTP_OK)
end

function M:access()
  local conf = self.conf
  if conf.mode == "off" or ngx.req.is_internal() then
    return
  end
  local ok, verdict, status, id = pcall(judge, conf)
  if not ok then
    verdict, status = nil, { { name = "the client", kind = "error", text = tostring(verdict) } }
  end
  if verdict == "pass" or verdict == "block" and conf.mode ~= "block" then
    return
  end
  if verdict == "block" then
    status = conf.block_status or status
    return answer(status, template.fill(conf.block_body or BLOCK_BODY, status, id), conf.block_content_type)
  end
  local block = conf.mode == "block" and conf.on_error == "block"
  local engines = pool.of(conf)
  for _, one in ipairs(status) do
    say.error(one.name .. one.kind, one.name .. ": " .. one.text .. (block and "; answered" or "; passed unjudged"))
  end
  if #status == 0 then
    say.error(engines.nodes[1].name .. "skipped", engines.nodes[1].name .. ": not asked, as connecting failed before")
  end
  if block then
    return answer(conf.on_error_status, template.fill(ERROR_BODY, conf.on_error_status, ""), "application/json")
  end
  local kind = #status > 0 and "unjudged" or "skipped"
  engines[kind] = engines[kind] + 1
end

return M
