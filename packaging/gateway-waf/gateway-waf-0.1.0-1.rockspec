rockspec_format = "1.0"
package = "gateway-waf"
version = "0.1.0-1"
source = {
  url = "file://gateway-waf-0.1.0.tar.gz",
  dir = "gateway-waf-0.1.0",
}
description = {
  summary = "The Kong plugin `waf`: asks wafd about every request",
  detailed = "Hands requests to the detection engine of wafd and answers attacks with status 403 and an event id. For Kong Gateway 3.4 to 3.9.",
  license = "Apache-2.0",
}
dependencies = { "lua >= 5.1" }
build = {
  type = "builtin",
  modules = {
    ["kong.plugins.waf.address"] = "kong/plugins/waf/address.lua",
    ["kong.plugins.waf.breaker"] = "kong/plugins/waf/breaker.lua",
    ["kong.plugins.waf.capture"] = "kong/plugins/waf/capture.lua",
    ["kong.plugins.waf.engine"] = "kong/plugins/waf/engine.lua",
    ["kong.plugins.waf.handler"] = "kong/plugins/waf/handler.lua",
    ["kong.plugins.waf.inspection"] = "kong/plugins/waf/inspection.lua",
    ["kong.plugins.waf.limiter"] = "kong/plugins/waf/limiter.lua",
    ["kong.plugins.waf.match"] = "kong/plugins/waf/match.lua",
    ["kong.plugins.waf.pool"] = "kong/plugins/waf/pool.lua",
    ["kong.plugins.waf.report"] = "kong/plugins/waf/report.lua",
    ["kong.plugins.waf.say"] = "kong/plugins/waf/say.lua",
    ["kong.plugins.waf.schema"] = "kong/plugins/waf/schema.lua",
    ["kong.plugins.waf.settings"] = "kong/plugins/waf/settings.lua",
    ["kong.plugins.waf.standalone"] = "kong/plugins/waf/standalone.lua",
    ["kong.plugins.waf.t1k"] = "kong/plugins/waf/t1k.lua",
    ["kong.plugins.waf.template"] = "kong/plugins/waf/template.lua",
  },
}
