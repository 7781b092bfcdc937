-- What the plugin's specs use of Kong's spec.helpers.
local cjson = require "cjson.safe"
local validate = require "validate"

local M = {}

-- As Kong's: the completed plugin, or nil and errors by field.
function M.validate_plugin_config_schema(config, schema)
  validate.schema(schema)
  local values = cjson.decode(cjson.encode(config))
  local errors = validate.config(schema, next(values) and values or {})
  if errors then
    return nil, { config = errors }
  end
  return { config = values }
end

return M
