-- For gateways other than Kong: what the schema takes from Kong, and settings that are right or an error.
local M = {}

local function typedef(base)
  return setmetatable(base, { __call = function(_, more)
    local out = {}
    for _, part in ipairs({ base, more }) do
      for name, value in pairs(part) do
        out[name] = value
      end
    end
    return out
  end })
end

package.preload["kong.db.schema.typedefs"] = package.preload["kong.db.schema.typedefs"] or function()
  return { port = typedef({ type = "integer", between = { 0, 65535 } }), sni = typedef({ type = "string", match = "^[%w_.-]+$" }),
    no_consumer = {}, protocols_http = {} }
end

local address = require "kong.plugins.waf.address"
local settings = require "kong.plugins.waf.settings"

-- Raises an error that names the setting and what was expected.
function M.settings(config)
  local conf, wrong = settings.of(config)
  if wrong then
    error("wafd: " .. wrong, 3)
  end
  return conf
end

-- The client's address: out of the header that `remote_addr` names, else `otherwise`. `header_value(name)`: name in lower case, _ for -.
function M.client(conf, header_value, otherwise)
  return conf.remote_addr and address.from_header(conf.remote_addr, header_value) or otherwise
end

return M
