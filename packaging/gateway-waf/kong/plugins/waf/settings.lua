-- The settings as the running plugin uses them. Admin API, declarative files, vaults and older versions all write what
-- lands here, so each value is judged again by schema.lua: what is absent or null is the default, what is wrong is an error.
local match = require "kong.plugins.waf.match"
local schema = require "kong.plugins.waf.schema"

local M = {}

local null = ngx.null

local function config_fields()
  for _, entry in ipairs(schema.fields) do
    if entry.config then
      return entry.config.fields
    end
  end
end

-- Nil, or what was expected instead of `value`.
local function wrong(field, value)
  local kind = type(value)
  if field.type == "integer" then
    if kind ~= "number" or value ~= math.floor(value) or value - value ~= 0 then
      return "expected an integer, got a " .. (kind == "number" and "number that is none" or kind)
    end
  elseif kind ~= field.type then
    return "expected a " .. field.type .. ", got a " .. kind
  end
  if field.between and not (value >= field.between[1] and value <= field.between[2]) then
    return string.format("expected %d to %d, got %s", field.between[1], field.between[2], tostring(value))
  end
  if field.len_min and #value < field.len_min then
    return "expected a text, got an empty one"
  end
  if field.len_max and #value > field.len_max then
    return "expected at most " .. field.len_max .. " bytes, got " .. #value
  end
  if field.match and not string.find(value, field.match) then
    return "got a value of another format"
  end
  if field.one_of then
    for _, one in ipairs(field.one_of) do
      if one == value then
        return nil
      end
    end
    return "expected one of " .. table.concat(field.one_of, ", ")
  end
  if field.custom_validator then
    local ok, err = field.custom_validator(value)
    if not ok then
      return err
    end
  end
end

local record

-- The value to use, or nil and an error.
local function value_of(field, value, path)
  if value == nil or value == null then
    value = field.default
    if value == nil and field.type == "record" and field.required then
      value = {}
    end
    if value == nil then
      if field.required then
        return nil, path .. ": required, got nothing"
      end
      return nil
    end
  end
  if field.type == "record" then
    return record(field.fields, value, path)
  end
  if field.type == "array" then
    if type(value) ~= "table" then
      return nil, path .. ": expected an array, got a " .. type(value)
    end
    local out = {}
    for index, element in ipairs(value) do
      local one, err = value_of(field.elements, element, path .. "." .. index)
      if err then
        return nil, err
      end
      out[index] = one
    end
    return out
  end
  local err = wrong(field, value)
  if err then
    return nil, path .. ": " .. err
  end
  return value
end

function record(fields, values, path)
  if type(values) ~= "table" then
    return nil, path .. ": expected a record, got a " .. type(values)
  end
  local out = {}
  for _, entry in ipairs(fields) do
    local name, field = next(entry)
    local value, err = value_of(field, values[name], path .. "." .. name)
    if err then
      return nil, err
    end
    out[name] = value
  end
  return out
end

-- What remains to go by when the settings are wrong: `mode`, `on_error` and `on_error_status`, each by itself.
local function remains(values)
  local out = {}
  for _, entry in ipairs(config_fields()) do
    local name, field = next(entry)
    if name == "mode" or name == "on_error" or name == "on_error_status" then
      local value, err = value_of(field, type(values) == "table" and values[name] or nil, name)
      out[name] = err and field.default or value
    end
  end
  return out
end

local known = setmetatable({}, { __mode = "k" })

local function has_references(values)
  if values["$refs"] then
    return true
  end
  for _, node in ipairs(type(values.nodes) == "table" and values.nodes or {}) do
    if type(node) == "table" and node["$refs"] then
      return true
    end
  end
  return false
end

-- Returns the settings, or what remains of them and an error that says which field is wrong.
function M.of(values)
  local seen = known[values or null]
  if seen then
    return seen.settings, seen.err
  end
  local settings, err = record(config_fields(), values, "config")
  if err then
    settings = remains(values)
  else
    settings.judges_all = match.is_empty(settings.match)
  end
  -- Values that come out of a vault change while the table stays.
  if type(values) == "table" and not has_references(values) then
    known[values] = { settings = settings, err = err }
  end
  return settings, err
end

return M
