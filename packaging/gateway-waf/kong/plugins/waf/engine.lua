-- One exchange with the engine over a pooled connection, within the request's budget.
local breaker = require "kong.plugins.waf.breaker"
local t1k = require "kong.plugins.waf.t1k"

local M = {}

local ngx = ngx

-- One breaker an engine, in this worker.
local breakers = {}

local function breaker_of(key)
  local one = breakers[key]
  if not one then
    one = breaker.new()
    breakers[key] = one
  end
  return one
end

local function now_s()
  ngx.update_time()
  return ngx.now()
end

-- Milliseconds left, at least 1, at most `most`; nil when the budget is spent.
local function left_ms(deadline, most)
  local left = math.floor((deadline - now_s()) * 1000)
  if left < 1 then
    return nil
  end
  return math.min(left, most)
end

local function connect(conf, deadline, pool)
  local sock, err = ngx.socket.tcp()
  if not sock then
    return nil, err
  end
  local timeout = left_ms(deadline, conf.connect_timeout)
  if not timeout then
    return nil, "budget"
  end
  sock:settimeouts(timeout, conf.send_timeout, conf.read_timeout)
  local options = { pool = pool, pool_size = conf.keepalive_size }
  local ok
  if string.sub(conf.host, 1, 5) == "unix:" then
    ok, err = sock:connect(conf.host, options)
  else
    ok, err = sock:connect(conf.host, conf.port, options)
  end
  if not ok then
    return nil, err, "connect"
  end
  return sock
end

local function exchange(sock, conf, deadline, message)
  local timeout = left_ms(deadline, conf.send_timeout)
  if not timeout then
    return nil, "budget"
  end
  sock:settimeouts(conf.connect_timeout, timeout, conf.read_timeout)
  local sent, err = sock:send(message)
  if not sent then
    return nil, err
  end
  return t1k.read_answer(function(count)
    local wait = left_ms(deadline, conf.read_timeout)
    if not wait then
      return nil, "budget"
    end
    sock:settimeouts(conf.connect_timeout, conf.send_timeout, wait)
    return sock:receive(count)
  end)
end

local function talk(conf, make_message, tells_skipped)
  local deadline = now_s() + conf.budget / 1000
  local pool = "waf:" .. conf.host .. ":" .. tostring(conf.port)
  local guard = breaker_of(pool)
  if not guard:allow(now_s()) then
    if not tells_skipped then
      guard:return_skipped(-1) -- it was no request
    end
    return nil, "skipped"
  end

  -- A pooled connection may have been closed meanwhile; that is no failure of the engine, and is tried once anew.
  for attempt = 1, 2 do
    local sock, err, stage = connect(conf, deadline, pool)
    if not sock then
      if stage == "connect" then
        guard:failed(now_s())
      end
      return nil, err
    end
    guard:connected()
    local reused = (sock:getreusedtimes() or 0) > 0
    local skipped = tells_skipped and guard:take_skipped() or 0
    local sections
    sections, err = exchange(sock, conf, deadline, make_message(skipped))
    if sections then
      sock:setkeepalive(conf.keepalive_timeout, conf.keepalive_size)
      return sections
    end
    sock:close()
    guard:return_skipped(skipped)
    if not (reused and attempt == 1 and (err == "closed" or err == "broken pipe" or err == "connection reset by peer")) then
      return nil, err
    end
  end
  return nil, "closed"
end

-- Returns sections, or nil and one of "skipped" | "timeout" | "budget" | "protocol" | another socket error.
-- `make_message(skipped)` builds the message; skips are told to the engine with it.
function M.ask(conf, make_message)
  return talk(conf, make_message, true)
end

-- The same for a message that tells and does not ask.
function M.tell(conf, message)
  return talk(conf, function() return message end, false)
end

return M
