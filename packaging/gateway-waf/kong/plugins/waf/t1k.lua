-- The T1K wire, client side, without sockets: sections out, sections in.
-- A message is a run of sections: one octet of flags and tag, four octets of length (little endian), data.
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

-- Keys of the EXTRA section, in the order they are written. 0x40 to 0x43 are wafd's own; those of a response are
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
  { 0x43, "rsp_octets" },
}

local function length_octets(n)
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
  out[#out + 1] = length_octets(#data)
  out[#out + 1] = data
end

-- `body` nil: no BODY section. Returns a list of strings for one socket send.
function M.request(head, body, extra)
  local out = {}
  add(out, bor(FIRST, M.TAG.HEAD), head)
  if body then
    add(out, M.TAG.BODY, body)
  end
  add(out, M.TAG.EXTRA, extra)
  add(out, bor(LAST, M.TAG.VERSION), "Proto:3\n")
  return out
end

-- What became of a request: its head again, the head of the response, what the engine gave with its verdict.
function M.report(head, response_head, context, extra)
  local out = {}
  add(out, bor(FIRST, M.TAG.HEAD), head)
  add(out, M.TAG.RSP_HEAD, response_head)
  add(out, M.TAG.CONTEXT, context)
  add(out, M.TAG.RSP_EXTRA, extra)
  add(out, bor(LAST, M.TAG.VERSION), "Proto:3\n")
  return out
end

-- Reads one answer. `receive(n)` gives exactly n octets, or nil and an error.
-- Returns a table tag -> data (of repeated tags the last), or nil and an error.
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
      return nil, "protocol"
    end
    local length = b0 + b1 * 256 + b2 * 65536 + b3 * 16777216
    if length > M.MAX_SECTION then
      return nil, "protocol"
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
  return nil, "protocol"
end

-- Returns "pass", or "block" with status and event id, or nil and an error.
function M.verdict(sections)
  local head = sections[M.TAG.HEAD]
  if head == "." then
    return "pass"
  end
  if head ~= "?" then
    return nil, "protocol"
  end
  local status = tonumber(sections[M.TAG.BODY])
  if not status or status < 200 or status > 599 or status ~= math.floor(status) then
    status = 403
  end
  local id = string.match(sections[M.TAG.EXTRA_BODY] or "", "<!%-%- event_id: (%w+)")
  return "block", status, id or ""
end

return M
