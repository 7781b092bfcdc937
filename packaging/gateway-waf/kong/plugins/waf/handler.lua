-- The gateway plugin `waf`: asks the engine about every request and answers an attack with 403 and an event id.
-- Whatever goes wrong here, no Lua error reaches the client: `on_error` decides.
local capture = require "kong.plugins.waf.capture"
local engine = require "kong.plugins.waf.engine"
local match = require "kong.plugins.waf.match"
local pool = require "kong.plugins.waf.pool"
local report = require "kong.plugins.waf.report"
local say = require "kong.plugins.waf.say"
local settings = require "kong.plugins.waf.settings"
local t1k = require "kong.plugins.waf.t1k"
local template = require "kong.plugins.waf.template"

local ngx = ngx
local kong = kong

-- After cors and acme, before jwt and key-auth: attacks inside credentials must be seen.
local Waf = { PRIORITY = 1600, VERSION = "0.1.0" }

-- No part of an id can break out of the JSON: T1K's pattern lets only letters and digits through.
local BLOCK_BODY =
  '{"code":{status},"success":false,"message":"blocked by web application firewall","event_id":"{event_id}"}'
local ERROR_BODY = '{"code":{status},"success":false,"message":"the web application firewall cannot be reached"}'

local function message_of(conf, body, body_cut, kept)
  local head = capture.head()
  local source, peer = capture.addresses(conf.remote_addr)
  local values = {
    remote_addr = source,
    peer_addr = peer,
    remote_port = ngx.var.remote_port,
    local_addr = ngx.var.server_addr,
    local_port = ngx.var.server_port,
    server_name = ngx.var.server_name,
    scheme = kong.request.get_forwarded_scheme(),
    proxy_name = kong.node.get_hostname(),
    uuid = ngx.var.request_id, -- 32 random hex digits of nginx
    has_rsp_if_ok = conf.log_resp and "y" or "n",
    has_rsp_if_block = "n",
    begin_time_us = string.format("%.0f", ngx.req.start_time() * 1000000),
    mode = conf.mode,
    body_cut = body_cut and "y" or nil,
  }
  kept.head, kept.values = head, values
  return function(told)
    values.skipped = told.skipped > 0 and told.skipped or nil
    values.unjudged = told.unjudged > 0 and told.unjudged or nil
    return t1k.request(head, body, t1k.extra(values))
  end
end

-- The action of this request, for response headers and log plugins.
local function became(conf, action, id)
  ngx.ctx.waf_action = conf.response_headers and { action = action, id = id } or nil
  kong.log.set_serialize_value("waf.action", action)
  if id and id ~= "" then
    kong.log.set_serialize_value("waf.event_id", id)
  end
end

-- Returns "pass" | "block" | "skip", status, id; or nil and a list of problems, which may be empty.
local function judge(conf)
  local part = conf.judges_all and "all" or match.decide(conf.match, {
    method = ngx.req.get_method(),
    host = ngx.var.http_host or ngx.var.host,
    target = ngx.var.request_uri or "/",
    content_type = capture.content_type(),
  })
  if part == "skip" then
    return "skip"
  end
  local body, body_error, body_cut
  if part == "all" and capture.may_buffer(kong.router.get_route(), kong.router.get_service()) then
    body, body_error, body_cut = capture.body(math.floor(conf.req_body_size * 1024))
  end
  local kept = {}
  local sections, problems = engine.ask(conf, message_of(conf, body, body_cut, kept))
  if not sections then
    return nil, problems
  end
  for _, one in ipairs(problems) do
    say.error(one.name .. one.kind, one.name .. ": " .. one.text .. "; the request was judged")
  end
  local verdict, status_or_error, id, oddity = t1k.verdict(sections)
  if not verdict then
    return nil, { { name = "the engine", kind = "verdict", text = status_or_error } }
  end
  if oddity then
    say.error("status", "the engine: " .. oddity)
  end
  if verdict == "pass" and body_error then
    return nil, { { name = "the gateway", kind = "body", text = "the body could not be read (its head is clean): " .. body_error } }
  end
  kept.context = sections[t1k.TAG.CONTEXT]
  if verdict == "pass" and kept.context and kept.context ~= "" then
    id = string.match(kept.context, "^%x+$")
    if conf.log_resp then
      ngx.ctx.waf_report = kept -- the engine recorded an event and wants to know what becomes of it
    end
  end
  return verdict, status_or_error, id
end

local function answer(conf, status, body, content_type)
  return kong.response.exit(status, body, { ["Content-Type"] = content_type or "application/json" })
end

-- The request could not be judged. Each problem is a line of the log, rate-limited by engine and kind.
local function fail(conf, problems)
  local block = conf.mode == "block" and conf.on_error == "block"
  local outcome = block and "answered with " .. conf.on_error_status or "passed unjudged"
  if #problems == 0 then
    local name = pool.of(conf).nodes[1].name
    say.error(name .. "skipped", name .. ": not asked, as connecting failed before; the request was " .. outcome)
  end
  for _, one in ipairs(problems) do
    -- The circuit breaker limits failures to connect by itself: each of them is told.
    say.error(one.name .. one.kind, one.name .. ": " .. one.text .. "; the request was " .. outcome, one.kind == "connect" and 5 or 1)
  end
  if conf.host and not block then
    local engines = pool.of(conf)
    if #problems > 0 then
      engines.unjudged = engines.unjudged + 1
    else
      engines.skipped = engines.skipped + 1
    end
  end
  if block then
    became(conf, "error")
    return answer(conf, conf.on_error_status, template.fill(ERROR_BODY, conf.on_error_status, ""))
  end
  became(conf, "unjudged")
end

function Waf:access(config)
  local conf, wrong = settings.of(config)
  if conf.mode == "off" then
    return
  end
  if wrong then
    return fail(conf, { { name = "the settings", kind = wrong, text = wrong } })
  end
  local ok, verdict, status_or_problems, id = pcall(judge, conf)
  if not ok then
    return fail(conf, { { name = "the plugin", kind = "error", text = tostring(verdict) } })
  end
  if not verdict then
    return fail(conf, status_or_problems)
  end
  if verdict == "skip" then
    return
  end
  if verdict == "pass" then
    return became(conf, id and "monitor" or "pass", id)
  end
  if conf.mode ~= "block" then
    return became(conf, "monitor", id)
  end
  became(conf, "deny", id)
  local status = conf.block_status or status_or_problems
  return answer(conf, status, template.fill(conf.block_body or BLOCK_BODY, status, id), conf.block_content_type)
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
