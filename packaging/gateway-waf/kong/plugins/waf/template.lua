-- The body of the answer to attacks. Pure.
local M = {}

-- For schemas: true, or nil and what is wrong.
function M.check(text)
  for placeholder in string.gmatch(text, "{(%l[%l_]*)}") do
    if placeholder ~= "event_id" and placeholder ~= "status" then
      return nil, "unknown placeholder {" .. placeholder .. "}: expected {event_id} or {status}"
    end
  end
  return true
end

-- `id` is letters and digits alone, so nothing can break out of JSON or HTML.
function M.fill(text, status, id)
  return (string.gsub(text, "{(%l[%l_]*)}", { event_id = id, status = tostring(status) }))
end

return M
