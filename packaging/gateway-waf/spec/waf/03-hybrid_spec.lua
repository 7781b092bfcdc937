-- Control plane and data planes with different versions of the plugin. What Kong's control plane itself compares before it sends a
-- configuration (is the plugin there, which version) needs a Kong.
local handler = require "kong.plugins.waf.handler"
local helpers = require "spec.helpers"
local schema = require "kong.plugins.waf.schema"
local settings = require "kong.plugins.waf.settings"

describe("waf: (hybrid)", function()
  local newer = { host = "127.0.0.1", of_a_newer_version = true }

  it("a data plane names the field of a newer version that it does not know", function()
    local ok, err = helpers.validate_plugin_config_schema(newer, schema)
    assert.is_falsy(ok)
    assert.equal("unknown field", err.config.of_a_newer_version)
  end)

  it("one that was given it all the same goes on with what it knows", function()
    local conf, err = settings.of(newer)
    assert.is_nil(err)
    assert.equal("127.0.0.1", conf.host)
    assert.equal("block", conf.mode)
    assert.is_nil(conf.of_a_newer_version)
  end)

  it("what an older control plane leaves out has its default", function()
    local conf, err = settings.of({ host = "127.0.0.1", port = 8700, mode = "monitor" })
    assert.is_nil(err)
    assert.equal("pass", conf.on_error)
    assert.equal(300, conf.budget)
    assert.equal(false, conf.response_headers)
  end)

  it("every field but host may be left out, so that configurations of older versions stay valid", function()
    local ok, err = helpers.validate_plugin_config_schema({ host = "127.0.0.1" }, schema)
    assert.is_nil(err)
    assert.is_truthy(ok)
  end)

  it("runs after cors and acme, before jwt and key-auth", function()
    assert.equal(1600, handler.PRIORITY)
  end)

  it("has a version of three numbers, which Kong's control plane compares", function()
    assert.matches("^%d+%.%d+%.%d+$", handler.VERSION)
  end)
end)
