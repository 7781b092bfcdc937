-- Addresses as texts: of engines (`host`), and of clients in headers (`remote_addr`). Pure.
local M = {}

local function ipv4(text)
  local bytes = { string.match(text, "^(%d%d?%d?)%.(%d%d?%d?)%.(%d%d?%d?)%.(%d%d?%d?)$") }
  if #bytes ~= 4 then
    return false
  end
  for _, byte in ipairs(bytes) do
    if tonumber(byte) > 255 or string.match(byte, "^0%d") then
      return false
    end
  end
  return true
end

-- Groups of one side of "::"; nil if one is malformed. The last group may be an IPv4 address, which counts as two.
local function groups(text, may_end_in_ipv4)
  if text == "" then
    return 0
  end
  local count = 0
  for group in string.gmatch(text .. ":", "([^:]*):") do
    count = count + 1
    if not string.match(group, "^%x%x?%x?%x?$") then
      local last = string.match(text, "([^:]*)$")
      if not (may_end_in_ipv4 and group == last and ipv4(group)) then
        return nil
      end
      count = count + 1
      may_end_in_ipv4 = false
    end
  end
  return count
end

local function ipv6(text)
  if #text > 45 or not string.find(text, ":", 1, true) then
    return false
  end
  local left, right = string.match(text, "^(.-)::(.*)$")
  if not left then
    return groups(text, true) == 8
  end
  if string.find(right, "::", 1, true) then
    return false
  end
  local before, after = groups(left, false), groups(right, true)
  return before ~= nil and after ~= nil and before + after <= 7
end

-- An IPv4 or IPv6 address as proxies write one, its port and brackets taken off; nil if the text is none.
function M.ip(text)
  local bare = string.match(text, "^%[([%x:.]+)%]$") or string.match(text, "^%[([%x:.]+)%]:%d+$")
  if bare then
    return ipv6(bare) and bare or nil
  end
  bare = string.match(text, "^([%d.]+):%d+$") or text
  if ipv4(bare) or ipv6(bare) then
    return bare
  end
  return nil
end

local function name(text)
  if #text > 253 then
    return false
  end
  local label
  for one in string.gmatch(string.gsub(text, "%.$", "") .. ".", "([^.]*)%.") do
    if #one > 63 or not string.match(one, "^[%w_]$") and not string.match(one, "^[%w_][%w_-]*[%w_]$") then
      return false
    end
    label = one
  end
  return label ~= nil and not string.match(label, "^%d+$")
end

local HOST_FORMAT = "expected a host name, an IPv4 or IPv6 address, or unix:/PATH, without scheme and port"

-- For schemas: true, or nil and what is wrong.
function M.check_host(text)
  local path = string.match(text, "^unix:(.*)$")
  if path then
    if string.match(path, "^/[^%c%s]+$") and #path <= 107 then
      return true
    end
  elseif ipv4(text) or ipv6(text) or name(text) then
    return true
  else
    local bracketed = string.match(text, "^%[(.*)%]$")
    if bracketed and ipv6(bracketed) then
      return true
    end
  end
  return nil, "invalid value: " .. text .. "; " .. HOST_FORMAT
end

-- The host as sockets take it.
function M.for_socket(host)
  if string.sub(host, 1, 5) ~= "unix:" and ipv6(host) then
    return "[" .. host .. "]"
  end
  return host
end

-- Is this the name of something that may stand for several addresses?
function M.is_name(host)
  return string.sub(host, 1, 5) ~= "unix:" and not ipv4(host) and not string.find(host, ":", 1, true)
end

local REMOTE_FORMAT = "expected http_NAME: N, the header in lower case with _ for -, and the element counted from 1 on the left or -1 on the right"

local function remote_parts(setting)
  local header, index = string.match(setting, "^%s*http_([%w_]+)%s*:%s*(%-?%d%d?%d?)%s*$")
  index = tonumber(index)
  if not header or index == 0 then
    return nil
  end
  return string.lower(header), index
end

-- For schemas: true, or nil and what is wrong.
function M.check_remote(setting)
  if remote_parts(setting) then
    return true
  end
  return nil, "invalid value: " .. setting .. "; " .. REMOTE_FORMAT
end

-- "http_x_forwarded_for: 2": element of a header counted from the left, negative from the right; elements are split at
-- commas and blanks. `header_value(name)` gives the header or nil. Nil if there is no such element or it is no address.
function M.from_header(setting, header_value)
  local header, index = remote_parts(setting)
  local value = header and header_value(header)
  if not value then
    return nil
  end
  local elements = {}
  for element in string.gmatch(value, "[^,%s]+") do
    elements[#elements + 1] = element
  end
  if index < 0 then
    index = #elements + 1 + index
  end
  local element = elements[index]
  return element and M.ip(element)
end

return M
