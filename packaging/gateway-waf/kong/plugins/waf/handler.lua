-- The gateway plugin `waf`: asks the engine about every request and answers an attack with 403 and an event id.
local capture = require "kong.plugins.waf.capture"
local inspection = require "kong.plugins.waf.inspection"
local report = require "kong.plugins.waf.report"
local say = require "kong.plugins.waf.say"
local settings = require "kong.plugins.waf.settings"

local ngx = ngx
local kong = kong

-- After cors and acme, before jwt and key-auth: attacks inside credentials must be seen.
local Waf = { PRIORITY = 1600, VERSION = "0.1.0" }

-- What the plugin tells inspection.lua.
local gateway = { name = "the gateway", reports = true, facts = capture.facts, head = capture.head }

function gateway.body(_, limit)
  if capture.may_buffer(kong.router.get_route(), kong.router.get_service()) then
    return capture.body(limit)
  end
end

function gateway.connection(_, conf)
  local values = capture.connection()
  values.remote_addr, values.peer_addr = capture.addresses(conf.remote_addr)
  values.scheme = kong.request.get_forwarded_scheme()
  values.proxy_name = kong.node.get_hostname()
  return values
end

-- The action of this request, for response headers and log plugins.
local function became(conf, action, id)
  ngx.ctx.waf_action = conf.response_headers and { action = action, id = id } or nil
  kong.log.set_serialize_value("waf.action", action)
  if id and id ~= "" then
    kong.log.set_serialize_value("waf.event_id", id)
  end
end

function Waf:access(config)
  local conf, wrong = settings.of(config)
  local action, id, answer, kept = inspection.run(conf, wrong, gateway)
  if not action then
    return
  end
  ngx.ctx.waf_report = kept -- the engine recorded an event and wants to know what becomes of it
  became(conf, action, id)
  if answer then
    return kong.response.exit(answer.status, answer.body, { ["Content-Type"] = answer.content_type })
  end
end

-- The first byte of the response is about to go out.
function Waf:header_filter()
  local kept = ngx.ctx.waf_report
  if kept then
    ngx.update_time()
    kept.begin_s = ngx.now()
  end
  local shown = ngx.ctx.waf_action
  if shown then
    kong.response.set_header("X-WAF-Action", shown.action)
    if shown.id and shown.id ~= "" then
      kong.response.set_header("X-WAF-Event-Id", shown.id)
    end
  end
end

-- What nginx counts as sent has the framing of chunks in it.
function Waf:body_filter()
  local kept = ngx.ctx.waf_report
  if kept then
    kept.bytes = (kept.bytes or 0) + #(ngx.arg[1] or "")
  end
end

-- The client has its response: nobody waits for what follows.
function Waf:log(config)
  local kept = ngx.ctx.waf_report
  if not kept then
    return
  end
  local conf, wrong = settings.of(config)
  local ok, err = true, wrong
  if not wrong then
    ok, err = pcall(report.add, conf, kept)
  end
  if err then
    say.error("report", "response report: " .. tostring(err))
  end
  return ok
end

return Waf
