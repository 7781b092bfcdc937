-- One exchange with an engine over a pooled connection. The deadline of the request's budget holds over all steps: a peer
-- that sends a byte now and then gains no time by it.
local pool = require "kong.plugins.waf.pool"
local t1k = require "kong.plugins.waf.t1k"

local M = {}

local ngx = ngx

M.CHUNK = 16384 -- bytes of one send: between two of them the deadline is looked at
M.READ = 65536

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

local function problem(kind, text)
  return { kind = kind, text = text }
end

local function spent(conf, doing)
  return problem("budget", doing .. " was not over within the budget of " .. conf.budget .. " ms")
end

-- The error of a socket call that had `given` ms. "timeout" means the step's own limit or the budget's end.
local function socket_problem(conf, err, given, doing, name)
  if err == "timeout" then
    if given < conf[name] then
      return spent(conf, doing)
    end
    return problem("timeout", doing .. " stood still for " .. conf[name] .. " ms (" .. name .. ")")
  end
  return problem("socket", err .. " (" .. doing .. ")")
end

local function client_certificate(sock, conf)
  if not conf.tls_certificate then
    return true
  end
  local ssl = require "ngx.ssl"
  local chain, err = ssl.parse_pem_cert(conf.tls_certificate)
  if not chain then
    return nil, "tls_certificate: " .. tostring(err)
  end
  local key
  key, err = ssl.parse_pem_priv_key(conf.tls_key)
  if not key then
    return nil, "tls_key: " .. tostring(err)
  end
  return sock:setclientcert(chain, key)
end

-- An engine that swallows the first packet must leave time for another one.
local function most_of(conf)
  return conf.nodes and #conf.nodes > 0 and math.ceil(conf.budget / 2) or conf.budget
end

local function handshake(sock, conf, node, deadline)
  local ok, err = client_certificate(sock, conf)
  if not ok then
    return problem("settings", "TLS: " .. tostring(err))
  end
  local given = left_ms(deadline, math.min(conf.connect_timeout, most_of(conf)))
  if not given then
    return spent(conf, "the TLS handshake")
  end
  sock:settimeouts(given, given, given)
  local server_name = conf.tls_server_name
  if not server_name and not string.find(node.name, "^unix:") then
    server_name = string.gsub(node.host, "[%[%]]", "")
  end
  -- Some versions raise an error where others return one.
  local called
  called, ok, err = pcall(sock.sslhandshake, sock, false, server_name, conf.tls_verify)
  if not called then
    return problem("tls", "TLS: handshake failed, expected a certificate of " .. tostring(server_name) .. " that is trusted: " .. tostring(ok))
  end
  if not ok then
    if err == "timeout" then
      return problem("silent", "the TLS handshake was not over after " .. given .. " ms")
    end
    return problem("tls", "TLS: " .. tostring(err))
  end
end

-- Connections of other TLS settings must not be taken.
local function pool_name(conf, node)
  if not conf.tls then
    return "waf|" .. node.name
  end
  return table.concat({ "waf", node.name, tostring(conf.tls_verify), conf.tls_server_name or "",
    ngx.md5((conf.tls_certificate or "") .. (conf.tls_key or "")) }, "|")
end

-- Returns a socket, or nil and a problem.
local function connect(conf, node, deadline)
  local sock, err = ngx.socket.tcp()
  if not sock then
    return nil, problem("socket", err)
  end
  local most = most_of(conf)
  local given = left_ms(deadline, math.min(conf.connect_timeout, most))
  if not given then
    return nil, spent(conf, "connecting")
  end
  sock:settimeouts(given, conf.send_timeout, conf.read_timeout)
  local options = { pool_size = conf.keepalive_size, pool = pool_name(conf, node) }
  local ok
  if node.port then
    ok, err = sock:connect(node.host, node.port, options)
  else
    ok, err = sock:connect(node.host, options)
  end
  if not ok then
    if err == "timeout" then
      -- It is the engine's failure if it had its time.
      local kind = given >= math.min(conf.connect_timeout, math.floor(most / 2)) and "connect" or "budget"
      return nil, problem(kind, "connecting was not over after " .. given .. " ms")
    end
    return nil, problem("connect", err .. " (connecting)")
  end
  if conf.tls and (sock:getreusedtimes() or 0) == 0 then
    local failed = handshake(sock, conf, node, deadline)
    if failed then
      sock:close()
      if failed.kind == "tls" then
        failed.kind = "connect"
      end
      return nil, failed
    end
  end
  return sock
