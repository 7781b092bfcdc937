-- Says which lines of a log are written: of each kind the first ones in a window, then their number. Pure: `now` is
-- given in seconds.
local M = {}
M.__index = M

M.MAX_KINDS = 256 -- more than these are told as one kind

-- At most `burst` lines of a kind are written as they come within `window` seconds.
function M.new(window)
  return setmetatable({ window = window, kinds = {}, count = 0 }, M)
end

-- True: write `text`. False: it is counted, and `due` tells it later.
function M:note(kind, text, burst, now)
  local state = self.kinds[kind]
  if not state and self.count >= M.MAX_KINDS then
    kind = "others"
    state = self.kinds[kind]
  end
  if not state then
    state = { since = now, written = 0, held = 0 }
    self.kinds[kind] = state
    self.count = self.count + 1
  end
  if state.held == 0 and now - state.since >= self.window then
    state.since, state.written = now, 0
  end
  if state.written < burst then
    state.written = state.written + 1
    return true
  end
  state.held = state.held + 1
  state.text = text
  return false
end

-- What was held back in windows that are over: a list of { text, held }, the newest text of its kind. `all`: also of
-- windows that are not over.
function M:due(now, all)
  local out = {}
  for kind, state in pairs(self.kinds) do
    if all or now - state.since >= self.window then
      if state.held > 0 then
        out[#out + 1] = { text = state.text, held = state.held }
        -- The next window begins with what was told: no new line before it is over.
        self.kinds[kind] = { since = now, written = math.huge, held = 0 }
      else
        self.kinds[kind] = nil
        self.count = self.count - 1
      end
    end
  end
  return out
end

-- Is something held back?
function M:holds()
  for _, state in pairs(self.kinds) do
    if state.held > 0 then
      return true
    end
  end
  return false
end

return M
