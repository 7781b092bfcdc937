-- The pure parts of the plugin.
local address = require "kong.plugins.waf.address"
local breaker = require "kong.plugins.waf.breaker"
local limiter = require "kong.plugins.waf.limiter"
local match = require "kong.plugins.waf.match"
local pool = require "kong.plugins.waf.pool"
local t1k = require "kong.plugins.waf.t1k"
local template = require "kong.plugins.waf.template"

describe("waf: addresses", function()
  it("are IPv4 or IPv6, without port and brackets", function()
    for text, expected in pairs({
      ["1.2.3.4"] = "1.2.3.4", ["1.2.3.4:80"] = "1.2.3.4", ["::"] = "::", ["::1"] = "::1", ["1::"] = "1::", ["[::1]"] = "::1",
      ["[2001:db8::1]:443"] = "2001:db8::1", ["::ffff:1.2.3.4"] = "::ffff:1.2.3.4", ["1:2:3:4:5:6:7:8"] = "1:2:3:4:5:6:7:8",
      ["1:2:3:4:5:6:1.2.3.4"] = "1:2:3:4:5:6:1.2.3.4",
    }) do
      assert.equal(expected, address.ip(text))
    end
    for _, text in ipairs({ "", "a", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
      "12345::", "1.2.3.4::", "::1.2.3.4:5", "fe80::1%eth0", "[::1", "1:2:3:4:5:6:7::8" }) do
      assert.is_nil(address.ip(text))
    end
  end)
end)

describe("waf: match", function()
  local function decide(rules, request)
    return match.decide({ include = rules.include or {}, exclude = rules.exclude or {} }, {
      method = request.method or "GET", host = request.host or "a.example", target = request.target or "/", content_type = request.content_type })
  end

  it("judges all without rules", function()
    assert.equal("all", decide({}, {}))
    assert.is_true(match.is_empty({ include = { paths = {} }, exclude = {} }))
  end)

  it("wants every list of include, and any list of exclude", function()
    local include = { methods = { "POST" }, hosts = { "*.example" } }
    assert.equal("all", decide({ include = include }, { method = "POST", host = "A.Example:8080" }))
    assert.equal("skip", decide({ include = include }, { method = "GET" }))
    assert.equal("skip", decide({ include = include }, { method = "POST", host = "example" }))
    local exclude = { methods = { "OPTIONS" }, paths = { "/healthz", "/static/" } }
    assert.equal("skip", decide({ exclude = exclude }, { method = "OPTIONS" }))
    assert.equal("skip", decide({ exclude = exclude }, { target = "/healthz?x=1" }))
    assert.equal("skip", decide({ exclude = exclude }, { target = "/static/a.css" }))
    assert.equal("all", decide({ exclude = exclude }, { target = "/healthzz" }))
  end)

  it("never leaves out a path that a service may read differently", function()
    local exclude = { paths = { "/static" } }
    for _, target in ipairs({ "/static/../admin", "/static/%2e%2e/admin", "/static/..%2fadmin", "/static/%252e%252e/admin", "/static\\..\\admin",
      "/static/.;/admin", "/static//admin", "/static/%00", "/static/%c0%ae", "/STATIC/a" }) do
      assert.equal("all", decide({ exclude = exclude }, { target = target }))
    end
    local include = { paths = { "/admin" } }
    for _, target in ipairs({ "/admin", "/ADMIN/x", "/%61dmin", "/x/../admin", "//admin", "/x/..;/admin", "http://h/admin" }) do
      assert.equal("all", decide({ include = include }, { target = target }))
    end
    assert.equal("skip", decide({ include = include }, { target = "/shop" }))
  end)

  it("lets content types decide about the body alone", function()
    local exclude = { content_types = { "image/*", "application/pdf" } }
    assert.equal("head", decide({ exclude = exclude }, { content_type = "Image/PNG" }))
    assert.equal("head", decide({ exclude = exclude }, { content_type = "application/pdf; x=y" }))
    assert.equal("all", decide({ exclude = exclude }, { content_type = "text/html; image/png" }))
    assert.equal("all", decide({ exclude = exclude }, {}))
    assert.equal("all", decide({ exclude = exclude }, { content_type = false }))
    assert.equal("all", decide({ include = exclude }, { content_type = false }))
    assert.equal("head", decide({ include = { content_types = { "application/json" } } }, { content_type = "text/plain" }))
  end)
end)

