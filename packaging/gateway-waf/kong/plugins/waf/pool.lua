-- The engines of one configuration, in this worker: who is asked next, whose circuit is open, and what was passed
-- unjudged and is not yet told. Pure: `now` is given in seconds.
local address = require "kong.plugins.waf.address"
local breaker = require "kong.plugins.waf.breaker"

local M = {}
M.__index = M

-- Of each engine one breaker a worker, whatever configurations it stands in.
local breakers = {}

local function node_of(host, port)
  local unix = string.sub(host, 1, 5) == "unix:"
  local name = unix and host or host .. ":" .. tostring(port)
  breakers[name] = breakers[name] or breaker.new()
  return { host = address.for_socket(host), port = not unix and port or nil, name = name, breaker = breakers[name],
    tries = address.is_name(host) and 2 or 1 } -- a name may stand for several addresses
end

local function new(settings)
  local nodes = { node_of(settings.host, settings.port) }
  for _, node in ipairs(settings.nodes or {}) do
    nodes[#nodes + 1] = node_of(node.host, node.port)
  end
  return setmetatable({ nodes = nodes, turn = 0, skipped = 0, unjudged = 0, telling = true }, M)
end

local pools, count = {}, 0
M.MAX_POOLS = 1024 -- configurations that were changed leave theirs behind

local function key_of(settings)
  local parts = { settings.host, settings.port }
  for _, node in ipairs(settings.nodes or {}) do
    parts[#parts + 1] = node.host
    parts[#parts + 1] = node.port
  end
  return table.concat(parts, " ")
end

function M.of(settings)
  local key = key_of(settings)
  local pool = pools[key]
  if not pool then
    if count >= M.MAX_POOLS then
      pools, breakers, count = {}, {}, 0
    end
    pool = new(settings)
    pools[key] = pool
    count = count + 1
  end
  return pool
end

-- Calls `try(node)` for one engine after the other, beginning with the one whose turn it is, until it returns something
-- other than nil. Engines that do not answer come last, those whose circuit is open are left out. Nil if none gave anything.
function M:each(now, try)
  self.turn = self.turn % #self.nodes + 1
  local order, resting = {}, {}
  for offset = 0, #self.nodes - 1 do
    local node = self.nodes[(self.turn - 1 + offset) % #self.nodes + 1]
    local list = #self.nodes > 1 and node.breaker:rests(now()) and resting or order
    list[#list + 1] = node
  end
  for _, node in ipairs(resting) do
    order[#order + 1] = node
  end
  for _, node in ipairs(order) do
    local result
    if node.breaker:allow(now()) then
      result = try(node)
    end
    if result ~= nil then
      return result
    end
  end
  return nil
end

-- What is to be told with the next exchange. Nothing after an exchange without an answer until one has an answer again: an engine
-- that reads and does not answer would count the same requests again and again.
function M:take()
  if not self.telling then
    return { skipped = 0, unjudged = 0 }
  end
  local told = { skipped = self.skipped, unjudged = self.unjudged }
  self.skipped, self.unjudged = 0, 0
  return told
end

function M:answered()
  self.telling = true
end

-- The exchange that told `told` had no answer.
function M:unanswered(told)
  self.telling = false
  self.skipped = self.skipped + told.skipped
  self.unjudged = self.unjudged + told.unjudged
end

return M
