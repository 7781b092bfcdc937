-- Settings of the plugin `waf`. settings.lua judges by the same definitions what a running plugin is given.
local typedefs = require "kong.db.schema.typedefs"
local address = require "kong.plugins.waf.address"
local template = require "kong.plugins.waf.template"

local function timeout(default, description)
  return { type = "integer", required = true, default = default, between = { 1, 2147483646 }, description = description }
end

local function strings(description, element)
  return { type = "array", elements = element, description = description }
end

local function conditions(description)
  return {
    type = "record",
    required = true,
    description = description,
    fields = {
      { methods = strings("Methods of the request, such as GET.", { type = "string", match = "^%u[%u-]*$" }) },
      { hosts = strings("Names in the Host header, without port; *.example.com stands for every name below it.",
        { type = "string", match = "^[%w*][%w._-]*$" }) },
      { paths = strings("Beginnings of paths: /api fits /api and /api/v1, and does not fit /apis.",
        { type = "string", match = "^/%S*$" }) },
      { content_types = strings("Content types without parameters, such as application/json or image/*. They decide about the body alone.",
        { type = "string", match = "^[%w.+*-]+/[%w.+*-]+$" }) },
    },
  }
end

return {
  name = "waf",
  fields = {
    { consumer = typedefs.no_consumer },
    { protocols = typedefs.protocols_http },
    {
      config = {
        type = "record",
        required = true,
        fields = {
          { host = { type = "string", required = true, len_min = 1, referenceable = true, custom_validator = address.check_host,
            description = "Name or address of the engine, or unix:/PATH of its socket." } },
          { port = typedefs.port({ required = true, default = 8700, description = "Port of the engine's T1K listener." }) },
          { nodes = {
            type = "array",
            len_max = 32,
            description = "Further engines beside host and port. Requests go to all of them in turn; one that fails is left out for a while.",
            elements = {
              type = "record",
              fields = {
                { host = { type = "string", required = true, len_min = 1, referenceable = true, custom_validator = address.check_host,
                  description = "Name or address of a further engine, or unix:/PATH." } },
                { port = typedefs.port({ required = true, default = 8700, description = "Port of the further engine's T1K listener." }) },
              },
            },
          } },
          { mode = { type = "string", required = true, default = "block", one_of = { "block", "monitor", "off" },
            description = "block: attacks are answered; monitor: the engine is asked and nothing is blocked; off: the engine is not asked." } },
          { on_error = { type = "string", required = true, default = "pass", one_of = { "pass", "block" },
            description = "What happens to a request that could not be judged: pass it, or block it with on_error_status." } },
          { on_error_status = { type = "integer", required = true, default = 503, between = { 400, 599 },
            description = "Status of the answer to requests that could not be judged, with on_error = block." } },
          { budget = timeout(300, "Milliseconds that one request may spend on the engine, all steps, reads and engines together.") },
          { connect_timeout = timeout(1000, "Milliseconds for connecting to an engine; the budget ends earlier.") },
          { send_timeout = timeout(1000, "Milliseconds for each piece of a request that is sent; the budget ends earlier.") },
          { read_timeout = timeout(1000, "Milliseconds that the engine may be silent while it answers; the budget ends earlier.") },
          { req_body_size = { type = "number", required = true, default = 1024, between = { 0, 1048576 },
            description = "KiB of the body that are judged; fractions are allowed." } },
          { keepalive_size = { type = "integer", required = true, default = 256, between = { 1, 65536 },
            description = "Idle connections to each engine that a worker keeps." } },
          { keepalive_timeout = timeout(60000, "Milliseconds after which an idle connection is closed.") },
          { log_resp = { type = "boolean", required = true, default = true,
            description = "Tell the engine what became of requests that it recorded and passed: status, size and times of the response." } },
          { remote_addr = { type = "string", custom_validator = address.check_remote,
            description = "Header with the client's address, as http_x_forwarded_for: 1; without it the gateway's trusted_ips decide." } },
          { match = {
            type = "record",
            required = true,
            description = "Which requests are judged; without it all of them.",
            fields = {
              { include = conditions("Only requests that fit each list given here are judged.") },
              { exclude = conditions("Requests that fit any list given here are not judged.") },
            },
          } },
          { block_status = { type = "integer", between = { 400, 599 },
            description = "Status of the answer to attacks; without it the engine's, which is 403 unless the site says otherwise." } },
          { block_body = { type = "string", len_max = 65536, custom_validator = template.check,
            description = "Body of the answer to attacks; {event_id} and {status} are filled in. Without it a JSON object." } },
          { block_content_type = { type = "string", required = true, default = "application/json", match = "^[%w.+-]+/[%w.+-]+[%w%s.+=;\"-]*$",
            description = "Content type of the answer to attacks." } },
          { response_headers = { type = "boolean", required = true, default = false,
            description = "Put X-WAF-Action and, where there is an event, X-WAF-Event-Id on every response." } },
          { tls = { type = "boolean", required = true, default = false,
            description = "Speak TLS with the engines; their listener needs a certificate." } },
          { tls_verify = { type = "boolean", required = true, default = true,
            description = "Check the certificates of the engines against the gateway's trusted certificates (lua_ssl_trusted_certificate)." } },
          { tls_server_name = typedefs.sni({
            description = "Name that the engine's certificate must have; without it the engine's host." }) },
          { tls_certificate = { type = "string", referenceable = true,
            description = "Certificate in PEM, with its chain, that is shown to the engines." } },
          { tls_key = { type = "string", referenceable = true, encrypted = true,
            description = "Private key in PEM of tls_certificate." } },
        },
        entity_checks = {
          { mutually_required = { "tls_certificate", "tls_key" } },
        },
      },
    },
  },
}