describe("waf: pool", function()
  local clock = 0
  local function now()
    return clock
  end
  local function order(engines, fails)
    local asked = {}
    engines:each(now, function(node)
      asked[#asked + 1] = node.name
      if not (fails and fails[node.name]) then
        return true
      end
    end)
    return table.concat(asked, " ")
  end

  it("asks in turn, and the next one when one fails", function()
    local engines = pool.of({ host = "a1", port = 1, nodes = { { host = "b1", port = 1 }, { host = "c1", port = 1 } } })
    assert.equal("a1:1", order(engines))
    assert.equal("b1:1", order(engines))
    assert.equal("c1:1 a1:1", order(engines, { ["c1:1"] = true }))
  end)

  it("leaves out an engine whose circuit is open", function()
    local engines = pool.of({ host = "a2", port = 1, nodes = { { host = "b2", port = 1 } } })
    for _ = 1, breaker.FAILURES do
      engines.nodes[1].breaker:failed(clock)
    end
    assert.equal("b2:1", order(engines))
    assert.equal("b2:1", order(engines))
    clock = clock + breaker.OPEN_S
    assert.equal("a2:1", order(engines))
  end)

  it("asks a silent engine last, and still asks it", function()
    local engines = pool.of({ host = "a3", port = 1, nodes = { { host = "b3", port = 1 } } })
    for _ = 1, breaker.SILENT do
      engines.nodes[1].breaker:unanswered(clock)
    end
    assert.equal("b3:1", order(engines))
    assert.equal("b3:1 a3:1", order(engines, { ["b3:1"] = true }))
    engines.nodes[1].breaker:answered()
    assert.equal("a3:1", order(engines))
  end)

  it("is the same for the same engines", function()
    local config = { host = "a4", port = 1 }
    assert.equal(pool.of(config), pool.of({ host = "a4", port = 1, nodes = {} }))
  end)
end)

describe("waf: limiter", function()
  it("writes the first lines and counts the rest", function()
    local lines = limiter.new(10)
    assert.is_true(lines:note("k", "one", 2, 0))
    assert.is_true(lines:note("k", "two", 2, 1))
    assert.is_false(lines:note("k", "three", 2, 2))
    assert.is_false(lines:note("k", "four", 2, 3))
    assert.is_true(lines:note("other", "x", 1, 3))
    assert.equal(0, #lines:due(9))
    local due = lines:due(10)
    assert.equal(1, #due)
    assert.equal("four", due[1].text)
    assert.equal(2, due[1].held)
    assert.is_false(lines:note("k", "five", 2, 11))
    assert.equal(1, lines:due(20)[1].held)
    assert.equal(0, #lines:due(30))
    assert.is_true(lines:note("k", "six", 2, 31))
  end)

  it("keeps few kinds", function()
    local lines = limiter.new(10)
    for index = 1, 2 * limiter.MAX_KINDS do
      lines:note("k" .. index, "x", 1, 0)
    end
    assert.is_true(lines.count <= limiter.MAX_KINDS + 1)
  end)
end)

describe("waf: verdicts", function()
  it("take a status from 400 to 599 alone", function()
    for text, expected in pairs({ ["200"] = 403, ["302"] = 403, ["403"] = 403, ["503"] = 503, ["600"] = 403, ["4.3"] = 403, [""] = 403 }) do
      local verdict, status = t1k.verdict({ [t1k.TAG.HEAD] = "?", [t1k.TAG.BODY] = text })
      assert.equal("block", verdict)
      assert.equal(expected, status)
    end
  end)

  it("fill in the answer", function()
    assert.equal("406 abc {other", template.fill("{status} {event_id} {other", 406, "abc"))
    assert.is_nil((template.check("{nothing}")))
  end)
end)
