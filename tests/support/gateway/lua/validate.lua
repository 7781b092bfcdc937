-- Judges form fields by a plugin's schema, in the gateway's words.
local M = {}

-- Form text becomes what the schema says it is; what cannot be stays text and is then refused.
local function coerce(field, text)
  if field.type == "integer" or field.type == "number" then return tonumber(text) or text end
  if field.type == "boolean" then
    if text == "true" then return true end
    if text == "false" then return false end
  end
  return text
end

local function check(field, value)
  if field.type == "integer" then
    if type(value) ~= "number" or value ~= math.floor(value) then return "expected an integer" end
  elseif field.type == "number" then
    if type(value) ~= "number" then return "expected a number" end
  elseif field.type == "boolean" then
    if type(value) ~= "boolean" then return "expected a boolean" end
  elseif field.type == "string" then
    if type(value) ~= "string" then return "expected a string" end
  end
  if field.between and (value < field.between[1] or value > field.between[2]) then
    return string.format("value should be between %d and %d", field.between[1], field.between[2])
  end
  if field.len_min and #value < field.len_min then
    return string.format("length must be at least %d", field.len_min)
  end
  if field.match and not string.find(value, field.match) then return "invalid value: " .. value end
  if field.one_of then
    for _, one in ipairs(field.one_of) do
      if one == value then return nil end
    end
    return "expected one of: " .. table.concat(field.one_of, ", ")
  end
end

-- `form`: "config.host" -> text. Returns the config with defaults, or nil and a table field -> error.
function M.config(schema, form)
  local fields = {}
  for _, entry in ipairs(schema.fields) do
    local name, field = next(entry)
    if name == "config" then
      for _, inner in ipairs(field.fields) do
        local key, definition = next(inner)
        fields[key] = definition
      end
    end
  end
  local config, errors = {}, {}
  for name, field in pairs(fields) do
    local text = form["config." .. name]
    if text == nil then
      if field.default ~= nil then
        config[name] = field.default
      elseif field.required then
        errors[name] = "required field missing"
      end
    else
      local value = coerce(field, text)
      errors[name] = check(field, value)
      config[name] = value
    end
  end
  for key in pairs(form) do
    local name = string.match(key, "^config%.(.+)$")
    if name and not fields[name] then errors[name] = "unknown field" end
    if not name and key ~= "name" then errors[key] = "unknown field" end
  end
  if next(errors) then return nil, errors end
  return config
end

return M
