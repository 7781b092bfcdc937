-- A circuit breaker for one engine, per gateway worker: a dead engine must cost the gateway nothing.
-- Only failures to connect count. A slow answer never opens it, or one slow request of an attacker could switch the
-- firewall off for everybody. Pure: `now` is given in seconds.
local M = {}
M.__index = M

M.FAILURES = 3 -- this many ...
M.WINDOW_S = 10 -- ... within this time open it,
M.OPEN_S = 5 -- for this long; then one trial decides.
M.SILENT = 5 -- exchanges without an answer, one after the other, send requests to other engines, where there are some.

function M.new()
  return setmetatable({ failures = {}, open_until = nil, trial = nil, silent = 0, rest_until = 0 }, M)
end

-- May this request be sent?
function M:allow(now)
  if not self.open_until then
    return true
  end
  -- A trial that never came back (its request was cut off) must not keep the breaker open for ever.
  local trial_pending = self.trial and now - self.trial < M.OPEN_S
  if now >= self.open_until and not trial_pending then
    self.trial = now
    return true
  end
  return false
end

function M:connected()
  self.failures = {}
  self.open_until = nil
  self.trial = nil
end

function M:failed(now)
  if self.open_until then
    self.open_until = now + M.OPEN_S
    self.trial = nil
    return
  end
  local recent = { now }
  for _, at in ipairs(self.failures) do
    if now - at < M.WINDOW_S and #recent < M.FAILURES then
      recent[#recent + 1] = at
    end
  end
  self.failures = recent
  if #recent >= M.FAILURES then
    self.open_until = now + M.OPEN_S
    self.failures = {}
  end
end

-- An exchange ended with an answer.
function M:answered()
  self.silent = 0
end

-- An exchange ended without one.
function M:unanswered(now)
  self.silent = self.silent + 1
  if self.silent >= M.SILENT then
    self.rest_until = now + M.OPEN_S
  end
end

-- Is it better to ask another engine first? This engine is still asked when there is no other.
function M:rests(now)
  return self.silent >= M.SILENT and now < self.rest_until
end

return M
