-- What is sent to the engine: the request head as received, the body up to its limit, who sent it.
local M = {}

local ngx = ngx

-- HTTP/1: the octets as received. Later versions have no such octets: the head is rebuilt.
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

-- gRPC streams, upgraded connections and routes that must not be buffered are judged by their head alone.
function M.may_buffer(route)
  if route and route.request_buffering == false then
    return false
  end
  local upgrade = ngx.var.http_upgrade
  if upgrade and upgrade ~= "" then
    return false
  end
  local content_type = ngx.var.http_content_type
  return not (content_type and string.find(string.lower(content_type), "application/grpc", 1, true))
end

-- Up to `limit` octets of the body, from memory or from the file the gateway buffered it to; nil: there is none.
-- The second value is an error text when there is a body and it could not be read.
function M.body(limit)
  local length = tonumber(ngx.var.http_content_length)
  local chunked = ngx.var.http_transfer_encoding
  local http2 = (ngx.req.http_version() or 1.1) >= 2
  if not chunked and (not length or length == 0) and not http2 then
    return nil
  end
  local ok, err = pcall(ngx.req.read_body)
  if not ok then
    if http2 and not length then
      return nil, "the gateway cannot buffer an HTTP/2 body without content-length"
    end
    return nil, tostring(err)
  end
  local data = ngx.req.get_body_data()
  if data then
    return string.sub(data, 1, limit)
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
  file:close()
  return content
end

-- "http_x_forwarded_for: 2": element of a header counted from the left, negative from the right; elements are split
-- at commas and blanks. Nil if there is none.
function M.address_from(setting)
  local header, index = string.match(setting, "^%s*http_([%w_]+)%s*:%s*(%-?%d+)%s*$")
  if not header then
    return nil
  end
  local value = ngx.var["http_" .. header]
  if not value then
    return nil
  end
  local elements = {}
  for element in string.gmatch(value, "[^,%s]+") do
    elements[#elements + 1] = element
  end
  index = tonumber(index)
  if index < 0 then
    index = #elements + 1 + index
  end
  return elements[index]
end

return M
