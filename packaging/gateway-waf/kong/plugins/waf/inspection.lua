-- What happens to one request, whatever the gateway: the engine is asked, its verdict read, and what could not be judged is
-- said and counted. No Lua error leaves this: `on_error` decides.
--
-- `gateway` tells what only the gateway knows:
--   name             for the log
--   reports          true: response reports follow for requests that the engine recorded and passed
--   facts()          method, host, target and content_type of the request, for match.decide
--   head()           request line and headers
--   body(limit)      up to `limit` bytes of the body, nil if there is none or it is not to be judged; second an error if it could not be
--                    read, third true if it is longer
--   connection(conf) values of EXTRA: addresses, ports, names, begin_time_us
local engine = require "kong.plugins.waf.engine"
local match = require "kong.plugins.waf.match"
local pool = require "kong.plugins.waf.pool"
local say = require "kong.plugins.waf.say"
local t1k = require "kong.plugins.waf.t1k"
local template = require "kong.plugins.waf.template"

local M = {}

-- No part of an id can break out of the JSON: T1K's pattern lets only letters and digits through.
local BLOCK_BODY =
  '{"code":{status},"success":false,"message":"blocked by web application firewall","event_id":"{event_id}"}'
local ERROR_BODY = '{"code":{status},"success":false,"message":"the web application firewall cannot be reached"}'

local function problem(name, kind, text)
  return { { name = name, kind = kind, text = text } }
end

-- Returns "pass" | "block" | "skip", status, id, and what a response report needs; or nil and a list of problems, which may be empty.
local function judge(conf, gateway)
  local part = conf.judges_all and "all" or match.decide(conf.match, gateway:facts())
  if part == "skip" then
    return "skip"
  end
  local body, body_error, body_cut
  if part == "all" then
    body, body_error, body_cut = gateway:body(math.floor(conf.req_body_size * 1024))
  end
  local head, values = gateway:head(), gateway:connection(conf)
  local reports = gateway.reports and conf.log_resp
  values.has_rsp_if_ok = reports and "y" or "n"
  values.has_rsp_if_block = "n"
  values.mode = conf.mode
  values.body_cut = body_cut and "y" or nil
  local sections, problems = engine.ask(conf, function(told)
    values.skipped = told.skipped > 0 and told.skipped or nil
    values.unjudged = told.unjudged > 0 and told.unjudged or nil
    return t1k.request(head, body, t1k.extra(values))
  end)
  if not sections then
    return nil, problems
  end
  for _, one in ipairs(problems) do
    say.error(one.name .. one.kind, one.name .. ": " .. one.text .. "; the request was judged")
  end
  local verdict, status_or_error, id, oddity = t1k.verdict(sections)
  if not verdict then
    return nil, problem("the engine", "verdict", status_or_error)
  end
  if oddity then
    say.error("status", "the engine: " .. oddity)
  end
  if verdict == "block" then
    return verdict, status_or_error, id
  end
  if body_error then
    return nil, problem(gateway.name, "body", "the body could not be read (its head is clean): " .. body_error)
  end
  local context = sections[t1k.TAG.CONTEXT] or ""
  if context == "" then
    return "pass"
  end
  return "pass", nil, string.match(context, "^%x+$"), reports and { head = head, values = values, context = context } or nil
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
  if block then
    local status = conf.on_error_status
    return "error", nil, { status = status, body = template.fill(ERROR_BODY, status, ""), content_type = "application/json" }
  end
  if conf.host then
    local engines = pool.of(conf)
    local kind = #problems > 0 and "unjudged" or "skipped"
    engines[kind] = engines[kind] + 1
  end
  return "unjudged"
end

-- `conf`, `wrong`: what settings.of gave. Returns the action ("pass", "monitor", "deny", "unjudged", "error"; nil if the request is none
-- of ours), the event id if there is one, the answer { status, body, content_type } if the client gets one, and what a response report needs.
function M.run(conf, wrong, gateway)
  if conf.mode == "off" then
    return nil
  end
  if wrong then
    return fail(conf, problem("the settings", wrong, wrong))
  end
  local ok, verdict, status_or_problems, id, kept = pcall(judge, conf, gateway)
  if not ok then
    return fail(conf, problem("the plugin", "error", tostring(verdict)))
  end
  if not verdict then
    return fail(conf, status_or_problems)
  end
  if verdict == "skip" then
    return nil
  end
  if verdict == "pass" then
    return id and "monitor" or "pass", id, nil, kept
  end
  if conf.mode ~= "block" then
    return "monitor", id
  end
  local status = conf.block_status or status_or_problems
  return "deny", id, { status = status, body = template.fill(conf.block_body or BLOCK_BODY, status, id), content_type = conf.block_content_type }
end

return M
