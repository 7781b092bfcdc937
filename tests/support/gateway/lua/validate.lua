-- Judges a plugin's configuration by its schema, in the gateway's words; and the schema itself as the gateway does when it
-- loads a plugin. null is cjson.null: a field that was given and is empty.
local cjson = require "cjson.safe"

local M = {}

local null = cjson.null

-- Attributes that the gateway knows (3.4 and newer); a schema with another one keeps it from starting.
local ATTRIBUTES = { type = true, required = true, default = true, description = true, referenceable = true, encrypted = true,
  between = "number integer", one_of = "string number integer", match = "string", len_min = true, len_max = true, custom_validator = true,
  elements = "array set", fields = "record", entity_checks = "record", reference = "foreign", eq = true }
local TYPES = { string = true, integer = true, number = true, boolean = true, array = true, set = true, record = true, foreign = true }

local function is_reference(value)
  return string.sub(value, 1, 9) == "{vault://" and string.sub(value, -1) == "}"
end

local check

local function known(path, field)
  assert(TYPES[field.type], path .. ": type " .. tostring(field.type))
  for name in pairs(field) do
    local types = ATTRIBUTES[name]
    assert(types, path .. ": unknown attribute " .. tostring(name))
    assert(types == true or string.find(" " .. types .. " ", " " .. field.type .. " ", 1, true), path .. ": " .. field.type .. " cannot have " .. name)
  end
  assert(field.type ~= "array" and field.type ~= "set" or field.elements, path .. ": elements are missing")
  assert(not field.description or #field.description >= 10 and #field.description <= 500, path .. ": a description has 10 to 500 bytes")
  if field.default ~= nil and field.type ~= "set" then
    assert(not check(field, field.default), path .. ": its default is refused")
  end
  if field.elements then known(path .. ".elements", field.elements) end
  for _, entry in ipairs(field.fields or {}) do
    local name, inner = next(entry)
    known(path .. "." .. name, inner)
  end
end

local function size(value)
  return type(value) == "table" and #value or #tostring(value)
end

-- Nil, or the error: a text, or a table of errors by field.
function check(field, value)
  local kind = field.type
  if kind == "integer" then
    if type(value) ~= "number" or value ~= math.floor(value) then return "expected an integer" end
  elseif kind == "number" or kind == "boolean" or kind == "string" then
    if type(value) ~= kind then return "expected a " .. kind end
    if kind == "string" and field.referenceable and is_reference(value) then return nil end
    if kind == "string" and not field.len_min and value == "" then return "length must be at least 1" end
  elseif kind == "array" or kind == "set" then
    if type(value) ~= "table" or next(value) ~= nil and #value == 0 then return "expected " .. (kind == "set" and "a set" or "an array") end
    local errors = {}
    for index, element in ipairs(value) do
      errors[index] = element == null and "required field missing" or check(field.elements, element)
    end
    if next(errors) then return errors end
  elseif kind == "record" then
    if type(value) ~= "table" then return "expected a record" end
    return M.record(field, value)
  end
  if field.one_of then
    local found = false
    for _, one in ipairs(field.one_of) do found = found or one == value end
    if not found then return "expected one of: " .. table.concat(field.one_of, ", ") end
  end
  if field.between and (value < field.between[1] or value > field.between[2]) then
    return string.format("value should be between %d and %d", field.between[1], field.between[2])
  end
  if field.len_min and size(value) < field.len_min then return string.format("length must be at least %d", field.len_min) end
  if field.len_max and size(value) > field.len_max then return string.format("length must be at most %d", field.len_max) end
  if field.match and not string.find(value, field.match) then return "invalid value: " .. value end
  if field.custom_validator then
    local ok, err = field.custom_validator(value)
    if not ok then return err end
  end
end

-- Fills in defaults in place, and null where there is none, then judges. Nil, or errors by field.
function M.record(definition, values)
  local errors, fields = {}, {}
  for _, entry in ipairs(definition.fields) do
    local name, field = next(entry)
    fields[name] = field
    if values[name] == nil then
      if field.default ~= nil then
        values[name] = cjson.decode(cjson.encode({ field.default }))[1]
      elseif field.type == "record" and field.required then
        values[name] = {}
      else
        values[name] = null
      end
    end
    if values[name] == null then
      errors[name] = field.required and "required field missing" or nil
    else
      -- Elements of arrays are completed too.
      if field.type == "array" and field.elements.type == "record" and type(values[name]) == "table" then
        for _, element in ipairs(values[name]) do
          if type(element) == "table" then M.record(field.elements, element) end
        end
      end
      errors[name] = check(field, values[name])
    end
  end
  for name in pairs(values) do
    if not fields[name] then errors[name] = "unknown field" end
  end
  for _, entry in ipairs(definition.entity_checks or {}) do
    local rule, names = next(entry)
    assert(rule == "mutually_required", "entity check " .. rule)
    local given = 0
    for _, name in ipairs(names) do given = given + (values[name] ~= null and 1 or 0) end
    if given > 0 and given < #names then
      errors["@entity"] = { "all or none of these fields must be set: '" .. table.concat(names, "', '") .. "'" }
    end
  end
  return next(errors) and errors or nil
end

local function config_of(schema)
  for _, entry in ipairs(schema.fields) do
    if entry.config then return entry.config end
  end
end

-- As when the gateway loads the plugin: raises an error when the schema is none.
function M.schema(schema)
  for _, entry in ipairs(schema.fields) do
    local name, field = next(entry)
    known(name, field)
  end
end

-- Form text becomes what the schema says it is; what cannot be stays text and is then refused. Empty is null.
local function coerce(field, text)
  if text == "" or text == true then return null end
  if field.type == "integer" or field.type == "number" then return tonumber(text) or text end
  if field.type == "boolean" then
    if text == "true" then return true end
    if text == "false" then return false end
  end
  if field.type == "array" or field.type == "set" then return type(text) == "table" and text or { text } end
  return text
end

-- `form`: "config.host" -> text, also "config.match.exclude.paths". Returns values, and unknown members of the plugin itself.
function M.from_form(schema, form)
  local values, others = {}, {}
  for key, text in pairs(form) do
    local at, definition = values, config_of(schema)
    local path = string.match(key, "^config%.(.+)$")
    if not path then
      if key ~= "name" then others[key] = "unknown field" end
    else
      local parts = {}
      for part in string.gmatch(path, "[^.]+") do parts[#parts + 1] = part end
      for index, part in ipairs(parts) do
        local field
        for _, entry in ipairs(definition.fields or {}) do field = field or entry[part] end
        if index == #parts then
          if field then at[part] = coerce(field, text) else at[part] = text end
        else
          at[part] = at[part] or {}
          at, definition = at[part], field or {}
        end
      end
    end
  end
  return values, others
end

-- Completes and judges `values` in place. Nil, or errors by field.
function M.config(schema, values)
  return M.record(config_of(schema), values)
end

-- The gateway's sentence for errors by field.
function M.message(errors)
  local parts = {}
  local function add(path, err)
    if type(err) == "table" then
      for name, inner in pairs(err) do add(path == "" and name or path .. "." .. name, inner) end
    else
      parts[#parts + 1] = (string.gsub(path, "%.@entity%.%d+$", "")) .. ": " .. tostring(err)
    end
  end
  add("", errors)
  table.sort(parts)
  return (#parts > 1 and #parts .. " schema violations (" or "schema violation (") .. table.concat(parts, "; ") .. ")"
end

return M
