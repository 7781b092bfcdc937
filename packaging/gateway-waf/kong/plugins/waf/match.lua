-- Which requests are judged (`match`). Pure. What is left out is not protected, so every doubt is for judging.
local M = {}

-- Nil if `list` is not given; else: does one of it fit?
local function fits(list, test)
  if not list or #list == 0 then
    return nil
  end
  for _, one in ipairs(list) do
    if test(one) then
      return true
    end
  end
  return false
end

local function host_fits(pattern, host)
  pattern = string.lower(pattern)
  if string.sub(pattern, 1, 2) == "*." then
    local suffix = string.sub(pattern, 2)
    return #host > #suffix and string.sub(host, -#suffix) == suffix
  end
  return pattern == host
end

local function path_fits(prefix, path)
  if string.sub(path, 1, #prefix) ~= prefix then
    return false
  end
  return string.sub(prefix, -1) == "/" or #path == #prefix or string.sub(path, #prefix + 1, #prefix + 1) == "/"
end

-- "Text/HTML; charset=x" -> "text/html".
function M.media_type(content_type)
  return string.lower(string.match(content_type or "", "^%s*([^;,%s]*)") or "")
end

local function type_fits(pattern, media)
  pattern = string.lower(pattern)
  if string.sub(pattern, -2) == "/*" then
    return string.sub(media, 1, #pattern - 1) == string.sub(pattern, 1, -2)
  end
  return pattern == media
end

-- The path of a raw target, decoded once; the second value is true if a service may take it for another path: by dots,
-- backslashes, empty segments, path parameters, further percent signs or bytes that are no printable ASCII.
function M.path_of(target)
  local path = string.match(target, "^%a[%w+.-]*://[^/?#]*([^?#]*)") or string.match(target, "^([^?#]*)")
  if path == "" then
    path = "/"
  end
  local decoded = string.gsub(path, "%%(%x%x)", function(hex)
    return string.char(tonumber(hex, 16))
  end)
  local slashes = select(2, string.gsub(path, "/", ""))
  local doubtful = select(2, string.gsub(decoded, "/", "")) ~= slashes or string.find(decoded, "[\\;%%%c\127-\255]") ~= nil
    or string.find(decoded, "//", 1, true) ~= nil or string.find(decoded .. "/", "/%.%.?/") ~= nil
  return decoded, doubtful
end

-- Is there nothing to decide?
function M.is_empty(match)
  for _, side in ipairs({ match.include or {}, match.exclude or {} }) do
    for _, list in pairs(side) do
      if #list > 0 then
        return false
      end
    end
  end
  return true
end

-- `request`: { method, host, target, content_type }; content_type false: it stands there more than once, so that a service may
-- go by another one. Returns "skip", "head" (the body is not judged) or "all".
function M.decide(match, request)
  local include, exclude = match.include or {}, match.exclude or {}
  local host = string.lower(request.host or "")
  host = string.gsub(string.gsub(host, ":%d+$", ""), "%.$", "")
  local path, doubtful = M.path_of(request.target)
  local lower = string.lower(path)

  local function method_is(one)
    return one == request.method
  end
  local function host_is(one)
    return host_fits(one, host)
  end
  -- Services that do not tell upper from lower case: more is judged.
  local function path_may_be(one)
    return doubtful or path_fits(string.lower(one), lower)
  end
  local function path_is(one)
    return not doubtful and path_fits(one, path)
  end
  if fits(include.methods, method_is) == false or fits(include.hosts, host_is) == false or fits(include.paths, path_may_be) == false
    or fits(exclude.methods, method_is) or fits(exclude.hosts, host_is) or fits(exclude.paths, path_is) then
    return "skip"
  end

  -- A client writes its content type as it likes: it decides about the body alone.
  if request.content_type == false then
    return "all"
  end
  local media = M.media_type(request.content_type)
  local function type_is(one)
    return type_fits(one, media)
  end
  if fits(include.content_types, type_is) == false or fits(exclude.content_types, type_is) then
    return "head"
  end
  return "all"
end

return M
