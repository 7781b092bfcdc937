-- What is sent to the engine: the request head as received, the body up to its limit, who sent it.
local address = require "kong.plugins.waf.address"
local match = require "kong.plugins.waf.match"

local M = {}

local ngx = ngx
local kong = kong

-- HTTP/1: the bytes as received. Later versions have no such bytes: the head is rebuilt.
function M.head()
  if ngx.req.http_version() and ngx.req.http_version() < 2 then
    local ok, raw = pcall(ngx.req.raw_header)
    if ok and raw and raw ~= "" then
      return raw
    end
  end
  local lines = { ngx.req.get_method() .. " " .. (ngx.var.request_uri or "/") .. " HTTP/"
    .. string.format("%.1f", ngx.req.http_version() or 1.1) }
  local headers = ngx.req.get_headers(0, true)
  for name, value in pairs(headers) do
    if type(value) == "table" then
      for _, one in ipairs(value) do
        lines[#lines + 1] = name .. ": " .. tostring(one)
      end
    else
      lines[#lines + 1] = name .. ": " .. tostring(value)
    end
  end
  return table.concat(lines, "\r\n") .. "\r\n\r\n"
end

local function has(set, ...)
  for _, one in ipairs(set or {}) do
    for _, wanted in ipairs({ ... }) do
      if one == wanted then
        return true
      end
    end
  end
  return false
end

-- Streams that the gateway itself takes for gRPC (the route or the service says so) and routes that must not be buffered
-- are judged by their head alone. Nothing that a client writes decides alone: with Upgrade or a content type of gRPC on any other
-- route a service may well read the body as a form.
function M.may_buffer(route, service)
  if route and route.request_buffering == false then
    return false
  end
  local grpc = route and has(route.protocols, "grpc", "grpcs") or service and has({ service.protocol }, "grpc", "grpcs")
  if not grpc then
    return true
  end
  local media = match.media_type(ngx.var.http_content_type)
  return not (media == "application/grpc" or string.find(media, "^application/grpc%+[%w.-]+$"))
end

local function content_type()
  local value = ngx.req.get_headers(0)["content-type"]
  if type(value) == "table" or value and string.find(value, ",", 1, true) then
    return false
  end
  return value
end

-- For match.decide.
function M.facts()
  return {
    method = ngx.req.get_method(),
    host = ngx.var.http_host or ngx.var.host,
    target = ngx.var.request_uri or "/",
    content_type = content_type(),
  }
end

-- Values of EXTRA as nginx knows them; the addresses of the client are the caller's.
function M.connection()
  return {
    remote_port = ngx.var.remote_port,
    local_addr = ngx.var.server_addr,
    local_port = ngx.var.server_port,
    server_name = ngx.var.server_name,
    scheme = ngx.var.scheme,
    proxy_name = ngx.var.hostname,
    uuid = ngx.var.request_id, -- 32 random hex digits
    begin_time_us = string.format("%.0f", ngx.req.start_time() * 1000000),
  }
end

-- Up to `limit` bytes of the body, from memory or from the file the gateway buffered it to; nil: there is none.
-- The second value is an error text when there is a body and it could not be read, the third true when it is longer.
function M.body(limit)
  local length = tonumber(ngx.var.http_content_length)
  local chunked = ngx.var.http_transfer_encoding
  local http2 = (ngx.req.http_version() or 1.1) >= 2
  if not chunked and (not length or length == 0) and not http2 then
    return nil
  end
  local ok, err = pcall(ngx.req.read_body)
  if not ok then
    -- Some versions refuse every request over HTTP/2 without content-length, also those that have no body.
    local method = ngx.req.get_method()
    if http2 and not length and (method == "GET" or method == "HEAD" or method == "OPTIONS") then
      return nil
    end
    return nil, tostring(err)
  end
  local data = ngx.req.get_body_data()
  if data then
    return string.sub(data, 1, limit), nil, #data > limit
  end
  local path = ngx.req.get_body_file()
  if not path then
    return nil
  end
  local file, open_error = io.open(path, "rb")
  if not file then
    return nil, open_error
  end
  local content = file:read(limit)
  local longer = file:read(1) ~= nil
  file:close()
  return content, nil, longer
end

-- The client's address as the settings say, and the peer of the connection.
function M.addresses(remote_addr)
  local peer = kong.client.get_ip()
  local source = remote_addr and address.from_header(remote_addr, function(header)
    return ngx.var["http_" .. header]
  end)
  return source or kong.client.get_forwarded_ip(), peer
end

return M
