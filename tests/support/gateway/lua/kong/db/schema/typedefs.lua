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

local http = { "grpc", "grpcs", "http", "https" }

local function check_sni(name)
  if string.match(name, "^[%w_.-]+$") and not string.match(name, "^[%d.]+$") then return true end
  return nil, "invalid value: " .. name
end

return {
  no_consumer = define({ type = "foreign", reference = "consumers", eq = "null" }),
  protocols_http = define({ type = "set", required = true, elements = { type = "string", one_of = http }, default = http }),
  port = define({ type = "integer", between = { 0, 65535 }, description = "A port, 0 to 65535." }),
  sni = define({ type = "string", custom_validator = check_sni, description = "A name of a server, as in SNI." }),
}
