-- The gateway plugin `waf`: asks the engine about every request and answers an attack with 403 and an event id.
-- Whatever goes wrong here, no Lua error reaches the client: `on_error` decides.
local capture = require "kong.plugins.waf.capture"
local engine = require "kong.plugins.waf.engine"
local report = require "kong.plugins.waf.report"
local t1k = require "kong.plugins.waf.t1k"

local ngx = ngx
local kong = kong

-- After cors and acme, before jwt and key-auth: attacks inside credentials must be seen.
local Waf = { PRIORITY = 1600, VERSION = "0.1.0" }

local JSON = { ["Content-Type"] = "application/json" }

-- No part of `id` can break out of the JSON: T1K's pattern lets only letters and digits through.
local function block_body(status, id)
  return string.format(
    '{"code":%d,"success":false,"message":"blocked by web application firewall","event_id":"%s"}', status, id)
end

local function message_of(conf, body, body_error, kept)
  local head = capture.head()
  local source = conf.remote_addr and capture.address_from(conf.remote_addr) or kong.client.get_forwarded_ip()
  local values = {
    remote_addr = source,
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
  }
  kept.head, kept.values = head, values
  if body_error then
    kong.log.warn("waf: the body could not be read and is judged by its head alone: ", body_error)
  end
  return function(skipped)
    values.skipped = skipped > 0 and skipped or nil
    return t1k.request(head, body, t1k.extra(values))
  end
end

-- Returns "pass", or "block", status, id; or nil and an error.
local function judge(conf)
  local body, body_error
  if capture.may_buffer(kong.router.get_route()) then
    body, body_error = capture.body(math.floor(conf.req_body_size * 1024))
  end
  local kept = {}
  local sections, err = engine.ask(conf, message_of(conf, body, body_error, kept))
  if not sections then
    return nil, err
  end
  local verdict, status_or_error, id = t1k.verdict(sections)
  kept.context = sections[t1k.TAG.CONTEXT]
  if conf.log_resp and verdict == "pass" and kept.context and kept.context ~= "" then
    ngx.ctx.waf_report = kept -- the engine recorded an event and wants to know what becomes of it
  end
  return verdict, status_or_error, id
end

function Waf:access(conf)
  if conf.mode == "off" then
    return
  end
  local ok, verdict, status_or_error, id = pcall(judge, conf)
  if not ok then
    verdict, status_or_error = nil, verdict
  end
  if verdict == "pass" then
    return
  end
  if verdict == "block" then
    if conf.mode == "block" then
      return kong.response.exit(status_or_error, block_body(status_or_error, id), JSON)
    end
    return
  end
  if status_or_error ~= "skipped" then
    kong.log.err("waf: ", conf.host, ":", conf.port, ": ", status_or_error)
  end
  if conf.mode == "block" and conf.on_error == "block" then
    return kong.response.exit(conf.on_error_status,
      string.format('{"code":%d,"success":false,"message":"the web application firewall cannot be reached"}',
        conf.on_error_status), JSON)
  end
end

-- The first octet of the response is about to go out.
function Waf:header_filter()
  local kept = ngx.ctx.waf_report
  if kept then
    ngx.update_time()
    kept.begin_s = ngx.now()
  end
end

-- What nginx counts as sent has the framing of chunks in it.
function Waf:body_filter()
  local kept = ngx.ctx.waf_report
  if kept then
    kept.octets = (kept.octets or 0) + #(ngx.arg[1] or "")
  end
end

-- The client has its response: nobody waits for what follows.
function Waf:log(conf)
  local kept = ngx.ctx.waf_report
  if not kept then
    return
  end
  local ok, err = pcall(report.add, conf, kept)
  if not ok then
    kong.log.err("waf: response report: ", err)
  end
end

return Waf
