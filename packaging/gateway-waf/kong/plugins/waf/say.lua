-- The plugin's lines in the gateway's log: an engine that hangs must not write one for every request.
local limiter = require "kong.plugins.waf.limiter"

local M = {}

local ngx = ngx

M.WINDOW_S = 10

local lines = limiter.new(M.WINDOW_S)
local scheduled = false

local schedule

local function tell(premature)
  scheduled = false
  for _, one in ipairs(lines:due(ngx.now(), premature)) do
    ngx.log(ngx.ERR, "waf: ", one.text, "; ", one.held, " more such lines within ", M.WINDOW_S, " s")
  end
  if not premature and lines:holds() then
    schedule()
  end
end

function schedule()
  if not scheduled then
    scheduled = ngx.timer.at(M.WINDOW_S, tell) and true or false
  end
end

-- `kind` groups lines that are alike. Of each, `burst` (default 1) are written within the window; the rest is counted and told
-- at its end.
function M.error(kind, text, burst)
  if lines:note(kind, text, burst or 1, ngx.now()) then
    ngx.log(ngx.ERR, "waf: ", text)
  else
    schedule()
  end
end

return M
