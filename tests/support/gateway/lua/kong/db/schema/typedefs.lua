-- The type definitions that schema.lua uses; a call gives a copy with more attributes, as in the gateway.
local function define(base)
  return setmetatable(base, {
    __call = function(self, more)
      local copy = {}
      for key, value in pairs(self) do copy[key] = value end
      for key, value in pairs(more or {}) do copy[key] = value end
      return copy
    end,
  })
end

return {
  no_consumer = define({ type = "foreign", reference = "consumers", eq = "null" }),
  protocols_http = define({ type = "set", elements = { type = "string", one_of = { "grpc", "grpcs", "http", "https" } },
    default = { "grpc", "grpcs", "http", "https" } }),
  port = define({ type = "integer", between = { 0, 65535 } }),
}
