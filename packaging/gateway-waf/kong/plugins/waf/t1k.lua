-- The T1K wire, client side, without sockets: sections out, sections in.
-- A message is a run of sections: one byte of flags and tag, four bytes of length (little endian), data.
local bit = require "bit"

local band, bor, rshift = bit.band, bit.bor, bit.rshift
local byte, char, concat = string.byte, string.char, table.concat

local M = {}

M.TAG = {
  HEAD = 0x01,
  BODY = 0x02,
  EXTRA = 0x03,
  RSP_HEAD = 0x11,
  RSP_EXTRA = 0x13,
  VERSION = 0x20,
  EXTRA_HEADER = 0x23,
  EXTRA_BODY = 0x24,
  CONTEXT = 0x25,
}

local FIRST, LAST, TAG_BITS = 0x40, 0x80, 0x3f

M.HEADER_SIZE = 5
-- No sane answer comes near these; an engine that sends more is not one.
M.MAX_SECTION = 65536
M.MAX_SECTIONS = 32

-- Keys of the EXTRA section, in the order they are written. 0x40 to 0x46 are wafd's own; those of a response are
-- in RSP_EXTRA alone.
local EXTRA_KEYS = {
  { 0x11, "remote_port" },
  { 0x12, "local_port" },
  { 0x13, "remote_addr" },
  { 0x14, "local_addr" },
  { 0x15, "server_name" },
  { 0x16, "scheme" },
  { 0x17, "proxy_name" },
  { 0x18, "uuid" },
  { 0x19, "has_rsp_if_ok" },
  { 0x1a, "has_rsp_if_block" },
  { 0x1b, "begin_time_us" },
  { 0x1d, "rsp_begin_time_us" },
  { 0x40, "mode" },
  { 0x41, "skipped" },
  { 0x42, "rsp_end_time_us" },
  { 0x43, "rsp_bytes" },
  { 0x44, "unjudged" },
  { 0x45, "peer_addr" },
  { 0x46, "body_cut" },
}

local function length_bytes(n)
  return char(band(n, 0xff), band(rshift(n, 8), 0xff), band(rshift(n, 16), 0xff), band(rshift(n, 24), 0xff))
end

-- Values end at LF, so none may hold one.
function M.extra(values)
  local out = { "\1\n" }
  for _, key in ipairs(EXTRA_KEYS) do
    local value = values[key[2]]
    if value ~= nil then
      out[#out + 1] = char(key[1]) .. string.gsub(tostring(value), "[\r\n]", " ") .. "\n"
    end
  end
  return concat(out)
end

local function add(out, flags_and_tag, data)
  out[#out + 1] = char(flags_and_tag)
  out[#out + 1] = length_bytes(#data)
  out[#out + 1] = data
end

-- `body` nil: no BODY section. Returns the bytes.
function M.request(head, body, extra)
  local out = {}
  add(out, bor(FIRST, M.TAG.HEAD), head)
  if body then
    add(out, M.TAG.BODY, body)
  end
  add(out, M.TAG.EXTRA, extra)
  add(out, bor(LAST, M.TAG.VERSION), "Proto:3\n")
  return concat(out)
end

-- What became of a request: its head again, the head of the response, what the engine gave with its verdict.
function M.report(head, response_head, context, extra)
  local out = {}
  add(out, bor(FIRST, M.TAG.HEAD), head)
  add(out, M.TAG.RSP_HEAD, response_head)
  add(out, M.TAG.CONTEXT, context)
  add(out, M.TAG.RSP_EXTRA, extra)
  add(out, bor(LAST, M.TAG.VERSION), "Proto:3\n")
  return concat(out)
end

-- Bytes of the engine as a log can bear them.
local function shown(bytes)
  if #bytes > 8 then
    return #bytes .. " bytes"
  end
  return (string.gsub(bytes, ".", function(one)
    return string.format("\\x%02x", byte(one))
  end))
end

-- Reads one answer. `receive(n)` gives exactly n bytes, or nil and an error, which is handed through.
-- Returns a table tag -> data (of repeated tags the last), or nil and an error: what was expected and what came.
function M.read_answer(receive)
  local sections = {}
  for index = 1, M.MAX_SECTIONS do
    local header, err = receive(M.HEADER_SIZE)
    if not header then
      return nil, err
    end
    local flags, b0, b1, b2, b3 = byte(header, 1, 5)
    local is_first = band(flags, FIRST) ~= 0
    if is_first ~= (index == 1) then
      return nil, string.format("no T1K: expected %s section as number %d of the answer, got the header %s",
        index == 1 and "a first" or "another", index, shown(header))
    end
    local length = b0 + b1 * 256 + b2 * 65536 + b3 * 16777216
    if length > M.MAX_SECTION then
      return nil, string.format("no T1K: expected a section of at most %d bytes, got one of %d", M.MAX_SECTION, length)
    end
    local data = ""
    if length > 0 then
      data, err = receive(length)
      if not data then
        return nil, err
      end
    end
    sections[band(flags, TAG_BITS)] = data
    if band(flags, LAST) ~= 0 then
      return sections
    end
  end
  return nil, string.format("no T1K: expected a last section, got %d others", M.MAX_SECTIONS)
end

-- Returns "pass", or "block" with status, event id and perhaps a problem; or nil and an error.
function M.verdict(sections)
  local head = sections[M.TAG.HEAD]
  if head == "." then
    return "pass"
  end
  if head ~= "?" then
    return nil, "expected the verdict . or ?, got " .. (head and (head == "" and "an empty one" or shown(head)) or "none")
  end
  local text = sections[M.TAG.BODY]
  local status = text and string.match(text, "^[45]%d%d$") and tonumber(text)
  local problem
  if not status then
    problem = "expected a status of 400 to 599 beside a block, got " .. (text and shown(text) or "none") .. "; answered with 403"
    status = 403
  end
  local id = string.match(sections[M.TAG.EXTRA_BODY] or "", "<!%-%- event_id: (%w+)")
  return "block", status, string.sub(id or "", 1, 64), problem
end

return M
