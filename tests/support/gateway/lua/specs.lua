-- As much of busted as the plugin's specs use: describe, it, and assertions of luassert by name.
local M = {}

local function shown(value)
  return type(value) == "string" and string.format("%q", value) or tostring(value)
end

local function expect(holds, ...)
  if not holds then error(table.concat({ ... }, " "), 3) end
end

local asserts = setmetatable({
  equal = function(expected, actual) expect(expected == actual, "expected", shown(expected), "got", shown(actual)) end,
  is_nil = function(value) expect(value == nil, "expected nil, got", shown(value)) end,
  is_true = function(value) expect(value == true, "expected true, got", shown(value)) end,
  is_false = function(value) expect(value == false, "expected false, got", shown(value)) end,
  is_truthy = function(value) expect(value, "expected a value, got", shown(value)) end,
  is_falsy = function(value) expect(not value, "expected nothing, got", shown(value)) end,
  matches = function(pattern, text, init, plain)
    expect(type(text) == "string" and string.find(text, pattern, init or 1, plain), "expected", shown(pattern), "in", shown(text))
  end,
}, { __call = function(_, value, text) return assert(value, text) end })

-- Runs every *_spec.lua of `folder` and writes one line a test to `result`: "ok NAME" or "not ok NAME: ERROR"; then "end".
function M.run(folder, result)
  local out = assert(io.open(result, "w"))
  local names = {}
  local environment
  environment = setmetatable({
    assert = asserts,
    describe = function(name, body)
      names[#names + 1] = name
      body()
      names[#names] = nil
    end,
    it = function(name, body)
      local full = table.concat(names, " ") .. " " .. name
      local ok, err = pcall(setfenv(body, environment))
      out:write(ok and "ok " or "not ok ", full, ok and "" or ": " .. tostring(err), "\n")
    end,
  }, { __index = _G })
  local list = io.popen("ls '" .. folder .. "'/*_spec.lua")
  for file in list:lines() do
    local chunk, err = loadfile(file)
    local ok
    if chunk then
      names = {}
      ok, err = pcall(setfenv(chunk, environment))
    end
    if not ok then out:write("not ok ", file, ": ", tostring(err), "\n") end
  end
  out:write("end\n")
  out:close()
  os.execute("kill -TERM " .. ngx.worker.pid()) -- not QUIT: system() ignores it meanwhile
end

return M
