-- The settings of wafd in Apache (packaging/gateway-waf/README.md has them all) and what wafd.conf calls.
-- on_error: "pass" (fail open) or "block" (fail closed, with on_error_status).
local waf = require("wafd_apache").new({ host = "127.0.0.1", port = 8700, mode = "block", on_error = "pass", budget = 300 })

function handle(r)
  return waf:handle(r)
end

function body(r)
  return waf:body(r)
end
