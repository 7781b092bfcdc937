-- Response reports: what became of a request that the engine recorded and passed. They wait in a queue of this worker
-- and are told by a timer, after the client has its response; a queue that is full drops them and counts.
local engine = require "kong.plugins.waf.engine"
local say = require "kong.plugins.waf.say"
local t1k = require "kong.plugins.waf.t1k"

local M = {}

local ngx = ngx

M.MAX_QUEUED = 1000
M.MAX_HEAD = 65536 -- bytes of the request head; wafd does not read it again

local queue, first, last = {}, 1, 0
local dropped = 0
local running = false

-- Reason phrases of RFC 9110 and of common extensions: nginx does not show the one that the service sent.
local PHRASES = {
  [200] = "OK", [201] = "Created", [202] = "Accepted", [203] = "Non-Authoritative Information", [204] = "No Content",
  [205] = "Reset Content", [206] = "Partial Content", [207] = "Multi-Status", [300] = "Multiple Choices",
  [301] = "Moved Permanently", [302] = "Found", [303] = "See Other", [304] = "Not Modified",
  [307] = "Temporary Redirect", [308] = "Permanent Redirect", [400] = "Bad Request", [401] = "Unauthorized",
  [402] = "Payment Required", [403] = "Forbidden", [404] = "Not Found", [405] = "Method Not Allowed",
  [406] = "Not Acceptable", [407] = "Proxy Authentication Required", [408] = "Request Timeout", [409] = "Conflict",
  [410] = "Gone", [411] = "Length Required", [412] = "Precondition Failed", [413] = "Content Too Large",
  [414] = "URI Too Long", [415] = "Unsupported Media Type", [416] = "Range Not Satisfiable",
  [417] = "Expectation Failed", [421] = "Misdirected Request", [422] = "Unprocessable Content", [423] = "Locked",
  [424] = "Failed Dependency", [426] = "Upgrade Required", [428] = "Precondition Required",
  [429] = "Too Many Requests", [431] = "Request Header Fields Too Large",
  [451] = "Unavailable For Legal Reasons", [499] = "Client Closed Request", [500] = "Internal Server Error",
  [501] = "Not Implemented", [502] = "Bad Gateway", [503] = "Service Unavailable", [504] = "Gateway Timeout",
  [505] = "HTTP Version Not Supported", [507] = "Insufficient Storage",
}

local function microseconds(seconds)
  return seconds and string.format("%.0f", seconds * 1000000)
end

-- The head of the response as far as the engine reads it: no cookies, no tokens leave the gateway.
local function response_head()
  local status = ngx.status
  local lines = { string.format("HTTP/1.1 %03d %s", status, PHRASES[status] or "") }
  for _, name in ipairs({ "Content-Type", "Content-Length" }) do
    local value = ngx.header[name]
    if type(value) == "table" then
      value = value[1]
    end
    if value then
      lines[#lines + 1] = name .. ": " .. string.gsub(string.sub(tostring(value), 1, 256), "[\r\n]", " ")
    end
  end
  return table.concat(lines, "\r\n") .. "\r\n\r\n"
end

local function drain(premature)
  while first <= last and not premature do
    local one = queue[first]
    queue[first] = nil
    first = first + 1
    local ok, sections, problems = pcall(engine.tell, one.conf, one.message)
    if not ok then
      say.error("report", "response report: " .. tostring(sections))
    elseif not sections then
      for _, problem in ipairs(problems) do
        say.error("report" .. problem.name .. problem.kind, "response report: " .. problem.name .. ": " .. problem.text)
      end
    end
    if dropped > 0 then
      ngx.log(ngx.WARN, "waf: response reports dropped, the queue was full: ", dropped)
      dropped = 0
    end
  end
  running = false
end

-- In the log phase. `kept` is what the access phase kept: head, values of EXTRA, context, begin_s.
function M.add(conf, kept)
  if last - first + 1 >= M.MAX_QUEUED then
    dropped = dropped + 1
    return
  end
  ngx.update_time()
  local values = kept.values
  values.skipped, values.unjudged = nil, nil
  values.rsp_begin_time_us = microseconds(kept.begin_s)
  values.rsp_end_time_us = microseconds(ngx.now())
  -- Not all of it, if the client went away.
  values.rsp_bytes = math.min(kept.bytes or 0, tonumber(ngx.var.body_bytes_sent) or 0)
  last = last + 1
  queue[last] = {
    conf = conf,
    message = t1k.report(string.sub(kept.head, 1, M.MAX_HEAD), response_head(), kept.context, t1k.extra(values)),
  }
  if running then
    return
  end
  local ok, err = ngx.timer.at(0, drain)
  if ok then
    running = true
  else
    ngx.log(ngx.ERR, "waf: response reports wait, no timer: ", err)
  end
end

return M