end

local function send(sock, conf, deadline, message)
  local at = 1
  while at <= #message do
    local given = left_ms(deadline, conf.send_timeout)
    if not given then
      return spent(conf, "sending")
    end
    sock:settimeouts(conf.connect_timeout, given, conf.read_timeout)
    local piece = #message <= M.CHUNK and message or string.sub(message, at, at + M.CHUNK - 1)
    local sent, err = sock:send(piece)
    if not sent then
      return socket_problem(conf, err, given, "sending", "send_timeout")
    end
    at = at + #piece
  end
end

-- A function that gives exactly n bytes, or nil and a problem; and one that tells how many more have come.
local function receiver(sock, conf, deadline)
  local buffer, at = "", 1
  local function receive(count)
    while #buffer - at + 1 < count do
      local given = left_ms(deadline, conf.read_timeout)
      if not given then
        return nil, spent(conf, "the answer")
      end
      sock:settimeouts(conf.connect_timeout, conf.send_timeout, given)
      local data, err = sock:receiveany(M.READ)
      if not data then
        return nil, socket_problem(conf, err, given, "the answer", "read_timeout")
      end
      buffer = string.sub(buffer, at) .. data
      at = 1
    end
    local out = string.sub(buffer, at, at + count - 1)
    at = at + count
    return out
  end
  return receive, function()
    return #buffer - at + 1
  end
end

local function exchange(sock, conf, deadline, message)
  local failed = send(sock, conf, deadline, message)
  if failed then
    return nil, failed
  end
  local receive, rest = receiver(sock, conf, deadline)
  local sections, err = t1k.read_answer(receive)
  if not sections then
    return nil, type(err) == "table" and err or problem("protocol", err)
  end
  if rest() > 0 then
    sock:close()
    return sections, problem("protocol", "expected nothing after the answer, got " .. rest() .. " more bytes; the connection is closed")
  end
  sock:setkeepalive(conf.keepalive_timeout, conf.keepalive_size)
  return sections
end

local GONE = { closed = true, ["broken pipe"] = true, ["connection reset by peer"] = true }

-- One engine: sections and perhaps a problem that did no harm; or nil and the problem.
local function talk(conf, engines, node, deadline, make_message, tells)
  local tries = node.tries
  local attempt = 0
  while true do
    attempt = attempt + 1
    local sock, failed = connect(conf, node, deadline)
    if not sock then
      if failed.kind ~= "connect" then
        if failed.kind == "silent" then
          node.breaker:unanswered(now_s())
        end
        return nil, failed
      end
      if attempt >= tries then
        node.breaker:failed(now_s())
        return nil, failed
      end
    else
      node.breaker:connected()
      local reused = (sock:getreusedtimes() or 0) > 0
      local told = tells and engines:take() or { skipped = 0, unjudged = 0 }
      local sections
      sections, failed = exchange(sock, conf, deadline, make_message(told))
      if sections then
        node.breaker:answered()
        engines:answered()
        return sections, failed
      end
      sock:close()
      engines:unanswered(told)
      -- A pooled connection may have been closed meanwhile; that is no failure of the engine, and is tried once anew.
      if not (reused and attempt == 1 and GONE[string.match(failed.text, "^(.-) %(") or ""]) then
        node.breaker:unanswered(now_s())
        return nil, failed
      end
      tries = attempt + 1
    end
  end
end

-- Returns sections, or nil, and a list of problems { name, kind, text }: beside sections they did no harm; without, the list is
-- empty if no engine was asked because the circuit of each is open. `make_message({ skipped, unjudged })` builds the message as one string.
local function ask(conf, make_message, tells)
  local deadline = now_s() + conf.budget / 1000
  local engines = pool.of(conf)
  local problems = {}
  local found = engines:each(now_s, function(node)
    local sections, failed = talk(conf, engines, node, deadline, make_message, tells)
    if failed then
      problems[#problems + 1] = { name = node.name, kind = failed.kind, text = failed.text }
    end
    if sections then
      return sections
    end
    if failed.kind == "budget" then
      return false
    end
  end)
  return found or nil, problems
end

-- For a request.
function M.ask(conf, make_message)
  return ask(conf, make_message, true)
end

-- For a message that tells and does not ask.
function M.tell(conf, message)
  return ask(conf, function()
    return message
  end, false)
end

return M
