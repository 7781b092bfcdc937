-- `pongo run` runs this in Kong; tests/e2e/specs.test.mjs of wafd against its stand-in.
local helpers = require "spec.helpers"

local PLUGIN_NAME = "waf"

local schema = require("kong.plugins." .. PLUGIN_NAME .. ".schema")

local function validate(config)
  return helpers.validate_plugin_config_schema(config, schema)
end

describe(PLUGIN_NAME .. ": (schema)", function()
  it("fills in defaults", function()
    local ok, err = validate({ host = "127.0.0.1" })
    assert.is_nil(err)
    assert.is_truthy(ok)
    assert.equal(8700, ok.config.port)
    assert.equal("block", ok.config.mode)
    assert.equal("pass", ok.config.on_error)
    assert.equal(300, ok.config.budget)
  end)

  it("wants a host", function()
    local ok, err = validate({})
    assert.is_falsy(ok)
    assert.equal("required field missing", err.config.host)
  end)

  for _, name in ipairs({ "port", "mode", "on_error", "on_error_status", "budget", "connect_timeout", "send_timeout", "read_timeout",
    "req_body_size", "keepalive_size", "keepalive_timeout", "log_resp", "block_content_type", "response_headers", "tls", "tls_verify", "match" }) do
    it("takes no null for " .. name, function()
      local ok, err = validate({ host = "127.0.0.1", [name] = ngx.null })
      assert.is_falsy(ok)
      assert.equal("required field missing", err.config[name])
    end)
  end

  for _, host in ipairs({ "http://1.2.3.4:80", "a b", " ", "-", "unix:", "a:80" }) do
    it("refuses the host '" .. host .. "'", function()
      local ok, err = validate({ host = host })
      assert.is_falsy(ok)
      assert.matches("expected a host name", err.config.host, 1, true)
    end)
  end

  for _, host in ipairs({ "engine", "10.0.0.1", "2001:db8::1", "unix:/run/wafd.sock", "{vault://env/waf-host}" }) do
    it("takes the host " .. host, function()
      local ok, err = validate({ host = host })
      assert.is_nil(err)
      assert.equal(host, ok.config.host)
    end)
  end

  it("takes further engines, and completes them", function()
    local ok, err = validate({ host = "a", nodes = { { host = "b" }, { host = "c", port = 1 } } })
    assert.is_nil(err)
    assert.equal(8700, ok.config.nodes[1].port)
    ok, err = validate({ host = "a", nodes = { { port = 1 } } })
    assert.is_falsy(ok)
    assert.is_truthy(err.config.nodes)
  end)

  it("names the placeholders of block_body", function()
    local ok, err = validate({ host = "a", block_body = "<p>{id}</p>" })
    assert.is_falsy(ok)
    assert.matches("{event_id}", err.config.block_body, 1, true)
  end)

  it("wants certificate and key together", function()
    local ok = validate({ host = "a", tls_certificate = "x" })
    assert.is_falsy(ok)
  end)
end)
