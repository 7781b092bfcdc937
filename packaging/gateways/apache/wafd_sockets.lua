-- Sockets for the client of the plugin where there is no nginx: as much of nginx' Lua API as it calls, over LuaSocket (Debian: lua-socket).
-- A Lua state belongs to one thread of Apache, and so do the idle connections kept here.
local socket = require "socket"

local M = {}

local Stream = {}
Stream.__index = Stream

local idle = {} -- name of the pool -> list of { sock, reused, until_s }

-- Milliseconds.
function Stream:settimeouts(connect, send, read)
  self.connect_s, self.send_s, self.read_s = connect / 1000, send / 1000, read / 1000
end

-- Nothing has come and nothing was closed: what has, is no idle connection any more.
local function is_quiet(sock)
  sock:settimeout(0)
  local _, err = sock:receive(1)
  return err == "timeout"
end

local function take(pool)
  local list = idle[pool] or {}
  while #list > 0 do
    local one = table.remove(list)
    if socket.gettime() < one.until_s and is_quiet(one.sock) then
      return one
    end
    one.sock:close()
  end
end

-- connect(host, port, options) or connect("unix:/path", options); `options.pool` names the connections that may be taken.
function Stream:connect(host, port, options)
  self.pool = (options or port).pool
  local kept = take(self.pool)
  if kept then
    self.sock, self.reused = kept.sock, kept.reused + 1
    return true
  end
  local path = string.match(host, "^unix:(.*)$")
  self.sock, self.reused = path and require("socket.unix")() or socket.tcp(), 0
  self.sock:settimeout(self.connect_s)
  local ok, err
  if path then
    ok, err = self.sock:connect(path)
  else
    ok, err = self.sock:connect(string.gsub(host, "[%[%]]", ""), port)
  end
  if not ok then
    self.sock:close()
    return nil, err
  end
  if not path then
    self.sock:setoption("tcp-nodelay", true)
  end
  return true
end

function Stream:getreusedtimes()
  return self.reused
end

function Stream:send(data)
  self.sock:settimeout(self.send_s)
  return self.sock:send(data)
end

-- At least one byte, at most `most`.
function Stream:receiveany(most)
  self.sock:settimeout(self.read_s)
  local data, err = self.sock:receive(1)
  if not data then
    return nil, err
  end
  self.sock:settimeout(0)
  local rest, _, partial = self.sock:receive(most - 1)
  return data .. (rest or partial or "")
end

function Stream:setkeepalive(timeout_ms, size)
  local list = idle[self.pool] or {}
  idle[self.pool] = list
  if #list >= size then
    self.sock:close()
    return
  end
  list[#list + 1] = { sock = self.sock, reused = self.reused, until_s = socket.gettime() + timeout_ms / 1000 }
end

function Stream:close()
  self.sock:close()
end

function M.tcp()
  return setmetatable({}, Stream)
end

M.now = socket.gettime
M.hostname = socket.dns.gethostname

return M
